// What `clwave why` and `clwave emulate` can ask of top_k and segmented_top_k.
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/top_k.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_top_k() {
  struct words_of_top_k {
    std::string type = "f32", indices = "u32", n = "16M", k = "100";
    bool ascending = false, counted = false;
  };
  auto words = std::make_shared<words_of_top_k>();
  planned_primitive top_k;
  top_k.name = "top_k";
  top_k.help = "The largest or smallest elements with their indices";
  top_k.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--indices", words->indices, "Type of the indices, u32 or u64")->capture_default_str();
    command.add_option("--k", words->k, "How many are taken")->capture_default_str();
    command.add_flag("--ascending", words->ascending, "The smallest ones");
    add_n_option(command, words->n);
    add_count_option(command, words->counted);
  };
  top_k.plan = [words](const plan_target& on) {
    const element& key = scalar_type_named(words->type);
    any_view in(key, number_of_elements(words->n));
    in.count = count_where(words->counted);
    return clwave::plan(top_k_problem{.in = in,
                                      .values = key,
                                      .indices = scalar_type_named(words->indices),
                                      .k = number_of_elements(words->k),
                                      .descending = !words->ascending},
                        on);
  };
  top_k.problem = [words]() -> json {
    return {{"primitive", "top_k"},
            {"n", number_of_elements(words->n)},
            {"k", number_of_elements(words->k)},
            {"type", scalar_type_named(words->type).name},
            {"indices", scalar_type_named(words->indices).name},
            {"descending", !words->ascending},
            {"count_on_device", words->counted}};
  };
  return top_k;
}

planned_primitive planned_segmented_top_k() {
  struct words_of_segments {
    std::string type = "f32", indices = "u32", offsets = "u64", n = "16M", segments = "1M", k = "10";
    bool ascending = false, count_bad = false, counted = false;
  };
  auto words = std::make_shared<words_of_segments>();
  planned_primitive top_k;
  top_k.name = "segmented_top_k";
  top_k.help = "The largest or smallest elements of each of many segments, given by offsets";
  top_k.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--indices", words->indices, "Type of the indices, u32 or u64")->capture_default_str();
    command.add_option("--offsets", words->offsets, "Type of the offsets, u32 or u64")->capture_default_str();
    command.add_option("--k", words->k, "How many of each segment are taken")->capture_default_str();
    command.add_flag("--ascending", words->ascending, "The smallest ones");
    command.add_flag("--count-bad", words->count_bad, "Counts bad segments");
    add_n_option(command, words->n);
    command.add_option("--segments", words->segments, "Segments")->capture_default_str();
    add_count_option(command, words->counted, "segments", "--segments");
  };
  top_k.plan = [words](const plan_target& on) {
    const element& key = scalar_type_named(words->type);
    segmented_top_k_problem problem{
        .in = {key, number_of_elements(words->n)},
        .offsets = any_view(scalar_type_named(words->offsets), number_of_elements(words->segments) + 1),
        .values = key,
        .indices = scalar_type_named(words->indices),
        .k = number_of_elements(words->k),
        .descending = !words->ascending};
    problem.offsets.count = count_where(words->counted);
    if (words->count_bad) problem.bad = any_view(element_of<std::uint64_t>(), 1);
    return clwave::plan(problem, on);
  };
  top_k.problem = [words]() -> json {
    return {{"primitive", "segmented_top_k"},
            {"n", number_of_elements(words->n)},
            {"segments", number_of_elements(words->segments)},
            {"k", number_of_elements(words->k)},
            {"type", scalar_type_named(words->type).name},
            {"offsets", scalar_type_named(words->offsets).name},
            {"indices", scalar_type_named(words->indices).name},
            {"descending", !words->ascending},
            {"count_bad", words->count_bad},
            {"count_on_device", words->counted}};
  };
  return top_k;
}

const registered_primitives top_k_listed("top_k", {planned_top_k, planned_segmented_top_k});

}  // namespace
}  // namespace clwave::tool
