// lower_bound and upper_bound: what a call is, and the entry.
#include "primitives/bounds.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Needles of a work-item at a time, as many as loads are in flight; where there are no more needles than
// work-items at once, one each. H200, us for 2^16 and 2^20 random needles in as many elements with 1 and
// 4: 5.7 and 7.9, 82 and 80; for sorted ones 4.5 and 5.0, 18.6 and 17.1.
constexpr unsigned gpu_items = 4;
constexpr unsigned cpu_items = 16;
constexpr std::uint64_t items_at_once_of_unit = 2048;
// A work-item's registers that needles may take.
constexpr std::uint64_t needle_bytes = 64;

// Of many needles a group first loads what the first steps ask for, and goes over its share of them with one
// a work-item: of several the lines do not stay in a unit's own cache from one step to the next. H200, ms for
// 2^24 and 2^26 random needles with 4 a work-item 2.01 and 12.0, with one 1.97 and 10.4, so 1.67 and 9.9,
// with tables of 32 KiB - and 10.1, with two and four a work-item - and 11.4 and 12.2; for 2^24 sorted ones
// 0.26, 0.36, 0.33. Of 2^20, 4 of a work-item, 71 us for random ones, but 34 for sorted ones.
constexpr std::uint64_t top_bytes = 16 << 10;
constexpr unsigned top_group = 512;
constexpr std::uint64_t least_with_top = 16;  // needles of a work-item, and elements for each in the table
// Of fewer, but more than work-items at once, each loads one key of such a table, and then has as many
// needles as without one. H200, us for 2^20 random and sorted needles without one 82.4 and 13.4, with 9 and
// with 10 steps in groups of 512 72.5 and 13.7, 69.2 and 15.1; with 2 needles, 9 in groups of 512 and 10 in
// groups of 1024 71.3 and 16.7, 66.4 and 17.7; with 4 and 8 in groups of 256 76.8 and 13.4.

// A CPU's share has so many needles at least: no measurement, but each takes some dozen loads.
constexpr std::uint64_t least_share = 256;

void check_types(const bounds_problem& q) {
  const auto no = [&](const std::string& message, std::string_view advice = {}) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(bounds_variant::primitive),
                 .types = q.in.type->name,
                 .advice = std::string(advice)});
  };
  check_typed(bounds_variant::primitive,
              {{"the range", q.in}, {"the needles", q.needles}, {"the output", q.out}});
  if (q.needles.type->opencl_name != q.in.type->opencl_name || q.needles.type->size != q.in.type->size)
    no("the needles are of " + q.needles.type->name);
  const std::string& index = q.out.type->opencl_name;
  if (index != "uint" && index != "ulong")
    no("results of " + q.out.type->name, "results are of 32 or 64 bits, without a sign");
  if (index == "uint" && q.in.n >> 32 != 0)
    no("a range of " + std::to_string(q.in.n) + " elements has places that 32 bits do not hold",
       "give results of 64 bits");
}

std::uint64_t at_once_on(const target& on) { return on.compute_units * items_at_once_of_unit; }

bool has_many(const bounds_problem& q, const target& on) {
  return q.needles.n >= least_with_top * at_once_on(on);
}

// How a GPU searches.
void choose_searches(bounds_variant& v, const bounds_problem& q, const target& on) {
  const std::uint64_t at_once = at_once_on(on), room = top_bytes / q.in.type->size;
  v.group_size = group_size_within(on, on.choice.profile->merge.group_size);
  const unsigned with_top = group_size_within(on, top_group);
  const std::uint64_t keys = has_many(q, on) ? room : with_top;
  if (q.needles.n <= at_once) v.items = 1;
  if (q.needles.n <= at_once || q.in.n < least_with_top * keys || room < with_top ||
      local_bytes_of(on) < 2 * top_bytes)
    return;
  if (has_many(q, on)) v.items = 1;
  v.group_size = with_top;
  v.levels = static_cast<unsigned>(std::bit_width(keys)) - 1;
}

}  // namespace

program_spec spec_of(const bounds_variant& v) {
  program_spec spec;
  spec.primitive = bounds_variant::primitive;
  add_modules(spec, {"primitives/bounds.cl"});
  add_key_comparison(spec, v.keys);
  if (v.upper) add_word(spec, "UPPER");
  add_word(spec, "INDEX", v.wide_indices ? "ulong" : "uint");
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  add_word(spec, "LEVELS", std::to_string(v.levels));
  if (v.far_places) add_word(spec, "FAR_PLACES");
  return spec;
}

described<bounds_variant> describe(const bounds_problem& q, const target& on) {
  check_types(q);
  const element& key = *q.in.type;
  described<bounds_variant> call{{.keys = comparison_of(bounds_variant::primitive, on, key, q.less, q.order),
                                  .upper = q.upper,
                                  .wide_indices = q.out.type->size == 8},
                                 {.n = q.needles.n}};
  bounds_variant& v = call.variant;
  described_work& work = call.work;
  v.items = static_cast<unsigned>(
      std::clamp<std::uint64_t>(needle_bytes / key.size, 1, is_cpu(on) ? cpu_items : gpu_items));
  v.far_places = q.in.n >> 31 != 0;
  if (!is_cpu(on)) choose_searches(v, q, on);
  const auto bytes = [](const any_view& each, std::uint64_t count, std::string_view what) {
    return counting{bounds_variant::primitive, what}.bytes(each.offset, count, each.type->size);
  };
  work.operands = {{access::reads, bytes(q.in, q.in.n, "the range")},
                   {access::reads, bytes(q.needles, q.needles.n, "the needles")},
                   {access::writes, bytes(q.out, q.needles.n, "the output")}};
  const std::uint64_t of_group = std::uint64_t{v.group_size} * v.items;
  std::uint64_t groups = blocks_of(q.needles.n, of_group);
  if (is_cpu(on)) {
    const std::uint64_t shares = std::uint64_t{on.compute_units} * on.choice.profile->merge.shares;
    groups = std::min(blocks_of(q.needles.n, least_share), std::max<std::uint64_t>(shares, 1));
  }
  if (v.levels != 0 && has_many(q, on))
    groups = on.compute_units * std::max<std::uint64_t>(items_at_once_of_unit / v.group_size, 1);
  if (groups > most_groups)
    refuse(bounds_variant::primitive, "more than " + std::to_string(most_groups * of_group) + " needles");
  if (q.needles.n == 0) return call;
  work.launch("bounds", groups, v.group_size)
      .buffer("x", 0)
      .value("x_offset", q.in.offset)
      .value("n", q.in.n)
      .buffer("needles", 1)
      .value("needles_offset", q.needles.offset)
      .value("count", q.needles.n)
      .buffer("out", 2)
      .value("out_offset", q.out.offset)
      .values({}, {}, v.keys.less->values);
  return call;
}

told tell(const bounds_problem& /*q*/, const target& /*on*/, const described<bounds_variant>& call) {
  const bounds_variant& v = call.variant;
  return {.variant =
              std::string(v.upper ? "upper" : "lower") + " bounds " + name_of_order(v.keys) + ", " +
              std::to_string(v.items) + (v.items == 1 ? " needle" : " needles") +
              " of a work-item at a time" +
              (v.levels == 0 ? "" : ", the first " + std::to_string(v.levels) + " steps in local memory")};
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const bounds_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event bounds(cl_command_queue queue, const bounds_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::bounds_variant::primitive);
  bounds_problem q = asked;
  // Numbers are compared by their bits.
  const auto keys = [&](const any_view& view) { return q.less != nullptr ? view : detail::as_bits(view); };
  const std::array<detail::call_operand, 3> all = {
      {{.view = keys(q.in), .name = "the range"},
       {.view = keys(q.needles), .name = "the needles"},
       {.view = q.out, .use = detail::access::writes, .name = "the output", .reach = q.needles.n}}};
  detail::check_one_order(detail::bounds_variant::primitive, q.less, q.order);
  return detail::carry_out({site, detail::bounds_variant::primitive, options}, q, all,
                           {&q.in, &q.needles, &q.out});
}

}  // namespace clwave
