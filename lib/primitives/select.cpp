// select: what a call is, and the entry.
#include "primitives/select.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/flags.hpp"
#include "blocks/fold.hpp"
#include "blocks/kept.hpp"
#include "call/count_on_host.hpp"
#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/lazy_inputs.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "primitives/select_kinds.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// ------------------------------------------------------------------------------------- types and texts

[[noreturn]] void no(const select_problem& q, std::string_view message, std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(select_variant::primitive),
               .types = q.in.type->name,
               .advice = std::string(advice)});
}

// A predicate decides of each element by its flag, which is of any type.
bool has_stencil(const select_problem& q) { return q.kind == select_kind::copy_flagged_if; }
// Where neighbours decide, no text of the user's does. Never destroyed: calls may come as the process exits.
const map& predicate_of(const select_problem& q) {
  static const map& always = *new map{.name = "always", .source = "1"};
  return has_predicate(q.kind) ? *q.predicate : always;
}

// The results of n elements that are all kept.
std::uint64_t most_results(select_kind kind, std::uint64_t n) {
  return is_of_offsets(kind) && n < ~std::uint64_t{0} ? n + 1 : n;
}

// How many results the output has room for; of pairs the shorter one decides.
std::uint64_t room_of(const select_problem& q) {
  return carries(q.kind) || measures(q.kind) ? std::min(q.out.n, q.second_out->n) : q.out.n;
}

// A type that the program has beside the elements'.
const element* type_beside(const select_problem& q) {
  if (has_flags(q.kind)) return q.flags->type;
  if (carries(q.kind)) return q.values->type;
  return measures(q.kind) ? q.second_out->type : q.in.type;
}

// Throws unless the problem has what its kind takes.
void check_parts(const select_problem& q) {
  if (has_predicate(q.kind) && q.predicate == nullptr) no(q, "the problem has no predicate");
  if (has_flags(q.kind) && !q.flags) no(q, "the problem has no flags");
  if (carries(q.kind) && (!q.values || !q.second_out))
    no(q, "the problem has no values, or no output for them");
  if (has_others_out(q.kind) && !q.second_out) no(q, "the problem has no output for the others");
  if (has_three_outputs(q.kind) && (!q.second_out || !q.third_out))
    no(q, "the problem has no second output, or no third one");
  if (measures(q.kind) && !q.second_out) no(q, "the problem has no output for the lengths");
}

// Whether elements of one may be stored as the other's.
bool is_same_type(const element& a, const element& b) {
  return are_alike(a, b) && a.declaration == b.declaration;
}

void check_types(const select_problem& q, const target& on) {
  check_parts(q);
  check_typed(select_variant::primitive, {{"the input", array_given_for(q.in)},
                                          {"the output", q.out},
                                          {"the flags", q.flags},
                                          {"the values", q.values},
                                          {"the second output", q.second_out},
                                          {"the third output", q.third_out}});
  const element& value = *q.in.type;
  if (value.kind == element_kind::opaque)
    no(q, value.name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
  check_folding(select_variant::primitive, folding_of(value, predicate_of(q)), false);
  if (!is_same_type(value, *q.out.type) && !is_of_offsets(q.kind))
    no(q, "the output is of " + q.out.type->name);
  if (q.count.has_type() && q.count.n != 0 && q.count.n < counts_written(q.kind))
    no(q, "a partition into three has two counts");
  if (has_predicate(q.kind)) check_values(select_variant::primitive, on, *q.predicate);
  if (has_stencil(q))
    check_flags(select_variant::primitive, on, *q.flags->type, q.predicate, value.name);
  else if (has_flags(q.kind))
    check_flags(select_variant::primitive, *q.flags->type, value.name);
  if (has_three_outputs(q.kind)) {
    if (q.second_predicate == nullptr || q.second_predicate->kind != map_kind::user ||
        q.second_predicate->name.empty() || q.second_predicate->source.empty())
      no(q, "the second predicate is a map of your own, with a name and a source");
    check_values(select_variant::primitive, on, *q.second_predicate);
    if (!is_same_type(value, *q.third_out->type)) no(q, "the third output is of " + q.third_out->type->name);
  }
  if (carries(q.kind)) {
    const element& carried = *q.values->type;
    if (carried.kind == element_kind::opaque)
      no(q, carried.name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
    if (!is_same_type(carried, *q.second_out->type))
      no(q, "the output of the values is of " + q.second_out->type->name);
  }
  if ((has_others_out(q.kind) || has_three_outputs(q.kind)) && !is_same_type(value, *q.second_out->type))
    no(q, "the second output is of " + q.second_out->type->name);
  if (is_of_offsets(q.kind) && q.out.type->opencl_name != "ulong")
    no(q, "offsets of " + q.out.type->name, "offsets are of 64 bits, without a sign");
  if (measures(q.kind)) {
    const std::string& length = q.second_out->type->opencl_name;
    if (length != "uint" && length != "ulong")
      no(q, "lengths of " + q.second_out->type->name, "lengths are of 32 or 64 bits, without a sign");
    if (length == "uint" && q.in.n >> 32 != 0)
      no(q, "a run of " + std::to_string(q.in.n) + " elements is too long for a length of 32 bits",
         "give lengths of 64 bits");
  }
  if (compares(q.kind)) check_equality(select_variant::primitive, on, value, q.same);
  if (q.count.has_type() && q.count.type->opencl_name != "ulong")
    no(q, "a count of " + q.count.type->name, "the count is of 64 bits, without a sign");
}

// ------------------------------------------------------------------------------------------------ numbers

std::uint64_t tile_of(const select_variant& v) { return std::uint64_t{v.group_size} * v.items * v.vector; }

// How many elements lie between a place and the last packet's start before it.
std::uint32_t head_of(const select_problem& q, const select_variant& v) {
  return static_cast<std::uint32_t>(q.in.address / q.in.type->size % v.vector);
}

// What a tile's element takes in local memory: itself, and the place of a kept one where that is needed.
std::size_t local_bytes_of(const select_problem& q) {
  return q.in.type->size + (keeps_places(q.kind) ? 2 : 0);
}

// Into how many shares the tiles of a partition are dealt to be counted: all groups of a device at once,
// whose counts are summed anew for each tile.
std::uint64_t shares_of(std::uint64_t tiles, const target& on) {
  const std::uint64_t most = is_cpu(on) ? std::uint64_t{on.compute_units} * 4 : 512;
  return std::min(tiles, std::max<std::uint64_t>(most, 1));
}

void choose_sizes(select_variant& v, const select_problem& q, const target& on) {
  const std::size_t size = q.in.type->size, in_local = local_bytes_of(q);
  v.by_element = q.in.alignment < std::min<std::size_t>(low_bit(size), 16);
  // A tile's elements lie in local memory, on a GPU beside counts and what lanes exchange.
  const std::uint64_t local = local_bytes_of(on);
  // Both counts of a tile go by one word.
  const std::uint64_t most = has_three_outputs(q.kind) ? (1 << 15) - 1 : most_size;
  if (is_cpu(on)) {
    const std::uint64_t items = std::max<std::uint64_t>(std::min(cpu_tile_bytes, local / 2) / in_local, 1);
    v.items = static_cast<unsigned>(std::min(items, most));
    return;
  }
  const select_tuning& tuned = on.choice.profile->select;
  unsigned elements = elements_of_item(size, tuned.items);
  v.group_size = group_size_within(on, tuned.group_size);
  constexpr std::uint64_t beside = 3 << 10;
  const auto fits = [&] {
    const std::uint64_t tile = std::uint64_t{v.group_size} * elements;
    return tile * in_local + beside <= local && tile <= most;
  };
  while (!fits() && elements > 1) elements /= 2;
  while (!fits() && v.group_size > on.choice.lanes) v.group_size /= 2;
  if (std::has_single_bit(size) && size <= 16 && !v.by_element) {
    v.vector = std::min(static_cast<unsigned>(16 / size), std::bit_floor(elements));
    if (!q.in.known && q.in.alignment < v.vector * size) v.vector = 1;
  }
  v.items = elements / v.vector;
  if (has_flags(q.kind)) {
    const std::uint64_t packet = v.vector * q.flags->type->size;
    v.flag_packets = packet <= 16 && std::has_single_bit(q.flags->type->size) &&
                     (q.flags->known || q.flags->alignment >= packet) &&
                     q.flags->address % packet == head_of(q, v) * q.flags->type->size;
  }
}

}  // namespace

described<select_variant> describe(const select_problem& q, const target& on) {
  check_types(q, on);
  described<select_variant> call{{.kind = q.kind,
                                  .value = q.in.type,
                                  .beside = type_beside(q),
                                  .predicate = &predicate_of(q),
                                  .second = has_stencil(q)              ? q.predicate
                                            : has_three_outputs(q.kind) ? q.second_predicate
                                                                        : &identity,
                                  .same = &equality_of(*q.in.type, compares(q.kind) ? q.same : nullptr),
                                  .messages = messages_for(on, q.in.n)},
                                 {.n = q.in.n}};
  select_variant& v = call.variant;
  v.count_bytes = count_bytes_of(select_variant::primitive, q.in);
  v.lazy = lazy_of(select_variant::primitive, q.in, on);
  choose_sizes(v, q, on);
  const bool split = q.kind == select_kind::partition;
  const std::uint64_t stored = std::min(most_results(q.kind, q.in.n), room_of(q));
  const bool three = has_three_outputs(q.kind);
  const std::uint64_t second_stored =
      has_others_out(q.kind) || three ? std::min(q.in.n, q.second_out->n) : stored;
  const std::uint64_t third_stored = three ? std::min(q.in.n, q.third_out->n) : 0;
  if (split && q.out.n < q.in.n)
    refuse(select_variant::primitive, "the output of a partition has " + std::to_string(q.out.n) +
                                          " elements, the input " + std::to_string(q.in.n));
  described_work& work = call.work;
  work.operands.reserve(7);
  work.operands.push_back(described_input(select_variant::primitive, q.in));
  if (has_flags(q.kind))
    work.operands.push_back({access::reads, counting{select_variant::primitive, "the flags"}.bytes(
                                                q.flags->offset, q.in.n, q.flags->type->size)});
  if (carries(q.kind))
    work.operands.push_back({access::reads, counting{select_variant::primitive, "the values"}.bytes(
                                                q.values->offset, q.in.n, q.values->type->size)});
  const std::size_t out = work.operands.size();
  work.operands.push_back({access::writes, counting{select_variant::primitive, "the output"}.bytes(
                                               q.out.offset, stored, q.out.type->size)});
  if (has_second(q.kind))
    work.operands.push_back(
        {access::writes, counting{select_variant::primitive, "the second output"}.bytes(
                             q.second_out->offset, second_stored, q.second_out->type->size)});
  if (three)
    work.operands.push_back(
        {access::writes, counting{select_variant::primitive, "the third output"}.bytes(
                             q.third_out->offset, third_stored, q.third_out->type->size)});
  const std::size_t total = work.operands.size();
  work.operands.push_back({access::writes, counting{select_variant::primitive, "the count"}.bytes(
                                               q.count.offset, counts_written(q.kind), 8)});
  const std::size_t counted = work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  describe_sources(select_variant::primitive, q.in, work);
  const std::uint32_t head = head_of(q, v);
  const std::uint64_t tiles = blocks_of(q.in.n + head, tile_of(v));
  if (tiles > most_groups)
    refuse(select_variant::primitive,
           "more than " + std::to_string(most_groups * tile_of(v) - head) + " elements",
           "select from the input in parts");
  // Groups that wait for what all tiles keep must run together, or they wait in vain and count what others
  // would: on a CPU one tile has nobody to wait for.
  constexpr std::uint64_t waiting_of_unit = 2;
  if (split && tiles > (is_cpu(on) ? 1 : waiting_of_unit * on.compute_units))
    v.messages = {.count_words = q.in.n >> 31 != 0 ? 2u : 1u};
  if (q.in.n == 0) return call;

  work.launches.reserve(3);
  const auto add_input = [&](described_launch& launch) {
    launch.buffer("x", 0).value("x_offset", q.in.offset);
    add_elements(launch, q.in, counted);
    launch.value("head", head);
    if (has_flags(q.kind)) launch.buffer("flags", 1).value("flags_offset", q.flags->offset);
  };
  const auto add_output = [&](described_launch& launch) {
    launch.buffer("out", out).value("out_offset", q.out.offset).value("capacity", stored);
    if (carries(q.kind))
      launch.buffer("values", 1)
          .value("values_offset", q.values->offset)
          .buffer("values_out", out + 1)
          .value("values_out_offset", q.second_out->offset);
    if (measures(q.kind)) launch.buffer("lengths", out + 1).value("lengths_offset", q.second_out->offset);
    if (has_others_out(q.kind) || three)
      launch.buffer("others", out + 1)
          .value("others_offset", q.second_out->offset)
          .value("others_capacity", second_stored);
    if (three)
      launch.buffer("rest", out + 2)
          .value("rest_offset", q.third_out->offset)
          .value("rest_capacity", third_stored);
  };
  const auto add_total = [&](described_launch& launch) {
    launch.buffer("total", total).value("total_offset", q.count.offset);
  };
  const auto add_workspace = [&](described_launch& launch) {
    launch.workspace("workspace");
    if (v.messages.one_pass) launch.call_number("call");
  };
  const auto add_launch = [&](const char* kernel, std::uint64_t groups) -> described_launch& {
    described_launch& launch = work.launch(kernel, groups, v.group_size);
    launch.takes_sources = q.in.lazy != nullptr;
    if (compares(q.kind)) return launch.values({}, {}, v.same->values);
    if (has_stencil(q)) return launch.values({}, {}, v.second->values);
    return launch.values({}, v.predicate->values, v.second->values);
  };
  const auto add_counts = [&](std::uint64_t groups) {
    described_launch& counts = add_launch("select_counts", groups);
    add_input(counts);
    add_workspace(counts);
  };
  const auto add_results = [&](const char* kernel) -> described_launch& {
    described_launch& results = add_launch(kernel, tiles);
    add_input(results);
    add_output(results);
    return results;
  };
  if (v.messages.one_pass) {
    work.messages = true;
    work.workspace_bytes = tiles * v.messages.count_words * 8 * (measures(q.kind) || three ? 2 : 1);
    work.zeroed_bytes = workspace::own_at - workspace::counter_at + work.workspace_bytes;
    described_launch& all = add_results("select_kept");
    add_total(all);
    add_workspace(all);
  } else if (split) {
    const std::uint64_t shares = shares_of(tiles, on);
    work.workspace_bytes = (shares + tiles) * 8;
    add_counts(shares);
    described_launch& results = add_results("select_results");
    results.value("shares", static_cast<std::uint32_t>(shares));
    add_total(results);
    add_workspace(results);
  } else {
    work.workspace_bytes = tiles * 8 * (measures(q.kind) || three ? 2 : 1);
    add_counts(tiles);
    described_launch& sums = work.launch("select_sums", 1, v.group_size);
    sums.value("tiles", static_cast<std::uint32_t>(tiles));
    add_total(sums);
    add_workspace(sums);
    add_workspace(add_results("select_results"));
  }
  return call;
}

told tell(const select_problem& q, const target& on, const described<select_variant>& call) {
  const select_variant& v = call.variant;
  told people;
  const bool split = q.kind == select_kind::partition;
  people.variant = v.messages.one_pass ? "one pass with messages between groups"
                   : split             ? "two launches, of which the first counts"
                                       : "three launches";
  people.variant += ", tiles of " + std::to_string(tile_of(v)) + " elements";
  if (v.vector > 1) people.variant += ", loads of " + std::to_string(v.vector) + " x " + q.in.type->name;
  people.variant += words_of_count(v.count_bytes);
  people.variant += words_of_lazy(q.in);
  if (const std::string_view reason = why_no_messages(on); !reason.empty())
    people.rejected.push_back({"one pass", std::string(reason)});
  else if (split && !v.messages.one_pass)
    people.rejected.push_back(
        {"one pass",
         "where the others begin is known when all that are kept have been counted, and not "
         "all groups run together"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

namespace {

event start(const call_site& site, select_problem q, const launch_fields& options, bool wanted) {
  check_parts(q);
  q.count.n = counts_written(q.kind);
  std::array<call_operand, 7 + most_source_operands> all;
  std::array<any_view*, 7> views;
  std::array<cl_mem, 7 + most_source_operands> buffers;
  std::size_t n = 0;
  const auto add = [&](any_view& view, const call_operand& each) {
    buffers[n] = view.n > 0 ? view.buffer : nullptr;
    views[n] = &view;
    all[n++] = each;
  };
  const std::optional<std::size_t> any =
      q.in.type->components > 1 ? std::nullopt : std::optional<std::size_t>(1);
  add(q.in, {.view = array_given_for(q.in), .name = "the input", .alignment = any});
  if (has_flags(q.kind)) add(*q.flags, {.view = *q.flags, .name = "the flags"});
  if (carries(q.kind)) add(*q.values, {.view = *q.values, .name = "the values"});
  const std::uint64_t most = most_results(q.kind, q.in.n), room = room_of(q);
  add(q.out, {.view = q.out, .use = access::writes, .name = "the output", .reach = std::min(most, room)});
  if (has_second(q.kind))
    add(*q.second_out,
        {.view = *q.second_out,
         .use = access::writes,
         .name = "the second output",
         .reach =
             std::min(most, has_others_out(q.kind) || has_three_outputs(q.kind) ? q.second_out->n : room)});
  if (has_three_outputs(q.kind))
    add(*q.third_out, {.view = *q.third_out,
                       .use = access::writes,
                       .name = "the third output",
                       .reach = std::min(most, q.third_out->n)});
  add(q.count, {.view = q.count, .use = access::writes, .name = "the count"});
  any_view number_of_elements;
  if (count_bytes_of(select_variant::primitive, q.in) != 0) {
    number_of_elements = *q.in.count;
    add(number_of_elements, counting_operand(q.in));
  }
  const std::size_t placed = n;
  n += list_sources(q.in, std::span(all).subspan(n), std::span(buffers).subspan(n));
  const checked_operands checked = check_operands(site, select_variant::primitive, {all.data(), n});
  if (has_flags(q.kind) && q.flags->n != q.in.n)
    refuse(select_variant::primitive,
           "the input has " + std::to_string(q.in.n) + " elements, the flags " + std::to_string(q.flags->n));
  if (carries(q.kind) && q.values->n != q.in.n)
    refuse(select_variant::primitive,
           "there are " + std::to_string(q.in.n) + " keys and " + std::to_string(q.values->n) + " values");
  const std::span<const cl_event> after = check_events(site, options.after, select_variant::primitive);
  for (std::size_t k = 0; k < placed; ++k) checked.place(k, *views[k]);
  const auto ready = fit(site, q);
  if (ready.code == nullptr) {         // no elements
    constexpr std::uint64_t zero = 0;  // each count
    if (!is_of_offsets(q.kind) || room == 0) return fill_elements(site.queue, q.count, &zero, options);
    const event end = fill_elements(site.queue, {q.out.buffer, 1, q.out.offset, q.out.type}, &zero,
                                    launch_options{.after = options.after});
    return fill_elements(site.queue, q.count, &zero,
                         launch_options{.after = {end}, .with_event = options.with_event});
  }
  return enqueue(site, ready, {buffers.data(), n}, after, wanted,
                 {select_variant::primitive, &options.workspace, &checked});
}

}  // namespace

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const select_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event select(cl_command_queue queue, const select_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::select_variant::primitive);
  if (asked.count.n == 0)
    detail::refuse(detail::select_variant::primitive, "the view of the count has no element");
  if (asked.count.n < detail::counts_written(asked.kind))
    detail::refuse(detail::select_variant::primitive, "a partition into three has two counts");
  return detail::start(site, asked, options, options.with_event);
}

std::uint64_t select_to_host(cl_command_queue queue, const select_problem& asked,
                             const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::select_variant::primitive);
  if (detail::counts_written(asked.kind) != 1)
    detail::refuse(detail::select_variant::primitive, "a partition into three returns no count",
                   "give a view of two numbers on the device");
  return detail::count_on_host(site, options, asked, &select_problem::count, detail::start);
}

}  // namespace clwave
