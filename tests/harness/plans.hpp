// Random problems, each planned and held against what its plan must be, or against what a call of it
// enqueues. Each primitive has its own in tests/primitives/NAME/shared.cpp. Does not need doctest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/named_value.hpp>
#include <clwave/plan.hpp>
#include <clwave/view.hpp>

#include "base/opencl.hpp"
#include "harness/reference.hpp"

namespace testing {

// ------------------------------------------------------------------------------------------- random plans

// Numbers that stay at the largest there is, past which no operand fits any more, instead of wrapping.
class wide {
 public:
  template <class T>
    requires std::is_integral_v<T>
  constexpr wide(T value) : value_(static_cast<std::uint64_t>(value)) {}  // NOLINT: as numbers do

  friend constexpr wide operator+(wide a, wide b) {
    return b.value_ > most - a.value_ ? most : a.value_ + b.value_;
  }
  friend constexpr wide operator-(wide a, wide b) { return a.value_ - b.value_; }
  friend constexpr wide operator*(wide a, wide b) {
    return b.value_ != 0 && a.value_ > most / b.value_ ? most : a.value_ * b.value_;
  }
  friend constexpr wide operator/(wide a, wide b) { return a.value_ / b.value_; }
  friend constexpr wide operator%(wide a, wide b) { return a.value_ % b.value_; }
  wide& operator+=(wide more) { return *this = *this + more; }
  friend constexpr bool operator==(wide, wide) = default;
  friend constexpr auto operator<=>(wide, wide) = default;

 private:
  static constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t value_;
};

// Plans random problems; what is done with a plan is for the test that derives from it.
class planner {
 public:
  explicit planner(std::uint64_t seed) : random(seed) {}
  virtual ~planner() = default;
  planner(const planner&) = delete;
  planner& operator=(const planner&) = delete;

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

  // The elements that random calls have.
  const clwave::element& any_element() { return *one_of(elements); }

  // Plans once. `bytes` are the operands' sizes as they are: where one does not fit 63 bits there must be
  // no plan. `check` says what is wrong with a plan ("" for nothing).
  virtual void plan(const std::string& what, const clwave::plan_target& on, const std::vector<wide>& bytes,
                    const std::function<clwave::call_plan()>& make,
                    const std::function<std::string(const clwave::call_plan&)>& check) = 0;

  reference::random_engine random;

 private:
  const clwave::element* elements[9] = {
      &clwave::element_of<float>(),        &clwave::element_of<double>(),
      &clwave::element_of<clwave::half>(), &clwave::element_of<std::int8_t>(),
      &clwave::element_of<std::uint8_t>(), &clwave::element_of<clwave::u16>(),
      &clwave::element_of<std::int64_t>(), &clwave::element_of<cl_float4>(),
      &clwave::element_of<cl_int4>()};
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
    if (value != given) return kernel.name + "'s " + std::string(name) + " is " + std::to_string(given);
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

inline bool has_word(const clwave::call_plan& plan, std::string_view name) {
  return std::ranges::any_of(plan.words, [&](const auto& each) { return each.first == name; });
}

inline wide times(wide a, wide b) { return a * b; }
// The bytes of a buffer up to the last of n elements.
inline wide reach(wide n, wide offset, wide size) { return (n + offset) * size; }
inline wide blocks_of(wide count, wide block) { return (count + (block - 1)) / block; }

// -------------------------------------------------------------------------- plans against what is enqueued

inline constexpr std::size_t buffer_bytes = std::size_t{64} << 20;

// Random calls of a device with four buffers, each with its plan; what is done with the two is for the test
// that derives from it.
class call_comparer {
 public:
  virtual ~call_comparer() = default;
  call_comparer() = default;
  call_comparer(const call_comparer&) = delete;
  call_comparer& operator=(const call_comparer&) = delete;

  virtual clwave::plan_target target() const = 0;
  virtual const cl::CommandQueue& queue() const = 0;
  virtual const cl::Buffer& buffer(int k) const = 0;
  // The plan and the call of one problem.
  virtual void compare_call(const std::string& what, const std::function<clwave::call_plan()>& make_plan,
                            const std::function<void()>& call) = 0;

  // A view of the k-th buffer.
  template <class T>
  clwave::view<T> in(int k, std::size_t n, std::size_t offset = 0) const {
    return {buffer(k), n, offset};
  }
  std::size_t size() {
    constexpr std::size_t marks[] = {0,    1,    2,    16,   17,    64,    255,    1000,
                                     1024, 4096, 8192, 8193, 16384, 40961, 131072, 1000003};
    return random.below(3) == 0 ? random.below(3000) : marks[random.below(std::size(marks))];
  }
  std::size_t offset() { return random.below(2) == 0 ? 0 : random.below(40); }
  bool coin() { return random.below(2) != 0; }
  // Numbers of several types: none, or as a call's operator or map has them.
  std::vector<clwave::named_value> some_values() {
    if (coin()) return {};
    const auto number = static_cast<std::int32_t>(random.below(1000)) - 500;
    return {{"k", number},
            {"small", static_cast<std::int8_t>(number)},
            {"f", static_cast<float>(number) / 7},
            {"large", std::uint64_t{0xffffffffffffffff} - random.below(9)},
            {"pair", cl_float2{{static_cast<float>(number), -0.0f}}}};
  }

  reference::random_engine random;
};

}  // namespace testing
