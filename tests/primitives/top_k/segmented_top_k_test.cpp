// segmented_top_k against a sort of the host's: segments of all lengths and many k, all types of numbers,
// rows of the table; what is not written; bad offsets; and as a call.
#include <clwave/top_k.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>

#include "families/segments.hpp"
#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "families/sorts.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"

namespace testing::segmented_top_k_test {
namespace {

const doctest::test_suite lanes("lanes");

// What the outputs of a call become, of which the rest stays as it was.
template <class T, class Index>
struct best_ones {
  std::vector<T> values;
  std::vector<Index> indices;
};

// As the device finds segments: nothing is written where any falls, nor of one that ends past the keys.
template <class T, class Offset, class Index>
void take_best(best_ones<T, Index>& all, const std::vector<T>& keys, const std::vector<Offset>& offsets,
               std::size_t k, bool descending) {
  if (!std::is_sorted(offsets.begin(), offsets.end())) return;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    if (offsets[s + 1] > keys.size()) continue;
    std::vector<std::size_t> places(static_cast<std::size_t>(offsets[s + 1] - offsets[s]));
    std::iota(places.begin(), places.end(), static_cast<std::size_t>(offsets[s]));
    const auto number = [&](std::size_t i) { return ordered<T>(keys[i], descending); };
    std::ranges::stable_sort(places, std::less<>(), number);
    for (std::size_t i = 0; i < std::min(k, places.size()); ++i) {
      all.values[s * k + i] = keys[places[i]];
      all.indices[s * k + i] = static_cast<Index>(places[i]);
    }
  }
}

template <class Index = std::uint32_t, class T, class Offset>
void check_best(const fixture& on, const std::vector<T>& keys, const std::vector<Offset>& offsets,
                std::size_t k, bool descending = true, std::size_t before = 0,
                std::optional<u64> bad_ones = {}) {
  CAPTURES(element_of<T>().name, keys.size(), offsets.size(), k, descending, before);
  std::vector<T> shifted(before);
  shifted.insert(shifted.end(), keys.begin(), keys.end());
  const std::size_t results = (offsets.size() - 1) * k;
  const cl::Buffer in = on.buffer_of(shifted), at = on.buffer_of(offsets);
  // Longer than the results are.
  const guarded_buffer<T> values(on, results + 3);
  const guarded_buffer<Index> indices(on, results + 3);
  best_ones<T, Index> right{values.read(), indices.read()};
  take_best(right, keys, offsets, k, descending);
  const view<const T> x{in, keys.size(), before};
  const view<const Offset> o{at, offsets.size()};
  const clwave::top_k_options order{.descending = descending};
  if (bad_ones) {
    const guarded_buffer<u64> bad(on, 1);
    clwave::segmented_top_k(on.queue, x, o, values.view(), indices.view(), k, bad.view(), order).wait();
    CHECK(bad.first() == *bad_ones);
  } else {
    clwave::segmented_top_k(on.queue, x, o, values.view(), indices.view(), k, order).wait();
  }
  CHECK(indices.read_guarded() == right.indices);
  CHECK(bytes_of(values.read_guarded()) == bytes_of(right.values));
  CHECK(bytes_of(on.read<T>(in, shifted.size())) == bytes_of(shifted));
}

std::size_t sum_of(const std::vector<std::size_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
}

clwave::plan_target target_of(const fixture& on) { return on.target(); }

clwave::segmented_top_k_problem problem_of(const element& key, std::size_t n, u64 segments, u64 k) {
  const element& u32 = element_of<std::uint32_t>();
  return {.in = {key, n}, .offsets = any_view(u32, segments + 1), .values = key, .indices = u32, .k = k};
}

// What one group sorts at a time.
std::size_t tile_of(const fixture& on) {
  const auto words = plan(problem_of(element_of<std::uint32_t>(), 9, 1, 1), target_of(on)).words;
  return std::stoull(
      std::ranges::find(words, "SEGMENT_TILE", [](const auto& word) { return word.first; })->second);
}

}  // namespace

TEST_CASE_TEMPLATE("the best elements of segments of every type", T, std::int8_t, std::uint8_t, std::int16_t,
                   u16, std::int32_t, std::uint32_t, std::int64_t, u64, half, bfloat16, float, double) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  const auto lengths = random_lengths(random, 200, 6000);
  const std::vector<T> keys = any_keys<T>(random, sum_of(lengths) + 20);
  for (const bool descending : some_of({false, true})) {
    check_best(on, keys, offsets_of<std::uint32_t>(lengths, 7), 1 + random.below(30), descending, 3);
    check_best<u64>(on, keys, offsets_of<u64>(lengths, 7), 1, descending);
  }
}

TEST_CASE_FIXTURE(on_device, "truth values of segments keep their bytes") {
  const std::vector<std::uint8_t> bytes{0, 3, 0, 1, 255, 0};
  const cl::Buffer in = on.buffer_of(bytes), at = on.buffer_of(std::vector<std::uint32_t>{0, 2, 6});
  const guarded_buffer<std::uint8_t> values(on, 6);
  const guarded_buffer<std::uint32_t> indices(on, 6);
  std::vector<std::uint8_t> right = values.read();
  std::vector<std::uint32_t> places = indices.read();
  const std::uint8_t first[] = {3, 0}, second[] = {1, 255, 0};
  const std::uint32_t first_at[] = {1, 0}, second_at[] = {3, 4, 2};
  std::ranges::copy(first, right.begin());
  std::ranges::copy(second, right.begin() + 3);
  std::ranges::copy(first_at, places.begin());
  std::ranges::copy(second_at, places.begin() + 3);
  clwave::segmented_top_k(on.queue, view<bool>{in, 6}, view<std::uint32_t>{at, 3},
                          view<bool>{values.buffer(), 6, guarded_buffer<std::uint8_t>::guard}, indices.view(),
                          3)
      .wait();
  CHECK(values.read() == right);
  CHECK(indices.read() == places);
}

// Uniform lengths; lengths around tiles, of which k takes little, one tile and several; one huge segment
// among short ones; empty ones by the thousand; and all kinds side by side.
TEST_CASE_FIXTURE(on_device, "the best of segments of all lengths, on every row" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t tile = tile_of(on);
    const auto check = [&](const std::vector<std::size_t>& lengths, std::size_t k) {
      const auto shape = static_cast<unsigned>(random.below(shapes));
      check_best(on, shaped_keys(random, sum_of(lengths) + 5, shape),
                 offsets_of<std::uint32_t>(lengths, random.below(6)), k, random.below(2) == 0,
                 random.below(4));
    };
    for (const std::size_t length : {1, 2, 3, 15, 16, 17, 60, 64, 65, 200}) {
      const std::size_t some = 1 + random.below(length);
      for (const std::size_t k : {std::size_t{1}, some, length + 2})
        check(std::vector<std::size_t>(6000 / length, length), k);
    }
    for (const std::size_t length : {tile - 1, tile, tile + 1, 2 * tile, 2 * tile + 1, 5 * tile + 77}) {
      for (const std::size_t k : some_of({std::size_t{1}, 1 + random.below(100), tile - 1, tile, tile + 3,
                                          2 * tile + 5, length - 1, length, length + 9})) {
        check({length}, k);
        check({3, length, 0, 5, length, 1}, k);
      }
    }
    // More than one group merges at a time.
    check({9, 5 * tile + 77, 0, 2 * tile}, 2 * tile + 5);
    std::vector<std::size_t> many(3000, 0);
    many[1000] = 9;
    many[2999] = 2 * tile + 3;
    check(many, 11);
    check(random_lengths(random, 300, 3 * tile), 1 + random.below(2 * tile));
    check(random_lengths(random, 300, 9 * tile), 1 + random.below(20));
    check(random_lengths(random, 200, 40), 1 + random.below(20));
  }
}

// Of equal elements the first ones are best, NaNs count as equal and as the largest, and all keep their bits.
TEST_CASE_FIXTURE(on_device, "ties, zeros and NaNs of many kinds in segments") {
  for (const std::string name : forced_rows({"sm_90", "cpu"})) {
    constexpr std::uint32_t one = 0x3f800000, less = 0xff800000, zero = 0, below = 0x80000000;
    const std::vector<std::uint32_t> keys{0x7fc00005, one,  0xffc00009, 0x7fc00002, less, 0xffc00001,
                                          one,        zero, below,      zero,       one};
    const std::vector<std::uint32_t> offsets{0, 6, 11};
    const auto check = [&](bool descending, const std::vector<std::uint32_t>& places) {
      const cl::Buffer in = on.buffer_of(keys), at = on.buffer_of(offsets);
      const guarded_buffer<float> values(on, 8);
      const guarded_buffer<std::uint32_t> indices(on, 8);
      clwave::segmented_top_k(on.queue, view<const float>{in, keys.size()}, view<const std::uint32_t>{at, 3},
                              values.view(), indices.view(), 4, {.descending = descending})
          .wait();
      CHECK(indices.read() == places);
      CHECK(bytes_of(values.read()) == bytes_of(taken(keys, places)));
    };
    check(true, {0, 2, 3, 5, 6, 10, 7, 9});
    check(false, {4, 1, 0, 2, 8, 7, 9, 6});
  }
}

// Segments that end past the input are left, the others have their results; where any falls, nothing is
// written.
TEST_CASE_FIXTURE(on_device, "bad segments of segmented_top_k are found and counted") {
  for (const std::string name : forced_rows(some_of({"cpu", "sm_90"}))) {
    const auto keys = shaped_keys(random, 20000, 7);
    const auto check = [&](const std::vector<std::uint32_t>& offsets, u64 bad_ones, std::size_t k) {
      check_best(on, keys, offsets, k, true, 0, bad_ones);
      if (k > 0) check_best(on, keys, offsets, k, false);
      const std::size_t results = (offsets.size() - 1) * k;
      const cl::Buffer in = on.buffer_of(keys), at = on.buffer_of(offsets);
      const guarded_buffer<std::uint32_t> values(on, results), indices(on, results);
      const auto checked = [&] {
        clwave::checked_segmented_top_k(on.queue, view<std::uint32_t>{in, keys.size()},
                                        view<std::uint32_t>{at, offsets.size()}, values.view(),
                                        indices.view(), k);
      };
      const std::string says =
          std::to_string(bad_ones) + " of " + std::to_string(offsets.size() - 1) + " segments are bad";
      if (bad_ones > 0)
        refuses(says.c_str(), checked);
      else
        checked();
    };
    check({0, 100, 9000, 20000}, 0, 40);
    check({5, 100, 9000, 20001}, 1, 40);
    check({5, 100, 19000, 20001, 20001, 30000}, 3, 7);
    check({0, 100, 50, 20000}, 1, 5);
    check({0, 19000, 18000, 20000, 0xffffffff, 7}, 3, 5);
    check({5, 100, 9000, 20001}, 1, 0);
    // The call behind a bad one finds its counters as they should be.
    check({0, 100, 9000, 20000}, 0, 40);
  }
}

// -------------------------------------------------------------------------------------------- as a call

TEST_CASE_FIXTURE(on_device,
                  "what segmented_top_k refuses, before anything is enqueued; and calls of nothing") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256)),
                   c = on.buffer_of(std::vector<std::uint32_t>(256));
  const view<float> x{a, 100}, values{b, 40};
  const view<std::uint32_t> offsets{c, 5}, indices{c, 40, 64};
  const auto& q = on.queue;
  refuses("which has 40",
          [&] { clwave::segmented_top_k(q, x, offsets, values, view<std::uint32_t>(c, 60, 64), 11); });
  refuses("which has 40", [&] { clwave::segmented_top_k(q, x, offsets, view<float>{b, 60}, indices, 11); });
  refuses("overlap", [&] { clwave::segmented_top_k(q, x, offsets, view<float>{a, 40, 99}, indices, 10); });
  refuses("overlap",
          [&] { clwave::segmented_top_k(q, x, offsets, values, view<std::uint32_t>(b, 40, 39), 10); });
  refuses("overlap",
          [&] { clwave::segmented_top_k(q, x, offsets, values, view<std::uint32_t>(c, 40, 4), 10); });
  refuses("no offsets",
          [&] { clwave::segmented_top_k(q, x, view<std::uint32_t>(c, 0), values, indices, 10); });
  refuses("no element",
          [&] { clwave::segmented_top_k(q, x, offsets, values, indices, 10, view<u64>(c, 0)); });
  refuses("ends past its buffer",
          [&] { clwave::segmented_top_k(q, view<float>(a, 257), offsets, values, indices, 10); });
  refuses("have no order", [&] {
    clwave::segmented_top_k(q, view<cl_float4>(a, 10), offsets, view<cl_float4>(b, 40), indices, 1);
  });
  refuses("have no order", [&] {
    clwave::segmented_top_k(q, view<std::byte>(a, 10), offsets, view<std::byte>(b, 40), indices, 1);
  });
  const element& f32 = element_of<float>();
  refuses("32 bits do not hold", [&] { plan(problem_of(f32, (u64{1} << 32) + 1, 1, 1), target_of(on)); });
  refuses("more than", [&] { plan(problem_of(f32, 9, (u64{1} << 31) + 1, 1), target_of(on)); });
  refuses("the output of the values",
          [&] { plan(problem_of(f32, 9, 1 << 30, u64{1} << 40), target_of(on)); });
  const clwave::event nothing = clwave::segmented_top_k(q, x, offsets, values, indices, 0);
  nothing.wait();
  CHECK(nothing.done());
  const guarded_buffer<u64> bad(on, 1);
  clwave::segmented_top_k(q, x, view<std::uint32_t>{c, 1}, values, indices, 10, bad.view()).wait();
  CHECK(bad.first() == 0);
  // Segments, all of them empty, of no elements.
  clwave::checked_segmented_top_k(q, view<float>{cl::Buffer(), 0}, view<std::uint32_t>{c, 4}, values, indices,
                                  10);
}

TEST_CASE_FIXTURE(
    on_device, "segmented_top_k with a workspace of the caller's, in queues of both kinds, behind an event") {
  const std::size_t n = 50000, k = 700;
  const auto keys = shaped_keys(random, n, 7);
  // A CPU's core sorts fewer in one tile, too.
  const std::vector<std::uint32_t> offsets{0, 100, 49000, 50000};
  const u64 bytes =
      plan(problem_of(element_of<std::uint32_t>(), n, offsets.size() - 1, k), target_of(on)).workspace_bytes;
  REQUIRE(bytes > 16 * n);
  CHECK(bytes < 16 * n + 1024);
  const cl::Buffer at = on.buffer_of(offsets);
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    const cl::Buffer in = on.buffer_of(std::vector<std::uint32_t>(n));
    const guarded_buffer<std::uint32_t> values(on, 3 * k), indices(on, 3 * k), room(on, (bytes + 3) / 4);
    best_ones<std::uint32_t, std::uint32_t> right{values.read(), indices.read()};
    take_best(right, keys, offsets, k, true);
    gate held(on);
    const cl::Event written = on.write_after(queue, in, keys.data(), n * 4, {held.event()});
    const clwave::event end = clwave::segmented_top_k(
        queue, view<std::uint32_t>{in, n}, view<std::uint32_t>{at, offsets.size()}, values.view(),
        indices.view(), k, {.after = {written}, .workspace = room.view()});
    held.open();
    end.wait();
    CHECK(indices.read_guarded() == right.indices);
    CHECK(values.read_guarded() == right.values);
    CHECK(room.guards_intact());
  }
}

}  // namespace testing::segmented_top_k_test
