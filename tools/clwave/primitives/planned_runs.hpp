// Runs of equal keys on the command line, for the primitives that are planned with them.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {

struct run_words {
  reduce_words call;
  std::string n = "16M", keys = "u32", text = "a == b";
  bool counted = false;
};

inline void add_run_options(CLI::App& command, run_words& words, folds_for use) {
  add_reduce_options(command, words.call, use);
  add_n_option(command, words.n);
  add_count_option(command, words.counted, "keys");
  command.add_option("--keys", words.keys, "Type of the keys")->capture_default_str();
  command
      .add_option("--text", words.text, "OpenCL C in two neighbouring keys, a and b: whether they are equal")
      ->capture_default_str();
}

// The keys, as many as are asked for.
inline any_view keys_of(const run_words& words) {
  any_view keys(scalar_type_named(words.keys), number_of_elements(words.n));
  keys.count = count_where(words.counted);
  return keys;
}

// What was asked, of which the primitive may say more.
inline json problem_of_runs(const char* primitive, const reduce_meaning& meaning, const run_words& words) {
  return {{"primitive", primitive},
          {"n", number_of_elements(words.n)},
          {"keys", scalar_type_named(words.keys).name},
          {"text", words.text},
          {"type", meaning.type->name},
          {"op", meaning.fold->name},
          {"acc", meaning.value->name},
          {"count_on_device", words.counted}};
}

}  // namespace clwave::tool
