// Named values of operators and maps: their checks, and their declaration for the kernels.
#include "program/named_values.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <clwave/error.hpp>

#include "program/element_words.hpp"
#include "program/expressions.hpp"
#include "program/text_pieces.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

[[noreturn]] void no_value(std::string_view primitive, const std::string& message,
                           std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(primitive), .advice = std::string(advice)});
}

// Adds the value to `found` where `type` is that of T, and a value may be of it.
template <class T>
void add_value_of(std::optional<named_value>& found, const std::string& name, const element& type,
                  const void* bytes) {
  if constexpr (value_number<T>) {
    if (&type != &element_of<T>()) return;
    T number;
    std::memcpy(&number, bytes, sizeof number);
    found.emplace(name, number);
  }
}

// The macro that declares a call's values.
constexpr std::string_view declared_values = "NAMED_VALUES(V)";

// In errors.
std::string label_of(const op& fold) { return "the operator " + fold.name; }
std::string label_of(const map& apply) { return "the map " + apply.name; }

// In each call: strings are made for an error alone.
template <class Function>
void check_values_of(std::string_view primitive, const target& on, const Function& function, bool has_text) {
  for (const named_value& each : function.values) {
    const auto refuse_value = [&](std::string_view why) {
      no_value(primitive, "the value " + each.name() + " of " + label_of(function) + " " + std::string(why));
    };
    if (!has_text) refuse_value("is for a text, and there is none: it is one of clwave's own");
    if (!is_integer(each.type()) && !is_float(each.type()))
      refuse_value("is no number, and no vector of numbers that kernels can take");
    if (on.facts != nullptr && !on.facts->fp64.value_or(false) && scalar_name(each.type()) == "double")
      refuse_value("is a double, which this device does not have");
  }
}

void check_name(std::string_view primitive, const std::string& name, const std::string& owner) {
  const std::string what = "the name \"" + name + "\" of a value of " + owner;
  if (is_parameter(name)) no_value(primitive, what + " is that of an element or an index in texts");
  if (is_keyword(name) || is_arithmetic_type(name) || is_conversion(name))
    no_value(primitive, what + " is a word of OpenCL C");
  if (!is_identifier(name)) no_value(primitive, what + " is no identifier");
  if (name.starts_with("clwave_") || name.starts_with("__"))
    no_value(primitive, what + " is reserved, as are all that begin with clwave_ or __");
}

template <class Function>
void check_names(std::string_view primitive, const Function& function) {
  if (function.values.size() > most_values)
    no_value(primitive,
             label_of(function) + " has " + std::to_string(function.values.size()) + " values, and " +
                 std::to_string(most_values) + " are the most",
             "put them into vectors, such as cl_float4");
  own_names own;
  if (!function.values.empty()) add_own_names(own, label_of(function), function.declarations);
  for (auto each = function.values.begin(); each != function.values.end(); ++each) {
    check_name(primitive, each->name(), label_of(function));
    if (std::any_of(function.values.begin(), each,
                    [&](const named_value& other) { return other.name() == each->name(); }))
      no_value(primitive, label_of(function) + " has two values of the name " + each->name());
    if (own.contains(each->name()))
      no_value(primitive,
               label_of(function) + " declares a function or macro " + each->name() +
                   " and has a value of that name",
               "give one of them another name");
  }
}

// V(float, clwave_op_alpha) and so on.
void append_values(std::string& text, std::string_view prefix, const std::vector<named_value>& values) {
  for (const named_value& each : values)
    text += "V(" + each.type().opencl_name + ", " + std::string(prefix) + each.name() + ") ";
}

void append_declared(program_spec& spec, std::string_view prefix, const std::vector<named_value>& values) {
  std::string text;
  append_values(text, prefix, values);
  if (text.empty()) return;
  const auto there = std::find_if(spec.texts.begin(), spec.texts.end(),
                                  [](const auto& each) { return each.first == declared_values; });
  if (there != spec.texts.end())
    there->second += text;
  else
    spec.texts.emplace_back(declared_values, text);
}

}  // namespace

named_value named_value_of(std::string name, const element& type, const void* number) {
  std::optional<named_value> found;
  const auto add = [&]<class... T>(std::type_identity<T>...) {
    (add_value_of<T>(found, name, type, number), ...);
  };
  add(std::type_identity<std::int8_t>(), std::type_identity<std::int16_t>(),
      std::type_identity<std::int32_t>(), std::type_identity<std::int64_t>(),
      std::type_identity<std::uint8_t>(), std::type_identity<u16>(), std::type_identity<std::uint32_t>(),
      std::type_identity<std::uint64_t>(), std::type_identity<float>(), std::type_identity<double>(),
      std::type_identity<half>(), std::type_identity<bfloat16>());
#define CLWAVE_DETAIL_ADD_VALUE(type_of_c, name, opencl_name, kind, components) \
  add(std::type_identity<type_of_c>());
  CLWAVE_DETAIL_VECTORS(CLWAVE_DETAIL_ADD_VALUE)
#undef CLWAVE_DETAIL_ADD_VALUE
  if (!found)
    no_value({}, "the value `" + name + "` is of type " + type.name +
                     "; values are numbers of 8 to 64 bits, or vectors of them of at most 32 bytes");
  return std::move(*found);
}

void check_values(std::string_view primitive, const target& on, const op& fold) {
  check_values_of(primitive, on, fold, fold.kind == op_kind::user);
}

void check_values(std::string_view primitive, const target& on, const map& apply) {
  check_values_of(primitive, on, apply, apply.kind == map_kind::user);
}

void add_values(program_spec& spec, const op* fold, const map* apply) {
  std::string text;
  if (fold != nullptr) {
    check_names(spec.primitive, *fold);
    append_values(text, op_value_prefix, fold->values);
  }
  if (apply != nullptr) {
    check_names(spec.primitive, *apply);
    append_values(text, map_value_prefix, apply->values);
  }
  if (!text.empty()) spec.texts.emplace_back(declared_values, text);
}

void add_comparison(program_spec& spec, const char* macro, const op& compared, const element& type) {
  check_names(spec.primitive, compared);
  add_expression(spec, {.macro = macro,
                        .label = "operator " + compared.name,
                        .source = compared.source,
                        .declarations = compared.declarations,
                        .values = compared.values,
                        .prefix = same_value_prefix,
                        .operands = {{&type, "a"}, {&type, "b"}}});
  append_declared(spec, same_value_prefix, compared.values);
}

void add_predicate(program_spec& spec, const map& predicate, std::vector<text_operand> operands) {
  check_names(spec.primitive, predicate);
  add_expression(spec, {.macro = "PREDICATE_TEXT",
                        .label = "map " + predicate.name,
                        .source = predicate.source,
                        .declarations = predicate.declarations,
                        .values = predicate.values,
                        .prefix = same_value_prefix,
                        .operands = std::move(operands)});
  append_declared(spec, same_value_prefix, predicate.values);
}

namespace {

void check_operand_names(std::string_view primitive, const map& made,
                         const std::vector<text_operand>& operands) {
  for (const named_value& value : made.values) {
    if (std::ranges::any_of(operands, [&](const text_operand& each) { return value.name() == each.name; }))
      no_value(primitive, "the value " + value.name() + " of " + label_of(made) +
                              " has the name of an element in its text");
  }
}

}  // namespace

void add_further_map(program_spec& spec, std::size_t k, const map& apply, std::vector<text_operand> operands,
                     const element& gives) {
  check_names(spec.primitive, apply);
  check_operand_names(spec.primitive, apply, operands);
  add_expression(spec, {.macro = "FURTHER_TEXT_" + std::to_string(k),
                        .label = "map " + apply.name,
                        .source = apply.source,
                        .declarations = apply.declarations,
                        .values = apply.values,
                        .prefix = key_value_prefixes[k],
                        .operands = std::move(operands),
                        .gives = &gives});
  append_declared(spec, key_value_prefixes[k], apply.values);
}

void add_lazy_text(program_spec& spec, const map& made, std::vector<text_operand> operands,
                   const element& gives, const std::string& sources) {
  std::string declared = sources;
  if (made.kind == map_kind::user) {
    check_names(spec.primitive, made);
    check_operand_names(spec.primitive, made, operands);
    append_values(declared, lazy_value_prefix, made.values);
    add_expression(spec, {.macro = "LAZY_TEXT",
                          .label = "map " + made.name,
                          .source = made.source,
                          .declarations = made.declarations,
                          .values = made.values,
                          .prefix = lazy_value_prefix,
                          .operands = std::move(operands),
                          .gives = &gives});
  } else {
    spec.texts.emplace_back("LAZY_TEXT", operands.front().given);
  }
  add_sources(spec, declared);
}

void add_sources(program_spec& spec, const std::string& declared) {
  if (declared.empty()) return;
  const auto there =
      std::ranges::find(spec.texts, declared_values, &std::pair<std::string, std::string>::first);
  if (there != spec.texts.end())
    there->second.insert(0, declared);
  else
    spec.texts.emplace_back(declared_values, declared);
}

void add_key_text(program_spec& spec, std::size_t k, const map& key, const element& of,
                  const element& gives) {
  check_names(spec.primitive, key);
  add_expression(spec, {.macro = "KEY_TEXT_" + std::to_string(k),
                        .label = "map " + key.name,
                        .source = key.source,
                        .declarations = key.declarations,
                        .values = key.values,
                        .prefix = key_value_prefixes[k],
                        .operands = {{&of, "x"}, {nullptr, "i"}},
                        .gives = &gives});
  append_declared(spec, key_value_prefixes[k], key.values);
}

}  // namespace clwave::detail
