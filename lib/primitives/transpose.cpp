// transpose and transpose_in_place: what a call is, and the entries.
#include "primitives/transpose.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/matrix_steps.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "primitives/copy.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// More tiles than these have never fitted a memory.
constexpr std::uint64_t most_launches = 256;

// A CPU's register and its cache's line.
constexpr unsigned line_bytes = 64, page_bytes = 4096;

// ------------------------------------------------------------------------------------------------ matrices

// A problem with its pitches resolved. In place, `out` is `in`.
struct transposed {
  const any_view *in, *out;
  const matrices* size;
  matrix_steps in_steps, out_steps;
  bool in_place;
};

// Throws bad_call for elements of no type, too large ones, or ones of two types.
void check_transposed_types(const any_view& from, const any_view& to) {
  check_typed(transpose_variant::primitive, {{"the input", from}, {"the output", to}});
  const element &in = *from.type, &out = *to.type;
  const auto no = [&](std::string_view message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(transpose_variant::primitive),
                 .types = in.name + " to " + out.name,
                 .advice = std::string(advice)});
  };
  if (in.opencl_name != out.opencl_name || in.size != out.size)
    no("matrices are transposed to their own type", "convert with a copy");
  if (in.size == 0 || in.size > 32) no("elements have 1 to 32 bytes");
}

// The size of the output, whose columns are the input's rows.
matrices turned(const matrices& size) { return {size.columns, size.rows, size.batch}; }

transposed resolved(const transpose_problem& q) {
  check_transposed_types(q.in, q.out);
  return {&q.in,
          &q.out,
          &q.size,
          steps_of(transpose_variant::primitive, q.size, q.in_pitches, *q.in.type, "the input"),
          steps_of(transpose_variant::primitive, turned(q.size), q.out_pitches, *q.out.type, "the output"),
          false};
}

// Resolves a problem of squares that are transposed in place.
matrix_steps steps_of_squares(const matrices& size, const pitches& given, const any_view& squares) {
  check_transposed_types(squares, squares);
  if (size.rows != size.columns)
    refuse(transpose_variant::primitive, "only squares are transposed in place, not " +
                                             std::to_string(size.rows) + " by " +
                                             std::to_string(size.columns));
  return steps_of(transpose_variant::primitive, size, given, *squares.type, "the input");
}

transposed resolved(const transpose_in_place_problem& q) {
  const matrix_steps steps = steps_of_squares(q.size, q.steps, q.squares);
  return {&q.squares, &q.squares, &q.size, steps, steps, true};
}

// Whether the elements only have to be copied: one row or one column, close together on both sides. The
// copy is of a box as wide as a matrix, with a matrix for each row.
bool is_copy(const matrices& size, const matrix_steps& in, const matrix_steps& out) {
  if (in.extent == 0) return false;
  // Boxes cannot have their rows side by side in one another, but these have one row or one column.
  const std::uint64_t width = std::max(size.rows, size.columns);
  const bool apart = size.batch == 1 || (in.matrix >= width && out.matrix >= width);
  if (size.rows == 1) return apart && (size.columns == 1 || out.row == 1);
  return apart && size.columns == 1 && in.row == 1;
}

// The copy that such a transpose is.
box_problem copied(const transpose_problem& q, const matrix_steps& in, const matrix_steps& out) {
  return {q.in,
          q.out,
          {.width = q.size.rows * q.size.columns, .height = q.size.batch},
          {.row = static_cast<std::size_t>(in.matrix)},
          {.row = static_cast<std::size_t>(out.matrix)}};
}

// The power of two that every row's start on both sides is a multiple of, at most 128.
std::uint64_t common_alignment(const transposed& q) {
  const std::uint64_t bytes = q.in->type->size;
  std::uint64_t all = q.in->alignment | q.out->alignment;
  if (q.size->rows > 1) all |= q.in_steps.row * bytes;
  if (q.size->columns > 1) all |= q.out_steps.row * bytes;
  if (q.size->batch > 1) all |= q.in_steps.matrix * bytes | q.out_steps.matrix * bytes;
  return low_bit(all);
}

// --------------------------------------------------------------------------------------- tiles and packets

// A row of 128 of the smallest elements fills a line of any memory.
constexpr std::uint64_t most_tile_columns = 128;
constexpr std::uint64_t most_tile_rows = 64;

// A block that a work-item transposes: packets, one below the other, of so many elements. As many as are
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

// Of elements that no access takes, the fewest that are whole words; 0: each is made of accesses as wide as
// they may be, or rows do not start at words.
unsigned block_side_of(const transposed& q) {
  const std::uint64_t bytes = q.in->type->size;
  if (std::has_single_bit(bytes) || low_bit(bytes) > 4 || common_alignment(q) < 4) return 0;
  return static_cast<unsigned>(4 / low_bit(bytes));
}

unsigned packet_of(const transposed& q, const tuning& tuned) {
  return static_cast<unsigned>(
      std::min<std::uint64_t>(common_alignment(q), std::min(tuned.vector_bytes, 16u)));
}

// The bytes of local memory that the kernels take for a tile by elements, in the larger of its two forms.
std::uint64_t tile_bytes(const transpose_variant& v, std::uint64_t element_bytes) {
  return std::uint64_t{v.tile_rows} * (v.tile_columns + 1) * element_bytes;
}

// Chooses a tile of the profile's bytes, in the shape that the matrices have: flat ones get a flat tile.
void choose_tile(transpose_variant& v, const transposed& q, const tuning& tuned, unsigned lanes,
                 std::uint64_t local_bytes) {
  const std::uint64_t bytes = q.in->type->size;
  const block turned = block_of(bytes, packet_of(q, tuned), tuned.items);
  std::uint64_t elements =
      std::uint64_t{tuned.group_size} * std::max(tuned.items, 1u) * tuned.vector_bytes / bytes;
  // One block a work-item: two took more registers than their loads in flight were worth.
  if (turned.rows != 0)
    elements =
        std::min<std::uint64_t>(elements, std::uint64_t{tuned.group_size} * turned.rows * turned.columns);
  const unsigned bits = static_cast<unsigned>(
      std::bit_width(std::clamp<std::uint64_t>(elements, 64, most_tile_rows * most_tile_columns)) - 1);
  v.tile_rows = 1u << bits / 2;
  if (q.in_place) {
    v.tile_columns = v.tile_rows;
    while (v.tile_rows > 8 && 2 * tile_bytes(v, bytes) > local_bytes) v.tile_columns = v.tile_rows /= 2;
    return;
  }
  v.tile_columns = 1u << (bits - bits / 2);
  if (turned.rows == 0) {
    // By elements, the input's rows need no more than a line, and the output's are the better the longer.
    // (H200, floats, rows at odd places: tiles of 128x32 3560 GB/s, of 64x32 3510, of 64x64 3140.)
    v.tile_columns = std::max(32u, static_cast<unsigned>(128 / std::bit_ceil(bytes)));
    v.tile_rows = std::max(1u << bits, 16 * v.tile_columns) / v.tile_columns;
  }
  if (block_side_of(q) != 0) {
    // Rows of 3 lines at most.
    v.tile_columns = std::bit_floor(static_cast<unsigned>(3 * line_bytes * 2 / bytes));
    v.tile_rows = most_tile_rows;
  }
  while (v.tile_rows > 16 && tile_bytes(v, bytes) > local_bytes) {
    v.tile_rows /= 2;
    v.tile_columns = std::min(v.tile_columns, 2 * v.tile_rows);
  }
  while (v.tile_rows > 2 && q.size->rows <= v.tile_rows / 2) {
    v.tile_rows /= 2;
    if (q.size->columns > v.tile_columns) v.tile_columns *= 2;
  }
  while (v.tile_columns > 2 && q.size->columns <= v.tile_columns / 2) {
    v.tile_columns /= 2;
    // A row of the tile has one element more in local memory: narrow ones take up to half as much again.
    if (q.size->rows > v.tile_rows && 2 * tile_bytes(v, bytes) <= local_bytes) v.tile_rows *= 2;
  }
  while (v.tile_rows * v.tile_columns < lanes) v.tile_columns *= 2;
}

// Packets and blocks for whole tiles, where rows are aligned for them.
void choose_packets(transpose_variant& v, const transposed& q, const tuning& tuned, unsigned lanes) {
  const auto bytes = static_cast<unsigned>(q.in->type->size);
  const unsigned packet = packet_of(q, tuned);
  const block turned = block_of(bytes, packet, tuned.items);
  if (turned.rows == 0 || v.tile_rows % turned.rows != 0 || v.tile_rows * bytes < packet ||
      v.tile_columns < turned.columns)
    return;
  const unsigned blocks = v.tile_columns / turned.columns * (v.tile_rows / turned.rows);
  if (blocks < lanes) return;
  v.packet_bytes = packet;
  v.block_rows = turned.rows;
  v.group_size = std::min(v.group_size, blocks);
}

// The same for elements that are read as words.
void choose_words(transpose_variant& v, const transposed& q, unsigned lanes) {
  const unsigned side = block_side_of(q);
  if (side == 0 || v.tile_rows % side != 0 || v.tile_columns % side != 0) return;
  const unsigned blocks = v.tile_columns / side * (v.tile_rows / side);
  if (blocks < lanes || v.tile_rows * v.element_bytes % 8 != 0) return;
  v.block_side = side;
  v.group_size = std::min(v.group_size, blocks);
}

// -------------------------------------------------------------------------------------------- description

struct side_names {
  const char *buffer, *offset, *row, *matrix;
};
constexpr side_names in_names{"in", "in_offset", "in_row", "in_matrix"};
constexpr side_names out_names{"out", "out_offset", "out_row", "out_matrix"};
constexpr side_names square_names{"square", "square_offset", "square_row", "square_matrix"};

// The arguments of one side; kernels count in bytes.
void add_side(described_launch& launch, const side_names& names, std::size_t operand, const any_view& lies,
              const matrix_steps& steps) {
  const std::uint64_t bytes = lies.type->size;
  launch.buffer(names.buffer, operand).value(names.offset, lies.offset * bytes);
  launch.value(names.row, steps.row * bytes).value(names.matrix, steps.matrix * bytes);
}

// Of a result, what is left in a CPU's caches. A column's lines come from the level that cores share one by
// one: so no more than cores have for themselves, a megabyte where no driver says.
std::uint64_t cached_bytes(const target& on) {
  constexpr std::uint64_t own = 1 << 20;
  return std::min(cache_bytes(on) / 2, own * on.compute_units);
}

transpose_variant variant_of(const transposed& q, const target& on, const tuning& tuned) {
  transpose_variant v;
  const std::uint64_t bytes = q.in->type->size;
  v.element_bytes = bytes;
  v.in_place = q.in_place;
  const std::uint64_t alignment = common_alignment(q);
  v.unit_bytes = static_cast<unsigned>(std::min<std::uint64_t>({low_bit(bytes), alignment, 16}));
  if (is_cpu(on)) {
    // SIDE of the kernels.
    const bool wide = v.unit_bytes == bytes;
    const unsigned side = !wide || bytes == 16 ? 4 : bytes == 8 ? 8 : 16;
    v.tile_rows = v.tile_columns = side;
    if (q.in_place) return v;
    v.streaming = wide && alignment >= line_bytes &&
                  q.size->rows * q.size->columns * q.size->batch > cached_bytes(on) / bytes;
    if (v.streaming) {
      // Loads wait for memory, and stores past the caches do not: so a few rows are read a page long, which
      // the device fetches ahead.
      v.tile_rows = (bytes < 4 ? 1 : 2) * line_bytes / static_cast<unsigned>(bytes);
      v.tile_columns = page_bytes / static_cast<unsigned>(bytes);
    } else {
      v.tile_rows = std::max(side, tuned.items * line_bytes / static_cast<unsigned>(std::bit_ceil(bytes)));
      v.tile_columns = v.tile_rows;
    }
    return v;
  }
  const std::uint64_t local =
      on.facts != nullptr ? on.facts->local_memory.value_or(usual_local_bytes) : usual_local_bytes;
  const unsigned most = group_size_within(on, tuned.group_size);
  choose_tile(v, q, tuned, on.choice.lanes, local);
  v.group_size = std::min(most, std::bit_floor(v.tile_rows * v.tile_columns));
  choose_packets(v, q, tuned, on.choice.lanes);
  choose_words(v, q, on.choice.lanes);
  v.group_size = std::max(v.group_size, on.choice.lanes);
  return v;
}

described<transpose_variant> describe(const transposed& q, const target& on) {
  const matrices& size = *q.size;
  const tuning& tuned = transpose_tuning(*on.choice.profile);
  described<transpose_variant> call{variant_of(q, on, tuned), {}};
  const transpose_variant& v = call.variant;
  call.work.n = q.in_steps.extent == 0 ? 0 : std::uint64_t{size.rows} * size.columns * size.batch;
  const auto reach = [](const any_view& each, const matrix_steps& steps, std::string_view what) {
    return counting{transpose_variant::primitive, what}.bytes(each.offset, steps.extent, each.type->size);
  };
  if (q.in_place) {
    call.work.operands = {{access::reads_and_writes, reach(*q.in, q.in_steps, "the input")}};
  } else {
    call.work.operands = {{access::reads, reach(*q.in, q.in_steps, "the input")},
                          {access::writes, reach(*q.out, q.out_steps, "the output")}};
  }
  // A square of one element is its own transpose.
  if (call.work.n == 0 || (q.in_place && size.rows == 1)) return call;

  const std::uint64_t down = blocks_of(size.rows, v.tile_rows);
  const std::uint64_t across = q.in_place ? down / 2 + 1 : blocks_of(size.columns, v.tile_columns);
  const std::uint64_t tiles = size.batch * down * across;  // in place: pairs of them
  if (!is_cpu(on) && tiles > most_launches * most_groups)
    refuse(transpose_variant::primitive,
           "more tiles than " + std::to_string(most_launches) + " launches can take",
           "divide the batch into several calls");
  const std::uint64_t cores =
      std::max<std::uint64_t>(std::uint64_t{on.compute_units} * tuned.groups_per_unit, 1);
  // A CPU's groups share all tiles. A GPU has a group for each, and launches enough for all.
  const std::uint64_t most_at_once = is_cpu(on) ? tiles : most_groups;
  for (std::uint64_t first = 0; first < tiles; first += most_at_once) {
    const std::uint64_t now = std::min(tiles - first, most_at_once);
    described_launch& launch = call.work.launch(q.in_place ? "transpose_in_place" : "transpose",
                                                is_cpu(on) ? std::min(now, cores) : now, v.group_size);
    if (q.in_place) {
      add_side(launch, square_names, 0, *q.in, q.in_steps);
      launch.value("n", std::uint64_t{size.rows}).value("first", first).value("pairs", now);
    } else {
      add_side(launch, in_names, 0, *q.in, q.in_steps);
      add_side(launch, out_names, 1, *q.out, q.out_steps);
      launch.value("rows", std::uint64_t{size.rows}).value("columns", std::uint64_t{size.columns});
      launch.value("first", first).value("tiles", now);
    }
    launch.local_bytes = is_cpu(on) ? 0 : tile_bytes(v, v.element_bytes) * (q.in_place ? 2 : 1);
  }
  return call;
}

told tell_of(const transpose_variant& v, const target& on) {
  told people;
  const std::string tile = std::to_string(v.tile_rows) + "x" + std::to_string(v.tile_columns);
  if (is_cpu(on)) {
    people.variant = "blocks in registers, tiles of " + tile;
    if (v.streaming) people.variant += ", stores past the caches";
  } else {
    people.variant = "tiles of " + tile + " in local memory, ";
    people.variant += v.packet_bytes != 0
                          ? "accesses of " + std::to_string(v.packet_bytes) + " bytes, blocks of " +
                                std::to_string(v.block_rows) + "x" +
                                std::to_string(v.packet_bytes / v.element_bytes) + " in registers"
                      : v.block_side != 0 ? "accesses of 4 bytes, blocks of " + std::to_string(v.block_side) +
                                                "x" + std::to_string(v.block_side) + " in registers"
                                          : "accesses of " + std::to_string(v.unit_bytes) + " bytes";
    if (v.packet_bytes < 16 && v.unit_bytes < 16)
      people.rejected.push_back(
          {"accesses of 16 bytes", std::has_single_bit(v.element_bytes)
                                       ? "the rows do not all start at multiples of 16 bytes"
                                       : "the element's size is no power of two"});
  }
  if (v.in_place) people.variant += ", in place";
  return people;
}

}  // namespace

program_spec spec_of(const transpose_variant& v) {
  program_spec spec;
  spec.primitive = transpose_variant::primitive;
  add_modules(spec, {"primitives/transpose.cl"});
  if (v.group_size == 1) {
    const bool in_registers = v.unit_bytes == v.element_bytes;
    add_modules(spec, {in_registers ? "primitives/transpose_blocks.cl" : "primitives/transpose_elements.cl",
                       "primitives/transpose_serial.cl"});
  } else {
    add_modules(spec, {"primitives/transpose_units.cl", "primitives/transpose_groups.cl"});
    if (v.packet_bytes != 0) add_modules(spec, {"primitives/transpose_packets.cl"});
    if (v.block_side != 0) add_modules(spec, {"primitives/transpose_words.cl"});
  }
  spec.types = std::to_string(v.element_bytes) + " bytes";
  const auto word = [&spec](std::string name, std::uint64_t number) {
    add_word(spec, std::move(name), std::to_string(number));
  };
  word("GROUP_SIZE", v.group_size);
  word("ELEMENT_BYTES", v.element_bytes);
  word("UNIT_BYTES", v.unit_bytes);
  word("TILE_ROWS", v.tile_rows);
  word("TILE_COLUMNS", v.tile_columns);
  if (v.packet_bytes != 0) {
    word("PACKET_BYTES", v.packet_bytes);
    word("BLOCK_ROWS", v.block_rows);
    word("RUN_BYTES", v.block_rows * v.element_bytes);
  }
  if (v.block_side != 0) word("BLOCK_SIDE", v.block_side);
  if (v.in_place) word("IN_PLACE", 1);
  if (v.streaming) word("STREAMING", 1);
  return spec;
}

described<transpose_variant> describe(const transpose_problem& q, const target& on) {
  return describe(resolved(q), on);
}
described<transpose_variant> describe(const transpose_in_place_problem& q, const target& on) {
  return describe(resolved(q), on);
}

told tell(const transpose_problem& /*q*/, const target& on, const described<transpose_variant>& call) {
  return tell_of(call.variant, on);
}
told tell(const transpose_in_place_problem& /*q*/, const target& on,
          const described<transpose_variant>& call) {
  return tell_of(call.variant, on);
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const transpose_problem& asked, const plan_target& on) {
  const detail::transposed q = detail::resolved(asked);
  if (!detail::is_copy(asked.size, q.in_steps, q.out_steps)) return detail::plan_of(asked, on);
  call_plan copy = plan(detail::copied(asked, q.in_steps, q.out_steps), on);
  copy.variant = "one row or one column: a copy; " + copy.variant;
  return copy;
}
call_plan plan(const transpose_in_place_problem& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

event transpose(cl_command_queue queue, const transpose_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::transpose_variant::primitive);
  transpose_problem q = asked;
  detail::check_transposed_types(q.in, q.out);
  const detail::matrix_steps from =
      detail::steps_of(detail::transpose_variant::primitive, q.size, q.in_pitches, *q.in.type, "the input");
  const detail::matrix_steps to = detail::steps_of(
      detail::transpose_variant::primitive, detail::turned(q.size), q.out_pitches, *q.out.type, "the output");
  const detail::call_operand all[] = {
      {.view = q.in, .name = "the input", .reach = from.extent, .alignment = 1},
      {.view = q.out,
       .use = detail::access::writes,
       .name = "the output",
       .reach = to.extent,
       .alignment = 1}};
  const detail::entry call{site, detail::transpose_variant::primitive, options};
  if (!detail::is_copy(q.size, from, to)) return detail::carry_out(call, q, all, {&q.in, &q.out});
  box_problem copy = detail::copied(q, from, to);
  return detail::carry_out(call, copy, all, {&copy.in, &copy.out});
}
event transpose_in_place(cl_command_queue queue, const transpose_in_place_problem& asked,
                         const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::transpose_variant::primitive);
  transpose_in_place_problem q = asked;
  const detail::call_operand all[] = {{.view = q.squares,
                                       .use = detail::access::reads_and_writes,
                                       .name = "the input",
                                       .reach = detail::steps_of_squares(q.size, q.steps, q.squares).extent,
                                       .alignment = 1}};
  return detail::carry_out({site, detail::transpose_variant::primitive, options}, q, all, {&q.squares});
}

}  // namespace clwave
