// What `clwave why` and `clwave emulate` can ask of reduce_by_key.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/reduce_by_key.hpp>

#include "primitives/planned_runs.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_reduce_by_key() {
  auto words = std::make_shared<run_words>();
  planned_primitive runs;
  runs.name = "reduce_by_key";
  runs.help = "The fold of the values of each run of equal keys";
  runs.add_options = [words](CLI::App& command) { add_run_options(command, *words, folds_for::reductions); };
  runs.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    const element& key = scalar_type_named(words->keys);
    const op same{.name = "text", .source = words->text, .identity = {}};
    const std::uint64_t n = number_of_elements(words->n);
    return clwave::plan(reduce_by_key_problem{.keys = keys_of(*words),
                                              .values = {*meaning.type, n},
                                              .keys_out = {key, n},
                                              .values_out = {meaning.accumulator, n},
                                              .fold = meaning.operation(),
                                              .apply = meaning.applied(),
                                              .same = &same},
                        on);
  };
  runs.problem = [words]() -> json {
    json all = problem_of_runs("reduce_by_key", meaning_of(words->call), *words);
    all["fold_tile"] = fold_tile;
    all["fold_accumulators"] = fold_accumulators;
    return all;
  };
  return runs;
}

const registered_primitives reduce_by_key_listed("reduce_by_key", {planned_reduce_by_key});

}  // namespace
}  // namespace clwave::tool
