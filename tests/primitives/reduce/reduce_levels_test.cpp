// reduce: the levels of results above the first. The contract's tiles reach the fourth level beyond 2^39
// elements, so these calls have small tiles; all else is as in any call.
#include <clwave/reduce.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "device/tuning.hpp"
#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/operators.hpp"
#include "harness/reference.hpp"
#include "primitives/reduce.hpp"

namespace testing::reduce_levels_test {
namespace {

using clwave::detail::fold_sizes;
using reference::wrapping_plus;

// The least tile that a row's lanes allow, of `rows` elements for each accumulator. Four levels of tiles of
// 64 would take emulated lanes too long, so most tests end at three there.
fold_sizes small_sizes(const clwave::profile& row, std::size_t rows) {
  const std::size_t accumulators = std::max(16u, row.lanes);
  return {.tile = rows * accumulators, .accumulators = accumulators};
}

// One less and one more than whole tiles of each level, and a size with tiles left over at every level.
std::vector<std::size_t> boundaries(std::size_t tile, std::size_t most) {
  std::vector<std::size_t> sizes = {1, 2};
  for (std::size_t whole = tile; whole <= most; whole *= tile) {
    for (const std::size_t n : {whole - 1, whole, whole + 1, 2 * whole + whole / tile + 3})
      sizes.push_back(n);
  }
  return sizes;
}

// The levels of results that n elements have.
unsigned levels_of(std::size_t n, std::size_t tile) {
  unsigned levels = 0;
  for (; n > 1 || levels == 0; n = (n + tile - 1) / tile) ++levels;
  return levels;
}

template <class Acc, class T>
clwave::reduce_problem problem_on(const view<T>& in, const clwave::op& fold, fold_sizes sizes) {
  return {.in = in, .accumulator = &element_of<Acc>(), .fold = &fold, .sizes = sizes};
}

template <class Acc, class T>
Acc fold_by(const fixture& on, const view<T>& in, const clwave::op& fold, fold_sizes sizes) {
  Acc result;
  clwave::reduce(on.queue(), problem_on<Acc>(in, fold, sizes), &result);
  return result;
}

// Calls f(row, sizes, most elements) for rows of every number of lanes, with tiles of one and of two rows.
template <class F>
void for_each_tile(std::initializer_list<const char*> rows, F f) {
  for (const std::string name : forced_rows(rows)) {
    const clwave::profile& row = *clwave::find_profile(name);
    for (const std::size_t elements : {std::size_t{1}, std::size_t{2}}) {
      const fold_sizes sizes = small_sizes(row, elements);
      CAPTURES(std::string(name), sizes.tile);
      f(sizes);
    }
  }
}

// Elements at whole tiles of the highest level: 16^4, and one level less of tiles of 32.
constexpr std::size_t most = std::size_t{1} << 16;

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "sums at every boundary of five levels" * lanes) {
  const std::vector<float> values = random_values<float>(random, 3 * most);
  const cl::Buffer buffer = on.buffer_of(values);
  unsigned levels = 0;
  for_each_tile({"sm_90", "gfx900", "subgroup-8", "gpu", "cpu"}, [&](fold_sizes sizes) {
    for (const std::size_t n : boundaries(sizes.tile, most)) {
      CAPTURE(n);
      levels = std::max(levels, levels_of(n, sizes.tile));
      const auto got = fold_by<float>(on, view<float>{buffer, n}, clwave::plus, sizes);
      const auto expected = reference::fold_reference<float>(
          n, [&](std::size_t i) { return values[i]; }, wrapping_plus<float>, false, sizes);
      CAPTURES(show_bits(got), show_bits(expected));
      CHECK(same_bits(got, expected));
    }
  });
  CHECK(levels >= 5);
}

TEST_CASE_FIXTURE(on_device, "every row folds all levels in one order" * lanes) {
  const std::vector<float> values = random_values<float>(random, 70'000);
  const cl::Buffer buffer = on.buffer_of(values);
  const auto folds_right = [&](const clwave::profile& row) {
    CAPTURE(row.name);
    const fold_sizes sizes = small_sizes(row, 1);
    for (const std::size_t n : {sizes.tile * sizes.tile + 1, values.size()}) {
      const auto got = fold_by<float>(on, view<float>{buffer, n}, clwave::plus, sizes);
      const auto expected = reference::fold_reference<float>(
          n, [&](std::size_t i) { return values[i]; }, wrapping_plus<float>, false, sizes);
      CAPTURES(n, show_bits(got), show_bits(expected));
      CHECK(same_bits(got, expected));
    }
  };
  for_each_profile(folds_right, 1);  // of a quick run, too, each row
}

TEST_CASE_FIXTURE(on_device, "a non-commutative operator sees its elements in order on five levels" * lanes) {
  const std::vector<affine> values = random_affines(random, 3 * most / 2);
  const cl::Buffer buffer = on.buffer_of(values);
  for_each_tile({"sm_90", "cpu"}, [&](fold_sizes sizes) {
    for (const std::size_t n : boundaries(sizes.tile, most)) {
      if (n > values.size()) continue;
      CAPTURE(n);
      const auto got = fold_by<affine>(on, view<affine>{buffer, n}, then, sizes);
      const auto expected = reference::fold_reference<affine>(
          n, [&](std::size_t i) { return values[i]; }, compose, true, sizes);
      CHECK(got == expected);
    }
  });
}

TEST_CASE_FIXTURE(on_device, "argmin and argmax find the first place through five levels" * lanes) {
  std::vector<float> values(3 * most, 3.0f);
  const cl::Buffer buffer = on.buffer_of(values);
  const auto put = [&](std::size_t i, float value) {
    on.queue.enqueueWriteBuffer(buffer, CL_TRUE, i * sizeof value, sizeof value, &value);
  };
  for_each_tile({"sm_90", "subgroup-8", "cpu"}, [&](fold_sizes sizes) {
    for (const std::size_t n : boundaries(sizes.tile, most)) {
      CAPTURE(n);
      const view<float> in{buffer, n};
      // The last element, one in the middle of a tile, and the end of a tile; behind each its equal.
      for (const std::size_t first : {n - 1, n / 2, n / sizes.tile * sizes.tile}) {
        if (first >= n) continue;
        CAPTURE(first);
        put(n - 1, 7.0f);
        put(first, 7.0f);
        const auto high = fold_by<indexed<float>>(on, in, clwave::detail::argmax_op, sizes);
        CHECK(high.value == 7.0f);
        CHECK(high.index == first);
        const auto low = fold_by<indexed<float>>(on, in, clwave::detail::argmin_op, sizes);
        if (n > 2) {
          CHECK(low.value == 3.0f);
          CHECK(low.index == (first == 0 ? 1 : 0));
        }
        put(n - 1, 3.0f);
        put(first, 3.0f);
      }
    }
  });
}

// Where a group has more teams than it has tiles of the second level, the next tiles are others' to fold.
// Should it fold them all the same, it may do so before their elements are there, and write after their owner
// has: here it does, for the operator takes its time over what an earlier call has left.
TEST_CASE_FIXTURE(on_device, "a group leaves the tiles of other groups alone" * lanes) {
  const clwave::op slow = function_op("slow_on_old", "0",
                                      "uint slow_on_old(uint a, uint b) {\n"
                                      "  volatile uint turns = 0;\n"
                                      "  if (a == 1 || b == 1) while (turns < 300000) ++turns;\n"
                                      "  return max(a, b);\n"
                                      "}");
  // Inputs without the value that costs time, and so that each tile of the second level has one of its own.
  const std::size_t n = 4095;
  const cl::Buffer old_ones = on.buffer_of(std::vector<u32>(n, 1));
  std::vector<u32> values(n, 2);
  for_each_tile({"sm_90", "subgroup-8"}, [&](fold_sizes sizes) {
    const std::size_t second = sizes.tile * sizes.tile;
    for (std::size_t tile = 0; tile * second < n; ++tile) {
      CAPTURE(tile);
      std::vector<u32> with_one = values;
      with_one[tile * second] = 3;
      const cl::Buffer buffer = on.buffer_of(with_one);
      fold_by<u32>(on, view<u32>{old_ones, n}, clwave::max, sizes);
      CHECK(fold_by<u32>(on, view<u32>{buffer, n}, slow, sizes) == 3);
    }
  });
}

TEST_CASE_FIXTURE(on_device, "groups of every size leave the results of all their waves" * lanes) {
  // So many tiles that in groups of 1024 more than one set of lanes writes results at once.
  const std::vector<std::uint8_t> bytes = random_values<std::uint8_t>(random, (1 << 19) + 77);
  const std::vector<float> floats = random_values<float>(random, (1 << 18) + 77);
  const cl::Buffer byte_buffer = on.buffer_of(bytes);
  const cl::Buffer float_buffer = on.buffer_of(floats);
  u32 byte_sum = 0;
  for (const std::uint8_t byte : bytes) byte_sum += byte;
  const auto float_sum = reference::host_fold<float>(floats, 0, floats.size(), wrapping_plus<float>);
  for (const std::string name : forced_rows(some_of({"sm_90", "gfx900"}))) {
    for (const unsigned group_size : {64u, 256u, 1024u}) {
      if (group_size > on.facts.max_work_group_size.value_or(1)) continue;
      CAPTURES(std::string(name), group_size);
      const clwave::profile& row = *clwave::find_profile(name);
      clwave::detail::tunable_numbers numbers = clwave::detail::tuning_of(row, "reduce");
      numbers["group_size"] = group_size;
      numbers["registers"] = 0;
      REQUIRE(clwave::detail::fault_of(row, "reduce", numbers) == "");
      clwave::detail::try_tuning("reduce", &numbers);
      const auto of_bytes = clwave::reduce<u32>(on.queue, view<std::uint8_t>{byte_buffer, bytes.size()});
      const auto of_floats = clwave::reduce(on.queue, view<float>{float_buffer, floats.size()});
      clwave::detail::try_tuning("reduce", nullptr);
      CHECK(of_bytes == byte_sum);
      CHECK(same_bits(of_floats, float_sum));
    }
  }
}

// Sets of 8 lanes leave up to 128 parts of a tile, which several work-items fold in steps.
TEST_CASE_FIXTURE(on_device, "what sets of few lanes leave of a tile is folded in the order of all" * lanes) {
  constexpr std::size_t most_elements = 3 * 8192 + 517;
  const std::vector<float> values = random_values<float>(random, most_elements + 1);
  const cl::Buffer buffer = on.buffer_of(values);
  for (const std::string name : forced_rows(some_of({"subgroup-8", "subgroup-16"}))) {
    // From element 1 on lanes have single columns: 8 and 4 times as many parts as work-items fold at the end.
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      for (const std::size_t n : std::vector<std::size_t>{9, 65, 513, 1000, 8191, 8193, most_elements}) {
        CAPTURES(std::string(name), first, n);
        const auto expected = reference::host_fold<float>(values, first, n, wrapping_plus<float>);
        CHECK(same_bits(clwave::reduce(on.queue, view<float>{buffer, n, first}), expected));
        const auto in_doubles = reference::host_fold<double>(values, first, n, wrapping_plus<double>);
        CHECK(same_bits(clwave::reduce<double>(on.queue, view<float>{buffer, n, first}), in_doubles));
      }
    }
  }
}

namespace {

clwave::reduce_problem problem_of(const element& type, u64 n) {
  return {.in = {type, n}, .accumulator = &type};
}

u64 share_of(const clwave::detail::described_launch& launch) {
  u32 share = 0;
  for (const auto& argument : launch.arguments())
    if (argument.name == std::string_view("share"))
      std::memcpy(&share, launch.bytes_of(argument), sizeof share);
  return share;
}

}  // namespace

TEST_CASE("a reduction of 2^31 tiles is planned whole, and one of more is refused") {
  const element& bytes = element_of<std::uint8_t>();
  constexpr u64 limit = u64{1} << 44;
  CHECK_NOTHROW(clwave::detail::check_reduce(problem_of(bytes, limit)));
  for (const u64 n : {limit + 1, 2 * limit - 1, 2 * limit, ~u64{0}}) {
    CAPTURE(n);
    CHECK_THROWS_AS(clwave::detail::check_reduce(problem_of(bytes, n)), clwave::error);
  }
  for (const clwave::profile& row : clwave::profiles()) {
    CAPTURE(row.name);
    const clwave::applied_profile& choice = clwave::choose_profile_for(row.name);
    const clwave::detail::target on{.choice = choice, .compute_units = 132};
    for (const u64 n : {limit, limit - 8191, u64{1} << 39, (u64{1} << 39) + 1}) {
      CAPTURE(n);
      const auto call = clwave::detail::describe(problem_of(bytes, n), on);
      const clwave::detail::fold_variant& variant = call.variant.fold;
      const clwave::detail::described_launch& launch = call.work.launches.front();
      const u64 tiles = (n + 8191) / 8192;
      // Every tile belongs to a group, in 32 bits as kernels count them.
      const u64 team = std::min<u64>(clwave::fold_accumulators / variant.vector, variant.group_size);
      const u64 at_once = row.lanes == 1 ? 1 : variant.group_size / team;
      const u64 units = (tiles + at_once - 1) / at_once;
      CHECK(share_of(launch) == units / launch.groups);
      CHECK((units + 1) * at_once <= ~u32{0});
      // And every level's results have room.
      u64 results = 0;
      for (u64 count = tiles; count > 0; count = count == 1 ? 0 : (count + 8191) / 8192)
        results += count == 1 ? 1 : (count + 255) / 256 * 256;
      CHECK(call.work.workspace_bytes >= results);
    }
  }
}

TEST_CASE("results that no buffer of the device can hold are refused before they are asked for") {
  clwave::device_facts facts;
  facts.max_allocation = {u64{1} << 20, clwave::provenance::assumed, "made up for the test"};
  const clwave::applied_profile& choice = clwave::choose_profile_for("gpu");
  const clwave::detail::target on{&facts, choice, 0, 132};
  const element& doubles = element_of<double>();
  CHECK_NOTHROW(clwave::detail::describe(problem_of(doubles, u64{1} << 29), on));
  try {
    clwave::detail::describe(problem_of(doubles, u64{1} << 31), on);
    FAIL("nothing was thrown");
  } catch (const clwave::error& thrown) {
    CHECK(thrown.kind() == clwave::failure::out_of_memory);
    CHECK(std::string(thrown.what()).find("262144 tiles") != std::string::npos);
  }
}

}  // namespace testing::reduce_levels_test
