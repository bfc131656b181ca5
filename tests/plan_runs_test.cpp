// Plans against what is enqueued: random calls of every primitive under several rows, with the kernels, the
// sizes and the arguments that the driver was given. A plan that people, emulation and the proofs without a
// GPU read must be the launch itself.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "devices.hpp"
#include "plan_runner.hpp"
#include "reference.hpp"

using clwave::element_of;
using testing::buffer_bytes;
using testing::runner;

namespace {

// The rows under which calls are compared: a CPU's, lanes of every kind, with and without matrix
// instructions.
constexpr const char* rows[] = {"cpu", "gpu", "sm_90", "gfx90a", "gfx1100", "subgroup-16"};

// Reductions through emulated lanes take compilers seconds each.
constexpr const char* rows_of_reductions[] = {"cpu", "gpu"};

void compare_calls(int calls, const std::function<void(runner&)>& one,
                   std::span<const char* const> under = rows) {
  runner r;
  testing::sample some(2);
  std::size_t asked = 0;
  for (const char* row : under) {
    if (!some.takes_next()) continue;
    asked += static_cast<std::size_t>(calls);
    const testing::forced_profile forced(row);
    INFO("under the row ", std::string(row));
    for (int k = 0; k < calls; ++k) one(r);
  }
  CHECK(r.calls == asked);
}

// Numbers of several types: none, or as a call's operator or map has them.
std::vector<clwave::named_value> some_values(runner& r) {
  if (r.coin()) return {};
  const auto number = static_cast<std::int32_t>(r.random.below(1000)) - 500;
  return {{"k", number},
          {"small", static_cast<std::int8_t>(number)},
          {"f", static_cast<float>(number) / 7},
          {"large", std::uint64_t{0xffffffffffffffff} - r.random.below(9)},
          {"pair", cl_float2{{static_cast<float>(number), -0.0f}}}};
}

template <class T, class Acc>
void compare_reduce(runner& r) {
  static const clwave::op mine{.name = "mine", .source = "a + b", .identity = "3 - 3", .commutative = false};
  clwave::op fold = r.random.below(3) == 0 ? mine : clwave::plus;
  if (fold.kind == clwave::op_kind::user) fold.values = some_values(r);
  const std::size_t n = r.size();
  const bool misaligned = r.coin(), two = r.coin(), to_host = n == 0 || r.coin(), later = r.coin();
  const std::size_t offset = misaligned ? 1 : 0;
  const clwave::map& apply = two ? clwave::product : clwave::identity;
  const auto x = r.in<T>(0, n, offset), y = r.in<T>(1, n, offset);
  r.compare_call(
      "reduce of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        const clwave::asked_operand in(element_of<T>(), offset);
        clwave::reduce_question question{in, &element_of<Acc>(), n, &fold, &apply};
        if (two) question.in2 = in;
        if (!to_host) question.out = element_of<Acc>();
        return plan(question, r.target());
      },
      [&] {
        const auto out = r.in<Acc>(2, 1);
        if (two && later && !to_host)
          static_cast<void>(clwave::transform_reduce_later<Acc>(r.queue(), clwave::zip(x, y), fold, apply));
        else if (later && !to_host)
          static_cast<void>(clwave::reduce_later<Acc>(r.queue(), x, fold));
        else if (two && to_host)
          clwave::transform_reduce<Acc>(r.queue(), clwave::zip(x, y), fold, apply);
        else if (two)
          clwave::transform_reduce(r.queue(), clwave::zip(x, y), out, fold, apply);
        else if (to_host)
          clwave::reduce<Acc>(r.queue(), x, fold);
        else
          clwave::reduce(r.queue(), x, out, fold);
      });
}

template <class T, class Acc>
void compare_rows(runner& r) {
  clwave::matrices size{
      .rows = r.random.below(60), .columns = 1 + r.size() / 16, .batch = r.coin() ? 1u : 3u};
  if (size.rows > 0 && r.coin()) std::swap(size.rows, size.columns);
  const std::size_t in = r.offset(), out = r.offset();
  const std::size_t pitch = r.coin() ? 0 : size.columns + r.random.below(20);
  const clwave::pitches steps{.row = pitch};
  r.compare_call(
      "rows, " + std::to_string(size.rows) + " of " + std::to_string(size.columns) + " " +
          element_of<T>().name,
      [&] {
        return plan(
            clwave::reduce_rows_question{
                .in = {element_of<T>(), in}, .out = {element_of<Acc>(), out}, .size = size, .steps = steps},
            r.target());
      },
      [&] {
        const std::size_t all = (pitch != 0 ? pitch : size.columns) * size.rows * size.batch;
        clwave::reduce_rows(r.queue(), r.in<T>(0, all, in), r.in<Acc>(1, size.rows * size.batch, out), size,
                            clwave::plus, steps);
      });
}

template <class T, class Acc>
void compare_columns(runner& r) {
  clwave::matrices size{
      .rows = 1 + r.size() / 16, .columns = r.random.below(60), .batch = r.coin() ? 1u : 3u};
  if (size.columns > 0 && r.coin()) std::swap(size.rows, size.columns);
  const std::size_t in = r.offset(), out = r.offset();
  const std::size_t pitch = r.coin() ? 0 : size.columns + r.random.below(20);
  const clwave::pitches steps{.row = pitch};
  r.compare_call(
      "columns, " + std::to_string(size.columns) + " of " + std::to_string(size.rows) + " " +
          element_of<T>().name,
      [&] {
        return plan(
            clwave::reduce_columns_question{
                .in = {element_of<T>(), in}, .out = {element_of<Acc>(), out}, .size = size, .steps = steps},
            r.target());
      },
      [&] {
        const std::size_t all = (pitch != 0 ? pitch : size.columns) * size.rows * size.batch;
        clwave::reduce_columns(r.queue(), r.in<T>(0, all, in), r.in<Acc>(1, size.columns * size.batch, out),
                               size, clwave::plus, steps);
      });
}

template <class T, class Acc>
void compare_segments(runner& r) {
  const std::size_t n = std::max<std::size_t>(r.size(), 1), segments = r.random.below(60);
  const std::size_t in = r.offset(), offsets = r.offset(), out = r.offset();
  const bool counts = r.coin();
  r.compare_call(
      "segments, " + std::to_string(segments) + " of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        return plan(clwave::segmented_reduce_question{.in = {element_of<T>(), in},
                                                      .offsets = {element_of<std::uint32_t>(), offsets},
                                                      .out = {element_of<Acc>(), out},
                                                      .n = n,
                                                      .segments = segments,
                                                      .counts_bad = counts,
                                                      .bad_offset = 0},
                    r.target());
      },
      [&] {
        const auto x = r.in<T>(0, n, in);
        const auto at = r.in<std::uint32_t>(1, segments + 1, offsets);
        const auto sums = r.in<Acc>(2, segments, out);
        if (counts)
          clwave::segmented_reduce(r.queue(), x, at, sums, r.in<std::uint64_t>(3, 1, 0));
        else
          clwave::segmented_reduce(r.queue(), x, at, sums);
      });
}

template <class T, class Acc>
void compare_by_key(runner& r) {
  // As of selections, the plan of no elements lacks the count that becomes 0.
  const std::size_t n = std::max<std::size_t>(r.size(), 1), keys = r.offset(), values = r.offset(),
                    keys_out = r.offset(), values_out = 64 + r.offset();  // behind the count
  // Another text than what stands where none is given: programs of one text are shared, whatever its name.
  const clwave::op same{.name = "same", .source = "b == a", .identity = {}};
  const bool by_text = r.coin();
  r.compare_call(
      "by key, " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        return plan(clwave::reduce_by_key_question{.keys = {element_of<std::uint32_t>(), keys},
                                                   .values = {element_of<T>(), values},
                                                   .keys_out = {element_of<std::uint32_t>(), keys_out},
                                                   .values_out = {element_of<Acc>(), values_out},
                                                   .n = n,
                                                   .capacity = n,
                                                   .same = by_text ? &same : nullptr},
                    r.target());
      },
      [&] {
        const auto k = r.in<std::uint32_t>(0, n, keys);
        const auto x = r.in<T>(1, n, values);
        const auto to = r.in<std::uint32_t>(2, n, keys_out);
        const auto sums = r.in<Acc>(3, n, values_out);
        const auto count = r.in<std::uint64_t>(3, 1);
        if (by_text)
          clwave::reduce_by_key(r.queue(), k, x, to, sums, count, clwave::plus, same);
        else
          clwave::reduce_by_key(r.queue(), k, x, to, sums, count);
      });
}

template <class T>
void compare_sort(runner& r) {
  const std::size_t n = r.size(), keys = r.offset(), values = r.offset(), out = r.offset(),
                    values_out = r.offset();
  const clwave::sort_order order{.descending = r.coin(), .first_bit = r.coin() ? 0u : 3u};
  const bool argsort = r.coin(), in_place = r.coin(), carries = r.coin();
  r.compare_call(
      "sort of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        const clwave::asked_operand from{element_of<T>(), keys};
        clwave::sort_question question{.keys = from, .n = n, .order = order};
        if (argsort) {
          question.values_out = {element_of<std::uint32_t>(), values_out};
          return plan(question, r.target());
        }
        question.in_place = in_place;
        question.keys_out = in_place ? from : clwave::asked_operand{element_of<T>(), out};
        if (carries) {
          question.values = {element_of<float>(), values};
          question.values_out = {element_of<float>(), values_out};
        }
        return plan(question, r.target());
      },
      [&] {
        const auto k = r.in<T>(0, n, keys);
        const auto to = in_place ? k : r.in<T>(2, n, out);
        if (argsort)
          clwave::argsort(r.queue(), k, r.in<std::uint32_t>(3, n, values_out), order);
        else if (carries)
          clwave::sort_by_key(r.queue(), k, r.in<float>(1, n, values), to, r.in<float>(3, n, values_out),
                              order);
        else
          clwave::sort(r.queue(), k, to, order);
      });
}

template <class T, class Acc>
void compare_scan(runner& r) {
  const std::size_t n = r.size(), in = r.offset(), out = r.offset();
  const bool in_place = std::is_same_v<T, Acc> && r.coin();
  clwave::scan_question question{.in = {element_of<T>(), in},
                                 .out = {element_of<Acc>(), in_place ? in : out},
                                 .n = n,
                                 .exclusive = r.coin(),
                                 .started = r.coin(),
                                 .in_place = in_place};
  r.compare_call(
      "scan of " + std::to_string(n) + " " + element_of<T>().name, [&] { return plan(question, r.target()); },
      [&] {
        const clwave::scan_options<Acc> options{.start =
                                                    question.started ? std::optional<Acc>(3) : std::nullopt};
        const auto x = r.in<T>(in_place ? 2 : 0, n, in);
        const auto y = r.in<Acc>(2, n, in_place ? in : out);
        if (question.exclusive)
          clwave::exclusive_scan(r.queue(), x, y, clwave::plus, options);
        else
          clwave::inclusive_scan(r.queue(), x, y, clwave::plus, options);
      });
}

template <class T, class Acc>
void compare_segmented_scan(runner& r) {
  const std::size_t n = std::max<std::size_t>(r.size(), 1), segments = r.random.below(60);
  const std::size_t in = r.offset(), offsets = r.offset(), out = r.offset();
  const clwave::segmented_scan_question question{.in = {element_of<T>(), in},
                                                 .offsets = {element_of<std::uint32_t>(), offsets},
                                                 .out = {element_of<Acc>(), out},
                                                 .n = n,
                                                 .segments = segments,
                                                 .exclusive = r.coin(),
                                                 .started = r.coin(),
                                                 .counts_bad = r.coin()};
  r.compare_call(
      "scans of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " +
          element_of<T>().name,
      [&] { return plan(question, r.target()); },
      [&] {
        const clwave::scan_options<Acc> options{.start =
                                                    question.started ? std::optional<Acc>(3) : std::nullopt};
        const auto x = r.in<T>(0, n, in);
        const auto at = r.in<std::uint32_t>(1, segments + 1, offsets);
        const auto y = r.in<Acc>(2, n, out);
        const auto bad = r.in<std::uint64_t>(3, 1, 0);
        if (question.exclusive && question.counts_bad)
          clwave::segmented_exclusive_scan(r.queue(), x, at, y, bad, clwave::plus, options);
        else if (question.exclusive)
          clwave::segmented_exclusive_scan(r.queue(), x, at, y, clwave::plus, options);
        else if (question.counts_bad)
          clwave::segmented_inclusive_scan(r.queue(), x, at, y, bad, clwave::plus, options);
        else
          clwave::segmented_inclusive_scan(r.queue(), x, at, y, clwave::plus, options);
      });
}

template <class T>
void compare_select(runner& r) {
  constexpr clwave::select_kind kinds[] = {
      clwave::select_kind::copy_if,    clwave::select_kind::copy_flagged,  clwave::select_kind::partition,
      clwave::select_kind::unique,     clwave::select_kind::unique_by_key, clwave::select_kind::run_lengths,
      clwave::select_kind::run_offsets};
  const std::size_t n = std::max<std::size_t>(r.size(), 1), in = r.offset(), out = r.offset(),
                    flags = r.offset();
  const clwave::select_kind kind = kinds[r.random.below(7)];
  const bool shorter = kind != clwave::select_kind::partition && r.coin();
  const std::size_t capacity = shorter ? 1 + r.random.below(n) : n;
  clwave::map some{.name = "some", .source = "x > 3"};
  clwave::op same{.name = "same", .source = "b == a", .identity = {}};
  some.values = same.values = some_values(r);
  clwave::select_question question{.kind = kind,
                                   .in = {element_of<T>(), in},
                                   .out = {element_of<T>(), out},
                                   .n = n,
                                   .capacity = capacity,
                                   .predicate = &some,
                                   .same = &same};
  if (kind == clwave::select_kind::copy_flagged) question.flags = {element_of<std::uint8_t>(), flags};
  const std::size_t value = r.offset(), value_out = 64 + r.offset();  // behind the count
  if (kind == clwave::select_kind::unique_by_key) {
    question.values = {element_of<std::int16_t>(), value};
    question.second_out = {element_of<std::int16_t>(), value_out};
  }
  if (kind == clwave::select_kind::run_lengths)
    question.second_out = {element_of<std::uint64_t>(), value_out};
  if (kind == clwave::select_kind::run_offsets) question.out = {element_of<std::uint64_t>(), out};
  r.compare_call(
      "select from " + std::to_string(n) + " " + element_of<T>().name,
      [&] { return plan(question, r.target()); },
      [&] {
        const auto x = r.in<T>(0, n, in), y = r.in<T>(2, capacity, out);
        const auto count = r.in<std::uint64_t>(3, 1);
        if (kind == clwave::select_kind::copy_if)
          clwave::copy_if(r.queue(), x, y, count, some);
        else if (kind == clwave::select_kind::copy_flagged)
          clwave::copy_flagged(r.queue(), x, r.in<std::uint8_t>(1, n, flags), y, count);
        else if (kind == clwave::select_kind::partition)
          clwave::partition(r.queue(), x, y, count, some);
        else if (kind == clwave::select_kind::run_lengths)
          clwave::run_lengths(r.queue(), x, y, r.in<std::uint64_t>(3, capacity, value_out), count, same);
        else if (kind == clwave::select_kind::run_offsets)
          clwave::run_offsets(r.queue(), x, r.in<std::uint64_t>(2, capacity, out), count, same);
        else if (kind == clwave::select_kind::unique_by_key)
          clwave::unique_by_key(r.queue(), x, r.in<std::int16_t>(1, n, value), y,
                                r.in<std::int16_t>(3, capacity, value_out), count, same);
        else
          clwave::unique(r.queue(), x, y, count, same);
      });
}

template <class From, class To>
void compare_copy(runner& r) {
  const std::size_t n = r.size(), in = r.offset(), out = r.offset();
  const clwave::copy_options options{.saturate = r.coin()};
  r.compare_call(
      "copy of " + std::to_string(n) + " " + element_of<From>().name + " from " + std::to_string(in) +
          " to " + std::to_string(out),
      [&] {
        return plan(clwave::copy_question{{element_of<From>(), in}, {element_of<To>(), out}, n, options},
                    r.target());
      },
      [&] { clwave::copy(r.queue(), r.in<From>(0, n, in), r.in<To>(2, n, out), options); });
}

template <class T>
void compare_fill(runner& r) {
  const std::size_t n = r.size(), out = r.offset();
  T value{};
  std::memset(static_cast<void*>(&value), 0x5a, sizeof value);
  r.compare_call(
      "fill of " + std::to_string(n) + " to " + std::to_string(out),
      [&] {
        return plan(clwave::fill_question{{element_of<T>(), out}, n, &value}, r.target());
      },
      [&] { clwave::fill(r.queue(), r.in<T>(2, n, out), value); });
}

template <class T>
void compare_box(runner& r) {
  const auto side = [&](std::size_t most) { return r.random.below(8) == 0 ? 0 : 1 + r.random.below(most); };
  const clwave::box size{.width = side(r.coin() ? 3000 : 20),
                         .height = side(r.coin() ? 200 : 2),
                         .depth = side(r.coin() ? 6 : 2)};
  const auto steps = [&]() -> clwave::pitches {
    clwave::pitches p;
    if (r.coin()) p.row = size.width + r.random.below(2) * 4 * r.random.below(9);
    if (r.coin()) p.slice = std::max(p.row, size.width) * size.height + 4 * r.random.below(9);
    if (r.random.below(6) == 0 && p.slice != 0) p.slice -= std::min<std::size_t>(p.slice - 1, 1);
    return p;
  };
  const clwave::pitches in = steps(), out = steps();
  const std::size_t in_offset = r.offset(), out_offset = r.offset();
  constexpr std::size_t n = buffer_bytes / sizeof(T) - 100;
  r.compare_call(
      "copy of a box of " + std::to_string(size.depth) + " times " + std::to_string(size.height) + " times " +
          std::to_string(size.width),
      [&] {
        return plan(
            clwave::box_question{{element_of<T>(), in_offset}, {element_of<T>(), out_offset}, size, in, out},
            r.target());
      },
      [&] { clwave::copy(r.queue(), r.in<T>(0, n, in_offset), r.in<T>(2, n, out_offset), size, in, out); });
}

template <class T>
void compare_transpose(runner& r) {
  const auto side = [&]() -> std::size_t {
    return r.random.below(3) == 0 ? r.random.below(3) : r.random.below(700);
  };
  const bool in_place = r.random.below(4) == 0;
  clwave::matrices size{.rows = side(), .columns = side(), .batch = r.coin() ? 1 : r.random.below(5)};
  if (in_place) size.columns = size.rows;
  clwave::pitches in, out;
  if (r.random.below(3) == 0) in.row = size.columns + r.random.below(4);
  if (r.random.below(3) == 0) out.row = size.rows + r.random.below(4);
  if (r.random.below(3) == 0) in.slice = std::max(in.row, size.columns) * size.rows + r.random.below(4);
  const std::size_t in_offset = r.offset(), out_offset = r.offset();
  constexpr std::size_t n = buffer_bytes / sizeof(T) - 100;
  r.compare_call(
      "transpose of " + std::to_string(size.batch) + " times " + std::to_string(size.rows) + " by " +
          std::to_string(size.columns) + " with pitches " + std::to_string(in.row) + ", " +
          std::to_string(in.slice) + " and " + std::to_string(out.row),
      [&] {
        const clwave::asked_operand from(element_of<T>(), in_offset), to(element_of<T>(), out_offset);
        if (in_place) return plan(clwave::transpose_in_place_question{from, size, in}, r.target());
        return plan(clwave::transpose_question{from, to, size, in, out}, r.target());
      },
      [&] {
        if (in_place)
          clwave::transpose_in_place(r.queue(), r.in<T>(2, n, in_offset), size, in);
        else
          clwave::transpose(r.queue(), r.in<T>(0, n, in_offset), r.in<T>(2, n, out_offset), size, in, out);
      });
}

struct mixed {
  float a;
  std::uint8_t b;
  double c;
};

void compare_layout(runner& r) {
  static const clwave::layout fields = clwave::layout_of(&mixed::a, &mixed::b, &mixed::c);
  const std::size_t n = r.size() % 200000;
  const bool to_soa = r.coin();
  // One block for all, or several.
  const std::size_t block = r.random.below(3) == 0 ? 0 : r.coin() ? 1 + n / 3 : n + 1 + r.random.below(9);
  // Arrays one after the other in one buffer, as a plan has them that is not told where they lie, or in two.
  const auto after = [](std::size_t bytes) { return (bytes + 127) / 128 * 128; };
  const bool two_buffers = r.coin();
  const std::size_t b = two_buffers ? r.offset() : after(4 * n);
  const std::size_t c = two_buffers ? after(4 * n) + 8 * r.offset() : b + after(n);
  const std::size_t from = r.offset();
  const auto structures = r.in<mixed>(0, n, from);
  const auto at_byte = [](std::size_t offset) {
    return clwave::asked_operand(element_of<std::uint8_t>(), offset);
  };
  const clwave::asked_operand asked = at_byte(from * sizeof(mixed));
  r.compare_call(
      "layout of " + std::to_string(n) + " in blocks of " + std::to_string(block),
      [&] {
        if (block != 0)
          return plan(clwave::layout_blocks_question{&fields, n, block, to_soa, asked}, r.target());
        clwave::layout_question question{&fields, n, to_soa, asked};
        if (two_buffers) question.arrays = {{0, at_byte(0)}, {1, at_byte(b)}, {0, at_byte(c)}};
        return plan(question, r.target());
      },
      [&] {
        if (block != 0) {
          const auto bytes = r.in<std::uint8_t>(2, clwave::aosoa_bytes(fields, n, block));
          if (to_soa)
            clwave::aos_to_aosoa(r.queue(), structures, fields, bytes, block);
          else
            clwave::aosoa_to_aos(r.queue(), bytes, block, structures, fields);
          return;
        }
        const std::vector<clwave::soa_field> arrays{
            r.in<float>(2, n), r.in<std::uint8_t>(two_buffers ? 3 : 2, n, b), r.in<double>(2, n, c / 8)};
        if (to_soa)
          clwave::aos_to_soa(r.queue(), structures, fields, arrays);
        else
          clwave::soa_to_aos(r.queue(), arrays, structures, fields);
      });
}

template <class T, class Out>
void compare_gemm(runner& r) {
  const auto side = [&]() -> std::size_t {
    return r.random.below(4) == 0 ? r.random.below(3) : r.random.below(200);
  };
  const clwave::gemm_size size{.m = side(), .n = side(), .k = r.coin() ? side() : 16 * r.random.below(200)};
  clwave::gemm_options options;
  options.order = r.coin() ? clwave::matrix_order::row_major : clwave::matrix_order::column_major;
  options.transpose_a = r.coin();
  options.transpose_b = r.coin();
  options.batches = r.random.below(4);
  options.alpha = r.random.below(4) == 0 ? 0 : 1.1;
  options.beta = r.coin() ? 0 : 0.3;
  options.allow_tf32 = r.coin();
  if (r.coin()) options.ldc = std::max(size.m, size.n) + r.random.below(5);
  const std::size_t offsets[] = {r.offset(), r.offset(), r.offset()};
  r.compare_call(
      "gemm of " + std::to_string(size.m) + ", " + std::to_string(size.n) + ", " + std::to_string(size.k) +
          ", " + std::to_string(options.batches) + " times",
      [&] {
        return plan(clwave::gemm_question{{element_of<T>(), offsets[0]},
                                          {element_of<T>(), offsets[1]},
                                          {element_of<Out>(), offsets[2]},
                                          size,
                                          options},
                    r.target());
      },
      [&] {
        clwave::gemm(r.queue(), size, r.in<T>(0, buffer_bytes / sizeof(T) - 100, offsets[0]),
                     r.in<T>(1, buffer_bytes / sizeof(T) - 100, offsets[1]),
                     r.in<Out>(2, buffer_bytes / sizeof(Out) - 100, offsets[2]), options);
      });
}

template <class In, class Out>
void compare_transform(runner& r) {
  clwave::map one{.name = "one", .source = "x"}, two{.name = "two", .source = "x + y"};
  one.values = two.values = some_values(r);
  const std::size_t n = r.size();
  const bool both = r.coin();
  clwave::transform_question question{{element_of<In>()}, element_of<Out>(), n, both ? &two : &one};
  if (both) question.in.push_back(element_of<In>());
  r.compare_call(
      "transform of " + std::to_string(n), [&] { return plan(question, r.target()); },
      [&] {
        if (both)
          clwave::transform(r.queue(), r.in<In>(0, n), r.in<In>(1, n), r.in<Out>(2, n), two);
        else
          clwave::transform(r.queue(), r.in<In>(0, n), r.in<Out>(2, n), one);
      });
}

template <class T>
void compare_broadcast(runner& r) {
  const clwave::map add{.name = "add", .source = "x + b", .values = some_values(r)};
  clwave::broadcast_shape size{.rows = r.random.below(700), .columns = r.random.below(700)};
  if (r.coin()) size.in_row = size.columns + r.random.below(9);
  const clwave::per which = r.coin() ? clwave::per::row : clwave::per::column;
  const std::size_t values = which == clwave::per::row ? size.rows : size.columns;
  const std::size_t n = buffer_bytes / sizeof(T);
  r.compare_call(
      "broadcast of " + std::to_string(size.rows) + " by " + std::to_string(size.columns),
      [&] {
        const auto& type = element_of<T>();
        return plan(clwave::broadcast_question{type, type, type, size, which, &add}, r.target());
      },
      [&] {
        clwave::broadcast(r.queue(), r.in<T>(0, n), r.in<T>(1, values), r.in<T>(2, n), size, which, add);
      });
}

}  // namespace

TEST_CASE("plans are what runs: reduce") {
  compare_calls(12, compare_reduce<float, float>, rows_of_reductions);
  compare_calls(4, compare_reduce<std::uint8_t, std::uint32_t>, rows_of_reductions);
  compare_calls(2, compare_reduce<float, float>, std::span(rows).subspan(2, 1));
}
TEST_CASE("plans are what runs: reduce_by_key") {
  compare_calls(2, compare_by_key<float, float>, rows_of_reductions);
}
TEST_CASE("plans are what runs: reduce_rows") {
  compare_calls(4, compare_rows<float, float>, rows_of_reductions);
  compare_calls(1, compare_rows<std::uint8_t, std::uint32_t>, rows_of_reductions);
}
TEST_CASE("plans are what runs: reduce_columns") {
  compare_calls(3, compare_columns<float, float>, rows_of_reductions);
  compare_calls(1, compare_columns<std::uint8_t, std::uint32_t>, rows_of_reductions);
}
TEST_CASE("plans are what runs: segmented_reduce") {
  compare_calls(3, compare_segments<float, float>, rows_of_reductions);
}
TEST_CASE("plans are what runs: scan") {
  compare_calls(3, compare_scan<float, float>, rows_of_reductions);
  compare_calls(2, compare_scan<std::uint8_t, std::uint32_t>, rows_of_reductions);
}
TEST_CASE("plans are what runs: segmented_scan") {
  compare_calls(1, compare_segmented_scan<std::uint8_t, std::uint32_t>, rows_of_reductions);
}
TEST_CASE("plans are what runs: select") {
  compare_calls(4, compare_select<float>, rows_of_reductions);
  compare_calls(1, compare_select<std::uint8_t>, rows_of_reductions);
}
TEST_CASE("plans are what runs: sort") {
  compare_calls(4, compare_sort<float>, rows_of_reductions);
  compare_calls(1, compare_sort<std::uint8_t>, rows_of_reductions);
}
TEST_CASE("plans are what runs: copy and fill") {
  compare_calls(15, compare_copy<float, float>);
  compare_calls(15, compare_copy<std::uint8_t, std::uint8_t>);
  compare_calls(6, compare_copy<float, std::int16_t>);
  compare_calls(4, compare_copy<cl_float4, cl_int4>);
  compare_calls(15, compare_box<float>);
  compare_calls(15, compare_box<std::uint8_t>);
  compare_calls(5, compare_fill<clwave::u16>);
  compare_calls(5, compare_fill<cl_double4>);
}
TEST_CASE("plans are what runs: transpose") {
  compare_calls(10, compare_transpose<float>);
  compare_calls(3, compare_transpose<std::uint8_t>);
}
TEST_CASE("plans are what runs: layout") { compare_calls(15, compare_layout); }
TEST_CASE("plans are what runs: gemm") {
  compare_calls(6, compare_gemm<float, float>);
  compare_calls(3, compare_gemm<clwave::half, float>);
}
TEST_CASE("plans are what runs: transform and broadcast") {
  compare_calls(8, compare_transform<float, float>);
  compare_calls(5, compare_transform<std::uint8_t, float>);
  compare_calls(10, compare_broadcast<float>);
}

TEST_CASE("a batch of rows, and blocks that hold all structures, are planned as they are launched") {
  runner r;
  for (const char* row : rows) {
    const testing::forced_profile forced(row);
    const clwave::matrices size{.rows = 1, .columns = 1000, .batch = 5};
    const clwave::pitches wide{.row = 1000, .slice = 1024};
    r.compare_call(
        "rows",
        [&] {
          return plan(clwave::transpose_question{element_of<float>(), element_of<float>(), size, wide, {}},
                      r.target());
        },
        [&] { clwave::transpose(r.queue(), r.in<float>(0, 5200), r.in<float>(2, 5000), size, wide); });
    const clwave::layout fields = clwave::layout_of(&mixed::a, &mixed::b, &mixed::c);
    r.compare_call(
        "one block",
        [&] {
          return plan(clwave::layout_blocks_question{&fields, 100, 128}, r.target());
        },
        [&] {
          clwave::aos_to_aosoa(r.queue(), r.in<mixed>(0, 100), fields, r.in<std::uint8_t>(2, 4000), 128);
        });
  }
  CHECK(r.calls == 2 * std::size(rows));
}
