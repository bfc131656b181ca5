// The child's side of a visit: `clwave visit`, hidden, which this program runs of itself. It asks the
// loader it was given and writes one JSON object a line, each as soon as it is known, so that what came
// before a crash is not lost.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include <clwave/device.hpp>
#include <clwave/profile.hpp>

#include "base/environment.hpp"
#include "device/device_facts.hpp"
#include "drivers/bandwidth.hpp"
#include "drivers/properties.hpp"
#include "drivers/session.hpp"
#include "drivers/visit.hpp"
#include "shared/children.hpp"
#include "shared/common.hpp"
#include "shared/output.hpp"
#include "shared/records.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

struct visit_words {
  bool list_only = false;
  bool properties = false;     // all of them, after the facts
  bool offline = false;        // and devices that are not there
  bool null_platform = false;  // and what a null platform is answered
  double copies_s = 0;         // instead of the facts, copies are timed for so many seconds
  std::string library, token;
  std::optional<std::string> selector;  // to say which device it means
  bool use = false;                     // to make ready what `meant` can mean
  std::string meant;
};

void answer(const char* key, json value) {
  answer_parent(json{{key, std::move(value)}}.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
}

std::string platform_text(cl_platform_id platform, cl_platform_info what) {
  std::size_t size = 0;
  if (clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (clGetPlatformInfo(platform, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::strlen(text.c_str()));  // up to the terminating zero
  return text;
}

// Which file the loader took for the library.
void answer_file(const std::string& library) {
  const std::string file = file_of_library(library);
  if (!file.empty()) answer("file", file);
}

// Platforms without devices count too: their places in the list are taken.
std::vector<cl_platform_id> all_platforms() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> platforms(count);
  if (clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) return {};
  return platforms;
}

// The devices of this driver that the selector can mean where other drivers' devices stand before or between
// them: by its properties, the first one here that fits; by a place, all that can have that place.
std::vector<device_place> devices_meant_by(std::string selector) {
  if (const char* named = detail::environment("CLWAVE_DEVICE"); selector.empty() && named != nullptr)
    selector = named;
  const std::size_t colon = selector.find(':');
  const std::string place = selector.substr(colon == std::string::npos ? 0 : colon + 1);
  const bool by_place = selector.find_first_not_of("0123456789:") == std::string::npos && !place.empty();
  std::vector<device_place> meant;
  if (by_place) {
    for (const device_place& each : devices()) {
      if (colon == std::string::npos || std::to_string(each.device_index) == place) meant.push_back(each);
    }
    return meant;
  }
  try {
    meant.push_back(place_of(select_device(selector)));
  } catch (const error&) {  // none here
  }
  return meant;
}

// Does what the command will do in its own process: if that crashes or hangs, let it be here.
void try_devices(const std::string& selector) {
  for (const device_place& place : devices()) {
    answer("asked", {place.platform_index, place.device_index});
    detail::ask_driver(place.device);
  }
  for (const device_place& place : devices_meant_by(selector)) {
    try {
      const ready_device made(place);
    } catch (const error&) {  // an error is no crash; the command will say it if it meets it
    }
  }
}

// The answer's place comes with it: neither for the loader's, no device for a platform's.
void answer_properties(json place, const std::vector<property>& list) {
  place["list"] = json::array();
  for (const property& each : list) place["list"].push_back(packed(each));
  answer("properties", std::move(place));
}

void answer_all_properties(const std::vector<cl_platform_id>& platforms, const visit_words& words) {
  answer_properties(json::object(), properties_of_loader());
  for (unsigned p = 0; p < platforms.size(); ++p) {
    std::vector<property> list = properties_of(platforms[p]);
    const auto add = [&](const std::vector<property>& more) {
      list.insert(list.end(), more.begin(), more.end());
    };
    if (words.offline) add(offline_devices_of(platforms[p]));
    if (words.null_platform && p == 0) add(answers_to_no_platform());
    answer_properties({{"platform", p}}, list);
  }
  for (const device_place& place : devices())
    answer_properties({{"platform", place.platform_index}, {"device", place.device_index}},
                      properties_of(place.platform, place.device));
}

void visit(const visit_words& words) {
  answer("begin", words.token);
  const std::vector<device_place>& places = devices();
  const std::vector<cl_platform_id> platforms = all_platforms();
  if (!words.library.empty()) answer_file(words.library);
  if (platforms.empty() && !words.library.empty()) {
    if (const auto why = why_not_loadable(words.library))
      answer("not_loadable", "it cannot be loaded: " + *why);
  }
  for (unsigned p = 0; p < platforms.size(); ++p) {
    unsigned count = 0;
    for (const device_place& place : places) count += place.platform_index == p ? 1 : 0;
    answer("platform", {{"name", platform_text(platforms[p], CL_PLATFORM_NAME)},
                        {"version", platform_text(platforms[p], CL_PLATFORM_VERSION)},
                        {"devices", count}});
  }
  if (words.copies_s > 0) {
    time_copies(words.copies_s, answer);
    return;
  }
  if (!words.list_only) {
    for (const device_place& place : places) {
      const device_facts& facts = facts_of(place.device);
      answer("device", {{"platform", place.platform_index},
                        {"device", place.device_index},
                        {"record", record_of(facts, choose_profile(facts))}});
    }
  }
  if (words.properties) answer_all_properties(platforms, words);
  if (words.use) try_devices(words.meant);
  if (words.selector && !places.empty()) {
    const cl_device_id selected = select_or_absent(*words.selector);
    for (const device_place& place : places) {
      if (place.device == selected) answer("selected", {place.platform_index, place.device_index});
    }
  }
}

}  // namespace

void add_visit(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("visit", "Asks the drivers; run by clwave itself");
  command->group("");  // not in --help
  auto words = std::make_shared<visit_words>();
  command->add_flag("--list", words->list_only);
  command->add_flag("--properties", words->properties);
  command->add_flag("--offline", words->offline);
  command->add_flag("--null-platform", words->null_platform);
  command->add_option("--copies", words->copies_s);
  command->add_option("--library", words->library);
  command->add_option("--token", words->token);
  command->add_option("--select", words->selector);
  command->add_flag("--use", words->use);
  command->add_option("--meant", words->meant);
  command->callback([words, &exit] {
    try {
      visit(*words);
    } catch (const error& e) {
      answer("error", {{"kind", std::to_string(static_cast<int>(e.kind()))},
                       {"what", e.what()},
                       {"advice", e.details().advice}});
    }
    answer("end", words->token);
    exit = exit_ok;
    // What a driver does as the process ends is shown by `info`; the commands that compute end before it.
    if (!words->use) leave_through_drivers(exit);
  });
}

}  // namespace clwave::tool
