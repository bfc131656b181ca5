// Scans of arrays that lie in shards or stream from the host: each has the results of the call on one device,
// and those of the host.
//
// A `Way` of bringing an array to devices has scan(random, values, asked, exclusive, start, sizes, cuts,
// expected), which checks the results of each way of cutting the array, of which `cuts` are random.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/scan.hpp>

#include "distributed/cut_arrays.hpp"
#include "families/reductions.hpp"
#include "families/scans.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing {

template <class Way>
struct array_scan_cases {
  random_engine random;
  Way way;
  const fixture& on = *places()[0];
  // Around tiles and stretches of `small` and of `of_held_runs`, and more stretches than a piece has.
  const std::vector<std::size_t> few = {1, 31, 32, 33, 127, 128, 129, 517, 1301};
  const std::vector<std::size_t> of_runs = {255, 257, 511, 513, 2311, 6007};
  static constexpr auto as_it_is = [](auto x, std::size_t) { return x; };

  template <class Acc, class T, class Lift, class Combine>
  void check(const scanned<Acc, T>& of, Lift lift, Combine combine, const std::vector<std::size_t>& counts,
             const scan_sizes& sizes, int cuts) {
    // Each kind takes a program of its own: a quick run has one of them, another one each time.
    const bool only_exclusive = random.below(2) == 0;
    for (const std::size_t n : counts) {
      CAPTURE(n);
      const std::vector<T> some(of.values.begin(), of.values.begin() + static_cast<std::ptrdiff_t>(n));
      const cl::Buffer buffer = on.buffer_of(some);
      for (const bool exclusive : {false, true}) {
        if (quick() && exclusive != only_exclusive) continue;
        for (const bool started : {false, true}) {
          if (quick() && started != exclusive) continue;
          CAPTURES(exclusive, started);
          const Acc* const start = started ? &of.start : nullptr;
          const auto expected = made_canonical(reference::scan_reference<Acc>(
              n, [&](std::size_t i) { return lift(some[i], i); }, combine, exclusive,
              started ? std::optional<Acc>(of.start) : std::nullopt, of.nothing, sizes));
          const guarded_buffer<Acc> one(on, n);
          scan_by<Acc>(on, view<T>{buffer, n}, one.view(), of.fold, exclusive, start, sizes, of.apply);
          check_same(one.read(), expected);
          way.scan(random, some, of, exclusive, start, sizes, cuts, expected);
        }
      }
    }
  }

  void sums_of_floats() {
    const auto values = random_values<float>(random, 6100);
    const scanned<float, float> of{.values = values,
                                   .fold = clwave::plus,
                                   .nothing = 0.0f,
                                   .start = 0.3f,
                                   .poison = quiet_nan<float>(1),
                                   .out_poison = quiet_nan<float>(7)};
    check(of, as_it_is, wrapping_plus<float>, few, small, quick() ? 3 : 12);
    check(of, as_it_is, wrapping_plus<float>, of_runs, of_held_runs, quick() ? 3 : 12);
  }

  void sums_with_infinities_and_nans() {
    const auto values = random_values<float>(random, 1400, spice::nans);
    const scanned<float, float> of{.values = values,
                                   .fold = clwave::plus,
                                   .nothing = 0.0f,
                                   .start = -2.0f,
                                   .poison = 0.0f,
                                   .out_poison = 1.0f};
    check(of, as_it_is, wrapping_plus<float>, {1301}, small, 4);
  }

  // Their runs are shorter.
  void sums_of_doubles_and_of_floats_in_doubles() {
    if (!on.has_doubles()) return;
    const scan_sizes of_doubles{.run = 2, .runs = 4, .strips = 4, .blocks = 2, .tiles = 4};
    const auto doubles = random_values<double>(random, 700);
    const scanned<double, double> of{.values = doubles,
                                     .fold = clwave::plus,
                                     .nothing = 0.0,
                                     .start = 0.1,
                                     .poison = quiet_nan<double>(1),
                                     .out_poison = 3.0};
    check(of, as_it_is, wrapping_plus<double>, {63, 65, 600}, of_doubles, 3);
    const auto floats = random_values<float>(random, 1400);
    const scanned<double, float> squares{.values = floats,
                                         .fold = clwave::plus,
                                         .apply = clwave::square,
                                         .nothing = 0.0,
                                         .start = 0.1,
                                         .poison = quiet_nan<float>(1),
                                         .out_poison = 3.0};
    check(
        squares, [](float x, std::size_t) { return double{x} * double{x}; }, wrapping_plus<double>,
        {63, 600, 1301}, of_doubles, 3);
  }

  void bytes_in_64_bits_the_greatest_and_halves_in_floats() {
    const auto bytes = random_values<std::uint8_t>(random, 1400);
    const scanned<u64, std::uint8_t> of_bytes{.values = bytes,
                                              .fold = clwave::plus,
                                              .nothing = 0,
                                              .start = 1ull << 40,
                                              .poison = 255,
                                              .out_poison = 9};
    check(
        of_bytes, [](std::uint8_t x, std::size_t) { return u64{x}; }, wrapping_plus<u64>, {1, 600, 1301},
        small, 3);
    const auto words = random_values<std::int32_t>(random, 700);
    const scanned<std::int32_t, std::int32_t> of_words{.values = words,
                                                       .fold = clwave::max,
                                                       .nothing = std::numeric_limits<std::int32_t>::min(),
                                                       .start = -5,
                                                       .poison = std::numeric_limits<std::int32_t>::max(),
                                                       .out_poison = 9};
    check(
        of_words, as_it_is, [](std::int32_t a, std::int32_t b) { return std::max(a, b); }, {129, 600}, small,
        3);
    const auto halves = random_values<half>(random, 700);
    const scanned<float, half> of_halves{.values = halves,
                                         .fold = clwave::plus,
                                         .nothing = 0.0f,
                                         .start = 0.5f,
                                         .poison = half(1000.0f),
                                         .out_poison = 9.0f};
    check(
        of_halves, [](half x, std::size_t) { return static_cast<float>(x); }, wrapping_plus<float>, {600},
        small, 3);
  }

  void an_operator_that_does_not_commute() {
    const auto values = random_affines(random, 2400);
    const scanned<affine, affine> of{.values = values,
                                     .fold = then,
                                     .nothing = {1, 0},
                                     .start = {3, 5},
                                     .poison = {2, 9},
                                     .out_poison = {4, 4}};
    check(of, as_it_is, compose, few, small, quick() ? 2 : 8);
    check(of, as_it_is, compose, {2311}, of_held_runs, quick() ? 2 : 8);
  }

  void a_map_that_sees_the_index_in_the_whole_array() {
    const auto values = random_values<float>(random, 1400);
    const clwave::map weighted{
        .name = "weighted", .source = "x * scale + (float)(i % 1001)", .values = {{"scale", 0.5f}}};
    const scanned<float, float> of{.values = values,
                                   .fold = clwave::plus,
                                   .apply = weighted,
                                   .nothing = 0.0f,
                                   .start = 0.5f,
                                   .poison = quiet_nan<float>(1),
                                   .out_poison = 1.0f};
    for (const scan_sizes& sizes : {small, of_held_runs})
      check(
          of, [](float x, std::size_t i) { return x * 0.5f + static_cast<float>(i % 1001); },
          wrapping_plus<float>, {517, 1301}, sizes, 3);
  }
};

// Every case, one after another.
template <class Way>
void check_array_scan_cases() {
  using cases = array_scan_cases<Way>;
  const struct {
    const char* name;
    void (cases::*check)();
  } all[] = {
      {"sums of floats", &cases::sums_of_floats},
      {"sums with infinities and NaNs give the one NaN", &cases::sums_with_infinities_and_nans},
      {"sums of doubles, and of floats in doubles", &cases::sums_of_doubles_and_of_floats_in_doubles},
      {"bytes in 64 bits, the greatest so far, and halves in floats",
       &cases::bytes_in_64_bits_the_greatest_and_halves_in_floats},
      {"an operator that does not commute", &cases::an_operator_that_does_not_commute},
      {"a map sees the index in the whole array", &cases::a_map_that_sees_the_index_in_the_whole_array}};
  for (const auto& each : all) {
    SUBCASE(each.name) {
      cases one;
      CAPTURE(one.random.note());
      (one.*each.check)();
    }
  }
}

}  // namespace testing
