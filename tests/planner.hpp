// Random plans, and what is wrong with one: sizes at the ends of their range, and plans whose numbers are not
// the question's or wrap.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "reference.hpp"

namespace testing {

__extension__ typedef unsigned __int128 wide;

constexpr std::uint64_t most_bytes = 0x7fffffffffffffff;

class planner {
 public:
  explicit planner(std::uint64_t seed) : random(seed) {}

  // A size: nothing, a few, a prime, next to a power of two, or what no memory holds.
  std::uint64_t size() {
    static constexpr std::uint64_t primes[] = {2, 3, 5, 17, 127, 257, 8191, 65537, 1000003, 2147483647};
    switch (random.below(12)) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
      case 3:
        return random.below(200);
      case 4:
        return primes[random.below(std::size(primes))];
      case 5:
      case 6:
      case 7:
        return (std::uint64_t{1} << random.below(34)) + random.below(3) - 1;
      case 8:
        return (std::uint64_t{1} << random.below(64)) + random.below(3) - 1;
      case 9:
        return random.below(std::size_t{1} << 22);
      case 10:
        return ~std::uint64_t{0} >> random.below(4);
      default:
        return 1 + random.below(5000);
    }
  }
  std::uint64_t offset() {
    return random.below(3) != 0 ? 0 : random.below(2) != 0 ? random.below(64) : size();
  }
  bool coin() { return random.below(2) != 0; }
  template <class T, std::size_t count>
  const T& one_of(const T (&list)[count]) {
    return list[random.below(count)];
  }

  // Plans once. `bytes` are the operands' sizes as they are: where one does not fit 63 bits there must be
  // no plan. `check` says what is wrong with a plan ("" for nothing).
  void plan(const std::string& what, const clwave::plan_target& on, const std::vector<wide>& bytes,
            const std::function<clwave::call_plan()>& make,
            const std::function<std::string(const clwave::call_plan&)>& check) {
    bool fits = true;
    for (const wide each : bytes) fits = fits && each <= most_bytes;
    std::string wrong;
    try {
      const clwave::call_plan made = make();
      ++plans;
      if (!fits) wrong = "a plan, though an operand has more bytes than 63 bits count";
      for (const clwave::planned_kernel& kernel : made.kernels)
        if (wrong.empty()) wrong = trouble_of(kernel, on);
      if (wrong.empty()) wrong = check(made);
    } catch (const clwave::error& refused) {
      ++refusals;
      if (refused.kind() != clwave::failure::bad_call)
        wrong = std::string("another error: ") + refused.what();
    }
    if (wrong.empty()) return;
    if (++failures <= 10)
      FAIL_CHECK(what << " on " << on.choice.row->name << ": " << wrong << "; " << random.note());
  }

  reference::random_engine random;
  std::size_t plans = 0, refusals = 0, failures = 0;

 private:
  static std::string trouble_of(const clwave::planned_kernel& kernel, const clwave::plan_target& on) {
    if (kernel.groups == 0 || kernel.group_size == 0) return kernel.name + " has no groups";
    if (kernel.groups > 0x7fffffff) return kernel.name + " has more groups than 31 bits count";
    if (wide{kernel.groups} * kernel.group_size > most_bytes) return kernel.name + "'s global size wraps";
    if (on.facts != nullptr &&
        kernel.group_size >
            std::max<std::uint64_t>(on.facts->max_work_group_size.value_or(4096), on.choice.lanes))
      return kernel.name + " has groups of " + std::to_string(kernel.group_size);
    for (const clwave::planned_argument& argument : kernel.arguments) {
      if (argument.kind == "u32" && std::stoull(argument.value) > 0xffffffff)
        return argument.name + " does not fit 32 bits";
      const bool buffer =
          argument.kind == "input" || argument.kind == "output" || argument.kind == "workspace";
      if (buffer && (argument.value == "0" || std::stoull(argument.value) > most_bytes))
        return argument.name + " has " + argument.value + " bytes";
    }
    return {};
  }
};

inline std::uint64_t argument(const clwave::planned_kernel& kernel, std::string_view name) {
  for (const clwave::planned_argument& each : kernel.arguments)
    if (each.name == name) return std::stoull(each.value);
  throw std::runtime_error(kernel.name + " has no argument " + std::string(name));
}

// "" where every argument of the plan's kernel is what was asked for.
inline std::string compare(const clwave::planned_kernel& kernel,
                           const std::vector<std::pair<std::string_view, wide>>& expected) {
  for (const auto& [name, value] : expected) {
    const std::uint64_t given = argument(kernel, name);
    if (given != value) return kernel.name + "'s " + std::string(name) + " is " + std::to_string(given);
  }
  return {};
}

// The kernels there are for n elements: none for none.
inline std::string count_kernels(const clwave::call_plan& plan, wide n) {
  if ((n == 0) != plan.kernels.empty()) return std::to_string(plan.kernels.size()) + " kernels";
  return {};
}

inline std::uint64_t word(const clwave::call_plan& plan, std::string_view name) {
  for (const auto& [key, value] : plan.words)
    if (key == name) return std::stoull(value);
  throw std::runtime_error("no word " + std::string(name));
}

// Products that stop at 2^63, where no operand fits any more, instead of wrapping at 2^128.
inline wide capped(wide x) { return std::min(x, wide{1} << 63); }
inline wide times(wide a, wide b) { return capped(capped(a) * capped(b)); }

inline wide blocks_of(wide count, wide block) { return (count + block - 1) / block; }

}  // namespace testing
