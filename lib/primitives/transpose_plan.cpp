// Turns the sizes and pitches of matrices into tiles, accesses and groups.
#include "primitives/transpose_plan.hpp"

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

constexpr std::string_view primitive = "transpose";

// More tiles than these have never fitted a memory.
constexpr std::uint64_t most_launches = 256;

// A CPU's register and its cache's line.
constexpr unsigned line_bytes = 64;

// The power of two that every row's start on both sides is a multiple of, at most 128.
std::uint64_t common_alignment(const transpose_question& q) {
  const std::uint64_t bytes = q.type->size;
  std::uint64_t all = q.in_alignment | q.out_alignment | 128;
  if (q.size.rows > 1) all |= q.in.row * bytes;
  if (q.size.columns > 1) all |= q.out.row * bytes;
  if (q.size.batch > 1) all |= q.in.matrix * bytes | q.out.matrix * bytes;
  return low_bit(all);
}

// A row of 128 of the smallest elements fills a line of any memory.
constexpr std::uint64_t most_tile_columns = 128;
constexpr std::uint64_t most_tile_rows = 64;

// A block that a work-item turns over: packets, one below the other, of so many elements. As many as are
// wanted in flight, but no more than make a packet of each column. No rows: elements of that size are none
// a packet is made of.
struct block {
  unsigned rows = 0, columns = 0;
};
block block_of(std::uint64_t bytes, std::uint64_t packet, unsigned items) {
  if (!std::has_single_bit(bytes) || bytes > 8 || packet < 4 || packet <= bytes) return {};
  const auto columns = static_cast<unsigned>(packet / bytes);
  const unsigned rows = std::min(columns, std::bit_floor(std::max(items, 1u)));
  return rows * bytes < 4 ? block{} : block{rows, columns};
}

unsigned packet_of(const transpose_question& q, const tuning& tuned) {
  return static_cast<unsigned>(
      std::min<std::uint64_t>(common_alignment(q), std::min(tuned.vector_bytes, 16u)));
}

// Of the kernels: bytes of local memory for a tile by elements, the larger of its two forms.
std::uint64_t tile_bytes(const transpose_shape& shape, std::uint64_t element_bytes) {
  return std::uint64_t{shape.tile_rows} * (shape.tile_columns + 1) * element_bytes;
}

// A tile of the profile's bytes, in the shape that the matrices have: flat ones get a flat tile.
void choose_tile(transpose_shape& shape, const transpose_question& q, const tuning& tuned, unsigned lanes,
                 std::uint64_t local_bytes) {
  const std::uint64_t bytes = q.type->size;
  const block turned = block_of(bytes, packet_of(q, tuned), tuned.items);
  std::uint64_t elements =
      std::uint64_t{tuned.group_size} * std::max(tuned.items, 1u) * tuned.vector_bytes / bytes;
  // One block a work-item: two took more registers than their loads in flight were worth.
  if (turned.rows != 0)
    elements =
        std::min<std::uint64_t>(elements, std::uint64_t{tuned.group_size} * turned.rows * turned.columns);
  const unsigned bits = static_cast<unsigned>(
      std::bit_width(std::clamp<std::uint64_t>(elements, 64, most_tile_rows * most_tile_columns)) - 1);
  shape.tile_rows = 1u << bits / 2;
  if (q.in_place) {
    shape.tile_columns = shape.tile_rows;
    while (shape.tile_rows > 8 && 2 * tile_bytes(shape, bytes) > local_bytes)
      shape.tile_columns = shape.tile_rows /= 2;
    return;
  }
  shape.tile_columns = 1u << (bits - bits / 2);
  if (turned.rows == 0) {
    // By elements, the input's rows need no more than a line, and the output's are the better the longer.
    // (H200, floats, rows at odd places: tiles of 128x32 3560 GB/s, of 64x32 3510, of 64x64 3140.)
    shape.tile_columns = std::max(32u, static_cast<unsigned>(128 / std::bit_ceil(bytes)));
    shape.tile_rows = std::max(1u << bits, 16 * shape.tile_columns) / shape.tile_columns;
  }
  while (shape.tile_rows > 16 && tile_bytes(shape, bytes) > local_bytes) {
    shape.tile_rows /= 2;
    shape.tile_columns = std::min(shape.tile_columns, 2 * shape.tile_rows);
  }
  while (shape.tile_rows > 2 && q.size.rows <= shape.tile_rows / 2) {
    shape.tile_rows /= 2;
    if (q.size.columns > shape.tile_columns) shape.tile_columns *= 2;
  }
  while (shape.tile_columns > 2 && q.size.columns <= shape.tile_columns / 2) {
    shape.tile_columns /= 2;
    // A row of the tile has one element more in local memory: narrow ones take up to half as much again.
    if (q.size.rows > shape.tile_rows && 2 * tile_bytes(shape, bytes) <= local_bytes) shape.tile_rows *= 2;
  }
  while (shape.tile_rows * shape.tile_columns < lanes) shape.tile_columns *= 2;
}

// Packets and blocks for whole tiles, where rows are aligned for them.
void choose_packets(transpose_shape& shape, const transpose_question& q, const tuning& tuned,
                    unsigned lanes) {
  const auto bytes = static_cast<unsigned>(q.type->size);
  const unsigned packet = packet_of(q, tuned);
  const block turned = block_of(bytes, packet, tuned.items);
  if (turned.rows == 0 || shape.tile_rows % turned.rows != 0 || shape.tile_rows * bytes < packet ||
      shape.tile_columns < turned.columns)
    return;
  const unsigned blocks = shape.tile_columns / turned.columns * (shape.tile_rows / turned.rows);
  if (blocks < lanes) return;
  shape.packet_bytes = packet;
  shape.block_rows = turned.rows;
  shape.group_size = std::min(shape.group_size, blocks);
}

}  // namespace

void check_transpose(const element& in, const element& out) {
  const auto no = [&](std::string_view message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(primitive),
                 .types = in.name + " to " + out.name,
                 .advice = std::string(advice)});
  };
  if (in.opencl_name != out.opencl_name || in.size != out.size)
    no("matrices are transposed to their own type", "convert with a copy");
  if (in.size == 0 || in.size > 32) no("elements have 1 to 32 bytes");
}

matrix_steps steps_of(std::uint64_t rows, std::uint64_t columns, std::uint64_t batch, const pitches& given,
                      std::uint64_t element_bytes, std::string_view what) {
  if (rows == 0 || columns == 0 || batch == 0) return {};
  const std::string name(what);
  const counting count{primitive, what};
  matrix_steps steps;
  steps.row = given.row != 0 ? given.row : columns;
  steps.matrix = given.slice != 0 ? given.slice : batch > 1 ? count.times(steps.row, rows) : 0;
  if (rows > 1 && steps.row < columns)
    refuse(primitive, name + "'s rows overlap: its row pitch is less than its columns");
  const std::uint64_t one = count.plus(count.times(rows - 1, steps.row), columns);
  steps.extent = count.plus(one, count.times(batch - 1, steps.matrix));
  // A pitch that is never stepped by is handed to the kernel all the same.
  for (const std::uint64_t elements : {steps.extent, steps.row, steps.matrix})
    count.times(elements, element_bytes);
  if (batch > 1 && steps.matrix < one) {
    // Side by side in longer rows, then.
    const std::uint64_t across = count.plus(count.times(batch - 1, steps.matrix), columns);
    if (steps.matrix < columns || steps.row < across)
      refuse(
          primitive, name + "'s matrices overlap",
          "give a slice pitch of a matrix's rows, or place them side by side in rows that are long enough");
  }
  return steps;
}

bool is_nothing(const transpose_question& q) { return q.in.extent == 0 || (q.in_place && q.size.rows <= 1); }

box_question copied_box(const transpose_question& q) {
  return {*q.type,
          *q.type,
          {.width = q.size.rows * q.size.columns, .height = q.size.batch},
          {.row = static_cast<std::size_t>(q.in.matrix)},
          {.row = static_cast<std::size_t>(q.out.matrix)}};
}

bool is_copy(const transpose_question& q) {
  if (q.in_place) return false;
  // Boxes cannot have their rows side by side in one another, but these have one row or one column.
  const std::uint64_t width = std::max(q.size.rows, q.size.columns);
  const bool apart = q.size.batch == 1 || (q.in.matrix >= width && q.out.matrix >= width);
  if (q.size.rows == 1) return apart && (q.size.columns == 1 || q.out.row == 1);
  return apart && q.size.columns == 1 && q.in.row == 1;
}

transpose_shape shape_transpose(const transpose_question& q, const target& on) {
  transpose_shape shape;
  const std::uint64_t bytes = q.type->size;
  const tuning& tuned = transpose_tuning(*on.choice.row);
  shape.kernel = q.in_place ? "transpose_in_place" : "transpose";
  shape.in_place = q.in_place;
  const std::uint64_t alignment = common_alignment(q);
  shape.unit_bytes = static_cast<unsigned>(std::min<std::uint64_t>({low_bit(bytes), alignment, 16}));

  if (is_cpu(on)) {
    // SIDE of the kernels.
    const bool wide = shape.unit_bytes == bytes && bytes <= 8;
    const unsigned side = !wide ? 4 : bytes == 8 ? 8 : 16;
    shape.tile_rows = shape.tile_columns = side;
    if (!q.in_place) {
      shape.tile_rows =
          std::max(side, tuned.items * line_bytes / static_cast<unsigned>(std::bit_ceil(bytes)));
      shape.tile_columns = shape.tile_rows;
      const std::uint64_t cache = on.facts != nullptr
                                      ? on.facts->global_cache.value_or((std::uint64_t{16} << 20))
                                      : (std::uint64_t{16} << 20);
      shape.streaming = wide && side * bytes == line_bytes && alignment >= line_bytes &&
                        q.size.rows * q.size.columns * q.size.batch > cache / 2 / bytes;
    }
  } else {
    const std::uint64_t local =
        on.facts != nullptr ? on.facts->local_memory.value_or(usual_local_bytes) : usual_local_bytes;
    const unsigned most = group_size_within(on, tuned.group_size);
    choose_tile(shape, q, tuned, on.choice.lanes, local);
    shape.group_size = std::min(most, std::bit_floor(shape.tile_rows * shape.tile_columns));
    choose_packets(shape, q, tuned, on.choice.lanes);
    shape.group_size = std::max(shape.group_size, on.choice.lanes);
  }

  const std::uint64_t down = blocks_of(q.size.rows, shape.tile_rows);
  const std::uint64_t across = blocks_of(q.size.columns, shape.tile_columns);
  shape.tiles = q.size.batch * down * (q.in_place ? down / 2 + 1 : across);
  if (is_cpu(on)) {
    const std::uint64_t most = std::uint64_t{q.compute_units} * tuned.groups_per_unit;
    shape.groups = std::clamp<std::uint64_t>(shape.tiles, 1, std::max<std::uint64_t>(most, 1));
  } else {
    shape.groups = std::min(shape.tiles, most_groups);
    if (shape.tiles > most_launches * most_groups)
      refuse(primitive, "more tiles than " + std::to_string(most_launches) + " launches can take",
             "divide the batch into several calls");
  }
  return shape;
}

void for_each_launch(const transpose_shape& shape,
                     const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& launch) {
  if (shape.group_size == 1) return launch(0, shape.tiles, shape.groups);
  for (std::uint64_t first = 0; first < shape.tiles; first += most_groups) {
    const std::uint64_t tiles = std::min(shape.tiles - first, most_groups);
    launch(first, tiles, tiles);
  }
}

program_spec spec_transpose(const transpose_variant& v) {
  program_spec spec;
  spec.primitive = primitive;
  spec.types = std::to_string(v.element_bytes) + " bytes";
  const auto word = [&spec](std::string name, std::uint64_t number) {
    spec.words.emplace_back(std::move(name), std::to_string(number));
  };
  word("GROUP_SIZE", v.group_size);
  word("ELEMENT_BYTES", v.element_bytes);
  word("UNIT_BYTES", v.unit_bytes);
  word("TILE_ROWS", v.tile_rows);
  word("TILE_COLUMNS", v.tile_columns);
  if (v.packet_bytes != 0) {
    word("PACKET_BYTES", v.packet_bytes);
    word("BLOCK_ROWS", v.block_rows);
  }
  if (v.in_place) word("IN_PLACE", 1);
  if (v.streaming) {
    word("STREAMING", 1);
    word("VECTOR_BYTES", line_bytes);
  }
  return spec;
}

call_plan plan_transpose(const plan_target& on, const element& type, const matrices& size,
                         const pitches& in_pitches, const pitches& out_pitches, bool in_place,
                         std::uint64_t in_offset, std::uint64_t out_offset) {
  check_transpose(type, type);
  if (in_place && size.rows != size.columns) refuse(primitive, "only squares are transposed in place");
  const target built = target_of(on);
  const auto alignment_of = [&](std::uint64_t offset) {
    return static_cast<std::size_t>(low_bit(offset * type.size | 128));
  };
  const unsigned units =
      on.facts != nullptr ? on.facts->compute_units.value_or(1) : std::max(on.compute_units, 1u);
  const matrix_steps in = steps_of(size.rows, size.columns, size.batch, in_pitches, type.size, "the input");
  const matrix_steps out =
      in_place ? in : steps_of(size.columns, size.rows, size.batch, out_pitches, type.size, "the output");
  const std::uint64_t in_bytes = counting{primitive, "the input"}.bytes(in_offset, in.extent, type.size);
  const std::uint64_t out_bytes =
      counting{primitive, "the output"}.bytes(in_place ? in_offset : out_offset, out.extent, type.size);
  const transpose_question q{
      &type,    size, in, out, alignment_of(in_offset), alignment_of(in_place ? in_offset : out_offset),
      in_place, units};
  const std::uint64_t n = in.extent == 0 ? 0 : std::uint64_t{size.rows} * size.columns * size.batch;
  if (!is_nothing(q) && is_copy(q)) {
    box_question copied = copied_box(q);
    copied.in = {type, in_offset};
    copied.out = {type, out_offset};
    call_plan plan = clwave::plan(copied, on);
    plan.variant = "one row or one column: a copy; " + plan.variant;
    return plan;
  }
  const transpose_shape shape = shape_transpose(q, built);
  call_plan plan = plan_of(on, spec_transpose(q, shape), n);
  const std::string tile = std::to_string(shape.tile_rows) + "x" + std::to_string(shape.tile_columns);
  const std::string unit = "accesses of " + std::to_string(shape.unit_bytes) + " bytes";
  if (is_cpu(built)) {
    plan.variant = "blocks in registers, tiles of " + tile;
    if (shape.streaming) plan.variant += ", stores past the caches";
  } else {
    plan.variant = "tiles of " + tile + " in local memory, ";
    plan.variant += shape.packet_bytes != 0
                        ? "accesses of " + std::to_string(shape.packet_bytes) + " bytes, blocks of " +
                              std::to_string(shape.block_rows) + "x" +
                              std::to_string(shape.packet_bytes / type.size) + " in registers"
                        : unit;
    if (shape.packet_bytes < 16 && shape.unit_bytes < 16) {
      const bool size_allows = std::has_single_bit(type.size);
      plan.rejected.push_back(
          {"accesses of 16 bytes", size_allows ? "the rows do not all start at multiples of 16 bytes"
                                               : "the element's size is no power of two"});
    }
  }
  if (in_place) plan.variant += ", in place";
  if (is_nothing(q)) return plan;

  const std::uint64_t bytes = type.size;
  planned_kernel kernel{std::string(shape.kernel), shape.groups, shape.group_size, {}};
  const auto scalar = [&kernel](std::string name, std::uint64_t value) {
    kernel.arguments.push_back({std::move(name), "u64", std::to_string(value)});
  };
  const auto side = [&](const std::string& name, const std::string& kind, const matrix_steps& steps,
                        std::uint64_t offset, std::uint64_t reach) {
    kernel.arguments.push_back({name, kind, std::to_string(reach)});
    scalar(name + "_offset", offset * bytes);
    scalar(name + "_row", steps.row * bytes);
    scalar(name + "_matrix", steps.matrix * bytes);
  };
  if (in_place) {
    side("square", "output", in, in_offset, in_bytes);
    scalar("n", size.rows);
  } else {
    side("in", "input", in, in_offset, in_bytes);
    side("out", "output", out, out_offset, out_bytes);
    scalar("rows", size.rows);
    scalar("columns", size.columns);
  }
  kernel.local_bytes = is_cpu(built) ? 0 : tile_bytes(shape, bytes) * (in_place ? 2 : 1);
  for_each_launch(shape, [&](std::uint64_t first, std::uint64_t tiles, std::uint64_t groups) {
    planned_kernel one = kernel;
    one.groups = groups;
    one.arguments.push_back({"first", "u64", std::to_string(first)});
    one.arguments.push_back({in_place ? "pairs" : "tiles", "u64", std::to_string(tiles)});
    plan.kernels.push_back(std::move(one));
  });
  return plan;
}

}  // namespace clwave
