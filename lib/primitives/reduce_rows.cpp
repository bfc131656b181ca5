// reduce_rows: what a call is, and the entry.
#include "primitives/reduce_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "blocks/fold.hpp"
#include "blocks/matrix_fold.hpp"
#include "blocks/matrix_steps.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "primitives/reduce.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Kernels number rows and tiles in 32 bits.
constexpr std::uint64_t most_numbered = std::uint64_t{1} << 31;

// A problem with its pitches resolved.
struct row_layout {
  matrix_steps steps;
  std::uint64_t rows = 0;       // of all matrices
  std::uint64_t tiles = 0;      // of a row
  std::uint64_t alignment = 0;  // a power of two that divides the address of each row's first element
};

row_layout layout_of(const reduce_rows_problem& q) {
  row_layout rows{.steps = steps_of(reduce_rows_variant::primitive, q.size, q.steps, *q.in.type, "the input"),
                  .rows = results_of(reduce_rows_variant::primitive, q.size.rows, q.size),
                  .tiles = blocks_of(q.size.columns, q.sizes.tile)};
  std::uint64_t all = q.in.alignment;
  if (q.size.rows > 1) all |= rows.steps.row * q.in.type->size;
  if (q.size.batch > 1) all |= rows.steps.matrix * q.in.type->size;
  rows.alignment = low_bit(all);
  if (rows.rows > most_numbered || rows.tiles > most_numbered ||
      rows.rows * std::max<std::uint64_t>(rows.tiles, 1) > most_numbered)
    refuse(reduce_rows_variant::primitive,
           "more than " + std::to_string(most_numbered) + " rows, or tiles of " +
               std::to_string(q.sizes.tile) + " elements",
           "reduce the rows in parts");
  return rows;
}

// What is folded: an accumulator, also where an index is looked for.
std::size_t folded_bytes(const reduce_rows_problem& q) { return q.out.type->size; }

// The tiles of all rows as those of one long input, for the numbers of reduce.
reduce_problem as_one_input(const reduce_rows_problem& q, const row_layout& rows) {
  reduce_problem one{
      .in = q.in, .accumulator = q.out.type, .fold = q.fold, .apply = q.apply, .sizes = q.sizes};
  one.in.n = rows.rows * rows.tiles * q.sizes.tile;
  one.in.alignment = std::min<std::uint64_t>(rows.alignment, 128);
  return one;
}

// Several rows to a set of lanes, where each element of a row has a column of its own and registers hold all
// that a lane has of it.
void shape_short_rows(const reduce_rows_problem& q, const target& on, const row_layout& rows,
                      reduce_rows_variant& v) {
  const std::size_t value_bytes = q.in.type->size;
  if (v.fold.contiguous || q.size.columns > q.sizes.accumulators || on.choice.lanes < 2) return;
  std::size_t vector = 1;
  if (std::has_single_bit(value_bytes) && value_bytes < 16) {
    const std::size_t most = std::min<std::size_t>(on.choice.profile->reduce.vector_bytes, 16);
    vector = std::min<std::size_t>(
        {std::max<std::size_t>(most / value_bytes, 1), static_cast<std::size_t>(low_bit(q.size.columns)),
         std::max<std::size_t>(rows.alignment / value_bytes, 1), q.sizes.accumulators / on.choice.lanes});
    while (vector > 1 && vector * folded_bytes(q) > held_bytes / 2) vector /= 2;
  }
  const auto columns = static_cast<std::size_t>(q.size.columns);
  const std::size_t lanes = std::min<std::size_t>(std::bit_ceil(columns / vector), on.choice.lanes);
  const std::size_t packets = std::bit_ceil(static_cast<std::size_t>(blocks_of(columns, lanes * vector)));
  const std::size_t bytes_of_row = packets * vector * std::max(value_bytes, folded_bytes(q));
  if (packets > 1 && bytes_of_row > held_bytes) return;
  v.fold.vector = static_cast<unsigned>(vector);
  v.fold.registers = 0;
  v.shape = {.cut = false,
             .one_launch = false,
             .lanes = static_cast<unsigned>(lanes),
             .packets = static_cast<unsigned>(packets),
             .depth = 0,
             .items = static_cast<unsigned>(
                 std::clamp<std::size_t>(std::bit_floor(held_bytes / bytes_of_row), 1, 8)),
             .whole = columns == lanes * packets * vector};
}

// Rows of one tile that fill a small part of it: what a work-item loads of several is in flight at once. With
// a whole tile's loop for each the loads of one row are, and H200 read rows of 2048 floats at 2450 GB/s.
void shape_shallow_rows(const reduce_rows_problem& q, const row_layout& rows, reduce_rows_variant& v) {
  const std::uint64_t depth = blocks_of(q.size.columns, q.sizes.accumulators);
  if (v.shape.lanes > 0 || rows.tiles != 1 || v.fold.contiguous || depth < 2 ||
      q.size.columns % v.fold.vector != 0)
    return;
  const std::size_t team = std::min<std::size_t>(q.sizes.accumulators / v.fold.vector, v.fold.group_size);
  const std::size_t bytes_of_row = q.sizes.accumulators / team * depth * q.in.type->size;
  if (bytes_of_row > held_bytes) return;
  v.shape.depth = static_cast<unsigned>(depth);
  v.shape.items = static_cast<unsigned>(std::clamp<std::size_t>(
      std::bit_floor(held_bytes * 5 / 4 / bytes_of_row), 1, std::bit_floor(v.fold.numbers.waiting)));
  v.fold.registers = 0;
}

// Rows whose upper levels one group may fold one after another, without being what the call waits for.
constexpr std::uint64_t most_span = 4;

// Work-groups of a row's tiles that run at once.
std::uint64_t groups_at_once(const target& on, unsigned group_size) {
  const tuning& tuned = on.choice.profile->reduce;
  return std::max<std::uint64_t>(
      std::uint64_t{on.compute_units} * tuned.groups_per_unit * tuned.group_size / group_size, 1);
}

}  // namespace

program_spec spec_of(const reduce_rows_variant& v) {
  program_spec spec = spec_of_fold(reduce_rows_variant::primitive, v.fold, index_way::paired);
  add_fold_of_tiles(spec, v.fold.group_size);
  add_fold_identities(spec, *v.fold.fold);
  add_modules(spec, {"blocks/matrix_results.cl", "blocks/fold_rows.cl", "primitives/reduce_rows.cl"});
  if (v.shape.lanes > 0)
    add_modules(spec, {"primitives/reduce_rows_short.cl"});
  else
    add_modules(spec, {"primitives/reduce_rows_tiles.cl", v.fold.group_size > 1
                                                              ? "primitives/reduce_rows_groups.cl"
                                                              : "primitives/reduce_rows_serial.cl"});
  if (v.shape.lanes > 0) {
    add_word(spec, "ROW_LANES", std::to_string(v.shape.lanes));
    add_word(spec, "ROW_PACKETS", std::to_string(v.shape.packets));
    add_word(spec, "ROW_ITEMS", std::to_string(v.shape.items));
    if (v.shape.whole) add_word(spec, "ROW_WHOLE");
  }
  if (v.shape.lanes == 0 && v.shape.whole) add_word(spec, "ROW_WIDES", std::to_string(v.shape.packets));
  if (v.shape.depth > 0) {
    add_word(spec, "ROW_DEPTH", std::to_string(v.shape.depth));
    add_word(spec, "ROW_ITEMS", std::to_string(v.shape.items));
  }
  if (v.shape.cut) add_word(spec, "ROWS_CUT");
  if (v.shape.one_launch) add_word(spec, "ROWS_IN_ONE_LAUNCH");
  return spec;
}

described<reduce_rows_variant> describe(const reduce_rows_problem& q, const target& on) {
  check_matrix_fold(reduce_rows_variant::primitive, q, on);
  const row_layout rows = layout_of(q);
  described<reduce_rows_variant> call{{.fold = variant_of_fold(reduce_rows_variant::primitive, q, on)},
                                      {.n = rows.steps.extent == 0 ? 0 : rows.rows * q.size.columns}};
  reduce_rows_variant& v = call.variant;
  described_work& work = call.work;
  add_operands(reduce_rows_variant::primitive, q, rows.steps.extent, rows.rows, q.size.columns, work);

  std::uint64_t groups = groups_at_once(on, 1);
  if (is_cpu(on)) {
    const fold_tuning& tuned = on.choice.profile->fold;
    // A vector without gaps is a second input, of which each row takes the first elements.
    v.fold.two_inputs = q.times != nullptr && !v.fold.times.by_steps;
    v.fold.wide = is_wide(q) && v.fold.two_inputs == (q.times != nullptr);
    v.fold.numbers.fetched_ahead = tuned.fetched_ahead;
    v.fold.numbers.block = static_cast<unsigned>(std::min<std::size_t>(tuned.block, q.sizes.accumulators));
    // Rows of which registers hold one.
    const std::size_t wides = q.size.columns / 16;
    if (v.fold.wide && q.size.columns % 16 == 0 && std::has_single_bit(wides) && wides <= 16 &&
        q.size.columns <= q.sizes.accumulators)
      v.shape = {.cut = false,
                 .one_launch = false,
                 .lanes = 0,
                 .packets = static_cast<unsigned>(wides),
                 .depth = 0,
                 .items = 1,
                 .whole = true};
  } else {
    groups = shape_for_lanes(as_one_input(q, rows), on, folded_bytes(q), false, v.fold).groups;
    if (q.size.columns > 0) shape_short_rows(q, on, rows, v);
    shape_shallow_rows(q, rows, v);
    // Whole tiles take a vector as a second input, whose packets begin where theirs do.
    v.fold.two_inputs = q.times != nullptr && !v.fold.times.by_steps && v.shape.lanes == 0 &&
                        v.shape.depth == 0 && v.fold.vector > 1 &&
                        q.times->x.alignment % (v.fold.vector * q.in.type->size) == 0;
  }
  if (rows.rows == 0) return call;

  work.launches.reserve(2);
  const auto add_launch = [&](const char* kernel, std::uint64_t n_groups,
                              unsigned group_size) -> described_launch& {
    return add_fold_launch(q, kernel, n_groups, group_size, work);
  };
  const auto add_output = [&](described_launch& launch) {
    launch.buffer("out", 1).value("out_offset", q.out.offset);
  };
  const auto number = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  if (q.size.columns == 0) {
    add_identities(reduce_rows_variant::primitive, q, rows.rows, work);
    return call;
  }
  const auto add_rows = [&](described_launch& launch) {
    launch.buffer("x", 0).value("x_offset", q.in.offset).value("rows", number(q.size.rows));
    launch.value("pitch", rows.steps.row).value("matrix", rows.steps.matrix);
  };
  if (v.shape.lanes > 0) {
    const std::uint64_t at_once = std::uint64_t{v.fold.group_size} / v.shape.lanes * v.shape.items;
    // Enough groups for the units that are fast to take more.
    const std::uint64_t most = std::uint64_t{on.compute_units} * 64;
    described_launch& all =
        add_launch("reduce_rows_short", std::min(blocks_of(rows.rows, at_once), most), v.fold.group_size);
    add_rows(all);
    all.value("n", number(rows.rows)).value("columns", number(q.size.columns));
    add_output(all);
    return call;
  }

  const std::uint64_t tiles = rows.rows * rows.tiles;
  // Results are read by packets of 16 bytes.
  const std::uint64_t stride = round_up(rows.tiles, 16);
  // Tiles that a group deals with as one, and those that it folds together.
  std::uint64_t unit = rows.tiles, at_once = 1;
  v.shape.cut = rows.tiles > 1;
  if (!is_cpu(on)) {
    const std::uint64_t team =
        std::min<std::uint64_t>(q.sizes.accumulators / v.fold.vector, v.fold.group_size);
    at_once = v.fold.numbers.waiting * (v.fold.group_size / team);
    v.shape.cut =
        rows.tiles > 1 && (v.fold.contiguous || rows.tiles > at_once || rows.tiles > q.sizes.accumulators ||
                           rows.rows < 4 * groups_at_once(on, v.fold.group_size));
    if (!v.shape.cut) {
      at_once = at_once / unit * unit;
      // Two groups with more registers read whole rows faster than three with fewer do (H200, 16384 x 16384
      // floats: 238 us and 252; reduce and parts of rows are faster the other way).
      const unsigned limit = on.choice.profile->reduce.registers;
      if (v.shape.depth == 0 && v.fold.registers > 0)
        v.fold.registers = std::max(v.fold.registers, limit + limit / 2);
    }
  }
  const std::uint64_t span = blocks_of(rows.rows, workspace::counters);
  if (v.shape.cut) {
    unit = 1;
    v.shape.one_launch = !is_cpu(on) && on.choice.order != group_order::two_launches && span <= most_span;
    if (v.shape.one_launch) work.zeroed_bytes = workspace::own_at - workspace::counter_at;
    work.workspace_bytes =
        counting{reduce_rows_variant::primitive, "the workspace"}.times(rows.rows * stride, folded_bytes(q));
  }
  described_launch& all =
      add_launch("reduce_rows", std::clamp<std::uint64_t>(groups, 1, tiles / unit), v.fold.group_size);
  add_rows(all);
  all.value("columns", std::uint64_t{q.size.columns});
  all.value("n", number(tiles)).value("tiles", number(rows.tiles));
  if (!is_cpu(on)) all.value("at_once", number(at_once));
  if (!v.shape.cut) {
    add_output(all);
    return call;
  }
  all.value("stride", number(stride));
  if (v.shape.one_launch) {
    all.value("span", number(span));
    add_output(all);
    all.workspace("workspace");
    return call;
  }
  all.workspace("workspace");
  described_launch& levels =
      add_launch("reduce_rows_levels", std::min(rows.rows, 4 * groups_at_once(on, v.fold.group_size)),
                 v.fold.group_size);
  levels.buffer("x", 0).value("n", number(rows.rows)).value("tiles", number(rows.tiles));
  levels.value("stride", number(stride));
  add_output(levels);
  levels.workspace("workspace");
  return call;
}

told tell(const reduce_rows_problem& q, const target& on, const described<reduce_rows_variant>& call) {
  const reduce_rows_variant& v = call.variant;
  told people;
  if (is_cpu(on)) {
    people.variant =
        std::string("one work-item per tile, ") + (v.fold.wide ? "16-wide values" : "one value at a time");
  } else {
    people.variant = v.shape.lanes > 0 ? std::to_string(v.shape.lanes) + " lanes a row"
                     : v.shape.depth > 0
                         ? "whole rows, " + std::to_string(v.shape.items) + " of a team under way"
                         : std::string("tiles of rows");
    people.variant += ", loads of " + std::to_string(v.fold.vector) + " x " + q.in.type->name;
  }
  people.variant += call.work.launches.size() > 1 ? ", two launches" : ", one launch";
  if (on.choice.order == group_order::two_launches && v.shape.cut)
    people.rejected.push_back(
        {"one launch",
         "nothing on this device orders one group's reads after another's writes in one kernel"});
  if (!is_cpu(on) && v.shape.lanes == 0)
    people.rejected.push_back(
        {"several rows to a set of lanes",
         q.size.columns > q.sizes.accumulators
             ? "rows have more than " + std::to_string(q.sizes.accumulators) + " elements"
         : v.fold.contiguous ? "a non-commutative operator takes its elements in index order"
                             : "what a lane holds of a row does not fit its registers"});
  return people;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const reduce_rows_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event reduce_rows(cl_command_queue queue, const reduce_rows_problem& asked, const launch_options& options) {
  return detail::fold_matrices(detail::reduce_rows_variant::primitive, queue, asked, asked.size.rows,
                               options);
}

}  // namespace clwave
