// adjacent_difference: what a call is, and the entry.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include <clwave/error.hpp>

#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "primitives/transform.hpp"
#include "program/element_words.hpp"
#include "program/expressions.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view differences = adjacent_difference_variant::primitive;

// x - y, of which both are converted first (where the output has 16 bits, to float) and integers wrap.
std::string difference_text(const element& out) {
  if (is_storage(out)) {
    const std::string to_float = "convert_" + loaded_name(out);
    return to_float + "(x) - " + to_float + "(y)";
  }
  if (!is_integer(out)) return "OUT_CONVERT(x) - OUT_CONVERT(y)";
  const std::string wraps = "convert_" + unsigned_name(out, out.components);
  return wraps + "(OUT_CONVERT(x)) - " + wraps + "(OUT_CONVERT(y))";
}

void check_differences(const adjacent_difference_problem& q) {
  check_typed(differences, {{"the input", q.in}, {"the output", q.out}});
  const std::string types = q.in.type->name + " to " + q.out.type->name;
  const any_view in[] = {q.in};
  // The first result is the first element, converted; so is what clwave's own difference takes.
  check_transform_types(differences, in, *q.out.type, identity);
  if (q.apply == nullptr) {
    if (!is_number(*q.in.type) || !is_number(*q.out.type) || is_bool(*q.out.type))
      refuse_map(differences, "there are differences of numbers", types, "use a map of your own, in x and y");
  } else if (q.apply->kind != map_kind::user || q.apply->source.empty()) {
    refuse_map(differences, "a map of your own is applied, with a source", types,
               R"(such as {.name = "ratio", .source = "x / y"})");
  }
}

}  // namespace

program_spec spec_of(const adjacent_difference_variant& v) {
  program_spec spec;
  spec.primitive = differences;
  add_modules(spec, {"blocks/operands.cl", "primitives/adjacent_difference.cl",
                     v.numbers.group_size > 1 ? "primitives/adjacent_difference_groups.cl"
                                              : "primitives/adjacent_difference_serial.cl"});
  spec.types = v.in->name + " to " + v.out->name;
  spec.op = v.apply->name;
  add_transform_numbers(spec, v.numbers);
  add_word(spec, "OWN_AT", std::to_string(workspace::own_at));
  if (v.in_place) add_word(spec, "IN_PLACE");
  add_transform_operand(spec, "X", *v.in, v.numbers);
  add_transform_operand(spec, "OUT", *v.out, v.numbers);
  const element* const both[] = {v.in, v.out};
  add_types(spec, both);
  if (v.apply->kind == map_kind::user)
    add_transform_map(spec, *v.apply, {{v.in, "x"}, {v.in, "y"}, {nullptr, "i"}}, *v.out);
  else
    spec.texts.emplace_back("TRANSFORM_TEXT", difference_text(*v.out));
  add_values(spec, nullptr, v.apply);
  return spec;
}

described<adjacent_difference_variant> describe(const adjacent_difference_problem& q, const target& on) {
  check_differences(q);
  if (q.apply != nullptr) check_values(differences, on, *q.apply);
  const std::uint64_t n = q.in.n;
  described<adjacent_difference_variant> call{{.in = q.in.type,
                                               .out = q.out.type,
                                               .apply = q.apply != nullptr ? q.apply : &identity,
                                               .in_place = q.in_place},
                                              {.n = n}};
  described_work& work = call.work;
  const auto bytes = [&](const any_view& each, std::string_view what) {
    return counting{differences, what}.bytes(each.offset, n, each.type->size);
  };
  work.operands = {{access::reads, bytes(q.in, "the input")}, {access::writes, bytes(q.out, "the output")}};

  const tuning& tuned = transform_tuning(*on.choice.profile);
  transform_numbers& numbers = call.variant.numbers;
  const any_view* const all[] = {&q.in, &q.out};
  numbers = tuned_transform_numbers(all, 1, tuned, on);
  std::uint64_t groups = 0;
  std::uint32_t head = 0;
  if (is_cpu(on)) {
    groups = cpu_groups(n * std::max<std::uint64_t>(q.in.type->size, q.out.type->size), on, tuned);
  } else {
    const bool together = q.in.known && q.out.known && phase_of(q.in, numbers) == phase_of(q.out, numbers);
    if (!together) take_elements_singly(numbers);
    head = static_cast<std::uint32_t>(phase_of(q.in, numbers));
    groups = blocks_of(n + head, std::uint64_t{numbers.group_size} * numbers.items * numbers.vector);
    if (groups > most_groups) refuse(differences, "more elements than one launch can take");
  }
  if (n == 0) return call;

  workspace_parts parts(differences);
  parts.take(q.in_place ? groups : 0, q.in.type->size);
  if (q.in_place) {
    work.workspace_bytes = parts.bytes();
    work.launch("adjacent_difference_edges", groups, numbers.group_size)
        .buffer("x", 0)
        .value("x_offset", q.in.offset)
        .value("n", n)
        .value("head", head)
        .workspace("workspace");
  }
  described_launch& launch = work.launch("adjacent_difference", groups, numbers.group_size);
  launch.buffer("x", 0).value("x_offset", q.in.offset);
  launch.buffer("out", 1).value("out_offset", q.out.offset);
  launch.value("n", n).value("head", head);
  if (q.in_place) launch.workspace("workspace");
  if (q.apply != nullptr) launch.values({}, q.apply->values);
  return call;
}

told tell(const adjacent_difference_problem& q, const target& on,
          const described<adjacent_difference_variant>& call) {
  told people{is_cpu(on) ? std::string("a contiguous chunk per work-item")
                         : "packets of " + std::to_string(call.variant.numbers.vector) + " elements"};
  if (q.in_place) {
    people.variant += ", in place: a launch before saves the element before each group's first";
    people.rejected.push_back({"one launch", "a group would write over the element that the next one needs"});
  }
  return people;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const adjacent_difference_problem& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

event adjacent_difference(cl_command_queue queue, const adjacent_difference_problem& asked,
                          const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::differences);
  adjacent_difference_problem q = asked;
  detail::check_differences(q);
  const detail::call_operand all[] = {{.view = q.in, .name = "the input", .gives_its_place = true},
                                      {.view = q.out, .use = detail::access::writes, .name = "the output"}};
  const detail::checked_operands checked = detail::check_operands(site, detail::differences, all);
  if (q.in.n != q.out.n)
    detail::refuse(detail::differences, "the input has " + std::to_string(q.in.n) + " elements, the output " +
                                            std::to_string(q.out.n));
  const std::span<const cl_event> after = detail::check_events(site, options.after, detail::differences);
  q.in_place = checked.in_one_place(0, 1);
  checked.place(0, q.in);
  checked.place(1, q.out);
  const cl_mem buffers[] = {q.in.buffer, q.out.buffer};
  return detail::carry_out(site, q, buffers, after, options.with_event,
                           {detail::differences, &options.workspace, &checked});
}

}  // namespace clwave
