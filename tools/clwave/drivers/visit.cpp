// The parent's side of a visit: starts the children, and makes sense of how they ended.
#include "drivers/visit.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <random>
#include <sstream>
#include <stdexcept>

#include "base/environment.hpp"
#include "device/no_devices.hpp"
#include "shared/children.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

double deadline_s() {
  const char* text = detail::environment("CLWAVE_DRIVER_DEADLINE");
  if (text == nullptr) return 20;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (*end != '\0' || !(seconds > 0) || seconds > 86400)
    throw error(failure::bad_call,
                "CLWAVE_DRIVER_DEADLINE=" + std::string(text) + " is no number of seconds");
  return seconds;
}

std::vector<std::string> other_variables() {
  return {std::begin(other_loader_variables), std::end(other_loader_variables)};
}

failure failure_named(const std::string& name) {
  for (const failure kind : {failure::bad_call, failure::no_device, failure::device_absent, failure::build,
                             failure::out_of_memory, failure::device_lost, failure::driver}) {
    if (std::to_string(static_cast<int>(kind)) == name) return kind;
  }
  return failure::internal;
}

// What a child's answer begins and ends with. A driver in the child that writes an end of its own, on
// whatever descriptor, does not know it.
const std::string& token() {
  static const std::string text = [] {
    std::random_device random;
    return std::to_string(random()) + "-" + std::to_string(random());
  }();
  return text;
}

// Takes in one line of a child's answer. False if it is none.
bool take_line(const std::string& text, visited& into, bool& complete) {
  const json line = json::parse(text, nullptr, false);
  if (!line.is_object() || line.size() != 1) return false;
  const auto entry = line.begin();
  const std::string& key = entry.key();
  const json& value = entry.value();
  if (key == "platform") {
    into.platforms.push_back(
        {value.value("name", ""), value.value("version", ""), value.value("devices", 0u)});
  } else if (key == "file") {
    into.file = value.get<std::string>();
  } else if (key == "not_loadable") {
    into.what = value.get<std::string>();
  } else if (key == "device") {
    into.devices.push_back({value.value("platform", 0u), value.value("device", 0u), value["record"]});
  } else if (key == "properties") {
    std::vector<property> list;
    for (const json& each : value.at("list")) list.push_back(unpacked_property(each));
    const unsigned platform = value.value("platform", 0u);
    if (!value.contains("platform")) into.loader = list;
    if (!value.contains("device") && value.contains("platform"))
      into.platforms.at(platform).properties = list;
    for (visited_device& device : into.devices)
      if (value.contains("device") && device.platform == platform && device.device == value["device"])
        device.properties = list;
  } else if (key == "timed") {
    into.timed.push_back(value);
  } else if (key == "timing") {
    into.timing = value.get<std::string>();
  } else if (key == "selected") {
    into.selected = {value[0].get<unsigned>(), value[1].get<unsigned>()};
  } else if (key == "error") {
    const std::string what = value.value("what", "");
    into.refused = error(failure_named(value.value("kind", "")), what.substr(0, what.find('\n')), CL_SUCCESS,
                         {.advice = value.value("advice", "")});
  } else if (key == "begin" || key == "asked") {
    into.asked += key == "asked" ? 1 : 0;
  } else if (key == "end") {
    complete = value == token();
    return complete;
  } else {
    return false;
  }
  return true;
}

// How far a child got, for people.
std::string stage_of(const visited& visit, bool complete, depth how_deep) {
  if (complete) return "while it was unloaded";
  if (visit.file.empty() && visit.platforms.empty()) return "while it was loaded";
  if (how_deep == depth::copies)
    return visit.timing.empty() ? "before copies were timed" : "while copies were timed: " + visit.timing;
  std::size_t expected = 0;
  for (const visited_platform& platform : visit.platforms) expected += platform.devices;
  if (visit.devices.size() < expected)
    return "while facts of device " + std::to_string(visit.devices.size()) + " were gathered";
  if (how_deep == depth::properties) return "while all properties were asked for";
  return "while its devices were listed";
}

// The last words of a process that failed, on one line.
std::string last_words(std::string noise) {
  while (!noise.empty() && std::isspace(static_cast<unsigned char>(noise.back())) != 0) noise.pop_back();
  const std::size_t line = noise.rfind('\n');
  if (line != std::string::npos) noise.erase(0, line + 1);
  if (noise.size() > 300) noise.resize(300);
  return noise.empty() ? "" : "; its last words: " + noise;
}

visited make_sense_of(const driver& from, const child_end& end, depth how_deep,
                      double deadline = deadline_s()) {
  visited visit{.from = from};
  bool complete = false;
  bool well_formed = true;
  std::istringstream lines(end.answer);
  try {
    for (std::string line; std::getline(lines, line);) well_formed &= take_line(line, visit, complete);
  } catch (const json::exception&) {
    well_formed = false;
  } catch (const std::out_of_range&) {
    well_formed = false;
  }
  std::string stage = stage_of(visit, complete, how_deep);
  if (how_deep == depth::list && !complete && !visit.platforms.empty()) {
    stage = visit.asked == 0 ? "while its devices were listed"
                             : "while device " + std::to_string(visit.asked - 1) +
                                   " was asked what it is, or a context made on it";
  }

  if (end.timed_out) {
    visit.how = outcome::hung;
    std::ostringstream what;
    what << "hung " << stage << ": stopped after " << deadline << " s" << last_words(end.noise);
    visit.what = what.str();
  } else if (end.signal != 0) {
    visit.how = outcome::crashed;
    visit.what = "crashed " + stage + ": " + signal_text(end.signal) + last_words(end.noise);
  } else if (complete && well_formed) {
    visit.how = visit.platforms.empty() ? outcome::empty : outcome::good;
    if (visit.platforms.empty() && visit.what.empty()) visit.what = "the loader got no platform out of it";
    for (const visited_platform& platform : visit.platforms) {
      if (platform.devices == 0)
        visit.what += (visit.what.empty() ? "" : "; ") + detail::text_of_empty_platform(platform.name);
    }
  } else if (end.status != 0) {
    visit.how = outcome::crashed;
    visit.what = "ended the process " + stage + " with exit status " + std::to_string(end.status) +
                 last_words(end.noise);
  } else {
    visit.how = outcome::garbled;
    visit.what =
        (complete ? "its answer could not be read" : "ended the process " + stage) + last_words(end.noise);
  }
  return visit;
}

child_task task_for(const driver& from, const vendors_folder* folder) {
  child_task task;
  task.arguments = {"visit", "--token=" + token()};
  if (!from.library.empty()) task.arguments.insert(task.arguments.end(), {"--library", from.library});
  if (folder != nullptr) {
    task.unset = other_variables();
    task.set = {{"OCL_ICD_VENDORS", folder->variable()}};
  }
  return task;
}

std::vector<driver> good_ones(const std::vector<visited>& each) {
  std::vector<driver> good;
  for (const visited& visit : each) {
    if (visit.how == outcome::good) good.push_back(visit.from);
  }
  return good;
}

bool some_are_bad(const std::vector<visited>& each) {
  return std::any_of(each.begin(), each.end(), [](const visited& visit) { return visit.is_bad(); });
}

}  // namespace

const char* name_of(outcome how) {
  switch (how) {
    case outcome::good:
      return "ok";
    case outcome::duplicate:
      return "duplicate";
    case outcome::empty:
      return "no platform";
    case outcome::crashed:
      return "crashed";
    case outcome::hung:
      return "hung";
    case outcome::garbled:
      return "garbled";
    case outcome::unreadable:
      break;
  }
  return "unreadable";
}

std::string visited::name() const {
  return from.library.empty() ? from.named_by : from.library + " (" + from.named_by + ")";
}

std::vector<visited> visit_drivers(depth how_deep, const std::optional<std::string>& use,
                                   const std::vector<std::string>& also) {
  const std::vector<driver> listed = list_drivers();
  std::vector<visited> visits;
  std::vector<driver> drivers;
  for (const driver& each : listed) {
    if (each.trouble.empty()) {
      drivers.push_back(each);
    } else {
      visits.push_back({.from = each, .how = outcome::unreadable, .what = each.trouble});
    }
  }
  std::vector<std::unique_ptr<vendors_folder>> folders;
  std::vector<child_task> tasks;
  for (const driver& each : drivers) {
    folders.push_back(each.library.empty() ? nullptr : std::make_unique<vendors_folder>(std::vector{each}));
    tasks.push_back(task_for(each, folders.back().get()));
    if (how_deep == depth::list) tasks.back().arguments.emplace_back("--list");
    if (how_deep == depth::properties) tasks.back().arguments.emplace_back("--properties");
    tasks.back().arguments.insert(tasks.back().arguments.end(), also.begin(), also.end());
    if (use) tasks.back().arguments.emplace_back("--use");
    if (use && !use->empty()) tasks.back().arguments.push_back("--meant=" + *use);
  }
  const std::vector<child_end> ends = run_children(tasks, deadline_s(), "trying the drivers");
  for (std::size_t i = 0; i < drivers.size(); ++i) {
    visited visit = make_sense_of(drivers[i], ends[i], how_deep);
    // "libpocl.so.2" and "/usr/lib/.../libpocl.so.2" are the same driver.
    for (const visited& before : visits) {
      if (visit.how == outcome::good && before.how == outcome::good && !visit.file.empty() &&
          visit.file == before.file) {
        visit.how = outcome::duplicate;
        visit.what = "the same file as " + before.name();
      }
    }
    visits.push_back(std::move(visit));
  }
  return visits;
}

visited visit_together(const std::vector<visited>& each, const std::optional<std::string>& selector) {
  std::unique_ptr<vendors_folder> folder;
  if (some_are_bad(each)) folder = std::make_unique<vendors_folder>(good_ones(each));
  const driver all{"", "all drivers together"};
  child_task task = task_for(all, folder.get());
  task.arguments.emplace_back("--list");
  if (selector) task.arguments.push_back("--select=" + *selector);
  return make_sense_of(all, run_children({task}, deadline_s(), "trying all drivers together").front(),
                       depth::list);
}

std::vector<visited> visit_copies(const std::vector<visited>& each) {
  const double deadline = 3 * deadline_s();
  std::vector<visited> timed;
  for (const visited& visit : each) {
    timed.push_back({.from = visit.from, .how = outcome::empty});
    if (visit.how != outcome::good) continue;
    std::unique_ptr<vendors_folder> folder;
    if (!visit.from.library.empty()) folder = std::make_unique<vendors_folder>(std::vector{visit.from});
    child_task task = task_for(visit.from, folder.get());
    std::ostringstream budget;
    budget << "--copies=" << 0.5 * deadline;  // the rest is for what is slow, and not broken
    task.arguments.push_back(budget.str());
    const child_end end = run_children({task}, deadline, "timing copies").front();
    timed.back() = make_sense_of(visit.from, end, depth::copies, deadline);
  }
  return timed;
}

cl_device_id select_or_absent(const std::string& selector) {
  try {
    return select_device(selector);
  } catch (const error& e) {
    if (e.kind() != failure::bad_call) throw;
    const std::string_view what = e.what();
    throw error(failure::device_absent, what.substr(0, what.find('\n')), e.code(), e.details());
  }
}

safe_drivers::safe_drivers(const std::string& selector) : each_(visit_drivers(depth::list, selector)) {
  if (!some_are_bad(each_)) return;
  const std::vector<driver> good = good_ones(each_);
  std::string bad;
  for (const visited& visit : each_) {
    if (!visit.is_bad()) continue;
    if (good.empty()) {
      bad += (bad.empty() ? "" : "; ") + visit.name() + " " + visit.what;
    } else {
      complain("going on without driver " + visit.name() + ", which " + visit.what);
    }
  }
  if (good.empty()) throw stop(exit_driver_failed, "no driver is left: " + bad);
  only_good_ = std::make_unique<vendors_folder>(good);
  set_variable("OCL_ICD_VENDORS", only_good_->variable());
  for (const char* name : other_loader_variables) unset_variable(name);
}

std::string safe_drivers::file_of_platform(const std::string& platform_name) const {
  for (const visited& visit : each_) {
    for (const visited_platform& platform : visit.platforms) {
      if (visit.how == outcome::good && platform.name == platform_name) return visit.file;
    }
  }
  return {};
}

}  // namespace clwave::tool
