// What all plans share: arithmetic with sizes that users give, and a plan's program.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <clwave/plan.hpp>

#include "program/program.hpp"

namespace clwave {

// No size, in elements or in bytes, is larger: 63 bits, so that what is rounded up from it does not wrap.
inline constexpr std::uint64_t most_size = 0x7fffffffffffffff;

// a * b and a + b; nothing where they are larger than most_size.
std::optional<std::uint64_t> checked_product(std::uint64_t a, std::uint64_t b);
std::optional<std::uint64_t> checked_sum(std::uint64_t a, std::uint64_t b);

// The arithmetic of one operand of a call: throws bad_call, naming both, where a size is larger than
// most_size.
struct counting {
  std::string_view primitive, what;

  std::uint64_t times(std::uint64_t a, std::uint64_t b) const;
  std::uint64_t plus(std::uint64_t a, std::uint64_t b) const;
  // Bytes from a buffer's first to the last of n elements that start `offset` elements into it.
  std::uint64_t bytes(std::uint64_t offset, std::uint64_t n, std::uint64_t element_bytes) const {
    return times(plus(offset, n), element_bytes);
  }

 private:
  [[noreturn]] void too_large() const;
};

// What a plan is built for, as programs take it.
target target_of(const plan_target& asked);

// A plan without its kernels: the primitive, the profile, and the program that `spec` says.
call_plan plan_of(const plan_target& asked, const program_spec& spec, std::uint64_t n);

}  // namespace clwave
