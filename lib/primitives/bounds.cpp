// lower_bound and upper_bound: what a call is, and the entry.
#include "primitives/bounds.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Needles of a work-item at a time, as many as loads are under way. Not measured on a GPU.
constexpr unsigned gpu_items = 4;
constexpr unsigned cpu_items = 16;
// A work-item's registers that needles may take.
constexpr std::uint64_t needle_bytes = 64;

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
  if (!is_cpu(on)) v.group_size = group_size_within(on, on.choice.profile->merge.group_size);
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
  return {.variant = std::string(v.upper ? "upper" : "lower") + " bounds " + name_of_order(v.keys) + ", " +
                     std::to_string(v.items) + (v.items == 1 ? " needle" : " needles") +
                     " of a work-item at a time"};
}

event bounds(cl_command_queue queue, const bounds_problem& asked, const launch_fields& options) {
  const call_site site = site_of(queue, bounds_variant::primitive);
  bounds_problem q = asked;
  // Numbers are compared by their bits.
  const auto keys = [&](const any_view& view) { return q.less != nullptr ? view : as_bits(view); };
  const std::array<call_operand, 3> all = {
      {{.view = keys(q.in), .name = "the range"},
       {.view = keys(q.needles), .name = "the needles"},
       {.view = q.out, .use = access::writes, .name = "the output", .reach = q.needles.n}}};
  const checked_operands checked = check_operands(site, bounds_variant::primitive, all);
  check_one_order(bounds_variant::primitive, q.less, q.order);
  const std::span<const cl_event> after = check_events(site, options.after, bounds_variant::primitive);
  std::array<cl_mem, 3> buffers;
  for (std::size_t k = 0; any_view* const view : {&q.in, &q.needles, &q.out}) {
    buffers[k] = view->n > 0 ? view->buffer : nullptr;
    checked.place(k++, *view);
  }
  return carry_out(site, q, buffers, after, options.with_event,
                   {bounds_variant::primitive, &options.workspace, &checked});
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const bounds_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event bounds(cl_command_queue queue, const bounds_problem& asked, const launch_options& options) {
  return detail::bounds(queue, asked, options);
}

}  // namespace clwave
