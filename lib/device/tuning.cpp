// Reads, checks and writes the user's tunings, and keeps the rows that are made with them.
#include "device/tuning.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include <clwave/error.hpp>

#include "base/user_files.hpp"

namespace clwave::detail {
namespace {

// The primitives that have a `tuning` of their own in a row.
struct tuned_member {
  std::string_view name;
  const tuning& (*get)(const profile&);
  void (*set)(profile&, const tuning&);
};
template <auto member>
void set_member(profile& row, const tuning& numbers) {
  row.*member = numbers;
}
template <auto member>
const tuning& get_member(const profile& row) {
  return row.*member;
}
constexpr std::array members = {
    tuned_member{"reduce", get_member<&profile::reduce>, set_member<&profile::reduce>},
    tuned_member{"copy", get_member<&profile::copy>, set_member<&profile::copy>},
    tuned_member{"fill", fill_tuning, set_member<&profile::fill>},
    tuned_member{"transform", transform_tuning, set_member<&profile::transform>},
    tuned_member{"broadcast", broadcast_tuning, set_member<&profile::broadcast>},
    tuned_member{"layout", layout_tuning, set_member<&profile::layout>},
    tuned_member{"transpose", transpose_tuning, set_member<&profile::transpose>},
};
constexpr auto names = [] {
  std::array<std::string_view, members.size()> all;
  std::ranges::transform(members, all.begin(), &tuned_member::name);
  return all;
}();

const tuned_member& member_named(std::string_view primitive) {
  const auto found = std::ranges::find(members, primitive, &tuned_member::name);
  if (found != members.end()) return *found;
  throw error(failure::bad_call, "\"" + std::string(primitive) + "\" has no numbers that could be tuned");
}
constexpr std::string_view schema = "clwave-tuning/1";
constexpr std::string_view file_name = "tuning.txt";
constexpr std::uint64_t most_bytes = 1 << 20;
constexpr double most_gb_per_s = 1e9;

std::string directory() { return user_directory_path("CLWAVE_CONFIG_DIR", "XDG_CONFIG_HOME", ".config"); }

// A driver's text as a line can hold it.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  while (line.ends_with(' ')) line.pop_back();
  line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
  return line;
}

template <class T>
bool read_number(std::string_view text, T& into) {
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, into);
  return failed == std::errc() && stop == end;
}

std::string number_text(double value) {
  char text[40];
  const auto [end, failed] = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 3);
  return {text, failed == std::errc() ? end : text};
}

// The numbers of a row by their names in the file.
constexpr std::array<std::pair<std::string_view, unsigned tuning::*>, 5> numbers_by_name = {{
    {"group_size", &tuning::group_size},
    {"items", &tuning::items},
    {"groups_per_unit", &tuning::groups_per_unit},
    {"vector_bytes", &tuning::vector_bytes},
    {"registers", &tuning::registers},
}};
constexpr std::array<std::pair<std::string_view, std::string saved_tuning::*>, 5> texts_by_name = {{
    {"device", &saved_tuning::device},
    {"driver", &saved_tuning::driver},
    {"profile", &saved_tuning::profile},
    {"date", &saved_tuning::date},
    {"measured", &saved_tuning::measured},
}};
constexpr std::array<std::pair<std::string_view, double saved_tuning::*>, 2> speeds_by_name = {{
    {"gb_per_s", &saved_tuning::gb_per_s},
    {"row_gb_per_s", &saved_tuning::row_gb_per_s},
}};
constexpr std::size_t lines_of_a_row = numbers_by_name.size() + texts_by_name.size() + speeds_by_name.size();

// One line "name = value" of a row; false where the row has no such thing.
bool read_line(std::string_view name, std::string_view value, saved_tuning& row) {
  for (const auto& [known, member] : texts_by_name) {
    // Nothing but what a line is written with: not what would steer a terminal that it is shown on.
    if (known == name) return row.*member = value, value == one_line(value);
  }
  for (const auto& [known, member] : numbers_by_name) {
    if (known == name) return read_number(value, row.numbers.*member);
  }
  for (const auto& [known, member] : speeds_by_name) {
    // What no memory has would not be written again as it was read.
    if (known == name)
      return read_number(value, row.*member) && row.*member >= 0 && row.*member < most_gb_per_s;
  }
  return false;
}

bool is_tuned_primitive(std::string_view name) { return std::ranges::find(names, name) != std::end(names); }

// Rows made with other numbers, which live as long as the process: choices point to them, and programs go by
// their addresses.
const profile* keep(const profile& made) {
  static std::mutex mutex;
  static auto& kept = *new std::deque<profile>;
  const auto same = [&](const profile& row) {
    return row.name == made.name && std::ranges::all_of(names, [&](std::string_view primitive) {
             return tuning_of(row, primitive) == tuning_of(made, primitive);
           });
  };
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find_if(kept, same);
  return found != kept.end() ? &*found : &kept.emplace_back(made);
}

struct known_tunings {
  std::mutex mutex;
  std::optional<std::vector<saved_tuning>> read;
  std::map<std::string, tuning, std::less<>> trials;
};
known_tunings& known() {
  static known_tunings& instance = *new known_tunings;
  return instance;
}
std::atomic<unsigned> epoch{0};

}  // namespace

std::span<const std::string_view> tuned_primitives() { return names; }

const tuning& tuning_of(const profile& row, std::string_view primitive) {
  return member_named(primitive).get(row);
}

profile with_tuning(const profile& row, std::string_view primitive, const tuning& numbers) {
  profile made = row;
  member_named(primitive).set(made, numbers);
  for (const tuned_member& each : members) {
    const tuning& own = each.get(row);
    if (each.name != primitive && !(each.get(made) == own)) each.set(made, own);
  }
  return made;
}

std::string fault_of(const profile& row, const tuning& numbers) {
  const bool alone = row.exchange == lane_exchange::none;
  if (alone && numbers.group_size != 1) return "a CPU's groups have one work-item";
  if (!std::has_single_bit(numbers.group_size) || numbers.group_size > 1024 ||
      numbers.group_size % row.lanes != 0)
    return "a group has a power of two of work-items, whole sets of lanes and 1024 at most";
  if (numbers.items == 0 || numbers.items > 64) return "1 to 64 packets are in flight";
  if (numbers.groups_per_unit == 0 || numbers.groups_per_unit > 64)
    return "a compute unit has 1 to 64 groups";
  if (!std::has_single_bit(numbers.vector_bytes) || numbers.vector_bytes < 4 || numbers.vector_bytes > 64)
    return "an access has 4 to 64 bytes, a power of two";
  if (numbers.registers != 0 && (numbers.registers < 16 || numbers.registers > 255))
    return "a limit on registers is 16 to 255, or 0 for none";
  return {};
}

std::string text_of(const tuning& numbers) {
  std::string text = "groups of " + std::to_string(numbers.group_size) + ", " +
                     std::to_string(numbers.items) + (numbers.items == 1 ? " packet, " : " packets, ") +
                     std::to_string(numbers.groups_per_unit) + " groups per compute unit, accesses of " +
                     std::to_string(numbers.vector_bytes) + " bytes";
  if (numbers.registers != 0) text += ", " + std::to_string(numbers.registers) + " registers";
  return text;
}

std::string tuning_file() {
  const std::string folder = directory();
  return folder.empty() ? "" : folder + "/" + std::string(file_name);
}

std::string text_of(const std::vector<saved_tuning>& all) {
  std::string text = std::string(schema) + "\n";
  for (const saved_tuning& row : all) {
    text += "\n[" + one_line(row.primitive) + "]\n";
    const auto line = [&text](std::string_view name, const std::string& value) {
      text += std::string(name) + " = " + value + "\n";
    };
    for (const auto& [name, member] : texts_by_name) line(name, one_line(row.*member));
    for (const auto& [name, member] : numbers_by_name) line(name, std::to_string(row.numbers.*member));
    for (const auto& [name, member] : speeds_by_name) line(name, number_text(row.*member));
  }
  return text;
}

std::vector<saved_tuning> parse_tunings(std::string_view text) {
  std::vector<saved_tuning> all;
  std::vector<std::string_view> seen;  // in the row that is being read
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};  // cut short
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (std::exchange(first, false)) {
      if (line != schema) return {};
      continue;
    }
    if (line.empty()) continue;
    if (line.starts_with('[') && line.ends_with(']')) {
      if (!all.empty() && seen.size() != lines_of_a_row) return {};
      seen.clear();
      all.emplace_back().primitive = line.substr(1, line.size() - 2);
      continue;
    }
    const std::size_t sign = line.find(" = ");
    if (all.empty() || sign == std::string_view::npos) return {};
    const std::string_view name = line.substr(0, sign);
    if (std::ranges::find(seen, name) != seen.end() || !read_line(name, line.substr(sign + 3), all.back()))
      return {};
    seen.push_back(name);
  }
  if (first || (!all.empty() && seen.size() != lines_of_a_row)) return {};
  std::erase_if(all, [](const saved_tuning& row) {
    const profile* meant = find_profile(row.profile);
    return meant == nullptr || !is_tuned_primitive(row.primitive) || !fault_of(*meant, row.numbers).empty();
  });
  return all;
}

std::vector<saved_tuning> read_tunings() noexcept try {
  const file_descriptor folder = open_user_directory(directory(), false);
  if (!folder) return {};
  std::optional<user_file> file = open_user_file(folder, std::string(file_name));
  if (!file || file->n_bytes > most_bytes) return {};
  std::string text(file->n_bytes, '\0');
  if (!file->read(text.data(), text.size())) return {};
  return parse_tunings(text);
} catch (...) {
  return {};
}

bool write_tunings(const std::vector<saved_tuning>& all) noexcept try {
  const file_descriptor folder = open_user_directory(directory(), true);
  if (!folder) return false;
  const std::string text = text_of(all);
  return text.size() <= most_bytes && write_user_file(folder, std::string(file_name), {bytes_of(text)});
} catch (...) {
  return false;
}

namespace {

// What the file has for a device, its driver and a row.
std::vector<saved_tuning> tunings_for(const device_facts& facts, std::string_view profile) {
  std::vector<saved_tuning> fitting;
  if (!facts.name || !facts.driver_version) return fitting;
  const std::lock_guard lock(known().mutex);
  if (!known().read) known().read = read_tunings();
  if (known().read->empty()) return fitting;
  std::ranges::copy_if(*known().read, std::back_inserter(fitting), [&](const saved_tuning& row) {
    return row.device == one_line(*facts.name) && row.driver == one_line(*facts.driver_version) &&
           row.profile == profile;
  });
  return fitting;
}

}  // namespace

std::optional<double> measured_speed(const device_facts& facts, std::string_view profile,
                                     std::string_view primitive) {
  for (const saved_tuning& row : tunings_for(facts, profile))
    if (row.primitive == primitive && row.gb_per_s > 0) return row.gb_per_s;
  return std::nullopt;
}

void apply_tunings(profile_choice& choice, const device_facts& facts) {
  if (choice.forced) return;
  const std::vector<saved_tuning> fitting = tunings_for(facts, choice.row->name);
  if (fitting.empty()) return;
  profile made = *choice.row;
  for (const saved_tuning& row : fitting) {
    made = with_tuning(made, row.primitive, row.numbers);
    choice.tuned.push_back({row.primitive, "tuned on this device on " + row.date + ": " +
                                               text_of(row.numbers) + "; " + number_text(row.gb_per_s) +
                                               " GB/s where the row gave " + number_text(row.row_gb_per_s) +
                                               " (" + row.measured + ")"});
  }
  choice.row = keep(made);
}

void reread_tunings() {
  const std::lock_guard lock(known().mutex);
  known().read.reset();
  ++epoch;
}

void try_tuning(std::string_view primitive, const tuning* numbers) {
  const std::lock_guard lock(known().mutex);
  auto& trials = known().trials;
  const auto found = trials.find(primitive);
  if (numbers == nullptr) {
    if (found == trials.end()) return;
    trials.erase(found);
  } else {
    if (found != trials.end() && found->second == *numbers) return;
    trials[std::string(primitive)] = *numbers;
  }
  ++epoch;
}

void apply_trial(profile_choice& choice) {
  const std::lock_guard lock(known().mutex);
  if (known().trials.empty()) return;
  profile made = *choice.row;
  for (const auto& [primitive, numbers] : known().trials) made = with_tuning(made, primitive, numbers);
  choice.row = keep(made);
}

unsigned tuning_epoch() { return epoch; }

}  // namespace clwave::detail
