// Sorts of segments by keys of texts against std::stable_sort of each: segments of all lengths, keys of all
// types, of one text and of several, structures and values of many sizes, in place, on rows of the table.
#include <clwave/segmented_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "families/segments.hpp"
#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/given.hpp"
#include "key_sorts.hpp"
#include "segmented_key_sorts.hpp"

namespace testing::key_sort_segments_test {
namespace {

using clwave::by;
using clwave::key_list;
using namespace keys;

const doctest::test_suite lanes("lanes");

// Elements alone, apart and in place; they begin some elements into their buffer.
template <class T, class Offset>
void check_segments(const fixture& on, random_engine& random, const std::vector<T>& elements,
                    const std::vector<Offset>& offsets, const numbers& keys, const key_list& list) {
  const std::size_t n = elements.size();
  CAPTURES(n, offsets.size(), element_of<T>().name);
  const std::vector<std::size_t> sources = sources_of(keys, offsets);
  std::vector<T> shifted(3);
  shifted.insert(shifted.end(), elements.begin(), elements.end());
  const cl::Buffer in = on.buffer_of(shifted), at = on.buffer_of(offsets);
  const view<const Offset> o{at, offsets.size()};
  const output<T> out(on, random, n);
  clwave::segmented_sort(on.queue, view<const T>{in, n, 3}, o, out.room.view(), given(list)).wait();
  out.check(elements, sources);
  CHECK(bytes_of(on.read<T>(in, n + 3)) == bytes_of(shifted));
  const view<T> same{in, n, 3};
  clwave::segmented_sort(on.queue, same, o, same, given(list)).wait();
  const std::vector<T> sorted = brought(elements, elements, sources);
  std::copy(sorted.begin(), sorted.end(), shifted.begin() + 3);
  CHECK(bytes_of(on.read<T>(in, n + 3)) == bytes_of(shifted));
}

// With values: apart, the values alone in place, the elements alone, and both.
template <class T, class V, class Offset>
void check_pairs(const fixture& on, random_engine& random, const std::vector<T>& elements,
                 const std::vector<V>& values, const std::vector<Offset>& offsets, const numbers& keys,
                 const key_list& list) {
  const std::size_t n = elements.size();
  CAPTURES(n, sizeof(V));
  const std::vector<std::size_t> sources = sources_of(keys, offsets);
  const auto right = bytes_of(brought(elements, elements, sources)),
             right_values = bytes_of(brought(values, values, sources));
  const cl::Buffer at = on.buffer_of(offsets);
  const view<const Offset> o{at, offsets.size()};
  for (const bool in_place : {false, true}) {
    for (const bool values_in_place : {false, true}) {
      CAPTURES(in_place, values_in_place);
      const cl::Buffer in = on.buffer_of(elements), values_in = on.buffer_of(values);
      const output<T> out(on, random, n);
      const output<V> values_out(on, random, n);
      const view<T> x{in, n}, to = in_place ? x : out.room.view();
      const view<V> y{values_in, n}, values_to = values_in_place ? y : values_out.room.view();
      clwave::segmented_sort_by_key(on.queue, x, y, o, to, values_to, given(list)).wait();
      if (in_place)
        CHECK(bytes_of(on.read<T>(in, n)) == right);
      else
        out.check(elements, sources);
      if (values_in_place)
        CHECK(bytes_of(on.read<V>(values_in, n)) == right_values);
      else
        values_out.check(values, sources);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("segments by keys of every type", T, std::int8_t, std::uint8_t, std::int16_t, u16,
                   std::int32_t, u32, std::int64_t, u64, half, bfloat16, float, double) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  constexpr unsigned width = sizeof(T) * 8;
  const auto lengths = random_lengths(random, 150, 6000);
  const auto elements = keys::parcels_with<T>(random, sum_of(lengths) + 30);
  for (const sort_order& order : keys::some_orders(random, width)) {
    CAPTURES(order.descending, order.first_bit, order.last_bit.value_or(width));
    check_segments(on, random, elements, offsets_of<u32>(lengths, 7),
                   {numbers_of(elements, keys::key_for<T>, order)},
                   by<T>({.name = "word", .source = keys::text_for<T>()}, order));
  }
}

// Lengths around powers of two and tiles; one huge segment among short ones; empty ones by the thousand; and
// all kinds side by side.
TEST_CASE_FIXTURE(on_device, "segments of all lengths by keys, on every row" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t tile = segment_tile_of(on);
    CHECK(tile >= 256);
    const auto check = [&](const std::vector<std::size_t>& lengths) {
      const auto elements = elements_of<person>(random, sum_of(lengths) + 5, 1 + random.below(900));
      check_segments(on, random, elements, offsets_of<u64>(lengths, random.below(6)),
                     {numbers_of(elements, low_of), numbers_of(elements, key_of)}, {by_low, by_cell});
    };
    check_lengths_around(tile, 5000, check);
    check(random_lengths(random, 300, 3 * tile));
    const auto lengths = random_lengths(random, 100, 2 * tile);
    const auto elements = elements_of<person>(random, sum_of(lengths), 50);
    check_pairs(on, random, elements, values_of<parcel>(random, elements.size()), offsets_of<u32>(lengths),
                {numbers_of(elements, key_of)}, by_cell);
  }
}

TEST_CASE_FIXTURE(on_device, "segments of structures with values of many sizes") {
  const auto lengths = random_lengths(random, 200, 4000);
  const auto offsets = offsets_of<u64>(lengths);
  const auto parcels = elements_of<parcel>(random, sum_of(lengths), 100);
  const numbers keys{numbers_of(parcels, key_of)};
  const auto by_long = by<u64>({.name = "key", .source = "x.key"});
  check_pairs(on, random, parcels, values_of<std::uint8_t>(random, parcels.size()), offsets, keys, by_long);
  check_pairs(on, random, parcels, values_of<person>(random, parcels.size()), offsets, keys, by_long);
  check_pairs(on, random, parcels, values_of<parcel>(random, parcels.size()), offsets, keys, by_long);
}

// NaNs are last, descending first, and all of one place; -0 comes before 0.
TEST_CASE_FIXTURE(on_device, "NaNs and zeros of both signs in a segment by a key") {
  for (const std::string name : forced_rows({"sm_90", "cpu"})) {
    constexpr u32 one = 0x3f800000, less = 0xff800000, zero = 0, minus = 0x80000000;
    const std::vector<u32> words{0x7fc00005, zero, one,   0xffc00009, minus,
                                 0x7fc00002, less, minus, zero,       0xffc00001};
    const std::vector<u32> rising{less, minus,      minus,      zero,       zero,
                                  one,  0x7fc00005, 0xffc00009, 0x7fc00002, 0xffc00001};
    const std::vector<u32> falling{0x7fc00005, 0xffc00009, 0x7fc00002, 0xffc00001, one,
                                   zero,       zero,       minus,      minus,      less};
    const std::size_t n = words.size();
    const cl::Buffer in = on.buffer_of(words), at = on.buffer_of(std::vector<u32>{0, static_cast<u32>(n)});
    for (const bool descending : {false, true}) {
      const guarded_buffer<u32> out(on, n);
      clwave::segmented_sort(
          on.queue, view<const u32>{in, n}, view<const u32>{at, 2}, out.view(),
          {.keys = by<float>({.name = "float", .source = "as_float(x)"}, {.descending = descending})})
          .wait();
      CHECK(out.read() == (descending ? falling : rising));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "segments by several keys, with values of texts, bits and indices") {
  const auto lengths = random_lengths(random, 100, 3000);
  const std::size_t before = random.below(9), n = sum_of(lengths) + 20;
  const auto offsets = offsets_of<u32>(lengths, before);
  const auto elements = elements_of<person>(random, n, 5);
  const sort_order bits{.descending = true, .first_bit = 3, .last_bit = 5};
  std::vector<u64> turned(n);
  for (std::size_t i = 0; i < n; ++i) turned[i] = (n - i) / 7;
  // In the order that another key has brought, an element's index is still that in the input.
  const key_list list{by<u32>({.name = "bits", .source = "x.words[0]"}, bits),
                      by<u16>({.name = "key", .source = "x.key"}),
                      by<float>({.name = "none", .source = "NAN"}, {.last_bit = 0}),
                      by<u64>({.name = "turned", .source = "(last - i) / 7", .values = {{"last", u64{n}}}})};
  const numbers keys{numbers_of(elements, word_of, bits), numbers_of(elements, key_of), turned};
  check_segments(on, random, elements, offsets, keys, list);
  check_pairs(on, random, elements, values_of<double>(random, n), offsets, keys, list);
  // A key without bits alone: all stays where it is.
  check_segments(on, random, elements, offsets, {std::vector<u64>(n)},
                 by<float>({.name = "none", .source = "x.key"}, {.first_bit = 9, .last_bit = 9}));
  std::vector<clwave::sort_key> most;
  numbers all;
  for (u32 k = 0; k < 8; ++k) {
    most.push_back(by<bool>({.name = "bit", .source = "x.words[0] >> k & 1", .values = {{"k", k * 3}}}));
    all.push_back(
        numbers_of(elements, [&](const person& each) { return (each.words[0] >> (k * 3) & 1) != 0; }));
  }
  check_segments(on, random, elements, offsets, all, key_list(most));
}

}  // namespace testing::key_sort_segments_test
