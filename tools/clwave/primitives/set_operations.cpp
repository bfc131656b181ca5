// What `clwave why` and `clwave emulate` can ask of set operations.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/set_operations.hpp>

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
  struct words_of_sets {
    std::string kind = "union", type = "u32", text, n = "16M", second_n;
    bool descending = false, counted = false;
  };
  auto words = std::make_shared<words_of_sets>();
  const auto second_n = [words] {
    return number_of_elements(words->second_n.empty() ? words->n : words->second_n);
  };
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
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    CLI::Option* text =
        command.add_option("--text", words->text,
                           "OpenCL C in a and b: whether a comes before b (default: the order of numbers)");
    command.add_flag("--descending", words->descending, "The largest number first")->excludes(text);
    add_n_option(command, words->n, "elements of the first range");
    add_count_option(command, words->counted, "elements in each range");
    command.add_option("--second-n", words->second_n, "Elements of the second range (default: as many)");
  };
  sets.plan = [words, second_n](const plan_target& on) {
    const element& type = scalar_type_named(words->type);
    const op less{.name = "text", .source = words->text, .identity = {}};
    const std::uint64_t n = number_of_elements(words->n);
    set_problem problem{.kind = set_kind_named(words->kind),
                        .a = {type, n},
                        .b = {type, second_n()},
                        .out = {type, n + second_n()},
                        .order = {.descending = words->descending},
                        .less = words->text.empty() ? nullptr : &less};
    problem.a.count = count_where(words->counted);
    problem.b.count = problem.a.count;
    return clwave::plan(problem, on);
  };
  sets.problem = [words, second_n]() -> json {
    json problem{{"primitive", "set_operations"},
                 {"kind", words->kind},
                 {"n", number_of_elements(words->n)},
                 {"second_n", second_n()},
                 {"type", scalar_type_named(words->type).name},
                 {"descending", words->descending},
                 {"count_on_device", words->counted}};
    if (!words->text.empty()) problem["text"] = words->text;
    return problem;
  };
  return sets;
}

const registered_primitives set_operations_listed("set_operations", {planned_set_operations});

}  // namespace
}  // namespace clwave::tool
