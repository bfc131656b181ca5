// sort, sort_by_key and argsort as calls: groups that keep silent, small groups and wide counts, what is
// refused, the caller's own workspace, queues and events.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "families/selections.hpp"
#include "families/sorts.hpp"
#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "primitives/sort.hpp"

namespace testing::sort_calls_test {
namespace {

const doctest::test_suite lanes("lanes");

}  // namespace

// Groups of fewer work-items than there are digits; counts as 2^32 keys need them, and then also tiles in the
// order in which groups start.
TEST_CASE_FIXTURE(on_device, "sorts in small groups, and with wide counts" * lanes) {
  for (const bool small : {false, true}) {
    CAPTURE(small);
    const forced_profile forced(small ? "sm_90" : "cpu");
    own_site site(on.queue(), "sort");
    if (small) site.on.group_limit = 64;
    clwave::profile in_order = *site.on.choice.profile;
    in_order.scan.in_order_of_start = true;
    const std::size_t n = 140000 + random.below(1000);
    const std::vector<u32> keys = shaped_keys(random, n, 3);
    const cl::Buffer in = on.buffer_of(keys);
    const guarded_buffer<u32> out(on, n);
    const element& key = element_of<u32>();
    for (const bool wide : {false, true}) {
      if (wide) site.on.choice.profile = &in_order;
      const clwave::sort_problem problem{.keys = {key, n},
                                         .keys_out = any_view(key, 0, out.view().offset()),
                                         .order = {.first_bit = 20},
                                         .wide_counts = wide};
      site.run(clwave::detail::number_sort{problem}, {in(), out.buffer()()});
      CHECK(bytes_of(out.read_guarded()) == bytes_of(taken(keys, sorted_places(keys, problem.order))));
      on.queue.enqueueFillBuffer(out.buffer(), u32{0}, out.view().offset() * 4, n * 4);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "pairs where groups cannot send messages take three launches a digit" * lanes) {
  const forced_profile forced("sm_90");
  own_site site(on.queue(), "sort");
  site.on.choice.order = clwave::group_order::two_launches;
  const element& type = element_of<u32>();
  const std::size_t n = 2 * keys_of_one_launch(on, type) + random.below(1000);
  const std::vector<u32> keys = shaped_keys(random, n, 7);
  const auto values = values_of<u32>(random, n);
  const std::vector<u32> places = sorted_places(keys, {.first_bit = 17});
  const cl::Buffer in = on.buffer_of(keys), values_in = on.buffer_of(values);
  const guarded_buffer<u32> out(on, n), values_out(on, n);
  const any_view to(type, 0, out.view().offset());
  const clwave::sort_problem problem{
      .keys = {type, n}, .keys_out = to, .values = type, .values_out = to, .order = {.first_bit = 17}};
  CHECK(describe(clwave::detail::number_sort{problem}, site.on).work.launches.size() == 2 * 3);
  site.run(clwave::detail::number_sort{problem}, {in(), values_in(), out.buffer()(), values_out.buffer()()});
  CHECK(out.read_guarded() == taken(keys, places));
  CHECK(values_out.read_guarded() == taken(values, places));
}

// More tiles than a group has work-items, whose counts three launches sum by turns, and a tile alone, with
// lane sets that run on their own: on the device's own lanes where it has some.
TEST_CASE_FIXTURE(on_device, "many tiles in groups of two lane sets, and one tile" * lanes) {
  std::optional<forced_profile> forced;
  if (clwave::choose_profile(on.facts).exchange == clwave::lane_exchange::none) forced.emplace("sm_90");
  own_site site(on.queue(), "sort");
  const unsigned group = 2 * site.on.choice.lanes;
  site.row.sort = {.group_size = group, .items = 1};
  const std::size_t n = std::size_t{group} * group * 3 + random.below(group);
  const std::vector<u32> keys = shaped_keys(random, n, 7);
  const cl::Buffer in = on.buffer_of(keys);
  const element& key = element_of<u32>();
  for (const clwave::group_order order : {site.on.choice.order, clwave::group_order::two_launches}) {
    site.on.choice.order = order;
    for (const bool wide : {false, true}) {
      CAPTURE(wide);
      const guarded_buffer<u32> out(on, n);
      const clwave::sort_problem problem{.keys = {key, n},
                                         .keys_out = any_view(key, 0, out.view().offset()),
                                         .order = {.first_bit = 24},
                                         .wide_counts = wide};
      site.run(clwave::detail::number_sort{problem}, {in(), out.buffer()()});
      CHECK(out.read_guarded() == taken(keys, sorted_places(keys, problem.order)));
    }
  }
  check_pairs(on, shaped_keys(random, 1000, 7), values_of<u32>(random, 1000), {});  // in one launch
}

// OpenCL promises no progress between groups. Here some never say how many keys of each digit they have, or
// the last group is the first to start: the others must do without.
TEST_CASE_FIXTURE(on_device, "a sort ends with the right order whoever keeps silent" * lanes) {
  const forced_profile forced("sm_90");
  const clwave::plan_target target = on.target(/*with_source=*/true);
  REQUIRE(target.choice.order != clwave::group_order::two_launches);
  const std::size_t tile = keys_of_one_launch(on, element_of<u32>());
  const std::vector<u32> keys = shaped_keys(random, 4 * tile + 1 + random.below(tile), 7);
  const auto sort_both = [&] {
    const fixture fresh;
    check_keys(fresh, keys, {.first_bit = 20});
    check_pairs(fresh, keys, values_of<person>(random, keys.size()), {.descending = true, .first_bit = 24});
  };
  const std::string first = "if (p.tile + 1 < p.tiles) {", second = "if (far[e] == 0 && p.tile > 0 &&";
  for (const std::string silent : some_of({"p.tile % 2 == 0", "p.tile + 2 < p.tiles", "true"})) {
    CAPTURE(silent);
    with_changed_kernels("primitives/sort_one_pass.cl",
                         {{first, "if (p.tile + 1 < p.tiles && !(" + silent + ")) {"},
                          {second, "if (!(" + silent + ") && far[e] == 0 && p.tile > 0 &&"}},
                         sort_both);
  }
  with_changed_kernels(
      "primitives/sort_one_pass.cl", "sort_take_number(workspace, &number, tiles) : (uint)get_group_id(0);",
      "sort_take_number(workspace, &number, tiles) : tiles - 1 - (uint)get_group_id(0);", sort_both);
}

TEST_CASE_FIXTURE(on_device, "what a sort refuses, before anything is enqueued") {
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
  refuses("overlap",
          [&] { clwave::sort_by_key(q, x, y, view<float>(a, 100, 100), view<float>(a, 100, 150)); });
  refuses("which has 99", [&] { clwave::sort_by_key(q, x, y, x, view<float>{b, 99, 100}); });
  refuses("overlap", [&] { clwave::argsort(q, x, view<u32>{a, 100}); });
  refuses("which has 10", [&] { clwave::argsort(q, x, view<u32>{b, 10}); });
  refuses("bits from 9 to before 8", [&] { clwave::sort(q, x, y, {.first_bit = 9, .last_bit = 8}); });
  refuses("of a key of 32 bits", [&] { clwave::sort(q, x, y, {.last_bit = 33}); });
  refuses("vectors are no keys", [&] { clwave::sort(q, view<cl_float4>{a, 10}, view<cl_float4>{b, 10}); });
  refuses("structures are no keys", [&] { clwave::sort(q, view<person>{a, 10}, view<person>{b, 10}); });
  refuses("std::byte is no key", [&] { clwave::sort(q, view<std::byte>{a, 10}, view<std::byte>{b, 10}); });
  refuses("ends past its buffer", [&] { clwave::sort(q, view<float>{a, 300}, y); });
  refuses("the workspace has", [&] {
    const cl::Buffer c = on.buffer_of(std::vector<float>(70000)), d = on.buffer_of(std::vector<float>(70000));
    clwave::sort(q, view<float>{c, 70000}, view<float>{d, 70000}, {.workspace = a});
  });
  const clwave::plan_target target = on.target();
  refuses("32 bits do not hold", [&] {
    plan(clwave::sort_problem{.keys = {element_of<float>(), (u64{1} << 32) + 1},
                              .values_out = element_of<u32>()},
         target);
  });
  refuses("more than", [&] {
    const element& key = element_of<float>();
    plan(clwave::sort_problem{.keys = {key, u64{1} << 48}, .keys_out = key}, target);
  });
}

TEST_CASE_FIXTURE(on_device,
                  "a sort with a workspace of the caller's, in queues of both kinds, behind an event") {
  const std::size_t n = 50000 + random.below(20000);
  const std::vector<float> keys = any_keys<float>(random, n);
  const std::vector<unsigned char> right = bytes_of(taken(keys, sorted_places(keys, {})));
  const clwave::plan_target target = on.target();
  const element& key = element_of<float>();
  const u64 bytes = plan(clwave::sort_problem{.keys = {key, n}, .keys_out = key}, target).workspace_bytes;
  REQUIRE(bytes > n * 4);
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    const cl::Buffer in = on.buffer_of(std::vector<float>(n));
    const guarded_buffer<float> out(on, n);
    const guarded_buffer<u32> room(on,
                                   (bytes + 3) / 4);  // a workspace begins at 512 bytes, at most
    gate held(on);
    const cl::Event written = on.write_after(queue, in, keys.data(), n * 4, {held.event()});
    const clwave::event end =
        clwave::sort(queue, view<float>{in, n}, out.view(), {.after = {written}, .workspace = room.view()});
    held.open();
    end.wait();
    CHECK(bytes_of(out.read_guarded()) == right);
    CHECK(room.guards_intact());
  }
  const clwave::event nothing =
      clwave::sort(on.queue, view<float>{cl::Buffer(), 0}, view<float>{cl::Buffer(), 0});
  nothing.wait();
  CHECK(nothing.done());
}

}  // namespace testing::sort_calls_test
