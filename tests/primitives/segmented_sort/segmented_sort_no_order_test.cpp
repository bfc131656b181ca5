// Sorts of segments by operators that contradict themselves: every key of a segment comes out in it once,
// with its value, and a segment whose keys the operator orders is sorted, whatever its neighbours are.
#include <clwave/segmented_sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>

#include "families/contradictions.hpp"
#include "families/segments.hpp"
#include "families/selections.hpp"
#include "families/sorts.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"

namespace testing::segmented_sort_no_order_test {
namespace {

const doctest::test_suite lanes("lanes");

// What one group sorts at a time.
template <class T>
std::size_t tile_of(const fixture& on) {
  const clwave::plan_target target = on.target();
  const element &key = element_of<T>(), &u32 = element_of<std::uint32_t>();
  const clwave::op less = contradiction(0, name_of_contradicted_key<T>());
  const auto words =
      plan(
          clwave::sort_problem{.keys = {key, 9}, .keys_out = key, .less = &less, .offsets = any_view(u32, 2)},
          target)
          .words;
  return std::stoull(std::find_if(words.begin(), words.end(), [](const auto& word) {
                       return word.first == "SEGMENT_TILE";
                     })->second);
}

template <class T>
std::vector<T> part_of(const std::vector<T>& all, std::size_t begin, std::size_t end) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

// The operator orders those of order_with_nan that are no NaN.
bool orders(const std::vector<u32>& keys, u32 which) {
  return which == order_of_all ||
         (which == order_with_nan &&
          std::none_of(keys.begin(), keys.end(), [](u32 key) { return key % 5 == 0; }));
}

template <class T, class V>
void check_segments(const fixture& on, const std::vector<T>& keys, const std::vector<V>& values,
                    const std::vector<u32>& offsets, u32 which) {
  const std::size_t n = keys.size();
  CAPTURES(n, offsets.size(), std::string(contradictions[which]));
  const clwave::op less = contradiction(which, name_of_contradicted_key<T>());
  const cl::Buffer in = on.buffer_of(keys), values_in = on.buffer_of(values), at = on.buffer_of(offsets);
  const guarded_buffer<T> out(on, n);
  const guarded_buffer<V> values_out(on, n);
  const view<T> k{in, n};
  const view<V> x{values_in, n};
  const view<const u32> o{at, offsets.size()};
  const auto check = [&](const std::vector<T>& sorted, const std::vector<V>& with) {
    bool same = true;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const std::size_t begin = offsets[s], end = offsets[s + 1];
      same = same && all_pairs(part_of(sorted, begin, end), part_of(with, begin, end)) ==
                         all_pairs(part_of(keys, begin, end), part_of(values, begin, end));
      if constexpr (std::is_same_v<T, u32>) {
        const auto of_nan = [&](u32 a, u32 b) { return a % 1000 < b % 1000; };
        const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                   last = sorted.begin() + static_cast<std::ptrdiff_t>(end);
        if (orders(part_of(keys, begin, end), which))
          same = same &&
                 (which == order_of_all ? std::is_sorted(first, last) : std::is_sorted(first, last, of_nan));
      }
    }
    CHECK(same);
  };
  clwave::segmented_sort_by_key(on.queue, k, x, o, out.view(), values_out.view(), {.less = less}).wait();
  check(out.read_guarded(), values_out.read_guarded());
  clwave::segmented_sort_by_key(on.queue, k, x, o, k, x, {.less = less}).wait();
  check(on.read<T>(in, n), on.read<V>(values_in, n));
  const cl::Buffer again = on.buffer_of(keys);
  clwave::segmented_sort(on.queue, view<T>{again, n}, o, out.view(), {.less = less}).wait();
  const auto alone = out.read_guarded();
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    CHECK(all_keys(part_of(alone, offsets[s], offsets[s + 1])) ==
          all_keys(part_of(keys, offsets[s], offsets[s + 1])));
}

template <class T, class V>
void check_lengths(const fixture& on, random_engine& random, const std::vector<std::size_t>& lengths,
                   std::size_t many) {
  const auto offsets = offsets_of<u32>(lengths);
  for (const u32 which : some_contradictions(random, offsets.back(), many)) {
    // Each segment has a shape of its own; of half of them no key is a NaN to that operator.
    std::vector<T> keys;
    for (const std::size_t length : lengths) {
      auto some = contradicted_keys<T>(random, length);
      if constexpr (std::is_same_v<T, u32>) {
        if (random.below(2) == 0)
          for (auto& key : some) key += key % 5 == 0 ? 1 : 0;
      }
      keys.insert(keys.end(), some.begin(), some.end());
    }
    const auto values = different_values<V>(random, keys.size());
    check_segments(on, keys, values, offsets, which);
  }
}

}  // namespace

TEST_CASE_FIXTURE(on_device,
                  "sorts of segments by operators that contradict themselves lose nothing" * lanes) {
  on_contradicted_rows(on, random, [&] {
    const std::size_t tile = tile_of<u32>(on);
    check_lengths<u32, u32>(on, random, {0, 1, 2, 3, 31, 33, 0, 17, 16, 5, 64, 100}, 1000);
    check_lengths<u32, u32>(on, random, random_lengths(random, 60, tile / 4), 1000);
    check_lengths<u32, u32>(on, random, {tile - 1, tile, 3, tile + 1, 20, 2 * tile + 1}, 1000);
    check_lengths<u32, u32>(on, random, {9, 9 * tile + 77, 40, 3 * tile}, 1000);
  });
}

// Of structures, of which a tile has few, so that a segment has many tiles, which many groups merge.
TEST_CASE_FIXTURE(
    on_device,
    "sorts of long segments of structures by operators that contradict themselves lose nothing" * lanes) {
  on_contradicted_rows(on, random, [&] {
    const std::size_t tile = std::min<std::size_t>(tile_of<parcel>(on), 4096);
    check_lengths<parcel, u16>(on, random, {5, 37 * tile + 7, 0, 2 * tile, 11}, 1000);
    check_lengths<person, parcel>(on, random, {1, 600, 77, 3000}, 1000);
  });
}

}  // namespace testing::segmented_sort_no_order_test
