// Calls of all primitives from many threads at once, on queues that they share and on queues of their own;
// and from a process that was forked.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/calls.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"

namespace testing::threads_test {
namespace {

constexpr unsigned seed = 4;
constexpr std::size_t n_threads = 8;

// All calls, what they give, and the inputs of those that block, which all threads share.
struct known_results {
  std::vector<event_call> events = event_calls();
  std::vector<value_call> values = blocking_calls();
  std::vector<std::vector<bytes>> of_events;
  std::vector<bytes> of_values;
  std::vector<buffers> shared;

  explicit known_results(const fixture& on) {
    for (const event_call& call : events) of_events.push_back(expected_of(on, call, seed));
    for (const value_call& call : values) {
      of_values.push_back(expected_of(on, call, seed));
      shared.push_back(buffers_for(on, call.operands, seed));
    }
  }

  // The shared buffers of a call that blocks; of what it writes, one for the caller alone.
  buffers inputs_of(const fixture& on, std::size_t value) const {
    buffers given = shared[value];
    for (std::size_t k = 0; k < given.size(); ++k) {
      const call_operand& each = values[value].operands[k];
      if (each.use != access::reads) given[k] = on.buffer_of(each.bytes(seed));
    }
    return given;
  }
};

// Runs wrong(thread), which returns the names of the calls that were wrong, in so many threads at once.
template <class Wrong>
void check_in_threads(std::size_t n_threads, const Wrong& wrong) {
  std::vector<std::string> found(n_threads);
  std::barrier together(static_cast<std::ptrdiff_t>(n_threads));
  std::vector<std::thread> pool;
  for (std::size_t thread = 0; thread < n_threads; ++thread) {
    pool.emplace_back([&, thread] {
      together.arrive_and_wait();
      try {
        found[thread] = wrong(thread);
      } catch (const std::exception& thrown) {
        found[thread] = thrown.what();
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  for (const std::string& each : found) CHECK(each == "");
}

// Every call once, beginning at another one in each thread. Returns the names of those that were wrong.
std::string wrong_calls(const fixture& on, const cl::CommandQueue& queue, const known_results& known,
                        std::size_t thread) {
  std::string wrong;
  const std::size_t n_events = known.events.size();
  const std::size_t n_values = known.values.size();
  std::vector<buffers> operands(n_events);
  std::vector<clwave::event> done(n_events);
  for (std::size_t k = 0; k < n_events; ++k) {
    const std::size_t which = (k + 5 * thread) % n_events;
    operands[which] = buffers_for(on, known.events[which].operands, seed);
    done[which] = known.events[which].start(queue, operands[which], false, {});
    const std::size_t value = (k + thread) % n_values;
    if (known.values[value].value(queue, known.inputs_of(on, value), false, {}) != known.of_values[value])
      wrong += known.values[value].name + "; ";
  }
  for (std::size_t k = 0; k < n_events; ++k) {
    done[k].wait();
    if (contents(on, known.events[k].operands, operands[k]) != known.of_events[k])
      wrong += known.events[k].name + "; ";
  }
  return wrong;
}

TEST_CASE_FIXTURE(on_device,
                  "threads call every primitive at once, on one queue and on queues of their own") {
  const known_results known(on);
  const bool unordered = on.facts.out_of_order_queue.value_or(false);
  sample some(unordered ? 4 : 2);
  for (const cl_command_queue_properties kind : {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE}) {
    if (kind != 0 && !unordered) continue;
    for (const bool own : {false, true}) {
      if (!some.takes_next()) continue;
      CAPTURES(kind, own);
      std::vector<cl::CommandQueue> queues;
      for (std::size_t k = 0; k < (own ? n_threads : 1); ++k) queues.push_back(on.new_queue(kind));
      check_in_threads(n_threads, [&](std::size_t thread) {
        return wrong_calls(on, queues[thread % queues.size()], known, thread);
      });
    }
  }
}

// Calls as they come, each on the one queue that all threads share or on the thread's own. Returns the names
// of those that were wrong.
std::string wrong_random_calls(const fixture& on, const cl::CommandQueue& shared_queue,
                               const known_results& known, std::size_t n_calls) {
  reference::random_engine random;
  const cl::CommandQueue own_queue = on.new_queue();
  std::string wrong;
  for (std::size_t call = 0; call < n_calls; ++call) {
    const cl::CommandQueue& queue = random.below(2) == 0 ? shared_queue : own_queue;
    if (random.below(4) != 0) {
      const std::size_t which = random.below(known.values.size());
      const value_call& each = known.values[which];
      const bool later = each.later && random.below(2) == 0;
      const auto value = later ? each.later(queue, known.shared[which], false, {}).get()
                               : each.value(queue, known.inputs_of(on, which), false, {});
      if (value != known.of_values[which]) wrong += each.name + (later ? " later; " : "; ");
    } else {
      const std::size_t which = random.below(known.events.size());
      const event_call& each = known.events[which];
      const buffers operands = buffers_for(on, each.operands, seed);
      each.start(queue, operands, false, {}).wait();
      if (contents(on, each.operands, operands) != known.of_events[which]) wrong += each.name + "; ";
    }
  }
  return wrong;
}

// CLWAVE_TEST_CALLS asks for more of them.
TEST_CASE_FIXTURE(on_device, "32 threads with many calls, on one queue and on queues of their own") {
  const known_results known(on);
  const char* const asked = std::getenv("CLWAVE_TEST_CALLS");
  const std::size_t n_calls = asked != nullptr ? std::stoull(asked) : 3200;
  constexpr std::size_t many_threads = 32;
  const cl::CommandQueue queue = on.new_queue();
  check_in_threads(many_threads, [&](std::size_t /*thread*/) {
    return wrong_random_calls(on, queue, known, n_calls / many_threads);
  });
  std::printf("%zu calls from %zu threads\n", n_calls / many_threads * many_threads, many_threads);
}

// Runs f in a child that is forked here, and gives its exit code; -1 where a signal ended it. It has some
// seconds.
template <class F>
int code_of_child(const F& f) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(f());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// 0 where f throws bad_call, as it is to do.
template <class F>
int refused(const F& f) {
  try {
    f();
  } catch (const clwave::error& thrown) {
    return thrown.kind() == clwave::failure::bad_call &&
                   std::string(thrown.what()).find("forked") != std::string::npos
               ? 0
               : 2;
  }
  return 1;
}

TEST_CASE_FIXTURE(on_device,
                  "a process forked after use is refused, and does not hang; its parent works on") {
  const auto events = event_calls();
  const auto values = blocking_calls();
  std::vector<buffers> of_events;
  std::vector<buffers> of_values;
  for (const event_call& call : events) of_events.push_back(buffers_for(on, call.operands, seed));
  for (const value_call& call : values) of_values.push_back(buffers_for(on, call.operands, seed));
  const bytes expected = values[0].value(on.queue, of_values[0], false, {});
  for (std::size_t k = 0; k < events.size(); ++k) {
    CAPTURE(events[k].name);
    CHECK(code_of_child([&] {
            return refused([&] { static_cast<void>(events[k].start(on.queue, of_events[k], false, {})); });
          }) == 0);
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    CAPTURE(values[k].name);
    CHECK(code_of_child([&] {
            return refused([&] { static_cast<void>(values[k].value(on.queue, of_values[k], false, {})); });
          }) == 0);
  }
  CHECK(code_of_child([&] { return refused([] { clwave::select_device(); }); }) == 0);
  CHECK(code_of_child([&] { return refused([&] { clwave::facts_of(on.device()); }); }) == 0);
  gate held(on);
  const clwave::event waiting = events[0].start(on.queue, of_events[0], false, {.after = {held.event()}});
  CHECK(code_of_child([&] { return refused([&] { waiting.wait(); }); }) == 0);
  held.open();
  waiting.wait();
  CHECK(code_of_child([&] {
          clwave::trim();
          clwave::release(on.context);
          return 0;
        }) == 0);
  CHECK(values[0].value(on.queue, of_values[0], false, {}) == expected);
}

}  // namespace
}  // namespace testing::threads_test
