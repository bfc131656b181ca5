// merge: what a call is, and the entry.
#include "primitives/merge.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

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

// A group that counts descents has so many elements for each of its work-items at least.
constexpr std::uint64_t least_counted = 16;

[[noreturn]] void no(const merge_problem& q, const std::string& message) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(merge_variant::primitive), .types = q.a.type->name});
}

// Throws unless there are values and an output for them throughout, or none.
void check_parts(const merge_problem& q) {
  if (q.a_values.has_value() != q.b_values.has_value() || q.a_values.has_value() != q.values_out.has_value())
    no(q, "both ranges have values and an output for them, or neither has");
}

void check_types(const merge_problem& q) {
  check_typed(merge_variant::primitive, {{"the first range", all_of(q.a)},
                                         {"the second range", all_of(q.b)},
                                         {"the output", q.out},
                                         {"the values of the first range", q.a_values},
                                         {"the values of the second range", q.b_values},
                                         {"the output of the values", q.values_out},
                                         {"the number of descents", q.descents}});
  check_ranges(merge_variant::primitive, *q.a.type, *q.b.type, *q.out.type);
  check_parts(q);
  if (q.descents && q.descents->type->opencl_name != "ulong")
    no(q, "the number of descents is of " + q.descents->type->name + ", not of 64 bits without a sign");
  if (!q.a_values) return;
  const element& value = *q.a_values->type;
  if (!are_alike(*q.b_values->type, value) || !are_alike(*q.values_out->type, value))
    no(q, "the values are of " + value.name + " and " + q.b_values->type->name + ", their output of " +
              q.values_out->type->name);
  if (value.size == 0 || value.size > 128) no(q, "values have 1 to 128 bytes");
}

std::uint64_t tile_of(const auto& v) { return std::uint64_t{v.group_size} * v.items; }

}  // namespace

program_spec spec_of(const merge_variant& v) {
  program_spec spec;
  spec.primitive = merge_variant::primitive;
  add_modules(spec, {"primitives/merge.cl"});
  spec.registers = v.registers;
  add_key_comparison(spec, v.keys);
  add_merges(spec, v.group_size);
  add_sorted_ranges(spec, v.counts);
  add_carried(spec, v.value_bytes);
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  if (v.one_tile) add_word(spec, "ONE_TILE");
  if (v.few_tiles) add_word(spec, "FEW_TILES");
  add_word(spec, "OWN_AT", std::to_string(workspace::own_at));
  return spec;
}

described<merge_variant> describe(const merge_problem& q, const target& on) {
  check_types(q);
  const element& key = *q.a.type;
  const std::uint64_t value_bytes = q.a_values ? q.a_values->type->size : 0;
  const merge_sizes sizes = sizes_of_merge(
      on, key.size,
      {.beside_item = 4, .limits_registers = value_bytes != 0, .of_keys_alone = value_bytes == 0});
  const std::uint64_t n = counting{merge_variant::primitive, "the result"}.plus(q.a.n, q.b.n);
  described<merge_variant> call{{.keys = comparison_of(merge_variant::primitive, on, key, q.less, q.order),
                                 .value_bytes = value_bytes,
                                 .counts = counts_of_ranges(merge_variant::primitive, q.a, q.b),
                                 .group_size = sizes.group_size,
                                 .items = sizes.items,
                                 .one_tile = !is_cpu(on) && n <= tile_of(sizes),
                                 .few_tiles = n > tile_of(sizes) && has_few_tiles(on, n, sizes),
                                 .registers = sizes.registers},
                                {.n = n}};
  const merge_variant& v = call.variant;
  described_work& work = call.work;
  work.operands.reserve(9);
  const auto add_operand = [&](const any_view& each, access use, std::uint64_t count, std::string_view what) {
    work.operands.push_back(
        {use, counting{merge_variant::primitive, what}.bytes(each.offset, count, each.type->size)});
  };
  add_operand(q.a, access::reads, q.a.n, "the first range");
  add_operand(q.b, access::reads, q.b.n, "the second range");
  add_operand(q.out, access::writes, n, "the output");
  if (q.a_values) {
    add_operand(*q.a_values, access::reads, q.a.n, "the values of the first range");
    add_operand(*q.b_values, access::reads, q.b.n, "the values of the second range");
    add_operand(*q.values_out, access::writes, n, "the output of the values");
  }
  const std::size_t descents = work.operands.size();
  if (q.descents)
    work.operands.push_back(
        {access::writes,
         counting{merge_variant::primitive, "the number of descents"}.bytes(q.descents->offset, 1, 8)});
  const std::size_t counts = work.operands.size();
  describe_counts(v.counts, work);
  const std::uint64_t tiles = is_cpu(on) ? 0 : blocks_of(n, tile_of(v));
  if (tiles > most_groups)
    refuse(merge_variant::primitive, "more than " + std::to_string(most_groups * tile_of(v)) + " elements");
  if (n == 0) return call;

  work.launches.reserve(4);
  const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> described_launch& {
    described_launch& launch = work.launch(kernel, groups, v.group_size).values({}, {}, v.keys.less->values);
    add_sorted_ranges(launch, q.a, q.b, counts);
    return launch;
  };
  const auto add_output = [&](described_launch& launch) {
    launch.buffer("out", 2).value("out_offset", q.out.offset);
    if (!q.a_values) return;
    launch.buffer("a_values", 3).value("a_values_offset", q.a_values->offset);
    launch.buffer("b_values", 4).value("b_values_offset", q.b_values->offset);
    launch.buffer("values_out", 5).value("values_out_offset", q.values_out->offset);
  };
  std::uint64_t ends_at = workspace::own_at;
  if (q.descents) {
    const std::uint64_t at_once =
        is_cpu(on) ? on.compute_units
                   : std::uint64_t{on.compute_units} * on.choice.profile->reduce.groups_per_unit;
    const std::uint64_t groups =
        std::clamp<std::uint64_t>(blocks_of(n, is_cpu(on) ? least_merge_share : v.group_size * least_counted),
                                  1, std::max<std::uint64_t>(at_once, 1));
    add_launch("merge_descents", groups).workspace("workspace");
    work.launch("merge_sum_descents", 1, v.group_size)
        .value("counts", static_cast<std::uint32_t>(groups))
        .buffer("descents", descents)
        .value("descents_offset", q.descents->offset)
        .workspace("workspace");
    ends_at += groups * 8;
  }
  work.workspace_bytes = ends_at - workspace::own_at;
  if (is_cpu(on)) {
    add_output(add_launch("merge_shares", merge_shares_of(on, n)));
    return call;
  }
  if (!v.few_tiles) work.workspace_bytes += (tiles - 1) * 8;
  const auto add_ends = [&](described_launch& launch) {
    launch.workspace("workspace").value("ends_at", ends_at);
  };
  if (tiles > 1 && !v.few_tiles) {
    work.zeroed_bytes = zeroed_for_searches;
    described_launch& search = add_launch("merge_search", blocks_of(tiles - 1, searches_of(v.group_size)));
    search.value("ends", static_cast<std::uint32_t>(tiles - 1));
    add_ends(search);
  }
  described_launch& merge = add_launch("merge_tiles", tiles);
  add_output(merge);
  add_ends(merge);
  return call;
}

told tell(const merge_problem& /*q*/, const target& on, const described<merge_variant>& call) {
  const merge_variant& v = call.variant;
  told people;
  people.variant = name_of_order(v.keys) + ", ";
  if (is_cpu(on))
    people.variant += "a share of the result for each work-item";
  else
    people.variant += "tiles of " + std::to_string(tile_of(v)) + " elements in local memory";
  people.variant += words_of_counts(v.counts);
  if (!is_cpu(on) && call.work.n > tile_of(v))
    people.rejected.push_back({"one launch", "there are more elements than a tile has"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

namespace {

event start(const call_site& site, merge_problem q, const launch_fields& options, bool wanted) {
  check_parts(q);
  std::array<call_operand, 9> all;
  std::array<any_view*, 7> views;
  std::array<cl_mem, 9> buffers;
  std::size_t count = 0;
  // Numbers are compared by their bits, and values are moved.
  const auto add = [&](any_view& view, bool by_bits, access use, std::string_view name,
                       std::optional<std::uint64_t> reach = {}) {
    buffers[count] = view.n > 0 ? view.buffer : nullptr;
    views[count] = &view;
    all[count++] = {.view = by_bits ? as_bits(view) : view, .use = use, .name = name, .reach = reach};
  };
  const bool numbers = q.less == nullptr;
  const std::uint64_t n = counting{merge_variant::primitive, "the result"}.plus(q.a.n, q.b.n);
  const any_view a = q.a, b = q.b;  // with their counts
  q.a = all_of(a);
  q.b = all_of(b);
  add(q.a, numbers, access::reads, "the first range");
  add(q.b, numbers, access::reads, "the second range");
  add(q.out, numbers, access::writes, "the output", n);
  if (q.a_values) {
    add(*q.a_values, true, access::reads, "the values of the first range");
    add(*q.b_values, true, access::reads, "the values of the second range");
    add(*q.values_out, true, access::writes, "the output of the values", n);
  }
  if (q.descents) {
    if (q.descents->n == 0)
      refuse(merge_variant::primitive, "the view of the number of descents has no element");
    q.descents->n = 1;
    add(*q.descents, false, access::writes, "the number of descents");
  }
  const std::size_t views_there = count;
  counts_of_ranges(merge_variant::primitive, a, b);
  for (const any_view* each : {&a, &b}) {
    if (each->count == nullptr) continue;
    buffers[count] = each->count->buffer;
    all[count++] = counting_operand(*each);
  }
  const checked_operands checked = check_operands(site, merge_variant::primitive, {all.data(), count});
  if (q.a_values && (q.a_values->n != q.a.n || q.b_values->n != q.b.n))
    refuse(merge_variant::primitive, "there are " + std::to_string(q.a.n) + " and " + std::to_string(q.b.n) +
                                         " keys, and " + std::to_string(q.a_values->n) + " and " +
                                         std::to_string(q.b_values->n) + " values");
  check_one_order(merge_variant::primitive, q.less, q.order);
  const std::span<const cl_event> after = check_events(site, options.after, merge_variant::primitive);
  for (std::size_t k = 0; k < views_there; ++k) checked.place(k, *views[k]);
  q.a.count = a.count;
  q.b.count = b.count;
  const auto ready = fit(site, q);
  if (ready.code == nullptr && q.descents) {  // no elements
    constexpr std::uint64_t zero = 0;
    return fill_elements(site.queue, *q.descents, &zero, options);
  }
  return enqueue(site, ready, {buffers.data(), count}, after, wanted,
                 {merge_variant::primitive, &options.workspace, &checked});
}

}  // namespace

event merge(cl_command_queue queue, const merge_problem& asked, const launch_fields& options) {
  return start(site_of(queue, merge_variant::primitive), asked, options, options.with_event);
}

void checked_merge(cl_command_queue queue, const merge_problem& asked, const launch_fields& options) {
  const call_site site = site_of(queue, merge_variant::primitive);
  const std::uint64_t descents =
      count_on_host(site, options, [&](const any_view& count, const launch_options& now) {
        merge_problem counted = asked;
        counted.descents = count;
        return start(site, counted, now, true);
      });
  if (descents == 0) return;
  throw error(failure::bad_call,
              "the ranges are not sorted: an element comes before the one in front of it " +
                  std::to_string(descents) + (descents == 1 ? " time" : " times"),
              CL_SUCCESS,
              {.primitive = std::string(merge_variant::primitive),
               .types = asked.a.type->name,
               .advice = "sort both in the order in which they are merged"});
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const merge_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event merge(cl_command_queue queue, const merge_problem& asked, const launch_options& options) {
  return detail::merge(queue, asked, options);
}

void checked_merge(cl_command_queue queue, const merge_problem& asked, const launch_options& options) {
  detail::checked_merge(queue, asked, options);
}

}  // namespace clwave
