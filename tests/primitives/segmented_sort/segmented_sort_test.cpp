// segmented_sort against std::stable_sort of each segment: segments of all lengths, all types of numbers,
// structures, values of many sizes, in place, on rows of the table; bad offsets; what is refused.
#include <clwave/segmented_sort.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "families/segments.hpp"
#include "families/selections.hpp"
#include "families/sorted_ranges.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/given.hpp"
#include "harness/refusals.hpp"

namespace testing::segmented_sort_test {
namespace {

const doctest::test_suite lanes("lanes");

// Apart, into a copy of the keys, of which what no segment has stays; and in place.
template <class T, class Offset, class Less, class How>
void check_segments(const fixture& on, const std::vector<T>& keys, const std::vector<Offset>& offsets,
                    const Less& less, const How& how) {
  const std::size_t n = keys.size();
  CAPTURES(n, offsets.size(), element_of<T>().name);
  const std::vector<unsigned char> right = bytes_of(taken_from(keys, places_of(keys, offsets, less)));
  std::vector<T> shifted(3);
  shifted.insert(shifted.end(), keys.begin(), keys.end());
  const cl::Buffer in = on.buffer_of(shifted), at = on.buffer_of(offsets);
  const guarded_buffer<T> out(on, n), in_place(on, n);
  const view<const Offset> o{at, offsets.size()};
  for (const auto& room : {&out, &in_place})
    on.queue.enqueueCopyBuffer(in, room->buffer(), 3 * sizeof(T), guarded_buffer<T>::guard * sizeof(T),
                               n * sizeof(T));
  clwave::segmented_sort(on.queue, view<const T>{in, n, 3}, o, out.view(), given(how)).wait();
  CHECK(bytes_of(out.read_guarded()) == right);
  CHECK(bytes_of(on.read<T>(in, n + 3)) == bytes_of(shifted));
  clwave::segmented_sort(on.queue, in_place.view(), o, in_place.view(), given(how)).wait();
  CHECK(bytes_of(in_place.read_guarded()) == right);
}

template <class T, class Offset = std::uint32_t>
void check_numbers(const fixture& on, const std::vector<T>& keys, const std::vector<std::size_t>& lengths,
                   const sort_order& order = {}, std::size_t before = 0) {
  check_segments(on, keys, offsets_of<Offset>(lengths, before), by_order<T>(order), order);
}

std::size_t sum_of(const std::vector<std::size_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
}

// What one group sorts at a time.
std::size_t tile_of(const fixture& on) {
  const clwave::plan_target target = on.target();
  const element& u32 = element_of<std::uint32_t>();
  const auto words =
      plan(clwave::sort_problem{.keys = {u32, 9}, .keys_out = u32, .offsets = any_view(u32, 2)}, target)
          .words;
  return std::stoull(std::find_if(words.begin(), words.end(), [](const auto& word) {
                       return word.first == "SEGMENT_TILE";
                     })->second);
}

template <class V>
void check_pairs(const fixture& on, random_engine& random, const std::vector<std::size_t>& lengths) {
  const std::size_t n = sum_of(lengths);
  CAPTURES(n, sizeof(V));
  const auto keys = shaped_keys(random, n, 6);
  const auto values = values_of<V>(random, n);
  const auto offsets = offsets_of<u64>(lengths);
  const auto places = places_of(keys, offsets, std::less<>());
  const auto right = bytes_of(taken_from(keys, places)), right_values = bytes_of(taken_from(values, places));
  const cl::Buffer in = on.buffer_of(keys), values_in = on.buffer_of(values), at = on.buffer_of(offsets);
  const guarded_buffer<std::uint32_t> out(on, n);
  const guarded_buffer<V> values_out(on, n);
  const view<std::uint32_t> k{in, n};
  const view<V> x{values_in, n};
  const view<u64> o{at, offsets.size()};
  clwave::segmented_sort_by_key(on.queue, k, x, o, out.view(), values_out.view()).wait();
  CHECK(bytes_of(out.read_guarded()) == right);
  CHECK(bytes_of(values_out.read_guarded()) == right_values);
  clwave::segmented_sort_by_key(on.queue, k, x, o, k, x).wait();
  CHECK(bytes_of(on.read<std::uint32_t>(in, n)) == right);
  CHECK(bytes_of(on.read<V>(values_in, n)) == right_values);
}

}  // namespace

TEST_CASE_TEMPLATE("segments of keys of every type", T, std::int8_t, u16, std::uint32_t, std::int64_t, half,
                   bfloat16, float, double) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  const auto lengths = random_lengths(random, 300, 9000);
  const sort_order order{.descending = random.below(2) == 0, .first_bit = random.below(2) == 0 ? 0u : 3u};
  check_numbers(on, any_keys<T>(random, sum_of(lengths) + 20), lengths, order, 7);
}

// Uniform lengths around powers of two, tiles and less; one huge segment among short ones; empty ones by the
// thousand; and all kinds side by side.
TEST_CASE_FIXTURE(on_device, "segments of all lengths, on every row" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t tile = tile_of(on);
    CHECK(tile >= 256);
    const auto check = [&](const std::vector<std::size_t>& lengths) {
      check_numbers(on, shaped_keys(random, sum_of(lengths) + 5, static_cast<unsigned>(random.below(shapes))),
                    lengths, {}, random.below(6));
    };
    check_lengths_around(tile, 10000, check);
    check(random_lengths(random, 500, 3 * tile));
    check(random_lengths(random, 200, 40));
    check_pairs<person>(on, random, random_lengths(random, 100, 2 * tile));
  }
}

TEST_CASE_TEMPLATE("segments with values of many sizes", V, std::uint8_t, double, person, largest_value) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  check_pairs<V>(on, random, random_lengths(random, 200, 5000));
  check_pairs<V>(on, random, {5});
}

// NaNs are last, and all of one place: whatever their bits and signs are, they keep their order.
TEST_CASE_FIXTURE(on_device, "NaNs of many kinds keep their order in a segment") {
  for (const std::string name : forced_rows({"sm_90", "cpu"})) {
    constexpr std::uint32_t one = 0x3f800000, less = 0xff800000;  // 1 and negative infinity
    const std::vector<std::uint32_t> keys{0x7fc00005, one, 0xffc00009, 0x7fc00002, less, 0xffc00001};
    const std::vector<std::uint32_t> sorted{less, one, 0x7fc00005, 0xffc00009, 0x7fc00002, 0xffc00001};
    const std::size_t n = keys.size();
    const std::vector<std::uint32_t> ends{0, static_cast<std::uint32_t>(n)};
    const cl::Buffer in = on.buffer_of(keys), at = on.buffer_of(ends);
    const guarded_buffer<float> out(on, n);
    clwave::segmented_sort(on.queue, view<const float>{in, n}, view<const std::uint32_t>{at, 2}, out.view())
        .wait();
    CHECK(bytes_of(out.read()) == bytes_of(sorted));
  }
}

TEST_CASE_FIXTURE(on_device, "segments of structures by an operator, and offsets of 64 bits") {
  const auto lengths = random_lengths(random, 200, 3000);
  std::vector<person> people = keyed_ones<person>(random, sum_of(lengths), 300);
  std::shuffle(people.begin(), people.end(), random);
  sample some(2);
  if (some.takes_next()) check_segments(on, people, offsets_of<u64>(lengths), by_key, by_key_text);
  std::vector<parcel> parcels = keyed_ones<parcel>(random, 2000, 300);
  std::shuffle(parcels.begin(), parcels.end(), random);
  if (some.takes_next())
    check_segments(on, parcels, std::vector<std::uint32_t>{0, 100, 100, 1900}, by_key, by_key_text);
}

// Segments that end past the input are left, the others sorted; where any falls, nothing is written.
TEST_CASE_FIXTURE(on_device, "bad segments are found and counted") {
  for (const std::string name : forced_rows(some_of({"cpu", "sm_90"}))) {
    const std::size_t n = 20000;
    const auto keys = shaped_keys(random, n, 7);
    const cl::Buffer in = on.buffer_of(keys);
    const auto run = [&](const std::vector<std::uint32_t>& offsets, u64 bad_ones, bool falls) {
      const guarded_buffer<std::uint32_t> out(on, n);
      const guarded_buffer<u64> bad(on, 1);
      const cl::Buffer at = on.buffer_of(offsets);
      const view<std::uint32_t> o{at, offsets.size()}, x{in, n};
      on.queue.enqueueCopyBuffer(in, out.buffer(), 0, guarded_buffer<std::uint32_t>::guard * 4, n * 4);
      clwave::segmented_sort(on.queue, x, o, out.view(), bad.view()).wait();
      CHECK(bad.first() == bad_ones);
      CHECK(out.guards_intact());
      if (falls)
        CHECK(out.read() == keys);
      else
        CHECK(out.read() == taken_from(keys, places_of(keys, offsets, std::less<>())));
      const std::string says =
          std::to_string(bad_ones) + " of " + std::to_string(offsets.size() - 1) + " segments";
      if (bad_ones > 0)
        refuses(says.c_str(), [&] { clwave::checked_segmented_sort(on.queue, x, o, out.view()); });
      else
        clwave::checked_segmented_sort(on.queue, x, o, out.view());
    };
    run({0, 100, 9000, 20000}, 0, false);
    run({5, 100, 9000, 20001}, 1, false);
    run({5, 100, 19000, 20001, 20001, 30000}, 3, false);
    run({0, 100, 50, 20000}, 1, true);
    run({0, 19000, 18000, 20000, 0xffffffff, 7}, 3, true);
    // The call behind a bad one finds its counters as they should be.
    run({0, 100, 9000, 20000}, 0, false);
  }
}

TEST_CASE_FIXTURE(on_device,
                  "what sorts of segments refuse, before anything is enqueued; and calls of nothing") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256)),
                   c = on.buffer_of(std::vector<std::uint32_t>(20));
  const view<float> x{a, 100}, y{b, 100};
  const view<std::uint32_t> offsets{c, 5};
  const auto& q = on.queue;
  refuses("overlap", [&] { clwave::segmented_sort(q, x, offsets, view<float>{a, 100, 50}); });
  refuses("overlap", [&] {
    clwave::segmented_sort(q, view<std::uint32_t>(c, 10, 6), offsets, view<std::uint32_t>(c, 10, 3));
  });
  refuses("which has 99", [&] { clwave::segmented_sort(q, x, offsets, view<float>{b, 99}); });
  refuses("no offsets", [&] { clwave::segmented_sort(q, x, view<std::uint32_t>{c, 0}, y); });
  refuses("no element", [&] { clwave::segmented_sort(q, x, offsets, y, view<u64>{c, 0}); });
  refuses("100 keys and 90 values",
          [&] { clwave::segmented_sort_by_key(q, x, view<float>(b, 90), offsets, x, y); });
  refuses("overlap", [&] { clwave::segmented_sort_by_key(q, x, y, offsets, y, x); });
  refuses("of a key of 32 bits", [&] { clwave::segmented_sort(q, x, offsets, y, {.last_bit = 33}); });
  refuses("structures are no keys",
          [&] { clwave::segmented_sort(q, view<person>(a, 9), offsets, view<person>(b, 9)); });
  refuses("with a name and a source",
          [&] { clwave::segmented_sort(q, x, offsets, y, {.less = clwave::min}); });
  const clwave::plan_target target = on.target();
  const element &f32 = element_of<float>(), &u32 = element_of<std::uint32_t>();
  refuses("more than", [&] {
    plan(
        clwave::sort_problem{
            .keys = {f32, 9}, .keys_out = f32, .offsets = any_view(u32, (u64{1} << 31) + 1 + 1)},
        target);
  });
  const guarded_buffer<u64> bad(on, 1);
  const view<std::uint32_t> words{a, 100}, words_out{b, 100};
  clwave::segmented_sort(q, words, view<std::uint32_t>{c, 1}, words_out, bad.view()).wait();
  CHECK(bad.first() == 0);
  // Segments, all of them empty, of no keys.
  const view<std::uint32_t> none{cl::Buffer(), 0};
  const cl::Buffer zeros = on.buffer_of(std::vector<std::uint32_t>(4));
  clwave::checked_segmented_sort(q, none, view<std::uint32_t>{zeros, 4}, none);
}

TEST_CASE_FIXTURE(on_device, "a sort of segments with a workspace of the caller's, behind an event") {
  const std::size_t n = 50000;
  const auto keys = shaped_keys(random, n, 7);
  const std::vector<std::uint32_t> offsets{0, 100, 30000, 50000};
  const auto right = bytes_of(taken_from(keys, places_of(keys, offsets, std::less<>())));
  const cl::Buffer at = on.buffer_of(offsets);
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    const cl::Buffer in = on.buffer_of(std::vector<std::uint32_t>(n));
    const guarded_buffer<std::uint32_t> out(on, n), room(on, 2 * n);
    gate held(on);
    const cl::Event written = on.write_after(queue, in, keys.data(), n * 4, {held.event()});
    const clwave::event end =
        clwave::segmented_sort(queue, view<std::uint32_t>{in, n}, view<std::uint32_t>{at, 4}, out.view(),
                               {.after = {written}, .workspace = room.view()});
    held.open();
    end.wait();
    CHECK(bytes_of(out.read_guarded()) == right);
    CHECK(room.guards_intact());
  }
}

}  // namespace testing::segmented_sort_test
