// reduce_by_key against the order's reference on the host, run by run and bit for bit, in several rows of the
// table, around the bounds of tiles of keys and of values; what never says what it has found; what is
// refused.
#include <clwave/reduce_by_key.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "families/reductions.hpp"
#include "families/runs.hpp"
#include "families/selections.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/own_site.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "primitives/reduce_by_key.hpp"

namespace testing::reduce_by_key_test {
namespace {

using clwave::detail::fold_sizes;

struct room {
  std::size_t keys, values;
};

template <class Acc, class Key, class T, class Combine>
void check_runs(const fixture& on, const keyed_values<Key, T>& in, const clwave::op& fold, Combine combine,
                const fold_sizes& sizes = {}, const clwave::op* same = nullptr,
                const room* outputs = nullptr) {
  CAPTURES(in.n(), in.first_key, in.first_value);
  const Key* const first = in.keys.data() + in.first_key;
  const std::vector<std::size_t> borders = borders_of(first, in.n());
  std::vector<Key> keys;
  std::vector<Acc> folds;
  for (std::size_t r = 0; r + 1 < borders.size(); ++r) {
    keys.push_back(first[borders[r]]);
    const T* const values = in.value(borders[r]);
    folds.push_back(canonical(reference::fold_reference<Acc>(
        borders[r + 1] - borders[r], [&](std::size_t i) { return static_cast<Acc>(values[i]); }, combine,
        !fold.commutative, sizes)));
  }
  const cl::Buffer there = on.buffer_of(in.keys), beside = on.buffer_of(in.values);
  const room all = outputs != nullptr ? *outputs : room{in.n(), in.n()};
  check_two_outputs(on, keys, folds, {all.keys, all.values}, [&](auto keys_out, auto values_out, auto count) {
    const clwave::reduce_by_key_problem problem{.keys = view<Key>{there, in.n(), in.first_key},
                                                .values = view<T>{beside, in.n(), in.first_value},
                                                .keys_out = keys_out,
                                                .values_out = values_out,
                                                .count = count,
                                                .fold = &fold,
                                                .same = same,
                                                .sizes = sizes};
    clwave::reduce_by_key(on.queue(), problem).wait();
  });
}

// A tile that any row's lanes allow.
constexpr fold_sizes small = {.tile = 512, .accumulators = 64};

// Compilers take many seconds over each program of emulated lanes.
constexpr const char* some_rows[] = {"sm_90", "cpu"};

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "runs of all lengths by key, in several rows" * lanes) {
  for (const std::string name : forced_rows(some_rows)) {
    const element &key = element_of<std::uint32_t>(), &value = element_of<float>();
    const std::size_t tile = keys_of_tile(
        on, clwave::reduce_by_key_problem{
                .keys = key, .values = value, .keys_out = key, .values_out = value, .sizes = small});
    // Where lanes are emulated, programs take a minute to compile: those of values in packets alone.
    const bool anywhere = name == "cpu";
    for (const std::size_t n : {tile - 1, tile, tile + 1, 3 * tile + 1000}) {
      const auto in = with_lengths<std::uint32_t, float>(
          random, random_run_lengths(random, n, random.below(2) == 0 ? 600 : 9000),
          anywhere ? random.below(5) : 0, anywhere ? random.below(5) : 0,
          random.below(2) == 0 ? spice::nans : spice::finite);
      check_runs<float>(on, in, clwave::plus, wrapping_plus<float>, small);
    }
    // All of one length: each tile's values go to local memory, or none; and each key begins a run.
    for (const std::size_t length : {1u, 2u, 16u, 17u, 128u, 1000u}) {
      const auto in =
          with_lengths<std::uint32_t, float>(random, std::vector<std::size_t>(3 * tile / length + 1, length),
                                             0, anywhere && length != 16 ? 1 : 0);
      check_runs<float>(on, in, clwave::plus, wrapping_plus<float>, small);
    }
    // One run, which ends at, before and behind the bounds of tiles.
    for (const std::size_t n : std::vector<std::size_t>{1, 512, 513, tile, 2 * tile + 1}) {
      check_runs<float>(on, with_lengths<std::uint32_t, float>(random, {n}, anywhere ? 3 : 0), clwave::plus,
                        wrapping_plus<float>, small);
      check_runs<float>(on, with_lengths<std::uint32_t, float>(random, {n, 512, tile, 1, 1024, tile - 1}),
                        clwave::plus, wrapping_plus<float>, small);
    }
    // A run of three levels among short ones. (Work-items that a CPU runs one after the other take minutes.)
    if (name != "cpu") continue;
    check_runs<float>(
        on,
        with_lengths<std::uint32_t, float>(random, {5, 1, 512 * 530, 3, 512, 7, 513}, 0, 0, spice::finite),
        clwave::plus, wrapping_plus<float>, small);
  }
}

TEST_CASE_FIXTURE(on_device, "runs of the contract's tiles have reduce's bits") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    if (!takes_row(on, random, name)) continue;
    const std::vector<std::size_t> lengths = {16,   16,   1,    8191, 8192, 8193,  1024, 1025,
                                              2000, 4096, 4097, 100,  1,    40000, 7,    24576};
    const auto in = with_lengths<std::uint32_t, float>(random, lengths, 0, 0, spice::finite);
    check_runs<float>(on, in, clwave::plus, wrapping_plus<float>);
    const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
    const guarded_buffer<std::uint32_t> keys_out(on, lengths.size());
    const guarded_buffer<float> sums(on, lengths.size());
    REQUIRE(clwave::reduce_by_key(on.queue, view<std::uint32_t>{keys, in.n()}, view<float>{values, in.n()},
                                  keys_out.view(), sums.view()) == lengths.size());
    std::size_t begin = 0;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      CAPTURE(r);
      const float alone = clwave::reduce(on.queue, view<float>{values, lengths[r], begin});
      CHECK(same_bits(sums.read()[r], alone));
      begin += lengths[r];
    }
  }
}

TEST_CASE_FIXTURE(on_device, "reduce_by_key: types, operators and equality by a text" * lanes) {
  const std::size_t n = 9000;
  const clwave::op near{.name = "near", .source = "a / step == b / step", .values = {{"step", 2u}}};
  {
    const forced_profile forced("cpu");
    const auto lengths = random_run_lengths(random, n, 1500);
    check_runs<std::uint32_t>(on, with_lengths<std::uint8_t, std::uint8_t>(random, lengths, 1, 2),
                              clwave::plus, wrapping_plus<std::uint32_t>, small);
    auto even = with_lengths<std::uint32_t, std::int16_t>(random, lengths);
    for (std::uint32_t& key : even.keys) key *= 2;
    check_runs<std::int16_t>(on, even, clwave::max, reference::maximum<std::int16_t>, small, &near);
    if (on.has_doubles())
      check_runs<double>(on, with_lengths<double, double>(random, lengths, 0, 1, spice::finite),
                         clwave::multiplies, reference::wrapping_times<double>, small);
    check_runs<float>(on, with_lengths<u64, half>(random, lengths, 0, 0, spice::ordinary), clwave::plus,
                      wrapping_plus<float>, small);
  }
}

TEST_CASE_FIXTURE(on_device,
                  "reduce_by_key of structures, by an operator that does not commute and has no identity") {
  const clwave::op same_key{.name = "same_key", .source = "a.key == b.key"};
  for (const std::string name : forced_rows(some_of({"gfx90a", "cpu"}))) {
    // PoCL 3.1 gives the emulated row other values than the reference, which an H200 and Intel's runtime
    // give.
    if (name != "cpu" && on.is_pocl()) continue;
    const auto keys =
        with_lengths<std::uint32_t, std::uint8_t>(random, random_run_lengths(random, 9000, 1500));
    keyed_values<person, affine> in{{}, random_affines(random, keys.n() + 1), 0, 1};
    for (const std::uint32_t key : keys.keys) in.keys.push_back({key, {1, key}});
    clwave::op none = then;
    none.identity.clear();
    check_runs<affine>(on, in, none, compose, small, &same_key);
  }
}

TEST_CASE_FIXTURE(on_device, "argmax by key, and a map that sees each value's place in its run") {
  const std::vector<std::size_t> lengths = {3, 700, 17, 1, 40, 2000, 100, 9000, 1, 1};
  {
    const forced_profile forced("cpu");
    auto in = with_lengths<std::uint32_t, float>(random, lengths, 0, 0, spice::ordinary);
    for (float& x : in.values) x = static_cast<float>(random.below(9));  // ties
    const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
    const view<std::uint32_t> k{keys, in.n()};
    const view<float> x{values, in.n()};
    const guarded_buffer<std::uint32_t> keys_out(on, in.n());
    const guarded_buffer<indexed<float>> greatest(on, in.n());
    CHECK(clwave::reduce_by_key(on.queue, k, x, keys_out.view(), greatest.view(),
                                clwave::detail::argmax_op) == lengths.size());
    const guarded_buffer<u64> sums(on, in.n());
    {
      const clwave::map place_if{.name = "place_if", .source = "x > 4 ? i + k : 0", .values = {{"k", 3}}};
      const clwave::op all{.name = "all", .source = "a + b + k - 5", .values = {{"k", 5}}};
      const clwave::op same{.name = "same", .source = "a == b + k - 7", .values = {{"k", 7}}};
      CHECK(clwave::transform_reduce_by_key(on.queue, k, x, keys_out.view(), sums.view(), all, place_if,
                                            same) == lengths.size());
    }
    std::size_t begin = 0;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      CAPTURE(r);
      const float* const first = in.value(begin);
      const auto at = static_cast<u64>(std::max_element(first, first + lengths[r]) - first);
      CHECK(same_bits(greatest.read()[r], indexed<float>{first[at], at}));
      u64 sum = 0;
      for (std::size_t i = 0; i < lengths[r]; ++i) sum += first[i] > 4 ? i + 3 : 0;
      CHECK(sums.read()[r] == sum);
      begin += lengths[r];
    }
  }
}

TEST_CASE_FIXTURE(on_device, "reduce_by_key: outputs that are too short, and the count on the host") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    if (!takes_row(on, random, name)) continue;
    const auto in = with_lengths<std::uint32_t, float>(random, random_run_lengths(random, 20000, 3000), 1);
    const std::size_t runs = borders_of(in.keys.data() + 1, in.n()).size() - 1;
    const room rooms[] = {{runs, 20000}, {runs - 1, runs}, {20000, runs - 1}, {90, 91}, {1, 2}};
    for (const room& each : rooms)
      check_runs<float>(on, in, clwave::plus, wrapping_plus<float>, small, nullptr, &each);
    // Long runs that are not wanted, and one that is.
    const auto few = with_lengths<std::uint32_t, float>(random, {1, 9000, 5000, 8000, 1});
    for (const std::size_t wanted : {1u, 2u, 3u}) {
      const room each{wanted, 9};
      check_runs<float>(on, few, clwave::plus, wrapping_plus<float>, small, nullptr, &each);
    }
    const cl::Buffer keys = on.buffer_of(in.keys), values = on.buffer_of(in.values);
    const view<std::uint32_t> k{keys, in.n(), 1};
    const view<float> x{values, in.n()};
    const guarded_buffer<std::uint32_t> keys_out(on, 9);
    const guarded_buffer<float> out(on, 9);
    CHECK(clwave::reduce_by_key(on.queue, k, x, keys_out.view(), out.view().subview(0, 0)) == runs);
    CHECK(keys_out.intact());
    CHECK(out.intact());
    CHECK(clwave::reduce_by_key(on.queue, k.subview(0, 0), x.subview(0, 0), keys_out.view(), out.view()) ==
          0);
  }
}

TEST_CASE("reduce_by_key ends with the right results whoever keeps silent") {
  random_engine random;
  const auto check = [&](const fixture& fresh) {
    for (const std::size_t most : {4, 6000, 30000})
      check_runs<float>(
          fresh, with_lengths<std::uint32_t, float>(random, random_run_lengths(random, 9 * 4096 + 17, most)),
          clwave::plus, wrapping_plus<float>, small);
    // More tiles than a group reads messages of at a time.
    check_runs<float>(fresh, with_lengths<std::uint32_t, float>(random, {700, 300 * small.tile + 17, 5}),
                      clwave::plus, wrapping_plus<float>, small);
  };
  whoever_keeps_silent(check);
  // Of long runs' tiles.
  const std::string posts = "if (!ends || tile < part.first) {";
  for (const char* silent : {"true", "tile % 2 == 0"})
    with_changed_kernels("blocks/fold_long_runs.cl", posts,
                         "if (!ends && (" + std::string(silent) + ")) return;\n    " + posts, [&] {
                           freshly("sm_90", check)();
                           freshly("cpu", check)();
                         });
}

TEST_CASE("reduce_by_key in three launches where groups cannot send messages") {
  random_engine random;
  const element& u32 = element_of<std::uint32_t>();
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const fixture fresh;
    own_site site(fresh.queue(), "reduce_by_key");
    site.on.choice.order = clwave::group_order::two_launches;
    const auto in =
        with_lengths<std::uint32_t, std::uint32_t>(random, random_run_lengths(random, 70 * 4096 + 5, 30000));
    const cl::Buffer there = fresh.buffer_of(in.keys), beside = fresh.buffer_of(in.values);
    const auto borders = borders_of(in.keys.data(), in.n());
    std::vector<std::uint32_t> keys, sums;
    for (std::size_t r = 0; r + 1 < borders.size(); ++r) {
      keys.push_back(in.keys[borders[r]]);
      sums.push_back(0);
      for (std::size_t i = borders[r]; i < borders[r + 1]; ++i) sums.back() += in.values[i];
    }
    check_two_outputs(fresh, keys, sums, {in.n(), in.n()}, [&](auto keys_out, auto values_out, auto count) {
      const clwave::reduce_by_key_problem problem{.keys = {u32, in.n()},
                                                  .values = {u32, in.n()},
                                                  .keys_out = {u32, in.n(), keys_out.offset()},
                                                  .values_out = {u32, in.n(), values_out.offset()},
                                                  .count = count};
      site.run(problem, {there(), beside(), keys_out.buffer(), values_out.buffer(), count.buffer()});
    });
  }
}

// The results of one long run's tiles could be read as messages of the next call, whose number each of them
// is once. Nobody posts anything, so whoever finds a message has found what lay there.
TEST_CASE("reduce_by_key: what one call leaves in the workspace means nothing to the next") {
  random_engine random;
  auto first = with_lengths<std::uint32_t, std::uint32_t>(random, {40 * small.tile});
  auto second = with_lengths<std::uint32_t, std::uint32_t>(
      random, random_run_lengths(random, 30 * 40 * small.tile, 900));
  const std::string posts = "if (own_id_anew() == 0 && tile + 1 < tiles) post_count";
  with_changed_kernels(
      "primitives/select_one_pass.cl",
      {{posts + "(messages, tile, call, own", ";  // (messages, tile, call, own"},
       {posts + "(messages, tile, call, kept_together", ";  // (messages, tile, call, kept_together"}},
      [&] {
        const forced_profile forced("cpu");
        for (std::uint32_t result = 1; result < 6; ++result) {
          CAPTURE(result);
          const fixture fresh;
          for (std::size_t i = 0; i < first.values.size(); ++i)
            first.values[i] = i % small.tile == 0 ? result : 0;
          // The larger one first, so that all three work in one block.
          for (const auto* in : {&second, &first, &second})
            check_runs<std::uint32_t>(fresh, *in, clwave::plus, wrapping_plus<std::uint32_t>, small);
        }
      });
}

TEST_CASE("reduce_by_key: what the workspace takes") {
  const element& f32 = element_of<float>();
  const element& f64 = element_of<double>();
  for (const char* name : some_of({"sm_90", "gfx90a", "cpu"})) {
    for (const u64 n : {u64{1}, u64{1} << 20, (u64{1} << 31) - 1, (u64{1} << 32) - 1, u64{1} << 36}) {
      CAPTURES(std::string(name), n);
      const clwave::plan_target target{
          .choice = clwave::choose_profile_for(name), .compute_units = 100, .with_source = false};
      const auto bytes = [&](const element& value) {
        return clwave::plan(clwave::reduce_by_key_problem{.keys = {f32, n},
                                                          .values = {value, n},
                                                          .keys_out = {f32, n},
                                                          .values_out = {value, n}},
                            target)
            .workspace_bytes;
      };
      const u64 words = n >> 31 != 0 ? 2 : 1;
      const auto most = [&](u64 acc_bytes, u64 of_tile) {
        return (n + 16383) / 16384 * of_tile * words + n / 8192 * (2 * acc_bytes + 24) + 4096;
      };
      CHECK(bytes(f32) <= most(4, 64));
      CHECK(bytes(f64) <= most(8, 128));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "reduce_by_key refuses what it cannot do") {
  const cl::Buffer buffer = on.buffer_of(std::vector<std::uint32_t>(100));
  const auto part = [&](std::size_t first, std::size_t n) { return view<std::uint32_t>{buffer, n, first}; };
  const cl::Buffer counts = on.buffer_of(std::vector<u64>(2));
  const view<u64> count{counts, 1};
  refuses("10 keys and 9 values", [&] {
    clwave::reduce_by_key(on.queue, part(0, 10), part(10, 9), part(20, 10), part(30, 10), count);
  });
  refuses("overlap", [&] {
    clwave::reduce_by_key(on.queue, part(0, 10), part(10, 10), part(19, 10), part(30, 10), count);
  });
  refuses("overlap", [&] {
    clwave::reduce_by_key(on.queue, part(0, 10), part(0, 10), part(20, 10), part(29, 10), count);
  });
  refuses("past", [&] {
    clwave::reduce_by_key(on.queue, part(0, 10), part(0, 10), part(20, 10), part(95, 10), count);
  });
  refuses("equality", [&] {
    clwave::reduce_by_key(on.queue, part(0, 10), part(10, 10), part(20, 10), part(30, 10), clwave::plus,
                          clwave::plus);
  });
  refuses("==", [&] {
    clwave::reduce_by_key(on.queue, view<person>(buffer, 2), part(40, 2), view<person>(buffer, 2, 2),
                          part(30, 2), count);
  });
}

}  // namespace testing::reduce_by_key_test
