// sort, sort_by_key and argsort against std::stable_sort, for all types of keys, on rows of the table, around
// the bounds of tiles and digits; values of many sizes; in place; what is refused.
#include <clwave/sort.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "devices.hpp"
#include "emulated_rows.hpp"
#include "primitives/sort.hpp"
#include "reference.hpp"
#include "refusals.hpp"
#include "selections.hpp"

namespace {

using clwave::bfloat16;
using clwave::half;
using clwave::sort_order;
using clwave::u16;
using clwave::view;
using reference::random_engine;
using testing::bytes_of;
using testing::default_fixture;
using testing::fixture;
using testing::guarded_buffer;
using testing::person;

struct large {
  std::uint64_t words[16];
};

}  // namespace

CLWAVE_STRUCTURE(large, "large", "typedef struct { ulong words[16]; } large;")

namespace {

// -------------------------------------------------------------------------------------------- the order
// As the header says it, by arithmetic of the host's where that is possible.

template <class T>
constexpr bool is_16_bits = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

std::uint64_t bits_of(std::uint64_t value, unsigned size) {
  return size == 8 ? value : value & ((std::uint64_t{1} << size * 8) - 1);
}

template <class T>
std::uint64_t raw_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);  // of little-endian hosts
  return bits;
}

template <class T>
std::uint64_t ordered(T value, bool descending) {
  const unsigned width = sizeof(T) * 8;
  std::uint64_t bits = raw_bits(value);
  if constexpr (std::is_floating_point_v<T> || is_16_bits<T>) {
    bool nan;
    if constexpr (is_16_bits<T>) {
      const float number = static_cast<float>(value);
      nan = number != number;
    } else {
      nan = value != value;
    }
    const bool negative = (bits >> (width - 1) & 1) != 0;
    bits = nan ? ~std::uint64_t{0} : negative ? ~bits : bits ^ (std::uint64_t{1} << (width - 1));
  } else if constexpr (std::is_signed_v<T>) {
    bits ^= std::uint64_t{1} << (width - 1);
  }
  return bits_of(descending ? ~bits : bits, sizeof(T));
}

// Where in the input the sorted keys lie.
template <class T>
std::vector<std::uint32_t> sorted_places(const std::vector<T>& keys, const sort_order& order) {
  const unsigned width = sizeof(T) * 8, last = order.last_bit.value_or(width);
  std::vector<std::uint64_t> numbers(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t bits = ordered<T>(keys[i], order.descending);
    const unsigned count = last - order.first_bit;
    numbers[i] = count == 0 ? 0
                            : bits >> order.first_bit &
                                  (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
  }
  std::vector<std::uint32_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return numbers[a] < numbers[b]; });
  return places;
}

template <class T>
std::vector<T> taken(const std::vector<T>& from, const std::vector<std::uint32_t>& places) {
  std::vector<T> all(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) all[i] = from[places[i]];
  return all;
}

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}

// Keys of any bits; of floats among them NaNs of both signs, infinities, zeros and denormals.
template <class T>
std::vector<T> any_keys(random_engine& random, std::size_t n) {
  constexpr unsigned width = sizeof(T) * 8;
  std::uint64_t infinity = 0;
  if constexpr (std::is_same_v<T, half>) infinity = 0x7c00;
  if constexpr (std::is_same_v<T, bfloat16>) infinity = 0x7f80;
  if constexpr (std::is_floating_point_v<T>) infinity = raw_bits(std::numeric_limits<T>::infinity());
  std::vector<T> keys(n);
  for (T& key : keys) {
    std::uint64_t bits = random();
    if (infinity != 0 && bits >> 60 < 4) {
      const std::uint64_t sign = bits & (std::uint64_t{1} << (width - 1));
      const std::uint64_t special[] = {0, infinity, infinity + 1 + bits % 99, 1 + bits % 3};
      bits = sign | special[bits >> 40 & 3];
    }
    key = from_bits<T>(bits_of(bits, sizeof(T)));
  }
  return keys;
}

// Numbers in the shapes that break sorts.
std::vector<std::uint32_t> shaped_keys(random_engine& random, std::size_t n, unsigned shape) {
  std::vector<std::uint32_t> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::uint32_t>(i), m = static_cast<std::uint32_t>(n);
    const auto r = static_cast<std::uint32_t>(random());
    const std::uint32_t shapes[] = {k,                                // sorted
                                    m - k,                            // reversed
                                    0x80000001,                       // equal
                                    r & 1 ? 0xffffffffu : 0u,         // of two values
                                    r & r << 7 & r >> 11 & r << 13,   // of few bits
                                    k < m / 2 ? k * 5 : (m - k) * 5,  // organ pipes
                                    k % 17,
                                    r};
    keys[i] = shapes[shape];
  }
  return keys;
}
constexpr unsigned shapes = 8;

template <class T>
void check_keys(const fixture& on, const std::vector<T>& keys, const sort_order& order,
                std::size_t offset = 0) {
  const std::size_t n = keys.size() - offset;
  CAPTURE(n);
  CAPTURE(order.descending);
  CAPTURE(order.first_bit);
  CAPTURE(order.last_bit.value_or(sizeof(T) * 8));
  CAPTURE(clwave::element_of<T>().name);
  const std::vector<T> asked(keys.begin() + static_cast<std::ptrdiff_t>(offset), keys.end());
  const std::vector<unsigned char> right = bytes_of(taken(asked, sorted_places(asked, order)));
  const cl::Buffer in = on.buffer_of(keys);
  const guarded_buffer<T> out(on, n), in_place(on, n);
  clwave::sort(on.queue, view<const T>{in, n, offset}, out.view(), order).wait();
  CHECK(bytes_of(out.read()) == right);
  CHECK(out.guards_intact());
  CHECK(bytes_of(on.read<T>(in, keys.size())) == bytes_of(keys));
  on.queue.enqueueCopyBuffer(in, in_place.buffer(), offset * sizeof(T), guarded_buffer<T>::guard * sizeof(T),
                             n * sizeof(T));
  clwave::sort(on.queue, in_place.view(), in_place.view(), order).wait();
  CHECK(bytes_of(in_place.read()) == right);
  CHECK(in_place.guards_intact());
}

template <class T, class V>
void check_pairs(const fixture& on, const std::vector<T>& keys, const std::vector<V>& values,
                 const sort_order& order) {
  const std::size_t n = keys.size();
  CAPTURE(n);
  CAPTURE(order.descending);
  CAPTURE(order.first_bit);
  CAPTURE(sizeof(V));
  const std::vector<std::uint32_t> places = sorted_places(keys, order);
  const std::vector<unsigned char> right = bytes_of(taken(keys, places)),
                                   right_values = bytes_of(taken(values, places));
  const cl::Buffer in = on.buffer_of(keys), values_in = on.buffer_of(values);
  const guarded_buffer<T> out(on, n);
  const guarded_buffer<V> values_out(on, n);
  const view<T> k{in, n};
  const view<V> x{values_in, n};
  clwave::sort_by_key(on.queue, k, x, out.view(), values_out.view(), order).wait();
  CHECK(bytes_of(out.read()) == right);
  CHECK(bytes_of(values_out.read()) == right_values);
  CHECK(out.guards_intact());
  CHECK(values_out.guards_intact());
  // The values alone in place, then both.
  const cl::Buffer both_keys = on.buffer_of(keys), both_values = on.buffer_of(values);
  const view<V> y{both_values, n};
  clwave::sort_by_key(on.queue, k, x, out.view(), x, order).wait();
  CHECK(bytes_of(on.read<V>(values_in, n)) == right_values);
  clwave::sort_by_key(on.queue, view<T>{both_keys, n}, y, view<T>{both_keys, n}, y, order).wait();
  CHECK(bytes_of(on.read<T>(both_keys, n)) == right);
  CHECK(bytes_of(on.read<V>(both_values, n)) == right_values);
}

template <class Index, class T>
void check_indices(const fixture& on, const std::vector<T>& keys, const sort_order& order) {
  const std::size_t n = keys.size();
  CAPTURE(n);
  const std::vector<std::uint32_t> places = sorted_places(keys, order);
  const cl::Buffer in = on.buffer_of(keys);
  const guarded_buffer<Index> indices(on, n);
  clwave::argsort(on.queue, view<const T>{in, n}, indices.view(), order).wait();
  CHECK(indices.read() == std::vector<Index>(places.begin(), places.end()));
  CHECK(indices.guards_intact());
  CHECK(bytes_of(on.read<T>(in, n)) == bytes_of(keys));
}

template <class V>
std::vector<V> values_of(random_engine& random, std::size_t n) {
  std::vector<V> values(n);
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < n * sizeof(V); ++i) bytes[i] = static_cast<unsigned char>(random());
  return values;
}

// What one tile of the default device takes, and sizes around that, and more.
std::vector<std::size_t> sizes_around(std::size_t tile) {
  return {0, 1, 2, 31, 33, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 17};
}

// How many keys go into one launch.
std::size_t keys_of_one_launch(const fixture& on, const clwave::element& key) {
  const clwave::plan_target target{
      .facts = &on.facts, .choice = clwave::choose_profile(on.facts), .with_source = false};
  std::size_t n = 1;
  for (std::size_t step = std::size_t{1} << 20; step > 0; step /= 2) {
    const auto kernels =
        plan(clwave::sort_question{.keys = key, .keys_out = key, .n = n + step}, target).kernels;
    if (kernels.size() == 1) n += step;
  }
  return n;
}

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_TEMPLATE("keys of every type", T, std::int8_t, std::uint8_t, std::int16_t, u16, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, half, bfloat16, float, double) {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t tile = keys_of_one_launch(on, clwave::element_of<T>());
  for (const bool descending : {false, true}) {
    const std::size_t more = tile + 1 + random.below(3 * tile);
    check_keys(on, any_keys<T>(random, more), {.descending = descending});
    check_keys(on, any_keys<T>(random, 1000 + random.below(1000)), {.descending = descending}, 3);
  }
  // Another program each, and so once for some types of keys.
  const bool descending = random.below(2) == 0;
  check_indices<std::uint32_t>(on, any_keys<T>(random, tile + 1 + random.below(tile)),
                               {.descending = descending});
  if constexpr (std::is_same_v<T, float>) {
    check_indices<std::uint64_t>(on, any_keys<T>(random, tile + 777), {.descending = descending});
    check_indices<std::uint64_t>(on, any_keys<T>(random, 777), {.descending = descending});
  }
}

// Every byte that is not 0 is true.
TEST_CASE("keys of truth values keep their order and their bytes") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::size_t n : {std::size_t{500}, 40000 + random.below(10000)}) {
    std::vector<std::uint8_t> bytes(n);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % 4);
    for (const bool descending : {false, true}) {
      const cl::Buffer in = on.buffer_of(bytes);
      const guarded_buffer<std::uint8_t> out(on, n);
      clwave::sort(on.queue, view<bool>{in, n},
                   view<bool>{out.buffer(), n, guarded_buffer<std::uint8_t>::guard},
                   {.descending = descending})
          .wait();
      std::vector<std::uint8_t> right = bytes;
      std::stable_partition(right.begin(), right.end(), [&](auto byte) { return (byte != 0) == descending; });
      CHECK(out.read() == right);
      CHECK(out.guards_intact());
    }
  }
}

TEST_CASE("sizes around the bounds of a tile, and keys of all shapes") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t tile = keys_of_one_launch(on, clwave::element_of<std::uint32_t>());
  for (const std::size_t n : sizes_around(tile)) {
    check_keys(on, shaped_keys(random, n, 7), {});
    check_indices<std::uint32_t>(on, shaped_keys(random, n, 6), {});
  }
  for (unsigned shape = 0; shape < shapes; ++shape) {
    CAPTURE(shape);
    for (const std::size_t n : {std::size_t{1000}, 2 * tile + 12345}) {
      check_keys(on, shaped_keys(random, n, shape), {.descending = random.below(2) == 0});
      check_indices<std::uint32_t>(on, shaped_keys(random, n, shape), {});
    }
  }
}

// Also what others got wrong: ranges that end within a digit, and empty ones (rocPRIM issue 775, CUB issue
// 310).
TEST_CASE("ranges of bits") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t tile = keys_of_one_launch(on, clwave::element_of<std::uint32_t>());
  const std::array<unsigned, 2> ranges[] = {{0, 0},  {32, 32}, {7, 7},  {0, 1},   {31, 32}, {5, 6},  {0, 8},
                                            {4, 12}, {7, 9},   {8, 24}, {24, 32}, {1, 32},  {0, 31}, {3, 20}};
  for (const auto& [first, last] : ranges) {
    for (const std::size_t n : {std::size_t{900}, tile + 1000}) {
      const sort_order order{.descending = random.below(2) == 0, .first_bit = first, .last_bit = last};
      check_keys(on, any_keys<std::uint32_t>(random, n), order);
      check_keys(on, any_keys<float>(random, n), order);
      check_pairs(on, any_keys<std::int32_t>(random, n), values_of<u16>(random, n), order);
      check_indices<std::uint32_t>(on, any_keys<float>(random, n), order);
    }
  }
  const std::array<unsigned, 2> wide[] = {{0, 64}, {33, 63}, {60, 64}, {64, 64}, {31, 33}};
  for (const auto& [first, last] : wide) {
    check_keys(on, any_keys<std::uint64_t>(random, tile + 5), {.first_bit = first, .last_bit = last});
    check_keys(on, any_keys<double>(random, 500), {.descending = true, .first_bit = first, .last_bit = last});
  }
}

TEST_CASE_TEMPLATE("values of many sizes", V, std::uint8_t, u16, float, double, person, cl_uint4,
                   testing::parcel, large) {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t tile = keys_of_one_launch(on, clwave::element_of<std::uint32_t>());
  const bool descending = random.below(2) == 0;
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{900}, tile + 1 + random.below(tile)}) {
    check_pairs(on, shaped_keys(random, n, 6), values_of<V>(random, n), {.descending = descending});
    if constexpr (sizeof(V) == 12)
      check_pairs(on, any_keys<float>(random, n), values_of<V>(random, n), {.first_bit = 9});
  }
}

// Sets of 8, 32 and 64 lanes, emulated, sort in local memory; a CPU's row does not.
TEST_CASE("sorts of every way to exchange lanes, around the bounds of tiles" * lanes) {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::string name : testing::some_of({"sm_90", "gfx90a", "gen9"})) {
    if (!testing::takes_row(on, random, name) && name != "sm_90") continue;
    const testing::forced_profile forced(name);
    CAPTURE(name);
    const std::size_t tile = keys_of_one_launch(on, clwave::element_of<std::uint32_t>());
    CHECK(tile >= 256);
    for (const std::size_t n : sizes_around(tile)) check_keys(on, shaped_keys(random, n, 7), {});
    for (unsigned shape = 0; shape < shapes; ++shape)
      check_keys(on, shaped_keys(random, tile + 1 + random.below(tile), shape), {});
    for (const auto& [first, last] : {std::array<unsigned, 2>{0, 0}, {3, 5}, {2, 13}, {0, 17}}) {
      check_keys(on, shaped_keys(random, 700, 7), {.first_bit = first, .last_bit = last});
      check_keys(on, shaped_keys(random, tile + 700, 7), {.first_bit = first, .last_bit = last});
    }
    for (const std::size_t n : {std::size_t{77}, tile + 1000}) {
      check_pairs(on, any_keys<float>(random, n), values_of<person>(random, n), {.descending = true});
      check_pairs(on, shaped_keys(random, n, 6), values_of<large>(random, n), {});
      check_indices<std::uint32_t>(on, any_keys<float>(random, n), {});
    }
    check_keys(on, any_keys<double>(random, 2 * tile), {});
  }
}

// Groups of fewer work-items than there are digits, and counts as 2^32 keys need them.
TEST_CASE("sorts in small groups, and with wide counts" * lanes) {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const bool small : {false, true}) {
    CAPTURE(small);
    const testing::forced_profile forced(small ? "sm_90" : "cpu");
    clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "sort");
    if (small) site.on.group_limit = 64;
    const std::size_t n = 140000 + random.below(1000);
    const std::vector<std::uint32_t> keys = shaped_keys(random, n, 3);
    const cl::Buffer in = on.buffer_of(keys);
    const guarded_buffer<std::uint32_t> out(on, n);
    const clwave::element& key = clwave::element_of<std::uint32_t>();
    for (const bool wide : {false, true}) {
      const clwave::sort_question question{.keys = key,
                                           .keys_out = clwave::asked_operand(key, out.view().offset()),
                                           .n = n,
                                           .order = {.first_bit = 20},
                                           .wide_counts = wide};
      const std::array<cl_mem, 2> buffers{in(), out.buffer()()};
      clwave::detail::carry_out(site, question, buffers, {}, true).wait();
      CHECK(bytes_of(out.read()) == bytes_of(taken(keys, sorted_places(keys, question.order))));
      CHECK(out.guards_intact());
      on.queue.enqueueFillBuffer(out.buffer(), std::uint32_t{0}, out.view().offset() * 4, n * 4);
    }
  }
}

TEST_CASE("what a sort refuses, before anything is enqueued") {
  const fixture& on = default_fixture();
  using testing::refuses;
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256));
  const view<float> x{a, 100}, y{b, 100};
  const auto& q = on.queue;
  refuses("overlap", [&] { clwave::sort(q, x, view<float>{a, 100, 50}); });
  refuses("overlap", [&] { clwave::sort(q, x, view<float>{a, 100, 1}); });
  refuses("which has 99", [&] { clwave::sort(q, x, view<float>{b, 99}); });
  refuses("100 keys and 90 values", [&] { clwave::sort_by_key(q, x, view<float>{b, 90}, x, y); });
  refuses("overlap", [&] { clwave::sort_by_key(q, x, y, y, x); });
  refuses("overlap", [&] { clwave::sort_by_key(q, x, y, view<float>{b, 100, 100}, x); });
  refuses("overlap", [&] { clwave::sort_by_key(q, x, x, x, x); });
  refuses("overlap", [&] {
    clwave::sort_by_key(q, x, y, view<float>{a, 100, 100}, view<float>{a, 100, 150});
  });
  refuses("which has 99", [&] { clwave::sort_by_key(q, x, y, x, view<float>{b, 99, 100}); });
  refuses("overlap", [&] { clwave::argsort(q, x, view<std::uint32_t>{a, 100}); });
  refuses("which has 10", [&] { clwave::argsort(q, x, view<std::uint32_t>{b, 10}); });
  refuses("bits from 9 to before 8", [&] { clwave::sort(q, x, y, {.first_bit = 9, .last_bit = 8}); });
  refuses("of a key of 32 bits", [&] { clwave::sort(q, x, y, {.last_bit = 33}); });
  refuses("vectors are no keys", [&] { clwave::sort(q, view<cl_float4>{a, 10}, view<cl_float4>{b, 10}); });
  refuses("structures are no keys", [&] { clwave::sort(q, view<person>{a, 10}, view<person>{b, 10}); });
  refuses("std::byte is no key", [&] { clwave::sort(q, view<std::byte>{a, 10}, view<std::byte>{b, 10}); });
  refuses("ends past its buffer", [&] { clwave::sort(q, view<float>{a, 300}, y); });
  refuses("the workspace has", [&] {
    const cl::Buffer c = on.buffer_of(std::vector<float>(70000)), d = on.buffer_of(std::vector<float>(70000));
    clwave::sort(q, view<float>{c, 70000}, view<float>{d, 70000}, {}, {.workspace = a});
  });
  const clwave::plan_target target{
      .facts = &on.facts, .choice = clwave::choose_profile(on.facts), .with_source = false};
  refuses("32 bits do not hold", [&] {
    plan(clwave::sort_question{.keys = clwave::element_of<float>(),
                               .values_out = clwave::element_of<std::uint32_t>(),
                               .n = (std::uint64_t{1} << 32) + 1},
         target);
  });
  refuses("more than", [&] {
    const clwave::element& key = clwave::element_of<float>();
    plan(clwave::sort_question{.keys = key, .keys_out = key, .n = std::uint64_t{1} << 48}, target);
  });
}

TEST_CASE("a sort with a workspace of the caller's, in queues of both kinds, behind an event") {
  const fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::size_t n = 50000 + random.below(20000);
  const std::vector<float> keys = any_keys<float>(random, n);
  const std::vector<unsigned char> right = bytes_of(taken(keys, sorted_places(keys, {})));
  const clwave::plan_target target{
      .facts = &on.facts, .choice = clwave::choose_profile(on.facts), .with_source = false};
  const clwave::element& key = clwave::element_of<float>();
  const std::uint64_t bytes =
      plan(clwave::sort_question{.keys = key, .keys_out = key, .n = n}, target).workspace_bytes;
  REQUIRE(bytes > n * 4);
  for (const cl_command_queue_properties kind :
       {cl_command_queue_properties{0},
        cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}}) {
    const cl::CommandQueue queue = on.new_queue(kind);
    const cl::Buffer in = on.buffer_of(std::vector<float>(n));
    const guarded_buffer<float> out(on, n);
    const guarded_buffer<std::uint32_t> room(on,
                                             (bytes + 3) / 4);  // a workspace begins at 512 bytes, at most
    testing::gate held(on);
    const cl::Event written = on.write_after(queue, in, keys.data(), n * 4, {held.event()});
    const clwave::event end = clwave::sort(queue, view<float>{in, n}, out.view(), {},
                                           {.after = {written}, .workspace = room.view()});
    held.open();
    end.wait();
    CHECK(bytes_of(out.read()) == right);
    CHECK(out.guards_intact());
    CHECK(room.guards_intact());
  }
  const clwave::event nothing =
      clwave::sort(on.queue, view<float>{cl::Buffer(), 0}, view<float>{cl::Buffer(), 0});
  nothing.wait();
  CHECK(nothing.done());
}
