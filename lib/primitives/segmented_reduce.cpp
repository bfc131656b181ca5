// segmented_reduce: what a call is, and the entry.
#include "primitives/segmented_reduce.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/fold.hpp"
#include "blocks/identity.hpp"
#include "blocks/segments.hpp"
#include "call/count_on_host.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// Kernels number the tiles of a segment in 32 bits.
constexpr std::uint64_t most_reduced_in_segments = std::uint64_t{1} << 43;

bool has_identity(const op& fold) {
  return !is_indexed(fold) && (fold.kind != op_kind::user || !fold.identity.empty());
}

}  // namespace

program_spec spec_of(const segmented_reduce_variant& v) {
  program_spec spec = spec_of_fold(segmented_reduce_variant::primitive, v.fold, index_way::paired);
  add_fold_of_tiles(spec, v.fold.group_size);
  add_fold_identities(spec, *v.fold.fold);
  add_modules(spec, {"primitives/segmented_reduce.cl"});
  add_modules(spec, {v.fold.group_size > 1 ? "primitives/segmented_reduce_groups.cl"
                                           : "primitives/segmented_reduce_serial.cl"});
  add_segments(spec, v.shape);
  add_word(spec, "OFFSET", stored_name(*v.offset));
  add_word(spec, "SEGMENT_TILE", std::to_string(v.fold.sizes.tile));
  add_word(spec, "SEGMENT_COST", std::to_string(segment_cost));
  if (!v.shape.identity) add_word(spec, "NO_IDENTITY");
  if (v.shape.levels) add_word(spec, "SEGMENT_LEVELS");
  if (v.shape.counts_bad) add_word(spec, "COUNTS_BAD");
  add_segment_count(spec, v.count_bytes);
  return spec;
}

described<segmented_reduce_variant> describe(const segmented_reduce_problem& q, const target& on) {
  check_segment_types(segmented_reduce_variant::primitive, q.in, q.offsets, q.out, q.bad);
  check_folding(segmented_reduce_variant::primitive, {q.in.type, q.out.type, q.fold, q.apply}, false);
  check_values(segmented_reduce_variant::primitive, on, *q.fold);
  check_values(segmented_reduce_variant::primitive, on, *q.apply);
  check_segment_numbers(segmented_reduce_variant::primitive, q.segments, q.in.n, most_reduced_in_segments,
                        "reduce");
  described<segmented_reduce_variant> call{
      {.fold = {.value = q.in.type,
                .accumulator = q.out.type,
                .fold = q.fold,
                .apply = q.apply,
                .contiguous = !q.fold->commutative,
                .sizes = q.sizes},
       .offset = q.offsets.type,
       .count_bytes = count_bytes_of_segments(segmented_reduce_variant::primitive, q.offsets)},
      {.n = q.in.n}};
  segmented_reduce_variant& v = call.variant;
  described_work& work = call.work;
  work.operands = operands_of_segments(segmented_reduce_variant::primitive, q, q.segments);
  const std::size_t count = work.operands.size() - 1;

  const tuning& tuned = on.choice.profile->reduce;
  std::uint64_t at_once = std::uint64_t{on.compute_units} * tuned.groups_per_unit;
  shape_segments(q.in, on, v.fold, v.shape);
  if (!is_cpu(on)) {
    v.fold.group_size = on.choice.lanes;
    at_once = at_once * tuned.group_size / v.fold.group_size;
  }
  v.shape.identity = has_identity(*q.fold);
  v.shape.counts_bad = q.bad.has_value();
  v.shape.levels = v.shape.counts_bad || q.in.n > q.sizes.tile;
  if (q.segments == 0) return call;

  const std::uint64_t groups = groups_of_segments(q.in.n, q.segments, at_once);
  // The last tiles of two long segments do not begin within a tile's length.
  const std::uint64_t capacity =
      std::min(((q.in.n + q.segments * segment_cost) / groups + 1) / q.sizes.tile + 2, q.segments);
  const std::uint64_t results = round_up(counting{segmented_reduce_variant::primitive, "the workspace"}.times(
                                             2 * (q.in.n / q.sizes.tile), q.out.type->size),
                                         16);
  if (v.shape.levels) {
    work.workspace_bytes = results + groups * (capacity + 1) * 4;
    work.zeroed_bytes = workspace::own_at - workspace::counter_at;
  }
  const auto identity = v.shape.identity && q.fold->kind != op_kind::user
                            ? identity_of(segmented_reduce_variant::primitive, *q.fold, *q.out.type)
                            : std::nullopt;
  work.launches.reserve(2);
  const auto add_launch = [&](const char* kernel) -> described_launch& {
    return work.launch(kernel, groups, v.fold.group_size).values(q.fold->values, q.apply->values);
  };
  const auto add_segments = [&](described_launch& launch) {
    launch.value("n", q.in.n).buffer("offsets", 1).value("offsets_offset", q.offsets.offset);
    add_segment_number(launch, q.segments, q.offsets.count, count);
    launch.buffer("out", 2).value("out_offset", q.out.offset);
    launch.element("identity", *q.out.type);
    if (identity) launch.set_element("identity", identity->data());
    if (!v.shape.levels) return;
    launch.value("capacity", static_cast<std::uint32_t>(capacity))
        .value("lists_at", workspace::own_at + results);
    launch.workspace("workspace");
  };
  described_launch& folds = add_launch("segmented_reduce");
  folds.buffer("x", 0).value("x_offset", q.in.offset);
  add_segments(folds);
  if (!v.shape.levels) return call;
  described_launch& levels = add_launch("segmented_reduce_levels");
  add_segments(levels);
  if (q.bad) levels.buffer("bad", 3).value("bad_offset", q.bad->offset);
  return call;
}

told tell(const segmented_reduce_problem& q, const target& on,
          const described<segmented_reduce_variant>& call) {
  const segmented_reduce_variant& v = call.variant;
  told people;
  if (is_cpu(on)) {
    people.variant =
        std::string("one work-item per group, ") + (v.fold.wide ? "16-wide values" : "one value at a time");
  } else {
    people.variant = "one set of " + std::to_string(v.fold.group_size) +
                     " lanes per group, segments of up to " + std::to_string(v.shape.own) +
                     " elements by one lane";
    if (v.shape.slots > 1)
      people.variant += ", of up to " + std::to_string(v.fold.group_size * v.fold.vector) + " " +
                        std::to_string(v.shape.slots) + " at a time";
    if (v.shape.packets)
      people.variant += ", loads of " + std::to_string(v.fold.vector) + " x " + q.in.type->name;
  }
  people.variant += call.work.launches.size() > 1 ? ", two launches" : ", one launch";
  people.variant += words_of_segment_count(v.count_bytes);
  if (!is_cpu(on) && v.fold.contiguous)
    people.rejected.push_back(
        {"several segments at a time", "a non-commutative operator takes its elements in index order"});
  if (call.work.launches.size() > 1)
    people.rejected.push_back(
        {"one launch", q.in.n > q.sizes.tile ? "a segment may have tiles of several groups"
                                             : "bad segments are counted when all groups have seen theirs"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

namespace {

event start(const call_site& site, segmented_reduce_problem q, const launch_fields& options, bool wanted) {
  // Without offsets the constructor throws.
  q.segments = std::max<std::uint64_t>(q.offsets.n, 1) - 1;
  const segment_operands operands(segmented_reduce_variant::primitive,
                                  {q.in, q.offsets, q.out, q.bad, /*reach=*/q.segments, /*in_place=*/false});
  return carry_out({site, segmented_reduce_variant::primitive, options, wanted}, q, operands.all(),
                   {&q.in, &q.offsets, &q.out}, q.bad ? &operands.bad() : nullptr);
}

}  // namespace

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const segmented_reduce_problem& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

event segmented_reduce(cl_command_queue queue, const segmented_reduce_problem& asked,
                       const launch_options& options) {
  return detail::start(detail::site_of(queue, detail::segmented_reduce_variant::primitive), asked, options,
                       options.with_event);
}

void checked_segmented_reduce(cl_command_queue queue, const segmented_reduce_problem& asked,
                              const launch_options& options) {
  constexpr std::string_view primitive = detail::segmented_reduce_variant::primitive;
  const detail::call_site site = detail::site_of(queue, primitive);
  const std::uint64_t bad =
      detail::count_on_host(site, options, asked, &segmented_reduce_problem::bad, detail::start);
  if (bad == 0) return;
  const bool empty = !detail::has_identity(*asked.fold);
  throw error(failure::bad_call, detail::words_of_bad_segments(bad, asked.offsets), CL_SUCCESS,
              {.primitive = std::string(primitive),
               .op = asked.fold->name,
               .advice = std::string("offsets may not fall, nor pass the input's ") +
                         std::to_string(asked.in.n) + " elements" +
                         (empty ? ", and an operator without an identity takes no empty segments" : "")});
}

}  // namespace clwave
