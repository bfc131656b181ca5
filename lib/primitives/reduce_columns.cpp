// reduce_columns: what a call is, and the entry.
#include "primitives/reduce_columns.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "blocks/fold.hpp"
#include "blocks/matrix_fold.hpp"
#include "blocks/matrix_steps.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Kernels number columns and parts of them in 32 bits.
constexpr std::uint64_t most_parts = std::uint64_t{1} << 31;

// A work-item's registers that the columns of a packet may be folded to.
constexpr std::size_t packet_bytes_folded = 32;

// A run has at most 2^most_levels blocks (COLUMN_LEVELS of the kernels).
constexpr unsigned most_levels = 4;

// What a group folds of a column has so many accumulators at least: the second launch reads the values of
// all.
constexpr std::uint64_t least_part = 32;

// In one launch the last group of a strip folds at most so many values of each column.
constexpr std::uint64_t most_left = 64;

// A problem with its pitches resolved.
struct column_layout {
  matrix_steps steps;
  std::uint64_t columns = 0;    // of all matrices
  std::uint64_t tiles = 0;      // of a column
  std::uint64_t existing = 0;   // accumulators of a column's first tile that have an element
  std::uint64_t of_each = 0;    // elements that the first of them has
  std::uint64_t alignment = 0;  // a power of two that divides the address of each row's first element
};

[[noreturn]] void too_many() {
  refuse(reduce_columns_variant::primitive,
         "more than " + std::to_string(most_parts) + " columns, or parts of them",
         "reduce the columns in parts");
}

// How many accumulators of a tile with `count` elements have any.
std::uint64_t accumulators_of(const reduce_columns_problem& q, std::uint64_t count) {
  return q.fold->commutative ? std::min<std::uint64_t>(count, q.sizes.accumulators)
                             : blocks_of(count, q.sizes.tile / q.sizes.accumulators);
}

column_layout layout_of(const reduce_columns_problem& q) {
  // Without rows there is a program all the same, whose shape is that of one row's.
  const std::uint64_t rows = std::max<std::uint64_t>(q.size.rows, 1);
  column_layout at{
      .steps = steps_of(reduce_columns_variant::primitive, q.size, q.steps, *q.in.type, "the input"),
      .columns = results_of(reduce_columns_variant::primitive, q.size.columns, q.size),
      .tiles = blocks_of(rows, q.sizes.tile)};
  const std::uint64_t of_tile = std::min<std::uint64_t>(rows, q.sizes.tile);
  at.existing = accumulators_of(q, of_tile);
  at.of_each = q.fold->commutative ? blocks_of(of_tile, q.sizes.accumulators)
                                   : std::min<std::uint64_t>(of_tile, q.sizes.tile / q.sizes.accumulators);
  std::uint64_t all = q.in.alignment;
  if (q.size.rows > 1) all |= at.steps.row * q.in.type->size;
  if (q.size.batch > 1) all |= at.steps.matrix * q.in.type->size;
  at.alignment = low_bit(all);
  if (at.columns > most_parts || at.tiles > most_parts) too_many();
  return at;
}

// What is folded: an accumulator, also where an index is looked for.
std::size_t folded_bytes(const reduce_columns_problem& q) { return q.out.type->size; }

// The values that a column's accumulators become, `part` by `part`.
std::uint64_t parts_of(const reduce_columns_problem& q, const column_layout& at, std::uint64_t part) {
  const std::uint64_t last = q.size.rows - (at.tiles - 1) * q.sizes.tile;
  return (at.tiles - 1) * (q.sizes.accumulators / part) + blocks_of(accumulators_of(q, last), part);
}

// Columns side by side in one packet.
void shape_packet(const reduce_columns_problem& q, const target& on, const column_layout& at,
                  fold_variant& v) {
  const std::size_t value_bytes = q.in.type->size;
  if (!std::has_single_bit(value_bytes)) return;
  // A column's elements are as far apart as rows are, and columns as far as an element's size.
  v.by_element = std::min<std::uint64_t>(at.alignment, value_bytes) < std::min<std::size_t>(value_bytes, 16);
  if (v.by_element) return;
  std::size_t vector = std::max<std::size_t>(
      std::min<std::size_t>(on.choice.profile->reduce.vector_bytes, 16) / value_bytes, 1);
  vector = std::min<std::size_t>({vector, static_cast<std::size_t>(low_bit(q.size.columns)),
                                  std::max<std::size_t>(at.alignment / value_bytes, 1)});
  while (vector > 1 && vector * folded_bytes(q) > packet_bytes_folded) vector /= 2;
  v.vector = static_cast<unsigned>(vector);
}

// A group of a device with lanes. Each work-item has as many bytes in flight as its registers hold, so that
// four groups of 256 to a unit have what its memory takes to answer; where a column is short, a work-item
// takes it alone, and where there are few columns, groups take parts of them.
void shape_groups(const reduce_columns_problem& q, const target& on, const column_layout& at,
                  reduce_columns_variant& v) {
  v.fold.group_size = group_size_within(on, 256);
  shape_packet(q, on, at, v.fold);
  std::uint64_t group = v.fold.group_size;
  const std::uint64_t vector = v.fold.vector, most = q.sizes.accumulators;
  const std::size_t columns_bytes = vector * folded_bytes(q), loaded_bytes = vector * q.in.type->size;
  // Where accumulators have several elements, half of the registers are for their values.
  const bool single = at.of_each == 1;
  std::uint64_t block = std::clamp<std::uint64_t>(
      std::bit_floor(single ? held_bytes / loaded_bytes : held_bytes / 2 / columns_bytes), 1, 16);
  block = std::min(block, std::bit_ceil(at.existing));

  const std::uint64_t wanted = std::max<std::uint64_t>(on.compute_units * std::uint64_t{1024} / group, 1);
  const auto strips_of = [&](std::uint64_t lanes) { return blocks_of(q.size.columns, lanes * vector); };
  std::uint64_t lanes = group;
  const bool alone =
      at.tiles == 1 && at.existing <= block << most_levels && strips_of(group) * q.size.batch >= wanted;
  if (alone) {
    v.fold.group_size = group_size_within(on, 128);
    group = lanes = v.fold.group_size;
  } else {
    // Rows are read by 32 work-items side by side, or by so few that each has one block: subtrees that wait
    // for their neighbours take registers (H200, 16384 x 16384 halves: 135 us with 16, 146 with 32). And no
    // position stands idle.
    lanes = std::min<std::uint64_t>({std::bit_ceil(blocks_of(q.size.columns, vector)),
                                     std::max<std::uint64_t>(group * block / least_part, 1), 32});
    lanes = std::clamp<std::uint64_t>(lanes, group / std::min(most, group), group);
    lanes = std::max(lanes, group / std::min(group, std::bit_ceil(blocks_of(at.existing, block))));
  }
  const std::uint64_t positions = group / lanes;
  block = std::min(block, most / positions);
  std::uint64_t part = positions * block;
  const auto may_grow = [&] { return part < most && part < positions * block << most_levels; };
  const auto groups_of = [&](std::uint64_t of_part) {
    return strips_of(lanes) * q.size.batch * parts_of(q, at, of_part);
  };
  std::uint64_t whole = part;
  while (whole < at.existing && whole < positions * block << most_levels) whole *= 2;
  // A sixteenth less than four groups for each unit still keep all busy (H200, 1000 x 67108 floats, 525
  // groups: 66 us, where columns are cut 70).
  if (at.tiles == 1 && whole >= at.existing &&
      (whole <= 2 * part || groups_of(whole) >= wanted - wanted / 16)) {
    part = whole;
  } else {
    // Many rounds of groups, so that the units that are fast take more, and no more values than need be; but
    // where elements are folded as wider ones, subtrees that wait take too many registers (H200, halves with
    // a vector, 4096 x 4096: parts of 32, 64 and 128 take 15.7, 20.2 and 19.1 us).
    constexpr std::uint64_t rounds = 8;
    const bool widens = folded_bytes(q) > q.in.type->size;
    while (may_grow() && (part < least_part || (!widens && groups_of(2 * part) >= rounds * wanted)))
      part *= 2;
    // One launch, where strips are few: the last group of each folds what the others left. That should be
    // little; and groups that run all at once are best (H200, floats with a vector, 4096 x 4096: parts of 32,
    // 64 and 128 take 22.2, 21.6 and 20.5 us, and in two launches 23.9, 22.6 and -).
    const std::uint64_t at_once = std::max<std::uint64_t>(2 * on.compute_units - on.compute_units / 8, 1);
    const std::uint64_t least = part;
    while (!widens && may_grow() && groups_of(2 * part) >= at_once) part *= 2;
    v.shape.one_launch = on.choice.order != group_order::two_launches &&
                         strips_of(lanes) * q.size.batch <= workspace::counters &&
                         parts_of(q, at, part) <= most_left;
    if (!v.shape.one_launch) part = least;
  }
  v.shape.one_launch = v.shape.one_launch && parts_of(q, at, part) > 1;
  v.shape.lanes = static_cast<unsigned>(lanes);
  v.shape.block = static_cast<unsigned>(block);
  v.shape.part = static_cast<unsigned>(part);
  v.shape.single = single;
  if (!single)
    v.shape.rows = static_cast<unsigned>(std::clamp<std::uint64_t>(
        std::bit_floor(held_bytes / (block * loaded_bytes)), 1,
        std::min<std::uint64_t>(std::max<std::uint64_t>(16 / block, 1), std::bit_floor(at.of_each))));
  // Halves as floats take just more than four groups have of a unit's registers (H200, 16384 x 16384: 131 us
  // with this limit, 133 without). With a vector there would be spills.
  if (!single && q.times == nullptr && q.in.type->size == 2 && folded_bytes(q) == 4 &&
      part == positions * block)
    v.fold.registers = 64;
}

// A CPU's work-items take strips of whole rows, as wide as what is folded of them stays in a near cache.
void shape_strips(const reduce_columns_problem& q, const target& on, const column_layout& at,
                  reduce_columns_variant& v) {
  v.fold.wide = is_wide(q);
  v.shape.strip =
      static_cast<unsigned>(std::clamp<std::size_t>(std::bit_floor(4096 / folded_bytes(q)), 16, 1024));
  const std::uint64_t strips = blocks_of(q.size.columns, v.shape.strip) * q.size.batch;
  std::uint64_t part = q.sizes.accumulators;
  const auto has_work_for_all = [&] {
    return strips * parts_of(q, at, part) >= 8 * std::uint64_t{on.compute_units};
  };
  while (part > 32 && !has_work_for_all()) part /= 2;
  v.shape.part = static_cast<unsigned>(part);
}

}  // namespace

program_spec spec_of(const reduce_columns_variant& v) {
  program_spec spec = spec_of_fold(reduce_columns_variant::primitive, v.fold, index_way::paired);
  add_fold_identities(spec, *v.fold.fold);
  add_modules(spec, {"blocks/matrix_results.cl", "blocks/column_passes.cl", "primitives/reduce_columns.cl",
                     v.fold.group_size > 1 ? "primitives/reduce_columns_groups.cl"
                                           : "primitives/reduce_columns_serial.cl"});
  add_word(spec, "COLUMN_PART", std::to_string(v.shape.part));
  if (v.shape.lanes > 0) {
    add_word(spec, "COLUMN_LANES", std::to_string(v.shape.lanes));
    add_word(spec, "COLUMN_BLOCK", std::to_string(v.shape.block));
    if (v.shape.single)
      add_word(spec, "COLUMN_SINGLE");
    else
      add_word(spec, "COLUMN_ROWS", std::to_string(v.shape.rows));
  } else {
    add_word(spec, "COLUMN_STRIP", std::to_string(v.shape.strip));
  }
  if (v.shape.cut) {
    add_word(spec, "COLUMNS_CUT");
    add_word(spec, "COLUMN_CHUNK", std::to_string(v.shape.chunk));
    if (v.shape.one_launch) add_word(spec, "COLUMNS_IN_ONE_LAUNCH");
  }
  return spec;
}

described<reduce_columns_variant> describe(const reduce_columns_problem& q, const target& on) {
  check_matrix_fold(reduce_columns_variant::primitive, q, on);
  const column_layout at = layout_of(q);
  described<reduce_columns_variant> call{{.fold = variant_of_fold(reduce_columns_variant::primitive, q, on)},
                                         {.n = at.steps.extent == 0 ? 0 : at.columns * q.size.rows}};
  reduce_columns_variant& v = call.variant;
  described_work& work = call.work;
  add_operands(reduce_columns_variant::primitive, q, at.steps.extent, at.columns, q.size.rows, work);
  if (at.columns == 0) return call;
  work.launches.reserve(2);
  if (is_cpu(on))
    shape_strips(q, on, at, v);
  else
    shape_groups(q, on, at, v);
  if (q.size.rows == 0) {
    add_identities(reduce_columns_variant::primitive, q, at.columns, work);
    return call;
  }
  const std::uint64_t strip = is_cpu(on) ? v.shape.strip : std::uint64_t{v.shape.lanes} * v.fold.vector;
  const std::uint64_t parts = parts_of(q, at, v.shape.part);
  const counting count{reduce_columns_variant::primitive, "the workspace"};
  const std::uint64_t units = count.times(count.times(blocks_of(q.size.columns, strip), parts), q.size.batch);
  if (units > std::min<std::uint64_t>(most_parts, most_groups)) too_many();
  v.shape.cut = parts > 1;

  const auto number = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  const auto add_output = [&](described_launch& launch) {
    launch.buffer("out", 1).value("out_offset", q.out.offset);
  };
  // A CPU's work-items get neighbouring units of rows that follow one another.
  const std::uint64_t cores = std::uint64_t{on.compute_units} * on.choice.profile->reduce.groups_per_unit;
  described_launch& all =
      add_fold_launch(q, "reduce_columns", is_cpu(on) ? std::clamp<std::uint64_t>(cores, 1, units) : units,
                      v.fold.group_size, work);
  all.buffer("x", 0).value("x_offset", q.in.offset).value("pitch", at.steps.row);
  all.value("matrix", at.steps.matrix).value("rows", std::uint64_t{q.size.rows});
  all.value("columns", number(q.size.columns)).value("units", number(parts));
  if (is_cpu(on)) all.value("n", number(units));
  if (!v.shape.cut) {
    add_output(all);
    return call;
  }
  v.shape.chunk = static_cast<unsigned>(std::clamp<std::size_t>(
      std::bit_floor(held_bytes / 2 / folded_bytes(q)), 2, std::min<std::size_t>(16, q.sizes.accumulators)));
  // What passes over the values of tiles leave lies behind all values.
  const std::uint64_t above = count.times(at.columns, parts);
  work.workspace_bytes = count.times(count.plus(above, count.times(at.columns, at.tiles)), folded_bytes(q));
  if (v.shape.one_launch) {
    work.zeroed_bytes = workspace::own_at - workspace::counter_at;
    all.value("above", above);
    add_output(all);
    all.workspace("workspace");
    return call;
  }
  all.workspace("workspace");

  // Few columns go to many groups, whose positions share their values; of many a group takes as many as have
  // a chunk for each work-item (H200, 1000 x 67108 floats, 16 values each: 32 columns a group took 3.7 us
  // more).
  const std::uint64_t chunks =
      blocks_of(parts, std::min<std::uint64_t>(v.shape.chunk, q.sizes.accumulators / v.shape.part));
  const std::uint64_t lanes =
      is_cpu(on) ? 1
                 : std::clamp<std::uint64_t>(
                       std::bit_floor(at.columns / std::max<std::uint64_t>(on.compute_units, 1)), 4,
                       std::max<std::uint64_t>(std::bit_floor(v.fold.group_size / chunks), 32));
  const std::uint64_t strips = blocks_of(q.size.columns, lanes) * q.size.batch;
  described_launch& levels =
      add_fold_launch(q, "reduce_columns_levels",
                      std::min(strips, is_cpu(on) ? std::max<std::uint64_t>(cores, 1) : most_groups),
                      v.fold.group_size, work);
  levels.value("columns", number(q.size.columns)).value("count", number(parts));
  levels.value("n", number(strips)).value("lanes", number(lanes)).value("above", above);
  add_output(levels);
  levels.workspace("workspace");
  return call;
}

told tell(const reduce_columns_problem& q, const target& on, const described<reduce_columns_variant>& call) {
  const reduce_columns_variant& v = call.variant;
  told people;
  if (is_cpu(on)) {
    people.variant = "strips of " + std::to_string(v.shape.strip) + " columns, " +
                     (v.fold.wide ? "16-wide values" : "one value at a time");
  } else {
    people.variant = std::to_string(v.shape.lanes) + " lanes side by side, loads of " +
                     std::to_string(v.fold.vector) + " x " + q.in.type->name;
  }
  const bool two_launches = v.shape.cut && !v.shape.one_launch;
  people.variant += two_launches  ? ", two launches"
                    : v.shape.cut ? ", one launch whose last groups fold what the others left"
                                  : ", one launch";
  if (two_launches)
    people.rejected.push_back(
        {"one launch",
         "a group that folds a whole column would leave others without work, or its column has "
         "more than a work-item's registers hold; and the last groups would have much to fold, or nothing on "
         "this device orders one group's reads after another's writes"});
  const unsigned packet = on.choice.profile->reduce.vector_bytes;
  if (!is_cpu(on) && v.fold.vector * q.in.type->size < packet)
    people.rejected.push_back(
        {"loads of " + std::to_string(packet) + " bytes",
         "rows do not start at multiples of it, or have other elements left, or the accumulators' registers "
         "do not allow it"});
  return people;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const reduce_columns_problem& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

event reduce_columns(cl_command_queue queue, const reduce_columns_problem& asked,
                     const launch_options& options) {
  return detail::fold_matrices(detail::reduce_columns_variant::primitive, queue, asked, asked.size.columns,
                               options);
}

}  // namespace clwave
