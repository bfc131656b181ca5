// What the programs of transform, broadcast and adjacent_difference share: types, texts and numbers.
#include "primitives/transform.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <clwave/error.hpp>

#include "call/planning.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {

std::string transform_text(const map& apply, const element& in, const element& out) {
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

void refuse_map(std::string_view primitive, std::string_view message, const std::string& types,
                std::string_view advice) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(primitive), .types = types, .advice = std::string(advice)});
}

void check_transform_types(std::string_view primitive, std::span<const any_view> in, const element& out,
                           const map& apply) {
  std::string types;
  bool numbers = is_number(out);
  for (const any_view& each : in) {
    types += (types.empty() ? "" : ", ") + each.type->name;
    numbers = numbers && is_number(*each.type);
  }
  types += (types.empty() ? "to " : " to ") + out.name;
  const auto check_size = [&](const element& e) {
    if (e.size == 0 || e.size > 128) refuse_map(primitive, "elements have 1 to 128 bytes", types);
    if (e.kind == element_kind::opaque)
      refuse_map(primitive, e.name + " has no type on the device", types, "declare it with CLWAVE_STRUCTURE");
  };
  for (const any_view& each : in) check_size(*each.type);
  check_size(out);
  if (apply.kind == map_kind::user) {
    if (apply.source.empty()) refuse_map(primitive, "the map " + apply.name + " has no text", types);
    return;
  }
  if (apply.kind == map_kind::identity && in.size() == 1 && in[0].type->opencl_name == out.opencl_name)
    return;
  if (!numbers)
    refuse_map(primitive, "the map " + apply.name + " takes numbers, no structures and no std::byte", types,
               "use a map of your own");
  if (in.size() != (apply.kind == map_kind::product ? 2u : 1u))
    refuse_map(primitive, "the map " + apply.name + " takes another number of inputs", types);
  for (const any_view& each : in) {
    if (const conversion_fault fault = fault_of_conversion(*each.type, out))
      refuse_map(primitive, fault.message, types, fault.advice);
  }
  if (apply.kind == map_kind::abs && is_complex(out))
    refuse_map(primitive, "the absolute value of a complex number is real", types,
               "use a map of your own: hypot(x.x, x.y)");
}

void add_transform_numbers(program_spec& spec, const transform_numbers& numbers) {
  add_word(spec, "GROUP_SIZE", std::to_string(numbers.group_size));
  add_word(spec, "ITEMS", std::to_string(numbers.items));
  add_word(spec, "VECTOR", std::to_string(numbers.vector));
}

void add_transform_operand(program_spec& spec, const std::string& letter, const element& e,
                           const transform_numbers& numbers) {
  add_word(spec, letter + "_STORED", stored_name(e));
  add_word(spec, letter + "_LOADED", loaded_name(e));
  add_word(spec, letter + "_BYTES", std::to_string(e.size));
  add_word(spec, letter + "_BITS", numbers.vector == 1 ? stored_name(e) : bits_of(numbers.vector * e.size));
  if (letter.starts_with("OUT")) {
    // What a further output's text gives is an integer of its type already.
    const bool is_whole = letter != "OUT" && (is_integer(e) || is_byte(e));
    add_word(spec, letter + "_CONVERT", is_whole ? "AS_IT_IS" : add_conversion(spec, e));
    add_word(spec, letter + "_WRITE", add_write(spec, e));
    if (letter == "OUT" && is_complex(e)) add_word(spec, "COMPLEX", loaded_name(e));
  } else {
    add_word(spec, letter + "_READ", read_name(e));
  }
}

void add_transform_map(program_spec& spec, const map& apply, std::vector<text_operand> operands,
                       const element& out) {
  add_expression(spec, {.macro = "TRANSFORM_TEXT",
                        .label = "map " + apply.name,
                        .source = apply.source,
                        .declarations = apply.declarations,
                        .values = apply.values,
                        .prefix = map_value_prefix,
                        .operands = std::move(operands),
                        .gives = &out});
}

transform_numbers tuned_transform_numbers(std::span<const any_view* const> all, std::size_t inputs,
                                          const tuning& tuned, const target& on) {
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
  numbers.items =
      static_cast<unsigned>(std::max<std::size_t>(tuned.items / std::max<std::size_t>(inputs, 1), 1));
  return numbers;
}

std::string words_of_numbers(const transform_numbers& numbers, const target& on) {
  if (is_cpu(on)) return "a contiguous chunk per work-item, loops the compiler widens";
  return "packets of " + std::to_string(numbers.vector) + " elements";
}

void take_elements_singly(transform_numbers& numbers) {
  numbers.items = std::min(numbers.items * numbers.vector, 16u);
  numbers.vector = 1;
}

std::uint64_t phase_of(const any_view& each, const transform_numbers& numbers) {
  return each.address / each.type->size % numbers.vector;
}

}  // namespace clwave::detail
