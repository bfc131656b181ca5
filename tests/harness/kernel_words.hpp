// All names that the kernels have, declared by a user.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "harness/devices.hpp"
#include "harness/refusals.hpp"
#include "program/embedded_kernels.hpp"

namespace testing {

// All identifiers of the kernels that a user could declare: those of the language are not among them.
inline std::set<std::string> names_in_kernels() {
  std::set<std::string> names;
  for (const clwave::detail::kernel_part& part : clwave::detail::embedded_kernel_parts()) {
    bool comment = false;
    for (std::size_t at = 0; at < part.text.size();) {
      const std::string_view rest = part.text.substr(at);
      if (rest.starts_with("//")) comment = true;
      if (rest[0] == '\n') comment = false;
      std::size_t end = 0;
      while (end < rest.size() &&
             (std::isalnum(static_cast<unsigned char>(rest[end])) != 0 || rest[end] == '_'))
        ++end;
      if (end != 0 && !comment && std::isdigit(static_cast<unsigned char>(rest[0])) == 0)
        names.emplace(rest.substr(0, end));
      at += std::max<std::size_t>(end, 1);
    }
  }
  // Names that the kernels put together.
  for (const char* made : {"packet_1", "packet_16", "lane_up_1", "lane_up_16", "copy_16", "copy_box_8",
                           "X_ACCESS", "OUT_ACCESS", "anywhere_uint16", "STEPS_32"})
    names.emplace(made);
  return names;
}

// "float4", "half".
inline bool is_type_of_the_language(std::string_view name) {
  const std::string_view scalar = name.substr(0, name.find_first_of("0123456789"));
  const std::string_view size = name.substr(scalar.size());
  const auto is_one_of = [](std::string_view word, std::initializer_list<std::string_view> all) {
    return std::ranges::find(all, word) != all.end();
  };
  return is_one_of(scalar, {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float",
                            "double", "half"}) &&
         is_one_of(size, {"", "2", "3", "4", "8", "16"});
}

inline bool of_the_language(const std::string& name) {
  static const std::set<std::string> words{
#include "harness/language_words.inc"
  };
  if (words.contains(name) || is_type_of_the_language(name)) return true;
  for (const char* conversion : {"convert_", "as_"}) {
    if (!name.starts_with(conversion)) continue;
    const std::string type = name.substr(std::string_view(conversion).size());
    if (type.empty() || is_type_of_the_language(type.substr(0, type.find('_')))) return true;
  }
  return std::ranges::any_of(
      std::array{"_", "cl_", "CLK_", "vload", "vstore", "get_", "atomic_", "memory_", "intel_"},
      [&](const char* family) { return name.starts_with(family); });
}

// Functions of the language, which a user may replace but nobody can make a type.
inline const std::set<std::string> functions_of_the_language = [] {
  std::istringstream words(
      "abs all any barrier clamp clz distance fabs fma fmax fmin isnan length mad max min mul_hi "
      "popcount prefetch rotate select sign signbit sqrt step sub_group_ballot "
      "sub_group_barrier sub_group_broadcast sub_group_reduce_add sub_group_shuffle_up");
  return std::set<std::string>(std::istream_iterator<std::string>(words), {});
}();

// Words in attributes.
inline const std::set<std::string> attributes_of_the_language{
    "aligned",      "always_inline", "ext_vector_type",     "noinline",
    "overloadable", "packed",        "reqd_work_group_size"};

// Names of the kernels' that no macro may have: what texts are written in, and the family of conversions.
inline std::set<std::string> refused_macros() {
  std::set<std::string> names{"a", "b", "x", "y", "z", "i"};
  for (const std::string& name : names_in_kernels())
    if (name.starts_with("convert_")) names.insert(name);
  return names;
}

// Calls use(declarations) with one declaration of each.
template <class Use, class Declare>
void declare_every_name(Use use, Declare declare, const std::set<std::string>& but = {}) {
  std::string declarations;
  std::size_t number = 0;
  for (const std::string& name : names_in_kernels()) {
    if (of_the_language(name) || but.contains(name) || name.starts_with("clwave_")) continue;
    declarations += declare(name, ++number) + "\n";
  }
  CHECK(number > 2500);
  for (const char* row : some_of({"", "sm_90", "gfx1030"})) {
    CAPTURE(row);
    const forced_profile forced(row);
    CHECK(refusal([&] { use(declarations); }) == "");
  }
}

// Calls use(declarations) where each name is a function, a type, a macro, a variable of the user's.
template <class Use>
void declare_names_of_every_kind(const Use& use) {
  const auto text = [](std::size_t number) { return std::to_string(number); };
  declare_every_name(use, [&](const std::string& name, std::size_t number) {
    return "float " + name + "(float v) { return v + " + text(number) + "; }";
  });
  declare_every_name(
      use, [](const std::string& name, std::size_t) { return "typedef struct { float w; } " + name + ";"; },
      functions_of_the_language);
  declare_every_name(
      use,
      [&](const std::string& name, std::size_t number) { return "#define " + name + " " + text(number); },
      refused_macros());
  declare_every_name(
      use,
      [&](const std::string& name, std::size_t number) {
        return "constant float " + name + " = " + text(number) + ";";
      },
      functions_of_the_language);
}

inline element structure_called(const char* name, const char* opencl_name, std::size_t size,
                                const char* text) {
  return {.name = name,
          .opencl_name = opencl_name,
          .size = size,
          .kind = clwave::element_kind::structure,
          .components = 1,
          .declaration = text};
}

inline element called_by_two_words() { return structure_called("odd", "two words", 4, ""); }

// Types that a user calls pair, each another one.
struct types_called_pair {
  element floats = structure_called("float pair", "pair", 8, "typedef struct { float low, high; } pair;");
  element ints = structure_called("int pair", "pair", 8, "typedef struct { int low, high; } pair;");
  element padded = structure_called("padded pair", "pair", 16, "typedef struct { float low, high; } pair;");

  // Checks that a call of the first and another one is refused, and that this names both.
  template <class Call>
  void check_refused(const element& other, const Call& call) const {
    const std::string why = refusal(call);
    CAPTURE(why);
    CHECK(contains(why, "both called pair"));
    CHECK(contains(why, floats.name));
    CHECK(contains(why, other.name));
  }
};

}  // namespace testing
