// What folds of rows and folds of columns must both do. A line is a row or a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/options.hpp>
#include <clwave/reduce_matrices.hpp>

#include "families/placed_matrices.hpp"
#include "families/reductions.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/operators.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "harness/refusals.hpp"

namespace testing {

using clwave::matrices;
using clwave::per;
using clwave::detail::fold_sizes;

// The calls on rows or on columns; how many lines matrices have, how long they are, and where an element of a
// line is; and the size of a matrix of such lines.
template <per Axis>
struct matrix_lines {
  static constexpr bool are_rows = Axis == per::row;
  static constexpr const char* primitive = are_rows ? "reduce_rows" : "reduce_columns";

  static clwave::event entry(cl_command_queue queue, const clwave::matrix_fold_problem<Axis>& problem,
                             const launch_options& options) {
    if constexpr (are_rows)
      return clwave::reduce_rows(queue, problem, options);
    else
      return clwave::reduce_columns(queue, problem, options);
  }
  template <class... Given>
  static clwave::event fold(const Given&... given) {
    if constexpr (are_rows)
      return clwave::reduce_rows(given...);
    else
      return clwave::reduce_columns(given...);
  }
  template <class... Given>
  static clwave::event map_fold(const Given&... given) {
    if constexpr (are_rows)
      return clwave::transform_reduce_rows(given...);
    else
      return clwave::transform_reduce_columns(given...);
  }
  template <class... Given>
  static clwave::event argmin(const Given&... given) {
    if constexpr (are_rows)
      return clwave::argmin_rows(given...);
    else
      return clwave::argmin_columns(given...);
  }
  static matrices size(std::size_t lines, std::size_t length) {
    return are_rows ? matrices{.rows = lines, .columns = length} : matrices{.rows = length, .columns = lines};
  }
  template <class T>
  static std::size_t count(const placed_matrices<T>& in) {
    return are_rows ? in.rows() : in.columns();
  }
  template <class T>
  static std::size_t length(const placed_matrices<T>& in) {
    return are_rows ? in.size.columns : in.size.rows;
  }
  template <class T>
  static T at(const placed_matrices<T>& in, std::size_t line, std::size_t i) {
    return are_rows ? in.values[in.first_of(line) + i] : in.in_column(line, i);
  }
};

// A tile that any row's lanes allow.
inline constexpr fold_sizes small_tile = {.tile = 512, .accumulators = 64};

template <class Line, class Acc, class T>
std::vector<Acc> folded(const fixture& on, const placed_matrices<T>& in, const op& fold,
                        const fold_sizes& sizes, const map& apply = clwave::identity) {
  return folded_matrices<Acc>(on, Line::entry, in, Line::count(in), fold, sizes, apply);
}

template <class Line, class Acc, class T, class Combine>
void check_lines(const fixture& on, const placed_matrices<T>& in, const op& fold, Combine combine,
                 const fold_sizes& sizes = {}) {
  check_folds<Acc>(
      in, folded<Line, Acc>(on, in, fold, sizes), Line::count(in), Line::length(in),
      [&](std::size_t line, std::size_t i) { return Line::at(in, line, i); }, fold, combine, sizes);
}

// The elements of one line, one after another.
template <class Line, class T>
std::vector<T> line_alone(const placed_matrices<T>& in, std::size_t line) {
  std::vector<T> alone(Line::length(in));
  for (std::size_t i = 0; i < alone.size(); ++i) alone[i] = Line::at(in, line, i);
  return alone;
}

// Types and operators; `place_any(T, spice)` gives matrices. `few`: sums of bytes and products of doubles
// alone.
template <class Line, class Place>
void check_types(const fixture& on, const Place& place_any, bool few, bool words) {
  check_lines<Line, u32>(on, place_any(std::uint8_t{}, spice::nans), clwave::plus, wrapping_plus<u32>,
                         small_tile);
  if (on.has_doubles())
    check_lines<Line, double>(on, place_any(double{}, spice::finite), clwave::multiplies,
                              reference::wrapping_times<double>, small_tile);
  if (few) return;
  check_lines<Line, float>(on, place_any(half{}, spice::ordinary), clwave::plus, wrapping_plus<float>,
                           small_tile);
  check_lines<Line, std::int16_t>(on, place_any(std::int16_t{}, spice::nans), clwave::max,
                                  reference::maximum<std::int16_t>, small_tile);
  check_lines<Line, float>(on, place_any(float{}, spice::nans), clwave::min, reference::minimum<float>,
                           small_tile);
  if (!words) return;
  check_lines<Line, u64>(
      on, place_any(u64{}, spice::nans), clwave::bit_xor, [](u64 a, u64 b) { return a ^ b; }, small_tile);
}

// Structures by an operator that does not commute, and, if asked, by one that commutes and ends for no zero,
// which is in no input.
template <class Line>
void check_structures(const fixture& on, random_engine& random, const matrices& size, std::size_t pitch,
                      bool by_joined = true) {
  static const op joined = function_op("joined_of", "",
                                       "affine joined_of(affine a, affine b) {\n"
                                       "  uint s = a.scale * b.scale;\n"
                                       "  while (s % 2 == 0) s /= 2;\n"
                                       "  return (affine){s, a.shift + b.shift};\n}");
  const auto join = [](affine a, affine b) {
    u32 s = a.scale * b.scale;
    while (s % 2 == 0) s /= 2;
    return affine{s, a.shift + b.shift};
  };
  placed_matrices<affine> in{size, {.row = pitch}, 3, {}};
  in.values = random_affines(random, in.elements());
  check_lines<Line, affine>(on, in, then, compose, small_tile);
  if (by_joined) check_lines<Line, affine>(on, in, joined, join, small_tile);
}

// argmin and argmax of lines with ties and sometimes NaNs, in a row of the device table: the first places, as
// the host finds them, and argmin and argmax of each line alone.
template <class Line, class T>
void check_places(const fixture& on, random_engine& random, const char* row, std::size_t length) {
  using result = indexed<clwave::detail::widened<T>>;
  const bool with_nan = random.below(2) == 0;
  auto in = random_matrices<T>(random, Line::size(1 + random.below(12), length), spice::ordinary);
  for (T& value : in.values) {
    const auto few = static_cast<int>(random.below(5)) - 2;
    value = static_cast<T>(few);
    if constexpr (std::is_floating_point_v<T>) {
      if (few == 0) value = random.below(2) == 0 ? T(-0.0) : T(0.0);
      if (with_nan && random.below(length) == 0) value = quiet_nan<T>(random.below(99));
    }
  }
  CAPTURES(std::string(row), length);
  std::vector<result> low, high;
  {
    const forced_profile forced(row);
    low = folded<Line, result>(on, in, clwave::detail::argmin_op, small_tile);
    high = folded<Line, result>(on, in, clwave::detail::argmax_op, small_tile);
  }
  const forced_profile forced("cpu");
  const auto better = [](T a, T b) { return (a != a && b == b) || a < b; };
  const auto greater = [](T a, T b) { return (a != a && b == b) || a > b; };
  for (std::size_t line = 0; line < Line::count(in); ++line) {
    CAPTURE(line);
    const std::vector<T> alone = line_alone<Line>(in, line);
    std::size_t least = 0, most = 0;
    for (std::size_t i = 1; i < length; ++i) {
      if (better(alone[i], alone[least])) least = i;
      if (greater(alone[i], alone[most])) most = i;
    }
    CHECK(same_bits(low[line], canonical(result{alone[least], least})));
    CHECK(same_bits(high[line], canonical(result{alone[most], most})));
    const cl::Buffer buffer = on.buffer_of(alone);
    CHECK(same_bits(low[line], clwave::argmin(on.queue, view<T>{buffer, length})));
    CHECK(same_bits(high[line], clwave::argmax(on.queue, view<T>{buffer, length})));
  }
}

// A map sees each element and its place in the line.
template <class Line>
void check_map_of_places(const fixture& on, const placed_matrices<std::int32_t>& in) {
  const map place{.name = "place", .source = "x > 0 ? i + extra : (ulong)0", .values = {{"extra", 3u}}};
  const auto found = folded<Line, u64>(on, in, clwave::plus, small_tile, place);
  for (std::size_t line = 0; line < Line::count(in); ++line) {
    u64 sum = 0;
    for (std::size_t i = 0; i < Line::length(in); ++i) sum += Line::at(in, line, i) > 0 ? i + 3 : 0;
    CHECK(found[line] == sum);
  }
}

// No lines, and lines without elements.
template <class Line>
void check_empty(const fixture& on) {
  const cl::Buffer in = on.buffer_of(std::vector<float>(8, 1.0f));
  const guarded_buffer<float> out(on, 5);
  const view<float> x{in, 8};
  Line::fold(on.queue, x, out.view(), Line::size(0, 4)).wait();
  Line::fold(on.queue, x, out.view(), matrices{.rows = 3, .columns = 4, .batch = 0}).wait();
  CHECK(out.intact());
  Line::fold(on.queue, x, out.view(), Line::size(5, 0), clwave::min).wait();
  CHECK(out.read() == std::vector<float>(5, std::numeric_limits<float>::infinity()));
  // Only the compiler knows what this is worth.
  const op mine{.name = "mine", .source = "a + b", .identity = "base + 1.5f", .values = {{"base", 2.0f}}};
  for (const std::string name : forced_rows(some_of({"sm_90", "cpu"}))) {
    CAPTURE(name);
    clwave::fill(on.queue, out.view(), 0.0f).wait();
    Line::fold(on.queue, x, out.view(), Line::size(5, 0), mine).wait();
    CHECK(out.read() == std::vector<float>(5, 3.5f));
  }
  CHECK(out.guards_intact());
}

// What is refused, before anything is enqueued. `more(refused_with, x)` refuses what one of the two alone
// does.
template <class Line, class More>
void check_refused(const fixture& on, const More& more) {
  const cl::Buffer in = on.buffer_of(std::vector<float>(100, 1.0f));
  const guarded_buffer<float> out(on, 10);
  const view<float> x{in, 100}, y = out.view();
  const auto refused_with = [&](const std::string& words, const auto& call) {
    const std::string said = refusal(call);
    CAPTURE(said);
    CHECK(contains(said, Line::primitive));
    CHECK(contains(said, words));
    CHECK(out.intact());
  };
  const auto& q = on.queue;
  refused_with("the input", [&] { Line::fold(q, x, y, Line::size(10, 11)); });
  refused_with("the output", [&] { Line::fold(q, x, y, Line::size(11, 2)); });
  refused_with("overlap", [&] {
    Line::fold(q, x, y, matrices{.rows = 10, .columns = 9}, clwave::plus, clwave::matrix_options{.row = 8});
  });
  refused_with("overlap", [&] { Line::fold(q, x, view<float>{in, 10, 90}, Line::size(10, 10)); });
  refused_with("bit operators", [&] { Line::fold(q, x, y, Line::size(10, 10), clwave::bit_and); });
  const op none{.name = "none", .source = "a + b", .identity = {}};
  refused_with("identity", [&] { Line::fold(q, x, y, Line::size(10, 0), none); });
  const guarded_buffer<indexed<float>> found(on, 4);
  CHECK(refused([&] { Line::argmin(q, x, found.view(), Line::size(4, 0)); }));
  CHECK(found.intact());
  more(refused_with, x, y);
}

// Calls wait for what they are to wait for, and give an event.
template <class Line>
void check_waiting(const fixture& on) {
  const cl::Buffer in = on.buffer_of(std::vector<float>(6, 2.0f));
  const guarded_buffer<float> out(on, 2);
  const std::vector<float> later(6, 5.0f);
  const cl::Event written = on.write_after(on.queue, in, later.data(), later.size() * sizeof(float), {});
  Line::map_fold(on.queue, view<float>{in, 6}, out.view(), Line::size(2, 3), clwave::plus, clwave::square,
                 clwave::matrix_options{.after = {written}})
      .wait();
  CHECK(out.read() == std::vector<float>{75.0f, 75.0f});
}

}  // namespace testing
