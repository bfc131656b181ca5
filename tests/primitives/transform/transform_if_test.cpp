// transform_if, replace_if, generate and iota against plain loops: what is kept has the bits that it had, on
// rows of the table; types; what is refused.
#include <clwave/transform.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/device.hpp>
#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/profile.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/elements.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"

namespace testing::transform_if_test {
namespace {

const doctest::test_suite lanes("lanes");
const std::size_t sizes[] = {0, 1, 3, 4, 5, 31, 255, 257, 1024, 4099, 70001};

struct spot {
  float x, y, z;
};

// Every third element, by its index, and where the text of the elements says so.
template <class T>
void check_in_place(const fixture& on, random_engine& random, std::size_t n) {
  CAPTURES(n, element_of<T>().name);
  std::vector<T> x = random_elements<T>(random, n);
  const guarded_buffer<T> held(on, n + 1);
  if (n > 0)
    on.queue.enqueueWriteBuffer(held.buffer(), CL_TRUE, (held.view().offset() + 1) * sizeof(T), n * sizeof(T),
                                x.data());
  const view<T> in = held.view().subview(1, n);
  const map third{.name = "third", .source = "i % every == 0", .values = {{"every", 3u}}};
  clwave::replace_if(on.queue, in, third, T(7)).wait();
  std::vector<T> now = held.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) wrong += same_bits(now[i + 1], i % 3 == 0 ? T(7) : x[i]) ? 0 : 1;
  CHECK(wrong == 0);
  CHECK(held.guards_intact());
}

// Into another buffer, of another type, which begins at another place.
template <class In, class Out>
void check_apart(const fixture& on, random_engine& random, std::size_t n) {
  CAPTURE(n);
  std::vector<In> x(n + 5);
  for (In& each : x) each = static_cast<In>(static_cast<int>(random.below(100)));
  const cl::Buffer xs = on.buffer_of(x);
  const std::size_t x_first = random.below(5), first = random.below(5);
  const guarded_buffer<Out> out(on, n + 5);
  const std::vector<Out> before = out.read();
  clwave::transform_if(on.queue, view<const In>{xs, n, x_first}, out.view().subview(first, n),
                       {.name = "more", .source = "x + add", .values = {{"add", 1}}},
                       {.name = "large", .source = "x > least", .values = {{"least", 40}}})
      .wait();
  const std::vector<Out> now = out.read();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n + 5; ++i) {
    const bool inside = i >= first && i < first + n;
    const auto element = inside ? static_cast<float>(x[x_first + i - first]) : 0.0f;
    const Out right = inside && element > 40 ? static_cast<Out>(element + 1) : before[i];
    wrong += same_bits(now[i], right) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(out.guards_intact());
}

}  // namespace
}  // namespace testing::transform_if_test

CLWAVE_STRUCTURE(testing::transform_if_test::spot, "spot_of_test",
                 "typedef struct { float x, y, z; } spot_of_test;")

namespace testing::transform_if_test {

TEST_CASE_FIXTURE(on_device, "replace_if and transform_if of all lengths and types") {
  for (const std::size_t n : sizes) {
    check_in_place<float>(on, random, n);
    check_apart<float, float>(on, random, n);
  }
  const std::size_t n = 3000 + random.below(3000);
  // Random bits: NaNs with payloads among them, which are kept as they are.
  check_in_place<half>(on, random, n);
  check_in_place<bfloat16>(on, random, n);
  check_in_place<std::int8_t>(on, random, n);
  check_in_place<u64>(on, random, n);
  check_apart<u32, half>(on, random, n);
  check_apart<float, std::uint8_t>(on, random, n);
  check_apart<std::int16_t, bfloat16>(on, random, n);
  if (on.has_doubles()) {
    check_in_place<double>(on, random, n);
    check_apart<double, std::int64_t>(on, random, n);
  }
}

TEST_CASE_FIXTURE(on_device, "replace_if and transform_if on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    check_in_place<float>(on, random, random.below(20000));
    check_in_place<half>(on, random, random.below(20000));
    check_apart<float, float>(on, random, random.below(20000));
    check_apart<std::uint8_t, float>(on, random, random.below(20000));
  }
}

TEST_CASE_FIXTURE(on_device, "transform_if of two inputs, by flags; structures; counted elements") {
  const std::size_t n = 5001;
  const std::vector<float> x = random_elements<float>(random, n);
  std::vector<std::uint8_t> flags(n);
  for (std::uint8_t& each : flags) each = static_cast<std::uint8_t>(random.below(2));
  const cl::Buffer xs = on.buffer_of(x), fs = on.buffer_of(flags);
  const view<const float> in{xs, n};
  const guarded_buffer<float> out(on, n);
  const std::vector<float> before = out.read();
  const map twice{.name = "twice", .source = "2 * x"}, flagged{.name = "flagged", .source = "y"};
  const u32 count = 3000;
  const cl::Buffer counts = on.buffer_of(std::vector<u32>{count});
  clwave::transform_if(on.queue, in.first(view<u32>{counts, 1}), view<const std::uint8_t>{fs, n}, out.view(),
                       twice, flagged)
      .wait();
  const std::vector<float> now = out.read_guarded();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += same_bits(now[i], i < count && flags[i] != 0 ? 2 * x[i] : before[i]) ? 0 : 1;
  CHECK(wrong == 0);

  std::vector<spot> spots(999);
  for (spot& each : spots) each = {static_cast<float>(random.below(10)), 1, 2};
  const cl::Buffer held = on.buffer_of(spots);
  const view<spot> all{held, spots.size()};
  clwave::transform_if(on.queue, all, all,
                       {.name = "moved",
                        .source = "moved(x)",
                        .declarations = "spot_of_test moved(spot_of_test s) { s.z = 9; return s; }"},
                       {.name = "far", .source = "x.x > 4"})
      .wait();
  const auto moved = on.read<spot>(held, spots.size());
  for (std::size_t i = 0; i < spots.size(); ++i) {
    if (moved[i].x != spots[i].x || moved[i].z != (spots[i].x > 4 ? 9 : 2)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE_FIXTURE(on_device, "bools that are kept keep their bytes") {
  const cl::Buffer bytes = on.buffer_of(std::vector<unsigned char>{5, 0, 1, 5, 7});
  const view<bool> x{bytes, 5};
  clwave::transform_if(on.queue, x, x, map{.name = "no", .source = "0"},
                       map{.name = "first", .source = "i == 0"})
      .wait();
  CHECK(on.read<unsigned char>(bytes, 5) == std::vector<unsigned char>{0, 0, 1, 5, 7});
}

TEST_CASE("in place nothing is read twice: the plan says so") {
  const clwave::device_facts facts = clwave::facts_of(default_fixture().device());
  const clwave::plan_target on{.facts = &facts, .choice = clwave::choose_profile(facts)};
  const clwave::element& f32 = element_of<float>();
  const map twice{.name = "twice", .source = "2 * x"}, large{.name = "large", .source = "x > 1"};
  clwave::transform_problem problem{
      .in = {{f32, 1000}}, .out = {f32, 1000}, .apply = &twice, .in_place = true, .only_if = &large};
  const auto inputs = [&] { return plan(problem, on).variant; };
  CHECK_FALSE(contains(inputs(), "the output is read"));
  problem.in_place = false;
  CHECK(contains(inputs(), "the output is read"));
}

TEST_CASE_FIXTURE(on_device, "generate and iota: functions of the index") {
  in_rows([&](bool own) {
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      const guarded_buffer<float> steps(on, n + 3);
      const std::vector<float> before = steps.read();
      clwave::generate(on.queue, steps.view().subview(2, n),
                       {.name = "steps", .source = "0.25f * i + c", .values = {{"c", 3.0f}}})
          .wait();
      const std::vector<float> now = steps.read_guarded();
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < n + 3; ++i)
        wrong += same_bits(now[i], i >= 2 && i < n + 2 ? 0.25f * static_cast<float>(i - 2) + 3.0f : before[i])
                     ? 0
                     : 1;
      CHECK(wrong == 0);
      if (!own) continue;
      const guarded_buffer<std::uint8_t> bytes(on, n);
      const guarded_buffer<u64> words(on, n);
      const guarded_buffer<std::int32_t> falling(on, n);
      const guarded_buffer<half> halves(on, n);
      clwave::iota(on.queue, bytes.view());
      clwave::iota(on.queue, words.view(), u64{1} << 40, u64{3});
      clwave::iota(on.queue, falling.view(), -5, -2);
      clwave::iota(on.queue, halves.view(), half(0.5f)).wait();
      const auto b = bytes.read_guarded();
      const auto w = words.read_guarded();
      const auto f = falling.read_guarded();
      const auto h = halves.read_guarded();
      for (std::size_t i = 0; i < n; ++i) {
        wrong += b[i] != static_cast<std::uint8_t>(i) ? 1 : 0;
        wrong += w[i] != (u64{1} << 40) + 3 * i ? 1 : 0;
        wrong += f[i] != -5 - 2 * static_cast<std::int32_t>(i) ? 1 : 0;
        if (i < 1000) wrong += static_cast<float>(h[i]) != 0.5f + static_cast<float>(i) ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  });
}

TEST_CASE_FIXTURE(on_device, "what transform_if and generate refuse") {
  const cl::Buffer some = on.buffer_of(std::vector<float>(64)), other = on.buffer_of(std::vector<float>(64));
  const view<float> in{some, 20}, out{other, 20};
  const map twice{.name = "twice", .source = "2 * x"}, large{.name = "large", .source = "x > 1"};
  refuses("a predicate is a map of your own",
          [&] { clwave::transform_if(on.queue, in, out, twice, clwave::identity); });
  refuses("the output 19", [&] { clwave::transform_if(on.queue, in, view<float>{other, 19}, twice, large); });
  refuses("overlap", [&] { clwave::transform_if(on.queue, in, view<float>{some, 20, 1}, twice, large); });
  refuses("1 or 2 inputs", [&] {
    clwave::transform(on.queue(), {.in = {in, in, in}, .out = out, .apply = &twice, .only_if = &large});
  });
  refuses("1 or 2 inputs",
          [&] { clwave::transform(on.queue(), {.in = {}, .out = out, .apply = &twice, .only_if = &large}); });
  refuses("map identity", [&] { clwave::generate(on.queue, out, clwave::identity); });
  refuses("0 to 3 inputs", [&] {
    clwave::transform(on.queue(), {.in = {in, in, in, in}, .out = out, .apply = &twice});
  });
  const cl::Buffer written(on.context, CL_MEM_WRITE_ONLY, 64);
  refuses("output", [&] {
    clwave::transform_if(on.queue, view<float>(some, 4), view<float>(written, 4), twice, large);
  });
}

}  // namespace testing::transform_if_test
