// scan_by_key against the scan order's reference of each run alone, bit for bit, in several rows of the
// table, around the bounds of tiles of keys and of values.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/scan.hpp>
#include <clwave/scan_by_key.hpp>

#include "families/reductions.hpp"
#include "families/runs.hpp"
#include "families/scans.hpp"
#include "families/selections.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/reference.hpp"
#include "scans_by_key.hpp"

namespace testing::scan_by_key_test {
namespace {

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "scans of runs of all lengths by key, in several rows" * lanes) {
  for (const std::string name : some_of({"sm_90", "gfx90a", "subgroup-8", "cpu"})) {
    CAPTURE(name);
    const bool is_cpu = name == "cpu";
    if (name != "sm_90" && !takes_row(on, random, name)) continue;
    const forced_profile forced(name);
    const element &key = element_of<u32>(), &value = element_of<float>();
    // Where bits tell runs, tiles are of values.
    const clwave::scan_by_key_problem problem{.keys = key, .values = value, .out = value};
    const std::size_t tile = is_cpu ? keys_of_tile(on, problem) : of_held_blocks.tile();
    const auto which = is_cpu ? ways_by_key::two : ways_by_key::inclusive;
    const auto check = [&](const std::vector<std::size_t>& lengths, const scan_sizes& sizes,
                           std::size_t first_key = 0, std::size_t first_value = 0) {
      const auto in = with_lengths<u32, float>(random, lengths, first_key, first_value,
                                               random.below(4) == 0 ? spice::nans : spice::ordinary);
      check_runs<float>(on, in, clwave::plus, plus<float>, zero_and_more, sizes, which);
    };
    // Of few elements a group takes a block at a time, of the most of these a tile.
    for (const std::size_t n : {tile - 1, tile, tile + 1, 3 * tile + 1000, is_cpu ? tile : 50 * tile + 77}) {
      // Where lanes are emulated, programs take long to compile: those of keys in packets alone.
      check(random_run_lengths(random, n, random.below(2) == 0 ? 600 : 9000), of_held_blocks,
            is_cpu ? random.below(5) : 4 * random.below(3), random.below(5));
      if (is_cpu) check(random_run_lengths(random, n, 4000), random.below(2) == 0 ? small : of_wide_blocks);
    }
    // All of one length: of a work-item, of a few strips, of a block and more.
    for (const std::size_t length : {1u, 2u, 32u, 33u, 100u, 1000u})
      check(std::vector<std::size_t>(3 * tile / length + 1, length), of_held_blocks);
    // One run, which ends at, before and behind the bounds of tiles.
    for (const std::size_t n : std::vector<std::size_t>{1, 511, 513, tile, 2 * tile + 1}) {
      check({n}, of_held_blocks);
      check({n, 512, tile, 1, 1024, tile - 1}, of_held_blocks);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "runs of the contract's sizes have the bits of a scan of each alone") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    if (!takes_row(on, random, name)) continue;
    const std::vector<std::size_t> lengths = {1,   3,     4, 5,     16,   17,  31,   32,    33,   63,    64,
                                              65,  1023,  7, 1024,  1025, 2,   2048, 16383, 3000, 16384, 100,
                                              150, 16385, 1, 49153, 12,   511, 512,  513,   257,  300};
    const auto in = with_lengths<u32, float>(random, lengths, 1, 2, spice::finite);
    check_runs<float>(on, in, clwave::plus, plus<float>, zero_and_more, {},
                      name == "cpu" ? ways_by_key::all : ways_by_key::exclusive);
    if (name != "cpu") continue;
    const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
    const guarded_buffer<float> all(on, in.n()), alone(on, in.n());
    const view<float> x{values, in.n(), 2};
    clwave::inclusive_scan_by_key(on.queue, view<u32>{keys, in.n(), 1}, x, all.view()).wait();
    std::size_t begin = 0;
    for (const std::size_t length : lengths) {
      clwave::inclusive_scan(on.queue, x.subview(begin, length), alone.view().subview(begin, length)).wait();
      begin += length;
    }
    check_same(all.read(), alone.read());
  }
  // Stretches of the contract's size, by a CPU's row, which needs no emulated lanes.
  const forced_profile forced("cpu");
  check_runs<float>(
      on, with_lengths<u32, float>(random, {5, (2u << 20) + 16384 + 77, 3, 1u << 20}, 0, 0, spice::finite),
      clwave::plus, plus<float>, zero_and_more, {});
}

TEST_CASE_FIXTURE(on_device, "scans by key of more elements than a float counts") {
  const forced_profile forced("cpu");
  // A run of each length from one on, one behind the other, and a long one.
  const std::size_t n = (std::size_t{1} << 24) + 12345, most = 3000;
  std::vector<std::uint8_t> keys, ones(n, 1);
  keys.reserve(n);
  std::vector<u32> expected;
  expected.reserve(n);
  for (u32 length = 1; keys.size() < n; ++length) {
    const std::size_t left = n - keys.size(),
                      own = length <= most ? std::min<std::size_t>(length, left) : left;
    keys.insert(keys.end(), own, static_cast<std::uint8_t>(length));
    for (u32 i = 1; i <= own; ++i) expected.push_back(i);
  }
  const cl::Buffer k = on.buffer_of(keys), x = on.buffer_of(ones);
  const guarded_buffer<u32> out(on, n);
  clwave::inclusive_scan_by_key(on.queue, view<std::uint8_t>{k, n}, view<std::uint8_t>{x, n}, out.view())
      .wait();
  CHECK(out.read_guarded() == expected);
}

TEST_CASE_FIXTURE(on_device, "scans by key: types, operators and equality by a text" * lanes) {
  const clwave::op near{.name = "near", .source = "a / step == b / step", .values = {{"step", 2u}}};
  const forced_profile forced("cpu");
  const auto lengths = random_run_lengths(random, 20000, 9000);
  // Intel's compiler takes a quarter of a minute over each program.
  const auto one_way = [&] { return random.below(2) == 0 ? ways_by_key::inclusive : ways_by_key::exclusive; };
  check_runs<u32>(on, with_lengths<std::uint8_t, std::uint8_t>(random, lengths, 1, 2), clwave::plus,
                  plus<u32>, start_values<u32>{0, 7}, {}, one_way());
  // Keys that are not the same, and equal by the text.
  auto even = with_lengths<u32, std::int16_t>(random, lengths);
  const auto borders = borders_of(even.keys.data(), even.n());
  for (u32& key : even.keys) key = 2 * key + static_cast<u32>(random.below(2));
  check_runs<std::int16_t>(on, even, borders, clwave::max, reference::maximum<std::int16_t>,
                           start_values<std::int16_t>{std::numeric_limits<std::int16_t>::min(), 3}, {},
                           one_way(), &near);
  if (on.has_doubles()) {
    auto in = with_lengths<double, double>(random, lengths, 0, 1, spice::finite);
    // No NaN equals itself, and both zeros are equal.
    for (std::size_t i = 0; i < in.keys.size(); ++i) {
      if (i % 501 > 490) in.keys[i] = quiet_nan<double>(i);
      if (in.keys[i] == 0 && i % 3 == 0) in.keys[i] = -0.0;
    }
    check_runs<double>(on, in, clwave::plus, plus<double>, start_values<double>{0, 0.5}, {}, one_way());
  }
  check_runs<float>(on, with_lengths<u64, half>(random, lengths, 0, 0, spice::ordinary), clwave::plus,
                    plus<float>, start_values<float>{0, 1}, {}, one_way());
  check_runs<u64>(on, with_lengths<std::int16_t, u64>(random, lengths), clwave::bit_xor, std::bit_xor<>(),
                  start_values<u64>{0, 5}, {}, one_way());
}

TEST_CASE_FIXTURE(on_device, "scans by key of structures, by an operator that does not commute") {
  const clwave::op same_key{.name = "same_key", .source = "a.key == b.key"};
  for (const std::string name : forced_rows(some_of({"gfx90a", "cpu"}))) {
    if (!takes_row(on, random, name)) continue;
    const auto keys = with_lengths<u32, std::uint8_t>(random, random_run_lengths(random, 9000, 1500));
    keyed_values<person, affine> in{{}, random_affines(random, keys.n() + 1), 0, 1};
    u32 other = 0;
    for (const u32 key : keys.keys) in.keys.push_back({key, {++other, key}});
    // A start value does for an operator without an identity.
    clwave::op none = then;
    none.identity.clear();
    check_runs<affine>(on, in, borders_of(keys.keys.data(), keys.n()), none, compose,
                       start_values<affine>{{1, 0}, {3, 4}}, of_held_blocks,
                       name == "cpu" ? ways_by_key::two : ways_by_key::exclusive, &same_key);
  }
}

TEST_CASE_FIXTURE(on_device, "a map sees each value's place in its run, and texts name values") {
  const std::vector<std::size_t> lengths = {3, 700, 17, 1, 40, 20000, 100, 1, 1};
  const auto in = with_lengths<u32, u32>(random, lengths);
  const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
  const guarded_buffer<u64> out(on, in.n());
  const clwave::map place_if{.name = "place_if", .source = "x % 3 != 0 ? i + k : 0", .values = {{"k", 3}}};
  const clwave::op limited{
      .name = "limited", .source = "min(a + b, k)", .identity = "0", .values = {{"k", u64{1} << 20}}};
  const clwave::op same{.name = "same", .source = "a == b + k - 7", .values = {{"k", 7}}};
  const view<u32> k{keys, in.n()}, x{values, in.n()};
  for (const bool exclusive : {false, true}) {
    CAPTURE(exclusive);
    if (exclusive)
      clwave::transform_exclusive_scan_by_key(on.queue, k, x, out.view(), limited, place_if, same,
                                              {.start = 9u})
          .wait();
    else
      clwave::transform_inclusive_scan_by_key(on.queue, k, x, out.view(), limited, place_if, {.start = 9u})
          .wait();
    std::vector<u64> expected;
    for (const std::size_t length : lengths) {
      u64 sum = 9;
      for (std::size_t i = 0; i < length; ++i) {
        if (exclusive) expected.push_back(sum);
        sum = std::min<u64>(sum + (in.values[expected.size() - (exclusive ? 1 : 0)] % 3 != 0 ? i + 3 : 0),
                            u64{1} << 20);
        if (!exclusive) expected.push_back(sum);
      }
    }
    check_same(out.read(), expected);
  }
}

}  // namespace testing::scan_by_key_test
