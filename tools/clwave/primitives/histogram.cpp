// What `clwave why` and `clwave emulate` can ask of histogram.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <clwave/histogram.hpp>
#include <clwave/plan.hpp>

#include "commands/histogram_file.hpp"
#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

planned_primitive planned_histogram() {
  struct words_of_histogram {
    std::string type = "u8", counts = "u32", n = "16M", input = "array", bins = "256";
    std::string lo = "0", hi = "256";
    bool edges = false, counted = false;
    unsigned channels = 1;
  };
  auto words = std::make_shared<words_of_histogram>();
  planned_primitive histogram;
  histogram.name = "histogram";
  histogram.help = "How many elements fall into each bin";
  histogram.add_options = [words](CLI::App& command) {
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--counts", words->counts, "Type of the counts, u32 or u64")->capture_default_str();
    command.add_option("--bins", words->bins, "Bins of a channel, to 16M")->capture_default_str();
    CLI::Option* lo = command.add_option("--lo", words->lo, "Where even bins begin")->capture_default_str();
    CLI::Option* hi = command.add_option("--hi", words->hi, "Where even bins end")->capture_default_str();
    command.add_flag("--edges", words->edges, "Between edges of the elements' type")
        ->excludes(lo)
        ->excludes(hi);
    command.add_option("--channels", words->channels, "Channels of a pixel, 1 to 4")->capture_default_str();
    add_n_option(command, words->n);
    add_count_option(command, words->counted);
    add_input_option(command, words->input);
  };
  histogram.plan = [words](const plan_target& on) {
    const element& type = scalar_type_named(words->type);
    const std::uint64_t bins = number_of_elements(words->bins);
    histogram_problem problem{
        .in = {type, number_of_elements(words->n)},
        .counts = {scalar_type_named(words->counts),
                   std::min(bins, ~std::uint64_t{0} / std::max(words->channels, 1u)) * words->channels},
        .channels = words->channels};
    problem.in.count = count_where(words->counted);
    const planned_input in(words->input, problem.in);
    problem.in = in.view();
    if (words->edges)
      problem.edges = any_view(type, bins + 1);
    else
      problem.bounds = even{bound_of(words->lo), bound_of(words->hi)};
    return clwave::plan(problem, on);
  };
  histogram.problem = [words]() -> json {
    json problem{{"primitive", "histogram"},
                 {"n", number_of_elements(words->n)},
                 {"type", scalar_type_named(words->type).name},
                 {"counts", scalar_type_named(words->counts).name},
                 {"bins", number_of_elements(words->bins)},
                 {"channels", words->channels},
                 {"count_on_device", words->counted}};
    if (words->input != "array") problem["input"] = words->input;
    if (words->edges)
      problem["edges"] = true;
    else
      problem["range"] = {words->lo, words->hi};
    return problem;
  };
  return histogram;
}

const registered_primitives histogram_listed("histogram", {planned_histogram});

}  // namespace
}  // namespace clwave::tool
