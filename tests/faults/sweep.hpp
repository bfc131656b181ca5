// Lets each call fail that a library call makes of OpenCL's entry points, one after another, and looks at
// what comes of it: for calls on several devices, whose errors name one of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "faults.hpp"
#include "harness/devices.hpp"

namespace faults {

struct tally {
  std::size_t failures = 0, thrown = 0, survived = 0, not_met = 0;
  std::set<std::string> entries;
};

// What is true of the calls that are tried.
struct expectations {
  std::string member;                 // what an error names first, "part 2 of 3: "; "": it need not
  std::size_t members = 0;            // how many there are
  std::set<std::string> also = {};    // entry points that fail without harm, beside those of all
  std::set<std::string> chance = {};  // those of which it depends on chance whether they come; "*": all
};

// What fails without harm: what it tells is not needed, or there is another way.
inline bool is_dispensable(const std::string& entry, const expectations& expected) {
  static const std::set<std::string> of_all{"clGetProgramBuildInfo",
                                            "clGetProgramInfo",
                                            "clCreateProgramWithBinary",
                                            "clBuildProgram",
                                            "clGetKernelWorkGroupInfo",
                                            "clGetKernelSubGroupInfo",
                                            "clGetDeviceInfo",
                                            "clGetContextInfo",
                                            "clRetainCommandQueue",
                                            "clGetEventInfo",
                                            "clRetainEvent"};
  return of_all.contains(entry) || expected.also.contains(entry);
}

inline void check_error(const clwave::error& thrown, int code, const std::string& entry,
                        const expectations& expected) {
  const std::string words = thrown.what();
  CAPTURE(words);
  CHECK(thrown.code() == code);
  if (!expected.member.empty()) {
    CHECK(words.find(expected.member + " ") == 0);
    CHECK(words.find(" of " + std::to_string(expected.members) + ": ") == expected.member.size() + 2);
  }
  // Of a queue that says nothing of itself no device is known.
  if (entry != "clGetCommandQueueInfo" && entry != "clRetainContext") CHECK(!thrown.details().device.empty());
  if (code == -5) CHECK(thrown.kind() == clwave::failure::out_of_memory);
}

// What calls that write leave is looked at when nothing fails any more.
inline bool nothing_is_written() { return true; }

// Lets each call of each entry point fail, up to its 24th, that `is_right` makes on fresh queues of `on`,
// after `before`: with two codes, or where the run is quick with one of them.
template <class Devices, class Call>
void sweep(const Devices& on, const std::string& name, const std::function<void()>& before,
           const Call& is_right, tally& total, const expectations& expected,
           const std::function<bool()>& wrote_right = nothing_is_written) {
  constexpr unsigned most_calls = 24;
  auto queues = on.queues();
  REQUIRE(is_right(queues));
  REQUIRE(wrote_right());
  before();
  queues = on.queues();
  take_counts();
  REQUIRE(is_right(queues));
  const auto counts = take_counts();
  codes_by_turns codes({-5, -36});
  for (const auto& each : counts) {
    const std::string& entry = each.first;
    for (unsigned kth = 1; kth <= std::min(each.second, most_calls); ++kth) {
      for (const cl_int code : codes.next()) {
        INFO(name, ": call ", kth, " of ", entry, " fails with ", clwave::name_of_code(code));
        before();
        queues = on.queues();
        std::optional<clwave::error> thrown;
        std::string other;
        bool right = true;
        arm(entry, kth, code);
        try {
          right = is_right(queues);
        } catch (const clwave::error& trouble) {
          thrown = trouble;
        } catch (const std::exception& trouble) {
          other = trouble.what();
        }
        const bool failed = disarm();
        CHECK(other.empty());
        CHECK(right);
        if (!failed && (expected.chance.contains(entry) || expected.chance.contains("*"))) {
          ++total.not_met;
          continue;
        }
        ++total.failures;
        total.entries.insert(entry);
        CHECK(failed);
        if (thrown) {
          ++total.thrown;
          check_error(*thrown, code, entry, expected);
        } else {
          ++total.survived;
          CHECK(is_dispensable(entry, expected));
          CHECK(wrote_right());
        }
        // Nothing waits for anything any more.
        for (const cl::CommandQueue& queue : queues) queue.finish();
        CHECK(is_right(queues));
        CHECK(wrote_right());
      }
    }
  }
}

// Lets the library let go of what it keeps for the devices.
template <class Devices>
void let_go(const Devices& on) {
  for (const testing::fixture& each : on.places) clwave::release(each.context);
}

// The references of all objects before and after f, once the library has let go of what it keeps.
template <class Devices, class F>
void check_references(const Devices& on, const F& f) {
  const auto now = [&on] {
    let_go(on);
    for (const testing::fixture& each : on.places) each.queue.finish();
    return held();
  };
  const references before = now();
  f();
  const references after = now();
  INFO("before ", to_string(before), "; after ", to_string(after));
  CHECK(after == before);
}

// `who`: what errors name.
inline void print(const char* what, const char* who, const tally& total) {
  std::printf(
      "%s: %zu failures of %zu entry points: %zu thrown with the code and the %s, %zu done without, %zu not "
      "met\n",
      what, total.failures, total.entries.size(), total.thrown, who, total.survived, total.not_met);
}

}  // namespace faults
