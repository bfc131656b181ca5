// What `clwave why` and `clwave emulate` can ask of merge.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/merge.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_merge() {
  struct words_of_merge {
    std::string type = "u32", values, text, n = "16M", second_n;
    bool descending = false, check = false, counted = false;
  };
  auto words = std::make_shared<words_of_merge>();
  const auto second_n = [words] {
    return number_of_elements(words->second_n.empty() ? words->n : words->second_n);
  };
  planned_primitive merge;
  merge.name = "merge";
  merge.help = "Two sorted ranges as one";
  merge.calls = {{"merge_by_key", {{"--values", "u32"}}}, {"checked_merge", {{"--check", "true"}}}};
  merge.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--values", words->values, "Type of the values that go with them");
    CLI::Option* text =
        command.add_option("--text", words->text,
                           "OpenCL C in a and b: whether a comes before b (default: the order of numbers)");
    command.add_flag("--descending", words->descending, "The largest number first")->excludes(text);
    command.add_flag("--check", words->check, "Counts where neighbours stand in the wrong order");
    add_n_option(command, words->n, "elements of the first range");
    add_count_option(command, words->counted, "elements in each range");
    command.add_option("--second-n", words->second_n, "Elements of the second range (default: as many)");
  };
  merge.plan = [words, second_n](const plan_target& on) {
    const element& type = scalar_type_named(words->type);
    const op less{.name = "text", .source = words->text, .identity = {}};
    merge_problem problem{.a = {type, number_of_elements(words->n)},
                          .b = {type, second_n()},
                          .out = type,
                          .order = {.descending = words->descending},
                          .less = words->text.empty() ? nullptr : &less};
    problem.a.count = count_where(words->counted);
    problem.b.count = problem.a.count;
    if (words->check) problem.descents = element_of<std::uint64_t>();
    if (!words->values.empty())
      problem.a_values = problem.b_values = problem.values_out = scalar_type_named(words->values);
    return clwave::plan(problem, on);
  };
  merge.problem = [words, second_n]() -> json {
    json problem{{"primitive", "merge"},
                 {"n", number_of_elements(words->n)},
                 {"second_n", second_n()},
                 {"type", scalar_type_named(words->type).name},
                 {"descending", words->descending},
                 {"check", words->check},
                 {"count_on_device", words->counted}};
    if (!words->text.empty()) problem["text"] = words->text;
    if (!words->values.empty()) problem["values"] = scalar_type_named(words->values).name;
    return problem;
  };
  return merge;
}

const registered_primitives merge_listed("merge", {planned_merge});

}  // namespace
}  // namespace clwave::tool
