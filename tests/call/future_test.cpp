// Values that come later: they are the blocking calls' values, nothing waits but get(), and neither the
// driver nor the library is left with what nobody wants any more.
#include <clwave/future.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/calls.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::future_test {
namespace {

using clwave::future;

constexpr unsigned seed = 5;

// Gives f minutes, which a machine with much to do may need, in a thread of its own.
template <class F>
bool ends_soon(const F& f, gate& held) {
  auto call = std::async(std::launch::async, f);
  const bool ended = call.wait_for(std::chrono::seconds(300)) == std::future_status::ready;
  held.open();
  call.get();
  return ended;
}

void a_while() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

// ---------------------------------------------------------------------------------------------- the value

TEST_CASE_FIXTURE(on_device,
                  "every value that comes later is the blocking call's, as often as it is asked for") {
  for (const value_call& call : value_calls()) {
    const buffers operands = buffers_for(on, call.operands, seed);
    for (const auto kind : kinds_of_queue(on)) {
      CAPTURES(call.name, kind);
      const cl::CommandQueue queue = on.new_queue(kind);
      const auto expected = call.value(queue, operands, false, {});
      for (const bool with_event : {true, false}) {
        const auto value = call.later(queue, operands, false, {.with_event = with_event});
        CHECK(value.event().get() != nullptr);
        CHECK(value.get() == expected);
        CHECK(value.done());
        CHECK(value.event().get() == nullptr);  // complete
        CHECK(value.get() == expected);
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "sizes, offsets, types and operators of values that come later") {
  const std::vector<float> floats = reference::random_values<float>(random, 300000);
  const cl::Buffer buffer = on.buffer_of(floats);
  for (const std::size_t n : {1, 2, 63, 1023, 1024, 1025, 8191, 8192, 8193, 24593, 65537, 299993}) {
    for (const std::size_t offset : {0, 1, 7}) {
      CAPTURES(n, offset);
      const view<float> x{buffer, n, offset};
      future<float> sum = clwave::reduce_async(on.queue, x);
      future<double> in_double = clwave::reduce_async<double>(on.queue, x);
      future<float> least = clwave::reduce_async(on.queue, x, clwave::min);
      future<float> product = clwave::dot_async(on.queue, x, x);
      future<indexed<float>> largest = clwave::argmax_async(on.queue, x);
      future<float> magnitude = clwave::transform_reduce_async(on.queue, x, clwave::plus, clwave::abs);
      CHECK(reference::same_bits(largest.get().value, clwave::argmax(on.queue, x).value));
      CHECK(largest.get().index == clwave::argmax(on.queue, x).index);
      CHECK(reference::same_bits(sum.get(), clwave::reduce(on.queue, x)));
      CHECK(reference::same_bits(in_double.get(), clwave::reduce<double>(on.queue, x)));
      CHECK(reference::same_bits(least.get(), clwave::reduce(on.queue, x, clwave::min)));
      CHECK(reference::same_bits(product.get(), clwave::dot(on.queue, x, x)));
      CHECK(reference::same_bits(magnitude.get(),
                                 clwave::transform_reduce(on.queue, x, clwave::plus, clwave::abs)));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "no elements: the value is there at once") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(4, 1.0f));
  const view<float> none{buffer, 0};
  gate held(on);
  const cl::CommandQueue queue = on.new_queue();
  const std::vector<cl::Event> shut{held.event()};
  REQUIRE(queue.enqueueMarkerWithWaitList(&shut) == CL_SUCCESS);
  future<float> sum = clwave::reduce_async(queue, none);
  future<float> product = clwave::reduce_async(queue, none, clwave::multiplies, {.after = {held.event()}});
  CHECK(sum.done());
  CHECK(sum.event().get() == nullptr);
  CHECK(sum.get() == 0.0f);
  CHECK(product.get() == 1.0f);
  CHECK(failure_from([&] { static_cast<void>(clwave::argmax_async(queue, none)); }) == failure::bad_call);
  CHECK(failure_from([&] { static_cast<void>(clwave::argmin_async(queue, none)); }) == failure::bad_call);
  held.open();
  for (const value_call& call : value_calls()) {
    if (!call.takes_empty) continue;
    CAPTURE(call.name);
    const buffers operands = buffers_for(on, call.operands, seed);
    CHECK(call.later(on.queue, operands, true, {}).get() == call.value(on.queue, operands, true, {}));
  }
}

TEST_CASE_FIXTURE(on_device, "a future that belongs to no call") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(10, 2.0f));
  future<float> sum = clwave::reduce_async(on.queue, view<float>{buffer, 10});
  CHECK(sum.valid());
  future<float> moved = std::move(sum);
  future<float> none;
  for (future<float>* each : {&sum, &none}) {  // NOLINT(bugprone-use-after-move)
    CHECK_FALSE(each->valid());
    CHECK(failure_from([&] { each->get(); }) == failure::bad_call);
    CHECK(failure_from([&] { static_cast<void>(each->done()); }) == failure::bad_call);
    CHECK(failure_from([&] { static_cast<void>(each->event()); }) == failure::bad_call);
  }
  none = std::move(moved);
  CHECK(none.get() == 20.0f);
  none = clwave::reduce_async(on.queue, view<float>{buffer, 5});  // over one that has been fetched
  none = clwave::reduce_async(on.queue, view<float>{buffer, 4});  // and over one that has not
  CHECK(none.get() == 8.0f);
}

// ---------------------------------------------------------------------------------------------- the waits

TEST_CASE_FIXTURE(on_device,
                  "a call does not wait, its value comes after `after`, and others wait for its event") {
  for (const value_call& call : value_calls()) {
    const auto old_value = call.value(on.queue, buffers_for(on, call.operands, seed), false, {});
    const auto new_value = call.value(on.queue, buffers_for(on, call.operands, seed + 1), false, {});
    REQUIRE(old_value != new_value);
    for (const auto kind : kinds_of_queue(on)) {
      CAPTURES(call.name, kind);
      const cl::CommandQueue queue = on.new_queue(kind);
      const cl::CommandQueue other = on.new_queue();
      const buffers operands = buffers_for(on, call.operands, seed);
      gate held(on);
      std::vector<cl::Event> before{held.event()};
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const bytes contents = call.operands[k].bytes(seed + 1);
        before = {on.write_after(other, operands[k], contents.data(), contents.size(), before)};
      }
      other.flush();
      const auto value = call.later(queue, operands, false, {.after = before});
      queue.flush();
      const cl::CommandQueue third = on.new_queue();
      const cl::Buffer mark = on.buffer_of(std::vector<float>(1));
      const clwave::event behind =
          clwave::fill(third, view<float>{mark, 1}, 1.0f, {.after = {value.event()}});
      third.flush();
      a_while();
      CHECK_FALSE(value.done());
      CHECK_FALSE(behind.done());
      auto got = std::async(std::launch::async, [&] { return value.get(); });
      CHECK(got.wait_for(std::chrono::milliseconds(10)) != std::future_status::ready);
      held.open();
      CHECK(got.get() == new_value);
      behind.wait();
    }
  }
}

TEST_CASE_FIXTURE(on_device, "get() waits for the call, and not for what its queue was given afterwards") {
  const std::size_t n = 50000;
  const cl::Buffer buffer = on.buffer_of(std::vector<u32>(n, 3));
  static_cast<void>(clwave::reduce_async(on.queue, view<u32>{buffer, n}).get());
  for (const auto kind : kinds_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    future<u32> sum = clwave::reduce_async(queue, view<u32>{buffer, n});
    gate held(on);
    const std::vector<cl::Event> shut{held.event()};
    REQUIRE(queue.enqueueMarkerWithWaitList(&shut) == CL_SUCCESS);
    CHECK(ends_soon([&] { CHECK(sum.get() == 3 * n); }, held));
    queue.finish();
  }
}

TEST_CASE_FIXTURE(on_device, "a hundred under way at once, fetched in any order") {
  const std::vector<u32> values = reference::random_values<u32>(random, 60000);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const auto kind : kinds_of_queue(on)) {
    CAPTURE(kind);
    const cl::CommandQueue queue = on.new_queue(kind);
    gate held(on);
    std::vector<future<u32>> sums(100);
    std::vector<u32> expected(sums.size());
    std::vector<std::size_t> order(sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const std::size_t n = 1 + random.below(40000);
      const std::size_t offset = random.below(values.size() - n);
      for (std::size_t i = 0; i < n; ++i) expected[k] += values[offset + i];
      sums[k] =
          clwave::reduce_async(queue, view<u32>{buffer, n, offset}, clwave::plus, {.after = {held.event()}});
      order[k] = k;
    }
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
    queue.flush();
    CHECK(std::ranges::none_of(sums, [](const auto& each) { return each.done(); }));
    held.open();
    for (const std::size_t k : order) CHECK(sums[k].get() == expected[k]);
  }
}

// -------------------------------------------------------------------------------------------- what is left

TEST_CASE("a future that is dropped takes nothing with it and spoils nothing") {
  for (const bool in_order : {true, false}) {
    fixture on;
    if (!in_order && !on.facts.out_of_order_queue.value_or(false)) continue;
    CAPTURE(in_order);
    const std::size_t n = 30000;
    const cl::Buffer buffer = on.buffer_of(std::vector<u32>(n, 1));
    const cl::CommandQueue queue = on.new_queue(in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    gate held(on);
    CHECK(ends_soon(
        [&] {
          for (std::size_t k = 0; k < 300; ++k)
            static_cast<void>(clwave::reduce_async(queue, view<u32>{buffer, n - k}, clwave::plus,
                                                   {.after = {held.event()}}));
          // What follows gets memory that the dropped ones are still to write, or none of it.
          future<u32> kept =
              clwave::reduce_async(queue, view<u32>{buffer, 777}, clwave::plus, {.after = {held.event()}});
          future<u32> other = clwave::reduce_async(on.queue, view<u32>{buffer, 555});
          static_cast<void>(
              clwave::reduce_async(queue, view<u32>{buffer, n}, clwave::plus, {.after = {held.event()}}));
          CHECK(other.get() == 555);
          held.open();
          CHECK(kept.get() == 777);
        },
        held));
    queue.finish();
  }
}

// Calls whose futures are fetched, dropped before their work has begun and dropped when it has ended.
void use_futures(const cl::Context& context, const fixture& on) {
  const std::size_t n = 20000;
  cl_int code = CL_SUCCESS;
  std::vector<u32> ones(n, 1);
  const cl::Buffer in(
      clCreateBuffer(context(), CL_MEM_COPY_HOST_PTR, n * sizeof(cl_uint), ones.data(), &code));
  clwave::detail::check(code, "make an input");
  const cl::CommandQueue queue(context, on.device);
  const view<u32> x{in, n};
  future<u32> fetched = clwave::reduce_async(queue, x);
  future<u32> unfetched = clwave::reduce_async(queue, x);
  CHECK(fetched.get() == n);
  unfetched.event().wait();
  cl::UserEvent open(context);
  static_cast<void>(clwave::reduce_async(queue, x, clwave::plus, {.after = {open}}));
  open.setStatus(CL_COMPLETE);
  queue.finish();
}

TEST_CASE_FIXTURE(on_device, "contexts in which futures were left have no reference but the user's") {
  for (int k = 0; k < 30; ++k) {
    const cl::Context context{on.device};
    use_futures(context, on);
    if (k % 2 != 0) clwave::trim();
    clwave::release(context);
    REQUIRE(comes_true([&] { return references_to(context()) == 1; }));
  }
}

TEST_CASE_FIXTURE(on_device, "a future outlives release, trim and all handles of the caller's") {
  const std::size_t n = 20000;
  const std::vector<u32> ones(n, 1);
  const cl::Context context{on.device};
  future<u32> sum;
  future<u32> other;
  {
    cl_int code = CL_SUCCESS;
    const cl::Buffer in(clCreateBuffer(context(), CL_MEM_COPY_HOST_PTR, n * sizeof(cl_uint),
                                       const_cast<u32*>(ones.data()), &code));
    clwave::detail::check(code, "make an input");
    const cl::CommandQueue queue(context, on.device);
    sum = clwave::reduce_async(queue, view<u32>{in, n});
    other = clwave::reduce_async(queue, view<u32>{in, n});
    queue.flush();
    clwave::trim();
    clwave::release(context);
  }
  clwave::release(context);
  clwave::trim();
  CHECK(sum.get() == n);
  other = {};
  CHECK(comes_true([&] { return references_to(context()) == 1; }));
  CHECK(sum.get() == n);
}

// ------------------------------------------------------------------------------------------------ failures

TEST_CASE("the value of a call whose work does not run: get() says so, and the library works on") {
  fixture on;
  for (const value_call& call : value_calls()) {
    for (const auto kind : kinds_of_queue(on)) {
      CAPTURES(call.name, kind);
      const buffers operands = buffers_for(on, call.operands, seed);
      const auto expected = call.value(on.queue, operands, false, {});
      const cl::CommandQueue queue = on.new_queue(kind);
      cl::UserEvent broken(on.context);
      const auto value = call.later(queue, operands, false, {.after = {broken}});
      // One that is dropped. Not on PoCL 3.1, which runs a command whose event is to fail all the same at
      // times, and ends the process, where two calls wait for what fails (one of thirty on a busy machine).
      if (!on.is_pocl()) static_cast<void>(call.later(queue, operands, false, {.after = {broken}}));
      queue.flush();
      broken.setStatus(-1);
      CHECK(failure_from([&] { value.get(); }) == failure::device_lost);
      CHECK(value.done());
      CHECK(failure_from([&] { value.get(); }) == failure::device_lost);
      CHECK(failure_from([&] { call.later(queue, operands, false, {.after = {broken}}); }) ==
            failure::device_lost);
      // On another queue, for a driver may end all that this one holds.
      const cl::CommandQueue next = on.new_queue(kind);
      CHECK(call.later(next, operands, false, {}).get() == expected);
      CHECK(call.value(next, operands, false, {}) == expected);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "calls whose value is to come later are refused as the blocking ones are") {
  const fixture stranger;
  const gate foreign(stranger);
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(10));
  const cl::Buffer others = stranger.buffer_of(std::vector<float>(10));
  const auto kind = [&](const auto& x, const launch_options& options = {}) {
    return failure_from([&] { static_cast<void>(clwave::reduce_async(on.queue, x, clwave::plus, options)); });
  };
  CHECK(kind(view<float>{buffer, 11}) == failure::bad_call);
  CHECK(kind(view<float>{others, 10}) == failure::bad_call);
  CHECK(kind(view<float>{buffer, 10}, {.after = {foreign.event()}}) == failure::bad_call);
  CHECK(kind(view<float>{buffer, 0}, {.after = {foreign.event()}}) == failure::bad_call);
  CHECK(kind(view<float>{buffer, 10}) == std::nullopt);
  const clwave::op broken{.name = "broken", .source = "a + no_such_thing", .identity = "0"};
  CHECK(failure_from([&] {
          static_cast<void>(clwave::reduce_async(on.queue, view<float>(buffer, 9), broken));
        }) == failure::build);
}

// ----------------------------------------------------------------------------------- threads and processes

TEST_CASE_FIXTURE(on_device, "threads have futures of one queue, and fetch those of each other") {
  const std::size_t n = 30000;
  const cl::Buffer buffer = on.buffer_of(std::vector<u32>(n, 1));
  constexpr std::size_t n_threads = 8;
  constexpr std::size_t n_calls = 40;
  for (const auto kind : kinds_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(kind);
    std::vector<std::vector<future<u32>>> sums(n_threads);
    std::atomic<std::size_t> wrong = 0;
    const auto in_threads = [&](const auto& work) {
      std::vector<std::thread> pool;
      for (std::size_t thread = 0; thread < n_threads; ++thread)
        pool.emplace_back([&, thread] {
          try {
            work(thread);
          } catch (const std::exception&) {
            wrong += 1000;
          }
        });
      for (std::thread& thread : pool) thread.join();
    };
    in_threads([&](std::size_t thread) {
      for (std::size_t k = 0; k < n_calls; ++k) {
        sums[thread].push_back(clwave::reduce_async(queue, view<u32>{buffer, n - thread * 100 - k}));
        if (k % 5 == 4) wrong += sums[thread][k - 2].get() != n - thread * 100 - (k - 2);
        if (k % 7 == 6) static_cast<void>(clwave::reduce_async(queue, view<u32>{buffer, n}));
      }
    });
    in_threads([&](std::size_t thread) {
      const std::size_t other = (thread + 1) % n_threads;
      for (std::size_t k = n_calls; k-- > 0;) wrong += sums[other][k].get() != n - other * 100 - k;
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE_FIXTURE(on_device, "in a forked child a future is refused, and its end does nothing") {
  const cl::Buffer buffer = on.buffer_of(std::vector<u32>(5000, 1));
  gate held(on);
  future<u32> fetched = clwave::reduce_async(on.queue, view<u32>{buffer, 5000});
  REQUIRE(fetched.get() == 5000);
  future<u32> sum =
      clwave::reduce_async(on.queue, view<u32>{buffer, 5000}, clwave::plus, {.after = {held.event()}});
  on.queue.flush();
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int wrong = 0;
    wrong += failure_from([&] { sum.get(); }) != failure::bad_call;
    wrong += failure_from([&] { static_cast<void>(sum.done()); }) != failure::bad_call;
    wrong += failure_from([&] {
               static_cast<void>(clwave::reduce_async(on.queue, view<u32>(buffer, 5000)));
             }) != failure::bad_call;
    wrong += fetched.get() != 5000;
    sum = {};
    _exit(wrong);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  held.open();
  CHECK(sum.get() == 5000);
}

}  // namespace
}  // namespace testing::future_test
