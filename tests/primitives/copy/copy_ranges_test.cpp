// copy_ranges against a plain loop: elements of all sizes, ranges of all lengths and places, rows of the
// table, starts and lengths of 32 and 64 bits; bad ranges; ranges that come to one element; and as a call.
#include <clwave/copy.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/plan.hpp>

#include "copies.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"

namespace testing::copy_ranges_test {
namespace {

using clwave::copy_ranges_problem;

const doctest::test_suite lanes("lanes");

element moved_element(std::size_t size) {
  return clwave::detail::make_element("moved", "", size, clwave::element_kind::opaque, 1);
}

// Ranges of elements, numbers of 64 bits.
struct ranges_case {
  std::size_t size = 1;  // of an element, in bytes
  std::size_t n = 0, reach = 0;
  std::vector<u64> starts = {}, lengths = {}, out_starts = {};
};

// Ranges of these lengths, from anywhere, to places in a random order with a few elements between some.
ranges_case placed(random_engine& random, std::size_t size, const std::vector<std::size_t>& lengths) {
  ranges_case all{.size = size};
  for (const std::size_t length : lengths) all.lengths.push_back(length);
  const std::size_t longest = lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  all.n = longest + random.below(300);
  for (const std::size_t length : lengths) all.starts.push_back(random.below(all.n - length + 1));
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
  all.out_starts.resize(lengths.size());
  std::size_t at = random.below(20);
  for (const std::size_t k : order) {
    all.out_starts[k] = at;
    at += lengths[k] + (random.below(2) == 0 ? 0 : random.below(5));
  }
  all.reach = at;
  return all;
}

enum class kind { empty, single, short_ones, around_cells, power_law, one_long, long_ones, kinds };

std::vector<std::size_t> some_lengths(random_engine& random, std::size_t ranges, kind of) {
  std::vector<std::size_t> all(ranges);
  for (std::size_t& each : all) {
    switch (of) {
      case kind::single:
        each = random.below(3);
        break;
      case kind::short_ones:
      case kind::one_long:
        each = random.below(40);
        break;
      case kind::around_cells:
        each = 16 * random.below(5) + random.below(3);
        break;
      case kind::power_law:
        each = random.below(std::size_t{2} << random.below(10));
        break;
      case kind::long_ones:
        each = 3000 + random.below(3000);
        break;
      default:
        each = 0;
    }
  }
  if (of == kind::one_long && ranges > 0) all[random.below(ranges)] = 60000;
  return all;
}

bool is_bad(const ranges_case& c, std::size_t k) {
  return c.starts[k] > c.n || c.lengths[k] > c.n - c.starts[k] || c.out_starts[k] > c.reach ||
         c.lengths[k] > c.reach - c.out_starts[k];
}

// Copies, and compares all of the output's buffer. Both end with the views' last elements, or a little after.
template <class Number>
void check_numbers(const fixture& on, random_engine& random, const ranges_case& c, bool counts) {
  CAPTURES(c.size, c.starts.size(), sizeof(Number), counts);
  const element type = moved_element(c.size);
  const std::size_t ranges = c.starts.size(), in_first = random.below(20), out_first = random.below(20);
  const bytes in = random_bytes((in_first + c.n) * c.size + random.below(3));
  bytes expected = random_bytes((out_first + c.reach) * c.size + (random.below(2) == 0 ? 0 : guard));
  const auto numbers = [&](const std::vector<u64>& from, std::size_t first) {
    std::vector<Number> all(first);
    for (const u64 each : from) all.push_back(static_cast<Number>(each));
    return all;
  };
  const std::size_t first[] = {random.below(4), random.below(4), random.below(4)};
  const cl::Buffer xs = on.buffer_of(in), to = on.buffer_of(expected),
                   starts = on.buffer_of(numbers(c.starts, first[0])),
                   lengths = on.buffer_of(numbers(c.lengths, first[1])),
                   out_starts = on.buffer_of(numbers(c.out_starts, first[2]));
  const guarded_buffer<u64> bad(on, 1);
  const element& number = element_of<Number>();
  copy_ranges_problem problem{.in = any_view(xs(), c.n, in_first, &type),
                              .starts = any_view(starts(), ranges, first[0], &number),
                              .lengths = any_view(lengths(), ranges, first[1], &number),
                              .out = any_view(to(), c.reach, out_first, &type),
                              .out_starts = any_view(out_starts(), ranges, first[2], &number)};
  if (counts) problem.bad = any_view(bad.view());
  clwave::copy_ranges(on.queue(), problem).wait();
  u64 bad_ones = 0;
  for (std::size_t k = 0; k < ranges; ++k) {
    if (is_bad(c, k)) {
      ++bad_ones;
      continue;
    }
    const auto at = [&](std::size_t before, u64 start) {
      return (before + static_cast<std::size_t>(start)) * c.size;
    };
    std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(at(in_first, c.starts[k])),
                static_cast<std::size_t>(c.lengths[k]) * c.size,
                expected.begin() + static_cast<std::ptrdiff_t>(at(out_first, c.out_starts[k])));
  }
  CHECK(on.read<unsigned char>(to, expected.size()) == expected);
  if (counts) CHECK(bad.first() == bad_ones);
  CHECK((counts ? bad.guards_intact() : bad.intact()));
}

// Numbers of either type, counted or not; where the run is quick always the same of elements that are moved
// alike, for each is a program.
void check_any(const fixture& on, random_engine& random, const ranges_case& c) {
  const bool is_one_window = c.starts.size() <= 256, by_words = c.size % 4 == 0 && c.size % 8 != 0;
  const bool counts = quick() ? by_words : random.below(2) == 0;
  if (quick() ? is_one_window == by_words : random.below(2) == 0)
    check_numbers<u32>(on, random, c, counts);
  else
    check_numbers<u64>(on, random, c, counts);
}

// NaNs may be among them.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

clwave::plan_target target_of(const fixture& on) { return on.target(); }

copy_ranges_problem problem_of(const element& type, u64 ranges) {
  const element& number = element_of<u32>();
  return {.in = {type, 1000000},
          .starts = any_view(number, ranges),
          .lengths = any_view(number, ranges),
          .out = {type, 1000000},
          .out_starts = any_view(number, ranges)};
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "ranges of elements of every size") {
  for (const std::string name : forced_rows(some_of({"", "sm_90"}))) {
    sample some(4);
    for (const std::size_t size : {1, 2, 3, 4, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64, 96, 127, 128}) {
      if (!some.takes_next()) continue;
      check_any(on, random, placed(random, size, some_lengths(random, 100, kind::short_ones)));
      check_any(on, random, placed(random, size, some_lengths(random, 700, kind::power_law)));
    }
  }
}

TEST_CASE_FIXTURE(on_device, "ranges of all lengths, on every row" * lanes) {
  const auto check_row = [&](const clwave::profile& row) {
    const std::string name(row.name);
    CAPTURE(name);
    if (!takes_row(on, random, name)) return;
    const std::size_t sizes[] = {1, 12, 2, 4, 8, 16, 40};
    for (int k = 0; k < static_cast<int>(kind::kinds); ++k) {
      const auto of = static_cast<kind>(k);
      CAPTURE(k);
      const std::size_t size = sizes[random.below(quick() ? 2 : std::size(sizes))];
      const std::size_t few = of == kind::long_ones ? 1 + random.below(20) : random.below(300);
      check_any(on, random, placed(random, size, some_lengths(random, few, of)));
      const std::size_t many = of == kind::long_ones ? 300 : 257 + random.below(3000);
      check_any(on, random, placed(random, of == kind::long_ones ? 1 : size, some_lengths(random, many, of)));
    }
  };
  for_each_profile(check_row, 16);
}

TEST_CASE_FIXTURE(on_device,
                  "numbers of ranges about those of a window, and of windows about those of a group" *
                      lanes) {
  for (const std::string name : forced_rows(some_of({"cpu", "sm_90"}))) {
    for (const std::size_t ranges : {0, 1, 2, 3, 255, 256, 257, 511, 512, 513, 1024})
      check_any(on, random, placed(random, 4, some_lengths(random, ranges, kind::single)));
    // More than 256 windows, and than 2048.
    for (const std::size_t ranges : {66000, 530000})
      check_any(on, random, placed(random, 1, some_lengths(random, ranges, kind::single)));
    ranges_case spread = placed(random, 2, some_lengths(random, 66000, kind::empty));
    spread.lengths[65000] = std::min(spread.n, spread.reach);
    spread.starts[65000] = spread.out_starts[65000] = 0;
    check_any(on, random, spread);
  }
}

// Where ranges begin and end between multiples of 16 bytes, of the input and of the output.
TEST_CASE_FIXTURE(on_device, "ranges of bytes between all misaligned places") {
  for (const std::string name : forced_rows(some_of({"", "cpu", "sm_90"}))) {
    for (const std::size_t size : {1, 2, 4, 8}) {
      ranges_case all{.size = size};
      std::size_t at = 0;
      for (std::size_t start = 0; start < 16 / size; ++start) {
        for (std::size_t phase = 0; phase < 16 / size; ++phase) {
          for (const std::size_t length : {1, 2, 3, 15, 16, 17, 31, 33, 64, 200}) {
            while (at % (16 / size) != phase) ++at;
            all.starts.push_back(start);
            all.lengths.push_back(length);
            all.out_starts.push_back(at);
            at += length;
          }
        }
      }
      all.reach = at;
      all.n = 200 + 16 / size;
      check_any(on, random, all);
      // The last byte of the input is that of a range.
      for (std::size_t k = 0; k < all.starts.size(); ++k) all.starts[k] = all.n - all.lengths[k];
      check_any(on, random, all);
    }
  }
}

TEST_CASE_FIXTURE(on_device, "bad ranges copy nothing and are counted") {
  for (const std::string name : forced_rows(some_of({"cpu", "sm_90"}))) {
    for (const std::size_t ranges : {30, 256, 1000}) {
      ranges_case c =
          placed(random, random.below(2) == 0 ? 4 : 12, some_lengths(random, ranges, kind::short_ones));
      for (std::size_t k = 0; k < ranges; ++k) {
        const u64 end = c.n - c.starts[k], room = c.reach - c.out_starts[k];
        switch (random.below(12)) {
          case 0:
            c.lengths[k] = std::max(end, room) + 1;
            break;
          case 1:
            c.starts[k] = c.n - c.lengths[k] + 1;
            break;
          case 2:
            c.out_starts[k] = c.reach - c.lengths[k] + 1;
            break;
          case 3:
            c.lengths[k] = 0xffffffff - random.below(5);
            break;
          case 4:
            c.starts[k] = 0xffffffff - random.below(5);
            break;
          case 5:
            c.out_starts[k] = 0xffffffff - random.below(5);
            break;
          default:
            break;
        }
      }
      if (ranges <= 256 || !quick()) check_numbers<u32>(on, random, c, true);
      if (!quick()) check_numbers<u32>(on, random, c, false);
      // Sums that wrap in 64 bits, and in bytes.
      for (std::size_t k = 0; k < ranges; ++k) {
        if (c.lengths[k] > 0xfffffff0) c.lengths[k] = ~u64{0} - random.below(100);
        if (c.starts[k] > 0xfffffff0) c.starts[k] = u64{1} << (62 + random.below(2));
        if (c.out_starts[k] > 0xfffffff0) c.out_starts[k] = ~u64{0} - random.below(100);
      }
      if (ranges > 256 || !quick()) check_numbers<u64>(on, random, c, true);
    }
    // All are bad; and of empty ranges those that start behind an end.
    check_any(on, random, {.size = 4, .starts = {0, 1}, .lengths = {1, 0}, .out_starts = {0, 0}});
    check_numbers<u32>(
        on, random,
        {.size = 4, .n = 5, .reach = 7, .starts = {5, 6, 0}, .lengths = {0, 0, 0}, .out_starts = {7, 0, 8}},
        true);
  }
}

// Elements of 1, 2, 4 and 8 bytes are whole, whichever range they are of.
TEST_CASE_FIXTURE(on_device, "an element to which several ranges come is one of theirs") {
  for (const std::string name : forced_rows(some_of({"", "sm_90"}))) {
    for (const std::size_t size : {1, 2, 4, 8}) {
      CAPTURE(size);
      constexpr std::size_t n = 3000, reach = 500, ranges = 700;
      const bytes in = random_bytes(n * size), before = random_bytes(reach * size);
      std::vector<u32> starts(ranges), lengths(ranges), out_starts(ranges);
      std::vector<std::vector<std::size_t>> candidates(reach);
      for (std::size_t k = 0; k < ranges; ++k) {
        lengths[k] = static_cast<u32>(random.below(100));
        starts[k] = static_cast<u32>(random.below(n - 100));
        out_starts[k] = static_cast<u32>(random.below(reach - 100));
        for (std::size_t j = 0; j < lengths[k]; ++j) candidates[out_starts[k] + j].push_back(starts[k] + j);
      }
      const element type = moved_element(size);
      const cl::Buffer xs = on.buffer_of(in), to = on.buffer_of(before), from = on.buffer_of(starts),
                       sizes = on.buffer_of(lengths), places = on.buffer_of(out_starts);
      const element& number = element_of<u32>();
      clwave::copy_ranges(on.queue(),
                          copy_ranges_problem{.in = any_view(xs(), n, 0, &type),
                                              .starts = any_view(from(), ranges, 0, &number),
                                              .lengths = any_view(sizes(), ranges, 0, &number),
                                              .out = any_view(to(), reach, 0, &type),
                                              .out_starts = any_view(places(), ranges, 0, &number)})
          .wait();
      const bytes now = on.read<unsigned char>(to, reach * size);
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < reach; ++i) {
        const auto is = [&](const bytes& all, std::size_t k) {
          return std::memcmp(now.data() + i * size, all.data() + k * size, size) == 0;
        };
        const bool right = candidates[i].empty() ? is(before, i)
                                                 : std::any_of(candidates[i].begin(), candidates[i].end(),
                                                               [&](auto k) { return is(in, k); });
        wrong += right ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  }
}

// -------------------------------------------------------------------------------------------- as a call

TEST_CASE_FIXTURE(on_device, "typed copies of ranges, checked and counted") {
  const std::vector<float> x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const cl::Buffer xs = on.buffer_of(x), a = on.buffer_of(std::vector<u32>{7, 0, 3}),
                   b = on.buffer_of(std::vector<u32>{3, 2, 0}), c = on.buffer_of(std::vector<u32>{1, 4, 9});
  const guarded_buffer<float> out(on, 8);
  const view<const float> in{xs, x.size()};
  const view<u32> starts{a, 3}, lengths{b, 3}, out_starts{c, 3};
  const std::vector<float> first = out.read();
  const std::vector<float> right{first[0], 7, 8, 9, 0, 1, first[6], first[7]};
  const guarded_buffer<u64> bad(on, 1);
  clwave::copy_ranges(on.queue, in, starts, lengths, out.view(), out_starts, bad.view()).wait();
  CHECK(same_bits(out.read_guarded(), right));
  CHECK(bad.first() == 1);
  refuses("1 of 3 ranges are bad",
          [&] { clwave::checked_copy_ranges(on.queue, in, starts, lengths, out.view(), out_starts); });
  clwave::checked_copy_ranges(on.queue, in, starts.subview(0, 2), lengths.subview(0, 2), out.view(),
                              out_starts.subview(0, 2));
  CHECK(same_bits(out.read_guarded(), right));
}

TEST_CASE_FIXTURE(on_device, "what copy_ranges refuses, before anything is enqueued; and copies of nothing") {
  const cl::Buffer a = on.buffer_of(bytes(1024)), b = on.buffer_of(bytes(1024)),
                   c = on.buffer_of(bytes(1024));
  const view<float> x{a, 100}, out{b, 100};
  const view<u32> starts{c, 5}, lengths{c, 5, 10}, out_starts{c, 5, 20};
  const auto& q = on.queue;
  refuses("5 starts, 4 lengths and 5 starts in the output",
          [&] { clwave::copy_ranges(q, x, starts, view<u32>(c, 4, 10), out, out_starts); });
  refuses("5 starts, 5 lengths and 6 starts in the output",
          [&] { clwave::copy_ranges(q, x, starts, lengths, out, view<u32>(c, 6, 20)); });
  refuses("overlap",
          [&] { clwave::copy_ranges(q, x, starts, lengths, view<float>(a, 100, 99), out_starts); });
  refuses("overlap",
          [&] { clwave::copy_ranges(q, x, starts, lengths, out, out_starts, view<u64>(b, 1, 10)); });
  refuses("which has 0",
          [&] { clwave::copy_ranges(q, x, starts, lengths, out, out_starts, view<u64>(b, 0, 100)); });
  refuses("no count on the device",
          [&] { clwave::copy_ranges(q, x.first(view<u64>(c, 1, 60)), starts, lengths, out, out_starts); });
  const auto plan_of = [&](const copy_ranges_problem& asked) { plan(asked, target_of(on)); };
  copy_ranges_problem wrong = problem_of(element_of<float>(), 10);
  wrong.out = {element_of<std::int32_t>(), 100};
  refuses("the output is of i32", [&] { plan_of(wrong); });
  wrong = problem_of(element_of<float>(), 10);
  wrong.lengths = any_view(element_of<u64>(), 10);
  refuses("the lengths of u64", [&] { plan_of(wrong); });
  wrong.starts = wrong.lengths = wrong.out_starts = any_view(element_of<std::int32_t>(), 10);
  refuses("starts of i32", [&] { plan_of(wrong); });
  refuses("more than", [&] { plan_of(problem_of(element_of<float>(), (u64{1} << 31) + 1)); });
  refuses("1 to 128 bytes", [&] { plan_of(problem_of(moved_element(129), 10)); });
  wrong = problem_of(element_of<float>(), 10);
  wrong.bad = any_view(element_of<u32>(), 1);
  refuses("a number of bad ranges of u32", [&] { plan_of(wrong); });

  const view<u32> none{cl::Buffer(), 0};
  clwave::copy_ranges(q, x, none, none, out, none).wait();
  const guarded_buffer<u64> bad(on, 1);
  clwave::copy_ranges(q, x, none, none, out, none, bad.view()).wait();
  CHECK(bad.first() == 0);
  clwave::checked_copy_ranges(q, x, none, none, out, none);
  // Empty ranges, of nothing to nothing.
  const view<float> no_floats{cl::Buffer(), 0};
  const cl::Buffer zeros = on.buffer_of(std::vector<u64>(300));
  const view<u64> empty{zeros, 300};
  clwave::checked_copy_ranges(q, no_floats, empty, empty, no_floats, empty);
}

TEST_CASE_FIXTURE(on_device,
                  "copy_ranges with a workspace of the caller's, in queues of both kinds, behind an event") {
  constexpr std::size_t ranges = 1000;
  const u64 n_bytes = plan(problem_of(element_of<std::uint8_t>(), ranges), target_of(on)).workspace_bytes;
  REQUIRE(n_bytes > 0);
  CHECK(plan(problem_of(element_of<float>(), 256), target_of(on)).workspace_bytes == 0);
  const ranges_case c = placed(random, 1, some_lengths(random, ranges, kind::short_ones));
  const auto numbers = [&](const std::vector<u64>& from) {
    return on.buffer_of(std::vector<u32>(from.begin(), from.end()));
  };
  const cl::Buffer starts = numbers(c.starts), lengths = numbers(c.lengths),
                   out_starts = numbers(c.out_starts);
  const bytes in = random_bytes(c.n);
  for (const cl_command_queue_properties order : orders_of_queue(on)) {
    const cl::CommandQueue queue = on.new_queue(order);
    const cl::Buffer x = on.buffer_of(bytes(c.n));
    const guarded_buffer<std::uint8_t> out(on, c.reach);
    const guarded_buffer<u32> room(on, static_cast<std::size_t>(n_bytes + 3) / 4);
    bytes right = out.read();
    for (std::size_t k = 0; k < ranges; ++k)
      std::memcpy(right.data() + c.out_starts[k], in.data() + c.starts[k], c.lengths[k]);
    gate held(on);
    const cl::Event written = on.write_after(queue, x, in.data(), in.size(), {held.event()});
    const clwave::event end = clwave::copy_ranges(
        queue, view<std::uint8_t>{x, c.n}, view<u32>{starts, ranges}, view<u32>{lengths, ranges}, out.view(),
        view<u32>{out_starts, ranges}, {.after = {written}, .workspace = room.view()});
    held.open();
    end.wait();
    CHECK(out.read_guarded() == right);
    CHECK(room.guards_intact());
  }
}

TEST_CASE("plans of copies of ranges") {
  const clwave::plan_target on{nullptr, clwave::choose_profile_for("sm_90"), 132};
  const auto few = plan(problem_of(element_of<float>(), 256), on);
  CHECK(few.kernels.size() == 1);
  CHECK(few.kernels.at(0).groups > 132);
  const auto many = plan(problem_of(element_of<float>(), 257), on);
  CHECK(many.kernels.size() == 3);
  CHECK(many.rejected.size() == 1);
  // Elements of one part are of one program, however many parts they have.
  CHECK(plan(problem_of(moved_element(12), 9), on).options == few.options);
  CHECK(plan(problem_of(moved_element(24), 9), on).options != few.options);
  copy_ranges_problem little = problem_of(element_of<float>(), 3);
  little.in = {element_of<float>(), 100};
  CHECK(plan(little, on).kernels.at(0).groups == 1);
}

}  // namespace testing::copy_ranges_test
