// Which queues a call touches, and how: it gives commands to its own queue only, flushes nothing unless it
// blocks, runs on queues of every kind, and leaves nothing behind. Over all primitives.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/calls.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/library_calls.hpp"
#include "harness/quick.hpp"
#include "harness/recorder.hpp"

namespace testing::queue_use_test {
namespace {

constexpr unsigned seed = 3;

// Queues of each kind that the device has, two of each. Calls have used them, and may still.
std::vector<cl::CommandQueue> busy_queues(const fixture& on) {
  std::vector<cl::CommandQueue> all;
  for (int k = 0; k < 2; ++k) {
    all.push_back(on.new_queue());
    all.push_back(on.new_queue(CL_QUEUE_PROFILING_ENABLE));
    if (on.facts.out_of_order_queue.value_or(false))
      all.push_back(on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
  }
  return all;
}

using uses = std::map<cl_command_queue, std::multiset<std::string>>;

// Whether a queue of the user's other than `own` was touched.
bool touches_others(const uses& used, const std::vector<cl::CommandQueue>& queues, cl_command_queue own) {
  return std::ranges::any_of(queues,
                             [&](const auto& each) { return each() != own && used.contains(each()); });
}

// How often an entry point whose name has `part` in it was given the queue.
std::size_t count(const uses& used, cl_command_queue queue, std::string_view part) {
  const auto found = used.find(queue);
  if (found == used.end()) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      found->second, [&](const std::string& entry) { return entry.find(part) != std::string::npos; }));
}

TEST_CASE_FIXTURE(on_device,
                  "a call gives commands to its own queue only, and flushes it only where it blocks") {
  const std::vector<cl::CommandQueue> queues = busy_queues(on);
  const auto event_calls = testing::event_calls();
  std::vector<buffers> operands;
  operands.reserve(event_calls.size());
  for (const event_call& call : event_calls) operands.push_back(buffers_for(on, call.operands, seed));
  // What a call may be tempted by: workspace that other queues still use, with events and without.
  const auto keep_busy = [&] {
    for (std::size_t k = 0; k < queues.size(); ++k) {
      event_calls[1].start(queues[k], operands[1], false, {.with_event = k % 2 == 0});
    }
  };
  sample some(3);
  for (std::size_t c = 0; c < event_calls.size(); ++c) {
    if (!some.takes_next()) continue;
    const event_call& call = event_calls[c];
    CAPTURE(call.name);
    for (const bool with_event : {true, false}) {
      for (const bool empty : {false, true}) {
        CAPTURES(with_event, empty);
        for (const cl::CommandQueue& queue : queues) {
          keep_busy();
          uses used;
          {
            const recorder::queue_watch watch;
            call.start(queue, operands[c], empty, {.with_event = with_event});
            used = watch.used();
          }
          CHECK_FALSE(touches_others(used, queues, queue()));
          if (!empty) CHECK(count(used, queue(), "clEnqueueNDRangeKernel") > 0);
          CHECK(count(used, queue(), "clFlush") == 0);
          CHECK(count(used, queue(), "clFinish") == 0);
        }
      }
    }
    for (const cl::CommandQueue& queue : queues) queue.finish();
  }
  for (const value_call& call : value_calls()) {
    if (!some.takes_next()) continue;
    CAPTURE(call.name);
    const auto expected = expected_of(on, call, seed);
    const buffers own = buffers_for(on, call.operands, seed);
    for (const cl::CommandQueue& queue : queues) {
      keep_busy();
      const recorder::queue_watch watch;
      CHECK(call.value(queue, own, false, {}) == expected);
      const uses used = watch.used();
      CHECK_FALSE(touches_others(used, queues, queue()));
      CHECK(count(used, queue(), "clEnqueueNDRangeKernel") > 0);
      // Its queue is flushed by clFlush, by clFinish, or by the wait for the event of a read.
      CHECK(count(used, queue(), "clFlush") + count(used, queue(), "clFinish") +
                count(used, queue(), "clEnqueueReadBuffer") >
            0);
    }
    for (const cl::CommandQueue& queue : queues) {
      keep_busy();
      uses used;
      std::optional<future_bytes> value;
      {
        const recorder::queue_watch watch;
        value = call.later(queue, own, false, {});
        used = watch.used();
      }
      CHECK_FALSE(touches_others(used, queues, queue()));
      CHECK(count(used, queue(), "clEnqueueNDRangeKernel") > 0);
      CHECK(count(used, queue(), "clFlush") + count(used, queue(), "clFinish") == 0);
      // The value is fetched without a command to any queue of the user's.
      const recorder::queue_watch watch;
      CHECK(value->get() == expected);
      CHECK_FALSE(touches_others(watch.used(), queues, nullptr));
    }
  }
  for (const cl::CommandQueue& queue : queues) queue.finish();
}

TEST_CASE("to release and to trim touches no queue of the user's, busy ones included") {
  for (const bool release : {true, false}) {
    fixture on;
    const std::vector<cl::CommandQueue> queues = busy_queues(on);
    const auto calls = event_calls();
    const buffers operands = buffers_for(on, calls[1].operands, seed);
    for (const cl::CommandQueue& queue : queues)
      calls[1].start(queue, operands, false, {.with_event = false});
    const recorder::queue_watch watch;
    if (release)
      clwave::release(on.context);
    else
      clwave::trim();
    CHECK_FALSE(touches_others(watch.used(), queues, nullptr));
    for (const cl::CommandQueue& queue : queues) queue.finish();
  }
}

TEST_CASE("the watch knows every entry point by which the library uses a queue") {
  const std::vector<std::string> watched = recorder::watched_entries();
  for (const std::string& name : opencl_calls_of_library()) {
    CAPTURE(name);
    if (name.starts_with("clEnqueue") || name == "clFlush" || name == "clFinish")
      CHECK(std::ranges::find(watched, name) != watched.end());
  }
}

TEST_CASE_FIXTURE(on_device, "queues that profile: results as ever, and each event has its times") {
  const cl::CommandQueue queue = on.new_queue(CL_QUEUE_PROFILING_ENABLE);
  sample some(3);
  for (const event_call& call : event_calls()) {
    if (!some.takes_next()) continue;
    CAPTURE(call.name);
    const auto expected = expected_of(on, call, seed);
    const buffers operands = buffers_for(on, call.operands, seed);
    const clwave::event done = call.start(queue, operands, false, {});
    done.wait();
    CHECK(contents(on, call.operands, operands) == expected);
    cl_ulong queued = 0;
    cl_ulong ended = 0;
    CHECK(clGetEventProfilingInfo(done.get(), CL_PROFILING_COMMAND_QUEUED, sizeof queued, &queued, nullptr) ==
          CL_SUCCESS);
    CHECK(clGetEventProfilingInfo(done.get(), CL_PROFILING_COMMAND_END, sizeof ended, &ended, nullptr) ==
          CL_SUCCESS);
    CHECK(ended > queued);
  }
  for (const value_call& call : value_calls()) {
    if (!some.takes_next()) continue;
    CAPTURE(call.name);
    CHECK(call.value(queue, buffers_for(on, call.operands, seed), false, {}) == expected_of(on, call, seed));
  }
}

// The bytes that this process has in memory, where the system tells.
u64 resident_bytes() {
  std::ifstream status("/proc/self/statm");
  u64 pages = 0, resident = 0;
  status >> pages >> resident;
  return resident * 4096;
}

// A call leaves nothing behind: not in the process, nor in what the library keeps.
TEST_CASE("very many calls leave no memory") {
  const fixture on;
  const bool is_gpu = on.device.getInfo<CL_DEVICE_TYPE>() == CL_DEVICE_TYPE_GPU;
  const std::size_t n_calls = is_gpu ? 1'000'000 : 12'000;
  const std::vector<event_call> calls = event_calls();
  std::vector<buffers> operands;
  for (const event_call& each : calls) operands.push_back(buffers_for(on, each.operands, seed));
  const auto round = [&](std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t which = k % calls.size();
      calls[which].start(on.queue, operands[which], false, {.with_event = false});
      if (k % 500 == 499) on.queue.finish();
    }
    on.queue.finish();
  };
  round(3000);
  const u64 before = resident_bytes();
  round(n_calls);
  const u64 after = resident_bytes();
  CAPTURES(before, after);
  // A byte a call is what no leak of an object stays below.
  CHECK(after < before + (u64{4} << 20) + n_calls);
}

}  // namespace
}  // namespace testing::queue_use_test
