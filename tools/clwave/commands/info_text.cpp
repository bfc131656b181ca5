// clwave info for people: what is known of each device in the width of the terminal, a line for each device,
// and the table of profiles.
#include <algorithm>
#include <iomanip>

#include <clwave/version.hpp>

#include "commands/info.hpp"
#include "shared/output.hpp"
#include "shared/records.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool {
namespace {

constexpr std::size_t value_column = 32;

// "  name      value  [source]": the source in the next line where it has no room, and long values wrapped.
void print_entry(const std::string& name, const std::string& value, const std::string& source = {}) {
  std::string head = "  " + name;
  head.append(head.size() < value_column ? value_column - head.size() : 1, ' ');
  const std::string shown = wrapped(value, value_column, head.size());
  out() << head << shown;
  if (!source.empty()) {
    const std::size_t line = shown.rfind('\n');
    const std::size_t at = line == std::string::npos ? head.size() + shown.size() : shown.size() - line - 1;
    if (at + 2 + source.size() <= output_columns()) {
      out() << "  " << painted(style::faint, source);
    } else {
      out() << '\n'
            << std::string(value_column, ' ')
            << painted(style::faint, wrapped(source, value_column, value_column));
    }
  }
  out() << '\n';
}

void print_platform(const placed_platform& platform) {
  out() << painted(style::heading,
                   "platform " + std::to_string(platform.index) + "  " + platform.found().name)
        << '\n';
  print_entry("version", platform.found().version);
  print_entry("driver", platform.visit->name());
}

void print_device(const placed_device& device) {
  const json& record = device.record();
  const json& profile = record["profile"];
  out() << '\n'
        << painted(style::heading, "device " + device.place + "  " + text_or(record["name"], "unnamed"))
        << '\n';
  print_entry("architecture", text_or(record["architecture"], "unknown"));
  if (record["refused"].is_string()) print_entry("calls are refused", text_or(record["refused"], ""));
  print_entry("profile", profile_text(profile) + ": " + text_or(profile["why"], ""));
  print_entry("", profile["lanes"].dump() + " lanes, exchange " + text_or(profile["exchange"], "") +
                      ", group order " + text_or(profile["order"], ""));
  for (const auto& [primitive, why] : profile["tuned"].items())
    print_entry("", primitive + ": " + text_or(why, ""));
  std::string unknown;
  for (const json& fact : record["facts"]) {
    const std::string name = text_or(fact["name"], "");
    if (fact["value"].is_null()) {
      unknown += (unknown.empty() ? "" : "; ") + name;
      continue;
    }
    const std::string source = text_or(fact["source"], "");
    print_entry(name, value_text(fact),
                "[" + text_or(fact["provenance"], "") + (source.empty() ? "" : ": " + source) + "]");
  }
  if (!unknown.empty()) print_entry("unknown (--prop NAME says why)", unknown);
}

}  // namespace

std::string text_or(const json& value, const char* otherwise) {
  return value.is_string() ? value.get<std::string>() : otherwise;
}

std::string profile_text(const json& profile) {
  std::string text = text_or(profile["name"], "?");
  if (profile.value("forced", false)) text += ", forced";
  if (profile.value("emulated", false)) text += ", emulated";
  if (profile.value("unknown_newer", false)) text += ", device is newer";
  return text;
}

std::string value_text(const json& fact) {
  std::string text = text_or(fact["value"], "unknown");
  const std::string unit = text_or(fact["unit"], "");
  if (!unit.empty()) text += " " + unit;
  if (unit == "bytes" && fact["typed"].is_number_unsigned()) {
    const std::string size = binary_size(fact["typed"].get<std::uint64_t>());
    if (!size.empty()) text += " (" + size + ")";
  }
  return text;
}

void print_in_full(const info_found& all) {
  const placed_platform* last = nullptr;
  for (const placed_device& device : all.devices) {
    if (device.platform != last) {
      last = device.platform;
      print_platform(*last);
    }
    print_device(device);
    out() << '\n';
  }
}

void print_list(const info_found& all) {
  const auto name_of = [](const placed_device& device) {
    return text_or(device.record()["name"], "unnamed");
  };
  const auto architecture_of = [](const placed_device& device) {
    return text_or(device.record()["architecture"], "unknown architecture");
  };
  std::size_t name_width = 0;
  std::size_t architecture_width = 0;
  for (const placed_device& device : all.devices) {
    name_width = std::max(name_width, name_of(device).size());
    architecture_width = std::max(architecture_width, architecture_of(device).size());
  }
  for (const placed_device& device : all.devices) {
    out() << std::left << std::setw(6) << device.place << std::setw(static_cast<int>(name_width) + 2)
          << name_of(device) << std::setw(static_cast<int>(architecture_width) + 2) << architecture_of(device)
          << "profile " << profile_text(device.record()["profile"])
          << (device.record()["refused"].is_string() ? ", calls are refused" : "") << '\n';
  }
}

int print_profiles(bool as_json) {
  if (as_json) {
    json rows = json::array();
    for (const profile& row : profiles()) rows.push_back(record_of(row));
    out() << text_of({{"schema", "clwave-info/1"},
                      {"clwave", CLWAVE_VERSION_STRING},
                      {"profiles", std::move(rows)}})
          << '\n';
    return exit_ok;
  }
  std::size_t title_width = 0;
  for (const profile& row : profiles()) title_width = std::max(title_width, row.title.size());
  for (const profile& row : profiles()) {
    out() << std::left << std::setw(18) << row.name << std::setw(static_cast<int>(title_width) + 2)
          << row.title << std::setw(9) << name_of(row.family) << std::right << std::setw(3) << row.lanes
          << " lanes  " << std::left << std::setw(17) << name_of(row.exchange) << name_of(row.order)
          << "\n    " << painted(style::faint, wrapped(row.evidence, 4, 4)) << '\n';
  }
  return exit_ok;
}

}  // namespace clwave::tool
