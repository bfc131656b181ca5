// Named values of operators and maps: which names they may have, what is refused, and what plans show of
// them.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "devices.hpp"
#include "reference.hpp"
#include "refusals.hpp"

// Members of the names that values have in the tests.
struct weighted {
  float weight, scale;
  bool operator==(const weighted&) const = default;
};
CLWAVE_STRUCTURE(weighted, "weighted", "typedef struct { float weight, scale; } weighted;")

namespace {

using clwave::element_of;
using clwave::map;
using clwave::op;
using clwave::view;
using reference::same_bits;
using testing::contains;
using testing::default_fixture;
using testing::fixture;
using testing::guarded_buffer;
using testing::refusal;

TEST_CASE("values: names that the kernels have too mean the value") {
  fixture& on = default_fixture();
  reference::random_engine random;
  const auto x = reference::random_values<float>(random, 2000);
  const cl::Buffer buffer = on.buffer_of(x);
  const view<float> in{buffer, x.size()};
  map apply{.name = "names", .source = "x"};
  op fold{.name = "names", .source = "a", .identity = "0"};
  float sum = 0;
  // Macros, functions, types, arguments and locals of the kernels, functions of the language, and one that is
  // both texts'.
  for (const char* name :
       {"VALUE", "LANES", "lift", "combine", "FOLDED", "head", "n", "values", "named_values", "min",
        "MAP_TEXT", "out", "WITH_VALUES", "V", "type", "clwavevalues"}) {
    const float number = static_cast<float>(apply.values.size()) / 8;
    sum += number;
    apply.values.emplace_back(name, number);
    apply.source += std::string(" + ") + name;
    fold.values.emplace_back(name, number);
  }
  fold.source = "a + b * min + lift";
  guarded_buffer<float> out(on, x.size());
  clwave::transform(on.queue, in, out.view(), apply).wait();
  const auto got = out.read();
  float worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(got[i] - (x[i] + sum)));
  CHECK(worst < 1e-4f);
  const auto combine = [](float a, float b) {
    const volatile float product = b * (9.0f / 8);  // not fused with what it is added to
    return a + product + 2.0f / 8;
  };
  CHECK(same_bits(clwave::reduce(on.queue, in, fold), reference::host_fold<float>(x, 0, x.size(), combine)));
}

TEST_CASE("values: a member of that name stays one") {
  fixture& on = default_fixture();
  std::vector<weighted> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {static_cast<float>(i % 7), 1};
  const cl::Buffer buffer = on.buffer_of(x);
  const op fold{
      .name = "add",
      .source = "(weighted){.weight = a.weight + b . weight, .scale = weight - -scale}",
      .identity = "",
      .declarations = "float weight_of(weighted of) {\n  weighted *const at = &of;\n  return at->weight;\n}",
      .values = {{"weight", 2.0f}, {"scale", 4.0f}}};
  weighted expected{0, 6};
  for (const weighted& each : x) expected.weight += each.weight;
  CHECK(clwave::reduce(on.queue, view<weighted>{buffer, x.size()}, fold) == expected);
  // Behind an arrow too, and not behind `-- >`.
  const map arrows{.name = "arrows",
                   .source = "weight_of(x) + (&x)->scale + (i-->weight ? 10 : 20)",
                   .declarations = fold.declarations,
                   .values = {{"weight", 2}, {"scale", 4.0f}}};
  guarded_buffer<float> out(on, x.size());
  clwave::transform(on.queue, view<weighted>{buffer, x.size()}, out.view(), arrows).wait();
  const auto got = out.read();
  CHECK(got[1] == 1 + 1 + 20);
  CHECK(got[6] == 6 + 1 + 10);
}

TEST_CASE("values: functions of the declarations are passed them, and do not see them") {
  fixture& on = default_fixture();
  const cl::Buffer buffer = on.buffer_of(std::vector<float>{3.0f});
  guarded_buffer<float> out(on, 1);
  const auto run = [&](const std::string& text, const std::string& declarations) {
    clwave::transform(
        on.queue, view<float>{buffer, 1}, out.view(),
        map{.name = "helped", .source = text, .declarations = declarations, .values = {{"alpha", 2.0f}}})
        .wait();
  };
  // Its own parameter may have the name.
  run("times(x, alpha) + TWICE(alpha)",
      "float times(float p, float alpha) { return p * alpha; }\n#define TWICE(what) ((what) * 2)");
  CHECK(out.first() == 10.0f);
  const std::string unseen = refusal([&] { run("times(x)", "float times(float p) { return p * alpha; }"); });
  CHECK(contains(unseen, "another kind"));
  CHECK(contains(unseen, "alpha"));
  const std::string message = refusal([&] { run("alpha(x)", "float alpha(float p) { return p; }"); });
  CHECK(contains(message, "a function or macro alpha"));
  CHECK(contains(refusal([&] { run("alpha", "#define alpha 3"); }), "a function or macro alpha"));
  // What a compiler says has the user's names.
  const std::string log = refusal([&] { run("alpha.nothing(x)", ""); });
  CHECK(contains(log, "another kind"));
  CHECK_FALSE(contains(log, "clwave_map_alpha"));
}

// ---------------------------------------------------------------------------------------------- refused

TEST_CASE("values: what is refused, by calls and by plans, before anything is enqueued") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(4)), target = on.buffer_of(std::vector<float>(4));
  const view<float> x{in, 4}, out{target, 4};
  const auto by_call = [&](const map& apply) {
    return refusal([&] { clwave::transform(on.queue, x, out, apply); });
  };
  const auto by_plan = [&](const map& apply, const clwave::device_facts& facts) {
    return refusal([&] {
      clwave::plan(clwave::transform_question{{element_of<float>()}, element_of<float>(), 4, &apply},
                   {.facts = &facts, .choice = clwave::choose_profile(facts)});
    });
  };
  const auto named = [](const std::string& name) {
    return map{.name = "own", .source = "x", .values = {{name, 2.5f}}};
  };
  for (const char* name : {"",
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
                           "clwave_values",
                           "__x",
                           "clwave_op_k"}) {
    CAPTURE(name);
    const std::string message = by_call(named(name));
    CHECK(contains(message, "the name \"" + std::string(name) + "\" of a value of the map own"));
    CHECK(contains(by_plan(named(name), on.facts), "the name \"" + std::string(name) + "\""));
    const op fold{.name = "own", .source = "a + b", .identity = "0", .values = {{name, 2}}};
    CHECK(contains(refusal([&] { clwave::reduce(on.queue, x, fold); }), "of a value of the operator own"));
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
  op plus = clwave::plus;
  plus.values = {{"k", 1}};
  CHECK(contains(refusal([&] { clwave::reduce(on.queue, x, plus); }), "there is none"));
  // A structure is none.
  CHECK(contains(by_call({.name = "own", .source = "x", .values = {{"k", weighted{1, 2}}}}), "no number"));
  // Doubles, of a device that has none.
  clwave::device_facts single = on.facts;
  single.fp64 = {false};
  const map of_double{.name = "own", .source = "x * (float)k", .values = {{"k", 1.0}}};
  CHECK(contains(by_plan(of_double, single),
                 "the value k of the map own is a double, which this device does not have"));
  CHECK(by_plan(named("k"), single) == "");
  const map of_doubles{.name = "own", .source = "x", .values = {{"k", cl_double2{{1, 2}}}}};
  CHECK(contains(by_plan(of_doubles, single), "is a double"));
}

// ---------------------------------------------------------------------------------------------- plans

TEST_CASE("values: plans show them as the last arguments of every launch") {
  const op fold{.name = "own",
                .source = "a * k + b",
                .identity = "0",
                .values = {{"k", -0.0f}, {"wide", cl_int2{{3, -4}}}}};
  const map apply{.name = "own",
                  .source = "x * k",
                  .values = {{"k", std::uint64_t{0xffffffffffffffff}}, {"small", std::int8_t{-7}}}};
  for (const char* row : testing::some_of({"cpu", "sm_90", "gfx90a"})) {
    for (const std::uint64_t n : {std::uint64_t{100}, std::uint64_t{1} << 24}) {
      CAPTURE(row);
      CAPTURE(n);
      clwave::reduce_question question{element_of<float>(), &element_of<float>(), n, &fold, &apply};
      question.out = element_of<float>();
      clwave::plan_target on{.choice = clwave::choose_profile_for(row), .compute_units = 8};
      if (n > 100) on.choice.order = clwave::group_order::two_launches;
      const clwave::call_plan plan = clwave::plan(question, on);
      CHECK(plan.kernels.size() == (n > 100 ? 2 : 1));
      for (const clwave::planned_kernel& kernel : plan.kernels) {
        std::string last;
        REQUIRE(kernel.arguments.size() > 4);
        for (std::size_t k = kernel.arguments.size() - 4; k < kernel.arguments.size(); ++k) {
          const clwave::planned_argument& each = kernel.arguments[k];
          last += each.name + ": " + each.kind + " " + each.value + "; ";
        }
        CHECK(last == "k: f32 -0; wide: i32x2 3,-4; k: u64 18446744073709551615; small: i8 -7; ");
      }
      CHECK(contains(plan.source,
                     "#define NAMED_VALUES(V) V(float, clwave_op_k) V(int2, clwave_op_wide) "
                     "V(ulong, clwave_map_k) V(char, clwave_map_small)"));
    }
  }
}

TEST_CASE("values: a call without them declares none") {
  const op fold{.name = "own", .source = "a + b", .identity = "0"};
  const auto plan =
      clwave::plan(clwave::reduce_question{element_of<float>(), &element_of<float>(), 100, &fold},
                   {.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8});
  CHECK_FALSE(contains(plan.source, "#define NAMED_VALUES("));
}

}  // namespace
