// Turns a transform's types and text into OpenCL C words, and its size and places into a plan.
#include "primitives/transform_plan.hpp"

#include <algorithm>
#include <bit>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "call/planning.hpp"
#include "program/user_text.hpp"

namespace clwave {
namespace {

// A CPU's work-item is worth starting for about a page of memory.
constexpr std::uint64_t least_chunk_bytes = 4096;

// Group numbers are 32-bit in kernels and drivers.
constexpr std::uint64_t most_groups = 0x7fffffff;

bool is_integer(const element& e) {
  return e.kind == element_kind::signed_integer || e.kind == element_kind::unsigned_integer;
}

bool is_half(const element& e) { return e.kind == element_kind::half_storage; }

bool is_number(const element& e) {
  return e.kind != element_kind::structure && e.kind != element_kind::opaque;
}

bool is_cpu(const target& on) { return on.choice.exchange == lane_exchange::none; }

std::uint64_t blocks_of(std::uint64_t count, std::uint64_t block) {
  return count / block + (count % block != 0);
}

std::string loaded_name(const element& e) { return is_half(e) ? "float" : name_in_source(e); }

// Floats into integers saturate (cl_kernels/blocks/convert.cl); integers wrap.
std::string convert_name(const element& e) {
  if (is_integer(e)) return "to_integer";
  return is_number(e) ? "convert_" + loaded_name(e) : std::string("AS_IT_IS");
}

// "uint4": what integers of the type are multiplied in, so that they wrap. Narrow ones go by uint, for a
// product of two ushort would overflow the int they are promoted to.
std::string unsigned_convert(const element& e) {
  return std::string("convert_") + (e.size / e.components == 8 ? "ulong" : "uint") +
         (e.components > 1 ? std::to_string(e.components) : std::string());
}

// The text of a map into `out`.
std::string text_of(const map& apply, const element& in, const element& out) {
  const auto widened = [&](const std::string& name) {
    const std::string converted = convert_name(out) + "(" + name + ")";
    return is_integer(out) ? unsigned_convert(out) + "(" + converted + ")" : converted;
  };
  switch (apply.kind) {
    case map_kind::user:
      break;
    case map_kind::identity:
      return "x";
    case map_kind::abs:
      return is_integer(in) ? "abs(x)" : "fabs(x)";
    case map_kind::square:
      return widened("x") + " * " + widened("x");
    case map_kind::product:
      return widened("x") + " * " + widened("y");
  }
  return {};
}

// OpenCL's type for a packet of that many bytes.
std::string bits_of(std::uint64_t bytes) {
  switch (bytes) {
    case 1:
      return "uchar";
    case 2:
      return "ushort";
    case 4:
      return "uint";
    case 8:
      return "uint2";
    case 16:
      return "uint4";
    default:
      throw error(failure::internal, "no packet has " + std::to_string(bytes) + " bytes");
  }
}

[[noreturn]] void no(std::string_view primitive, std::string_view message, const std::string& types,
                     std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(primitive), .types = types, .advice = std::string(advice)});
}

void check_types(std::string_view primitive, const std::vector<const element*>& in, const element& out,
                 const map& apply) {
  std::string types;
  bool numbers = is_number(out);
  for (const element* e : in) {
    types += (types.empty() ? "" : ", ") + e->name;
    numbers = numbers && is_number(*e);
  }
  types += " to " + out.name;
  const auto check_size = [&](const element& e) {
    if (e.size == 0 || e.size > 128) no(primitive, "elements have 1 to 128 bytes", types);
    if (e.kind == element_kind::opaque)
      no(primitive, e.name + " has no type on the device", types, "declare it with CLWAVE_STRUCTURE");
  };
  for (const element* e : in) check_size(*e);
  check_size(out);
  if (apply.kind == map_kind::user) {
    if (apply.source.empty()) no(primitive, "the map " + apply.name + " has no text", types);
    return;
  }
  if (apply.kind == map_kind::identity && in.size() == 1 && in[0]->opencl_name == out.opencl_name) return;
  if (!numbers) no(primitive, "the map " + apply.name + " takes numbers, no structures", types);
  if (in.size() != (apply.kind == map_kind::product ? 2u : 1u))
    no(primitive, "the map " + apply.name + " takes another number of inputs", types);
  for (const element* e : in) {
    if (e->components != out.components)
      no(primitive, "vectors convert to vectors of as many components", types);
  }
}

// Group size and the elements of a packet: the widest element fills the profile's access, where every
// operand has a single access of as many elements.
transform_shape tuned_shape(const std::vector<const element*>& all, std::size_t inputs, const tuning& tuned,
                            const target& on) {
  transform_shape shape;
  if (is_cpu(on)) return shape;
  shape.group_size = group_size_within(on, tuned.group_size);
  const std::size_t access = std::clamp<std::size_t>(std::bit_floor(tuned.vector_bytes), 4, 16);
  std::size_t widest = 1;
  bool single = true;
  for (const element* e : all) {
    widest = std::max(widest, e->size);
    single = single && std::has_single_bit(e->size);
  }
  if (single && widest < access) shape.vector = static_cast<unsigned>(access / widest);
  // The profile's number is one stream's; the inputs share the registers it fills.
  shape.items = static_cast<unsigned>(std::max<std::size_t>(tuned.items / inputs, 1));
  return shape;
}

// An element at a time, and as many bytes in flight as far as 16 accesses allow.
void take_by_element(transform_shape& shape) {
  shape.items = std::min(shape.items * shape.vector, 16u);
  shape.vector = 1;
}

std::uint64_t cpu_groups(std::uint64_t bytes, unsigned compute_units, const tuning& tuned) {
  const std::uint64_t most = std::uint64_t{compute_units} * tuned.groups_per_unit;
  return std::clamp<std::uint64_t>(bytes / least_chunk_bytes, 1, std::max<std::uint64_t>(most, 1));
}

void add_word(program_spec& spec, std::string name, std::string text = "1") {
  spec.words.emplace_back(std::move(name), std::move(text));
}

template <class Variant>
void add_numbers(program_spec& spec, const Variant& shape) {
  add_word(spec, "GROUP_SIZE", std::to_string(shape.group_size));
  add_word(spec, "ITEMS", std::to_string(shape.items));
  add_word(spec, "VECTOR", std::to_string(shape.vector));
}

// The words of one operand; `letter` is X, Y, Z, B or OUT.
void add_operand(program_spec& spec, const std::string& letter, const element& e, unsigned vector) {
  const std::string stored = is_half(e) ? "ushort" : name_in_source(e);
  add_word(spec, letter + "_STORED", stored);
  add_word(spec, letter + "_LOADED", loaded_name(e));
  add_word(spec, letter + "_BYTES", std::to_string(e.size));
  add_word(spec, letter + "_BITS", vector == 1 ? stored : bits_of(vector * e.size));
  if (letter == "OUT") {
    if (is_integer(e)) add_saturation(spec, e);
    add_word(spec, "OUT_CONVERT", convert_name(e));
    add_word(spec, "OUT_WRITE", is_half(e) ? "float_as_half" : "AS_IT_IS");
  } else {
    add_word(spec, letter + "_READ", is_half(e) ? "half_as_float" : "AS_IT_IS");
  }
}

// The declarations of types and of the map, and the text: the user's, or ours for a map of clwave's own.
void add_texts(program_spec& spec, std::span<const element* const> all, const map& apply,
               const std::string& own) {
  check_elements(spec.primitive, all);  // where a program is made, and not in each call
  for (const element* e : all) {
    if (!e->declaration.empty()) spec.declarations.push_back({"type " + e->name, e->declaration, false});
  }
  const std::string label = "map " + apply.name;
  if (!apply.declarations.empty()) spec.declarations.push_back({label, apply.declarations, false});
  if (apply.kind == map_kind::user)
    spec.user_texts.push_back({"TRANSFORM_TEXT", label, apply.source});
  else
    spec.texts.emplace_back("TRANSFORM_TEXT", own);
}

std::vector<const element*> operands_of(const transform_question& q) {
  std::vector<const element*> all = q.in;
  all.push_back(q.out);
  return all;
}

std::vector<const element*> operands_of(const broadcast_question& q) { return {q.in, q.vector, q.out}; }

// How many elements lie between a place and the last packet's start before it.
std::uint64_t phase_of(const placement& place, const element& e, unsigned vector) {
  return place.address / e.size % vector;
}

}  // namespace

void check_transform(const transform_question& q) { check_types("transform", q.in, *q.out, *q.apply); }

void check_broadcast(const broadcast_question& q) {
  if (q.apply->kind != map_kind::user)
    no("broadcast", "a broadcast takes a map of your own, in x and b", q.in->name + " to " + q.out->name);
  check_types("broadcast", {q.in, q.vector}, *q.out, *q.apply);
}

std::uint64_t extent_of_matrix(std::uint64_t rows, std::uint64_t columns, std::uint64_t row,
                               std::uint64_t element_bytes, std::string_view what) {
  if (rows == 0 || columns == 0) return 0;
  if (row < columns)
    refuse("broadcast", std::string(what) + "'s rows overlap: its pitch is less than its columns");
  const counting count{"broadcast", what};
  const std::uint64_t extent = count.plus(count.times(rows - 1, row), columns);
  // A pitch that is never stepped by is handed to the kernel all the same.
  for (const std::uint64_t elements : {extent, row}) count.times(elements, element_bytes);
  return extent;
}

transform_shape shape_transform(const transform_question& q, const target& on) {
  const std::vector<const element*> all = operands_of(q);
  const tuning& tuned = transform_tuning(*on.choice.row);
  transform_shape shape = tuned_shape(all, q.in.size(), tuned, on);
  if (is_cpu(on)) {
    std::uint64_t widest = 0;
    for (const element* e : all) widest = std::max<std::uint64_t>(widest, e->size);
    shape.groups = cpu_groups(q.n * widest, q.compute_units, tuned);
    return shape;
  }
  const std::uint64_t phase = phase_of(q.places[0], *all[0], shape.vector);
  bool together = true;
  for (std::size_t k = 0; k < all.size(); ++k)
    together = together && q.places[k].known && phase_of(q.places[k], *all[k], shape.vector) == phase;
  if (!together) take_by_element(shape);
  if (shape.vector > 1) shape.head = std::min<std::uint64_t>((shape.vector - phase) % shape.vector, q.n);
  const std::uint64_t block = std::uint64_t{shape.group_size} * shape.items;
  shape.groups = std::max<std::uint64_t>(blocks_of((q.n - shape.head) / shape.vector, block), 1);
  if (shape.groups > most_groups) refuse("transform", "more elements than one launch can take");
  return shape;
}

program_spec spec_transform(const transform_variant& v) {
  program_spec spec;
  spec.primitive = "transform";
  for (const element* e : v.in) spec.types += (spec.types.empty() ? "" : ", ") + e->name;
  spec.types += " to " + v.out->name;
  spec.op = v.apply->name;
  add_numbers(spec, v);
  add_word(spec, "INPUTS", std::to_string(v.in.size()));
  const char* const letters[] = {"X", "Y", "Z"};
  for (std::size_t k = 0; k < v.in.size(); ++k) add_operand(spec, letters[k], *v.in[k], v.vector);
  add_operand(spec, "OUT", *v.out, v.vector);
  std::vector<const element*> all(v.in.begin(), v.in.end());
  all.push_back(v.out);
  add_texts(spec, all, *v.apply, text_of(*v.apply, *v.in[0], *v.out));
  return spec;
}

transform_shape shape_broadcast(const broadcast_question& q, const target& on) {
  const std::vector<const element*> all = operands_of(q);
  const tuning& tuned = broadcast_tuning(*on.choice.row);
  transform_shape shape = tuned_shape(all, 1, tuned, on);
  shape.staged = !is_cpu(on) && q.which == per::row && on.choice.row->local_staging_for_broadcast;
  const std::uint64_t rows = q.size.rows;
  if (is_cpu(on)) {
    shape.groups =
        cpu_groups(rows * q.size.columns * std::max(q.in->size, q.out->size), q.compute_units, tuned);
    return shape;
  }
  const auto starts_packets = [&](const placement& place, const element& e, std::uint64_t row) {
    return place.known && phase_of(place, e, shape.vector) == 0 && row % shape.vector == 0;
  };
  // One row needs no pitch.
  if (!starts_packets(q.in_place, *q.in, rows > 1 ? q.size.in_row : 0) ||
      !starts_packets(q.out_place, *q.out, rows > 1 ? q.size.out_row : 0) ||
      (q.which == per::column && !starts_packets(q.vector_place, *q.vector, 0)))
    take_by_element(shape);
  const std::uint64_t width = blocks_of(q.size.columns, shape.vector);
  // As wide as the group where the rows are long; along a row, its items reach on.
  const std::uint64_t along = q.which == per::row ? shape.items : 1;
  const std::uint64_t wanted = blocks_of(width, along);
  shape.tile_width =
      static_cast<std::uint32_t>(wanted >= shape.group_size ? shape.group_size : std::bit_ceil(wanted));
  const std::uint64_t tile_height = shape.group_size / shape.tile_width;
  const std::uint64_t across = blocks_of(width, shape.tile_width * along);
  const std::uint64_t down = blocks_of(rows, tile_height * (q.which == per::row ? 1 : shape.items));
  if (across > most_groups / down) refuse("broadcast", "more elements than one launch can take");
  shape.groups = across * down;
  return shape;
}

program_spec spec_broadcast(const broadcast_variant& v) {
  program_spec spec;
  spec.primitive = "broadcast";
  spec.types = v.in->name + ", " + v.vector_type->name + " to " + v.out->name;
  spec.op = v.apply->name;
  add_numbers(spec, v);
  if (v.which == per::row) add_word(spec, "PER_ROW");
  if (v.staged) add_word(spec, "STAGED");
  add_operand(spec, "X", *v.in, v.vector);
  add_operand(spec, "B", *v.vector_type, v.vector);
  add_operand(spec, "OUT", *v.out, v.vector);
  const element* const all[] = {v.in, v.vector_type, v.out};
  add_texts(spec, all, *v.apply, {});
  return spec;
}

namespace {

unsigned units_of(const plan_target& asked) {
  return asked.facts != nullptr ? asked.facts->compute_units.value_or(1) : std::max(asked.compute_units, 1u);
}

call_plan described(const plan_target& asked, const program_spec& spec, const transform_shape& shape,
                    std::uint64_t n) {
  call_plan plan = plan_of(asked, spec, n);
  plan.variant = asked.choice.exchange == lane_exchange::none
                     ? "a contiguous chunk per work-item, loops the compiler widens"
                     : "packets of " + std::to_string(shape.vector) + " elements";
  return plan;
}

}  // namespace

call_plan plan_transform(const plan_target& on, const std::vector<const element*>& in, const element& out,
                         std::uint64_t n, const map& apply) {
  const target built = target_of(on);
  const transform_question q{in, &out, &apply, n, std::vector<placement>(in.size() + 1), units_of(on)};
  check_transform(q);
  for (const element* e : in) counting{"transform", "an input"}.times(n, e->size);
  counting{"transform", "the output"}.times(n, out.size);
  const transform_shape shape = shape_transform(q, built);
  call_plan plan = described(on, spec_transform(q, shape), shape, n);
  if (n == 0) return plan;
  planned_kernel kernel{"transform", shape.groups, shape.group_size, {}};
  const char* const names[] = {"x", "y", "z"};
  for (std::size_t k = 0; k < in.size(); ++k) {
    kernel.arguments.push_back({names[k], "input", std::to_string(n * in[k]->size)});
    kernel.arguments.push_back({std::string(names[k]) + "_offset", "u64", "0"});
  }
  kernel.arguments.push_back({"out", "output", std::to_string(n * out.size)});
  kernel.arguments.push_back({"out_offset", "u64", "0"});
  kernel.arguments.push_back({"n", "u64", std::to_string(n)});
  kernel.arguments.push_back({"head", "u64", std::to_string(shape.head)});
  kernel.local_bytes = 0;
  plan.kernels.push_back(std::move(kernel));
  return plan;
}

call_plan plan_broadcast(const plan_target& on, const element& in, const element& vector, const element& out,
                         const broadcast_shape& size, per which, const map& apply) {
  const target built = target_of(on);
  broadcast_question q{&in, &vector, &out, &apply, size, which, {}, {}, {}, units_of(on)};
  if (q.size.in_row == 0) q.size.in_row = size.columns;
  if (q.size.out_row == 0) q.size.out_row = size.columns;
  check_broadcast(q);
  const std::uint64_t in_extent =
      extent_of_matrix(size.rows, size.columns, q.size.in_row, in.size, "the input");
  const std::uint64_t out_extent =
      extent_of_matrix(size.rows, size.columns, q.size.out_row, out.size, "the output");
  if (in_extent == 0) return described(on, spec_broadcast(q, {}), {}, 0);
  const transform_shape shape = shape_broadcast(q, built);
  call_plan plan = described(on, spec_broadcast(q, shape), shape, size.rows * size.columns);
  if (built.choice.exchange != lane_exchange::none) {
    plan.variant += which == per::column ? ", a column's values in registers down the rows"
                    : shape.staged       ? ", a row's value staged in local memory"
                                         : ", a row's value read at one address by all lanes";
  }
  const std::uint64_t values = which == per::row ? size.rows : size.columns;
  const std::uint64_t vector_bytes = counting{"broadcast", "the vector"}.times(values, vector.size);
  plan.kernels.push_back({"broadcast",
                          shape.groups,
                          shape.group_size,
                          {{"x", "input", std::to_string(in_extent * in.size)},
                           {"x_offset", "u64", "0"},
                           {"x_row", "u64", std::to_string(q.size.in_row)},
                           {"b", "input", std::to_string(vector_bytes)},
                           {"b_offset", "u64", "0"},
                           {"out", "output", std::to_string(out_extent * out.size)},
                           {"out_offset", "u64", "0"},
                           {"out_row", "u64", std::to_string(q.size.out_row)},
                           {"rows", "u64", std::to_string(size.rows)},
                           {"columns", "u64", std::to_string(size.columns)},
                           {"tile_width", "u32", std::to_string(shape.tile_width)}},
                          shape.staged ? shape.group_size * vector.size : 0});
  return plan;
}

}  // namespace clwave
