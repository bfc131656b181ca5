// What `clwave why` and `clwave emulate` can ask of sorts by keys of texts.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/sort.hpp>

#include "primitives/planned_sorts.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_key_sort() {
  struct words_of_sort : sort_words {
    std::vector<std::string> texts = {"x"}, types = {"u32"};
    std::string offsets = "u64", segments;
    bool descending = false, in_place = false, count_bad = false, counted = false;
  };
  auto words = std::make_shared<words_of_sort>();
  planned_primitive sort;
  sort.name = "key_sort";
  sort.help = "Elements in the order of numbers that texts make of them, and what goes with them";
  sort.add_options = [words](CLI::App& command) {
    add_sort_options(command, *words);
    add_count_option(command, words->counted, "elements, or segments,", "--n or --segments");
    command.add_option("--text", words->texts, "OpenCL C in x and i: a key of an element (repeat for more)")
        ->capture_default_str()
        ->allow_extra_args(false);
    command
        .add_option("--key-type", words->types,
                    "Type of the keys (repeat for one of each; the last counts on)")
        ->capture_default_str()
        ->allow_extra_args(false);
    command.add_flag("--descending", words->descending, "The largest keys first");
    command.add_flag("--in-place", words->in_place, "To where the elements were");
    CLI::Option* segments =
        command.add_option("--segments", words->segments, "Sort each of so many segments, not all as one");
    command.add_option("--offsets", words->offsets, "Type of their offsets, u32 or u64")
        ->capture_default_str()
        ->needs(segments);
    command.add_flag("--count-bad", words->count_bad, "Counts bad segments")->needs(segments);
  };
  sort.plan = [words](const plan_target& on) {
    std::vector<sort_key> keys;
    for (std::size_t k = 0; k < words->texts.size(); ++k)
      keys.push_back({.of = {.name = "text", .source = words->texts[k]},
                      .type = &scalar_type_named(words->types[std::min(k, words->types.size() - 1)]),
                      .order = {.descending = words->descending}});
    sort_problem problem{.keys = {scalar_type_named(words->type), number_of_elements(words->n)}, .by = keys};
    add_outputs(problem, *words);
    if (words->segments.empty()) problem.keys.count = count_where(words->counted);
    problem.keys_in_place = problem.keys_out && words->in_place;
    if (!words->segments.empty()) {
      problem.offsets = any_view(scalar_type_named(words->offsets), number_of_elements(words->segments) + 1);
      problem.offsets->count = count_where(words->counted);
      if (words->count_bad) problem.bad = any_view(element_of<std::uint64_t>(), 1);
    }
    return clwave::plan(problem, on);
  };
  sort.problem = [words]() -> json {
    json all = problem_of_sort("key_sort", *words);
    all["texts"] = words->texts;
    all["key_types"] = words->types;
    all["descending"] = words->descending;
    all["in_place"] = words->in_place;
    all["count_on_device"] = words->counted;
    if (!words->segments.empty()) {
      all["segments"] = number_of_elements(words->segments);
      all["offsets"] = scalar_type_named(words->offsets).name;
      all["count_bad"] = words->count_bad;
    }
    return all;
  };
  return sort;
}

const registered_primitives key_sort_listed("key_sort", {planned_key_sort});

}  // namespace
}  // namespace clwave::tool
