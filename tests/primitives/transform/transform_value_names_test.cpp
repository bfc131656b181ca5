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

TEST_CASE_FIXTURE(on_device, "values of a transform: names that the kernels have too mean the value") {
  const auto x = reference::random_values<float>(random, 2000);
  const cl::Buffer buffer = on.buffer_of(x);
  const view<float> in{buffer, x.size()};
  map apply{.name = "names", .source = "x"};
  float sum = 0;
  for (const char* name : names_of_kernels) {
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

TEST_CASE_FIXTURE(on_device, "values of a transform: a member of that name stays one") {
  std::vector<weighted> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {static_cast<float>(i % 7), 1};
  const cl::Buffer buffer = on.buffer_of(x);
  guarded_buffer<float> out(on, x.size());
  clwave::transform(on.queue, view<weighted>{buffer, x.size()}, out.view(), arrows).wait();
  const auto got = out.read();
  CHECK(got[1] == 1 + 1 + 20);
  CHECK(got[6] == 6 + 1 + 10);
}

TEST_CASE_FIXTURE(
    on_device, "values of a transform: functions of the declarations are passed them, and do not see them") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>{3.0f});
  guarded_buffer<float> out(on, 1);
  check_values_of_declarations([&](const map& helped) {
    clwave::transform(on.queue, view<float>{buffer, 1}, out.view(), helped).wait();
    return out.first();
  });
}

// ---------------------------------------------------------------------------------------------- refused

TEST_CASE_FIXTURE(
    on_device, "values of a transform: what is refused, by calls and by plans, before anything is enqueued") {
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
  check_refused_values(on.facts, by_call, by_plan);
}

}  // namespace
}  // namespace testing::transform_value_names_test
