// Chains of calls over several queues that nothing but their events orders: the same results as of the same
// calls one after the other.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/calls.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing::chains_test {
namespace {

using clwave::detail::access;

constexpr std::size_t n_of_buffer = 40000;  // as many words as any call takes
constexpr std::size_t n_buffers = 7;
constexpr int calls_of_chain = 12;

// A call of a chain: which of the pool's buffers it is given, and on which queue.
struct step {
  const event_call* call = nullptr;
  std::vector<std::size_t> operands;
  std::size_t queue = 0;
};

std::vector<step> random_chain(const std::vector<event_call>& calls, std::size_t n_queues,
                               reference::random_engine& random) {
  std::vector<step> chain;
  for (int k = 0; k < calls_of_chain; ++k) {
    step next;
    next.call = &calls[random.below(calls.size())];
    std::vector<std::size_t> all(n_buffers);
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::shuffle(all.begin(), all.end(), random);
    next.operands.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(next.call->operands.size()));
    next.queue = random.below(n_queues);
    chain.push_back(next);
  }
  return chain;
}

buffers pool_of(const fixture& on) {
  buffers pool;
  for (unsigned k = 0; k < n_buffers; ++k) pool.push_back(on.buffer_of(call_operand{n_of_buffer}.bytes(k)));
  return pool;
}

buffers chosen(const buffers& pool, const step& of) {
  buffers given;
  for (const std::size_t which : of.operands) given.push_back(pool[which]);
  return given;
}

// The calls that use a buffer, by their places in the chain: the last one that wrote it, and those that read
// what that wrote.
struct users {
  std::vector<std::size_t> writer;
  std::vector<std::size_t> readers;
};

// Starts all of a chain's calls. Each waits for the event of the call that wrote what it takes, and for those
// that use what it writes. Nothing runs before `held` is open, so that a call which does not wait for all
// that it was given runs too early, and is seen.
std::vector<clwave::event> start(const std::vector<step>& chain, const buffers& pool,
                                 const std::vector<cl::CommandQueue>& queues, const cl::Event& held) {
  std::vector<clwave::event> done;
  std::vector<users> of_buffer(n_buffers);
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const step& each = chain[k];
    std::vector<cl_event> before{held()};
    const auto wait_for = [&](const std::vector<std::size_t>& calls) {
      for (const std::size_t call : calls) before.push_back(done[call].get());
    };
    for (std::size_t j = 0; j < each.operands.size(); ++j) {
      users& of = of_buffer[each.operands[j]];
      wait_for(of.writer);
      if (each.call->operands[j].use == access::reads) {
        of.readers.push_back(k);
      } else {
        wait_for(of.readers);
        of = {.writer = {k}, .readers = {}};
      }
    }
    done.push_back(each.call->start(queues[each.queue], chosen(pool, each), false, {.after = before}));
  }
  for (const cl::CommandQueue& queue : queues) queue.flush();
  return done;
}

std::string told(const std::vector<step>& chain) {
  std::string text;
  for (const step& each : chain) {
    text += each.call->name + " (";
    for (const std::size_t operand : each.operands) text += " " + std::to_string(operand);
    text += " ) on " + std::to_string(each.queue) + "; ";
  }
  return text;
}

TEST_CASE_FIXTURE(on_device, "chains of calls over several queues, ordered by their events alone") {
  std::vector<event_call> calls;
  sample some(3);
  for (const event_call& call : event_calls()) {
    // Of equal indices, which calls before may leave, a scatter does not promise which one's element stands.
    if (!call.name.starts_with("scatter") && some.takes_next()) calls.push_back(call);
  }
  std::vector<cl_command_queue_properties> kinds{0, CL_QUEUE_PROFILING_ENABLE};
  if (on.facts.out_of_order_queue.value_or(false))
    kinds.insert(kinds.end(), {CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE});
  const int n_chains = quick() ? 20 : 200;
  for (int chain_at = 0; chain_at < n_chains; ++chain_at) {
    std::vector<cl::CommandQueue> queues;
    for (const auto kind : kinds) queues.push_back(on.new_queue(kind));
    const std::vector<step> chain = random_chain(calls, queues.size(), random);
    INFO(told(chain));
    const buffers serial = pool_of(on);
    for (const step& each : chain) each.call->start(on.queue, chosen(serial, each), false, {}).wait();
    const buffers pool = pool_of(on);
    gate held(on);
    const std::vector<clwave::event> done = start(chain, pool, queues, held.event());
    held.open();
    for (const clwave::event& each : done) each.wait();
    for (std::size_t k = 0; k < n_buffers; ++k) {
      CAPTURE(k);
      CHECK(on.read<u32>(pool[k], n_of_buffer) == on.read<u32>(serial[k], n_of_buffer));
    }
  }
  std::printf("%d chains of %d calls over %zu queues\n", n_chains, calls_of_chain, kinds.size());
}

}  // namespace
}  // namespace testing::chains_test
