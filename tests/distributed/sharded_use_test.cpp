// sharded: which queues a call on several devices touches, and when.
#include <clwave/sharded.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "harness/devices.hpp"
#include "harness/recorder.hpp"
#include "harness/refusals.hpp"

// A tree may be without one of these primitives (removal_test.py).
#if __has_include(<clwave/sharded_scan.hpp>) && __has_include(<clwave/sharded_histogram.hpp>)
#define SCANS_AND_COUNTS
#include <clwave/sharded_histogram.hpp>
#include <clwave/sharded_scan.hpp>
#endif

namespace testing::sharded_use_test {
namespace {

using clwave::sharded;
using clwave::view;

std::size_t count(const recorder::queue_watch& watch, const cl::CommandQueue& queue, std::string_view shard) {
  const auto used = watch.used();
  const auto found = used.find(queue());
  if (found == used.end()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      found->second, [&](const std::string& entry) { return entry.find(shard) != std::string::npos; }));
}

TEST_CASE("each device's queue gets its own shard, and one the results of all") {
  const fixture here, there;
  const std::size_t n = 10 * clwave::fold_tile, half = n / 2;
  const cl::Buffer x = here.buffer_of(std::vector<float>(n, 1.0f)),
                   y = there.buffer_of(std::vector<float>(n, 1.0f));
  const cl::CommandQueue idle = here.new_queue(), other = here.new_queue();
  // Shards of whole tiles: nothing to put together.
  const sharded<float> whole{{here.queue, view<float>{x, n}},
                             {there.queue, view<float>{y, n - clwave::fold_tile}}};
  const sharded<float> cut{{here.queue, view<float>{x, n - 3}}, {there.queue, view<float>{y, half}}};
  CHECK(clwave::reduce(whole, clwave::max) == 1.0f);
  {
    const recorder::queue_watch watch;
    CHECK(clwave::reduce(whole, clwave::max) == 1.0f);
    CHECK(count(watch, idle, "cl") == 0);
    CHECK(count(watch, there.queue, "clEnqueueNDRangeKernel") == 1);
    CHECK(count(watch, there.queue, "clEnqueueReadBuffer") == 1);
    CHECK(count(watch, there.queue, "clFlush") == 1);
    CHECK(count(watch, there.queue, "clEnqueueWriteBuffer") == 0);
    CHECK(count(watch, here.queue, "clEnqueueNDRangeKernel") == 2);  // its tiles, and the results of all
    CHECK(count(watch, here.queue, "clEnqueueWriteBuffer") == 1);
    CHECK(count(watch, here.queue, "clEnqueueCopyBuffer") == 0);
  }
  {
    const recorder::queue_watch watch;
    CHECK(clwave::reduce(cut, clwave::max) == 1.0f);
    CHECK(count(watch, there.queue, "clEnqueueNDRangeKernel") == 1);
    CHECK(count(watch, there.queue, "clEnqueueReadBuffer") == 2);
    CHECK(count(watch, here.queue, "clEnqueueNDRangeKernel") == 3);
    CHECK(count(watch, here.queue, "clEnqueueWriteBuffer") == 2);
    CHECK(count(watch, here.queue, "clEnqueueCopyBuffer") == 1);  // what its own shard has of the cut tile
  }
  {  // nor do other shards of one queue go through the host
    const sharded<float> near{{here.queue, view<float>{x, n}}, {here.queue, view<float>{x, half + 5}}};
    const recorder::queue_watch watch;
    CHECK(clwave::reduce(near, clwave::max) == 1.0f);
    CHECK(count(watch, here.queue, "clEnqueueNDRangeKernel") == 3);
    CHECK(count(watch, here.queue, "clEnqueueReadBuffer") <= 1);  // of the result
    CHECK(count(watch, here.queue, "clEnqueueWriteBuffer") == 0);
  }
  {  // what another queue of the same device has does
    const sharded<float> near{{here.queue, view<float>{x, n}}, {other, view<float>{x, half}}};
    const recorder::queue_watch watch;
    CHECK(clwave::reduce(near, clwave::max) == 1.0f);
    CHECK(count(watch, other, "clEnqueueNDRangeKernel") == 1);
    CHECK(count(watch, other, "clEnqueueReadBuffer") == 1);
    CHECK(count(watch, here.queue, "clEnqueueWriteBuffer") == 1);
  }
}

TEST_CASE("each device's queue gets its own shard of a sum, and the host has the results of all") {
  const fixture here, there;
  const std::size_t n = 10 * clwave::fold_tile, half = n / 2;
  const cl::Buffer x = here.buffer_of(std::vector<float>(n, 1.0f)),
                   y = there.buffer_of(std::vector<float>(n, 1.0f));
  const sharded<float> whole{{here.queue, view<float>{x, n}},
                             {there.queue, view<float>{y, n - clwave::fold_tile}}};
  const sharded<float> cut{{here.queue, view<float>{x, n - 3}}, {there.queue, view<float>{y, half}}};
  // Kernels that reach the host's memory leave results there themselves.
  const bool reads = !here.facts.host_memory_reached.value_or(false);
  CHECK(clwave::reduce(whole) == static_cast<float>(2 * n - clwave::fold_tile));
  {
    const recorder::queue_watch watch;
    CHECK(clwave::reduce(whole) == static_cast<float>(2 * n - clwave::fold_tile));
    for (const cl::CommandQueue& queue : {here.queue, there.queue}) {
      CHECK(count(watch, queue, "clEnqueueNDRangeKernel") == 1);
      CHECK(count(watch, queue, "clEnqueueReadBuffer") == (reads ? 1 : 0));
      CHECK(count(watch, queue, "clFlush") == (reads ? 2 : 1));
      CHECK(count(watch, queue, "clEnqueueWriteBuffer") == 0);
      CHECK(count(watch, queue, "clEnqueueCopyBuffer") == 0);
    }
  }
  {
    const recorder::queue_watch watch;
    CHECK(clwave::reduce(cut) == static_cast<float>(n - 3 + half));
    CHECK(count(watch, there.queue, "clEnqueueNDRangeKernel") == 1);
    // What it has of the cut tile, and of the last one, which is whole.
    CHECK(count(watch, there.queue, "clEnqueueReadBuffer") == (reads ? 2 : 1));
    CHECK(count(watch, there.queue, "clEnqueueWriteBuffer") == 0);
    CHECK(count(watch, here.queue, "clEnqueueNDRangeKernel") == 2);  // its tiles, and the cut one
    CHECK(count(watch, here.queue, "clEnqueueWriteBuffer") == 1);
    CHECK(count(watch, here.queue, "clEnqueueCopyBuffer") == 1);
  }
}

#ifdef SCANS_AND_COUNTS
TEST_CASE("each device's queue gets its own part of a scan, and one what stands before all tiles") {
  const fixture here, there;
  const std::size_t tile = 16'384, n = 5 * tile;
  const cl::Buffer x = here.buffer_of(std::vector<float>(n, 1.0f)),
                   y = there.buffer_of(std::vector<float>(n, 1.0f));
  // Shards of whole tiles: nothing to put together.
  const sharded<float> whole{{here.queue, view<float>{x, n}}, {there.queue, view<float>{y, n - tile}}};
  const sharded<float> cut{{here.queue, view<float>{x, n - 3}}, {there.queue, view<float>{y, n - 5}}};
  clwave::inclusive_scan(whole, whole);
  clwave::inclusive_scan(cut, cut);
  {
    const recorder::queue_watch watch;
    clwave::inclusive_scan(whole, whole);
    CHECK(count(watch, there.queue, "clEnqueueNDRangeKernel") == 2);  // folds, and results
    CHECK(count(watch, there.queue, "clEnqueueReadBuffer") == 1);
    CHECK(count(watch, there.queue, "clEnqueueWriteBuffer") == 2);  // before tiles, and before stretches
    CHECK(count(watch, there.queue, "clFlush") == 2);
    CHECK(count(watch, here.queue, "clEnqueueNDRangeKernel") == 4);
    CHECK(count(watch, here.queue, "clEnqueueWriteBuffer") == 1);
    CHECK(count(watch, here.queue, "clEnqueueReadBuffer") == 2);
    CHECK(count(watch, here.queue, "clEnqueueCopyBuffer") == 0);
  }
  {
    const recorder::queue_watch watch;
    clwave::inclusive_scan(cut, cut);
    CHECK(count(watch, there.queue, "clEnqueueNDRangeKernel") == 2);
    CHECK(count(watch, there.queue, "clEnqueueReadBuffer") == 2);
    CHECK(count(watch, there.queue, "clEnqueueWriteBuffer") == 3);
    CHECK(count(watch, there.queue, "clEnqueueCopyBuffer") == 2);
    CHECK(count(watch, here.queue, "clEnqueueNDRangeKernel") == 6);  // the cut tile: its fold, and results
    CHECK(count(watch, here.queue, "clEnqueueCopyBuffer") == 2);
  }
}

TEST_CASE("counts of shards go to one queue, whose device need not have a shard") {
  const fixture here, there;
  const std::size_t n = 50'000;
  const cl::Buffer x = here.buffer_of(std::vector<std::uint8_t>(n, 1)),
                   y = there.buffer_of(std::vector<std::uint8_t>(n, 1));
  const cl::Buffer counts = here.buffer_of(std::vector<u32>(4));
  const cl::CommandQueue third = here.new_queue();
  const sharded<std::uint8_t> in{{here.queue, view<std::uint8_t>{x, n}},
                                 {there.queue, view<std::uint8_t>{y, n}}};
  const auto call = [&] { clwave::histogram(third, in, view<u32>{counts, 4}, clwave::even{0, 4}); };
  call();
  const recorder::queue_watch watch;
  call();
  for (const cl::CommandQueue& queue : {here.queue, there.queue}) {
    CHECK(count(watch, queue, "clEnqueueReadBuffer") == 1);
    CHECK(count(watch, queue, "clEnqueueWriteBuffer") == 0);
    CHECK(count(watch, queue, "clFlush") == 1);
  }
  CHECK(count(watch, third, "clEnqueueWriteBuffer") == 2);
  CHECK(count(watch, third, "clEnqueueNDRangeKernel") == 1);
  CHECK(here.read<u32>(counts, 4) == std::vector<u32>{0, 2 * n, 0, 0});
}
#endif

TEST_CASE("shards that are refused touch no queue") {
  const fixture here, there;
  const cl::Buffer x = here.buffer_of(std::vector<float>(100'000, 1.0f)),
                   y = there.buffer_of(std::vector<float>(10));
  const auto untouched = [&](const auto& call) {
    const recorder::queue_watch watch;
    CHECK(refused(call));
    CHECK(count(watch, here.queue, "clEnqueue") == 0);
    CHECK(count(watch, there.queue, "clEnqueue") == 0);
    CHECK(count(watch, here.queue, "clF") == 0);
    CHECK(count(watch, there.queue, "clF") == 0);
  };
  untouched([&] {
    clwave::reduce(sharded<float>{{here.queue, view<float>{x, 100'000}}, {there.queue, view<float>{y, 11}}});
  });
  untouched([&] {
    clwave::reduce(sharded<float>{{here.queue, view<float>{x, 100'000}}, {there.queue, view<float>{x, 10}}});
  });
  untouched([&] {
    const sharded<float> cut{{here.queue, view<float>{x, 100'000}}, {there.queue, view<float>{y, 10}}};
    const sharded<float> otherwise{{here.queue, view<float>{x, 100'000}}, {there.queue, view<float>{y, 9}}};
    clwave::dot(cut, otherwise);
  });
  untouched([&] {
    const sharded<float> cut{{here.queue, view<float>{x, 100'000}}, {there.queue, view<float>{y, 10}}};
    clwave::reduce(cut, clwave::op{.name = "mine", .source = "a + b * k", .values = {{"int", 2}}});
  });
#ifdef SCANS_AND_COUNTS
  untouched([&] {
    const sharded<float> cut{{here.queue, view<float>{x, 50'000}}, {there.queue, view<float>{y, 10}}};
    const sharded<float> near{{here.queue, view<float>{x, 50'000, 1}}, {there.queue, view<float>{y, 10}}};
    clwave::inclusive_scan(cut, near);
  });
  untouched([&] {
    const sharded<float> cut{{here.queue, view<float>{x, 50'000}}, {there.queue, view<float>{y, 11}}};
    const view<u32> counts{x, 4, 60'000};
    clwave::histogram(here.queue, cut, counts, clwave::even{0, 4});
  });
#endif
}

}  // namespace
}  // namespace testing::sharded_use_test

#undef SCANS_AND_COUNTS
