// Turns a structure's description into the words and texts of a program, and a number of structures into
// groups.
#include "primitives/layout_plan.hpp"

#include <algorithm>
#include <bit>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/call.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave {
namespace {

constexpr std::string_view primitive = "layout";

// A block holds the others' bytes too.
std::uint64_t block_bytes(const layout_question& q) { return q.block * packed_size(*q.fields); }

// Bytes of a structure that belong to no field, in order.
std::vector<field> spans_of(const layout& fields) {
  std::vector<field> sorted = fields.fields;
  std::ranges::sort(sorted, {}, &field::offset);
  std::vector<field> spans;
  std::size_t at = 0;
  for (const field& f : sorted) {
    if (f.offset > at) spans.push_back({f.offset - at, at});
    at = f.offset + f.size;
  }
  if (at < fields.size) spans.push_back({fields.size - at, at});
  return spans;
}

}  // namespace

void check_layout(const layout& fields) {
  if (fields.size == 0 || fields.size > 1024)
    refuse(primitive, "structures have 1 to 1024 bytes, not " + std::to_string(fields.size));
  if (fields.fields.empty() || fields.fields.size() > most_fields)
    refuse(primitive, "1 to 16 fields are moved, not " + std::to_string(fields.fields.size()));
  std::vector<field> sorted = fields.fields;
  std::ranges::sort(sorted, {}, &field::offset);
  std::size_t at = 0;
  for (const field& f : sorted) {
    const std::string name =
        "the field of " + std::to_string(f.size) + " bytes at byte " + std::to_string(f.offset);
    if (f.size == 0 || f.size > 16) refuse(primitive, name + " is none of 1 to 16 bytes");
    if (f.offset > fields.size || f.size > fields.size - f.offset)
      refuse(primitive, name + " ends past the structure's " + std::to_string(fields.size));
    if (f.offset < at) refuse(primitive, name + " overlaps the one before");
    at = f.offset + f.size;
  }
}

std::uint64_t packed_size(const layout& fields) {
  std::uint64_t bytes = 0;
  for (const field& f : fields.fields) bytes += f.size;
  return bytes;
}

std::optional<std::uint64_t> bytes_in_blocks(const layout& fields, std::uint64_t n, std::uint64_t block) {
  if (n == 0) return 0;
  const std::uint64_t blocks = (n - 1) / block + 1;
  const auto structures = checked_product(blocks, block);
  return structures ? checked_product(*structures, packed_size(fields)) : std::nullopt;
}

layout_question blocks_question(const layout& fields, std::uint64_t n, std::uint64_t block,
                                std::uint64_t offset, std::size_t blocks_alignment, std::size_t alignment,
                                bool to_soa, unsigned compute_units) {
  // One block for all is a structure of arrays in one buffer.
  return {&fields,
          places_in_blocks(fields, block, offset, blocks_alignment),
          1,
          n,
          block >= n ? 0 : block,
          alignment,
          to_soa,
          compute_units};
}

std::vector<field_place> places_in_blocks(const layout& fields, std::uint64_t block, std::uint64_t offset,
                                          std::size_t alignment) {
  std::vector<field_place> places;
  std::uint64_t before = 0;
  for (const field& f : fields.fields) {
    const std::uint64_t start = block * before;
    places.push_back({0, offset + start, static_cast<std::size_t>(low_bit(start | alignment))});
    before += f.size;
  }
  return places;
}

layout_shape shape_layout(const layout_question& q, const target& on) {
  layout_shape shape;
  const tuning& tuned = layout_tuning(*on.choice.row);
  const std::uint64_t stride = q.fields->size;
  const unsigned group = on.group_limit != 0 ? std::min(tuned.group_size, on.group_limit) : tuned.group_size;
  std::uint64_t wanted = std::uint64_t{group} * std::max(tuned.items, 1u) * tuned.vector_bytes;
  if (!is_cpu(on))
    wanted = std::min(
        wanted, on.facts != nullptr ? on.facts->local_memory.value_or(usual_local_bytes) : usual_local_bytes);
  shape.tile = static_cast<unsigned>(std::bit_floor(std::clamp<std::uint64_t>(wanted / stride, 16, 4096)));
  const std::uint64_t structures = low_bit(q.alignment | 16);
  // A tile is a multiple of 16 structures, and so of 16 bytes.
  shape.packet_bytes =
      static_cast<unsigned>(std::min<std::uint64_t>(structures, std::min(tuned.vector_bytes, 16u)));
  for (std::size_t f = 0; f < q.fields->fields.size(); ++f) {
    const field& one = q.fields->fields[f];
    std::uint64_t values = q.places[f].alignment;
    if (q.block != 0) values = low_bit(values | block_bytes(q));
    shape.units[f] =
        static_cast<unsigned>(low_bit(one.size | one.offset | stride | structures | values | 16));
    const bool is_short = one.size < 4 && one.size == shape.units[f];
    const std::uint64_t run = 4 / std::min<std::uint64_t>(one.size, 4);
    shape.runs[f] = static_cast<unsigned>(
        is_short && !is_cpu(on) && values >= 4 && (q.block == 0 || q.block % run == 0) ? run : 1);
  }
  if (is_cpu(on)) {
    const std::uint64_t most = std::uint64_t{q.compute_units} * tuned.groups_per_unit;
    shape.groups = std::clamp<std::uint64_t>(q.n / shape.tile, 1, std::max<std::uint64_t>(most, 1));
    return shape;
  }
  shape.group_size = group_size_within(on, std::min(tuned.group_size, shape.tile));
  shape.groups = q.n / shape.tile + (q.n % shape.tile != 0);
  if (shape.groups > most_groups) refuse(primitive, "more structures than one launch can move");
  return shape;
}

layout_variant variant_of(const layout_question& q, const layout_shape& shape) {
  layout_variant v{q.fields,         {},         q.arrays,           q.block,     q.to_soa,
                   shape.group_size, shape.tile, shape.packet_bytes, shape.units, shape.runs};
  for (std::size_t f = 0; f < q.places.size(); ++f) v.array_of[f] = q.places[f].array;
  return v;
}

program_spec spec_layout(const layout_variant& v) {
  program_spec spec;
  spec.primitive = primitive;
  spec.types = "structures of " + std::to_string(v.fields->size) + " bytes";
  const auto word = [&spec](std::string name, std::uint64_t number) {
    spec.words.emplace_back(std::move(name), std::to_string(number));
  };
  word("GROUP_SIZE", v.group_size);
  word("TILE", v.tile);
  word("STRIDE", v.fields->size);
  word("PACKET_BYTES", v.packet_bytes);
  if (v.to_soa) word("TO_SOA", 1);
  if (v.block != 0) {
    word("BLOCK", v.block);
    word("BLOCK_BYTES", v.block * packed_size(*v.fields));
  }
  std::string planes = "ulong16 at";
  for (unsigned a = 0; a < v.arrays; ++a)
    planes += std::string(v.to_soa ? ", __global uchar *" : ", const __global uchar *") + "plane_" +
              std::to_string(a);
  std::string fields;
  for (std::size_t f = 0; f < v.fields->fields.size(); ++f) {
    const field& one = v.fields->fields[f];
    fields += "X(" + std::to_string(one.size) + ", " + std::to_string(one.offset) + ", " +
              std::to_string(v.units[f]) + ", " + std::to_string(v.runs[f]) + ", plane_" +
              std::to_string(v.array_of[f]) + " + at.s" + "0123456789abcdef"[f] + ") ";
  }
  spec.texts.emplace_back("PLANES", planes);
  spec.texts.emplace_back("FIELDS(X)", fields);
  std::string spans;
  for (const field& s : spans_of(*v.fields))
    spans += "X(" + std::to_string(s.offset) + ", " + std::to_string(s.size) + ") ";
  if (!v.to_soa && !spans.empty()) spec.texts.emplace_back("SPANS(X)", spans);
  return spec;
}

call_plan plan_layout(const plan_target& on, const layout& fields, std::uint64_t n, bool to_soa,
                      std::uint64_t block) {
  check_layout(fields);
  const target built = target_of(on);
  const unsigned units =
      on.facts != nullptr ? on.facts->compute_units.value_or(1) : std::max(on.compute_units, 1u);
  const counting arrays{primitive, "the arrays"};
  const std::uint64_t structure_bytes = counting{primitive, "the structures"}.times(n, fields.size);
  layout_question q{&fields, {}, 1, n, 0, 128, to_soa, units};
  std::uint64_t array_bytes = 0;
  if (block != 0) {
    array_bytes = aosoa_bytes(fields, n, block);
    if (n != 0) q = blocks_question(fields, n, block, 0, 128, 128, to_soa, units);
  }
  if (q.places.empty()) {
    // One after the other in one buffer, each from a multiple of 128 bytes on.
    for (const field& f : fields.fields) {
      const std::uint64_t at = arrays.plus(array_bytes, 127) / 128 * 128;
      q.places.push_back({0, at, 128});
      array_bytes = arrays.plus(at, arrays.times(n, f.size));
    }
  }
  const layout_shape shape = shape_layout(q, built);
  call_plan plan = plan_of(on, spec_layout(q, shape), n);
  plan.variant = std::string(to_soa ? "apart" : "together") + ", " + std::to_string(shape.tile) +
                 (is_cpu(built) ? " structures at a time, a loop for each field"
                                : " structures of a group in local memory, accesses of " +
                                      std::to_string(shape.packet_bytes) + " bytes to structures");
  if (n == 0) return plan;
  planned_kernel kernel{to_soa ? "aos_to_soa" : "soa_to_aos", shape.groups, shape.group_size, {}};
  kernel.arguments.push_back({"aos", to_soa ? "input" : "output", std::to_string(structure_bytes)});
  kernel.arguments.push_back({"aos_offset", "u64", "0"});
  kernel.arguments.push_back({"n", "u64", std::to_string(n)});
  std::string starts;
  for (std::size_t f = 0; f < most_fields; ++f)
    starts += (f == 0 ? "" : ",") + std::to_string(f < q.places.size() ? q.places[f].at : 0);
  kernel.arguments.push_back({"at", "u64x16", starts});
  kernel.arguments.push_back({"plane_0", to_soa ? "output" : "input", std::to_string(array_bytes)});
  kernel.local_bytes = is_cpu(built) ? 0 : (shape.tile * fields.size + 15) / 16 * 16;
  plan.kernels.push_back(std::move(kernel));
  return plan;
}

}  // namespace clwave
