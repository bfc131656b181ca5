// clwave info for people, in the width of the terminal: what matters of each device, every fact of it, a line
// for each device, and the table of profiles.
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

// The facts of a device by their names.
class known_facts {
 public:
  explicit known_facts(const json& record) : record_(record) {}

  // "8 GiB", "32 lanes"; empty where it is not known.
  std::string text(std::string_view name) const {
    const json* const found = find(name);
    if (found == nullptr) return {};
    const json& typed = (*found)["typed"];
    const std::string unit = text_or((*found)["unit"], "");
    if (unit == "bytes" && typed.is_number_unsigned()) {
      const std::string size = binary_size(typed.get<std::uint64_t>());
      if (!size.empty()) return size;
    }
    return value_text(*found);
  }
  bool is_true(std::string_view name) const {
    const json* const found = find(name);
    return found != nullptr && (*found)["typed"] == true;
  }
  bool is_false(std::string_view name) const {
    const json* const found = find(name);
    return found != nullptr && (*found)["typed"] == false;
  }

 private:
  const json* find(std::string_view name) const {
    for (const json& fact : record_["facts"])
      if (fact["name"] == name && !fact["value"].is_null()) return &fact;
    return nullptr;
  }
  const json& record_;
};

// Parts that are known, with commas between them.
class enumeration {
 public:
  void add(const std::string& before, const std::string& value, const std::string& behind = {}) {
    if (!value.empty()) text_ += (text_.empty() ? "" : ", ") + before + value + behind;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// "sub-groups of 32 work-items, which exchange values by shuffles"
std::string lanes_text(const json& profile) {
  const std::string exchange = text_or(profile["exchange"], "");
  if (exchange == name_of(lane_exchange::none)) return "each work-item is a group of its own";
  std::string way = "instructions of the GPU";
  if (exchange == name_of(lane_exchange::shuffle_sync) || exchange == name_of(lane_exchange::shuffle))
    way = "warp shuffles";
  else if (exchange == name_of(lane_exchange::sub_group))
    way = "sub-group shuffles";
  else if (exchange == name_of(lane_exchange::local_memory))
    way = "local memory";
  return "sub-groups of " + profile["lanes"].dump() + " work-items, which exchange values by " + way;
}

constexpr std::size_t summary_column = 14;

void print_summary_entry(const std::string& name, const std::string& value) {
  if (value.empty()) return;
  std::string head = "  " + name;
  head.append(head.size() < summary_column ? summary_column - head.size() : 1, ' ');
  out() << head << wrapped(value, summary_column, head.size()) << '\n';
}

void print_summary(const placed_device& device) {
  const json& record = device.record();
  const json& profile = record["profile"];
  const known_facts facts(record);
  out() << painted(style::heading, "device " + device.place + "  " + text_or(record["name"], "unnamed"))
        << '\n';
  enumeration identity;
  identity.add("", facts.text("type"));
  const std::string architecture = text_or(record["architecture"], "");
  if (architecture != facts.text("type")) identity.add("", architecture);
  identity.add("of ", facts.text("vendor"));
  identity.add("", facts.text("board name"));
  identity.add("PCI ", facts.text("PCI place"));
  print_summary_entry("device", identity.text());
  enumeration driver;
  driver.add("", device.platform->found().name);
  driver.add("", facts.text("driver version"));
  driver.add("OpenCL C ", facts.text("OpenCL C newest"));
  driver.add("", device.platform->visit->name());
  print_summary_entry("driver", driver.text());
  if (record["refused"].is_string())
    print_summary_entry("refused", "calls are refused: " + text_or(record["refused"], ""));

  enumeration size;
  size.add("", facts.text("compute units"),
           facts.text("compute units") == "1" ? " compute unit" : " compute units");
  size.add("", facts.text("clock"));
  size.add("work-groups of at most ", facts.text("work-group size at most"));
  print_summary_entry("size", size.text());
  enumeration memory;
  memory.add("", facts.text("global memory"));
  memory.add("buffers of at most ", facts.text("largest allocation"));
  memory.add("cache of ", facts.text("global cache"));
  memory.add("cache lines of ", facts.text("cache line"));
  memory.add("local memory of ", facts.text("local memory"));
  if (facts.is_true("host unified memory")) memory.add("", "shared with the host");
  print_summary_entry("memory", memory.text());

  enumeration can, cannot;
  for (const auto& [name, shown] : {std::pair{"fp64", "f64"},
                                    {"fp16", "f16"},
                                    {"f32 denormals", "f32 denormals"},
                                    {"divide, sqrt rounded right", "divide and sqrt rounded right"},
                                    {"sub-groups", "sub-groups"},
                                    {"inline PTX", "inline PTX"},
                                    {"AMD built-ins", "AMD built-ins"},
                                    {"64-bit atomics", "64-bit atomics"},
                                    {"device-scope atomics", "device-scope atomics"},
                                    {"out-of-order queue", "out-of-order queues"},
                                    {"shared virtual memory", "shared virtual memory"},
                                    {"images", "images"}}) {
    if (facts.is_true(name)) can.add("", shown);
    if (facts.is_false(name)) cannot.add("", shown);
  }
  print_summary_entry("has", can.text());
  print_summary_entry("has not", cannot.text());
  // The reason for a CPU's profile has said that of the work-items already.
  const std::string why = text_or(profile["why"], ""), lanes = lanes_text(profile);
  print_summary_entry("clwave", "profile " + profile_text(profile) + ": " + why +
                                    (why.ends_with("work-item is a group of its own") ? "" : "; " + lanes));
  for (const auto& [primitive, why] : profile["tuned"].items())
    print_summary_entry("", primitive + ": " + text_or(why, ""));
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
  print_entry("", lanes_text(profile) + "; group order " + text_or(profile["order"], ""));
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

void print_summary(const info_found& all) {
  for (const placed_device& device : all.devices) {
    print_summary(device);
    out() << '\n';
  }
  if (!all.devices.empty())
    out() << painted(style::faint, "info -v: every fact, and where it is from; --raw: all OpenCL properties")
          << '\n';
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
