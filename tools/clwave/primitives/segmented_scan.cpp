// What `clwave why` and `clwave emulate` can ask of segmented_scan.
#include <cstdint>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/segmented_scan.hpp>

#include "primitives/planned_segments.hpp"
#include "primitives/scan_order.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_segmented_scan() {
  struct words_of_scan {
    reduce_words call;
    segment_words segments;
    bool exclusive = false;
  };
  auto words = std::make_shared<words_of_scan>();
  planned_primitive scan;
  scan.name = "segmented_scan";
  scan.help = "The running folds of each of many segments, given by offsets";
  scan.calls = {{"segmented_inclusive_scan"}, {"segmented_exclusive_scan", {{"--exclusive", "true"}}}};
  scan.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call, folds_for::scans);
    add_segment_options(command, words->segments);
    command.add_flag("--exclusive", words->exclusive, "Of the elements before each place");
  };
  scan.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    auto problem = planned_segments<segmented_scan_problem>(meaning, words->segments);
    problem.exclusive = words->exclusive;
    return clwave::plan(problem, on);
  };
  scan.problem = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    json all = problem_of_segments("segmented_scan", meaning, words->segments);
    all["exclusive"] = words->exclusive;
    all["order"] = scan_order_of(meaning.accumulator);
    return all;
  };
  return scan;
}

const registered_primitives segmented_scan_listed("segmented_scan", {planned_segmented_scan});

}  // namespace
}  // namespace clwave::tool
