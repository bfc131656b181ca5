// histogram: what a call is, and the entry.
#include "primitives/histogram.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <clwave/error.hpp>

#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/lazy_inputs.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

constexpr std::uint64_t most_bins = std::uint64_t{1} << 24;
constexpr unsigned most_channels = 4;

// A group counts in words of 32 bits.
constexpr std::uint64_t most_counted_by_group = std::uint64_t{1} << 31;

// The rows of counts that a CPU's cores leave, together; beyond that they count in the results.
constexpr std::uint64_t most_row_bytes = 64 << 20;
// Of a CPU: copies of a core's counters where they fit its first-level cache, so that equal neighbours do not
// wait for one another, and how many counters that are.
constexpr unsigned copies_of_core = 4;
constexpr std::uint64_t counters_of_core = 4096;

// Edges that wait in local memory (cl_kernels/primitives/histogram_edges.cl).
constexpr std::uint64_t held_edges = 1024;
// Rows that the last group sums at most (cl_kernels/primitives/histogram.cl).
constexpr std::uint64_t most_rows_of_last = 64;
// Bins of a group that sums rows (cl_kernels/primitives/histogram.cl).
constexpr std::uint64_t bins_of_group = 8;

[[noreturn]] void no(const histogram_problem& q, std::string_view message, std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(histogram_variant::primitive),
               .types = q.in.type->name,
               .advice = std::string(advice)});
}

// Of a channel, whose number has been checked. Edges on the host have been brought to the device's.
std::uint64_t bins_of_channel(const histogram_problem& q) {
  if (q.edges) return q.edges->n == 0 ? 0 : q.edges->n - 1;
  return q.counts.n / q.channels;
}

void check_operand_types(const histogram_problem& q) {
  check_typed(histogram_variant::primitive,
              {{"the input", array_given_for(q.in)}, {"the counts", q.counts}, {"the edges", q.edges}});
  if (q.host && (q.host->type == nullptr || q.host->type->size == 0))
    refuse(histogram_variant::primitive, "the edges have no type");
}

constexpr std::string_view not_one_rule = "the problem has not either bounds or edges";

}  // namespace

void check_histogram(const histogram_problem& q) {
  check_operand_types(q);
  const element& key = *q.in.type;
  if (!key.is_scalar_arithmetic())
    no(q, "elements of " + key.name + " fall into no bins",
       is_byte(key) ? "view their memory as std::uint8_t" : "transform them into numbers first");
  const std::string& count = q.counts.type->opencl_name;
  if (count != "uint" && count != "ulong")
    no(q, "counts of " + q.counts.type->name, "counts are of 32 or 64 bits, without a sign");
  const unsigned channels = q.channels;
  if (channels == 0 || channels > most_channels)
    no(q, std::to_string(channels) + " channels, where 1 to " + std::to_string(most_channels) + " can be");
  if (q.in.n % channels != 0)
    no(q, std::to_string(q.in.n) + " elements are not as many for each of " + std::to_string(channels) +
              " channels");
  const std::uint64_t bins = bins_of_channel(q);
  if (bins == 0 || bins > most_bins)
    no(q, std::to_string(bins) + " bins, where 1 to " + std::to_string(most_bins) + " can be");
  if (count == "uint" && q.in.n / channels >> 32 != 0)
    no(q, std::to_string(q.in.n / channels) + " elements are more than counts of 32 bits hold",
       "give counts of 64 bits");
  if (q.bounds.has_value() == q.edges.has_value()) no(q, not_one_rule);
  if (q.bounds) {
    if (!q.bounds->lo.is_finite() || !q.bounds->hi.is_finite()) no(q, "a bound of the bins is not finite");
    if (compared(q.bounds->lo, q.bounds->hi) >= 0)
      no(q, "the upper bound of the bins is not above the lower");
  } else if (q.edges->type->opencl_name != key.opencl_name) {
    no(q, "edges of " + q.edges->type->name);
  }
}

namespace {

std::uint64_t tile_of(const histogram_variant& v) { return std::uint64_t{v.group_size} * v.items * v.vector; }

// Between a place and the last packet's start before it.
std::uint32_t head_of(const histogram_problem& q, const histogram_variant& v) {
  return static_cast<std::uint32_t>(q.in.address / q.in.type->size % v.vector);
}

std::uint64_t counts_of(const histogram_problem& q) { return bins_of_channel(q) * q.channels; }

// The work-items of a CPU that take a share each; where a row of counts is longer than a share, fewer.
std::uint64_t shares_of_cpu(const histogram_problem& q, const target& on) {
  const std::uint64_t shares = cpu_groups(q.in.n * q.in.type->size, on,
                                          {.groups_per_unit = on.choice.profile->histogram.groups_per_unit});
  return std::max(std::min(shares, q.in.n / counts_of(q)), blocks_of(q.in.n, most_counted_by_group));
}

// Whether local memory takes what lanes of a set add to one word at once, as NVIDIA's does (ATOMS.POPC.INC).
// H200, 2^28 floats into 4096 bins: 256 us, with equal neighbours joined 290; equal floats 257 and 254.
bool adds_equals_at_once(const target& on) {
  return on.choice.profile->family == device_family::nvidia && on.choice.profile->since >= 70;
}

void choose_sizes(histogram_variant& v, const histogram_problem& q, const target& on) {
  const std::uint64_t counts = counts_of(q);
  if (is_cpu(on)) {
    if (shares_of_cpu(q, on) * counts * 4 > most_row_bytes) return;
    v.counters = 1;
    v.copies = counts <= counters_of_core / copies_of_core ? copies_of_core : 1;
    return;
  }
  const histogram_tuning& tuned = on.choice.profile->histogram;
  const std::uint64_t local = local_bytes_of(on);
  v.group_size = group_size_within(on, tuned.group_size);
  v.items = tuned.items;
  v.vector = static_cast<unsigned>(16 / q.in.type->size);
  if (!q.in.known && q.in.alignment < 16) v.vector = 1;
  // Beside the counters edges, and what compilers take.
  const std::uint64_t beside = 1024 + (q.edges ? held_edges * (q.in.type->size == 8 ? 8 : 4) : 0);
  const std::uint64_t room = std::min<std::uint64_t>(std::bit_floor((local - beside) / 4), tuned.counters);
  const std::uint64_t each = std::bit_ceil(counts);
  v.joins = true;
  if (each > room) return;
  v.copies = static_cast<unsigned>(std::min<std::uint64_t>(room / each, tuned.copies));
  v.counters = static_cast<unsigned>(each * v.copies);
  v.joins = v.copies < std::min(on.choice.lanes, tuned.copies) && !adds_equals_at_once(on);
}

}  // namespace

program_spec spec_of(const histogram_variant& v) {
  program_spec spec;
  spec.primitive = histogram_variant::primitive;
  spec.types = v.key->name + " -> " + v.count->name;
  const auto number = [&spec](const char* name, std::uint64_t n) { add_word(spec, name, std::to_string(n)); };
  number("GROUP_SIZE", v.group_size);
  number("ITEMS", v.items);
  number("VECTOR", v.vector);
  number("OWN_AT", workspace::own_at);
  add_key(spec, *v.key);
  add_modules(spec, {"primitives/histogram.cl"});
  if (v.group_size > 1)
    add_modules(spec, {"blocks/key_packets.cl", "primitives/histogram_groups.cl"});
  else
    add_modules(spec, {"primitives/histogram_serial.cl"});
  add_bins(spec, v.way, *v.key);
  number("CHANNELS", v.channels);
  add_word(spec, "COUNT", stored_name(*v.count));
  number("COUNT_BYTES", v.count->size);
  number("COPIES", v.copies);
  number("COUNTERS", v.counters);
  if (v.joins) add_word(spec, "JOINS_NEIGHBOURS");
  if (v.last_sums) {
    add_word(spec, "LAST_GROUP_SUMS");
    number("COUNTER_AT", workspace::counter_at);
  }
  if (v.without_denormals) add_word(spec, "WITHOUT_DENORMALS");
  if (v.many_keys) add_word(spec, "MANY_KEYS");
  add_lazy(spec, v.lazy, *v.key, true);
  add_count(spec, v.count_bytes);
  return spec;
}

described<histogram_variant> describe(const histogram_problem& q, const target& on) {
  check_histogram(q);
  const std::uint64_t bins = bins_of_channel(q);
  const even_bins rule = q.bounds ? bins_of(*q.bounds, bins, *q.in.type)
                                  : even_bins{.way = bin_way::between_edges, .any = q.reached != 0};
  described<histogram_variant> call{
      {.key = q.in.type, .count = q.counts.type, .way = rule.way, .channels = q.channels}, {.n = q.in.n}};
  histogram_variant& v = call.variant;
  choose_sizes(v, q, on);
  v.count_bytes = count_bytes_of(histogram_variant::primitive, q.in);
  v.lazy = lazy_of(histogram_variant::primitive, q.in, on);
  v.without_denormals =
      v.way == bin_way::floored && on.facts != nullptr && !on.facts->f32_denormals.value_or(true);
  v.many_keys = v.counters == 0 && v.count->size == 8 && (q.in.n >> 32 != 0 || q.wide_counts);

  described_work& work = call.work;
  const std::uint64_t counts = counts_of(q), edges = bins + 1;
  work.operands.push_back(described_input(histogram_variant::primitive, q.in));
  work.operands.push_back(
      {access::reads_and_writes,
       counting{histogram_variant::primitive, "the counts"}.bytes(q.counts.offset, counts, v.count->size)});
  if (q.edges)
    work.operands.push_back({access::reads, counting{histogram_variant::primitive, "the edges"}.bytes(
                                                q.edges->offset, edges, q.in.type->size)});
  const std::size_t counted = work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  describe_sources(histogram_variant::primitive, q.in, work);
  const std::uint32_t head = head_of(q, v);
  const std::uint64_t tiles = blocks_of(q.in.n + head, tile_of(v));
  if (!is_cpu(on) && tiles > most_groups)
    refuse(histogram_variant::primitive,
           "more than " + std::to_string(most_groups * tile_of(v) - head) + " elements",
           "count the input in parts");

  const auto total = static_cast<std::uint32_t>(counts);
  const auto add_counts = [&](described_launch& launch) {
    launch.buffer("counts", 1).value("counts_offset", q.counts.offset);
  };
  const auto groups_for = [&](std::uint64_t bytes, std::uint64_t blocks) {
    const tuning usual{.groups_per_unit = on.choice.profile->histogram.groups_per_unit};
    if (is_cpu(on)) return cpu_groups(bytes, on, usual);
    return std::clamp<std::uint64_t>(std::uint64_t{on.compute_units} * usual.groups_per_unit, 1, blocks);
  };
  const bool counts_any = q.in.n != 0 && rule.any;
  work.launches.reserve(2);
  if (!counts_any || v.counters == 0) {
    described_launch& clear = work.launch(
        "histogram_clear", groups_for(counts * v.count->size, blocks_of(counts, v.group_size)), v.group_size);
    add_counts(clear.value("total", total));
  }
  if (!counts_any) return call;

  std::uint64_t groups = groups_for(q.in.n * q.in.type->size, tiles);
  if (is_cpu(on) && v.counters != 0) groups = shares_of_cpu(q, on);
  if (!is_cpu(on)) groups = std::max(groups, blocks_of(q.in.n, most_counted_by_group));
  described_launch& count =
      work.launch(v.counters != 0 ? "histogram" : "histogram_many", groups, v.group_size);
  count.takes_sources = q.in.lazy != nullptr;
  count.buffer("x", 0).value("x_offset", q.in.offset);
  add_elements(count, q.in, counted);
  if (!is_cpu(on)) count.value("head", head).value("tiles", static_cast<std::uint32_t>(tiles));
  count.value("bins", static_cast<std::uint32_t>(bins));
  if (q.edges)
    count.buffer("edges", 2)
        .value("edges_offset", q.edges->offset)
        .value("reached", static_cast<std::uint32_t>(q.reached.value_or(edges)));
  else
    add_bins(count, rule);
  add_counts(count);
  if (v.counters == 0) return call;
  count.workspace("workspace");
  const std::uint64_t row_bytes = counts * 4 * (is_cpu(on) ? v.copies : 1);
  work.workspace_bytes = is_cpu(on) || groups > 1 ? groups * row_bytes : 0;
  if (groups == 1) return call;
  v.last_sums = !is_cpu(on) && on.choice.order != group_order::two_launches && counts <= v.group_size &&
                groups <= most_rows_of_last;
  if (v.last_sums) {
    work.zeroed_bytes = workspace::own_at - workspace::counter_at;
    return call;
  }
  described_launch& sums = work.launch(
      "histogram_sums", is_cpu(on) ? groups_for(groups * row_bytes, 1) : blocks_of(counts, bins_of_group),
      v.group_size);
  sums.value("rows", static_cast<std::uint32_t>(groups)).value("total", total);
  add_counts(sums);
  sums.workspace("workspace");
  return call;
}

told tell(const histogram_problem& q, const target& on, const described<histogram_variant>& call) {
  const histogram_variant& v = call.variant;
  told people;
  const std::string copies = std::to_string(v.copies) + (v.copies == 1 ? " copy" : " copies");
  if (call.work.launches.front().kernel == std::string_view("histogram_clear") &&
      call.work.launches.size() == 1)
    people.variant = "one launch, all counts are 0";
  else if (v.counters == 0)
    people.variant = "two launches, counted in the results";
  else
    people.variant = (call.work.launches.size() == 1 ? "one launch, " : "two launches, ") + copies +
                     (is_cpu(on) ? " of the counts for each core" : " of the counts in local memory");
  switch (v.way) {
    case bin_way::itself:
      people.variant += ", each key's bin is its own number";
      break;
    case bin_way::shifted:
      people.variant += ", bins by a shift";
      break;
    case bin_way::floored:
      people.variant += ", bins by floats rounded down";
      break;
    case bin_way::by_float:
      people.variant += ", bins by floats, near edges by exact numbers";
      break;
    case bin_way::by_fixed:
      people.variant += ", bins by fixed-point numbers, near edges by exact ones";
      break;
    case bin_way::between_edges:
      people.variant += ", bins by a search of the edges";
      break;
  }
  if (v.vector > 1) people.variant += ", loads of " + std::to_string(v.vector) + " x " + q.in.type->name;
  people.variant += words_of_count(v.count_bytes);
  people.variant += words_of_lazy(q.in);
  if (v.counters == 0)
    people.rejected.push_back({is_cpu(on) ? "counts of each core" : "counts in local memory",
                               std::to_string(counts_of(q)) + " counts are too many"});
  return people;
}

// ---------------------------------------------------------------------------------------------- the entry

asked_bins bins_of(const histogram_problem& asked) {
  check_operand_types(asked);
  if (int{asked.bounds.has_value()} + int{asked.edges.has_value()} + int{asked.host.has_value()} != 1)
    refuse(histogram_variant::primitive, not_one_rule);
  const unsigned channels = std::clamp(asked.channels, 1u, most_channels);  // others are refused later
  asked_bins found{.bins = asked.counts.n / channels};
  if (asked.bounds) {
    if (channels == asked.channels && asked.counts.n % channels != 0)
      refuse(histogram_variant::primitive, std::to_string(asked.counts.n) +
                                               " counts are not as many for each of " +
                                               std::to_string(channels) + " channels");
  } else {
    const std::uint64_t edges = asked.edges ? asked.edges->n : asked.host->n;
    if (edges < 2)
      refuse(histogram_variant::primitive, std::to_string(edges) + " edges have no bin between them");
    found.bins = edges - 1;
  }
  found.reached = found.bins + 1;
  if (asked.host) {
    if (!asked.host->type->is_scalar_arithmetic())
      refuse(histogram_variant::primitive, "edges of " + asked.host->type->name);
    if (asked.in.type->is_scalar_arithmetic() && found.bins <= most_bins) {
      found.edges = edges_of(*asked.host, *asked.in.type);
      if (!found.edges.fault.empty()) refuse(histogram_variant::primitive, found.edges.fault);
      found.reached = found.edges.reached;
    }
  }
  return found;
}

namespace {

// Puts the host's edges, which go to a buffer of the call's own, in the place of those on the device.
void take_host_edges(histogram_problem& q, const asked_bins& bins) {
  q.edges = any_view(*q.in.type, bins.bins + 1);
  q.host.reset();
  q.reached = bins.reached;
}

}  // namespace

// In the elements' type, and it lives as long as what is enqueued.
cl::Buffer buffer_of_edges(const call_site& site, const asked_bins& bins) {
  const std::vector<unsigned char>& edges = bins.edges.bytes;
  if (edges.empty()) return {};
  cl_int code = CL_SUCCESS;
  // A driver takes the address for one to write to, too, and writes nothing.
  auto* bytes = const_cast<unsigned char*>(edges.data());
  cl::Buffer made(
      clCreateBuffer(site.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, edges.size(), bytes, &code));
  check(code, "make a buffer for the edges of " + std::string(histogram_variant::primitive));
  return made;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const histogram_problem& asked, const plan_target& on) {
  if (!asked.host) return detail::plan_of(asked, on);
  const detail::asked_bins bins = detail::bins_of(asked);
  histogram_problem q = asked;
  detail::take_host_edges(q, bins);
  return detail::plan_of(q, on);
}

event histogram(cl_command_queue queue, const histogram_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::histogram_variant::primitive);
  const detail::asked_bins bins = detail::bins_of(asked);
  histogram_problem q = asked;
  const unsigned channels = std::clamp(q.channels, 1u, detail::most_channels);
  std::array<detail::call_operand, 4 + detail::most_source_operands> all{
      {{.view = detail::as_bits(detail::array_given_for(q.in)), .name = "the input"},
       {.view = q.counts,
        .use = detail::access::reads_and_writes,
        .name = "the counts",
        .reach = std::min(bins.bins, detail::most_bins) * channels}}};
  std::array<cl_mem, 4 + detail::most_source_operands> buffers{q.in.n > 0 ? q.in.buffer : nullptr,
                                                               q.counts.buffer};
  cl::Buffer own_edges;
  std::size_t operands = 2;
  if (q.host) {
    own_edges = detail::buffer_of_edges(site, bins);
    buffers[2] = own_edges();
  } else if (q.edges) {
    all[operands++] = {.view = detail::as_bits(*q.edges), .name = "the edges"};
    buffers[2] = q.edges->buffer;
  }
  std::size_t described = q.edges || q.host ? 3 : 2;
  if (detail::count_bytes_of(detail::histogram_variant::primitive, q.in) != 0) {
    all[operands++] = detail::counting_operand(q.in);
    buffers[described++] = q.in.count->buffer;
  }
  const std::size_t n_sources =
      detail::list_sources(q.in, std::span(all).subspan(operands), std::span(buffers).subspan(described));
  operands += n_sources;
  described += n_sources;
  const detail::checked_operands checked =
      detail::check_operands(site, detail::histogram_variant::primitive, {all.data(), operands});
  const std::span<const cl_event> after =
      detail::check_events(site, options.after, detail::histogram_variant::primitive);
  checked.place(0, q.in);
  checked.place(1, q.counts);
  if (q.edges) checked.place(2, *q.edges);
  q.reached = bins.reached;
  if (q.host) detail::take_host_edges(q, bins);
  return detail::carry_out(site, q, {buffers.data(), described}, after, options.with_event,
                           {detail::histogram_variant::primitive, &options.workspace, &checked});
}

}  // namespace clwave
