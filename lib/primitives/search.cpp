// Searches that stop early: what a call is, and the entries.
#include "primitives/search.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>

#include "blocks/kept.hpp"
#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/future.hpp"
#include "call/markers.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/element_words.hpp"
#include "program/expressions.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {
namespace {

// A search in vain reads as a reduction does, but all groups read a tile at least: with fewer packets in
// flight they have read less by the time that one of them has found something. Not measured on a GPU.
constexpr unsigned most_search_items = 4;
// Of a CPU: elements that are looked at between two looks at what others have found. Not tuned.
constexpr unsigned cpu_search_tile = 4096;

bool searches_by_predicate(search_kind kind) {
  return kind == search_kind::find_if || kind == search_kind::any_of || kind == search_kind::all_of ||
         kind == search_kind::none_of;
}
bool searches_two(search_kind kind) { return kind == search_kind::mismatch || kind == search_kind::equal; }
bool gives_index(search_kind kind) { return kind == search_kind::find_if || kind == search_kind::mismatch; }

const element& result_of_search(search_kind kind) {
  return gives_index(kind) ? element_of<std::uint64_t>() : element_of<bool>();
}

// The bytes of what no elements give: an index, or a truth value, of which the first byte counts.
std::array<unsigned char, 8> value_of_nothing(search_kind kind) {
  std::array<unsigned char, 8> bytes{};
  if (gives_index(kind))
    bytes.fill(0xff);
  else
    bytes[0] = kind == search_kind::any_of ? 0 : 1;
  return bytes;
}

std::string_view name_of_search(search_kind kind) {
  constexpr std::array<std::string_view, 7> names{"find_if",  "any_of", "all_of",   "none_of",
                                                  "mismatch", "equal",  "is_sorted"};
  return names[static_cast<std::size_t>(kind)];
}

[[noreturn]] void no_search_of(const search_problem& q, const std::string& message,
                               std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(search_variant::primitive),
               .types = q.in.type->name,
               .advice = std::string(advice)});
}

void check_search_operands(const search_problem& q) {
  check_typed(search_variant::primitive, {{"the input", all_of(q.in)}, {"the output", q.out}});
  if (searches_two(q.kind)) {
    if (!q.in2) no_search_of(q, "the problem has no second input");
    check_typed(search_variant::primitive, {{"the second input", *q.in2}});
    if (!are_alike(*q.in2->type, *q.in.type)) no_search_of(q, "the second input is of " + q.in2->type->name);
    if (q.in2->n != q.in.n)
      no_search_of(q, "the first input has " + std::to_string(q.in.n) + " elements, the second " +
                          std::to_string(q.in2->n));
    if (q.in.count != nullptr) no_search_of(q, "the elements of two inputs cannot be counted on the device");
  }
  if (q.out && !are_alike(*q.out->type, result_of_search(q.kind)))
    no_search_of(q, std::string(name_of_search(q.kind)) + " gives a " + result_of_search(q.kind).name +
                        ", and the output is of " + q.out->type->name);
}

void check_search(const search_problem& q, const target& on) {
  check_search_operands(q);
  const element& value = *q.in.type;
  if (value.size > 128) no_search_of(q, "elements have 1 to 128 bytes");
  if (value.kind == element_kind::opaque)
    no_search_of(q, value.name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
  if (searches_by_predicate(q.kind)) {
    if (q.predicate == nullptr || q.predicate->kind != map_kind::user || q.predicate->source.empty() ||
        q.predicate->name.empty())
      no_search_of(q, "a predicate is a map of your own, with a name and a source",
                   R"(such as {.name = "positive", .source = "x > 0"})");
    check_values(search_variant::primitive, on, *q.predicate);
  }
  if (searches_two(q.kind)) check_equality(search_variant::primitive, on, value, q.same);
}

// Elements that a group looks at together.
std::uint64_t tile_of_search(const search_variant& v) {
  return std::uint64_t{v.group_size} * v.items * v.vector;
}

void choose_search_numbers(search_variant& v, const search_problem& q, const target& on) {
  if (is_cpu(on)) {
    v.items = cpu_search_tile;
    return;
  }
  const tuning& tuned = on.choice.profile->reduce;
  v.group_size = group_size_within(on, tuned.group_size);
  v.items = std::clamp(tuned.items / (q.in2 ? 2 : 1), 1u, most_search_items);
  const std::uint64_t size = q.in.type->size;
  if (!std::has_single_bit(size) || size > 8) {
    v.items = std::max<unsigned>(1, static_cast<unsigned>(std::min<std::uint64_t>(64 / size, v.items)));
    return;
  }
  const unsigned vector = static_cast<unsigned>(16 / size);
  const auto phase = [&](const any_view& each) { return each.address / size % vector; };
  v.packets = q.in.known && (!q.in2 || (q.in2->known && phase(*q.in2) == phase(q.in)));
  // By element, as many bytes in flight as 16 accesses bring.
  if (v.packets)
    v.vector = vector;
  else
    v.items = std::min(v.items * vector, 16u);
}

std::uint64_t groups_of_search(std::uint64_t tiles, const search_problem& q, const target& on) {
  if (is_cpu(on)) return std::min(cpu_groups(q.in.n * q.in.type->size, on, on.choice.profile->reduce), tiles);
  const tuning& tuned = on.choice.profile->reduce;
  return std::min(tiles, std::max<std::uint64_t>(std::uint64_t{on.compute_units} * tuned.groups_per_unit, 1));
}

}  // namespace

program_spec spec_of(const search_variant& v) {
  program_spec spec;
  spec.primitive = search_variant::primitive;
  add_modules(spec, {"primitives/search.cl"});
  if (v.kind == search_kind::is_sorted) {
    add_key_comparison(spec, v.keys);
    add_word(spec, "SEARCHES_NEIGHBOURS");
  } else {
    const element& value = *v.value;
    spec.types = value.name;
    spec.op = searches_two(v.kind) ? v.same->name : v.predicate->name;
    add_word(spec, "KEY", stored_name(value));
    add_word(spec, "KEY_LOADED", loaded_name(value));
    add_word(spec, "KEY_READ", read_name(value));
    add_word(spec, "KEY_BYTES", std::to_string(value.size));
    if (is_structure(value)) add_word(spec, "KEY_IS_STRUCTURE");
    add_types(spec, {&v.value, 1});
  }
  if (searches_two(v.kind)) add_comparison(spec, "SAME_TEXT", *v.same, *v.value);
  if (searches_by_predicate(v.kind)) {
    add_expression(spec, {.macro = "PREDICATE_TEXT",
                          .label = "map " + v.predicate->name,
                          .source = v.predicate->source,
                          .declarations = v.predicate->declarations,
                          .values = v.predicate->values,
                          .prefix = map_value_prefix,
                          .operands = {{v.value, "x"}, {nullptr, "i"}}});
    add_values(spec, nullptr, v.predicate);
  }
  if (v.kind == search_kind::all_of) add_word(spec, "SEARCHES_OPPOSITE");
  if (gives_index(v.kind)) add_word(spec, "GIVES_INDEX");
  if (v.kind == search_kind::any_of) add_word(spec, "GIVES_WHETHER_FOUND");
  add_count(spec, v.count_bytes);
  add_word(spec, "GROUP_SIZE", std::to_string(v.group_size));
  add_word(spec, "ITEMS", std::to_string(v.items));
  add_word(spec, "VECTOR", std::to_string(v.vector));
  if (v.packets) add_word(spec, "KEY_BITS", bits_of(v.vector * v.value->size));
  add_word(spec, "COUNTER_AT", std::to_string(workspace::counter_at));
  return spec;
}

// The operands are the input, the second input where there is one, the output where that is on the device,
// and the number of elements.
described<search_variant> describe(const search_problem& q, const target& on) {
  check_search(q, on);
  const std::uint64_t n = q.in.n;
  described<search_variant> call{{.kind = q.kind, .value = q.in.type}, {.n = n}};
  search_variant& v = call.variant;
  if (searches_by_predicate(q.kind)) v.predicate = q.predicate;
  if (searches_two(q.kind)) v.same = &equality_of(*q.in.type, q.same);
  v.keys.key = q.in.type;
  if (q.kind == search_kind::is_sorted)
    v.keys = comparison_of(search_variant::primitive, on, *q.in.type, q.less, q.order);
  v.count_bytes = count_bytes_of(search_variant::primitive, q.in);
  choose_search_numbers(v, q, on);

  described_work& work = call.work;
  const auto bytes = [](const any_view& each, std::uint64_t count, std::string_view what) {
    return counting{search_variant::primitive, what}.bytes(each.offset, count, each.type->size);
  };
  work.operands = {{access::reads, bytes(q.in, n, "the input")}};
  if (searches_two(q.kind)) work.operands.push_back({access::reads, bytes(*q.in2, n, "the second input")});
  const std::size_t out = work.operands.size();
  if (q.out) work.operands.push_back({access::writes, bytes(*q.out, 1, "the output")});
  const std::size_t number = work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  // A plan without an output is of a result on the host, which a call has the device write to memory of its
  // own.
  if (n == 0) return call;

  const auto head = static_cast<std::uint32_t>(q.in.address / q.in.type->size % v.vector);
  const std::uint64_t tiles = blocks_of(n + head, tile_of_search(v));
  if (tiles > most_groups)
    refuse(search_variant::primitive,
           "more than " + std::to_string(most_groups * tile_of_search(v) - head) + " elements",
           "search the input in parts");
  work.zeroed_bytes = workspace::own_at - workspace::counter_at;
  const auto add_launch = [&](const char* kernel, std::uint64_t groups) {
    described_launch& launch = work.launch(kernel, groups, v.group_size);
    launch.buffer("x", 0).value("x_offset", q.in.offset);
    if (searches_two(q.kind)) launch.buffer("y", 1).value("y_offset", q.in2->offset);
    add_elements(launch, q.in, number);
    launch.value("head", head);
    if (q.out)
      launch.buffer("out", out).value("out_offset", q.out->offset);
    else
      launch.workspace("out").value("out_offset", std::uint64_t{0});
    launch.workspace("workspace");
    if (searches_by_predicate(q.kind)) launch.values({}, q.predicate->values);
    if (searches_two(q.kind)) launch.values({}, {}, v.same->values);
    if (q.kind == search_kind::is_sorted) launch.values({}, {}, v.keys.less->values);
  };
  add_launch("search", groups_of_search(tiles, q, on));
  if (on.choice.order == group_order::two_launches) add_launch("search_result", 1);
  return call;
}

told tell(const search_problem& q, const target& on, const described<search_variant>& call) {
  const search_variant& v = call.variant;
  told people{std::string(name_of_search(q.kind)) + ", tiles of " + std::to_string(tile_of_search(v)) +
              " elements, " +
              (is_cpu(on)  ? "each taken by the next work-item that is free"
               : v.packets ? "loads of " + std::to_string(v.vector) + " x " + q.in.type->name
                           : std::string("loads by element"))};
  people.variant += on.choice.order == group_order::two_launches ? ", two launches" : ", one launch";
  people.variant += words_of_count(v.count_bytes);
  if (on.choice.order == group_order::two_launches)
    people.rejected.push_back(
        {"one launch",
         "nothing on this device orders one group's reads after another's writes in one kernel"});
  return people;
}

// --------------------------------------------------------------------------------------------- the entries

namespace {

void check_order_of_search(const search_problem& q) {
  if (q.kind == search_kind::is_sorted) check_one_order(search_variant::primitive, q.less, q.order);
}

// A search whose problem has an output.
event start_search(const call_site& site, search_problem q, const launch_fields& options, bool wanted) {
  constexpr std::string_view primitive = search_variant::primitive;
  check_search_operands(q);
  check_order_of_search(q);
  if (q.out->n == 0) refuse(primitive, "the output has no element for the result");
  q.out->n = 1;
  // Numbers are compared by their bits.
  const bool by_bits = q.kind == search_kind::is_sorted && q.less == nullptr;
  const any_view in = all_of(q.in);
  std::array<call_operand, 4> all = {{{.view = by_bits ? as_bits(in) : in, .name = "the input"}}};
  std::array<cl_mem, 4> buffers{q.in.n > 0 ? q.in.buffer : nullptr};
  std::size_t n = 1;
  if (searches_two(q.kind)) {
    buffers[n] = q.in2->n > 0 ? q.in2->buffer : nullptr;
    all[n++] = {.view = *q.in2, .name = "the second input"};
  }
  const std::size_t out = n;
  buffers[n] = q.out->buffer;
  all[n++] = {.view = *q.out, .use = access::writes, .name = "the output"};
  if (count_bytes_of(primitive, q.in) != 0) {
    buffers[n] = q.in.count->buffer;
    all[n++] = counting_operand(q.in);
  }
  const checked_operands checked = check_operands(site, primitive, {all.data(), n});
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  checked.place(0, q.in);
  if (searches_two(q.kind)) checked.place(1, *q.in2);
  checked.place(out, *q.out);
  const auto ready = fit(site, q);
  if (ready.code == nullptr) {  // no elements
    const std::array<unsigned char, 8> none = value_of_nothing(q.kind);
    return fill_elements(site.queue, *q.out, none.data(),
                         launch_options{.after = options.after, .with_event = wanted});
  }
  return enqueue(site, ready, {buffers.data(), n}, after, wanted, {primitive, &options.workspace, &checked});
}

// A future's part of a search: its result goes to memory of the library's.
void search_into_future(const call_site& site, const search_problem& asked, const launch_fields& options,
                        future_state& result) {
  search_problem q = asked;
  q.out = any_view{result.buffer(), 1, 0, &result_of_search(q.kind)};
  result.comes_with(site, start_search(site, q, options, true));
}

// Whether the result is known without the device; then every check of a call has been made.
bool is_known(const call_site& site, const search_problem& asked, const launch_fields& options,
              std::array<unsigned char, 8>& value) {
  if (asked.in.n != 0) return false;
  search_problem q = asked;
  q.out.reset();
  check_search(q, site.on);
  check_order_of_search(q);
  check_events(site, options.after, search_variant::primitive);
  if (q.kind == search_kind::is_sorted)
    static_cast<void>(comparison_of(search_variant::primitive, site.on, *q.in.type, q.less, q.order));
  value = value_of_nothing(q.kind);
  return true;
}

}  // namespace

future_handle search_to_future(cl_command_queue queue, const search_problem& asked,
                               const launch_options& options) {
  const call_site site = site_of(queue, search_variant::primitive);
  search_problem q = asked;
  q.out.reset();
  const std::size_t bytes = result_of_search(q.kind).size;
  future_handle result(new future_state(site, bytes));
  std::array<unsigned char, 8> value{};
  if (is_known(site, q, options, value))
    result->is({value.data(), bytes});
  else
    search_into_future(site, q, options, *result);
  return result;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const search_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event search(cl_command_queue queue, const search_problem& asked, const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::search_variant::primitive);
  if (!asked.out)
    detail::refuse(detail::search_variant::primitive, "the output has no element for the result");
  return detail::start_search(site, asked, options, options.with_event);
}

void search(cl_command_queue queue, const search_problem& asked, void* result,
            const launch_options& options) {
  const detail::call_site site = detail::site_of(queue, detail::search_variant::primitive);
  search_problem q = asked;
  q.out.reset();
  const std::size_t bytes = detail::result_of_search(q.kind).size;
  std::array<unsigned char, 8> value{};
  if (detail::is_known(site, q, options, value)) {
    std::memcpy(result, value.data(), bytes);
    return;
  }
  launch_options now{.after = options.after, .workspace = options.workspace};
  // An out-of-order queue starts a kernel at once, though what it holds may be what writes the input.
  if (!site.in_order && options.after.empty()) now.after = {detail::end_of_queue(site)};
  detail::future_state coming(site, bytes);
  detail::search_into_future(site, q, now, coming);
  detail::check(clFlush(site.queue), "start the search");
  coming.get(result);
}

}  // namespace clwave
