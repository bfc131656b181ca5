// What `clwave why` and `clwave emulate` can ask of merge.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/merge.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_order.hpp"
#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_merge() {
  struct words_of_merge : two_ranges_words {
    std::string values;
    bool check = false;
  };
  auto words = std::make_shared<words_of_merge>();
  planned_primitive merge;
  merge.name = "merge";
  merge.help = "Two sorted ranges as one";
  merge.calls = {{"merge_by_key", {{"--values", "u32"}}}, {"checked_merge", {{"--check", "true"}}}};
  merge.add_options = [words](CLI::App& command) {
    add_range_options(command, *words);
    command.add_option("--values", words->values, "Type of the values that go with them");
    command.add_flag("--check", words->check, "Counts where neighbours stand in the wrong order");
  };
  merge.plan = [words](const plan_target& on) {
    const op less = words->less();
    merge_problem problem;
    problem.out = words->of();
    words->set_ranges(problem, less);
    if (words->check) problem.descents = element_of<std::uint64_t>();
    if (!words->values.empty())
      problem.a_values = problem.b_values = problem.values_out = scalar_type_named(words->values);
    return clwave::plan(problem, on);
  };
  merge.problem = [words]() -> json {
    json problem{{"primitive", "merge"}};
    words->add_to(problem);
    problem["check"] = words->check;
    if (!words->values.empty()) problem["values"] = scalar_type_named(words->values).name;
    return problem;
  };
  return merge;
}

const registered_primitives merge_listed("merge", {planned_merge});

}  // namespace
}  // namespace clwave::tool
