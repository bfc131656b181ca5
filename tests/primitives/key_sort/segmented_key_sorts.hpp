// What the tests of sorts of segments by keys share: what comes where, and outputs that hold something else
// before.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "families/segments.hpp"
#include "families/selections.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "key_sorts.hpp"

namespace testing::keys {

// From where each element of an output comes; `apart` where nothing is brought.
inline constexpr std::size_t apart = ~std::size_t{0};
template <class Offset>
std::vector<std::size_t> sources_of(const numbers& keys, const std::vector<Offset>& offsets) {
  const std::size_t n = keys[0].size();
  std::vector<std::size_t> sources(n, apart), places(n);
  if (!std::is_sorted(offsets.begin(), offsets.end())) return sources;
  std::iota(places.begin(), places.end(), std::size_t{0});
  places = testing::places_of(places, offsets, [&](std::size_t a, std::size_t b) {
    for (const auto& each : keys)
      if (each[a] != each[b]) return each[a] < each[b];
    return false;
  });
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    if (offsets[s + 1] <= n)
      for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k) sources[k] = places[k];
  return sources;
}

// What an output holds behind a call, which held `before`.
template <class T>
std::vector<T> brought(std::vector<T> before, const std::vector<T>& in,
                       const std::vector<std::size_t>& sources) {
  for (std::size_t k = 0; k < sources.size(); ++k)
    if (sources[k] != apart) before[k] = in[sources[k]];
  return before;
}

// An output with guards, which holds something else than the input.
template <class T>
struct output {
  output(const fixture& on, random_engine& random, std::size_t n)
      : before(values_of<T>(random, n)), room(on, n) {
    if (n > 0)
      on.queue.enqueueWriteBuffer(room.buffer(), CL_TRUE, guarded_buffer<T>::guard * sizeof(T), n * sizeof(T),
                                  before.data());
  }
  void check(const std::vector<T>& in, const std::vector<std::size_t>& sources) const {
    CHECK(bytes_of(room.read_guarded()) == bytes_of(brought(before, in, sources)));
  }
  std::vector<T> before;
  guarded_buffer<T> room;
};

inline std::size_t sum_of(const std::vector<std::size_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
}

// What one group sorts at a time, of keys of 4 bytes with indices.
inline std::size_t segment_tile_of(const fixture& on) {
  const clwave::plan_target target = on.target();
  const element& type = element_of<person>();
  const std::array<clwave::sort_key, 1> keys{by_cell};
  const auto words =
      clwave::plan(
          clwave::sort_problem{
              .keys = {type, 9}, .keys_out = type, .by = keys, .offsets = any_view(element_of<u32>(), 2)},
          target)
          .words;
  return std::stoull(
      std::ranges::find(words, "SEGMENT_TILE", [](const auto& word) { return word.first; })->second);
}

inline const auto low_of = [](const person& each) { return static_cast<std::uint8_t>(each.words[0] & 15); };
inline const auto by_low = clwave::by<std::uint8_t>({.name = "low", .source = "x.words[0] & 15"});

}  // namespace testing::keys
