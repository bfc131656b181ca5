// A driver's compiler that takes its time, and one that never comes back: calls whose programs are built go
// on beside it, other programs are built, and what is sure to end a process that waits for it.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "faults.hpp"
#include "harness/calls.hpp"
#include "harness/devices.hpp"
#include "harness/environment.hpp"
#include "harness/files.hpp"
#include "harness/kept_binaries.hpp"
#include "program/program.hpp"

namespace {

using clwave::view;
using testing::buffers;
using testing::fixture;

constexpr unsigned seed = 8;
constexpr std::size_t n = 1000;

// A call that says whether its result is right, on a queue.
struct subject {
  std::string name;
  std::function<bool(const cl::CommandQueue&)> is_right;
};

// All calls, or one of so many.
std::vector<subject> subjects(const fixture& on, std::size_t one_of = 1) {
  std::vector<subject> all;
  std::size_t at = 0;
  for (const testing::event_call& call : testing::event_calls()) {
    if (at++ % one_of != 0) continue;
    const auto expected = expected_of(on, call, seed);
    all.push_back({call.name, [&on, call, expected](const cl::CommandQueue& queue) {
                     const buffers operands = buffers_for(on, call.operands, seed);
                     call.start(queue, operands, false, {}).wait();
                     return contents(on, call.operands, operands) == expected;
                   }});
  }
  for (const testing::value_call& call : testing::blocking_calls()) {
    if (at++ % one_of != 0) continue;
    const auto expected = expected_of(on, call, seed);
    all.push_back({call.name, [&on, call, expected](const cl::CommandQueue& queue) {
                     const buffers operands = buffers_for(on, call.operands, seed);
                     return call.value(queue, operands, false, {}) == expected &&
                            (!call.later || call.later(queue, operands, false, {}).get() == expected);
                   }});
  }
  return all;
}

// An operator that no other test has; each number is another program.
clwave::op sum_of(int number) {
  const std::string zero = std::to_string(number) + " - " + std::to_string(number);
  return {.name = "held", .source = "a + b + (" + zero + ")", .identity = "0"};
}
float sum_by(const cl::CommandQueue& queue, const cl::Buffer& ones, int number) {
  return clwave::reduce(queue, view<float>{ones, n}, sum_of(number));
}

// Lets the compiler go on at the end in any case, so that no thread hangs.
struct held_compiler {
  held_compiler() { faults::arm_held("clBuildProgram", 1); }
  ~held_compiler() { faults::let_on(); }
  held_compiler(const held_compiler&) = delete;
  held_compiler& operator=(const held_compiler&) = delete;
};

template <class T>
bool runs(const std::future<T>& call) {
  return call.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout;
}

// Whether it ends while the compiler is held. One that does not is let on after minutes, so that this is
// said.
template <class F>
bool ends(const F& f) {
  auto call = std::async(std::launch::async, f);
  const bool ended = call.wait_for(std::chrono::minutes(5)) == std::future_status::ready;
  if (!ended) faults::let_on();
  call.get();
  return ended;
}

TEST_CASE("calls whose programs are built go on while a driver's compiler is at work") {
  const testing::temporary_folder cache;
  const testing::environment variable("CLWAVE_CACHE_DIR", (cache.path() / "cache").string());
  fixture on;
  const cl::Buffer ones = on.buffer_of(std::vector<float>(n, 1.0f));
  const std::vector<subject> all = subjects(on);
  std::size_t n_beside = 0;
  // From source, and from the binary that the first round leaves on disk.
  for (const bool from_source : {true, false}) {
    CAPTURE(from_source);
    if (!from_source) clwave::release(on.context);
    for (const subject& each : all) CHECK(each.is_right(on.queue));
    const testing::kept_binaries binaries;
    const auto counts = clwave::detail::count_programs();
    faults::take_counts();
    std::future<float> first, second;
    {
      const held_compiler held;
      const cl::CommandQueue queues[] = {on.new_queue(), on.new_queue()};
      first = std::async(std::launch::async, [&, queue = queues[0]] { return sum_by(queue, ones, 1); });
      REQUIRE(faults::is_held());
      second = std::async(std::launch::async, [&, queue = queues[1]] { return sum_by(queue, ones, 1); });
      // On the queue of the call that waits, and on another one; and another program is built meanwhile.
      std::string wrong;
      CHECK(ends([&] {
        for (const cl::CommandQueue& queue : {queues[0], on.new_queue()})
          for (const subject& each : all)
            if (!each.is_right(queue)) wrong += each.name + "; ";
        if (sum_by(on.queue, ones, from_source ? 2 : 3) != n) wrong += "another sum";
      }));
      CHECK(wrong == "");
      n_beside += 2 * all.size() + 1;
      clwave::trim();
      CHECK(runs(first));
      CHECK(runs(second));
    }
    CHECK(first.get() == n);
    CHECK(second.get() == n);
    // Both that wanted it have the same program.
    CHECK(faults::take_counts()["clBuildProgram"] == 2);
    const auto now = clwave::detail::count_programs();
    CHECK(now.built - counts.built == (from_source ? 2 : 1));
    CHECK(now.from_disk - counts.from_disk == (from_source ? 0 : 1));
  }
  std::printf("%zu calls beside a compiler at work\n", n_beside);
}

TEST_CASE("what is kept for a context may be released while a driver's compiler is at work") {
  fixture on;
  const cl::Buffer ones = on.buffer_of(std::vector<float>(n, 1.0f));
  std::future<float> first;
  {
    const held_compiler held;
    first = std::async(std::launch::async, [&, queue = on.new_queue()] { return sum_by(queue, ones, 4); });
    REQUIRE(faults::is_held());
    CHECK(ends([&] { clwave::release(on.context); }));
    float sum = 0;
    CHECK(ends([&] { sum = sum_by(on.queue, ones, 4); }));
    CHECK(sum == n);
    CHECK(runs(first));
  }
  CHECK(first.get() == n);
  CHECK(sum_by(on.queue, ones, 4) == n);
}

TEST_CASE("a preparation says whether a driver's compiler has come back, and waits for it as it ends") {
  fixture on;
  const cl::Buffer ones = on.buffer_of(std::vector<float>(n, 1.0f));
  const clwave::element& f32 = clwave::element_of<float>();
  const clwave::op fold = sum_of(6);
  std::optional<held_compiler> held(std::in_place);
  std::optional<clwave::preparation> ready = clwave::prepare(
      on.context, on.device, {clwave::reduce_problem{.in = {f32, n}, .accumulator = &f32, .fold = &fold}});
  REQUIRE(faults::is_held());
  CHECK_FALSE(ready->done());
  float sum = 0;
  CHECK(ends([&] { sum = sum_by(on.queue, ones, 7); }));
  CHECK(sum == n);
  auto end = std::async(std::launch::async, [&] { ready.reset(); });
  CHECK(runs(end));
  held.reset();
  end.get();
  faults::take_counts();
  CHECK(sum_by(on.queue, ones, 6) == n);
  CHECK(faults::take_counts()["clBuildProgram"] == 0);
}

// ------------------------------------------------------------------------------- one that never comes back

constexpr const char* went_on = "beside a compiler that never comes back: right\n";
constexpr int own_code = 7;

// What the processes below do: the end is a word of the environment's.
TEST_CASE("child: a compiler that never comes back" * doctest::skip()) {
  alarm(300);  // where calls hang that must not
  const char* const word = std::getenv("COMPILER_TEST_END");
  const std::string end = word != nullptr ? word : "";
  fixture on;
  const cl::Buffer ones = on.buffer_of(std::vector<float>(n, 1.0f));
  const std::vector<subject> all = subjects(on, 5);
  bool right = true;
  for (const subject& each : all) right = each.is_right(on.queue) && right;
  faults::arm_held("clBuildProgram", 1);
  std::thread([&] { sum_by(on.new_queue(), ones, 5); }).detach();
  REQUIRE(faults::is_held());
  std::thread([&] { sum_by(on.new_queue(), ones, 5); }).detach();
  for (const subject& each : all) right = each.is_right(on.queue) && right;
  CHECK(right);
  if (right) std::fputs(went_on, stdout);
  std::fflush(stdout);
  if (end == "exit") std::exit(own_code);
  if (end == "_Exit") std::_Exit(own_code);
  sum_by(on.queue, ones, 5);  // waits for the others' program
}

struct child {
  pid_t process = -1;
  FILE* output = nullptr;
};

child begin(const char* end) {
  char self[4096] = {};
  int ends[2] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  REQUIRE(pipe(ends) == 0);
  std::fflush(stdout);  // which the child would write again
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    setenv("COMPILER_TEST_END", end, 1);
    execl(self, self, "--no-skip", "--test-case=child: a compiler that never comes back",
          static_cast<char*>(nullptr));
    _exit(3);
  }
  close(ends[1]);
  return {process, fdopen(ends[0], "r")};
}

// Reads until it says that calls went on, or ends.
bool says_that_calls_went_on(const child& of) {
  char line[4096];
  while (std::fgets(line, sizeof line, of.output) != nullptr)
    if (line == std::string(went_on)) return true;
  return false;
}

TEST_CASE("a process whose driver's compiler never comes back works on elsewhere, and can be ended") {
  for (const char* end : {"kill", "_Exit", "exit"}) {
    CAPTURE(end);
    const child of = begin(end);
    REQUIRE(of.process > 0);
    CHECK(says_that_calls_went_on(of));
    int status = 0;
    if (end == std::string("kill")) {
      CHECK(waitpid(of.process, &status, WNOHANG) == 0);
      CHECK(kill(of.process, SIGKILL) == 0);
    }
    CHECK(waitpid(of.process, &status, 0) == of.process);
    if (end == std::string("kill"))
      CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
    else
      CHECK((WIFEXITED(status) && WEXITSTATUS(status) == own_code));
    std::fclose(of.output);
  }
  std::printf("3 processes with a compiler that never comes back: one killed, two ended themselves\n");
}

}  // namespace
