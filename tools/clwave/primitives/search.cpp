// What `clwave why` and `clwave emulate` can ask of searches that stop early.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/search.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

struct words_of_search {
  std::string kind = "find_if", type = "f32", text, n = "16M";
  bool descending = false, counted = false;
};

search_kind kind_named(const std::string& name) {
  if (name == "any_of") return search_kind::any_of;
  if (name == "all_of") return search_kind::all_of;
  if (name == "none_of") return search_kind::none_of;
  if (name == "mismatch") return search_kind::mismatch;
  if (name == "equal") return search_kind::equal;
  if (name == "is_sorted") return search_kind::is_sorted;
  return search_kind::find_if;
}

planned_primitive planned_search() {
  auto words = std::make_shared<words_of_search>();
  planned_primitive search;
  search.name = "search";
  search.help = "The first place that decides, and what follows from it; stops early";
  for (const char* name : {"find_if", "any_of", "all_of", "none_of", "mismatch", "equal", "is_sorted"})
    search.calls.push_back({name, {{"--kind", name}}});
  search.add_options = [words](CLI::App& command) {
    command
        .add_option("--kind", words->kind, "find_if, any_of, all_of, none_of, mismatch, equal or is_sorted")
        ->capture_default_str()
        ->check(CLI::IsMember({"find_if", "any_of", "all_of", "none_of", "mismatch", "equal", "is_sorted"}));
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    CLI::Option* text = command.add_option(
        "--text", words->text,
        "OpenCL C: a predicate in x and i (default: x > 0); of mismatch and equal in a and b\n"
        "(default: ==); of is_sorted in a and b (default: the order of numbers)");
    command.add_flag("--descending", words->descending, "Of is_sorted: the largest number first")
        ->excludes(text);
    add_n_option(command, words->n);
    add_count_option(command, words->counted);
  };
  search.plan = [words](const plan_target& on) {
    const any_view in(scalar_type_named(words->type), number_of_elements(words->n));
    const search_kind kind = kind_named(words->kind);
    const bool two = kind == search_kind::mismatch || kind == search_kind::equal;
    const map predicate{.name = "text", .source = words->text.empty() ? "x > 0" : words->text};
    const op text{.name = "text", .source = words->text};
    const op* const given = words->text.empty() ? nullptr : &text;
    search_problem problem{.kind = kind, .in = in, .predicate = &predicate};
    if (two) {
      problem.in2 = in;
      problem.same = given;
    }
    if (kind == search_kind::is_sorted) {
      problem.less = given;
      problem.order.descending = words->descending;
    }
    problem.in.count = count_where(words->counted);
    return clwave::plan(problem, on);
  };
  search.problem = [words]() -> json {
    json problem{{"primitive", "search"},
                 {"kind", words->kind},
                 {"n", number_of_elements(words->n)},
                 {"type", scalar_type_named(words->type).name},
                 {"count_on_device", words->counted}};
    if (!words->text.empty()) problem["text"] = words->text;
    if (words->kind == "is_sorted") problem["descending"] = words->descending;
    return problem;
  };
  return search;
}

const registered_primitives search_listed("search", {planned_search});

}  // namespace
}  // namespace clwave::tool
