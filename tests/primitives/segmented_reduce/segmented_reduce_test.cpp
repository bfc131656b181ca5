// segmented_reduce against the order's reference on the host and reduce of each segment alone, bit for bit.
#include <clwave/segmented_reduce.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/plan.hpp>

#include "families/reductions.hpp"
#include "families/segments.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing::segmented_reduce_test {
namespace {

using clwave::detail::fold_sizes;

template <class Acc>
struct outcome {
  std::vector<Acc> results;
  u64 bad;
};

template <class Acc, class T, class Offset>
outcome<Acc> folded(const fixture& on, const placed_segments<T, Offset>& in, const clwave::op& fold,
                    const fold_sizes& sizes = {}, const clwave::map& apply = clwave::identity,
                    bool counted = true) {
  const cl::Buffer values = on.buffer_of(in.values), offsets = on.buffer_of(in.offsets);
  const guarded_buffer<Acc> out(on, in.segments());
  const guarded_buffer<u64> bad(on, 1);
  const view<T> from{values, in.values.size() - in.first, in.first};
  clwave::segmented_reduce_problem problem{.in = from,
                                           .offsets = view<Offset>{offsets, in.offsets.size()},
                                           .out = out.view(),
                                           .fold = &fold,
                                           .apply = &apply,
                                           .sizes = sizes};
  if (counted) problem.bad = bad.view();
  clwave::segmented_reduce(on.queue(), problem).wait();
  CHECK(out.guards_intact());
  CHECK(bad.guards_intact());
  return {out.read(), counted ? bad.read()[0] : 0};
}

template <class Acc, class T, class Offset, class Combine>
void check_segments(const fixture& on, const placed_segments<T, Offset>& in, const clwave::op& fold,
                    Combine combine, Acc nothing, const fold_sizes& sizes = {}, bool counted = true) {
  CAPTURES(in.segments(), in.values.size(), in.first);
  const outcome<Acc> found = folded<Acc>(on, in, fold, sizes, clwave::identity, counted);
  REQUIRE(found.results.size() == in.segments());
  bool any_falls = false;
  for (std::size_t s = 0; s < in.segments(); ++s) any_falls |= in.falls(s);
  u64 bad = 0;
  for (std::size_t s = 0; s < in.segments(); ++s) {
    const bool is_bad = !in.is_whole(s) || (any_falls && in.length(s) > sizes.tile);
    if (is_bad) ++bad;
    Acc expected = nothing;
    if (!is_bad && in.length(s) > 0) {
      const std::size_t first = in.first + static_cast<std::size_t>(in.offsets[s]);
      expected = canonical(reference::fold_reference<Acc>(
          in.length(s), [&](std::size_t i) { return static_cast<Acc>(in.values[first + i]); }, combine,
          !fold.commutative, sizes));
    }
    if (same_bits(found.results[s], expected)) continue;
    CAPTURES(s, in.offsets[s], in.offsets[s + 1]);
    FAIL(show_bits(found.results[s]) << " for " << show_bits(expected));
  }
  if (counted) CHECK(found.bad == bad);
}

// A tile that any row's lanes allow.
constexpr fold_sizes small = {.tile = 512, .accumulators = 64};

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "segments of all lengths, on rows of the table") {
  for (const clwave::profile& row : clwave::profiles()) {
    if (row.lanes > small.accumulators) continue;
    // PoCL 3.1 compiles this kernel for groups of 8 to a loop without end, or to a fault. Intel's runtime
    // does not.
    if (row.lanes == 8 && on.is_pocl()) continue;
    // Compilers take seconds over each program of emulated lanes: each time a few of the other rows.
    const bool always = row.name == "sm_90" || row.name == "gfx90a" || row.name == "cpu";
    if (!always && random.below(12) != 0) continue;
    const forced_profile forced{std::string(row.name)};
    for (const std::size_t most : {600u, 6000u}) {
      const auto in = place<float>(random, random_lengths(random, 1 + random.below(300), most),
                                   4 * random.below(2), spice::nans, random.below(9), random.below(9));
      check_segments<float>(on, in, clwave::plus, wrapping_plus<float>, 0.0f, small);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "segments of the contract's tiles have reduce's bits") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const std::vector<std::vector<std::size_t>> all = {
        std::vector<std::size_t>(300, 16),
        std::vector<std::size_t>(40, 64),
        {1024, 1024, 512, 128, 132, 256, 896, 8192},
        {0, 1, 1023, 1025, 7, 8191, 8193, 64, 8192, 100, 129, 2049}};
    for (const std::vector<std::size_t>& lengths : all) {
      const auto in = place<float>(random, lengths, 0, spice::finite);
      const auto found = folded<float>(on, in, clwave::plus);
      CHECK(found.bad == 0);
      for (std::size_t s = 0; s < lengths.size(); ++s) {
        if (s > 12) break;
        const auto first = in.values.begin() + static_cast<std::ptrdiff_t>(in.offsets[s]);
        const std::vector<float> alone(first, first + static_cast<std::ptrdiff_t>(lengths[s]));
        float expected = 0;
        if (!alone.empty())
          expected = clwave::reduce(on.queue, view<float>{on.buffer_of(alone), alone.size()});
        CAPTURE(s);
        CHECK(same_bits(found.results[s], expected));
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device, "a few huge segments among many empty and short ones") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    std::vector<std::size_t> lengths(5000, 0);
    for (int k = 0; k < 500; ++k) lengths[random.below(5000)] = random.below(20);
    lengths[0] = 3 * 512;
    lengths[1] = 512 + 1;
    lengths[2] = 30000;
    lengths[4000] = 512 * 530;  // three levels
    lengths[4999] = 513;
    // Where there are NaNs, long segments have nothing else.
    for (const spice with : {spice::nans, spice::finite})
      check_segments<float>(on, place<float>(random, lengths, 0, with), clwave::plus, wrapping_plus<float>,
                            0.0f, small);
    if (std::string(name) == "sm_90") continue;  // emulated lanes take long to compile
    // Without a count of bad ones, and one segment alone; 32-bit offsets.
    check_segments<float>(on, place<float, u32>(random, {100000}, 1), clwave::plus, wrapping_plus<float>,
                          0.0f, small, false);
  }
}

TEST_CASE_FIXTURE(on_device, "one launch: short inputs whose bad segments nobody counts") {
  const forced_profile forced("cpu");
  for (const std::size_t n : {0u, 1u, 511u, 512u}) {
    const auto in = place<float>(random, {0, n, 0});
    check_segments<float>(on, in, clwave::plus, wrapping_plus<float>, 0.0f, small, false);
  }
}

TEST_CASE_FIXTURE(on_device, "types, operators and maps of segments" * lanes) {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    const std::vector<std::size_t> lengths = random_lengths(random, 60, 1500);
    check_segments<u32>(on, place<std::uint8_t>(random, lengths), clwave::plus, wrapping_plus<u32>, u32{0},
                        small);
    // Compilers take seconds over each program of emulated lanes.
    if (std::string(name) == "sm_90") continue;
    check_segments<std::int16_t>(on, place<std::int16_t>(random, lengths), clwave::max,
                                 reference::maximum<std::int16_t>, std::numeric_limits<std::int16_t>::min(),
                                 small);
    if (on.has_doubles())
      check_segments<double>(on, place<double>(random, lengths, 0, spice::finite), clwave::multiplies,
                             reference::wrapping_times<double>, 1.0, small);
    check_segments<float>(on, place<half>(random, lengths, 0, spice::ordinary), clwave::plus,
                          wrapping_plus<float>, 0.0f, small);
  }
}

TEST_CASE_FIXTURE(on_device,
                  "segments of structures, by an operator that does not commute and has no identity") {
  for (const std::string name : forced_rows(some_of({"gfx90a", "cpu"}))) {
    auto in = place<u32>(random, random_lengths(random, 40, 1500));
    placed_segments<affine> structures{random_affines(random, in.values.size()), in.offsets, 0};
    clwave::op none = then;
    none.identity.clear();
    const auto found = folded<affine>(on, structures, none, small);
    u64 empty = 0;
    for (std::size_t s = 0; s < in.segments(); ++s) {
      if (in.length(s) == 0) {
        ++empty;
        continue;
      }
      const affine* first = structures.values.data() + in.offsets[s];
      CHECK(same_bits(found.results[s],
                      reference::fold_reference<affine>(
                          in.length(s), [&](std::size_t i) { return first[i]; }, compose, true, small)));
    }
    CHECK(found.bad == empty);
  }
}

TEST_CASE_FIXTURE(on_device, "argmax of segments, and a map that sees each element's place in its segment") {
  const std::vector<std::size_t> lengths = {3, 0, 700, 17, 1, 40, 2000, 0, 100};
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    auto in = place<float>(random, lengths, 0, spice::ordinary);
    for (float& x : in.values) x = static_cast<float>(random.below(9));  // ties
    const auto greatest = folded<indexed<float>>(on, in, clwave::detail::argmax_op, small);
    CHECK(greatest.bad == 2);
    const clwave::map place_if{.name = "place_if", .source = "x > 4 ? i + k : 0", .values = {{"k", 3}}};
    std::vector<u64> places;  // emulated lanes take long to compile
    if (std::string(name) == "cpu") places = folded<u64>(on, in, clwave::plus, small, place_if).results;
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      CAPTURE(s);
      const float* first = in.values.data() + in.offsets[s];
      u64 sum = 0;
      for (std::size_t i = 0; i < lengths[s]; ++i) sum += first[i] > 4 ? i + 3 : 0;
      if (!places.empty()) CHECK(places[s] == sum);
      if (lengths[s] == 0) continue;
      const auto at = static_cast<u64>(std::max_element(first, first + lengths[s]) - first);
      CHECK(same_bits(greatest.results[s], indexed<float>{first[at], at}));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "bad offsets are found on the device, and nothing outside the input is read") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    auto in = place<float>(random, random_lengths(random, 400, 2000));
    const auto check = [&](const std::vector<u64>& offsets) {
      placed_segments<float> with{in.values, offsets, 0};
      // Twice: what one call found does not stay in the workspace.
      for (int again = 0; again < 2; ++again)
        check_segments<float>(on, with, clwave::plus, wrapping_plus<float>, 0.0f, small);
    };
    for (const auto& offsets : bad_offsets(random, in.offsets, in.values.size())) check(offsets);
  }
}

TEST_CASE_FIXTURE(on_device, "the call that checks throws for bad segments") {
  const cl::Buffer in = on.buffer_of(std::vector<float>{1, 2, 3, 4, 5, 6});
  const guarded_buffer<float> out(on, 3);
  const auto sums = [&](const std::vector<u32>& offsets, const clwave::op& fold = clwave::plus) {
    const cl::Buffer at = on.buffer_of(offsets);
    clwave::checked_segmented_reduce(on.queue, view<float>{in, 6}, view<u32>{at, 4}, out.view(), fold,
                                     clwave::square);
  };
  sums({0, 2, 2, 5});
  CHECK(out.read() == std::vector<float>{5, 0, 50});
  refuses("2 of 3 segments are bad", [&] { sums({0, 2, 9, 5}); });
  CHECK(out.read() == std::vector<float>{5, 0, 0});
  const clwave::op none{.name = "none", .source = "a + b", .identity = {}};
  refuses("without an identity", [&] { sums({1, 1, 2, 3}, none); });
  CHECK(out.read() == std::vector<float>{5, 4, 9});
  const clwave::op mine{
      .name = "mine", .source = "a + b", .identity = "base + 1.5f", .values = {{"base", 2.0f}}};
  sums({1, 1, 2, 3}, mine);
  CHECK(out.read_guarded() == std::vector<float>{3.5f, 4, 9});
}

TEST_CASE_FIXTURE(on_device, "no segments, and calls that are refused before anything is enqueued") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f));
  const cl::Buffer at = on.buffer_of(std::vector<u64>{0, 40, 100});
  const guarded_buffer<float> out(on, 2);
  const guarded_buffer<u64> bad(on, 1);
  const view<float> x{in, 100};
  const view<u64> offsets{at, 3};
  clwave::segmented_reduce(on.queue, x, offsets.subview(0, 1), out.view()).wait();
  CHECK(out.intact());
  clwave::segmented_reduce(on.queue, x, offsets.subview(2, 1), out.view(), bad.view()).wait();
  CHECK(bad.read() == std::vector<u64>{0});
  const auto refused_with = [&](const std::string& words, const auto& call) {
    const std::string said = refusal(call);
    CAPTURE(said);
    CHECK(contains(said, words));
    CHECK(out.intact());
  };
  refused_with("no offsets",
               [&] { clwave::segmented_reduce(on.queue, x, offsets.subview(0, 0), out.view()); });
  refused_with("the output", [&] {
    clwave::segmented_reduce(on.queue, x, offsets, view<float>{out.view().buffer(), 1, out.view().offset()});
  });
  refused_with("overlap", [&] { clwave::segmented_reduce(on.queue, x, offsets, view<float>{in, 2, 98}); });
  refused_with("no element", [&] {
    clwave::segmented_reduce(on.queue, x, offsets, out.view(), view<u64>{at, 0});
  });
  refused_with("bit operators",
               [&] { clwave::segmented_reduce(on.queue, x, offsets, out.view(), clwave::bit_and); });
  refused_with("product takes two inputs", [&] {
    clwave::transform_segmented_reduce(on.queue, x, offsets, out.view(), clwave::plus, clwave::product);
  });
  clwave::segmented_reduce(on.queue, x, offsets, out.view()).wait();
  CHECK(out.read() == std::vector<float>{40, 60});
}

TEST_CASE_FIXTURE(on_device, "segments wait for what they are to wait for, and give an event") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(6, 2.0f));
  const cl::Buffer at = on.buffer_of(std::vector<u32>{0, 3, 6});
  const guarded_buffer<float> out(on, 2);
  const std::vector<float> later(6, 5.0f);
  const cl::Event written = on.write_after(on.queue, in, later.data(), later.size() * sizeof(float), {});
  clwave::transform_segmented_reduce(on.queue, view<float>{in, 6}, view<u32>{at, 3}, out.view(), clwave::plus,
                                     clwave::square, {.after = {written}})
      .wait();
  CHECK(out.read() == std::vector<float>{75.0f, 75.0f});
}

}  // namespace testing::segmented_reduce_test
