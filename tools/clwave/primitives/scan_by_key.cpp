// What `clwave why` and `clwave emulate` can ask of scan_by_key.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/scan_by_key.hpp>

#include "primitives/planned_primitive.hpp"
#include "primitives/scan_order.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_scan_by_key() {
  struct words_of_runs {
    reduce_words call;
    std::string n = "16M", keys = "u32", text = "a == b";
    bool exclusive = false;
  };
  auto words = std::make_shared<words_of_runs>();
  planned_primitive runs;
  runs.name = "scan_by_key";
  runs.help = "The running folds of the values of each run of equal keys";
  runs.add_options = [words](CLI::App& command) {
    add_reduce_options(command, words->call);
    add_n_option(command, words->n);
    command.add_option("--keys", words->keys, "Type of the keys")->capture_default_str();
    command
        .add_option("--text", words->text,
                    "OpenCL C in two neighbouring keys, a and b: whether they are equal")
        ->capture_default_str();
    command.add_flag("--exclusive", words->exclusive, "Of the values before each place");
  };
  runs.plan = [words](const plan_target& on) {
    const reduce_meaning meaning = meaning_of(words->call);
    const op same{.name = "text", .source = words->text, .identity = {}};
    return clwave::plan(scan_by_key_question{.keys = scalar_type_named(words->keys),
                                             .values = *meaning.type,
                                             .out = meaning.accumulator,
                                             .n = number_of_elements(words->n),
                                             .fold = meaning.fold->fold,
                                             .apply = meaning.fold->apply,
                                             .same = &same,
                                             .exclusive = words->exclusive},
                        on);
  };
  runs.question = [words]() -> json {
    const reduce_meaning meaning = meaning_of(words->call);
    return {{"primitive", "scan_by_key"},
            {"n", number_of_elements(words->n)},
            {"keys", scalar_type_named(words->keys).name},
            {"text", words->text},
            {"type", meaning.type->name},
            {"op", meaning.fold->name},
            {"acc", meaning.value->name},
            {"exclusive", words->exclusive},
            {"order", scan_order_of(meaning.accumulator)}};
  };
  return runs;
}

const registered_primitives listed("scan_by_key", {planned_scan_by_key});

}  // namespace
}  // namespace clwave::tool
