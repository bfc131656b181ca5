// What the tests of segments share: inputs and their offsets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "harness/reference.hpp"

namespace testing {

// Elements and the offsets of their segments, in buffers that begin `first` elements before them.
template <class T, class Offset = std::uint64_t>
struct placed_segments {
  std::vector<T> values;
  std::vector<Offset> offsets;
  std::size_t first = 0;

  std::size_t segments() const { return offsets.size() - 1; }
  // What the device finds at a segment.
  bool falls(std::size_t s) const { return offsets[s] > offsets[s + 1]; }
  bool is_whole(std::size_t s) const { return !falls(s) && offsets[s + 1] <= values.size() - first; }
  std::size_t length(std::size_t s) const { return static_cast<std::size_t>(offsets[s + 1] - offsets[s]); }
};

template <class T, class Offset = std::uint64_t>
placed_segments<T, Offset> place(reference::random_engine& random, const std::vector<std::size_t>& lengths,
                                 std::size_t first = 0, reference::spice with = reference::spice::nans,
                                 std::size_t before = 0, std::size_t behind = 0) {
  placed_segments<T, Offset> all;
  all.first = first;
  std::size_t end = before;
  all.offsets.push_back(static_cast<Offset>(end));
  for (const std::size_t length : lengths) all.offsets.push_back(static_cast<Offset>(end += length));
  all.values = reference::random_values<T>(random, first + end + behind, with);
  return all;
}

// Lengths of all kinds side by side.
inline std::vector<std::size_t> random_lengths(reference::random_engine& random, std::size_t segments,
                                               std::size_t most) {
  std::vector<std::size_t> lengths;
  for (std::size_t s = 0; s < segments; ++s) {
    switch (random.below(8)) {
      case 0:
      case 1:
        lengths.push_back(0);
        break;
      case 2:
      case 3:
        lengths.push_back(random.below(18));
        break;
      case 4:
        lengths.push_back(4 * random.below(9));
        break;
      case 5:
      case 6:
        lengths.push_back(random.below(std::min<std::size_t>(200, most)));
        break;
      default:
        lengths.push_back(random.below(random.below(4) == 0 ? most : most / 8));
    }
  }
  return lengths;
}

// Offsets of which some are bad for so many elements, made of 300 good ones or more, and those behind them.
inline std::vector<std::vector<std::uint64_t>> bad_offsets(reference::random_engine& random,
                                                           const std::vector<std::uint64_t>& good,
                                                           std::size_t n) {
  std::vector<std::vector<std::uint64_t>> all;
  std::vector<std::uint64_t> past = good, falling = good;
  past.back() += 1;  // the last segment ends past the input
  all.push_back(past);
  past.push_back(~std::uint64_t{0});
  all.push_back(past);
  std::swap(falling[100], falling[300]);
  all.push_back(falling);
  for (std::uint64_t& each : falling) each = random.below(n + 9);
  all.push_back(falling);
  std::sort(falling.begin(), falling.end(), std::greater<>());
  all.push_back(falling);
  all.push_back(good);
  return all;
}

// Offsets of segments that begin at `before`.
template <class Offset>
std::vector<Offset> offsets_of(const std::vector<std::size_t>& lengths, std::size_t before = 0) {
  std::vector<Offset> offsets{static_cast<Offset>(before)};
  for (const std::size_t length : lengths) offsets.push_back(static_cast<Offset>(offsets.back() + length));
  return offsets;
}

// Where the results come from: segments that end past the input stay as they are, those behind them have
// none.
template <class T, class Offset, class Less>
std::vector<std::size_t> places_of(const std::vector<T>& keys, const std::vector<Offset>& offsets,
                                   const Less& less) {
  std::vector<std::size_t> places(keys.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (offsets[s + 1] > keys.size()) continue;
    std::stable_sort(places.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                     places.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]),
                     [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
  }
  return places;
}

template <class T>
std::vector<T> taken_from(const std::vector<T>& from, const std::vector<std::size_t>& places) {
  std::vector<T> all;
  for (const std::size_t place : places) all.push_back(from[place]);
  return all;
}

// Calls check(lengths) for segments of lengths around powers of two, `n` elements of each, and around tiles;
// and for a huge one among thousands of empty ones.
template <class Check>
void check_lengths_around(std::size_t tile, std::size_t n, const Check& check) {
  for (const std::size_t length : {1, 2, 3, 15, 16, 17, 60, 64, 65, 200})
    check(std::vector<std::size_t>(n / length, length));
  for (const std::size_t length : {tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 5 * tile + 77}) {
    check({length});
    check({3, length, 0, 5, length, 1});
  }
  std::vector<std::size_t> many(3000, 0);
  many[1000] = 9;
  many[2999] = 2 * tile + 3;
  check(many);
}

}  // namespace testing
