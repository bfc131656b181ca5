// unique_by_key, run_lengths and run_offsets against a plain loop, in several rows of the table, around the
// bounds of tiles; what never says what it has found; what is refused.
#include <clwave/select.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "families/selections.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/own_site.hpp"
#include "harness/refusals.hpp"
#include "primitives/select.hpp"

namespace testing::select_runs_test {
namespace {

using clwave::select_kind;

// Where the runs of equal neighbours begin.
template <class T>
std::vector<std::size_t> heads_of(const std::vector<T>& values, std::size_t first) {
  std::vector<std::size_t> heads;
  for (std::size_t i = first; i < values.size(); ++i)
    if (i == first || !(values[i - 1] == values[i])) heads.push_back(i);
  return heads;
}

template <class T>
std::vector<T> picked(const std::vector<T>& values, const std::vector<std::size_t>& places) {
  std::vector<T> all;
  for (const std::size_t i : places) all.push_back(values[i]);
  return all;
}

// Whole outputs, and the count to the host.
struct capacities {
  std::size_t keys, values;
};

template <class Key, class Value>
void check_by_key(const fixture& on, random_engine& random, const std::vector<Key>& keys, std::size_t offset,
                  const clwave::op* same = nullptr, const capacities* room = nullptr) {
  CAPTURES(keys.size(), offset);
  const std::size_t n = keys.size() - offset;
  const auto values = random_bits<Value>(random, n + 2);
  const auto heads = heads_of(keys, offset);
  std::vector<Value> kept;
  for (const std::size_t i : heads) kept.push_back(values[i - offset + 2]);
  const cl::Buffer there = on.buffer_of(keys), beside = on.buffer_of(values);
  const view<Key> k{there, n, offset};
  const view<Value> v{beside, n, 2};
  const capacities all = room != nullptr ? *room : capacities{n, n};
  check_two_outputs(on, picked(keys, heads), kept, {all.keys, all.values},
                    [&](auto keys_out, auto values_out, auto count) {
                      if (same != nullptr)
                        clwave::unique_by_key(on.queue, k, v, keys_out, values_out, count, *same).wait();
                      else
                        clwave::unique_by_key(on.queue, k, v, keys_out, values_out, count).wait();
                    });
}

template <class Length, class T>
std::vector<Length> lengths_of(const std::vector<T>& values, const std::vector<std::size_t>& heads) {
  std::vector<Length> lengths;
  for (std::size_t k = 0; k < heads.size(); ++k)
    lengths.push_back(static_cast<Length>((k + 1 < heads.size() ? heads[k + 1] : values.size()) - heads[k]));
  return lengths;
}

template <class Length, class T>
void check_lengths(const fixture& on, const std::vector<T>& values, std::size_t offset,
                   const clwave::op* same = nullptr, const capacities* room = nullptr) {
  CAPTURES(values.size(), offset);
  const auto heads = heads_of(values, offset);
  const cl::Buffer there = on.buffer_of(values);
  const std::size_t n = values.size() - offset;
  const view<T> x{there, n, offset};
  const capacities all = room != nullptr ? *room : capacities{n, n};
  check_two_outputs(on, picked(values, heads), lengths_of<Length>(values, heads), {all.keys, all.values},
                    [&](auto out, auto lengths, auto count) {
                      if (same != nullptr)
                        clwave::run_lengths(on.queue, x, out, lengths, count, *same).wait();
                      else
                        clwave::run_lengths(on.queue, x, out, lengths, count).wait();
                    });
}

template <class T>
void check_offsets(const fixture& on, const std::vector<T>& values, std::size_t offset, std::size_t room) {
  CAPTURES(values.size(), offset, room);
  std::vector<std::uint64_t> right;
  for (const std::size_t head : heads_of(values, offset)) right.push_back(head - offset);
  const std::size_t runs = right.size();
  right.push_back(values.size() - offset);
  const cl::Buffer there = on.buffer_of(values);
  const view<T> x{there, values.size() - offset, offset};
  const guarded_buffer<std::uint64_t> out(on, room), count(on, 1);
  std::vector<std::uint64_t> expected = out.read();
  std::copy_n(right.begin(), std::min(room, right.size()), expected.begin());
  clwave::run_offsets(on.queue, x, out.view(), count.view()).wait();
  CHECK(count.first() == runs);
  CHECK(out.read_guarded() == expected);
}

// Runs of several lengths: one, all of one element, some.
template <class T>
std::vector<std::vector<T>> inputs_of(random_engine& random, std::size_t n) {
  std::vector<T> ones(n);
  for (std::size_t i = 0; i < n; ++i) ones[i] = static_cast<T>(i % 251);
  return {std::vector<T>(n, T{3}), ones, runs_of<T>(random, n, 4), runs_of<T>(random, n, 3 * n / 4 + 1)};
}

constexpr const char* some_rows[] = {"sm_90", "gfx906", "subgroup-8", "cpu"};

const clwave::op same_key{.name = "same_key", .source = "a.key == b.key", .identity = {}};

template <class T>
std::vector<T> keyed(random_engine& random, std::size_t n) {
  std::vector<T> all = random_bits<T>(random, n);
  const auto keys = runs_of<std::uint32_t>(random, n, 5);
  for (std::size_t i = 0; i < n; ++i) {
    all[i].key = keys[i];
    // Neighbours of one key are one: then all of their bytes are.
    if (i > 0 && all[i].key == all[i - 1].key) all[i] = all[i - 1];
  }
  return all;
}

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "unique_by_key in several rows, around the bounds of tiles" * lanes) {
  for (const std::string name : forced_rows(some_rows)) {
    const std::size_t tile = name == "cpu" ? 65536 / 6 : 4096;
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, tile - 1, tile, tile + 1, 3 * tile + 1000}) {
      for (const std::size_t offset : {0u, 3u}) {
        for (const auto& keys : inputs_of<std::uint32_t>(random, n + offset))
          check_by_key<std::uint32_t, std::uint64_t>(on, random, keys, offset);
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "unique_by_key: types of keys and values") {
  const std::size_t n = 9000;
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    check_by_key<person, std::uint8_t>(on, random, keyed<person>(random, n), 1, &same_key);
    if (name == "sm_90") continue;
    check_by_key<parcel, parcel>(on, random, keyed<parcel>(random, n), 0, &same_key);
    check_by_key<std::uint8_t, person>(on, random, runs_of<std::uint8_t>(random, n, 9), 5);
    check_by_key<double, half>(on, random, runs_of<double>(random, n, 3), 0);
  }
}

TEST_CASE_FIXTURE(on_device, "unique_by_key: outputs that are too short, and the count on the host") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const auto keys = runs_of<std::uint32_t>(random, 20000, 4);
    const std::size_t kept = heads_of(keys, 0).size();
    const capacities rooms[] = {{kept, 20000}, {kept - 1, kept}, {20000, kept - 1}, {4096, 4097}, {1, 2}};
    for (const capacities& room : rooms)
      check_by_key<std::uint32_t, std::uint64_t>(on, random, keys, 0, nullptr, &room);
    // Values that are the keys, and an output of no elements: only the count.
    const cl::Buffer in = on.buffer_of(keys);
    const cl::Buffer out = on.buffer_of(std::vector<std::uint32_t>(keys.size()));
    const view<std::uint32_t> k{in, keys.size()};
    const view<std::uint64_t> v{in, 5000}, to{out, 0};
    CHECK(clwave::unique_by_key(on.queue, k.subview(0, 5000), v, view<std::uint32_t>{out, 5000}, to) ==
          heads_of(std::vector<std::uint32_t>(keys.begin(), keys.begin() + 5000), 0).size());
    CHECK(on.read<std::uint32_t>(out, keys.size()) == std::vector<std::uint32_t>(keys.size()));
    CHECK(clwave::unique_by_key(on.queue, k.subview(0, 0), v.subview(0, 0), k.subview(0, 0), to) == 0);
  }
}

TEST_CASE("unique_by_key ends with the right results whoever keeps silent") {
  random_engine random;
  const auto keys = runs_of<std::uint32_t>(random, 9 * 4096 + 17, 4);
  whoever_keeps_silent(
      [&](const fixture& fresh) { check_by_key<std::uint32_t, std::uint64_t>(fresh, random, keys, 3); });
}

TEST_CASE("unique_by_key in three launches where groups cannot send messages") {
  random_engine random;
  const element& u32 = element_of<std::uint32_t>();
  const element& u64 = element_of<std::uint64_t>();
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const fixture fresh;
    const auto keys = runs_of<std::uint32_t>(random, 70 * 4096 + 5, 4);
    const auto values = random_bits<std::uint64_t>(random, keys.size());
    const cl::Buffer there = fresh.buffer_of(keys), beside = fresh.buffer_of(values);
    own_site site(fresh.queue(), "select");
    site.on.choice.order = clwave::group_order::two_launches;
    const auto heads = heads_of(keys, 0);
    check_two_outputs(
        fresh, picked(keys, heads), picked(values, heads), {keys.size(), keys.size()},
        [&](auto keys_out, auto values_out, auto count) {
          const clwave::select_problem problem{.kind = select_kind::unique_by_key,
                                               .in = {u32, keys.size()},
                                               .out = {u32, keys.size(), keys_out.offset()},
                                               .values = any_view{u64, keys.size()},
                                               .second_out = any_view{u64, keys.size(), values_out.offset()},
                                               .count = count};
          site.run(problem, {there(), beside(), keys_out.buffer(), values_out.buffer(), count.buffer()});
        });
  }
}

TEST_CASE_FIXTURE(on_device, "run_lengths in several rows, around the bounds of tiles" * lanes) {
  for (const std::string name : forced_rows(some_rows)) {
    const std::size_t tile = name == "cpu" ? 65536 / 6 : 4096;
    for (const std::size_t n : {std::size_t{1}, std::size_t{31}, tile - 1, tile, tile + 1, 3 * tile + 1000}) {
      for (const std::size_t offset : {0u, 3u}) {
        for (const auto& values : inputs_of<std::uint32_t>(random, n + offset))
          check_lengths<std::uint32_t>(on, values, offset);
      }
    }
    // More tiles than a group looks at at once, and runs over many of them.
    std::vector<std::uint32_t> values = runs_of<std::uint32_t>(random, 300 * tile, 60 * tile);
    check_lengths<std::uint32_t>(on, values, 0);
    values[298 * tile + 7] += 100;
    check_lengths<std::uint32_t>(on, values, 1);
  }
}

TEST_CASE_FIXTURE(on_device, "run_lengths: types, equality by a text, and no elements") {
  const std::size_t n = 9000;
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    check_lengths<std::uint64_t>(on, keyed<person>(random, n), 1, &same_key);
    if (name == "sm_90") continue;
    check_lengths<std::uint64_t>(on, runs_of<std::uint8_t>(random, 70000, 30000), 5);
    check_lengths<std::uint32_t>(on, keyed<parcel>(random, n), 0, &same_key);
    check_lengths<std::uint32_t>(on, runs_of<double>(random, n, 3), 0);
  }
  // A NaN is a run of its own.
  std::vector<float> nans(5000, std::numeric_limits<float>::quiet_NaN());
  nans[77] = nans[78] = 1;
  check_lengths<std::uint64_t>(on, nans, 0);
  const cl::Buffer in = on.buffer_of(nans);
  const guarded_buffer<float> out(on, 10);
  const guarded_buffer<std::uint64_t> lengths(on, 10), count(on, 1);
  clwave::run_lengths(on.queue, view<float>{in, 0}, out.view(), lengths.view(), count.view()).wait();
  CHECK(count.first() == 0);
  CHECK(out.intact());
  CHECK(lengths.intact());
  CHECK(clwave::run_lengths(on.queue, view<float>{in, 79}, out.view(), lengths.view()) == 78);
}

TEST_CASE_FIXTURE(on_device, "run_lengths and run_offsets: outputs that are too short") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const auto values = runs_of<std::uint32_t>(random, 20000, 4);
    const std::size_t runs = heads_of(values, 0).size();
    const capacities rooms[] = {{runs, runs},      {runs - 1, runs}, {20000, runs - 1},
                                {20000, runs - 2}, {4097, 4096},     {1, 2}};
    for (const capacities& room : rooms) check_lengths<std::uint32_t>(on, values, 0, nullptr, &room);
    const auto heads = heads_of(values, 0);
    // As many as the first tile has, one less and one more.
    const std::size_t in_tile = std::lower_bound(heads.begin(), heads.end(), 4096) - heads.begin();
    for (const std::size_t room : {in_tile - 1, in_tile, in_tile + 1}) {
      const capacities both{room, room};
      check_lengths<std::uint32_t>(on, values, 0, nullptr, &both);
      check_offsets(on, values, 0, room);
    }
    for (const std::size_t room : {std::size_t{20001}, runs + 1, runs, runs - 1, std::size_t{1}})
      check_offsets(on, values, 0, room);
    for (const std::size_t n : {1, 31, 4095, 4096, 4097, 12288})
      for (const auto& some : inputs_of<std::uint32_t>(random, n + 3)) check_offsets(on, some, 3, n + 1);
    check_offsets(on, std::vector<std::uint32_t>(2), 2, 5);
    check_offsets(on, std::vector<std::uint32_t>(2), 2, 0);
  }
}

TEST_CASE("run_lengths ends with the right results whoever keeps silent") {
  random_engine random;
  const auto check = [&](const std::string& name) {
    const fixture fresh;
    const forced_profile forced(name);
    for (const std::size_t longest : {4, 6000, 40000})
      check_lengths<std::uint32_t>(fresh, runs_of<std::uint32_t>(random, 9 * 4096 + 17, longest), 3);
    check_lengths<std::uint32_t>(fresh, std::vector<std::uint32_t>(9 * 4096 + 17), 3);
  };
  for (const std::string silent : {"tile % 2 == 0", "tile + 1 < tiles"}) {
    CAPTURE(silent);
    with_silent_tiles(silent, true, [&] { check("sm_90"); });
    with_silent_tiles(silent, false, [&] { check("cpu"); });
  }
  with_changed_kernels("primitives/select_one_pass.cl", "return *number;", "return tiles - 1 - *number;",
                       [&] { check("cpu"); });
}

// Numbers from 2^31 on take two words. Here such of more than 15 bits do, which a tile's own, of up to 16384,
// have not.
TEST_CASE("run_lengths: numbers that take two words") {
  random_engine random;
  with_changed_kernels("blocks/look_back_counts.cl", "COUNT_BITS = 31 };",
                       "COUNT_BITS = 15 };\n#undef COUNT_WORDS\n#define COUNT_WORDS 2", [&] {
                         for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
                           const fixture fresh;
                           for (const std::size_t longest : {4, 50000})
                             check_lengths<std::uint64_t>(
                                 fresh, runs_of<std::uint32_t>(random, 40 * 4096 + 5, longest), 0);
                         }
                       });
}

TEST_CASE("run_lengths in three launches where groups cannot send messages") {
  random_engine random;
  const element& u32 = element_of<std::uint32_t>();
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const fixture fresh;
    own_site site(fresh.queue(), "select");
    site.on.choice.order = clwave::group_order::two_launches;
    for (const std::size_t longest : {4, 90000}) {
      const auto values = runs_of<std::uint32_t>(random, 70 * 4096 + 5, longest);
      const cl::Buffer there = fresh.buffer_of(values);
      const auto heads = heads_of(values, 0);
      check_two_outputs(fresh, picked(values, heads), lengths_of<std::uint32_t>(values, heads),
                        {values.size(), values.size()}, [&](auto out, auto lengths, auto count) {
                          const clwave::select_problem problem{
                              .kind = select_kind::run_lengths,
                              .in = {u32, values.size()},
                              .out = {u32, values.size(), out.offset()},
                              .second_out = any_view{u32, values.size(), lengths.offset()},
                              .count = count};
                          site.run(problem, {there(), out.buffer(), lengths.buffer(), count.buffer()});
                        });
    }
  }
}

TEST_CASE("runs: what the workspace takes, and lengths that do not fit") {
  const element& f32 = element_of<float>();
  const element& u32 = element_of<std::uint32_t>();
  for (const char* name : some_of({"sm_90", "gfx90a", "cpu"})) {
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{1} << 20, (std::uint64_t{1} << 31) - 1,
                                  (std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32}) {
      CAPTURE(n);
      const clwave::plan_target target{
          .choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false};
      clwave::select_problem problem{
          .kind = select_kind::run_lengths, .in = {f32, n}, .out = {f32, n}, .second_out = any_view{u32, n}};
      if (n >> 32 != 0) {
        CHECK_THROWS_WITH_AS(clwave::plan(problem, target), doctest::Contains("too long for a length"),
                             clwave::error);
        problem.second_out = {element_of<std::uint64_t>(), n};
      }
      const auto plan = clwave::plan(problem, target);
      CHECK(plan.kernels.size() == 1);
      CHECK(plan.workspace_bytes <= (n >> 31 != 0 ? 128 : 64) * ((n + 16383) / 16384) + 4096);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "runs: what is refused") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(200, 1.0f));
  const cl::Buffer out = on.buffer_of(std::vector<float>(200, 1.0f));
  const cl::Buffer count = on.buffer_of(std::vector<std::uint64_t>(2));
  const view<float> x{in, 100}, y{in, 100, 100}, keys{out, 100}, values{out, 100, 100};
  const view<std::uint64_t> c{count, 1};
  refuses("100 keys and 99 values",
          [&] { clwave::unique_by_key(on.queue, x, y.subview(0, 99), keys, values, c); });
  refuses("the input and the output overlap", [&] { clwave::unique_by_key(on.queue, x, y, x, values, c); });
  refuses("the values and the second output overlap",
          [&] { clwave::unique_by_key(on.queue, x, y, keys, y, c); });
  refuses("the input and the second output overlap",
          [&] { clwave::unique_by_key(on.queue, x, y, keys, x, c); });
  refuses("the output and the second output overlap",
          [&] { clwave::unique_by_key(on.queue, x, y, keys, keys, c); });
  refuses("the second output and the count overlap",
          [&] { clwave::unique_by_key(on.queue, x, y, keys, values, view<std::uint64_t>(out, 1, 60)); });
  refuses("structures have no ==", [&] {
    clwave::unique_by_key(on.queue, view<person>(in, 5), y.subview(0, 5), view<person>(out, 5), values, c);
  });
  refuses("an operator of your own",
          [&] { clwave::unique_by_key(on.queue, x, y, keys, values, c, clwave::plus); });
  const view<std::uint32_t> lengths{out, 100, 100};
  refuses("the input and the second output overlap",
          [&] { clwave::run_lengths(on.queue, x, keys, view<std::uint32_t>(in, 100), c); });
  refuses("the output and the second output overlap",
          [&] { clwave::run_lengths(on.queue, x, keys, view<std::uint32_t>(out, 100, 99), c); });
  refuses("structures have no ==",
          [&] { clwave::run_lengths(on.queue, view<person>(in, 5), view<person>(out, 5), lengths, c); });
  refuses("the input and the output overlap",
          [&] { clwave::run_offsets(on.queue, x, view<std::uint64_t>(in, 50), c); });
  refuses("the output and the count overlap",
          [&] { clwave::run_offsets(on.queue, x, view<std::uint64_t>(count, 2), c); });
  refuses("has no element",
          [&] { clwave::run_lengths(on.queue, x, keys, lengths, view<std::uint64_t>(count, 0)); });
  refuses("no values", [&] {
    const element& f32 = element_of<float>();
    clwave::plan(clwave::select_problem{.kind = select_kind::unique_by_key, .in = {f32, 5}, .out = {f32, 5}},
                 on.target(/*with_source=*/true));
  });
  CHECK(on.read<float>(out, 200) == std::vector<float>(200, 1.0f));
}

}  // namespace testing::select_runs_test
