// All names that the kernels have, declared by a user.
#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "devices.hpp"
#include "program/embedded_kernels.hpp"
#include "program/user_text.hpp"
#include "refusals.hpp"

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
                           "x_packet", "out_packet", "x_has_the_size_the_host_says", "STEPS_32"})
    names.emplace(made);
  return names;
}

inline bool of_the_language(const std::string& name) {
  static const std::set<std::string> words{
#include "language_words.inc"
  };
  if (words.contains(name) || name.starts_with("__") || name.starts_with("cl_")) return true;
  for (const char* family : {"convert_", "as_",     "vload", "vstore",     "get_",
                             "atomic_",  "memory_", "CLK_",  "sub_group_", "intel_sub_group_",
                             "float",    "double",  "int",   "uint",       "long",
                             "ulong",    "char",    "uchar", "short",      "ushort",
                             "half"}) {
    if (name.starts_with(family)) return true;
  }
  return false;
}

// Functions of the language, which a user may overload or replace but nobody can make a type.
inline const std::set<std::string> functions_of_the_language{
    "abs", "all", "any",    "barrier",  "clz",    "fabs",   "fma",  "isnan",   "length",
    "max", "min", "mul_hi", "popcount", "rotate", "select", "sign", "signbit", "step"};

// Declares each of them, and calls use(declarations) with all that are not refused.
template <class Use, class Declare>
void declare_every_name(Use use, Declare declare, const std::set<std::string>& but = {}) {
  std::string declarations;
  std::size_t line = 0;
  std::size_t refused = 0;
  for (const std::string& name : names_in_kernels()) {
    if (of_the_language(name) || but.contains(name)) continue;
    const std::string one = declare(name, ++line);
    // Refused with its line, or taken.
    const std::string why = refusal([&] {
      clwave::detail::fit_declarations("operator own", std::string(line - 1, '\n') + one,
                                       clwave::detail::names_of_kernels(), {});
    });
    if (!why.empty()) {
      CAPTURE(why);
      CHECK(contains(why, "operator own, line " + std::to_string(line)));
      CHECK(contains(why, name));
      ++refused;
      --line;
      continue;
    }
    declarations += one + "\n";
  }
  CHECK(line > 400);
  CAPTURE(refused);
  for (const char* row : some_of({"", "sm_90", "gfx1030"})) {
    CAPTURE(row);
    const forced_profile forced(row);
    CHECK(refusal([&] { use(declarations); }) == "");
  }
}

// The texts of three tests: each name is a function, a type, a macro of the user's.
inline std::string as_function(const std::string& name, std::size_t number) {
  return "float " + name + "(float v) { return v + " + std::to_string(number) + "; }";
}
inline std::string as_type(const std::string& name, std::size_t /*number*/) {
  return "typedef struct { float w; } " + name + ";";
}
inline std::string as_macro(const std::string& name, std::size_t number) {
  return "#define " + name + " " + std::to_string(number);
}

// Types that a user calls pair, each another one.
struct types_called_pair {
  clwave::element floats = type("float pair", 8, "typedef struct { float low, high; } pair;");
  clwave::element ints = type("int pair", 8, "typedef struct { int low, high; } pair;");
  clwave::element padded = type("padded pair", 16, "typedef struct { float low, high; } pair;");

 private:
  static clwave::element type(const char* name, std::size_t size, const char* text) {
    return {.name = name,
            .opencl_name = "pair",
            .size = size,
            .kind = clwave::element_kind::structure,
            .components = 1,
            .declaration = text};
  }
};

}  // namespace testing
