// What `clwave why` and `clwave emulate` can ask of lower_bound and upper_bound.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/bounds.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_order.hpp"
#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_bounds() {
  struct words_of_bounds : order_words {
    std::string results = "u32", n = "16M", needles = "16M";
    bool upper = false;
  };
  auto words = std::make_shared<words_of_bounds>();
  planned_primitive bounds;
  bounds.name = "bounds";
  bounds.help = "Where needles belong in a sorted range";
  bounds.calls = {{"lower_bound"}, {"upper_bound", {{"--upper", "true"}}}};
  bounds.add_options = [words](CLI::App& command) {
    add_order_options(command, *words);
    command.add_option("--results", words->results, "Type of the results, u32 or u64")->capture_default_str();
    command.add_flag("--upper", words->upper, "Upper bounds, not lower ones");
    add_n_option(command, words->n, "elements of the range");
    command.add_option("--needles", words->needles, "Needles")->capture_default_str();
  };
  bounds.plan = [words](const plan_target& on) {
    const op less = words->less();
    bounds_problem problem{.in = {words->of(), number_of_elements(words->n)},
                           .needles = {words->of(), number_of_elements(words->needles)},
                           .out = {scalar_type_named(words->results), number_of_elements(words->needles)},
                           .upper = words->upper};
    words->set_order(problem, less);
    return clwave::plan(problem, on);
  };
  bounds.problem = [words]() -> json {
    json problem{{"primitive", "bounds"},
                 {"n", number_of_elements(words->n)},
                 {"needles", number_of_elements(words->needles)}};
    words->add_to(problem);
    problem["results"] = scalar_type_named(words->results).name;
    problem["upper"] = words->upper;
    return problem;
  };
  return bounds;
}

const registered_primitives bounds_listed("bounds", {planned_bounds});

}  // namespace
}  // namespace clwave::tool
