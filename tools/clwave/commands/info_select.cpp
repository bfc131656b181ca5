// Properties by their CL_ names, and facts and properties by names that the user gives.
#include <algorithm>
#include <iomanip>
#include <iterator>

#include "base/nearest.hpp"
#include "commands/info.hpp"
#include "device/print_facts.hpp"
#include "shared/output.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

// "preferred vector, char" is found as "preferred-vector,-char" and "Preferred_Vector,_Char" too.
std::string folded(std::string name) {
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
}

bool fits(const std::string& pattern, const std::string& name) {
  return fits_pattern(folded(pattern), folded(name));
}

bool has_wildcard(const std::string& pattern) { return pattern.find_first_of("*?[") != std::string::npos; }

// "; did you mean ...?"
std::string names_near(const std::string& pattern, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : detail::nearest(pattern, names))
    text += (text.empty() ? "; did you mean " : ", ") + name;
  return text.empty() ? text : text + "?";
}

std::vector<std::string> known_names(const info_found& all) {
  std::vector<std::string> names = property_names();
  for (const detail::typed_fact& each : detail::print_typed({})) names.push_back(each.printed.name);
  for (const placed_device& device : all.devices)  // vendors' own facts
    for (const json& fact : device.record()["facts"]) names.push_back(text_or(fact["name"], ""));
  return names;
}

// The facts, and the properties that some driver here was asked for.
std::vector<std::string> found_names(const info_found& all) {
  std::vector<std::string> names;
  for (const placed_device& device : all.devices) {
    for (const json& fact : device.record()["facts"]) names.push_back(text_or(fact["name"], ""));
    for (const property& each : device.found->properties) names.push_back(each.name);
    for (const property& each : device.platform->found().properties) names.push_back(each.name);
  }
  return names;
}

void print_line(const std::string& place, const std::string& name, const std::string& value) {
  out() << std::left << std::setw(9) << "[" + place + "]" << std::setw(46) << name << "  " << value << '\n';
}

std::string text_of_answer(const property& answer) {
  return answer.value.is_null() ? "(refused: " + answer.text + ")" : answer.text;
}

void print_properties(const std::string& place, const std::vector<property>& list,
                      const name_selection& wanted) {
  for (const property& each : list)
    if (wanted.has(each.name)) print_line(place, each.name, text_of_answer(each));
}

// Those asked for by their whole name that the driver was not asked: no version or extension says that it
// knows them.
void print_absent(const std::string& place, const std::vector<property>& list, const name_selection& wanted,
                  const char* prefix) {
  for (const std::string& name : property_names()) {
    if (name.starts_with(prefix) && wanted.names_exactly(name) &&
        std::ranges::find(list, name, &property::name) == list.end())
      print_line(place, name, "(not asked: neither its version nor an extension is reported)");
  }
}

void print_platform_once(const placed_device& device, const placed_platform*& last,
                         const name_selection& wanted) {
  if (device.platform == last) return;
  last = device.platform;
  const std::string place = std::to_string(last->index) + ":*";
  print_properties(place, last->found().properties, wanted);
  print_absent(place, last->found().properties, wanted, "CL_PLATFORM_");
  print_absent(place, last->found().properties, wanted, "CL_CONTEXT_");
}

}  // namespace

name_selection::name_selection(std::vector<std::string> patterns, const info_found& all)
    : patterns_(std::move(patterns)) {
  const std::vector<std::string> names = known_names(all);
  const auto any_fits = [&](const std::string& pattern) {
    return std::ranges::any_of(names, [&](const std::string& name) { return fits(pattern, name); });
  };
  std::vector<std::string> absent;
  for (std::string& pattern : patterns_) {
    if (any_fits(pattern)) continue;
    // What is no name is looked for inside of names. Where only properties fit that no driver was asked,
    // these are the ones meant: each is listed as such.
    const std::string inside = "*" + pattern + "*";
    if (!has_wildcard(pattern) && any_fits(inside)) {
      pattern = inside;
      const std::vector<std::string> found = found_names(all);
      if (std::ranges::none_of(found, [&](const std::string& name) { return fits(inside, name); }))
        std::ranges::copy_if(property_names(), std::back_inserter(absent),
                             [&](const std::string& name) { return fits(inside, name); });
      continue;
    }
    throw stop(exit_usage, "no property or fact fits \"" + pattern + "\"" + names_near(pattern, names) +
                               "; clwave info --raw lists properties, clwave info -v facts");
  }
  patterns_.insert(patterns_.end(), absent.begin(), absent.end());
}

bool name_selection::has(const std::string& name) const {
  return patterns_.empty() ||
         std::ranges::any_of(patterns_, [&](const std::string& pattern) { return fits(pattern, name); });
}

bool name_selection::names_exactly(const std::string& name) const {
  return std::ranges::any_of(
      patterns_, [&](const std::string& pattern) { return !has_wildcard(pattern) && fits(pattern, name); });
}

void print_raw(const info_found& all) {
  const name_selection everything({}, all);
  const placed_platform* last = nullptr;
  for (const placed_device& device : all.devices) {
    print_platform_once(device, last, everything);
    print_properties(device.place, device.found->properties, everything);
  }
  for (const placed_platform& platform : all.empty_platforms)
    print_properties(std::to_string(platform.index) + ":*", platform.found().properties, everything);
  print_properties("loader", all.loader(), everything);
}

void print_selected(const info_found& all, const name_selection& wanted) {
  const placed_platform* last = nullptr;
  for (const placed_device& device : all.devices) {
    print_platform_once(device, last, wanted);
    for (const json& fact : device.record()["facts"]) {
      const std::string name = text_or(fact["name"], "");
      if (!wanted.has(name)) continue;
      print_line(
          device.place, name,
          fact["value"].is_null() ? "(unknown: " + text_or(fact["source"], "") + ")" : value_text(fact));
    }
    print_properties(device.place, device.found->properties, wanted);
    print_absent(device.place, device.found->properties, wanted, "CL_D");
  }
  print_properties("loader", all.loader(), wanted);
}

}  // namespace clwave::tool
