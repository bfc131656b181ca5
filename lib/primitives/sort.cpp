// Sorts of numbers: what a call is.
#include "primitives/sort.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>

#include <clwave/error.hpp>

#include "call/counted.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Sums of counts have up to 48 bits (cl_kernels/primitives/sort.cl).
constexpr std::uint64_t most_keys = std::uint64_t{1} << 47;

constexpr unsigned digit_bits = 8;
constexpr std::uint64_t digits = 1 << digit_bits;

// Up to so many keys one core of a CPU takes in one launch: no measurement, but a launch costs it as much as
// some thousand keys.
constexpr std::uint64_t most_of_one_core = 1 << 15;
// A CPU's parts are counted in 32 bits.
constexpr std::uint64_t most_of_a_part = 1 << 30;

// Values that a launch for one tile holds in registers.
constexpr std::uint64_t most_value_bytes_of_tile = 16;

bool is_argsort(const sort_problem& q) { return !q.keys_out; }

bool in_place(const sort_problem& q) { return q.keys_in_place || q.values_in_place; }

std::uint64_t tile_of(const sort_variant& v) { return std::uint64_t{v.group_size} * v.items; }

// What lies in local memory, tile by tile: keys, and values of no more bytes than the widest key.
std::uint64_t largest_in_tile(const sort_variant& v) {
  const std::uint64_t carried = v.value_bytes + v.index_bytes;
  return std::max<std::uint64_t>(v.key->size, carried <= 8 ? carried : 0);
}

// cl_kernels/device/lanes_nvidia.cl. In a small sort nothing hides how long local memory takes to answer.
bool matches_in_memory(const sort_variant& v, const target& on) {
  return on.choice.exchange == lane_exchange::shuffle_sync && !on.choice.emulated && !v.small;
}

void choose_sizes(sort_variant& v, const target& on) {
  if (is_cpu(on)) return;
  const std::uint64_t local = local_bytes_of(on);
  const sort_tuning& tuned = on.choice.profile->sort;
  const bool own_size = v.small && tuned.small_group_size != 0;
  const unsigned group_size = own_size ? tuned.small_group_size : tuned.group_size;
  // Groups are multiples of a set here, no powers of two.
  v.group_size = std::min(group_size_within(on, std::bit_ceil(group_size)), group_size);
  const std::uint64_t in_room = std::max(largest_in_tile(v), std::uint64_t{4});
  v.items = own_size ? tuned.small_items : tuned.items;
  const bool limited = !v.small && v.value_bytes + v.index_bytes == 0;
  v.registers = !limited                                        ? 0
                : v.key->size == 8 && tuned.registers_of_8 != 0 ? tuned.registers_of_8
                                                                : tuned.registers;
  // Counts of each set's digits, and where lanes match by masks, those.
  const auto of_sets = [&] {
    return v.group_size / on.choice.lanes * digits * (matches_in_memory(v, on) ? 8 : 4);
  };
  while (of_sets() > local / 2 && v.group_size > on.choice.lanes)
    v.group_size = std::max(v.group_size / 2 / on.choice.lanes, 1u) * on.choice.lanes;
  // Beside these what is in a tile, where digits begin, and a word of each set and each work-item.
  const auto fits = [&] {
    return tile_of(v) * in_room + of_sets() + digits * (v.many_keys ? 8 : 4) + v.group_size * 4 +
                   v.group_size / on.choice.lanes * 4 + 32 <=
               local &&
           tile_of(v) <= 65535;
  };
  while (!fits() && v.items > 1) --v.items;
}

// How many digits are sorted one after the other. In turn they go to the spare room and to the output; what
// is sorted in place must not go to the output first.
unsigned passes_of(unsigned bits, bool in_place) {
  const unsigned passes = std::max(static_cast<unsigned>(blocks_of(bits, digit_bits)), 1u);
  return in_place && passes % 2 == 1 ? passes + 1 : passes;
}

// How many parts a CPU's cores make of the input.
std::uint64_t parts_of_cpu(std::uint64_t n, const target& on) {
  const std::uint64_t cores =
      std::max<std::uint64_t>(std::uint64_t{on.compute_units} * on.choice.profile->sort.shares, 1);
  return std::clamp<std::uint64_t>(cores, blocks_of(n, most_of_a_part),
                                   std::max<std::uint64_t>(n / digits, 1));
}

// The groups of a GPU that count all digits in one launch: as many as run at once, no matter how many that
// is. A group counts in 32 bits.
std::uint64_t groups_that_count(std::uint64_t n, std::uint64_t tiles, const target& on) {
  constexpr std::uint64_t of_a_unit = 4, most_of_a_group = std::uint64_t{1} << 31;
  return std::min(std::max(on.compute_units * of_a_unit, blocks_of(n, most_of_a_group)), tiles);
}

// Whether groups take numbers of tiles from a counter: in the order in which they start or, where they loop
// over tiles, in which they come to them.
bool takes_numbers(const sort_variant& v) {
  return v.messages.in_order_of_start || (v.messages.one_pass && v.count_bytes != 0);
}

// A sort by ranks (cl_kernels/primitives/sort_ranks.cl): its groups, and how many keys of each work-item wait
// in local memory.
constexpr unsigned ranks_group_size = 1024;
constexpr unsigned ranks_items = 4;

// Whether keys are few enough to be brought to their places by their ranks. In place that takes a last group.
bool fits_ranks(const sort_problem& q, const target& on) {
  const std::uint64_t word = q.keys.type->size > 4 ? 8 : 4, group = group_size_within(on, ranks_group_size);
  return !is_cpu(on) && q.keys.n * word <= std::uint64_t{on.choice.profile->sort.ranked_keys} * 4 &&
         group * ranks_items * word + group * 4 + 128 <= local_bytes_of(on) &&
         !(in_place(q) && on.choice.order == group_order::two_launches);
}

// Whether one launch sorts all, and the sizes of that or of the others.
void choose_variant(sort_variant& v, const sort_problem& q, const target& on) {
  if (fits_ranks(q, on)) {
    v.by_ranks = true;
    v.in_place = in_place(q);
    v.group_size = group_size_within(on, ranks_group_size);
    v.items = ranks_items;
    return;
  }
  v.small = true;
  choose_sizes(v, on);
  v.small = is_cpu(on) ? q.keys.n <= most_of_one_core
                       : q.keys.n <= tile_of(v) && v.value_bytes <= most_value_bytes_of_tile;
  if (!v.small) choose_sizes(v, on);
}

}  // namespace

program_spec spec_of(const sort_variant& v) {
  program_spec spec;
  spec.primitive = sort_variant::primitive;
  spec.types = v.key->name;
  spec.registers = v.registers;
  const auto number = [&spec](const char* name, std::uint64_t n) { add_word(spec, name, std::to_string(n)); };
  number("GROUP_SIZE", v.group_size);
  number("ITEMS", v.items);
  number("COUNTER_AT", workspace::counter_at);
  number("OWN_AT", workspace::own_at);
  add_modules(spec, {"blocks/sort_tile.cl", "primitives/sort.cl"});
  add_count(spec, v.count_bytes);
  add_key(spec, *v.key);
  if (v.descending) add_word(spec, "DESCENDING");
  add_carried(spec, v.value_bytes);
  if (v.index_bytes != 0) add_word(spec, "INDEX", v.index_bytes == 8 ? "ulong" : "uint");
  if (v.by_ranks) {
    add_modules(spec, {"primitives/sort_ranks.cl"});
    if (v.in_place) add_word(spec, "RANKS_IN_PLACE");
    return spec;
  }
  if (v.group_size == 1) {
    add_modules(spec, {"primitives/sort_serial.cl"});
  } else if (v.small) {
    add_modules(spec, {"primitives/sort_small.cl"});
  } else {
    add_modules(spec, {v.messages.one_pass ? "primitives/sort_one_pass.cl" : "primitives/sort_launches.cl"});
    add_modules(spec, {"primitives/sort_tiles.cl"});
  }
  add_word(spec, "SORTS");
  if (v.group_size > 1) add_word(spec, "MATCHES_LANES");
  if (v.group_size > 1 && v.small) add_word(spec, "MATCHES_BY_BALLOTS");
  if (v.group_size == 1 && v.small) add_word(spec, "SORTS_SMALL");
  add_messages(spec, v.messages);
  if (v.messages.one_pass && v.group_size > 1) add_modules(spec, {"blocks/look_back_digits.cl"});
  if (v.messages.one_pass && !v.wide_messages) add_word(spec, "SHORT_MESSAGES");
  add_word(spec, "COUNT", v.many_keys ? "ulong" : "uint");
  if (v.many_keys) add_word(spec, "MANY_KEYS");
  return spec;
}

sort_variant variant_of_sort(const sort_problem& q, const target& on) {
  const bool argsort = is_argsort(q);
  const std::uint64_t carried_bytes = q.values_out ? q.values_out->type->size : 0;
  sort_variant v{.key = q.keys.type,
                 .value_bytes = argsort ? 0 : carried_bytes,
                 .index_bytes = argsort ? static_cast<unsigned>(carried_bytes) : 0,
                 .descending = q.order.descending,
                 .many_keys = q.keys.n >> 32 != 0 || q.wide_counts,
                 .count_bytes = count_bytes_of(sort_variant::primitive, q.keys)};
  choose_variant(v, q, on);
  if (!is_cpu(on) && !v.small && !v.by_ranks) v.messages = messages_for(on, q.keys.n);
  v.messages.count_words = 0;
  v.wide_messages = v.messages.one_pass && (v.many_keys || q.keys.n >> 30 != 0);
  return v;
}

// ------------------------------------------------------------------------------------------- the launches

sort_launches::sort_launches(std::string_view primitive, const any_view& keys, const bit_range& bits,
                             bool in_place, const sort_variant& v, const target& on, workspace_parts& parts)
    : keys_(keys),
      n_(keys.n),
      bits_(bits),
      v_(&v),
      on_(&on),
      passes_(v.by_ranks ? 1 : passes_of(bits.count, in_place)) {
  if (n_ > most_keys) refuse(primitive, "more than " + std::to_string(most_keys) + " keys");
  tiles_ = is_cpu(on)   ? parts_of_cpu(n_, on)
           : v.by_ranks ? blocks_of(n_, on.choice.lanes)
                        : blocks_of(n_, tile_of(v));
  if (tiles_ > most_groups)
    refuse(primitive, "more than " + std::to_string(most_groups * tile_of(v)) + " keys");
  if (v.small || v.by_ranks || n_ == 0) return;
  if (v.messages.one_pass) {
    counting_groups_ = groups_that_count(n_, tiles_, on);
    parts.take(digits * passes_, v.many_keys ? 8 : 4);
    counts_at_ = parts.take(digits * passes_ * counting_groups_, 4);
    messages_at_ = parts.take(digits * tiles_, v.wide_messages ? 8 : 4);
  } else {
    parts.take(digits * (tiles_ + 1), v.many_keys ? 8 : 4);
  }
}

bool sort_launches::in_local_memory() const { return v_->small && !is_cpu(*on_); }

void sort_launches::take_spares(sort_rooms& rooms, workspace_parts& parts) const {
  if (in_local_memory()) return;
  const std::uint64_t spare_n = passes_ > 1 || v_->in_place ? n_ : 0,
                      carried_bytes = v_->value_bytes + v_->index_bytes;
  rooms.keys_spare = {{}, parts.take(spare_n, v_->key->size)};
  if (v_->index_bytes != 0)
    rooms.keys_out = {{}, passes_ > 2 ? parts.take(n_, v_->key->size) : std::uint64_t{workspace::own_at}};
  if (carried_bytes != 0) rooms.values_spare = {{}, parts.take(spare_n, carried_bytes)};
}

void sort_launches::add_in_one_launch(described_work& work, const sort_rooms& rooms,
                                      std::size_t number) const {
  const bool argsort = v_->index_bytes != 0, carries = argsort || v_->value_bytes != 0;
  const bool local = in_local_memory();
  described_launch& all = work.launch("sort_small", 1, v_->group_size);
  add_place(all, "keys", "keys_at", rooms.keys);
  if (!local || !argsort) add_place(all, "keys_to", "keys_to_at", rooms.keys_out);
  if (!local) all.value("keys_spare_at", rooms.keys_spare.at);
  // An argsort reads no values.
  if (carries && (!local || !argsort))
    add_place(all, "values", "values_at", argsort ? rooms.values_spare : rooms.values);
  if (carries) add_place(all, "values_to", "values_to_at", rooms.values_out);
  if (!local) all.value("values_spare_at", rooms.values_spare.at);
  add_elements(all, keys_, number);
  all.value("shift", bits_.first).value("bits", bits_.count);
  // In local memory keys may be in their places after any number of digits.
  all.value("passes", local ? static_cast<std::uint32_t>(blocks_of(bits_.count, digit_bits)) : passes_);
  if (!local) all.workspace("workspace");
}

void sort_launches::add_ranks(described_work& work, const sort_rooms& rooms, std::size_t number) const {
  const bool argsort = v_->index_bytes != 0;
  described_launch& all = work.launch("sort_ranks", tiles_, v_->group_size);
  add_place(all, "keys", "keys_at", rooms.keys);
  if (!argsort) add_place(all, "keys_to", "keys_to_at", rooms.keys_out);
  if (v_->value_bytes != 0) add_place(all, "values", "values_at", rooms.values);
  if (argsort || v_->value_bytes != 0) add_place(all, "values_to", "values_to_at", rooms.values_out);
  if (v_->count_bytes != 0)
    add_elements(all, keys_, number);
  else
    all.value("n", static_cast<std::uint32_t>(n_));
  all.value("shift", bits_.count == 0 ? 0 : bits_.first);
  all.value("mask", bits_.count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_.count) - 1);
  if (!v_->in_place) return;
  all.workspace("workspace").value("keys_spare_at", rooms.keys_spare.at);
  all.value("values_spare_at", rooms.values_spare.at);
  work.zeroed_bytes = workspace::own_at - workspace::counter_at;
}

void sort_launches::add(described_work& work, const sort_rooms& rooms, std::size_t number) const {
  const sort_variant& v = *v_;
  if (v.by_ranks) return add_ranks(work, rooms, number);
  if (v.small) return add_in_one_launch(work, rooms, number);
  const bool one_pass = v.messages.one_pass, argsort = v.index_bytes != 0;
  work.launches.reserve(work.launches.size() + std::size_t{3} * passes_);
  const auto tiles_word = static_cast<std::uint32_t>(tiles_);
  if (one_pass) {
    if (takes_numbers(v)) work.zeroed_bytes = workspace::own_at - workspace::counter_at;
    described_launch& first = work.launch("sort_digits", counting_groups_, v.group_size);
    add_place(first, "keys", "keys_at", rooms.keys);
    add_elements(first, keys_, number);
    first.value("tiles", tiles_word).value("shift", bits_.first).value("bits", bits_.count);
    first.value("passes", std::uint32_t{passes_}).workspace("workspace");
    first.value("counts_at", counts_at_).value("messages_at", messages_at_);
    work.launch("sort_totals", digits * passes_ / on_->choice.lanes, v.group_size)
        .value("rows", static_cast<std::uint32_t>(counting_groups_))
        .value("passes", std::uint32_t{passes_})
        .workspace("workspace")
        .value("counts_at", counts_at_);
  }
  sort_place from = rooms.keys, values_from = argsort ? rooms.values_spare : rooms.values;
  for (unsigned pass = 0; pass < passes_; ++pass) {
    const std::uint32_t begin = bits_.count * pass / passes_,
                        width = bits_.count * (pass + 1) / passes_ - begin;
    const bool to_spare = (passes_ - pass) % 2 == 0;
    const sort_place to = to_spare ? rooms.keys_spare : rooms.keys_out;
    const sort_place values_to = to_spare ? rooms.values_spare : rooms.values_out;
    const std::uint32_t steps = (pass == 0 ? 1u : 0u) | (pass + 1 == passes_ ? 2u : 0u);
    const auto add_digit = [&](described_launch& launch) {
      add_elements(launch, keys_, number);
      launch.value("tiles", tiles_word);
      launch.value("shift", std::uint32_t{bits_.first + begin}).value("bits", width);
      launch.workspace("workspace");
    };
    if (!one_pass) {
      described_launch& counts = work.launch("sort_counts", tiles_, v.group_size);
      add_place(counts, "keys", "keys_at", from);
      add_digit(counts);
      work.launch("sort_places", is_cpu(*on_) ? 1 : digits, v.group_size)
          .value("tiles", tiles_word)
          .workspace("workspace");
    }
    described_launch& move =
        work.launch("sort_move_keys", groups_of_counted(tiles_, v.count_bytes, *on_), v.group_size);
    add_place(move, "keys", "keys_at", from);
    add_place(move, "keys_to", "keys_to_at", to);
    if (argsort || v.value_bytes != 0) {
      add_place(move, "values", "values_at", values_from);
      add_place(move, "values_to", "values_to_at", values_to);
    }
    move.value("steps", steps);
    add_digit(move);
    if (v.group_size > 1) move.value("pass", std::uint32_t{pass}).value("messages_at", messages_at_);
    from = to;
    values_from = values_to;
  }
}

std::string name_of_sort(const sort_variant& v, unsigned passes, const target& on) {
  if (v.by_ranks) return "one launch, each key to its rank, found by comparisons with all";
  std::string name;
  if (v.small && !is_cpu(on))
    name = "one launch, all keys in local memory";
  else
    name = (v.small               ? "one launch, "
            : v.messages.one_pass ? "one launch for each digit with messages between groups, "
                                  : "three launches for each digit, ") +
           std::to_string(passes) + (passes == 1 ? " digit" : " digits") + " of up to 8 bits";
  if (!is_cpu(on)) name += ", tiles of " + std::to_string(tile_of(v)) + " keys";
  return name;
}

// ------------------------------------------------------------------------------------------- descriptions

described<sort_variant> describe(const number_sort& q, const target& on) {
  return describe_sort(q, on, nullptr);
}

described<sort_variant> describe_sort(const sort_problem& q, const target& on, sorted_indices* indices) {
  check_key(sort_variant::primitive, *q.keys.type);
  check_sort_types(sort_variant::primitive, q);
  const bit_range bits = bits_of_keys(sort_variant::primitive, *q.keys.type, q.order);
  described<sort_variant> call{variant_of_sort(q, on), {.n = q.keys.n}};
  const sort_variant& v = call.variant;
  described_work& work = call.work;
  workspace_parts parts(sort_variant::primitive);
  const sort_launches sorted(sort_variant::primitive, q.keys, bits, in_place(q), v, on, parts);
  const auto [keys, values, keys_out, values_out] =
      add_sort_operands(sort_variant::primitive, work, q, indices == nullptr);
  const std::size_t number = indices != nullptr ? indices->number : work.operands.size();
  if (v.count_bytes != 0) work.operands.push_back(described_count(v.count_bytes));
  if (q.keys.n == 0 || (bits.count == 0 && in_place(q) && !q.values)) return call;

  sort_rooms rooms{.keys = keys, .keys_out = keys_out, .values = values, .values_out = values_out};
  sorted.take_spares(rooms, parts);
  if (indices != nullptr) rooms.values_out.at = indices->at = parts.take(q.keys.n, q.values_out->type->size);
  work.workspace_bytes = parts.bytes();
  sorted.add(work, rooms, number);
  return call;
}

told tell(const number_sort& q, const target& on, const described<sort_variant>& call) {
  const sort_variant& v = call.variant;
  const bit_range bits = bits_of_keys(sort_variant::primitive, *q.keys.type, q.order);
  told people{name_of_sort(v, passes_of(bits.count, in_place(q)), on)};
  people.variant += words_of_count(v.count_bytes);
  if (v.by_ranks) return people;
  if (!is_cpu(on)) {
    if (!v.small)
      people.rejected.push_back({"one launch", v.value_bytes <= most_value_bytes_of_tile
                                                   ? "there are more keys than one group takes"
                                                   : "values of more than 16 bytes"});
    if (const std::string_view reason = why_no_messages(on); !v.small && !reason.empty())
      people.rejected.push_back({"one launch for each digit", std::string(reason)});
  } else if (!v.small) {
    people.rejected.push_back(
        {"one launch", "more keys than one core takes, " + std::to_string(most_of_one_core)});
  }
  return people;
}

}  // namespace clwave::detail
