// Reads, checks and writes the user's tunings, and keeps the profiles that are made with them.
#include "device/tuning.hpp"

#include <algorithm>
#include <array>
#include <atomic>
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

// What a profile of the file has beside its numbers.
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

// The lines of a profile of the file, in their order.
struct file_row {
  std::string primitive;
  std::vector<std::pair<std::string_view, std::string_view>> lines;

  std::optional<std::string_view> operator[](std::string_view name) const {
    const auto found = std::ranges::find(lines, name, &std::pair<std::string_view, std::string_view>::first);
    return found == lines.end() ? std::nullopt : std::optional(found->second);
  }
};

// What a profile of the file says into `profile`, whose numbers are there by their names. False where it
// lacks something, has more than that, or has what nothing can be read from.
bool read_row(const file_row& lines, saved_tuning& p) {
  if (lines.lines.size() != texts_by_name.size() + p.numbers.size() + speeds_by_name.size()) return false;
  for (const auto& [name, member] : texts_by_name) {
    const auto value = lines[name];
    if (!value) return false;
    p.*member = *value;
  }
  for (const named_number& each : tunable_numbers(p.numbers)) {
    const auto value = lines[each.name];
    if (!value || !read_number(*value, p.numbers[each.name])) return false;
  }
  return std::ranges::all_of(speeds_by_name, [&](const auto& speed) {
    const auto& [name, member] = speed;
    const auto value = lines[name];
    // What no memory has would not be written again as it was read.
    return value && read_number(*value, p.*member) && p.*member >= 0 && p.*member < most_gb_per_s;
  });
}

// Rows made with other numbers, which live as long as the process: choices point to them, and programs go by
// their addresses.
const profile* keep(const profile& made) {
  static std::mutex mutex;
  static auto& kept = *new std::deque<profile>;
  const auto same = [&](const profile& p) {
    return p.name == made.name && std::ranges::all_of(tuned_primitives(), [&](std::string_view primitive) {
             return tuning_of(p, primitive) == tuning_of(made, primitive);
           });
  };
  const std::lock_guard lock(mutex);
  const auto found = std::ranges::find_if(kept, same);
  return found != kept.end() ? &*found : &kept.emplace_back(made);
}

struct known_tunings {
  std::mutex mutex;
  std::optional<std::vector<saved_tuning>> read;
  std::map<std::string, tunable_numbers, std::less<>> trials;
};
known_tunings& known() {
  static known_tunings& instance = *new known_tunings;
  return instance;
}
std::atomic<unsigned> epoch{0};

}  // namespace

std::string tuning_file() {
  const std::string folder = directory();
  return folder.empty() ? "" : folder + "/" + std::string(file_name);
}

std::string text_of(const std::vector<saved_tuning>& all) {
  std::string text = std::string(schema) + "\n";
  for (const saved_tuning& p : all) {
    text += "\n[" + one_line(p.primitive) + "]\n";
    const auto line = [&text](std::string_view name, const std::string& value) {
      text += std::string(name) + " = " + value + "\n";
    };
    for (const auto& [name, member] : texts_by_name) line(name, one_line(p.*member));
    for (const named_number& each : p.numbers) line(each.name, std::to_string(each.value));
    for (const auto& [name, member] : speeds_by_name) line(name, number_text(p.*member));
  }
  return text;
}

namespace {

// The profiles of a file; nothing where the text is no such file.
std::optional<std::vector<file_row>> rows_of(std::string_view text) {
  std::vector<file_row> all;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;  // cut short
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (std::exchange(first, false)) {
      if (line != schema) return std::nullopt;
      continue;
    }
    if (line.empty()) continue;
    if (line.starts_with('[') && line.ends_with(']')) {
      all.emplace_back().primitive = line.substr(1, line.size() - 2);
      continue;
    }
    const std::size_t sign = line.find(" = ");
    if (all.empty() || sign == std::string_view::npos) return std::nullopt;
    const std::string_view name = line.substr(0, sign), value = line.substr(sign + 3);
    // Nothing but what a line is written with: not what would steer a terminal that it is shown on.
    if (all.back()[name] || value != one_line(value)) return std::nullopt;
    all.back().lines.emplace_back(name, value);
  }
  if (first) return std::nullopt;
  return all;
}

}  // namespace

std::vector<saved_tuning> parse_tunings(std::string_view text) {
  const auto rows = rows_of(text);
  if (!rows) return {};
  std::vector<saved_tuning> all;
  for (const file_row& lines : *rows) {
    const auto named = lines["profile"];
    if (!named) return {};
    const profile* meant = find_profile(*named);
    // Another version of the library may know these.
    if (meant == nullptr || !is_tuned_primitive(lines.primitive)) continue;
    saved_tuning p{.device = {},
                   .driver = {},
                   .profile = {},
                   .primitive = lines.primitive,
                   .numbers = tuning_of(*meant, lines.primitive)};
    if (!read_row(lines, p)) return {};
    if (fault_of(*meant, p.primitive, p.numbers).empty()) all.push_back(std::move(p));
  }
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

// What the file has for a device, its driver and a profile.
std::vector<saved_tuning> tunings_for(const device_facts& facts, std::string_view profile) {
  std::vector<saved_tuning> fitting;
  if (!facts.name || !facts.driver_version) return fitting;
  const std::lock_guard lock(known().mutex);
  if (!known().read) known().read = read_tunings();
  if (known().read->empty()) return fitting;
  std::ranges::copy_if(*known().read, std::back_inserter(fitting), [&](const saved_tuning& p) {
    return p.device == one_line(*facts.name) && p.driver == one_line(*facts.driver_version) &&
           p.profile == profile;
  });
  return fitting;
}

}  // namespace

std::optional<double> measured_speed(const device_facts& facts, std::string_view profile,
                                     std::string_view primitive) {
  for (const saved_tuning& p : tunings_for(facts, profile))
    if (p.primitive == primitive && p.gb_per_s > 0) return p.gb_per_s;
  return std::nullopt;
}

void apply_tunings(profile_choice& choice, const device_facts& facts) {
  if (choice.forced) return;
  const std::vector<saved_tuning> fitting = tunings_for(facts, choice.profile->name);
  if (fitting.empty()) return;
  profile made = *choice.profile;
  for (const saved_tuning& p : fitting) {
    made = with_tuning(made, p.primitive, p.numbers);
    choice.tuned.push_back({p.primitive, "tuned on this device on " + p.date + ": " + text_of(p.numbers) +
                                             "; " + number_text(p.gb_per_s) +
                                             " GB/s where the profile gave " + number_text(p.row_gb_per_s) +
                                             " (" + p.measured + ")"});
  }
  choice.profile = keep(made);
}

void reread_tunings() {
  const std::lock_guard lock(known().mutex);
  known().read.reset();
  ++epoch;
}

void try_tuning(std::string_view primitive, const tunable_numbers* numbers) {
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
  profile made = *choice.profile;
  for (const auto& [primitive, numbers] : known().trials) made = with_tuning(made, primitive, numbers);
  choice.profile = keep(made);
}

unsigned tuning_epoch() { return epoch; }

}  // namespace clwave::detail
