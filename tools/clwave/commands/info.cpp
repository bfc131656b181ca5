// clwave info: every platform and device, with each fact's provenance and the profile chosen; the
// drivers visited; the table of profiles.
#include <algorithm>
#include <iomanip>
#include <map>
#include <memory>
#include <set>

#include <clwave/version.hpp>

#include "drivers/visit.hpp"
#include "shared/output.hpp"
#include "shared/records.hpp"

namespace clwave::tool {
namespace {

struct info_words {
  bool list = false, as_json = false, profiles = false;
  std::string selector;
};

// A platform in its place, and the visit that knows it.
struct placed_platform {
  unsigned index = 0;
  const visited* visit = nullptr;
  unsigned index_in_visit = 0;
};

// The order is that of all good drivers together. A platform is found again by its name; platforms of
// the same name keep their order. A loader may list one driver twice: the second time has no visit left.
std::vector<placed_platform> place_platforms(const std::vector<visited>& each, const visited& together) {
  std::map<std::string, std::vector<placed_platform>> by_name;
  std::vector<placed_platform> all;
  for (const visited& visit : each) {
    // One that crashed half way still shows what it had said by then.
    if (visit.how == outcome::duplicate) continue;
    for (unsigned p = 0; p < visit.platforms.size(); ++p) {
      if (visit.is_bad() && visit.devices.empty()) continue;
      by_name[visit.platforms[p].name].push_back({0, &visit, p});
      all.push_back({static_cast<unsigned>(all.size()), &visit, p});
    }
  }
  if (together.how != outcome::good) return all;

  std::map<std::string, std::size_t> used;
  std::vector<placed_platform> placed;
  for (unsigned index = 0; index < together.platforms.size(); ++index) {
    const std::string& name = together.platforms[index].name;
    const std::vector<placed_platform>& known = by_name[name];
    const std::size_t occurrence = used[name]++;
    if (occurrence >= known.size()) continue;
    placed.push_back(known[occurrence]);
    placed.back().index = index;
  }
  // What only a driver that then crashed has shown comes last.
  for (placed_platform platform : all) {
    if (!platform.visit->is_bad()) continue;
    platform.index = static_cast<unsigned>(std::max(together.platforms.size(), placed.size()));
    placed.push_back(platform);
  }
  return placed;
}

struct placed_device {
  std::string place;
  const placed_platform* platform;
  const json* record;
};

std::vector<placed_device> place_devices(const std::vector<placed_platform>& platforms) {
  std::vector<placed_device> placed;
  for (const placed_platform& platform : platforms) {
    for (const visited_device& device : platform.visit->devices) {
      if (device.platform != platform.index_in_visit) continue;
      placed.push_back(
          {std::to_string(platform.index) + ":" + std::to_string(device.device), &platform, &device.record});
    }
  }
  return placed;
}

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

std::string name_of_platform(const placed_platform& platform) {
  return platform.visit->platforms[platform.index_in_visit].name;
}

void print_line(const placed_device& device, std::size_t name_width, std::size_t architecture_width) {
  const json& record = *device.record;
  out() << std::left << std::setw(6) << device.place << std::setw(static_cast<int>(name_width) + 2)
        << text_or(record["name"], "unnamed") << std::setw(static_cast<int>(architecture_width) + 2)
        << text_or(record["architecture"], "unknown architecture") << "profile "
        << profile_text(record["profile"]) << '\n';
}

void print_in_full(const placed_device& device) {
  const json& record = *device.record;
  out() << "\ndevice " << device.place << "  " << text_or(record["name"], "unnamed") << '\n'
        << "  architecture  " << text_or(record["architecture"], "unknown") << '\n'
        << "  profile       " << profile_text(record["profile"]) << ": "
        << text_or(record["profile"]["why"], "") << '\n'
        << "                " << record["profile"]["lanes"] << " lanes, exchange "
        << text_or(record["profile"]["exchange"], "") << ", group order "
        << text_or(record["profile"]["order"], "") << '\n';
  for (const auto& [primitive, why] : record["profile"]["tuned"].items())
    out() << "                " << primitive << ": " << text_or(why, "") << '\n';
  for (const json& fact : record["facts"]) {
    // A list of extensions is longer than a column.
    std::string value = text_or(fact["value"], "unknown");
    const std::string unit = text_or(fact["unit"], "");
    if (!unit.empty()) value += " " + unit;
    const std::string provenance = text_or(fact["provenance"], "");
    const std::string source = text_or(fact["source"], "");
    out() << "  " << std::left << std::setw(34) << text_or(fact["name"], "") << ' ' << std::setw(30) << value
          << " [" << provenance << (source.empty() ? "" : ": " + source) << "]\n";
  }
}

void print_text(const info_words& words, const std::vector<visited>& each, const visited& together,
                const std::vector<placed_device>& devices) {
  if (words.list) {
    std::size_t name_width = 0;
    std::size_t architecture_width = 0;
    for (const placed_device& device : devices) {
      name_width = std::max(name_width, text_or((*device.record)["name"], "unnamed").size());
      architecture_width = std::max(architecture_width,
                                    text_or((*device.record)["architecture"], "unknown architecture").size());
    }
    for (const placed_device& device : devices) print_line(device, name_width, architecture_width);
  } else {
    const placed_platform* last = nullptr;
    for (const placed_device& device : devices) {
      if (device.platform != last) {
        last = device.platform;
        out() << "platform " << last->index << "  " << name_of_platform(*last) << ", "
              << last->visit->platforms[last->index_in_visit].version << ", driver " << last->visit->name()
              << '\n';
      }
      print_in_full(device);
      out() << '\n';
    }
  }
  for (const visited& visit : each) {
    const bool worth_a_line = visit.is_bad() || (!words.list && visit.how == outcome::empty);
    if (worth_a_line) out() << "driver " << visit.name() << ": " << visit.what << '\n';
  }
  if (together.is_bad()) out() << "all drivers together: " << together.what << '\n';
}

void print_json(const std::vector<visited>& each, const visited& together,
                const std::vector<placed_device>& devices) {
  json drivers = json::array();
  for (const visited& visit : each) {
    json platforms = json::array();
    for (const visited_platform& platform : visit.platforms) platforms.push_back(platform.name);
    drivers.push_back({{"library", visit.from.library},
                       {"named_by", visit.from.named_by},
                       {"file", visit.file},
                       {"outcome", name_of(visit.how)},
                       {"what", visit.what},
                       {"platforms", std::move(platforms)}});
  }
  json list = json::array();
  for (const placed_device& device : devices) {
    const visited& visit = *device.platform->visit;
    json entry = {{"place", device.place},
                  {"platform", name_of_platform(*device.platform)},
                  {"platform_version", visit.platforms[device.platform->index_in_visit].version},
                  {"driver", visit.from.library}};
    entry.update(*device.record);
    list.push_back(std::move(entry));
  }
  json all = {{"schema", "clwave-info/1"}, {"clwave", CLWAVE_VERSION_STRING}};
  all["devices"] = std::move(list);
  all["drivers"] = std::move(drivers);
  all["together"] = {{"outcome", name_of(together.how)}, {"what", together.what}};
  out() << text_of(all) << '\n';
}

// Only the device that the selector means.
void keep_selected(std::vector<placed_device>& devices, const visited& together) {
  if (together.refused) throw *together.refused;
  if (!together.selected) throw stop(exit_driver_failed, "the drivers did not say which device is meant");
  const std::string place =
      std::to_string(together.selected->first) + ":" + std::to_string(together.selected->second);
  std::erase_if(devices, [&](const placed_device& device) { return device.place != place; });
}

int print_info(const info_words& words) {
  const std::vector<visited> each = visit_drivers(depth::facts);
  // Before anything is printed: a call that clwave refused for each driver (CLWAVE_PROFILE) is refused.
  for (const visited& visit : each) {
    if (visit.refused) throw *visit.refused;
  }
  visited together{.how = outcome::empty};
  const bool any_good =
      std::any_of(each.begin(), each.end(), [](const visited& v) { return v.how == outcome::good; });
  if (any_good) {
    together = visit_together(each, words.selector.empty() ? std::nullopt : std::optional(words.selector));
  }
  const std::vector<placed_platform> platforms = place_platforms(each, together);
  std::vector<placed_device> devices = place_devices(platforms);
  const bool any_device = !devices.empty();
  if (!words.selector.empty() && any_good) keep_selected(devices, together);

  if (words.as_json) {
    print_json(each, together, devices);
  } else {
    print_text(words, each, together, devices);
  }
  std::string bad;
  for (const visited& visit : each) {
    if (visit.is_bad()) bad += (bad.empty() ? "" : ", ") + visit.name();
  }
  if (together.is_bad()) bad += (bad.empty() ? "" : ", ") + together.name();
  if (!bad.empty()) {
    complain("a driver crashed or hung: " + bad);
    return exit_driver_failed;
  }
  if (!any_device) {
    complain(
        "no OpenCL device was found; install an OpenCL driver for your hardware, or PoCL to run on the CPU");
    return exit_no_device;
  }
  return exit_ok;
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
          << "\n    " << row.evidence << '\n';
  }
  return exit_ok;
}

}  // namespace

void add_info(CLI::App& app, int& exit) {
  CLI::App* command =
      app.add_subcommand("info", "Shows the devices, what is known of each and from where, and its profile");
  auto words = std::make_shared<info_words>();
  command->add_flag("-l,--list", words->list, "One line for each device");
  command->add_option("-d,--device", words->selector, "Only this device (see clwave --help)");
  command->add_flag("--json", words->as_json, "As JSON, schema clwave-info/1");
  command->add_flag("--profiles", words->profiles, "The table of profiles instead; asks no driver")
      ->excludes("-d");
  command->callback(
      [words, &exit] { exit = words->profiles ? print_profiles(words->as_json) : print_info(*words); });
}

}  // namespace clwave::tool
