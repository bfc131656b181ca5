// What `clwave why` and `clwave emulate` can ask of select.
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/plan.hpp>
#include <clwave/select.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/words.hpp"

namespace clwave::tool {
namespace {

select_kind select_kind_named(const std::string& name) {
  if (name == "flagged") return select_kind::copy_flagged;
  if (name == "partition") return select_kind::partition;
  if (name == "partition-copy") return select_kind::partition_copy;
  if (name == "unique-by-key") return select_kind::unique_by_key;
  if (name == "run-lengths") return select_kind::run_lengths;
  if (name == "run-offsets") return select_kind::run_offsets;
  if (name == "partition-three") return select_kind::partition_three;
  if (name == "flagged-if") return select_kind::copy_flagged_if;
  return name == "unique" ? select_kind::unique : select_kind::copy_if;
}

planned_primitive planned_select() {
  struct words_of_select {
    std::string kind = "if", type = "f32", flags = "u8", values = "f32", lengths = "u32", text,
                second = "x == 0", n = "16M", input = "array";
    bool counted = false;
  };
  auto words = std::make_shared<words_of_select>();
  const auto text_of = [words]() -> std::string {
    if (!words->text.empty()) return words->text;
    return words->kind.starts_with("unique") || words->kind.starts_with("run") ? "a == b" : "x > 0";
  };
  planned_primitive select;
  select.name = "select";
  select.help = "The elements that are kept, side by side";
  select.calls = {{"copy_if"},
                  {"copy_flagged", {{"--kind", "flagged"}}},
                  {"partition", {{"--kind", "partition"}}},
                  {"partition_copy", {{"--kind", "partition-copy"}}},
                  {"unique", {{"--kind", "unique"}}},
                  {"unique_by_key", {{"--kind", "unique-by-key"}}},
                  {"run_lengths", {{"--kind", "run-lengths"}}},
                  {"run_offsets", {{"--kind", "run-offsets"}}}};
  select.add_options = [words](CLI::App& command) {
    command.add_option("--kind", words->kind, "What decides: a predicate, flags, or the element before")
        ->capture_default_str()
        ->check(CLI::IsMember({"if", "flagged", "partition", "partition-copy", "unique", "unique-by-key",
                               "run-lengths", "run-offsets", "flagged-if", "partition-three"}));
    command.add_option("--type", words->type, "Type of the elements")->capture_default_str();
    command.add_option("--flags", words->flags, "Type of the flags")->capture_default_str();
    command.add_option("--values", words->values, "Type of the values that go with the keys")
        ->capture_default_str();
    command.add_option("--lengths", words->lengths, "Type of the lengths of runs")->capture_default_str();
    command.add_option("--text", words->text,
                       "OpenCL C in x, its flag y and the index i (default: x > 0), of neighbours in a and b "
                       "(default: a == b)");
    command.add_option("--second", words->second, "OpenCL C in x and i, of a partition into three")
        ->capture_default_str();
    add_n_option(command, words->n);
    add_count_option(command, words->counted);
    add_input_option(command, words->input);
  };
  select.plan = [words, text_of](const plan_target& on) {
    const element& type = scalar_type_named(words->type);
    const map predicate{.name = "text", .source = text_of()};
    const map second{.name = "second", .source = words->second};
    const op same{.name = "text", .source = text_of(), .identity = {}};
    const std::uint64_t n = number_of_elements(words->n);
    const select_kind kind = select_kind_named(words->kind);
    select_problem problem{
        .kind = kind, .in = {type, n}, .out = {type, n}, .predicate = &predicate, .same = &same};
    problem.in.count = count_where(words->counted);
    const planned_input in(words->input, problem.in);
    problem.in = in.view();
    if (kind == select_kind::copy_flagged || kind == select_kind::copy_flagged_if)
      problem.flags = {scalar_type_named(words->flags), n};
    if (kind == select_kind::partition_copy) problem.second_out = {type, n};
    if (kind == select_kind::partition_three) {
      problem.second_out = problem.third_out = {type, n};
      problem.second_predicate = &second;
    }
    if (kind == select_kind::unique_by_key)
      problem.values = problem.second_out = {scalar_type_named(words->values), n};
    if (kind == select_kind::run_lengths) problem.second_out = {scalar_type_named(words->lengths), n};
    if (kind == select_kind::run_offsets) problem.out = {element_of<std::uint64_t>(), n + 1};
    return clwave::plan(problem, on);
  };
  select.problem = [words, text_of]() -> json {
    json problem{{"primitive", "select"},
                 {"kind", words->kind},
                 {"n", number_of_elements(words->n)},
                 {"type", scalar_type_named(words->type).name},
                 {"count_on_device", words->counted}};
    if (words->input != "array") problem["input"] = words->input;
    if (words->kind.starts_with("flagged")) problem["flags"] = scalar_type_named(words->flags).name;
    if (words->kind != "flagged") problem["text"] = text_of();
    if (words->kind == "partition-three") problem["second"] = words->second;
    if (words->kind == "run-lengths") problem["lengths"] = scalar_type_named(words->lengths).name;
    if (words->kind == "unique-by-key") problem["values"] = scalar_type_named(words->values).name;
    return problem;
  };
  return select;
}

const registered_primitives select_listed("select", {planned_select});

}  // namespace
}  // namespace clwave::tool
