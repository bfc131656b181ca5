// Names that values may not have, and maps that are refused for their values.
#pragma once

#include <string>

#include <doctest/doctest.h>

#include <clwave/device.hpp>
#include <clwave/element.hpp>
#include <clwave/op.hpp>

#include "harness/devices.hpp"
#include "harness/refusals.hpp"

// Members of the names that values have in the tests.
struct weighted {
  float weight, scale;
  bool operator==(const weighted&) const = default;
};
CLWAVE_STRUCTURE(weighted, "weighted", "typedef struct { float weight, scale; } weighted;")

namespace testing {

inline constexpr const char* refused_names[] = {"",
                                                "a",
                                                "b",
                                                "x",
                                                "y",
                                                "z",
                                                "i",
                                                "float",
                                                "uint4",
                                                "half",
                                                "double16",
                                                "kernel",
                                                "__local",
                                                "size_t",
                                                "bool",
                                                "return",
                                                "true",
                                                "2nd",
                                                "al pha",
                                                "al-pha",
                                                "alpha;",
                                                "\xc3\xa4",
                                                "clwave_given",
                                                "__x",
                                                "clwave_op_k"};

// Names of values that the kernels have too: macros, functions, types, arguments and locals of theirs, and
// functions of the language.
inline constexpr const char* names_of_kernels[] = {
    "VALUE",        "LANES", "lift",     "combine", "FOLDED",    "head", "n",    "values",
    "named_values", "min",   "MAP_TEXT", "out",     "STORED_IN", "V",    "type", "clwavevalues"};

// A map that has a member's name behind an arrow too, and not behind `-- >`.
inline const clwave::map arrows{
    .name = "arrows",
    .source = "weight_of(x) + (&x)->scale + (i-->weight ? 10 : 20)",
    .declarations = "float weight_of(weighted of) {\n  weighted *const at = &of;\n  return at->weight;\n}",
    .values = {{"weight", 2}, {"scale", 4.0f}}};

// Functions of the declarations are passed the values, and do not see them: run(map) is what the map, with a
// value alpha of 2, makes of 3.
template <class Run>
void check_values_of_declarations(Run run) {
  const auto helped = [&](const std::string& text, const std::string& declarations) {
    return run(clwave::map{
        .name = "helped", .source = text, .declarations = declarations, .values = {{"alpha", 2.0f}}});
  };
  // Its own parameter may have the name.
  CHECK(helped("times(x, alpha) + TWICE(alpha)",
               "float times(float p, float alpha) { return p * alpha; }\n#define TWICE(what) ((what) * 2)") ==
        10.0f);
  const std::string unseen =
      refusal([&] { helped("times(x)", "float times(float p) { return p * alpha; }"); });
  CHECK(contains(unseen, "another kind"));
  CHECK(contains(unseen, "alpha"));
  const std::string message = refusal([&] { helped("alpha(x)", "float alpha(float p) { return p; }"); });
  CHECK(contains(message, "a function or macro alpha"));
  CHECK(contains(refusal([&] { helped("alpha", "#define alpha 3"); }), "a function or macro alpha"));
  // What a compiler says has the user's names.
  const std::string log = refusal([&] { helped("alpha.nothing(x)", ""); });
  CHECK(contains(log, "another kind"));
  CHECK_FALSE(contains(log, "clwave_map_alpha"));
}

// By calls and by plans: by_call(map) and by_plan(map, facts) are what is said of one, "" of one that is
// taken.
template <class ByCall, class ByPlan>
void check_refused_values(const clwave::device_facts& facts, ByCall by_call, ByPlan by_plan) {
  const auto named = [](const std::string& name) {
    return map{.name = "own", .source = "x", .values = {{name, 2.5f}}};
  };
  for (const std::string name : refused_names) {
    CAPTURE(name);
    CHECK(contains(by_call(named(name)), "the name \"" + name + "\" of a value of the map own"));
    CHECK(contains(by_plan(named(name), facts), "the name \"" + name + "\""));
  }
  CHECK(contains(by_call({.name = "own", .source = "x", .values = {{"k", 1}, {"l", 2}, {"k", 2.0f}}}),
                 "two values of the name k"));
  map many{.name = "own", .source = "x"};
  for (int k = 0; k < 16; ++k) many.values.emplace_back("v" + std::to_string(k), k);
  CHECK(by_call(many) == "");
  many.values.emplace_back("v16", 16);
  CHECK(contains(by_call(many), "17 values, and 16 are the most"));
  // clwave's own have no text.
  map square = clwave::square;
  square.values = {{"k", 1}};
  CHECK(contains(by_call(square), "there is none"));
  // A structure is none.
  CHECK(contains(by_call({.name = "own", .source = "x", .values = {{"k", weighted{1, 2}}}}), "no number"));
  // Doubles, of a device that has none.
  clwave::device_facts single = facts;
  single.fp64 = {false};
  const map of_double{.name = "own", .source = "x * (float)k", .values = {{"k", 1.0}}};
  CHECK(contains(by_plan(of_double, single),
                 "the value k of the map own is a double, which this device does not have"));
  CHECK(by_plan(named("k"), single) == "");
  const map of_doubles{.name = "own", .source = "x", .values = {{"k", cl_double2{{1, 2}}}}};
  CHECK(contains(by_plan(of_doubles, single), "is a double"));
}

}  // namespace testing
