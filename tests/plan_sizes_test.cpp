// Plans of random calls, most of them with sizes at the ends of their range: every primitive on every row of
// the table, by the row's name and forced on devices made up here. Each gives a plan whose numbers are the
// question's and do not wrap, or a clwave::error of kind bad_call.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <clwave.hpp>

#include "call/workspace.hpp"
#include "devices.hpp"
#include "made_up.hpp"
#include "planner.hpp"
#include "reference.hpp"

using clwave::call_plan;
using clwave::element;
using clwave::element_of;
using clwave::planned_kernel;
using testing::argument;
using testing::blocks_of;
using testing::compare;
using testing::count_kernels;
using testing::made_up;
using testing::planner;
using testing::times;
using testing::wide;
using testing::word;

namespace {

constexpr int calls_each = 10000;

// Devices that are not there: one of which nothing is known, a tiny one, a large one, a CPU.
std::vector<clwave::device_facts> made_up_devices() {
  std::vector<clwave::device_facts> all(4);
  all[1].max_work_group_size = made_up<std::size_t>(64);
  all[1].local_memory = made_up<std::uint64_t>(2048);
  all[1].compute_units = made_up(1u);
  all[1].native_vector_width_float = made_up(1u);
  all[1].global_cache = made_up<std::uint64_t>(0);
  all[2].max_work_group_size = made_up<std::size_t>(1024);
  all[2].local_memory = made_up<std::uint64_t>(228 << 10);
  all[2].compute_units = made_up(100000u);
  all[2].device_scope_atomics = made_up(true);
  all[2].host_memory_reached = made_up(true);
  all[3].family = made_up(clwave::device_family::cpu);
  all[3].max_work_group_size = made_up<std::size_t>(4096);
  all[3].compute_units = made_up(2u);
  all[3].native_vector_width_float = made_up(8u);
  return all;
}

// The elements that random calls have; a copy converts between the first so many.
const element* const elements[] = {
    &element_of<float>(),        &element_of<double>(),       &element_of<clwave::half>(),
    &element_of<std::int8_t>(),  &element_of<std::uint8_t>(), &element_of<clwave::u16>(),
    &element_of<std::int64_t>(), &element_of<cl_float4>(),    &element_of<cl_int4>()};

using one_call = std::function<void(planner&, const clwave::plan_target&)>;

void plan_one_reduce(planner& p, const clwave::plan_target& on) {
  static const clwave::op mine{.name = "mine", .source = "a * 3 + b", .identity = "", .commutative = false};
  static const clwave::op folds[] = {clwave::plus, clwave::max,    clwave::detail::argmin_op,
                                     mine,         clwave::bit_or, clwave::logical_and};
  const element& type = *p.one_of(elements);
  const clwave::op& fold = p.one_of(folds);
  static const element acc_float = clwave::element_of<clwave::indexed<float>>();
  const element& acc = fold.kind == clwave::op_kind::argmin              ? acc_float
                       : type.kind == clwave::element_kind::half_storage ? element_of<float>()
                                                                         : type;
  const bool two = p.coin();
  const std::uint64_t n = p.size();
  const clwave::map& apply = two ? clwave::product : clwave::identity;
  clwave::reduce_question question{clwave::asked_operand(type, p.coin() ? 1 : 0), &acc, n, &fold, &apply};
  if (two) question.in2 = question.in;
  question.out = acc;
  p.plan(
      "reduce of " + std::to_string(n) + " " + type.name, on, {wide{n} * type.size},
      [&] { return plan(question, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return plan.kernels.empty() ? "" : "a kernel for nothing";
        std::string wrong = compare(plan.kernels.at(0), {{"n", n}});
        wide least = clwave::detail::workspace::own_at, most = least + 16 * acc.size;
        wide count = n;
        do {
          count = blocks_of(count, clwave::fold_tile);
          if (blocks_of(n, clwave::fold_tile) > 1) least += count * std::min<std::size_t>(acc.size, 4);
          most += (count + 256) * acc.size;
        } while (count > 1);
        // The kernel for one tile takes none where the result goes to a buffer.
        if (plan.kernels[0].name == "reduce_tile") least = most = 0;
        if (plan.workspace_bytes < least || plan.workspace_bytes > most)
          wrong += " a workspace of " + std::to_string(plan.workspace_bytes) + " bytes";
        if (plan.kernels[0].name == "reduce" && argument(plan.kernels[0], "share") == 0) wrong += " no share";
        return wrong;
      });
}

// A fold of rows or of columns; `check` looks at the plan of one that has `results` of `length` elements.
template <class Question, class Check>
void plan_one_matrix_fold(planner& p, const clwave::plan_target& on, Check check) {
  constexpr bool of_rows = std::is_same_v<Question, clwave::reduce_rows_question>;
  static const clwave::op mine{.name = "mine", .source = "a * 3 + b", .identity = "0", .commutative = false};
  const element& type = *p.one_of(elements);
  const element& acc = type.kind == clwave::element_kind::half_storage ? element_of<float>() : type;
  const clwave::op& fold = p.random.below(4) == 0 ? mine : clwave::plus;
  const clwave::matrices size{.rows = p.size(), .columns = p.size(), .batch = p.coin() ? 1 : p.size()};
  clwave::pitches steps;
  if (p.random.below(3) == 0) steps.row = p.coin() ? size.columns + p.random.below(9) : p.size();
  if (p.random.below(4) == 0) steps.slice = p.size();
  const std::uint64_t in = p.offset(), out = p.offset();
  const std::uint64_t length = of_rows ? size.columns : size.rows;
  const wide results = times(of_rows ? size.rows : size.columns, size.batch);
  const bool some = results > 0 && length > 0;
  const wide row = steps.row != 0 ? steps.row : size.columns;
  const wide matrix = steps.slice != 0 ? wide{steps.slice} : size.batch > 1 ? times(row, size.rows) : 0;
  const wide reach = some ? times(size.rows - 1, row) + size.columns + times(size.batch - 1, matrix) : 0;
  p.plan(
      std::string(of_rows ? "rows, " : "columns, ") + std::to_string(size.batch) + " times " +
          std::to_string(size.rows) + " by " + std::to_string(size.columns) + " " + type.name,
      on, {times(testing::capped(reach + in), type.size), times(testing::capped(results + out), acc.size)},
      [&] {
        return plan(
            Question{.in = {type, in}, .out = {acc, out}, .size = size, .steps = steps, .fold = &fold}, on);
      },
      [&](const call_plan& plan) -> std::string {
        // The identity of some types only the compiler knows.
        if (results > 0 && length == 0 && plan.kernels.size() == 1 &&
            plan.kernels[0].name == "fold_identities")
          return "";
        if (!some) return count_kernels(plan, 0);
        if ((plan.kernels.size() == 2 || plan.workspace_bytes != 0) &&
            plan.workspace_bytes < results * blocks_of(length, clwave::fold_tile) * acc.size)
          return "too small a workspace";
        return check(plan, results, length) +
               compare(plan.kernels.at(0), {{"x_offset", in}, {"pitch", row}}) +
               compare(plan.kernels.back(), {{"out", times(results + out, acc.size)}});
      });
}

void plan_one_rows(planner& p, const clwave::plan_target& on) {
  plan_one_matrix_fold<clwave::reduce_rows_question>(
      p, on, [](const call_plan& plan, wide rows, std::uint64_t columns) -> std::string {
        const wide tiles = blocks_of(columns, clwave::fold_tile);
        const planned_kernel& first = plan.kernels.at(0);
        const bool is_short = first.name == "reduce_rows_short";
        if (is_short && (tiles > 1 || plan.kernels.size() != 1)) return "long rows as short ones";
        if (plan.workspace_bytes != 0 && tiles == 1) return "a workspace for nothing";
        return compare(first, {{"n", is_short ? rows : rows * tiles}});
      });
}

void plan_one_columns(planner& p, const clwave::plan_target& on) {
  plan_one_matrix_fold<clwave::reduce_columns_question>(
      p, on, [](const call_plan& plan, wide columns, std::uint64_t rows) -> std::string {
        const wide tiles = blocks_of(rows, clwave::fold_tile);
        const bool cut = plan.kernels.size() == 2;
        if (!cut && (tiles > 1 || plan.workspace_bytes != 0)) return "columns of several tiles at once";
        if (cut && plan.workspace_bytes > columns * tiles * 48 * 16 + 256) return "too large a workspace";
        return compare(plan.kernels.at(0), {{"rows", rows}});
      });
}

void plan_one_copy(planner& p, const clwave::plan_target& on) {
  const element& from = *p.one_of(elements);
  const element& to = p.coin() ? from : *p.one_of(elements);
  constexpr clwave::rounding rounds[] = {clwave::rounding::natural, clwave::rounding::nearest_even,
                                         clwave::rounding::toward_zero, clwave::rounding::upward};
  const bool saturate = p.coin();
  const clwave::rounding round = p.one_of(rounds);
  const std::uint64_t n = p.size(), in_offset = p.offset(), out_offset = p.offset();
  p.plan(
      "copy of " + std::to_string(n) + " " + from.name + " to " + to.name, on,
      {(wide{in_offset} + n) * from.size, (wide{out_offset} + n) * to.size},
      [&] {
        return plan(clwave::copy_question{{from, in_offset}, {to, out_offset}, n, {saturate, round}}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const bool moves = plan.words.end() == std::ranges::find(plan.words, "CONVERT",
                                                                 &std::pair<std::string, std::string>::first);
        const wide unit = moves ? from.size : from.components;
        return compare(plan.kernels.at(0), {{moves ? "bytes" : "n", n * unit},
                                            {"in_offset", in_offset * unit},
                                            {"out_offset", out_offset * unit},
                                            {"in", (wide{in_offset} + n) * from.size},
                                            {"out", (wide{out_offset} + n) * to.size}});
      });
}

void plan_one_box(planner& p, const clwave::plan_target& on) {
  const element& type = *p.one_of(elements);
  const clwave::box size{.width = p.size(), .height = p.size(), .depth = p.coin() ? 1 : p.size()};
  const auto pitches_for = [&] {
    clwave::pitches steps;
    if (p.random.below(3) == 0) steps.row = p.coin() ? size.width + p.random.below(9) : p.size();
    if (p.random.below(4) == 0) steps.slice = p.size();
    return steps;
  };
  const clwave::pitches in = pitches_for(), out = pitches_for();
  const std::uint64_t in_offset = p.offset(), out_offset = p.offset();
  const bool empty = size.width == 0 || size.height == 0 || size.depth == 0;
  const auto bytes_of = [&](const clwave::pitches& steps, std::uint64_t offset) -> wide {
    if (empty) return 0;
    const wide row = steps.row != 0 ? steps.row : size.width;
    const wide slice = steps.slice != 0 ? wide{steps.slice} : times(row, size.height);
    const wide extent = times(size.depth - 1, slice) + times(size.height - 1, row) + size.width;
    return times(extent + offset, type.size);
  };
  const wide in_bytes = bytes_of(in, in_offset), out_bytes = bytes_of(out, out_offset);
  p.plan(
      "copy of a box of " + std::to_string(size.depth) + " times " + std::to_string(size.height) + " times " +
          std::to_string(size.width) + " " + type.name,
      on, {in_bytes, out_bytes},
      [&] {
        return plan(clwave::box_question{{type, in_offset}, {type, out_offset}, size, in, out}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (empty) return count_kernels(plan, 0);
        if (plan.n != wide{size.width} * size.height * size.depth) return "another number of elements";
        const planned_kernel& kernel = plan.kernels.at(0);
        std::string wrong = compare(kernel, {{"in_offset", wide{in_offset} * type.size},
                                             {"out_offset", wide{out_offset} * type.size},
                                             {"in", in_bytes},
                                             {"out", out_bytes}});
        if (!kernel.name.starts_with("copy_box"))
          return wrong + compare(kernel, {{"bytes", wide{plan.n} * type.size}});
        // All that is moved, in accesses of a power of two.
        const wide moved = times(argument(kernel, "width"), argument(kernel, "rows"));
        if (wide{plan.n} * type.size % moved != 0) wrong += " does not move all of it";
        return wrong;
      });
}

void plan_one_fill(planner& p, const clwave::plan_target& on) {
  const element& type = *p.one_of(elements);
  const std::uint64_t n = p.size(), offset = p.offset();
  const unsigned char value[128] = {1, 2, 3};
  p.plan(
      "fill of " + std::to_string(n) + " " + type.name, on, {(wide{offset} + n) * type.size},
      [&] {
        return plan(clwave::fill_question{{type, offset}, n, value}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        return compare(plan.kernels.at(0), {{"bytes", wide{n} * type.size},
                                            {"out_offset", wide{offset} * type.size},
                                            {"out", (wide{offset} + n) * type.size}});
      });
}

void plan_one_transpose(planner& p, const clwave::plan_target& on) {
  const element& type = *p.one_of(elements);
  const bool in_place = p.random.below(4) == 0;
  clwave::matrices size{.rows = p.size(), .columns = p.size(), .batch = p.coin() ? 1 : p.size()};
  if (in_place && p.random.below(10) != 0) size.columns = size.rows;
  const auto pitches_for = [&](std::uint64_t width) {
    clwave::pitches steps;
    if (p.random.below(3) == 0) steps.row = p.coin() ? width + p.random.below(9) : p.size();
    if (p.random.below(4) == 0) steps.slice = p.size();
    return steps;
  };
  const clwave::pitches in = pitches_for(size.columns), out = pitches_for(size.rows);
  const std::uint64_t in_offset = p.offset(), out_offset = p.offset();
  const wide n = size.rows == 0 || size.columns == 0 || size.batch == 0 ? 0 : 1;
  const auto bytes_of = [&](std::uint64_t rows, std::uint64_t columns, const clwave::pitches& steps,
                            std::uint64_t offset) -> wide {
    if (n == 0) return 0;
    const wide row = steps.row != 0 ? steps.row : columns;
    const wide matrix = steps.slice != 0 ? wide{steps.slice} : size.batch > 1 ? times(row, rows) : 0;
    return times(times(rows - 1, row) + columns + times(size.batch - 1, matrix) + offset, type.size);
  };
  std::vector<wide> bytes{bytes_of(size.rows, size.columns, in, in_offset)};
  if (!in_place) bytes.push_back(bytes_of(size.columns, size.rows, out, out_offset));
  p.plan(
      "transpose of " + std::to_string(size.batch) + " times " + std::to_string(size.rows) + " by " +
          std::to_string(size.columns) + " " + type.name,
      on, bytes,
      [&] {
        const clwave::asked_operand from(type, in_offset), to(type, out_offset);
        if (in_place) return plan(clwave::transpose_in_place_question{from, size, in}, on);
        return plan(clwave::transpose_question{from, to, size, in, out}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0 || (in_place && size.rows == 1)) return count_kernels(plan, 0);
        if (plan.kernels.empty()) return "no kernels";
        const planned_kernel& kernel = plan.kernels[0];
        if (!kernel.name.starts_with("transpose")) return {};  // a copy
        wide tiles = 0, first = 0;
        for (const planned_kernel& each : plan.kernels) {
          if (argument(each, "first") != tiles) return "a launch that begins elsewhere";
          tiles += argument(each, in_place ? "pairs" : "tiles");
        }
        if (in_place)
          return compare(kernel, {{"n", size.rows}, {"square_offset", wide{in_offset} * type.size}});
        const wide expected = blocks_of(size.rows, word(plan, "TILE_ROWS")) *
                              blocks_of(size.columns, word(plan, "TILE_COLUMNS")) * size.batch;
        if (tiles != expected) return "other tiles than there are";
        return compare(kernel, {{"first", first},
                                {"rows", size.rows},
                                {"columns", size.columns},
                                {"in_offset", wide{in_offset} * type.size},
                                {"out_offset", wide{out_offset} * type.size}});
      });
}

void plan_one_layout(planner& p, const clwave::plan_target& on) {
  clwave::layout fields;
  std::size_t packed = 0;
  const std::size_t count = 1 + p.random.below(16);
  for (std::size_t f = 0; f < count; ++f) {
    const std::size_t size = 1 + p.random.below(16);
    fields.fields.push_back({size, fields.size});
    fields.size += size + (p.random.below(3) == 0 ? p.random.below(8) : 0);
    packed += size;
  }
  const std::uint64_t n = p.size();
  const std::uint64_t block = p.coin() ? 0 : p.size();
  const bool to_soa = p.coin();
  std::vector<wide> bytes{wide{n} * fields.size};
  if (block != 0) bytes.push_back(times(times(blocks_of(n, block), block), packed));
  p.plan(
      "layout of " + std::to_string(n) + " in blocks of " + std::to_string(block), on, bytes,
      [&] {
        if (block != 0) return plan(clwave::layout_blocks_question{&fields, n, block, to_soa}, on);
        return plan(clwave::layout_question{&fields, n, to_soa}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        return compare(plan.kernels.at(0), {{"n", n}, {"aos", wide{n} * fields.size}});
      });
}

void plan_one_gemm(planner& p, const clwave::plan_target& on) {
  static const element* const types[] = {&element_of<float>(), &element_of<double>(),
                                         &element_of<clwave::half>()};
  const element& type = *p.one_of(types);
  const element& out = type.size == 2 && p.coin() ? element_of<float>() : type;
  const clwave::gemm_size size{.m = p.size(), .n = p.size(), .k = p.size()};
  clwave::gemm_options options;
  options.order = p.coin() ? clwave::matrix_order::row_major : clwave::matrix_order::column_major;
  options.transpose_a = p.coin();
  options.transpose_b = p.coin();
  options.allow_tf32 = p.coin();
  options.batches = p.random.below(3) != 0 ? 1 : p.size();
  if (p.random.below(4) == 0) options.alpha = 0;
  if (p.coin()) options.beta = 1;
  if (p.random.below(4) == 0) options.lda = p.size();
  if (p.random.below(4) == 0) options.ldc = p.size();
  if (p.random.below(4) == 0) options.stride_b = p.size();
  clwave::gemm_question question{type, type, out, size, options};
  if (p.coin()) question.c = {out, p.size()};
  if (p.coin()) question.a = {type, p.random.below(1000)};
  if (p.coin()) question.b = {type, p.random.below(1000)};
  const wide results = times(times(size.m, size.n), options.batches);
  const std::vector<wide> bytes{times(results + question.c.offset, out.size)};
  p.plan(
      "gemm of " + std::to_string(size.m) + ", " + std::to_string(size.n) + ", " + std::to_string(size.k) +
          ", " + std::to_string(options.batches) + " times",
      on, bytes, [&] { return plan(question, on); },
      [&](const call_plan& plan) -> std::string {
        const wide n = results;
        if (plan.n != n) return "n is " + std::to_string(plan.n);
        if (n == 0) return count_kernels(plan, n);
        const bool swapped = options.order == clwave::matrix_order::row_major;
        const planned_kernel& kernel = plan.kernels.at(0);
        const wide parts = argument(kernel, "parts");
        const wide acc = type.size == 8 ? 8 : 4;
        if (kernel.groups !=
            wide{argument(kernel, "tiles_m")} * argument(kernel, "tiles_n") * options.batches * parts)
          return "other groups than tiles";
        if (parts > 1 && plan.workspace_bytes < n * parts * acc) return "too small a workspace";
        if (parts == 0 || (parts > 1) != (plan.kernels.size() == 2)) return "parts without a sum";
        if (argument(plan.kernels.back(), "c_offset") != question.c.offset) return "another offset of C";
        // A row-major product is the column-major one of B and A.
        return compare(kernel, {{"a_offset", (swapped ? question.b : question.a).offset},
                                {"b_offset", (swapped ? question.a : question.b).offset},
                                {"m", swapped ? size.n : size.m},
                                {"n", swapped ? size.m : size.n},
                                {"k", options.alpha == 0 ? 0 : size.k}});
      });
}

void plan_one_transform(planner& p, const clwave::plan_target& on) {
  static const clwave::map mine{.name = "mine", .source = "x"};
  const element& out = *p.one_of(elements);
  clwave::transform_question question{{}, out, p.size(), &mine};
  const std::uint64_t n = question.n;
  std::vector<wide> bytes{wide{n} * out.size};
  for (std::size_t k = 0; k <= p.random.below(3); ++k) {
    question.in.push_back(p.coin() ? out : *p.one_of(elements));
    bytes.push_back(wide{n} * question.in.back().type->size);
  }
  p.plan(
      "transform of " + std::to_string(n) + " to " + out.name, on, bytes, [&] { return plan(question, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        return compare(plan.kernels.at(0), {{"n", n}, {"out", wide{n} * out.size}});
      });
}

void plan_one_scan(planner& p, const clwave::plan_target& on) {
  const element& in = *p.one_of(elements);
  const bool in_place = p.random.below(4) == 0;
  const element& out = in_place || p.coin() ? in : *p.one_of(elements);
  const std::uint64_t n = p.size(), at = p.offset();
  clwave::scan_question question{
      .in = {in, at}, .out = out, .n = n, .exclusive = p.coin(), .started = p.coin(), .in_place = in_place};
  p.plan(
      "scan of " + std::to_string(n) + " " + in.name, on, {times(wide{n} + at, in.size), wide{n} * out.size},
      [&] { return plan(question, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const wide tile = out.size == 8 ? 8192 : 16384;
        const wide tiles = (wide{n} + tile - 1) / tile, stretches = (tiles + 63) / 64;
        const bool one_pass = plan.kernels.size() == 1;
        if (!one_pass && plan.kernels.size() != 3) return "neither one launch nor three";
        const wide slot = one_pass ? (out.size + 3) / 4 * 8 : out.size;
        if (plan.workspace_bytes < (tiles + stretches) * slot) return "too small a workspace";
        const planned_kernel& last = plan.kernels.back();
        if (last.groups != tiles) return "other groups than tiles";
        return compare(last, {{"n", n}, {"x_offset", at}, {"out", wide{n} * out.size}});
      });
}

void plan_one_select(planner& p, const clwave::plan_target& on) {
  static const clwave::map all{.name = "all", .source = "1"};
  static const clwave::op same{.name = "same", .source = "1", .identity = {}};
  constexpr clwave::select_kind kinds[] = {
      clwave::select_kind::copy_if, clwave::select_kind::copy_flagged,  clwave::select_kind::partition,
      clwave::select_kind::unique,  clwave::select_kind::unique_by_key, clwave::select_kind::run_lengths};
  const element& in = *p.one_of(elements);
  const std::uint64_t n = p.size(), at = p.offset(), out_at = p.offset();
  const bool split = p.coin();
  clwave::select_question question{.kind = split ? clwave::select_kind::partition : p.one_of(kinds),
                                   .in = {in, at},
                                   .out = {in, out_at},
                                   .n = n,
                                   .capacity = n,
                                   .predicate = &all,
                                   .same = &same};
  if (question.kind == clwave::select_kind::copy_flagged) question.flags = element_of<std::uint8_t>();
  wide second_bytes = 0;
  if (question.kind == clwave::select_kind::unique_by_key) {
    const std::uint64_t second_at = p.offset();
    question.values = question.second_out = clwave::asked_operand{element_of<std::int16_t>(), second_at};
    second_bytes = times(wide{n} + second_at, 2);
  }
  if (question.kind == clwave::select_kind::run_lengths) {
    question.second_out = element_of<std::uint64_t>();
    second_bytes = times(n, 8);
  }
  p.plan(
      "select from " + std::to_string(n) + " " + in.name, on,
      {times(wide{n} + at, in.size), times(wide{n} + out_at, in.size), second_bytes},
      [&] { return plan(question, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const planned_kernel& last = plan.kernels.back();
        const std::uint64_t head = argument(last, "head");
        if (head >= word(plan, "VECTOR")) return "a head of a packet or more";
        const wide tile = wide{word(plan, "ITEMS")} * word(plan, "VECTOR") * last.group_size;
        if (last.groups != blocks_of(wide{n} + head, tile)) return "other groups than tiles";
        const bool messages = plan.kernels.size() < 3;
        if (messages && plan.kernels.size() != (question.kind == clwave::select_kind::partition ? 2 : 1))
          return "another number of launches";
        const wide slot = messages ? word(plan, "COUNT_WORDS") * 8 : 8;
        if (plan.workspace_bytes < last.groups * slot) return "too small a workspace";
        return compare(last, {{"n", n}, {"x_offset", at}, {"out_offset", out_at}, {"capacity", n}});
      });
}

void plan_one_sort(planner& p, const clwave::plan_target& on) {
  const element& key = *p.one_of(elements);
  const element& value = *p.one_of(elements);
  const std::uint64_t n = p.size(), at = p.offset(), out_at = p.offset();
  clwave::sort_question question{.keys = {key, at}, .n = n, .order = {.first_bit = p.coin() ? 0u : 5u}};
  const bool carries = p.coin();
  question.keys_out = {key, out_at};
  if (carries) question.values = question.values_out = value;
  question.in_place = p.coin();
  p.plan(
      "sort of " + std::to_string(n) + " " + key.name, on,
      {times(wide{n} + at, key.size), times(wide{n} + out_at, key.size), carries ? times(n, value.size) : 0},
      [&] { return plan(question, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const planned_kernel& last = plan.kernels.back();
        if (plan.kernels.size() == 1)
          return compare(plan.kernels[0], {{"n", n}, {"keys_at", wide{at} * key.size}});
        const bool messages = plan.kernels[0].name == "sort_digits";
        const std::size_t passes = messages ? plan.kernels.size() - 2 : plan.kernels.size() / 3;
        if (!messages && plan.kernels.size() % 3 != 0) return "no three launches a digit";
        if (messages && (plan.kernels.size() < 3 || plan.kernels[1].name != "sort_totals"))
          return "not two launches and one a digit";
        if (question.in_place && passes % 2 != 0) return "the first digit goes to where the keys are";
        const wide tiles = argument(last, "tiles");
        if (last.groups != tiles) return "other groups than tiles";
        if (last.group_size > 1 && tiles != blocks_of(n, wide{word(plan, "ITEMS")} * last.group_size))
          return "other tiles than there are";
        const wide moved = key.size + (carries ? value.size : 0);
        const unsigned count_bytes = n >> 32 != 0 ? 8 : 4;
        const wide counts = messages ? passes * 256 * (wide{count_bytes} + 4 * plan.kernels[0].groups) +
                                           tiles * 256 * (n >> 30 != 0 ? 8 : 4)
                                     : (tiles + 1) * 256 * count_bytes;
        if (plan.workspace_bytes < counts + (passes > 1 ? wide{n} * moved : 0))
          return "too small a workspace";
        return compare(last, {{"n", n}, {"keys_to_at", wide{out_at} * key.size}});
      });
}

void plan_one_broadcast(planner& p, const clwave::plan_target& on) {
  static const clwave::map mine{.name = "mine", .source = "x + b"};
  const element& in = *p.one_of(elements);
  const element& vector = *p.one_of(elements);
  const element& out = *p.one_of(elements);
  const clwave::per which = p.coin() ? clwave::per::row : clwave::per::column;
  clwave::broadcast_shape size{.rows = p.size(), .columns = p.size()};
  if (p.random.below(3) == 0) size.in_row = p.size();
  if (p.random.below(3) == 0) size.out_row = size.columns + p.random.below(10);
  const wide n = wide{size.rows} * size.columns;
  const auto bytes_of = [&](const element& type, std::size_t given) -> wide {
    if (n == 0) return 0;
    return times(times(size.rows - 1, given != 0 ? given : size.columns) + size.columns, type.size);
  };
  const wide values = which == clwave::per::row ? size.rows : size.columns;
  p.plan(
      "broadcast of " + std::to_string(size.rows) + " by " + std::to_string(size.columns), on,
      {bytes_of(in, size.in_row), bytes_of(out, size.out_row), n == 0 ? 0 : values * vector.size},
      [&] {
        return plan(clwave::broadcast_question{in, vector, out, size, which, &mine}, on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        return compare(plan.kernels.at(0), {{"rows", size.rows},
                                            {"columns", size.columns},
                                            {"b", values * vector.size},
                                            {"x_row", size.in_row != 0 ? size.in_row : size.columns}});
      });
}

void plan_on_every_row(const one_call& call) {
  const std::vector<clwave::device_facts> devices = made_up_devices();
  planner p(reference::random_engine().seed());
  const int calls = testing::quick() ? calls_each / 10 : calls_each;
  const auto plan_on = [&](const clwave::profile& row) {
    std::vector<clwave::plan_target> targets;
    for (const unsigned units : {1u, 7u, 132u, 1u << 20})
      targets.push_back({.choice = clwave::choose_profile_for(row.name), .compute_units = units});
    for (const clwave::device_facts& facts : devices) {
      targets.push_back({.facts = &facts, .choice = clwave::choose_profile(facts)});
      targets.push_back({.facts = &facts, .choice = clwave::choose_profile(facts), .group_limit = 64});
    }
    for (clwave::plan_target& each : targets) each.with_source = false;
    for (int k = 0; k < calls; ++k) call(p, targets[p.random.below(targets.size())]);
  };
  testing::for_each_profile(plan_on, 1);
  CHECK(p.failures == 0);
  CHECK(p.plans > 10 * static_cast<std::size_t>(calls));
  CHECK(p.refusals > static_cast<std::size_t>(calls));
}

}  // namespace

TEST_CASE("10,000 random plans on every row: reduce") { plan_on_every_row(plan_one_reduce); }
TEST_CASE("10,000 random plans on every row: reduce_rows") { plan_on_every_row(plan_one_rows); }
TEST_CASE("10,000 random plans on every row: reduce_columns") { plan_on_every_row(plan_one_columns); }
TEST_CASE("10,000 random plans on every row: copy") { plan_on_every_row(plan_one_copy); }
TEST_CASE("10,000 random plans on every row: copy of a box") { plan_on_every_row(plan_one_box); }
TEST_CASE("10,000 random plans on every row: fill") { plan_on_every_row(plan_one_fill); }
TEST_CASE("10,000 random plans on every row: transpose") { plan_on_every_row(plan_one_transpose); }
TEST_CASE("10,000 random plans on every row: layout") { plan_on_every_row(plan_one_layout); }
TEST_CASE("10,000 random plans on every row: gemm") { plan_on_every_row(plan_one_gemm); }
TEST_CASE("10,000 random plans on every row: scan") { plan_on_every_row(plan_one_scan); }
TEST_CASE("10,000 random plans on every row: select") { plan_on_every_row(plan_one_select); }
TEST_CASE("10,000 random plans on every row: sort") { plan_on_every_row(plan_one_sort); }
TEST_CASE("10,000 random plans on every row: transform") { plan_on_every_row(plan_one_transform); }
TEST_CASE("10,000 random plans on every row: broadcast") { plan_on_every_row(plan_one_broadcast); }

TEST_CASE("a product with more tiles than a launch has groups is refused") {
  const clwave::plan_target hopper{.choice = clwave::choose_profile_for("sm_90"), .compute_units = 132};
  const element& f32 = element_of<float>();
  CHECK_THROWS_AS(plan(clwave::gemm_question{f32, f32, f32, {.m = 4 << 20, .n = 4 << 20, .k = 8}}, hopper),
                  clwave::error);
  // Batches of nothing are no product, and nothing is divided by them.
  clwave::gemm_options none;
  none.batches = 0;
  CHECK(
      plan(clwave::gemm_question{f32, f32, f32, {.m = 8, .n = 8, .k = 4096}, none}, hopper).kernels.empty());
}
