// What the tests of scans share: calls of any sizes, and their results held against the reference's, bit for
// bit.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/scan.hpp>

#include "families/scan_reference.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

template <class T>
std::size_t first_difference(const std::vector<T>& a, const std::vector<T>& b) {
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && same_bits(a[i], b[i])) ++i;
  return i;
}

template <class T>
void check_same(const std::vector<T>& got, const std::vector<T>& expected) {
  REQUIRE(got.size() == expected.size());
  const std::size_t i = first_difference(got, expected);
  CAPTURE(i);
  if (i < got.size()) {
    CAPTURES(show_bits(got[i]), show_bits(expected[i]));
    CHECK(i == got.size());
  } else {
    CHECK(i == got.size());
  }
}

template <class T>
std::vector<T> made_canonical(std::vector<T> values) {
  if constexpr (std::is_arithmetic_v<T>) {
    for (T& value : values) value = reference::canonical(value);
  }
  return values;
}

// One call of any kind: sizes are not the public calls' to choose.
template <class Acc, class T>
void scan_by(const fixture& on, const view<T>& in, const view<Acc>& out, const clwave::op& fold,
             bool exclusive, const Acc* start, std::optional<scan_sizes> sizes,
             const clwave::map& apply = clwave::identity) {
  const clwave::scan_problem problem{.in = in,
                                     .out = out,
                                     .fold = &fold,
                                     .apply = &apply,
                                     .exclusive = exclusive,
                                     .start = start,
                                     .sizes = sizes};
  clwave::scan(on.queue(), problem).wait();
}

// All ways, or two that have all there is between them, or of these two those that are not in place: each
// takes a program of its own.
enum class ways { all, two, two_apart };

// Both kinds, with and without a start, apart and in place, from element `offset`.
template <class Acc, class T, class Combine>
void check_scans(const fixture& on, const std::vector<T>& values, const clwave::op& fold, Combine combine,
                 Acc nothing, Acc first, std::optional<scan_sizes> sizes, std::size_t offset = 0,
                 ways which = ways::all) {
  const std::size_t n = values.size() - offset;
  CAPTURES(n, offset);
  const cl::Buffer in = on.buffer_of(values);
  for (const bool exclusive : {false, true}) {
    for (const bool started : {false, true}) {
      if (which != ways::all && exclusive != started) continue;
      CAPTURES(exclusive, started);
      const std::optional<Acc> start = started ? std::optional<Acc>(first) : std::nullopt;
      const auto expected = made_canonical(reference::scan_reference<Acc>(
          n, [&](std::size_t i) { return static_cast<Acc>(values[offset + i]); }, combine, exclusive, start,
          nothing, sizes));
      const guarded_buffer<Acc> out(on, n);
      scan_by<Acc>(on, view<T>{in, n, offset}, out.view(), fold, exclusive, start ? &*start : nullptr, sizes);
      check_same(out.read(), expected);
      CHECK(out.guards_intact());
      if constexpr (std::is_same_v<Acc, T>) {
        if (which == ways::two_apart || (which == ways::two && !started)) continue;
        const cl::Buffer both = on.buffer_of(values);
        const view<T> there{both, n, offset};
        scan_by<Acc>(on, there, there, fold, exclusive, start ? &*start : nullptr, sizes);
        check_same(on.read<T>(both, n, offset * sizeof(T)), expected);
      }
    }
  }
}

template <class T>
T plus(T a, T b) {
  return reference::wrapping_plus(a, b);
}

// For scans of segments, sizes of the order: blocks of 256 elements that 64 work-items hold, tiles of 512,
// stretches of 1024.
inline constexpr scan_sizes of_held_blocks = {.run = 4, .runs = 8, .strips = 8, .blocks = 2, .tiles = 2};
// Blocks of 1024 elements, of which a CPU takes the 16 runs of a strip side by side, tiles of 2048, stretches
// of 4096.
inline constexpr scan_sizes of_wide_blocks = {.run = 4, .runs = 16, .strips = 16, .blocks = 2, .tiles = 2};

// What stands before a scan that has no start value, and a start value.
template <class Acc>
struct start_values {
  Acc nothing, start;
};

// What a test of scans in pieces scans, and what a plain loop makes of it.
template <class Acc, class T>
struct scanned {
  const std::vector<T>& values;
  clwave::op fold;
  clwave::map apply = clwave::identity;
  Acc nothing;  // the identity
  Acc start;
  T poison;  // what lies around elements, and around results
  Acc out_poison;
};

}  // namespace testing
