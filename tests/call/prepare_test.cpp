// Programs built ahead: the calls that were asked about find them, troubles come out of the wait, and what
// nobody wants any more is given up.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/cache.hpp>
#include <clwave/copy.hpp>
#include <clwave/prepare.hpp>
#include <clwave/reduce.hpp>

#include "harness/devices.hpp"
#include "harness/environment.hpp"
#include "harness/refusals.hpp"
#include "program/program.hpp"

namespace testing::prepare_test {
namespace {

using clwave::any_problem;
using clwave::copy_problem;
using clwave::plan_target;
using clwave::preparation;
using clwave::prepare;
using clwave::reduce_problem;
using clwave::detail::count_programs;

std::size_t made() {
  const auto counts = count_programs();
  return counts.built + counts.from_disk;
}

const element& f32() { return element_of<float>(); }

// A map of its own, and so a program of its own for each number.
clwave::map numbered(unsigned number) {
  return {.name = "numbered", .source = "x + " + std::to_string(number) + ".0f"};
}

constexpr std::size_t n_elements = 100;

reduce_problem problem_of(const clwave::map& apply) {
  return {.in = {f32(), n_elements}, .accumulator = &f32(), .apply = &apply};
}

// The mean of elements that are all 2: 2 and the map's number.
float mean(const fixture& on, const clwave::map& apply) {
  const cl::CommandQueue queue = on.new_queue();  // for this thread alone
  const cl::Buffer x = on.buffer_of(std::vector<float>(n_elements, 2.0f));
  return clwave::transform_reduce(queue, view<float>{x, n_elements}, clwave::plus, apply) / n_elements;
}

failure kind_of_trouble(const preparation& ready) {
  try {
    ready.wait();
  } catch (const clwave::error& thrown) {
    return thrown.kind();
  }
  return failure::internal;  // none
}

// Problems that answer when they are let: what threads do meanwhile can be looked at.
class gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
  }
  // Until so many wait at the gate; false where that takes too long.
  bool wait_for(unsigned n) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(300), [&] { return waiting_ >= n; });
  }
  unsigned waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  unsigned waiting_ = 0;
};

any_problem behind(gate& of, const reduce_problem& problem) {
  return any_problem([&of, problem](const plan_target& on) {
    of.pass();
    return clwave::plan(problem, on);
  });
}

TEST_CASE("a prepared call builds nothing more") {
  fixture on;
  const clwave::map first = numbered(1), second = numbered(2);
  const std::size_t before = made();
  const preparation ready =
      prepare(on.context, on.device, {problem_of(first), problem_of(second), problem_of(first)});
  CHECK(ready.calls() == 3);
  ready.wait();
  CHECK(ready.done());
  CHECK(ready.prepared() == 3);
  CHECK(made() == before + 2);
  CHECK(mean(on, first) == 3.0f);
  CHECK(mean(on, second) == 4.0f);
  CHECK(made() == before + 2);
  ready.wait();  // as often as it is asked
}

TEST_CASE("problems of several primitives, C handles, and calls that launch nothing") {
  fixture on;
  const clwave::map apply = numbered(3);
  const std::size_t before = made();
  const preparation ready = prepare(on.context(), on.device(),
                                    {copy_problem{.in = {f32(), 1000}, .out = f32()},
                                     copy_problem{.in = f32(), .out = f32()}, problem_of(apply)});
  ready.wait();
  CHECK(made() == before + 2);
  const cl::Buffer x = on.buffer_of(std::vector<float>(1000, 0.5f)),
                   out = on.buffer_of(std::vector<float>(1000));
  clwave::copy(on.queue, view<float>{x, 1000}, view<float>{out, 1000}).wait();
  CHECK(on.read<float>(out, 1000).back() == 0.5f);
  CHECK(mean(on, apply) == 5.0f);
  CHECK(made() == before + 2);
}

TEST_CASE_FIXTURE(on_device, "nothing to prepare is done") {
  preparation none;
  none.wait();
  CHECK(none.done());
  CHECK(none.calls() == 0);
  const preparation empty = prepare(on.context, on.device, {});
  empty.wait();
  CHECK(empty.done());
}

TEST_CASE("prepare() does not wait, and wait() does") {
  fixture on;
  const clwave::map apply = numbered(4);
  gate closed;
  const preparation ready = prepare(on.context, on.device, {behind(closed, problem_of(apply))});
  REQUIRE(closed.wait_for(1));
  CHECK_FALSE(ready.done());
  CHECK(ready.prepared() == 0);
  std::atomic<bool> waited = false;
  std::thread waiter([&] {
    ready.wait();
    waited = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_FALSE(waited);
  closed.open();
  waiter.join();
  CHECK(waited);
  CHECK(ready.done());
}

TEST_CASE("different programs are built at the same time") {
  fixture on;
  const clwave::map first = numbered(5), second = numbered(6);
  gate closed;
  const preparation ready =
      prepare(on.context, on.device, {behind(closed, problem_of(first)), behind(closed, problem_of(second))},
              {.threads = 2});
  CHECK(closed.wait_for(2));
  closed.open();
  ready.wait();
}

TEST_CASE("as many threads as are asked for") {
  fixture on;
  const clwave::map apply = numbered(7);
  gate closed;
  const preparation ready =
      prepare(on.context, on.device, {behind(closed, problem_of(apply)), behind(closed, problem_of(apply))},
              {.threads = 1});
  REQUIRE(closed.wait_for(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(closed.waiting() == 1);
  closed.open();
  ready.wait();
}

TEST_CASE("troubles come out of the wait, the first problem's first") {
  fixture on;
  const clwave::map sound = numbered(8);
  const clwave::map broken{.name = "broken", .source = "x + is_not_there(x)"};
  const clwave::map unclosed{.name = "unclosed", .source = "x + (1"};
  const preparation ready =
      prepare(on.context, on.device, {problem_of(sound), problem_of(broken), problem_of(unclosed)});
  CHECK(kind_of_trouble(ready) == failure::build);
  CHECK(kind_of_trouble(ready) == failure::build);  // again
  CHECK(ready.prepared() == 3);
  ready.wait(0);
  try {
    ready.wait(1);
    FAIL("it was built");
  } catch (const clwave::error& thrown) {
    CHECK(thrown.details().log.find("is_not_there") != std::string::npos);
  }
  try {
    ready.wait(2);
    FAIL("it was built");
  } catch (const clwave::error& thrown) {
    CHECK(thrown.kind() == failure::bad_call);
  }
  CHECK_THROWS_AS(ready.wait(3), clwave::error);
  CHECK(mean(on, sound) == 10.0f);

  const any_problem thrower(
      [](const plan_target&) -> call_plan { throw std::runtime_error("of the caller's"); });
  const preparation other = prepare(on.context, on.device, {thrower});
  CHECK_THROWS_AS(other.wait(), std::runtime_error);
}

TEST_CASE("what release() of the context finds not begun is given up") {
  fixture on;
  const clwave::map begun = numbered(9), never = numbered(10);
  gate closed;
  const std::size_t before = made();
  const preparation ready =
      prepare(on.context, on.device, {behind(closed, problem_of(begun)), problem_of(never)}, {.threads = 1});
  REQUIRE(closed.wait_for(1));
  clwave::release(on.context);
  closed.open();
  CHECK(kind_of_trouble(ready) == failure::bad_call);
  ready.wait(0);  // what had begun ended as it would have
  CHECK(made() == before + 1);
  CHECK(mean(on, never) == 12.0f);  // the context begins afresh
}

TEST_CASE("a preparation that goes builds nothing more") {
  fixture on;
  const clwave::map begun = numbered(11), never = numbered(12);
  const std::size_t before = made();
  gate closed;
  std::thread opener;
  {
    const preparation gone = prepare(on.context, on.device,
                                     {behind(closed, problem_of(begun)), problem_of(never)}, {.threads = 1});
    REQUIRE(closed.wait_for(1));
    opener = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      closed.open();
    });
  }  // waits for the one that was begun
  opener.join();
  CHECK(made() == before + 1);
}

TEST_CASE("preparations move") {
  fixture on;
  const clwave::map apply = numbered(13);
  preparation first = prepare(on.context, on.device, {problem_of(apply)});
  preparation second = std::move(first);
  CHECK(first.calls() == 0);  // NOLINT(bugprone-use-after-move): says what is left
  CHECK(first.done());
  second.wait();
  second = preparation();
  CHECK(second.done());
}

TEST_CASE("in a forked child a preparation is refused, and its end does nothing") {
  fixture on;
  const clwave::map apply = numbered(15), other = numbered(16);
  gate closed;
  std::optional<preparation> ready =
      prepare(on.context, on.device, {behind(closed, problem_of(apply)), problem_of(other)}, {.threads = 1});
  REQUIRE(closed.wait_for(1));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool right = refused([&] { ready->wait(); }) && refused([&] { ready->wait(1); }) &&
                       refused([&] { (void)prepare(on.context, on.device, {}); });
    ready.reset();
    _exit(right ? 0 : 1);
  }
  closed.open();
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  ready->wait();
  CHECK(mean(on, apply) == 17.0f);
}

TEST_CASE_FIXTURE(on_device, "a preparation refuses what is no device of the context") {
  CHECK(refused([&] { (void)prepare(cl_context{}, on.device, {}); }));
  CHECK(refused([&] { (void)prepare(on.context, cl_device_id{}, {}); }));
  const cl_device_id whole = on.device();
  const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  std::vector<cl_device_id> parts(256);
  cl_uint n = 0;
  if (clCreateSubDevices(whole, by_one, 256, parts.data(), &n) != CL_SUCCESS) return;
  CHECK(refused([&] { (void)prepare(on.context, parts[0], {}); }));
  for (cl_uint k = 0; k < n; ++k) clReleaseDevice(parts[k]);
}

TEST_CASE("one program for threads that first need it at once") {
  fixture on;
  const clwave::map apply = numbered(14);
  const std::size_t before = made();
  const preparation ready = prepare(on.context, on.device, {problem_of(apply)});
  std::vector<std::thread> threads;
  threads.reserve(3);
  std::atomic<unsigned> right = 0;
  for (int k = 0; k < 3; ++k) {
    threads.emplace_back([&] { right += mean(on, apply) == 16.0f; });
  }
  for (std::thread& each : threads) each.join();
  ready.wait();
  CHECK(right == 3);
  CHECK(made() == before + 1);
}

TEST_CASE("rows that are emulated are prepared as they are called") {
  const forced_profile forced("subgroup-8");
  fixture on;
  const std::size_t before = made();
  const clwave::op fold{.name = "own", .source = "a + b", .identity = "0"};
  const preparation ready = prepare(
      on.context, on.device, {reduce_problem{.in = {f32(), 5000}, .accumulator = &f32(), .fold = &fold}});
  ready.wait();
  const std::size_t prepared = made();
  CHECK(prepared > before);
  const cl::Buffer x = on.buffer_of(std::vector<float>(5000, 1.0f));
  CHECK(clwave::reduce(on.queue, view<float>{x, 5000}, fold) == 5000.0f);
  CHECK(made() == prepared);
}

}  // namespace
}  // namespace testing::prepare_test
