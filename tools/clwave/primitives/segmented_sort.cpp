// What `clwave why` and `clwave emulate` can ask of segmented_sort.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/segmented_sort.hpp>

#include "primitives/planned_order.hpp"
#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_segmented_sort() {
  struct words_of_sort : order_words {
    std::string values, offsets = "u64", n = "16M", segments = "1M";
    bool count_bad = false, counted = false;
  };
  auto words = std::make_shared<words_of_sort>();
  planned_primitive sort;
  sort.name = "segmented_sort";
  sort.help = "Each of many segments, given by offsets, in order";
  sort.calls = {{"segmented_sort_by_key", {{"--values", "u32"}}}};
  sort.add_options = [words](CLI::App& command) {
    add_order_options(command, *words, "keys");
    command.add_option("--values", words->values, "Type of the values that go with the keys");
    command.add_option("--offsets", words->offsets, "Type of the offsets, u32 or u64")->capture_default_str();
    command.add_flag("--count-bad", words->count_bad, "Counts bad segments");
    add_n_option(command, words->n, "keys");
    command.add_option("--segments", words->segments, "Segments")->capture_default_str();
    add_count_option(command, words->counted, "segments", "--segments");
  };
  sort.plan = [words](const plan_target& on) {
    const op less = words->less();
    sort_problem problem{
        .keys = {words->of(), number_of_elements(words->n)},
        .keys_out = any_view(words->of()),
        .offsets = any_view(scalar_type_named(words->offsets), number_of_elements(words->segments) + 1)};
    words->set_order(problem, less);
    problem.offsets->count = count_where(words->counted);
    if (words->count_bad) problem.bad = any_view(element_of<std::uint64_t>(), 1);
    if (!words->values.empty())
      problem.values = problem.values_out = any_view(scalar_type_named(words->values));
    return clwave::plan(problem, on);
  };
  sort.problem = [words]() -> json {
    json problem{{"primitive", "segmented_sort"},
                 {"n", number_of_elements(words->n)},
                 {"segments", number_of_elements(words->segments)}};
    words->add_to(problem);
    problem["offsets"] = scalar_type_named(words->offsets).name;
    problem["count_bad"] = words->count_bad;
    problem["count_on_device"] = words->counted;
    if (!words->values.empty()) problem["values"] = scalar_type_named(words->values).name;
    return problem;
  };
  return sort;
}

const registered_primitives segmented_sort_listed("segmented_sort", {planned_segmented_sort});

}  // namespace
}  // namespace clwave::tool
