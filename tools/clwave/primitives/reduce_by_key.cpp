// What `clwave why` and `clwave emulate` can ask of reduce_by_key.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/reduce_by_key.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_reduce_by_key() {
  struct words_of_runs {
    reduce_words call;
    std::string n = "16M", keys = "u32", text = "a == b";
  };
  auto words = std::make_shared<words_of_runs>();
  planned_primitive runs;
  runs.name = "reduce_by_key";
  runs.help = "The fold of the values of each run of equal keys";
  runs.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call);
    add_n_option(command, words->n);
    command.add_option("--keys", words->keys, "Type of the keys")->capture_default_str();
    command
        .add_option("--text", words->text,
                    "OpenCL C in two neighbouring keys, a and b: whether they are equal")
        ->capture_default_str();
  };
  runs.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    const element& key = scalar_type_named(words->keys);
    const op same{.name = "text", .source = words->text, .identity = {}};
    const std::uint64_t n = number_of_elements(words->n);
    return clwave::plan(reduce_by_key_question{.keys = key,
                                               .values = *meaning.type,
                                               .keys_out = key,
                                               .values_out = meaning.accumulator,
                                               .n = n,
                                               .capacity = n,
                                               .fold = meaning.fold->fold,
                                               .apply = meaning.fold->apply,
                                               .same = &same},
                        on);
  };
  runs.question = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    return {{"primitive", "reduce_by_key"},
            {"n", number_of_elements(words->n)},
            {"keys", scalar_type_named(words->keys).name},
            {"text", words->text},
            {"type", meaning.type->name},
            {"op", meaning.fold->name},
            {"acc", meaning.value->name},
            {"fold_tile", fold_tile},
            {"fold_accumulators", fold_accumulators}};
  };
  return runs;
}

const registered_primitives listed("reduce_by_key", {planned_reduce_by_key});

}  // namespace
}  // namespace clwave::tool
