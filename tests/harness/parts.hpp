// What the tests of what all primitives share need of each: its calls, its plans, its keys. A primitive has
// it in tests/primitives/NAME/shared.cpp, which registers it:
//     const registered_parts listed("NAME", {{.events = events, .plans = {...}, ...}});
// The tests go through all that are in primitives.cmake, and fail where one of these registers nothing, or
// where the kernels know a primitive that no part is of.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registered.hpp"
#include "harness/calls.hpp"
#include "harness/keys.hpp"
#include "harness/plans.hpp"

namespace testing {

using queue = cl::CommandQueue;
using namespace uses;

// Random plans: one is made for each row and device that a test takes.
struct random_plan {
  std::string name;
  void (*plan)(planner& p, const clwave::plan_target& on);
};

// Rows under which calls are compared: a CPU's, lanes of every kind, with and without matrix instructions;
// and those without lanes, for programs that take compilers seconds where lanes are emulated.
inline constexpr const char* all_rows[] = {"cpu", "gpu", "sm_90", "gfx90a", "gfx1100", "subgroup-16"};
inline constexpr const char* rows_without_lanes[] = {"cpu", "gpu"};
inline constexpr const char* row_with_lanes[] = {"sm_90"};

// Random calls against their plans, so many under each of the rows.
struct compared_call {
  int calls;
  void (*compare)(call_comparer& r);
  std::span<const char* const> rows = all_rows;
};

// Random variants. Two of one key must be one program.
struct random_key {
  std::string name;
  keyed (*make)(dice& d);
};

// A call whose results have the same bits under every row and with every tuning; returns them, from 1000
// floats or more. A primitive that has numbers of its own in a profile has one of its name.
struct result_call {
  std::string name;
  std::vector<float> (*call)(const fixture& on, const clwave::view<float>& in);
};

// What such calls take beside the floats, the same each time: offsets of short, empty and long segments of n
// elements, and keys that change where those begin.
std::vector<u32> some_offsets(std::size_t n);
std::vector<u32> some_keys(std::size_t n);
// And n sorted floats, each so many times.
std::vector<float> some_sorted(std::size_t n, std::size_t times);

// A user's operator or map.
struct own_text {
  std::string name, source, identity, declarations;
};

// A call with one, of 100 floats; returns what it writes.
struct text_call {
  std::string name;
  std::string good;     // a source that is right
  bool takes_identity;  // as operators of reductions do
  std::vector<float> (*call)(const fixture& on, const cl::Buffer& in, const own_text& own);
};

struct primitive_parts {
  event_list (*events)() = nullptr;               // calls that return an event
  value_list (*values)() = nullptr;               // that return a value, where there are some
  std::vector<count_call> (*counts)() = nullptr;  // that block, and return a count or nothing
  std::vector<random_plan> plans = {};
  std::vector<compared_call> compared = {};
  std::vector<random_key> keys = {};
  std::vector<result_call> results = {};
  std::vector<text_call> texts = {};
};

using registered_parts = clwave::detail::registered<primitive_parts>;

// Those of all primitives, and the primitives' names. (parts.cpp)
const std::vector<primitive_parts>& all_parts();
const std::vector<std::string>& primitive_names();

// The words that stand for the kernels' primitives in options: PRIMITIVE_SCAN.
std::set<std::string> primitives_of_kernels();
// As one text, for messages.
std::string joined(const std::set<std::string>& words);
// Whether "scan" is one.
bool kernels_have(const std::string& primitive);
// That of an option line.
std::string primitive_in(const std::string& options);

// Plans all random problems, or those of one name, so often, each under the row. What they come to.
std::vector<call_plan> some_plans(const clwave::plan_target& on, u64 seed, int times = 1,
                                  std::string_view of = {});

}  // namespace testing
