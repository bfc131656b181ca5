// Questions: calls without their buffers. Each primitive's header has its question, and plan(question,
// target), which answers without a device (plan.hpp).
//
// Questions are values: threads may read one at the same time. No queue and no driver is asked, so
// nothing is flushed, and all of it works in a child of fork() too.
#pragma once

#include <cstdint>

#include <clwave/element.hpp>

namespace clwave {

struct call_plan;
struct plan_target;

// An operand of a question: its type, and where its first element lies. Refers to the type, which must live
// as long.
struct asked_operand {
  // `first` elements into a buffer that starts at a multiple of 128 bytes, as buffers do.
  asked_operand(const element& of, std::uint64_t first = 0)  // NOLINT(google-explicit-constructor)
      : type(&of), offset(first), address(first * of.size % 128) {}
  // The same at another address: of a sub-buffer, or in memory of the host's own. Where that memory begins at
  // an odd place it may lie differently on a device that keeps a copy of it; then the address is not known.
  asked_operand(const element& of, std::uint64_t first, std::uint64_t at, bool is_known)
      : type(&of), offset(first), address(at % 128), known(is_known) {}

  const element* type;
  std::uint64_t offset;
  std::uint64_t address;  // of the first element, modulo 128
  bool known = true;
};

}  // namespace clwave
