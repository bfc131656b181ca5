// Operators that are no strict weak ordering, for tests that calls lose no element by them: one text has them
// all, and a value of its own says which it is, so that they share programs.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/element.hpp>
#include <clwave/op.hpp>

#include "families/ordered_keys.hpp"
#include "families/selections.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing {

// An element of which a tile has few: many tiles, whose ends several groups search.
struct wide_key {
  u32 key, words[23];
};

}  // namespace testing

CLWAVE_STRUCTURE(testing::wide_key, "wide_key", "typedef struct { uint key, words[23]; } wide_key;")

namespace testing {

// The last one is an order, the only one.
inline constexpr std::array contradictions{"always",
                                           "never",
                                           "a <= b",
                                           "a != b",
                                           "a < b, with NaN",
                                           "rock, paper, scissors",
                                           "a hash of both",
                                           "hashes of which each sees another",
                                           "falling for odd ones, rising for others",
                                           "nearness, which is not transitive",
                                           "by parity, from one side alone",
                                           "of different parity",
                                           "before all but the next few",
                                           "a < b"};
inline constexpr u32 order_of_all = contradictions.size() - 1, order_with_nan = 4;

// Of keys named by `a` and `b` in a text; `key` is what follows these names.
inline clwave::op contradiction(u32 which, const std::string& key = "") {
  clwave::op all{.name = "a contradiction",
                 .source = "contradicts(which, (uint)a" + key + ", (uint)b" + key + ")"};
  all.declarations = R"(
uint hash_of(uint v) { v = (v ^ v >> 15) * 0x2c1b3c6du; v = (v ^ v >> 12) * 0x297a2d39u; return v ^ v >> 15; }
float with_nan(uint v) { return v % 5 == 0 ? nan(0u) : convert_float(v % 1000); }
bool contradicts(uint which, uint a, uint b) {
  switch (which) {
    case 0: return true;
    case 1: return false;
    case 2: return a <= b;
    case 3: return a != b;
    case 4: return with_nan(a) < with_nan(b);
    case 5: return (b - a) % 3 == 1;
    case 6: return (hash_of(a ^ hash_of(b)) & 1) != 0;
    case 7: return hash_of(a) < hash_of(b ^ 5);
    case 8: return (a & 1) != 0 ? a > b : a < b;
    case 9: return abs_diff(a, b) < 1000;
    case 10: return a % 2 == 0 ? a < b : a % 3 == 0;
    case 11: return ((a ^ b) & 1) != 0;
    case 12: return b - a > 7;
    default: return a < b;
  }
}
)";
  all.values = {{"which", which}};
  return all;
}

// Those that a case takes: all of them for few elements; for many all where all is to run, else some.
inline std::vector<u32> some_contradictions(reference::random_engine& random, std::size_t n,
                                            std::size_t many = 1000) {
  std::vector<u32> taken;
  for (u32 which = 0; which < contradictions.size(); ++which)
    if (n < many || which == order_with_nan || random.below(quick() ? 6 : 3) == 0) taken.push_back(which);
  return taken;
}

// Rows of different numbers of lanes, and the CPU's.
template <class F>
void on_contradicted_rows(const fixture& on, reference::random_engine& random, const F& f) {
  std::vector<const char*> rows = some_of({"sm_90", "gfx90a", "gfx1100", "subgroup-8"});
  rows.push_back("cpu");
  for (const std::string name : rows) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const forced_profile forced(name);
    CAPTURE(name);
    f();
  }
}

// Keys of one shape: any ones, few different ones, rising, falling, rising twice.
template <class T>
std::vector<T> contradicted_keys(reference::random_engine& random, std::size_t n) {
  std::vector<T> keys(n);
  const std::size_t shape = random.below(6), few = 1 + random.below(9);
  for (std::size_t i = 0; i < n; ++i) {
    const std::array<u64, 6> shapes{random(), random() % few, i, n - i, i % (n / 2 + 1), random() % 1000};
    const auto key = static_cast<u32>(shapes[shape]);
    if constexpr (requires { keys[i].key; }) {
      keys[i] = {};
      keys[i].key = key;
      keys[i].words[0] = static_cast<u32>(i);
    } else {
      const u64 bits = key;
      std::memcpy(static_cast<void*>(&keys[i]), &bits, sizeof(T));  // of little-endian hosts
    }
  }
  return keys;
}
template <class T>
std::string name_of_contradicted_key() {
  if constexpr (requires(T t) { t.key; }) return ".key";
  return "";
}

// Values that are all different, but where they are too small for that.
template <class V>
std::vector<V> different_values(reference::random_engine& random, std::size_t n) {
  auto values = values_of<V>(random, n);
  for (std::size_t i = 0; i < n; ++i)
    std::memcpy(static_cast<void*>(&values[i]), &i, std::min(sizeof(V), sizeof i));
  return values;
}

// Lengths of two ranges around the bounds of tiles, alike and not.
inline std::vector<std::pair<std::size_t, std::size_t>> lengths_around(std::size_t tile) {
  return {{0, 0},        {0, 1},        {1, 0},           {1, 1},        {2, 1},
          {1, 3},        {31, 2},       {33, 31},         {0, tile + 1}, {tile + 1, 0},
          {tile - 1, 1}, {tile / 2, 9}, {tile, tile + 1}, {7, 3 * tile}, {2 * tile + 5, 2 * tile + 17}};
}

// Elements with what goes with each, byte for byte, in an order of their own: equal where none is lost or
// came twice.
template <class K, class V>
std::vector<std::array<unsigned char, sizeof(K) + sizeof(V)>> all_pairs(const std::vector<K>& keys,
                                                                        const std::vector<V>& values) {
  std::vector<std::array<unsigned char, sizeof(K) + sizeof(V)>> all(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::memcpy(all[i].data(), static_cast<const void*>(&keys[i]), sizeof(K));
    std::memcpy(all[i].data() + sizeof(K), static_cast<const void*>(&values[i]), sizeof(V));
  }
  std::sort(all.begin(), all.end());
  return all;
}
template <class K>
auto all_keys(const std::vector<K>& keys) {
  return all_pairs(keys, std::vector<unsigned char>(keys.size()));
}

}  // namespace testing
