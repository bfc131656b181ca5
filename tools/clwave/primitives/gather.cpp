// What `clwave why` and `clwave emulate` can ask of gather and scatter.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/gather.hpp>
#include <clwave/plan.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

struct words_of_gather {
  std::string type = "f32", to, indices = "u32", text, flags, predicate, n = "16M", of = "16M";
  unsigned bytes = 0;
  bool distinct = false, outside = false, bad = false, counted = false;
};

// A type of the elements by its size alone, where the words give one.
const element& moved_type(const words_of_gather& words, element& room) {
  if (words.bytes == 0) return scalar_type_named(words.type);
  room = detail::make_element("moved", "", words.bytes, element_kind::opaque, 1);
  return room;
}

// Both primitives are one problem: `scatters` says which.
planned_primitive planned(bool scatters) {
  auto words = std::make_shared<words_of_gather>();
  planned_primitive gather;
  gather.name = scatters ? "scatter" : "gather";
  gather.help =
      scatters ? "Elements copied to where indices point" : "Elements copied from where indices point";
  gather.calls = {{scatters ? "scatter_if" : "gather_if", {{"--flags", "u8"}}}};
  gather.add_options = [words, scatters](CLI::App& command) {
    CLI::Option* type = command.add_option("--type", words->type, "Type of the input")->capture_default_str();
    CLI::Option* bytes = command.add_option("--bytes", words->bytes, "Elements of so many bytes of any type");
    bytes->check(CLI::Range(1u, 128u))->excludes(type);
    command.add_option("--to", words->to, "Type of the output, with --text (default: that of the input)")
        ->excludes(bytes);
    command.add_option("--text", words->text, "OpenCL C in x and i that is applied to each element")
        ->excludes(bytes);
    command.add_option("--indices", words->indices, "Type of the indices, u32 or u64")->capture_default_str();
    add_n_option(command, words->n, "indices");
    add_count_option(command, words->counted, "indices");
    command.add_option("--of", words->of, scatters ? "Elements of the output" : "Elements of the input")
        ->capture_default_str();
    command.add_flag("--bad", words->bad, "Indices outside are counted");
    command.add_option("--flags", words->flags, "Type of the flags that say which elements are moved");
    command.add_option("--predicate", words->predicate, "OpenCL C in x, a flag, and i: whether it is set");
    if (scatters)
      command.add_flag("--distinct", words->distinct, "No two indices are equal");
    else
      command.add_flag("--outside", words->outside, "Indices outside give a value that is not 0");
  };
  gather.plan = [words, scatters](const plan_target& on) {
    element room;
    const element& in = moved_type(*words, room);
    const element& out = words->to.empty() ? in : scalar_type_named(words->to);
    const std::uint64_t n = number_of_elements(words->n), of = number_of_elements(words->of);
    const map text{.name = "text", .source = words->text};
    const map predicate{.name = "predicate", .source = words->predicate};
    static constexpr unsigned char ones[128] = {1};
    gather_problem problem{.in = {in, scatters ? n : of},
                           .indices = {scalar_type_named(words->indices), n},
                           .out = {out, scatters ? of : n},
                           .scatter = scatters,
                           .apply = words->text.empty() ? nullptr : &text,
                           .outside = words->outside ? ones : nullptr,
                           .distinct = words->distinct};
    problem.indices.count = count_where(words->counted);
    if (words->bad) problem.bad = {element_of<std::uint64_t>(), 1};
    if (!words->flags.empty()) problem.flags = {scalar_type_named(words->flags), n};
    if (!words->predicate.empty()) problem.predicate = &predicate;
    return clwave::plan(problem, on);
  };
  gather.problem = [words, scatters]() -> json {
    json problem{{"primitive", scatters ? "scatter" : "gather"},
                 {"n", number_of_elements(words->n)},
                 {"of", number_of_elements(words->of)},
                 {"indices", scalar_type_named(words->indices).name},
                 {"bad", words->bad},
                 {"count_on_device", words->counted}};
    if (words->bytes != 0)
      problem["bytes"] = words->bytes;
    else
      problem["type"] = scalar_type_named(words->type).name;
    if (!words->to.empty()) problem["to"] = scalar_type_named(words->to).name;
    if (!words->text.empty()) problem["text"] = words->text;
    if (!words->flags.empty()) problem["flags"] = scalar_type_named(words->flags).name;
    if (!words->predicate.empty()) problem["predicate"] = words->predicate;
    problem[scatters ? "distinct" : "outside"] = scatters ? words->distinct : words->outside;
    return problem;
  };
  return gather;
}

// Both are one problem: `rotates` says which.
planned_primitive planned_order(bool rotates) {
  struct words_of_reorder {
    std::string type = "f32", n = "16M", first = "1";
    unsigned bytes = 0;
  };
  auto words = std::make_shared<words_of_reorder>();
  planned_primitive order;
  order.name = rotates ? "rotate" : "reverse";
  order.help = rotates ? "Elements from one of them on, and those before it behind the last"
                       : "Elements from the last to the first";
  const auto moved = [words](element& room) -> const element& {
    if (words->bytes == 0) return scalar_type_named(words->type);
    room = detail::make_element("moved", "", words->bytes, element_kind::opaque, 1);
    return room;
  };
  order.add_options = [words, rotates](CLI::App& command) {
    CLI::Option* type =
        command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--bytes", words->bytes, "Elements of so many bytes of any type")
        ->check(CLI::Range(1u, 128u))
        ->excludes(type);
    add_n_option(command, words->n);
    if (rotates)
      command.add_option("--first", words->first, "The element that becomes the first")
          ->capture_default_str();
  };
  order.plan = [words, rotates, moved](const plan_target& on) {
    element room;
    const any_view elements(moved(room), number_of_elements(words->n));
    return clwave::plan(reorder_problem{.in = elements,
                                        .out = elements,
                                        .rotate = rotates,
                                        .first = rotates ? number_of_elements(words->first) : 0},
                        on);
  };
  order.problem = [words, rotates]() -> json {
    json problem{{"primitive", rotates ? "rotate" : "reverse"}, {"n", number_of_elements(words->n)}};
    if (words->bytes != 0)
      problem["bytes"] = words->bytes;
    else
      problem["type"] = scalar_type_named(words->type).name;
    if (rotates) problem["first"] = number_of_elements(words->first);
    return problem;
  };
  return order;
}

planned_primitive planned_reverse() { return planned_order(/*rotates=*/false); }
planned_primitive planned_rotate() { return planned_order(/*rotates=*/true); }
planned_primitive planned_gather() { return planned(/*scatters=*/false); }
planned_primitive planned_scatter() { return planned(/*scatters=*/true); }

const registered_primitives gather_listed("gather",
                                          {planned_gather, planned_scatter, planned_reverse, planned_rotate});

}  // namespace
}  // namespace clwave::tool
