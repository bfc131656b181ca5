// What `clwave info` found, for the files that show it.
#pragma once

#include <string>
#include <vector>

#include "drivers/visit.hpp"

namespace clwave::tool {

// A platform in its place, and the visit that knows it.
struct placed_platform {
  unsigned index = 0;
  const visited* visit = nullptr;
  unsigned index_in_visit = 0;

  const visited_platform& found() const { return visit->platforms[index_in_visit]; }
};

struct placed_device {
  std::string place;  // "0:1"
  const placed_platform* platform;
  const visited_device* found;

  const json& record() const { return found->record; }
};

struct info_found {
  const std::vector<visited>& each;
  const visited& together;
  std::vector<placed_device> devices;
  std::vector<placed_platform> empty_platforms;  // those of good drivers that list no device

  const std::vector<property>& loader() const;
};

std::string text_or(const json& value, const char* otherwise);

// "sm_90, forced, emulated"
std::string profile_text(const json& profile);

// "8589934592 bytes (8 GiB)": a fact's value with its unit, or "unknown".
std::string value_text(const json& fact);

// For people: what matters of each device, on one screen; every fact, with where it is from. (info_text.cpp)
void print_summary(const info_found& all);
void print_in_full(const info_found& all);
void print_list(const info_found& all);
int print_profiles(bool as_json);

// Properties by their CL_ names, a line each. (info_select.cpp)
void print_raw(const info_found& all);

// Those facts and properties whose names fit one of the patterns. Throws `stop` (exit_usage) for a pattern
// that no name fits, with the nearest that there is. (info_select.cpp)
class name_selection {
 public:
  // Fits everything where there is no pattern.
  name_selection(std::vector<std::string> patterns, const info_found& all);
  bool has(const std::string& name) const;
  bool names_exactly(const std::string& name) const;

 private:
  std::vector<std::string> patterns_;
};
void print_selected(const info_found& all, const name_selection& wanted);

// Places and copies: `timed` is what visit_copies has of the drivers of `all.each`. (info_topology.cpp)
void print_topology(const info_found& all, const std::vector<visited>& timed, bool as_json);

// One text with everything, for the project. (info_report.cpp)
void print_report(const info_found& all);

}  // namespace clwave::tool
