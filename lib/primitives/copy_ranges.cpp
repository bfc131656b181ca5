// copy_ranges: what a call is, and the entries.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "call/count_on_host.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "primitives/copy.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view copies_ranges = ranges_variant::primitive;

constexpr std::uint64_t most_ranges = std::uint64_t{1} << 31;

// What kernels call cells (cl_kernels/primitives/copy_ranges.cl).
constexpr std::uint64_t cell_bytes = 16;
// Cells that a work-item of a GPU has in flight: of 4 it takes 100 registers on NVIDIA (ptxas, sm_90). Ranges
// of a window of a CPU. Neither is measured.
constexpr unsigned cells_in_flight = 2;
constexpr unsigned cpu_window = 256;

[[noreturn]] void refuse_ranges(const copy_ranges_problem& q, const std::string& message,
                                std::string_view advice = {}) {
  throw error(
      failure::bad_call, message, CL_SUCCESS,
      {.primitive = std::string(copies_ranges), .types = q.in.type->name, .advice = std::string(advice)});
}

void check_types_of_ranges(const copy_ranges_problem& q) {
  check_typed(copies_ranges, {{"the input", q.in},
                              {"the starts", q.starts},
                              {"the lengths", q.lengths},
                              {"the output", q.out},
                              {"the starts in the output", q.out_starts},
                              {"the number of bad ranges", q.bad}});
}

void check_copied_ranges(const copy_ranges_problem& q) {
  check_types_of_ranges(q);
  const element &in = *q.in.type, &out = *q.out.type;
  if (in.size > 128 || out.size > 128) refuse_ranges(q, "elements have 1 to 128 bytes");
  if (!are_alike(in, out) || in.declaration != out.declaration)
    refuse_ranges(q, "the output is of " + out.name, "give one of the input's type");
  const std::string& number = q.starts.type->opencl_name;
  if (number != "uint" && number != "ulong")
    refuse_ranges(q, "starts of " + q.starts.type->name,
                  "starts and lengths are of 32 or 64 bits, without a sign");
  if (q.lengths.type->opencl_name != number || q.out_starts.type->opencl_name != number)
    refuse_ranges(q,
                  "the starts are of " + q.starts.type->name + ", the lengths of " + q.lengths.type->name +
                      ", the starts in the output of " + q.out_starts.type->name,
                  "give all three 32 bits, or 64");
  if (q.lengths.n != q.starts.n || q.out_starts.n != q.starts.n)
    refuse_ranges(q, "there are " + std::to_string(q.starts.n) + " starts, " + std::to_string(q.lengths.n) +
                         " lengths and " + std::to_string(q.out_starts.n) + " starts in the output");
  if (q.starts.n > most_ranges)
    refuse_ranges(q, "more than " + std::to_string(most_ranges) + " ranges", "copy the ranges in parts");
  if (q.bad && q.bad->type->opencl_name != "ulong")
    refuse_ranges(q, "a number of bad ranges of " + q.bad->type->name, "it is of 64 bits, without a sign");
  if (q.bad && q.bad->n == 0) refuse_ranges(q, "there is no element to write the number of bad ranges to");
}

copy_numbers numbers_of_ranges(const target& on) {
  copy_numbers numbers = copy_numbers_of(on, on.choice.profile->copy);
  if (is_cpu(on)) return numbers;
  numbers.items = cells_in_flight;
  numbers.vector_bytes = cell_bytes;
  return numbers;
}

// How many groups copy. The host does not know the lengths: as many as find work where all ranges are as long
// as can be, and of a GPU a few more than run at a time, because equal parts do not take quite the same time.
std::uint64_t groups_of_ranges(const copy_ranges_problem& q, const target& on) {
  // Of a part: fewer do not pay for the search of where it begins.
  constexpr std::uint64_t least_cells = 1024;
  const std::uint64_t longest = std::min(q.in.n, q.out.n);
  // A range reaches into two cells more than it fills, and something is looked up for each.
  const std::uint64_t cells = checked_product(longest, q.in.type->size).value_or(most_size) / cell_bytes + 4;
  const std::uint64_t all = checked_product(cells, q.starts.n).value_or(most_size);
  const tuning& tuned = on.choice.profile->copy;
  if (is_cpu(on)) return cpu_groups(checked_product(all, cell_bytes).value_or(most_size), on, tuned);
  const std::uint64_t at_once = std::uint64_t{on.compute_units} * tuned.groups_per_unit;
  // Where few ranges are looked up, smaller parts end more evenly (H200, 16 ranges of 2^22 words: 149 us by 8
  // rounds of groups, 155 by 2; of 2^20 ranges 100 and 80).
  constexpr std::uint64_t few = 64;
  const std::uint64_t rounds = q.starts.n <= few ? 8 : 2;
  return std::clamp<std::uint64_t>(all / least_cells, 1, std::max<std::uint64_t>(rounds * at_once, 1));
}

// Of the launch that adds up what the ranges of each window take.
std::uint64_t groups_of_windows(const copy_ranges_problem& q, std::uint64_t windows, const ranges_variant& v,
                                const target& on) {
  if (v.numbers.group_size > 1) return windows;
  const std::uint64_t bytes = 3 * q.starts.n * q.starts.type->size;
  return std::min(windows, cpu_groups(bytes, on, on.choice.profile->copy));
}

}  // namespace

program_spec spec_of(const ranges_variant& v) {
  program_spec spec = spec_of_bytes(move_variant::primitive, v.numbers);
  add_modules(spec, {"primitives/copy_ranges.cl"});
  if (v.numbers.group_size == 1)
    add_modules(spec, {"primitives/copy_runs.cl", "primitives/copy_ranges_serial.cl"});
  else
    add_modules(spec, {"primitives/copy_ranges_cells.cl"});
  add_word(spec, "RANGE_WINDOW", std::to_string(v.window));
  add_word(spec, "INDEX", v.wide_indices ? "ulong" : "uint");
  // What has 8 bytes is one number, because a vector's components may be stored one by one.
  add_word(spec, "ELEMENT_PART", v.part_bytes == 8 ? "ulong" : bits_of(v.part_bytes));
  add_word(spec, "PART_BYTES", std::to_string(v.part_bytes));
  if (v.one_window) add_word(spec, "ONE_WINDOW");
  if (v.counts_bad) add_word(spec, "COUNTS_BAD");
  return spec;
}

described<ranges_variant> describe(const copy_ranges_problem& q, const target& on) {
  check_copied_ranges(q);
  const std::uint64_t n = q.starts.n, size = q.in.type->size;
  described<ranges_variant> call{
      {.numbers = numbers_of_ranges(on),
       .part_bytes = static_cast<unsigned>(std::min<std::uint64_t>(low_bit(size), cell_bytes)),
       .wide_indices = q.starts.type->size == 8,
       .counts_bad = q.bad.has_value()},
      {.n = n}};
  ranges_variant& v = call.variant;
  v.window = v.numbers.group_size > 1 ? v.numbers.group_size : cpu_window;
  v.one_window = n <= v.window;

  described_work& work = call.work;
  const auto bytes = [](const any_view& each, std::uint64_t count, std::string_view what) {
    return counting{copies_ranges, what}.bytes(each.offset, count, each.type->size);
  };
  work.operands = {{access::reads, bytes(q.in, q.in.n, "the input")},
                   {access::reads, bytes(q.starts, n, "the starts")},
                   {access::reads, bytes(q.lengths, n, "the lengths")},
                   {access::writes, bytes(q.out, q.out.n, "the output")},
                   {access::reads, bytes(q.out_starts, n, "the starts in the output")}};
  if (q.bad) work.operands.push_back({access::writes, bytes(*q.bad, 1, "the number of bad ranges")});
  if (n == 0) return call;

  const std::uint64_t windows = blocks_of(n, v.window);
  workspace_parts parts(copies_ranges);
  const std::uint64_t sums_at = parts.take(v.one_window ? 0 : windows + 1, 8);
  const std::uint64_t bads_at = parts.take(q.bad && !v.one_window ? windows : 0, 4);
  const auto add_ranges = [&](described_launch& launch) {
    launch.buffer("starts", 1).value("starts_offset", q.starts.offset);
    launch.buffer("lengths", 2).value("lengths_offset", q.lengths.offset);
    launch.buffer("out_starts", 4).value("out_starts_offset", q.out_starts.offset);
    launch.value("ranges", n).value("n", q.in.n).value("reach", q.out.n);
    launch.value("element_bytes", static_cast<std::uint32_t>(size));
    launch.buffer("out", 3).value("out_offset", q.out.offset * size);
  };
  const auto add_bad = [&](described_launch& launch) {
    if (q.bad) launch.buffer("bad", 5).value("bad_offset", q.bad->offset);
  };
  const auto number_of_windows = static_cast<std::uint32_t>(windows);
  if (!v.one_window) {
    work.workspace_bytes = parts.bytes();
    work.launches.reserve(3);
    described_launch& sums =
        work.launch("copy_ranges_sums", groups_of_windows(q, windows, v, on), v.numbers.group_size);
    add_ranges(sums);
    sums.workspace("workspace").value("sums_at", sums_at);
    sums.value("bads_at", bads_at);
    described_launch& begins = work.launch("copy_ranges_windows", 1, v.numbers.group_size);
    begins.workspace("workspace").value("sums_at", sums_at).value("windows", number_of_windows);
    begins.value("bads_at", bads_at);
    add_bad(begins);
  }
  described_launch& copies = work.launch("copy_ranges", groups_of_ranges(q, on), v.numbers.group_size);
  copies.buffer("x", 0).value("x_offset", q.in.offset * size);
  add_ranges(copies);
  if (v.one_window)
    add_bad(copies);
  else
    copies.workspace("workspace").value("sums_at", sums_at).value("windows", number_of_windows);
  return call;
}

told tell(const copy_ranges_problem& q, const target& on, const described<ranges_variant>& call) {
  if (call.work.launches.empty()) return {"there are no ranges"};
  const ranges_variant& v = call.variant;
  told people;
  if (is_cpu(on))
    people.variant = "an equal part of all bytes per work-item, range by range, accesses of " +
                     std::to_string(v.numbers.vector_bytes) + " bytes";
  else
    people.variant = "equal parts of all bytes per group, " + std::to_string(v.numbers.items) +
                     " times 16 bytes in flight per work-item, loaded twice and shifted together where a "
                     "range lies otherwise in the input than in the output";
  if (v.one_window) {
    people.variant += "; one launch";
    return people;
  }
  people.variant += "; three launches, of which the first two find where each " + std::to_string(v.window) +
                    " ranges lie among all bytes";
  people.rejected.push_back({"one launch", std::to_string(q.starts.n) + " ranges are more than the " +
                                               std::to_string(v.window) + " that each group adds up itself"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entries

namespace {

event start_ranges(const call_site& site, copy_ranges_problem q, const launch_fields& options, bool wanted) {
  check_types_of_ranges(q);
  // The bits alone are moved, of doubles too where a device has none.
  std::array<call_operand, 6> all = {{{.view = as_bits(q.in), .name = "the input"},
                                      {.view = q.starts, .name = "the starts"},
                                      {.view = q.lengths, .name = "the lengths"},
                                      {.view = as_bits(q.out), .use = access::writes, .name = "the output"},
                                      {.view = q.out_starts, .name = "the starts in the output"}}};
  std::size_t operands = 5;
  if (q.bad) {
    all[operands++] = {.view = *q.bad, .use = access::writes, .name = "the number of bad ranges", .reach = 1};
    q.bad->n = 1;
  }
  return carry_out({site, copies_ranges, options, wanted}, q, std::span(all).first(operands),
                   {&q.in, &q.starts, &q.lengths, &q.out, &q.out_starts}, q.bad ? &*q.bad : nullptr);
}

}  // namespace

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const copy_ranges_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event copy_ranges(cl_command_queue queue, const copy_ranges_problem& asked, const launch_options& options) {
  return detail::start_ranges(detail::site_of(queue, detail::copies_ranges), asked, options,
                              options.with_event);
}

void checked_copy_ranges(cl_command_queue queue, const copy_ranges_problem& asked,
                         const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::copies_ranges);
  const std::uint64_t bad =
      detail::count_on_host(site, options, asked, &copy_ranges_problem::bad, detail::start_ranges);
  if (bad == 0) return;
  detail::refuse_ranges(
      asked, std::to_string(bad) + " of " + std::to_string(asked.starts.n) + " ranges are bad",
      "no range may leave the " + std::to_string(asked.in.n) + " elements of the input, or the " +
          std::to_string(asked.out.n) + " of the output");
}

}  // namespace clwave
