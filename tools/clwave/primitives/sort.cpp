// What `clwave why` and `clwave emulate` can ask of sort.
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_sort() {
  struct words_of_sort {
    std::string type = "u32", values, indices, n = "16M";
    bool descending = false, in_place = false;
    unsigned first_bit = 0;
    std::optional<unsigned> last_bit;
  };
  auto words = std::make_shared<words_of_sort>();
  planned_primitive sort;
  sort.name = "sort";
  sort.help = "Keys in order, and what goes with them";
  sort.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the keys")->capture_default_str();
    CLI::Option* values =
        command.add_option("--values", words->values, "Type of the values that go with the keys");
    command
        .add_option("--indices", words->indices,
                    "Type of an argsort's indices, u32 or u64; without it keys are sorted")
        ->excludes(values);
    command.add_flag("--descending", words->descending, "The largest key first");
    command.add_flag("--in-place", words->in_place, "To where the keys were");
    command.add_option("--first-bit", words->first_bit, "The lowest bit that keys are compared by")
        ->capture_default_str();
    command.add_option("--last-bit", words->last_bit, "The bit behind the highest one (default: all)");
    add_n_option(command, words->n, "keys");
  };
  sort.plan = [words](const plan_target& on) {
    sort_question question{.keys = scalar_type_named(words->type),
                           .n = number_of_elements(words->n),
                           .order = {.descending = words->descending,
                                     .first_bit = words->first_bit,
                                     .last_bit = words->last_bit},
                           .in_place = words->in_place};
    if (!words->indices.empty()) {
      question.values_out = scalar_type_named(words->indices);
    } else {
      question.keys_out = question.keys;
      if (!words->values.empty())
        question.values = question.values_out = asked_operand(scalar_type_named(words->values));
    }
    return clwave::plan(question, on);
  };
  sort.question = [words]() -> json {
    json question{{"primitive", "sort"},
                  {"n", number_of_elements(words->n)},
                  {"type", scalar_type_named(words->type).name},
                  {"descending", words->descending},
                  {"in_place", words->in_place},
                  {"first_bit", words->first_bit}};
    if (words->last_bit) question["last_bit"] = *words->last_bit;
    if (!words->values.empty()) question["values"] = scalar_type_named(words->values).name;
    if (!words->indices.empty()) question["indices"] = scalar_type_named(words->indices).name;
    return question;
  };
  return sort;
}

const registered_primitives listed("sort", {planned_sort});

}  // namespace
}  // namespace clwave::tool
