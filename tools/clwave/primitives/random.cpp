// What `clwave why` and `clwave emulate` can ask of random and shuffle.
#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/random.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

random_kind random_kind_named(const std::string& name) {
  return name == "normal"        ? random_kind::normal
         : name == "permutation" ? random_kind::permutation
                                 : random_kind::uniform;
}

planned_primitive planned_random() {
  struct words_of_random {
    std::string kind = "uniform", type = "f32", n = "16M";
    std::uint64_t below = 0, first = 0;
  };
  auto words = std::make_shared<words_of_random>();
  planned_primitive random;
  random.name = "random";
  random.help = "Random bits, numbers in [0, 1), normal numbers, integers below a bound, permutations";
  random.calls.push_back({"random_permutation", {{"--kind", "permutation"}}});
  random.add_options = [words](CLI::App& command) {
    command.add_option("--kind", words->kind, "uniform, normal or permutation")
        ->capture_default_str()
        ->check(CLI::IsMember({"uniform", "normal", "permutation"}));
    command.add_option("--type", words->type, "Type of the numbers (of a permutation u32 or u64)")
        ->capture_default_str();
    command.add_option("--below", words->below, "Of uniform integers: what all are less than (default: all)");
    command.add_option("--first", words->first, "The number of the first element in the stream")
        ->capture_default_str();
    add_n_option(command, words->n);
  };
  const auto type_of = [words]() -> const element& {
    // A permutation has indices.
    return scalar_type_named(words->kind == "permutation" && words->type == "f32" ? "u32" : words->type);
  };
  random.plan = [words, type_of](const plan_target& on) {
    return clwave::plan(random_problem{.out = {type_of(), number_of_elements(words->n)},
                                       .kind = random_kind_named(words->kind),
                                       .below = words->below,
                                       .first = words->first},
                        on);
  };
  random.problem = [words, type_of]() -> json {
    return {{"primitive", "random"},  {"kind", words->kind},   {"n", number_of_elements(words->n)},
            {"type", type_of().name}, {"below", words->below}, {"first", words->first}};
  };
  return random;
}

planned_primitive planned_shuffle() {
  struct words_of_shuffle {
    std::string type = "f32", n = "16M";
    unsigned bytes = 0;
  };
  auto words = std::make_shared<words_of_shuffle>();
  planned_primitive shuffle;
  shuffle.name = "shuffle";
  shuffle.help = "Elements in a random order";
  const auto moved = [words](element& room) -> const element& {
    if (words->bytes == 0) return scalar_type_named(words->type);
    room = detail::make_element("moved", "", words->bytes, element_kind::opaque, 1);
    return room;
  };
  shuffle.add_options = [words](CLI::App& command) {
    CLI::Option* type =
        command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--bytes", words->bytes, "Elements of so many bytes of any type")
        ->check(CLI::Range(1u, 128u))
        ->excludes(type);
    add_n_option(command, words->n);
  };
  shuffle.plan = [words, moved](const plan_target& on) {
    element room;
    const any_view elements(moved(room), number_of_elements(words->n));
    return clwave::plan(reorder_problem{.in = elements, .out = elements, .shuffle = true}, on);
  };
  shuffle.problem = [words, moved]() -> json {
    json problem{{"primitive", "shuffle"}, {"n", number_of_elements(words->n)}};
    element room;
    if (words->bytes != 0)
      problem["bytes"] = words->bytes;
    else
      problem["type"] = moved(room).name;
    return problem;
  };
  return shuffle;
}

const registered_primitives random_listed("random", {planned_random, planned_shuffle});

}  // namespace
}  // namespace clwave::tool
