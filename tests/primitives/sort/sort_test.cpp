// sort, sort_by_key and argsort against std::stable_sort, for all types of keys, on rows of the table, around
// the bounds of tiles and digits; values of many sizes; in place.
#include <clwave/sort.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "families/selections.hpp"
#include "families/sorts.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"

namespace testing::sort_test {
namespace {

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_TEMPLATE("keys of every type", T, std::int8_t, std::uint8_t, std::int16_t, u16, std::int32_t, u32,
                   std::int64_t, u64, half, bfloat16, float, double) {
  const fixture& on = default_fixture();
  random_engine random;
  const std::size_t tile = keys_of_one_launch(on, element_of<T>());
  for (const bool descending : {false, true}) {
    const std::size_t more = tile + 1 + random.below(3 * tile);
    check_keys(on, any_keys<T>(random, more), {.descending = descending});
    check_keys(on, any_keys<T>(random, 1000 + random.below(1000)), {.descending = descending}, 3);
  }
  // Another program each, and so once for some types of keys.
  const bool descending = random.below(2) == 0;
  check_indices<u32>(on, any_keys<T>(random, tile + 1 + random.below(tile)), {.descending = descending});
  if constexpr (std::is_same_v<T, float>) {
    check_indices<u64>(on, any_keys<T>(random, tile + 777), {.descending = descending});
    check_indices<u64>(on, any_keys<T>(random, 777), {.descending = descending});
  }
}

// Every byte that is not 0 is true.
TEST_CASE_FIXTURE(on_device, "keys of truth values keep their order and their bytes") {
  for (const std::size_t n : {std::size_t{500}, 40000 + random.below(10000)}) {
    std::vector<std::uint8_t> bytes(n);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() % 4);
    for (const bool descending : {false, true}) {
      const cl::Buffer in = on.buffer_of(bytes);
      const guarded_buffer<std::uint8_t> out(on, n);
      clwave::sort(on.queue, view<bool>{in, n},
                   view<bool>{out.buffer(), n, guarded_buffer<std::uint8_t>::guard},
                   {.descending = descending})
          .wait();
      std::vector<std::uint8_t> right = bytes;
      std::stable_partition(right.begin(), right.end(), [&](auto byte) { return (byte != 0) == descending; });
      CHECK(out.read_guarded() == right);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "sizes around the bounds of a tile, and keys of all shapes") {
  const std::size_t tile = keys_of_one_launch(on, element_of<u32>());
  for (const std::size_t n : sizes_around(tile)) {
    check_keys(on, shaped_keys(random, n, 7), {});
    check_indices<u32>(on, shaped_keys(random, n, 6), {});
  }
  for (unsigned shape = 0; shape < shapes; ++shape) {
    CAPTURE(shape);
    for (const std::size_t n : {std::size_t{1000}, 2 * tile + 12345}) {
      check_keys(on, shaped_keys(random, n, shape), {.descending = random.below(2) == 0});
      check_indices<u32>(on, shaped_keys(random, n, shape), {});
    }
  }
}

// Also what others got wrong: ranges that end within a digit, and empty ones (rocPRIM issue 775, CUB issue
// 310).
TEST_CASE_FIXTURE(on_device, "ranges of bits") {
  const std::size_t tile = keys_of_one_launch(on, element_of<u32>());
  const std::array<unsigned, 2> ranges[] = {{0, 0},  {32, 32}, {7, 7},  {0, 1},   {31, 32}, {5, 6},  {0, 8},
                                            {4, 12}, {7, 9},   {8, 24}, {24, 32}, {1, 32},  {0, 31}, {3, 20}};
  for (const auto& [first, last] : ranges) {
    for (const std::size_t n : {std::size_t{900}, tile + 1000}) {
      const sort_order order{.descending = random.below(2) == 0, .first_bit = first, .last_bit = last};
      check_keys(on, any_keys<u32>(random, n), order);
      check_keys(on, any_keys<float>(random, n), order);
      check_pairs(on, any_keys<std::int32_t>(random, n), values_of<u16>(random, n), order);
      check_indices<u32>(on, any_keys<float>(random, n), order);
    }
  }
  const std::array<unsigned, 2> wide[] = {{0, 64}, {33, 63}, {60, 64}, {64, 64}, {31, 33}};
  for (const auto& [first, last] : wide) {
    check_keys(on, any_keys<u64>(random, tile + 5), {.first_bit = first, .last_bit = last});
    check_keys(on, any_keys<double>(random, 500), {.descending = true, .first_bit = first, .last_bit = last});
  }
}

TEST_CASE_TEMPLATE("values of many sizes", V, std::uint8_t, u16, float, double, person, cl_uint4, parcel,
                   largest_value) {
  const fixture& on = default_fixture();
  random_engine random;
  const std::size_t tile = keys_of_one_launch(on, element_of<u32>());
  const bool descending = random.below(2) == 0;
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 900, tile + 1 + random.below(tile)}) {
    check_pairs(on, shaped_keys(random, n, 6), values_of<V>(random, n), {.descending = descending});
    if constexpr (sizeof(V) == 12)
      check_pairs(on, any_keys<float>(random, n), values_of<V>(random, n), {.first_bit = 9});
  }
}

// Sets of 8, 32 and 64 lanes, emulated, sort in local memory; a CPU's row does not.
TEST_CASE_FIXTURE(on_device, "sorts of every way to exchange lanes, around the bounds of tiles" * lanes) {
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx90a", "gen9"}))) {
    if (!takes_row(on, random, name) && name != "sm_90") continue;
    const std::size_t tile = keys_of_one_launch(on, element_of<u32>());
    CHECK(tile >= 256);
    for (const std::size_t n : sizes_around(tile)) check_keys(on, shaped_keys(random, n, 7), {});
    for (unsigned shape = 0; shape < shapes; ++shape)
      check_keys(on, shaped_keys(random, tile + 1 + random.below(tile), shape), {});
    for (const auto& [first, last] : {std::array<unsigned, 2>{0, 0}, {3, 5}, {2, 13}, {0, 17}}) {
      check_keys(on, shaped_keys(random, 700, 7), {.first_bit = first, .last_bit = last});
      check_keys(on, shaped_keys(random, tile + 700, 7), {.first_bit = first, .last_bit = last});
    }
    for (const std::size_t n : {std::size_t{77}, tile + 1000}) {
      check_pairs(on, any_keys<float>(random, n), values_of<person>(random, n), {.descending = true});
      check_pairs(on, shaped_keys(random, n, 6), values_of<largest_value>(random, n), {});
      check_indices<u32>(on, any_keys<float>(random, n), {});
    }
    check_keys(on, any_keys<double>(random, 2 * tile), {});
  }
}

// Keys of all sizes around the bounds of a group and of what local memory holds at a time, and the most there
// are; in place the last group brings all back.
TEST_CASE_FIXTURE(on_device, "few keys are sorted by their ranks" * lanes) {
  const forced_profile forced("sm_90");
  const auto check_all = [&]<class T>(T, std::size_t most) {
    sample some(4);
    for (const std::size_t n :
         std::vector<std::size_t>{1, 2, 31, 32, 33, 1000, 4095, 4096, 4097, most - random.below(500), most}) {
      if (n > most || !some.takes_next()) continue;
      const sort_order order{.descending = random.below(2) == 0};
      check_keys(on, any_keys<T>(random, n), order, n % 3);
      check_indices<u32>(on, any_keys<T>(random, n), order);
    }
    check_pairs(on, any_keys<T>(random, 700), values_of<person>(random, 700), {});
    check_keys(on, std::vector<T>(100, any_keys<T>(random, 1)[0]), {});
  };
  check_all(std::uint8_t{}, 8192);
  check_all(half{}, 8192);
  check_all(std::int32_t{}, 8192);
  check_all(float{}, 8192);
  check_all(u64{}, 4096);
  check_all(double{}, 4096);
  for (unsigned shape = 0; shape < shapes; ++shape) check_keys(on, shaped_keys(random, 3000, shape), {});
  for (const auto& [first, last] : {std::array<unsigned, 2>{0, 0}, {32, 32}, {3, 5}, {31, 32}, {0, 32}})
    check_pairs(on, any_keys<float>(random, 900), values_of<u16>(random, 900),
                {.first_bit = first, .last_bit = last});

  const auto is_ranked = [&](const clwave::sort_problem& q) {
    const clwave::plan_target target = on.target();
    const auto kernels = plan(q, target).kernels;
    return kernels.size() == 1 && kernels[0].name == "sort_ranks";
  };
  const element &word = element_of<u32>(), &wide = element_of<u64>();
  CHECK(is_ranked({.keys = {word, 8192}, .keys_out = word}));
  CHECK_FALSE(is_ranked({.keys = {word, 8193}, .keys_out = word}));
  CHECK(is_ranked({.keys = {wide, 4096}, .keys_out = wide}));
  CHECK_FALSE(is_ranked({.keys = {wide, 4097}, .keys_out = wide}));
  CHECK(is_ranked({.keys = {word, 100}, .keys_out = word, .values = word, .values_out = word}));
  CHECK(is_ranked({.keys = {word, 100}, .values_out = word}));
}

}  // namespace testing::sort_test
