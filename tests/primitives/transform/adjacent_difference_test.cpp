// adjacent_difference against plain loops: apart and in place, all types, odd places, rows of the table; what
// is refused.
#include <clwave/transform.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/elements.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"

namespace testing::adjacent_difference_test {
namespace {

const doctest::test_suite lanes("lanes");

struct sample {
  u32 at, before, value;
};

template <class T>
T difference(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<u64>(a) - static_cast<u64>(b));
  else
    return a - b;
}

template <class T>
void check_differences(const fixture& on, random_engine& random, std::size_t n) {
  CAPTURES(n, element_of<T>().name);
  const std::size_t x_first = random.below(6), first = random.below(2) == 0 ? x_first : random.below(6);
  const std::vector<T> x = random_elements<T>(random, n + x_first);
  const cl::Buffer xs = on.buffer_of(x);
  const guarded_buffer<T> out(on, n + 6), held(on, n + 6);
  const std::vector<T> before = out.read();
  clwave::adjacent_difference(on.queue, view<const T>{xs, n, x_first}, out.view().subview(first, n)).wait();
  // In place, in memory whose surroundings are guarded.
  std::vector<T> around = held.read();
  std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(x_first), n,
              around.begin() + static_cast<std::ptrdiff_t>(first));
  on.queue.enqueueWriteBuffer(held.buffer(), CL_TRUE, held.view().offset() * sizeof(T),
                              around.size() * sizeof(T), around.data());
  const view<T> place = held.view().subview(first, n);
  clwave::adjacent_difference(on.queue, place, place).wait();
  const std::vector<T> now = out.read(), in_place = held.read();
  std::size_t wrong = 0, wrong_in_place = 0;
  for (std::size_t i = 0; i < n + 6; ++i) {
    const bool inside = i >= first && i < first + n;
    const std::size_t k = x_first + i - first;
    const T right = !inside ? T{} : i == first ? x[k] : difference(x[k], x[k - 1]);
    wrong += same_bits(now[i], inside ? right : before[i]) ? 0 : 1;
    wrong_in_place += same_bits(in_place[i], inside ? right : around[i]) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(wrong_in_place == 0);
  CHECK(out.guards_intact());
  CHECK(held.guards_intact());
}

}  // namespace
}  // namespace testing::adjacent_difference_test

CLWAVE_STRUCTURE(testing::adjacent_difference_test::sample, "sample_of_test",
                 "typedef struct { uint at, before, value; } sample_of_test;")

namespace testing::adjacent_difference_test {

TEST_CASE_FIXTURE(on_device, "adjacent differences of all lengths and types, apart and in place") {
  for (const std::size_t n : {0, 1, 2, 3, 4, 5, 31, 255, 256, 257, 1024, 4099, 70001})
    check_differences<float>(on, random, n);
  const std::size_t n = 3000 + random.below(9000);
  check_differences<std::int8_t>(on, random, n);
  check_differences<std::uint8_t>(on, random, n);
  check_differences<std::int32_t>(on, random, n);
  check_differences<u64>(on, random, n);
  if (on.has_doubles()) check_differences<double>(on, random, n);
}

TEST_CASE_FIXTURE(on_device, "adjacent differences on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    check_differences<float>(on, random, random.below(300));
    check_differences<float>(on, random, random.below(50000));
    check_differences<std::uint8_t>(on, random, random.below(50000));
  }
}

TEST_CASE_FIXTURE(on_device, "adjacent differences by a map, of other types, of structures") {
  const std::size_t n = 5003;
  std::vector<std::int32_t> x(n);
  // Divisors are never 0: the quotient of each pair is computed, though the first one is not used.
  for (std::int32_t& each : x) each = 1 + static_cast<std::int32_t>(random.below(1000));
  const cl::Buffer xs = on.buffer_of(x);
  in_rows([&](bool /*own*/) {
    const guarded_buffer<float> out(on, n);
    clwave::adjacent_difference(
        on.queue, view<const std::int32_t>{xs, n}, out.view(),
        {.name = "quotient", .source = "x / y + k * (i & 1)", .values = {{"k", 1000}}})
        .wait();
    const std::vector<float> now = out.read_guarded();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto right = i == 0 ? static_cast<float>(x[0])
                                : static_cast<float>(x[i] / x[i - 1] + 1000 * static_cast<int>(i & 1));
      wrong += now[i] != right ? 1 : 0;
    }
    CHECK(wrong == 0);

    std::vector<sample> samples(n);
    for (std::size_t i = 0; i < n; ++i) samples[i] = {static_cast<u32>(i), 77, static_cast<u32>(random())};
    const cl::Buffer held = on.buffer_of(samples);
    const view<sample> all{held, n};
    clwave::adjacent_difference(on.queue, all, all,
                                {.name = "chained",
                                 .source = "chained(x, y)",
                                 .declarations = "sample_of_test chained(sample_of_test x, sample_of_test y) "
                                                 "{ x.before = y.at; x.value -= y.value; return x; }"})
        .wait();
    const auto chained = on.read<sample>(held, n);
    for (std::size_t i = 0; i < n; ++i) {
      const sample right = i == 0 ? samples[0]
                                  : sample{static_cast<u32>(i), static_cast<u32>(i - 1),
                                           samples[i].value - samples[i - 1].value};
      wrong += std::memcmp(&chained[i], &right, sizeof right) != 0 ? 1 : 0;
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE_FIXTURE(on_device, "adjacent differences into 16 bits are of floats, and rounded once") {
  const std::vector<std::int32_t> x = {1000, 1001, 16777216, 16777217, 100000, 100001, -70000};
  const cl::Buffer xs = on.buffer_of(x);
  const guarded_buffer<bfloat16> out(on, x.size());
  clwave::adjacent_difference(on.queue, view<const std::int32_t>{xs, x.size()}, out.view()).wait();
  const auto found = out.read();
  for (std::size_t i = 0; i < x.size(); ++i) {
    CAPTURE(i);
    const auto now = static_cast<float>(x[i]);
    const float right = i == 0 ? now : now - static_cast<float>(x[i - 1]);
    CHECK(static_cast<float>(found[i]) == static_cast<float>(bfloat16(right)));
  }
  CHECK(out.guards_intact());
}

TEST_CASE_FIXTURE(on_device, "what adjacent_difference refuses") {
  const cl::Buffer some = on.buffer_of(std::vector<float>(64)), other = on.buffer_of(std::vector<float>(64));
  const view<float> in{some, 20};
  refuses("the output 19", [&] { clwave::adjacent_difference(on.queue, in, view<float>{other, 19}); });
  refuses("overlap", [&] { clwave::adjacent_difference(on.queue, in, view<float>{some, 20, 1}); });
  refuses("a map of your own",
          [&] { clwave::adjacent_difference(on.queue, in, view<float>(other, 20), clwave::product); });
  refuses("differences of numbers", [&] {
    const view<sample> samples{some, 4};
    clwave::adjacent_difference(on.queue, samples, view<sample>{other, 4});
  });
  refuses("differences of numbers",
          [&] { clwave::adjacent_difference(on.queue, in, view<bool>(other, 20)); });
}

}  // namespace testing::adjacent_difference_test
