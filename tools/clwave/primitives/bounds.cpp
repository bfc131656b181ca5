// What `clwave why` and `clwave emulate` can ask of lower_bound and upper_bound.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/bounds.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_bounds() {
  struct words_of_bounds {
    std::string type = "u32", results = "u32", text, n = "16M", needles = "16M";
    bool descending = false, upper = false;
  };
  auto words = std::make_shared<words_of_bounds>();
  planned_primitive bounds;
  bounds.name = "bounds";
  bounds.help = "Where needles belong in a sorted range";
  bounds.calls = {{"lower_bound"}, {"upper_bound", {{"--upper", "true"}}}};
  bounds.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--results", words->results, "Type of the results, u32 or u64")->capture_default_str();
    CLI::Option* text =
        command.add_option("--text", words->text,
                           "OpenCL C in a and b: whether a comes before b (default: the order of numbers)");
    command.add_flag("--descending", words->descending, "The largest number first")->excludes(text);
    command.add_flag("--upper", words->upper, "Upper bounds, not lower ones");
    add_n_option(command, words->n, "elements of the range");
    command.add_option("--needles", words->needles, "Needles")->capture_default_str();
  };
  bounds.plan = [words](const plan_target& on) {
    const element& type = scalar_type_named(words->type);
    const op less{.name = "text", .source = words->text, .identity = {}};
    return clwave::plan(
        bounds_problem{.in = {type, number_of_elements(words->n)},
                       .needles = {type, number_of_elements(words->needles)},
                       .out = {scalar_type_named(words->results), number_of_elements(words->needles)},
                       .order = {.descending = words->descending},
                       .less = words->text.empty() ? nullptr : &less,
                       .upper = words->upper},
        on);
  };
  bounds.problem = [words]() -> json {
    json problem{{"primitive", "bounds"},
                 {"n", number_of_elements(words->n)},
                 {"needles", number_of_elements(words->needles)},
                 {"type", scalar_type_named(words->type).name},
                 {"results", scalar_type_named(words->results).name},
                 {"descending", words->descending},
                 {"upper", words->upper}};
    if (!words->text.empty()) problem["text"] = words->text;
    return problem;
  };
  return bounds;
}

const registered_primitives bounds_listed("bounds", {planned_bounds});

}  // namespace
}  // namespace clwave::tool
