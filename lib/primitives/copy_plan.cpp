// Turns a copy's types into OpenCL C words, and its size and places into a plan.
#include "primitives/copy_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/call.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave {
namespace {

constexpr std::string_view primitive = "copy";

bool is_same(const element& a, const element& b) {
  return a.opencl_name == b.opencl_name && a.size == b.size && a.declaration == b.declaration;
}

// The numbers of the profile, within the device's limits. The rest of the shape is the caller's.
copy_shape tuned_shape(const target& on, const tuning& tuned) {
  copy_shape shape;
  shape.items = std::max(tuned.items, 1u);
  if (is_cpu(on)) {
    shape.vector_bytes = std::clamp(std::bit_floor(tuned.vector_bytes), 16u, 64u);
    return shape;
  }
  shape.vector_bytes = std::clamp(std::bit_floor(tuned.vector_bytes), 4u, 16u);
  shape.group_size = group_size_within(on, tuned.group_size);
  return shape;
}

// PACKETS_IN_FLIGHT and SHIFTED_IN_FLIGHT of the kernels.
unsigned packets_in_flight(const copy_shape& shape, unsigned width) {
  return std::clamp(shape.items * shape.vector_bytes / width, 1u, 16u);
}

// BOX_IN_FLIGHT of the kernels.
unsigned box_in_flight(const copy_shape& shape, unsigned width) {
  return std::min(packets_in_flight(shape, width), 8u);
}

// Groups for `count` packets in blocks; one at least, for bytes that fill no packet.
std::uint64_t gpu_groups(std::uint64_t count, std::uint64_t block) {
  const std::uint64_t groups = std::max<std::uint64_t>(blocks_of(count, block), 1);
  if (groups > most_groups) refuse(primitive, "more bytes than one launch can move");
  return groups;
}

// The widest access up to `most` bytes at which two places line up; 1 where they do not from 4 bytes on.
unsigned common_width(const placement& in, const placement& out, unsigned most) {
  if (!in.known || !out.known) return 1;
  const std::uint64_t apart = (in.address - out.address) & 127;
  const std::uint64_t shared = apart == 0 ? most : std::min<std::uint64_t>(apart & -apart, most);
  return shared < 4 ? 1 : static_cast<unsigned>(shared);
}

std::string_view rounding_suffix(rounding round) {
  switch (round) {
    case rounding::natural:
      return "";
    case rounding::nearest_even:
      return "_rte";
    case rounding::toward_zero:
      return "_rtz";
    case rounding::upward:
      return "_rtp";
    case rounding::downward:
      return "_rtn";
  }
  return "";
}

template <class Variant>
void add_numbers(program_spec& spec, const Variant& shape) {
  spec.words.emplace_back("GROUP_SIZE", std::to_string(shape.group_size));
  spec.words.emplace_back("ITEMS", std::to_string(shape.items));
  spec.words.emplace_back("VECTOR_BYTES", std::to_string(shape.vector_bytes));
}

}  // namespace

void check_copy(const element& from, const element& to) {
  const auto no = [&](std::string_view message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(primitive),
                 .types = from.name + " to " + to.name,
                 .advice = std::string(advice)});
  };
  if (from.size == 0 || from.size > 128 || to.size == 0 || to.size > 128) no("elements have 1 to 128 bytes");
  if (is_same(from, to)) return;
  if (!is_number(from) || !is_number(to)) no("a structure is copied to its own type only");
  if (from.components != to.components) no("vectors convert to vectors of as many components");
}

bool converts(const copy_question& q) {
  if (is_same(*q.from, *q.to)) return false;
  return q.saturate || !is_integer(*q.from) || !is_integer(*q.to) ||
         scalar_bytes(*q.from) != scalar_bytes(*q.to);
}

copy_shape shape_copy(const copy_question& q, const target& on) {
  const tuning& tuned = converts(q) ? fill_tuning(*on.choice.row) : on.choice.row->copy;
  copy_shape shape = tuned_shape(on, tuned);
  if (!converts(q)) {
    const std::uint64_t bytes = q.n * q.from->size;
    if (is_cpu(on)) {
      shape.kernel = bytes > cache_bytes(on) / 2 ? "copy_streaming" : "copy";
      shape.width = shape.vector_bytes;
      shape.groups = cpu_groups(bytes, on, tuned);
      return shape;
    }
    shape.width = common_width(q.in, q.out, shape.vector_bytes);
    switch (shape.width) {
      case 16:
        shape.kernel = (q.in.address | q.out.address | bytes) % 16 == 0 ? "copy_16_whole" : "copy_16";
        break;
      case 8:
        shape.kernel = "copy_8";
        break;
      case 4:
        shape.kernel = "copy_4";
        break;
      default:
        shape.kernel = "copy_shifted";
        shape.width = 4;
        break;
    }
    const unsigned items = packets_in_flight(shape, shape.width);
    shape.groups = gpu_groups(bytes / shape.width, std::uint64_t{shape.group_size} * items);
    return shape;
  }

  const std::uint64_t count = q.n * q.from->components;
  const std::uint64_t from_bytes = scalar_bytes(*q.from);
  const std::uint64_t to_bytes = scalar_bytes(*q.to);
  const std::uint64_t wider = std::max(from_bytes, to_bytes);
  if (is_cpu(on)) {
    shape.kernel = "convert";
    shape.vector = 16;
    shape.width = static_cast<unsigned>(16 * wider);
    shape.groups = cpu_groups(count * wider, on, tuned);
    return shape;
  }
  // The wider side fills the profile's access, and the narrower one has 4 bytes at least.
  shape.vector = static_cast<unsigned>(
      std::max({shape.vector_bytes / wider, 4 / std::min(from_bytes, to_bytes), std::uint64_t{1}}));
  const bool together =
      q.in.known && q.out.known && (q.in.address / from_bytes - q.out.address / to_bytes) % shape.vector == 0;
  if (together) {
    shape.kernel = "convert_packets";
    shape.width = static_cast<unsigned>(shape.vector * wider);
    shape.groups = gpu_groups(count / shape.vector, std::uint64_t{shape.group_size} * shape.items);
  } else {
    shape.kernel = "convert_elements";
    shape.width = static_cast<unsigned>(wider);
    shape.groups =
        gpu_groups(count, std::uint64_t{shape.group_size} * std::min(shape.items * shape.vector, 16u));
  }
  return shape;
}

program_spec spec_convert(const convert_variant& v) {
  program_spec spec;
  spec.primitive = primitive;
  spec.types = v.from->name + " to " + v.to->name;
  add_numbers(spec, v);
  const auto word = [&spec](std::string name, std::string text = "1") {
    spec.words.emplace_back(std::move(name), std::move(text));
  };
  const std::string from = scalar_name(*v.from);
  const std::string to = scalar_name(*v.to);
  word("VECTOR", std::to_string(v.vector));
  word("FROM", from);
  word("FROM_16", is_half(*v.from) ? "float16" : from + "16");
  if (v.group_size > 1) word("FROM_BITS", bits_of(v.vector * scalar_bytes(*v.from)));
  if (is_half(*v.from)) word("FROM_IS_HALF");
  word("TO", to);
  if (v.group_size > 1) word("TO_BITS", bits_of(v.vector * scalar_bytes(*v.to)));
  if (is_half(*v.to)) {
    // A double rounds once, on its way into the half; every other number that is not far beyond a
    // half's range is a float exactly.
    word("TO_IS_HALF");
    const std::string through = from == "double" ? "double" : "float";
    word("CONVERT", "convert_" + through);
    word("CONVERT_16", "convert_" + through + "16");
    // Named in any case: what is meant without a name is the device's own default.
    const std::string rounds(v.round == rounding::natural ? "_rte" : rounding_suffix(v.round));
    word("STORE_HALF", "vstore_half" + rounds);
    word("STORE_HALF_16", "vstore_half16" + rounds);
  } else {
    // OpenCL leaves open what a float out of an integer's range becomes without saturation.
    const bool from_floats = is_integer(*v.to) && !is_integer(*v.from);
    const std::string suffix = ((v.saturate && is_integer(*v.to)) || from_floats ? "_sat" : "") +
                               std::string(rounding_suffix(v.round));
    if (from_floats) word("NAN_IS_ZERO");
    word("CONVERT", "convert_" + to + suffix);
    word("CONVERT_16", "convert_" + to + "16" + suffix);
  }
  return spec;
}

program_spec spec_of_move(const move_variant& v) {
  program_spec spec;
  spec.primitive = primitive;
  spec.types = "bytes";
  add_numbers(spec, v);
  return spec;
}

std::uint64_t extent_of_box(const box& size, const pitches& steps, std::uint64_t element_bytes,
                            std::string_view what) {
  if (size.width == 0 || size.height == 0 || size.depth == 0) return 0;
  const std::string name(what);
  const std::string whose = name + "'s box";
  const counting count{primitive, whose};
  const std::uint64_t row = steps.row != 0 ? steps.row : size.width;
  if (row < size.width)
    refuse(primitive, name + "'s rows overlap: its row pitch is less than the box's width");
  // Elements from the first of `runs` runs to the last of the last one.
  const auto reach = [&](std::uint64_t runs, std::uint64_t pitch, std::uint64_t run) {
    return count.plus(count.times(runs - 1, pitch), run);
  };
  const std::uint64_t slice_reach = reach(size.height, row, size.width);
  const std::uint64_t slice = steps.slice != 0 ? steps.slice : count.times(row, size.height);
  if (size.depth > 1 && slice < slice_reach)
    refuse(primitive, name + "'s slices overlap: its slice pitch is less than a slice's rows take");
  const std::uint64_t extent = reach(size.depth, slice, slice_reach);
  // A pitch that is never stepped by is handed to the kernel all the same.
  for (const std::uint64_t elements : {extent, row, slice}) count.times(elements, element_bytes);
  return extent;
}

plain_box simplify(const box_question& q) {
  const std::uint64_t bytes = q.type->size;
  const auto row_of = [&](const pitches& p) { return bytes * (p.row != 0 ? p.row : q.size.width); };
  const auto slice_of = [&](const pitches& p) {
    return p.slice != 0 ? bytes * p.slice : row_of(p) * q.size.height;
  };
  plain_box b{bytes * q.size.width,   q.size.height,         q.size.depth,           row_of(q.in_pitches),
              slice_of(q.in_pitches), row_of(q.out_pitches), slice_of(q.out_pitches)};
  // Rows that touch on both sides are one row; a slice of one row is a row.
  if (b.height > 1 && b.in_row == b.width && b.out_row == b.width) {
    b.width *= b.height;
    b.height = 1;
  }
  if (b.height == 1) {
    b.height = b.depth;
    b.in_row = b.in_slice;
    b.out_row = b.out_slice;
    b.depth = 1;
  }
  if (b.height > 1 && b.depth == 1 && b.in_row == b.width && b.out_row == b.width) {
    b.width *= b.height;
    b.height = 1;
  }
  return b;
}

box_shape shape_box(const box_question& q, const plain_box& plain, const target& on) {
  box_shape shape;
  copy_shape& launch = shape.launch;
  launch = tuned_shape(on, on.choice.row->copy);
  const std::uint64_t rows = plain.height * plain.depth;
  if (is_cpu(on)) {
    launch.kernel = "copy_box";
    launch.width = launch.vector_bytes;
    launch.groups = cpu_groups(plain.width * rows, on, on.choice.row->copy);
    shape.width = plain.width;
    return shape;
  }
  // What every row's start on both sides and its length are multiples of.
  std::uint64_t all = plain.width | plain.in_row | plain.out_row | launch.vector_bytes;
  if (plain.depth > 1) all |= plain.in_slice | plain.out_slice;
  all |= q.in.address | q.out.address;
  launch.width = q.in.known && q.out.known ? static_cast<unsigned>(all & -all) : 1;
  switch (launch.width) {
    case 16:
      launch.kernel = "copy_box_16";
      break;
    case 8:
      launch.kernel = "copy_box_8";
      break;
    case 4:
      launch.kernel = "copy_box_4";
      break;
    case 2:
      launch.kernel = "copy_box_2";
      break;
    default:
      launch.kernel = "copy_box_1";
      break;
  }
  shape.width = plain.width / launch.width;
  const std::uint64_t items = box_in_flight(launch, launch.width);
  shape.tile_width = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      shape.width >= launch.group_size ? launch.group_size : std::bit_ceil(shape.width), launch.group_size));
  const std::uint64_t tile_height = launch.group_size / shape.tile_width;
  // Along a row where it is long enough to keep every work-item busy, or where there are too few rows.
  shape.along_rows = shape.width >= shape.tile_width * items || rows < tile_height * items ? 1 : 0;
  const std::uint64_t blocks =
      blocks_of(shape.width, shape.along_rows != 0 ? shape.tile_width * items : shape.tile_width) *
      blocks_of(rows, shape.along_rows != 0 ? tile_height : tile_height * items);
  // Thin rows can be more than groups can be: the kernel steps on by as many blocks as there are groups.
  launch.groups = std::min(blocks, most_groups);
  return shape;
}

copy_shape shape_fill(const fill_question& q, const target& on) {
  copy_shape shape = tuned_shape(on, fill_tuning(*on.choice.row));
  const std::uint64_t bytes = q.n * q.type->size;
  if (is_cpu(on)) {
    shape.kernel = bytes > cache_bytes(on) ? "fill_streaming" : "fill";
    shape.width = shape.vector_bytes;
    shape.groups = cpu_groups(bytes, on, fill_tuning(*on.choice.row));
    return shape;
  }
  shape.kernel = "fill";
  shape.width = 16;
  shape.groups = gpu_groups(bytes / 16, std::uint64_t{shape.group_size} * packets_in_flight(shape, 16));
  return shape;
}

program_spec spec_of_fill(const move_variant& v) {
  program_spec spec;
  spec.primitive = "fill";
  spec.types = "bytes";
  add_numbers(spec, v);
  return spec;
}

fill_pattern repeat(const void* value, std::size_t size) {
  fill_pattern pattern;
  pattern.period = static_cast<std::uint32_t>(size * blocks_of(64, size));
  for (std::size_t at = 0; at < pattern.table.size(); at += size)
    std::memcpy(pattern.table.data() + at, value, std::min(size, pattern.table.size() - at));
  return pattern;
}

copy_question flat_question(const box_question& q, const plain_box& plain) {
  return {q.type, q.type, false, rounding::natural, plain.width / q.type->size, q.in, q.out, q.compute_units};
}

namespace {

unsigned units_of(const plan_target& asked) {
  return asked.facts != nullptr ? asked.facts->compute_units.value_or(1) : std::max(asked.compute_units, 1u);
}

}  // namespace

call_plan plan_copy(const plan_target& on, const element& from, const element& to, std::uint64_t n,
                    const copy_options& options, std::uint64_t in_offset, std::uint64_t out_offset) {
  check_copy(from, to);
  const std::uint64_t in_bytes = counting{primitive, "the input"}.bytes(in_offset, n, from.size);
  const std::uint64_t out_bytes = counting{primitive, "the output"}.bytes(out_offset, n, to.size);
  const target built = target_of(on);
  const copy_question q{&from,
                        &to,
                        options.saturate,
                        options.round,
                        n,
                        {in_offset * from.size % 128, true},
                        {out_offset * to.size % 128, true},
                        units_of(on)};
  const copy_shape shape = shape_copy(q, built);
  const bool changes = converts(q);
  const bool shifted = shape.kernel == "copy_shifted";

  call_plan plan = plan_of(on, spec_copy(q, shape), n);
  const std::string width = std::to_string(shape.width) + " bytes";
  if (is_cpu(built)) {
    plan.variant = "a contiguous chunk per work-item, accesses of " + width;
  } else {
    plan.variant = "a contiguous block per group, accesses of " + width;
  }
  if (shifted) plan.variant += ", two words shifted together";
  if (changes)
    plan.variant += ", converted by " + [&] {
      const auto found =
          std::ranges::find(plan.words, "CONVERT", &std::pair<std::string, std::string>::first);
      return found->second;
    }();
  if (shape.kernel == "copy_streaming") plan.variant += ", stores past the caches";

  const auto reject = [&plan](std::string name, std::string reason) {
    plan.rejected.push_back({std::move(name), std::move(reason)});
  };
  if (!is_cpu(built) && !changes && (shifted || shape.width < shape.vector_bytes)) {
    reject("accesses of " + std::to_string(shape.vector_bytes) + " bytes",
           "the input and the output lie differently between its multiples");
  }
  if (shape.kernel == "convert_elements")
    reject("packets of " + std::to_string(shape.vector) + " elements",
           "the input and the output do not reach a multiple of them at the same element");
  if (shape.kernel == "copy") reject("stores past the caches", "the caches hold the input and the output");

  if (n == 0) return plan;
  const std::uint64_t in_unit = changes ? from.components : from.size;
  const std::uint64_t out_unit = changes ? to.components : to.size;
  plan.kernels.push_back({std::string(shape.kernel),
                          shape.groups,
                          shape.group_size,
                          {{"in", "input", std::to_string(in_bytes)},
                           {"in_offset", "u64", std::to_string(in_offset * in_unit)},
                           {"out", "output", std::to_string(out_bytes)},
                           {"out_offset", "u64", std::to_string(out_offset * out_unit)},
                           {changes ? "n" : "bytes", "u64", std::to_string(n * in_unit)}},
                          0});
  return plan;
}

call_plan plan_box(const plan_target& on, const element& type, const box& size, const pitches& in_pitches,
                   const pitches& out_pitches, std::uint64_t in_offset, std::uint64_t out_offset) {
  const counting input{primitive, "the input"};
  const counting output{primitive, "the output"};
  const std::uint64_t in_bytes =
      input.bytes(in_offset, extent_of_box(size, in_pitches, type.size, "the input"), type.size);
  const std::uint64_t out_bytes =
      output.bytes(out_offset, extent_of_box(size, out_pitches, type.size, "the output"), type.size);
  const placement in{in_offset * type.size % 128, true};
  const placement out{out_offset * type.size % 128, true};
  const box_question q{&type, size, in_pitches, out_pitches, in, out, units_of(on)};
  const plain_box plain = simplify(q);
  const std::uint64_t n = std::uint64_t{size.width} * size.height * size.depth;
  if (n == 0 || plain.is_flat())
    return plan_copy(on, type, type, n == 0 ? 0 : flat_question(q, plain).n, {}, in_offset, out_offset);

  const target built = target_of(on);
  const box_shape shape = shape_box(q, plain, built);
  call_plan plan = plan_of(on, spec_move(shape.launch), n);
  plan.variant = is_cpu(built) ? "rows dealt out to work-items" : "tiles of a group, rows of a box";
  plan.variant += ", accesses of " + std::to_string(shape.launch.width) + " bytes";
  const auto number = [](std::string name, std::uint64_t value) {
    return planned_argument{std::move(name), "u64", std::to_string(value)};
  };
  plan.kernels.push_back({std::string(shape.launch.kernel),
                          shape.launch.groups,
                          shape.launch.group_size,
                          {{"in", "input", std::to_string(in_bytes)},
                           number("in_offset", in_offset * type.size),
                           number("in_row", plain.in_row),
                           number("in_slice", plain.in_slice),
                           {"out", "output", std::to_string(out_bytes)},
                           number("out_offset", out_offset * type.size),
                           number("out_row", plain.out_row),
                           number("out_slice", plain.out_slice),
                           number("width", shape.width),
                           number("height", plain.height),
                           number("rows", plain.height * plain.depth),
                           {"tile_width", "u32", std::to_string(shape.tile_width)},
                           {"along_rows", "u32", std::to_string(shape.along_rows)}},
                          0});
  return plan;
}

call_plan plan_fill(const plan_target& on, const element& type, std::uint64_t n, const void* value) {
  check_copy(type, type);
  const std::uint64_t bytes = counting{"fill", "the output"}.bytes(0, n, type.size);
  const target built = target_of(on);
  const copy_shape shape = shape_fill({&type, n, units_of(on)}, built);
  call_plan plan = plan_of(on, spec_fill(shape), n);
  plan.variant = is_cpu(built) ? "a contiguous chunk per work-item" : "a contiguous block per group";
  plan.variant += ", stores of " + std::to_string(shape.width) + " bytes";
  if (shape.kernel == "fill_streaming") plan.variant += " past the caches";
  if (shape.kernel == "fill" && is_cpu(built))
    plan.rejected.push_back({"stores past the caches", "the caches hold the output"});
  if (n == 0) return plan;

  const fill_pattern pattern = repeat(value, type.size);
  planned_kernel kernel{std::string(shape.kernel), shape.groups, shape.group_size, {}};
  kernel.arguments = {{"out", "output", std::to_string(bytes)},
                      {"out_offset", "u64", "0"},
                      {"bytes", "u64", std::to_string(bytes)},
                      {"period", "u32", std::to_string(pattern.period)}};
  for (std::size_t part = 0; part < 3; ++part) {
    std::string words;
    for (std::size_t w = 0; w < 16; ++w) {
      std::uint32_t word = 0;
      std::memcpy(&word, pattern.table.data() + 64 * part + 4 * w, sizeof word);
      words += (w == 0 ? "" : ",") + std::to_string(word);
    }
    kernel.arguments.push_back({"table_" + std::to_string(part), "u32x16", words});
  }
  // Of the value repeated; on a CPU it stays in registers.
  kernel.local_bytes = is_cpu(built) ? 0 : pattern.table.size();
  plan.kernels.push_back(std::move(kernel));
  return plan;
}

}  // namespace clwave
