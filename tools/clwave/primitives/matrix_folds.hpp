// What `clwave why` and `clwave emulate` can ask of folds of a matrix's rows and of its columns.
#pragma once

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/reduce_columns.hpp>
#include <clwave/reduce_rows.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {

// Problem is one of the problems of matrices, and `name` its primitive.
template <class Problem>
planned_primitive planned_matrix_fold(const std::string& name, const std::string& help) {
  struct words_of_matrix {
    reduce_words call;
    std::string shape = "4096x4096";
    std::string pitch = "0";
  };
  auto words = std::make_shared<words_of_matrix>();
  planned_primitive fold;
  fold.name = name;
  fold.help = help;
  fold.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call, folds_for::reductions);
    command.add_option("--shape", words->shape, "Rows x columns, or rows x columns x batch")
        ->capture_default_str();
    command.add_option("--pitch", words->pitch, "Elements from row to row; 0: those of a row")
        ->capture_default_str();
  };
  fold.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    return clwave::plan(Problem{.in = *meaning.type,
                                .out = meaning.accumulator,
                                .size = matrices_of(words->shape),
                                .steps = {.row = number_of_elements(words->pitch)},
                                .fold = meaning.operation(),
                                .apply = meaning.applied()},
                        on);
  };
  fold.problem = [words, name]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    const matrices size = matrices_of(words->shape);
    return {{"primitive", name},
            {"n", size.rows * size.columns * size.batch},
            {"type", meaning.type->name},
            {"op", meaning.fold->name},
            {"acc", meaning.value->name},
            {"rows", size.rows},
            {"columns", size.columns},
            {"batch", size.batch},
            {"pitch", number_of_elements(words->pitch)},
            {"fold_tile", fold_tile},
            {"fold_accumulators", fold_accumulators}};
  };
  return fold;
}

}  // namespace clwave::tool
