// scan against a plain loop in its order on the host, bit for bit: every row, small and contract sizes,
// hostile values, and what follows from the order.
#include <clwave/scan.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "families/scans.hpp"
#include "harness/devices.hpp"
#include "harness/operators.hpp"
#include "harness/reference.hpp"

namespace testing::scan_test {
namespace {

using clwave::detail::scan_sizes;

struct turn {  // x -> scale * x + shift; composition, a before b, does not commute
  u32 scale, shift;
  bool operator==(const turn&) const = default;
};
struct wide_sum {
  u32 words[9];
  bool operator==(const wide_sum&) const = default;
};

}  // namespace
}  // namespace testing::scan_test

CLWAVE_STRUCTURE(testing::scan_test::turn, "turn", "typedef struct { uint scale, shift; } turn;")
CLWAVE_STRUCTURE(testing::scan_test::wide_sum, "wide_sum", "typedef struct { uint words[9]; } wide_sum;")

namespace testing::scan_test {
namespace {

const clwave::op compose{.name = "compose",
                         .source = "(turn){a.scale * b.scale, a.shift * b.scale + b.shift}",
                         .identity = "(turn){1, 0}",
                         .commutative = false};
turn composed(turn a, turn b) { return {a.scale * b.scale, a.shift * b.scale + b.shift}; }

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "scans of every row have the reference's bits on all levels") {
  for (const std::string name :
       forced_rows(some_of({"sm_90", "sm_61", "gfx906", "gfx1030", "subgroup-8", "gpu", "cpu"}))) {
    // Programs of emulated lanes take a while: each time a third of the other rows.
    if (!quick() && name != "sm_90" && name != "cpu" && random.below(3) != 0) continue;
    for (const std::size_t n : {1u, 3u, 4u, 31u, 33u, 127u, 128u, 129u, 1000u}) {
      const auto values = reference::random_values<float>(random, n, spice::nans);
      check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, 0.1f, small, 0,
                         name == "sm_90" || name == "cpu" ? ways::all : ways::two);
    }
    if (name != "sm_90" && name != "gfx906" && name != "subgroup-8") continue;
    for (const std::size_t n : {200u, 256u, 1030u}) {
      const auto values = reference::random_values<float>(random, n, spice::nans);
      check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, 0.1f, of_held_runs, 0, ways::two);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "scans of the contract's sizes" * lanes) {
  const auto check = [&](std::size_t n, std::optional<scan_sizes> sizes, ways which) {
    const auto values = reference::random_values<float>(random, n + 3, spice::finite);
    check_scans<float>(on, values, clwave::plus, plus<float>, 0.0f, -0.3f, sizes, n % 4, which);
  };
  sample parts(3);
  if (parts.takes_next()) {
    const forced_profile forced("cpu");
    for (const std::size_t n : {5u, 64u, 1025u, 16383u, 16384u, 16385u}) check(n, {}, ways::all);
    for (const std::size_t n : {(1u << 20) - 1, (1u << 20) + 1, (2u << 20) + 16384 + 77})
      check(n, {}, ways::two);
  }
  // Lanes that are emulated take long: stretches of two tiles, of more than a group looks back at.
  scan_sizes short_stretches;
  short_stretches.tiles = 2;
  if (parts.takes_next()) {
    // Few tiles take another program than many, of which there are more than units.
    const forced_profile forced("sm_90");
    const std::size_t many = std::max<std::size_t>(21, on.facts.compute_units.value_or(1));
    for (const std::size_t n : std::vector<std::size_t>{5, 1025, 16384, 16385, many * 16384 + 77})
      check(n, short_stretches, ways::two);
  }
  if (parts.takes_next()) {
    const forced_profile forced("gfx90a");
    check(16384 + 8 * 512 * 4 - 1, short_stretches, ways::two);
  }
}

TEST_CASE_FIXTURE(on_device, "an operator that does not commute sees its elements in order" * lanes) {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a", "subgroup-8", "cpu"}))) {
    for (const std::size_t n : {7u, 130u, 2000u}) {
      std::vector<turn> values(n);
      for (turn& value : values) value = {static_cast<u32>(random()) | 1u, static_cast<u32>(random())};
      check_scans<turn>(on, values, compose, composed, turn{1, 0}, turn{3, 4}, small, 0, ways::two);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "types and operators") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const std::size_t n = 40000;
    check_scans<u32>(on, reference::random_values<std::uint8_t>(random, n), clwave::plus, plus<u32>, 0u, 7u,
                     {}, 1, ways::two);
    // Halves are summed in float.
    std::vector<half> halves = reference::random_values<half>(random, n, spice::ordinary);
    check_scans<float>(on, halves, clwave::plus, plus<float>, 0.0f, 1.0f, {}, 1, ways::two);
    if (on.has_doubles())
      check_scans<double>(on, reference::random_values<float>(random, n, spice::finite), clwave::plus,
                          plus<double>, 0.0, 0.5, {}, 1, ways::two);
    // The rest by one row: each takes three programs, and compilers seconds over each.
    if (std::string(name) != "cpu") continue;
    check_scans<std::int8_t>(on, reference::random_values<std::int8_t>(random, n), clwave::plus,
                             plus<std::int8_t>, std::int8_t(0), std::int8_t(-7), {}, 0, ways::two);
    check_scans<std::int16_t>(on, reference::random_values<std::int16_t>(random, n), clwave::max,
                              reference::maximum<std::int16_t>, std::numeric_limits<std::int16_t>::min(),
                              std::int16_t(3), {}, 2, ways::two);
    check_scans<u64>(
        on, reference::random_values<u64>(random, n), clwave::bit_xor, [](u64 a, u64 b) { return a ^ b; },
        u64(0), u64(5), {}, 0, ways::two);
    check_scans<float>(on, reference::random_values<float>(random, n, spice::nans), clwave::min,
                       reference::minimum<float>, std::numeric_limits<float>::infinity(), 0.25f, {}, 3,
                       ways::two);
    if (on.has_doubles())
      check_scans<double>(on, reference::random_values<double>(random, n, spice::finite), clwave::multiplies,
                          reference::wrapping_times<double>, 1.0, 0.5, {}, 0, ways::two);
  }
}

TEST_CASE_FIXTURE(on_device, "structures too large for registers") {
  const clwave::op add =
      function_op("added", "nothing_of_nine()",
                  "wide_sum added(wide_sum a, wide_sum b) {\n"
                  "  for (int k = 0; k < 9; ++k) a.words[k] += b.words[k] + (k == 8 ? a.words[0] : 0);\n"
                  "  return a;\n}\n"
                  "wide_sum nothing_of_nine(void) {\n"
                  "  wide_sum all;\n"
                  "  for (int k = 0; k < 9; ++k) all.words[k] = 0;\n"
                  "  return all;\n}");
  const auto added = [](wide_sum a, wide_sum b) {
    for (int k = 0; k < 9; ++k) a.words[k] += b.words[k] + (k == 8 ? a.words[0] : 0);
    return a;
  };
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    std::vector<wide_sum> values(33000);
    for (wide_sum& value : values) {
      for (u32& word : value.words) word = static_cast<u32>(random());
    }
    check_scans<wide_sum>(on, values, add, added, wide_sum{}, values[5], {}, 0, ways::two);
  }
}

TEST_CASE_FIXTURE(on_device, "maps see each element and its index, and clwave's own convert") {
  std::vector<std::int32_t> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i * 7 % 13) - 6;
  const cl::Buffer in = on.buffer_of(values);
  const guarded_buffer<u64> out(on, values.size());
  clwave::transform_inclusive_scan(on.queue, view<std::int32_t>{in, values.size()}, out.view(), clwave::plus,
                                   {.name = "index", .source = "x > 0 ? i : (ulong)0"})
      .wait();
  std::vector<u64> expected;
  u64 sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) expected.push_back(sum += values[i] > 0 ? i : 0);
  check_same(out.read(), expected);
  clwave::transform_exclusive_scan(on.queue, view<std::int32_t>{in, values.size()}, out.view(), clwave::plus,
                                   clwave::square, {.start = 9u})
      .wait();
  sum = 9;
  for (std::size_t i = 0; i < values.size(); ++i) {
    expected[i] = sum;
    sum += static_cast<u64>(values[i] * values[i]);
  }
  check_same(out.read(), expected);
  CHECK(out.guards_intact());
}

TEST_CASE_FIXTURE(on_device, "texts name values that come with each call") {
  std::vector<u32> values(3000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<u32>(i * 5 % 17);
  const cl::Buffer in = on.buffer_of(values);
  const guarded_buffer<u32> out(on, values.size());
  for (const u32 factor : {3u, 8u}) {
    const clwave::op most{.name = "most",
                          .source = "min(max(a, b), limit)",
                          .identity = "floor_of - 1",
                          .values = {{"limit", factor * 10}, {"floor_of", u32{1}}}};
    const clwave::map times{.name = "times", .source = "x * factor", .values = {{"factor", factor}}};
    clwave::transform_exclusive_scan(on.queue, view<u32>{in, values.size()}, out.view(), most, times).wait();
    std::vector<u32> expected = {0};
    u32 running = values[0] * factor;
    for (std::size_t i = 1; i < values.size(); ++i) {
      expected.push_back(running);
      running = std::min(std::max(running, values[i] * factor), factor * 10);
    }
    check_same(out.read(), expected);
  }
}

TEST_CASE_FIXTURE(on_device,
                  "pieces cut at stretches and started with the last result give the bits of one call") {
  const std::size_t stretch = std::size_t{1} << 20;
  const auto values = reference::random_values<float>(random, 3 * stretch + 5, spice::finite);
  const cl::Buffer in = on.buffer_of(values);
  const cl::Buffer whole = on.buffer_of(std::vector<float>(values.size()));
  const cl::Buffer parts = on.buffer_of(std::vector<float>(values.size()));
  clwave::inclusive_scan(on.queue, view<float>{in, values.size()}, view<float>{whole, values.size()}).wait();
  std::optional<float> start;
  for (const auto& [first, n] :
       {std::pair<std::size_t, std::size_t>{0, stretch}, {stretch, 2 * stretch}, {3 * stretch, 5}}) {
    clwave::inclusive_scan(on.queue, view<float>{in, n, first}, view<float>{parts, n, first}, clwave::plus,
                           {.start = start})
        .wait();
    start = on.read<float>(parts, 1, (first + n - 1) * sizeof(float)).front();
  }
  check_same(on.read<float>(parts, values.size()), on.read<float>(whole, values.size()));
}

TEST_CASE_FIXTURE(on_device, "sums of non-negative floats never fall") {
  const bool on_gpu = on.facts.type && (*on.facts.type & CL_DEVICE_TYPE_GPU) != 0;
  const std::size_t n = (std::size_t{1} << (on_gpu ? 26 : 20)) + 3;
  std::uniform_real_distribution<float> even(0, 1);
  const auto drawn = [&](int kind, std::size_t i) -> float {
    const float u = even(random);
    switch (kind) {
      case 0:
        return u;
      case 1:
        return u < 0.5f ? 0.0f : 1.0f;  // many zeros
      case 2:
        return 1.0f + u * 1e-6f;  // alike
      case 3:
        return u < 1e-3f ? 1e20f : 1e-3f;  // a few that hide all others
      case 4:
        return -std::log(u + 1e-7f);
      case 5:
        return std::exp2(even(random) * 200 - 120);  // of every size
      case 6:
        return 1 / static_cast<float>(i + 1);  // falling
      case 7:
        return static_cast<float>(i);  // rising
      case 8:
        return std::numeric_limits<float>::denorm_min() * std::floor(u * 100);
      default:
        return u < 0.9f ? 0.1f : 16777216.0f;  // ties of every rounding
    }
  };
  for (int kind = 0; kind < 10; ++kind) {
    std::vector<float> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = drawn(kind, i);
    const cl::Buffer in = on.buffer_of(values);
    const cl::Buffer out = on.buffer_of(std::vector<float>(n));
    clwave::inclusive_scan(on.queue, view<float>{in, n}, view<float>{out, n}).wait();
    const auto results = on.read<float>(out, n);
    CAPTURE(kind);
    CHECK(std::is_sorted(results.begin(), results.end()));
  }
}

}  // namespace testing::scan_test
