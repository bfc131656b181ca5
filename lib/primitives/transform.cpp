// transform and broadcast: what a call is, and the entry.
#include "primitives/transform.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <clwave/error.hpp>

#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"
#include "program/expressions.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// ------------------------------------------------------------------------------------- types and texts

// The text of one of clwave's own maps into `out`, whose conversion is OUT_CONVERT; a user's stands in the
// program itself.
std::string map_text(const map& apply, const element& in, const element& out) {
  const auto product = [&](const char* x, const char* y) {
    const auto converted = [&](const char* name) {
      const std::string text = std::string("OUT_CONVERT(") + name + ")";
      return is_integer(out) ? "convert_" + unsigned_name(out, out.components) + "(" + text + ")" : text;
    };
    return is_complex(out) ? "complex_product(" + converted(x) + ", " + converted(y) + ")"
                           : converted(x) + " * " + converted(y);
  };
  switch (apply.kind) {
    case map_kind::user:
      break;
    case map_kind::identity:
      return "x";
    case map_kind::abs:
      return is_integer(in) || is_bool(in) ? "abs(x)" : "fabs(x)";
    case map_kind::square:
      return product("x", "x");
    case map_kind::product:
      return product("x", "y");
  }
  return {};
}

[[noreturn]] void no_map(std::string_view primitive, std::string_view message, const std::string& types,
                         std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(primitive), .types = types, .advice = std::string(advice)});
}

// Throws for types and maps that do not go together.
void check_types(std::string_view primitive, std::span<const any_view> in, const element& out,
                 const map& apply) {
  std::string types;
  bool numbers = is_number(out);
  for (const any_view& each : in) {
    types += (types.empty() ? "" : ", ") + each.type->name;
    numbers = numbers && is_number(*each.type);
  }
  types += " to " + out.name;
  const auto check_size = [&](const element& e) {
    if (e.size == 0 || e.size > 128) no_map(primitive, "elements have 1 to 128 bytes", types);
    if (e.kind == element_kind::opaque)
      no_map(primitive, e.name + " has no type on the device", types, "declare it with CLWAVE_STRUCTURE");
  };
  for (const any_view& each : in) check_size(*each.type);
  check_size(out);
  if (apply.kind == map_kind::user) {
    if (apply.source.empty()) no_map(primitive, "the map " + apply.name + " has no text", types);
    return;
  }
  if (apply.kind == map_kind::identity && in.size() == 1 && in[0].type->opencl_name == out.opencl_name)
    return;
  if (!numbers)
    no_map(primitive, "the map " + apply.name + " takes numbers, no structures and no std::byte", types,
           "use a map of your own");
  if (in.size() != (apply.kind == map_kind::product ? 2u : 1u))
    no_map(primitive, "the map " + apply.name + " takes another number of inputs", types);
  for (const any_view& each : in) {
    if (const conversion_fault fault = fault_of_conversion(*each.type, out))
      no_map(primitive, fault.message, types, fault.advice);
  }
  if (apply.kind == map_kind::abs && is_complex(out))
    no_map(primitive, "the absolute value of a complex number is real", types,
           "use a map of your own: hypot(x.x, x.y)");
}

void add_numbers(program_spec& spec, const transform_numbers& numbers) {
  add_word(spec, "GROUP_SIZE", std::to_string(numbers.group_size));
  add_word(spec, "ITEMS", std::to_string(numbers.items));
  add_word(spec, "VECTOR", std::to_string(numbers.vector));
}

// The words of one operand; `letter` is X, Y, Z, B or OUT.
void add_operand(program_spec& spec, const std::string& letter, const element& e,
                 const transform_numbers& numbers) {
  add_word(spec, letter + "_STORED", stored_name(e));
  add_word(spec, letter + "_LOADED", loaded_name(e));
  add_word(spec, letter + "_BYTES", std::to_string(e.size));
  add_word(spec, letter + "_BITS", numbers.vector == 1 ? stored_name(e) : bits_of(numbers.vector * e.size));
  if (letter == "OUT") {
    add_word(spec, "OUT_CONVERT", add_conversion(spec, e));
    add_word(spec, "OUT_WRITE", add_write(spec, e));
    if (is_complex(e)) add_word(spec, "COMPLEX", loaded_name(e));
  } else {
    add_word(spec, letter + "_READ", read_name(e));
  }
}

// The user's map, of these operands.
void add_map(program_spec& spec, const map& apply, std::vector<text_operand> operands, const element& out) {
  add_expression(spec, {.macro = "TRANSFORM_TEXT",
                        .label = "map " + apply.name,
                        .source = apply.source,
                        .declarations = apply.declarations,
                        .values = apply.values,
                        .prefix = map_value_prefix,
                        .operands = std::move(operands),
                        .gives = &out});
}

// ------------------------------------------------------------------------------------------------ numbers

// Group size and the elements of a packet: the widest element fills the profile's access, where every
// operand has a single access of as many elements.
transform_numbers tuned_numbers(std::span<const any_view* const> all, std::size_t inputs, const tuning& tuned,
                                const target& on) {
  transform_numbers numbers;
  if (is_cpu(on)) return numbers;
  numbers.group_size = group_size_within(on, tuned.group_size);
  const std::size_t access = std::clamp<std::size_t>(std::bit_floor(tuned.vector_bytes), 4, 16);
  std::size_t widest = 1;
  bool single = true;
  for (const any_view* each : all) {
    widest = std::max(widest, each->type->size);
    single = single && std::has_single_bit(each->type->size);
  }
  if (single && widest < access) numbers.vector = static_cast<unsigned>(access / widest);
  // The profile's number is one stream's; the inputs share the registers it fills.
  numbers.items = static_cast<unsigned>(std::max<std::size_t>(tuned.items / inputs, 1));
  return numbers;
}

// An element at a time, and as many bytes in flight as far as 16 accesses allow.
void take_by_element(transform_numbers& numbers) {
  numbers.items = std::min(numbers.items * numbers.vector, 16u);
  numbers.vector = 1;
}

// How many elements lie between a place and the last packet's start before it.
std::uint64_t phase_of(const any_view& each, const transform_numbers& numbers) {
  return each.address / each.type->size % numbers.vector;
}

constexpr const char* chunks = "a contiguous chunk per work-item, loops the compiler widens";

std::string packets_of(const transform_numbers& numbers) {
  return "packets of " + std::to_string(numbers.vector) + " elements";
}

// From a matrix's first element to its last, both counted; 0 for none. Throws for rows that overlap and for
// sizes in bytes beyond 63 bits.
std::uint64_t extent_of_matrix(const broadcast_shape& size, std::uint64_t row, std::uint64_t element_bytes,
                               std::string_view what) {
  if (size.rows == 0 || size.columns == 0) return 0;
  if (row < size.columns)
    refuse("broadcast", std::string(what) + "'s rows overlap: its pitch is less than its columns");
  const counting count{"broadcast", what};
  const std::uint64_t extent = count.plus(count.times(size.rows - 1, row), size.columns);
  // A pitch that is never stepped by is handed to the kernel all the same.
  for (const std::uint64_t elements : {extent, row}) count.times(elements, element_bytes);
  return extent;
}

std::uint64_t in_row_of(const broadcast_shape& size) { return size.in_row != 0 ? size.in_row : size.columns; }
std::uint64_t out_row_of(const broadcast_shape& size) {
  return size.out_row != 0 ? size.out_row : size.columns;
}

}  // namespace

program_spec spec_of(const transform_variant& v) {
  program_spec spec;
  spec.primitive = transform_variant::primitive;
  add_modules(spec, {"blocks/operands.cl", "primitives/transform.cl"});
  add_count(spec, v.count_bytes);
  for (const element* e : v.in) spec.types += (spec.types.empty() ? "" : ", ") + e->name;
  spec.types += " to " + v.out->name;
  spec.op = v.apply->name;
  add_numbers(spec, v.numbers);
  add_word(spec, "INPUTS", std::to_string(v.in.size()));
  const char* const letters[] = {"X", "Y", "Z"};
  if (v.streaming) add_word(spec, "STREAMING");
  for (std::size_t k = 0; k < v.in.size(); ++k) add_operand(spec, letters[k], *v.in[k], v.numbers);
  add_operand(spec, "OUT", *v.out, v.numbers);
  std::vector<const element*> all = v.in;
  all.push_back(v.out);
  add_types(spec, all);
  if (v.apply->kind == map_kind::user) {
    constexpr std::array names{"x", "y", "z"};
    std::vector<text_operand> operands;
    for (std::size_t k = 0; k < v.in.size(); ++k) operands.push_back({v.in[k], names[k]});
    operands.push_back({nullptr, "i"});
    add_map(spec, *v.apply, std::move(operands), *v.out);
  } else {
    spec.texts.emplace_back("TRANSFORM_TEXT", map_text(*v.apply, *v.in[0], *v.out));
  }
  add_values(spec, nullptr, v.apply);
  return spec;
}

program_spec spec_of(const broadcast_variant& v) {
  program_spec spec;
  spec.primitive = broadcast_variant::primitive;
  add_modules(spec, {"blocks/operands.cl", "primitives/broadcast.cl"});
  spec.types = v.in->name + ", " + v.vector->name + " to " + v.out->name;
  spec.op = v.apply->name;
  add_numbers(spec, v.numbers);
  if (v.which == per::row) add_word(spec, "PER_ROW");
  if (v.staged) add_word(spec, "STAGED");
  add_operand(spec, "X", *v.in, v.numbers);
  add_operand(spec, "B", *v.vector, v.numbers);
  add_operand(spec, "OUT", *v.out, v.numbers);
  const element* const all[] = {v.in, v.vector, v.out};
  add_types(spec, all);
  add_map(spec, *v.apply, {{v.in, "x"}, {v.vector, "b"}}, *v.out);
  add_values(spec, nullptr, v.apply);
  return spec;
}

// ------------------------------------------------------------------------------------------- descriptions

namespace {

constexpr std::string_view input_names[] = {"the first input", "the second input", "the third input"};

void check_inputs(const transform_problem& q) {
  if (q.in.empty() || q.in.size() > 3) refuse("transform", "a transform has 1 to 3 inputs");
  // The first input's count is that of all.
  for (std::size_t k = 0; k < q.in.size(); ++k)
    check_typed("transform", {{input_names[k], k == 0 ? all_of(q.in[0]) : q.in[k]}});
  check_typed("transform", {{"the output", q.out}});
  if (q.apply == nullptr) refuse("transform", "there is no function to apply");
}

void check_operand_types(const broadcast_problem& q) {
  check_typed("broadcast", {{"the input", q.in}, {"the vector", q.vector}, {"the output", q.out}});
  if (q.apply == nullptr) refuse("broadcast", "there is no function to apply");
}

}  // namespace

described<transform_variant> describe(const transform_problem& q, const target& on) {
  check_inputs(q);
  const std::uint64_t n = q.in.front().n;
  check_types("transform", q.in, *q.out.type, *q.apply);
  check_values("transform", on, *q.apply);
  described<transform_variant> call{{{}, q.out.type, q.apply}, {.n = n}};
  std::array<const any_view*, 4> places{};
  call.variant.in.reserve(q.in.size());
  call.work.operands.reserve(q.in.size() + 2);
  for (const any_view& each : q.in) {
    places[call.variant.in.size()] = &each;
    call.variant.in.push_back(each.type);
    call.work.operands.push_back(
        {access::reads, counting{"transform", "an input"}.bytes(each.offset, n, each.type->size)});
  }
  places[q.in.size()] = &q.out;
  const std::span<const any_view* const> all(places.data(), q.in.size() + 1);
  call.work.operands.push_back(
      {access::writes, counting{"transform", "the output"}.bytes(q.out.offset, n, q.out.type->size)});
  call.variant.count_bytes = count_bytes_of("transform", q.in[0]);
  if (call.variant.count_bytes != 0) call.work.operands.push_back(described_count(call.variant.count_bytes));

  const tuning& tuned = transform_tuning(*on.choice.profile);
  transform_numbers& numbers = call.variant.numbers;
  numbers = tuned_numbers(all, q.in.size(), tuned, on);
  std::uint64_t groups = 0, head = 0;  // `head`: elements before the first packet
  if (is_cpu(on)) {
    std::uint64_t widest = 0;
    for (const any_view* each : all) widest = std::max<std::uint64_t>(widest, each->type->size);
    groups = cpu_groups(n * widest, on, tuned);
    // In place, the lines of the results are those of the elements, which are there.
    const std::size_t size = q.out.type->size;
    call.variant.streaming = !q.in_place && n * size > cache_bytes(on) / 2 && std::has_single_bit(size) &&
                             size <= 64 && q.out.alignment >= size;
  } else {
    const std::uint64_t phase = phase_of(q.in[0], numbers);
    const bool together = std::ranges::all_of(
        all, [&](const any_view* each) { return each->known && phase_of(*each, numbers) == phase; });
    if (!together) take_by_element(numbers);
    // Groups that loop start anew less often: they load more at a time (1.03 of the time of groups that do
    // not loop on an H100, instead of 1.06).
    if (call.variant.count_bytes != 0) numbers.items *= 2;
    if (numbers.vector > 1) head = std::min<std::uint64_t>((numbers.vector - phase) % numbers.vector, n);
    const std::uint64_t block = std::uint64_t{numbers.group_size} * numbers.items;
    groups = std::max<std::uint64_t>(blocks_of((n - head) / numbers.vector, block), 1);
    if (groups > most_groups) refuse("transform", "more elements than one launch can take");
    groups = groups_of_counted(groups, call.variant.count_bytes, on);
  }
  if (n == 0) return call;

  constexpr const char* names[] = {"x", "y", "z"};
  constexpr const char* offsets[] = {"x_offset", "y_offset", "z_offset"};
  described_launch& launch = call.work.launch("transform", groups, numbers.group_size);
  for (std::size_t k = 0; k < q.in.size(); ++k) launch.buffer(names[k], k).value(offsets[k], q.in[k].offset);
  launch.buffer("out", q.in.size()).value("out_offset", q.out.offset);
  add_elements(launch, q.in[0], q.in.size() + 1);
  launch.value("head", head);
  launch.values({}, q.apply->values);
  launch.local_bytes = 0;
  return call;
}

told tell(const transform_problem& /*q*/, const target& on, const described<transform_variant>& call) {
  const std::string counted(words_of_count(call.variant.count_bytes));
  if (!is_cpu(on)) return {packets_of(call.variant.numbers) + counted};
  return {std::string(chunks) + (call.variant.streaming ? ", stores past the caches" : "") + counted};
}

described<broadcast_variant> describe(const broadcast_problem& q, const target& on) {
  check_operand_types(q);
  if (q.apply->kind != map_kind::user)
    no_map("broadcast", "a broadcast takes a map of your own, in x and b",
           q.in.type->name + " to " + q.out.type->name);
  const any_view in[] = {q.in, q.vector};
  check_types("broadcast", in, *q.out.type, *q.apply);
  check_values("broadcast", on, *q.apply);
  const std::uint64_t rows = q.size.rows, columns = q.size.columns;
  const std::uint64_t in_row = in_row_of(q.size), out_row = out_row_of(q.size);
  const std::uint64_t in_extent = extent_of_matrix(q.size, in_row, q.in.type->size, "the input");
  const std::uint64_t out_extent = extent_of_matrix(q.size, out_row, q.out.type->size, "the output");
  const std::uint64_t values = q.which == per::row ? rows : columns;

  const tuning& tuned = broadcast_tuning(*on.choice.profile);
  const any_view* const all[] = {&q.in, &q.vector, &q.out};
  described<broadcast_variant> call{{.in = q.in.type,
                                     .vector = q.vector.type,
                                     .out = q.out.type,
                                     .apply = q.apply,
                                     .which = q.which,
                                     .numbers = tuned_numbers(all, 1, tuned, on)},
                                    {.n = in_extent == 0 ? 0 : rows * columns}};
  const auto reach = [](const any_view& each, std::uint64_t n, std::string_view what) {
    return counting{"broadcast", what}.bytes(each.offset, n, each.type->size);
  };
  call.work.operands = {{access::reads, reach(q.in, in_extent, "the input")},
                        {access::reads, reach(q.vector, values, "the vector")},
                        {access::writes, reach(q.out, out_extent, "the output")}};
  if (in_extent == 0) return call;

  transform_numbers& numbers = call.variant.numbers;
  bool& staged = call.variant.staged;
  staged = !is_cpu(on) && q.which == per::row && on.choice.profile->local_staging_for_broadcast;
  std::uint64_t groups = 0;
  std::uint32_t tile_width = 1;
  if (is_cpu(on)) {
    groups = cpu_groups(rows * columns * std::max(q.in.type->size, q.out.type->size), on, tuned);
  } else {
    const auto starts_packets = [&](const any_view& each, std::uint64_t row) {
      return each.known && phase_of(each, numbers) == 0 && row % numbers.vector == 0;
    };
    // One row needs no pitch.
    if (!starts_packets(q.in, rows > 1 ? in_row : 0) || !starts_packets(q.out, rows > 1 ? out_row : 0) ||
        (q.which == per::column && !starts_packets(q.vector, 0)))
      take_by_element(numbers);
    const std::uint64_t width = blocks_of(columns, numbers.vector);
    // As wide as the group where the rows are long; along a row, its items reach on.
    const std::uint64_t along = q.which == per::row ? numbers.items : 1;
    const std::uint64_t wanted = blocks_of(width, along);
    tile_width =
        static_cast<std::uint32_t>(wanted >= numbers.group_size ? numbers.group_size : std::bit_ceil(wanted));
    const std::uint64_t tile_height = numbers.group_size / tile_width;
    const std::uint64_t across = blocks_of(width, tile_width * along);
    const std::uint64_t down = blocks_of(rows, tile_height * (q.which == per::row ? 1 : numbers.items));
    if (across > most_groups / down) refuse("broadcast", "more elements than one launch can take");
    groups = across * down;
  }
  described_launch& launch = call.work.launch("broadcast", groups, numbers.group_size);
  launch.buffer("x", 0).value("x_offset", q.in.offset).value("x_row", in_row);
  launch.buffer("b", 1).value("b_offset", q.vector.offset);
  launch.buffer("out", 2).value("out_offset", q.out.offset).value("out_row", out_row);
  launch.value("rows", rows).value("columns", columns).value("tile_width", tile_width);
  launch.values({}, q.apply->values);
  launch.local_bytes = staged ? numbers.group_size * q.vector.type->size : 0;
  return call;
}

told tell(const broadcast_problem& q, const target& on, const described<broadcast_variant>& call) {
  if (is_cpu(on)) return {chunks};
  return {packets_of(call.variant.numbers) +
          (q.which == per::column ? ", a column's values in registers down the rows"
           : call.variant.staged  ? ", a row's value staged in local memory"
                                  : ", a row's value read at one address by all lanes")};
}

// ---------------------------------------------------------------------------------------------- the entry

event transform(cl_command_queue queue, transform_problem q, const launch_fields& options) {
  constexpr std::string_view primitive = "transform";
  const call_site site = site_of(queue, primitive);
  check_inputs(q);
  const std::size_t inputs = q.in.size();
  std::array<call_operand, 5> all;
  for (std::size_t k = 0; k < inputs; ++k)
    all[k] = {.view = all_of(q.in[k]), .name = input_names[k], .gives_its_place = true};
  all[inputs] = {.view = q.out, .use = access::writes, .name = "the output"};
  std::size_t operands = inputs + 1;
  if (count_bytes_of(primitive, q.in[0]) != 0) all[operands++] = counting_operand(q.in[0]);
  const checked_operands checked = check_operands(site, primitive, {all.data(), operands});
  for (std::size_t k = 0; k < inputs; ++k) {
    if (q.in[k].n != q.out.n)
      refuse(primitive, std::string(input_names[k]) + " has " + std::to_string(q.in[k].n) +
                            " elements, the output " + std::to_string(q.out.n));
  }
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  q.in_place = false;
  std::array<cl_mem, 5> buffers{};
  for (std::size_t k = 0; k < inputs; ++k) {
    checked.place(k, q.in[k]);
    q.in_place = q.in_place || checked.in_one_place(k, inputs);
    buffers[k] = q.in[k].buffer;
  }
  checked.place(inputs, q.out);
  buffers[inputs] = q.out.buffer;
  if (operands > inputs + 1) buffers[inputs + 1] = q.in[0].count->buffer;
  return carry_out(site, q, {buffers.data(), operands}, after, options.with_event);
}

event broadcast(cl_command_queue queue, const broadcast_problem& asked, const launch_fields& options) {
  constexpr std::string_view primitive = "broadcast";
  const call_site site = site_of(queue, primitive);
  broadcast_problem q = asked;
  check_operand_types(q);
  const broadcast_shape& size = q.size;
  const std::uint64_t in_extent = extent_of_matrix(size, in_row_of(size), q.in.type->size, "the input");
  const std::uint64_t out_extent = extent_of_matrix(size, out_row_of(size), q.out.type->size, "the output");
  const std::size_t values = q.which == per::row ? size.rows : size.columns;
  if (q.vector.n != values)
    refuse(primitive, "the vector has " + std::to_string(q.vector.n) + " elements, the matrix " +
                          std::to_string(values) + (q.which == per::row ? " rows" : " columns"));
  const call_operand all[] = {
      {.view = q.in,
       .name = "the input",
       .reach = in_extent,
       .gives_its_place = size.rows <= 1 || in_row_of(size) == out_row_of(size)},
      {.view = q.vector, .name = "the vector"},
      {.view = q.out, .use = access::writes, .name = "the output", .reach = out_extent}};
  const checked_operands checked = check_operands(site, primitive, all);
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  for (std::size_t k = 0; any_view* const view : {&q.in, &q.vector, &q.out}) checked.place(k++, *view);
  const cl_mem buffers[] = {q.in.buffer, q.vector.buffer, q.out.buffer};
  return carry_out(site, q, buffers, after, options.with_event);
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const transform_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }
call_plan plan(const broadcast_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event transform(cl_command_queue queue, const transform_problem& asked, const launch_options& options) {
  return detail::transform(queue, asked, options);
}
event broadcast(cl_command_queue queue, const broadcast_problem& asked, const launch_options& options) {
  return detail::broadcast(queue, asked, options);
}

}  // namespace clwave
