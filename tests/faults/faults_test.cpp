// Every entry point of OpenCL fails once at each of its first calls, with each of the codes that drivers
// give, under every primitive: the exception is of the right kind and has the code, nothing crashes, every
// reference is given back, and the next call on the same queue is right.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "faults.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/library_calls.hpp"
#include "harness/parts.hpp"
#include "harness/quick.hpp"

namespace {

using clwave::failure;
using testing::buffers;
using testing::bytes;
using testing::fixture;

constexpr unsigned seed = 3;
const std::vector<cl_int> all_codes{-4, -5, -6, -2, -36, -38, -58, -9999};
const std::vector<cl_int> few_codes{-5, -36};

// How far a call is followed, for each entry point.
constexpr unsigned most_calls = 12;

// --------------------------------------------------------------------------------------- what is expected

bool one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

// Those without which the library gets along: what they tell is not needed for a result, or there is another
// way.
bool is_dispensable(const std::string& entry) {
  return one_of(entry,
                {"clGetProgramBuildInfo", "clGetProgramInfo", "clCreateProgramWithBinary", "clBuildProgram",
                 "clGetKernelWorkGroupInfo", "clGetKernelSubGroupInfo", "clGetDeviceInfo", "clGetContextInfo",
                 "clRetainCommandQueue", "clRetainEvent", "clGetEventInfo", "clFlush"});
}

failure expected_kind(const std::string& entry, cl_int code) {
  if (code == -4 || code == -5 || code == -6) return failure::out_of_memory;
  if (code == -2 || code == -9999) return failure::device_lost;
  // A dead queue, a dead buffer, a dead event.
  const bool waits = one_of(entry, {"clFinish", "clEnqueueReadBuffer"});
  if (waits) return failure::device_lost;
  if (entry.starts_with("clRetain") ||
      one_of(entry, {"clGetCommandQueueInfo", "clGetMemObjectInfo", "clGetEventInfo", "clWaitForEvents"}))
    return failure::bad_call;
  if (one_of(entry, {"clSetKernelArg", "clCreateKernel", "clSetUserEventStatus"})) return failure::internal;
  if (entry == "clBuildProgram") return failure::driver;
  return code == -36 ? failure::device_lost : failure::driver;
}

// ------------------------------------------------------------------------------------------------ subjects

// A call of a primitive, its operands, and the check of its result.
struct subject {
  std::string name;
  std::vector<testing::call_operand> operands;
  std::function<void(const cl::CommandQueue&, const buffers&, const clwave::wait_list& after)> call;
  std::function<bool(const cl::CommandQueue&)> is_right;  // a fresh call, without faults
};

// Those that are taken.
std::vector<subject> subjects(const fixture& on, const std::function<bool(const std::string& name)>& takes) {
  std::vector<subject> all;
  for (const testing::event_call& each : testing::event_calls()) {
    if (!takes("event: " + each.name)) continue;
    const auto expected = expected_of(on, each, seed);
    all.push_back(
        {"event: " + each.name, each.operands,
         [each](const cl::CommandQueue& queue, const buffers& operands, const clwave::wait_list& after) {
           each.start(queue, operands, false, {.after = after}).wait();
         },
         [each, expected, &on](const cl::CommandQueue& queue) {
           const buffers operands = buffers_for(on, each.operands, seed);
           each.start(queue, operands, false, {}).wait();
           return contents(on, each.operands, operands) == expected;
         }});
  }
  for (const testing::value_call& each : testing::value_calls()) {
    if (!takes("value: " + each.name)) continue;
    const auto expected = expected_of(on, each, seed);
    all.push_back(
        {"value: " + each.name, each.operands,
         [each](const cl::CommandQueue& queue, const buffers& operands, const clwave::wait_list& after) {
           static_cast<void>(each.value(queue, operands, false, {.after = after}));
         },
         [each, expected, &on](const cl::CommandQueue& queue) {
           const buffers operands = buffers_for(on, each.operands, seed);
           return each.value(queue, operands, false, {}) == expected;
         }});
    all.push_back(
        {"later: " + each.name, each.operands,
         [each](const cl::CommandQueue& queue, const buffers& operands, const clwave::wait_list& after) {
           each.later(queue, operands, false, {.after = after}).get();
         },
         [each, expected, &on](const cl::CommandQueue& queue) {
           const buffers operands = buffers_for(on, each.operands, seed);
           return each.later(queue, operands, false, {}).get() == expected;
         }});
  }
  for (const testing::count_call& each : testing::count_calls()) {
    if (!takes("count: " + each.name)) continue;
    const auto outcome = [each, &on](const cl::CommandQueue& queue) {
      const buffers operands = buffers_for(on, each.operands, seed);
      const std::uint64_t n = each.count(queue, operands, false, {});
      return std::pair(n, contents(on, each.operands, operands));
    };
    const auto expected = outcome(on.queue);
    all.push_back(
        {"count: " + each.name, each.operands,
         [each](const cl::CommandQueue& queue, const buffers& operands, const clwave::wait_list& after) {
           static_cast<void>(each.count(queue, operands, false, {.after = after}));
         },
         [outcome, expected](const cl::CommandQueue& queue) { return outcome(queue) == expected; }});
  }
  return all;
}

// All subjects, or one of three where the run is quick.
std::vector<subject> some_subjects(const fixture& on) {
  testing::sample some(3);
  return subjects(on, [&](const std::string& /*name*/) { return some.takes_next(); });
}

// The library lets go of all that it keeps for the context.
void let_go(const fixture& on) { clwave::release(on.context); }

struct tally {
  std::size_t faults = 0, refused = 0, survived = 0;
  std::set<std::string> entries;
};

// One call with one failure in it.
void run_one(const fixture& on, const subject& of, const cl::CommandQueue& queue, const std::string& entry,
             unsigned kth, cl_int code, tally& total) {
  INFO(of.name, ": call ", kth, " of ", entry, " fails with ", clwave::name_of_code(code));
  const buffers operands = buffers_for(on, of.operands, seed);
  cl::UserEvent ready(on.context);
  ready.setStatus(CL_COMPLETE);
  std::optional<failure> kind;
  cl_int kept = CL_SUCCESS;
  std::string other;
  faults::arm(entry, kth, code);
  try {
    of.call(queue, operands, {ready});
  } catch (const clwave::error& thrown) {
    kind = thrown.kind();
    kept = thrown.code();
  } catch (const std::exception& thrown) {
    other = thrown.what();
  }
  const bool failed = faults::disarm();
  // How often workspace is asked whether it is free depends on how far the device has come.
  if (!failed && entry == "clGetEventInfo") return;
  ++total.faults;
  total.entries.insert(entry);
  CHECK(failed);  // else the call was not followed as before, and nothing was tested
  CHECK(other.empty());
  if (kind) {
    ++total.refused;
    // Events are the caller's, and the library's own where it waits for its result.
    const bool own_event =
        entry == "clGetEventInfo" || (entry == "clWaitForEvents" && !of.name.starts_with("event"));
    const bool expected = *kind == expected_kind(entry, code) || (own_event && *kind == failure::device_lost);
    CHECK(expected);
    CHECK(kept == code);
  } else {
    ++total.survived;
    CHECK(is_dispensable(entry));
  }
  queue.finish();
  CHECK(of.is_right(queue));
}

// Follows one call through the driver, and lets each call of each entry point fail.
void sweep(const fixture& on, const subject& of, bool cold, const std::vector<cl_int>& codes,
           const std::map<std::string, unsigned>& already, tally& total) {
  faults::codes_by_turns by_turns(codes);
  // Each on a queue of its own, so that all meet the library in the state that the first left.
  const auto follow = [&] {
    const cl::CommandQueue queue = on.new_queue();
    const buffers operands = buffers_for(on, of.operands, seed);
    cl::UserEvent ready(on.context);
    ready.setStatus(CL_COMPLETE);
    faults::take_counts();
    of.call(queue, operands, {ready});
    return faults::take_counts();
  };
  if (cold) let_go(on);
  const auto counts = follow();
  for (const auto& [entry, count] : counts) {
    const auto known = already.find(entry);
    const unsigned first = known == already.end() ? 1 : known->second + 1;
    for (unsigned kth = first; kth <= std::min(count, first + most_calls - 1); ++kth) {
      for (const cl_int code : by_turns.next()) {
        if (cold) let_go(on);
        run_one(on, of, on.new_queue(), entry, kth, code, total);
      }
    }
  }
}

std::map<std::string, unsigned> warm_counts(const fixture& on, const subject& of) {
  const cl::CommandQueue queue = on.new_queue();
  const buffers operands = buffers_for(on, of.operands, seed);
  of.call(queue, operands, {});
  cl::UserEvent ready(on.context);
  ready.setStatus(CL_COMPLETE);
  faults::take_counts();
  of.call(queue, operands, {ready});
  return faults::take_counts();
}

void print(const char* what, const tally& total) {
  std::printf(
      "%s: %zu failures of %zu entry points: %zu thrown with the right kind and code, %zu done without\n",
      what, total.faults, total.entries.size(), total.refused, total.survived);
}

// The references of a context's objects before and after f, once the library has let go of what it keeps.
template <class F>
void check_references(const fixture& on, const std::string& name, const F& f) {
  let_go(on);
  on.queue.finish();
  const faults::references before = faults::held();
  f();
  let_go(on);
  on.queue.finish();
  INFO(name, ": before ", faults::to_string(before), "; after ", faults::to_string(faults::held()));
  CHECK(faults::held() == before);
}

// ------------------------------------------------------------------------------------------------- the tests

TEST_CASE("failures of a call whose program is there") {
  fixture on;
  tally total;
  for (const subject& of : some_subjects(on)) {
    check_references(on, of.name, [&] {
      CHECK(of.is_right(on.queue));
      sweep(on, of, false, all_codes, {}, total);
    });
  }
  print("warm calls", total);
  CHECK(total.refused > (testing::quick() ? 125 : 1000));
}

TEST_CASE("failures of a first call, its program from the cache on disk") {
  fixture on;
  tally total;
  for (const subject& of : some_subjects(on)) {
    const bool all = of.name.ends_with("reduce, many tiles") || of.name.ends_with("gemm, k in parts");
    check_references(on, of.name, [&] {
      const auto warm = warm_counts(on, of);
      sweep(on, of, true, all ? all_codes : few_codes, warm, total);
    });
  }
  print("first calls, cached", total);
  CHECK(total.refused > (testing::quick() ? 50 : 100));
}

TEST_CASE("failures of a first call, its program built from source") {
  fixture on;
  tally total;
  const testing::environment no_cache("CLWAVE_CACHE_DIR", "off");
  const auto is_built = [](const std::string& name) {
    return name == "value: reduce, one tile" || name == "event: copy";
  };
  for (const subject& of : subjects(on, is_built)) {
    if (!is_built(of.name)) continue;
    check_references(on, of.name, [&] {
      const auto warm = warm_counts(on, of);
      sweep(on, of, true, few_codes, warm, total);
    });
  }
  print("first calls, built", total);
  CHECK(total.refused > (testing::quick() ? 5 : 10));
}

TEST_CASE("a program that the compiler had no memory for is no fault of the source's") {
  fixture on;
  const testing::environment no_cache("CLWAVE_CACHE_DIR", "off");
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(100, 1.0f));
  const std::pair<cl_int, failure> cases[] = {{-4, failure::out_of_memory}, {-5, failure::out_of_memory},
                                              {-6, failure::out_of_memory}, {-2, failure::device_lost},
                                              {-11, failure::build},        {-43, failure::build},
                                              {-59, failure::driver}};
  for (const auto& each : cases) {
    const cl_int code = each.first;
    const failure kind = each.second;
    CAPTURE(code);
    let_go(on);
    faults::arm("clBuildProgram", 1, code);
    try {
      clwave::reduce(on.queue, clwave::view<float>{buffer, 100});
      CHECK_MESSAGE(false, "nothing was thrown");
    } catch (const clwave::error& thrown) {
      CHECK(thrown.kind() == kind);
      CHECK(thrown.code() == code);
    }
    CHECK(faults::disarm());
    CHECK(clwave::reduce(on.queue, clwave::view<float>{buffer, 100}) == 100.0f);
  }
}

TEST_CASE("a failed problem about a buffer does not skip the check for overlaps") {
  fixture on;
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(1000, 1.0f));
  const auto overlapping = [&] {
    clwave::copy(on.queue, clwave::view<float>{buffer, 500}, clwave::view<float>{buffer, 500, 100}).wait();
  };
  faults::take_counts();
  CHECK_THROWS_AS(overlapping(), clwave::error);
  const unsigned asked = faults::take_counts()["clGetMemObjectInfo"];
  REQUIRE(asked > 0);
  for (unsigned kth = 1; kth <= asked; ++kth) {
    CAPTURE(kth);
    faults::arm("clGetMemObjectInfo", kth, -5);
    CHECK_THROWS_AS(overlapping(), clwave::error);
    CHECK(faults::disarm());
  }
}

TEST_CASE("a retain that fails takes nothing from the caller") {
  fixture on;
  cl::UserEvent users(on.context);
  const cl_event handle = users();
  const auto references = [&] {
    cl_uint n = 0;
    clwave::detail::check(clGetEventInfo(handle, CL_EVENT_REFERENCE_COUNT, sizeof n, &n, nullptr), "count");
    return n;
  };
  const cl_uint before = references();
  for (const unsigned n : {1u, 2u, 5u, 6u}) {
    CAPTURE(n);
    faults::arm("clRetainEvent", n, -5);
    CHECK_THROWS_AS(clwave::wait_list(std::vector<cl_event>(6, handle)), clwave::error);
    CHECK(faults::disarm());
    CHECK(references() == before);
    const clwave::wait_list list(std::vector<cl_event>(6, handle));
    faults::arm("clRetainEvent", n, -5);
    CHECK_THROWS_AS(clwave::wait_list{list}, clwave::error);
    CHECK(faults::disarm());
    CHECK(references() == before + 6);
  }
  {
    clRetainEvent(handle);
    const clwave::event one(handle);
    faults::arm("clRetainEvent", 1, -6);
    CHECK_THROWS_AS(clwave::event{one}, clwave::error);
    CHECK(faults::disarm());
    CHECK(references() == before + 1);
  }
  CHECK(references() == before);
  // Drivers may wait for an event that nobody sets, as they let go of its context.
  users.setStatus(CL_COMPLETE);
}

// ------------------------------------------------------------------------------------------------ discovery

// Runs the tests of a name in a process of their own, where no driver has been asked for anything.
bool passes_in_a_fresh_process(const std::string& name) {
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) return false;
  const std::string command = "'" + std::string(self) + "' --no-skip '--test-case=" + name + "'";
  return std::system(command.c_str()) == 0;  // NOLINT(bugprone-command-processor): a name of this file
}

TEST_CASE("discovery is tried again") {
  CHECK(passes_in_a_fresh_process("fresh: the list of platforms fails"));
  CHECK(passes_in_a_fresh_process("fresh: the list of devices fails"));
}

void check_recovers(const std::string& entry, cl_int means_none) {
  for (const unsigned kth : {1u, 2u}) {
    for (const cl_int code : {-1, -5, -6, -9999, -1001}) {
      CAPTURES(entry, kth, code);
      faults::arm(entry, kth, code);
      std::optional<failure> kind;
      cl_int kept = CL_SUCCESS;
      try {
        clwave::select_device("0");
      } catch (const clwave::error& thrown) {
        kind = thrown.kind();
        kept = thrown.code();
      }
      REQUIRE(faults::disarm());
      if (!kind) return;  // another platform has devices
      const bool memory = code == -5 || code == -6;
      CHECK(kind == (memory          ? failure::out_of_memory
                     : code == -9999 ? failure::device_lost
                                     : failure::no_device));
      CHECK(kept == (code == means_none ? CL_SUCCESS : code));
    }
  }
}

// What was found later is there, and stays.
void check_found() {
  const auto& devices = clwave::devices();
  CHECK_FALSE(devices.empty());
  CHECK_NOTHROW(clwave::select_device("0"));
  CHECK(&clwave::devices() == &devices);
}

TEST_CASE("fresh: the list of platforms fails" * doctest::skip()) {
  check_recovers("clGetPlatformIDs", -1001);
  check_found();
}
TEST_CASE("fresh: the list of devices fails" * doctest::skip()) {
  check_recovers("clGetDeviceIDs", CL_DEVICE_NOT_FOUND);
  check_found();
}

// ------------------------------------------------------------------------------ the layer and the list of
// calls

TEST_CASE("every primitive of the kernels is among the calls that the tests go through") {
  fixture on;
  for (const subject& of : subjects(on, [](const std::string& /*name*/) { return true; }))
    CHECK(of.is_right(on.queue));
  CHECK(testing::joined(faults::built()) == testing::joined(testing::primitives_of_kernels()));
}

// A checked_... call builds the programs of the call that it checks, so these are known by their names;
// behind a name may stand what it sorts by.
TEST_CASE("every checked call of the headers is among the calls that the tests go through") {
  const std::regex name(R"(\bchecked_\w+(?=\())");
  std::set<std::string> declared, tested;
  for (const auto& header : std::filesystem::recursive_directory_iterator(CLWAVE_HEADERS)) {
    if (!header.is_regular_file()) continue;
    std::ifstream file(header.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (std::sregex_iterator each(text.begin(), text.end(), name), end; each != end; ++each)
      declared.insert(each->str());
  }
  for (const testing::count_call& each : testing::count_calls())
    if (each.name.starts_with("checked_")) tested.insert(each.name.substr(0, each.name.find(' ')));
  CHECK_FALSE(declared.empty());
  CHECK(testing::joined(tested) == testing::joined(declared));
}

TEST_CASE("the layer knows every entry point that the library calls") {
  const auto known = faults::entries();
  for (const std::string& name : testing::opencl_calls_of_library()) {
    CAPTURE(name);
    CHECK(std::find(known.begin(), known.end(), name) != known.end());
  }
}

}  // namespace
