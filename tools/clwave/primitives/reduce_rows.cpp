// What `clwave why` and `clwave emulate` can ask of reduce_rows.
#include <memory>

#include <clwave/plan.hpp>
#include <clwave/reduce_rows.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_reduce_rows() {
  struct words_of_rows {
    reduce_words call;
    std::string shape = "4096x4096";
    std::string pitch = "0";
  };
  auto words = std::make_shared<words_of_rows>();
  planned_primitive rows;
  rows.name = "reduce_rows";
  rows.help = "The fold of each row of a matrix, or of a batch";
  rows.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call);
    command.add_option("--shape", words->shape, "Rows x columns, or rows x columns x batch")
        ->capture_default_str();
    command.add_option("--pitch", words->pitch, "Elements from row to row; 0: those of a row")
        ->capture_default_str();
  };
  rows.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    return clwave::plan(reduce_rows_question{.in = *meaning.type,
                                             .out = meaning.accumulator,
                                             .size = matrices_of(words->shape),
                                             .steps = {.row = number_of_elements(words->pitch)},
                                             .fold = meaning.fold->fold,
                                             .apply = meaning.fold->apply},
                        on);
  };
  rows.question = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    const matrices size = matrices_of(words->shape);
    return {{"primitive", "reduce_rows"},
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
  return rows;
}

const registered_primitives listed("reduce_rows", {planned_reduce_rows});

}  // namespace
}  // namespace clwave::tool
