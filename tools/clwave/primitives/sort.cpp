// What `clwave why` and `clwave emulate` can ask of sort.
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "primitives/planned_sorts.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_sort() {
  struct words_of_sort : sort_words {
    bool descending = false, in_place = false, counted = false;
    unsigned first_bit = 0;
    std::optional<unsigned> last_bit;
  };
  auto words = std::make_shared<words_of_sort>();
  planned_primitive sort;
  sort.name = "sort";
  sort.help = "Keys in order, and what goes with them";
  sort.calls = {{"sort_by_key", {{"--values", "u32"}}}, {"argsort", {{"--indices", "u32"}}}};
  sort.add_options = [words](CLI::App& command) {
    add_sort_options(command, *words);
    command.add_flag("--descending", words->descending, "The largest key first");
    command.add_flag("--in-place", words->in_place, "To where the keys were");
    command.add_option("--first-bit", words->first_bit, "The lowest bit that keys are compared by")
        ->capture_default_str();
    command.add_option("--last-bit", words->last_bit, "The bit behind the highest one (default: all)");
    add_count_option(command, words->counted, "keys");
  };
  sort.plan = [words](const plan_target& on) {
    sort_problem problem{.keys = {scalar_type_named(words->type), number_of_elements(words->n)},
                         .order = {.descending = words->descending,
                                   .first_bit = words->first_bit,
                                   .last_bit = words->last_bit},
                         .keys_in_place = words->in_place};
    add_outputs(problem, *words);
    problem.keys.count = count_where(words->counted);
    return clwave::plan(problem, on);
  };
  sort.problem = [words]() -> json {
    json all = problem_of_sort("sort", *words);
    all["descending"] = words->descending;
    all["in_place"] = words->in_place;
    all["count_on_device"] = words->counted;
    all["first_bit"] = words->first_bit;
    if (words->last_bit) all["last_bit"] = *words->last_bit;
    return all;
  };
  return sort;
}

const registered_primitives sort_listed("sort", {planned_sort});

}  // namespace
}  // namespace clwave::tool
