// transpose: checks, plan, launch.
#include <clwave/transpose.hpp>

#include <cstdint>

#include "call/call.hpp"
#include "call/launch.hpp"
#include "call/operands.hpp"
#include "primitives/transpose_plan.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "transpose";

// Throws bad_call for a view that ends before its last matrix does.
void check_extent(const operand& view, const matrix_steps& steps, std::string_view what) {
  if (steps.extent > view.n)
    refuse(primitive, "the matrices need " + std::to_string(steps.extent) + " elements of " +
                          std::string(what) + "; it has " + std::to_string(view.n));
}

void add_side(arguments& with, const operand& view, const matrix_steps& steps) {
  const std::uint64_t bytes = view.type->size;
  with.add(view.buffer).add(view.offset * bytes).add(steps.row * bytes).add(steps.matrix * bytes);
}

fitted<transpose_shape> shaped(const call_site& site, const transpose_question& q) {
  return fit(
      site, [&](const target& on) { return shape_transpose(q, on); },
      [&](const transpose_shape& s) { return key_transpose(q, s); },
      [&](const transpose_shape& s) { return spec_transpose(q, s); },
      [](const transpose_shape& s) { return std::array<std::string_view, 2>{s.kernel}; });
}

// Each launch after the one before, so that the last one's event stands for all.
event launch_tiles(const call_site& site, program& code, const transpose_shape& shape, const arguments& with,
                   std::span<const cl_event> after, bool wanted) {
  event done;
  for_each_launch(shape, [&](std::uint64_t first, std::uint64_t tiles, std::uint64_t groups) {
    arguments all = with;
    all.add(first).add(tiles);
    const cl_event before = done.get();
    const bool last = first + tiles == shape.tiles;
    done = launch(site, code, shape.kernel, groups, shape.group_size, all,
                  first == 0 ? after : std::span<const cl_event>(&before, 1), wanted || !last);
  });
  return done;
}

}  // namespace

event transpose_matrices(cl_command_queue queue, const operand& in, const operand& out, const matrices& size,
                         const pitches& in_pitches, const pitches& out_pitches,
                         const launch_options& options) {
  const call_site site = site_of(queue, primitive);
  check_transpose(*in.type, *out.type);
  const std::size_t in_alignment = check_operand(site, in, access::reads, primitive, "the input");
  const std::size_t out_alignment = check_operand(site, out, access::writes, primitive, "the output");
  const matrix_steps from =
      steps_of(size.rows, size.columns, size.batch, in_pitches, in.type->size, "the input");
  const matrix_steps to =
      steps_of(size.columns, size.rows, size.batch, out_pitches, out.type->size, "the output");
  check_extent(in, from, "the input");
  check_extent(out, to, "the output");
  const operand used_in{in.buffer, static_cast<std::size_t>(from.extent), in.offset, in.type};
  const operand used_out{out.buffer, static_cast<std::size_t>(to.extent), out.offset, out.type};
  check_disjoint(used_in, used_out, primitive, "the input's and the output's matrices");
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  const transpose_question q{in.type,      size,          from,  to,
                             in_alignment, out_alignment, false, site.on.facts->compute_units.value_or(1)};
  if (is_nothing(q)) return nothing_after(site, after, options.with_event);
  if (is_copy(q)) {
    const box_question copied = copied_box(q);
    return copy_box(queue, used_in, used_out, copied.size, copied.in_pitches, copied.out_pitches, options);
  }
  const auto [shape, code] = shaped(site, q);
  arguments with;
  add_side(with, in, from);
  add_side(with, out, to);
  with.add(std::uint64_t{size.rows}).add(std::uint64_t{size.columns});
  return launch_tiles(site, *code, shape, with, after, options.with_event);
}

event transpose_squares(cl_command_queue queue, const operand& squares, const matrices& size,
                        const pitches& steps, const launch_options& options) {
  const call_site site = site_of(queue, primitive);
  check_transpose(*squares.type, *squares.type);
  if (size.rows != size.columns)
    refuse(primitive, "only squares are transposed in place, not " + std::to_string(size.rows) + " by " +
                          std::to_string(size.columns));
  const std::size_t alignment =
      check_operand(site, squares, access::reads_and_writes, primitive, "the input");
  const matrix_steps lie =
      steps_of(size.rows, size.columns, size.batch, steps, squares.type->size, "the input");
  check_extent(squares, lie, "the input");
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  const transpose_question q{squares.type, size,      lie,  lie,
                             alignment,    alignment, true, site.on.facts->compute_units.value_or(1)};
  if (is_nothing(q)) return nothing_after(site, after, options.with_event);
  const auto [shape, code] = shaped(site, q);
  arguments with;
  add_side(with, squares, lie);
  with.add(std::uint64_t{size.rows});
  return launch_tiles(site, *code, shape, with, after, options.with_event);
}

}  // namespace clwave::detail
