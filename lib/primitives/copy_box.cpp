// Copies of boxes, in two or three dimensions: what a call is, and the entry.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <clwave/copy.hpp>

#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "primitives/copy.hpp"

namespace clwave::detail {
namespace {

// How many elements lie between a box's first and its last, both counted. 0 for an empty box. Throws
// bad_call for pitches that let rows or slices overlap, and for sizes in bytes beyond 63 bits.
std::uint64_t extent_of_box(const box& size, const pitches& steps, std::uint64_t element_bytes,
                            std::string_view what) {
  if (size.width == 0 || size.height == 0 || size.depth == 0) return 0;
  const std::string name(what);
  const counting count{move_variant::primitive, what};
  const std::uint64_t row = steps.row != 0 ? steps.row : size.width;
  if (row < size.width)
    refuse(move_variant::primitive, name + "'s rows overlap: its row pitch is less than the box's width");
  // Elements from the first of `runs` runs to the last of the last one.
  const auto reach = [&](std::uint64_t runs, std::uint64_t pitch, std::uint64_t run) {
    return count.plus(count.times(runs - 1, pitch), run);
  };
  const std::uint64_t slice_reach = reach(size.height, row, size.width);
  const std::uint64_t slice = steps.slice != 0 ? steps.slice : count.times(row, size.height);
  if (size.depth > 1 && slice < slice_reach)
    refuse(move_variant::primitive,
           name + "'s slices overlap: its slice pitch is less than a slice's rows take");
  const std::uint64_t extent = reach(size.depth, slice, slice_reach);
  // A pitch that is never stepped by is handed to the kernel all the same.
  for (const std::uint64_t elements : {extent, row, slice}) count.times(elements, element_bytes);
  return extent;
}

// A box without pitches that say nothing: rows that follow one another are one row. In bytes.
struct plain_box {
  std::uint64_t width, height, depth;
  std::uint64_t in_row, in_slice, out_row, out_slice;

  bool is_flat() const { return height == 1 && depth == 1; }
  std::uint64_t rows() const { return height * depth; }
};

// Makes the plain box of a problem whose extent has been counted.
plain_box simplify(const box_problem& q) {
  const std::uint64_t bytes = q.in.type->size;
  const auto row_of = [&](const pitches& p) { return bytes * (p.row != 0 ? p.row : q.size.width); };
  const auto slice_of = [&](const pitches& p) {
    return p.slice != 0 ? bytes * p.slice : row_of(p) * q.size.height;
  };
  plain_box b{bytes * q.size.width,   q.size.height,         q.size.depth,           row_of(q.in_pitches),
              slice_of(q.in_pitches), row_of(q.out_pitches), slice_of(q.out_pitches)};
  // Rows that touch on both sides are one row; a slice of one row is a row.
  const auto join_rows = [&b] {
    if (b.height == 1 || b.in_row != b.width || b.out_row != b.width) return;
    b.width *= b.height;
    b.height = 1;
  };
  join_rows();
  if (b.height == 1) {
    b.height = b.depth;
    b.in_row = b.in_slice;
    b.out_row = b.out_slice;
    b.depth = 1;
    join_rows();
  }
  return b;
}

// The copy of a box's first n elements.
move_problem as_move(const box_problem& q, std::uint64_t n) {
  move_problem flat{{q.in, q.out}};
  flat.in.n = flat.out.n = n;
  return flat;
}

// The copy of elements that a flat box is.
move_problem flat_of(const box_problem& q, const plain_box& plain) {
  return as_move(q, plain.width / q.in.type->size);
}

bool is_empty(const box& size) { return size.width == 0 || size.height == 0 || size.depth == 0; }

// The bytes of an access: what every row's start on both sides and its length are multiples of.
unsigned packet_of(const box_problem& q, const plain_box& plain, const copy_numbers& numbers,
                   const target& on) {
  if (is_cpu(on)) return numbers.vector_bytes;
  if (!q.in.known || !q.out.known) return 1;
  std::uint64_t all = plain.width | plain.in_row | plain.out_row | numbers.vector_bytes;
  if (plain.depth > 1) all |= plain.in_slice | plain.out_slice;
  return static_cast<unsigned>(low_bit(all | q.in.address | q.out.address));
}

const char* kernel_of(unsigned packet) {
  switch (packet) {
    case 16:
      return "copy_box_16";
    case 8:
      return "copy_box_8";
    case 4:
      return "copy_box_4";
    case 2:
      return "copy_box_2";
    default:
      return "copy_box_1";
  }
}

void check_box_types(const box_problem& q) {
  check_typed(move_variant::primitive, {{"the input", q.in}, {"the output", q.out}});
  const element &in = *q.in.type, &out = *q.out.type;
  check_copied(move_variant::primitive, in, out);
  if (in.opencl_name != out.opencl_name)
    refuse(move_variant::primitive,
           "a box is copied between views of the same type, not " + in.name + " to " + out.name,
           "convert with a copy of its own");
}

}  // namespace

described<move_variant> describe(const box_problem& q, const target& on) {
  check_box_types(q);
  const std::uint64_t bytes = q.in.type->size;
  const auto reach = [&](const any_view& each, const pitches& steps, std::string_view what) {
    return counting{move_variant::primitive, what}.bytes(each.offset,
                                                         extent_of_box(q.size, steps, bytes, what), bytes);
  };
  const std::uint64_t in_bytes = reach(q.in, q.in_pitches, "the input");
  const std::uint64_t out_bytes = reach(q.out, q.out_pitches, "the output");
  if (is_empty(q.size)) return describe(as_move(q, 0), on);
  const plain_box plain = simplify(q);
  if (plain.is_flat()) return describe(flat_of(q, plain), on);

  const tuning& tuned = on.choice.profile->copy;
  described<move_variant> call{{copy_numbers_of(on, tuned)},
                               {.n = std::uint64_t{q.size.width} * q.size.height * q.size.depth,
                                .operands = {{access::reads, in_bytes}, {access::writes, out_bytes}}}};
  const copy_numbers& numbers = call.variant.numbers;
  const char* kernel = "copy_box";
  std::uint64_t groups = 0, width = plain.width;  // in packets
  std::uint32_t tile_width = 1, along_rows = 1;
  if (is_cpu(on)) {
    groups = cpu_groups(plain.width * plain.rows(), on, tuned);
  } else {
    const unsigned packet = packet_of(q, plain, numbers, on);
    kernel = kernel_of(packet);
    call.variant.width = packet;
    width = plain.width / packet;
    const std::uint64_t items = box_in_flight(numbers, packet);
    const std::uint64_t group_size = numbers.group_size;
    tile_width = static_cast<std::uint32_t>(
        std::min(width >= group_size ? group_size : std::bit_ceil(width), group_size));
    const std::uint64_t tile_height = group_size / tile_width;
    // Along a row where it is long enough to keep every work-item busy, or where there are too few rows.
    along_rows = width >= tile_width * items || plain.rows() < tile_height * items ? 1 : 0;
    const std::uint64_t blocks = blocks_of(width, along_rows != 0 ? tile_width * items : tile_width) *
                                 blocks_of(plain.rows(), along_rows != 0 ? tile_height : tile_height * items);
    // Thin rows can be more than groups can be: the kernel steps on by as many blocks as there are groups.
    groups = std::min(blocks, most_groups);
  }
  call.variant.kernel = kernel;
  described_launch& launch = call.work.launch(kernel, groups, numbers.group_size);
  launch.buffer("in", 0).value("in_offset", q.in.offset * bytes);
  launch.value("in_row", plain.in_row).value("in_slice", plain.in_slice);
  launch.buffer("out", 1).value("out_offset", q.out.offset * bytes);
  launch.value("out_row", plain.out_row).value("out_slice", plain.out_slice);
  launch.value("width", width).value("height", plain.height).value("rows", plain.rows());
  launch.value("tile_width", tile_width).value("along_rows", along_rows);
  launch.local_bytes = 0;
  return call;
}

told tell(const box_problem& q, const target& on, const described<move_variant>& call) {
  if (is_empty(q.size)) return tell(as_move(q, 0), on, call);
  const plain_box plain = simplify(q);
  if (plain.is_flat()) return tell(flat_of(q, plain), on, call);
  const unsigned packet = packet_of(q, plain, call.variant.numbers, on);
  return {std::string(is_cpu(on) ? "rows dealt out to work-items" : "tiles of a group, rows of a box") +
          ", accesses of " + std::to_string(packet) + " bytes"};
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const box_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event copy(cl_command_queue queue, const box_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::move_variant::primitive);
  box_problem q = asked;
  detail::check_box_types(q);
  const detail::call_operand all[] = {
      {.view = q.in,
       .name = "the input",
       .reach = detail::extent_of_box(q.size, q.in_pitches, q.in.type->size, "the input"),
       .alignment = 1},
      {.view = q.out,
       .use = detail::access::writes,
       .name = "the output",
       .reach = detail::extent_of_box(q.size, q.out_pitches, q.out.type->size, "the output"),
       .alignment = 1}};
  return detail::carry_out({site, detail::move_variant::primitive, options}, q, all, {&q.in, &q.out});
}

}  // namespace clwave
