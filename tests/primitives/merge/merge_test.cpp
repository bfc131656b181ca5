// merge and merge_by_key against std::merge: all types of numbers, structures, vectors and values of many
// sizes, on rows of the table, around the bounds of tiles.
#include <clwave/merge.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "families/selections.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "merges.hpp"

namespace testing::merge_test {
namespace {

const doctest::test_suite lanes("lanes");

// Structures by a text, and what goes with them.
template <class T>
void check_structures(const fixture& on, random_engine& random, std::size_t a_n, std::size_t b_n) {
  const std::size_t keys = 1 + random.below(a_n + 2);
  check_merge(
      on, keyed_ones<T>(random, a_n, keys), keyed_ones<T>(random, b_n, keys), by_key,
      [&](auto x, auto y, auto out) { clwave::merge(on.queue, x, y, out, {.less = by_key_text}).wait(); });
}

template <class V>
void check_values(const fixture& on, random_engine& random, std::size_t a_n, std::size_t b_n) {
  const auto less = by_order<float>({.descending = true});
  check_merge_pairs(on, sorted(any_keys<float>(random, a_n), less),
                    sorted(any_keys<float>(random, b_n), less), values_of<V>(random, a_n + b_n), less,
                    [&](auto k, auto x, auto l, auto y, auto keys, auto values) {
                      clwave::merge_by_key(on.queue, k, x, l, y, keys, values, {.descending = true}).wait();
                    });
}

}  // namespace

// NaNs are last, and all of one place: whatever their bits and signs are, they keep their order.
TEST_CASE_FIXTURE(on_device, "NaNs of many kinds keep their order in a merge") {
  for (const std::string name : forced_rows({"sm_90", "cpu"})) {
    const std::vector<u32> range{0xff800000, 0x3f800000, 0x7fc00005, 0xffc00009, 0x7fc00002};
    std::vector<u32> merged{range[0], range[0], range[1], range[1]};
    for (int turn = 0; turn < 2; ++turn) merged.insert(merged.end(), range.begin() + 2, range.end());
    const std::size_t n = range.size();
    const cl::Buffer a = on.buffer_of(range), b = on.buffer_of(range);
    const guarded_buffer<float> out(on, 2 * n);
    clwave::merge(on.queue, view<const float>{a, n}, view<const float>{b, n}, out.view()).wait();
    CHECK(on.read<u32>(out.buffer(), 2 * n, guarded_buffer<float>::guard * sizeof(float)) == merged);
  }
}

TEST_CASE_TEMPLATE("merges of every type", T, std::int8_t, std::uint8_t, std::int16_t, u16, std::int32_t, u32,
                   std::int64_t, u64, half, bfloat16, float, double) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  const std::size_t tile = tile_of_merge(on, element_of<T>());
  const sort_order order{.descending = random.below(2) == 0};
  check_numbers(on, any_keys<T>(random, tile + random.below(tile)),
                any_keys<T>(random, 1 + random.below(tile)), order);
  check_numbers(on, any_keys<T>(random, random.below(500)), any_keys<T>(random, random.below(500)), order);
}

// Every byte that is not 0 is true, and keeps its bits.
TEST_CASE_FIXTURE(on_device, "merges of truth values") {
  const std::vector<std::uint8_t> a{0, 0, 7, 1, 2}, b{0, 3, 1}, right{0, 0, 0, 7, 1, 2, 3, 1};
  const cl::Buffer x = on.buffer_of(a), y = on.buffer_of(b), out = on.buffer_of(right);
  on.queue.enqueueFillBuffer(out, std::uint8_t{9}, 0, 8);
  clwave::merge(on.queue, view<bool>{x, 5}, view<bool>{y, 3}, view<bool>{out, 8}).wait();
  CHECK(on.read<std::uint8_t>(out, 8) == right);
}

TEST_CASE_FIXTURE(on_device, "bits of numbers decide") {
  for (const sort_order& order :
       some_of({sort_order{.first_bit = 5, .last_bit = 6}, sort_order{.last_bit = 0},
                sort_order{.descending = true, .first_bit = 20}})) {
    check_numbers(on, shaped_keys(random, 3000, 7), shaped_keys(random, 2000, 7), order);
  }
  if (sample(2).takes_next())
    check_numbers(on, any_keys<double>(random, 999), any_keys<double>(random, 77), {.first_bit = 60});
}

TEST_CASE_FIXTURE(on_device, "structures, vectors and complex numbers by a text") {
  sample some(3);
  const std::size_t tile = tile_of_merge(on, element_of<person>(), &by_key_text);
  check_structures<person>(on, random, tile + random.below(tile), 1 + random.below(tile));
  if (some.takes_next()) check_structures<parcel>(on, random, random.below(3000), random.below(3000));
  if (some.takes_next()) check_structures<largest_key>(on, random, random.below(900), random.below(900));
  // Halves are floats in a text; a value of the operator's.
  const clwave::op nearer{
      .name = "nearer", .source = "fabs(a - at) < fabs(b - at)", .identity = {}, .values = {{"at", 2.0f}}};
  std::vector<half> halves(1500);
  for (half& each : halves) each = half(static_cast<float>(random.below(64)) / 16);
  const auto near_2 = [](half a, half b) {
    return std::fabs(static_cast<float>(a) - 2) < std::fabs(static_cast<float>(b) - 2);
  };
  const std::vector<half> first(halves.begin(), halves.begin() + 700),
      second(halves.begin() + 700, halves.end());
  if (some.takes_next())
    check_merge(on, sorted(first, near_2), sorted(second, near_2), near_2, [&](auto x, auto y, auto out) {
      clwave::merge(on.queue, x, y, out, {.less = nearer}).wait();
    });
  std::vector<cl_int2> pairs(2000);
  for (cl_int2& each : pairs) each = {{static_cast<cl_int>(random.below(9)), static_cast<cl_int>(random())}};
  const auto by_first = [](cl_int2 a, cl_int2 b) { return a.s[0] > b.s[0]; };
  if (some.takes_next())
    check_merge(
        on, sorted(pairs, by_first), sorted(pairs, by_first), by_first, [&](auto x, auto y, auto out) {
          clwave::merge(on.queue, x, y, out, {.less = {.name = "by first", .source = "a.x > b.x"}}).wait();
        });
  std::vector<std::complex<float>> numbers(500);
  for (auto& each : numbers)
    each = {static_cast<float>(random.below(9)), static_cast<float>(random.below(9))};
  const auto by_norm = [](auto a, auto b) { return std::norm(a) < std::norm(b); };
  if (some.takes_next())
    check_merge(
        on, sorted(numbers, by_norm), sorted(numbers, by_norm), by_norm, [&](auto x, auto y, auto out) {
          clwave::merge(on.queue, x, y, out, {.less = {.name = "by norm", .source = "dot(a, a) < dot(b, b)"}})
              .wait();
        });
}

TEST_CASE_TEMPLATE("values of many sizes", V, std::uint8_t, u16, float, double, person, cl_uint4, parcel,
                   largest_key) {
  if (!takes_type()) return;
  const fixture& on = default_fixture();
  random_engine random;
  check_values<V>(on, random, 3000 + random.below(2000), 1 + random.below(4000));
  check_values<V>(on, random, random.below(60), random.below(60));
  check_values<V>(on, random, 0, 1);
}

// All of one range before the other, every second element, all equal: where searches end at a bound; and one
// range empty, or one element beside many.
TEST_CASE_FIXTURE(on_device, "merges of every row, around the bounds of tiles" * lanes) {
  for (const std::string name : forced_rows(some_rows())) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t tile = tile_of_merge(on, element_of<u32>());
    CHECK(tile >= 256);
    for (const std::size_t n : std::vector<std::size_t>{0, 1, 31, tile - 1, tile, tile + 1, 2 * tile}) {
      for (const std::size_t m : {std::size_t{0}, std::size_t{1}, tile + 17}) {
        std::vector<u32> a(n), b(m);
        for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<u32>(2 * i);
        for (std::size_t i = 0; i < m; ++i) b[i] = static_cast<u32>(2 * i + 1);
        check_numbers(on, a, b);
        check_numbers(on, b, a);
        for (auto& each : b) each += 1u << 30;
        check_numbers(on, a, b);
        check_numbers(on, b, a);
      }
      check_numbers(on, shaped_keys(random, n, random.below(shapes)),
                    shaped_keys(random, random.below(3 * tile), 7));
    }
    check_merge_pairs(on, std::vector<u32>(2 * tile + 5, 7), std::vector<u32>(tile + 100, 7),
                      values_of<u32>(random, 3 * tile + 105), by_order<u32>({}),
                      [&](auto k, auto x, auto l, auto y, auto keys, auto values) {
                        clwave::merge_by_key(on.queue, k, x, l, y, keys, values).wait();
                      });
    check_structures<person>(on, random, tile, tile + 9);
  }
}

}  // namespace testing::merge_test
