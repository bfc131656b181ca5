// scan_by_key: what a call is, and the entry.
#include "primitives/scan_by_key.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "blocks/fold.hpp"
#include "blocks/identity.hpp"
#include "blocks/segments.hpp"
#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

// Kernels number segments in 32 bits, and each key may be a run of its own. So offsets have 32 bits, too.
constexpr std::uint64_t most_scanned_by_key = std::uint64_t{1} << 31;
const element& offset_type() { return element_of<std::uint32_t>(); }
constexpr std::uint64_t offset_bytes = 4;

// How many runs there are is known on the device alone, where fewer or more groups than are best for them do
// no harm.
constexpr std::uint64_t usual_run = 16;

// What the scans of the runs are, whose offsets lie in the workspace.
segmented_scan_problem problem_of_runs(const scan_by_key_problem& q) {
  segmented_scan_problem runs{.in = q.values,
                              .offsets = offset_type(),
                              .out = q.out,
                              .fold = q.fold,
                              .apply = q.apply,
                              .exclusive = q.exclusive,
                              .start = q.start,
                              .sizes = q.sizes};
  runs.in.n = q.keys.n;
  return runs;
}

std::uint64_t tile_of(const scan_by_key_variant& v) {
  return std::uint64_t{v.segments.scan.group_size} * v.keys.items * v.keys.vector;
}

// Groups are those that scan, and a tile of keys is what they have local memory for: each key and its place
// (cl_kernels/blocks/select_tile.cl).
key_shape shape_of(const scan_by_key_problem& q, const target& on, unsigned group_size) {
  const std::size_t in_local = q.keys.type->size + 2;
  const std::uint64_t local = local_bytes_of(on);
  if (is_cpu(on))
    return {.items = static_cast<unsigned>(
                std::max<std::uint64_t>(std::min(cpu_tile_bytes, local / 2) / in_local, 1))};
  constexpr std::uint64_t beside = 3 << 10;
  unsigned elements = elements_of_item(q.keys.type->size, on.choice.profile->select.items);
  while (group_size * elements * in_local + beside > local && elements > 1) elements /= 2;
  return shape_keys(q.keys, elements);
}

// The same where each key has a bit, of whose tile parts have some, and a work-item its bits in one word.
// Several packets are in flight at a time, and more groups hide the time for which they wait. Not tuned.
constexpr unsigned keys_of_item = 16;
key_shape shape_of_begins(const scan_by_key_problem& q, const target& on, const segmented_scan_variant& v) {
  const unsigned elements =
      std::min({elements_of_item(q.keys.type->size, on.choice.profile->select.items), keys_of_item,
                static_cast<unsigned>(unit_by_begins(v) / v.scan.group_size)});
  return shape_keys(q.keys, std::bit_floor(elements));
}

// Where what lies behind one another in the workspace begins: what is told of tiles of keys, the folds of
// tiles of long runs, how many runs there are, and their offsets.
struct workspace_places {
  std::uint64_t results, runs, offsets, end;
};

workspace_places places_of(const scan_by_key_problem& q, const scan_by_key_variant& v, std::uint64_t told) {
  constexpr std::uint64_t unit = workspace::part_alignment;
  workspace_places at;
  at.results = workspace::own_at + round_up(told, unit);
  at.runs = at.results + round_up(q.keys.n / v.segments.tile * q.out.type->size, unit);
  at.offsets = at.runs + unit;
  at.end = at.offsets + (q.keys.n + 1) * offset_bytes;
  return at;
}

// What a group takes in one launch: a little less than a unit, which it can take at a time, so that it seldom
// has to take two behind one another, where runs begin anywhere. H200, us of 2^20 floats with runs of 1, 17,
// 1000 and 1024: 1024 a part 10.5, 11.9, 13.4 and 11.2; 960 10.7, -, 11.7 and -; 896 10.9, 11.1, 11.9
// and 12.0 (CUB 12.6); with groups of 128, 1024 a part 10.3, 12.2, 13.1 and 11.2, 896 10.9, 11.0, 11.9
// and 11.8.
std::uint64_t part_in_one_launch(const scan_by_key_variant& v) {
  const std::uint64_t unit = unit_by_begins(v.segments), part = unit / 16 * 15 / 32 * 32;
  return part > 0 ? part : unit;
}

// The launch where groups tell each other of runs: of each part's begins a message of one word, and one of a
// block of its last run.
void describe_in_one_launch(const scan_by_key_problem& q, const scan_by_key_variant& v, described_work& work,
                            std::size_t counted) {
  const std::uint32_t head = head_of_keys(q.keys, v.keys);
  const std::uint64_t parts = blocks_of(q.keys.n + head, part_in_one_launch(v));
  const std::uint64_t results_at = workspace::own_at + parts * 8;
  work.messages = true;
  work.workspace_bytes = parts * 8 * (1 + blocks_of(q.out.type->size, 4));
  work.zeroed_bytes = workspace::own_at - workspace::counter_at + work.workspace_bytes;
  described_launch& all = work.launch("scan_by_key", parts, v.segments.scan.group_size)
                              .values(q.fold->values, q.apply->values, v.same->values)
                              .buffer("x", 0)
                              .value("x_offset", q.keys.offset);
  add_elements(all, q.keys, counted);
  all.value("head", head)
      .buffer("values", 1)
      .value("values_offset", q.values.offset)
      .buffer("out", 2)
      .value("out_offset", q.out.offset)
      .workspace("workspace")
      .value("results_at", results_at)
      .call_number("call");
  all.element("start", *q.out.type);
}

// The launches where each key has a bit.
void describe_by_begins(const scan_by_key_problem& q, const segmented_scan_shape& shape,
                        const scan_by_key_variant& v, described_work& work, std::size_t counted) {
  const std::uint32_t head = head_of_keys(q.keys, v.keys);
  const std::uint64_t part = part_by_begins(shape, q.keys.n, tile_of(v)),
                      parts = blocks_of(q.keys.n + head, part);
  const begins_places at = begins_places_of(v.segments, parts, part);
  work.workspace_bytes = at.end - workspace::own_at;
  work.launches.reserve(3);
  const auto add_launch = [&](const char* kernel) -> described_launch& {
    return work.launch(kernel, parts, v.segments.scan.group_size)
        .values(q.fold->values, q.apply->values, v.same->values);
  };
  described_launch& begins = add_launch("scan_by_key_begins");
  begins.buffer("x", 0).value("x_offset", q.keys.offset);
  add_elements(begins, q.keys, counted);
  begins.value("head", head)
      .workspace("workspace")
      .value("tiles", static_cast<std::uint32_t>(part / tile_of(v)))
      .value("parts_at", at.parts);
  const auto add_scan = [&](const char* kernel) -> described_launch& {
    described_launch& scans = add_launch(kernel);
    scans.buffer("x", 1).value("x_offset", q.values.offset);
    add_elements(scans, q.keys, counted);
    return scans.value("head", head)
        .workspace("workspace")
        .value("part", static_cast<std::uint32_t>(part))
        .value("parts_at", at.parts)
        .value("results_at", at.results);
  };
  if (q.keys.n > v.segments.tile) add_scan("segmented_scan_folds");
  described_launch& scans = add_scan("segmented_scan");
  scans.buffer("out", 2).value("out_offset", q.out.offset);
  scans.element("start", *q.out.type);
}

}  // namespace

program_spec spec_of(const scan_by_key_variant& v) {
  program_spec spec = spec_of_segmented_scan(scan_by_key_variant::primitive, v.segments);
  const element* const types[] = {v.key, v.segments.scan.value, v.segments.scan.accumulator};
  check_elements(scan_by_key_variant::primitive, types);
  spec.types = v.key->name + ", " + spec.types;
  if (!v.key->declaration.empty()) add_types(spec, {&v.key, 1});
  add_word(spec, "SEGMENTS_BY_KEY");
  add_count(spec, v.count_bytes);
  if (v.segments.messages.one_pass) {
    add_word(spec, "BEGINS_IN_ONE_LAUNCH");
    add_word(spec, "BEGINS_PART", std::to_string(part_in_one_launch(v)));
  }
  const unsigned group_size = v.segments.scan.group_size;
  if (v.segments.by_begins) {
    add_modules(spec, {"primitives/scan_by_key.cl", v.segments.messages.one_pass
                                                        ? "primitives/scan_by_key_one_launch.cl"
                                                        : "primitives/scan_by_key_begins.cl"});
    add_kept(spec, v.messages, group_size);
  } else {
    if (v.messages.one_pass) add_modules(spec, {"primitives/scan_by_key_clear.cl"});
    add_selection(spec, v.messages, group_size);
    add_two_ways(spec, group_size);
    add_modules(spec, {"blocks/give_offsets.cl"});
    add_word(spec, "RUN_OFFSETS", stored_name(*v.segments.offset));
    add_word(spec, "KEEPS_PLACES");
    add_word(spec, "ONLY_PLACES");
  }
  add_kept_keys(spec, *v.key, v.keys, *v.same);
  return spec;
}

described<scan_by_key_variant> describe(const scan_by_key_problem& q, const target& on) {
  check_typed(scan_by_key_variant::primitive,
              {{"the keys", all_of(q.keys)}, {"the values", q.values}, {"the output", q.out}});
  const segmented_scan_shape shape =
      shape_segmented_scan(scan_by_key_variant::primitive, problem_of_runs(q), on);
  check_run_keys(scan_by_key_variant::primitive, on, *q.keys.type, q.same);
  if (q.keys.n > most_scanned_by_key)
    refuse(scan_by_key_variant::primitive, "more than " + std::to_string(most_scanned_by_key) + " elements",
           "scan them in parts that begin with a run");
  described<scan_by_key_variant> call{
      {.segments = shape.variant,
       .key = q.keys.type,
       .same = &equality_of(*q.keys.type, q.same),
       .messages = shape.variant.by_begins ? group_messages{} : messages_for(on, q.keys.n),
       .count_bytes = count_bytes_of(scan_by_key_variant::primitive, q.keys)},
      {.n = q.keys.n}};
  scan_by_key_variant& v = call.variant;
  const unsigned group_size = v.segments.scan.group_size;
  v.keys = v.segments.by_begins ? shape_of_begins(q, on, v.segments) : shape_of(q, on, group_size);
  described_work& work = call.work;
  const auto add_operand = [&](const any_view& each, access use, std::string_view what) {
    work.operands.push_back(
        {use, counting{scan_by_key_variant::primitive, what}.bytes(each.offset, q.keys.n, each.type->size)});
  };
  work.operands.reserve(4);
  add_operand(q.keys, access::reads, "the keys");
  add_operand(q.values, access::reads, "the values");
  add_operand(q.out, access::writes, "the output");
  const std::size_t counted = work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  if (q.keys.n == 0) return call;

  // Asks whether there is one, where it will be needed.
  if (q.exclusive && q.start == nullptr) identity_of(scan_by_key_variant::primitive, *q.fold, *q.out.type);
  if (v.segments.messages.one_pass) {
    describe_in_one_launch(q, v, work, counted);
    return call;
  }
  if (v.segments.by_begins) {
    describe_by_begins(q, shape, v, work, counted);
    return call;
  }
  const bool one_pass = v.messages.one_pass;
  const std::uint32_t head = head_of_keys(q.keys, v.keys);
  const std::uint64_t tiles = blocks_of(q.keys.n + head, tile_of(v));
  const std::uint64_t words = tiles * (one_pass ? v.messages.count_words : 1);
  const workspace_places at = places_of(q, v, words * 8);
  work.workspace_bytes = at.end - workspace::own_at;
  work.zeroed_bytes = workspace::own_at - workspace::counter_at;

  work.launches.reserve(5);
  const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> described_launch& {
    return work.launch(kernel, groups, group_size).values(q.fold->values, q.apply->values, v.same->values);
  };
  const auto add_keys = [&](described_launch& launch) {
    launch.buffer("x", 0).value("x_offset", q.keys.offset);
    add_elements(launch, q.keys, counted);
    launch.value("head", head);
  };
  const auto add_offsets = [&](described_launch& launch) {
    launch.workspace("out").value("out_offset", at.offsets / offset_bytes).value("capacity", q.keys.n + 1);
  };
  const auto add_total = [&](described_launch& launch) {
    launch.workspace("total").value("total_offset", at.runs / 8);
  };
  if (one_pass) {
    // A call number of its own: the messages are cleared, and a single tile sends none.
    if (tiles > 1) {
      const std::uint64_t groups = std::clamp<std::uint64_t>(words / 1024, 1, on.compute_units);
      work.launch("scan_by_key_clear", groups, group_size).value("words", words).workspace("workspace");
    }
    described_launch& all = add_launch("select_kept", tiles);
    add_keys(all);
    add_offsets(all);
    add_total(all);
    all.workspace("workspace").value("call", std::uint32_t{1});
  } else {
    described_launch& counts = add_launch("select_counts", tiles);
    add_keys(counts);
    counts.workspace("workspace");
    described_launch& sums = work.launch("select_sums", 1, group_size);
    sums.value("tiles", static_cast<std::uint32_t>(tiles));
    add_total(sums);
    sums.workspace("workspace");
    described_launch& results = add_launch("select_results", tiles);
    add_keys(results);
    add_offsets(results);
    results.workspace("workspace");
  }
  const std::uint64_t groups = groups_of_segments(q.keys.n, q.keys.n / usual_run, shape.at_once);
  const auto add_scan = [&](const char* kernel) -> described_launch& {
    described_launch& scans = add_launch(kernel, groups);
    scans.buffer("x", 1).value("x_offset", q.values.offset);
    add_elements(scans, q.keys, counted);
    return scans.workspace("offsets")
        .value("offsets_offset", at.offsets / offset_bytes)
        .workspace("runs")
        .value("runs_offset", at.runs / 8);
  };
  // Offsets are as they should be, so that nothing is to be done before where no run has more than a tile.
  if (q.keys.n > v.segments.tile)
    add_scan("segmented_scan_folds").workspace("workspace").value("results_at", at.results);
  described_launch& scans = add_scan("segmented_scan");
  scans.buffer("out", 2).value("out_offset", q.out.offset);
  scans.element("start", *q.out.type);
  scans.workspace("workspace").value("results_at", at.results);
  return call;
}

told tell(const scan_by_key_problem& q, const target& on, const described<scan_by_key_variant>& call) {
  const scan_by_key_variant& v = call.variant;
  told people;
  people.variant = v.segments.messages.one_pass ? "runs and results in one launch, groups tell each other"
                   : v.segments.by_begins       ? "runs in one launch"
                   : v.messages.one_pass        ? "runs in one pass with messages between groups"
                                                : "runs by three launches";
  people.variant += ", tiles of " + std::to_string(tile_of(v)) + " keys";
  if (v.keys.vector > 1)
    people.variant += ", loads of " + std::to_string(v.keys.vector) + " x " + q.keys.type->name;
  people.variant +=
      "; " + std::string(v.segments.messages.one_pass ? "" : "then ") + way_of_segmented_scan(v.segments, on);
  if (!v.segments.messages.one_pass)
    people.variant += q.keys.n > v.segments.tile ? ", two launches" : ", one launch";
  people.variant += words_of_count(v.count_bytes);
  if (const std::string_view reason = why_no_messages(on); !v.segments.by_begins && !reason.empty())
    people.rejected.push_back({"one pass over the keys", std::string(reason)});
  if (!v.segments.messages.one_pass)
    people.rejected.push_back(
        {"one launch",
         "a result depends on its place in its run, and a run may have tiles of several groups"});
  return people;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const scan_by_key_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event scan_by_key(cl_command_queue queue, const scan_by_key_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::scan_by_key_variant::primitive);
  scan_by_key_problem q = asked;
  const auto any = [](const any_view& of) {
    return of.type->components > 1 ? std::nullopt : std::optional<std::size_t>(1);
  };
  std::array<detail::call_operand, 4> all = {
      {{.view = detail::all_of(q.keys), .name = "the keys", .alignment = any(q.keys)},
       {.view = q.values, .name = "the values", .alignment = any(q.values), .gives_its_place = true},
       {.view = q.out, .use = detail::access::writes, .name = "the output"}}};
  std::array<cl_mem, 4> buffers{q.keys.buffer, q.values.buffer, q.out.buffer};
  std::size_t operands = 3;
  if (detail::count_bytes_of(detail::scan_by_key_variant::primitive, q.keys) != 0) {
    all[operands] = detail::counting_operand(q.keys);
    buffers[operands++] = q.keys.count->buffer;
  }
  const detail::checked_operands checked =
      detail::check_operands(site, detail::scan_by_key_variant::primitive, {all.data(), operands});
  if (q.keys.n != q.values.n)
    detail::refuse(
        detail::scan_by_key_variant::primitive,
        "there are " + std::to_string(q.keys.n) + " keys and " + std::to_string(q.values.n) + " values");
  if (q.values.n != q.out.n)
    detail::refuse(detail::scan_by_key_variant::primitive, "there are " + std::to_string(q.values.n) +
                                                               " values, and the output has " +
                                                               std::to_string(q.out.n) + " elements");
  const std::span<const cl_event> after =
      detail::check_events(site, options.after, detail::scan_by_key_variant::primitive);
  for (std::size_t k = 0; any_view* const view : {&q.keys, &q.values, &q.out}) checked.place(k++, *view);
  auto ready = detail::fit(site, q);
  detail::set_start(detail::scan_by_key_variant::primitive, ready.call.work, *q.fold, *q.out.type,
                    q.exclusive, q.start);
  return detail::enqueue(site, ready, {buffers.data(), operands}, after, options.with_event,
                         {detail::scan_by_key_variant::primitive, &options.workspace, &checked});
}

}  // namespace clwave
