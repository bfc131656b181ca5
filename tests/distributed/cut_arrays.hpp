// Arrays in shards, for the tests of sharded: where shards lie, and where arrays are cut.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/sharded.hpp>

#include "families/reductions.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing {

using clwave::sharded;
using lengths = std::vector<std::uint64_t>;

inline constexpr std::size_t tile = clwave::fold_tile;

// Contexts of their own, each as if a device of its own: three of the default device, and one of each other
// device that there is. Shared by all tests.
inline const std::vector<std::unique_ptr<fixture>>& places() {
  static const auto& all = *[] {
    auto* made = new std::vector<std::unique_ptr<fixture>>;
    for (int k = 0; k < 3; ++k) made->push_back(std::make_unique<fixture>());
    for (const clwave::device_place& each : clwave::devices())
      if (each.device != (*made)[0]->device() &&
          clwave::facts_of(each.device).compiler_available.value_or(true))
        made->push_back(std::make_unique<fixture>(each.device));
    return made;
  }();
  return all;
}

// What many test cases begin with, as TEST_CASE_FIXTURE(on_places, "..."): two of these, and random numbers.
struct on_places {
  const fixture& on = *places()[0];
  const fixture& far = *places()[1];
  random_engine random;
};

// Where a rank that is a thread has its shards, in turn.
inline std::array<const fixture*, 2> two_places(u32 rank) {
  return {places()[rank % 3].get(), places()[(rank + 1) % 3].get()};
}

// The lengths of so many shards of n elements, of which some may be empty.
inline lengths random_cut_into(random_engine& random, u64 n, std::size_t shards) {
  lengths cut;
  for (std::size_t k = 1; k < shards; ++k) {
    cut.push_back(random.below(n + 1));
    n -= cut.back();
  }
  cut.push_back(n);
  return cut;
}

// Few values, so that there are ties in every tile; zeros of both signs, and by turns the least and the
// greatest once or twice, in tiles of their own, and NaNs.
inline std::vector<float> values_with_ties(random_engine& random, std::size_t n, int turn) {
  std::vector<float> values(n);
  for (float& value : values)
    value = std::array{-0.0f, 0.0f, 1.0f, 2.0f}[random.below(turn % 2 == 0 ? 3 : 4)];
  if (turn % 2 == 1) {
    for (int k = 0; k < 2; ++k) {
      values[random.below(n)] = -7.0f;
      values[random.below(n)] = 9.0f;
    }
  }
  if (turn % 5 == 0) values[random.below(n)] = quiet_nan<float>(turn + 1u);
  return values;
}

// An array in shards: each in a buffer of its own, at a random distance from its beginning, in a random
// place. What lies around a shard is poison.
template <class T>
class cut_array {
 public:
  cut_array(random_engine& random, const std::vector<T>& values, const lengths& cut, const T& poison) {
    std::size_t begin = 0;
    for (const u64 n : cut) {
      const fixture& on = *places()[random.below(places().size())];
      add(on, on.queue, random.below(9),
          {values.begin() + static_cast<std::ptrdiff_t>(begin),
           values.begin() + static_cast<std::ptrdiff_t>(begin + n)},
          poison);
      begin += n;
    }
    REQUIRE(begin == values.size());
  }
  // Another array on the same queues.
  template <class Other>
  cut_array(random_engine& random, const std::vector<T>& values, const lengths& cut, const T& poison,
            const cut_array<Other>& like) {
    std::size_t begin = 0;
    for (std::size_t k = 0; k < cut.size(); ++k) {
      add(like.place(k), like.place(k).queue, random.below(9),
          {values.begin() + static_cast<std::ptrdiff_t>(begin),
           values.begin() + static_cast<std::ptrdiff_t>(begin + cut[k])},
          poison);
      begin += cut[k];
    }
  }

  const sharded<T>& array() const { return array_; }
  // Where a shard lies.
  const fixture& place(std::size_t k) const { return *on_[k]; }
  // The same to be written.
  const sharded<T>& output() const { return output_; }
  // What the shards hold now, one behind the other.
  std::vector<T> read() const {
    std::vector<T> all;
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const place_in_buffer own = ranges_[k];
      const auto now = on_[k]->read<T>(buffers_[k], before_[k].size());
      all.insert(all.end(), now.begin() + own.first, now.begin() + own.end);
    }
    return all;
  }
  // What the shards hold, and what is around them, is as it was.
  bool intact() const {
    for (std::size_t k = 0; k < buffers_.size(); ++k)
      if (!same_as_before(k, 0, before_[k].size())) return false;
    return true;
  }
  // What is around them is.
  bool surroundings_intact() const {
    for (std::size_t k = 0; k < buffers_.size(); ++k) {
      const place_in_buffer own = ranges_[k];
      if (!same_as_before(k, 0, static_cast<std::size_t>(own.first)) ||
          !same_as_before(k, static_cast<std::size_t>(own.end), before_[k].size()))
        return false;
    }
    return true;
  }

 private:
  // Where in its buffer a shard lies.
  struct place_in_buffer {
    std::ptrdiff_t first, end;
  };

  bool same_as_before(std::size_t k, std::size_t first, std::size_t end) const {
    const auto now = on_[k]->read<unsigned char>(buffers_[k], before_[k].size() * sizeof(T));
    return std::memcmp(now.data() + first * sizeof(T), before_[k].data() + first,
                       (end - first) * sizeof(T)) == 0;
  }

  void add(const fixture& on, const cl::CommandQueue& queue, std::size_t before, const std::vector<T>& values,
           const T& poison) {
    std::vector<T> all(before + values.size() + 5, poison);
    std::copy(values.begin(), values.end(), all.begin() + static_cast<std::ptrdiff_t>(before));
    const cl::Buffer& buffer = buffers_.emplace_back(on.buffer_of(all));
    on_.push_back(&on);
    before_.push_back(std::move(all));
    ranges_.push_back(
        {static_cast<std::ptrdiff_t>(before), static_cast<std::ptrdiff_t>(before + values.size())});
    array_.add({queue, view<const T>{buffer, values.size(), before}});
    output_.add({queue, view<T>{buffer, values.size(), before}});
  }

  std::vector<const fixture*> on_;
  std::deque<cl::Buffer> buffers_;
  std::vector<std::vector<T>> before_;
  std::vector<place_in_buffer> ranges_;
  sharded<T> array_, output_;
};

// Random lengths that add up to n: cuts anywhere, at the ends of tiles, some empty shards, and now and then
// many shards in one tile.
inline lengths random_cut(random_engine& random, u64 n, std::size_t of_tile = tile) {
  std::vector<u64> ends;
  const std::size_t shards = 1 + random.below(6);
  for (std::size_t k = 1; k < shards; ++k) {
    u64 end = random.below(n + 1);
    if (random.below(3) == 0) end = end / of_tile * of_tile;
    if (random.below(8) == 0) end = std::min<u64>(n, end / of_tile * of_tile + 1);
    ends.push_back(end);
    if (random.below(4) == 0) ends.push_back(end);  // an empty shard
  }
  if (random.below(4) == 0) {
    const u64 first = random.below(n + 1);
    for (u64 k = 0; k < 12; ++k) ends.push_back(std::min(n, first + k * (1 + k % 3)));
  }
  std::ranges::sort(ends);
  lengths cut;
  u64 begin = 0;
  for (const u64 end : ends) {
    cut.push_back(end - begin);
    begin = end;
  }
  cut.push_back(n - begin);
  return cut;
}

inline std::string text_of(const lengths& cut) {
  std::string text;
  for (const u64 n : cut) text += std::to_string(n) + " ";
  return text;
}

// The cuts that every type meets: one shard, whole tiles, the middle of tiles, a tile of many shards, empty
// shards at both ends and between; and random ones.
inline std::vector<lengths> cuts_of(random_engine& random, u64 n, int random_ones) {
  std::vector<lengths> all = {{n}};
  if (n > tile) all.push_back({tile, n - tile});
  if (n > 3 * tile) {
    all.push_back({tile / 2, n - tile / 2});
    all.push_back({0, tile + 1, 0, 0, n - tile - 1, 0});
    all.push_back({2 * tile - 1, 2, n - 2 * tile - 1});
    lengths many(200, 7);
    many.push_back(n - 1400);
    all.push_back(many);
  }
  for (int k = 0; k < random_ones; ++k) all.push_back(random_cut(random, n));
  return all;
}

// One less and one more than tiles, a lane set, a prime; many tiles.
inline const std::vector<std::size_t> some_sizes = {1, 33, 8191, 8192, 8193, 24581, 100'003};

}  // namespace testing
