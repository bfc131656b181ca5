// What `clwave why` and `clwave emulate` can ask of transform and broadcast.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/transform.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_transform() {
  struct words_of_transform {
    std::string type = "f32", to, text = "x * 2", only_if, n = "16M", input = "array";
    unsigned inputs = 1, outputs = 1;
    bool counted = false, in_place = false;
  };
  auto words = std::make_shared<words_of_transform>();
  const auto out_of = [words]() -> const element& {
    return scalar_type_named(words->to.empty() ? words->type : words->to);
  };
  planned_primitive transform;
  transform.name = "transform";
  transform.help = "A function of the elements at the same place";
  transform.calls = {{"generate", {{"--inputs", "0"}, {"--text", "i"}}},
                     {"transform_to", {{"--outputs", "2"}}},
                     {"transform_if", {{"--if", "x > 0"}}},
                     {"replace_if", {{"--if", "x > 0"}, {"--text", "0"}, {"--in-place", "true"}}}};
  transform.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the inputs")->capture_default_str();
    command.add_option("--to", words->to, "Type of the output (default: that of the inputs)");
    command.add_option("--inputs", words->inputs, "How many inputs: x, y and z; 0: a function of i alone")
        ->capture_default_str()
        ->check(CLI::Range(0u, 3u));
    command.add_option("--outputs", words->outputs, "How many outputs, each of the same text")
        ->capture_default_str()
        ->check(CLI::Range(1u, 4u));
    command.add_option("--if", words->only_if, "OpenCL C: where it is 0, an element of the output is kept");
    command.add_flag("--in-place", words->in_place, "The results take the place of an input");
    command.add_option("--text", words->text, "OpenCL C in x, y, z and the index i")->capture_default_str();
    add_n_option(command, words->n);
    add_count_option(command, words->counted);
    add_input_option(command, words->input);
  };
  transform.plan = [words, out_of](const plan_target& on) {
    std::vector<any_view> in(words->inputs, {scalar_type_named(words->type), number_of_elements(words->n)});
    if (!in.empty()) in[0].count = count_where(words->counted);
    const planned_input first(words->input, in.empty() ? any_view() : in[0]);
    if (!in.empty()) in[0] = first.view();
    const map text{.name = "text", .source = words->text}, condition{.name = "if", .source = words->only_if};
    const any_view out(out_of(), number_of_elements(words->n));
    return clwave::plan(
        transform_problem{.in = in,
                          .out = out,
                          .apply = &text,
                          .in_place = words->in_place,
                          .only_if = words->only_if.empty() ? nullptr : &condition,
                          .further = std::vector<transform_output>(words->outputs - 1, {out, text})},
        on);
  };
  transform.problem = [words, out_of]() -> json {
    json problem{{"primitive", "transform"},
                 {"n", number_of_elements(words->n)},
                 {"type", scalar_type_named(words->type).name},
                 {"to", out_of().name},
                 {"inputs", words->inputs},
                 {"count_on_device", words->counted},
                 {"text", words->text}};
    if (words->outputs != 1) problem["outputs"] = words->outputs;
    if (!words->only_if.empty()) problem["if"] = words->only_if;
    if (words->in_place) problem["in_place"] = true;
    if (words->input != "array") problem["input"] = words->input;
    return problem;
  };
  return transform;
}

planned_primitive planned_adjacent_difference() {
  struct words_of_difference {
    std::string type = "f32", text, n = "16M";
    bool in_place = false;
  };
  auto words = std::make_shared<words_of_difference>();
  planned_primitive differences;
  differences.name = "adjacent_difference";
  differences.help = "A function of each element and the one before it";
  differences.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the elements and the results")->capture_default_str();
    command.add_option("--text", words->text, "OpenCL C in x, y, the one before, and i (default: x - y)");
    command.add_flag("--in-place", words->in_place, "The results take the elements' place");
    add_n_option(command, words->n);
  };
  differences.plan = [words](const plan_target& on) {
    const any_view elements(scalar_type_named(words->type), number_of_elements(words->n));
    const map text{.name = "text", .source = words->text};
    return clwave::plan(adjacent_difference_problem{.in = elements,
                                                    .out = elements,
                                                    .apply = words->text.empty() ? nullptr : &text,
                                                    .in_place = words->in_place},
                        on);
  };
  differences.problem = [words]() -> json {
    json problem{{"primitive", "adjacent_difference"},
                 {"n", number_of_elements(words->n)},
                 {"type", scalar_type_named(words->type).name},
                 {"in_place", words->in_place}};
    if (!words->text.empty()) problem["text"] = words->text;
    return problem;
  };
  return differences;
}

planned_primitive planned_broadcast() {
  struct words_of_broadcast {
    std::string type = "f32", text = "x + b", which = "column", rows = "4K", columns = "4K";
  };
  auto words = std::make_shared<words_of_broadcast>();
  planned_primitive broadcast;
  broadcast.name = "broadcast";
  broadcast.help = "A function of a matrix's elements and a value for each row or column";
  broadcast.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of all")->capture_default_str();
    command.add_option("--text", words->text, "OpenCL C in x and b")->capture_default_str();
    command.add_option("--per", words->which, "row or column")
        ->capture_default_str()
        ->check(CLI::IsMember({"row", "column"}));
    command.add_option("--rows", words->rows, "Rows of the matrix")->capture_default_str();
    command.add_option("--columns", words->columns, "Columns of the matrix")->capture_default_str();
  };
  broadcast.plan = [words](const plan_target& on) {
    const element& type = scalar_type_named(words->type);
    const broadcast_shape size{.rows = number_of_elements(words->rows),
                               .columns = number_of_elements(words->columns)};
    const per which = words->which == "row" ? per::row : per::column;
    const map text{.name = "text", .source = words->text};
    return clwave::plan(broadcast_problem{type, type, type, size, which, &text}, on);
  };
  broadcast.problem = [words]() -> json {
    return {{"primitive", "broadcast"},
            {"rows", number_of_elements(words->rows)},
            {"columns", number_of_elements(words->columns)},
            {"type", scalar_type_named(words->type).name},
            {"per", words->which},
            {"text", words->text}};
  };
  return broadcast;
}

const registered_primitives transform_listed("transform", {planned_transform, planned_broadcast,
                                                           planned_adjacent_difference});

}  // namespace
}  // namespace clwave::tool
