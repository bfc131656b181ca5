// segmented_scan against the scan order's reference of each segment alone, bit for bit.
#include <clwave/segmented_scan.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/error.hpp>
#include <clwave/scan.hpp>

#include "families/reductions.hpp"
#include "families/scans.hpp"
#include "families/segments.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"
#include "harness/spoilt_memory.hpp"

namespace testing::segmented_scan_test {
namespace {

struct of_call {
  bool exclusive = false, started = false, in_place = false, counted = true;
};

template <class Acc, class T, class Offset, class Combine>
void check_call(const fixture& on, const placed_segments<T, Offset>& in, const clwave::op& fold,
                Combine combine, const start_values<Acc>& with, const std::optional<scan_sizes>& sizes,
                const of_call& how, const clwave::map& apply = clwave::identity) {
  CAPTURES(in.segments(), in.values.size(), in.first, how.exclusive, how.started, how.in_place);
  const std::size_t n = in.values.size() - in.first;
  const cl::Buffer values = on.buffer_of(in.values), offsets = on.buffer_of(in.offsets);
  const guarded_buffer<Acc> out(on, n);
  std::vector<Acc> expected = out.read();  // what no segment has stays as it is
  if constexpr (std::is_same_v<T, Acc>) {
    if (how.in_place)
      expected.assign(in.values.begin() + static_cast<std::ptrdiff_t>(in.first), in.values.end());
  }
  bool any_falls = false;
  u64 bad = 0;
  for (std::size_t s = 0; s < in.segments(); ++s) {
    any_falls |= in.falls(s);
    bad += in.is_whole(s) ? 0 : 1;
  }
  const std::optional<Acc> start = how.started ? std::optional(with.start) : std::nullopt;
  for (std::size_t s = 0; s < in.segments() && !any_falls; ++s) {
    if (!in.is_whole(s)) continue;
    const auto begin = static_cast<std::size_t>(in.offsets[s]);
    const auto results = made_canonical(reference::scan_reference<Acc>(
        in.length(s), [&](std::size_t i) { return static_cast<Acc>(in.values[in.first + begin + i]); },
        combine, how.exclusive, start, with.nothing, sizes));
    std::copy(results.begin(), results.end(), expected.begin() + static_cast<std::ptrdiff_t>(begin));
  }
  const guarded_buffer<u64> count(on, 1);
  const view<T> from{values, n, in.first};
  clwave::segmented_scan_problem problem{
      .in = from,
      .offsets = view<Offset>{offsets, in.offsets.size()},
      .out = how.in_place ? clwave::detail::erase(from) : clwave::detail::erase(out.view()),
      .fold = &fold,
      .apply = &apply,
      .exclusive = how.exclusive,
      .start = start ? &*start : nullptr,
      .sizes = sizes};
  if (how.counted) problem.bad = count.view();
  clwave::segmented_scan(on.queue(), problem).wait();
  CHECK(out.guards_intact());
  CHECK(count.guards_intact());
  if (how.in_place) {
    if constexpr (std::is_same_v<T, Acc>) {
      check_same(on.read<T>(values, n, in.first * sizeof(T)), expected);
      if (in.first > 0) {
        const auto before = on.read<T>(values, in.first);
        check_same(before, std::vector<T>(in.values.begin(),
                                          in.values.begin() + static_cast<std::ptrdiff_t>(in.first)));
      }
    }
  } else {
    check_same(out.read(), expected);
  }
  if (how.counted) CHECK(count.read()[0] == bad);
}

// Inclusive and in place, or exclusive with a start value, or both, or all other ways, too. Compilers take up
// to a minute over each program of emulated lanes.
enum class ways_of_segments { inclusive, exclusive, two, all };

template <class Acc, class T, class Offset, class Combine>
void check_calls(const fixture& on, const placed_segments<T, Offset>& in, const clwave::op& fold,
                 Combine combine, const start_values<Acc>& with, const std::optional<scan_sizes>& sizes,
                 ways_of_segments which = ways_of_segments::two) {
  constexpr bool in_place = std::is_same_v<T, Acc>;
  if (which != ways_of_segments::exclusive)
    check_call(on, in, fold, combine, with, sizes, {.in_place = in_place});
  if (which != ways_of_segments::inclusive)
    check_call(on, in, fold, combine, with, sizes, {.exclusive = true, .started = true});
  if (which != ways_of_segments::all) return;
  check_call(on, in, fold, combine, with, sizes, {.counted = false});
  check_call(on, in, fold, combine, with, sizes, {.started = true});
  check_call(on, in, fold, combine, with, sizes, {.exclusive = true, .in_place = in_place});
}

constexpr start_values<float> zero_and_more = {.nothing = 0, .start = 0.1f};

// What tells a group where segments begin, if its results are small: a call chooses by the number of elements
// that segments have on average.
enum class told_by { bits, offsets };

// These lengths and others behind them, so that a call chooses this: empty segments lower the average; where
// it is too low for bits, a long one raises it first.
std::vector<std::size_t> lengths_told_by(told_by how, std::vector<std::size_t> lengths) {
  std::size_t n = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  if (how == told_by::bits && n / 64 < lengths.size()) {
    lengths.push_back(64 * lengths.size() + 64);
    n += lengths.back();
  }
  lengths.resize(std::max(lengths.size(), n / (how == told_by::bits ? 128 : 15) + 2));
  return lengths;
}

// The same, either way.
std::vector<std::size_t> lengths_told(random_engine& random, std::vector<std::size_t> lengths) {
  return lengths_told_by(random.below(2) == 0 ? told_by::bits : told_by::offsets, std::move(lengths));
}

// What a call chooses.
template <class Acc, class T>
told_by chosen(const fixture& on, const placed_segments<T>& in, const clwave::op& fold,
               const std::optional<scan_sizes>& sizes) {
  const call_plan found =
      plan(clwave::segmented_scan_problem{.in = {element_of<T>(), in.values.size() - in.first},
                                          .offsets = element_of<u64>(),
                                          .out = element_of<Acc>(),
                                          .segments = in.segments(),
                                          .fold = &fold,
                                          .sizes = sizes},
           target_of(on));
  return found.kernels.front().name == "segmented_scan_begins" ? told_by::bits : told_by::offsets;
}

const doctest::test_suite lanes("lanes");

}  // namespace

TEST_CASE_FIXTURE(on_device, "scans of segments of all lengths, on rows of the table") {
  for (const std::string name : some_of({"sm_90", "gfx90a", "subgroup-8", "cpu"})) {
    CAPTURE(name);
    const bool is_cpu = name == "cpu";
    if (name != "sm_90" && !takes_row(on, random, name)) continue;
    const forced_profile forced(name);
    for (const scan_sizes& sizes : {small, of_held_blocks, of_wide_blocks}) {
      if (!is_cpu && sizes.runs == of_wide_blocks.runs) continue;
      if (!is_cpu && sizes.runs == small.runs && (name != "sm_90" || random.below(3) != 0)) continue;
      for (const std::size_t most : {200u, 6000u}) {
        const auto in =
            place<float>(random, lengths_told(random, random_lengths(random, 1 + random.below(300), most)),
                         random.below(4), spice::nans, random.below(9), random.below(9));
        check_calls<float>(on, in, clwave::plus, plus<float>, zero_and_more, sizes,
                           is_cpu ? ways_of_segments::all : ways_of_segments::inclusive);
      }
    }
  }
}

TEST_CASE_FIXTURE(on_device,
                  "nothing but short segments, whose results are stored together where there is room") {
  const std::string name = takes_row(on, random, "sm_90") ? "sm_90" : "cpu";
  const forced_profile forced(name);
  for (const std::size_t most : {3u, 9u, 33u}) {
    std::vector<std::size_t> lengths(1000);
    for (std::size_t& length : lengths) length = random.below(most);
    const auto in =
        place<float>(random, lengths, random.below(4), spice::nans, random.below(9), random.below(9));
    check_calls<float>(on, in, clwave::plus, plus<float>, zero_and_more, of_held_blocks,
                       ways_of_segments::exclusive);
    auto past = in;
    past.offsets.back() += 9;
    check_calls<float>(on, past, clwave::plus, plus<float>, zero_and_more, of_held_blocks,
                       ways_of_segments::exclusive);
  }
}

TEST_CASE_FIXTURE(on_device, "segments of the contract's sizes have the bits of a scan of each alone") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    if (!takes_row(on, random, name)) continue;
    const std::vector<std::size_t> lengths = {0,    1,    3,  4,     5,    16,    17,   31,   32,    33,
                                              63,   64,   65, 1023,  7,    0,     1024, 1025, 2,     99,
                                              1025, 2048, 4,  16383, 3000, 16384, 100,  150,  16385, 49153,
                                              0,    0,    12, 511,   512,  513,   257,  300};
    const auto in = place<float>(random, lengths, 1, spice::finite);
    check_calls<float>(on, in, clwave::plus, plus<float>, zero_and_more, {},
                       name == "cpu" ? ways_of_segments::all : ways_of_segments::exclusive);
    if (name != "cpu") continue;
    const std::size_t n = in.values.size() - 1;
    const cl::Buffer values = on.buffer_of(in.values), offsets = on.buffer_of(in.offsets);
    const guarded_buffer<float> all(on, n), alone(on, n);
    clwave::segmented_inclusive_scan(on.queue, view<float>{values, n, 1},
                                     view<u64>{offsets, in.offsets.size()}, all.view())
        .wait();
    for (const std::size_t s : {3u, 9u, 17u, 25u, 29u}) {
      const auto begin = static_cast<std::size_t>(in.offsets[s]);
      clwave::inclusive_scan(on.queue, view<float>{values, lengths[s], 1 + begin},
                             alone.view().subview(begin, lengths[s]))
          .wait();
      const auto found = all.read(), expected = alone.read();
      const auto cut = [&](const std::vector<float>& from) {
        const auto first = from.begin() + static_cast<std::ptrdiff_t>(begin);
        return std::vector<float>(first, first + static_cast<std::ptrdiff_t>(lengths[s]));
      };
      check_same(cut(found), cut(expected));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "scans of a few huge segments among many empty and short ones") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    // Between short ones, empty segments side by side, more than a group looks at together.
    std::vector<std::size_t> lengths(5000, 0);
    for (int k = 0; k < 500; ++k) lengths[random.below(2500)] = random.below(20);
    for (int k = 0; k < 40; ++k) lengths[3500 + random.below(100)] = 1 + random.below(5);
    lengths[0] = 3 * 512;
    lengths[1] = 512 + 1;
    lengths[2] = 30000;
    lengths[4000] = 512 * 290 + 5;  // more stretches than a group has work-items
    lengths[4999] = 1025;
    const auto which = name == "cpu" ? ways_of_segments::two : ways_of_segments::inclusive;
    check_calls<float>(on, place<float>(random, lengths), clwave::plus, plus<float>, zero_and_more,
                       of_held_blocks, which);
    if (name != "cpu") continue;
    check_calls<float>(on, place<float, std::uint32_t>(random, {100000}, 1), clwave::plus, plus<float>,
                       zero_and_more, of_held_blocks, which);
  }
  // Stretches of the contract's size, by a CPU's row, which needs no emulated lanes.
  const forced_profile forced("cpu");
  check_calls<float>(on, place<float>(random, {5, (2u << 20) + 16384 + 77, 3, 1u << 20}, 0, spice::finite),
                     clwave::plus, plus<float>, zero_and_more, {});
}

TEST_CASE_FIXTURE(on_device, "types and operators of scans of segments" * lanes) {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    if (!takes_row(on, random, name)) continue;
    const std::vector<std::size_t> lengths = lengths_told(random, random_lengths(random, 60, 40000));
    const auto which = name == "cpu" ? ways_of_segments::two : ways_of_segments::inclusive;
    check_calls<std::uint32_t>(on, place<std::uint8_t>(random, lengths, 1), clwave::plus, plus<std::uint32_t>,
                               start_values<std::uint32_t>{0, 7}, {}, which);
    if (name != "cpu" && random.below(3) != 0) continue;
    if (on.has_doubles())
      check_calls<double>(on, place<double>(random, lengths, 1, spice::finite), clwave::plus, plus<double>,
                          start_values<double>{0, 0.5}, {}, which);
    if (name == "sm_90") continue;
    check_calls<std::int16_t>(on, place<std::int16_t>(random, lengths), clwave::max,
                              reference::maximum<std::int16_t>,
                              start_values<std::int16_t>{std::numeric_limits<std::int16_t>::min(), 3}, {});
    check_calls<float>(on, place<half>(random, lengths, 0, spice::ordinary), clwave::plus, plus<float>,
                       start_values<float>{0, 1}, {});
    check_calls<u64>(on, place<u64>(random, lengths), clwave::bit_xor, std::bit_xor<>(),
                     start_values<u64>{0, 5}, {});
  }
}

TEST_CASE_FIXTURE(on_device, "scans of segments of structures, by an operator that does not commute") {
  for (const std::string name : forced_rows(some_of({"gfx90a", "cpu"}))) {
    if (!takes_row(on, random, name)) continue;
    const auto in = place<std::uint32_t>(random, lengths_told(random, random_lengths(random, 60, 1500)));
    const placed_segments<affine> structures{random_affines(random, in.values.size()), in.offsets, 0};
    check_calls<affine>(on, structures, then, compose, start_values<affine>{{1, 0}, {3, 4}}, of_held_blocks,
                        name == "cpu" ? ways_of_segments::all : ways_of_segments::exclusive);
  }
}

// Every run, on every driver, takes both ways here. By offsets neighbouring work-items store runs of all
// lengths, each where its own segment lies: there Intel's compiler for CPUs exchanged the addresses of stores
// where lanes are emulated (scan_order.cl).
TEST_CASE_FIXTURE(on_device,
                  "short segments of structures beside longer ones, told by bits and by offsets" * lanes) {
  const forced_profile forced("gfx90a");
  std::vector<std::size_t> lengths(300);
  for (std::size_t& length : lengths) length = random.below(33);
  lengths[70] = 100;
  lengths[200] = 700;
  for (const told_by how : {told_by::bits, told_by::offsets}) {
    const auto in = place<std::uint32_t>(random, lengths_told_by(how, lengths));
    const placed_segments<affine> structures{random_affines(random, in.values.size()), in.offsets, 0};
    CHECK(chosen<affine>(on, structures, then, of_held_blocks) == how);
    check_calls<affine>(on, structures, then, compose, start_values<affine>{{1, 0}, {3, 4}}, of_held_blocks,
                        ways_of_segments::exclusive);
  }
}

TEST_CASE_FIXTURE(on_device, "a map sees each element's place in its segment, and texts name values") {
  const std::vector<std::size_t> lengths = {3, 0, 700, 17, 1, 40, 20000, 0, 100};
  const auto in = place<std::uint32_t>(random, lengths);
  const cl::Buffer values = on.buffer_of(in.values), offsets = on.buffer_of(in.offsets);
  const guarded_buffer<u64> out(on, in.values.size()), bad(on, 1);
  const clwave::map place_if{.name = "place_if", .source = "x % 3 != 0 ? i + k : 0", .values = {{"k", 3}}};
  const clwave::op limited{
      .name = "limited", .source = "min(a + b, most)", .identity = "0", .values = {{"most", u64{1} << 20}}};
  clwave::transform_segmented_exclusive_scan(on.queue, view<std::uint32_t>{values, in.values.size()},
                                             view<u64>{offsets, in.offsets.size()}, out.view(), bad.view(),
                                             limited, place_if, {.start = 9u})
      .wait();
  std::vector<u64> expected;
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    u64 sum = 9;
    for (std::size_t i = 0; i < lengths[s]; ++i) {
      expected.push_back(sum);
      const std::uint32_t x = in.values[static_cast<std::size_t>(in.offsets[s]) + i];
      sum = std::min<u64>(sum + (x % 3 != 0 ? i + 3 : 0), u64{1} << 20);
    }
  }
  check_same(out.read(), expected);
  CHECK(bad.read()[0] == 0);
}

TEST_CASE_FIXTURE(on_device,
                  "bad offsets of scans are found on the device, and where some fall nothing is written") {
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    auto in = place<float>(random, random_lengths(random, 400, 2000));
    const auto check = [&](const std::vector<u64>& offsets) {
      const placed_segments<float> with{in.values, offsets, 0};
      // Twice: what one call found does not stay in the workspace.
      for (int again = 0; again < 2; ++again)
        check_call(on, with, clwave::plus, plus<float>, zero_and_more, of_held_blocks,
                   {.in_place = again > 0});
    };
    for (const auto& offsets : bad_offsets(random, in.offsets, in.values.size())) check(offsets);
    // No elements: bad segments are counted all the same.
    in.values.clear();
    check({0, 0, 1, 1});
    check({0});
  }
}

TEST_CASE_FIXTURE(on_device, "what scans of segments refuse") {
  const cl::Buffer in = on.buffer_of(std::vector<float>(12)),
                   at = on.buffer_of(std::vector<std::uint32_t>(4));
  const view<float> x{in, 6}, y{in, 6, 6};
  const view<std::uint32_t> offsets{at, 4};
  const auto refused = [&](const view<float>& to, const view<std::uint32_t>& by, const clwave::op& fold) {
    return refusal([&] { clwave::segmented_exclusive_scan(on.queue, x, by, to, fold); });
  };
  CHECK(contains(refused(y, view<std::uint32_t>{at, 0}, clwave::plus), "there are no offsets"));
  CHECK(contains(refused(view<float>{in, 5, 6}, offsets, clwave::plus),
                 "the input has 6 elements, the output 5"));
  CHECK(contains(refused(view<float>{in, 6, 1}, offsets, clwave::plus), "overlap"));
  CHECK(contains(refused(y, view<std::uint32_t>{in, 4, 8}, clwave::plus), "overlap"));
  CHECK(!refused(y, offsets, clwave::detail::argmin_op).empty());
  const clwave::op none{.name = "none", .source = "a + b", .identity = {}};
  CHECK(!refused(y, offsets, none).empty());
  const view<u64> nowhere{at, 0};
  CHECK(contains(
      refusal([&] { clwave::segmented_inclusive_scan(on.queue, x, offsets, y, nowhere, clwave::plus); }),
      "has no element"));
  // A start value does for an operator without an identity.
  clwave::segmented_exclusive_scan(on.queue, x, offsets, y, none, {.start = 1.0f}).wait();
}

TEST_CASE_FIXTURE(on_device, "in-place and given workspaces of scans of segments") {
  const std::vector<std::uint32_t> ones(40000, 1), at = {0, 39000, 40000};
  const cl::Buffer both = on.buffer_of(ones), offsets = on.buffer_of(at);
  const cl::Buffer bytes = on.buffer_of(std::vector<unsigned char>(8192, 0xee));
  const view<std::uint32_t> x{both, ones.size()};
  clwave::segmented_inclusive_scan(on.queue, x, view<std::uint32_t>{offsets, 3}, x, clwave::plus,
                                   {.workspace = view<unsigned char>{bytes, 8192}})
      .wait();
  const auto found = on.read<std::uint32_t>(both, ones.size());
  for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(found[i] == (i < 39000 ? i : i - 39000) + 1);
}

TEST_CASE_FIXTURE(on_device,
                  "scans of segments in the caller's workspace, of exactly the bytes that the plan says") {
  const std::vector<std::uint32_t> ones(n_summed, 1);
  const std::vector<u64> borders = {3, n_summed - 5, n_summed};
  const cl::Buffer in = on.buffer_of(ones), at = on.buffer_of(borders);
  const forced_profile forced("cpu");
  const element& u32 = element_of<std::uint32_t>();
  const std::size_t n_bytes =
      plan(
          clwave::segmented_scan_problem{
              .in = {u32, n_summed}, .offsets = element_of<u64>(), .out = {u32, n_summed}, .segments = 2},
          target_of(on))
          .workspace_bytes;
  CHECK(n_bytes <= 4096 + n_summed / 16384 * (64 + 4));
  const spoilt_memory memory(on, n_bytes);
  for (const int again : {1, 2}) {
    CAPTURE(again);
    if (again == 1) memory.spoil();
    const guarded_buffer<std::uint32_t> out(on, n_summed);
    std::vector<std::uint32_t> expected = out.read();
    for (std::size_t i = 3; i < n_summed; ++i)
      expected[i] = static_cast<std::uint32_t>(i - (i < n_summed - 5 ? 3 : n_summed - 5) + 1);
    clwave::segmented_inclusive_scan(on.queue, view<std::uint32_t>{in, n_summed}, view<u64>{at, 3},
                                     out.view(), clwave::plus, {.workspace = memory.head()})
        .wait();
    CHECK(out.read_guarded() == expected);
    CHECK(memory.guards_intact(0));
  }
}

}  // namespace testing::segmented_scan_test
