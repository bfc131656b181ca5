// reduce with operators that cannot bear what is no element: op.hpp promises an operator of the user elements
// and results of itself, and nothing else, also in lanes whose result nobody takes.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "harness/devices.hpp"
#include "harness/operators.hpp"
#include "harness/reference.hpp"

namespace testing::user_operator_test {

// A number that says of itself that it is one. Nothing else in a device's memory does.
struct marked {
  u32 value, mark;
  bool operator==(const marked&) const = default;
};

}  // namespace testing::user_operator_test

CLWAVE_STRUCTURE(testing::user_operator_test::marked, "marked",
                 "typedef struct { uint value, mark; } marked;")

namespace testing::user_operator_test {
namespace {

constexpr u32 mark = 0x600df00d;

// A sum that is spoilt for ever by what has no mark. And it does not end on it, so that it is noticed in
// lanes whose result is thrown away; the counter only keeps compilers from taking the loop's end for granted.
const clwave::op marked_sum =
    function_op("marked_sum", "",
                "marked marked_sum(marked a, marked b) {\n"
                "  uint turns = 1;\n"
                "  while (a.mark != 0x600df00du || b.mark != 0x600df00du) turns = turns * 5 | 1;\n"
                "  return (marked){a.value + b.value, turns == 1 ? a.mark : 0};\n"
                "}");

// The greatest common divisor, by subtraction: it never ends on 0, and an element is never 0.
const clwave::op divisor = function_op("common_divisor", "",
                                       "uint common_divisor(uint a, uint b) {\n"
                                       "  while (a != b) {\n"
                                       "    if (a > b) a -= b; else b -= a;\n"
                                       "  }\n"
                                       "  return a;\n"
                                       "}");

// The same for elements that must stay in order.
const clwave::op divisor_in_order{.name = "divisor_in_order",
                                  .source = divisor.source,
                                  .identity = "",
                                  .commutative = false,
                                  .declarations = divisor.declarations};

// Ends the process where a kernel does not end: a driver cannot be told to stop one.
class watchdog {
 public:
  explicit watchdog(std::string what)
      : thread_([this, what = std::move(what)] {
          std::unique_lock lock(mutex_);
          if (ended_.wait_for(lock, std::chrono::seconds(300), [this] { return over_; })) return;
          std::fprintf(stderr, "%s: an operator does not end; it was given what is no element\n",
                       what.c_str());
          _exit(1);
        }) {}
  ~watchdog() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ended_.notify_all();
    thread_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

// A lane set, a group, a row of a tile and a tile, each less one, as it is, and one more; several tiles and a
// few.
std::vector<std::size_t> boundaries(const clwave::profile& row) {
  const std::size_t group = row.reduce.group_size;
  std::vector<std::size_t> sizes = {
      1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 511, 3 * 8192 + 5, 9 * 8192 + 1030};
  for (const std::size_t at : {group, std::size_t{1024}, std::size_t{8192}}) {
    for (const std::size_t n : {at - 1, at, at + 1}) {
      if (n > 0) sizes.push_back(n);
    }
  }
  return sizes;
}

std::vector<marked> marked_numbers(std::size_t n) {
  std::vector<marked> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = {static_cast<u32>(i * 2654435761u), mark};
  return all;
}

// Multiples of 6 up to 300.
std::vector<u32> multiples(std::size_t n) {
  reference::random_engine random;
  std::vector<u32> all(n);
  for (u32& x : all) x = 6 * (1 + static_cast<u32>(random() % 50));
  return all;
}

}  // namespace

TEST_SUITE("user operators") {
  TEST_CASE("an operator sees elements and results of itself, in every row") {
    fixture& on = default_fixture();
    std::vector<marked> values = marked_numbers(9 * 8192 + 1031);
    std::vector<u32> numbers = multiples(values.size());
    values[0].mark = numbers[0] = 0;  // before the inputs, and no element
    const cl::Buffer marks = on.buffer_of(values), multiple = on.buffer_of(numbers);
    for_each_profile([&](const clwave::profile& row) {
      const watchdog ends(std::string(row.name));
      for (const std::size_t n : boundaries(row)) {
        CAPTURE(n);
        marked sum = values[1];
        for (std::size_t i = 2; i <= n; ++i) sum.value += values[i].value;
        CHECK(clwave::reduce(on.queue, view<marked>{marks, n, 1}, marked_sum) == sum);
        u32 common = numbers[1];
        for (std::size_t i = 2; i <= n; ++i) common = std::gcd(common, numbers[i]);
        CHECK(clwave::reduce(on.queue, view<u32>{multiple, n, 1}, divisor_in_order) == common);
      }
    });
  }

  // From the first element, which lets packets be loaded; and enough tiles for the second level to have whole
  // rows.
  TEST_CASE("an operator sees elements and results of itself, by packets and on two levels") {
    fixture& on = default_fixture();
    const std::size_t two_levels = 8192 * 1030 + 77;
    const std::vector<u32> numbers = multiples(two_levels);
    const cl::Buffer buffer = on.buffer_of(numbers);
    const watchdog ends("the device's own row");
    for (const std::size_t n : std::vector<std::size_t>{1, 33, 1025, 8193, two_levels}) {
      CAPTURE(n);
      u32 common = numbers[0];
      for (std::size_t i = 1; i < n; ++i) common = std::gcd(common, numbers[i]);
      CHECK(clwave::reduce(on.queue, view<u32>{buffer, n}, divisor) == common);
    }
    for (const std::string row : forced_rows(some_of({"sm_90", "gfx90a", "gfx1030", "subgroup-8"}))) {
      const watchdog row_ends(row);
      CAPTURE(row);
      for (const std::size_t n : {1u, 33u, 1025u, 8193u}) {
        CAPTURE(n);
        u32 common = numbers[0];
        for (std::size_t i = 1; i < n; ++i) common = std::gcd(common, numbers[i]);
        CHECK(clwave::reduce(on.queue, view<u32>{buffer, n}, divisor) == common);
      }
    }
  }
}

}  // namespace testing::user_operator_test
