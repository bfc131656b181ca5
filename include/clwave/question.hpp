// Questions: calls without their buffers. Each primitive's header has its question, and plan(question,
// target), which answers without a device (plan.hpp).
#pragma once

#include <cstdint>

#include <clwave/element.hpp>

namespace clwave {

struct call_plan;
struct plan_target;

// An operand of a question: its type, and where its first element lies. Refers to the type, which must live
// as long.
struct asked_operand {
  // `offset` elements into a buffer that starts at a multiple of 128 bytes, as buffers do.
  asked_operand(const element& type, std::uint64_t offset = 0)  // NOLINT(google-explicit-constructor)
      : asked_operand(type, offset, offset * type.size, 128) {}
  // The same at another address: of a sub-buffer, or in memory of the host's own. Where that memory begins at
  // a multiple of less than 128 bytes, its `base`, it may lie differently on a device that keeps a copy of
  // it; then the address is not known.
  asked_operand(const element& type, std::uint64_t offset, std::uint64_t address, std::uint64_t base)
      : type(&type),
        offset(offset),
        address(address % 128),
        alignment((address | base) & -(address | base)),
        known(base == 128) {}

  const element* type;
  std::uint64_t offset;
  std::uint64_t address;    // of the first element, modulo 128
  std::uint64_t alignment;  // a power of two, at most 128, that divides the address wherever it is
  bool known;
};

}  // namespace clwave
