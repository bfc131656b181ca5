// Sorts on the command line: their keys, and what goes with them.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <clwave/sort.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {

struct sort_words {
  std::string type = "u32", values, indices, n = "16M";
};

inline void add_sort_options(CLI::App& command, sort_words& words) {
  command.add_option("--type", words.type, "Type of the keys")->capture_default_str();
  CLI::Option* values =
      command.add_option("--values", words.values, "Type of the values that go with the keys");
  command
      .add_option("--indices", words.indices,
                  "Type of an argsort's indices, u32 or u64; without it keys are sorted")
      ->excludes(values);
  add_n_option(command, words.n, "keys");
}

// Puts into a problem, which has its keys, what comes out and what goes with the keys.
inline void add_outputs(sort_problem& problem, const sort_words& words) {
  if (!words.indices.empty()) {
    problem.values_out = scalar_type_named(words.indices);
  } else {
    problem.keys_out = problem.keys;
    if (!words.values.empty())
      problem.values = problem.values_out = any_view(scalar_type_named(words.values));
  }
}

// What was asked, of which the primitive may say more.
inline json problem_of_sort(const char* primitive, const sort_words& words) {
  json problem{{"primitive", primitive},
               {"n", number_of_elements(words.n)},
               {"type", scalar_type_named(words.type).name}};
  if (!words.values.empty()) problem["values"] = scalar_type_named(words.values).name;
  if (!words.indices.empty()) problem["indices"] = scalar_type_named(words.indices).name;
  return problem;
}

}  // namespace clwave::tool
