// What `clwave why` and `clwave emulate` can ask of scan.
#include <cstdint>
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/scan.hpp>

#include "primitives/planned_primitive.hpp"
#include "primitives/scan_order.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_scan() {
  struct words_of_scan {
    reduce_words call;
    std::string n = "16M", input = "array";
    bool exclusive = false, in_place = false, counted = false;
  };
  auto words = std::make_shared<words_of_scan>();
  planned_primitive scan;
  scan.name = "scan";
  scan.help = "The running folds of n elements";
  scan.calls = {{"inclusive_scan"}, {"exclusive_scan", {{"--exclusive", "true"}}}};
  scan.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call, folds_for::scans);
    command.add_flag("--exclusive", words->exclusive, "Of the elements before each place");
    command.add_flag("--in-place", words->in_place, "The results take the elements' place");
    add_n_option(command, words->n);
    add_count_option(command, words->counted);
    add_input_option(command, words->input);
  };
  scan.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    const std::uint64_t n = number_of_elements(words->n);
    scan_problem problem{.in = {*meaning.type, n},
                         .out = {meaning.accumulator, n},
                         .fold = meaning.operation(),
                         .apply = meaning.applied(),
                         .exclusive = words->exclusive,
                         .in_place = words->in_place};
    problem.in.count = count_where(words->counted);
    const planned_input in(words->input, problem.in);
    problem.in = in.view();
    return clwave::plan(problem, on);
  };
  scan.problem = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    json problem{{"primitive", "scan"},
                 {"n", number_of_elements(words->n)},
                 {"type", meaning.type->name},
                 {"op", meaning.fold->name},
                 {"acc", meaning.value->name},
                 {"exclusive", words->exclusive},
                 {"in_place", words->in_place},
                 {"count_on_device", words->counted},
                 {"order", scan_order_of(meaning.accumulator)}};
    if (words->input != "array") problem["input"] = words->input;
    return problem;
  };
  return scan;
}

const registered_primitives scan_listed("scan", {planned_scan});

}  // namespace
}  // namespace clwave::tool
