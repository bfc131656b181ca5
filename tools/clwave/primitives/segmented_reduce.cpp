// What `clwave why` and `clwave emulate` can ask of segmented_reduce.
#include <cstdint>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/segmented_reduce.hpp>

#include "primitives/planned_segments.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_segmented_reduce() {
  struct words_of_segments {
    reduce_words call;
    segment_words segments;
  };
  auto words = std::make_shared<words_of_segments>();
  planned_primitive segments;
  segments.name = "segmented_reduce";
  segments.help = "The fold of each of many segments, given by offsets";
  segments.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call, folds_for::reductions);
    add_segment_options(command, words->segments);
  };
  segments.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    return clwave::plan(planned_segments<segmented_reduce_problem>(meaning, words->segments), on);
  };
  segments.problem = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    json all = problem_of_segments("segmented_reduce", meaning, words->segments);
    all["fold_tile"] = fold_tile;
    all["fold_accumulators"] = fold_accumulators;
    return all;
  };
  return segments;
}

const registered_primitives segmented_reduce_listed("segmented_reduce", {planned_segmented_reduce});

}  // namespace
}  // namespace clwave::tool
