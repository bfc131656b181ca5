// transform and broadcast: checks, plan, launch.
#include <clwave/transform.hpp>

#include <algorithm>
#include <cstdint>

#include "call/call.hpp"
#include "call/launch.hpp"
#include "primitives/transform_plan.hpp"

namespace clwave::detail {
namespace {

// Checks a view, and that its elements lie where the device can load them one by one.
void check_aligned(const call_site& site, const operand& view, access use, std::string_view primitive,
                   const std::string& what) {
  const std::size_t own = std::min<std::size_t>(view.type->size & -view.type->size, 128);
  if (check_operand(site, view, use, primitive, what) < own)
    refuse(primitive, what + " is not aligned to its element type",
           "memory given by CL_MEM_USE_HOST_PTR must start at a multiple of an element");
}

// An output may take an input's place exactly, or none of it.
bool in_place(const operand& in, const operand& out) {
  return in.buffer == out.buffer && in.type->size == out.type->size && in.offset == out.offset;
}

}  // namespace

event transform_elements(cl_command_queue queue, std::span<const operand> in, const operand& out,
                         const map& apply, const launch_options& options) {
  constexpr std::string_view primitive = "transform";
  const call_site site = site_of(queue, primitive);
  const std::string names[] = {"the first input", "the second input", "the third input"};
  transform_question q{{}, out.type, &apply, out.n, {}, site.on.facts->compute_units.value_or(1)};
  for (const operand& view : in) q.in.push_back(view.type);
  check_transform(q);
  for (std::size_t k = 0; k < in.size(); ++k) {
    check_aligned(site, in[k], access::reads, primitive, names[k]);
    if (in[k].n != out.n)
      refuse(primitive,
             names[k] + " has " + std::to_string(in[k].n) + " elements, the output " + std::to_string(out.n));
  }
  check_aligned(site, out, access::writes, primitive, "the output");
  for (std::size_t k = 0; k < in.size(); ++k) {
    if (!in_place(in[k], out)) check_disjoint(in[k], out, primitive, names[k] + " and the output");
  }
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  if (out.n == 0) return nothing_after(site, after, options.with_event);

  for (const operand& view : in) q.places.push_back(place_of(view));
  q.places.push_back(place_of(out));
  const auto [shape, code] = fit(
      site, [&](const target& on) { return shape_transform(q, on); },
      [&](const transform_shape& s) { return key_transform(q, s); },
      [&](const transform_shape& s) { return spec_transform(q, s); },
      [&](const transform_shape&) { return std::array<std::string_view, 2>{primitive}; });
  arguments with;
  for (const operand& view : in) with.add(view.buffer).add(std::uint64_t{view.offset});
  with.add(out.buffer).add(std::uint64_t{out.offset}).add(std::uint64_t{out.n}).add(shape.head);
  return launch(site, *code, "transform", shape.groups, shape.group_size, with, after, options.with_event);
}

event broadcast_elements(cl_command_queue queue, const operand& in, const operand& vector, const operand& out,
                         const broadcast_shape& size, per which, const map& apply,
                         const launch_options& options) {
  constexpr std::string_view primitive = "broadcast";
  const call_site site = site_of(queue, primitive);
  broadcast_question q{in.type, vector.type, out.type, &apply, size,
                       which,   {},          {},       {},     site.on.facts->compute_units.value_or(1)};
  if (q.size.in_row == 0) q.size.in_row = size.columns;
  if (q.size.out_row == 0) q.size.out_row = size.columns;
  check_broadcast(q);
  check_aligned(site, in, access::reads, primitive, "the input");
  check_aligned(site, vector, access::reads, primitive, "the vector");
  check_aligned(site, out, access::writes, primitive, "the output");
  const std::uint64_t in_extent =
      extent_of_matrix(size.rows, size.columns, q.size.in_row, in.type->size, "the input");
  const std::uint64_t out_extent =
      extent_of_matrix(size.rows, size.columns, q.size.out_row, out.type->size, "the output");
  if (in_extent > in.n || out_extent > out.n)
    refuse(primitive, "the matrices need " + std::to_string(in_extent) + " elements of the input and " +
                          std::to_string(out_extent) + " of the output; they have " + std::to_string(in.n) +
                          " and " + std::to_string(out.n));
  const std::size_t values = which == per::row ? size.rows : size.columns;
  if (vector.n != values)
    refuse(primitive, "the vector has " + std::to_string(vector.n) + " elements, the matrix " +
                          std::to_string(values) + (which == per::row ? " rows" : " columns"));
  const operand from{in.buffer, static_cast<std::size_t>(in_extent), in.offset, in.type};
  const operand to{out.buffer, static_cast<std::size_t>(out_extent), out.offset, out.type};
  if (!in_place(from, to) || (size.rows > 1 && q.size.in_row != q.size.out_row))
    check_disjoint(from, to, primitive, "the input's and the output's matrices");
  check_disjoint(vector, to, primitive, "the vector and the output");
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  if (in_extent == 0) return nothing_after(site, after, options.with_event);

  q.in_place = place_of(from);
  q.vector_place = place_of(vector);
  q.out_place = place_of(to);
  const auto [shape, code] = fit(
      site, [&](const target& on) { return shape_broadcast(q, on); },
      [&](const transform_shape& s) { return key_broadcast(q, s); },
      [&](const transform_shape& s) { return spec_broadcast(q, s); },
      [&](const transform_shape&) { return std::array<std::string_view, 2>{primitive}; });
  arguments with;
  with.add(in.buffer).add(std::uint64_t{in.offset}).add(std::uint64_t{q.size.in_row});
  with.add(vector.buffer).add(std::uint64_t{vector.offset});
  with.add(out.buffer).add(std::uint64_t{out.offset}).add(std::uint64_t{q.size.out_row});
  with.add(std::uint64_t{size.rows}).add(std::uint64_t{size.columns}).add(shape.tile_width);
  return launch(site, *code, "broadcast", shape.groups, shape.group_size, with, after, options.with_event);
}

}  // namespace clwave::detail
