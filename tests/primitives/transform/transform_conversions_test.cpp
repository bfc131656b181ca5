// Where OpenCL leaves the bits open, in transform and broadcast: literals without a suffix, floats out of an
// integer's range, halves between two values.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>
#include <clwave/transform.hpp>

#include "harness/conversions.hpp"
#include "harness/devices.hpp"

namespace testing::transform_conversions_test {
namespace {

TEST_CASE("conversions of a transform: floats out of an integer's range") {
  for_each_conversion([](auto to, auto from) {
    using To = decltype(to);
    using From = decltype(from);
    check_integers_by<To, From>(
        [](const fixture& on, const view<From>& in, const view<To>& out, const auto& wrong) {
          const clwave::map own{.name = "own", .source = "x"};
          clwave::transform(on.queue, in, out, clwave::identity).wait();
          CHECK(wrong(0) == 0);
          clwave::transform(on.queue, in, out, own).wait();
          CHECK(wrong(0) == 0);
          // At odd places, by element.
          const std::size_t fewer = in.size() - 1;
          clwave::transform(on.queue, in.subview(1, fewer), out.subview(0, fewer), own).wait();
          CHECK(wrong(1) == 0);
          const cl::Buffer zero = on.buffer_of(std::vector<From>(1, From(0)));
          clwave::broadcast(on.queue, in, view<From>{zero, 1}, out, {.rows = 1, .columns = in.size()},
                            clwave::per::row, {.name = "own", .source = "b != 0 ? b : x"})
              .wait();
          CHECK(wrong(0) == 0);
        });
  });
}

TEST_CASE_FIXTURE(on_device, "conversions of a transform: integers wrap, in texts of the user too") {
  const std::vector<std::int32_t> values{-1, 256, 257, -129, 2147483647};
  guarded_buffer<std::uint8_t> out(on, values.size());
  in_converting_rows([&] {
    clwave::transform(on.queue, view<std::int32_t>{on.buffer_of(values), values.size()}, out.view(),
                      {.name = "own", .source = "x"})
        .wait();
    CHECK(out.read() == std::vector<std::uint8_t>{255, 0, 1, 127, 255});
  });
}

TEST_CASE_FIXTURE(on_device, "conversions of a transform: halves round to nearest even") {
  const std::vector<float> values = floats_near_halves();
  const cl::Buffer buffer = on.buffer_of(values);
  in_converting_rows([&] {
    guarded_buffer<half> out(on, values.size());
    clwave::transform(on.queue, view<float>{buffer, values.size()}, out.view(),
                      {.name = "own", .source = "x"})
        .wait();
    CHECK(bits_of(out.read()) == bits_of_halves(values));
  });
  const clwave::map own{.name = "own", .source = "x"};
  const auto plan =
      clwave::plan(clwave::transform_problem{{{element_of<float>(), 100}}, element_of<half>(), &own},
                   {.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8});
  CHECK(plan.source.find("vstore_half(") == std::string::npos);
  CHECK(plan.options.find("vstore_half ") == std::string::npos);
}

TEST_CASE_FIXTURE(on_device, "conversions of a transform: a double is rounded once on its way into a half") {
  if (!on.has_doubles()) return;
  const std::vector<double> values = doubles_near_halves();
  const std::size_t n = values.size();
  const cl::Buffer buffer = on.buffer_of(values);
  const cl::Buffer zero = on.buffer_of(std::vector<float>(1, 0.0f));
  const clwave::map own{.name = "own", .source = "x"};
  in_converting_rows([&] {
    guarded_buffer<half> out(on, n);
    const auto check = [&] { CHECK(bits_of(out.read()) == bits_of_halves(values)); };
    clwave::transform(on.queue, view<double>{buffer, n}, out.view(), clwave::identity).wait();
    check();
    clwave::transform(on.queue, view<double>{buffer, n}, out.view(), own).wait();
    check();
    clwave::broadcast(on.queue, view<double>{buffer, n}, view<float>{zero, 1}, out.view(),
                      {.rows = 1, .columns = n}, clwave::per::row, {.name = "more", .source = "x - b"})
        .wait();
    check();
  });
}

TEST_CASE_FIXTURE(on_device, "literals of a transform: floats without a suffix, unless doubles are named") {
  const float x = 3.0000002f;
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(1, x));
  guarded_buffer<float> out(on, 1);
  const volatile float tenth = 0.1f, third = 1.0f / 3.0f;
  in_converting_rows([&] {
    clwave::transform(on.queue, view<float>{buffer, 1}, out.view(),
                      {.name = "own", .source = "(x * 0.1 + 0.1) * 0.3333333333333"})
        .wait();
    const volatile float product = x * tenth;
    const volatile float sum = product + tenth;
    CHECK(out.first() == sum * third);
  });
  if (!on.has_doubles()) return;
  for (const clwave::map& names : naming_doubles) {
    clwave::transform(on.queue, view<float>{buffer, 1}, out.view(), names).wait();
    CHECK(out.first() == static_cast<float>(static_cast<double>(x) * 0.1));
  }
}

TEST_CASE("literals of a transform: the rule is the same for every row") {
  check_literals_in_every_row([](const element& e, const map& m, const clwave::plan_target& on) {
    return clwave::plan(clwave::transform_problem{{{e, 100}}, e, &m}, on);
  });
}

}  // namespace
}  // namespace testing::transform_conversions_test
