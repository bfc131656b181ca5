// reduce on queues: events, threads, and the workspaces they share.
#include <clwave/reduce.hpp>

#include <unistd.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "call/call.hpp"
#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"

namespace testing::reduce_queues_test {
namespace {

TEST_CASE_FIXTURE(on_device, "a call waits for the events it is given") {
  const cl::CommandQueue other = on.new_queue();
  const std::size_t n = 20000;
  const std::vector<float> old_values(n, 1.0f);
  const std::vector<float> new_values(n, 2.0f);
  const cl::Buffer in = on.buffer_of(old_values);
  guarded_buffer<float> out(on, 1);
  clwave::reduce(on.queue, view<float>{in, n}, out.view()).wait();  // the program is there

  gate first(on);
  gate second(on);
  const std::vector<cl::Event> after_first{first.event()};
  const cl::Event written = on.write_after(other, in, new_values.data(), n * sizeof(float), after_first);
  const clwave::event done = clwave::reduce(on.queue, view<float>{in, n}, out.view(), clwave::plus,
                                            {.after = {written, second.event()}});
  other.flush();
  on.queue.flush();
  CHECK_FALSE(done.done());
  first.open();
  written.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK_FALSE(done.done());
  second.open();
  done.wait();
  CHECK(done.done());
  CHECK(out.first() == 2.0f * n);
}

TEST_CASE_FIXTURE(on_device, "events of clwave chain, and empty ones count as done") {
  const cl::CommandQueue other = on.new_queue();
  const cl::Buffer in = on.buffer_of(std::vector<float>(30000, 1.0f));
  guarded_buffer<float> sums(on, 3);
  std::vector<clwave::event> parts;
  for (std::size_t k = 0; k < 3; ++k) {
    parts.push_back(clwave::reduce(k % 2 != 0 ? other : on.queue, view<float>{in, 10000, k * 10000},
                                   sums.view().subview(k, 1), clwave::plus, {.after = {clwave::event()}}));
  }
  other.flush();
  guarded_buffer<float> total(on, 1);
  clwave::reduce(on.queue, sums.view(), total.view(), clwave::plus, {.after = parts}).wait();
  CHECK(total.first() == 30000.0f);
  CHECK(sums.guards_intact());
}

// Runs f in a thread and gives it minutes, which a machine with much to do may need; then opens the gate, so
// that the test ends either way.
template <class F>
bool returns_before(gate& held, const F& f) {
  auto call = std::async(std::launch::async, f);
  const bool returned = call.wait_for(std::chrono::seconds(300)) == std::future_status::ready;
  held.open();
  call.get();
  return returned;
}

TEST_CASE("the form that returns an event does not block behind its queue") {
  fixture on;
  const std::size_t n = 5'000'000;  // its tile results do not fit the smallest workspace
  const cl::Buffer in = on.buffer_of(std::vector<std::uint8_t>(n, 1));
  guarded_buffer<u64> out(on, 1);
  clwave::reduce(on.queue, view<std::uint8_t>{in, 10}, out.view()).wait();  // the program is there

  const cl::CommandQueue busy = on.new_queue();
  gate held(on);
  const std::vector<cl::Event> after{held.event()};
  REQUIRE(busy.enqueueMarkerWithWaitList(&after) == CL_SUCCESS);
  clwave::event done;
  CHECK(returns_before(held, [&] { done = clwave::reduce(busy, view<std::uint8_t>{in, n}, out.view()); }));
  done.wait();
  CHECK(out.first() == n);
}

TEST_CASE("any number of calls may wait for one event") {
  fixture on;
  const cl::CommandQueue first = on.new_queue();
  const cl::CommandQueue second = on.new_queue();
  const std::size_t calls = 80;
  const cl::Buffer in = on.buffer_of(std::vector<float>(9000, 1.0f));
  guarded_buffer<float> out(on, calls);
  clwave::reduce(on.queue, view<float>{in, 9000}, out.view()).wait();
  gate held(on);
  std::vector<clwave::event> done(calls);
  const bool unordered = on.facts.out_of_order_queue.value_or(false);
  const cl::CommandQueue third = unordered ? on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) : first;
  CHECK(returns_before(held, [&] {
    for (std::size_t k = 0; k < calls; ++k) {
      const cl::CommandQueue& queue = unordered ? third : k % 2 != 0 ? first : second;
      done[k] = clwave::reduce(queue, view<float>{in, 9000}, out.view().subview(k, 1), clwave::plus,
                               {.after = {held.event()}});
      queue.flush();
    }
  }));
  for (const clwave::event& e : done) e.wait();
  CHECK(out.read_guarded() == std::vector<float>(calls, 9000.0f));
}

TEST_CASE_FIXTURE(on_device, "an out-of-order queue keeps calls apart") {
  if (!on.facts.out_of_order_queue.value_or(false)) {
    MESSAGE("skipped: the device has no out-of-order queues");
    CHECK(true);
    return;
  }
  const cl::CommandQueue queue = on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const std::vector<u32> values = random_values<u32>(random, 60000);
  const cl::Buffer in = on.buffer_of(values);
  const std::size_t calls = 100;
  guarded_buffer<u32> out(on, calls);
  std::vector<u32> expected(calls);
  // Kernels of one tile and of several, one command after the other: PoCL 3.1 stops at an assertion at times
  // (pocl_release_dlhandle_cache) where two commands load a kernel at once.
  for (const std::size_t n : {std::size_t{100}, values.size()}) {
    static_cast<void>(clwave::reduce(queue, view<u32>{in, n}));
    clwave::reduce(queue, view<u32>{in, n}, out.view().subview(0, 1)).wait();
  }
  for (std::size_t k = 0; k < calls; ++k) {
    const std::size_t n = 1 + random.below(50000);
    const std::size_t offset = random.below(values.size() - n);
    expected[k] = host_fold<u32>(values, offset, n, wrapping_plus<u32>);
    clwave::reduce(queue, view<u32>{in, n, offset}, out.view().subview(k, 1));
    if (k % 10 == 9) {  // blocking calls between the others
      CHECK(clwave::reduce(queue, view<u32>{in, n, offset}) == expected[k]);
    }
  }
  queue.finish();
  CHECK(out.read_guarded() == expected);
}
// ----------------------------------------------------------------------------------------- many threads

// 8 threads of 200 calls each, blocking and not, of three programs and many sizes. Gives the wrong ones.
std::size_t wrong_results(const fixture& on, const std::vector<cl::CommandQueue>& queues,
                          random_engine& random) {
  constexpr std::size_t threads = 8;
  constexpr std::size_t calls = 200;
  const std::vector<float> floats = random_values<float>(random, 30000);
  const cl::Buffer buffer = on.buffer_of(floats);
  struct sample {
    std::size_t n, offset;
    float sum, least;
    u64 place;
  };
  std::vector<sample> samples(16);
  for (sample& s : samples) {
    s.n = 1 + random.below(25000);
    s.offset = random.below(5000);
    s.sum = host_fold<float>(floats, s.offset, s.n, wrapping_plus<float>);
    s.least = host_fold<float>(floats, s.offset, s.n, reference::minimum<float>);
    s.place = 0;
    for (std::size_t i = 0; i < s.n; ++i) {
      if (floats[s.offset + i] > floats[s.offset + s.place]) s.place = i;
    }
  }
  const cl::Buffer out = on.buffer_of(std::vector<float>(threads * calls));
  std::atomic<std::size_t> wrong = 0;
  std::barrier together(threads);
  const auto work = [&](std::size_t thread) {
    together.arrive_and_wait();
    try {
      const cl::CommandQueue& queue = queues[thread % queues.size()];
      for (std::size_t call = 0; call < calls; ++call) {
        const sample& s = samples[(thread * 7 + call) % samples.size()];
        const view<float> in{buffer, s.n, s.offset};
        const view<float> place{out, 1, thread * calls + call};
        switch ((thread + call) % 4) {
          case 0:
            wrong += !same_bits(clwave::reduce(queue, in), s.sum);
            break;
          case 1:
            wrong += !same_bits(clwave::reduce(queue, in, clwave::min), s.least);
            break;
          case 2:
            wrong += clwave::argmax(queue, in).index != s.place;
            break;
          default:
            clwave::reduce(queue, in, place);
            break;
        }
      }
      queue.finish();
    } catch (const std::exception& thrown) {
      wrong += 1000000;
    }
  };
  std::vector<std::thread> pool;
  for (std::size_t thread = 0; thread < threads; ++thread) pool.emplace_back(work, thread);
  for (std::thread& thread : pool) thread.join();
  const std::vector<float> sums = on.read<float>(out, threads * calls);
  for (std::size_t thread = 0; thread < threads; ++thread) {
    for (std::size_t call = 0; call < calls; ++call) {
      if ((thread + call) % 4 == 3)
        wrong += !same_bits(sums[thread * calls + call], samples[(thread * 7 + call) % samples.size()].sum);
    }
  }
  return wrong;
}

TEST_CASE_FIXTURE(on_device, "threads on one queue, and on queues of their own") {
  CHECK(wrong_results(on, {on.new_queue()}, random) == 0);
  std::vector<cl::CommandQueue> own;
  own.reserve(8);
  for (int k = 0; k < 8; ++k) own.push_back(on.new_queue());
  CHECK(wrong_results(on, own, random) == 0);
  if (on.facts.out_of_order_queue.value_or(false))
    CHECK(wrong_results(on, {on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)}, random) == 0);
}

TEST_CASE_FIXTURE(on_device, "threads that need the same new program build it once") {
  const environment no_cache("CLWAVE_CACHE_DIR", "off");
  const cl::Buffer buffer = on.buffer_of(std::vector<u32>(10000, 1));
  for (int round = 0; round < 3; ++round) {
    const clwave::op fresh{.name = "fresh",
                           .source = "a + b + 0 * " + std::to_string(random() & 0xffffff) + "u",
                           .identity = "0"};
    const auto before = clwave::detail::count_programs();
    std::atomic<int> right = 0;
    std::barrier together(8);
    std::vector<std::thread> pool;
    pool.reserve(8);
    for (int thread = 0; thread < 8; ++thread) {
      pool.emplace_back([&] {
        const cl::CommandQueue queue = on.new_queue();
        together.arrive_and_wait();
        right += clwave::reduce(queue, view<u32>{buffer, 10000}, fresh) == 10000;
      });
    }
    for (std::thread& thread : pool) thread.join();
    CHECK(right == 8);
    CHECK(clwave::detail::count_programs().built == before.built + 1);
    CHECK(clwave::detail::count_programs().from_disk == before.from_disk);
  }
}

TEST_CASE_FIXTURE(on_device, "threads that need the same broken program all get the error") {
  const cl::Buffer buffer = on.buffer_of(std::vector<u32>(10, 1));
  const clwave::op broken{.name = "broken", .source = "a + no_such_thing", .identity = "0"};
  std::atomic<int> errors = 0;
  std::barrier together(4);
  std::vector<std::thread> pool;
  pool.reserve(4);
  for (int thread = 0; thread < 4; ++thread) {
    pool.emplace_back([&] {
      together.arrive_and_wait();
      try {
        clwave::reduce(on.queue, view<u32>{buffer, 10}, broken);
      } catch (const clwave::error& thrown) {
        errors += thrown.kind() == failure::build;
      }
    });
  }
  for (std::thread& thread : pool) thread.join();
  CHECK(errors == 4);
}

// ---------------------------------------------------------------------------------------------- workspace

TEST_CASE_FIXTURE(on_device, "workspaces of two queues do not meet") {
  const std::vector<cl::CommandQueue> queues{on.new_queue(), on.new_queue()};
  const std::vector<u32> values = random_values<u32>(random, 400000);
  const cl::Buffer in = on.buffer_of(values);
  const std::size_t calls = 60;
  guarded_buffer<u32> out(on, calls);
  std::vector<u32> expected(calls);
  for (std::size_t k = 0; k < calls; ++k) {
    const std::size_t n = 100000 + random.below(200000);
    const std::size_t offset = random.below(values.size() - n);
    for (std::size_t i = 0; i < n; ++i) expected[k] += values[offset + i];
    clwave::reduce(queues[k % 2], view<u32>{in, n, offset}, out.view().subview(k, 1));
    queues[k % 2].flush();
    if (k % 7 == 0) CHECK(clwave::reduce(queues[1 - k % 2], view<u32>{in, n, offset}) == expected[k]);
  }
  for (const cl::CommandQueue& queue : queues) queue.finish();
  CHECK(out.read_guarded() == expected);
}

TEST_CASE("a workspace goes to another queue only when its work is done") {
  fixture on;  // its pool is empty
  const cl::CommandQueue other = on.new_queue();
  const bool unordered = on.facts.out_of_order_queue.value_or(false);
  const cl::CommandQueue loose = unordered ? on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) : other;
  const auto first = clwave::detail::site_of(on.queue(), "test");
  const auto second = clwave::detail::site_of(other(), "test");
  const auto third = clwave::detail::site_of(loose(), "test");
  gate held(on);
  const clwave::event busy = [&] {
    const cl_event copy = held.event()();
    clRetainEvent(copy);
    return clwave::event(copy);
  }();
  const auto lend = [&](const clwave::detail::call_site& site, const clwave::event& until) {
    clwave::detail::workspace work(site, 100);
    work.used_until(until);
    return work.buffer();
  };

  const cl_mem block = lend(first, busy);
  CHECK(lend(first, busy) == block);  // the queue keeps its own commands in order
  const cl_mem others = lend(second, busy);
  CHECK(others != block);
  if (unordered) {
    const cl_mem one = lend(third, busy);
    const cl_mem two = lend(third, busy);
    CHECK(one != two);
    CHECK((one != block && one != others && two != block && two != others));
  }
  {
    // Two calls at a time never hold the same block.
    const clwave::detail::workspace one(first, 100);
    const clwave::detail::workspace two(first, 100);
    CHECK(one.buffer() != two.buffer());
  }
  {
    // A call that made no event: the block is its queue's until what the queue holds has ended.
    const cl_event gate_event = held.event()();
    REQUIRE(clEnqueueBarrierWithWaitList(on.queue(), 1, &gate_event, nullptr) == CL_SUCCESS);
    const cl_mem own = lend(first, clwave::event());
    CHECK(lend(second, busy) == others);
    CHECK(lend(third, busy) != own);
    CHECK(lend(first, clwave::event()) == own);
  }
}

TEST_CASE("a free workspace is anybody's") {
  fixture on;
  const cl::CommandQueue other = on.new_queue();
  const auto first = clwave::detail::site_of(on.queue(), "test");
  const auto second = clwave::detail::site_of(other(), "test");
  cl_mem block = nullptr;
  {
    clwave::detail::workspace work(first, 100);
    block = work.buffer();
    work.not_in_use();
  }
  on.queue.finish();  // the clearing of a new block has ended
  clwave::detail::workspace work(second, 100);
  CHECK(work.buffer() == block);
}

TEST_CASE("a call that was told to make no event") {
  fixture on;
  const cl::CommandQueue other = on.new_queue();
  const std::vector<u32> values(100000, 3);
  const cl::Buffer in = on.buffer_of(values);
  guarded_buffer<u32> out(on, 2);
  const clwave::event none = clwave::reduce(on.queue, view<u32>{in, values.size()}, out.view().subview(0, 1),
                                            clwave::plus, {.with_event = false});
  CHECK_THROWS_AS(none.wait(), clwave::error);
  CHECK_THROWS_AS(static_cast<void>(none.done()), clwave::error);
  CHECK_THROWS_AS(clwave::wait_list({none}), clwave::error);
  // Another queue does not take its workspace from under it, and gets it back when it is over.
  clwave::reduce(other, view<u32>{in, 50000}, out.view().subview(1, 1), clwave::plus, {.with_event = false});
  other.finish();
  on.queue.finish();
  CHECK(out.read_guarded() == std::vector<u32>{300000, 150000});
  CHECK_THROWS_AS(
      clwave::copy(on.queue, view<u32>{in, 0}, out.view().subview(0, 0), {.with_event = false}).wait(),
      clwave::error);
}

TEST_CASE("a workspace is as large as it is asked to be, and its counters begin at zero") {
  fixture on;
  const auto site = clwave::detail::site_of(on.queue(), "test");
  for (const std::size_t n_bytes : {0, 1, 3840, 3841, 1000000}) {
    clwave::detail::workspace work(site, n_bytes);
    std::size_t size = 0;
    REQUIRE(clGetMemObjectInfo(work.buffer(), CL_MEM_SIZE, sizeof size, &size, nullptr) == CL_SUCCESS);
    CHECK(size >= clwave::detail::workspace::own_at + n_bytes);
    const cl::Buffer buffer(work.buffer(), true);
    CHECK(on.read<u32>(buffer, 32, clwave::detail::workspace::counter_at) == std::vector<u32>(32));
    work.not_in_use();
  }
  // A call leaves them as it found them.
  clwave::reduce(on.queue, view<float>{on.buffer_of(std::vector<float>(100000, 1.0f)), 100000});
  clwave::detail::workspace work(site, 100);
  CHECK(on.read<u32>(cl::Buffer(work.buffer(), true), 32, clwave::detail::workspace::counter_at) ==
        std::vector<u32>(32));
}

// The resident memory of this process, in bytes.
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST_CASE_FIXTURE(on_device, "a hundred thousand calls take no memory with them") {
  const cl::Buffer in = on.buffer_of(std::vector<u32>(1000, 1));
  guarded_buffer<u32> out(on, 1);
  const auto call = [&](int times) {
    for (int k = 0; k < times; ++k) {
      clwave::reduce(on.queue, view<u32>{in, 1000}, out.view());
      if (k % 1000 == 999) on.queue.finish();  // a driver keeps what is not finished
    }
    on.queue.finish();
  };
  call(20000);  // whatever pools there are fill up
  const std::size_t before = resident_bytes();
  call(100000);
  const std::size_t after = resident_bytes();
  CHECK(out.first() == 1000);
  CAPTURES(before, after);
#if defined(__SANITIZE_ADDRESS__)
  MESSAGE("memory was not measured: the sanitizer keeps freed memory");
#elif defined(__has_feature)
#if !__has_feature(address_sanitizer)
  CHECK(after < before + (1 << 20));
#endif
#else
  CHECK(after < before + (1 << 20));
#endif
}

}  // namespace
}  // namespace testing::reduce_queues_test
