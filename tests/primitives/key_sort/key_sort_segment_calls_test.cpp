// Sorts of segments by keys as calls: bad offsets, indices of 64 bits, what is refused, workspaces of the
// caller's.
#include <clwave/sort.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>

#include "families/segments.hpp"
#include "families/selections.hpp"
#include "harness/devices.hpp"
#include "harness/given.hpp"
#include "harness/own_site.hpp"
#include "harness/quick.hpp"
#include "harness/refusals.hpp"
#include "key_sorts.hpp"
#include "primitives/key_sort.hpp"
#include "segmented_key_sorts.hpp"

namespace testing::key_sort_segment_calls_test {
namespace {

using clwave::by;
using clwave::key_list;
using namespace keys;

const doctest::test_suite lanes("lanes");

}  // namespace

// Segments that end past the input are left, the others sorted; where any falls, nothing is written.
TEST_CASE_FIXTURE(on_device, "bad segments of sorts by keys are found and counted") {
  for (const std::string name : forced_rows(some_of({"cpu", "sm_90"}))) {
    const std::size_t n = 20000;
    const auto elements = elements_of<person>(random, n, 99);
    const auto values = values_of<u32>(random, n);
    const numbers keys{numbers_of(elements, low_of), numbers_of(elements, key_of)};
    const cl::Buffer in = on.buffer_of(elements), values_in = on.buffer_of(values);
    const view<person> x{in, n};
    const view<u32> y{values_in, n};
    const auto run = [&](const std::vector<u32>& offsets, u64 bad_ones) {
      const cl::Buffer at = on.buffer_of(offsets);
      const view<u32> o{at, offsets.size()};
      const std::vector<std::size_t> sources = sources_of(keys, offsets);
      const guarded_buffer<u64> bad(on, 1), bad_of_pairs(on, 1);
      const output<person> out(on, random, n), checked(on, random, n), pairs(on, random, n),
          checked_pairs(on, random, n);
      const output<u32> values_out(on, random, n), checked_values(on, random, n);
      const key_list list{by_low, by_cell};
      clwave::segmented_sort(on.queue, x, o, out.room.view(), bad.view(), given(list)).wait();
      clwave::segmented_sort_by_key(on.queue, x, y, o, pairs.room.view(), values_out.room.view(),
                                    bad_of_pairs.view(), given(list))
          .wait();
      CHECK(bad.first() == bad_ones);
      CHECK(bad_of_pairs.first() == bad_ones);
      CHECK(bad.guards_intact());
      const auto sort = [&] {
        clwave::checked_segmented_sort(on.queue, x, o, checked.room.view(), given(list));
      };
      const auto sort_pairs = [&] {
        clwave::checked_segmented_sort_by_key(on.queue, x, y, o, checked_pairs.room.view(),
                                              checked_values.room.view(), given(list));
      };
      if (bad_ones > 0) {
        const std::string says =
            std::to_string(bad_ones) + " of " + std::to_string(offsets.size() - 1) + " segments";
        refuses(says.c_str(), sort);
        refuses(says.c_str(), sort_pairs);
      } else {
        sort();
        sort_pairs();
      }
      for (const auto* each : {&out, &checked, &pairs, &checked_pairs}) each->check(elements, sources);
      for (const auto* each : {&values_out, &checked_values}) each->check(values, sources);
    };
    run({0, 100, 9000, 20000}, 0);
    run({5, 100, 9000, 20001}, 1);
    run({5, 100, 19000, 20001, 20001, 30000}, 3);
    run({0, 100, 50, 20000}, 1);
    run({0, 19000, 18000, 20000, 0xffffffff, 7}, 3);
    // The call behind a bad one finds its counters as they should be.
    run({0, 100, 9000, 20000}, 0);
  }
}

// Indices of 64 bits, as from 2^32 elements on.
TEST_CASE_FIXTURE(on_device, "segments by keys whose indices have 64 bits" * lanes) {
  for (const std::string name : forced_rows({"cpu", "sm_90"})) {
    const own_site site(on.queue(), "key_sort");
    const std::vector<std::size_t> lengths{7, 0, segment_tile_of(on) + 1 + random.below(3000), 1};
    const std::size_t n = sum_of(lengths) + 9;
    const auto elements = elements_of<person>(random, n, 99);
    const auto offsets = offsets_of<u32>(lengths);
    const cl::Buffer in = on.buffer_of(elements), at = on.buffer_of(offsets);
    const output<person> out(on, random, n);
    const element& type = element_of<person>();
    const std::array<clwave::sort_key, 2> keys{by_low, by_cell};
    const clwave::sort_problem problem{.keys = {type, n},
                                       .keys_out = any_view(type, 0, guarded_buffer<person>::guard),
                                       .by = keys,
                                       .offsets = any_view(element_of<u32>(), lengths.size() + 1),
                                       .wide_counts = true};
    site.run(clwave::detail::key_sort{problem}, {in(), out.room.buffer()(), at()});
    out.check(elements, sources_of({numbers_of(elements, low_of), numbers_of(elements, key_of)}, offsets));
  }
}

TEST_CASE_FIXTURE(
    on_device, "what sorts of segments by keys refuse, before anything is enqueued; and calls of nothing") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(256)), b = on.buffer_of(std::vector<float>(256)),
                   c = on.buffer_of(std::vector<u32>(20));
  const view<float> x{a, 100}, y{b, 100};
  const view<u32> offsets{c, 5};
  const auto& q = on.queue;
  const auto self = by<float>({.name = "self", .source = "x"});
  refuses("overlap", [&] { clwave::segmented_sort(q, x, offsets, view<float>{a, 100, 50}, {.keys = self}); });
  refuses("overlap", [&] {
    clwave::segmented_sort(q, view<u32>(c, 10, 6), offsets, view<u32>(c, 10, 3),
                           {.keys = by<u32>({.name = "self", .source = "x"})});
  });
  refuses("which has 99", [&] { clwave::segmented_sort(q, x, offsets, view<float>{b, 99}, {.keys = self}); });
  refuses("no offsets", [&] { clwave::segmented_sort(q, x, view<u32>{c, 0}, y, {.keys = self}); });
  refuses("no element", [&] { clwave::segmented_sort(q, x, offsets, y, view<u64>{c, 0}, {.keys = self}); });
  refuses("overlap", [&] { clwave::segmented_sort(q, x, offsets, y, view<u64>{b, 1}, {.keys = self}); });
  refuses("100 keys and 90 values",
          [&] { clwave::segmented_sort_by_key(q, x, view<float>(b, 90), offsets, x, y, {.keys = self}); });
  refuses("overlap", [&] { clwave::segmented_sort_by_key(q, x, y, offsets, y, x, {.keys = self}); });
  refuses("of a key of 32 bits", [&] {
    clwave::segmented_sort(q, x, offsets, y,
                           {.keys = by<float>({.name = "self", .source = "x"}, {.last_bit = 33})});
  });
  refuses("1 to 8 keys", [&] {
    clwave::segmented_sort(q, x, offsets, y, {.keys = key_list(std::vector<clwave::sort_key>())});
  });
  refuses("with a name and a source",
          [&] { clwave::segmented_sort(q, x, offsets, y, {.keys = by<float>(clwave::identity)}); });
  refuses("map bad", [&] {
    clwave::segmented_sort(q, x, offsets, y, {.keys = by<float>({.name = "bad", .source = "x)"})});
  });
  refuses("the workspace has", [&] {
    clwave::segmented_sort(q, x, offsets, y, {.keys = self, .workspace = view<float>(b, 20, 200)});
  });
  CHECK(on.read<float>(b, 256) == std::vector<float>(256));
  const clwave::plan_target target = on.target();
  const element &f32 = element_of<float>(), &word = element_of<u32>();
  const std::array<clwave::sort_key, 1> keys{self};
  const auto plan_of = [&](const clwave::sort_problem& problem) { clwave::plan(problem, target); };
  refuses("more than", [&] {
    plan_of(
        {.keys = {f32, 9}, .keys_out = f32, .by = keys, .offsets = any_view(word, (u64{1} << 31) + 1 + 1)});
  });
  refuses("more than", [&] {
    plan_of({.keys = {f32, (u64{1} << 40) + 1}, .keys_out = f32, .by = keys, .offsets = any_view(word, 2)});
  });
  refuses("offsets of f32", [&] {
    plan_of({.keys = {f32, 9}, .keys_out = f32, .by = keys, .offsets = any_view(f32, 2)});
  });
  refuses("an output of the elements", [&] {
    plan_of({.keys = {f32, 9}, .values_out = word, .by = keys, .offsets = any_view(word, 2)});
  });
  // No segments; and segments, all of them empty, of no elements.
  const guarded_buffer<u64> bad(on, 1);
  clwave::segmented_sort(q, x, view<u32>{c, 1}, y, bad.view(), {.keys = self}).wait();
  CHECK(bad.first() == 0);
  CHECK(on.read<float>(b, 256) == std::vector<float>(256));
  const view<float> none{cl::Buffer(), 0};
  const cl::Buffer zeros = on.buffer_of(std::vector<u32>(4)), ends = on.buffer_of(std::vector<u32>{0, 0, 1});
  clwave::checked_segmented_sort(q, none, view<u32>{zeros, 4}, none, {.keys = {self, self}});
  refuses("1 of 2 segments",
          [&] { clwave::checked_segmented_sort(q, none, view<u32>(ends, 3), none, {.keys = self}); });
}

namespace {

// For each element the workspace has `key_bytes`, two indices, and in place the element; and up to 1024 bytes
// beside.
void check_given_workspace(const fixture& on, std::size_t n, std::size_t key_bytes) {
  random_engine random;
  CAPTURE(n);
  const auto elements = elements_of<person>(random, n, 999);
  const std::vector<u32> offsets{0, 100, static_cast<u32>(n / 2), static_cast<u32>(n - 10)};
  const auto sources = sources_of({numbers_of(elements, low_of), numbers_of(elements, key_of)}, offsets);
  const std::array<clwave::sort_key, 2> keys{by_low, by_cell};
  const cl::Buffer at = on.buffer_of(offsets);
  const clwave::plan_target target = on.target();
  const element& type = element_of<person>();
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    for (const bool in_place : {false, true}) {
      const u64 bytes = clwave::plan(clwave::sort_problem{.keys = {type, n},
                                                          .keys_out = type,
                                                          .by = keys,
                                                          .offsets = any_view(element_of<u32>(), 4),
                                                          .keys_in_place = in_place},
                                     target)
                            .workspace_bytes;
      const std::size_t least = n * (key_bytes + 8 + (in_place ? sizeof(person) : 0));
      CHECK(bytes > least);
      CHECK(bytes <= least + 1024);
      const cl::CommandQueue queue = on.new_queue(kind);
      const cl::Buffer in = on.buffer_of(std::vector<person>(n));
      const output<person> out(on, random, n);
      const guarded_buffer<u32> room(on, (bytes + 3) / 4);
      gate held(on);
      const cl::Event written =
          on.write_after(queue, in, elements.data(), n * sizeof(person), {held.event()});
      const view<person> x{in, n};
      const clwave::event end =
          clwave::segmented_sort(queue, x, view<u32>{at, offsets.size()}, in_place ? x : out.room.view(),
                                 {.keys = {keys[0], keys[1]}, .after = {written}, .workspace = room.view()});
      held.open();
      end.wait();
      if (in_place)
        CHECK(bytes_of(on.read<person>(in, n)) == bytes_of(brought(elements, elements, sources)));
      else
        out.check(elements, sources);
      CHECK(room.guards_intact());
    }
  }
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "a sort of segments by keys with a workspace of the caller's, behind an event") {
  check_given_workspace(on, 50000, 8);
  // A GPU's group holds all: keys stay where they are.
  const forced_profile forced("sm_90");
  check_given_workspace(on, 900, 4);
}

}  // namespace testing::key_sort_segment_calls_test
