// What `clwave why` and `clwave emulate` can ask of segmented_reduce.
#include <memory>

#include <clwave/plan.hpp>
#include <clwave/segments.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_segmented_reduce() {
  struct words_of_segments {
    reduce_words call;
    std::string n = "16M", segments = "64K", offsets = "u64";
    bool counts_bad = false;
  };
  auto words = std::make_shared<words_of_segments>();
  planned_primitive segments;
  segments.name = "segmented_reduce";
  segments.help = "The fold of each of many segments, given by offsets";
  segments.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call);
    add_n_option(command, words->n);
    command.add_option("--segments", words->segments, "Number of segments")->capture_default_str();
    command.add_option("--offsets", words->offsets, "Type of the offsets")
        ->capture_default_str()
        ->check(CLI::IsMember({"u32", "u64"}));
    command.add_flag("--count-bad", words->counts_bad, "Bad segments are counted");
  };
  segments.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    return clwave::plan(segmented_reduce_question{.in = *meaning.type,
                                                  .offsets = scalar_type_named(words->offsets),
                                                  .out = meaning.accumulator,
                                                  .n = number_of_elements(words->n),
                                                  .segments = number_of_elements(words->segments),
                                                  .fold = meaning.fold->fold,
                                                  .apply = meaning.fold->apply,
                                                  .counts_bad = words->counts_bad},
                        on);
  };
  segments.question = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    return {{"primitive", "segmented_reduce"},
            {"n", number_of_elements(words->n)},
            {"segments", number_of_elements(words->segments)},
            {"offsets", words->offsets},
            {"type", meaning.type->name},
            {"op", meaning.fold->name},
            {"acc", meaning.value->name},
            {"counts_bad", words->counts_bad},
            {"fold_tile", fold_tile},
            {"fold_accumulators", fold_accumulators}};
  };
  return segments;
}

const registered_primitives listed("segmented_reduce", {planned_segmented_reduce});

}  // namespace
}  // namespace clwave::tool
