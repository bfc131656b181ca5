// What `clwave why` and `clwave emulate` can ask of reduce.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_reduce() {
  struct words_of_reduce {
    reduce_words call;
    std::string n = "16M";
    bool counted = false;
  };
  auto words = std::make_shared<words_of_reduce>();
  planned_primitive reduce;
  reduce.name = "reduce";
  reduce.help = "A reduction of n elements into one";
  reduce.calls = {{"argmin", {{"--op", "argmin"}}}, {"argmax", {{"--op", "argmax"}}}};
  reduce.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call, folds_for::reductions);
    add_n_option(command, words->n);
    add_count_option(command, words->counted);
  };
  reduce.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    reduce_problem problem{.in = {*meaning.type, number_of_elements(words->n)},
                           .accumulator = &meaning.accumulator,
                           .fold = meaning.operation(),
                           .apply = meaning.applied(),
                           .out = meaning.accumulator};
    problem.in.count = count_where(words->counted);
    return clwave::plan(problem, on);
  };
  reduce.problem = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    return {{"primitive", "reduce"},
            {"n", number_of_elements(words->n)},
            {"type", meaning.type->name},
            {"op", meaning.fold->name},
            {"acc", meaning.value->name},
            {"count_on_device", words->counted},
            {"fold", {{"tile", fold_tile}, {"accumulators", fold_accumulators}}}};
  };
  return reduce;
}

const registered_primitives reduce_listed("reduce", {planned_reduce});

}  // namespace
}  // namespace clwave::tool
