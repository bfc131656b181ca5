// Sorts by keys of texts: what a call is.
#include "primitives/key_sort.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "blocks/segments.hpp"
#include "blocks/sorted_keys.hpp"
#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "primitives/sort_operands.hpp"
#include "program/element_words.hpp"
#include "program/named_values.hpp"

namespace clwave {

key_list::key_list(std::vector<sort_key> keys) : keys_(std::move(keys)) {
  if (keys_.empty())
    detail::refuse(
        detail::key_sort_variant::primitive,
        "a sort has 1 to " + std::to_string(detail::key_value_prefixes.size()) + " keys, and this list has 0",
        "leave .keys out to sort by the elements themselves");
}

}  // namespace clwave

namespace clwave::detail {
namespace {

constexpr std::size_t most_sort_keys = key_value_prefixes.size();

[[noreturn]] void no(const key_sort& q, const std::string& message, std::string_view advice = {}) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(key_sort_variant::primitive),
               .types = q.keys.type->name,
               .advice = std::string(advice)});
}

bool is_argsort(const key_sort& q) { return !q.keys_out; }

// Whether each key is made in an order, which a call's first one makes.
bool makes_indices(const key_sort_variant& v) { return v.keys.size() > 1 || v.segments; }

void check_problem(const key_sort& q, const target& on) {
  const element& in = *q.keys.type;
  check_sort_types(key_sort_variant::primitive, q);
  if (in.kind == element_kind::opaque)
    no(q, in.name + " has no type on the device", "declare it with CLWAVE_STRUCTURE");
  if (in.size == 0 || in.size > 128) no(q, "elements have 1 to 128 bytes");
  if (q.by.size() > most_sort_keys)
    no(q, "a sort has 1 to " + std::to_string(most_sort_keys) + " keys, and this one has " +
              std::to_string(q.by.size()));
  if (q.offsets) check_sorted_segments(key_sort_variant::primitive, q);
  for (const sort_key& each : q.by) {
    if (each.of.kind != map_kind::user || each.of.name.empty() || each.of.source.empty())
      no(q, "a key is a map of your own, with a name and a source",
         R"(such as clwave::by<float>({.name = "mass", .source = "x.mass"}))");
    if (each.type == nullptr) no(q, "the key " + each.of.name + " has no type");
    check_key(key_sort_variant::primitive, *each.type);
    if (on.facts != nullptr && is_of_doubles(*each.type) && !on.facts->fp64.value_or(false))
      no(q, "the key " + each.of.name + " is a double, which this device does not have");
    check_values(key_sort_variant::primitive, on, each.of);
  }
}

// A key, and the bits that it is sorted by.
struct asked_key {
  key_of_text key;
  bit_range bits;
};

// Without those that no bits are sorted by, as long as another one is left.
std::vector<asked_key> asked_keys(const key_sort& q) {
  std::vector<asked_key> all;
  for (const sort_key& each : q.by)
    all.push_back({{&each.of, each.type, each.order.descending},
                   bits_of_keys(key_sort_variant::primitive, *each.type, each.order)});
  std::size_t left = all.size();
  std::erase_if(all, [&](const asked_key& each) { return each.bits.count == 0 && left > 1 && left-- > 0; });
  return all;
}

// The type of numbers without a sign that holds all keys.
const element& number_for(const std::vector<asked_key>& keys) {
  std::size_t widest = 1;
  for (const asked_key& each : keys) widest = std::max(widest, each.key.type->size);
  switch (widest) {
    case 1:
      return element_of<std::uint8_t>();
    case 2:
      return element_of<u16>();
    case 4:
      return element_of<std::uint32_t>();
    default:
      return element_of<std::uint64_t>();
  }
}

// The part that elements of so many bytes are moved in.
std::uint64_t part_of(std::uint64_t bytes) { return std::min<std::uint64_t>(low_bit(bytes), 16); }

void add_parts(program_spec& spec, const std::string& what, std::uint64_t bytes) {
  if (bytes == 0) return;
  add_word(spec, what + "_PART", bits_of(part_of(bytes)));
  add_word(spec, what + "_PARTS", std::to_string(bytes / part_of(bytes)));
}

// How the bits of a type of keys become numbers without a sign that have their order.
std::string order_word_of(const element& key) {
  if (is_float(key) || is_storage(key)) return "ORDERED_FLOAT";
  if (is_bool(key)) return "ORDERED_BOOL";
  return key.kind == element_kind::signed_integer ? "ORDERED_SIGNED" : "ORDERED_AS_IT_IS";
}

// The words and texts of the k-th key; returns its part of KEYS_OF_TEXTS.
std::string add_key_of_text(program_spec& spec, std::size_t k, const key_of_text& key, const element& of) {
  const element& type = *key.type;
  add_key_text(spec, k, *key.of, of, type);
  return "K(" + std::to_string(k) + ", " + (type.size == 8 ? "ulong" : bits_of(type.size)) + ", " +
         add_write(spec, type) + ", " + order_word_of(type) + ", " + infinity_of(type) + ", " +
         (key.descending ? "-1" : "0") + ") ";
}

unsigned group_size_of(const key_sort_variant& v) {
  return v.sort ? v.sort->group_size : v.segments->group_size;
}

unsigned counted_bytes(const key_sort_variant& v) { return v.sort ? v.sort->count_bytes : 0; }

std::uint64_t groups_for(std::uint64_t units, std::uint64_t bytes, const key_sort_variant& v,
                         const target& on) {
  if (is_cpu(on)) return cpu_groups(bytes, on, {.groups_per_unit = 1});
  const std::uint64_t groups = std::clamp<std::uint64_t>(blocks_of(units, group_size_of(v)), 1, most_groups);
  return groups_of_counted(groups, counted_bytes(v), on);
}

// So many numbers, as many of them as there are elements.
any_view numbers_of(const element& number, const key_sort& q) {
  any_view numbers(number, q.keys.n);
  numbers.count = q.keys.count;
  return numbers;
}

// The bits that a key is sorted by, in its lowest ones.
std::uint64_t mask_of(const bit_range& bits) {
  return bits.count == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits.count);
}

}  // namespace

program_spec spec_of(const key_sort_variant& v) {
  program_spec spec = v.sort ? spec_of(*v.sort) : spec_of(*v.segments);
  spec.primitive = key_sort_variant::primitive;
  spec.types = v.in->name + " by";
  spec.op.clear();
  add_modules(spec, {"primitives/key_sort.cl"});
  if (v.segments) add_word(spec, "SORTS_SEGMENTS");
  add_word(spec, "X_STORED", stored_name(*v.in));
  add_word(spec, "X_LOADED", loaded_name(*v.in));
  add_word(spec, "X_READ", read_name(*v.in));
  add_word(spec, "X_BYTES", std::to_string(v.in->size));
  add_word(spec, "ELEMENT_INDEX", v.index_bytes == 8 ? "ulong" : "uint");
  add_parts(spec, "ELEMENT", v.gathered_bytes);
  add_parts(spec, "VALUE", v.gathered_value_bytes);
  if (makes_indices(v)) add_word(spec, "MAKES_INDICES");
  add_types(spec, {&v.in, 1});
  std::string keys;
  for (std::size_t k = 0; k < v.keys.size(); ++k) {
    spec.types += (k == 0 ? " " : ", ") + v.keys[k].type->name;
    spec.op += (k == 0 ? "" : ", ") + v.keys[k].of->name;
    keys += add_key_of_text(spec, k, v.keys[k], *v.in);
  }
  spec.texts.emplace_back("KEYS_OF_TEXTS(K)", keys);
  return spec;
}

namespace {

// How so many keys' numbers are sorted with the elements' indices.
void choose_sort(key_sort_variant& v, const element& number, const key_sort& q, const target& on) {
  if (q.offsets) {
    v.segments = {.keys = {.key = &number, .bits = static_cast<unsigned>(number.size) * 8},
                  .value_bytes = v.index_bytes,
                  .wide_offsets = q.offsets->type->size == 8,
                  .counts_bad = q.bad.has_value(),
                  .count_bytes = count_bytes_of_segments(key_sort_variant::primitive, *q.offsets)};
    choose_sizes(*v.segments, on);
    return;
  }
  // One key is sorted with indices that the sort makes; of several keys each later one has them as values.
  const element& index = v.index_bytes == 8 ? element_of<std::uint64_t>() : element_of<std::uint32_t>();
  sort_problem numbers{
      .keys = numbers_of(number, q), .values_out = any_view(index), .wide_counts = q.wide_counts};
  if (v.keys.size() > 1) {
    numbers.keys_out = any_view(number);
    numbers.values = any_view(index);
  }
  v.sort = variant_of_sort(numbers, on);
}

// The sorts of all keys, one after the other, which count in the same parts of the workspace.
std::vector<sort_launches> sorts_of(const std::vector<asked_key>& keys, const any_view& numbers,
                                    const sort_variant& v, const target& on, workspace_parts& parts) {
  std::vector<sort_launches> sorts;
  for (const asked_key& each : keys) {
    workspace_parts counts(key_sort_variant::primitive);
    sorts.emplace_back(key_sort_variant::primitive, numbers, each.bits, /*in_place=*/false, v, on, counts);
    if (counts.bytes() > parts.bytes()) parts = counts;
  }
  return sorts;
}

}  // namespace

described<key_sort_variant> describe(const key_sort& q, const target& on) {
  check_problem(q, on);
  const std::vector<asked_key> keys = asked_keys(q);
  const bool argsort = is_argsort(q), several = keys.size() > 1, segmented = q.offsets.has_value();
  described<key_sort_variant> call{{.in = q.keys.type}, {.n = q.keys.n}};
  key_sort_variant& v = call.variant;
  for (const asked_key& each : keys) v.keys.push_back(each.key);
  if (!argsort) v.gathered_bytes = q.keys.type->size;
  if (q.values) v.gathered_value_bytes = q.values->type->size;
  v.index_bytes = argsort ? static_cast<unsigned>(q.values_out->type->size)
                  : q.keys.n >> 32 != 0 || (segmented && q.wide_counts) ? 8
                                                                        : 4;

  const element& number = number_for(keys);
  choose_sort(v, number, q, on);

  described_work& work = call.work;
  const sort_places places = add_sort_operands(key_sort_variant::primitive, work, q);
  const std::size_t counted = work.operands.size();
  if (counted_bytes(v) != 0) work.operands.push_back(described_count(counted_bytes(v)));
  std::vector<sort_launches> sorts;
  std::optional<segmented_sort_launches> sort_of_segments;
  workspace_parts parts(key_sort_variant::primitive);
  if (segmented) {
    const sorted_segments segments = add_sorted_segments(key_sort_variant::primitive, work, q);
    if (segments.segments == 0) return call;
    sort_of_segments.emplace(segments, *v.segments, on, parts);
  } else {
    sorts = sorts_of(keys, numbers_of(number, q), *v.sort, on, parts);
    if (q.keys.n == 0) return call;
  }

  // Two rooms for keys and two for indices, between which they go from pass to pass, and what is sorted in
  // place, out of its place.
  const bool local = !segmented && sorts[0].in_local_memory();
  const bool spares =
      segmented ? sort_of_segments->has_spares() : !local && (several || sorts[0].passes() > 1);
  const std::uint64_t spare_n = spares ? q.keys.n : 0;
  const sort_place numbers_at{{}, parts.take(q.keys.n, number.size)};
  const sort_place spare_numbers{{}, parts.take(spare_n, number.size)};
  sort_place order{{}, parts.take(argsort && !several ? 0 : q.keys.n, v.index_bytes)};
  sort_place spare_order{{}, parts.take(segmented ? q.keys.n : spare_n, v.index_bytes)};
  const bool some = q.keys.n > 0;  // where there are none, nothing is in another's place
  const auto take_aside = [&](bool in_place, const sort_place& where, std::uint64_t each) {
    return in_place ? sort_place{{}, parts.take(q.keys.n, each)} : where;
  };
  const bool keys_aside = some && !argsort && q.keys_in_place;
  const bool values_aside = some && q.values && q.values_in_place;
  const sort_place elements = take_aside(keys_aside, places.keys, v.gathered_bytes);
  const sort_place values = take_aside(values_aside, places.values, v.gathered_value_bytes);
  work.workspace_bytes = parts.bytes();

  const auto add_gather = [&](const char* kernel, const sort_place& from, const sort_place& to,
                              std::uint64_t bytes, bool ordered) {
    const std::uint64_t units =
        counting{key_sort_variant::primitive, "the elements"}.times(q.keys.n, bytes / part_of(bytes));
    described_launch& gather =
        work.launch(kernel, groups_for(units, q.keys.n * bytes, v, on), group_size_of(v));
    add_place(gather, "from", "from_at", from);
    add_place(gather, "to", "to_at", to);
    if (counted_bytes(v) != 0)
      add_elements(gather, q.keys, counted);
    else
      gather.value("n", units);
    gather.workspace("workspace").value("order_at", order.at);
    gather.value("ordered", std::uint32_t{ordered ? 1u : 0u});
  };
  std::vector<std::span<const named_value>> values_of_texts;
  values_of_texts.reserve(keys.size());
  for (const asked_key& each : keys) values_of_texts.emplace_back(each.key.of->values);
  for (std::size_t k = keys.size(); k-- > 0;) {
    const bool first = k + 1 == keys.size();
    // The first keys of segments, and the indices that are made, are sorted from the spare rooms; later ones
    // where they are.
    const bool from_spare = segmented && first;
    const sort_place& made = from_spare && spares ? spare_numbers : numbers_at;
    const sort_place& made_order = from_spare ? spare_order : order;
    described_launch& make = work.launch(
        "key_sort_keys", groups_for(q.keys.n, q.keys.n * q.keys.type->size, v, on), group_size_of(v));
    make.buffer("x", *places.keys.operand).value("x_offset", q.keys.offset);
    add_elements(make, q.keys, counted);
    make.workspace("workspace").value("keys_at", made.at);
    make.value("order_at", made_order.at).value("text", static_cast<std::uint32_t>(k));
    make.value("first", std::uint32_t{first ? 1u : 0u});
    make.value("sorted_at", order.at).value("first_bit", std::uint32_t{keys[k].bits.first});
    make.value("mask", mask_of(keys[k].bits));
    for (std::size_t each = 0; each < values_of_texts.size(); ++each)
      make.values_of_map(each, values_of_texts[each]);
    if (segmented) {
      sort_of_segments->add(work,
                            {.keys = made,
                             .keys_out = numbers_at,
                             .keys_spare = spare_numbers,
                             .values = made_order,
                             .values_out = order,
                             .values_spare = spare_order},
                            values_of_texts);
      continue;
    }
    // Digits go from room to room, the first one never to where it comes from.
    const bool back = local || sorts[k].passes() % 2 == 0;
    sort_rooms rooms{.keys = numbers_at, .values = order};
    rooms.keys_out = back ? numbers_at : spare_numbers;
    rooms.keys_spare = back ? spare_numbers : numbers_at;
    rooms.values_out = back || !several ? order : spare_order;
    rooms.values_spare = back || !several ? spare_order : order;
    if (argsort && k == 0) rooms.values_out = places.values_out;
    sorts[k].add(work, rooms, counted);
    if (several && !back) std::swap(order, spare_order);
  }
  if (argsort) return call;
  if (keys_aside) add_gather("key_sort_gather", places.keys, elements, v.gathered_bytes, /*ordered=*/false);
  if (values_aside)
    add_gather("key_sort_gather_values", places.values, values, v.gathered_value_bytes, /*ordered=*/false);
  add_gather("key_sort_gather", elements, places.keys_out, v.gathered_bytes, /*ordered=*/true);
  if (q.values)
    add_gather("key_sort_gather_values", values, places.values_out, v.gathered_value_bytes, /*ordered=*/true);
  return call;
}

told tell(const key_sort& q, const target& on, const described<key_sort_variant>& call) {
  const key_sort_variant& v = call.variant;
  std::string sort;
  if (v.segments) {
    sort = name_of_segmented_sort(*v.segments, q.keys.n, on);
  } else {
    unsigned passes = 0;
    workspace_parts parts(key_sort_variant::primitive);
    for (const sort_launches& each : sorts_of(asked_keys(q), numbers_of(*v.sort->key, q), *v.sort, on, parts))
      passes += each.passes();
    sort = name_of_sort(*v.sort, passes, on);
  }
  told people;
  people.variant = (v.keys.size() == 1 ? "indices sorted by a key of a text: "
                                       : "indices sorted by " + std::to_string(v.keys.size()) +
                                             " keys of texts one after the other: ") +
                   sort + (is_argsort(q) ? "" : "; elements gathered");
  people.variant += words_of_count(counted_bytes(v));
  if (v.segments) people.variant += words_of_segment_count(v.segments->count_bytes);
  people.rejected.push_back({"one launch", "a launch of its own makes the keys of each text"});
  if (!is_argsort(q))
    people.rejected.push_back(
        {"elements that move with their keys",
         "their indices of " + std::to_string(v.index_bytes) + " bytes do, and each element moves once"});
  return people;
}

key_list keys_of_128_bits(bool has_sign, const sort_order& order) {
  constexpr unsigned word = 64, all = 2 * word;
  const unsigned first = order.first_bit, last = order.last_bit.value_or(all);
  if (first > last || last > all)
    refuse(key_sort_variant::primitive, "bits from " + std::to_string(first) + " to before " +
                                            std::to_string(last) + " of a key of " + std::to_string(all) +
                                            " bits");
  const auto bits_from = [&](unsigned begin) {
    const auto within = [&](unsigned bit) { return std::clamp(bit, begin, begin + word) - begin; };
    return sort_order{.descending = order.descending, .first_bit = within(first), .last_bit = within(last)};
  };
  const map high{.name = "high", .source = "x.high"}, low{.name = "low", .source = "x.low"};
  return {has_sign ? by<std::int64_t>(high, bits_from(word)) : by<std::uint64_t>(high, bits_from(word)),
          by<std::uint64_t>(low, bits_from(0))};
}

}  // namespace clwave::detail
