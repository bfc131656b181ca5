// top_k: what a call is, and the entry.
#include "primitives/top_k.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "call/counted.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// What one group sorts at most, and what it has in local memory beside
// (cl_kernels/primitives/top_k_bound.cl).
constexpr std::uint64_t most_sorted_by_group = 2048;
constexpr std::uint64_t local_beside = 14 << 10;

constexpr std::uint64_t bound_bytes = 16;

[[noreturn]] void no(const top_k_problem& q, std::string_view message, std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(top_k_variant::primitive),
               .types = q.in.type->name,
               .advice = std::string(advice)});
}

void check_problem(const top_k_problem& q) {
  check_typed(top_k_variant::primitive, {{"the input", all_of(q.in)},
                                         {"the output of the values", q.values},
                                         {"the output of the indices", q.indices}});
  const element& key = *q.in.type;
  if (!key.is_scalar_arithmetic())
    no(q, "elements of " + key.name + " have no order",
       is_byte(key) ? "view their memory as std::uint8_t" : "transform them into numbers first");
  if (q.values.type->opencl_name != key.opencl_name) no(q, "the output is of " + q.values.type->name);
  const std::string& index = q.indices.type->opencl_name;
  if (index != "uint" && index != "ulong")
    no(q, "indices of " + q.indices.type->name, "indices are of 32 or 64 bits, without a sign");
  if (index == "uint" && q.in.n > std::uint64_t{1} << 32)
    no(q, std::to_string(q.in.n) + " elements have indices that 32 bits do not hold",
       "give indices of 64 bits");
  if (q.k > q.in.n) no(q, "the " + std::to_string(q.k) + " best of " + std::to_string(q.in.n) + " elements");
}

std::uint64_t tile_of(const top_k_variant& v) { return std::uint64_t{v.group_size} * v.items * v.vector; }

// Between a place and the last packet's start before it.
std::uint32_t head_of(const top_k_problem& q, const top_k_variant& v) {
  return static_cast<std::uint32_t>(q.in.address / q.in.type->size % v.vector);
}

sort_problem sort_of_all(const top_k_problem& q) {
  return {.keys = q.in, .values_out = q.indices, .order = {.descending = q.descending}};
}

bool is_direct(const top_k_problem& q, const target& on) {
  return q.in.n <= (is_cpu(on) ? q.sizes.most_of_one_core : q.sizes.most_of_one_group);
}

// Whether all elements are in order sooner than the best of them are found. H200, the best 100 and 2000 of
// 2^12 floats: 8.3 us, by one group 18 and 38; the best 2000 of 2^16 and 2^20: 52 and 77 us, of a list 66 and
// 85, the best 100 38 and 50.
bool are_sorted_sooner(const top_k_problem& q, const target& on) {
  constexpr std::uint64_t many = 1024;
  if (is_cpu(on) || q.k == 0 || q.in.n > q.sizes.most_sorted) return false;
  const sort_variant sort = variant_of_sort(sort_of_all(q), on);
  if (is_direct(q, on)) return sort.by_ranks;
  return q.k > many && q.in.type->size <= 4 && sort.messages.one_pass;
}

void choose_sizes(top_k_variant& v, const top_k_problem& q, const target& on) {
  const std::uint64_t local = local_bytes_of(on);
  const std::uint64_t each = v.key->size + v.index_bytes;
  const std::uint64_t room = local > local_beside ? (local - local_beside) / each : 1;
  const std::uint64_t most = std::min(std::bit_floor(std::max<std::uint64_t>(room, 1)), most_sorted_by_group);
  v.most = q.k <= most && !are_sorted_sooner(q, on) ? static_cast<unsigned>(most) : 0;
  if (is_cpu(on)) return;
  const top_k_tuning& tuned = on.choice.profile->top_k;
  v.group_size = group_size_within(on, tuned.group_size);
  v.items = tuned.items;
  v.vector = static_cast<unsigned>(16 / q.in.type->size);
  if (!q.in.known && q.in.alignment < 16) v.vector = 1;
}

// A sample: how many elements of the input it has, and the rank of the bound in it.
struct sample {
  std::uint64_t size = 0, rank = 0;
};

// What a number of elements that come at random is surely below, where `mean` of them are expected: eight
// standard deviations above, and 40 more for few, of which the deviations are not those of a normal
// distribution. By Chernoff's bound what follows from it fails in less than one of 10^15 inputs.
double surely_below(double mean) { return mean + 8 * std::sqrt(mean) + 40; }

// The rank in a sample that surely `wanted` of the population's elements do not exceed: more than so many
// elements of the sample are not among these.
std::uint64_t rank_for(double wanted, double share) {
  return static_cast<std::uint64_t>(std::ceil(surely_below(wanted * share)));
}

// How many of a population do not exceed the bound, at most.
double most_within(std::uint64_t rank, double share) {
  return surely_below(static_cast<double>(rank)) / share;
}

// The samples of a call, and how long the list may become.
struct samples {
  sample first, second;  // a second one of no elements: there is none
  std::uint64_t capacity = 0;
};

samples samples_of(const top_k_problem& q) {
  samples all;
  const auto n = static_cast<double>(q.in.n), k = static_cast<double>(q.k);
  all.first.size = std::min(q.sizes.first_sample, q.in.n);
  const double share = static_cast<double>(all.first.size) / n;
  const std::uint64_t second = std::min(q.in.n / q.sizes.elements_of_sample, q.sizes.most_second_sample);
  double longest = 0;
  if (second < 2 * all.first.size) {
    all.first.rank = rank_for(k, share);
    longest = most_within(all.first.rank, share);
  } else {
    const double second_share = static_cast<double>(second) / n;
    all.second = {second, rank_for(k, second_share)};
    // The first bound is one that surely as many of the second sample do not exceed.
    const double of_second = most_within(all.second.rank, 1);
    all.first.rank = rank_for(of_second / second_share, share);
    longest = std::max(most_within(all.second.rank, second_share),
                       surely_below(most_within(all.first.rank, share) * second_share));
  }
  all.capacity = static_cast<std::uint64_t>(std::min(longest * q.sizes.capacity_factor, n));
  all.capacity = std::max({all.capacity, all.first.size, q.k});
  return all;
}

// Sorts all elements, and takes the first ones. `number`: the operand that counts the elements.
void describe_sorted(described<top_k_variant>& call, const top_k_problem& q, const target& on,
                     std::size_t number) {
  sorted_indices sorted_at{.number = number};
  described<sort_variant> sorted = describe_sort(sort_of_all(q), on, &sorted_at);
  call.variant.sort = sorted.variant;
  described_work& work = call.work;
  work.launches = std::move(sorted.work.launches);
  work.workspace_bytes = sorted.work.workspace_bytes;
  work.messages = sorted.work.messages;
  work.zeroed_bytes = sorted.work.zeroed_bytes;
  const unsigned group_size = sorted.variant.group_size;
  const std::uint64_t groups =
      is_cpu(on) ? cpu_groups(q.k * q.in.type->size, on, {.groups_per_unit = 1})
                 : std::min(blocks_of(q.k, group_size), std::uint64_t{on.compute_units} * 8);
  described_launch& take = work.launch("top_k_take", groups, group_size);
  take.buffer("x", 0).value("x_offset", q.in.offset);
  add_elements(take, q.in, number);
  take.value("k", q.k);
  take.buffer("values", 1).value("values_offset", q.values.offset);
  take.buffer("indices", 2).value("indices_offset", q.indices.offset);
  take.workspace("workspace").value("sorted_at", sorted_at.at);
}

}  // namespace

program_spec spec_of(const top_k_variant& v) {
  program_spec spec;
  if (v.most == 0) {
    spec = spec_of(v.sort);
    spec.primitive = top_k_variant::primitive;
    add_modules(spec, {"primitives/top_k_take.cl"});
    return spec;
  }
  spec.primitive = top_k_variant::primitive;
  spec.types = v.key->name;
  const auto number = [&spec](const char* name, std::uint64_t n) { add_word(spec, name, std::to_string(n)); };
  number("GROUP_SIZE", v.group_size);
  number("ITEMS", v.items);
  number("VECTOR", v.vector);
  number("COUNTER_AT", workspace::counter_at);
  number("OWN_AT", workspace::own_at);
  add_key(spec, *v.key);
  add_modules(spec, {"primitives/top_k_bound.cl", "primitives/top_k.cl"});
  if (v.group_size > 1) add_modules(spec, {"blocks/key_packets.cl"});
  if (v.descending) add_word(spec, "DESCENDING");
  add_word(spec, "INDEX", v.index_bytes == 8 ? "ulong" : "uint");
  number("MOST_BEST", v.most);
  add_count(spec, v.count_bytes);
  return spec;
}

described<top_k_variant> describe(const top_k_problem& q, const target& on) {
  check_problem(q);
  described<top_k_variant> call{{.key = q.in.type,
                                 .index_bytes = static_cast<unsigned>(q.indices.type->size),
                                 .descending = q.descending,
                                 .sort = {.key = q.in.type}},
                                {.n = q.in.n}};
  top_k_variant& v = call.variant;
  choose_sizes(v, q, on);
  v.count_bytes = count_bytes_of(top_k_variant::primitive, q.in);
  described_work& work = call.work;
  const std::uint64_t size = q.in.type->size;
  work.operands = {
      {access::reads, counting{top_k_variant::primitive, "the input"}.bytes(q.in.offset, q.in.n, size)},
      {access::writes,
       counting{top_k_variant::primitive, "the output of the values"}.bytes(q.values.offset, q.k, size)},
      {access::writes, counting{top_k_variant::primitive, "the output of the indices"}.bytes(
                           q.indices.offset, q.k, v.index_bytes)}};
  const std::size_t counted = work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  if (q.k == 0) return call;
  if (v.most == 0) {
    describe_sorted(call, q, on, counted);
    return call;
  }
  const std::uint32_t head = head_of(q, v);
  const std::uint64_t tiles = blocks_of(q.in.n + head, tile_of(v));
  if (!is_cpu(on) && tiles > most_groups)
    refuse(top_k_variant::primitive,
           "more than " + std::to_string(most_groups * tile_of(v) - head) + " elements");

  const bool direct = is_direct(q, on);
  const samples by = direct ? samples{} : samples_of(q);
  if (by.capacity >> 32 != 0) refuse(top_k_variant::primitive, "more elements than a list of 32 bits counts");
  const std::uint64_t keys_at = round_up(workspace::own_at + bound_bytes, workspace::part_alignment);
  const std::uint64_t indices_at = round_up(keys_at + by.capacity * size, workspace::part_alignment);
  work.workspace_bytes = direct ? 0 : indices_at + by.capacity * v.index_bytes - workspace::own_at;
  if (!direct) work.zeroed_bytes = workspace::own_at - workspace::counter_at;
  const auto index_bits = static_cast<std::uint32_t>(std::max<std::uint64_t>(std::bit_width(q.in.n - 1), 1));
  const auto add_input = [&](described_launch& launch) {
    launch.buffer("x", 0).value("x_offset", q.in.offset);
    add_elements(launch, q.in, counted);
  };
  const auto add_list = [&](described_launch& launch) {
    launch.value("capacity", static_cast<std::uint32_t>(by.capacity)).workspace("workspace");
    launch.value("keys_at", keys_at).value("indices_at", indices_at);
  };
  work.launches.reserve(5);
  // Where only the device knows how many elements there are, it finds the samples' sizes and ranks, too.
  const auto add_samples = [&](described_launch& launch) {
    launch.value("first", static_cast<std::uint32_t>(by.first.size)).value("second", by.second.size);
    launch.value("each", static_cast<std::uint32_t>(q.sizes.elements_of_sample));
  };
  const auto add_bound = [&](std::uint64_t sampled, std::uint64_t rank) {
    described_launch& bound = work.launch("top_k_bound", 1, v.group_size);
    add_input(bound);
    bound.value("sampled", static_cast<std::uint32_t>(sampled))
        .value("rank", static_cast<std::uint32_t>(v.count_bytes == 0 ? rank : q.k));
    add_samples(bound);
    add_list(bound.value("index_bits", index_bits));
  };
  const tuning usual{.groups_per_unit = on.choice.profile->top_k.groups_per_unit};
  const auto groups_for = [&](std::uint64_t bytes, std::uint64_t blocks) {
    if (is_cpu(on)) return cpu_groups(bytes, on, usual);
    return std::clamp<std::uint64_t>(std::uint64_t{on.compute_units} * usual.groups_per_unit, 1, blocks);
  };
  if (!direct) {
    add_bound(by.first.size, by.first.rank);
    if (by.second.size != 0) {
      described_launch& some = work.launch(
          "top_k_sample", groups_for(by.second.size * size, blocks_of(by.second.size, v.group_size)),
          v.group_size);
      add_input(some);
      some.value("sampled", by.second.size);
      add_samples(some);
      add_list(some);
      add_bound(0, by.second.rank);
    }
    described_launch& filter = work.launch("top_k_filter", groups_for(q.in.n * size, tiles), v.group_size);
    add_input(filter);
    if (!is_cpu(on)) filter.value("head", head).value("tiles", static_cast<std::uint32_t>(tiles));
    add_list(filter);
  }
  described_launch& finish = work.launch("top_k_finish", 1, v.group_size);
  add_input(finish);
  finish.value("k", static_cast<std::uint32_t>(q.k)).value("listed", std::uint32_t{direct ? 0u : 1u});
  finish.value("index_bits", index_bits);
  finish.buffer("values", 1).value("values_offset", q.values.offset);
  finish.buffer("indices", 2).value("indices_offset", q.indices.offset);
  add_list(finish);
  return call;
}

told tell(const top_k_problem& q, const target& on, const described<top_k_variant>& call) {
  const top_k_variant& v = call.variant;
  told people;
  if (call.work.launches.empty()) return {"nothing is asked for"};
  const std::string_view counted = words_of_count(v.count_bytes);
  if (v.most == 0) {
    people.variant = "all elements sorted, in " + std::to_string(call.work.launches.size() - 1) +
                     (call.work.launches.size() == 2 ? " launch" : " launches") +
                     ", and one launch that takes the first";
    people.variant += counted;
    people.rejected.push_back({"one pass", are_sorted_sooner(q, on)
                                               ? "all elements are in order sooner than the best are found"
                                               : "k is larger than one group sorts in local memory"});
    return people;
  }
  if (is_direct(q, on)) {
    people.variant = "one launch of one group";
    people.variant += counted;
    people.rejected.push_back({"samples", "one group goes over so few elements as quickly"});
    return people;
  }
  const samples by = samples_of(q);
  people.variant = "one pass, behind a bound from " +
                   (by.second.size == 0 ? std::to_string(by.first.size) + " sampled elements"
                                        : std::to_string(by.first.size) + " and " +
                                              std::to_string(by.second.size) + " sampled elements");
  if (v.vector > 1) people.variant += ", loads of " + std::to_string(v.vector) + " x " + q.in.type->name;
  people.variant += counted;
  people.rejected.push_back({"one launch", "more elements than one group goes over quickly"});
  return people;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const top_k_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event top_k(cl_command_queue queue, const top_k_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::top_k_variant::primitive);
  top_k_problem q = asked;
  std::array<detail::call_operand, 4> all{
      {{.view = detail::as_bits(detail::all_of(q.in)), .name = "the input"},
       {.view = detail::as_bits(q.values),
        .use = detail::access::writes,
        .name = "the output of the values",
        .reach = std::min<std::uint64_t>(q.k, q.in.n)},
       {.view = q.indices,
        .use = detail::access::writes,
        .name = "the output of the indices",
        .reach = std::min<std::uint64_t>(q.k, q.in.n)}}};
  std::size_t operands = 3;
  if (detail::count_bytes_of(detail::top_k_variant::primitive, q.in) != 0)
    all[operands++] = detail::counting_operand(q.in);
  return detail::carry_out({site, detail::top_k_variant::primitive, options}, q,
                           std::span(all).first(operands), {&q.in, &q.values, &q.indices});
}

}  // namespace clwave
