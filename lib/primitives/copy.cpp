// copy: what a call is, and the entry. Boxes are in copy_box.cpp.
#include "primitives/copy.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <clwave/error.hpp>

#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// ------------------------------------------------------------------------------------------------ programs

bool is_same(const element& a, const element& b) { return are_alike(a, b) && a.declaration == b.declaration; }

// Whether any element changes on its way. Integers of the same size only change their name.
bool converts(const element& from, const element& to, bool saturate) {
  if (is_same(from, to)) return false;
  return saturate || !is_integer(from) || !is_integer(to) || scalar_bytes(from) != scalar_bytes(to);
}

void add_numbers(program_spec& spec, const copy_numbers& numbers) {
  add_word(spec, "GROUP_SIZE", std::to_string(numbers.group_size));
  add_word(spec, "ITEMS", std::to_string(numbers.items));
  add_word(spec, "VECTOR_BYTES", std::to_string(numbers.vector_bytes));
}

// The functions that convert a scalar and a vector of 16.
struct conversion {
  std::string one, sixteen;
  bool nan_is_zero = false;
};

conversion conversion_of(const convert_variant& v) {
  const element &from = *v.from, &to = *v.to;
  if (is_bool(to)) return {"TO_BOOL", "TO_BOOL_16"};
  // Everything rounds once, on its way into the bfloat16.
  if (is_bfloat16(to)) return {"to_odd_float", "to_odd_float_16"};
  // A double rounds once, on its way into the half; every other number that is not far beyond a half's range
  // is a float exactly.
  if (is_half(to)) {
    if (scalar_name(from) == "double") return {"convert_double", "convert_double16"};
    return {"convert_float", "convert_float16"};
  }
  // OpenCL leaves open what a float out of an integer's range becomes without saturation.
  const bool from_floats = is_integer(to) && !is_integer(from) && !is_bool(from);
  const bool saturates = (v.saturate && is_integer(to)) || from_floats;
  const std::string suffix = (saturates ? "_sat" : "") + std::string(rounding_suffix(v.round));
  return {"convert_" + scalar_name(to) + suffix, "convert_" + scalar_name(to) + "16" + suffix, from_floats};
}

// -------------------------------------------------------------------------------------------- descriptions

// A copy that converts its elements.
struct convert_problem : copy_problem {};

// Calls use(problem) with what a copy is.
template <class Use>
auto by_kind(const copy_problem& q, Use use) {
  return converts(*q.in.type, *q.out.type, q.saturate) ? use(convert_problem{q}) : use(move_problem{q});
}

// The elements of the call and the bytes that it reaches of its operands.
described_work work_of(const copy_problem& q) {
  return {.n = q.in.n,
          .operands = {{access::reads, counting{move_variant::primitive, "the input"}.bytes(
                                           q.in.offset, q.in.n, q.in.type->size)},
                       {access::writes, counting{move_variant::primitive, "the output"}.bytes(
                                            q.out.offset, q.in.n, q.out.type->size)}}};
}

// The one launch, if there are elements. Offsets and lengths count `in_unit` and `out_unit` for an element.
void add_launch(described_work& work, const copy_problem& q, const char* kernel, std::uint64_t groups,
                unsigned group_size, std::uint64_t in_unit, std::uint64_t out_unit, const char* counted) {
  if (q.in.n == 0) return;
  described_launch& launch = work.launch(kernel, groups, group_size);
  launch.buffer("in", 0).value("in_offset", q.in.offset * in_unit);
  launch.buffer("out", 1).value("out_offset", q.out.offset * out_unit).value(counted, q.in.n * in_unit);
  launch.local_bytes = 0;
}

std::string access_text(const target& on, std::uint64_t width) {
  return std::string(is_cpu(on) ? "a contiguous chunk per work-item" : "a contiguous block per group") +
         ", accesses of " + std::to_string(width) + " bytes";
}

// The widest access up to `most` bytes at which two places line up; 1 where they do not from 4 bytes on.
unsigned common_width(const any_view& in, const any_view& out, unsigned most) {
  if (!in.known || !out.known) return 1;
  const std::uint64_t apart = (in.address - out.address) & 127;
  const std::uint64_t shared = apart == 0 ? most : std::min<std::uint64_t>(low_bit(apart), most);
  return shared < 4 ? 1 : static_cast<unsigned>(shared);
}

// How bytes are moved: by which kernel, and by accesses of how many bytes.
struct move_access {
  const char* kernel;
  unsigned width;
  bool streams = false, shifts = false;
};

// Describes how a problem's bytes are moved, once they have been counted.
move_access access_of(const move_problem& q, const copy_numbers& numbers, const target& on) {
  const std::uint64_t bytes = q.in.n * q.in.type->size;
  if (is_cpu(on)) {
    const bool streams = bytes > cache_bytes(on) / 2;
    return {.kernel = streams ? "copy_streaming" : "copy", .width = numbers.vector_bytes, .streams = streams};
  }
  const unsigned width = common_width(q.in, q.out, numbers.vector_bytes);
  switch (width) {
    case 16:
      return {(q.in.address | q.out.address | bytes) % 16 == 0 ? "copy_16_whole" : "copy_16", width};
    case 8:
      return {"copy_8", width};
    case 4:
      return {"copy_4", width};
    default:
      return {.kernel = "copy_shifted", .width = 4, .shifts = true};
  }
}

// How elements are converted: in packets that start at one element on both sides, or one by one.
struct convert_access {
  const char* kernel;
  unsigned vector;      // elements of a packet
  std::uint64_t width;  // in bytes of the wider side
  bool by_element = false;
};

convert_access access_of(const convert_problem& q, const copy_numbers& numbers, const target& on) {
  const std::uint64_t from_bytes = scalar_bytes(*q.in.type), to_bytes = scalar_bytes(*q.out.type);
  const std::uint64_t wider = std::max(from_bytes, to_bytes);
  if (is_cpu(on)) return {"convert", 16, 16 * wider};
  // The wider side fills the profile's access, and the narrower one has 4 bytes at least.
  const auto vector = static_cast<unsigned>(
      std::max({numbers.vector_bytes / wider, 4 / std::min(from_bytes, to_bytes), std::uint64_t{1}}));
  const bool together =
      q.in.known && q.out.known && (q.in.address / from_bytes - q.out.address / to_bytes) % vector == 0;
  if (together) return {"convert_packets", vector, vector * wider};
  return {.kernel = "convert_elements", .vector = vector, .width = wider, .by_element = true};
}

described<convert_variant> describe(const convert_problem& q, const target& on) {
  check_typed(move_variant::primitive, {{"the input", q.in}, {"the output", q.out}});
  check_copied(move_variant::primitive, *q.in.type, *q.out.type);
  const tuning& tuned = fill_tuning(*on.choice.profile);
  const copy_numbers numbers = copy_numbers_of(on, tuned);
  described<convert_variant> call{
      {.from = q.in.type, .to = q.out.type, .saturate = q.saturate, .round = q.round, .numbers = numbers},
      work_of(q)};
  const convert_access used = access_of(q, numbers, on);
  call.variant.vector = used.vector;
  const std::uint64_t components = q.in.type->components;
  const std::uint64_t count = q.in.n * components;
  const auto groups = [&]() -> std::uint64_t {
    const std::uint64_t group_size = numbers.group_size;
    if (is_cpu(on))
      return cpu_groups(count * std::max(scalar_bytes(*q.in.type), scalar_bytes(*q.out.type)), on, tuned);
    if (used.by_element)
      return gpu_groups(move_variant::primitive, count,
                        group_size * std::min(numbers.items * used.vector, 16u));
    return gpu_groups(move_variant::primitive, count / used.vector, group_size * numbers.items);
  };
  add_launch(call.work, q, used.kernel, groups(), numbers.group_size, components, components, "n");
  return call;
}

told tell(const convert_problem& q, const target& on, const described<convert_variant>& call) {
  const convert_access used = access_of(q, call.variant.numbers, on);
  const conversion function = conversion_of(call.variant);
  told people{access_text(on, used.width) + ", converted by " + function.one};
  if (used.by_element)
    people.rejected.push_back(
        {"packets of " + std::to_string(used.vector) + " elements",
         "the input and the output do not reach a multiple of them at the same element"});
  return people;
}

}  // namespace

program_spec spec_of_bytes(std::string_view of, const copy_numbers& numbers) {
  program_spec spec;
  spec.primitive = of;
  spec.types = "bytes";
  if (numbers.group_size == 1) add_modules(spec, {"blocks/moves.cl"});
  add_numbers(spec, numbers);
  return spec;
}

program_spec spec_of(const move_variant& v) {
  program_spec spec = spec_of_bytes(move_variant::primitive, v.numbers);
  add_modules(spec, {"primitives/copy.cl"});
  if (v.kernel.empty()) return spec;
  add_word(spec, "COPY_KERNEL", std::string(v.kernel));
  const bool is_box = v.kernel.starts_with("copy_box");
  if (v.numbers.group_size == 1) {
    add_modules(spec, {"primitives/copy_runs.cl",
                       is_box ? "primitives/copy_box_serial.cl" : "primitives/copy_serial.cl"});
    if (v.kernel == "copy_streaming") add_word(spec, "STREAMING");
    return spec;
  }
  const unsigned in_flight =
      is_box ? box_in_flight(v.numbers, v.width) : packets_in_flight(v.numbers, v.width);
  add_word(spec, "PACKET_WIDTH", std::to_string(v.width));
  add_word(spec, "IN_FLIGHT", std::to_string(in_flight));
  if (v.kernel == "copy_16_whole") add_word(spec, "COPIES_WHOLE");
  add_modules(spec, {is_box                       ? "primitives/copy_box.cl"
                     : v.kernel == "copy_shifted" ? "primitives/copy_shifted.cl"
                                                  : "primitives/copy_packets.cl"});
  return spec;
}

program_spec spec_of(const convert_variant& v) {
  program_spec spec;
  spec.primitive = move_variant::primitive;
  add_modules(spec,
              {"primitives/copy_convert.cl", v.numbers.group_size > 1 ? "primitives/copy_convert_groups.cl"
                                                                      : "primitives/copy_convert_serial.cl"});
  spec.types = v.from->name + " to " + v.to->name;
  add_numbers(spec, v.numbers);
  const bool packets = v.numbers.group_size > 1;
  add_word(spec, "VECTOR", std::to_string(v.vector));
  add_word(spec, "FROM", stored_scalar(*v.from));
  add_word(spec, "FROM_LOADED", scalar_name(*v.from));
  add_word(spec, "FROM_16", scalar_name(*v.from) + "16");
  add_word(spec, "FROM_READ", read_name(*v.from));
  if (packets) add_word(spec, "FROM_BITS", bits_of(v.vector * scalar_bytes(*v.from)));
  add_word(spec, "TO", stored_scalar(*v.to));
  if (packets) add_word(spec, "TO_BITS", bits_of(v.vector * scalar_bytes(*v.to)));
  const conversion function = conversion_of(v);
  if (function.nan_is_zero) add_word(spec, "NAN_IS_ZERO");
  add_word(spec, "CONVERT", function.one);
  add_word(spec, "CONVERT_16", function.sixteen);
  if (function.one == "to_odd_float") {
    add_word(spec, "ODD_FLOATS");
    add_modules(spec, {"blocks/convert.cl"});
  }
  add_word(spec, "TO_WRITE", add_write(spec, *v.to, v.round));
  return spec;
}

copy_numbers copy_numbers_of(const target& on, const tuning& tuned) {
  copy_numbers numbers;
  numbers.items = std::max(tuned.items, 1u);
  if (is_cpu(on)) {
    numbers.vector_bytes = std::clamp(std::bit_floor(tuned.vector_bytes), 16u, 64u);
    return numbers;
  }
  numbers.vector_bytes = std::clamp(std::bit_floor(tuned.vector_bytes), 4u, 16u);
  numbers.group_size = group_size_within(on, tuned.group_size);
  return numbers;
}

unsigned packets_in_flight(const copy_numbers& numbers, unsigned width) {
  return std::clamp(numbers.items * numbers.vector_bytes / width, 1u, 16u);
}

unsigned box_in_flight(const copy_numbers& numbers, unsigned width) {
  return std::min(packets_in_flight(numbers, width), 8u);
}

std::uint64_t gpu_groups(std::string_view of, std::uint64_t count, std::uint64_t block) {
  const std::uint64_t groups = std::max<std::uint64_t>(blocks_of(count, block), 1);
  if (groups > most_groups) refuse(of, "more bytes than one launch can take");
  return groups;
}

void check_copied(std::string_view of, const element& from, const element& to) {
  const auto no = [&](std::string_view message, std::string_view advice = {}) {
    throw error(
        failure::bad_call, message, CL_SUCCESS,
        {.primitive = std::string(of), .types = from.name + " to " + to.name, .advice = std::string(advice)});
  };
  if (from.size == 0 || from.size > 128 || to.size == 0 || to.size > 128) no("elements have 1 to 128 bytes");
  if (is_same(from, to)) return;
  if (is_structure(from) || is_structure(to)) no("a structure is copied to its own type only");
  if (const conversion_fault fault = fault_of_conversion(from, to)) no(fault.message, fault.advice);
}

described<move_variant> describe(const move_problem& q, const target& on) {
  check_typed(move_variant::primitive, {{"the input", q.in}, {"the output", q.out}});
  check_copied(move_variant::primitive, *q.in.type, *q.out.type);
  const tuning& tuned = on.choice.profile->copy;
  described<move_variant> call{{copy_numbers_of(on, tuned)}, work_of(q)};
  const copy_numbers& numbers = call.variant.numbers;
  const std::uint64_t size = q.in.type->size, bytes = q.in.n * size;
  const move_access used = access_of(q, numbers, on);
  if (q.in.n != 0) call.variant.kernel = used.kernel;
  call.variant.width = used.width;
  const std::uint64_t block = std::uint64_t{numbers.group_size} * packets_in_flight(numbers, used.width);
  const std::uint64_t groups = is_cpu(on) ? cpu_groups(bytes, on, tuned)
                                          : gpu_groups(move_variant::primitive, bytes / used.width, block);
  add_launch(call.work, q, used.kernel, groups, numbers.group_size, size, size, "bytes");
  return call;
}

told tell(const move_problem& q, const target& on, const described<move_variant>& call) {
  const copy_numbers& numbers = call.variant.numbers;
  const move_access used = access_of(q, numbers, on);
  told people{access_text(on, used.width)};
  if (used.shifts) people.variant += ", two words shifted together";
  if (used.streams) people.variant += ", stores past the caches";
  if (is_cpu(on)) {
    if (!used.streams)
      people.rejected.push_back({"stores past the caches", "the caches hold the input and the output"});
  } else if (used.shifts || used.width < numbers.vector_bytes) {
    people.rejected.push_back({"accesses of " + std::to_string(numbers.vector_bytes) + " bytes",
                               "the input and the output lie differently between its multiples"});
  }
  return people;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const copy_problem& asked, const plan_target& on) {
  return detail::by_kind(asked, [&](const auto& q) { return detail::plan_of(q, on); });
}

event copy(cl_command_queue queue, const copy_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::move_variant::primitive);
  copy_problem given = asked;
  const bool changes = detail::converts(*given.in.type, *given.out.type, given.saturate);
  const auto alignment = [&](const element& e) {
    return changes ? static_cast<std::size_t>(detail::low_bit(detail::scalar_bytes(e))) : std::size_t{1};
  };
  const detail::call_operand all[] = {
      {.view = given.in, .name = "the input", .alignment = alignment(*given.in.type)},
      {.view = given.out,
       .use = detail::access::writes,
       .name = "the output",
       .alignment = alignment(*given.out.type)}};
  const detail::checked_operands checked = detail::check_operands(site, detail::move_variant::primitive, all);
  if (given.in.n != given.out.n)
    detail::refuse(detail::move_variant::primitive, "the input has " + std::to_string(given.in.n) +
                                                        " elements, the output " +
                                                        std::to_string(given.out.n));
  const std::span<const cl_event> after =
      detail::check_events(site, options.after, detail::move_variant::primitive);
  checked.place(0, given.in);
  checked.place(1, given.out);
  const cl_mem buffers[] = {given.in.buffer, given.out.buffer};
  return detail::by_kind(
      given, [&](const auto& q) { return detail::carry_out(site, q, buffers, after, options.with_event); });
}

}  // namespace clwave
