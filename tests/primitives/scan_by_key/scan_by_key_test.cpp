// scan_by_key against the scan order's reference of each run alone, bit for bit, in several rows of the
// table, around the bounds of tiles of keys and of values; groups that never say what they have found; what
// the workspace takes and holds; what is refused.
#include <clwave/scan_by_key.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>
#include <clwave/scan.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"
#include "devices.hpp"
#include "emulated_rows.hpp"
#include "primitives/scan_by_key.hpp"
#include "reductions.hpp"
#include "reference.hpp"
#include "refusals.hpp"
#include "runs.hpp"
#include "scans.hpp"
#include "selections.hpp"
#include "spoilt_memory.hpp"

namespace {

using namespace testing;

constexpr start_values<float> zero_and_more = {.nothing = 0, .start = 0.1f};

struct of_call {
  bool exclusive = false, started = false, in_place = false;
};

// What a call of runs between `borders` is to give.
template <class Acc, class Key, class T, class Combine>
std::vector<Acc> results_of(const keyed_values<Key, T>& in, const std::vector<std::size_t>& borders,
                            Combine combine, const start_values<Acc>& with,
                            const std::optional<scan_sizes>& sizes, const of_call& how) {
  const std::optional<Acc> start = how.started ? std::optional(with.start) : std::nullopt;
  std::vector<Acc> all;
  for (std::size_t r = 0; r + 1 < borders.size(); ++r) {
    const T* const values = in.value(borders[r]);
    const auto results = made_canonical(reference::scan_reference<Acc>(
        borders[r + 1] - borders[r], [&](std::size_t i) { return static_cast<Acc>(values[i]); }, combine,
        how.exclusive, start, with.nothing, sizes));
    all.insert(all.end(), results.begin(), results.end());
  }
  return all;
}

template <class Acc, class Key, class T, class Combine>
void check_call(const fixture& on, const keyed_values<Key, T>& in, const std::vector<std::size_t>& borders,
                const clwave::op& fold, Combine combine, const start_values<Acc>& with,
                const std::optional<scan_sizes>& sizes, const of_call& how, const clwave::op* same) {
  CAPTURE(in.n());
  CAPTURE(in.first_key);
  CAPTURE(in.first_value);
  CAPTURE(how.exclusive);
  CAPTURE(how.started);
  CAPTURE(how.in_place);
  const auto expected = results_of<Acc>(in, borders, combine, with, sizes, how);
  const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
  const guarded_buffer<Acc> out(on, in.n());
  const view<T> from{values, in.n(), in.first_value};
  const clwave::detail::scan_by_key_call call{
      .keys = clwave::detail::erase(view<Key>{keys, in.n(), in.first_key}),
      .values = clwave::detail::erase(from),
      .out = how.in_place ? clwave::detail::erase(from) : clwave::detail::erase(out.view()),
      .fold = &fold,
      .apply = &clwave::identity,
      .same = same,
      .exclusive = how.exclusive,
      .start = how.started ? &with.start : nullptr,
      .sizes = sizes};
  clwave::detail::scan_by_key(on.queue(), call, {}).wait();
  CHECK(out.guards_intact());
  CHECK(bytes_of(on.read<Key>(keys, in.keys.size())) == bytes_of(in.keys));
  if constexpr (std::is_same_v<T, Acc>) {
    if (how.in_place) {
      CHECK(out.intact());
      check_same(on.read<T>(values, in.n(), in.first_value * sizeof(T)), expected);
      check_same(on.read<T>(values, in.first_value), {in.values.data(), in.value(0)});
      return;
    }
  }
  CHECK(bytes_of(on.read<T>(values, in.values.size())) == bytes_of(in.values));
  check_same(out.read(), expected);
}

// Inclusive and in place, or exclusive with a start value, or both, or all other ways, too. Compilers take up
// to a minute over each program of emulated lanes.
enum class ways_by_key { inclusive, exclusive, two, all };

template <class Acc, class Key, class T, class Combine>
void check_runs(const fixture& on, const keyed_values<Key, T>& in, const std::vector<std::size_t>& borders,
                const clwave::op& fold, Combine combine, const start_values<Acc>& with,
                const std::optional<scan_sizes>& sizes, ways_by_key which, const clwave::op* same = nullptr) {
  constexpr bool in_place = std::is_same_v<T, Acc>;
  const auto check = [&](const of_call& how) {
    check_call<Acc>(on, in, borders, fold, combine, with, sizes, how, same);
  };
  if (which != ways_by_key::exclusive) check({.in_place = in_place});
  if (which != ways_by_key::inclusive) check({.exclusive = true, .started = true});
  if (which != ways_by_key::all) return;
  check({.started = true});
  check({.exclusive = true, .in_place = in_place});
}

// The same by ==.
template <class Acc, class Key, class T, class Combine>
void check_runs(const fixture& on, const keyed_values<Key, T>& in, const clwave::op& fold, Combine combine,
                const start_values<Acc>& with, const std::optional<scan_sizes>& sizes,
                ways_by_key which = ways_by_key::two) {
  check_runs<Acc>(on, in, borders_of(in.keys.data() + in.first_key, in.n()), fold, combine, with, sizes,
                  which);
}

// Running sums of whole numbers.
std::vector<std::uint32_t> sums_by_key(const keyed_values<std::uint32_t, std::uint32_t>& in) {
  std::vector<std::uint32_t> sums;
  for (std::size_t i = 0; i < in.n(); ++i)
    sums.push_back(*in.value(i) + (i > 0 && in.keys[i] == in.keys[i - 1] ? sums.back() : 0));
  return sums;
}

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE("scans of runs of all lengths by key, in several rows" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::string name : testing::some_of({"sm_90", "gfx90a", "subgroup-8", "cpu"})) {
    CAPTURE(name);
    const bool is_cpu = name == "cpu";
    if (name != "sm_90" && !takes_row(on, random, name)) continue;
    const forced_profile forced(name);
    const std::size_t tile = keys_of_tile(name);
    const auto which = is_cpu ? ways_by_key::two : ways_by_key::inclusive;
    const auto check = [&](const std::vector<std::size_t>& lengths, const scan_sizes& sizes,
                           std::size_t first_key = 0, std::size_t first_value = 0) {
      const auto in = with_lengths<std::uint32_t, float>(random, lengths, first_key, first_value,
                                                         random.below(2) == 0 ? spice::nans : spice::finite);
      check_runs<float>(on, in, clwave::plus, plus<float>, zero_and_more, sizes, which);
    };
    for (const std::size_t n : {tile - 1, tile, tile + 1, 3 * tile + 1000}) {
      // Where lanes are emulated, programs take long to compile: those of keys in packets alone.
      check(random_run_lengths(random, n, random.below(2) == 0 ? 600 : 9000), of_held_blocks,
            is_cpu ? random.below(5) : 4 * random.below(3), random.below(5));
      if (is_cpu) check(random_run_lengths(random, n, 900), random.below(2) == 0 ? small : of_wide_blocks);
    }
    // All of one length: of a work-item, of a few strips, of a block and more.
    for (const std::size_t length : {1u, 2u, 32u, 33u, 100u, 1000u})
      check(std::vector<std::size_t>(3 * tile / length + 1, length), of_held_blocks);
    // One run, which ends at, before and behind the bounds of tiles.
    for (const std::size_t n : {std::size_t{1}, std::size_t{511}, std::size_t{513}, tile, 2 * tile + 1}) {
      check({n}, of_held_blocks);
      check({n, 512, tile, 1, 1024, tile - 1}, of_held_blocks);
    }
  }
}

TEST_CASE("runs of the contract's sizes have the bits of a scan of each alone") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::string name : testing::some_of({"sm_90", "cpu"})) {
    CAPTURE(name);
    if (!takes_row(on, random, name)) continue;
    const forced_profile forced(name);
    const std::vector<std::size_t> lengths = {1,   3,     4, 5,     16,   17,  31,   32,    33,   63,    64,
                                              65,  1023,  7, 1024,  1025, 2,   2048, 16383, 3000, 16384, 100,
                                              150, 16385, 1, 49153, 12,   511, 512,  513,   257,  300};
    const auto in = with_lengths<std::uint32_t, float>(random, lengths, 1, 2, spice::finite);
    check_runs<float>(on, in, clwave::plus, plus<float>, zero_and_more, {},
                      name == "cpu" ? ways_by_key::all : ways_by_key::exclusive);
    if (name != "cpu") continue;
    const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
    const guarded_buffer<float> all(on, in.n()), alone(on, in.n());
    const view<float> x{values, in.n(), 2};
    clwave::inclusive_scan_by_key(on.queue, view<std::uint32_t>{keys, in.n(), 1}, x, all.view()).wait();
    std::size_t begin = 0;
    for (const std::size_t length : lengths) {
      clwave::inclusive_scan(on.queue, x.subview(begin, length), alone.view().subview(begin, length)).wait();
      begin += length;
    }
    check_same(all.read(), alone.read());
  }
  // Stretches of the contract's size, by a CPU's row, which needs no emulated lanes.
  const forced_profile forced("cpu");
  check_runs<float>(on,
                    with_lengths<std::uint32_t, float>(random, {5, (2u << 20) + 16384 + 77, 3, 1u << 20}, 0,
                                                       0, spice::finite),
                    clwave::plus, plus<float>, zero_and_more, {});
}

TEST_CASE("scans by key of more elements than a float counts") {
  fixture& on = default_fixture();
  const forced_profile forced("cpu");
  // A run of each length from one on, one behind the other, and a long one.
  const std::size_t n = (std::size_t{1} << 24) + 12345, most = 3000;
  std::vector<std::uint8_t> keys, ones(n, 1);
  keys.reserve(n);
  std::vector<std::uint32_t> expected;
  expected.reserve(n);
  for (std::uint32_t length = 1; keys.size() < n; ++length) {
    const std::size_t left = n - keys.size(),
                      own = length <= most ? std::min<std::size_t>(length, left) : left;
    keys.insert(keys.end(), own, static_cast<std::uint8_t>(length));
    for (std::uint32_t i = 1; i <= own; ++i) expected.push_back(i);
  }
  const cl::Buffer k = on.buffer_of(keys), x = on.buffer_of(ones);
  const guarded_buffer<std::uint32_t> out(on, n);
  clwave::inclusive_scan_by_key(on.queue, view<std::uint8_t>{k, n}, view<std::uint8_t>{x, n}, out.view())
      .wait();
  CHECK(out.read() == expected);
  CHECK(out.guards_intact());
}

TEST_CASE("scans by key: types, operators and equality by a text" * lanes) {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const clwave::op near{.name = "near", .source = "a / step == b / step", .values = {{"step", 2u}}};
  const forced_profile forced("cpu");
  const auto lengths = random_run_lengths(random, 20000, 9000);
  // Intel's compiler takes a quarter of a minute over each program.
  const auto one_way = [&] { return random.below(2) == 0 ? ways_by_key::inclusive : ways_by_key::exclusive; };
  check_runs<std::uint32_t>(on, with_lengths<std::uint8_t, std::uint8_t>(random, lengths, 1, 2), clwave::plus,
                            plus<std::uint32_t>, start_values<std::uint32_t>{0, 7}, {}, one_way());
  // Keys that are not the same, and equal by the text.
  auto even = with_lengths<std::uint32_t, std::int16_t>(random, lengths);
  const auto borders = borders_of(even.keys.data(), even.n());
  for (std::uint32_t& key : even.keys) key = 2 * key + static_cast<std::uint32_t>(random.below(2));
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
  check_runs<float>(on, with_lengths<std::uint64_t, clwave::half>(random, lengths, 0, 0, spice::ordinary),
                    clwave::plus, plus<float>, start_values<float>{0, 1}, {}, one_way());
  check_runs<std::uint64_t>(on, with_lengths<std::int16_t, std::uint64_t>(random, lengths), clwave::bit_xor,
                            std::bit_xor<>(), start_values<std::uint64_t>{0, 5}, {}, one_way());
}

TEST_CASE("scans by key of structures, by an operator that does not commute") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const clwave::op same_key{.name = "same_key", .source = "a.key == b.key"};
  for (const std::string name : testing::some_of({"gfx90a", "cpu"})) {
    CAPTURE(name);
    if (!takes_row(on, random, name)) continue;
    const forced_profile forced(name);
    const auto keys =
        with_lengths<std::uint32_t, std::uint8_t>(random, random_run_lengths(random, 9000, 1500));
    keyed_values<person, affine> in{{}, random_affines(random, keys.n() + 1), 0, 1};
    std::uint32_t other = 0;
    for (const std::uint32_t key : keys.keys) in.keys.push_back({key, {++other, key}});
    // A start value does for an operator without an identity.
    clwave::op none = then;
    none.identity.clear();
    check_runs<affine>(on, in, borders_of(keys.keys.data(), keys.n()), none, compose,
                       start_values<affine>{{1, 0}, {3, 4}}, of_held_blocks,
                       name == "cpu" ? ways_by_key::two : ways_by_key::exclusive, &same_key);
  }
}

TEST_CASE("a map sees each value's place in its run, and texts name values") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  const std::vector<std::size_t> lengths = {3, 700, 17, 1, 40, 20000, 100, 1, 1};
  const auto in = with_lengths<std::uint32_t, std::uint32_t>(random, lengths);
  const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
  const guarded_buffer<std::uint64_t> out(on, in.n());
  const clwave::map place_if{.name = "place_if", .source = "x % 3 != 0 ? i + k : 0", .values = {{"k", 3}}};
  const clwave::op limited{.name = "limited",
                           .source = "min(a + b, k)",
                           .identity = "0",
                           .values = {{"k", std::uint64_t{1} << 20}}};
  const clwave::op same{.name = "same", .source = "a == b + k - 7", .values = {{"k", 7}}};
  const view<std::uint32_t> k{keys, in.n()}, x{values, in.n()};
  for (const bool exclusive : {false, true}) {
    CAPTURE(exclusive);
    if (exclusive)
      clwave::transform_exclusive_scan_by_key(on.queue, k, x, out.view(), limited, place_if, same,
                                              {.start = 9u})
          .wait();
    else
      clwave::transform_inclusive_scan_by_key(on.queue, k, x, out.view(), limited, place_if, {.start = 9u})
          .wait();
    std::vector<std::uint64_t> expected;
    for (const std::size_t length : lengths) {
      std::uint64_t sum = 9;
      for (std::size_t i = 0; i < length; ++i) {
        if (exclusive) expected.push_back(sum);
        sum = std::min<std::uint64_t>(
            sum + (in.values[expected.size() - (exclusive ? 1 : 0)] % 3 != 0 ? i + 3 : 0),
            std::uint64_t{1} << 20);
        if (!exclusive) expected.push_back(sum);
      }
    }
    check_same(out.read(), expected);
  }
}

TEST_CASE("scans by key end with the right results whoever keeps silent") {
  random_engine random;
  CAPTURE(random.note());
  const auto check = [&](const std::string& name) {
    CAPTURE(name);
    const fixture fresh;
    const forced_profile forced(name);
    for (const std::size_t most : {4, 6000})
      check_runs<float>(
          fresh, with_lengths<std::uint32_t, float>(random, random_run_lengths(random, 9 * 4096 + 17, most)),
          clwave::plus, plus<float>, zero_and_more, of_held_blocks, ways_by_key::inclusive);
  };
  testing::with_silent_tiles("tile + 1 < tiles", true, [&] { check("sm_90"); });
  testing::with_silent_tiles("tile % 2 == 0", false, [&] { check("cpu"); });
  testing::with_changed_kernels("primitives/select.cl", "const uint tile = number",
                                "const uint tile = tiles - 1 - number", [&] { check("cpu"); });
}

TEST_CASE("scans by key: what looks like messages in the workspace is none") {
  random_engine random;
  CAPTURE(random.note());
  // Nobody posts anything: whoever finds a message has found what was there before.
  const std::string posts = "if (own_id_anew() == 0 && tile + 1 < tiles)";
  const std::string first = " post_count(messages, tile, call, KEPT_OF_TILE",
                    second = "\n    post_count(messages, tile, call, kept_together";
  const std::vector<std::pair<std::string, std::string>> changes = {{posts + first, "if (false)" + first},
                                                                    {posts + second, "if (false)" + second}};
  testing::with_changed_kernels("primitives/select.cl", changes, [&] {
    for (const std::string name : testing::some_of({"sm_90", "cpu"})) {
      CAPTURE(name);
      const fixture fresh;
      const forced_profile forced(name);
      const auto in =
          with_lengths<std::uint32_t, std::uint32_t>(random, random_run_lengths(random, 9 * 4096 + 17, 600));
      const cl::Buffer keys = fresh.buffer_of(in.keys), values = fresh.buffer_of(in.values);
      const std::size_t n_bytes = std::size_t{1} << 20;
      // Messages of the call's number: five runs up to each tile.
      const cl::Buffer memory =
          fresh.buffer_of(std::vector<std::uint64_t>(n_bytes / 8, std::uint64_t{1} << 32 | 0x80000005u));
      const guarded_buffer<std::uint32_t> out(fresh, in.n());
      clwave::inclusive_scan_by_key(fresh.queue, view<std::uint32_t>{keys, in.n()},
                                    view<std::uint32_t>{values, in.n()}, out.view(), clwave::plus, {},
                                    {.workspace = view<unsigned char>{memory, n_bytes}})
          .wait();
      CHECK(out.read() == sums_by_key(in));
      CHECK(out.guards_intact());
    }
  });
}

TEST_CASE("scans by key where groups cannot send messages") {
  random_engine random;
  CAPTURE(random.note());
  const clwave::element& u32 = clwave::element_of<std::uint32_t>();
  for (const char* name : testing::some_of({"sm_90", "cpu"})) {
    CAPTURE(std::string(name));
    const fixture fresh;
    const forced_profile forced(name);
    clwave::detail::call_site site = clwave::detail::site_of(fresh.queue(), "scan_by_key");
    site.on.choice.order = clwave::group_order::two_launches;
    const auto in =
        with_lengths<std::uint32_t, std::uint32_t>(random, random_run_lengths(random, 70 * 4096 + 5, 30000));
    const cl::Buffer keys = fresh.buffer_of(in.keys), values = fresh.buffer_of(in.values);
    const guarded_buffer<std::uint32_t> out(fresh, in.n());
    const clwave::scan_by_key_question question{
        .keys = u32, .values = u32, .out = {u32, out.view().offset()}, .n = in.n()};
    const cl_mem buffers[] = {keys(), values(), out.buffer()()};
    clwave::detail::carry_out(site, question, buffers, {}, true).wait();
    CHECK(out.read() == sums_by_key(in));
    CHECK(out.guards_intact());
  }
}

TEST_CASE("scans by key: what calls leave in the workspace means nothing to the next") {
  random_engine random;
  CAPTURE(random.note());
  const fixture fresh;
  const forced_profile forced("cpu");
  // Offsets of many runs, and then messages of fewer or more tiles where those lay.
  for (const std::size_t n : {900000u, 90000u, 2000000u, 12000u}) {
    check_runs<std::uint32_t>(fresh,
                              with_lengths<std::uint32_t, std::uint32_t>(
                                  random, random_run_lengths(random, n, n % 7 == 0 ? 3 : 900)),
                              clwave::plus, plus<std::uint32_t>, start_values<std::uint32_t>{0, 1}, {},
                              ways_by_key::inclusive);
    const std::vector<std::uint32_t> ones(n, 1);
    const cl::Buffer in = fresh.buffer_of(ones);
    const guarded_buffer<std::uint32_t> out(fresh, n);
    clwave::inclusive_scan(fresh.queue, view<std::uint32_t>{in, n}, out.view()).wait();
    CHECK(out.read()[n - 1] == n);
  }
}

TEST_CASE("scans by key in the caller's workspace, of exactly the bytes that the plan says") {
  fixture& on = default_fixture();
  random_engine random;
  CAPTURE(random.note());
  for (const std::string name : rows_with_workspace) {
    CAPTURE(name);
    const testing::forced_profile forced(name);
    const auto in =
        with_lengths<std::uint32_t, std::uint32_t>(random, random_run_lengths(random, n_summed, 40000));
    const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
    const clwave::element& u32 = clwave::element_of<std::uint32_t>();
    const std::size_t n_bytes =
        plan(clwave::scan_by_key_question{.keys = u32, .values = u32, .out = u32, .n = in.n()}, target_of(on))
            .workspace_bytes;
    const spoilt_memory memory(on, n_bytes);
    const std::vector<std::uint32_t> expected = sums_by_key(in);
    for (const int again : {1, 2}) {
      CAPTURE(again);
      if (again == 1) memory.spoil();
      const guarded_buffer<std::uint32_t> out(on, in.n());
      clwave::inclusive_scan_by_key(on.queue, view<std::uint32_t>{keys, in.n()},
                                    view<std::uint32_t>{values, in.n()}, out.view(), clwave::plus, {},
                                    {.workspace = memory.head()})
          .wait();
      CHECK(out.read() == expected);
      CHECK(out.guards_intact());
      CHECK(memory.guards_intact(0));
    }
  }
}

TEST_CASE("scans by key: what the workspace takes") {
  const clwave::element* const types[] = {&clwave::element_of<std::uint8_t>(),
                                          &clwave::element_of<std::uint64_t>(),
                                          &clwave::element_of<cl_double16>()};
  for (const char* name : testing::some_of({"sm_90", "gfx90a", "cpu"})) {
    const clwave::plan_target target{
        .choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false};
    for (const clwave::element* type : types) {
      const auto bytes = [&](std::uint64_t n) {
        return clwave::plan(
                   clwave::scan_by_key_question{.keys = *type, .values = *type, .out = *type, .n = n}, target)
            .workspace_bytes;
      };
      for (const std::uint64_t n :
           {std::uint64_t{1}, std::uint64_t{1} << 20, (std::uint64_t{1} << 31) - 1, std::uint64_t{1} << 31}) {
        CAPTURE(std::string(name));
        CAPTURE(type->name);
        CAPTURE(n);
        CHECK(bytes(n) <= n * 43 / 10 + 4096);
      }
      refuses("more than 2147483648 elements", [&] { bytes((std::uint64_t{1} << 31) + 1); });
      refuses("more than 2147483648 elements", [&] { bytes(~std::uint64_t{0} >> 1); });
    }
  }
}

TEST_CASE("scans by key of nothing, and of values that are their own keys") {
  fixture& on = default_fixture();
  const std::vector<std::uint32_t> numbers = {4, 4, 4, 5, 4, 4, 0, 0, 7};
  const cl::Buffer in = on.buffer_of(numbers);
  const guarded_buffer<std::uint32_t> out(on, numbers.size());
  const view<std::uint32_t> all{in, numbers.size()};
  clwave::inclusive_scan_by_key(on.queue, all.subview(0, 0), all.subview(0, 0), out.view().subview(0, 0))
      .wait();
  clwave::exclusive_scan_by_key(on.queue, all.subview(0, 0), all.subview(0, 0), out.view().subview(0, 0))
      .wait();
  CHECK(out.intact());
  clwave::inclusive_scan_by_key(on.queue, all, all, out.view()).wait();
  CHECK(out.read() == std::vector<std::uint32_t>{4, 8, 12, 5, 4, 8, 0, 0, 7});
  // Some of the keys are values, too.
  clwave::exclusive_scan_by_key(on.queue, all.subview(0, 6), all.subview(3, 6), out.view().subview(0, 6),
                                clwave::plus, {.start = 1u})
      .wait();
  CHECK(out.read() == std::vector<std::uint32_t>{1, 6, 10, 1, 1, 1, 0, 0, 7});
  CHECK(out.guards_intact());
}

TEST_CASE("what scans by key refuse") {
  const fixture& on = default_fixture();
  const cl::Buffer buffer = on.buffer_of(std::vector<std::uint32_t>(100, 3));
  const auto part = [&](std::size_t first, std::size_t n) { return view<std::uint32_t>{buffer, n, first}; };
  const auto scan = [&](const view<std::uint32_t>& keys, const view<std::uint32_t>& values,
                        const view<std::uint32_t>& out, const clwave::op& fold = clwave::plus) {
    return
        [&on, keys, values, out, &fold] { clwave::exclusive_scan_by_key(on.queue, keys, values, out, fold); };
  };
  refuses("10 keys and 9 values", scan(part(0, 10), part(10, 9), part(20, 9)));
  refuses("9 values, and the output has 10 elements", scan(part(0, 9), part(10, 9), part(20, 10)));
  refuses("overlap", scan(part(0, 10), part(10, 10), part(9, 10)));
  refuses("overlap", scan(part(0, 10), part(10, 10), part(0, 10)));
  refuses("overlap", scan(part(0, 10), part(10, 10), part(11, 10)));
  refuses("overlap", scan(part(0, 10), part(0, 10), part(0, 10)));
  refuses("past", scan(part(0, 10), part(10, 10), part(91, 10)));
  refuses("past", scan(part(91, 10), part(10, 10), part(20, 10)));
  CHECK(refused(scan(part(0, 10), part(10, 10), part(20, 10), clwave::detail::argmin_op)));
  const clwave::op none{.name = "none", .source = "a + b", .identity = {}};
  CHECK(refused(scan(part(0, 10), part(10, 10), part(20, 10), none)));
  refuses("equality", [&] {
    clwave::inclusive_scan_by_key(on.queue, part(0, 10), part(10, 10), part(20, 10), clwave::plus,
                                  clwave::plus);
  });
  refuses("==", [&] {
    clwave::inclusive_scan_by_key(on.queue, view<person>{buffer, 2}, part(40, 2), part(30, 2));
  });
  CHECK(on.read<std::uint32_t>(buffer, 100) == std::vector<std::uint32_t>(100, 3));
}
