// What `clwave why` and `clwave emulate` can ask of segmented_sort.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/segmented_sort.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_segmented_sort() {
  struct words_of_sort {
    std::string type = "u32", values, offsets = "u64", text, n = "16M", segments = "1M";
    bool descending = false, count_bad = false, counted = false;
  };
  auto words = std::make_shared<words_of_sort>();
  planned_primitive sort;
  sort.name = "segmented_sort";
  sort.help = "Each of many segments, given by offsets, in order";
  sort.calls = {{"segmented_sort_by_key", {{"--values", "u32"}}}};
  sort.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the keys")->capture_default_str();
    command.add_option("--values", words->values, "Type of the values that go with the keys");
    command.add_option("--offsets", words->offsets, "Type of the offsets, u32 or u64")->capture_default_str();
    CLI::Option* text =
        command.add_option("--text", words->text,
                           "OpenCL C in a and b: whether a comes before b (default: the order of numbers)");
    command.add_flag("--descending", words->descending, "The largest number first")->excludes(text);
    command.add_flag("--count-bad", words->count_bad, "Counts bad segments");
    add_n_option(command, words->n, "keys");
    command.add_option("--segments", words->segments, "Segments")->capture_default_str();
    add_count_option(command, words->counted, "segments", "--segments");
  };
  sort.plan = [words](const plan_target& on) {
    const element& type = scalar_type_named(words->type);
    const op less{.name = "text", .source = words->text, .identity = {}};
    sort_problem problem{
        .keys = {type, number_of_elements(words->n)},
        .keys_out = any_view(type),
        .order = {.descending = words->descending},
        .less = words->text.empty() ? nullptr : &less,
        .offsets = any_view(scalar_type_named(words->offsets), number_of_elements(words->segments) + 1)};
    problem.offsets->count = count_where(words->counted);
    if (words->count_bad) problem.bad = any_view(element_of<std::uint64_t>(), 1);
    if (!words->values.empty())
      problem.values = problem.values_out = any_view(scalar_type_named(words->values));
    return clwave::plan(problem, on);
  };
  sort.problem = [words]() -> json {
    json problem{{"primitive", "segmented_sort"},
                 {"n", number_of_elements(words->n)},
                 {"segments", number_of_elements(words->segments)},
                 {"type", scalar_type_named(words->type).name},
                 {"offsets", scalar_type_named(words->offsets).name},
                 {"descending", words->descending},
                 {"count_bad", words->count_bad},
                 {"count_on_device", words->counted}};
    if (!words->text.empty()) problem["text"] = words->text;
    if (!words->values.empty()) problem["values"] = scalar_type_named(words->values).name;
    return problem;
  };
  return sort;
}

const registered_primitives segmented_sort_listed("segmented_sort", {planned_segmented_sort});

}  // namespace
}  // namespace clwave::tool
