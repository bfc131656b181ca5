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

using clwave::half;
using clwave::view;

TEST_CASE("conversions: floats out of an integer's range") {
  testing::for_each_conversion([](auto to, auto from) {
    using To = decltype(to);
    using From = decltype(from);
    testing::check_integers_by<To, From>(
        [](const fixture& on, const view<From>& in, const view<To>& out, const auto& wrong) {
          for (const bool saturate : {false, true}) {
            clwave::copy(on.queue, in, out, {.saturate = saturate}).wait();
            CHECK(wrong(0) == 0);
          }
        });
  });
}

TEST_CASE("conversions: a reduction of floats into integers") {
  const fixture& on = default_fixture();
  for (const float x : hostile<float>()) {
    CAPTURE(x);
    const cl::Buffer buffer = on.buffer_of(std::vector<float>(1, x));
    const view<float> in{buffer, 1};
    for (const char* row : testing::some_of({"", "sm_90"})) {
      const forced_profile forced(row);
      CHECK(clwave::reduce<std::int32_t>(on.queue, in, clwave::max) == saturated<std::int32_t>(x));
      CHECK(clwave::transform_reduce<std::uint32_t>(on.queue, in, clwave::max,
                                                    clwave::map{.name = "own", .source = "x"}) ==
            saturated<std::uint32_t>(x));
    }
  }
  // An operator whose text is a float.
  const std::vector<std::int32_t> numbers(2, 2000000000);
  const clwave::op large{.name = "large", .source = "a * 3e9f + b", .identity = "0"};
  in_converting_rows([&] {
    CHECK(clwave::reduce(on.queue, view<std::int32_t>{on.buffer_of(numbers), 2}, large) == 2147483647);
  });
}

TEST_CASE("conversions: halves round to nearest even wherever they are stored") {
  const fixture& on = default_fixture();
  const std::vector<float> values = testing::floats_near_halves();
  const cl::Buffer buffer = on.buffer_of(values);
  in_converting_rows([&] {
    testing::guarded_buffer<half> out(on, values.size());
    clwave::copy(on.queue, view<float>{buffer, values.size()}, out.view()).wait();
    CHECK(testing::bits_of(out.read()) == testing::bits_of_halves(values));
  });
  // And no store of the kernels leaves its rounding open.
  const clwave::plan_target on_sm{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8};
  const auto plan = clwave::plan(
      clwave::copy_problem{{clwave::element_of<float>(), 100}, clwave::element_of<half>()}, on_sm);
  CHECK(plan.source.find("vstore_half(") == std::string::npos);
  CHECK(plan.options.find("vstore_half ") == std::string::npos);
}

TEST_CASE("literals: floats without a suffix, unless doubles are named") {
  const fixture& on = default_fixture();
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
  for (const clwave::map& names : {clwave::map{.name = "named", .source = "(double)x * 0.1"},
                                   clwave::map{.name = "helped",
                                   .source = "tenth(x)",
                                   .declarations = "float tenth(double v) { return v * 0.1; }"}}) {
    CHECK(clwave::transform_reduce(on.queue, in, clwave::plus, names) ==
          static_cast<float>(static_cast<double>(x) * 0.1));
  }
  CHECK(clwave::reduce<double>(on.queue, view<float>{buffer, 1},
                               clwave::op{.name = "o", .source = "a + 0.1 * b", .identity = "0.1"}) ==
        static_cast<double>(x));
}

TEST_CASE("literals: the rule is the same for every row") {
  const clwave::element &f32 = clwave::element_of<float>(), &f64 = clwave::element_of<double>();
  testing::for_each_profile([&](const clwave::profile& row) {
    CAPTURE(row.name);
    const clwave::plan_target on{.choice = clwave::choose_profile_for(row.name), .compute_units = 8};
    const auto has = [&](const clwave::element& e, const std::string& text, const std::string& source,
                         const std::string& helper = "") {
      const clwave::map m{.name = "m", .source = source, .declarations = helper};
      return plan(clwave::reduce_problem{{e, 100}, &e, &clwave::plus, &m}, on).source.find(text) !=
             std::string::npos;
    };
    CHECK(has(f32, "\nx * 0.1f)", "x * 0.1"));
    CHECK(has(f32, "v * 0.3f;", "x", "float scaled(float v) { return v * 0.3; } // no double"));
    CHECK(has(f64, "\nx * 0.1)", "x * 0.1"));
    CHECK(has(f32, "\nconvert_double_rte(x) * 0.1)", "convert_double_rte(x) * 0.1"));
    CHECK(has(f32, "\nhelped(x) * 0.1f)", "helped(x) * 0.1", "float helped(double v) { return v * 0.3; }"));
    CHECK(has(f32, "v * 0.3;", "helped(x) * 0.1", "float helped(double v) { return v * 0.3; }"));
  });
}

}  // namespace
}  // namespace testing::conversions_test
