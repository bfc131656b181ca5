// host_array: which queues a stream touches, and with what.
#include <clwave/host_array.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "distributed/host_arrays.hpp"
#include "harness/devices.hpp"
#include "harness/recorder.hpp"
#include "harness/refusals.hpp"

namespace testing::host_array_use_test {
namespace {

std::size_t count_of(const std::multiset<std::string>& entries, std::string_view part) {
  return static_cast<std::size_t>(std::ranges::count_if(
      entries, [&](const std::string& entry) { return entry.find(part) != std::string::npos; }));
}

std::size_t count(const recorder::queue_watch& watch, const cl::CommandQueue& queue, std::string_view part) {
  const auto used = watch.used();
  const auto found = used.find(queue());
  return found == used.end() ? 0 : count_of(found->second, part);
}

// The same of all queues but these.
std::size_t count_elsewhere(const recorder::queue_watch& watch, const std::vector<cl_command_queue>& queues,
                            std::string_view part) {
  std::size_t n = 0;
  for (const auto& [queue, entries] : watch.used())
    if (std::ranges::find(queues, queue) == queues.end()) n += count_of(entries, part);
  return n;
}

float sum(const queues& over, const std::vector<float>& values, const stream_sizes& streaming) {
  return fold_streamed<float>(over, host_array(values), nullptr, clwave::plus, clwave::identity, streaming);
}

}  // namespace

TEST_CASE("pieces are copied on queues of the library's own, and folded on the given ones") {
  const fixture here, there;
  const std::vector<float> values(10 * tile + 5, 1.0f);
  const auto all = static_cast<float>(values.size());
  const cl::CommandQueue idle = here.new_queue();
  for (const bool copies : {false, true}) {
    CAPTURE(copies);
    const stream_sizes streaming{.piece = 2 * tile, .at_once = 2, .always_copies = copies};
    CHECK(sum({here.queue, there.queue}, values, streaming) == all);
    {
      const recorder::queue_watch watch;
      CHECK(sum(here.queue, values, streaming) == all);
      CHECK(count(watch, idle, "cl") == 0);
      CHECK(count(watch, here.queue, "clEnqueueNDRangeKernel") == 6 + 1);  // its pieces, and the results
      CHECK(count(watch, here.queue, "clEnqueueWriteBuffer") == 1);        // of the results of tiles
      CHECK(count(watch, here.queue, "clEnqueueReadBuffer") >= 6);
      CHECK(count_elsewhere(watch, {here.queue()}, "clEnqueueWriteBuffer") == 6);
      CHECK(count_elsewhere(watch, {here.queue()}, "clEnqueueNDRangeKernel") == 0);
    }
    {  // by one thread: what it takes is kept for the next call
      const stream_sizes alone{.piece = 2 * tile, .at_once = 1, .always_copies = copies};
      const auto queues_of_call = [&] {
        const recorder::queue_watch watch;
        CHECK(sum(here.queue, values, alone) == all);
        CHECK(count_elsewhere(watch, {here.queue()}, "clEnqueueMapBuffer") == 0);
        std::vector<cl_command_queue> used;
        for (const auto& each : watch.used()) used.push_back(each.first);
        return used;
      };
      CHECK(sum(here.queue, values, alone) == all);
      const std::vector<cl_command_queue> used = queues_of_call();
      CHECK(used.size() == 2);
      CHECK(queues_of_call() == used);
    }
    {
      const recorder::queue_watch watch;
      CHECK(sum({here.queue, there.queue}, values, streaming) == all);
      CHECK(count(watch, here.queue, "clEnqueueNDRangeKernel") +
                count(watch, there.queue, "clEnqueueNDRangeKernel") ==
            6 + 1);
      CHECK(count(watch, there.queue, "clEnqueueWriteBuffer") == 0);
      CHECK(count_elsewhere(watch, {here.queue(), there.queue()}, "clEnqueueWriteBuffer") == 6);
    }
  }
}

TEST_CASE("streams that are refused touch no queue") {
  const fixture here, there;
  const std::vector<float> values(100'000, 1.0f);
  const auto untouched = [&](const auto& call) {
    const recorder::queue_watch watch;
    CHECK(refused(call));
    for (const cl::CommandQueue& queue : {here.queue, there.queue}) {
      CHECK(count(watch, queue, "clEnqueue") == 0);
      CHECK(count(watch, queue, "clF") == 0);
    }
  };
  untouched([&] {
    clwave::reduce({here.queue, there.queue, cl_command_queue{nullptr}}, host_array(values));
  });
  untouched([&] { clwave::reduce({here.queue, there.queue}, host_array(values), clwave::bit_or); });
  untouched([&] {
    clwave::dot({here.queue, there.queue}, host_array(values), host_array(std::span(values).first(5)));
  });
}

}  // namespace testing::host_array_use_test
