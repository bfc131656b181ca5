// sort, sort_by_key and argsort by keys of texts against std::stable_sort: keys of all types, of one text and
// of several, structures of many sizes, values, in place, around the bounds of tiles, on rows of the table.
#include <clwave/sort.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "families/sorts.hpp"
#include "harness/captures.hpp"
#include "harness/conversions.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/given.hpp"
#include "harness/quick.hpp"
#include "key_sorts.hpp"

namespace testing::key_sort_test {
namespace {

using clwave::by;
using clwave::key_list;
using keys::check_indices, keys::check_pairs, keys::check_sort, keys::places_of;
using namespace keys;

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_TEMPLATE("keys of every type by a text", T, std::int8_t, std::uint8_t, std::int16_t, u16,
                   std::int32_t, u32, std::int64_t, u64, half, bfloat16, float, double) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  constexpr unsigned width = sizeof(T) * 8;
  const auto orders = some_orders(random, width);
  for (const std::size_t n : {300 + random.below(600), tile_of(on) + 1 + random.below(9000)}) {
    const std::vector<parcel> elements = parcels_with<T>(random, n);
    for (const sort_order& order : orders) {
      CAPTURES(order.descending, order.first_bit, order.last_bit.value_or(width));
      check_sort(on, elements, {numbers_of(elements, key_for<T>, order)},
                 by<T>({.name = "word", .source = text_for<T>()}, order));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "keys that are truth values, and numbers that convert to keys") {
  const std::vector<person> elements = values_of<person>(random, 2000);
  check_sort(on, elements, {numbers_of(elements, [](const person& each) { return each.key % 3 != 0; })},
             by<bool>({.name = "truth", .source = "x.key % 3"}));
  // Integers wrap, floats saturate, as transform's do.
  check_sort(
      on, elements,
      {numbers_of(elements, [](const person& each) { return static_cast<std::uint8_t>(each.key >> 3); })},
      by<std::uint8_t>({.name = "wrapped", .source = "x.key >> 3"}));
  std::vector<float> floats = any_keys<float>(random, 2000);
  check_sort(on, floats,
             {numbers_of(floats,
                         [](float each) {
                           return each != each ? std::int8_t{0}
                                               : static_cast<std::int8_t>(std::clamp(each, -128.0f, 127.0f));
                         })},
             by<std::int8_t>({.name = "saturated", .source = "x"}));
  // Halves are floats in texts.
  const std::vector<half> halves = any_keys<half>(random, 2000);
  check_sort(on, halves, {numbers_of(halves, [](half each) { return std::fabs(static_cast<float>(each)); })},
             by<float>({.name = "magnitude", .source = "fabs(x)"}));
  // Doubles are rounded once.
  if (!on.has_doubles()) return;
  const std::vector<double> doubles = doubles_near_halves();
  check_sort(on, doubles, {numbers_of(doubles, [](double each) { return nearest_half(-each); })},
             by<half>({.name = "negative", .source = "-x"}));
}

TEST_CASE_FIXTURE(on_device, "structures of many sizes by a text, and values of many sizes") {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 301, 9000 + random.below(20000)}) {
    const auto persons = elements_of<person>(random, n, n / 3 + 1);
    const auto parcels = elements_of<parcel>(random, n, n / 3 + 1);
    const auto records = elements_of<largest_key>(random, n / 4, n / 9 + 1);
    check_sort(on, persons, {numbers_of(persons, key_of)}, by_cell);
    check_sort(on, records, {numbers_of(records, key_of)}, by_cell);
    const auto by_long = by<u64>({.name = "key", .source = "x.key"});
    check_sort(on, parcels, {numbers_of(parcels, key_of)}, by_long);
    check_pairs(on, persons, values_of<std::uint8_t>(random, n), {numbers_of(persons, key_of)}, by_cell);
    check_pairs(on, parcels, values_of<person>(random, n), {numbers_of(parcels, key_of)}, by_long);
    check_indices<u32>(on, parcels, {numbers_of(parcels, key_of)}, by_long);
    check_indices<u64>(on, records, {numbers_of(records, key_of)}, by_cell);
  }
}

TEST_CASE_FIXTURE(on_device, "several keys: the first one decides, and each further one among equals") {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 500, tile_of(on) + 5000}) {
    const auto elements = elements_of<person>(random, n, 7);
    const sort_order down{.descending = true}, bits{.first_bit = 3, .last_bit = 5};
    const auto small = [](const person& each) { return static_cast<float>(each.words[1] % 5) - 2; };
    const numbers two{numbers_of(elements, key_of), numbers_of(elements, small, down)};
    const key_list by_two{by_cell, by<float>({.name = "small", .source = "(int)(x.words[1] % 5) - 2"}, down)};
    check_sort(on, elements, two, by_two);
    check_indices<u32>(on, elements, two, by_two);
    // An odd number of digits, an even one, and one key without any.
    const numbers three{numbers_of(elements, word_of, bits), two[0],
                        numbers_of(elements, [](const person& each) { return each.words[1]; })};
    const key_list by_three{by<u32>({.name = "bits", .source = "x.words[0]"}, bits),
                            by<u16>({.name = "key", .source = "x.key"}),
                            by<float>({.name = "none", .source = "NAN"}, {.last_bit = 0}),
                            by<u64>({.name = "word", .source = "x.words[1]"}, {.last_bit = 33})};
    check_sort(on, elements, three, by_three);
    check_pairs(on, elements, values_of<parcel>(random, n), three, by_three);
    check_indices<u64>(on, elements, three, by_three);
  }
}

TEST_CASE_FIXTURE(
    on_device, "as many keys as there may be, values and declarations of their own, and indices in texts") {
  const std::size_t n = 700 + random.below(300);
  const std::vector<u32> elements = values_of<u32>(random, n);
  const std::string declarations = "uint bit_of(uint x, uint k) { return x >> k & 1; }";
  numbers all;
  std::vector<clwave::sort_key> keys;
  for (u32 k = 0; k < 8; ++k) {
    keys.push_back(by<std::uint8_t>(
        {.name = "bit", .source = "bit_of(x, k)", .declarations = declarations, .values = {{"k", k * 3}}}));
    all.push_back(
        numbers_of(elements, [&](u32 each) { return static_cast<std::uint8_t>(each >> (k * 3) & 1); }));
  }
  check_sort(on, elements, all, key_list(keys));
  // Other numbers are another call of the same program.
  const auto before = clwave::detail::count_programs();
  keys[0].of.values = {{"k", u32{31}}};
  all[0] = numbers_of(elements, [&](u32 each) { return static_cast<std::uint8_t>(each >> 31); });
  check_sort(on, elements, all, key_list(keys));
  CHECK(clwave::detail::count_programs().built == before.built);
  // In the order that another key has brought, an element's index is still that in the input.
  std::vector<u64> turned(n);
  for (std::size_t i = 0; i < n; ++i) turned[i] = n - i;
  const auto turn = by<u64>({.name = "turned", .source = "n - i", .values = {{"n", n}}});
  const auto low = by<std::uint8_t>({.name = "low", .source = "x & 3"});
  const auto lows = numbers_of(elements, [](u32 each) { return static_cast<std::uint8_t>(each & 3); });
  check_sort(on, elements, {turned}, turn);
  check_sort(on, elements, {lows, turned}, {low, turn});
  check_sort(on, elements, {lows, turned, lows}, {low, turn, low});
}

TEST_CASE_FIXTURE(on_device, "sorts by keys around the bounds of a tile, on every row" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t tile = tile_of(on);
    CHECK(tile >= 256);
    const key_list two{by<std::uint8_t>({.name = "low", .source = "x.words[0] & 15"}), by_cell};
    const auto low = [](const person& each) { return static_cast<std::uint8_t>(each.words[0] & 15); };
    for (const std::size_t n : std::vector<std::size_t>{0, 1, 33, tile - 1, tile, tile + 1, 2 * tile + 17}) {
      const auto elements = elements_of<person>(random, n, n + 9);
      const numbers one{numbers_of(elements, key_of)};
      check_sort(on, elements, one, by_cell);
      check_indices<u32>(on, elements, one, by_cell);
      const numbers both{numbers_of(elements, low), one[0]};
      check_sort(on, elements, both, two);
      check_indices<u64>(on, elements, both, two);
    }
    const auto elements = elements_of<person>(random, tile + 99, 50);
    check_pairs(on, elements, values_of<parcel>(random, tile + 99),
                {numbers_of(elements, low), numbers_of(elements, key_of)}, two);
  }
}

#ifdef __SIZEOF_INT128__
TEST_CASE_TEMPLATE("numbers of 128 bits", T, clwave::u128, clwave::i128, clwave::detail::own_u128,
                   clwave::detail::own_i128) {
  const fixture& on = default_fixture();
  random_engine random;
  const bool has_sign = element_of<T>().name == "i128";
  using wide = clwave::detail::own_u128;
  const unsigned first = random.below(128), last = first + random.below(129 - first);
  std::vector<sort_order> orders{{}, {.descending = true}, {.first_bit = first, .last_bit = last}};
  if (!quick())
    orders.insert(orders.end(), {{.first_bit = 60, .last_bit = 70},
                                 {.descending = true, .last_bit = 64},
                                 {.first_bit = 64},
                                 {.first_bit = 128}});
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 777, tile_of(on) + 5000}) {
    std::vector<wide> keys(n);
    // Many have one upper word; of those with a sign half are below 0.
    for (wide& key : keys)
      key = wide{random.below(4) == 0 ? random() : u64{0} - random.below(5)} << 64 | random();
    for (const sort_order& order : orders) {
      CAPTURES(order.descending, order.first_bit, order.last_bit.value_or(128));
      const unsigned bits = order.last_bit.value_or(128) - order.first_bit;
      numbers words(2);
      for (const wide& key : keys) {
        wide number = has_sign ? key ^ wide { 1 } << 127 : key;
        if (order.descending) number = ~number;
        number = bits == 0 ? 0 : number >> order.first_bit & ~wide{0} >> (128 - bits);
        words[0].push_back(static_cast<u64>(number >> 64));
        words[1].push_back(static_cast<u64>(number));
      }
      const std::vector<u32> places = places_of(words);
      const std::vector<wide> right = taken(keys, places);
      const cl::Buffer in = on.buffer_of(keys);
      const guarded_buffer<T> out(on, n);
      const view<const T> x{in, n};
      clwave::sort(on.queue, x, out.view(), given(order)).wait();
      CHECK(bytes_of(out.read_guarded()) == bytes_of(right));
      const guarded_buffer<u32> indices(on, n);
      clwave::argsort(on.queue, x, indices.view(), given(order)).wait();
      CHECK(indices.read() == places);
      const auto values = values_of<person>(random, n);
      const cl::Buffer values_in = on.buffer_of(values);
      const view<T> y{in, n};
      const view<person> v{values_in, n};
      clwave::sort_by_key(on.queue, y, v, y, v, given(order)).wait();
      CHECK(on.read<wide>(in, n) == right);
      CHECK(on.read<person>(values_in, n) == taken(values, places));
    }
  }
}
#endif

}  // namespace testing::key_sort_test
