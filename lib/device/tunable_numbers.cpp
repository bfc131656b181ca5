// Which numbers of a profile can be tuned, with the bounds of each.
#include "device/tunable_numbers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include <clwave/error.hpp>

namespace clwave::detail {
namespace {

// What a number is: which ones can be, and where a search goes from one.
enum class number_kind {
  count,         // any; twice and half as many, and its neighbours
  large_count,   // any; twice and half as many, and an eighth more and less
  doubled,       // any; twice and half as many
  power_of_two,  // twice and half as many
  group_size,    // a power of two, and whole sets of lanes; on a CPU 1
  lane_sets,     // whole sets of lanes
  registers,     // a limit that compilers know, or 0 for none
};

// Where kernels use it.
enum class used_on { all, gpus, cpus };

struct number_rule {
  std::string_view name;
  number_kind kind;
  unsigned least, most;
  used_on where = used_on::all;
};

template <class Numbers>
struct number_member {
  number_rule rule;
  unsigned Numbers::*member;
};

template <class Numbers>
constexpr number_member<Numbers> tuned_number(std::string_view name, unsigned Numbers::*member,
                                              number_kind kind, unsigned least, unsigned most,
                                              used_on where = used_on::all) {
  return {{name, kind, least, most, where}, member};
}

// Those that most primitives have.
template <class Numbers>
constexpr number_member<Numbers> tuned_groups(unsigned Numbers::*member, used_on where = used_on::gpus) {
  return tuned_number("group_size", member, number_kind::group_size, 1, 1024, where);
}
template <class Numbers>
constexpr number_member<Numbers> tuned_registers(std::string_view name, unsigned Numbers::*member,
                                                 used_on where = used_on::gpus) {
  return tuned_number(name, member, number_kind::registers, 16, 255, where);
}

// Numbers of loads. On a CPU they are said to be used though a group's size is 1 there: profiles say so.
constexpr std::array load_numbers = {
    tuned_groups(&tuning::group_size, used_on::all),
    tuned_number("items", &tuning::items, number_kind::doubled, 1, 64),
    tuned_number("groups_per_unit", &tuning::groups_per_unit, number_kind::count, 1, 64),
    tuned_number("vector_bytes", &tuning::vector_bytes, number_kind::power_of_two, 4, 64),
    tuned_registers("registers", &tuning::registers, used_on::all),
};

// `in_order_of_start` is not among them: it says what the device promises, not what is fast there.
constexpr std::array scan_numbers = {
    tuned_groups(&scan_tuning::group_size),
    tuned_number("looks", &scan_tuning::looks, number_kind::doubled, 1, 1'000'000),
    tuned_number("first_pause", &scan_tuning::first_pause, number_kind::doubled, 0, 100'000, used_on::gpus),
    tuned_number("next_pause", &scan_tuning::next_pause, number_kind::doubled, 0, 100'000, used_on::gpus),
    tuned_registers("registers", &scan_tuning::registers),
    tuned_number("kept", &scan_tuning::kept, number_kind::count, 0, 64, used_on::gpus),
    tuned_registers("registers_of_8", &scan_tuning::registers_of_8),
    tuned_number("kept_of_8", &scan_tuning::kept_of_8, number_kind::count, 0, 64, used_on::gpus),
    tuned_number("fetched_ahead", &scan_tuning::fetched_ahead, number_kind::power_of_two, 64, 1 << 20,
                 used_on::cpus),
};

constexpr std::array select_numbers = {
    tuned_groups(&select_tuning::group_size),
    tuned_number("items", &select_tuning::items, number_kind::power_of_two, 1, 64, used_on::gpus),
};

// Those of sorts in one launch are not among them: they are 0 or none of them is.
constexpr std::array sort_numbers = {
    tuned_number("group_size", &sort_tuning::group_size, number_kind::lane_sets, 1, 1024, used_on::gpus),
    tuned_number("items", &sort_tuning::items, number_kind::large_count, 1, 64, used_on::gpus),
    tuned_registers("registers", &sort_tuning::registers),
    tuned_registers("registers_of_8", &sort_tuning::registers_of_8),
    tuned_number("shares", &sort_tuning::shares, number_kind::count, 1, 64, used_on::cpus),
};

constexpr std::array merge_numbers = {
    tuned_groups(&merge_tuning::group_size),
    tuned_number("items", &merge_tuning::items, number_kind::large_count, 1, 32, used_on::gpus),
    tuned_number("items_of_8", &merge_tuning::items_of_8, number_kind::large_count, 0, 32, used_on::gpus),
    tuned_number("items_of_keys_alone", &merge_tuning::items_of_keys_alone, number_kind::large_count, 0, 32,
                 used_on::gpus),
    tuned_registers("registers", &merge_tuning::registers),
    tuned_number("shares", &merge_tuning::shares, number_kind::count, 1, 64, used_on::cpus),
};

constexpr std::array segment_numbers = {
    tuned_number("segment_group_size", &merge_tuning::segment_group_size, number_kind::group_size, 1, 1024,
                 used_on::gpus),
    tuned_number("segment_items", &merge_tuning::segment_items, number_kind::power_of_two, 1, 32,
                 used_on::gpus),
    tuned_number("segment_groups_per_unit", &merge_tuning::segment_groups_per_unit, number_kind::count, 1, 64,
                 used_on::gpus),
};

constexpr std::array histogram_numbers = {
    tuned_groups(&histogram_tuning::group_size),
    tuned_number("items", &histogram_tuning::items, number_kind::count, 1, 64, used_on::gpus),
    tuned_number("groups_per_unit", &histogram_tuning::groups_per_unit, number_kind::count, 1, 64),
    tuned_number("copies", &histogram_tuning::copies, number_kind::power_of_two, 1, 256, used_on::gpus),
    tuned_number("counters", &histogram_tuning::counters, number_kind::power_of_two, 256, 1 << 16,
                 used_on::gpus),
};

constexpr std::array top_k_numbers = {
    tuned_groups(&top_k_tuning::group_size),
    tuned_number("items", &top_k_tuning::items, number_kind::count, 1, 64, used_on::gpus),
    tuned_number("groups_per_unit", &top_k_tuning::groups_per_unit, number_kind::count, 1, 64),
};

bool is_of_cpus(const profile& p) { return p.exchange == lane_exchange::none; }

bool uses(const profile& p, const number_rule& rule) {
  return rule.where == used_on::all || (rule.where == used_on::cpus) == is_of_cpus(p);
}

// A primitive's numbers: where they are in a profile, and their rules.
struct tuned_set {
  std::string_view name;
  std::string_view member;  // of a profile
  bool is_optional;         // where the profile has none, it goes by others
  tunable_numbers (*get)(const profile&);
  void (*set)(profile&, const tunable_numbers&);
  const number_rule* (*rule_of)(std::string_view);
};

// What a member, or a function where it may be missing, gives of a profile.
template <auto whence>
const auto& numbers_in(const profile& p) {
  if constexpr (std::is_member_object_pointer_v<decltype(whence)>)
    return p.*whence;
  else
    return whence(p);
}

template <auto whence, const auto& members>
tunable_numbers get_numbers(const profile& p) {
  std::vector<named_number> all;
  for (const auto& [rule, member] : members)
    if (uses(p, rule)) all.push_back({rule.name, numbers_in<whence>(p).*member});
  return tunable_numbers(std::move(all));
}

template <auto whence, auto to, const auto& members>
void set_numbers(profile& p, const tunable_numbers& numbers) {
  auto changed = numbers_in<whence>(p);
  for (const auto& [rule, member] : members)
    if (numbers.has(rule.name)) changed.*member = numbers[rule.name];
  p.*to = changed;
}

template <const auto& members>
const number_rule* rule_in(std::string_view name) {
  for (const auto& [rule, member] : members)
    if (rule.name == name) return &rule;
  return nullptr;
}

// Of a member that all profiles have.
template <auto member, const auto& members>
constexpr tuned_set set_of(std::string_view name, std::string_view member_name) {
  return {name,
          member_name,
          false,
          get_numbers<member, members>,
          set_numbers<member, member, members>,
          rule_in<members>};
}

// Of one that a profile may have, and what gives it otherwise.
template <auto member, auto whence>
constexpr tuned_set optional_loads(std::string_view name) {
  return {name,
          name,
          true,
          get_numbers<whence, load_numbers>,
          set_numbers<whence, member, load_numbers>,
          rule_in<load_numbers>};
}

constexpr std::array sets = {
    set_of<&profile::reduce, load_numbers>("reduce", "reduce"),
    set_of<&profile::copy, load_numbers>("copy", "copy"),
    optional_loads<&profile::fill, fill_tuning>("fill"),
    optional_loads<&profile::transform, transform_tuning>("transform"),
    optional_loads<&profile::broadcast, broadcast_tuning>("broadcast"),
    optional_loads<&profile::layout, layout_tuning>("layout"),
    optional_loads<&profile::transpose, transpose_tuning>("transpose"),
    set_of<&profile::scan, scan_numbers>("scan", "scan"),
    set_of<&profile::select, select_numbers>("select", "select"),
    set_of<&profile::sort, sort_numbers>("sort", "sort"),
    set_of<&profile::merge, merge_numbers>("merge", "merge"),
    set_of<&profile::merge, segment_numbers>("segmented_sort", "merge"),
    set_of<&profile::histogram, histogram_numbers>("histogram", "histogram"),
    set_of<&profile::top_k, top_k_numbers>("top_k", "top_k"),
};
constexpr auto names = [] {
  std::array<std::string_view, sets.size()> all;
  std::ranges::transform(sets, all.begin(), &tuned_set::name);
  return all;
}();

const tuned_set& set_named(std::string_view primitive) {
  const auto found = std::ranges::find(sets, primitive, &tuned_set::name);
  if (found != sets.end()) return *found;
  throw error(failure::bad_call, "\"" + std::string(primitive) + "\" has no numbers that could be tuned");
}

std::string bounds_of(const number_rule& rule) {
  return std::to_string(rule.least) + " to " + std::to_string(rule.most);
}

// Why a profile cannot have the number; empty if it can.
std::string fault_of_number(const profile& p, const number_rule& rule, unsigned value) {
  const std::string is = std::string(rule.name) + " is ";
  if (rule.kind == number_kind::registers)
    return value == 0 || (value >= rule.least && value <= rule.most)
               ? ""
               : is + bounds_of(rule) + ", or 0 for no limit";
  const bool of_group = rule.kind == number_kind::group_size || rule.kind == number_kind::lane_sets;
  if (of_group && is_of_cpus(p)) return value == 1 ? "" : is + "1 on a CPU";
  if (of_group && value % p.lanes != 0) return is + "whole sets of lanes";
  if ((rule.kind == number_kind::power_of_two || rule.kind == number_kind::group_size) &&
      !std::has_single_bit(value))
    return is + "a power of two";
  if (value < rule.least || value > rule.most) return is + bounds_of(rule);
  return {};
}

const named_number* number_named(const std::vector<named_number>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &named_number::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

unsigned tunable_numbers::operator[](std::string_view name) const {
  if (const named_number* number = number_named(all_, name)) return number->value;
  throw error(failure::internal, "no number is called " + std::string(name));
}

unsigned& tunable_numbers::operator[](std::string_view name) {
  if (const named_number* number = number_named(all_, name))
    return all_[static_cast<std::size_t>(number - all_.data())].value;
  throw error(failure::internal, "no number is called " + std::string(name));
}

bool tunable_numbers::has(std::string_view name) const { return number_named(all_, name) != nullptr; }

std::span<const std::string_view> tuned_primitives() { return names; }

bool is_tuned_primitive(std::string_view name) { return std::ranges::find(names, name) != names.end(); }

tunable_numbers tuning_of(const profile& p, std::string_view primitive) {
  return set_named(primitive).get(p);
}

profile with_tuning(const profile& p, std::string_view primitive, const tunable_numbers& numbers) {
  profile made = p;
  set_named(primitive).set(made, numbers);
  for (const tuned_set& each : sets) {
    const tunable_numbers own = each.get(p);
    if (each.name != primitive && !(each.get(made) == own)) each.set(made, own);
  }
  return made;
}

std::string fault_of(const profile& p, std::string_view primitive, const tunable_numbers& numbers) {
  const tuned_set& set = set_named(primitive);
  const tunable_numbers own = set.get(p);
  if (own.empty()) return "a CPU has no numbers of " + std::string(primitive);
  if (!std::ranges::equal(own, numbers, {}, &named_number::name, &named_number::name))
    return "these are no numbers of " + std::string(primitive);
  for (const named_number& each : numbers) {
    std::string fault = fault_of_number(p, *set.rule_of(each.name), each.value);
    if (!fault.empty()) return fault;
  }
  return {};
}

std::vector<unsigned> steps_from(std::string_view primitive, const named_number& number) {
  const number_rule& rule = *set_named(primitive).rule_of(number.name);
  const unsigned value = number.value;
  std::vector<unsigned> all;
  if (rule.kind == number_kind::registers) {
    all = {0, 64, 80, 96, 128};
  } else {
    all = {value * 2, value / 2};
    const unsigned near = rule.kind == number_kind::count         ? 1
                          : rule.kind == number_kind::large_count ? std::max(value / 8, 1u)
                                                                  : 0;
    if (near != 0) all.insert(all.end(), {value + near, value - std::min(near, value)});
  }
  std::erase(all, value);
  return all;
}

bool limits_registers(const named_number& number) { return number.name.starts_with("registers"); }

std::string member_text(std::string_view primitive) {
  const tuned_set& set = set_named(primitive);
  return "." + std::string(set.member) + (set.is_optional ? " = tuning{" : " = {");
}

std::string text_of(const tunable_numbers& numbers) {
  std::string text;
  for (const named_number& each : numbers) {
    if (!text.empty()) text += ", ";
    text += each.name;
    text += ' ' + std::to_string(each.value);
  }
  return text;
}

}  // namespace clwave::detail
