// Element types in OpenCL C's words.
#include "program/element_words.hpp"

#include <clwave/error.hpp>

#include "program/compiler_log.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

// What a kind of element has in memory, what arithmetic sees, and the function that reads it.
struct handled {
  const char *stored, *loaded, *read;
};

// Nothing for what is the same in memory and to arithmetic, under the name that the element has.
const handled* handled_by_kind(const element& e) {
  static constexpr handled half = {"ushort", "float", "half_as_float"};
  static constexpr handled bfloat16 = {"ushort", "float", "bfloat16_as_float"};
  static constexpr handled boolean = {"uchar", "uchar", "TO_BOOL"};
  static constexpr handled byte = {"uchar", "uchar", "AS_IT_IS"};
  static constexpr handled complex_float = {"float2", "float2", "AS_IT_IS"};
  static constexpr handled complex_double = {"double2", "double2", "AS_IT_IS"};
  switch (e.kind) {
    case element_kind::half_storage:
      return &half;
    case element_kind::bfloat16_storage:
      return &bfloat16;
    case element_kind::boolean:
      return &boolean;
    case element_kind::byte:
      return &byte;
    case element_kind::complex:
      return is_of_doubles(e) ? &complex_double : &complex_float;
    case element_kind::signed_integer:
    case element_kind::unsigned_integer:
    case element_kind::floating:
    case element_kind::structure:
    case element_kind::opaque:
      break;
  }
  return nullptr;
}

std::string scalar_of(const std::string& type) { return type.substr(0, type.find_first_of("0123456789")); }

}  // namespace

std::string stored_name(const element& e) {
  const handled* by_kind = handled_by_kind(e);
  return by_kind != nullptr ? by_kind->stored : name_in_source(e);
}

std::string loaded_name(const element& e) {
  const handled* by_kind = handled_by_kind(e);
  return by_kind != nullptr ? by_kind->loaded : name_in_source(e);
}

std::string stored_scalar(const element& e) { return scalar_of(stored_name(e)); }

std::string scalar_name(const element& e) { return scalar_of(loaded_name(e)); }

std::string read_name(const element& e) {
  const handled* by_kind = handled_by_kind(e);
  return by_kind != nullptr ? by_kind->read : "AS_IT_IS";
}

std::string unsigned_name(const element& e, unsigned components) {
  return (scalar_bytes(e) == 8 ? "ulong" : "uint") +
         (components > 1 ? std::to_string(components) : std::string());
}

std::string bits_of(std::uint64_t n_bytes) {
  switch (n_bytes) {
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
    case 32:
      return "uint8";
    default:
      throw error(failure::internal, "no access has " + std::to_string(n_bytes) + " bytes");
  }
}

void add_modules(program_spec& spec, std::initializer_list<std::string_view> files) {
  spec.modules.insert(spec.modules.end(), files.begin(), files.end());
}

void add_word(program_spec& spec, std::string name, std::string text) {
  spec.words.emplace_back(std::move(name), std::move(text));
}

std::string add_conversion(program_spec& spec, const element& to) {
  if (is_structure(to)) return "AS_IT_IS";
  if (is_bool(to)) return "TO_BOOL";
  if (is_storage(to)) {
    add_word(spec, "ODD_FLOATS");
    add_modules(spec, {"blocks/convert.cl"});
    return "to_odd_float";
  }
  if (!is_integer(to) && !is_byte(to)) return "convert_" + loaded_name(to);
  add_modules(spec, {"blocks/convert.cl"});
  add_word(spec, "SATURATED", loaded_name(to));
  add_word(spec, "SATURATED_COMPONENTS", to.components == 1 ? "NOTHING" : std::to_string(to.components));
  return "to_integer";
}

std::string add_write(program_spec& spec, const element& e, rounding round) {
  if (!is_storage(e)) return "AS_IT_IS";
  // Named in any case: what is meant without a name is the device's own default.
  const std::string rounds(round == rounding::natural ? "_rte" : rounding_suffix(round));
  if (is_bfloat16(e)) {
    add_word(spec, "BFLOAT16_ROUNDED", "ROUNDED" + rounds);
    return "float_as_bfloat16";
  }
  add_word(spec, "STORE_HALF", "vstore_half" + rounds);
  add_word(spec, "STORE_HALF_16", "vstore_half16" + rounds);
  return "number_as_half";
}

std::string infinity_of(const element& key) {
  if (is_half(key)) return "0x7c00";
  if (is_bfloat16(key)) return "0x7f80";
  if (is_float(key)) return key.size == 4 ? "0x7f800000" : "0x7ff0000000000000";
  return "0";
}

void add_key(program_spec& spec, const element& key) {
  add_modules(spec, {"blocks/key_order.cl"});
  add_word(spec, "KEY", key.size == 8 ? "ulong" : bits_of(key.size));
  add_word(spec, "KEY_BYTES", std::to_string(key.size));
  if (const std::string infinity = infinity_of(key); infinity != "0")
    add_word(spec, "KEY_INFINITY", infinity);
  if (key.kind == element_kind::signed_integer) add_word(spec, "KEY_IS_SIGNED");
  if (is_bool(key)) add_word(spec, "KEY_IS_BOOL");
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

void add_types(program_spec& spec, std::span<const element* const> all) {
  check_elements(spec.primitive, all);  // where a program is made, and not in each call
  for (const element* e : all) {
    if (e->declaration.empty()) continue;
    spec.declarations.push_back({"type " + e->name, e->declaration, false});
    spec.declarations.push_back(
        {label_of_size(e->opencl_name), check_of_size(e->opencl_name, e->size), /*ours=*/true});
  }
}

conversion_fault fault_of_conversion(const element& from, const element& to) {
  if (is_structure(from) || is_structure(to)) {
    if (from.opencl_name == to.opencl_name) return {};
    return {"a structure converts to another type only by a map of your own", "use clwave::transform"};
  }
  if (is_byte(from) != is_byte(to))
    return {"std::byte is no number", "view its memory as std::uint8_t, or use a map of your own"};
  if (is_complex(from) != is_complex(to))
    return {"complex numbers convert to complex numbers only",
            "say which part by a map of your own: x.x is the real part, (float2)(x, 0) makes a real number "
            "complex"};
  if (from.components != to.components)
    return {"vectors convert to vectors of as many components", "use a map of your own"};
  return {};
}

}  // namespace clwave::detail
