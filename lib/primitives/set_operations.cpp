// Set operations: what a call is, and the entry.
#include "primitives/set_operations.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/kept.hpp"
#include "blocks/merge_tiles.hpp"
#include "call/count_on_host.hpp"
#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Where a tile begins takes three words of 64 bits (cl_kernels/primitives/set_operations.cl).
constexpr std::uint64_t begin_bytes = 24;

// The results where nothing is left out, or nothing is common.
std::uint64_t most_results(set_kind kind, std::uint64_t a_n, std::uint64_t b_n) {
  switch (kind) {
    // By an operator that contradicts itself every element of the first range can have a partner in the
    // second.
    case set_kind::intersection:
    case set_kind::difference:
      return a_n;
    default:
      return counting{set_variant::primitive, "the result"}.plus(a_n, b_n);
  }
}

std::uint64_t tile_of(const set_variant& v) { return std::uint64_t{v.group_size} * v.items; }

const char* word_of(set_kind kind) {
  switch (kind) {
    case set_kind::set_union:
      return "SET_UNION";
    case set_kind::intersection:
      return "SET_INTERSECTION";
    case set_kind::difference:
      return "SET_DIFFERENCE";
    case set_kind::symmetric_difference:
      break;
  }
  return "SET_SYMMETRIC_DIFFERENCE";
}

void check_count(const set_problem& q) {
  if (!q.count.has_type() || q.count.type->opencl_name == "ulong") return;
  throw error(failure::bad_call, "a count of " + q.count.type->name, CL_SUCCESS,
              {.primitive = std::string(set_variant::primitive),
               .types = q.a.type->name,
               .advice = "the count is of 64 bits, without a sign"});
}

void choose_sizes(set_variant& v, const target& on) {
  const std::uint64_t key_bytes = v.keys.key->size;
  if (is_cpu(on)) {
    // A tile has room for twice its keys and places; beside it lie its number and what looking back takes.
    constexpr std::uint64_t beside_tile = 128;
    const std::uint64_t local = local_bytes_of(on) - beside_tile;
    v.items = static_cast<unsigned>(
        std::clamp<std::uint64_t>(std::min(cpu_tile_bytes, local / 2) / (key_bytes + 2), 1, 32768));
    return;
  }
  // Beside a tile's keys and places: words of the lane sets, and of each work-item.
  const merge_sizes sizes = sizes_of_merge(on, key_bytes, {.beside_item = 8, .limits_registers = true});
  v.group_size = sizes.group_size;
  v.items = sizes.items;
  v.registers = sizes.registers;
}

}  // namespace

program_spec spec_of(const set_variant& v) {
  program_spec spec;
  spec.primitive = set_variant::primitive;
  add_key_comparison(spec, v.keys);
  add_merges(spec, v.group_size);
  add_sorted_ranges(spec, v.counts);
  add_counts_kept(spec, v.messages);
  if (!v.messages.one_pass) add_modules(spec, {"blocks/select_sums.cl"});
  add_modules(spec, {"primitives/set_operations.cl"});
  add_word(spec, word_of(v.kind));
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  add_word(spec, "COUNTER_AT", std::to_string(workspace::counter_at));
  add_word(spec, "OWN_AT", std::to_string(workspace::own_at));
  spec.registers = v.registers;
  return spec;
}

described<set_variant> describe(const set_problem& q, const target& on) {
  check_typed(set_variant::primitive,
              {{"the first range", all_of(q.a)}, {"the second range", all_of(q.b)}, {"the output", q.out}});
  check_ranges(set_variant::primitive, *q.a.type, *q.b.type, *q.out.type);
  check_count(q);
  const std::uint64_t n = counting{set_variant::primitive, "both ranges"}.plus(q.a.n, q.b.n);
  described<set_variant> call{{.kind = q.kind,
                               .keys = comparison_of(set_variant::primitive, on, *q.a.type, q.less, q.order),
                               .counts = counts_of_ranges(set_variant::primitive, q.a, q.b),
                               .messages = messages_for(on, n)},
                              {.n = n}};
  set_variant& v = call.variant;
  choose_sizes(v, on);
  const std::uint64_t stored = std::min(most_results(q.kind, q.a.n, q.b.n), q.out.n);
  described_work& work = call.work;
  const auto bytes = [](const any_view& each, std::uint64_t count, std::string_view what) {
    return counting{set_variant::primitive, what}.bytes(each.offset, count, each.type->size);
  };
  work.operands = {
      {access::reads, bytes(q.a, q.a.n, "the first range")},
      {access::reads, bytes(q.b, q.b.n, "the second range")},
      {access::writes, bytes(q.out, stored, "the output")},
      {access::writes, counting{set_variant::primitive, "the count"}.bytes(q.count.offset, 1, 8)}};
  const std::size_t range_counts_at = work.operands.size();
  describe_counts(v.counts, work);
  const std::uint64_t tiles = blocks_of(n, tile_of(v));
  if (tiles > most_groups)
    refuse(set_variant::primitive, "more than " + std::to_string(most_groups * tile_of(v)) + " elements");
  if (n == 0) return call;

  work.launches.reserve(4);
  const bool searches = !is_cpu(on);
  const std::uint64_t counts_bytes = tiles * 8 * (v.messages.one_pass ? v.messages.count_words : 1);
  const std::uint64_t begins_at = workspace::own_at + counts_bytes;
  work.workspace_bytes = counts_bytes + (searches ? (tiles - 1) * begin_bytes : 0);
  const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> described_launch& {
    described_launch& launch = work.launch(kernel, groups, v.group_size).values({}, {}, v.keys.less->values);
    add_sorted_ranges(launch, q.a, q.b, range_counts_at);
    return launch;
  };
  const auto add_output = [&](described_launch& launch) {
    launch.buffer("out", 2).value("out_offset", q.out.offset).value("capacity", stored);
  };
  const auto add_begins = [&](described_launch& launch) { launch.value("begins_at", begins_at); };
  if (searches && tiles > 1) {
    work.zeroed_bytes = zeroed_for_searches;
    described_launch& search = add_launch("set_search", blocks_of(tiles - 1, searches_of(v.group_size)));
    search.value("begins", static_cast<std::uint32_t>(tiles - 1)).workspace("workspace");
    add_begins(search);
  }
  if (v.messages.one_pass) {
    // Begins could be taken for messages by a later call that has messages where they lie. So they share no
    // block with such: the search clears what it shares its own block with, and the number is always one.
    work.messages = !searches;
    work.zeroed_bytes = workspace::own_at - workspace::counter_at + (searches ? 0 : counts_bytes);
    described_launch& kept = add_launch("set_kept", tiles);
    add_output(kept);
    kept.buffer("total", 3).value("total_offset", q.count.offset).workspace("workspace");
    if (searches)
      kept.value("call", std::uint32_t{1});
    else
      kept.call_number("call");
    add_begins(kept);
    return call;
  }
  described_launch& counts = add_launch("set_counts", tiles);
  counts.workspace("workspace");
  add_begins(counts);
  work.launch("select_sums", 1, v.group_size)
      .value("tiles", static_cast<std::uint32_t>(tiles))
      .buffer("total", 3)
      .value("total_offset", q.count.offset)
      .workspace("workspace");
  described_launch& results = add_launch("set_results", tiles);
  add_output(results);
  results.workspace("workspace");
  add_begins(results);
  return call;
}

told tell(const set_problem& /*q*/, const target& on, const described<set_variant>& call) {
  const set_variant& v = call.variant;
  told people;
  people.variant = name_of_order(v.keys) + ", tiles of " + std::to_string(tile_of(v)) + " elements, " +
                   (v.messages.one_pass ? "one pass with messages between groups"
                                        : "counts of all tiles, their sums, then the results");
  people.variant += words_of_counts(v.counts);
  if (const std::string_view reason = why_no_messages(on); !reason.empty())
    people.rejected.push_back({"one pass", std::string(reason)});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

namespace {

event start(const call_site& site, set_problem q, const launch_fields& options, bool wanted) {
  q.count.n = 1;
  // Numbers are compared by their bits.
  const auto keys = [&](const any_view& view) { return q.less != nullptr ? view : as_bits(view); };
  const std::uint64_t reach = std::min<std::uint64_t>(most_results(q.kind, q.a.n, q.b.n), q.out.n);
  std::array<call_operand, 6> all = {
      {{.view = keys(all_of(q.a)), .name = "the first range"},
       {.view = keys(all_of(q.b)), .name = "the second range"},
       {.view = keys(q.out), .use = access::writes, .name = "the output", .reach = reach},
       {.view = q.count, .use = access::writes, .name = "the count"}}};
  std::array<cl_mem, 6> buffers;
  std::size_t n_operands = 4;
  counts_of_ranges(set_variant::primitive, q.a, q.b);
  for (const any_view* each : {&q.a, &q.b}) {
    if (each->count == nullptr) continue;
    buffers[n_operands] = each->count->buffer;
    all[n_operands++] = counting_operand(*each);
  }
  const checked_operands checked = check_operands(site, set_variant::primitive, {all.data(), n_operands});
  check_one_order(set_variant::primitive, q.less, q.order);
  const std::span<const cl_event> after = check_events(site, options.after, set_variant::primitive);
  for (std::size_t k = 0; any_view* const view : {&q.a, &q.b, &q.out, &q.count}) {
    buffers[k] = view->n > 0 ? view->buffer : nullptr;
    checked.place(k++, *view);
  }
  const auto ready = fit(site, q);
  if (ready.code == nullptr) {  // no elements
    constexpr std::uint64_t zero = 0;
    return fill_elements(site.queue, q.count, &zero, options);
  }
  return enqueue(site, ready, {buffers.data(), n_operands}, after, wanted,
                 {set_variant::primitive, &options.workspace, &checked});
}

}  // namespace

event set_operation(cl_command_queue queue, const set_problem& asked, const launch_fields& options) {
  const call_site site = site_of(queue, set_variant::primitive);
  if (asked.count.n == 0) refuse(set_variant::primitive, "the view of the count has no element");
  return start(site, asked, options, options.with_event);
}

std::uint64_t set_operation_to_host(cl_command_queue queue, const set_problem& asked,
                                    const launch_fields& options) {
  const call_site site = site_of(queue, set_variant::primitive);
  return count_on_host(site, options, [&](const any_view& count, const launch_options& now) {
    set_problem counted = asked;
    counted.count = count;
    return start(site, counted, now, true);
  });
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const set_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event set_operation(cl_command_queue queue, const set_problem& asked, const launch_options& options) {
  return detail::set_operation(queue, asked, options);
}

std::uint64_t set_operation_to_host(cl_command_queue queue, const set_problem& asked,
                                    const launch_options& options) {
  return detail::set_operation_to_host(queue, asked, options);
}

}  // namespace clwave
