// Searches that stop early against plain loops: places in every part of tiles, none, several; types, odd
// places, rows of the table; values, futures and views; how much is read; what is refused.
#include <clwave/search.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/elements.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/given.hpp"
#include "harness/refusals.hpp"

namespace testing::search_test {
namespace {

using clwave::nowhere;

const doctest::test_suite lanes("lanes");

// The poison of an output is neither an index that is found nor a truth value.
u64 index_from(const guarded_buffer<u64>& out) {
  CHECK(out.guards_intact());
  return out.first();
}
bool truth_from(const guarded_buffer<std::uint8_t>& out) {
  CHECK(out.guards_intact());
  const std::uint8_t byte = out.first();
  CHECK(byte <= 1);
  return byte == 1;
}
view<bool> truth_view(const guarded_buffer<std::uint8_t>& out) {
  return {out.view().buffer(), 1, out.view().offset()};
}

// n elements from odd places on, of which those of `places` are other than all others.
template <class T>
struct searched {
  searched(const fixture& fix, random_engine& random, std::size_t n, const std::vector<std::size_t>& places)
      : on(fix), x_first(random.below(6)), y_first(random.below(2) == 0 ? x_first : random.below(6)), n(n) {
    x.resize(x_first + n + 3);
    // What lies around the elements fits the predicate.
    std::fill(x.begin(), x.end(), static_cast<T>(100));
    for (std::size_t i = 0; i < n; ++i) x[x_first + i] = static_cast<T>(random.below(50));
    y.assign(y_first + n + 3, static_cast<T>(7));
    std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(x_first), n,
                y.begin() + static_cast<std::ptrdiff_t>(y_first));
    for (const std::size_t place : places) x[x_first + place] = static_cast<T>(60 + random.below(9));
    xs = on.buffer_of(x);
    ys = on.buffer_of(y);
    right = places.empty() ? nowhere : *std::min_element(places.begin(), places.end());
  }

  void check() const {
    CAPTURES(n, right, element_of<T>().name);
    const view<const T> in{xs, n, x_first}, other{ys, n, y_first};
    const map large{.name = "large", .source = "x > least", .values = {{"least", 55}}};
    const map small{.name = "small", .source = "x <= 55"};
    const bool any = right != nowhere;
    const auto& q = on.queue;
    const guarded_buffer<u64> index(on, 1), different(on, 1);
    const guarded_buffer<std::uint8_t> truths[] = {{on, 1}, {on, 1}, {on, 1}, {on, 1}};
    clwave::find_if(q, in, index.view(), large);
    clwave::mismatch(q, in, other, different.view());
    clwave::any_of(q, in, truth_view(truths[0]), large);
    clwave::none_of(q, in, truth_view(truths[1]), large);
    clwave::all_of(q, in, truth_view(truths[2]), small);
    clwave::equal(q, in, other, truth_view(truths[3])).wait();
    CHECK(index_from(index) == right);
    CHECK(index_from(different) == right);
    CHECK(truth_from(truths[0]) == any);
    CHECK(truth_from(truths[1]) != any);
    CHECK(truth_from(truths[2]) != any);
    CHECK(truth_from(truths[3]) != any);
  }

  const fixture& on;
  std::size_t x_first, y_first, n;
  std::vector<T> x, y;
  cl::Buffer xs, ys;
  u64 right = nowhere;
};

template <class T>
void check_searches(const fixture& on, random_engine& random, std::size_t n) {
  searched<T>(on, random, n, {}).check();
  if (n == 0) return;
  searched<T>(on, random, n, {random.below(n)}).check();
  std::vector<std::size_t> several;
  for (int k = 0; k < 4; ++k) several.push_back(random.below(n));
  searched<T>(on, random, n, several).check();
}

template <class T, class Less>
void check_sorted(const fixture& on, const std::vector<T>& x, std::size_t offset, const Less& less,
                  const sort_order& order) {
  CAPTURE(x.size());
  std::vector<T> shifted(offset, x.empty() ? T{} : x.back());
  shifted.insert(shifted.end(), x.begin(), x.end());
  const cl::Buffer xs = on.buffer_of(shifted);
  const guarded_buffer<std::uint8_t> truth(on, 1);
  clwave::is_sorted(on.queue, view<const T>{xs, x.size(), offset}, truth_view(truth), given(order)).wait();
  CHECK(truth_from(truth) == std::is_sorted(x.begin(), x.end(), less));
}

// In order, and with two elements exchanged.
template <class T>
void check_orders(const fixture& on, random_engine& random, std::size_t n) {
  const sort_order order{.descending = random.below(2) == 0};
  const auto less = by_order<T>(order);
  std::vector<T> x = sorted(random_elements<T>(random, n), less);
  check_sorted(on, x, random.below(6), less, order);
  if (n < 2) return;
  std::vector<T> two = x;
  std::swap(two[random.below(n)], two[random.below(n)]);
  check_sorted(on, two, random.below(6), less, order);
  // The least at the right end alone.
  std::swap(x.front(), x.back());
  check_sorted(on, x, random.below(6), less, order);
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "searches of all lengths around groups and tiles") {
  for (const std::size_t n :
       {0, 1, 2, 3, 31, 32, 33, 255, 256, 257, 1023, 1025, 4095, 4096, 4097, 8193, 40961})
    check_searches<float>(on, random, n);
}

TEST_CASE_FIXTURE(on_device, "searches of all types of numbers") {
  const std::size_t n = 5000 + random.below(9000);
  check_searches<std::int8_t>(on, random, n);
  check_searches<std::uint8_t>(on, random, n);
  check_searches<std::int16_t>(on, random, n);
  check_searches<u32>(on, random, n);
  check_searches<std::int64_t>(on, random, n);
  check_searches<double>(on, random, n);
  check_searches<float>(on, random, n);
  check_orders<std::int8_t>(on, random, n);
  check_orders<half>(on, random, n);
  check_orders<bfloat16>(on, random, n);
  check_orders<u64>(on, random, n);
  check_orders<double>(on, random, n);
}

TEST_CASE_FIXTURE(on_device, "searches on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    for (const std::size_t n :
         {std::size_t{1}, random.below(300), random.below(20000), random.below(200000)}) {
      check_searches<float>(on, random, n);
      check_orders<float>(on, random, n);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "a place in each part of a tile, the last one too") {
  const std::size_t n = 3 * 4096 + 5;
  for (const std::size_t place : std::vector<std::size_t>{0, 1, 4095, 4096, n - 2, n - 1})
    searched<float>(on, random, n, {place}).check();
}

TEST_CASE_FIXTURE(on_device, "values, futures and counted elements") {
  const std::size_t n = 20000 + random.below(20000), place = 10000 + random.below(5000);
  const searched<float> of(on, random, n, {place, place + 1000});
  const view<float> in{of.xs, n, of.x_first}, other{of.ys, n, of.y_first};
  const map large{.name = "large", .source = "x > 55"},
      at_place{.name = "at", .source = "i == at", .values = {{"at", u64{place}}}};
  const auto& q = on.queue;
  CHECK(clwave::find_if(q, in, large) == place);
  CHECK(clwave::find_if(q, in, at_place) == place);
  CHECK(clwave::find_if(q, in, map{.name = "never", .source = "0"}) == nowhere);
  auto first = clwave::find_if_async(q, in, large);
  auto any = clwave::any_of_async(q, in, large);
  auto all = clwave::all_of_async(q, in, large);
  auto none = clwave::none_of_async(q, in, large);
  auto differs = clwave::mismatch_async(q, in, other);
  auto same = clwave::equal_async(q, in, other);
  auto rises = clwave::is_sorted_async(q, in);
  CHECK(first.get() == place);
  CHECK(any.get());
  CHECK_FALSE(all.get());
  CHECK_FALSE(none.get());
  CHECK(differs.get() == place);
  CHECK_FALSE(same.get());
  CHECK_FALSE(rises.get());
  CHECK(clwave::equal(q, in, in));
  CHECK(clwave::mismatch(q, in, other, op{.name = "close", .source = "fabs(a - b) < 1000"}) == nowhere);
  CHECK(clwave::any_of(q, in, large));
  CHECK_FALSE(clwave::all_of(q, in, large));
  CHECK_FALSE(clwave::none_of(q, in, large));
  CHECK_FALSE(clwave::equal(q, in, other));
  CHECK(clwave::equal(q, in, other, op{.name = "always", .source = "1"}));

  // As many elements as a number on the device says: up to the place, and past it.
  for (const u32 count : {u32{0}, u32{1}, static_cast<u32>(place), static_cast<u32>(place + 1), ~u32{0}}) {
    CAPTURE(count);
    const cl::Buffer number = on.buffer_of(std::vector<u32>{count});
    const view<u32> where{number, 1};
    CHECK(clwave::find_if(q, in.first(where), large) == (count > place ? place : nowhere));
    CHECK(clwave::any_of(q, in.first(where), large) == (count > place));
    CHECK(clwave::is_sorted(q, in.first(where)) == (count < 2));
  }
}

TEST_CASE_FIXTURE(on_device, "searches of no elements") {
  const cl::Buffer some = on.buffer_of(std::vector<float>(4));
  const view<float> in{some, 0};
  const map never{.name = "never", .source = "0"};
  const auto& q = on.queue;
  CHECK(clwave::find_if(q, in, never) == nowhere);
  CHECK(clwave::find_if_async(q, in, never).get() == nowhere);
  CHECK_FALSE(clwave::any_of(q, in, never));
  CHECK(clwave::all_of(q, in, never));
  CHECK(clwave::none_of(q, in, never));
  CHECK(clwave::equal(q, in, in));
  CHECK(clwave::mismatch(q, in, in) == nowhere);
  CHECK(clwave::is_sorted(q, in));
  const guarded_buffer<u64> index(on, 1);
  const guarded_buffer<std::uint8_t> truth(on, 1);
  clwave::find_if(q, in, index.view(), never);
  clwave::all_of(q, in, truth_view(truth), never).wait();
  CHECK(index_from(index) == nowhere);
  CHECK(truth_from(truth));
}

TEST_CASE_FIXTURE(on_device, "NaNs and zeros: equal is ==, and the order is that of sort") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto& q = on.queue;
  const auto held = [&](const std::vector<float>& x) { return on.buffer_of(x); };
  const cl::Buffer with_nan = held({1, nan, 2}), rising = held({-0.0f, 0.0f, 1, nan}),
                   falling = held({0.0f, -0.0f}), nan_first = held({nan, 1}), zeros = held({0.0f, 0.0f});
  CHECK(clwave::mismatch(q, view<float>{with_nan, 3}, view<float>{with_nan, 3}) == 1);
  CHECK(clwave::equal(q, view<float>{falling, 2}, view<float>{zeros, 2}));
  CHECK(clwave::is_sorted(q, view<float>{rising, 4}));
  CHECK_FALSE(clwave::is_sorted(q, view<float>{falling, 2}));
  CHECK_FALSE(clwave::is_sorted(q, view<float>{nan_first, 2}));
  CHECK(clwave::is_sorted(q, view<float>{nan_first, 2}, {.descending = true}));
}

TEST_CASE_FIXTURE(on_device, "structures by texts") {
  std::vector<person> x(3000);
  for (person& each : x) each.key = static_cast<u32>(random.below(700));
  const cl::Buffer xs = on.buffer_of(x);
  const view<person> in{xs, x.size()};
  CHECK_FALSE(clwave::is_sorted(on.queue, in, {.less = by_key_text}));
  CHECK(clwave::find_if(on.queue, in, map{.name = "never", .source = "x.key > 700"}) == nowhere);
  std::stable_sort(x.begin(), x.end(), by_key);
  on.queue.enqueueWriteBuffer(xs, CL_TRUE, 0, x.size() * sizeof(person), x.data());
  CHECK(clwave::is_sorted(on.queue, in, {.less = by_key_text}));
  CHECK(clwave::equal(on.queue, in, in, op{.name = "same key", .source = "a.key == b.key"}));
}

TEST_CASE_FIXTURE(on_device, "a place at the beginning: little is read of what follows") {
  if (!on.is_pocl()) return;
  // A predicate that takes long for the elements behind element 100000.
  const std::size_t n = std::size_t{1} << 22;
  std::vector<u32> x(n, 0);
  std::fill(x.begin() + 100000, x.end(), 1u << (quickest() ? 9 : quick() ? 10 : 12));
  const map slow{.name = "slow",
                 .source = "slowly(x) == least",
                 .declarations =
                     "uint slowly(uint x) {\n"
                     "  uint y = x;\n"
                     "  for (uint k = 0; k < x; ++k) y = (y * 1664525u + 1013904223u) ^ y >> 7;\n"
                     "  return x == 3 ? 3 : y | 4;\n"
                     "}",
                 .values = {{"least", 3u}}};
  const auto seconds_of = [&](u64 place) {
    const cl::Buffer xs = on.buffer_of(x);
    const auto before = std::chrono::steady_clock::now();
    CHECK(clwave::find_if(on.queue, view<u32>{xs, n}, slow) == place);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  };
  static_cast<void>(clwave::find_if(on.queue, view<u32>{on.buffer_of(x), 1}, slow));  // builds the program
  const double whole = seconds_of(nowhere);
  x[50000] = 3;
  double early = whole;
  for (int k = 0; k < 3; ++k) early = std::min(early, seconds_of(50000));
  CAPTURES(whole, early);
  CHECK(early < whole / 8);
}

TEST_CASE_FIXTURE(on_device, "what searches refuse") {
  const cl::Buffer some = on.buffer_of(std::vector<float>(64)), other = on.buffer_of(std::vector<float>(64));
  const view<float> in{some, 20};
  const map positive{.name = "positive", .source = "x > 0"};
  const auto& q = on.queue;
  refuses("a predicate is a map of your own", [&] { clwave::any_of(q, in, clwave::identity); });
  refuses("a predicate is a map of your own",
          [&] { clwave::any_of(q, in, map{.name = "none", .source = ""}); });
  refuses("20 elements, the second 19", [&] { clwave::equal(q, in, view<float>{other, 19}); });
  refuses("no element for the result", [&] { clwave::find_if(q, in, view<u64>{other, 0}, positive); });
  refuses("output", [&] { clwave::find_if(q, in, view<u64>{some, 1, 2}, positive); });
  refuses("structures have no ==", [&] {
    const view<person> people{some, 2};
    clwave::equal(q, people, people);
  });
  refuses("an operator and an order of numbers", [&] {
    clwave::is_sorted(q, in, {.descending = true, .less = {.name = "less", .source = "a < b"}});
  });
  refuses("vectors are no keys", [&] {
    const view<cl_float2> pairs{some, 4};
    clwave::is_sorted(q, pairs);
  });
  refuses("gives a u64", [&] {
    clwave::search_problem problem{.in = in, .predicate = &positive};
    problem.out = any_view(view<bool>{other, 1});
    clwave::search(q(), problem);
  });
  refuses("no second input", [&] {
    const clwave::search_problem problem{.kind = clwave::search_kind::equal, .in = in};
    bool result = false;
    clwave::search(q(), problem, &result);
  });
  refuses("cannot be counted", [&] {
    const cl::Buffer number = on.buffer_of(std::vector<u32>{3});
    const view<u32> count{number, 1};
    clwave::equal(q, in.first(count), in);
  });
  CHECK(failure_from([&] { clwave::any_of(q, in, map{.name = "bad", .source = "x +"}); }) ==
        clwave::failure::build);
}

}  // namespace testing::search_test
