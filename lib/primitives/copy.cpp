// copy and fill: checks, plan, launch.
#include <clwave/copy.hpp>

#include <cstdint>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/launch.hpp"
#include "call/operands.hpp"
#include "primitives/copy_plan.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "copy";

unsigned units_of(const call_site& site) { return site.on.facts->compute_units.value_or(1); }

std::array<std::string_view, 2> kernels_of(const copy_shape& shape) { return {shape.kernel}; }

event move_bytes(const call_site& site, const operand& in, const operand& out, const copy_question& q,
                 std::uint64_t bytes, std::span<const cl_event> after, bool wanted) {
  const auto [shape, code] = fit(
      site, [&](const target& on) { return shape_copy(q, on); }, key_move, spec_move, kernels_of);
  arguments with;
  with.add(in.buffer).add(std::uint64_t{in.offset} * in.type->size);
  with.add(out.buffer).add(std::uint64_t{out.offset} * out.type->size).add(bytes);
  return launch(site, *code, shape.kernel, shape.groups, shape.group_size, with, after, wanted);
}

}  // namespace

event copy_elements(cl_command_queue queue, const operand& in, const operand& out,
                    const copy_options& options) {
  const call_site site = site_of(queue, primitive);
  const std::size_t in_alignment = check_operand(site, in, access::reads, primitive, "the input");
  const std::size_t out_alignment = check_operand(site, out, access::writes, primitive, "the output");
  check_copy(*in.type, *out.type);
  if (in.n != out.n)
    refuse(primitive,
           "the input has " + std::to_string(in.n) + " elements, the output " + std::to_string(out.n));
  check_disjoint(in, out, primitive, "the input and the output");
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  if (in.n == 0) return nothing_after(site, after, options.with_event);

  const copy_question q{in.type, out.type,     options.saturate, options.round,
                        in.n,    place_of(in), place_of(out),    units_of(site)};
  if (!converts(q))
    return move_bytes(site, in, out, q, std::uint64_t{in.n} * in.type->size, after, options.with_event);

  if (in_alignment < in.type->size / in.type->components ||
      out_alignment < out.type->size / out.type->components)
    refuse(primitive, "a converting copy takes views aligned to their element types",
           "the memory given by CL_MEM_USE_HOST_PTR starts between two elements");
  const auto [shape, code] = fit(
      site, [&](const target& on) { return shape_copy(q, on); },
      [&](const copy_shape& s) { return key_copy(q, s); },
      [&](const copy_shape& s) { return spec_copy(q, s); }, kernels_of);
  const std::uint64_t components = in.type->components;
  arguments with;
  with.add(in.buffer).add(in.offset * components).add(out.buffer).add(out.offset * components);
  with.add(in.n * components);
  return launch(site, *code, shape.kernel, shape.groups, shape.group_size, with, after, options.with_event);
}

event copy_box(cl_command_queue queue, const operand& in, const operand& out, const box& size,
               const pitches& in_pitches, const pitches& out_pitches, const launch_options& options) {
  const call_site site = site_of(queue, primitive);
  check_copy(*in.type, *out.type);
  if (in.type->opencl_name != out.type->opencl_name)
    refuse(primitive,
           "a box is copied between views of the same type, not " + in.type->name + " to " + out.type->name,
           "convert with a copy of its own");
  check_operand(site, in, access::reads, primitive, "the input");
  check_operand(site, out, access::writes, primitive, "the output");
  const std::uint64_t in_extent = extent_of_box(size, in_pitches, in.type->size, "the input");
  const std::uint64_t out_extent = extent_of_box(size, out_pitches, out.type->size, "the output");
  if (in_extent > in.n || out_extent > out.n)
    refuse(primitive, "the box needs " + std::to_string(in_extent) + " elements of the input and " +
                          std::to_string(out_extent) + " of the output; they have " + std::to_string(in.n) +
                          " and " + std::to_string(out.n));
  const operand from{in.buffer, static_cast<std::size_t>(in_extent), in.offset, in.type};
  const operand to{out.buffer, static_cast<std::size_t>(out_extent), out.offset, out.type};
  check_disjoint(from, to, primitive, "the input's and the output's boxes");
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  if (in_extent == 0) return nothing_after(site, after, options.with_event);

  const box_question q{in.type, size, in_pitches, out_pitches, place_of(from), place_of(to), units_of(site)};
  const plain_box plain = simplify(q);
  if (plain.is_flat())
    return move_bytes(site, from, to, flat_question(q, plain), plain.width, after, options.with_event);
  const auto [shape, code] = fit(
      site, [&](const target& on) { return shape_box(q, plain, on); },
      [](const box_shape& s) { return key_move(s.launch); },
      [](const box_shape& s) { return spec_move(s.launch); },
      [](const box_shape& s) { return kernels_of(s.launch); });
  const copy_shape& numbers = shape.launch;
  arguments with;
  with.add(in.buffer).add(std::uint64_t{in.offset} * in.type->size).add(plain.in_row).add(plain.in_slice);
  with.add(out.buffer)
      .add(std::uint64_t{out.offset} * out.type->size)
      .add(plain.out_row)
      .add(plain.out_slice);
  with.add(shape.width).add(plain.height).add(plain.height * plain.depth);
  with.add(shape.tile_width).add(shape.along_rows);
  return launch(site, *code, numbers.kernel, numbers.groups, numbers.group_size, with, after,
                options.with_event);
}

event fill_elements(cl_command_queue queue, const operand& out, const void* value,
                    const launch_options& options) {
  const call_site site = site_of(queue, "fill");
  check_operand(site, out, access::writes, "fill", "the output");
  check_copy(*out.type, *out.type);
  const std::span<const cl_event> after = check_events(site, options.after, "fill");
  if (out.n == 0) return nothing_after(site, after, options.with_event);

  const fill_question q{out.type, out.n, units_of(site)};
  const auto [shape, code] = fit(
      site, [&](const target& on) { return shape_fill(q, on); }, key_fill, spec_fill, kernels_of);
  const fill_pattern pattern = repeat(value, out.type->size);
  arguments with;
  with.add(out.buffer)
      .add(std::uint64_t{out.offset} * out.type->size)
      .add(std::uint64_t{out.n} * out.type->size);
  with.add(pattern.period);
  for (std::size_t part = 0; part < 3; ++part) with.add_bytes(pattern.table.data() + 64 * part, 64);
  return launch(site, *code, shape.kernel, shape.groups, shape.group_size, with, after, options.with_event);
}

}  // namespace clwave::detail
