// What `clwave why` and `clwave emulate` can ask of sorts by comparison.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/merge_sort.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_merge_sort() {
  struct words_of_sort {
    std::string type = "u32", values, indices, text = "a < b", n = "16M";
  };
  auto words = std::make_shared<words_of_sort>();
  planned_primitive sort;
  sort.name = "merge_sort";
  sort.help = "Keys in the order of a comparison, and what goes with them";
  sort.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the keys")->capture_default_str();
    command.add_option("--text", words->text, "OpenCL C in a and b: whether a comes before b")
        ->capture_default_str();
    CLI::Option* values =
        command.add_option("--values", words->values, "Type of the values that go with the keys");
    command
        .add_option("--indices", words->indices,
                    "Type of an argsort's indices, u32 or u64; without it keys are sorted")
        ->excludes(values);
    add_n_option(command, words->n, "keys");
  };
  sort.plan = [words](const plan_target& on) {
    const op less{.name = "text", .source = words->text, .identity = {}};
    merge_sort_question question{
        .keys = scalar_type_named(words->type), .n = number_of_elements(words->n), .less = &less};
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
    json question{{"primitive", "merge_sort"},
                  {"n", number_of_elements(words->n)},
                  {"type", scalar_type_named(words->type).name},
                  {"text", words->text}};
    if (!words->values.empty()) question["values"] = scalar_type_named(words->values).name;
    if (!words->indices.empty()) question["indices"] = scalar_type_named(words->indices).name;
    return question;
  };
  return sort;
}

const registered_primitives listed("merge_sort", {planned_merge_sort});

}  // namespace
}  // namespace clwave::tool
