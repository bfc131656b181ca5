// What all plans share: arithmetic with sizes that users give, and a plan's program.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include <clwave/any_view.hpp>
#include <clwave/plan.hpp>

#include "base/rounding.hpp"
#include "program/program.hpp"

namespace clwave::detail {

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

// An operand of a problem that may have been given no type, as errors name it.
struct typed_operand {
  typed_operand(std::string_view operand, const any_view& of) : name(operand), view(&of) {}
  // One that the call may go without.
  typed_operand(std::string_view operand, const std::optional<any_view>& of)
      : name(operand), view(of ? &*of : nullptr) {}

  std::string_view name;  // "the input"
  const any_view* view;   // null where it was left out
};

// Throws bad_call where an operand has no type. Each describe() begins with it, because it may divide by the
// size of an element; calls do where they look at types before check_operands.
void check_typed(std::string_view primitive, std::initializer_list<typed_operand> all);

// Group numbers are 32-bit in kernels and drivers.
inline constexpr std::uint64_t most_groups = 0x7fffffff;

// What a group of a kernel may take where no device says.
inline constexpr std::uint64_t usual_local_bytes = 32 << 10;

// Local memory of a group; of a device that nobody has, what the GPUs of the table have at least.
inline std::uint64_t local_bytes_of(const target& on) {
  return on.facts != nullptr ? on.facts->local_memory.value_or(usual_local_bytes) : 48 << 10;
}

// Whether a work-item is a group of its own.
inline bool is_cpu(const target& on) { return on.choice.exchange == lane_exchange::none; }

// What the caches hold for a call; where no device says, the last level of a small desktop processor.
std::uint64_t cache_bytes(const target& on);

// Why groups of one launch cannot send one another messages; "" where they can.
std::string_view why_no_messages(const target& on);

// The work-items of a CPU that share `bytes`: no more than it runs at once, and of a page of memory at least.
std::uint64_t cpu_groups(std::uint64_t bytes, const target& on, const tuning& tuned);

// What a plan is built for, as programs take it.
target target_of(const plan_target& asked);

}  // namespace clwave::detail
