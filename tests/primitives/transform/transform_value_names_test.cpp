// Named values of maps in transform: which names they may have, and what is refused.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/transform.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "harness/value_names.hpp"

namespace testing::transform_value_names_test {
namespace {

using clwave::element_of;
using clwave::map;
using clwave::view;

TEST_CASE("values of a transform: names that the kernels have too mean the value") {
  fixture& on = default_fixture();
  reference::random_engine random;
  const auto x = reference::random_values<float>(random, 2000);
  const cl::Buffer buffer = on.buffer_of(x);
  const view<float> in{buffer, x.size()};
  map apply{.name = "names", .source = "x"};
  float sum = 0;
  // Macros, functions, types, arguments and locals of the kernels, and functions of the language.
  for (const char* name :
       {"VALUE", "LANES", "lift", "combine", "FOLDED", "head", "n", "values", "named_values", "min",
        "MAP_TEXT", "out", "STORED_IN", "V", "type", "clwavevalues"}) {
    const float number = static_cast<float>(apply.values.size()) / 8;
    sum += number;
    apply.values.emplace_back(name, number);
    apply.source += std::string(" + ") + name;
  }
  guarded_buffer<float> out(on, x.size());
  clwave::transform(on.queue, in, out.view(), apply).wait();
  const auto got = out.read();
  float worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::abs(got[i] - (x[i] + sum)));
  CHECK(worst < 1e-4f);
}

TEST_CASE("values of a transform: a member of that name stays one") {
  fixture& on = default_fixture();
  std::vector<weighted> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {static_cast<float>(i % 7), 1};
  const cl::Buffer buffer = on.buffer_of(x);
  // Behind an arrow too, and not behind `-- >`.
  const map arrows{
      .name = "arrows",
      .source = "weight_of(x) + (&x)->scale + (i-->weight ? 10 : 20)",
      .declarations = "float weight_of(weighted of) {\n  weighted *const at = &of;\n  return at->weight;\n}",
      .values = {{"weight", 2}, {"scale", 4.0f}}};
  guarded_buffer<float> out(on, x.size());
  clwave::transform(on.queue, view<weighted>{buffer, x.size()}, out.view(), arrows).wait();
  const auto got = out.read();
  CHECK(got[1] == 1 + 1 + 20);
  CHECK(got[6] == 6 + 1 + 10);
}

TEST_CASE("values of a transform: functions of the declarations are passed them, and do not see them") {
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

TEST_CASE("values of a transform: what is refused, by calls and by plans, before anything is enqueued") {
  fixture& on = default_fixture();
  const cl::Buffer in = on.buffer_of(std::vector<float>(4)), target = on.buffer_of(std::vector<float>(4));
  const view<float> x{in, 4}, out{target, 4};
  const auto by_call = [&](const map& apply) {
    return refusal([&] { clwave::transform(on.queue, x, out, apply); });
  };
  const auto by_plan = [&](const map& apply, const clwave::device_facts& facts) {
    return refusal([&] {
      clwave::plan(clwave::transform_problem{{{element_of<float>(), 4}}, element_of<float>(), &apply},
                   {.facts = &facts, .choice = clwave::choose_profile(facts)});
    });
  };
  testing::check_refused_values(on.facts, by_call, by_plan);
}

}  // namespace
}  // namespace testing::transform_value_names_test
