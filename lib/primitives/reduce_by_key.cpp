// reduce_by_key: what a call is, and the entry.
#include "primitives/reduce_by_key.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/fold.hpp"
#include "blocks/kept.hpp"
#include "call/count_on_host.hpp"
#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"
#include "program/user_text.hpp"

namespace clwave::detail {
namespace {

// Kernels number the tiles of a run in 32 bits.
constexpr std::uint64_t most_reduced_by_key = std::uint64_t{1} << 43;

// A run in the list of long ones: where it begins and ends, and its number.
constexpr std::uint64_t long_run_bytes = 24;

void check_types(const reduce_by_key_problem& q, const target& on) {
  check_typed(reduce_by_key_variant::primitive, {{"the keys", all_of(q.keys)},
                                                 {"the values", q.values},
                                                 {"the output of the keys", q.keys_out},
                                                 {"the output of the values", q.values_out},
                                                 {"the count", q.count}});
  check_folding(reduce_by_key_variant::primitive, {q.values.type, q.values_out.type, q.fold, q.apply}, false);
  check_values(reduce_by_key_variant::primitive, on, *q.fold);
  check_values(reduce_by_key_variant::primitive, on, *q.apply);
  check_run_keys(reduce_by_key_variant::primitive, on, *q.keys.type, q.same);
  if (q.keys.type->opencl_name != q.keys_out.type->opencl_name)
    throw error(failure::bad_call, "the output of the keys is of " + q.keys_out.type->name, CL_SUCCESS,
                {.primitive = std::string(reduce_by_key_variant::primitive), .types = q.keys.type->name});
  if (q.count && q.count->type->opencl_name != "ulong")
    refuse(reduce_by_key_variant::primitive, "the count is of " + q.count->type->name, "give one of u64");
}

std::uint64_t stored_runs(const reduce_by_key_problem& q) {
  return std::min({q.keys.n, q.keys_out.n, q.values_out.n});
}

std::uint64_t tile_of(const reduce_by_key_variant& v) {
  return std::uint64_t{v.fold.group_size} * v.keys.items * v.keys.vector;
}

// What a group takes of local memory whose work-items have `elements` keys each
// (cl_kernels/blocks/fold_runs.cl).
std::uint64_t local_bytes_of(const reduce_by_key_problem& q, const target& on, const reduce_by_key_variant& v,
                             std::uint64_t elements) {
  const std::uint64_t tile = v.fold.group_size * elements, value = q.values.type->size;
  // Values lie with a word more for each 128 bytes.
  const std::uint64_t line = std::max<std::uint64_t>(128 / value, 1),
                      more = std::max<std::uint64_t>(4 / value, 1);
  const std::uint64_t staged = (tile + tile / line * more) * value;
  const std::uint64_t waiting = (tile / (v.segments.own + 1) + 2) * 20;
  const std::uint64_t parts = (q.sizes.accumulators / (on.choice.lanes * v.fold.vector) + v.fold.group_size) *
                              q.values_out.type->size;
  constexpr std::uint64_t beside = 2 << 10;
  return std::max(staged, tile * q.keys.type->size) + 2 * tile + waiting + parts + beside;
}

void choose_sizes(reduce_by_key_variant& v, const reduce_by_key_problem& q, const target& on) {
  const std::size_t key = q.keys.type->size, value = q.values.type->size;
  shape_segments(q.values, on, v.fold, v.segments);
  const std::uint64_t local = local_bytes_of(on);
  if (is_cpu(on)) {
    v.keys.items =
        static_cast<unsigned>(std::max<std::uint64_t>(std::min(cpu_tile_bytes, local / 2) / (key + 2), 1));
    return;
  }
  const select_tuning& tuned = on.choice.profile->select;
  unsigned elements = elements_of_item(std::max(key, value), tuned.items);
  v.fold.group_size = group_size_within(on, tuned.group_size);
  while (local_bytes_of(q, on, v, elements) > local && elements > 1) elements /= 2;
  while (local_bytes_of(q, on, v, elements) > local && v.fold.group_size > on.choice.lanes)
    v.fold.group_size /= 2;
  v.keys = shape_keys(q.keys, elements);
  const std::uint64_t packet = v.fold.vector * value;
  v.runs.value_packets = v.fold.vector > 1 && !v.fold.by_element && packet <= 16 && packet % 4 == 0 &&
                         elements % v.fold.vector == 0 && (q.values.known || q.values.alignment >= packet) &&
                         q.values.address % packet == head_of_keys(q.keys, v.keys) * value % packet;
}

}  // namespace

program_spec spec_of(const reduce_by_key_variant& v) {
  program_spec spec = spec_of_fold(reduce_by_key_variant::primitive, v.fold, index_way::paired);
  const element& key = *v.key;
  const element* const types[] = {v.key, v.fold.value, v.fold.accumulator};
  check_elements(reduce_by_key_variant::primitive, types);
  spec.types = key.name + ", " + spec.types;
  if (!key.declaration.empty()) add_types(spec, {&v.key, 1});
  add_segments(spec, v.segments);
  add_fold_of_tiles(spec, v.fold.group_size);
  add_fold_identities(spec, *v.fold.fold);
  add_modules(spec, {"blocks/fold_long_runs.cl", "blocks/fold_runs.cl",
                     v.fold.group_size > 1 ? "blocks/fold_runs_groups.cl" : "blocks/fold_runs_serial.cl",
                     "blocks/give_folds.cl"});
  add_selection(spec, v.messages, v.fold.group_size);
  add_two_ways(spec, v.fold.group_size);
  for (const char* word : {"FOLDS_RUNS", "KEEPS_PLACES", "TELLS_LAST"}) add_word(spec, word);
  if (v.runs.levels) add_word(spec, "RUN_LEVELS");
  if (v.runs.levels && !v.messages.one_pass) add_modules(spec, {"primitives/reduce_by_key.cl"});
  if (v.runs.value_packets) add_word(spec, "RUN_PACKETS");
  add_count(spec, v.count_bytes);
  add_kept_keys(spec, key, v.keys, *v.same);
  return spec;
}

described<reduce_by_key_variant> describe(const reduce_by_key_problem& q, const target& on) {
  check_types(q, on);
  if (q.keys.n > most_reduced_by_key)
    refuse(reduce_by_key_variant::primitive, "more than " + std::to_string(most_reduced_by_key) + " elements",
           "reduce them in parts");
  described<reduce_by_key_variant> call{
      {.fold = {.value = q.values.type,
                .accumulator = q.values_out.type,
                .fold = q.fold,
                .apply = q.apply,
                .contiguous = !q.fold->commutative,
                .sizes = q.sizes},
       .key = q.keys.type,
       .same = &equality_of(*q.keys.type, q.same),
       .messages = messages_for(on, q.keys.n),
       .count_bytes = count_bytes_of(reduce_by_key_variant::primitive, q.keys)},
      {.n = q.keys.n}};
  reduce_by_key_variant& v = call.variant;
  described_work& work = call.work;
  choose_sizes(v, q, on);
  v.runs.levels = q.keys.n > q.sizes.tile;

  const std::uint64_t stored = stored_runs(q);
  const std::uint64_t count_offset = q.count ? q.count->offset : 0;
  work.operands.reserve(6);
  const auto add_operand = [&](const any_view& each, access use, std::uint64_t n, std::string_view what) {
    work.operands.push_back(
        {use, counting{reduce_by_key_variant::primitive, what}.bytes(each.offset, n, each.type->size)});
  };
  add_operand(q.keys, access::reads, q.keys.n, "the keys");
  add_operand(q.values, access::reads, q.keys.n, "the values");
  add_operand(q.keys_out, access::writes, stored, "the output of the keys");
  add_operand(q.values_out, access::writes, stored, "the output of the values");
  work.operands.push_back(
      {access::writes, counting{reduce_by_key_variant::primitive, "the count"}.bytes(count_offset, 1, 8)});
  const std::size_t counted = work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  const std::uint32_t head = head_of_keys(q.keys, v.keys);
  const std::uint64_t tiles = blocks_of(q.keys.n + head, tile_of(v));
  if (tiles > most_groups)
    refuse(reduce_by_key_variant::primitive,
           "more than " + std::to_string(most_groups * tile_of(v) - head) + " elements",
           "reduce them in parts");
  if (q.keys.n == 0) return call;

  // Of each tile what it keeps, and where its last run begins. Of the tiles of long runs' values what they
  // are folded to: as messages between groups or in a list for the launch that folds on, and side by side.
  const bool one_pass = v.messages.one_pass, lists = v.runs.levels && !one_pass;
  const std::uint64_t most_long = q.keys.n / q.sizes.tile, result = q.values_out.type->size;
  constexpr std::uint64_t counters = workspace::own_at - workspace::counter_at;
  workspace_parts parts(reduce_by_key_variant::primitive);
  parts.take(tiles, 16 * v.messages.count_words);
  std::uint64_t long_at = 0, results_at = 0;
  if (v.runs.levels && one_pass) long_at = parts.take(most_long, 8 * blocks_of(result, 4));
  if (one_pass) work.zeroed_bytes = counters + parts.bytes();
  if (lists) {
    long_at = parts.take(most_long, long_run_bytes);
    work.zeroed_bytes = counters;
  }
  if (v.runs.levels) results_at = parts.take(2 * most_long, result);
  work.messages = one_pass;
  work.workspace_bytes = parts.bytes();

  work.launches.reserve(4);
  const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> described_launch& {
    return work.launch(kernel, groups, v.fold.group_size)
        .values(q.fold->values, q.apply->values, v.same->values);
  };
  const auto add_keys = [&](described_launch& launch) {
    launch.buffer("x", 0).value("x_offset", q.keys.offset);
    add_elements(launch, q.keys, counted);
    launch.value("head", head);
  };
  const auto add_places = [&](described_launch& launch) {
    launch.value("long_at", long_at).value("results_at", results_at);
  };
  const auto add_outputs = [&](described_launch& launch) {
    launch.buffer("out", 2).value("out_offset", q.keys_out.offset).value("capacity", stored);
    launch.buffer("values", 1).value("values_offset", q.values.offset);
    launch.buffer("values_out", 3).value("values_out_offset", q.values_out.offset);
    add_places(launch);
  };
  const auto add_total = [&](described_launch& launch) {
    launch.buffer("total", 4).value("total_offset", count_offset);
  };
  const auto add_workspace = [&](described_launch& launch) {
    launch.workspace("workspace");
    if (one_pass) launch.call_number("call");
  };
  if (one_pass) {
    described_launch& all = add_launch("select_kept", tiles);
    add_keys(all);
    add_outputs(all);
    add_total(all);
    add_workspace(all);
  } else {
    described_launch& counts = add_launch("select_counts", tiles);
    add_keys(counts);
    add_workspace(counts);
    described_launch& sums = work.launch("select_sums", 1, v.fold.group_size);
    sums.value("tiles", static_cast<std::uint32_t>(tiles));
    add_total(sums);
    add_workspace(sums);
    described_launch& results = add_launch("select_results", tiles);
    add_keys(results);
    add_outputs(results);
    add_workspace(results);
  }
  if (!lists) return call;
  const std::uint64_t at_once =
      std::max<std::uint64_t>(std::uint64_t{on.compute_units} * on.choice.profile->reduce.groups_per_unit, 1);
  described_launch& levels = add_launch("reduce_by_key_levels", std::min(most_long, at_once));
  levels.buffer("values_out", 3).value("values_out_offset", q.values_out.offset);
  add_places(levels);
  levels.workspace("workspace");
  return call;
}

told tell(const reduce_by_key_problem& q, const target& on, const described<reduce_by_key_variant>& call) {
  const reduce_by_key_variant& v = call.variant;
  told people;
  people.variant = v.messages.one_pass ? "one pass with messages between groups" : "three launches";
  if (v.runs.levels && !v.messages.one_pass)
    people.variant += ", one more for runs of more than " + std::to_string(q.sizes.tile);
  people.variant += ", tiles of " + std::to_string(tile_of(v)) + " keys";
  if (v.keys.vector > 1)
    people.variant += ", loads of " + std::to_string(v.keys.vector) + " x " + q.keys.type->name;
  if (!is_cpu(on))
    people.variant += ", runs of up to " + std::to_string(v.segments.own) + " values by one lane";
  if (v.runs.value_packets)
    people.variant +=
        ", values of short runs by loads of " + std::to_string(v.fold.vector) + " x " + q.values.type->name;
  people.variant += words_of_count(v.count_bytes);
  if (const std::string_view reason = why_no_messages(on); !reason.empty())
    people.rejected.push_back({"one pass", std::string(reason)});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

namespace {

// With a count.
event start(const call_site& site, reduce_by_key_problem q, const launch_fields& options, bool wanted) {
  const std::uint64_t reach = stored_runs(q);
  const auto any = [](const any_view& of) {
    return of.type->components > 1 ? std::nullopt : std::optional<std::size_t>(1);
  };
  std::array<call_operand, 6> all = {
      {{.view = all_of(q.keys), .name = "the keys", .alignment = any(q.keys)},
       {.view = q.values, .name = "the values", .alignment = any(q.values)},
       {.view = q.keys_out, .use = access::writes, .name = "the output of the keys", .reach = reach},
       {.view = q.values_out, .use = access::writes, .name = "the output of the values", .reach = reach},
       {.view = *q.count, .use = access::writes, .name = "the count"}}};
  std::size_t operands = 5;
  if (count_bytes_of(reduce_by_key_variant::primitive, q.keys) != 0)
    all[operands++] = counting_operand(q.keys);
  std::array<cl_mem, 6> buffers;
  for (std::size_t k = 0; k < operands; ++k) buffers[k] = all[k].view.n > 0 ? all[k].view.buffer : nullptr;
  const checked_operands checked =
      check_operands(site, reduce_by_key_variant::primitive, {all.data(), operands});
  if (q.keys.n != q.values.n)
    refuse(reduce_by_key_variant::primitive,
           "there are " + std::to_string(q.keys.n) + " keys and " + std::to_string(q.values.n) + " values");
  const std::span<const cl_event> after = check_events(site, options.after, reduce_by_key_variant::primitive);
  for (std::size_t k = 0; any_view* const view : {&q.keys, &q.values, &q.keys_out, &q.values_out, &*q.count})
    checked.place(k++, *view);
  const auto ready = fit(site, q);
  if (ready.code == nullptr) {  // no elements
    constexpr std::uint64_t zero = 0;
    return fill_elements(site.queue, *q.count, &zero, options);
  }
  return enqueue(site, ready, {buffers.data(), operands}, after, wanted,
                 {reduce_by_key_variant::primitive, &options.workspace, &checked});
}

}  // namespace

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const reduce_by_key_problem& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

event reduce_by_key(cl_command_queue queue, const reduce_by_key_problem& asked,
                    const launch_options& options) {
  constexpr std::string_view primitive = detail::reduce_by_key_variant::primitive;
  const detail::call_site site = detail::site_of(queue, primitive);
  if (!asked.count || asked.count->n == 0) detail::refuse(primitive, "the view of the count has no element");
  reduce_by_key_problem q = asked;
  q.count->n = 1;
  return detail::start(site, q, options, options.with_event);
}

std::uint64_t reduce_by_key_to_host(cl_command_queue queue, const reduce_by_key_problem& asked,
                                    const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::reduce_by_key_variant::primitive);
  return detail::count_on_host(site, options, asked, &reduce_by_key_problem::count, detail::start);
}

}  // namespace clwave
