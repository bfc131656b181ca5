// sort, sort_by_key and argsort by an operator against std::stable_sort: structures, vectors, complex and
// 128-bit numbers, values of many sizes, in place, around the bounds of tiles and passes, on rows of the
// table; what is refused.
#include <clwave/sort.hpp>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/given.hpp"
#include "harness/refusals.hpp"

namespace testing::merge_sort_test {
namespace {

struct wide_number {
  u64 low, high;
};

}  // namespace
}  // namespace testing::merge_sort_test

CLWAVE_STRUCTURE(testing::merge_sort_test::wide_number, "wide_number",
                 "typedef struct { ulong low, high; } wide_number;")

namespace testing::merge_sort_test {
namespace {

const doctest::test_suite lanes("lanes");

const clwave::op less_text{.name = "less", .source = "a < b", .identity = {}};

template <class T, class Less>
std::vector<u32> places_of(const std::vector<T>& keys, const Less& less) {
  std::vector<u32> places(keys.size());
  std::iota(places.begin(), places.end(), 0u);
  std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return less(keys[a], keys[b]); });
  return places;
}

// Keys alone, apart and in place; they begin some elements into their buffer.
template <class T, class Less>
void check_sort(const fixture& on, const std::vector<T>& keys, const Less& less, const clwave::op& text) {
  const std::size_t n = keys.size();
  CAPTURES(n, element_of<T>().name);
  const std::vector<unsigned char> right = bytes_of(taken(keys, places_of(keys, less)));
  check_apart_and_in_place(on, keys, right,
                           [&](auto in, auto out) { clwave::sort(on.queue, in, out, given(text)).wait(); });
}

// With values: apart, the values alone in place, and both.
template <class T, class V, class Less>
void check_pairs(const fixture& on, const std::vector<T>& keys, const std::vector<V>& values,
                 const Less& less, const clwave::op& text) {
  const std::size_t n = keys.size();
  CAPTURES(n, sizeof(V));
  const std::vector<u32> places = places_of(keys, less);
  const auto right = bytes_of(taken(keys, places)), right_values = bytes_of(taken(values, places));
  const cl::Buffer in = on.buffer_of(keys), values_in = on.buffer_of(values);
  const guarded_buffer<T> out(on, n);
  const guarded_buffer<V> values_out(on, n);
  const view<T> k{in, n};
  const view<V> x{values_in, n};
  clwave::sort_by_key(on.queue, k, x, out.view(), values_out.view(), given(text)).wait();
  CHECK(bytes_of(out.read_guarded()) == right);
  CHECK(bytes_of(values_out.read_guarded()) == right_values);
  const cl::Buffer both_keys = on.buffer_of(keys), both_values = on.buffer_of(values);
  const view<T> l{both_keys, n};
  const view<V> y{both_values, n};
  clwave::sort_by_key(on.queue, k, x, out.view(), x, given(text)).wait();
  CHECK(bytes_of(on.read<V>(values_in, n)) == right_values);
  clwave::sort_by_key(on.queue, l, y, l, y, given(text)).wait();
  CHECK(bytes_of(on.read<T>(both_keys, n)) == right);
  CHECK(bytes_of(on.read<V>(both_values, n)) == right_values);
}

template <class Index, class T, class Less>
void check_indices(const fixture& on, const std::vector<T>& keys, const Less& less, const clwave::op& text) {
  const std::size_t n = keys.size();
  CAPTURE(n);
  const std::vector<u32> places = places_of(keys, less);
  const cl::Buffer in = on.buffer_of(keys);
  const guarded_buffer<Index> indices(on, n);
  clwave::argsort(on.queue, view<const T>{in, n}, indices.view(), given(text)).wait();
  CHECK(indices.read_guarded() == std::vector<Index>(places.begin(), places.end()));
  CHECK(bytes_of(on.read<T>(in, n)) == bytes_of(keys));
}

// In no order.
template <class T>
std::vector<T> any_ones(random_engine& random, std::size_t n, std::size_t keys) {
  std::vector<T> all = keyed_ones<T>(random, n, keys);
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

// What the first launch sorts at a time: the length of the first runs.
template <class T>
std::size_t tile_of(const fixture& on, const clwave::op& text) {
  const clwave::plan_target target = on.target();
  const element& key = element_of<T>();
  constexpr u64 many = 1 << 24;
  return many / plan(clwave::sort_problem{.keys = {key, many}, .keys_out = key, .less = &text}, target)
                    .kernels[0]
                    .groups;
}

}  // namespace

TEST_CASE_FIXTURE(on_device,
                  "structures, vectors, complex and wide numbers, halves and values of an operator") {
  sample some(3);
  const std::size_t n = 20000 + random.below(9000);
  if (some.takes_next()) check_sort(on, any_ones<person>(random, n, n / 3), by_key, by_key_text);
  if (some.takes_next()) check_sort(on, any_ones<parcel>(random, 3000, 1000), by_key, by_key_text);
  if (some.takes_next()) check_sort(on, any_ones<largest_key>(random, 2000, 100), by_key, by_key_text);
  std::vector<wide_number> wide(9000);
  for (wide_number& each : wide) each = {random(), random.below(3000)};
  if (some.takes_next())
    check_sort(
        on, wide,
        [](const wide_number& a, const wide_number& b) {
          return a.high != b.high ? a.high < b.high : a.low < b.low;
        },
        {.name = "wide", .source = "a.high < b.high || (a.high == b.high && a.low < b.low)", .identity = {}});
  std::vector<std::complex<float>> numbers(3000);
  for (auto& each : numbers)
    each = {static_cast<float>(random.below(99)), static_cast<float>(random.below(99))};
  if (some.takes_next())
    check_sort(on, numbers, [](auto a, auto b) { return std::norm(a) < std::norm(b); },
               {.name = "by norm", .source = "dot(a, a) < dot(b, b)", .identity = {}});
  std::vector<half> halves(3000);
  for (half& each : halves) each = half(static_cast<float>(random.below(64)) / 16);
  if (some.takes_next())
    check_sort(on, halves,
               [](half a, half b) {
                 return std::fabs(static_cast<float>(a) - 2) < std::fabs(static_cast<float>(b) - 2);
               },
               {.name = "nearer",
                .source = "fabs(a - at) < fabs(b - at)",
                .identity = {},
                .values = {{"at", 2.0f}}});
}

TEST_CASE_TEMPLATE("values of many sizes", V, std::uint8_t, double, person, cl_uint4, largest_key) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  const auto less = std::less<>();
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 300, 17000 + random.below(9000)})
    check_pairs(on, shaped_keys(random, n, 6), values_of<V>(random, n), less, less_text);
}

TEST_CASE_FIXTURE(on_device, "indices by an operator") {
  const bool narrow = random.below(2) == 0;
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 500, 70000 + random.below(9000)}) {
    if (!quick() || narrow)
      check_indices<u32>(on, any_ones<person>(random, n, n / 2 + 1), by_key, by_key_text);
    if (!quick() || !narrow) check_indices<u64>(on, shaped_keys(random, n, 6), std::less<>(), less_text);
  }
}

TEST_CASE_FIXTURE(on_device,
                  "sorts by an operator around the bounds of tiles and passes, on every row" * lanes) {
  const auto less = std::less<>();
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t tile = tile_of<u32>(on, less_text);
    CHECK(tile >= 256);
    for (const std::size_t n : std::vector<std::size_t>{0, 1, 2, 17, 33, tile - 1, tile, tile + 1, 2 * tile,
                                                        2 * tile + 1, 3 * tile + 5, 5 * tile - 1})
      check_sort(on, shaped_keys(random, n, 7), less, less_text);
    for (unsigned shape = 0; shape < shapes; ++shape)
      check_sort(on, shaped_keys(random, tile + 1 + random.below(tile), shape), less, less_text);
    for (const std::size_t n : {std::size_t{77}, tile + 1000})
      check_pairs(on, shaped_keys(random, n, 6), values_of<person>(random, n), less, less_text);
    check_indices<u32>(on, any_ones<person>(random, 3 * tile, tile), by_key, by_key_text);
  }
}

// An operator that is no order: the keys in some order, and nothing else is touched.
TEST_CASE_FIXTURE(on_device, "an operator that contradicts itself does no harm") {
  for (const std::string source : some_of({"1", "(a ^ b) & 1", "a != b"})) {
    const std::size_t n = 9000 + random.below(50000);
    const std::vector<u32> keys = shaped_keys(random, n, 7);
    const cl::Buffer in = on.buffer_of(keys);
    const guarded_buffer<u32> out(on, n);
    clwave::sort(on.queue, view<u32>{in, n}, out.view(),
                 {.less = clwave::op{.name = "no order", .source = source}})
        .wait();
    CHECK(out.guards_intact());
    std::vector<u32> all = keys, results = out.read();
    std::sort(all.begin(), all.end());
    CHECK(std::all_of(results.begin(), results.end(),
                      [&](u32 each) { return std::binary_search(all.begin(), all.end(), each); }));
  }
}

TEST_CASE_FIXTURE(on_device, "what sorts by an operator refuse, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256));
  const view<float> x{a, 100}, y{b, 100};
  const auto& q = on.queue;
  refuses("overlap", [&] { clwave::sort(q, x, view<float>{a, 100, 50}, {.less = less_text}); });
  refuses("which has 99", [&] { clwave::sort(q, x, view<float>{b, 99}, {.less = less_text}); });
  refuses("100 keys and 90 values",
          [&] { clwave::sort_by_key(q, x, view<float>(b, 90), x, y, {.less = less_text}); });
  refuses("overlap", [&] { clwave::sort_by_key(q, x, y, y, x, {.less = less_text}); });
  refuses("overlap", [&] { clwave::argsort(q, x, view<u32>{a, 100}, {.less = less_text}); });
  refuses("with a name and a source", [&] { clwave::sort(q, x, y, {.less = clwave::min}); });
  refuses("with a name and a source",
          [&] { clwave::sort(q, x, y, {.less = clwave::op{.name = "less", .source = {}}}); });
  refuses("ends past its buffer", [&] { clwave::sort(q, view<float>{a, 300}, y, {.less = less_text}); });
  const clwave::plan_target target = on.target();
  const element& f32 = element_of<float>();
  refuses("32 bits do not hold", [&] {
    plan(
        clwave::sort_problem{
            .keys = {f32, (u64{1} << 32) + 1}, .values_out = element_of<u32>(), .less = &less_text},
        target);
  });
}

TEST_CASE_FIXTURE(on_device, "a sort by an operator with a workspace of the caller's, behind an event") {
  const std::size_t n = 50000 + random.below(20000);
  const auto keys = shaped_keys(random, n, 7);
  const auto right = bytes_of(taken(keys, places_of(keys, std::less<>())));
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    const cl::Buffer in = on.buffer_of(std::vector<u32>(n));
    const guarded_buffer<u32> out(on, n), room(on, 2 * n);
    gate held(on);
    const cl::Event written = on.write_after(queue, in, keys.data(), n * 4, {held.event()});
    const clwave::event end = clwave::sort(queue, view<u32>{in, n}, out.view(),
                                           {.less = less_text, .after = {written}, .workspace = room.view()});
    held.open();
    end.wait();
    CHECK(bytes_of(out.read_guarded()) == right);
    CHECK(room.guards_intact());
  }
}

}  // namespace testing::merge_sort_test
