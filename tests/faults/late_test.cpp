// A driver that takes its time: each entry point of OpenCL comes back late once, while another thread makes
// the same call; and commands that do not end before a test lets them.
#include <chrono>
#include <cstdio>
#include <future>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "faults.hpp"
#include "harness/calls.hpp"
#include "harness/devices.hpp"

namespace {

using testing::buffers;
using testing::bytes;
using testing::default_fixture;
using testing::event_call;
using testing::fixture;
using testing::on_device;
using testing::value_call;

constexpr unsigned seed = 6;
constexpr auto delay = std::chrono::milliseconds(2);
constexpr unsigned most_calls = 3;  // of each entry point

// Both calls, of which one meets the delay, are right. Returns whether it came.
template <class Right>
bool both_right(const fixture& on, const std::string& entry, unsigned kth, const Right& is_right) {
  const cl::CommandQueue first = on.new_queue(), second = on.new_queue();
  faults::arm_late(entry, kth, delay);
  auto other = std::async(std::launch::async, [&] { return is_right(second); });
  const bool right = is_right(first);
  CHECK(other.get());
  CHECK(right);
  return faults::disarm();
}

// Makes each of the first calls of each entry point late, where the library has the program (`cold`: where it
// has nothing yet of the context). Returns how many delays came.
template <class Right>
std::size_t sweep(const fixture& on, const std::string& name, bool cold, const Right& is_right) {
  if (cold) clwave::release(on.context);
  faults::take_counts();
  CHECK(is_right(on.new_queue()));
  std::size_t n = 0;
  for (const auto& counted : faults::take_counts()) {
    const auto& entry = counted.first;  // messages below cannot name a structured binding
    const auto count = counted.second;
    for (unsigned kth = 1; kth <= std::min(count, most_calls); ++kth) {
      INFO(name, ": call ", kth, " of ", entry, " is late");
      if (cold) clwave::release(on.context);
      if (both_right(on, entry, kth, is_right)) ++n;
    }
  }
  return n;
}

TEST_CASE_FIXTURE(on_device, "calls of the driver that come back late, and others beside them") {
  std::size_t warm = 0, cold = 0;
  const auto take = [&](const std::string& name, const auto& is_right) {
    warm += sweep(on, name, false, is_right);
    cold += sweep(on, name, true, is_right);
  };
  testing::sample some(6);
  for (const event_call& call : testing::event_calls()) {
    if (!some.takes_next()) continue;
    const auto expected = expected_of(on, call, seed);
    take(call.name, [&](const cl::CommandQueue& queue) {
      const buffers operands = buffers_for(on, call.operands, seed);
      call.start(queue, operands, false, {}).wait();
      return contents(on, call.operands, operands) == expected;
    });
  }
  for (const value_call& call : testing::blocking_calls()) {
    if (!some.takes_next()) continue;
    const auto expected = expected_of(on, call, seed);
    take(call.name + ", for its value", [&](const cl::CommandQueue& queue) {
      const buffers operands = buffers_for(on, call.operands, seed);
      return call.value(queue, operands, false, {}) == expected &&
             (!call.later || call.later(queue, operands, false, {}).get() == expected);
    });
  }
  std::printf("late: %zu delays with the program there, %zu in first calls\n", warm, cold);
  CHECK(warm > 100);
  CHECK(cold > 100);
}

// Commands of one queue that wait until the object is destroyed.
class held_queue {
 public:
  explicit held_queue(const fixture& on) : queue(on.new_queue()), until_(on) {
    faults::hold(queue(), until_.event()());
  }
  ~held_queue() { open(); }
  held_queue(const held_queue&) = delete;
  held_queue& operator=(const held_queue&) = delete;
  // Commands that are given later are not held.
  void open() {
    faults::hold(nullptr, nullptr);
    until_.open();
  }

  cl::CommandQueue queue;

 private:
  testing::gate until_;
};

TEST_CASE_FIXTURE(on_device, "commands that do not end hold up nobody but who waits for them") {
  std::size_t n = 0;
  for (const event_call& call : testing::event_calls()) {
    CAPTURE(call.name);
    const auto expected = expected_of(on, call, seed);
    const buffers operands = buffers_for(on, call.operands, seed);
    const auto before = contents(on, call.operands, operands);
    held_queue held(on);
    const clwave::event done = call.start(held.queue, operands, false, {});
    held.queue.flush();
    // Calls go on beside it, the library's memory among what they share.
    const buffers others = buffers_for(on, call.operands, seed);
    call.start(on.queue, others, false, {}).wait();
    CHECK(contents(on, call.operands, others) == expected);
    CHECK_FALSE(done.done());
    CHECK(contents(on, call.operands, operands) == before);
    clwave::trim();
    held.open();
    done.wait();
    CHECK(contents(on, call.operands, operands) == expected);
    ++n;
  }
  for (const value_call& call : testing::blocking_calls()) {
    CAPTURE(call.name);
    const auto expected = expected_of(on, call, seed);
    const buffers operands = buffers_for(on, call.operands, seed);
    held_queue held(on);
    if (!call.later) {
      auto waits =
          std::async(std::launch::async, [&] { return call.value(held.queue, operands, false, {}); });
      CHECK(waits.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
      CHECK(call.value(on.queue, buffers_for(on, call.operands, seed), false, {}) == expected);
      CHECK(waits.wait_for(std::chrono::milliseconds(0)) == std::future_status::timeout);
      held.open();
      CHECK(waits.get() == expected);
      ++n;
      continue;
    }
    {
      const auto dropped = call.later(held.queue, operands, false, {});
      CHECK_FALSE(dropped.done());
    }
    const auto later = call.later(held.queue, operands, false, {});
    held.queue.flush();
    auto waits = std::async(std::launch::async, [&] { return later.get(); });
    CHECK(call.value(on.queue, operands, false, {}) == expected);
    CHECK_FALSE(later.done());
    CHECK(waits.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout);
    held.open();
    CHECK(waits.get() == expected);
    ++n;
  }
  std::printf("held: %zu calls\n", n);
}

}  // namespace
