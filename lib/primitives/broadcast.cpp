// broadcast: what a call is, and the entry.
#include <algorithm>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "primitives/transform.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// From a matrix's first element to its last, both counted; 0 for none. Throws for rows that overlap and for
// sizes in bytes beyond 63 bits.
std::uint64_t extent_of_matrix(const broadcast_shape& size, std::uint64_t row, std::uint64_t element_bytes,
                               std::string_view what) {
  if (size.rows == 0 || size.columns == 0) return 0;
  if (row < size.columns)
    refuse("broadcast", std::string(what) + "'s rows overlap: its pitch is less than its columns");
  const counting count{"broadcast", what};
  const std::uint64_t extent = count.plus(count.times(size.rows - 1, row), size.columns);
  // A pitch that is never stepped by is handed to the kernel all the same.
  for (const std::uint64_t elements : {extent, row}) count.times(elements, element_bytes);
  return extent;
}

std::uint64_t in_row_of(const broadcast_shape& size) { return size.in_row != 0 ? size.in_row : size.columns; }
std::uint64_t out_row_of(const broadcast_shape& size) {
  return size.out_row != 0 ? size.out_row : size.columns;
}

void check_operand_types(const broadcast_problem& q) {
  check_typed("broadcast", {{"the input", q.in}, {"the vector", q.vector}, {"the output", q.out}});
  if (q.apply == nullptr) refuse("broadcast", "there is no function to apply");
}

}  // namespace

program_spec spec_of(const broadcast_variant& v) {
  program_spec spec;
  spec.primitive = broadcast_variant::primitive;
  add_modules(
      spec, {"blocks/operands.cl", "primitives/broadcast.cl",
             v.numbers.group_size > 1 ? "primitives/broadcast_groups.cl" : "primitives/broadcast_serial.cl"});
  spec.types = v.in->name + ", " + v.vector->name + " to " + v.out->name;
  spec.op = v.apply->name;
  add_transform_numbers(spec, v.numbers);
  if (v.which == per::row) add_word(spec, "PER_ROW");
  if (v.staged) add_word(spec, "STAGED");
  add_transform_operand(spec, "X", *v.in, v.numbers);
  add_transform_operand(spec, "B", *v.vector, v.numbers);
  add_transform_operand(spec, "OUT", *v.out, v.numbers);
  const element* const all[] = {v.in, v.vector, v.out};
  add_types(spec, all);
  add_transform_map(spec, *v.apply, {{v.in, "x"}, {v.vector, "b"}}, *v.out);
  add_values(spec, nullptr, v.apply);
  return spec;
}

described<broadcast_variant> describe(const broadcast_problem& q, const target& on) {
  check_operand_types(q);
  if (q.apply->kind != map_kind::user)
    refuse_map("broadcast", "a broadcast takes a map of your own, in x and b",
               q.in.type->name + " to " + q.out.type->name);
  const any_view in[] = {q.in, q.vector};
  check_transform_types("broadcast", in, *q.out.type, *q.apply);
  check_values("broadcast", on, *q.apply);
  const std::uint64_t rows = q.size.rows, columns = q.size.columns;
  const std::uint64_t in_row = in_row_of(q.size), out_row = out_row_of(q.size);
  const std::uint64_t in_extent = extent_of_matrix(q.size, in_row, q.in.type->size, "the input");
  const std::uint64_t out_extent = extent_of_matrix(q.size, out_row, q.out.type->size, "the output");
  const std::uint64_t values = q.which == per::row ? rows : columns;

  const tuning& tuned = broadcast_tuning(*on.choice.profile);
  const any_view* const all[] = {&q.in, &q.vector, &q.out};
  described<broadcast_variant> call{{.in = q.in.type,
                                     .vector = q.vector.type,
                                     .out = q.out.type,
                                     .apply = q.apply,
                                     .which = q.which,
                                     .numbers = tuned_transform_numbers(all, 1, tuned, on)},
                                    {.n = in_extent == 0 ? 0 : rows * columns}};
  const auto reach = [](const any_view& each, std::uint64_t n, std::string_view what) {
    return counting{"broadcast", what}.bytes(each.offset, n, each.type->size);
  };
  call.work.operands = {{access::reads, reach(q.in, in_extent, "the input")},
                        {access::reads, reach(q.vector, values, "the vector")},
                        {access::writes, reach(q.out, out_extent, "the output")}};
  if (in_extent == 0) return call;

  transform_numbers& numbers = call.variant.numbers;
  bool& staged = call.variant.staged;
  staged = !is_cpu(on) && q.which == per::row && on.choice.profile->local_staging_for_broadcast;
  std::uint64_t groups = 0;
  std::uint32_t tile_width = 1;
  if (is_cpu(on)) {
    groups = cpu_groups(rows * columns * std::max(q.in.type->size, q.out.type->size), on, tuned);
  } else {
    const auto starts_packets = [&](const any_view& each, std::uint64_t row) {
      return each.known && phase_of(each, numbers) == 0 && row % numbers.vector == 0;
    };
    // One row needs no pitch.
    if (!starts_packets(q.in, rows > 1 ? in_row : 0) || !starts_packets(q.out, rows > 1 ? out_row : 0) ||
        (q.which == per::column && !starts_packets(q.vector, 0)))
      take_elements_singly(numbers);
    const std::uint64_t width = blocks_of(columns, numbers.vector);
    // As wide as the group where the rows are long; along a row, its items reach on.
    const std::uint64_t along = q.which == per::row ? numbers.items : 1;
    const std::uint64_t wanted = blocks_of(width, along);
    tile_width =
        static_cast<std::uint32_t>(wanted >= numbers.group_size ? numbers.group_size : std::bit_ceil(wanted));
    const std::uint64_t tile_height = numbers.group_size / tile_width;
    const std::uint64_t across = blocks_of(width, tile_width * along);
    const std::uint64_t down = blocks_of(rows, tile_height * (q.which == per::row ? 1 : numbers.items));
    if (across > most_groups / down) refuse("broadcast", "more elements than one launch can take");
    groups = across * down;
  }
  described_launch& launch = call.work.launch("broadcast", groups, numbers.group_size);
  launch.buffer("x", 0).value("x_offset", q.in.offset).value("x_row", in_row);
  launch.buffer("b", 1).value("b_offset", q.vector.offset);
  launch.buffer("out", 2).value("out_offset", q.out.offset).value("out_row", out_row);
  launch.value("rows", rows).value("columns", columns).value("tile_width", tile_width);
  launch.values({}, q.apply->values);
  launch.local_bytes = staged ? numbers.group_size * q.vector.type->size : 0;
  return call;
}

told tell(const broadcast_problem& q, const target& on, const described<broadcast_variant>& call) {
  if (is_cpu(on)) return {words_of_numbers(call.variant.numbers, on)};
  return {words_of_numbers(call.variant.numbers, on) +
          (q.which == per::column ? ", a column's values in registers down the rows"
           : call.variant.staged  ? ", a row's value staged in local memory"
                                  : ", a row's value read at one address by all lanes")};
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const broadcast_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event broadcast(cl_command_queue queue, const broadcast_problem& asked, const launch_options& options) {
  constexpr std::string_view primitive = "broadcast";
  const detail::call_site site = detail::site_of(queue, primitive);
  broadcast_problem q = asked;
  detail::check_operand_types(q);
  const broadcast_shape& size = q.size;
  const std::uint64_t in_extent =
      detail::extent_of_matrix(size, detail::in_row_of(size), q.in.type->size, "the input");
  const std::uint64_t out_extent =
      detail::extent_of_matrix(size, detail::out_row_of(size), q.out.type->size, "the output");
  const std::size_t values = q.which == per::row ? size.rows : size.columns;
  if (q.vector.n != values)
    detail::refuse(primitive, "the vector has " + std::to_string(q.vector.n) + " elements, the matrix " +
                                  std::to_string(values) + (q.which == per::row ? " rows" : " columns"));
  const detail::call_operand all[] = {
      {.view = q.in,
       .name = "the input",
       .reach = in_extent,
       .gives_its_place = size.rows <= 1 || detail::in_row_of(size) == detail::out_row_of(size)},
      {.view = q.vector, .name = "the vector"},
      {.view = q.out, .use = detail::access::writes, .name = "the output", .reach = out_extent}};
  return detail::carry_out({site, primitive, options}, q, all, {&q.in, &q.vector, &q.out});
}

}  // namespace clwave
