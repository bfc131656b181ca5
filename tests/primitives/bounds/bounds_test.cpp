// lower_bound and upper_bound against the standard library's: all types of numbers, structures, ranges of all
// lengths, on rows of the table; what is refused.
#include <clwave/bounds.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/given.hpp"
#include "harness/refusals.hpp"

namespace testing::bounds_test {
namespace {

const doctest::test_suite lanes("lanes");

// Calls call(range, needles, results, upper) for both bounds. The range begins some elements into its buffer.
template <class Place, class T, class Less, class Call>
void check_bounds(const fixture& on, const std::vector<T>& in, const std::vector<T>& needles,
                  const Less& less, const Call& call) {
  CAPTURES(in.size(), needles.size(), element_of<T>().name);
  std::vector<T> shifted(2);
  shifted.insert(shifted.end(), in.begin(), in.end());
  const cl::Buffer x = on.buffer_of(shifted), y = on.buffer_of(needles);
  for (const bool upper : some_of({false, true})) {
    CAPTURE(upper);
    std::vector<Place> right;
    for (const T& needle : needles) {
      const auto at = upper ? std::upper_bound(in.begin(), in.end(), needle, less)
                            : std::lower_bound(in.begin(), in.end(), needle, less);
      right.push_back(static_cast<Place>(at - in.begin()));
    }
    const guarded_buffer<Place> out(on, needles.size());
    call(view<const T>{x, in.size(), 2}, view<const T>{y, needles.size()}, out.view(), upper);
    CHECK(out.read_guarded() == right);
  }
}

template <class Place, class T>
void check_bounds_of_numbers(const fixture& on, const std::vector<T>& in, const std::vector<T>& needles,
                             const sort_order& order = {}) {
  CAPTURE(order.descending);
  const auto less = by_order<T>(order);
  check_bounds<Place>(on, sorted(in, less), needles, less, [&](auto x, auto y, auto out, bool upper) {
    if (upper)
      clwave::upper_bound(on.queue, x, y, out, given(order)).wait();
    else
      clwave::lower_bound(on.queue, x, y, out, given(order)).wait();
  });
}

template <class T>
void check_structures(const fixture& on, random_engine& random, std::size_t n, std::size_t count) {
  check_bounds<u32>(on, keyed_ones<T>(random, n, n / 2 + 3), keyed_ones<T>(random, count, n / 2 + 5), by_key,
                    [&](auto x, auto y, auto out, bool upper) {
                      if (upper)
                        clwave::upper_bound(on.queue, x, y, out, {.less = by_key_text}).wait();
                      else
                        clwave::lower_bound(on.queue, x, y, out, {.less = by_key_text}).wait();
                    });
}

}  // namespace

TEST_CASE_TEMPLATE("bounds of every type", T, std::int8_t, u16, u32, std::int64_t, half, bfloat16, float,
                   double) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  const sort_order order{.descending = random.below(2) == 0};
  check_bounds_of_numbers<u32>(on, any_keys<T>(random, random.below(3000)),
                               any_keys<T>(random, random.below(5000)), order);
  // Needles from the range itself, which is full of equals; their bits alone decide.
  std::vector<T> in = any_keys<T>(random, 300), needles;
  for (int k = 0; k < 3; ++k) in.insert(in.end(), in.begin(), in.begin() + 100);
  for (std::size_t k = 0; k < 1000; ++k) needles.push_back(in[random.below(in.size())]);
  check_bounds_of_numbers<u64>(on, in, needles, {.first_bit = 2});
}

// Ranges of every length up to more than a step takes, and some around powers of two.
TEST_CASE_FIXTURE(on_device, "bounds in ranges of all lengths, on every row" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    std::vector<std::size_t> lengths{0, 63, 64, 65, 4095, 4096, 4097, 70000 + random.below(1000)};
    for (std::size_t n = 1; n < 20; ++n) lengths.push_back(n);
    for (const std::size_t n : lengths) {
      const unsigned shape = static_cast<unsigned>(random.below(shapes));
      check_bounds_of_numbers<u32>(on, shaped_keys(random, n, shape),
                                   shaped_keys(random, 1 + random.below(300), shape));
    }
    for (const std::size_t count : {0, 1, 255, 1023, 1025, 5000})
      check_bounds_of_numbers<u32>(on, shaped_keys(random, 1000, 6), shaped_keys(random, count, 6));
    check_structures<person>(on, random, 3000, 500);
  }
}

// So many needles that a group holds in local memory what all its searches ask for first: ranges around the
// shortest one that has that, around a power of two, and of larger elements.
TEST_CASE_FIXTURE(on_device, "bounds of many needles, on every row" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const auto units = on.queue.getInfo<CL_QUEUE_DEVICE>().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    const std::size_t count = std::size_t{units} * 2048 * 16 + random.below(3000);
    if (count > 1 << 20) continue;
    for (const std::size_t n :
         {65535, 65536, 65537, 131071, 131072, 70000 + static_cast<int>(random.below(1000))})
      check_bounds_of_numbers<u32>(on, shaped_keys(random, n, 1), shaped_keys(random, count, 1));
    check_bounds_of_numbers<u64>(on, any_keys<double>(random, 40001), any_keys<double>(random, count));
    check_structures<person>(on, random, 70001, count);
  }
}

// Fewer, of which each group loads a small table: a key of each work-item.
TEST_CASE_FIXTURE(on_device, "bounds of more needles than work-items at once, on every row" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const auto units = on.queue.getInfo<CL_QUEUE_DEVICE>().getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    const std::size_t count = std::size_t{units} * 2048 + 1 + random.below(3000);
    for (const std::size_t n : {8191, 8192, 8193, 16384, 9000 + static_cast<int>(random.below(1000))})
      check_bounds_of_numbers<u32>(on, shaped_keys(random, n, 1), shaped_keys(random, count, 1));
    check_bounds_of_numbers<u64>(on, any_keys<double>(random, 8195), any_keys<double>(random, count));
    check_structures<person>(on, random, 8200, count);
  }
}

TEST_CASE_FIXTURE(on_device, "bounds of structures and by values") {
  check_structures<parcel>(on, random, 1000, 700);
  check_structures<person>(on, random, 0, 5);
  const clwave::op coarse{
      .name = "coarse", .source = "(a >> bits) < (b >> bits)", .identity = {}, .values = {{"bits", 20u}}};
  const auto less = [](u32 a, u32 b) { return (a >> 20) < (b >> 20); };
  check_bounds<u32>(on, sorted(shaped_keys(random, 4000, 7), less), shaped_keys(random, 999, 7), less,
                    [&](auto x, auto y, auto out, bool upper) {
                      if (upper)
                        clwave::upper_bound(on.queue, x, y, out, {.less = coarse}).wait();
                      else
                        clwave::lower_bound(on.queue, x, y, out, {.less = coarse}).wait();
                    });
}

TEST_CASE_FIXTURE(on_device, "bounds in ranges that are not sorted do no harm") {
  const std::size_t n = 1000 + random.below(1000);
  const cl::Buffer x = on.buffer_of(shaped_keys(random, n, 7)),
                   y = on.buffer_of(shaped_keys(random, 5000, 7));
  const guarded_buffer<u32> out(on, 5000);
  clwave::lower_bound(on.queue, view<u32>{x, n}, view<u32>{y, 5000}, out.view()).wait();
  const std::vector<u32> places = out.read_guarded();
  CHECK(std::all_of(places.begin(), places.end(), [&](u32 place) { return place <= n; }));
}

TEST_CASE_FIXTURE(on_device, "what bounds refuse, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256));
  const view<float> x{a, 100}, y{a, 90, 100};
  const view<u32> out{b, 90};
  const auto& q = on.queue;
  refuses("overlap", [&] { clwave::lower_bound(q, x, y, view<u32>{a, 90, 50}); });
  refuses("overlap", [&] { clwave::lower_bound(q, x, y, view<u32>{a, 90, 166}); });
  refuses("which has 89", [&] { clwave::upper_bound(q, x, y, view<u32>{b, 89}); });
  refuses("ends past its buffer", [&] { clwave::lower_bound(q, view<float>{a, 300}, y, out); });
  refuses("of a key of 32 bits", [&] { clwave::lower_bound(q, x, y, out, {.last_bit = 33}); });
  refuses("structures are no keys",
          [&] { clwave::lower_bound(q, view<person>(a, 9), view<person>(a, 9), out); });
  refuses("with a name and a source", [&] { clwave::lower_bound(q, x, y, out, {.less = clwave::max}); });
  const clwave::plan_target target = on.target();
  const element &f32 = element_of<float>(), &u32 = element_of<std::uint32_t>();
  refuses("32 bits do not hold", [&] {
    plan(clwave::bounds_problem{.in = {f32, u64{1} << 32}, .needles = f32, .out = u32}, target);
  });
  refuses("the needles are of u32",
          [&] { plan(clwave::bounds_problem{.in = f32, .needles = u32, .out = u32}, target); });
  refuses("results of f32",
          [&] { plan(clwave::bounds_problem{.in = f32, .needles = f32, .out = f32}, target); });
}

}  // namespace testing::bounds_test
