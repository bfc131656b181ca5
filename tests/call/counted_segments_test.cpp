// Segments whose number lies on the device, against the same calls with that number on the host: all bytes of
// the outputs, poison behind the results too, on rows of the table.
#include <clwave/any_view.hpp>

// All of these, or none.
#if __has_include(<clwave/segmented_reduce.hpp>) && __has_include(<clwave/segmented_scan.hpp>) && \
    __has_include(<clwave/segmented_sort.hpp>) && __has_include(<clwave/top_k.hpp>)

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/segmented_reduce.hpp>
#include <clwave/segmented_scan.hpp>
#include <clwave/segmented_sort.hpp>
#include <clwave/top_k.hpp>

#include "call/counted_calls.hpp"
#include "harness/captures.hpp"

namespace testing::counted_segments_test {
namespace {

const doctest::test_suite lanes("lanes");

const clwave::op subtract{
    .name = "subtract", .source = "a * 0.5f - b", .identity = "0", .commutative = false};
const clwave::op far_first{.name = "far first", .source = "fabs(a) > fabs(b)"};
const clwave::map placed{.name = "placed", .source = "x + i"};

constexpr u64 best = 3;

// What is wrong with the segments: nothing; the last ones end past the input; one ends before it begins, too.
enum class faults { none, past, fall };

// Elements, the offsets of at most so many segments, and outputs full of poison. All begin at odd places of
// their buffers.
struct segments {
  segments(const fixture& on, reference::random_engine& random, std::size_t most_segments,
           std::size_t elements, faults wrong)
      : n(elements), most(most_segments), at(random.below(6)), offsets_at(random.below(4)) {
    std::vector<float> values(at + n);
    for (float& each : values) each = static_cast<float>(random.below(1000)) / 8 - 50;
    std::vector<u64> wide(offsets_at + most + 1);
    std::vector<u32> narrow(wide.size());
    const std::size_t mean = n / most, long_one = random.below(most);
    u64 end = random.below(3);
    for (std::size_t s = 0; s <= most; ++s) {
      wide[offsets_at + s] = end;
      end += s == long_one ? n / 2 : random.below(4) == 0 ? 0 : random.below(mean + 2);
      if (wrong == faults::none || s + 1 < most) end = std::min<u64>(end, n);
    }
    if (wrong != faults::none) wide[offsets_at + most] = n + 3;
    if (wrong == faults::fall) wide[offsets_at + 1 + random.below(most)] = 0;
    std::ranges::transform(wide, narrow.begin(), [](u64 each) { return static_cast<u32>(each); });
    x = on.buffer_of(values);
    wide_offsets = on.buffer_of(wide);
    narrow_offsets = on.buffer_of(narrow);
    for (cl::Buffer* each : {&out, &second}) {
      bytes poison((at + std::max(n, best * most) + 1) * 24);
      for (unsigned char& byte : poison) byte = static_cast<unsigned char>(random());
      *each = on.buffer_of(poison);
      before.push_back(poison);
    }
    bad = on.buffer_of(std::vector<u64>(2));
  }

  any_view of(const cl::Buffer& buffer, const element& type) const { return of(buffer, type, n); }
  any_view of(const cl::Buffer& buffer, const element& type, std::size_t many) const {
    return any_view(buffer(), many, at, &type);
  }

  std::size_t n, most, at, offsets_at;
  cl::Buffer x, wide_offsets, narrow_offsets, out, second, bad;
  std::vector<bytes> before;  // the outputs' poison
};

struct segment_call {
  std::string name;
  // `bad` is where bad segments are counted, or null.
  std::function<void(cl_command_queue, const segments&, const any_view& offsets, const any_view* bad)> run;
};

template <class Problem>
void count_bad(Problem& problem, const any_view* bad) {
  if (bad != nullptr) problem.bad = *bad;
}

segment_call fold_of(std::string name, const clwave::op& fold, const element& of, const element& into,
                     const clwave::map& apply = clwave::identity) {
  return {std::move(name),
          [&](cl_command_queue queue, const segments& s, const any_view& offsets, const any_view* bad) {
            clwave::segmented_reduce_problem problem{.in = s.of(of.size == 8 ? s.second : s.x, of),
                                                     .offsets = offsets,
                                                     .out = s.of(s.out, into, s.most),
                                                     .fold = &fold,
                                                     .apply = &apply};
            count_bad(problem, bad);
            clwave::segmented_reduce(queue, problem);
          }};
}

segment_call scan_of(std::string name, const clwave::op& fold, const element& type, bool exclusive,
                     bool in_place = false) {
  return {std::move(name), [&, exclusive, in_place](cl_command_queue queue, const segments& s,
                                                    const any_view& offsets, const any_view* bad) {
            clwave::segmented_scan_problem problem{.in = s.of(in_place ? s.out : s.x, type),
                                                   .offsets = offsets,
                                                   .out = s.of(s.out, type),
                                                   .fold = &fold,
                                                   .exclusive = exclusive};
            count_bad(problem, bad);
            clwave::segmented_scan(queue, problem);
          }};
}

// By numbers, by an operator, or by so many keys of texts; with values that lie in their output or not.
segment_call sort_of(std::string name, const element& key, unsigned keys, const clwave::op* less,
                     const element* values, bool in_place) {
  return {std::move(name),
          [&key, keys, less, values, in_place](cl_command_queue queue, const segments& s,
                                               const any_view& offsets, const any_view* bad) {
            static const clwave::key_list one{clwave::by<float>({.name = "far", .source = "fabs(x)"})};
            static const clwave::key_list two{
                clwave::by<int>({.name = "whole", .source = "(int)x / 8"}, {.descending = true}),
                clwave::by<float>({.name = "itself", .source = "x"})};
            clwave::sort_problem problem{.keys = s.of(in_place ? s.out : s.x, key),
                                         .keys_out = s.of(s.out, key),
                                         .less = less,
                                         .offsets = offsets};
            if (values != nullptr) problem.values = s.of(in_place ? s.second : s.x, *values);
            if (values != nullptr) problem.values_out = s.of(s.second, *values);
            if (keys != 0) problem.by = (keys == 1 ? one : two).keys();
            count_bad(problem, bad);
            clwave::sort(queue, problem);
          }};
}

segment_call best_of(std::string name, const element& indices) {
  return {std::move(name), [&indices](cl_command_queue queue, const segments& s, const any_view& offsets,
                                      const any_view* bad) {
            clwave::segmented_top_k_problem problem{.in = s.of(s.x, element_of<float>()),
                                                    .offsets = offsets,
                                                    .values = s.of(s.out, element_of<float>(), best * s.most),
                                                    .indices = s.of(s.second, indices, best * s.most),
                                                    .k = best};
            count_bad(problem, bad);
            clwave::segmented_top_k(queue, problem);
          }};
}

std::vector<segment_call> segment_calls() {
  static const element three_words =
      clwave::detail::make_element("moved", "", 12, clwave::element_kind::opaque, 1);
  const element &f32 = element_of<float>(), &i32 = element_of<std::int32_t>();
  namespace of = clwave::detail;
  return {fold_of("segmented_reduce", clwave::plus, f32, f32),
          fold_of("segmented_reduce of a map", clwave::plus, f32, f32, placed),
          fold_of("segmented_reduce of bytes", clwave::max, element_of<std::uint8_t>(), element_of<u32>()),
          fold_of("segmented_reduce by a user's operator", subtract, f32, f32),
          // Of elements of 8 bytes, whose indexed values have no bytes between: such are not compared.
          fold_of("segmented_argmin", of::argmin_op, element_of<std::int64_t>(),
                  element_of<indexed<std::int64_t>>()),
          fold_of("segmented_minmax", of::minmax_fold<float>(), f32, element_of<clwave::min_and_max<float>>(),
                  of::minmax_lift<float>()),
          fold_of("segmented_mean_and_variance", of::moments_fold<float>(), f32,
                  element_of<clwave::moments<float>>(), of::moments_lift<float>()),
          scan_of("segmented_inclusive_scan", clwave::plus, f32, false),
          scan_of("segmented_exclusive_scan", clwave::plus, i32, true),
          scan_of("segmented_inclusive_scan in place", clwave::max, i32, false, true),
          scan_of("segmented_inclusive_scan by a user's operator", subtract, f32, false),
          scan_of("segmented_inclusive_scan of 8 bytes", clwave::bit_xor, element_of<u64>(), false, true),
          sort_of("segmented_sort", element_of<u32>(), 0, nullptr, nullptr, false),
          sort_of("segmented_sort in place", element_of<std::uint8_t>(), 0, nullptr, nullptr, true),
          sort_of("segmented_sort_by_key by an operator", f32, 0, &far_first, &i32, false),
          sort_of("segmented_sort_by_key in place", element_of<u64>(), 0, nullptr, &three_words, true),
          sort_of("segmented_sort by a key", f32, 1, nullptr, nullptr, false),
          sort_of("segmented_sort_by_key by two keys, in place", f32, 2, nullptr, &i32, true),
          best_of("segmented_top_k", element_of<u32>()),
          best_of("segmented_top_k with wide indices", element_of<u64>())};
}

// PoCL 3.1 compiles segmented_reduce for groups of 8 to a loop without end (segmented_reduce_test.cpp).
bool runs_on(const fixture& on, const clwave::profile& row, const segment_call& call) {
  const bool folds = call.name.starts_with("segmented_reduce") || call.name.starts_with("segmented_m") ||
                     call.name.starts_with("segmented_arg");
  return !(folds && row.lanes == 8 && on.is_pocl());
}

// What a call leaves, everywhere.
std::vector<bytes> left_by(const fixture& on, const segment_call& call, const segments& s,
                           const any_view& offsets, bool counts_bad) {
  const cl::Buffer* outputs[] = {&s.out, &s.second};
  for (std::size_t k = 0; k < 2; ++k)
    on.queue.enqueueWriteBuffer(*outputs[k], CL_TRUE, 0, s.before[k].size(), s.before[k].data());
  constexpr u64 unwritten[] = {77, 77};
  on.queue.enqueueWriteBuffer(s.bad, CL_TRUE, 0, sizeof unwritten, unwritten);
  const any_view bad(s.bad(), 1, 1, &element_of<u64>());
  call.run(on.queue(), s, offsets, counts_bad ? &bad : nullptr);
  std::vector<bytes> left;
  for (std::size_t k = 0; k < 2; ++k) left.push_back(on.read<unsigned char>(*outputs[k], s.before[k].size()));
  left.push_back(on.read<unsigned char>(s.bad, sizeof unwritten));
  return left;
}

// What a call is tried with. Each choice makes other programs, so each call has its own one.
struct choices {
  explicit choices(std::size_t call)
      : wide_offsets(call % 2 == 0),
        wide_count(call / 2 % 2 == 0),
        counts_bad(call % 3 == 0),
        number_at(call % 3) {}
  bool wide_offsets, wide_count, counts_bad;
  std::size_t number_at;
};

void check_counts(const fixture& on, const segments& s, const segment_call& call, const choices& how,
                  const std::vector<u64>& counts) {
  CAPTURES(call.name, s.most, s.n, how.wide_offsets, how.wide_count, how.counts_bad);
  for (const u64 count : counts) {
    CAPTURE(count);
    std::vector<cl::Buffer> numbers;
    const any_view number = how.wide_count ? number_on<u64>(on, numbers, count, how.number_at)
                                           : number_on<u32>(on, numbers, count, how.number_at);
    any_view offsets((how.wide_offsets ? s.wide_offsets : s.narrow_offsets)(),
                     std::min<u64>(count, s.most) + 1, s.offsets_at,
                     how.wide_offsets ? &element_of<u64>() : &element_of<u32>());
    const auto expected = left_by(on, call, s, offsets, how.counts_bad);
    offsets.n = s.most + 1;
    offsets.count = &number;
    CHECK(left_by(on, call, s, offsets, how.counts_bad) == expected);
    // Once more: what the first call left in the workspace is no harm.
    CHECK(left_by(on, call, s, offsets, how.counts_bad) == expected);
  }
}

}  // namespace

TEST_CASE_FIXTURE(on_device,
                  "calls with their number of segments on the device give the bytes of the host's number") {
  const segments one(on, random, 1, 50, faults::none), few(on, random, 40, 9'000, faults::past),
      fallen(on, random, 300, 3'000, faults::fall), many(on, random, 3'000, 60'000, faults::none),
      by_begins(on, random, 700, 45'000, faults::past);
  sample some(quickest() ? 4 : 3);
  const std::vector<segment_call> calls = segment_calls();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (!some.takes_next()) continue;
    const segment_call& call = calls[k];
    const choices how(k);
    check_counts(on, one, call, how, {0, 1, 2});
    check_counts(on, few, call, how, {0, 1, 39, 40, 41});
    check_counts(on, fallen, call, how, {random.below(300), 300});
    check_counts(on, many, call, how, {0, random.below(3'000), 2'999, ~u64{0}});
    check_counts(on, by_begins, call, how, {1 + random.below(700), 700});
  }
}

TEST_CASE_FIXTURE(
    on_device,
    "calls with their number of segments on the device give the host's bytes on rows of the table") {
  const std::vector<segment_call> calls = segment_calls();
  for_each_profile([&](const clwave::profile& row) {
    if (!takes_row(on, random, std::string(row.name))) return;
    const fixture fresh(on.device());
    // Scans go by the offsets of many segments, and by the begins of fewer ones.
    const segments many(fresh, random, 500, 10'000, faults::past),
        by_begins(fresh, random, 200, 17'000, faults::none), fallen(fresh, random, 50, 400, faults::fall);
    sample some(10);
    for (std::size_t k = 0; k < calls.size(); ++k) {
      const segment_call& call = calls[k];
      if (!some.takes_next() || !runs_on(fresh, row, call)) continue;
      const choices how(k);
      check_counts(fresh, many, call, how, {0, 1 + random.below(500), 501});
      check_counts(fresh, by_begins, call, how, {random.below(200), 200});
      check_counts(fresh, fallen, call, how, {50});
    }
  });
}

}  // namespace testing::counted_segments_test

#endif
