// histogram as a call: nothing to count, counts past 2^32, small groups, what is refused, the caller's own
// workspace, queues and events.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/histogram.hpp>
#include <clwave/plan.hpp>

#include "harness/changed_kernels.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "histograms.hpp"
#include "primitives/histogram.hpp"

namespace testing::histogram_calls_test {
namespace {

using clwave::even;

const doctest::test_suite lanes("lanes");

struct pair_of_floats {
  float first, second;
};

}  // namespace
}  // namespace testing::histogram_calls_test

CLWAVE_STRUCTURE(testing::histogram_calls_test::pair_of_floats, "pair_of_floats",
                 "typedef struct { float first, second; } pair_of_floats;")

namespace testing::histogram_calls_test {

TEST_CASE("a bound is the number that it is made of") {
  const auto same = [](const clwave::bound& a, double b) { return clwave::detail::compared(a, b) == 0; };
  CHECK(same(3, 3.0));
  CHECK(same(-3, -3.0));
  CHECK(same(0.1f, static_cast<double>(0.1f)));
  CHECK(!same(0.1f, 0.1));
  CHECK(same(std::numeric_limits<std::int64_t>::min(), -0x1p63));
  CHECK(!same(std::numeric_limits<u64>::max(), 0x1p64));
  CHECK(same(half(0.25f), 0.25));
  CHECK(same(bfloat16(-3.f), -3.0));
  CHECK(same(u16(65535), 65535.0));
  CHECK(same(true, 1.0));
  CHECK(same('a', static_cast<double>('a')));
  CHECK(same(-0.0, 0.0));
  CHECK(same(clwave::bound(), 0.0));
  CHECK(!clwave::bound(0.0).is_negative());
  CHECK(!clwave::bound(std::nan("")).is_finite());
  CHECK(clwave::bound(std::nan("")).is_nan());
  CHECK(!clwave::bound(-INFINITY).is_nan());
  // In their order, neighbours next to one another.
  const clwave::bound order[] = {-INFINITY,
                                 -0x1p1000,
                                 std::numeric_limits<std::int64_t>::min(),
                                 -3.5,
                                 -3,
                                 -0x1p-1070,
                                 0,
                                 0x1p-1074,
                                 0x1p-1073,
                                 0.1,
                                 0.1f,
                                 1,
                                 2,
                                 std::numeric_limits<std::int64_t>::max(),
                                 0x1p63,
                                 std::numeric_limits<u64>::max(),
                                 0x1p64,
                                 INFINITY};
  for (std::size_t a = 0; a < std::size(order); ++a) {
    for (std::size_t b = 0; b < std::size(order); ++b)
      CHECK(clwave::detail::compared(order[a], order[b]) == (a < b ? -1 : a > b ? 1 : 0));
  }
}

TEST_CASE_FIXTURE(on_device, "without elements, and without one in any bin, all counts become 0") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 5.f));
  for (const std::size_t n : {0u, 100u}) {
    for (const std::size_t bins : some_of({10u, 20000u})) {
      const guarded_buffer<u64> counts(on, bins);
      const view<const float> x{n == 0 ? cl::Buffer() : in, n};
      clwave::histogram(on.queue, x, counts.view(), even{6, 7}).wait();
      CHECK(counts.read_guarded() == std::vector<u64>(bins));
      const guarded_buffer<u64> between(on, bins);
      std::vector<float> edges(bins + 1, 8.f);
      clwave::histogram(on.queue, x, between.view(), edges).wait();
      CHECK(between.read_guarded() == std::vector<u64>(bins));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "edges leave counts behind theirs alone") {
  const cl::Buffer in = on.buffer_of(std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  const cl::Buffer counts = on.buffer_of(std::vector<u32>(10, 77));
  clwave::histogram(on.queue, view<std::int32_t>{in, 6}, view<u32>{counts, 10}, std::array{0, 3, 5, 6},
                    {.channels = 2})
      .wait();
  CHECK(on.read<u32>(counts, 10) == std::vector<u32>{1, 1, 1, 1, 1, 0, 77, 77, 77, 77});
}

// Counts are the same where groups are small and few, and where counts of 64 bits may pass 2^32: there each
// is made to begin just below, so that its lower word wraps.
TEST_CASE("the last of a few groups sums the counts of all, of more groups a second launch" * lanes) {
  random_engine random;
  const forced_profile forced("sm_90");
  const fixture on;
  own_site site(on.queue(), "histogram");
  site.on.group_limit = 64;
  site.on.compute_units = 100;
  constexpr std::size_t tile = 64 * 4 * 4;  // of floats
  for (const std::size_t groups : {2u, 16u, 17u, 64u, 65u}) {
    CAPTURE(groups);
    const std::size_t n = groups * tile - random.below(tile), bins = 1 + random.below(64);
    const std::vector<float> values = values_around<float>(random, n, -1, 3);
    const std::vector<u64> right =
        counted<u64>(values, bins, 1, [&](float x) { return bin_of(x, -1, 3, bins); });
    const cl::Buffer in = on.buffer_of(values);
    const guarded_buffer<u64> counts(on, bins);
    const clwave::histogram_problem problem{.in = {element_of<float>(), n},
                                            .counts = {element_of<u64>(), bins, counts.view().offset()},
                                            .bounds = even{-1, 3}};
    for (int turn = 0; turn < 2; ++turn) site.run(problem, {in(), counts.buffer()()});
    CHECK(difference(counts.read_guarded(), right) == "");
  }
}

TEST_CASE("histograms in small groups, and counts that pass 2^32" * lanes) {
  random_engine random;
  const std::size_t n = 50000 + 2 * random.below(500);
  for (const std::string row : forced_rows(some_of({"sm_90", "cpu"}))) {
    const auto count_wide = [&](std::size_t bins, unsigned channels, u64 begins_with) {
      const fixture on;
      const std::vector<u32> values = values_around<u32>(random, n, 0, bins);
      std::vector<u64> right =
          counted<u64>(values, bins, channels, [&](auto x) { return bin_of(x, 0, bins, bins); });
      for (u64& count : right) count += begins_with;
      const cl::Buffer in = on.buffer_of(values);
      const guarded_buffer<u64> counts(on, bins * channels);
      own_site site(on.queue(), "histogram");
      if (site.on.choice.lanes > 1) site.on.group_limit = 64;
      const element& word = element_of<u64>();
      const clwave::histogram_problem problem{.in = {element_of<u32>(), n},
                                              .counts = {word, bins * channels, counts.view().offset()},
                                              .bounds = even{0, bins},
                                              .channels = channels,
                                              .wide_counts = true};
      site.run(problem, {in(), counts.buffer()()});
      CHECK(difference(counts.read_guarded(), right) == "");
    };
    // On a CPU rows of so many counts are too large.
    count_wide(300, 1, 0);
    const bool of_cpu = row == "cpu";
    with_changed_kernels("primitives/histogram.cl",
                         {{"bin < own.end; ++bin) counts[counts_offset + bin] = 0;",
                           "bin < own.end; ++bin) counts[counts_offset + bin] = 0xfffffffeu;"},
                          {"bin += get_global_size(0)) counts[counts_offset + bin] = 0;",
                           "bin += get_global_size(0)) counts[counts_offset + bin] = 0xfffffffeu;"}},
                         [&] { count_wide(of_cpu ? (1u << 23) + 1 : 20000, of_cpu ? 2 : 1, 0xfffffffeu); });
  }
}

TEST_CASE_FIXTURE(on_device, "what a histogram refuses, before anything is enqueued") {
  const cl::Buffer a = on.buffer_of(std::vector<float>(300)), b = on.buffer_of(std::vector<u32>(300));
  const view<const float> x{a, 120};
  const view<u32> counts{b, 12};
  const auto& q = on.queue;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = INFINITY;
  refuses("is not above the lower", [&] { clwave::histogram(q, x, counts, even{1, 1}); });
  refuses("is not above the lower", [&] { clwave::histogram(q, x, counts, even{1, 0.5}); });
  refuses("is not finite", [&] { clwave::histogram(q, x, counts, even{-infinity, 1}); });
  refuses("is not finite", [&] { clwave::histogram(q, x, counts, even{0, nan}); });
  refuses("0 bins", [&] { clwave::histogram(q, x, view<u32>{b, 0}, even{0, 1}); });
  for (const std::size_t n : {10, 12}) {
    refuses("5 channels, where 1 to 4 can be", [&] {
      clwave::histogram(q, x, view<u32>(b, n), even{0, 1}, {.channels = 5});
    });
  }
  refuses("0 channels", [&] { clwave::histogram(q, x, counts, even{0, 1}, {.channels = 0}); });
  refuses("13 counts are not as many", [&] {
    clwave::histogram(q, x, view<u32>(b, 13), even{0, 1}, {.channels = 3});
  });
  refuses("121 elements are not as many", [&] {
    clwave::histogram(q, view<const float>(a, 121), counts, even{0, 1}, {.channels = 3});
  });
  refuses("the edges fall", [&] { clwave::histogram(q, x, counts, std::array{0, 2, 1}); });
  refuses("an edge is NaN", [&] { clwave::histogram(q, x, counts, std::array{0.0, nan, 1.0}); });
  refuses("an edge is NaN", [&] { clwave::histogram(q, x, counts, std::array{0.f, 1.f, std::nanf("")}); });
  refuses("1 edges have no bin", [&] { clwave::histogram(q, x, counts, std::array{0}); });
  refuses("0 edges have no bin", [&] { clwave::histogram(q, x, counts, std::vector<float>()); });
  refuses("which has 12", [&] { clwave::histogram(q, x, counts, std::vector<int>(14)); });
  refuses("which has 12", [&] { clwave::histogram(q, x, counts, view<float>{a, 14}); });
  refuses("which has 12", [&] { clwave::histogram(q, x, counts, std::vector<int>(6), {.channels = 3}); });
  refuses("overlap", [&] { clwave::histogram(q, x, view<u32>{a, 12, 5}, even{0, 1}); });
  refuses("overlap", [&] { clwave::histogram(q, x, counts, view<float>{b, 13, 11}); });
  refuses("ends past its buffer", [&] { clwave::histogram(q, view<float>{a, 301}, counts, even{0, 1}); });
  refuses("fall into no bins", [&] { clwave::histogram(q, view<cl_float4>{a, 10}, counts, even{0, 1}); });
  refuses("fall into no bins", [&] {
    clwave::histogram(q, view<pair_of_floats>(a, 10), counts, even{0, 1});
  });
  refuses("fall into no bins", [&] { clwave::histogram(q, view<std::byte>{a, 10}, counts, even{0, 1}); });
  refuses("fall into no bins", [&] {
    clwave::histogram(q, view<std::byte>(a, 10), counts, std::array{0, 1});
  });
  refuses("the workspace has", [&] {
    const cl::Buffer large = on.buffer_of(std::vector<float>(70000));
    clwave::histogram(q, view<float>{large, 70000}, counts, even{0, 1}, {.workspace = view<u32>{b, 60}});
  });
  const clwave::plan_target target = on.target();
  const auto plan_of = [&](u64 n, u64 bins, unsigned channels, const element& count) {
    return plan(clwave::histogram_problem{.in = {element_of<float>(), n},
                                          .counts = {count, bins * channels},
                                          .bounds = even{0, 1},
                                          .channels = channels},
                target);
  };
  const element& narrow = element_of<u32>();
  refuses("16777217 bins", [&] { plan_of(100, (1u << 24) + 1, 1, narrow); });
  refuses("than counts of 32 bits hold", [&] { plan_of(u64{1} << 32, 10, 1, narrow); });
  refuses("than counts of 32 bits hold", [&] { plan_of(u64{3} << 32, 10, 3, narrow); });
  CHECK(!plan_of((u64{3} << 32) - 3, 10, 3, narrow).kernels.empty());
  CHECK(!plan_of(u64{1} << 33, 10, 1, element_of<u64>()).kernels.empty());
  refuses("counts of f32", [&] { plan_of(100, 10, 1, element_of<float>()); });
}

TEST_CASE_FIXTURE(on_device,
                  "a histogram with a workspace of the caller's, in queues of both kinds, behind an event") {
  const std::size_t n = 100000 + random.below(20000);
  const std::vector<float> values = values_around<float>(random, n, 0, 1);
  const std::vector<u32> right = counted<u32>(values, 500, 1, [](float x) { return bin_of(x, 0, 1, 500); });
  const clwave::plan_target target = on.target();
  const u64 bytes = plan(clwave::histogram_problem{.in = {element_of<float>(), n},
                                                   .counts = {element_of<u32>(), 500},
                                                   .bounds = even{0, 1}},
                         target)
                        .workspace_bytes;
  REQUIRE(bytes > 500 * 4);
  std::vector<float> edges;
  for (int k = 0; k <= 500; ++k) edges.push_back(static_cast<float>(k) / 500);
  for (const cl_command_queue_properties kind : orders_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    const cl::Buffer in = on.buffer_of(std::vector<float>(n));
    const guarded_buffer<u32> counts(on, 500), between(on, 500);
    const guarded_buffer<u32> room(on, (bytes + 3) / 4);
    gate held(on);
    const cl::Event written = on.write_after(queue, in, values.data(), n * 4, {held.event()});
    const clwave::event end = clwave::histogram(queue, view<float>{in, n}, counts.view(), even{0, 1},
                                                {.after = {written}, .workspace = room.view()});
    // Edges of the host's are free again when the call has returned.
    std::vector<float> lent = edges;
    const clwave::event then =
        clwave::histogram(queue, view<float>{in, n}, between.view(), lent, {.after = {end}});
    lent.assign(lent.size(), -1.f);
    held.open();
    then.wait();
    CHECK(difference(counts.read(), right) == "");
    u32 sum = 0, of_edges = 0;
    for (const u32 count : right) sum += count;
    for (const u32 count : between.read()) of_edges += count;
    CHECK(of_edges == sum);
    CHECK(counts.guards_intact());
    CHECK(between.guards_intact());
    CHECK(room.guards_intact());
  }
}

}  // namespace testing::histogram_calls_test
