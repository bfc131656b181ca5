// What `clwave why` and `clwave emulate` can ask of reduce.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>
#include <clwave/statistics.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

// Calls that are reductions by an operator of the library's own, or of a predicate: what they fold.
struct planned_statistic {
  element accumulator;
  op fold = plus;
  map apply;
  bool counts = false;
};

planned_statistic statistic_named(const std::string& name, const element& type) {
  if (name == "count_if")
    return {element_of<std::uint64_t>(), plus, {.name = "positive", .source = "x > 0"}, true};
  const bool wide = type.size == 8;
  const element& real = wide ? element_of<double>() : element_of<float>();
  if (name == "mean_and_variance")
    return {detail::moments_element(real), detail::moments_op(real), detail::moments_map(real)};
  const bool stored = type.kind == element_kind::half_storage || type.kind == element_kind::bfloat16_storage;
  const element& compared = stored ? element_of<float>() : type;
  return {detail::min_and_max_element(compared), detail::minmax_op(compared), detail::minmax_map(compared)};
}

planned_primitive planned_reduce() {
  struct words_of_reduce {
    reduce_words call;
    std::string statistic, n = "16M", input = "array";
    bool counted = false, started = false;
  };
  auto words = std::make_shared<words_of_reduce>();
  planned_primitive reduce;
  reduce.name = "reduce";
  reduce.help = "A reduction of n elements into one";
  reduce.calls = {{"argmin", {{"--op", "argmin"}}}, {"argmax", {{"--op", "argmax"}}}};
  for (const char* name : {"count_if", "minmax", "mean_and_variance"})
    reduce.calls.push_back({name, {{"--statistic", name}}});
  reduce.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call, folds_for::reductions);
    command
        .add_option("--statistic", words->statistic,
                    "In place of --op: count_if, minmax or mean_and_variance")
        ->check(CLI::IsMember({"count_if", "minmax", "mean_and_variance"}))
        ->excludes("--op")
        ->excludes("--acc");
    command.add_flag("--start", words->started, "A start value is combined first");
    add_n_option(command, words->n);
    add_count_option(command, words->counted);
    add_input_option(command, words->input);
  };
  reduce.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    reduce_problem problem{.in = {*meaning.type, number_of_elements(words->n)},
                           .accumulator = &meaning.accumulator,
                           .fold = meaning.operation(),
                           .apply = meaning.applied(),
                           .out = meaning.accumulator};
    problem.in.count = count_where(words->counted);
    const planned_input in(words->input, problem.in);
    problem.in = in.view();
    static constexpr unsigned char start[32] = {};
    if (words->started) problem.start = start;
    if (words->statistic.empty()) return clwave::plan(problem, on);
    const planned_statistic statistic = statistic_named(words->statistic, *meaning.type);
    problem.accumulator = &statistic.accumulator;
    problem.fold = &statistic.fold;
    problem.apply = &statistic.apply;
    problem.out = statistic.accumulator;
    problem.counts = statistic.counts;
    return clwave::plan(problem, on);
  };
  reduce.problem = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    json problem{{"primitive", "reduce"},
                 {"n", number_of_elements(words->n)},
                 {"type", meaning.type->name},
                 {"op", meaning.fold->name},
                 {"acc", meaning.value->name},
                 {"count_on_device", words->counted},
                 {"fold", {{"tile", fold_tile}, {"accumulators", fold_accumulators}}}};
    if (words->started) problem["start"] = true;
    if (words->input != "array") problem["input"] = words->input;
    if (words->statistic.empty()) return problem;
    problem["op"] = words->statistic;
    problem["acc"] = statistic_named(words->statistic, *meaning.type).accumulator.name;
    return problem;
  };
  return reduce;
}

const registered_primitives reduce_listed("reduce", {planned_reduce});

}  // namespace
}  // namespace clwave::tool
