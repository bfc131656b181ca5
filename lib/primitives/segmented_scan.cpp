// segmented_scan: what a call is, and the entry.
#include "primitives/segmented_scan.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/fold.hpp"
#include "blocks/identity.hpp"
#include "blocks/segments.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Kernels number the blocks of a segment in 32 bits.
constexpr std::uint64_t most_scanned_in_segments = std::uint64_t{1} << 40;

// A window is 256 runs: four for each work-item, whose elements fit into registers, and groups so small that
// barriers are cheap and many run at once. Not tuned.
constexpr unsigned small_group = 64;

// What a work-item takes alone costs it one access after the other; a group takes as long for a few strips as
// for a block. Not tuned.
constexpr unsigned short_segment = 32;

// A part's begins are told as 16 bits, and of a window which words have begins and, twice, which strips it
// has as the bits of one word each.
constexpr std::uint64_t most_of_part = 32768, most_of_window = 1024, most_strips_of_window = 16;

// Groups of some more parts than run at once: parts begin and end where units of segments do, which makes
// some longer than others. Not tuned. Scans by key of 2^26 floats on an H100, us, inclusive with runs of 16
// and of 1000, exclusive of 16 (CUB 310, 310, 308): 2 parts 322, 384, 339; 4 332, 393, 344; 8 331, 400.
constexpr std::uint64_t parts_of_group = 2;

// Registers of a work-item there, where a compiler takes a limit and results have 4 bytes: as few as they fit
// into, so that more groups run at once. Not tuned. The same, with 4 parts: 56 335, 391, 345; 64 332, 393,
// 344; 72 330, 401, 342; 80 343, 431, 353.
constexpr unsigned registers_of_held = 64;

// Work-items of a unit that are taken to run at a time where offsets tell segments, of groups that fit into
// those registers; twice as many are launched. More than run, for parts take unlike times. H200, us, 2^18
// segments by a power law and 16 of 2^22: 768 without a limit of registers 325 and 260; with 64 1024 301 and
// 242 (2^14 of 1024 and of 999 53 and 66; 58 and 75 by the former), 1536 278 and 249, 2048 - and 250, 3072
// 274 and -; 896 with 72 309.
constexpr std::uint64_t at_once_by_offsets = 1536;

// Of how many elements on average segments are told by bits where offsets are given. H200, us, by bits and by
// offsets, before both were made faster: 2^20 of 16 77 and 85, 2^20 of 61 220 and 451; 2^14 of 1024 70 and
// 58, of 999 89 and 74; 16 of 2^22 297 and 274; and now 2^18 by a power law, which have 254 on average, 321
// and 278 (CUB 78, 262, 79, 77, 274 and 272).
constexpr std::uint64_t least_by_begins = 16, most_by_begins = 239;
bool pays_by_begins(std::uint64_t n, std::uint64_t segments) {
  return n / least_by_begins >= segments && n / (most_by_begins + 1) < segments;
}

// Whether bits can tell segments, to groups of so many. Elements and results wait in one place.
bool goes_by_begins(const segmented_scan_problem& q, const scan_sizes& sizes, unsigned group_size) {
  const std::uint64_t window = std::uint64_t{sizes.run} * sizes.runs * sizes.strips;
  const std::uint64_t own = window / group_size;
  return q.out.type->size <= 8 && q.in.type->size <= 16 && window % 32 == 0 && window <= most_of_window &&
         group_size % 32 == 0 && window % group_size == 0 && 32 % own == 0 && own % sizes.run == 0 &&
         sizes.runs > 1 && sizes.run * sizes.runs >= own && sizes.strips <= most_strips_of_window;
}

// Whether groups pass the folds of a segment's blocks to each other by messages, which saves a launch that
// folds tiles. Only where all groups run at a time, so that none waits for one that has not begun. H200,
// scans by key of 2^20 floats with runs of 1, 16 and 1000, us: 12.3, 12.5 and 21.8; by tiles that a launch
// folds 14.8, 14.9 and 24.4, by blocks that it folds 15.4, 15.4 and 24.8, the latter by groups of 128
// work-items 15.1, 15.4 and 21.1 (CUB 12.6, 12.6 and 12.5).
bool tells_of_blocks(const segmented_scan_shape& shape, std::uint64_t n) {
  const scan_variant& v = shape.variant.scan;
  return n / v.sizes.tile() < shape.at_once && shape.variant.tile / v.sizes.tile() <= v.group_size;
}

}  // namespace

std::uint64_t unit_by_begins(const segmented_scan_variant& v) {
  return v.messages.one_pass ? v.scan.sizes.tile() : v.tile;
}

std::uint64_t part_by_begins(const segmented_scan_shape& shape, std::uint64_t n, std::uint64_t unit) {
  const std::uint64_t parts = std::max<std::uint64_t>(parts_of_group * shape.at_once, 1);
  const std::uint64_t most = std::min<std::uint64_t>(unit_by_begins(shape.variant), most_of_part) / unit;
  return std::clamp<std::uint64_t>(n / parts / unit, 1, most) * unit;
}

begins_places begins_places_of(const segmented_scan_variant& v, std::uint64_t parts, std::uint64_t part) {
  constexpr std::uint64_t aligned = workspace::part_alignment;
  begins_places at;
  at.parts = workspace::own_at + round_up(parts * part / 8, aligned);
  at.results = at.parts + round_up(parts * 4, aligned);
  const std::uint64_t bytes = v.scan.accumulator->size;
  at.end =
      at.results + (v.messages.one_pass ? parts * blocks_of(bytes, 4) * 8 : parts * part / v.tile * bytes);
  return at;
}

scan_sizes sizes_of(const segmented_scan_problem& q) {
  return q.sizes.value_or(scan_sizes::of_results_of(q.out.type->size));
}

program_spec spec_of(const segmented_scan_variant& v) {
  return spec_of_segmented_scan(segmented_scan_variant::primitive, v);
}

program_spec spec_of_segmented_scan(std::string_view primitive, const segmented_scan_variant& v) {
  program_spec spec = spec_of_scan(primitive, v.scan);
  add_modules(spec, {"blocks/segments.cl", "blocks/scan_carry.cl"});
  add_word(spec, "SCAN_IN_BLOCKS");
  add_word(spec, "SEGMENT_TILE", std::to_string(v.tile));
  // Parts are shared out by their elements alone.
  add_word(spec, "SEGMENT_COST", v.by_begins ? "0" : std::to_string(segment_cost));
  add_word(spec, "OFFSET", stored_name(*v.offset));
  if (v.by_begins) {
    add_modules(spec, {"blocks/scan_begins.cl", "primitives/segmented_scan_begins.cl"});
    add_messages(spec, v.messages);
    if (v.messages.one_pass) {
      add_word(spec, "BEGINS_IN_ONE_PASS");
      add_word(spec, "IN_PLACE");  // as it may be
    }
  } else {
    add_modules(spec, {"primitives/segmented_scan.cl"});
    if (v.scan.way == scan_way::held) {
      add_modules(spec, {"blocks/scan_slots.cl"});
      add_word(spec, "SCAN_STAGED");
    }
  }
  add_word(spec, "SEGMENT_OWN", std::to_string(v.own));
  if (v.counts_bad) add_word(spec, "COUNTS_BAD");
  add_segment_count(spec, v.count_bytes);
  return spec;
}

segmented_scan_shape shape_segmented_scan(std::string_view primitive, const segmented_scan_problem& q,
                                          const target& on) {
  const folding folded{q.in.type, q.out.type, q.fold, q.apply};
  check_scan(primitive, folded, on);
  const scan_sizes sizes = sizes_of(q);
  scan_sizes of_block = sizes;
  of_block.blocks = 1;
  const unsigned strip = sizes.run * sizes.runs;
  segmented_scan_shape shape{
      {.scan =
           {.value = q.in.type,
            .accumulator = q.out.type,
            .fold = q.fold,
            .apply = q.apply,
            .exclusive = q.exclusive,
            .started = q.start != nullptr,
            .by_element = q.in.alignment < std::min<std::size_t>(low_bit(q.in.type->size), 16),
            .numbers = {.group_size = 0, .looks = 0, .first_pause = 0, .next_pause = 0, .fetched_ahead = 0},
            .sizes = of_block},
       .offset = q.offsets.type,
       .tile = static_cast<unsigned>(sizes.tile()),
       .own = is_cpu(on) ? strip : std::min(strip, short_segment),
       .counts_bad = q.bad.has_value()},
      0};
  scan_variant& v = shape.variant.scan;
  const tuning& tuned = on.choice.profile->reduce;
  shape.at_once = std::uint64_t{on.compute_units} * tuned.groups_per_unit;
  if (is_cpu(on)) {
    if (has_wide_runs(folded, of_block, on)) {
      v.way = scan_way::wide;
      v.numbers.fetched_ahead = on.choice.profile->scan.fetched_ahead;
    }
  } else {
    v.group_size = std::max(group_size_within(on, small_group), on.choice.lanes);
    shape.at_once = shape.at_once * tuned.group_size / v.group_size;
    const unsigned runs = sizes.runs * sizes.strips;
    if (q.out.type->size <= 8 && runs % v.group_size == 0) {
      v.way = scan_way::held;
      v.under_way = runs / v.group_size;
      shape.variant.by_begins =
          goes_by_begins(q, sizes, v.group_size) && (q.segments == 0 || pays_by_begins(q.in.n, q.segments));
    }
    if (shape.variant.by_begins && tells_of_blocks(shape, q.in.n)) {
      shape.variant.messages = messages_for(on, q.in.n);
      shape.variant.messages.count_words = 0;
    }
    if (v.way == scan_way::held && q.out.type->size <= 4) v.numbers.registers = registers_of_held;
    if (v.way == scan_way::held && !shape.variant.by_begins)
      shape.at_once = std::max(shape.at_once, on.compute_units * at_once_by_offsets / v.group_size);
  }
  return shape;
}

namespace {

// The launches where bits tell segments.
void describe_by_begins(const segmented_scan_problem& q, const segmented_scan_shape& shape,
                        described_work& work) {
  const segmented_scan_variant& v = shape.variant;
  const std::uint64_t part = part_by_begins(shape, q.in.n, v.scan.sizes.tile());
  const std::uint64_t parts = std::max<std::uint64_t>(blocks_of(q.in.n, part), 1);
  const begins_places at = begins_places_of(v, parts, part);
  work.workspace_bytes = at.end - workspace::own_at;
  work.zeroed_bytes = workspace::own_at - workspace::counter_at;
  work.launches.reserve(3);
  const std::size_t count = work.operands.size() - 1;
  const auto add_offsets = [&](described_launch& to) {
    to.value("n", q.in.n).buffer("offsets", 1).value("offsets_offset", q.offsets.offset);
    add_segment_number(to, q.segments, q.offsets.count, count);
    to.workspace("workspace").value("part", static_cast<std::uint32_t>(part)).value("parts_at", at.parts);
  };
  described_launch& begins = work.launch("segmented_scan_begins", parts, v.scan.group_size);
  add_offsets(begins);
  begins.value("results_at", at.results);
  const auto add_scan = [&](const char* kernel) -> described_launch& {
    described_launch& scans = work.launch(kernel, parts, v.scan.group_size);
    scans.values(q.fold->values, q.apply->values).buffer("x", 0).value("x_offset", q.in.offset);
    add_offsets(scans);
    return scans.value("results_at", at.results);
  };
  if (q.in.n > v.tile && !v.messages.one_pass) add_scan("segmented_scan_folds");
  described_launch& scans = add_scan("segmented_scan");
  scans.buffer("out", 2).value("out_offset", q.out.offset);
  scans.element("start", *q.out.type);
  if (q.bad) scans.buffer("bad", 3).value("bad_offset", q.bad->offset);
}

}  // namespace

described<segmented_scan_variant> describe(const segmented_scan_problem& q, const target& on) {
  check_segment_types(segmented_scan_variant::primitive, q.in, q.offsets, q.out, q.bad);
  const segmented_scan_shape shape = shape_segmented_scan(segmented_scan_variant::primitive, q, on);
  check_segment_numbers(segmented_scan_variant::primitive, q.segments, q.in.n, most_scanned_in_segments,
                        "scan");
  described<segmented_scan_variant> call{shape.variant, {.n = q.in.n}};
  call.variant.count_bytes = count_bytes_of_segments(segmented_scan_variant::primitive, q.offsets);
  described_work& work = call.work;
  work.operands = operands_of_segments(segmented_scan_variant::primitive, q, q.in.n);
  const scan_variant& v = call.variant.scan;
  if (q.segments == 0 || (q.in.n == 0 && !q.bad)) return call;

  // Asks whether there is one, where it will be needed.
  if (q.exclusive && q.start == nullptr) identity_of(segmented_scan_variant::primitive, *q.fold, *q.out.type);
  if (shape.variant.by_begins) {
    describe_by_begins(q, shape, work);
    return call;
  }
  const std::uint64_t groups = groups_of_segments(q.in.n, q.segments, shape.at_once);
  work.workspace_bytes = counting{segmented_scan_variant::primitive, "the workspace"}.times(
      q.in.n / call.variant.tile, q.out.type->size);
  work.zeroed_bytes = workspace::own_at - workspace::counter_at;
  work.launches.reserve(2);
  const std::size_t count = work.operands.size() - 1;
  const auto add_launch = [&](const char* kernel) -> described_launch& {
    described_launch& launch = work.launch(kernel, groups, v.group_size)
                                   .values(q.fold->values, q.apply->values)
                                   .buffer("x", 0)
                                   .value("x_offset", q.in.offset)
                                   .value("n", q.in.n)
                                   .buffer("offsets", 1)
                                   .value("offsets_offset", q.offsets.offset);
    add_segment_number(launch, q.segments, q.offsets.count, count);
    return launch;
  };
  const std::uint64_t results_at = workspace::own_at;
  add_launch("segmented_scan_folds").workspace("workspace").value("results_at", results_at);
  described_launch& scans = add_launch("segmented_scan");
  scans.buffer("out", 2).value("out_offset", q.out.offset);
  scans.element("start", *q.out.type);
  scans.workspace("workspace").value("results_at", results_at);
  if (q.bad) scans.buffer("bad", 3).value("bad_offset", q.bad->offset);
  return call;
}

std::string way_of_segmented_scan(const segmented_scan_variant& segments, const target& on) {
  const scan_variant& v = segments.scan;
  std::string way =
      is_cpu(on) ? "one work-item per group" : std::to_string(v.group_size) + " work-items per group";
  if (segments.by_begins)
    return way + ", " + std::to_string(v.sizes.tile()) +
           " neighbouring elements at a time, a bit of each for where segments begin" +
           (segments.messages.one_pass ? ", of whose blocks groups tell each other" : "");
  way += ", segments of up to " + std::to_string(segments.own) + " elements by one, ";
  if (v.way == scan_way::held)
    way += "of up to " + std::to_string(v.sizes.tile() / 2) +
           " several at a time, others by blocks held in registers";
  else
    way += v.way == scan_way::wide ? "others by blocks, 16 runs side by side" : "others by blocks";
  return way;
}

told tell(const segmented_scan_problem&, const target& on, const described<segmented_scan_variant>& call) {
  const bool three = call.work.launches.size() > 2;
  told people{.variant =
                  way_of_segmented_scan(call.variant, on) + (three ? ", three launches" : ", two launches")};
  people.variant += words_of_segment_count(call.variant.count_bytes);
  if (call.variant.scan.way == scan_way::held && !call.variant.by_begins)
    people.rejected.push_back({"a bit of each element for where segments begin",
                               "it pays where these have " + std::to_string(least_by_begins) + " to " +
                                   std::to_string(most_by_begins) +
                                   " elements on average, and takes no large ones"});
  people.rejected.push_back(
      {"one launch",
       "where offsets fall no result is written, and a segment may have tiles of several groups"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

event segmented_scan(cl_command_queue queue, const segmented_scan_problem& asked,
                     const launch_fields& options) {
  const call_site site = site_of(queue, segmented_scan_variant::primitive);
  segmented_scan_problem q = asked;
  const segment_operands operands(segmented_scan_variant::primitive,
                                  {q.in, q.offsets, q.out, q.bad, /*reach=*/std::nullopt, /*in_place=*/true});
  const checked_operands checked = check_operands(site, segmented_scan_variant::primitive, operands.all());
  if (q.in.n != q.out.n)
    refuse(segmented_scan_variant::primitive,
           "the input has " + std::to_string(q.in.n) + " elements, the output " + std::to_string(q.out.n));
  const std::span<const cl_event> after =
      check_events(site, options.after, segmented_scan_variant::primitive);
  for (std::size_t k = 0; any_view* const view : {&q.in, &q.offsets, &q.out}) checked.place(k++, *view);
  q.segments = q.offsets.n - 1;
  auto ready = fit(site, q);
  if (ready.code == nullptr && q.bad) {
    constexpr std::uint64_t zero = 0;
    return fill_elements(site.queue, operands.bad(), &zero, options);
  }
  set_start(segmented_scan_variant::primitive, ready.call.work, *q.fold, *q.out.type, q.exclusive, q.start);
  return enqueue(site, ready, operands.buffers(), after, options.with_event,
                 {segmented_scan_variant::primitive, &options.workspace, &checked});
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const segmented_scan_problem& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

event segmented_scan(cl_command_queue queue, const segmented_scan_problem& asked,
                     const launch_options& options) {
  return detail::segmented_scan(queue, asked, options);
}

}  // namespace clwave
