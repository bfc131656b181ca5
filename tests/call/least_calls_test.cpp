// Every primitive as a person writes it first: with the least arguments, with `.after`, and with and without
// an operator and options of its own. Compiled with -Wconversion. What no primitive's files are there for is
// left out.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing::least_calls_test {
namespace {

// What the calls are on: 16 floats that rise and fall, and places for results.
struct scene {
  fixture& on = default_fixture();
  cl::Buffer floats = on.buffer_of(std::vector<float>{3, 1, 2, 5, 4, 9, 8, 7, 6, 0, 1, 1, 2, 2, 3, 3});
  cl::Buffer results = on.buffer_of(std::vector<float>(64));
  cl::Buffer more = on.buffer_of(std::vector<float>(64));
  cl::Buffer numbers = on.buffer_of(std::vector<u32>{0, 4, 16, 16});
  cl::Buffer counters = on.buffer_of(std::vector<u32>(32));
  cl::Buffer wide = on.buffer_of(std::vector<u64>(32));
  cl::CommandQueue queue = on.queue;
  view<float> x{floats, 16}, y{results, 32}, z{more, 32};
  view<u32> offsets{numbers, 3}, keys{numbers, 4}, places{counters, 16};
  view<u64> count{wide, 1}, bad{wide, 1, 1}, at{wide, 17, 2};
  clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  clwave::op same{.name = "same", .source = "a == b", .identity = {}};
  clwave::map positive{.name = "positive", .source = "x > 0"};
  clwave::event e = clwave::fill(queue, z, 0.0f);
};

TEST_CASE("reductions with the least arguments") {
  scene s;
  auto& [on, floats, results, more, numbers, counters, wide, q, x, y, z, offsets, keys, places, count, bad,
         at, less, same, positive, e] = s;
  CHECK(clwave::reduce(q, x) == 57.0f);
  CHECK(clwave::reduce(q, x, {}) == 57.0f);
  CHECK(clwave::reduce(q, x, {.after = {e}}) == 57.0f);
  CHECK(clwave::reduce(q, x, clwave::max) == 9.0f);
  CHECK(clwave::reduce(q, x, clwave::max, {.after = {e}}) == 9.0f);
  CHECK(clwave::reduce(q, x, {.name = "larger", .source = "a < b ? b : a"}, {.after = {e}}) == 9.0f);
  CHECK(clwave::reduce<double>(q, view<u32>(offsets), {.after = {e}}) == 20.0);
  e = clwave::reduce(q, x, y.subview(0, 1));
  e = clwave::reduce(q, x, y.subview(0, 1), {.after = {e}});
  e = clwave::reduce(q, x, y.subview(0, 1), clwave::max, {.after = {e}});
  CHECK(clwave::reduce_async(q, x, {.after = {e}}).get() == 57.0f);
  CHECK(clwave::reduce_async(q, x, clwave::max, {.after = {e}}).get() == 9.0f);
  CHECK(clwave::transform_reduce(q, x, clwave::plus, clwave::square, {.after = {e}}) == 313.0f);
  CHECK(clwave::transform_reduce(q, x, clwave::plus, {.name = "twice", .source = "2 * x"}) == 114.0f);
  CHECK(clwave::dot(q, x, x, {.after = {e}}) == 313.0f);
  CHECK(clwave::argmin(q, x, {.after = {e}}).index == 9);
  CHECK(clwave::argmax_async(q, x, {.after = {e}}).get().index == 5);
  const clwave::sharded<float> cut{{q, x}};
  CHECK(clwave::reduce(cut, {.after = {e}}) == 57.0f);
  CHECK(clwave::reduce(cut, clwave::max, {.after = {e}}) == 9.0f);
  CHECK(clwave::argmin(cut, {.after = {e}}).index == 9);
  const std::vector<float> host(16, 2.0f);
  CHECK(clwave::reduce(q, clwave::host_array(host), {.after = {e}}) == 32.0f);
  CHECK(clwave::dot({q}, clwave::host_array(host), clwave::host_array(host), {.after = {e}}) == 64.0f);
#if __has_include(<clwave/reduce_rows.hpp>)
  e = clwave::reduce_rows(q, x, y, {.rows = 4, .columns = 4});
  e = clwave::reduce_rows(q, x, y, {.rows = 4, .columns = 3}, {.row = 4, .after = {e}});
  e = clwave::reduce_rows(q, x, y, {.rows = 4, .columns = 4}, clwave::max, {.after = {e}});
  e = clwave::reduce_columns(q, x, y, {.rows = 4, .columns = 4}, {.after = {e}});
  clwave::reduce_rows(q, cut, y, {.rows = 4, .columns = 4}, {.after = {e}});
#endif
#if __has_include(<clwave/segmented_reduce.hpp>)
  e = clwave::segmented_reduce(q, x, offsets, y, {.after = {e}});
  e = clwave::segmented_reduce(q, x, offsets, y, bad, clwave::max, {.after = {e}});
  clwave::checked_segmented_reduce(q, x, offsets, y, {.after = {e}});
#endif
#if __has_include(<clwave/reduce_by_key.hpp>)
  e = clwave::reduce_by_key(q, x, x, y, z, count, {.after = {e}});
  e = clwave::reduce_by_key(q, x, x, y, z, count, clwave::max, same, {.after = {e}});
  CHECK(clwave::reduce_by_key(q, x, x, y, z, {.after = {e}}) == 13);
#endif
  e.wait();
}

#if __has_include(<clwave/scan.hpp>)
TEST_CASE("scans with the least arguments") {
  scene s;
  auto& [on, floats, results, more, numbers, counters, wide, q, x, y, z, offsets, keys, places, count, bad,
         at, less, same, positive, e] = s;
  const view<float> out = y.subview(0, 16);
  e = clwave::inclusive_scan(q, x, out);
  e = clwave::inclusive_scan(q, x, out, {.start = 1.0f, .after = {e}});
  e = clwave::inclusive_scan(q, x, out, clwave::max, {.after = {e}});
  e = clwave::exclusive_scan(q, x, out, {.after = {e}});
  e = clwave::exclusive_scan(q, out, {.after = {e}});
  e = clwave::inclusive_scan(q, out, clwave::max, {.after = {e}});
  e = clwave::transform_inclusive_scan(q, x, out, clwave::plus, clwave::square, {.after = {e}});
  e = clwave::transform_exclusive_scan(q, out, clwave::plus, {.name = "half", .source = "x / 2"},
                                       {.after = {e}});
  e = clwave::copy(q, x, out, {.after = {e}});
  e = clwave::inclusive_scan(q, out);  // in place
  e.wait();
  CHECK(on.read<float>(results, 16)[15] == 57.0f);
  const clwave::sharded<float> cut{{q, x}}, to{{q, out}};
  clwave::inclusive_scan(cut, to, {.after = {e}});
  clwave::exclusive_scan(cut, to, clwave::max, {.start = 1.0f, .after = {e}});
  std::vector<float> host(16, 2.0f);
  clwave::inclusive_scan(q, clwave::host_array(host), clwave::host_output(host), {.after = {e}});
  CHECK(host[15] == 32.0f);
#if __has_include(<clwave/segmented_scan.hpp>)
  e = clwave::segmented_inclusive_scan(q, x, offsets, out, {.after = {e}});
  e = clwave::segmented_exclusive_scan(q, x, offsets, out, clwave::max, {.start = 1.0f, .after = {e}});
#endif
#if __has_include(<clwave/scan_by_key.hpp>)
  e = clwave::inclusive_scan_by_key(q, x, x, out, {.after = {e}});
  e = clwave::exclusive_scan_by_key(q, x, x, out, clwave::max, same, {.start = 1.0f, .after = {e}});
#endif
  e.wait();
}
#endif

TEST_CASE("selections and sorted ranges with the least arguments") {
  scene s;
  auto& [on, floats, results, more, numbers, counters, wide, q, x, y, z, offsets, keys, places, count, bad,
         at, less, same, positive, e] = s;
  const view<float> out = y.subview(0, 16);
#if __has_include(<clwave/select.hpp>)
  e = clwave::copy_if(q, x, out, count, positive, {.after = {e}});
  CHECK(clwave::copy_if(q, x, out, {.name = "positive", .source = "x > 0"}, {.after = {e}}) == 15);
  CHECK(clwave::unique(q, x, out) == 13);
  CHECK(clwave::unique(q, x, out, {.after = {e}}) == 13);
  CHECK(clwave::unique(q, x, out, same, {.after = {e}}) == 13);
  e = clwave::unique(q, x, out, count, {.after = {e}});
  e = clwave::partition(q, x, out, count, positive, {.after = {e}});
  e = clwave::run_offsets(q, x, at, count, {.after = {e}});
#endif
#if __has_include(<clwave/sort.hpp>)
  e = clwave::sort(q, x, out);
  e = clwave::sort(q, x, out, {.descending = true, .after = {e}});
  e = clwave::sort(q, x, out, {.less = less, .after = {e}});
  e = clwave::sort(q, x, out, {.less = {.name = "more", .source = "a > b"}});
  e = clwave::sort(q, x, out, {.keys = clwave::by<float>({.name = "self", .source = "-x"}), .after = {e}});
  e = clwave::sort_by_key(q, x, x, out, z.subview(0, 16), {.after = {e}});
  e = clwave::argsort(q, x, places, {.less = less, .after = {e}});
  e = clwave::segmented_sort(q, x, offsets, out, {.descending = true, .after = {e}});
  clwave::checked_segmented_sort(q, x, offsets, out, {.less = less, .after = {e}});
  e = clwave::sort(q, x);  // in place
  e.wait();
  CHECK(on.read<float>(floats, 16)[15] == 9.0f);
  e = clwave::sort(q, x, {.first_bit = 0, .after = {e}});
  CHECK(contains(error_of([&] { clwave::sort(s.queue, s.x, {.descending = true, .less = s.less}); }).what(),
                 "an operator and an order of numbers are given"));
  CHECK(contains(error_of([&] {
                   clwave::sort(s.queue, s.x,
                                {.less = s.less, .keys = clwave::by<float>({.name = "x", .source = "x"})});
                 }).what(),
                 "keys and another order are given"));
#endif
#if __has_include(<clwave/top_k.hpp>)
  e = clwave::top_k(q, x, out, places, 4, {.descending = false, .after = {e}});
  e = clwave::segmented_top_k(q, x, offsets, out, places, 1, {.descending = false, .after = {e}});
  clwave::checked_segmented_top_k(q, x, offsets, out, places, 1, {.after = {e}});
#endif
#if __has_include(<clwave/merge.hpp>)
  e = clwave::merge(q, x, x, y, {.after = {e}});
  e = clwave::merge(q, x, x, y, {.less = less, .after = {e}});
  clwave::checked_merge(q, x, x, y, {.after = {e}});
  CHECK(contains(
      error_of([&] { clwave::merge(s.queue, s.x, s.x, s.y, {.last_bit = 8, .less = s.less}); }).what(),
      "an operator and an order of numbers are given"));
#endif
#if __has_include(<clwave/bounds.hpp>)
  e = clwave::lower_bound(q, x, x, places, {.after = {e}});
  e = clwave::upper_bound(q, x, x, places, {.less = less, .after = {e}});
#endif
#if __has_include(<clwave/set_operations.hpp>)
  e = clwave::set_union(q, x, x, y, count, {.after = {e}});
  CHECK(clwave::set_intersection(q, x, x, y, {.less = less, .after = {e}}) == 16);
#endif
  e.wait();
}

TEST_CASE("what moves and computes, with the least arguments") {
  scene s;
  auto& [on, floats, results, more, numbers, counters, wide, q, x, y, z, offsets, keys, places, count, bad,
         at, less, same, positive, e] = s;
  const view<float> out = y.subview(0, 16);
  e = clwave::fill(q, z, 1.0f, {.after = {e}});
  e = clwave::copy(q, x, out);
  e = clwave::copy(q, x, places, {.saturate = true, .after = {e}});
  e = clwave::copy(q, x, out, {.width = 3, .height = 4}, {.in = {.row = 4}, .out = {.row = 4}, .after = {e}});
  e = clwave::copy_ranges(q, x, offsets, offsets, out, offsets);
  e = clwave::copy_ranges(q, x, offsets, offsets, out, offsets, {.after = {e}});
  e = clwave::copy_ranges(q, x, offsets, offsets, out, offsets, bad, {.after = {e}});
  clwave::checked_copy_ranges(q, x, keys.subview(0, 2), keys.subview(0, 2), out, keys.subview(0, 2),
                              {.after = {e}});
#if __has_include(<clwave/histogram.hpp>)
  e = clwave::histogram(q, x, places, clwave::even{0, 16}, {.after = {e}});
  e = clwave::histogram(q, x, places.subview(0, 2), std::array{0, 4, 10}, {.channels = 1, .after = {e}});
  clwave::histogram(q, clwave::sharded<float>{{q, x}}, places, clwave::even{0, 16}, {.after = {e}});
#endif
#if __has_include(<clwave/transpose.hpp>)
  e = clwave::transpose(q, x, out, {.rows = 2, .columns = 8}, {.after = {e}});
  e = clwave::transpose_in_place(q, out, {.rows = 4, .columns = 4}, {.after = {e}});
#endif
#if __has_include(<clwave/gemm.hpp>)
  e = clwave::gemm(q, {4, 4, 4}, x, x, out);
  e = clwave::gemm(q, {4, 4, 4}, x, x, out, {.beta = 1, .after = {e}});
#endif
#if __has_include(<clwave/transform.hpp>)
  e = clwave::transform(q, x, out, clwave::square);
  e = clwave::transform(q, x, out, {.name = "twice", .source = "2 * x"}, {.after = {e}});
  e = clwave::transform(q, x, x, out, clwave::product, {.after = {e}});
#endif
  e.wait();
}

// A call on parts or of the host's arrays has the host wait, for events of any context.
TEST_CASE("calls on sharded arrays and of the host's arrays wait for what comes before them") {
  scene s;
  cl::UserEvent failed(s.on.context);
  failed.setStatus(-1);
  const clwave::sharded<float> cut{{s.queue, s.x}};
  const std::vector<float> host(16, 2.0f);
  const std::vector<std::function<void()>> calls {
    [&] { clwave::reduce(cut, {.after = {failed}}); }, [&] { clwave::argmax(cut, {.after = {failed}}); },
        [&] { clwave::reduce(s.queue, clwave::host_array(host), {.after = {failed}}); },
#if __has_include(<clwave/sharded_scan.hpp>)
        [&] { clwave::inclusive_scan(cut, cut, {.after = {failed}}); },
#endif
  };
  for (const auto& call : calls) CHECK(failure_from(call) == clwave::failure::device_lost);
  CHECK(clwave::reduce(s.queue, s.x) == 57.0f);  // nothing was written
}

// The three fields of a launch are an aggregate's last ones.
template <clwave::call_options Options>
bool ends_with_a_launch() {
  const Options all;
  const auto* const first = reinterpret_cast<const unsigned char*>(&all);
  const auto at = [&](const auto& field) { return reinterpret_cast<const unsigned char*>(&field) - first; };
  const std::ptrdiff_t end = at(all.workspace) + static_cast<std::ptrdiff_t>(sizeof all.workspace);
  return at(all.after) < at(all.with_event) && at(all.with_event) < at(all.workspace) &&
         static_cast<std::ptrdiff_t>(sizeof all) - end < static_cast<std::ptrdiff_t>(alignof(Options));
}

TEST_CASE("options end with those of the launch") {
  CHECK(ends_with_a_launch<launch_options>());
  CHECK(ends_with_a_launch<clwave::copy_options>());
  CHECK(ends_with_a_launch<clwave::pitch_options>());
  CHECK(ends_with_a_launch<clwave::matrix_options>());
  CHECK(ends_with_a_launch<clwave::sort_options>());
  CHECK(ends_with_a_launch<clwave::ordered_options>());
#if __has_include(<clwave/scan.hpp>)
  CHECK(ends_with_a_launch<clwave::scan_options<float>>());
#endif
#if __has_include(<clwave/top_k.hpp>)
  CHECK(ends_with_a_launch<clwave::top_k_options>());
#endif
#if __has_include(<clwave/histogram.hpp>)
  CHECK(ends_with_a_launch<clwave::histogram_options>());
#endif
#if __has_include(<clwave/gemm.hpp>)
  CHECK(ends_with_a_launch<clwave::gemm_options>());
#endif
}

}  // namespace
}  // namespace testing::least_calls_test
