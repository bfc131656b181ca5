/// @file
/// Questions: calls without their buffers. Each primitive's header has its question, and plan(question,
/// target), which answers without a device (plan.hpp).
///
/// Questions are values: threads may read one at the same time. No queue and no driver is asked, so
/// nothing is flushed, and all of it works in a child of fork() too.
#pragma once

#include <cstdint>

#include <clwave/element.hpp>

namespace clwave {

struct call_plan;
struct plan_target;

/// An operand of a question: its type, and where its first element lies. Refers to the type, which must live
/// as long.
struct asked_operand {
  /// `first` elements into a buffer that starts at a multiple of 128 bytes, as buffers do.
  asked_operand(const element& of, std::uint64_t first = 0)  // NOLINT(google-explicit-constructor)
      : asked_operand(of, first, first * of.size, 0) {}
  /// The same at another address: of a sub-buffer, or in memory of the host's own, which starts at the
  /// address `host`. Where that is no multiple of 128, the operand may lie differently on a device that keeps
  /// a copy of the memory; then its address is not known, and only what divides both addresses is.
  asked_operand(const element& of, std::uint64_t first, std::uint64_t at, std::uint64_t host)
      : type(&of),
        offset(first),
        address(at % 128),
        known(host % 128 == 0),
        alignment((at | host | 128) & (~(at | host | 128) + 1)) {}

  const element* type;      ///< of its elements
  std::uint64_t offset;     ///< of the first element in its buffer, in elements
  std::uint64_t address;    ///< of the first element, modulo 128
  bool known = true;        ///< whether `address` is that on the device; else `alignment` alone counts
  std::uint64_t alignment;  ///< the largest power of two, at most 128, that divides the address
};

}  // namespace clwave
