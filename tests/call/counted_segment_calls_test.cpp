// Calls of segments whose number lies on the device: by views, in chains that the host never reads from, and
// as plans; what is refused. All bytes that they leave: counted_segments_test.cpp.
#include <clwave/any_view.hpp>

// All of these, or none.
#if __has_include(<clwave/segmented_reduce.hpp>) && __has_include(<clwave/segmented_scan.hpp>) && \
    __has_include(<clwave/segmented_sort.hpp>) && __has_include(<clwave/top_k.hpp>) && \
    __has_include(<clwave/select.hpp>)

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/segmented_reduce.hpp>
#include <clwave/segmented_scan.hpp>
#include <clwave/segmented_sort.hpp>
#include <clwave/select.hpp>
#include <clwave/top_k.hpp>

#include "harness/devices.hpp"
#include "harness/recorder.hpp"
#include "harness/refusals.hpp"

namespace testing::counted_segment_calls_test {
namespace {

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "calls of segments by views and a count on the device") {
  const std::vector<float> values{3, 1, 2, -4, 5, 0, 7, 6};
  const cl::Buffer x = on.buffer_of(values);
  const cl::Buffer starts = on.buffer_of(std::vector<u32>{0, 3, 3, 6, 8, 99});
  const cl::Buffer numbers = on.buffer_of(std::vector<u64>{9, 4, 100});
  const view<float> in{x, 8};
  const auto offsets = view<u32>{starts, 6}.first_segments(view<const u64>{numbers, 1, 1});
  const auto all = view<const u32>{starts, 6}.first_segments(view<u64>{numbers, 1, 2});
  const guarded_buffer<float> out(on, 8), carried(on, 8), sums(on, 5);
  const guarded_buffer<u64> bad(on, 1);
  const auto first = [](std::vector<float> of, std::size_t many) {
    of.resize(many);
    return of;
  };
  clwave::segmented_reduce(on.queue, in, offsets, sums.view(), bad.view());
  CHECK(first(sums.read_guarded(), 4) == std::vector<float>{6, 0, 1, 13});
  CHECK(bad.read_guarded() == std::vector<u64>{0});
  clwave::segmented_reduce(on.queue, in, all, sums.view(), bad.view(), clwave::max);
  CHECK(sums.read_guarded().at(3) == 7);
  CHECK(bad.read_guarded() == std::vector<u64>{1});
  clwave::checked_segmented_reduce(on.queue, in, offsets, sums.view(), clwave::plus, clwave::square);
  CHECK(first(sums.read_guarded(), 4) == std::vector<float>{14, 0, 41, 85});
  refuses("1 of at most 5 segments are bad",
          [&] { clwave::checked_segmented_reduce(on.queue, in, all, sums.view()); });

  const guarded_buffer<indexed<float>> places(on, 5);
  clwave::segmented_argmin(on.queue, in, offsets, places.view());
  CHECK(places.read_guarded().at(2).index == 0);
  clwave::segmented_argmax(on.queue, in, offsets, places.view());
  CHECK(places.read_guarded().at(2).index == 1);
  const guarded_buffer<clwave::min_and_max<float>> ends(on, 5);
  clwave::segmented_minmax(on.queue, in, offsets, ends.view());
  CHECK(ends.read_guarded().at(0).min == 1);
  const guarded_buffer<clwave::moments<float>> moments(on, 5);
  clwave::segmented_mean_and_variance(on.queue, in, offsets, moments.view());
  CHECK(moments.read_guarded().at(3).mean == 6.5f);

  clwave::segmented_inclusive_scan(on.queue, in, offsets, out.view());
  CHECK(out.read_guarded() == std::vector<float>{3, 4, 6, -4, 1, 1, 7, 13});
  clwave::transform_segmented_exclusive_scan(on.queue, in, offsets, out.view(), bad.view(), clwave::plus,
                                             clwave::square);
  CHECK(out.read_guarded() == std::vector<float>{0, 9, 10, 0, 16, 41, 0, 49});

  clwave::segmented_sort(on.queue, in, offsets, out.view());
  CHECK(out.read_guarded() == std::vector<float>{1, 2, 3, -4, 0, 5, 6, 7});
  clwave::segmented_sort(on.queue, out.view(), offsets, {.descending = true});
  CHECK(out.read_guarded() == std::vector<float>{3, 2, 1, 5, 0, -4, 7, 6});
  clwave::checked_segmented_sort_by_key(on.queue, in, in, offsets, out.view(), carried.view());
  CHECK(carried.read_guarded() == std::vector<float>{1, 2, 3, -4, 0, 5, 6, 7});
  refuses("1 of at most 5 segments are bad",
          [&] { clwave::checked_segmented_sort(on.queue, in, all, out.view()); });

  const guarded_buffer<float> largest(on, 5);
  const guarded_buffer<u32> where(on, 5);
  clwave::segmented_top_k(on.queue, in, offsets, largest.view(), where.view(), 1);
  CHECK(largest.read_guarded().at(3) == 7);
  CHECK(where.read_guarded().at(2) == 4);
  refuses("1 of at most 5 segments are bad",
          [&] { clwave::checked_segmented_top_k(on.queue, in, all, largest.view(), where.view(), 1); });
}

TEST_CASE_FIXTURE(on_device,
                  "what goes on with runs reads, waits for and flushes nothing, on either kind of queue") {
  constexpr std::size_t n = 20'000;
  std::vector<u32> words(n), values(n);
  for (std::size_t i = 0; i < n; ++i) {
    words[i] = i > 0 && random.below(9) != 0 ? words[i - 1] : static_cast<u32>(random.below(5));
    values[i] = static_cast<u32>(random());
  }
  std::vector<u64> starts;
  std::vector<u32> totals, sums(n), sorted = values;
  for (std::size_t i = 0; i < n; ++i) {
    const bool begins = i == 0 || words[i] != words[i - 1];
    if (begins) starts.push_back(i);
    if (begins) totals.push_back(0);
    sums[i] = totals.back() += values[i];
  }
  starts.push_back(n);
  for (std::size_t s = 0; s + 1 < starts.size(); ++s)
    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(starts[s]),
              sorted.begin() + static_cast<std::ptrdiff_t>(starts[s + 1]));

  const cl::Buffer late = on.buffer_of(words), x = on.buffer_of(values);
  for (const bool out_of_order : {false, true}) {
    CAPTURE(out_of_order);
    const cl::CommandQueue queue = on.new_queue(out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
    const cl::Buffer keys = on.buffer_of(std::vector<u32>(n, 7));
    const guarded_buffer<u64> offsets(on, n + 1);
    const guarded_buffer<u32> folds(on, n), scans(on, n), sorts(on, n);
    const cl::Buffer number = on.buffer_of(std::vector<u64>{5, 1ull << 40});
    const view<u64> count{number, 1, 1};
    std::map<cl_command_queue, std::multiset<std::string>> used;
    // The first time programs are built, and workspace is made for calls that all wait.
    for (const bool first_time : {true, false}) {
      // The keys come late: until then nothing of the chain may have run.
      gate closed(on);
      cl::Event there;
      const std::vector<cl::Event> before{closed.event()};
      queue.enqueueCopyBuffer(late, keys, 0, 0, n * sizeof(u32), &before, &there);
      const recorder::queue_watch watch;
      const view<u32> in{x, n};
      const clwave::event runs =
          clwave::run_offsets(queue, view<u32>{keys, n}, offsets.view(), count, {.after = {there()}});
      const auto of_runs = offsets.view().first_segments(count);
      clwave::event last = clwave::segmented_reduce(queue, in, of_runs, folds.view(), {.after = {runs}});
      last = clwave::segmented_inclusive_scan(queue, in, of_runs, scans.view(), {.after = {runs}});
      last = clwave::segmented_sort(queue, in, of_runs, sorts.view(), {.after = {last}});
      if (!first_time) used = watch.used();
      closed.open();
      last.wait();
      queue.finish();
    }
    REQUIRE(used.size() == 1);
    CHECK(used.begin()->first == queue());
    for (const std::string& entry : used.begin()->second) CHECK(entry == "clEnqueueNDRangeKernel");
    CHECK(on.read<u64>(number, 2) == std::vector<u64>{5, totals.size()});
    std::vector<u32> folded = folds.read_guarded();
    folded.resize(totals.size());
    CHECK(folded == totals);
    CHECK(scans.read_guarded() == sums);
    CHECK(sorts.read_guarded() == sorted);
  }
}

TEST_CASE("plans say that the device counts the segments, and go by all that there may be") {
  const any_view number(element_of<u32>(), 1);
  const clwave::plan_target on{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 132};
  const any_view offsets(element_of<u64>(), 5001);
  const auto check = [&](auto problem) {
    const call_plan plain = clwave::plan(problem, on);
    const auto count_of = [](auto& all) -> const any_view*& {
      if constexpr (requires { all.offsets->count; })
        return all.offsets->count;
      else
        return all.offsets.count;
    };
    count_of(problem) = &number;
    const call_plan counted = clwave::plan(problem, on);
    CHECK(contains(counted.variant, "as many segments as the device says"));
    CHECK_FALSE(contains(plain.variant, "as the device says"));
    CHECK(counted.kernels.size() == plain.kernels.size());
    CHECK(counted.workspace_bytes == plain.workspace_bytes);
    CHECK(counted.modules == plain.modules);
    for (std::size_t k = 0; k < counted.kernels.size(); ++k)
      CHECK(counted.kernels[k].groups == plain.kernels[k].groups);
  };
  const element& f32 = element_of<float>();
  check(clwave::segmented_reduce_problem{
      .in = {f32, 500'000}, .offsets = offsets, .out = {f32, 5000}, .segments = 5000});
  check(clwave::segmented_scan_problem{
      .in = {f32, 500'000}, .offsets = offsets, .out = {f32, 500'000}, .segments = 5000});
  check(clwave::segmented_scan_problem{
      .in = {f32, 50'000}, .offsets = offsets, .out = {f32, 50'000}, .segments = 5000});
  check(clwave::sort_problem{.keys = {f32, 500'000}, .keys_out = any_view(f32, 500'000), .offsets = offsets});
  check(clwave::segmented_top_k_problem{.in = {f32, 500'000},
                                        .offsets = offsets,
                                        .values = {f32, 50'000},
                                        .indices = {element_of<u32>(), 50'000},
                                        .k = 10});
}

TEST_CASE_FIXTURE(on_device, "what cannot be a number of segments is refused, and one where none is taken") {
  const fixture other(on.device());
  const guarded_buffer<float> x(on, 100), out(on, 100);
  const guarded_buffer<u32> where(on, 100);
  const cl::Buffer starts = on.buffer_of(std::vector<u32>{0, 10, 20, 30, 40});
  const cl::Buffer numbers = on.buffer_of(std::vector<u64>{2, 3}),
                   floats = on.buffer_of(std::vector<float>(2)),
                   foreign = other.buffer_of(std::vector<u64>{2});
  const auto check = [&](const any_view& count, const char* why) {
    any_view offsets(starts(), 5, 0, &element_of<u32>());
    offsets.count = &count;
    const any_view in = x.view(), results = out.view();
    refuses(why, [&] {
      clwave::segmented_reduce(
          on.queue(), clwave::segmented_reduce_problem{.in = in, .offsets = offsets, .out = results});
    });
    refuses(why, [&] {
      clwave::segmented_scan(on.queue(),
                             clwave::segmented_scan_problem{.in = in, .offsets = offsets, .out = results});
    });
    const clwave::sort_problem sort{.keys = in, .keys_out = results, .offsets = offsets};
    refuses(why, [&] { clwave::sort(on.queue(), sort); });
    refuses(why, [&] { clwave::checked_segmented_sort(on.queue(), sort); });
    clwave::sort_problem by_key = sort;
    const clwave::key_list key{clwave::by<float>({.name = "far", .source = "fabs(x)"})};
    by_key.by = key.keys();
    refuses(why, [&] { clwave::sort(on.queue(), by_key); });
    refuses(why, [&] {
      clwave::segmented_top_k(
          on.queue(), clwave::segmented_top_k_problem{
                          .in = in, .offsets = offsets, .values = results, .indices = where.view(), .k = 2});
    });
  };
  check(view<u64>{numbers, 2}, "the count of the segments is a view of 2 numbers");
  check(view<float>{floats, 1}, "a count of elements of f32");
  check(view<std::int64_t>{numbers, 1}, "a count of elements of i64");
  check(view<u64>{foreign, 1}, "the count of the segments belongs to another context");
  check(view<u64>{numbers, 1, 2}, "the count of the segments ends past its buffer");
  check(view<u64>{out.buffer(), 1, 65}, "the count of the segments overlap");
  check(any_view(nullptr, 1, 0, &element_of<u64>()), "the count of the segments has a null buffer");
  const any_view number = view<u64>{numbers, 1};
  any_view counted = number;
  counted.count = &number;
  check(counted, "this call takes no count on the device for the count of the segments");
  any_view elements = x.view();
  elements.count = &number;
  refuses("this call takes no count on the device for the input", [&] {
    clwave::segmented_reduce(
        on.queue(),
        clwave::segmented_reduce_problem{.in = elements, .offsets = view<u32>(starts, 5), .out = out.view()});
  });
  CHECK(out.intact());
  CHECK(where.intact());
}

}  // namespace testing::counted_segment_calls_test

#endif
