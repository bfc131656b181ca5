// What `clwave why` and `clwave emulate` can ask of set operations.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/set_operations.hpp>

#include "primitives/planned_order.hpp"
#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

set_kind set_kind_named(const std::string& name) {
  if (name == "intersection") return set_kind::intersection;
  if (name == "difference") return set_kind::difference;
  return name == "symmetric-difference" ? set_kind::symmetric_difference : set_kind::set_union;
}

planned_primitive planned_set_operations() {
  struct words_of_sets : two_ranges_words {
    std::string kind = "union";
  };
  auto words = std::make_shared<words_of_sets>();
  planned_primitive sets;
  sets.name = "set_operations";
  sets.help = "Union, intersection and differences of two sorted ranges";
  sets.calls = {{"set_union"},
                {"set_intersection", {{"--kind", "intersection"}}},
                {"set_difference", {{"--kind", "difference"}}},
                {"set_symmetric_difference", {{"--kind", "symmetric-difference"}}}};
  sets.add_options = [words](CLI::App& command) {
    command.add_option("--kind", words->kind, "Which one")
        ->capture_default_str()
        ->check(CLI::IsMember({"union", "intersection", "difference", "symmetric-difference"}));
    add_range_options(command, *words);
  };
  sets.plan = [words](const plan_target& on) {
    const op less = words->less();
    set_problem problem;
    problem.kind = set_kind_named(words->kind);
    problem.out = {words->of(), words->first() + words->second()};
    words->set_ranges(problem, less);
    return clwave::plan(problem, on);
  };
  sets.problem = [words]() -> json {
    json problem{{"primitive", "set_operations"}, {"kind", words->kind}};
    words->add_to(problem);
    return problem;
  };
  return sets;
}

const registered_primitives set_operations_listed("set_operations", {planned_set_operations});

}  // namespace
}  // namespace clwave::tool
