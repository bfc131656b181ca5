// What `clwave why` and `clwave emulate` can ask of copy, copy_ranges and fill.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/copy.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_copy() {
  struct words_of_copy {
    std::string type = "f32", to, n = "16M";
    bool saturate = false;
  };
  auto words = std::make_shared<words_of_copy>();
  const auto out_of = [words]() -> const element& {
    return scalar_type_named(words->to.empty() ? words->type : words->to);
  };
  planned_primitive made;
  made.name = "copy";
  made.help = "A copy of n elements, converting where the types differ";
  made.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the input")->capture_default_str();
    command.add_option("--to", words->to, "Type of the output (default: that of the input)");
    add_n_option(command, words->n);
    command.add_flag("--saturate", words->saturate, "Integers beyond the output's range become its ends");
  };
  made.plan = [words, out_of](const plan_target& on) {
    return clwave::plan(copy_problem{.in = {scalar_type_named(words->type), number_of_elements(words->n)},
                                     .out = out_of(),
                                     .saturate = words->saturate},
                        on);
  };
  made.problem = [words, out_of]() -> json {
    return {{"primitive", "copy"},
            {"n", number_of_elements(words->n)},
            {"type", scalar_type_named(words->type).name},
            {"to", out_of().name},
            {"saturate", words->saturate}};
  };
  return made;
}

planned_primitive planned_copy_ranges() {
  struct words_of_ranges {
    std::string type = "f32", numbers = "u32", n = "16M", ranges = "1M";
    unsigned bytes = 0;
    bool count_bad = false;
  };
  auto words = std::make_shared<words_of_ranges>();
  planned_primitive made;
  made.name = "copy_ranges";
  made.help = "Copies of many ranges of n elements, each to a place of its own";
  made.add_options = [words](CLI::App& command) {
    CLI::Option* type =
        command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--bytes", words->bytes, "Elements of so many bytes of any type")
        ->check(CLI::Range(1u, 128u))
        ->excludes(type);
    command.add_option("--numbers", words->numbers, "Type of starts and lengths, u32 or u64")
        ->capture_default_str();
    command.add_flag("--count-bad", words->count_bad, "Counts bad ranges");
    add_n_option(command, words->n);
    command.add_option("--ranges", words->ranges, "Ranges")->capture_default_str();
  };
  made.plan = [words](const plan_target& on) {
    element room;
    if (words->bytes != 0)
      room = detail::make_element("moved", "", words->bytes, element_kind::opaque, 1);
    else
      room = scalar_type_named(words->type);
    const any_view elements(room, number_of_elements(words->n));
    const any_view numbers(scalar_type_named(words->numbers), number_of_elements(words->ranges));
    copy_ranges_problem problem{
        .in = elements, .starts = numbers, .lengths = numbers, .out = elements, .out_starts = numbers};
    if (words->count_bad) problem.bad = any_view(element_of<std::uint64_t>(), 1);
    return clwave::plan(problem, on);
  };
  made.problem = [words]() -> json {
    json problem{{"primitive", "copy_ranges"},
                 {"n", number_of_elements(words->n)},
                 {"ranges", number_of_elements(words->ranges)},
                 {"numbers", scalar_type_named(words->numbers).name},
                 {"count_bad", words->count_bad}};
    if (words->bytes != 0)
      problem["bytes"] = words->bytes;
    else
      problem["type"] = scalar_type_named(words->type).name;
    return problem;
  };
  return made;
}

planned_primitive planned_fill() {
  struct words_of_fill {
    std::string type = "f32", n = "16M";
  };
  auto words = std::make_shared<words_of_fill>();
  planned_primitive made;
  made.name = "fill";
  made.help = "n elements set to one value";
  made.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    add_n_option(command, words->n);
  };
  made.plan = [words](const plan_target& on) {
    const unsigned char zeros[16] = {};
    return clwave::plan(fill_problem{{scalar_type_named(words->type), number_of_elements(words->n)}, zeros},
                        on);
  };
  made.problem = [words]() -> json {
    return {{"primitive", "fill"},
            {"n", number_of_elements(words->n)},
            {"type", scalar_type_named(words->type).name}};
  };
  return made;
}

const registered_primitives copy_listed("copy", {planned_copy, planned_copy_ranges, planned_fill});

}  // namespace
}  // namespace clwave::tool
