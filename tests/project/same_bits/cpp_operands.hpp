// What the calls from C++ are made of: instantiations by the names of types, texts, and views of operands.
#pragma once

#include "calls.h"

#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/sort_order.hpp>
#include <clwave/view.hpp>

struct sample {
  float x;
  std::uint32_t tag;
};
CLWAVE_STRUCTURE(sample, "sample", "typedef struct { float x; uint tag; } sample;")

using cf32 = std::complex<float>;

template <class T>
struct type_tag {
  using type = T;
};

// Calls `with` for the type of this name, if it is among Types.
template <class... Types, class With>
void for_type(const char* name, const With& with) {
  const bool found = ((clwave::element_of<Types>().name == name && (with(type_tag<Types>()), true)) || ...);
  if (!found) stop("no instantiation for the type", name);
}
template <class With>
void for_integer(const char* name, const With& with) {
  for_type<std::int8_t, std::uint8_t, std::int16_t, clwave::u16, std::int32_t, std::uint32_t, std::int64_t,
           std::uint64_t>(name, with);
}
template <class With>
void for_number(const char* name, const With& with) {
  if (name[0] == 'i' || name[0] == 'u')
    for_integer(name, with);
  else
    for_type<float, double, clwave::half, clwave::bfloat16>(name, with);
}
// Numbers, complex numbers, truths and the structure: what is moved, and combined by expressions.
template <class With>
void for_element(const char* name, const With& with) {
  const std::string is = name;
  if (is == "cf32" || is == "bool" || is == "sample")
    for_type<cf32, bool, sample>(name, with);
  else
    for_number(name, with);
}
// The types that go with others: of values beside keys, and of what is converted to.
template <class With>
void for_second(const char* name, const With& with) {
  for_type<std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, float, double>(name, with);
}
// What an element of T is accumulated in.
template <class T, class With>
void for_accumulator(const char* name, const With& with) {
  if (clwave::element_of<T>().name == name) return with(type_tag<T>());
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, clwave::u16> || std::is_same_v<T, float>)
    for_type<std::int64_t, std::uint64_t, double>(name, with);
  else
    for_type<float, double>(name, with);
}

struct texts {
  explicit texts(const call& of) {
    fold = op_of(of, "op").value_or(clwave::plus);
    if (auto given = op_of(of, "same")) same = *given;
    if (auto given = op_of(of, "less")) less = *given;
    if (auto given = map_of(of, "map")) apply = *given, has_map = true;
    by = map_of(of, "by");
    if (auto given = map_of(of, "predicate")) predicate = *given;
  }
  static std::optional<clwave::op> op_of(const call& of, const char* key) {
    const char* text = field(&of, key);
    if (text == nullptr) return {};
    for (const clwave::op* one :
         {&clwave::plus, &clwave::multiplies, &clwave::min, &clwave::max, &clwave::bit_and, &clwave::bit_or,
          &clwave::bit_xor, &clwave::logical_and, &clwave::logical_or})
      if (one->name == text) return *one;
    const char* identity = field(&of, "identity");
    return clwave::op{.name = "op", .source = text, .identity = identity == nullptr ? "" : identity};
  }
  static std::optional<clwave::map> map_of(const call& of, const char* key) {
    const char* text = field(&of, key);
    if (text == nullptr) return {};
    for (const clwave::map* one : {&clwave::identity, &clwave::abs, &clwave::square, &clwave::product})
      if (one->name == text) return *one;
    clwave::map made{.name = "map", .source = text};
    if (const char* k = field(&of, "k")) made.values.emplace_back("k", std::strtof(k, nullptr));
    return made;
  }
  clwave::op fold;
  std::optional<clwave::op> same;
  clwave::op less;
  clwave::map apply = clwave::identity;
  bool has_map = false;
  clwave::map predicate;
  std::optional<clwave::map> by;
};

template <class T>
clwave::view<const T> in(const call& of, std::size_t i) {
  return {of.in[i].buffer, static_cast<std::size_t>(of.in[i].n)};
}
template <class T>
clwave::view<T> out(const call& of, std::size_t i = 0) {
  return {of.out[i].buffer, static_cast<std::size_t>(of.out[i].n)};
}
// A value on the host, which is the last input.
template <class T>
std::optional<T> value(const call& of) {
  if (field(&of, "value") == nullptr) return {};
  T made;
  std::memcpy(&made, of.in[of.n_in - 1].host, sizeof made);
  return made;
}
template <class Options>
Options order(const call& of, const texts& with) {
  Options made;
  made.less = with.less;
  if (const std::uint64_t last = number(&of, "last_bit"); last != 0) {
    made.first_bit = static_cast<unsigned>(number(&of, "first_bit"));
    made.last_bit = static_cast<unsigned>(last);
  }
  const bool descending = number(&of, "descending") != 0;
  if constexpr (std::is_same_v<Options, clwave::sort_options>) {
    if (with.by) {
      for_type<std::uint32_t, float>(field(&of, "by_type"), [&](auto key) {
        made.keys = clwave::by<typename decltype(key)::type>(*with.by, {.descending = descending});
      });
      return made;
    }
  }
  made.descending = descending;
  return made;
}
