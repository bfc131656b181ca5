// sort, sort_by_key and argsort by keys of texts against std::stable_sort: keys of all types, of one text and
// of several, structures of many sizes, values, in place, around the bounds of tiles, on rows of the table;
// what is refused.
#include <clwave/key_sort.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/execute.hpp"
#include "devices.hpp"
#include "emulated_rows.hpp"
#include "primitives/key_sort.hpp"
#include "quick.hpp"
#include "reference.hpp"
#include "refusals.hpp"
#include "selections.hpp"
#include "sorted_ranges.hpp"
#include "sorts.hpp"

namespace {

struct large_record {  // of the most bytes that an element has
  std::uint32_t key, words[31];
};

}  // namespace

CLWAVE_STRUCTURE(large_record, "large_record", "typedef struct { uint key, words[31]; } large_record;")

namespace {

using clwave::bfloat16;
using clwave::by;
using clwave::half;
using clwave::key_list;
using clwave::sort_order;
using clwave::u16;
using clwave::view;
using reference::random_engine;
using testing::any_keys;
using testing::bytes_of;
using testing::default_fixture;
using testing::fixture;
using testing::guarded_buffer;
using testing::parcel;
using testing::person;
using testing::taken;
using testing::values_of;

const doctest::test_suite lanes("lanes");

// What elements are compared by, of the first key those of all elements, and so on.
using numbers = std::vector<std::vector<std::uint64_t>>;

// The bits of a key that are compared.
template <class Key>
std::uint64_t number_of(Key key, const sort_order& order) {
  const unsigned count = order.last_bit.value_or(sizeof(Key) * 8) - order.first_bit;
  if (count == 0) return 0;
  return testing::ordered(key, order.descending) >> order.first_bit & ~std::uint64_t{0} >> (64 - count);
}

template <class T, class Make>
std::vector<std::uint64_t> numbers_of(const std::vector<T>& elements, const Make& make,
                                      const sort_order& order = {}) {
  std::vector<std::uint64_t> all;
  all.reserve(elements.size());
  for (const T& each : elements) all.push_back(number_of(make(each), order));
  return all;
}

std::vector<std::uint32_t> places_of(const numbers& keys) {
  std::vector<std::uint32_t> places(keys[0].size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (const auto& each : keys)
      if (each[a] != each[b]) return each[a] < each[b];
    return false;
  });
  return places;
}

// Elements alone, apart and in place; they begin some elements into their buffer.
template <class T>
void check_sort(const fixture& on, const std::vector<T>& elements, const numbers& keys,
                const key_list& list) {
  const std::size_t n = elements.size();
  CAPTURE(n);
  CAPTURE(clwave::element_of<T>().name);
  const std::vector<unsigned char> right = bytes_of(taken(elements, places_of(keys)));
  std::vector<T> shifted(3);
  shifted.insert(shifted.end(), elements.begin(), elements.end());
  const cl::Buffer in = on.buffer_of(shifted);
  const guarded_buffer<T> out(on, n), in_place(on, n);
  clwave::sort(on.queue, view<const T>{in, n, 3}, out.view(), list).wait();
  CHECK(bytes_of(out.read()) == right);
  CHECK(out.guards_intact());
  CHECK(bytes_of(on.read<T>(in, n + 3)) == bytes_of(shifted));
  if (n == 0) return;
  on.queue.enqueueCopyBuffer(in, in_place.buffer(), 3 * sizeof(T), guarded_buffer<T>::guard * sizeof(T),
                             n * sizeof(T));
  clwave::sort(on.queue, in_place.view(), in_place.view(), list).wait();
  CHECK(bytes_of(in_place.read()) == right);
  CHECK(in_place.guards_intact());
}

// With values: apart, the values alone in place, the elements alone, and both.
template <class T, class V>
void check_pairs(const fixture& on, const std::vector<T>& elements, const std::vector<V>& values,
                 const numbers& keys, const key_list& list) {
  const std::size_t n = elements.size();
  CAPTURE(n);
  CAPTURE(sizeof(V));
  const std::vector<std::uint32_t> places = places_of(keys);
  const auto right = bytes_of(taken(elements, places)), right_values = bytes_of(taken(values, places));
  for (const bool in_place : {false, true}) {
    for (const bool values_in_place : {false, true}) {
      CAPTURE(in_place);
      CAPTURE(values_in_place);
      const cl::Buffer in = on.buffer_of(elements), values_in = on.buffer_of(values);
      const guarded_buffer<T> out(on, n);
      const guarded_buffer<V> values_out(on, n);
      const view<T> x{in, n}, to = in_place ? x : out.view();
      const view<V> y{values_in, n}, values_to = values_in_place ? y : values_out.view();
      clwave::sort_by_key(on.queue, x, y, to, values_to, list).wait();
      CHECK(bytes_of(in_place ? on.read<T>(in, n) : out.read()) == right);
      CHECK(bytes_of(values_in_place ? on.read<V>(values_in, n) : values_out.read()) == right_values);
      CHECK(out.guards_intact());
      CHECK(values_out.guards_intact());
    }
  }
}

template <class Index, class T>
void check_indices(const fixture& on, const std::vector<T>& elements, const numbers& keys,
                   const key_list& list) {
  const std::size_t n = elements.size();
  CAPTURE(n);
  const std::vector<std::uint32_t> places = places_of(keys);
  const cl::Buffer in = on.buffer_of(elements);
  const guarded_buffer<Index> indices(on, n);
  clwave::argsort(on.queue, view<const T>{in, n}, indices.view(), list).wait();
  CHECK(indices.read() == std::vector<Index>(places.begin(), places.end()));
  CHECK(indices.guards_intact());
  CHECK(bytes_of(on.read<T>(in, n)) == bytes_of(elements));
}

// Of any bits, but few keys.
template <class T>
std::vector<T> elements_of(random_engine& random, std::size_t n, std::size_t keys) {
  std::vector<T> all = values_of<T>(random, n);
  for (T& each : all) each.key = static_cast<decltype(each.key)>(random.below(keys));
  return all;
}

const auto key_of = [](const auto& each) { return each.key; };
const auto word_of = [](const auto& each) { return static_cast<std::uint32_t>(each.words[0]); };

const auto by_cell = by<std::uint32_t>({.name = "key", .source = "x.key"});

// What a GPU's group sorts in local memory, or a CPU's core in one launch, of keys of 4 bytes with indices.
std::size_t tile_of(const fixture& on) {
  const clwave::plan_target target{
      .facts = &on.facts, .choice = clwave::choose_profile(on.facts), .with_source = false};
  const clwave::element& type = clwave::element_of<person>();
  const std::array<clwave::sort_key, 1> keys{by_cell};
  std::size_t n = 1;
  for (std::size_t step = std::size_t{1} << 20; step > 0; step /= 2) {
    const auto plan = clwave::plan(
        clwave::key_sort_question{.keys = type, .keys_out = type, .n = n + step, .by = keys}, target);
    if (plan.kernels.size() == 3) n += step;
  }
  return n;
}

// The text that makes a key of type Key of a parcel's first word, the same key on the host, and a sort by it.
template <class Key>
std::string text_for() {
  if constexpr (std::is_same_v<Key, double>) return "as_double(x.words[0])";
  if constexpr (std::is_same_v<Key, float> || testing::is_16_bits<Key>) return "as_float((uint)x.words[0])";
  return "x.words[0]";
}

template <class Key>
Key key_for(const parcel& each) {
  if constexpr (testing::is_16_bits<Key>)
    return Key(testing::from_bits<float>(testing::bits_of(each.words[0], 4)));
  else
    return testing::from_bits<Key>(testing::bits_of(each.words[0], sizeof(Key)));
}

}  // namespace

TEST_CASE_TEMPLATE("keys of every type by a text", T, std::int8_t, std::uint8_t, std::int16_t, u16,
                   std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, half, bfloat16, float, double) {
  if (!testing::takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const bool descending = random.below(2) == 0;
  const unsigned width = sizeof(T) * 8, first = random.below(width);
  const unsigned last = first + random.below(width - first + 1);
  const sort_order all{.descending = descending};
  const sort_order some{.descending = !descending, .first_bit = first, .last_bit = last};
  for (const std::size_t n : {300 + random.below(600), tile_of(on) + 1 + random.below(9000)}) {
    std::vector<parcel> elements = values_of<parcel>(random, n);
    // Of 16 bits, keys that rounding brings together.
    using wide = std::conditional_t<testing::is_16_bits<T>, float, T>;
    const std::vector<wide> keys = any_keys<wide>(random, n);
    for (std::size_t k = 0; k < n; ++k)
      elements[k].words[0] = testing::raw_bits(keys[k]) | (sizeof(wide) == 8 ? 0 : random() << 32);
    for (const sort_order& order : {all, some}) {
      CAPTURE(order.descending);
      CAPTURE(order.first_bit);
      CAPTURE(order.last_bit.value_or(width));
      check_sort(on, elements, {numbers_of(elements, key_for<T>, order)},
                 by<T>({.name = "word", .source = text_for<T>()}, order));
    }
  }
}

TEST_CASE("keys that are truth values, and numbers that convert to keys") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
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
}

TEST_CASE("structures of many sizes by a text, and values of many sizes") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{301}, 9000 + random.below(20000)}) {
    const auto persons = elements_of<person>(random, n, n / 3 + 1);
    const auto parcels = elements_of<parcel>(random, n, n / 3 + 1);
    const auto records = elements_of<large_record>(random, n / 4, n / 9 + 1);
    check_sort(on, persons, {numbers_of(persons, key_of)}, by_cell);
    check_sort(on, records, {numbers_of(records, key_of)}, by_cell);
    const auto by_long = by<std::uint64_t>({.name = "key", .source = "x.key"});
    check_sort(on, parcels, {numbers_of(parcels, key_of)}, by_long);
    check_pairs(on, persons, values_of<std::uint8_t>(random, n), {numbers_of(persons, key_of)}, by_cell);
    check_pairs(on, parcels, values_of<person>(random, n), {numbers_of(parcels, key_of)}, by_long);
    check_indices<std::uint32_t>(on, parcels, {numbers_of(parcels, key_of)}, by_long);
    check_indices<std::uint64_t>(on, records, {numbers_of(records, key_of)}, by_cell);
  }
}

TEST_CASE("several keys: the first one decides, and each further one among equals") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{500}, tile_of(on) + 5000}) {
    const auto elements = elements_of<person>(random, n, 7);
    const sort_order down{.descending = true}, bits{.first_bit = 3, .last_bit = 5};
    const auto small = [](const person& each) { return static_cast<float>(each.words[1] % 5) - 2; };
    const numbers two{numbers_of(elements, key_of), numbers_of(elements, small, down)};
    const key_list by_two{by_cell, by<float>({.name = "small", .source = "(int)(x.words[1] % 5) - 2"}, down)};
    check_sort(on, elements, two, by_two);
    check_indices<std::uint32_t>(on, elements, two, by_two);
    // An odd number of digits, an even one, and one key without any.
    const numbers three{numbers_of(elements, word_of, bits), two[0],
                        numbers_of(elements, [](const person& each) { return each.words[1]; })};
    const key_list by_three{by<std::uint32_t>({.name = "bits", .source = "x.words[0]"}, bits),
                            by<u16>({.name = "key", .source = "x.key"}),
                            by<float>({.name = "none", .source = "NAN"}, {.last_bit = 0}),
                            by<std::uint64_t>({.name = "word", .source = "x.words[1]"}, {.last_bit = 33})};
    check_sort(on, elements, three, by_three);
    check_pairs(on, elements, values_of<parcel>(random, n), three, by_three);
    check_indices<std::uint64_t>(on, elements, three, by_three);
  }
}

TEST_CASE("as many keys as there may be, values and declarations of their own, and indices in texts") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t n = 700 + random.below(300);
  const std::vector<std::uint32_t> elements = values_of<std::uint32_t>(random, n);
  const std::string declarations = "uint bit_of(uint x, uint k) { return x >> k & 1; }";
  numbers all;
  std::vector<clwave::sort_key> keys;
  for (std::uint32_t k = 0; k < 8; ++k) {
    keys.push_back(by<std::uint8_t>(
        {.name = "bit", .source = "bit_of(x, k)", .declarations = declarations, .values = {{"k", k * 3}}}));
    all.push_back(numbers_of(
        elements, [&](std::uint32_t each) { return static_cast<std::uint8_t>(each >> (k * 3) & 1); }));
  }
  check_sort(on, elements, all, key_list(keys));
  // Other numbers are another call of the same program.
  const auto before = clwave::detail::count_programs();
  keys[0].of.values = {{"k", std::uint32_t{31}}};
  all[0] = numbers_of(elements, [&](std::uint32_t each) { return static_cast<std::uint8_t>(each >> 31); });
  check_sort(on, elements, all, key_list(keys));
  CHECK(clwave::detail::count_programs().built == before.built);
  // In the order that another key has brought, an element's index is still that in the input.
  std::vector<std::uint64_t> turned(n);
  for (std::size_t i = 0; i < n; ++i) turned[i] = n - i;
  const auto turn = by<std::uint64_t>({.name = "turned", .source = "n - i", .values = {{"n", n}}});
  const auto low = by<std::uint8_t>({.name = "low", .source = "x & 3"});
  const auto lows =
      numbers_of(elements, [](std::uint32_t each) { return static_cast<std::uint8_t>(each & 3); });
  check_sort(on, elements, {turned}, turn);
  check_sort(on, elements, {lows, turned}, {low, turn});
  check_sort(on, elements, {lows, turned, lows}, {low, turn, low});
}

TEST_CASE("sorts by keys around the bounds of a tile, on every row" * lanes) {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::string name : testing::some_rows()) {
    if (!testing::takes_row(on, random, name) && name != "sm_90") continue;
    const testing::forced_profile forced(name);
    CAPTURE(name);
    const std::size_t tile = tile_of(on);
    CHECK(tile >= 256);
    const key_list two{by<std::uint8_t>({.name = "low", .source = "x.words[0] & 15"}), by_cell};
    const auto low = [](const person& each) { return static_cast<std::uint8_t>(each.words[0] & 15); };
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{33}, tile - 1, tile, tile + 1, 2 * tile + 17}) {
      const auto elements = elements_of<person>(random, n, n + 9);
      const numbers one{numbers_of(elements, key_of)};
      check_sort(on, elements, one, by_cell);
      check_indices<std::uint32_t>(on, elements, one, by_cell);
      const numbers both{numbers_of(elements, low), one[0]};
      check_sort(on, elements, both, two);
      check_indices<std::uint64_t>(on, elements, both, two);
    }
    const auto elements = elements_of<person>(random, tile + 99, 50);
    check_pairs(on, elements, values_of<parcel>(random, tile + 99),
                {numbers_of(elements, low), numbers_of(elements, key_of)}, two);
  }
}

// Counts of 64 bits, as from 2^32 elements on.
TEST_CASE("a sort by keys whose counts have 64 bits" * lanes) {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const char* name : {"cpu", "sm_90"}) {
    const testing::forced_profile forced(name);
    const clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "key_sort");
    const std::size_t n = tile_of(on) + 1 + random.below(3000);
    const auto elements = elements_of<person>(random, n, 99);
    const cl::Buffer in = on.buffer_of(elements);
    const guarded_buffer<person> out(on, n);
    const clwave::element& type = clwave::element_of<person>();
    const std::array<clwave::sort_key, 2> keys{
        by<std::uint32_t>({.name = "word", .source = "x.words[0] & 3"}), by_cell};
    const clwave::key_sort_question question{
        .keys = type,
        .keys_out = clwave::asked_operand(type, guarded_buffer<person>::guard),
        .n = n,
        .by = keys,
        .wide_counts = true};
    const std::array<cl_mem, 2> buffers{in(), out.buffer()()};
    clwave::detail::carry_out(site, question, buffers, {}, true).wait();
    const auto low = [](const person& each) { return each.words[0] & 3; };
    CHECK(out.read() ==
          taken(elements, places_of({numbers_of(elements, low), numbers_of(elements, key_of)})));
    CHECK(out.guards_intact());
  }
}

#ifdef __SIZEOF_INT128__
TEST_CASE_TEMPLATE("numbers of 128 bits", T, clwave::u128, clwave::i128, clwave::detail::own_u128,
                   clwave::detail::own_i128) {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  constexpr bool has_sign = clwave::detail::is_i128<T>;
  using wide = clwave::detail::own_u128;
  const unsigned first = random.below(128), last = first + random.below(129 - first);
  std::vector<sort_order> orders{{}, {.descending = true}, {.first_bit = first, .last_bit = last}};
  if (!testing::quick())
    orders.insert(orders.end(), {{.first_bit = 60, .last_bit = 70},
                                 {.descending = true, .last_bit = 64},
                                 {.first_bit = 64},
                                 {.first_bit = 128}});
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{777}, tile_of(on) + 5000}) {
    std::vector<wide> keys(n);
    // Many have one upper word; of those with a sign half are below 0.
    for (wide& key : keys)
      key = wide{random.below(4) == 0 ? random() : std::uint64_t{0} - random.below(5)} << 64 | random();
    for (const sort_order& order : orders) {
      CAPTURE(order.descending);
      CAPTURE(order.first_bit);
      CAPTURE(order.last_bit.value_or(128));
      const unsigned bits = order.last_bit.value_or(128) - order.first_bit;
      numbers words(2);
      for (const wide& key : keys) {
        wide number = has_sign ? key ^ wide { 1 } << 127 : key;
        if (order.descending) number = ~number;
        number = bits == 0 ? 0 : number >> order.first_bit & ~wide{0} >> (128 - bits);
        words[0].push_back(static_cast<std::uint64_t>(number >> 64));
        words[1].push_back(static_cast<std::uint64_t>(number));
      }
      const std::vector<std::uint32_t> places = places_of(words);
      const std::vector<wide> right = taken(keys, places);
      const cl::Buffer in = on.buffer_of(keys);
      const guarded_buffer<T> out(on, n);
      const view<const T> x{in, n};
      clwave::sort(on.queue, x, out.view(), order).wait();
      CHECK(bytes_of(out.read()) == bytes_of(right));
      CHECK(out.guards_intact());
      const guarded_buffer<std::uint32_t> indices(on, n);
      clwave::argsort(on.queue, x, indices.view(), order).wait();
      CHECK(indices.read() == places);
      const auto values = values_of<person>(random, n);
      const cl::Buffer values_in = on.buffer_of(values);
      const view<T> y{in, n};
      const view<person> v{values_in, n};
      clwave::sort_by_key(on.queue, y, v, y, v, order).wait();
      CHECK(on.read<wide>(in, n) == right);
      CHECK(on.read<person>(values_in, n) == taken(values, places));
    }
  }
}
#endif

TEST_CASE("what sorts by keys refuse, before anything is enqueued") {
  const fixture& on = default_fixture();
  using testing::refuses;
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256));
  const view<float> x{a, 100}, y{b, 100};
  const auto& q = on.queue;
  const auto self = by<float>({.name = "self", .source = "x"});
  refuses("overlap", [&] { clwave::sort(q, x, view<float>{a, 100, 50}, self); });
  refuses("which has 99", [&] { clwave::sort(q, x, view<float>{b, 99}, self); });
  refuses("100 keys and 90 values", [&] { clwave::sort_by_key(q, x, view<float>{b, 90}, x, y, self); });
  refuses("overlap", [&] { clwave::sort_by_key(q, x, y, y, x, self); });
  refuses("overlap", [&] { clwave::argsort(q, x, view<std::uint32_t>{a, 100}, self); });
  refuses("ends past its buffer", [&] { clwave::sort(q, view<float>{a, 300}, y, self); });
  refuses("with a name and a source", [&] { clwave::sort(q, x, y, by<float>(clwave::identity)); });
  refuses("with a name and a source",
          [&] { clwave::sort(q, x, y, by<float>({.name = "empty", .source = {}})); });
  refuses("has no type",
          [&] { clwave::sort(q, x, y, clwave::sort_key{.of = {.name = "self", .source = "x"}}); });
  refuses("1 to 8 keys", [&] { clwave::sort(q, x, y, key_list(std::vector<clwave::sort_key>())); });
  refuses("1 to 8 keys", [&] { clwave::sort(q, x, y, key_list(std::vector(9, self))); });
  refuses("vectors are no keys", [&] { clwave::sort(q, x, y, by<cl_float2>({.name = "x", .source = "x"})); });
  refuses("structures are no keys", [&] { clwave::sort(q, x, y, by<person>({.name = "x", .source = "x"})); });
  refuses("std::byte is no key", [&] { clwave::sort(q, x, y, by<std::byte>({.name = "x", .source = "x"})); });
  refuses("of a key of 16 bits", [&] {
    clwave::sort(q, x, y, {self, by<half>({.name = "half", .source = "x"}, {.last_bit = 17})});
  });
  refuses("of a key of 8 bits", [&] {
    clwave::sort(q, x, y, by<bool>({.name = "x", .source = "x"}, {.first_bit = 5, .last_bit = 3}));
  });
  refuses("the workspace has", [&] { clwave::sort(q, x, y, self, {.workspace = view<float>{b, 20, 200}}); });
  refuses("of a key of 128 bits", [&] {
    clwave::sort(q, view<clwave::u128>{a, 9}, view<clwave::u128>{b, 9}, {.first_bit = 129});
  });
  refuses("of a key of 128 bits", [&] {
    clwave::argsort(q, view<clwave::i128>{a, 9}, view<std::uint32_t>{b, 9}, {.first_bit = 8, .last_bit = 7});
  });
  // Texts that could change the kernels, or are none.
  const auto refuses_text = [&](const char* why, const std::string& source,
                                const std::string& declarations = {}) {
    CAPTURE(source);
    refuses(why, [&] {
      clwave::sort(q, x, y, by<float>({.name = "bad", .source = source, .declarations = declarations}));
    });
  };
  refuses_text("map bad", "x)");
  refuses_text("map bad", "(x");
  refuses_text("map bad", "x // y");
  refuses_text("map bad", "x /* y");
  refuses_text("map bad", "x", "#define KEY float");
  refuses_text("map bad", "x", "#include \"other.cl\"");
  const auto refuses_value = [&](const char* why, const std::string& name) {
    refuses(why, [&] {
      clwave::sort(q, x, y, by<float>({.name = "bad", .source = "x", .values = {{name, 1.0f}}}));
    });
  };
  refuses_value("an element or an index", "x");
  refuses_value("an element or an index", "i");
  refuses_value("reserved", "clwave_key_0_a");
  refuses_value("a word of OpenCL C", "while");
  CHECK(on.read<float>(b, 256) == std::vector<float>(256));

  const clwave::plan_target target{
      .facts = &on.facts, .choice = clwave::choose_profile(on.facts), .with_source = false};
  const clwave::element& f32 = clwave::element_of<float>();
  const std::array<clwave::sort_key, 1> keys{self};
  refuses("1 to 8 keys",
          [&] { plan(clwave::key_sort_question{.keys = f32, .keys_out = f32, .n = 9}, target); });
  refuses("32 bits do not hold", [&] {
    plan(clwave::key_sort_question{.keys = f32,
                                   .values_out = clwave::element_of<std::uint32_t>(),
                                   .n = (std::uint64_t{1} << 32) + 1,
                                   .by = keys},
         target);
  });
  refuses("more than", [&] {
    plan(clwave::key_sort_question{.keys = f32, .keys_out = f32, .n = std::uint64_t{1} << 48, .by = keys},
         target);
  });
}

TEST_CASE("a key that a compiler does not take is told with its name, and a text that calls no function") {
  const fixture& on = default_fixture();
  const cl::Buffer a = on.buffer_of(std::vector<person>(9)), b = on.buffer_of(std::vector<person>(9));
  const auto nowhere = by<float>({.name = "nowhere", .source = "x.nowhere"});
  try {
    clwave::sort(on.queue, view<person>{a, 9}, view<person>{b, 9}, nowhere);
    CHECK(false);
  } catch (const clwave::error& trouble) {
    CHECK(trouble.kind() == clwave::failure::build);
    CHECK(std::string(trouble.what()).find("nowhere") != std::string::npos);
  }
}

TEST_CASE("a sort by keys with a workspace of the caller's, behind an event") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t n = 50000 + random.below(20000);
  const auto elements = elements_of<person>(random, n, 999);
  const auto right =
      bytes_of(taken(elements, places_of({numbers_of(elements, word_of), numbers_of(elements, key_of)})));
  const std::array<clwave::sort_key, 2> keys{by<std::uint32_t>({.name = "word", .source = "x.words[0]"}),
                                             by_cell};
  const clwave::plan_target target{
      .facts = &on.facts, .choice = clwave::choose_profile(on.facts), .with_source = false};
  const clwave::element& type = clwave::element_of<person>();
  for (const cl_command_queue_properties kind :
       {cl_command_queue_properties{0},
        cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}}) {
    for (const bool in_place : {false, true}) {
      const std::uint64_t bytes =
          plan(
              clwave::key_sort_question{
                  .keys = type, .keys_out = type, .n = n, .by = keys, .keys_in_place = in_place},
              target)
              .workspace_bytes;
      CHECK(bytes > n * (in_place ? 28 : 16));
      const cl::CommandQueue queue = on.new_queue(kind);
      const guarded_buffer<person> in(on, n), apart(on, n);
      const guarded_buffer<std::uint32_t> room(on, (bytes + 3) / 4);
      const view<person> out = in_place ? in.view() : apart.view();
      testing::gate held(on);
      cl_event ready = nullptr;
      const cl_event opened = held.event()();
      REQUIRE(clEnqueueWriteBuffer(queue(), in.buffer()(), CL_FALSE,
                                   guarded_buffer<person>::guard * sizeof(person), n * sizeof(person),
                                   elements.data(), 1, &opened, &ready) == CL_SUCCESS);
      const cl::Event written(ready);
      const clwave::event end = clwave::sort(queue, in.view(), out, {keys[0], keys[1]},
                                             {.after = {written}, .workspace = room.view()});
      held.open();
      end.wait();
      CHECK(bytes_of((in_place ? in : apart).read()) == right);
      CHECK(in.guards_intact());
      CHECK(apart.guards_intact());
      CHECK(room.guards_intact());
    }
  }
  const clwave::event nothing =
      clwave::sort(on.queue, view<person>{cl::Buffer(), 0}, view<person>{cl::Buffer(), 0}, by_cell);
  nothing.wait();
  CHECK(nothing.done());
}
