// Shards that are still being written when a call starts, and shards that every call refuses.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/sharded.hpp>

#include "distributed/cut_arrays.hpp"
#include "harness/devices.hpp"
#include "harness/refusals.hpp"

namespace testing {

// Opens the gates of one step after those of another, with a pause before each.
inline std::jthread open_later(std::vector<std::vector<gate*>> steps, int milliseconds = 20) {
  return std::jthread([steps = std::move(steps), milliseconds] {
    for (const std::vector<gate*>& step : steps) {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      for (gate* const each : step) each->open();
    }
  });
}

// The end of what a queue holds.
inline cl::Event marker_of(const cl::CommandQueue& queue, const std::vector<cl::Event>* until = nullptr) {
  cl::Event all;
  queue.enqueueMarkerWithWaitList(until, &all);
  queue.flush();
  return all;
}

// Three results of a call on two shards of `values` each, which are being written meanwhile: the first in its
// queue's order, the second by an event. call(queue, shards, results, cleared) is to wait for `cleared`, too:
// what would else write the results later. The results' queue has a shard or is `alone`.
template <class R, class T, class Call>
std::vector<R> results_behind_gates(cl_command_queue_properties kind, bool alone,
                                    const std::vector<T>& values, const Call& call) {
  const fixture &on = *places()[0], &far = *places()[1];
  const std::size_t n = values.size(), n_bytes = n * sizeof(T);
  const cl::CommandQueue a = on.new_queue(kind), b = far.new_queue(kind), other = on.new_queue();
  const cl::CommandQueue home = alone ? on.new_queue(kind) : a;
  const cl::Buffer x = on.buffer_of(std::vector<T>(n, T(9))), y = far.buffer_of(std::vector<T>(n, T(9)));
  const cl::Buffer results = on.buffer_of(std::vector<R>{1, 2, 3});
  gate here(on), there(far), before(on);
  const std::vector<cl::Event> until_here{here.event()}, until_there{there.event()},
      until_before{before.event()};
  on.write_after(a, x, values.data(), n_bytes, until_here);
  const cl::Event last = far.write_after(b, y, values.data(), n_bytes, until_there);
  const std::vector<R> wrong{7, 7, 7};
  const cl::Event cleared = on.write_after(other, results, wrong.data(), 3 * sizeof(R), until_before);
  a.flush();
  b.flush();
  other.flush();
  std::jthread opener = open_later({{&there, &here}, {&before}});
  const sharded<T> in{{a, view<T>{x, n}}, {b, view<T>{y, n}, {last}}};
  call(home, in, view<R>{results, 3}, cleared);
  opener.join();
  return on.read<R>(results, 3);
}

// Two shards of 100 elements together 200, x on one device and y on another, that call(shards) must refuse.
template <class Call>
void check_refused_shards(const cl::Buffer& x, const cl::Buffer& y, const Call& call) {
  using words = sharded<std::uint32_t>;
  using of = view<std::uint32_t>;
  const fixture &on = *places()[0], &far = *places()[1];
  const words past{{on.queue, of{x, 99}}, {far.queue, of{y, 101}}};
  cl::UserEvent foreign(far.context);
  foreign.setStatus(CL_COMPLETE);
  refuses("there are no shards", [&] { call(words{}); });
  refuses("shard 2 of 2: the queue is null", [&] {
    call(words{{on.queue, of{x, 100}}, {cl_command_queue{nullptr}, of{y, 100}}});
  });
  refuses("shard 1 of 2: the input belongs to another context", [&] {
    call(words{{on.queue, of{y, 100}}, {far.queue, of{y, 100}}});
  });
  refuses("shard 2 of 2: the input ends past its buffer", [&] { call(past); });
  CHECK(error_of([&] { call(past); }).details().device == *far.facts.name);
  refuses("shard 1 of 2: an event to wait for belongs to another context", [&] {
    call(words{{on.queue, of{x, 100}, {foreign}}, {far.queue, of{y, 100}}});
  });
}

}  // namespace testing
