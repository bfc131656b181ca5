// Operators and maps of the C interface: built-in ones, and those that are made of texts.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/lifetime.hpp>
#include <clwave/named_value.hpp>
#include <clwave/op.hpp>
#include <clwave/reduce.hpp>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

const char* text_or_empty(const char* text) { return text != nullptr ? text : ""; }

named_value value_of(const clwave_value& value) {
  given(value.name, "values->name");
  given(static_cast<const char*>(value.number), "values->number");
  return named_value_of(value.name, type_of(value.type), value.number);
}

std::vector<named_value> values_of(const clwave_value* values, std::size_t n) {
  if (n != 0) given(values, "values");
  std::vector<named_value> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(value_of(values[i]));
  return all;
}

void set_value(std::vector<named_value>& values, const clwave_value& value) {
  named_value next = value_of(value);
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const named_value& each) { return each.name() == next.name(); });
  if (found == values.end()) refuse_argument("the text has no value of the name `" + next.name() + "`");
  *found = std::move(next);
}

// In the order of clwave_builtin_op, and of clwave_builtin_map.
using builtin_ops = std::array<clwave_op, CLWAVE_ARGMAX>;
using builtin_maps = std::array<clwave_map, CLWAVE_PRODUCT>;

const builtin_ops& own_ops() {
  static const builtin_ops& all = *never_destroyed(builtin_ops{{{plus},
                                                                {multiplies},
                                                                {min},
                                                                {max},
                                                                {bit_and},
                                                                {bit_or},
                                                                {bit_xor},
                                                                {logical_and},
                                                                {logical_or},
                                                                {argmin_op},
                                                                {argmax_op}}});
  return all;
}

const builtin_maps& own_maps() {
  static const builtin_maps& all = *never_destroyed(builtin_maps{{{identity}, {abs}, {square}, {product}}});
  return all;
}

// The one of that number, from 1 on; null where there is none.
template <class All>
const typename All::value_type* own_of(const char* function, unsigned which, const All& (*all)()) {
  const typename All::value_type* found = nullptr;
  static_cast<void>(c_call(function, [&] {
    if (which >= 1 && which <= std::tuple_size_v<All>) found = &all()[which - 1];
  }));
  return found;
}

}  // namespace
}  // namespace clwave::detail

using namespace clwave::detail;

const clwave_op* clwave_op_builtin(clwave_builtin_op which) {
  return own_of("clwave_op_builtin", which, own_ops);
}

const clwave_map* clwave_map_builtin(clwave_builtin_map which) {
  return own_of("clwave_map_builtin", which, own_maps);
}

clwave_status clwave_op_create(const clwave_op_text* text, clwave_op** op) {
  return c_call("clwave_op_create", [&] {
    given(op, "op") = nullptr;
    const clwave_op_text all = sized(given(text, "text"), "text");
    *op = new clwave_op{{.name = text_or_empty(all.name),
                         .source = text_or_empty(all.source),
                         .identity = text_or_empty(all.identity),
                         .commutative = !all.keeps_order,
                         .declarations = text_or_empty(all.declarations),
                         .values = values_of(all.values, all.n_values)}};
  });
}

clwave_status clwave_map_create(const clwave_map_text* text, clwave_map** map) {
  return c_call("clwave_map_create", [&] {
    given(map, "map") = nullptr;
    const clwave_map_text all = sized(given(text, "text"), "text");
    *map = new clwave_map{{.name = text_or_empty(all.name),
                           .source = text_or_empty(all.source),
                           .declarations = text_or_empty(all.declarations),
                           .values = values_of(all.values, all.n_values)}};
  });
}

clwave_status clwave_op_set_value(clwave_op* op, const clwave_value* value) {
  return c_call("clwave_op_set_value", [&] { set_value(given(op, "op").of.values, given(value, "value")); });
}

clwave_status clwave_map_set_value(clwave_map* map, const clwave_value* value) {
  return c_call("clwave_map_set_value",
                [&] { set_value(given(map, "map").of.values, given(value, "value")); });
}

void clwave_op_release(clwave_op* op) { delete op; }

void clwave_map_release(clwave_map* map) { delete map; }
