// Structures, operators and maps of minmax and mean_and_variance, as OpenCL C text. All functions are put in
// place of their calls: NVIDIA's compiler leaves those that are called often, and each call moves all members
// of two structures.
#include "blocks/statistics.hpp"

#include <array>
#include <string>
#include <string_view>

#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

#define IN_PLACE "static inline __attribute__((always_inline)) "

constexpr std::string_view minmax_source = "minmax_of_both(a, b)";

std::string min_and_max_name(const std::string& scalar) { return "min_and_max_" + scalar; }
std::string moments_name(const std::string& scalar) { return "moments_" + scalar; }

std::string min_and_max_declaration(const std::string& scalar) {
  return "typedef struct { " + scalar + " min, max; } " + min_and_max_name(scalar) + ";";
}
std::string moments_declaration(const std::string& scalar) {
  return "typedef struct { ulong n; " + scalar + " mean, squares; } " + moments_name(scalar) + ";";
}

element structure(const std::string& name, const element& value, std::size_t size,
                  const std::string& declaration) {
  return {.name = name + "_" + value.name,
          .opencl_name = name + "_" + loaded_name(value),
          .size = size,
          .kind = element_kind::structure,
          .components = 1,
          .declaration = declaration};
}

// `text` with each @ replaced by a type's name.
std::string of_type(std::string text, const std::string& scalar) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + scalar.size()))
    text.replace(at, 1, scalar);
  return text;
}

// The ends of the type, for no elements.
std::string ends_of(const element& value) {
  if (is_float(value)) return "INFINITY, -INFINITY";
  if (value.kind == element_kind::unsigned_integer) return "(@)~(@)0, 0";
  const std::string least = "(@)((@)1 << " + std::to_string(value.size * 8 - 1) + ")";
  return "(@)~" + least + ", " + least;
}

constexpr std::string_view moments_of_float =
    // part / whole. A division by steps of fma (Markstein, "Computation of elementary functions on the IBM
    // RISC System/6000 processor", 1990) from a first guess by the exponent, whose error of an eighth each of
    // two steps raises to its third power. Without a branch for equal sets, so that work-items that take
    // neighbouring columns, whose sets are equally large, divide once for all of them.
    IN_PLACE
    "float moments_share(ulong part, ulong whole) {\n"
    "  const float divisor = whole < 0x1000000ul ? (float)max((uint)whole, 1u) : (float)whole;\n"
    "  const float dividend = part < 0x1000000ul ? (float)(uint)part : (float)part;\n"
    "  float inverse = as_float(0x7ef311c7u - as_uint(divisor));\n"
    "  float off = fma(-divisor, inverse, 1.0f);\n"
    "  inverse = fma(inverse, fma(off, off, off), inverse);\n"
    "  off = fma(-divisor, inverse, 1.0f);\n"
    "  inverse = fma(inverse, fma(off, off, off), inverse);\n"
    "  const float quotient = dividend * inverse;\n"
    "  return fma(fma(-divisor, quotient, dividend), inverse, quotient);\n"
    "}\n";

constexpr std::string_view moments_of_double =
    // Halves need no division: nearly all sets that meet are as large as one another.
    IN_PLACE
    "double moments_share(ulong part, ulong whole) {\n"
    "  return part == whole - part ? 0.5 : (double)part / (double)whole;\n"
    "}\n";

}  // namespace

element min_and_max_element(const element& value) {
  return structure("min_and_max", value, 2 * value.size, min_and_max_declaration(loaded_name(value)));
}

op minmax_op(const element& value) {
  const std::string scalar = loaded_name(value);
  std::string declarations = IN_PLACE
                             "min_and_max_@ minmax_of_none(void) {\n"
                             "  const min_and_max_@ none = {" +
                             ends_of(value) +
                             "};\n"
                             "  return none;\n"
                             "}\n" IN_PLACE
                             "min_and_max_@ minmax_of_both(min_and_max_@ a, min_and_max_@ b) {\n";
  if (is_float(value))
    declarations +=
        "  const int less = (a.min < b.min) | (a.min != a.min) | ((a.min == b.min) & (signbit(a.min) != "
        "0));\n"
        "  const int more = (a.max > b.max) | (a.max != a.max) | ((a.max == b.max) & (signbit(b.max) != "
        "0));\n"
        "  const min_and_max_@ both = {less ? a.min : b.min, more ? a.max : b.max};\n";
  else
    declarations += "  const min_and_max_@ both = {min(a.min, b.min), max(a.max, b.max)};\n";
  declarations += "  return both;\n}\n";
  return {.name = "minmax",
          .source = std::string(minmax_source),
          .identity = "minmax_of_none()",
          .declarations = of_type(declarations, scalar)};
}

map minmax_map(const element& value) {
  return {.name = "both ends",
          .source = "minmax_of_one(x)",
          .declarations = of_type(IN_PLACE "min_and_max_@ minmax_of_one(@ x) {\n"
                                           "  const min_and_max_@ one = {x, x};\n"
                                           "  return one;\n"
                                           "}\n",
                                  loaded_name(value))};
}

element moments_element(const element& value) {
  return structure("moments", value, sizeof(std::uint64_t) + 2 * value.size,
                   moments_declaration(loaded_name(value)));
}

op moments_op(const element& value) {
  const std::string scalar = loaded_name(value);
  return {
      .name = "moments",
      .source = "moments_of_both(a, b)",
      .identity = "moments_of_none()",
      .declarations =
          IN_PLACE "moments_" + scalar + " moments_of_none(void) {\n  const moments_" + scalar +
          " none = {0, 0, 0};\n  return none;\n}\n" +
          std::string(is_of_doubles(value) ? moments_of_double : moments_of_float) +
          of_type(IN_PLACE
                  "moments_@ moments_of_both(moments_@ a, moments_@ b) {\n"
                  "  const ulong n = a.n + b.n;\n"
                  "  const @ share = moments_share(b.n, n);\n"
                  "  const @ distance = b.mean - a.mean;\n"
                  "  const moments_@ both = {n, a.mean + distance * share,\n"
                  "                          a.squares + b.squares + distance * distance * (@)a.n * share};\n"
                  "  return both;\n"
                  "}\n",
                  scalar)};
}

map moments_map(const element& value) {
  return {.name = "moments of one",
          .source = "moments_of_one(x)",
          // The distance of an infinity or a NaN from itself is NaN.
          .declarations = of_type(IN_PLACE "moments_@ moments_of_one(@ x) {\n"
                                           "  const moments_@ one = {1, x, x - x};\n"
                                           "  return one;\n"
                                           "}\n",
                                  loaded_name(value))};
}

namespace {

// Of a structure with two floats, the names of which are given.
map canonical_of(const std::string& structure, const std::string& scalar, const std::string& first,
                 const std::string& second) {
  const std::string nan = scalar == "double" ? "as_double(0x7ff8000000000000ul)" : "as_float(0x7fc00000u)";
  const auto quiet = [&](const std::string& member) {
    return "  if (x." + member + " != x." + member + ") x." + member + " = " + nan + ";\n";
  };
  return {.name = "canonical NaNs",
          .source = "canonical_nans(x)",
          .declarations = IN_PLACE + structure + " canonical_nans(" + structure + " x) {\n" + quiet(first) +
                          quiet(second) + "  return x;\n}\n"};
}

struct canonical_map {
  std::string declaration;  // of the structure
  map made;
};

}  // namespace

bool is_minmax_of_floats(const op& fold, const element& accumulator) {
  return fold.source == minmax_source && accumulator.declaration == min_and_max_declaration("float");
}

const map* canonical_statistics(const element& accumulator) {
  // Never destroyed: calls may come as the process exits.
  static const auto& all = *new const std::array<canonical_map, 4>{
      {{min_and_max_declaration("float"), canonical_of(min_and_max_name("float"), "float", "min", "max")},
       {min_and_max_declaration("double"), canonical_of(min_and_max_name("double"), "double", "min", "max")},
       {moments_declaration("float"), canonical_of(moments_name("float"), "float", "mean", "squares")},
       {moments_declaration("double"), canonical_of(moments_name("double"), "double", "mean", "squares")}}};
  for (const canonical_map& each : all)
    if (each.declaration == accumulator.declaration) return &each.made;
  return nullptr;
}

}  // namespace clwave::detail
