// clwave info: every platform and device, with each fact's provenance and the profile chosen; the
// drivers visited; the table of profiles; what copies cost.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>

#include <CLI/CLI.hpp>

#include <clwave/version.hpp>

#include "base/system.hpp"
#include "commands/info.hpp"
#include "device/no_devices.hpp"
#include "shared/output.hpp"
#include "shared/version.hpp"

namespace clwave::tool {
namespace {

struct info_words {
  bool list = false, as_json = false, profiles = false, raw = false, report = false, topology = false,
       verbose = false, offline = false, null_platform = false;
  std::string selector;
  std::vector<std::string> properties;
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

std::vector<placed_device> place_devices(const std::vector<placed_platform>& platforms) {
  std::vector<placed_device> placed;
  for (const placed_platform& platform : platforms) {
    for (const visited_device& device : platform.visit->devices) {
      if (device.platform != platform.index_in_visit) continue;
      placed.push_back(
          {std::to_string(platform.index) + ":" + std::to_string(device.device), &platform, &device});
    }
  }
  return placed;
}

// Drivers that have no device to be shown by, and platforms that have none.
void print_troubles(const info_found& all, bool briefly) {
  for (const visited& visit : all.each) {
    const bool has_no_device = visit.how == outcome::good && !visit.what.empty();
    const bool worth_a_line = visit.is_bad() || has_no_device || (!briefly && visit.how == outcome::empty);
    if (worth_a_line) out() << "driver " << visit.name() << ": " << visit.what << '\n';
  }
  if (all.together.is_bad()) out() << "all drivers together: " << all.together.what << '\n';
  // Where there is no device at all, the complaint about that has it.
  const std::string closed = detail::text_of_closed_files(detail::closed_device_files());
  if (!closed.empty() && !all.devices.empty()) out() << closed << '\n';
}

json record_of_properties(const std::vector<property>& list, const name_selection& wanted) {
  json values = json::object();
  for (const property& each : list)
    if (wanted.has(each.name)) values[each.name] = each.value;
  return values;
}

void print_json(const info_found& found, const name_selection& wanted) {
  json drivers = json::array();
  for (const visited& visit : found.each) {
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
  for (const placed_device& device : found.devices) {
    const visited_platform& platform = device.platform->found();
    json entry = {{"place", device.place},
                  {"platform", platform.name},
                  {"platform_version", platform.version},
                  {"driver", device.platform->visit->from.library}};
    entry.update(device.record());
    json facts = json::array();
    for (const json& fact : entry["facts"])
      if (wanted.has(text_or(fact["name"], ""))) facts.push_back(fact);
    entry["facts"] = std::move(facts);
    entry["platform_properties"] = record_of_properties(platform.properties, wanted);
    entry["properties"] = record_of_properties(device.found->properties, wanted);
    list.push_back(std::move(entry));
  }
  json all = {{"schema", "clwave-info/1"}, {"clwave", CLWAVE_VERSION_STRING}, {"commit", commit()}};
  all["devices"] = std::move(list);
  all["drivers"] = std::move(drivers);
  all["loader"] = record_of_properties(found.loader(), wanted);
  all["together"] = {{"outcome", name_of(found.together.how)}, {"what", found.together.what}};
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

int print_info(info_words words) {
  std::vector<std::string> also;
  if (words.offline) also.emplace_back("--offline");
  if (words.null_platform) also.emplace_back("--null-platform");
  // Alone they ask for nothing else.
  if (!words.raw && !words.as_json && words.properties.empty()) {
    if (words.offline) words.properties.emplace_back("CL_CONTEXT_OFFLINE_DEVICES_AMD");
    if (words.null_platform) words.properties.emplace_back("*(NULL)");
  }
  // A driver that fails at a property nobody asked for is still shown otherwise.
  const bool all_properties =
      !words.topology && (words.as_json || words.raw || words.report || !words.properties.empty());
  const std::vector<visited> each =
      visit_drivers(all_properties ? depth::properties : depth::facts, std::nullopt, also);
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
  info_found all{each, together, place_devices(platforms), {}};
  std::ranges::copy_if(platforms, std::back_inserter(all.empty_platforms),
                       [](const placed_platform& platform) {
                         return platform.visit->how == outcome::good && platform.found().devices == 0;
                       });
  const bool any_device = !all.devices.empty();
  const name_selection wanted(words.properties, all);
  std::vector<std::string> empty_platforms;
  for (const placed_platform& platform : all.empty_platforms)
    empty_platforms.push_back(platform.found().name);
  if (!words.selector.empty() && any_device) {
    keep_selected(all.devices, together);
    all.empty_platforms.clear();
  }

  std::vector<visited> timed;
  if (words.topology) {
    timed = visit_copies(each);
    print_topology(all, timed, words.as_json);
    if (!words.as_json) print_troubles(all, true);
  } else if (words.as_json) {
    print_json(all, wanted);
  } else if (words.report) {
    print_report(all);
  } else if (!words.properties.empty()) {
    print_selected(all, wanted);
  } else if (words.raw) {
    print_raw(all);
  } else {
    words.list ? print_list(all) : words.verbose ? print_in_full(all) : print_summary(all);
    print_troubles(all, words.list);
  }
  std::string bad;
  timed.insert(timed.begin(), each.begin(), each.end());
  for (const visited& visit : timed) {
    if (visit.is_bad()) bad += (bad.empty() ? "" : ", ") + visit.name();
  }
  if (together.is_bad()) bad += (bad.empty() ? "" : ", ") + together.name();
  if (!bad.empty()) {
    complain("a driver crashed or hung: " + bad);
    return exit_driver_failed;
  }
  if (!any_device) {
    const detail::no_device_words said =
        detail::words_for_no_device(empty_platforms, detail::closed_device_files());
    complain(said.what + "; " + said.advice);
    return exit_no_device;
  }
  return exit_ok;
}

}  // namespace

const std::vector<property>& info_found::loader() const {
  static const std::vector<property> none;
  const auto said = std::ranges::find_if(each, [](const visited& visit) { return !visit.loader.empty(); });
  return said == each.end() ? none : said->loader;
}

void add_info(CLI::App& app, int& exit) {
  CLI::App* command =
      app.add_subcommand("info", "Shows the devices, what is known of each and from where, and its profile");
  auto words = std::make_shared<info_words>();
  CLI::Option* list = command->add_flag("-l,--list", words->list, "One line for each device");
  command->add_flag("-v,--verbose", words->verbose, "Every fact of each device, with where it is from")
      ->excludes(list);
  command->add_option("-d,--device", words->selector, "Only this device (see clwave --help)");
  CLI::Option* as_json = command->add_flag("--json", words->as_json, "As JSON, schema clwave-info/1");
  CLI::Option* raw = command->add_flag(
      "--raw", words->raw, "All properties by their CL_ names, one line each, as the drivers answer");
  raw->excludes(as_json)->excludes(list);
  CLI::Option* named =
      command->add_option("--prop", words->properties,
                          "Only facts and properties of this name, ours or a CL_ one, or with this in "
                          "their names; * and ? stand for any letters. More than once for more");
  named->allow_extra_args(false)->excludes(list);
  CLI::Option* offline =
      command->add_flag("--offline", words->offline,
                        "Devices that a platform builds programs for though they are not there "
                        "(cl_amd_offline_devices); beside --raw and --json with all else");
  CLI::Option* null_platform =
      command->add_flag("--null-platform", words->null_platform,
                        "What calls make of a null platform, of each driver alone; beside --raw and --json "
                        "with all else");
  for (CLI::Option* each : {offline, null_platform}) each->excludes(list);
  CLI::Option* report = command->add_flag("--report", words->report,
                                          "One text with everything, to send to the project: no user or host "
                                          "names, no paths");
  report->excludes(as_json)->excludes(list)->excludes(raw)->excludes(named)->excludes(offline)->excludes(
      null_platform);
  CLI::Option* topology =
      command->add_flag("--topology", words->topology,
                        "Where the devices are, which share a context, and how fast copies are between host "
                        "and devices and from device to device; takes a few seconds");
  topology->excludes(list)->excludes(raw)->excludes(named)->excludes(report)->excludes(offline)->excludes(
      null_platform);
  command->add_flag("--profiles", words->profiles, "The table of profiles instead; asks no driver")
      ->excludes("-d")
      ->excludes(raw)
      ->excludes(named)
      ->excludes(report)
      ->excludes(offline)
      ->excludes(null_platform)
      ->excludes(topology);
  command->callback(
      [words, &exit] { exit = words->profiles ? print_profiles(words->as_json) : print_info(*words); });
}

}  // namespace clwave::tool
