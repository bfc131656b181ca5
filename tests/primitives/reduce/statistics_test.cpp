// count_if, minmax, mean_and_variance and start values against plain loops on the host: their bits in the
// fold order, on rows of the table; rows, columns and segments; special values; what is refused.
#include <clwave/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#if __has_include(<clwave/reduce_columns.hpp>)
#include <clwave/reduce_columns.hpp>
#endif
#if __has_include(<clwave/reduce_rows.hpp>)
#include <clwave/reduce_rows.hpp>
#endif
#if __has_include(<clwave/segmented_reduce.hpp>)
#include <clwave/segmented_reduce.hpp>
#endif

#include "harness/elements.hpp"
#include "harness/refusals.hpp"

namespace testing::statistics_test {
namespace {

using clwave::min_and_max;
using clwave::moments;

const std::size_t sizes[] = {1, 2, 3, 33, 1025, 8193, 20011};

// What moments of two sets come to; volatile, for nothing may be fused.
template <class T>
moments<T> both_moments(const moments<T>& a, const moments<T>& b) {
  const volatile T n = static_cast<T>(a.n + b.n);
  const volatile T share = static_cast<T>(b.n) / n;
  const volatile T distance = b.mean - a.mean;
  const volatile T step = distance * share;
  const volatile T square = distance * distance;
  const volatile T of_a = square * static_cast<T>(a.n);
  const volatile T of_both = of_a * share;
  const volatile T squares = a.squares + b.squares;
  return {a.n + b.n, a.mean + step, squares + of_both};
}

template <class T>
moments<T> canonical_moments(const moments<T>& of) {
  return {of.n, reference::canonical(of.mean), reference::canonical(of.squares)};
}

template <class T>
bool are_same(const moments<T>& a, const moments<T>& b) {
  return a.n == b.n && same_bits(a.mean, b.mean) && same_bits(a.squares, b.squares);
}

template <class Acc, class T>
moments<Acc> right_moments(const std::vector<T>& x, std::size_t first, std::size_t n) {
  if (n == 0) return {};
  const auto lift = [&](std::size_t i) {
    const auto value = static_cast<Acc>(x[first + i]);
    const volatile Acc zero = value - value;
    return moments<Acc>{1, value, zero};
  };
  return canonical_moments(reference::fold_reference<moments<Acc>>(n, lift, both_moments<Acc>, false));
}

template <class T>
min_and_max<T> right_ends(const std::vector<T>& x, std::size_t first, std::size_t n) {
  const auto end = [&](auto combine) {
    return reference::canonical(reference::host_fold<T>(x, first, n, combine));
  };
  return {end(reference::minimum<T>), end(reference::maximum<T>)};
}

template <class T>
bool are_same(const min_and_max<T>& a, const min_and_max<T>& b) {
  return same_bits(a.min, b.min) && same_bits(a.max, b.max);
}

template <class T>
void check_ends(const fixture& on, random_engine& random, spice kind) {
  CAPTURE(element_of<T>().name);
  const std::vector<T> x = reference::random_values<T>(random, sizes[6] + 1, kind);
  const cl::Buffer xs = on.buffer_of(x);
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::size_t first = random.below(2);
    const view<const T> in(xs, n, first);
    const guarded_buffer<min_and_max<T>> out(on, 1);
    clwave::minmax(on.queue, in, out.view()).wait();
    const auto right = right_ends(x, first, n);
    CHECK(are_same(out.first(), right));
    CHECK(are_same(clwave::minmax(on.queue, in), right));
  }
}

template <class Acc, class T>
void check_moments(const fixture& on, random_engine& random, spice kind) {
  CAPTURE(element_of<T>().name);
  const std::vector<T> x = reference::random_values<T>(random, sizes[6] + 1, kind);
  const cl::Buffer xs = on.buffer_of(x);
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::size_t first = random.below(2);
    const view<const T> in(xs, n, first);
    const guarded_buffer<moments<Acc>> out(on, 1);
    clwave::mean_and_variance(on.queue, in, out.view()).wait();
    const auto right = right_moments<Acc>(x, first, n);
    CHECK(are_same(out.first(), right));
    CHECK(are_same(clwave::mean_and_variance<Acc>(on.queue, in), right));
  }
}

TEST_CASE_FIXTURE(on_device, "minmax: the least and the greatest, in the promised bits") {
  in_rows([&](bool own) {
    check_ends<float>(on, random, spice::nans);
    check_ends<float>(on, random, spice::finite);
    if (!own) return;
    check_ends<std::int8_t>(on, random, spice::ordinary);
    check_ends<std::uint8_t>(on, random, spice::ordinary);
    check_ends<std::int32_t>(on, random, spice::ordinary);
    check_ends<u64>(on, random, spice::ordinary);
    check_ends<std::int64_t>(on, random, spice::ordinary);
    if (on.has_doubles()) check_ends<double>(on, random, spice::nans);
  });
}

TEST_CASE_FIXTURE(on_device, "minmax of halves and of 16-bit numbers; of no elements") {
  const std::vector<bfloat16> x = random_elements<bfloat16>(random, 777);
  const cl::Buffer xs = on.buffer_of(x);
  const min_and_max<float> ends = clwave::minmax(on.queue, view<const bfloat16>(xs, x.size()));
  const auto [least, greatest] = std::minmax_element(
      x.begin(), x.end(), [](auto a, auto b) { return static_cast<float>(a) < static_cast<float>(b); });
  CHECK(ends.min == static_cast<float>(*least));
  CHECK(ends.max == static_cast<float>(*greatest));
  const std::vector<u16> words = {300, 65535, 2};
  const auto of_words = clwave::minmax(on.queue, view<u16>(on.buffer_of(words), 3));
  CHECK(of_words.min == 2);
  CHECK(of_words.max == 65535);
  const auto of_none = clwave::minmax(on.queue, view<float>(xs, 0));
  CHECK(of_none.min == std::numeric_limits<float>::infinity());
  CHECK(of_none.max == -std::numeric_limits<float>::infinity());
  const auto of_no_bytes = clwave::minmax(on.queue, view<std::int8_t>(xs, 0));
  CHECK(of_no_bytes.min == 127);
  CHECK(of_no_bytes.max == -128);
  const auto of_no_words = clwave::minmax_async(on.queue, view<u64>(xs, 0)).get();
  CHECK(of_no_words.min == ~u64{0});
  CHECK(of_no_words.max == 0);
}

TEST_CASE_FIXTURE(on_device, "mean_and_variance: in the promised bits, its divisions too") {
  in_rows([&](bool own) {
    check_moments<float, float>(on, random, spice::ordinary);
    check_moments<float, float>(on, random, spice::nans);
    if (!own) return;
    check_moments<float, std::uint8_t>(on, random, spice::ordinary);
    check_moments<float, std::int32_t>(on, random, spice::ordinary);
    if (!on.has_doubles()) return;
    check_moments<double, double>(on, random, spice::nans);
    check_moments<double, std::int64_t>(on, random, spice::ordinary);
    check_moments<double, float>(on, random, spice::finite);
  });
}

TEST_CASE_FIXTURE(on_device, "mean_and_variance on every row") {
  const std::vector<float> x = reference::random_values<float>(random, 40001);
  const cl::Buffer xs = on.buffer_of(x);
  const moments<float> right = right_moments<float>(x, 1, 40000);
  const min_and_max<float> ends = right_ends(x, 1, 40000);
  for_each_profile([&](const clwave::profile& /*row*/) {
    const view<float> in(xs, 40000, 1);
    CHECK(are_same(clwave::mean_and_variance(on.queue, in), right));
    CHECK(are_same(clwave::minmax_async(on.queue, in).get(), ends));
  });
}

// A matrix, or as many segments, against the fold of each part alone.
constexpr std::size_t parts = 37, part_size = 1301;

template <class Ends, class Moments>
void check_parts(const fixture& on, const std::vector<float>& x, const Ends& ends_into,
                 const Moments& moments_into) {
  const guarded_buffer<min_and_max<float>> ends(on, parts);
  const guarded_buffer<moments<float>> found(on, parts);
  ends_into(ends.view()).wait();
  moments_into(found.view()).wait();
  const auto all_ends = ends.read();
  const auto all_found = found.read();
  for (std::size_t k = 0; k < parts; ++k) {
    CAPTURE(k);
    CHECK(are_same(all_ends[k], right_ends(x, k * part_size, part_size)));
    CHECK(are_same(all_found[k], right_moments<float>(x, k * part_size, part_size)));
  }
  CHECK(ends.guards_intact());
  CHECK(found.guards_intact());
}

#if __has_include(<clwave/reduce_rows.hpp>)
TEST_CASE_FIXTURE(on_device, "minmax and mean_and_variance of rows and columns") {
  const std::vector<float> x = reference::random_values<float>(random, parts * part_size, spice::nans);
  std::vector<float> turned(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) turned[i % part_size * parts + i / part_size] = x[i];
  const cl::Buffer xs = on.buffer_of(x), ts = on.buffer_of(turned);
  const view<float> in(xs, x.size()), by_columns(ts, x.size());
  const clwave::matrices rows{.rows = parts, .columns = part_size};
  const clwave::matrices columns{.rows = part_size, .columns = parts};
  check_parts(
      on, x, [&](const auto& out) { return clwave::minmax_rows(on.queue, in, out, rows); },
      [&](const auto& out) { return clwave::mean_and_variance_rows(on.queue, in, out, rows); });
  check_parts(
      on, x, [&](const auto& out) { return clwave::minmax_columns(on.queue, by_columns, out, columns); },
      [&](const auto& out) { return clwave::mean_and_variance_columns(on.queue, by_columns, out, columns); });
}
#endif

#if __has_include(<clwave/segmented_reduce.hpp>)
TEST_CASE_FIXTURE(on_device, "minmax and mean_and_variance of segments, some of them empty") {
  const std::vector<float> x = reference::random_values<float>(random, 30000, spice::nans);
  const std::vector<u32> offsets = {5, 5, 6, 40, 40, 9000, 29999};
  const std::size_t segments = offsets.size() - 1;
  constexpr float infinite = std::numeric_limits<float>::infinity();
  const cl::Buffer xs = on.buffer_of(x);
  const view<float> in(xs, x.size());
  const cl::Buffer starts = on.buffer_of(offsets);
  const view<u32> at(starts, offsets.size());
  const guarded_buffer<min_and_max<float>> ends(on, segments);
  const guarded_buffer<moments<float>> found(on, segments);
  clwave::segmented_minmax(on.queue, in, at, ends.view()).wait();
  clwave::segmented_mean_and_variance(on.queue, in, at, found.view()).wait();
  const auto all_ends = ends.read();
  const auto all_found = found.read();
  for (std::size_t k = 0; k < segments; ++k) {
    CAPTURE(k);
    const std::size_t n = offsets[k + 1] - offsets[k];
    CHECK(are_same(all_found[k], right_moments<float>(x, offsets[k], n)));
    if (n > 0)
      CHECK(are_same(all_ends[k], right_ends(x, offsets[k], n)));
    else
      CHECK((all_ends[k].min == infinite && all_ends[k].max == -infinite));
  }
  CHECK(ends.guards_intact());
  CHECK(found.guards_intact());
}
#endif

TEST_CASE_FIXTURE(on_device, "mean and variance are near those of exact numbers, also far from 0") {
  for (const float middle : {0.0f, 1000.0f, 1e6f}) {
    CAPTURE(middle);
    std::vector<float> x(100000);
    for (float& each : x) each = middle + static_cast<float>(random.below(1 << 16)) / 256;
    long double sum = 0, squares = 0;
    for (const float each : x) sum += static_cast<long double>(each);
    const long double n = static_cast<long double>(x.size()), mean = sum / n;
    for (const float each : x) {
      const long double distance = static_cast<long double>(each) - mean;
      squares += distance * distance;
    }
    const auto got = clwave::mean_and_variance_async(on.queue, view<float>(on.buffer_of(x), x.size())).get();
    CHECK(got.n == x.size());
    CHECK(std::abs(static_cast<long double>(got.mean) - mean) <= 1e-6L * (1 + std::abs(mean)));
    CHECK(std::abs(static_cast<long double>(got.variance()) - squares / n) <= 2e-4L * squares / n);
    CHECK(std::abs(static_cast<long double>(got.sample_variance()) - squares / (n - 1)) <=
          2e-4L * squares / n);
  }
  const auto none = clwave::mean_and_variance(on.queue, view<float>(on.buffer_of(std::vector<float>(1)), 0));
  CHECK(none.n == 0);
  CHECK(none.mean == 0);
  CHECK(std::isnan(none.variance()));
  CHECK(std::isnan(none.sample_variance()));
  const auto one = clwave::mean_and_variance(on.queue, view<float>(on.buffer_of(std::vector<float>{3}), 1));
  CHECK(one.variance() == 0);
  CHECK(std::isnan(one.sample_variance()));
}

TEST_CASE_FIXTURE(on_device, "count_if: of one input and two, counted elements, every form") {
  in_rows([&](bool /*own*/) {
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      const std::vector<float> x = random_elements<float>(random, n + 1),
                               y = random_elements<float>(random, n + 1);
      const cl::Buffer xs = on.buffer_of(x), ys = on.buffer_of(y);
      const view<float> a(xs, n, 1), b(ys, n, 1);
      u64 large = 0, less = 0, late = 0;
      for (std::size_t i = 0; i < n; ++i) {
        large += x[i + 1] > 0.001f ? 1 : 0;
        less += x[i + 1] < y[i + 1] ? 1 : 0;
        late += i >= 30 && x[i + 1] != 0 ? 1 : 0;
      }
      const map is_large{.name = "large", .source = "x > least", .values = {{"least", 0.001f}}};
      CHECK(clwave::count_if(on.queue, a, is_large) == large);
      CHECK(clwave::count_if_async(on.queue, a, is_large).get() == large);
      CHECK(clwave::count_if(on.queue, clwave::zip(a, b), map{.name = "less", .source = "x < y"}) == less);
      // A value that is neither 0 nor 1 counts once.
      const guarded_buffer<u64> out(on, 1);
      clwave::count_if(on.queue, a, out.view(), map{.name = "late", .source = "i < 30 ? 0 : 1000 * x"})
          .wait();
      CHECK(out.first() == late);
      const std::vector<u32> number = {static_cast<u32>(n / 2)};
      const cl::Buffer count = on.buffer_of(number);
      const auto first = [&](std::size_t m) {
        return static_cast<u64>(std::count_if(x.begin() + 1, x.begin() + 1 + static_cast<std::ptrdiff_t>(m),
                                              [](float v) { return v > 0.001f; }));
      };
      CHECK(clwave::count_if(on.queue, a.first(view<u32>(count, 1)), is_large) == first(n / 2));
    }
  });
  CHECK(clwave::count_if(on.queue, view<float>(on.buffer_of(std::vector<float>(1)), 0),
                         map{.name = "all", .source = "1"}) == 0);
  const std::vector<std::uint8_t> bytes(70000, 200);
  CHECK(clwave::count_if(on.queue, view<std::uint8_t>(on.buffer_of(bytes), bytes.size()),
                         map{.name = "all", .source = "x"}) == 70000);
}

TEST_CASE_FIXTURE(on_device, "a start value is combined first") {
  // An operator that tells which of its operands came first.
  const op difference{.name = "left", .source = "2 * a - b", .commutative = false};
  in_rows([&](bool own) {
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      const std::vector<float> x = random_elements<float>(random, n + 1);
      const cl::Buffer xs = on.buffer_of(x);
      const view<float> in(xs, n, 1);
      const auto sum = reference::host_fold<float>(x, 1, n, reference::wrapping_plus<float>);
      CHECK(same_bits(clwave::reduce(on.queue, in, {.start = 0.375f}), 0.375f + sum));
      const guarded_buffer<float> out(on, 1);
      clwave::reduce(on.queue, in, out.view(), clwave::max, {.start = 1e30f}).wait();
      CHECK(out.first() == 1e30f);
      if (!own) continue;
      CHECK(same_bits(clwave::reduce_async(on.queue, in, {.start = -3.0f}).get(), -3.0f + sum));
      const auto twice = [](float a, float b) {
        const volatile float doubled = 2 * a;
        return doubled - b;
      };
      const float folded = reference::host_fold<float>(x, 1, n, twice, true);
      CHECK(same_bits(clwave::reduce(on.queue, in, difference, {.start = 5.0f}), twice(5.0f, folded)));
      const u32 count = static_cast<u32>(n / 2);
      const cl::Buffer counts = on.buffer_of(std::vector<u32>{count});
      const float right =
          count == 0 ? 7.0f
                     : 7.0f + reference::host_fold<float>(x, 1, count, reference::wrapping_plus<float>);
      CHECK(same_bits(clwave::reduce(on.queue, in.first(view<u32>(counts, 1)), {.start = 7.0f}), right));
    }
  });
  // Of no elements the start value itself, where the operator has no identity, too.
  const cl::Buffer some = on.buffer_of(std::vector<float>(4));
  const view<float> empty(some, 0);
  CHECK(clwave::reduce(on.queue, empty, {.start = 2.5f}) == 2.5f);
  CHECK(clwave::reduce(on.queue, empty, difference, {.start = 2.5f}) == 2.5f);
  CHECK(clwave::reduce_async(on.queue, empty, difference, {.start = 2.5f}).get() == 2.5f);
  CHECK(clwave::reduce(on.queue, view<std::uint8_t>(some, 0), clwave::min, {.start = 7u}) == 7);
  const guarded_buffer<float> out(on, 1);
  clwave::reduce(on.queue, empty, out.view(), difference, {.start = 2.5f}).wait();
  CHECK(out.first() == 2.5f);
  const cl::Buffer none = on.buffer_of(std::vector<u32>{0});
  CHECK(clwave::reduce(on.queue, view<float>(some, 4).first(view<u32>(none, 1)), difference,
                       {.start = 9.0f}) == 9.0f);
  CHECK(clwave::dot(on.queue, view<float>(some, 4), view<float>(some, 4), {.start = 1.5f}) == 1.5f);
}

TEST_CASE_FIXTURE(on_device, "what statistics and start values refuse") {
  const cl::Buffer some = on.buffer_of(std::vector<float>(64));
  const view<float> in(some, 20);
  refuses("a predicate is a map of your own", [&] { clwave::count_if(on.queue, in, clwave::identity); });
  refuses("differ in length", [&] {
    clwave::count_if(on.queue, clwave::zip(in, view<float>(some, 19)),
                     map{.name = "less", .source = "x < y"});
  });
  refuses("takes no start value",
          [&] { clwave::reduce(on.queue, in, clwave::logical_and, {.start = 1.0f}); });
  refuses("takes no start value", [&] {
    const float start = 1;
    const element& found = element_of<indexed<float>>();
    indexed<float> result{};
    clwave::reduce(on.queue(),
                   {.in = in, .accumulator = &found, .fold = &clwave::detail::argmin_op, .start = &start},
                   static_cast<void*>(&result));
  });
  refuses("overlap",
          [&] { clwave::count_if(on.queue, in, view<u64>(some, 1, 2), map{.name = "all", .source = "1"}); });
  // The options of a launch are those of a reduction without a start value.
  const launch_options launch{.with_event = false};
  CHECK(clwave::reduce(on.queue, in, clwave::plus, launch) == 0);
}

}  // namespace
}  // namespace testing::statistics_test
