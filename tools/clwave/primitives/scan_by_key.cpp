// What `clwave why` and `clwave emulate` can ask of scan_by_key.
#include <cstdint>
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/scan_by_key.hpp>

#include "primitives/planned_runs.hpp"
#include "primitives/scan_order.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_scan_by_key() {
  struct words_of_scan : run_words {
    bool exclusive = false;
  };
  auto words = std::make_shared<words_of_scan>();
  planned_primitive runs;
  runs.name = "scan_by_key";
  runs.help = "The running folds of the values of each run of equal keys";
  runs.calls = {{"inclusive_scan_by_key"}, {"exclusive_scan_by_key", {{"--exclusive", "true"}}}};
  runs.add_options = [words](CLI::App& command) {
    add_run_options(command, *words, folds_for::scans);
    command.add_flag("--exclusive", words->exclusive, "Of the values before each place");
  };
  runs.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    const op same{.name = "text", .source = words->text, .identity = {}};
    const std::uint64_t n = number_of_elements(words->n);
    return clwave::plan(scan_by_key_problem{.keys = keys_of(*words),
                                            .values = {*meaning.type, n},
                                            .out = {meaning.accumulator, n},
                                            .fold = meaning.operation(),
                                            .apply = meaning.applied(),
                                            .same = &same,
                                            .exclusive = words->exclusive},
                        on);
  };
  runs.problem = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    json all = problem_of_runs("scan_by_key", meaning, *words);
    all["exclusive"] = words->exclusive;
    all["order"] = scan_order_of(meaning.accumulator);
    return all;
  };
  return runs;
}

const registered_primitives scan_by_key_listed("scan_by_key", {planned_scan_by_key});

}  // namespace
}  // namespace clwave::tool
