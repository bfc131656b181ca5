// Where OpenCL leaves the bits open: literals without a suffix, floats out of an integer's range, halves
// between two values. The same on every device and in every row.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>

#include "harness/conversions.hpp"
#include "harness/devices.hpp"

namespace testing::conversions_test {
namespace {

TEST_CASE("conversions: floats out of an integer's range") {
  for_each_conversion([](auto to, auto from) {
    using To = decltype(to);
    using From = decltype(from);
    check_integers_by<To, From>(
        [](const fixture& on, const view<From>& in, const view<To>& out, const auto& wrong) {
          for (const bool saturate : {false, true}) {
            clwave::copy(on.queue, in, out, {.saturate = saturate}).wait();
            CHECK(wrong(0) == 0);
          }
        });
  });
}

TEST_CASE_FIXTURE(on_device, "conversions: a reduction of floats into integers") {
  for (const float x : hostile<float>()) {
    CAPTURE(x);
    const cl::Buffer buffer = on.buffer_of(std::vector<float>(1, x));
    const view<float> in{buffer, 1};
    for (const std::string row : forced_rows(some_of({"", "sm_90"}))) {
      CHECK(clwave::reduce<std::int32_t>(on.queue, in, clwave::max) == saturated<std::int32_t>(x));
      CHECK(clwave::transform_reduce<u32>(on.queue, in, clwave::max,
                                          clwave::map{.name = "own", .source = "x"}) == saturated<u32>(x));
    }
  }
  // An operator whose text is a float.
  const std::vector<std::int32_t> numbers(2, 2000000000);
  const clwave::op large{.name = "large", .source = "a * 3e9f + b", .identity = "0"};
  in_converting_rows([&] {
    CHECK(clwave::reduce(on.queue, view<std::int32_t>{on.buffer_of(numbers), 2}, large) == 2147483647);
  });
}

TEST_CASE_FIXTURE(on_device, "conversions: halves round to nearest even wherever they are stored") {
  const std::vector<float> values = floats_near_halves();
  const cl::Buffer buffer = on.buffer_of(values);
  in_converting_rows([&] {
    guarded_buffer<half> out(on, values.size());
    clwave::copy(on.queue, view<float>{buffer, values.size()}, out.view()).wait();
    CHECK(bits_of(out.read()) == bits_of_halves(values));
  });
  // And no store of the kernels leaves its rounding open.
  const clwave::plan_target on_sm{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
  const auto plan = clwave::plan(clwave::copy_problem{{element_of<float>(), 100}, element_of<half>()}, on_sm);
  CHECK(plan.source.find("vstore_half(") == std::string::npos);
  CHECK(plan.options.find("vstore_half ") == std::string::npos);
}

TEST_CASE_FIXTURE(on_device, "literals: floats without a suffix, unless doubles are named") {
  const float x = 3.0000002f;
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(1, x));
  const view<float> in{buffer, 1};
  const volatile float tenth = 0.1f, third = 1.0f / 3.0f;
  in_converting_rows([&] {
    const volatile float product = x * tenth;
    const volatile float sum = product + tenth;
    const clwave::map own{.name = "own", .source = "(x * 0.1 + 0.1) * 0.3333333333333"};
    CHECK(clwave::transform_reduce(on.queue, in, clwave::plus, own) == sum * third);
  });
  if (!on.has_doubles()) return;
  for (const clwave::map& names : naming_doubles) {
    CHECK(clwave::transform_reduce(on.queue, in, clwave::plus, names) ==
          static_cast<float>(static_cast<double>(x) * 0.1));
  }
  CHECK(clwave::reduce<double>(on.queue, view<float>{buffer, 1},
                               clwave::op{.name = "o", .source = "a + 0.1 * b", .identity = "0.1"}) ==
        static_cast<double>(x));
}

TEST_CASE("literals: the rule is the same for every row") {
  check_literals_in_every_row([](const element& e, const map& m, const clwave::plan_target& on) {
    return clwave::plan(clwave::reduce_problem{{e, 100}, &e, &clwave::plus, &m}, on);
  });
}

}  // namespace
}  // namespace testing::conversions_test
