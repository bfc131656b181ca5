// segmented_sort: what a call is, and the entry.
#include "primitives/segmented_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/merge_tiles.hpp"
#include "blocks/segments.hpp"
#include "blocks/sort_operands.hpp"
#include "call/count_on_host.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Kernels number the tiles of a segment in 32 bits.
constexpr std::uint64_t most_sorted_in_segments = std::uint64_t{1} << 40;

// A CPU's tile has up to so many bytes, which stay in a core's own caches with the room that they are merged
// to.
constexpr std::uint64_t cpu_bytes_of_tile = 256 << 10;

void check_types(const segmented_sort_question& q) {
  const std::string& offset = q.offsets.type->opencl_name;
  if (offset != "uint" && offset != "ulong")
    throw error(failure::bad_call, "offsets of " + q.offsets.type->name, CL_SUCCESS,
                {.primitive = std::string(segmented_sort_variant::primitive),
                 .types = q.keys.type->name,
                 .advice = "offsets are of 32 or 64 bits, without a sign"});
  check_sort_types(segmented_sort_variant::primitive, q);
}

// The largest power of two that a CPU's caches hold.
std::uint64_t cpu_tile_of(std::uint64_t element_bytes) {
  return std::max<std::uint64_t>(std::bit_floor(cpu_bytes_of_tile / element_bytes), 16);
}

}  // namespace

program_spec spec_of(const segmented_sort_variant& v) {
  program_spec spec;
  spec.primitive = segmented_sort_variant::primitive;
  add_key_comparison(spec, v.keys);
  add_merged_runs(spec, v.group_size);
  add_carried(spec, v.value_bytes);
  add_word(spec, "SUMS_LANES");
  add_word(spec, "OFFSET", v.wide_offsets ? "ulong" : "uint");
  add_word(spec, "SEGMENT_COST", std::to_string(segment_cost));
  add_word(spec, "SEGMENT_TILE", std::to_string(v.tile));
  if (v.counts_bad) add_word(spec, "COUNTS_BAD");
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  add_word(spec, "COUNTER_AT", std::to_string(workspace::counter_at));
  add_word(spec, "OWN_AT", std::to_string(workspace::own_at));
  return spec;
}

described<segmented_sort_variant> describe(const segmented_sort_question& q, const target& on) {
  check_types(q);
  check_segment_numbers(segmented_sort_variant::primitive, q.segments, q.n, most_sorted_in_segments, "sort");
  const element& key = *q.keys.type;
  const std::uint64_t value_bytes = q.values ? q.values->type->size : 0;
  described<segmented_sort_variant> call{
      {.keys = comparison_of(segmented_sort_variant::primitive, on, key, q.less, q.order),
       .value_bytes = value_bytes,
       .wide_offsets = q.offsets.type->size == 8,
       .counts_bad = q.counts_bad},
      {.n = q.n}};
  segmented_sort_variant& v = call.variant;
  const bool cpu = is_cpu(on);
  if (cpu) {
    v.tile = cpu_tile_of(key.size + value_bytes);
  } else {
    // Beside a tile's keys and places: where segments end and work-items are dealt out, or what waits in a
    // pass, which is at most so much for each work-item.
    constexpr std::uint64_t beside_each = 21;
    const merge_sizes sizes = sizes_of_merge(on, key.size, {.beside_item = beside_each, .of_segments = true});
    v.group_size = sizes.group_size;
    v.items = sizes.items;
    v.tile = std::uint64_t{v.group_size} * v.items;
  }
  described_work& work = call.work;
  work.operands.reserve(6);
  const auto add_operand = [&](const asked_operand& each, access use, std::uint64_t count,
                               std::string_view what) {
    work.operands.push_back(
        {use, counting{segmented_sort_variant::primitive, what}.bytes(each.offset, count, each.type->size)});
    return work.operands.size() - 1;
  };
  const std::size_t keys = add_operand(q.keys, access::reads, q.n, "the keys");
  const std::size_t offsets = add_operand(q.offsets, access::reads, q.segments + 1, "the offsets");
  const std::size_t keys_out =
      add_operand(q.keys_out, access::reads_and_writes, q.n, "the output of the keys");
  std::size_t values = 0, values_out = 0, bad = 0;
  if (q.values) {
    values = add_operand(*q.values, access::reads, q.n, "the values");
    values_out = add_operand(*q.values_out, access::reads_and_writes, q.n, "the output of the values");
  }
  if (q.counts_bad) {
    bad = work.operands.size();
    work.operands.push_back(
        {access::writes, counting{segmented_sort_variant::primitive, "the number of bad segments"}.bytes(
                             q.bad_offset, 1, 8)});
  }
  if (q.segments == 0) return call;

  const std::uint64_t at_once =
      std::uint64_t{on.compute_units} *
      (cpu ? on.choice.row->reduce.groups_per_unit : on.choice.row->merge.segment_groups_per_unit);
  const std::uint64_t groups = groups_of_segments(q.n, q.segments, at_once);
  const std::uint32_t passes = passes_of_merges(q.n, v.tile);
  // The workspace: a word, and the spare rooms, where a GPU has more than a tile.
  const counting room{segmented_sort_variant::primitive, "the workspace"};
  const std::uint64_t spare_n = cpu || passes > 0 ? q.n : 0;
  const std::uint64_t spare_at = workspace::own_at + workspace::part_alignment;
  const std::uint64_t values_at =
      round_up(room.plus(spare_at, room.times(spare_n, key.size)), workspace::part_alignment);
  work.workspace_bytes = room.plus(values_at, room.times(spare_n, value_bytes)) - workspace::own_at;
  work.zeroed_bytes = workspace::own_at - workspace::counter_at;

  work.launches.reserve(std::size_t{2} + passes);
  const auto add_segments = [&](described_launch& launch) {
    launch.value("n", q.n).buffer("offsets", offsets).value("offsets_offset", q.offsets.offset);
    launch.value("segments", static_cast<std::uint32_t>(q.segments));
  };
  const auto add_rooms = [&](described_launch& launch) {
    launch.buffer("out", keys_out).value("out_offset", q.keys_out.offset);
    if (q.values) launch.buffer("values_out", values_out).value("values_out_offset", q.values_out->offset);
    launch.workspace("workspace").value("spare_at", spare_at);
    if (q.values) launch.value("values_spare_at", values_at);
  };
  const auto add_launch = [&](const char* kernel) -> described_launch& {
    return work.launch(kernel, groups, v.group_size);
  };
  described_launch& check = add_launch("segmented_sort_check");
  add_segments(check);
  check.workspace("workspace");
  described_launch& tiles = add_launch("segmented_sort_tiles").values({}, {}, v.keys.less->values);
  tiles.buffer("keys", keys).value("keys_offset", q.keys.offset);
  if (q.values) tiles.buffer("values", values).value("values_offset", q.values->offset);
  add_segments(tiles);
  add_rooms(tiles);
  if (q.counts_bad) tiles.buffer("bad", bad).value("bad_offset", q.bad_offset);
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    described_launch& merges = add_launch("segmented_sort_pass").values({}, {}, v.keys.less->values);
    add_segments(merges);
    add_rooms(merges);
    merges.value("pass", pass);
  }
  return call;
}

told tell(const segmented_sort_question& q, const target& on, const described<segmented_sort_variant>& call) {
  const segmented_sort_variant& v = call.variant;
  const std::uint32_t passes = passes_of_merges(q.n, v.tile);
  told people;
  people.variant = name_of_order(v.keys) + ", segments of up to " + std::to_string(v.tile) + " keys " +
                   (is_cpu(on) ? "by one work-item" : "in local memory, several at a time") +
                   ", then up to " + std::to_string(passes) + (passes == 1 ? " pass" : " passes") +
                   " of merges of longer ones";
  if (passes > 0)
    people.rejected.push_back({"no passes",
                               "the host does not know how long segments are; passes end at once where "
                               "none is as long"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

namespace {

event start(const call_site& site, const segmented_sort_call& call, const launch_options& options,
            bool wanted) {
  if (call.offsets.n == 0)
    refuse(segmented_sort_variant::primitive, "there are no offsets",
           "give one offset more than there are segments");
  if (call.bad && call.bad->n == 0)
    refuse(segmented_sort_variant::primitive, "the view of the number of bad segments has no element");
  std::array<call_operand, 6> all;
  std::array<const element*, 6> types;
  std::array<cl_mem, 6> buffers;
  std::size_t count = 0;
  const auto add = [&](const operand& view, access use, std::string_view name, bool moved,
                       bool gives_its_place = false) {
    types[count] = view.type;
    buffers[count] = view.n > 0 ? view.buffer : nullptr;
    all[count] = {
        .view = moved ? as_bits(view) : view, .use = use, .name = name, .gives_its_place = gives_its_place};
    if (use == access::reads_and_writes) all[count].reach = call.keys.n;
    return count++;
  };
  // Numbers are compared by their bits, and values are moved.
  const bool numbers = call.less == nullptr;
  add(call.keys, access::reads, "the keys", numbers, true);
  add(call.offsets, access::reads, "the offsets", false);
  add(call.keys_out, access::reads_and_writes, "the output of the keys", numbers);
  if (call.values) {
    add(*call.values, access::reads, "the values", true, true);
    add(*call.values_out, access::reads_and_writes, "the output of the values", true);
  }
  operand bad = {};
  if (call.bad) {
    bad = {call.bad->buffer, 1, call.bad->offset, call.bad->type};
    add(bad, access::writes, "the number of bad segments", false);
  }
  const checked_operands checked =
      check_operands(site, segmented_sort_variant::primitive, {all.data(), count});
  if (call.values && call.values->n != call.keys.n)
    refuse(segmented_sort_variant::primitive, "there are " + std::to_string(call.keys.n) + " keys and " +
                                                  std::to_string(call.values->n) + " values");
  // What gives its place gives it to its own output alone.
  const auto share = [](const operand& a, const operand& b) {
    return a.n > 0 && b.n > 0 && in_one_place(a, b);
  };
  if (call.values && (share(call.keys, *call.values_out) || share(*call.values, call.keys_out)))
    refuse(segmented_sort_variant::primitive,
           "the keys and the output of the values overlap, or the values and the output of the keys");
  const std::span<const cl_event> after =
      check_events(site, options.after, segmented_sort_variant::primitive);
  const auto asked = [&](std::size_t k) {
    asked_operand each = checked[k];
    each.type = types[k];
    return each;
  };
  segmented_sort_question q{.keys = asked(0),
                            .offsets = asked(1),
                            .keys_out = asked(2),
                            .n = call.keys.n,
                            .segments = call.offsets.n - 1,
                            .order = call.order,
                            .less = call.less,
                            .counts_bad = call.bad.has_value(),
                            .bad_offset = bad.offset};
  if (call.values) {
    q.values = asked(3);
    q.values_out = asked(4);
  }
  const auto ready = fit(site, q);
  if (ready.code == nullptr && call.bad) {  // no segments
    constexpr std::uint64_t zero = 0;
    return fill_elements(site.queue, bad, &zero, options);
  }
  return enqueue(site, ready, {buffers.data(), count}, after, wanted,
                 {segmented_sort_variant::primitive, &options.workspace, &checked});
}

}  // namespace

event segmented_sort(cl_command_queue queue, const segmented_sort_call& call, const launch_options& options) {
  return start(site_of(queue, segmented_sort_variant::primitive), call, options, options.with_event);
}

void checked_segmented_sort(cl_command_queue queue, const segmented_sort_call& call,
                            const launch_options& options) {
  const call_site site = site_of(queue, segmented_sort_variant::primitive);
  const std::uint64_t bad =
      count_on_host(site, options, [&](const operand& count, const launch_options& now) {
        segmented_sort_call counted = call;
        counted.bad = count;
        return start(site, counted, now, true);
      });
  if (bad == 0) return;
  throw error(
      failure::bad_call,
      std::to_string(bad) + " of " + std::to_string(call.offsets.n - 1) + " segments are bad", CL_SUCCESS,
      {.primitive = std::string(segmented_sort_variant::primitive),
       .types = call.keys.type->name,
       .advice = "offsets may not fall, nor pass the input's " + std::to_string(call.keys.n) + " elements"});
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const segmented_sort_question& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

}  // namespace clwave
