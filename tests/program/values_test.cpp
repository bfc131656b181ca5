// Named values of operators and maps: texts see the numbers of their own call, bit by bit, and new numbers
// build nothing.
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <clwave.hpp>

#include "harness/captures.hpp"
#include "harness/refusals.hpp"
#include "harness/values.hpp"

namespace testing::values_test {
namespace {

// Run on real sub-groups too (tests/CMakeLists.txt).
const doctest::test_suite lanes("lanes");

// One element, one row, one tile and a few, from an odd place.
constexpr std::array<std::size_t, 5> sizes{1, 33, 1025, 8192, 3 * 8192 + 5};

TEST_CASE_FIXTURE(on_device, "values: operators that commute, and that do not" * lanes) {
  const std::vector<float> x = random_floats(sizes.back() + 1);
  const cl::Buffer buffer = on.buffer_of(x), out = on.buffer_of(std::vector<float>(1));
  for (const bool commutes : {true, false}) {
    CAPTURE(commutes);
    under_rows(rows_of_few_lanes, [&] {
      for (const float weight : {0.75f, -1.5f}) {
        CAPTURE(weight);
        const op fold{.name = "weighted",
                      .source = "a * weight + b * other",
                      .identity = "0",
                      .commutative = commutes,
                      .values = {{"weight", weight}, {"other", 0.5f}}};
        const auto combine = [&](float a, float b) { return product(a, weight) + product(b, 0.5f); };
        for (const std::size_t n : sizes) {
          CAPTURE(n);
          const float expected = reference::host_fold<float>(x, 1, n, combine, !commutes);
          CHECK(same_bits(clwave::reduce(on.queue, view<float>{buffer, n, 1}, fold), expected));
          clwave::reduce(on.queue, view<float>{buffer, n, 1}, view<float>{out, 1}, fold).wait();
          CHECK(same_bits(on.read<float>(out, 1)[0], expected));
        }
      }
    });
  }
}

TEST_CASE_FIXTURE(
    on_device,
    "values: a map and an operator each have their own, also of one name and with different types" * lanes) {
  const std::vector<float> x = random_floats(sizes.back()), y = random_floats(sizes.back());
  const cl::Buffer x_buffer = on.buffer_of(x), y_buffer = on.buffer_of(y);
  under_rows(rows_of_few_lanes, [&] {
    for (const float k : {0.75f, -1.5f}) {
      CAPTURE(k);
      const op fold{.name = "fold", .source = "a + k * b", .identity = "0", .values = {{"k", k}}};
      const map apply{.name = "map", .source = "x * k + (i & 3)", .values = {{"k", 3}}};
      const map pairs{.name = "pairs", .source = "alpha * x + y * k", .values = {{"k", 3}, {"alpha", k}}};
      for (const std::size_t n : sizes) {
        CAPTURE(n);
        const auto combine = [&](float a, float b) { return a + product(k, b); };
        const float expected = reference::fold_reference<float>(
            n, [&](std::size_t i) { return product(x[i], 3.0f) + static_cast<float>(i & 3); }, combine,
            false);
        CHECK(same_bits(clwave::transform_reduce(on.queue, view<float>{x_buffer, n}, fold, apply), expected));
        // With an operator of clwave's own.
        const float sum = reference::fold_reference<float>(
            n, [&](std::size_t i) { return product(k, x[i]) + product(y[i], 3.0f); }, std::plus<>(), false);
        CHECK(same_bits(clwave::transform_reduce(
                            on.queue, clwave::zip(view<float>{x_buffer, n}, view<float>{y_buffer, n}),
                            clwave::plus, pairs),
                        sum));
      }
    }
  });
}

TEST_CASE_FIXTURE(on_device, "values: an index is looked up by the values that its map had") {
  std::vector<float> x(20'000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 20'001);
  const cl::Buffer buffer = on.buffer_of(x);
  const view<float> in{buffer, x.size()};
  for (const float target : {0.0f, 777.0f, 14'000.0f}) {
    CAPTURE(target);
    const auto nearest = clwave::transform_reduce<indexed<float>>(
        on.queue, in, clwave::detail::argmin_op,
        map{.name = "distance", .source = "fabs(x - target)", .values = {{"target", target}}});
    CHECK(nearest.value == 0);
    CHECK(x[nearest.index] == target);
  }
}

TEST_CASE_FIXTURE(on_device, "values: an identity may name them, and a plain number needs no device") {
  const cl::Buffer buffer = on.buffer_of(std::vector<float>(1)), out = on.buffer_of(std::vector<float>(1));
  const op fold{.name = "highest",
                .source = "max(max(a, b), least)",
                .identity = "least - 1",
                .values = {{"least", 3.0f}}};
  op other = fold;
  other.values[0] = {"least", -7.5f};
  CHECK(clwave::reduce(on.queue, view<float>{buffer, 0}, fold) == 2.0f);
  const std::size_t made = programs_made();
  CHECK(clwave::reduce(on.queue, view<float>{buffer, 0}, other) == -8.5f);
  clwave::reduce(on.queue, view<float>{buffer, 0}, view<float>{out, 1}, fold).wait();
  CHECK(on.read<float>(out, 1)[0] == 2.0f);
  // And with the values of a map, which the kernel has too.
  CHECK(programs_made() == made);
  const map apply{.name = "m", .source = "x * k", .values = {{"k", 2.0f}}};
  CHECK(clwave::transform_reduce(on.queue, view<float>{buffer, 0}, other, apply) == -8.5f);
}

TEST_CASE_FIXTURE(on_device, "values: two hundred numbers of an operator take one build") {
  const std::vector<float> x = random_floats(3000);
  const cl::Buffer buffer = on.buffer_of(x);
  const view<float> in{buffer, x.size()};
  const auto by = [](const char* name, clwave::named_value value) {
    return op{.name = name, .source = "a + alpha * b", .identity = "0", .values = {std::move(value)}};
  };
  const auto check = [&](float alpha) {
    const float expected =
        reference::host_fold<float>(x, 0, x.size(), [&](float a, float b) { return a + product(alpha, b); });
    CHECK(same_bits(clwave::reduce(on.queue, in, by("by alpha", {"alpha", alpha})), expected));
  };
  check(0.5f);
  const std::size_t made = programs_made();
  for (int k = 0; k < 200; ++k) check(static_cast<float>(k - 100) / 99);
  CHECK(programs_made() == made);
  // Another type is another program.
  static_cast<void>(clwave::reduce(on.queue, in, by("by alpha", {"alpha", 2})));
  CHECK(programs_made() == made + 1);
}

TEST_CASE_FIXTURE(on_device, "threads have each its own values for one program") {
  constexpr std::size_t n = 20'000, n_threads = 8;
  const std::vector<float> x = random_floats(n);
  const cl::Buffer buffer = on.buffer_of(x);
  const auto by = [](float k) {
    return op{.name = "by k", .source = "a * k + b", .identity = "0", .values = {{"k", k}}};
  };
  std::vector<float> expected;
  for (std::size_t t = 0; t < n_threads; ++t) {
    const float k = 0.25f + static_cast<float>(t) / 16;
    expected.push_back(
        reference::host_fold<float>(x, 0, n, [&](float a, float b) { return product(a, k) + b; }));
  }
  CHECK(same_bits(clwave::reduce(on.queue, view<float>{buffer, n}, by(0.25f)), expected[0]));
  const std::size_t made = programs_made();
  for (const bool own : {false, true}) {
    CAPTURE(own);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> pool;
    for (std::size_t t = 0; t < n_threads; ++t) {
      pool.emplace_back([&, t] {
        const cl::CommandQueue queue = own ? on.new_queue() : on.queue;
        const op fold = by(0.25f + static_cast<float>(t) / 16);
        for (int k = 0; k < 50; ++k)
          wrong += same_bits(clwave::reduce(queue, view<float>{buffer, n}, fold), expected[t]) ? 0 : 1;
      });
    }
    for (std::thread& thread : pool) thread.join();
    CHECK(wrong == 0);
  }
  CHECK(programs_made() == made);
}

// ---------------------------------------------------------------------------------------------- plans

TEST_CASE("values: plans show them as the last arguments of every launch") {
  const op fold{.name = "own",
                .source = "a * k + b",
                .identity = "0",
                .values = {{"k", -0.0f}, {"wide", cl_int2{{3, -4}}}}};
  const map apply{.name = "own",
                  .source = "x * k",
                  .values = {{"k", u64{0xffffffffffffffff}}, {"small", std::int8_t{-7}}}};
  for (const char* row : some_of({"cpu", "sm_90", "gfx90a"})) {
    for (const u64 n : {u64{100}, u64{1} << 24}) {
      CAPTURES(row, n);
      clwave::reduce_problem problem{{element_of<float>(), n}, &element_of<float>(), &fold, &apply};
      problem.out = element_of<float>();
      clwave::plan_target on{.choice = clwave::choose_profile_for(row), .compute_units = 8};
      if (n > 100) on.choice.order = clwave::group_order::two_launches;
      const call_plan plan = clwave::plan(problem, on);
      CHECK(plan.kernels.size() == (n > 100 ? 2 : 1));
      for (const planned_kernel& kernel : plan.kernels) {
        std::string last;
        REQUIRE(kernel.arguments.size() > 4);
        for (std::size_t k = kernel.arguments.size() - 4; k < kernel.arguments.size(); ++k) {
          const clwave::planned_argument& each = kernel.arguments[k];
          last += each.name + ": " + each.kind + " " + each.value + "; ";
        }
        CHECK(last == "k: f32 -0; wide: i32x2 3,-4; k: u64 18446744073709551615; small: i8 -7; ");
      }
      CHECK(contains(plan.source,
                     "#define clwave_NAMED_VALUES(V) V(float, clwave_op_k) V(int2, clwave_op_wide) "
                     "V(ulong, clwave_map_k) V(char, clwave_map_small)"));
    }
  }
}

TEST_CASE("values: a call without them declares none") {
  const op fold{.name = "own", .source = "a + b", .identity = "0"};
  const auto plan =
      clwave::plan(clwave::reduce_problem{{element_of<float>(), 100}, &element_of<float>(), &fold},
                   {.choice = clwave::choose_profile_for("sm_90"), .compute_units = 8});
  CHECK_FALSE(contains(plan.source, "#define clwave_NAMED_VALUES("));
}

}  // namespace
}  // namespace testing::values_test
