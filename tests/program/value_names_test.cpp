// Named values of operators and maps: which names they may have, and what is refused.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/reduce.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "harness/value_names.hpp"

namespace testing::value_names_test {
namespace {

TEST_CASE_FIXTURE(on_device, "values: names that the kernels have too mean the value") {
  const auto x = reference::random_values<float>(random, 2000);
  const cl::Buffer buffer = on.buffer_of(x);
  const view<float> in{buffer, x.size()};
  map apply{.name = "names", .source = "x"};
  op fold{.name = "names", .source = "a", .identity = "0"};
  float sum = 0;
  // One of them is a name of both texts.
  for (const char* name : names_of_kernels) {
    const float number = static_cast<float>(apply.values.size()) / 8;
    sum += number;
    apply.values.emplace_back(name, number);
    apply.source += std::string(" + ") + name;
    fold.values.emplace_back(name, number);
  }
  fold.source = "a + b * min + lift";
  // Of one element the fold is what the map makes of it.
  CHECK(std::abs(clwave::transform_reduce(on.queue, in.subview(0, 1), clwave::plus, apply) - (x[0] + sum)) <
        1e-4f);
  const auto combine = [](float a, float b) {
    const volatile float product = b * (9.0f / 8);  // not fused with what it is added to
    return a + product + 2.0f / 8;
  };
  CHECK(same_bits(clwave::reduce(on.queue, in, fold), reference::host_fold<float>(x, 0, x.size(), combine)));
}

TEST_CASE_FIXTURE(on_device, "values: a member of that name stays one") {
  std::vector<weighted> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {static_cast<float>(i % 7), 1};
  const cl::Buffer buffer = on.buffer_of(x);
  const op fold{.name = "add",
                .source = "(weighted){.weight = a.weight + b . weight, .scale = weight - -scale}",
                .identity = "",
                .declarations = arrows.declarations,
                .values = {{"weight", 2.0f}, {"scale", 4.0f}}};
  weighted expected{0, 6};
  for (const weighted& each : x) expected.weight += each.weight;
  CHECK(clwave::reduce(on.queue, view<weighted>{buffer, x.size()}, fold) == expected);
  CHECK(clwave::transform_reduce<float>(on.queue, view<weighted>{buffer, 2}, clwave::max, arrows) ==
        1 + 1 + 20);
}

TEST_CASE_FIXTURE(on_device, "values: functions of the declarations are passed them, and do not see them") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>{3.0f});
  check_values_of_declarations([&](const map& helped) {
    return clwave::transform_reduce(on.queue, view<float>{buffer, 1}, clwave::plus, helped);
  });
}

// ---------------------------------------------------------------------------------------------- refused

TEST_CASE_FIXTURE(on_device, "values: what is refused, by calls and by plans, before anything is enqueued") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(4));
  const view<float> x{in, 4};
  const auto by_call = [&](const map& apply) {
    return refusal([&] { clwave::transform_reduce(on.queue, x, clwave::plus, apply); });
  };
  const auto by_plan = [&](const map& apply, const clwave::device_facts& facts) {
    return refusal([&] {
      clwave::plan(
          clwave::reduce_problem{{element_of<float>(), 4}, &element_of<float>(), &clwave::plus, &apply},
          {.facts = &facts, .choice = clwave::choose_profile(facts)});
    });
  };
  check_refused_values(on.facts, by_call, by_plan);
  for (const std::string name : refused_names) {
    CAPTURE(name);
    const op fold{.name = "own", .source = "a + b", .identity = "0", .values = {{name, 2}}};
    refuses("of a value of the operator own", [&] { clwave::reduce(on.queue, x, fold); });
  }
  op plus = clwave::plus;
  plus.values = {{"k", 1}};
  refuses("there is none", [&] { clwave::reduce(on.queue, x, plus); });
}

}  // namespace
}  // namespace testing::value_names_test
