// What `clwave why` and `clwave emulate` can ask of sorts by comparison.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "primitives/planned_sorts.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_merge_sort() {
  struct words_of_sort : sort_words {
    std::string text = "a < b";
    bool counted = false;
  };
  auto words = std::make_shared<words_of_sort>();
  planned_primitive sort;
  sort.name = "merge_sort";
  sort.help = "Keys in the order of a comparison, and what goes with them";
  sort.add_options = [words](CLI::App& command) {
    add_sort_options(command, *words);
    add_count_option(command, words->counted, "keys");
    command.add_option("--text", words->text, "OpenCL C in a and b: whether a comes before b")
        ->capture_default_str();
  };
  sort.plan = [words](const plan_target& on) {
    const op less{.name = "text", .source = words->text, .identity = {}};
    sort_problem problem{.keys = {scalar_type_named(words->type), number_of_elements(words->n)},
                         .less = &less};
    add_outputs(problem, *words);
    problem.keys.count = count_where(words->counted);
    return clwave::plan(problem, on);
  };
  sort.problem = [words]() -> json {
    json all = problem_of_sort("merge_sort", *words);
    all["text"] = words->text;
    all["count_on_device"] = words->counted;
    return all;
  };
  return sort;
}

const registered_primitives merge_sort_listed("merge_sort", {planned_merge_sort});

}  // namespace
}  // namespace clwave::tool
