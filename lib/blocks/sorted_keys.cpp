// Keys in an order: checks, words and texts.
#include "blocks/sorted_keys.hpp"

#include <algorithm>
#include <string>

#include <clwave/error.hpp>

#include "call/call.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

[[noreturn]] void no(std::string_view primitive, const element& key, const std::string& message,
                     std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(primitive), .types = key.name, .advice = std::string(advice)});
}

void check_text(std::string_view primitive, const target& on, const element& key, const op& less) {
  if (key.kind == element_kind::opaque)
    no(primitive, key, key.name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
  if (key.size == 0 || key.size > 128) no(primitive, key, "elements have 1 to 128 bytes");
  if (less.kind != op_kind::user || less.name.empty() || less.source.empty())
    no(primitive, key, "an order is an operator of your own, with a name and a source",
       R"(such as {.name = "by key", .source = "a.key < b.key"})");
  check_values(primitive, on, less);
}

}  // namespace

// Never destroyed: calls may come as the process exits.
const op& by_number() {
  static const op& made = *new op{.name = "numbers", .source = {}, .identity = {}, .kind = op_kind::min};
  return made;
}

void check_key(std::string_view primitive, const element& key) {
  if (is_byte(key)) no(primitive, key, "std::byte is no key", "view its memory as std::uint8_t");
  constexpr std::string_view by_text =
      "give an operator that says which of two comes first, such as {.name = \"by key\", "
      ".source = \"a.key < b.key\"}";
  if (is_structure(key)) no(primitive, key, "structures are no keys", by_text);
  if (key.components > 1)
    no(primitive, key, is_complex(key) ? "complex numbers have no order" : "vectors are no keys", by_text);
}

void check_ranges(std::string_view primitive, const element& a, const element& b, const element& out) {
  if (!are_alike(b, a)) no(primitive, a, "the second range is of " + b.name);
  if (!are_alike(out, a)) no(primitive, a, "the output is of " + out.name);
}

bit_range bits_of_keys(std::string_view primitive, const element& key, const sort_order& order) {
  const unsigned all = static_cast<unsigned>(key.size) * 8;
  const unsigned first = order.first_bit, last = order.last_bit.value_or(all);
  if (first > last || last > all)
    no(primitive, key,
       "bits from " + std::to_string(first) + " to before " + std::to_string(last) + " of a key of " +
           std::to_string(all) + " bits");
  return {first == all ? 0 : first, last - first};
}

key_comparison comparison_of(std::string_view primitive, const target& on, const element& key, const op* less,
                             const sort_order& order) {
  if (less != nullptr) {
    check_text(primitive, on, key, *less);
    return {.key = &key, .less = less};
  }
  check_key(primitive, key);
  const bit_range bits = bits_of_keys(primitive, key, order);
  return {.key = &key, .descending = order.descending, .first_bit = bits.first, .bits = bits.count};
}

void check_one_order(std::string_view primitive, const op* less, const sort_order& order) {
  if (less == nullptr || (!order.descending && order.first_bit == 0 && !order.last_bit)) return;
  refuse(primitive, "an operator and an order of numbers are given",
         "leave .descending and bits away where there is .less: its text says all");
}

void add_key_comparison(program_spec& spec, const key_comparison& v) {
  const element& key = *v.key;
  spec.types = key.name;
  spec.op = v.less->name;
  add_modules(spec, {"blocks/sorted_keys.cl"});
  if (is_by_text(v)) {
    add_word(spec, "KEY", stored_name(key));
    add_word(spec, "KEY_LOADED", loaded_name(key));
    add_word(spec, "KEY_READ", read_name(key));
    add_word(spec, "KEY_BYTES", std::to_string(key.size));
    if (is_structure(key)) add_word(spec, "KEY_IS_STRUCTURE");
    add_types(spec, {&v.key, 1});
    add_comparison(spec, "LESS_TEXT", *v.less, key);
    return;
  }
  add_key(spec, key);
  add_word(spec, "KEY_LOADED", key.size == 8 ? "ulong" : bits_of(key.size));
  add_word(spec, "KEY_READ", "AS_IT_IS");
  if (v.descending) add_word(spec, "DESCENDING");
  if (v.bits == key.size * 8 && !is_bool(key)) return;
  const std::uint64_t mask = v.bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << v.bits) - 1;
  add_word(spec, "KEY_FIRST_BIT", std::to_string(v.first_bit));
  add_word(spec, "KEY_MASK", "0x" + hexadecimal(mask));
}

void add_carried(program_spec& spec, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t part = std::min<std::uint64_t>(low_bit(bytes), 16);
  add_word(spec, "CARRIED_PART", bits_of(part));
  add_word(spec, "CARRIED_WORDS", std::to_string(bytes / part));
  add_word(spec, "CARRIED_BYTES", std::to_string(bytes));
  spec.types += ", " + std::to_string(bytes) + " bytes";
}

std::string name_of_order(const key_comparison& v) {
  if (is_by_text(v)) return "by the operator " + v.less->name;
  std::string name = v.descending ? "by number, descending" : "by number";
  if (v.bits != v.key->size * 8)
    name += ", bits " + std::to_string(v.first_bit) + " to before " + std::to_string(v.first_bit + v.bits);
  return name;
}

}  // namespace clwave::detail
