// gather and scatter, also with flags: what a call is, and the entries.
#include "primitives/gather.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include <clwave/error.hpp>

#include "blocks/flags.hpp"
#include "blocks/permutation.hpp"
#include "call/count_on_host.hpp"
#include "call/counted.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/expressions.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// A work-item has up to 8 loads in flight whose addresses are anywhere, and gives up to 128 bytes of
// registers to what they bring. Other numbers were not tried; H100, 2^26 random indices of u32: 0.99 of
// Thrust's time.
constexpr std::uint64_t most_in_flight = 8;
constexpr std::uint64_t gathered_bytes = 128;
// Where that leaves a unit fewer than so many groups, work-items take fewer, without packets, so that all
// units have some. H200, us, gathers of 2^16 and 2^18 u32 by random indices with 8 a work-item 3.68 and 4.14;
// 4 as a packet 2.97 and 4.16; 2 2.72 and 4.07; 1 2.79 and 4.11 (Thrust 2.68 and 4.05).
// Scatters 4.22, 3.30, 3.24 and 3.26, with flags 4.18, 2.85, 2.76 and 2.72, reverses 2.32, 2.08, 2.02
// and 2.06 at 2^16.
constexpr std::uint64_t groups_of_many = 4;
constexpr unsigned few_in_flight = 2;
// Indices of a claim, which are loaded one by one. Not measured.
constexpr unsigned claim_items = 4;

// ------------------------------------------------------------------------------------------- the elements

[[noreturn]] void no(const gather_problem& q, const std::string& message, std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(gather_variant::primitive),
               .types = q.in.type->name + " to " + q.out.type->name,
               .advice = std::string(advice)});
}

void check_operand_types(const gather_problem& q) {
  check_typed(gather_variant::primitive, {{"the input", q.in},
                                          {"the indices", all_of(q.indices)},
                                          {"the output", q.out},
                                          {"the number of bad indices", q.bad},
                                          {"the flags", q.flags}});
}

void check_flags_of(const gather_problem& q, const target& on) {
  if (!q.flags) {
    if (q.predicate != nullptr) no(q, "the problem has a predicate and no flags");
    return;
  }
  const std::string types = q.in.type->name + " to " + q.out.type->name;
  if (q.predicate != nullptr)
    check_flags(gather_variant::primitive, on, *q.flags->type, q.predicate, types);
  else
    check_flags(gather_variant::primitive, *q.flags->type, types);
  if (q.flags->n != q.indices.n)
    no(q,
       "there are " + std::to_string(q.flags->n) + " flags and " + std::to_string(q.indices.n) + " indices");
}

void check_problem(const gather_problem& q, const target& on) {
  check_operand_types(q);
  const element &in = *q.in.type, &out = *q.out.type, &index = *q.indices.type;
  for (const element* each : {&in, &out}) {
    if (each->size > 128) no(q, "elements have 1 to 128 bytes");
  }
  if (index.opencl_name != "uint" && index.opencl_name != "ulong")
    no(q, "indices of " + index.name, "indices are of 32 or 64 bits, without a sign");
  if (q.bad && q.bad->type->opencl_name != "ulong")
    no(q, "a number of bad indices of " + q.bad->type->name, "it is of 64 bits, without a sign");
  if (q.bad && q.bad->n == 0) no(q, "there is no element to write the number of bad indices to");
  const any_view& beside = q.scatter ? q.in : q.out;
  if (beside.n != q.indices.n)
    no(q, std::string(q.scatter ? "the input has " : "the output has ") + std::to_string(beside.n) +
              " elements, and there are " + std::to_string(q.indices.n) + " indices");
  check_flags_of(q, on);
  if (q.apply == nullptr) {
    if (!are_alike(in, out) || in.declaration != out.declaration)
      no(q, "the input and the output are of different types", "give a map that makes one of the other");
    return;
  }
  if (q.apply->kind != map_kind::user || q.apply->source.empty())
    no(q, "a map of your own is applied, with a source", R"(such as {.name = "double", .source = "2 * x"})");
  for (const element* each : {&in, &out}) {
    if (each->kind == element_kind::opaque)
      no(q, each->name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
  }
  check_values(gather_variant::primitive, on, *q.apply);
}

// Elements of so many bytes are moved in parts of the widest access that their size allows.
std::uint64_t part_bytes(std::uint64_t bytes) { return std::min<std::uint64_t>(low_bit(bytes), 16); }

// How many accesses move an element that nothing is applied to; what a map makes is one element.
std::uint64_t parts_of(const gather_variant& v) {
  return v.element_bytes == 0 ? 1 : v.element_bytes / part_bytes(v.element_bytes);
}

// The type in which bits are moved: what has 8 bytes is one number, because a vector's components may be
// stored one by one.
std::string bits_name(std::uint64_t bytes) { return bytes == 8 ? "ulong" : bits_of(bytes); }

// Whether an element of the output is written by one store: its bits are, and a number that a map makes.
bool is_written_whole(const gather_problem& q) {
  const element& out = *q.out.type;
  if (out.size > 8 || !std::has_single_bit(out.size)) return false;
  return q.apply == nullptr || (!is_structure(out) && out.components == 1);
}

// ------------------------------------------------------------------------------------------------ numbers

// How many neighbouring indices make a packet: where the elements beside them, of the input or the output,
// have an access of as many, and both reach a multiple of it at the same place. With flags some of a packet's
// results may not be stored.
unsigned packet_of(const gather_problem& q, const target& on) {
  if (q.flags) return 1;
  const any_view& beside = q.scatter ? q.in : q.out;
  const std::uint64_t size = beside.type->size;
  if (is_cpu(on) || !std::has_single_bit(size) || size > 8) return 1;
  const std::uint64_t vector = 16 / std::max<std::uint64_t>(size, q.indices.type->size);
  const auto phase = [&](const any_view& each) { return each.address / each.type->size % vector; };
  const bool reach_it_together = beside.known && q.indices.known && phase(beside) == phase(q.indices);
  return reach_it_together ? static_cast<unsigned>(vector) : 1;
}

}  // namespace

void choose_gather_numbers(gather_variant& v, const gather_problem& q, const target& on) {
  if (is_cpu(on)) return;
  v.group_size = group_size_within(on, on.choice.profile->copy.group_size);
  const std::uint64_t units = q.indices.n * parts_of(v);
  const auto are_few = [&](std::uint64_t each) {
    return units < groups_of_many * on.compute_units * v.group_size * each;
  };
  if (parts_of(v) > 1) {
    v.items =
        static_cast<unsigned>(std::min(most_in_flight, gathered_bytes / 2 / part_bytes(v.element_bytes)));
    if (are_few(v.items)) v.items = std::min(v.items, few_in_flight);
    return;
  }
  const std::uint64_t widest = std::max(q.in.type->size, q.out.type->size);
  const std::uint64_t in_flight = std::clamp<std::uint64_t>(gathered_bytes / widest, 1, most_in_flight);
  if (are_few(in_flight)) {
    v.items = std::min(static_cast<unsigned>(in_flight), few_in_flight);
    return;
  }
  v.vector = packet_of(q, on);
  v.items = static_cast<unsigned>(std::max<std::uint64_t>(in_flight / v.vector, 1));
}

namespace {

// A GPU's groups for so many packets, parts or claims, each work-item having `items` of them.
std::uint64_t groups_for(std::uint64_t count, unsigned items, const gather_variant& v) {
  const std::uint64_t groups =
      std::max<std::uint64_t>(blocks_of(count, std::uint64_t{v.group_size} * items), 1);
  if (groups > most_groups) refuse(gather_variant::primitive, "more elements than one launch can take");
  return groups;
}

// The words for the elements, and for what a map makes of them.
void add_moved(program_spec& spec, const gather_variant& v) {
  const std::uint64_t parts = parts_of(v);
  add_word(spec, "ELEMENT_PARTS", std::to_string(parts));
  if (parts > 1) {
    spec.types = std::to_string(v.element_bytes) + " bytes";
    add_word(spec, "ELEMENT_PART", bits_of(part_bytes(v.element_bytes)));
    if (v.has_outside) add_word(spec, "HAS_OUTSIDE");
    return;
  }
  add_word(spec, "VECTOR", std::to_string(v.vector));
  add_word(
      spec, "INDEX_BITS",
      v.vector == 1 ? (v.wide_indices ? "ulong" : "uint") : bits_of(v.vector * (v.wide_indices ? 8 : 4)));
  const auto add_bits = [&](const char* word, const std::string& stored, std::uint64_t bytes) {
    add_word(spec, word, v.vector == 1 ? stored : bits_of(v.vector * bytes));
  };
  const char* const beside = v.scatters ? "X_BITS" : "OUT_BITS";
  if (v.element_bytes != 0) {
    spec.types = std::to_string(v.element_bytes) + " bytes";
    const std::string stored = bits_name(v.element_bytes);
    add_word(spec, "X_STORED", stored);
    add_word(spec, "OUT_STORED", stored);
    add_bits(beside, stored, v.element_bytes);
    return;
  }
  spec.types = v.in->name + " to " + v.out->name;
  spec.op = v.apply->name;
  add_word(spec, "X_STORED", stored_name(*v.in));
  add_word(spec, "X_LOADED", loaded_name(*v.in));
  add_word(spec, "X_READ", read_name(*v.in));
  add_word(spec, "OUT_STORED", stored_name(*v.out));
  add_word(spec, "OUT_CONVERT", add_conversion(spec, *v.out));
  add_word(spec, "OUT_WRITE", add_write(spec, *v.out));
  if (is_complex(*v.out)) add_word(spec, "COMPLEX", loaded_name(*v.out));
  const element& packed = v.scatters ? *v.in : *v.out;
  add_bits(beside, stored_name(packed), packed.size);
  const element* const both[] = {v.in, v.out};
  add_types(spec, both);
  add_expression(spec, {.macro = "TRANSFORM_TEXT",
                        .label = "map " + v.apply->name,
                        .source = v.apply->source,
                        .declarations = v.apply->declarations,
                        .values = v.apply->values,
                        .prefix = map_value_prefix,
                        .operands = {{v.in, "x"}, {nullptr, "i"}},
                        .gives = v.out});
  add_values(spec, nullptr, v.apply);
}

// The kernel that moves elements, and what it shares with others.
void add_moving_modules(program_spec& spec, const gather_variant& v) {
  const auto one_of = [&](std::string_view gathers, std::string_view scatters) {
    return v.scatters ? scatters : gathers;
  };
  if (parts_of(v) > 1) {
    add_modules(spec, {"primitives/gather_parts.cl"});
    if (v.group_size == 1)
      add_modules(spec,
                  {one_of("primitives/gather_parts_serial.cl", "primitives/gather_scatter_parts_serial.cl")});
    else
      add_modules(spec,
                  {"primitives/gather_parts_groups.cl",
                   one_of("primitives/gather_parts_units.cl", "primitives/gather_scatter_parts_units.cl")});
    return;
  }
  add_modules(spec, {"primitives/gather.cl"});
  if (v.group_size == 1)
    add_modules(spec, {one_of("primitives/gather_serial.cl", "primitives/gather_scatter_serial.cl")});
  else
    add_modules(spec, {"primitives/gather_groups.cl",
                       one_of("primitives/gather_held.cl", "primitives/gather_scatter_held.cl")});
}

}  // namespace

program_spec spec_of(const gather_variant& v) {
  program_spec spec;
  spec.primitive = gather_variant::primitive;
  add_modules(spec, {"primitives/gather_operands.cl"});
  add_moving_modules(spec, v);
  if (v.claim_bytes != 0) add_modules(spec, {"primitives/gather_claims.cl"});
  add_count(spec, v.count_bytes);
  if (v.which != gather_variant::indices::read) add_word(spec, "COMPUTED_INDEX");
  if (v.which == gather_variant::indices::reversed) add_word(spec, "REVERSES");
  if (v.which == gather_variant::indices::shuffled) {
    add_word(spec, "SHUFFLES");
    add_permutation(spec, v.wide_indices);
  }
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  add_word(spec, "INDEX", v.wide_indices ? "ulong" : "uint");
  if (v.counts_bad) add_word(spec, "COUNTS_BAD");
  if (v.claim_bytes != 0) {
    add_word(spec, "CLAIM", v.claim_bytes == 8 ? "ulong" : "uint");
    add_word(spec, "CLAIM_ITEMS", std::to_string(claim_items));
  }
  add_moved(spec, v);
  if (v.flag->size == 0) return spec;
  spec.types += ", flags of " + v.flag->name;
  if (v.predicate->kind != map_kind::user) {
    add_flags(spec, *v.flag, "x");
    return spec;
  }
  const element* const both[] = {v.in, v.out};
  const bool are_seen = v.element_bytes == 0;
  add_flags(spec, *v.flag, std::span(both, are_seen ? 2 : 0), *v.predicate, {{v.flag, "x"}, {nullptr, "i"}});
  if (!are_seen) spec.op = v.predicate->name;
  return spec;
}

// ------------------------------------------------------------------------------------------- descriptions

void add_gather_outside(described_launch& launch, const gather_problem& q, const gather_variant& v) {
  if (parts_of(v) == 1) {
    launch.element("outside", *q.out.type);
    if (q.outside != nullptr) launch.set_element("outside", q.outside);
  } else if (v.has_outside) {
    std::array<unsigned char, 128> table{};
    std::memcpy(table.data(), q.outside, q.out.type->size);
    launch.bits("outside_low", argument_kind::u32x16, table.data());
    launch.bits("outside_high", argument_kind::u32x16, table.data() + 64);
  }
}

gather_division divide_gather(const gather_problem& q, const gather_variant& v, const target& on) {
  const std::uint64_t n = q.indices.n, size = std::max(q.in.type->size, q.out.type->size);
  if (is_cpu(on)) {
    const std::uint64_t bytes = checked_product(n, size + q.indices.type->size).value_or(most_size);
    const std::uint64_t groups = cpu_groups(bytes, on, on.choice.profile->copy);
    return {.groups = groups, .claim_groups = groups};
  }
  gather_division shares;
  if (parts_of(v) > 1) {
    // The bytes of the elements, which are more, have been counted.
    shares.groups = groups_for(n * parts_of(v), v.items, v);
  } else {
    const std::uint64_t phase = q.indices.address / q.indices.type->size % v.vector;
    if (v.vector > 1) shares.head = std::min<std::uint64_t>((v.vector - phase) % v.vector, n);
    shares.groups =
        groups_of_counted(groups_for((n - shares.head) / v.vector, v.items, v), v.count_bytes, on);
  }
  if (v.claim_bytes != 0) shares.claim_groups = groups_for(n, claim_items, v);
  return shares;
}

described<gather_variant> describe(const gather_problem& q, const target& on) {
  check_problem(q, on);
  const std::uint64_t n = q.indices.n;
  described<gather_variant> call{{}, {.n = n}};
  gather_variant& v = call.variant;
  if (q.apply != nullptr) {
    v.in = q.in.type;
    v.out = q.out.type;
    v.apply = q.apply;
  } else {
    v.element_bytes = q.in.type->size;
  }
  v.scatters = q.scatter;
  v.wide_indices = q.indices.type->size == 8;
  v.has_outside = !q.scatter && q.outside != nullptr && parts_of(v) > 1;
  v.counts_bad = q.bad.has_value();
  v.count_bytes = count_bytes_of(gather_variant::primitive, q.indices);
  if (q.flags) v.flag = q.flags->type;
  if (q.predicate != nullptr) v.predicate = q.predicate;
  // Two equal indices, and somewhere that they point to.
  const bool may_tear = q.scatter && !q.distinct && n > 1 && q.out.n > 0 && !is_written_whole(q);
  if (may_tear) v.claim_bytes = n - 1 > 0xffffffff ? 8 : 4;
  choose_gather_numbers(v, q, on);

  described_work& work = call.work;
  const auto bytes = [](const any_view& each, std::uint64_t count, std::string_view what) {
    return counting{gather_variant::primitive, what}.bytes(each.offset, count, each.type->size);
  };
  work.operands = {{access::reads, bytes(q.in, q.in.n, "the input")},
                   {access::reads, bytes(q.indices, n, "the indices")},
                   {access::writes, bytes(q.out, q.out.n, "the output")}};
  if (q.bad) work.operands.push_back({access::writes, bytes(*q.bad, 1, "the number of bad indices")});
  const std::size_t flags = work.operands.size();
  if (q.flags) work.operands.push_back({access::reads, bytes(*q.flags, n, "the flags")});
  const std::size_t number = work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  if (n == 0 && !q.bad) return call;

  const gather_division shares = divide_gather(q, v, on);
  const std::uint64_t counted = n == 0 ? 0 : shares.groups;
  workspace_parts parts(gather_variant::primitive);
  const std::uint64_t counts_at = parts.take(v.counts_bad ? counted : 0, 8);
  const std::uint64_t claims_at = parts.take(v.claim_bytes != 0 ? q.out.n : 0, v.claim_bytes);
  if (v.counts_bad || v.claim_bytes != 0) work.workspace_bytes = parts.bytes();
  const std::uint64_t reach = q.scatter ? q.out.n : q.in.n;
  const auto add_flags_of = [&](described_launch& launch) {
    if (q.flags) launch.buffer("flags", flags).value("flags_offset", q.flags->offset);
  };
  const auto add_values_of = [&](described_launch& launch) {
    launch.values({}, v.apply->values, v.predicate->values);
  };
  if (v.claim_bytes != 0) {
    described_launch& claims = work.launch("scatter_claims", shares.claim_groups, v.group_size);
    claims.buffer("indices", 1).value("indices_offset", q.indices.offset);
    add_flags_of(claims);
    add_elements(claims, q.indices, number);
    claims.value("reach", reach).workspace("workspace").value("claims_at", claims_at);
    add_values_of(claims);
  }
  if (n != 0) {
    described_launch& moves = work.launch(q.scatter ? "scatter" : "gather", shares.groups, v.group_size);
    moves.buffer("x", 0).value("x_offset", q.in.offset);
    moves.buffer("indices", 1).value("indices_offset", q.indices.offset);
    add_flags_of(moves);
    moves.buffer("out", 2).value("out_offset", q.out.offset);
    add_elements(moves, q.indices, number);
    moves.value("reach", reach).value("head", shares.head);
    if (v.counts_bad || v.claim_bytes != 0)
      moves.workspace("workspace").value("counts_at", counts_at).value("claims_at", claims_at);
    if (!q.scatter) add_gather_outside(moves, q, v);
    add_values_of(moves);
  }
  if (q.bad) {
    work.launch("gather_bad", 1, v.group_size)
        .workspace("workspace")
        .value("counts_at", counts_at)
        .value("count", counted)
        .buffer("bad", 3)
        .value("bad_offset", q.bad->offset);
  }
  return call;
}

told tell(const gather_problem& q, const target& on, const described<gather_variant>& call) {
  const gather_variant& v = call.variant;
  const std::uint64_t parts = parts_of(v);
  std::string how = q.scatter ? "a scatter" : "a gather";
  if (is_cpu(on))
    how += ", a contiguous chunk per work-item";
  else if (parts > 1)
    how += " of elements in " + std::to_string(parts) + " parts of " +
           std::to_string(part_bytes(v.element_bytes)) + " bytes, " + std::to_string(v.items) +
           " in flight per work-item";
  else
    how += ", " + std::to_string(v.items * v.vector) +
           " elements in flight per work-item, indices in packets of " + std::to_string(v.vector);
  if (q.flags) how += ", where flags are set";
  how += words_of_count(v.count_bytes);
  told people{how};
  if (v.claim_bytes != 0) {
    people.variant += "; a launch before finds out which of equal indices stands";
    people.rejected.push_back({"one launch", "elements of " + std::to_string(q.out.type->size) +
                                                 " bytes could be torn where indices are equal"});
  }
  return people;
}

// --------------------------------------------------------------------------------------------- the entries

namespace {

event start(const call_site& site, gather_problem q, const launch_fields& options, bool wanted) {
  constexpr std::string_view primitive = gather_variant::primitive;
  check_operand_types(q);
  // Without a map the bits alone are moved, of doubles too where a device has none.
  const auto moved = [&](const any_view& view) { return q.apply != nullptr ? view : as_bits(view); };
  std::array<call_operand, 6> all = {{{.view = moved(q.in), .name = "the input"},
                                      {.view = all_of(q.indices), .name = "the indices"},
                                      {.view = moved(q.out), .use = access::writes, .name = "the output"}}};
  std::size_t operands = 3;
  if (q.bad) {
    all[operands++] = {
        .view = *q.bad, .use = access::writes, .name = "the number of bad indices", .reach = 1};
  }
  if (q.flags) all[operands++] = {.view = *q.flags, .name = "the flags"};
  if (count_bytes_of(primitive, q.indices) != 0) all[operands++] = counting_operand(q.indices);
  return carry_out({site, primitive, options, wanted}, q, std::span(all).first(operands),
                   {&q.in, &q.indices, &q.out});
}

}  // namespace

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const gather_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event gather(cl_command_queue queue, const gather_problem& asked, const launch_options& options) {
  return detail::start(detail::site_of(queue, detail::gather_variant::primitive), asked, options,
                       options.with_event);
}

void checked_gather(cl_command_queue queue, const gather_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::gather_variant::primitive);
  const std::uint64_t bad = detail::count_on_host(site, options, asked, &gather_problem::bad, detail::start);
  if (bad == 0) return;
  const any_view& reached = asked.scatter ? asked.out : asked.in;
  const bool counted = asked.indices.count != nullptr;
  detail::no(asked,
             std::to_string(bad) + (counted || asked.flags ? "" : " of " + std::to_string(asked.indices.n)) +
                 " indices are outside",
             "indices are less than the " + std::to_string(reached.n) + " elements of the " +
                 (asked.scatter ? "output" : "input"));
}

}  // namespace clwave
