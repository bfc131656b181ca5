// Equal neighbours, keys beside values, and the sizes of tiles.
#include "blocks/kept.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <clwave/error.hpp>

#include "call/planning.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
void add_counts_kept(program_spec& spec, const group_messages& messages) {
  add_modules(spec, {"blocks/kept_counts.cl"});
  if (messages.one_pass) add_modules(spec, {"blocks/look_back_counts.cl"});
  add_messages(spec, messages);
}

void add_kept(program_spec& spec, const group_messages& messages, unsigned group_size) {
  add_counts_kept(spec, messages);
  add_modules(spec, {"blocks/kept.cl", "blocks/select_tile.cl"});
  if (group_size > 1)
    add_modules(spec, {"blocks/select_load.cl", "blocks/select_groups.cl"});
  else
    add_modules(spec, {"blocks/select_serial.cl"});
}

void add_selection(program_spec& spec, const group_messages& messages, unsigned group_size) {
  add_kept(spec, messages, group_size);
  add_modules(spec, {"primitives/select.cl"});
  if (messages.one_pass)
    add_modules(spec, {"blocks/select_others.cl", "primitives/select_one_pass.cl"});
  else
    add_modules(spec, {"primitives/select_launches.cl", "blocks/select_sums.cl"});
}

void add_two_ways(program_spec& spec, unsigned group_size) {
  add_modules(spec, {group_size > 1 ? "blocks/select_two.cl" : "blocks/select_two_serial.cl"});
}

key_shape shape_keys(const any_view& keys, unsigned elements) {
  key_shape shape;
  const std::size_t key = keys.type->size;
  const bool by_element = keys.alignment < std::min<std::size_t>(low_bit(key), 16);
  if (std::has_single_bit(key) && key <= 16 && !by_element) {
    shape.vector = std::min(static_cast<unsigned>(16 / key), std::bit_floor(elements));
    if (!keys.known && keys.alignment < shape.vector * key) shape.vector = 1;
    shape.packets = true;
  }
  shape.items = elements / shape.vector;
  return shape;
}

std::uint32_t head_of_keys(const any_view& keys, const key_shape& shape) {
  return static_cast<std::uint32_t>(keys.address / keys.type->size % shape.vector);
}

void add_kept_keys(program_spec& spec, const element& key, const key_shape& shape, const op& same) {
  add_modules(spec, {"blocks/kept_keys.cl", "blocks/keeps_unlike.cl"});
  add_word(spec, "KEY", stored_name(key));
  add_word(spec, "KEY_LOADED", loaded_name(key));
  add_word(spec, "KEY_READ", read_name(key));
  add_word(spec, "KEPT_BYTES", std::to_string(key.size));
  add_word(spec, "KEPT_ITEMS", std::to_string(shape.items));
  add_word(spec, "KEPT_VECTOR", std::to_string(shape.vector));
  if (shape.packets) add_word(spec, "KEY_BITS", bits_of(shape.vector * key.size));
  add_comparison(spec, "SAME_TEXT", same, key);
}

const op& equality_of(const element& value, const op* same) {
  // Never destroyed: calls may come as the process exits.
  static const op& equal = *new op{.name = "equal", .source = "a == b", .identity = {}};
  static const op& equal_in_all = *new op{.name = "equal", .source = "all(a == b)", .identity = {}};
  if (same != nullptr) return *same;
  return value.components > 1 ? equal_in_all : equal;
}

void check_equality(std::string_view caller, const target& on, const element& value, const op* same) {
  const auto refuse_equality = [&](std::string_view message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(caller), .types = value.name, .advice = std::string(advice)});
  };
  const op& compared = equality_of(value, same);
  if (same == nullptr && is_structure(value))
    refuse_equality("structures have no ==",
                    R"(give an operator, such as {.name = "same key", .source = "a.key == b.key"})");
  if (compared.kind != op_kind::user || compared.name.empty() || compared.source.empty())
    refuse_equality("equality is an operator of your own, with a name and a source");
  check_values(caller, on, compared);
}

void check_run_keys(std::string_view caller, const target& on, const element& key, const op* same) {
  const auto no = [&](const std::string& message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(caller), .types = key.name, .advice = std::string(advice)});
  };
  if (key.kind == element_kind::opaque)
    no(key.name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
  if (key.size == 0 || key.size > 128) no("keys have 1 to 128 bytes");
  check_equality(caller, on, key, same);
}

unsigned elements_of_item(std::size_t size, unsigned items) {
  return static_cast<unsigned>(std::clamp<std::size_t>(items * 4 / size, 1, std::min(items, 64u)));
}

}  // namespace clwave::detail
