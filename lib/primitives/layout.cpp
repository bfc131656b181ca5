// aos_to_soa, soa_to_aos and their blocks: checks, plan, launch.
#include <clwave/layout.hpp>

#include <algorithm>

#include "call/call.hpp"
#include "call/launch.hpp"
#include "call/operands.hpp"
#include "primitives/layout_plan.hpp"

namespace clwave {
namespace {

constexpr std::string_view primitive = "layout";

event move(const call_site& site, const detail::operand& structures, const layout_question& q,
           const std::vector<cl_mem>& buffers, std::span<const cl_event> after, bool wanted) {
  const std::string_view kernel = q.to_soa ? "aos_to_soa" : "soa_to_aos";
  const auto [shape, code] = fit(
      site, [&](const target& on) { return shape_layout(q, on); },
      [&](const layout_shape& s) { return key_layout(q, s); },
      [&](const layout_shape& s) { return spec_layout(q, s); },
      [&](const layout_shape&) { return std::array<std::string_view, 2>{kernel}; });
  arguments with;
  with.add(structures.buffer).add(std::uint64_t{structures.offset}).add(q.n);
  alignas(128) std::array<std::uint64_t, most_fields> starts{};
  std::ranges::transform(q.places, starts.begin(), &field_place::at);
  with.add(starts);
  for (const cl_mem buffer : buffers) with.add(buffer);
  return launch(site, *code, kernel, shape.groups, shape.group_size, with, after, wanted);
}

unsigned units_of(const call_site& site) { return site.on.facts->compute_units.value_or(1); }

// The structures' number. Throws bad_call where the layout is another structure's.
std::uint64_t count_of(const detail::operand& structures, std::size_t structure_size, const layout& fields) {
  check_layout(fields);
  if (fields.size != structure_size)
    refuse(primitive, "the layout is of structures of " + std::to_string(fields.size) +
                          " bytes, the view's have " + std::to_string(structure_size));
  return structures.n / structure_size;
}

}  // namespace

std::size_t aosoa_bytes(const layout& fields, std::size_t n, std::size_t block) {
  check_layout(fields);
  if (block == 0) refuse(primitive, "a block has one structure at least");
  const auto bytes = bytes_in_blocks(fields, n, block);
  if (!bytes) refuse(primitive, "the blocks have more bytes than 63 bits can count");
  return static_cast<std::size_t>(*bytes);
}

namespace detail {

event move_fields(cl_command_queue queue, const operand& structures, std::size_t structure_size,
                  const layout& fields, const std::vector<soa_field>& arrays, bool to_soa,
                  const launch_options& options) {
  const call_site site = site_of(queue, primitive);
  const std::uint64_t n = count_of(structures, structure_size, fields);
  if (arrays.size() != fields.fields.size())
    refuse(primitive, "the layout has " + std::to_string(fields.fields.size()) + " fields, but " +
                          std::to_string(arrays.size()) + " arrays were given");
  const access structures_use = to_soa ? access::reads : access::writes;
  const access arrays_use = to_soa ? access::writes : access::reads;
  layout_question q{&fields, {},
                    0,       n,
                    0,       check_operand(site, structures, structures_use, primitive, "the structures"),
                    to_soa,  units_of(site)};
  std::vector<cl_mem> buffers;
  std::vector<operand> used;
  for (std::size_t f = 0; f < arrays.size(); ++f) {
    const std::string name = "array " + std::to_string(f);
    operand values = arrays[f].bytes();
    const std::uint64_t size = fields.fields[f].size;
    if (arrays[f].element_size() != size)
      refuse(primitive, name + " has elements of " + std::to_string(arrays[f].element_size()) +
                            " bytes, the field has " + std::to_string(size));
    if (values.n / size < n)
      refuse(primitive, name + " has " + std::to_string(values.n / size) + " elements for " +
                            std::to_string(n) + " structures");
    values.n = static_cast<std::size_t>(n * size);
    const std::size_t alignment = check_operand(site, values, arrays_use, primitive, name);
    check_disjoint(structures, values, primitive, "the structures and " + name);
    for (const operand& other : used) {
      if (to_soa) check_disjoint(other, values, primitive, name + " and one before it");
    }
    used.push_back(values);
    const auto known = std::ranges::find(buffers, values.buffer);
    const auto place = static_cast<unsigned>(known - buffers.begin());
    if (known == buffers.end()) buffers.push_back(values.buffer);
    q.places.push_back({place, values.offset, alignment});
  }
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  if (n == 0) return nothing_after(site, after, options.with_event);
  if (buffers.size() > most_arrays)
    refuse(primitive, "the arrays lie in " + std::to_string(buffers.size()) + " buffers; one launch takes 8",
           "place several arrays in one buffer, at offsets");
  q.arrays = static_cast<unsigned>(buffers.size());
  return move(site, structures, q, buffers, after, options.with_event);
}

event move_blocks(cl_command_queue queue, const operand& structures, std::size_t structure_size,
                  const layout& fields, const operand& blocks, std::size_t block, bool to_soa,
                  const launch_options& options) {
  const call_site site = site_of(queue, primitive);
  const std::uint64_t n = count_of(structures, structure_size, fields);
  if (block == 0) refuse(primitive, "a block has one structure at least");
  const auto bytes = bytes_in_blocks(fields, n, block);
  if (!bytes || *bytes > blocks.n)
    refuse(primitive, "the blocks' view has " + std::to_string(blocks.n) + " bytes; it needs " +
                          (bytes ? std::to_string(*bytes) : "more than 63 bits can count"));
  const operand used{blocks.buffer, static_cast<std::size_t>(*bytes), blocks.offset, blocks.type};
  const std::size_t alignment =
      check_operand(site, structures, to_soa ? access::reads : access::writes, primitive, "the structures");
  const std::size_t blocks_alignment =
      check_operand(site, used, to_soa ? access::writes : access::reads, primitive, "the blocks");
  check_disjoint(structures, used, primitive, "the structures and the blocks");
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  if (n == 0) return nothing_after(site, after, options.with_event);
  const layout_question q =
      blocks_question(fields, n, block, used.offset, blocks_alignment, alignment, to_soa, units_of(site));
  return move(site, structures, q, {used.buffer}, after, options.with_event);
}

}  // namespace detail
}  // namespace clwave
