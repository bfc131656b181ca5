// The primitives that can be planned (why, emulate), and the words of the command line they share with
// the commands that run them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/reduce.hpp>

#include "records.hpp"

namespace clwave::tool {

// One primitive of `clwave why` and `clwave emulate`. A new one is a function that makes this, and a
// line in planned_primitives().
struct planned_primitive {
  std::string name;
  std::string help;
  std::function<void(CLI::App&)> add_options;
  std::function<call_plan(const plan_target&)> plan;
  std::function<json()> question;  // what was asked: n, types, operator, and constants of the contract
};

std::vector<planned_primitive> planned_primitives();

// A reduction by its name on the command line.
struct named_fold {
  std::string_view name;
  const op* fold;
  const map* apply;
  bool sums = false;     // integers are accumulated in 64 bits
  bool indexed = false;  // argmin, argmax
};

// The names of all, "sum|prod|...".
std::string fold_names();

// --type, --op and --acc as given, and what they mean.
struct reduce_words {
  std::string type = "f32";
  std::string op = "sum";
  std::string accumulator;  // empty: by type and operator
};
struct reduce_meaning {
  const element* type = nullptr;
  const named_fold* fold = nullptr;
  element accumulator;             // of the call: for argmin and argmax the value with its index
  const element* value = nullptr;  // of the result's value
};
void add_reduce_options(CLI::App& command, reduce_words& words);
// Throws clwave::error (bad_call) for an unknown name.
reduce_meaning meaning_of(const reduce_words& words);
const element& scalar_type_named(const std::string& name);

// "16M", "1Gi", "4096", "1e6": K, M and G are 2^10, 2^20 and 2^30. Throws clwave::error (bad_call).
std::uint64_t number_of_elements(const std::string& text);

}  // namespace clwave::tool
