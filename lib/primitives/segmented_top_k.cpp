// segmented_top_k: what a call is, and the entries.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/merge_tiles.hpp"
#include "blocks/segments.hpp"
#include "blocks/sorted_keys.hpp"
#include "call/count_on_host.hpp"
#include "call/counted.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "primitives/top_k.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view best_of_segments = segmented_top_k_variant::primitive;

[[noreturn]] void refuse_best(const segmented_top_k_problem& q, const std::string& message,
                              std::string_view advice = {}) {
  throw error(
      failure::bad_call, message, CL_SUCCESS,
      {.primitive = std::string(best_of_segments), .types = q.in.type->name, .advice = std::string(advice)});
}

// The sort of which the results are the first elements of each segment.
sort_problem whole_sort(const segmented_top_k_problem& q) {
  return {.keys = q.in,
          .keys_out = any_view(*q.in.type),
          .order = {.descending = q.descending},
          .offsets = q.offsets,
          .bad = q.bad};
}

void check_best_of_segments(const segmented_top_k_problem& q) {
  check_typed(best_of_segments, {{"the input", q.in},
                                 {"the offsets", all_of(q.offsets)},
                                 {"the output of the values", q.values},
                                 {"the output of the indices", q.indices},
                                 {"the number of bad segments", q.bad}});
  const element& key = *q.in.type;
  if (!key.is_scalar_arithmetic())
    refuse_best(q, "elements of " + key.name + " have no order",
                is_byte(key) ? "view their memory as std::uint8_t" : "transform them into numbers first");
  if (q.values.type->opencl_name != key.opencl_name)
    refuse_best(q, "the output is of " + q.values.type->name);
  const std::string& index = q.indices.type->opencl_name;
  if (index != "uint" && index != "ulong")
    refuse_best(q, "indices of " + q.indices.type->name, "indices are of 32 or 64 bits, without a sign");
  if (index == "uint" && q.in.n > std::uint64_t{1} << 32)
    refuse_best(q, std::to_string(q.in.n) + " elements have indices that 32 bits do not hold",
                "give indices of 64 bits");
  check_sorted_segments(best_of_segments, whole_sort(q));
}

// How many elements the results of all segments take.
std::uint64_t number_of_best(const segmented_top_k_problem& q) {
  return counting{best_of_segments, "the output of the values"}.times(q.offsets.n - 1, q.k);
}

bool asks_nothing(const segmented_top_k_problem& q) { return q.offsets.n == 1 || (q.k == 0 && !q.bad); }

}  // namespace

program_spec spec_of(const segmented_top_k_variant& v) {
  program_spec spec = spec_of(v.sort);
  spec.primitive = best_of_segments;
  spec.types = v.sort.keys.key->name;
  return spec;
}

described<segmented_top_k_variant> describe(const segmented_top_k_problem& q, const target& on) {
  check_best_of_segments(q);
  const element &key = *q.in.type, &index = *q.indices.type;
  const sort_problem whole = whole_sort(q);
  described<segmented_top_k_variant> call{
      {.sort = {.keys = comparison_of(best_of_segments, on, key, nullptr, whole.order),
                .value_bytes = index.size,
                .wide_offsets = q.offsets.type->size == 8,
                .counts_bad = q.bad.has_value(),
                .keeps_first = true,
                .count_bytes = count_bytes_of_segments(best_of_segments, q.offsets)}},
      {.n = q.in.n}};
  segmented_sort_variant& v = call.variant.sort;
  choose_sizes(v, on);
  described_work& work = call.work;
  const std::uint64_t results = number_of_best(q);
  const auto bytes = [](const any_view& each, std::uint64_t n, std::string_view what) {
    return counting{best_of_segments, what}.bytes(each.offset, n, each.type->size);
  };
  work.operands = {{access::reads, bytes(q.in, q.in.n, "the input")},
                   {access::writes, bytes(q.values, results, "the output of the values")},
                   {access::writes, bytes(q.indices, results, "the output of the indices")}};
  const sorted_segments segments = add_sorted_segments(best_of_segments, work, whole);
  if (asks_nothing(q)) return call;

  workspace_parts parts(best_of_segments);
  const segmented_sort_launches sort(segments, v, on, parts);
  // A CPU's core sorts from room to room. Of a GPU the runs of longer segments go there, and one room does
  // where these take one pass: it ends in the results.
  const std::uint64_t spare_n = sort.has_spares() ? q.in.n : 0;
  const std::uint64_t other_n = is_cpu(on) || sort.passes() > 1 ? q.in.n : 0;
  const sort_rooms rooms{.keys = {0, q.in.offset * key.size},
                         .keys_out = {{}, parts.take(other_n, key.size)},
                         .keys_spare = {{}, parts.take(spare_n, key.size)},
                         .values = {},
                         .values_out = {{}, parts.take(other_n, index.size)},
                         .values_spare = {{}, parts.take(spare_n, index.size)}};
  work.workspace_bytes = parts.bytes();
  const first_of_segments first{.kept = q.k,
                                .values = 1,
                                .values_offset = q.values.offset,
                                .indices = 2,
                                .indices_offset = q.indices.offset};
  sort.add(work, rooms, {}, &first);
  return call;
}

told tell(const segmented_top_k_problem& q, const target& on,
          const described<segmented_top_k_variant>& call) {
  if (call.work.launches.empty()) return {"nothing is asked for"};
  const segmented_sort_variant& v = call.variant.sort;
  told people{name_of_segmented_sort(v, q.in.n, on) + ", each run as far as its first " +
              std::to_string(q.k)};
  people.variant += words_of_segment_count(v.count_bytes);
  if (passes_of_merges(q.in.n, v.tile) > 0)
    people.rejected.push_back({"no passes",
                               "the host does not know how long segments are; passes end at once where "
                               "none is as long"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entries

namespace {

event start_best(const call_site& site, segmented_top_k_problem q, const launch_fields& options,
                 bool wanted) {
  check_best_of_segments(q);
  if (q.bad && q.bad->n == 0)
    refuse(best_of_segments, "the view of the number of bad segments has no element");
  const std::uint64_t results = number_of_best(q);
  std::array<call_operand, 6> all{
      {{.view = as_bits(q.in), .name = "the input"},
       {.view = as_bits(q.values),
        .use = access::writes,
        .name = "the output of the values",
        .reach = results},
       {.view = q.indices, .use = access::writes, .name = "the output of the indices", .reach = results},
       {.view = all_of(q.offsets), .name = "the offsets"}}};
  std::size_t operands = 4;
  any_view* bad = nullptr;
  if (q.bad) {
    q.bad->n = 1;
    all[operands++] = {.view = *q.bad, .use = access::writes, .name = "the number of bad segments"};
    bad = &*q.bad;
  }
  if (count_bytes_of_segments(best_of_segments, q.offsets) != 0)
    all[operands++] = counting_operand_of_segments(q.offsets);
  return carry_out({site, best_of_segments, options, wanted}, q, std::span(all).first(operands),
                   {&q.in, &q.values, &q.indices, &q.offsets, bad}, bad);
}

}  // namespace

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const segmented_top_k_problem& asked, const plan_target& on) {
  return detail::plan_of(asked, on);
}

event segmented_top_k(cl_command_queue queue, const segmented_top_k_problem& asked,
                      const launch_options& options) {
  return detail::start_best(detail::site_of(queue, detail::best_of_segments), asked, options,
                            options.with_event);
}

void checked_segmented_top_k(cl_command_queue queue, const segmented_top_k_problem& asked,
                             const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::best_of_segments);
  detail::check_best_of_segments(asked);
  const std::uint64_t bad =
      detail::count_on_host(site, options, asked, &segmented_top_k_problem::bad, detail::start_best);
  if (bad == 0) return;
  detail::refuse_best(
      asked, detail::words_of_bad_segments(bad, asked.offsets),
      "offsets may not fall, nor pass the input's " + std::to_string(asked.in.n) + " elements");
}

}  // namespace clwave
