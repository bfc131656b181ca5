// Reductions of arrays that lie in shards or stream from the host: each has the bits of the call on one
// device, and those of the host.
//
// A `Way` of bringing an array to devices has reduce<Acc>(values, fold, apply, poison, cuts, take), which
// gives take() the result of each way of cutting the array, of which `cuts` are random, or of one random way
// where that is 0; what lies beside its shards holds `poison`.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "distributed/cut_arrays.hpp"
#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/operators.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing {

// Words of which no packet of a load has a whole number.
template <std::size_t N>
struct some_words {
  u32 w[N];
};

}  // namespace testing

CLWAVE_STRUCTURE(testing::some_words<3>, "three_words", "typedef struct { uint w[3]; } three_words;")
CLWAVE_STRUCTURE(testing::some_words<5>, "five_words", "typedef struct { uint w[5]; } five_words;")

namespace testing {

template <class Way>
struct array_cases {
  random_engine random;
  Way way;
  const fixture& on = *places()[0];
  const int few = 4, some = quick() ? 4 : 12;  // random cuts

  template <class Acc, class T, class Lift, class Combine>
  void check(const std::vector<T>& values, const clwave::op& fold, const clwave::map& apply, T poison,
             Lift lift, Combine combine, int cuts, const std::vector<std::size_t>& sizes = some_sizes) {
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      const std::vector<T> part(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
      const cl::Buffer buffer = on.buffer_of(part);
      const Acc one = clwave::transform_reduce<Acc>(on.queue, view<T>{buffer, n}, fold, apply);
      const Acc host = reference::canonical(reference::fold_reference<Acc>(
          n, [&](std::size_t i) { return lift(part[i], i); }, combine, !fold.commutative));
      CHECK(same_bits(one, host));
      way.template reduce<Acc>(random, part, fold, apply, poison, cuts, [&](const Acc& got) {
        CAPTURES(show_bits(got), show_bits(one));
        CHECK(same_bits(got, one));
      });
    }
  }

  void sums_of_floats() {
    check<float>(
        random_values<float>(random, 100'003), clwave::plus, clwave::identity, quiet_nan<float>(1),
        [](float x, std::size_t) { return x; }, wrapping_plus<float>, quick() ? 6 : 20,
        {1, 33, 8191, 8192, 8193, 16'384, 16'385, 24'575, 24'576, 24'577, 24'581, 40'960, 65'536, 100'003});
  }

  void sums_with_infinities_and_nans() {
    check<float>(random_values<float>(random, 30'000, spice::nans), clwave::plus, clwave::identity, 0.0f,
                 [](float x, std::size_t) { return x; }, wrapping_plus<float>, few, {1, 8193, 30'000});
  }

  void sums_of_doubles_and_of_floats_in_doubles() {
    if (!on.has_doubles()) return;
    check<double>(
        random_values<double>(random, 100'003), clwave::plus, clwave::identity, quiet_nan<double>(1),
        [](double x, std::size_t) { return x; }, wrapping_plus<double>, few);
    check<double>(
        random_values<float>(random, 100'003), clwave::plus, clwave::square, quiet_nan<float>(1),
        [](float x, std::size_t) { return double{x} * double{x}; }, wrapping_plus<double>, few);
  }

  void sums_that_wrap_and_bytes_in_64_bits() {
    check<std::int32_t>(
        random_values<std::int32_t>(random, 100'003), clwave::plus, clwave::identity, 77,
        [](std::int32_t x, std::size_t) { return x; }, wrapping_plus<std::int32_t>, few);
    check<u64>(
        random_values<std::uint8_t>(random, 100'003), clwave::plus, clwave::identity, std::uint8_t{255},
        [](std::uint8_t x, std::size_t) { return u64{x}; }, wrapping_plus<u64>, 6);
  }

  void halves_in_floats() {
    check<float>(random_values<half>(random, 24'581), clwave::plus, clwave::abs, half(1000.0f),
                 [](half x, std::size_t) { return std::fabs(static_cast<float>(x)); }, wrapping_plus<float>,
                 few, {1, 8192, 24'581});
  }

  void an_operator_that_does_not_commute() {
    check<affine>(
        random_affines(random, 100'003), then, clwave::identity, affine{2, 9},
        [](affine x, std::size_t) { return x; }, compose, some);
  }

  // Their places are no multiples of 256.
  template <std::size_t N>
  void structures(const clwave::op& joined) {
    using words = some_words<N>;
    std::vector<words> values(100'003);
    for (words& each : values)
      for (u32& word : each.w) word = static_cast<u32>(random());
    check<words>(
        values, joined, clwave::identity, words{{1, 2, 3}}, [](words x, std::size_t) { return x; },
        [](const words& a, const words& b) {
          words r{{a.w[0] + b.w[0], std::max(a.w[1], b.w[1]), a.w[2] ^ b.w[2]}};
          if constexpr (N == 5) {
            r.w[3] = a.w[3] | b.w[3];
            r.w[4] = a.w[4] * b.w[4] + a.w[4] + b.w[4];
          }
          return r;
        },
        few);
  }
  void structures_of_12_and_20_bytes() {
    structures<3>(function_op("joined_of", "(three_words){{0, 0, 0}}",
                              "three_words joined_of(three_words a, three_words b) {\n"
                              "  three_words r = {{a.w[0] + b.w[0], max(a.w[1], b.w[1]), a.w[2] ^ b.w[2]}};\n"
                              "  return r;\n}"));
    structures<5>(function_op("joined_of", "(five_words){{0, 0, 0, 0, 0}}",
                              "five_words joined_of(five_words a, five_words b) {\n"
                              "  five_words r = {{a.w[0] + b.w[0], max(a.w[1], b.w[1]), a.w[2] ^ b.w[2],\n"
                              "                   a.w[3] | b.w[3], a.w[4] * b.w[4] + a.w[4] + b.w[4]}};\n"
                              "  return r;\n}"));
  }

  void a_map_that_sees_the_index_in_the_whole_array() {
    const clwave::map weighted{
        .name = "weighted", .source = "x * scale + (float)(i % 1001)", .values = {{"scale", 0.5f}}};
    check<float>(
        random_values<float>(random, 100'003), clwave::plus, weighted, quiet_nan<float>(1),
        [](float x, std::size_t i) { return x * 0.5f + static_cast<float>(i % 1001); }, wrapping_plus<float>,
        some);
  }

  // The first place in the whole array, where there are ties and NaNs.
  void places_of_the_least_and_the_greatest() {
    using clwave::indexed;
    for (int turn = 0; turn < (quick() ? 8 : 30); ++turn) {
      const std::vector<float> values =
          values_with_ties(random, some_sizes[random.below(some_sizes.size())], turn);
      const std::size_t n = values.size();
      const cl::Buffer buffer = on.buffer_of(values);
      for (const bool least : {true, false}) {
        const clwave::op& fold = least ? clwave::detail::argmin_op : clwave::detail::argmax_op;
        const view<float> in{buffer, n};
        const indexed<float> one = least ? clwave::argmin(on.queue, in) : clwave::argmax(on.queue, in);
        way.template reduce<indexed<float>>(random, values, fold, clwave::identity, -1000.0f, 0,
                                            [&](const indexed<float>& got) {
                                              CAPTURES(one.index, got.index);
                                              CHECK(same_bits(got, one));
                                            });
        // By a plain loop.
        std::size_t first = 0;
        for (std::size_t i = 1; i < n; ++i) {
          const bool first_is_nan = values[first] != values[first];
          const bool goes_before = least ? values[i] < values[first] : values[i] > values[first];
          if (!first_is_nan && (values[i] != values[i] || goes_before)) first = i;
        }
        CHECK(one.index == first);
      }
    }
  }
};

// Every case, one after another.
template <class Way>
void check_array_cases() {
  using cases = array_cases<Way>;
  const struct {
    const char* name;
    void (cases::*check)();
  } all[] = {
      {"sums of floats", &cases::sums_of_floats},
      {"sums with infinities and NaNs give the one NaN", &cases::sums_with_infinities_and_nans},
      {"sums of doubles, and of floats in doubles", &cases::sums_of_doubles_and_of_floats_in_doubles},
      {"sums that wrap, and bytes in 64 bits", &cases::sums_that_wrap_and_bytes_in_64_bits},
      {"halves are summed in float", &cases::halves_in_floats},
      {"an operator that does not commute", &cases::an_operator_that_does_not_commute},
      {"structures of 12 and 20 bytes", &cases::structures_of_12_and_20_bytes},
      {"a map sees the index in the whole array", &cases::a_map_that_sees_the_index_in_the_whole_array},
      {"argmin and argmax give the first place", &cases::places_of_the_least_and_the_greatest}};
  for (const auto& each : all) {
    SUBCASE(each.name) {
      cases one;
      CAPTURE(one.random.note());
      (one.*each.check)();
    }
  }
}

}  // namespace testing
