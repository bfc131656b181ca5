// clwave info --topology: where the devices are, which share a context, what copies cost between host and
// devices and from device to device, and what that means for data that another device needs.
#include <algorithm>
#include <cstdio>

#include <clwave/version.hpp>

#include "commands/info.hpp"
#include "shared/output.hpp"
#include "shared/terminal.hpp"
#include "shared/version.hpp"

namespace clwave::tool {
namespace {

constexpr std::size_t topology_column = 24;

// --- What was timed, by place -------------------------------------------------------------------------

// Of the visit that timed the copies of a platform.
const visited& timing_of(const placed_platform& platform, const info_found& all,
                         const std::vector<visited>& timed) {
  return timed[static_cast<std::size_t>(platform.visit - all.each.data())];
}

json untimed(const std::string& why) {
  return {{"gb_per_s", nullptr}, {"best_gb_per_s", nullptr}, {"samples", 0}, {"why", why}};
}

// Why a visit that should have timed something has not.
std::string why_untimed(const visited& visit) {
  if (visit.refused) return visit.refused->what();
  return visit.what.empty() ? "not timed" : visit.what;
}

json speed_in(const json& record, const char* name, const visited& visit) {
  return record.is_object() && record.contains(name) ? record[name] : untimed(why_untimed(visit));
}

json value_in(const json& record, const char* name) {
  return record.is_object() && record.contains(name) ? record[name] : json();
}

template <class Fits>
json find_timed(const visited& visit, const char* of, const placed_platform& platform, const Fits& fits) {
  for (const json& each : visit.timed) {
    if (value_in(each, "of") == of && value_in(each, "platform") == platform.index_in_visit && fits(each))
      return each;
  }
  return {};
}

json record_of_place(const placed_device& device, const visited& timed) {
  const json& known = device.record();
  json record = {{"place", device.place},
                 {"name", known["name"]},
                 {"platform", device.platform->found().name},
                 {"pci", nullptr},
                 {"pci_source", nullptr}};
  for (const json& fact : known["facts"]) {
    if (fact["name"] != "PCI place") continue;
    record["pci"] = fact["value"];
    record["pci_source"] = fact["source"];
  }
  const json speeds = find_timed(timed, "device", *device.platform, [&](const json& each) {
    return value_in(each, "device") == device.found->device;
  });
  record["transfer_bytes"] = value_in(speeds, "transfer_bytes");
  record["within_bytes"] = value_in(speeds, "within_bytes");
  record["host_to_device"] = {{"page_locked", speed_in(speeds, "host_to_device_locked", timed)},
                              {"pageable", speed_in(speeds, "host_to_device_pageable", timed)}};
  record["device_to_host"] = {{"page_locked", speed_in(speeds, "device_to_host_locked", timed)},
                              {"pageable", speed_in(speeds, "device_to_host_pageable", timed)}};
  record["within"] = speed_in(speeds, "within", timed);
  return record;
}

// --- What it means ------------------------------------------------------------------------------------

double number_of_speed(const json& speed, const char* which = "gb_per_s") {
  return speed[which].is_number() ? speed[which].get<double>() : 0;
}

std::string gb_per_s_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  return text;
}

std::string gb_per_s_text(const json& speed) {
  const double value = number_of_speed(speed);
  return value > 0 ? gb_per_s_text(value) : "-";
}

// What the driver does when it is asked to migrate, beside what a program can do by hand. By the best
// samples: others' work on the machine makes a copy slower, and never faster.
std::string advice_on(const json& pair) {
  const auto best = [](const json& speed) { return number_of_speed(speed, "best_gb_per_s"); };
  const double migrated = best(pair["migrate"]);
  const double there = best(pair["read_there"]);
  const double by_hand = best(pair["by_hand"]);
  const double copied =
      std::max(best(pair["copy"]["on_source_queue"]), best(pair["copy"]["on_target_queue"]));
  if (migrated == 0)
    return "asked to migrate, the driver fails (" + text_or(pair["migrate"]["why"], "not timed") +
           "): bring data by hand";
  // Hardly slower than reading what is there already.
  if (migrated > there / 2 && there > 0)
    return "asked to migrate, the driver copies nothing: both devices reach the same memory";
  std::string text = "asked to migrate, the driver copies at " + gb_per_s_text(migrated) + " GB/s";
  if (by_hand > 0) {
    text += ", by hand it is " + gb_per_s_text(by_hand);
    text += migrated > 1.25 * by_hand  ? ": let the driver move data"
            : migrated > 0.8 * by_hand ? ": about the same"
                                       : ": keep data where it is, or bring it by hand";
  }
  if (copied > 1.25 * std::max(migrated, by_hand))
    text += "; clEnqueueCopyBuffer is the fastest, " + gb_per_s_text(copied);
  if (pair["migrate_asked_share"].is_number() && pair["migrate_asked_share"].get<double>() < 0.25)
    text += "; it copies when the data are used, and not when it is asked";
  return text;
}

json record_of_pair(const json& timed, const visited& visit, const std::string& from, const std::string& to) {
  json record = {{"from", from},
                 {"to", to},
                 {"bytes", value_in(timed, "bytes")},
                 {"copy",
                  {{"on_source_queue", speed_in(timed, "copy_by_source", visit)},
                   {"on_target_queue", speed_in(timed, "copy_by_target", visit)}}},
                 {"migrate", speed_in(timed, "migrate", visit)},
                 {"migrate_asked_share", value_in(timed, "migrate_asked_share")},
                 {"unasked", speed_in(timed, "unasked", visit)},
                 {"read_there", speed_in(timed, "read_there", visit)},
                 {"by_hand", speed_in(timed, "by_hand", visit)}};
  record["advice"] = advice_on(record);
  return record;
}

json record_of_topology(const info_found& all, const std::vector<visited>& timed) {
  json topology = {{"schema", "clwave-topology/1"}, {"clwave", CLWAVE_VERSION_STRING}, {"commit", commit()}};
  topology["devices"] = json::array();
  topology["platforms"] = json::array();
  topology["pairs"] = json::array();
  std::vector<const placed_platform*> platforms;
  for (const placed_device& device : all.devices) {
    topology["devices"].push_back(record_of_place(device, timing_of(*device.platform, all, timed)));
    if (platforms.empty() || platforms.back() != device.platform) platforms.push_back(device.platform);
  }
  for (const placed_platform* platform : platforms) {
    const visited& visit = timing_of(*platform, all, timed);
    const auto place_in = [&](const json& index) {
      const auto found = std::ranges::find_if(all.devices, [&](const placed_device& each) {
        return each.platform == platform && index == each.found->device;
      });
      return found == all.devices.end() ? std::string() : found->place;
    };
    json places = json::array();
    for (const placed_device& device : all.devices)
      if (device.platform == platform) places.push_back(device.place);
    const json common = find_timed(visit, "platform", *platform, [](const json&) { return true; });
    topology["platforms"].push_back({{"platform", platform->index},
                                     {"name", platform->found().name},
                                     {"devices", places},
                                     {"common_context", value_in(common, "common_context")},
                                     {"why", value_in(common, "why")}});
    for (const json& each : visit.timed) {
      if (value_in(each, "of") != "pair" || value_in(each, "platform") != platform->index_in_visit) continue;
      const std::string from = place_in(value_in(each, "from"));
      const std::string to = place_in(value_in(each, "to"));
      // Those of devices that were not asked for have no place here.
      if (!from.empty() && !to.empty()) topology["pairs"].push_back(record_of_pair(each, visit, from, to));
    }
  }
  topology["drivers"] = json::array();
  for (std::size_t i = 0; i < timed.size(); ++i) {
    const visited& visit = all.each[i].how == outcome::good ? timed[i] : all.each[i];
    topology["drivers"].push_back({{"library", visit.from.library},
                                   {"named_by", visit.from.named_by},
                                   {"outcome", name_of(visit.how)},
                                   {"what", visit.refused ? visit.refused->what() : visit.what}});
  }
  return topology;
}

// --- For people ---------------------------------------------------------------------------------------

void print_topology_entry(const std::string& name, const std::string& value) {
  std::string head = "  " + name;
  head.append(head.size() < topology_column ? topology_column - head.size() : 1, ' ');
  out() << head << wrapped(value, topology_column, head.size()) << '\n';
}

// "52.1 page-locked, 12.3 pageable"; what is not known with its reason.
std::string host_speeds_text(const json& speeds) {
  std::string text;
  for (const auto& [kind, name] :
       {std::pair("page_locked", "page-locked"), std::pair("pageable", "pageable")}) {
    const json& speed = speeds[kind];
    text += (text.empty() ? "" : ", ") + gb_per_s_text(speed) + " " + name;
    if (!speed["why"].is_null()) text += " (" + text_or(speed["why"], "") + ")";
  }
  return text;
}

void print_topology_device(const json& device) {
  out() << painted(style::heading,
                   "device " + text_or(device["place"], "") + "  " + text_or(device["name"], "unnamed"))
        << '\n';
  print_topology_entry("PCI place",
                       text_or(device["pci"], "") +
                           (device["pci"].is_null() ? "not told: " + text_or(device["pci_source"], "") : ""));
  print_topology_entry("host to device", host_speeds_text(device["host_to_device"]));
  print_topology_entry("device to host", host_speeds_text(device["device_to_host"]));
  const json& within = device["within"];
  print_topology_entry(
      "within the device",
      gb_per_s_text(within) + (within["why"].is_null() ? "" : " (" + text_or(within["why"], "") + ")"));
}

void print_topology_platform(const json& platform) {
  std::string places;
  for (const json& each : platform["devices"]) places += (places.empty() ? "" : ", ") + text_or(each, "");
  out() << painted(style::heading,
                   "platform " + platform["platform"].dump() + "  " + text_or(platform["name"], "unnamed"))
        << '\n';
  const json& common = platform["common_context"];
  const bool one = platform["devices"].size() == 1;  // of the platform, or with -d
  print_topology_entry(
      "context", common == true    ? places + (one ? " shares one with the platform's others" : " share one")
                 : common == false ? places + " cannot share one: " + text_or(platform["why"], "")
                 : one             ? places + " alone"
                                   : places + ": not known whether they can share one");
}

void print_topology_pair(const json& pair) {
  out() << painted(style::heading, text_or(pair["from"], "") + " to " + text_or(pair["to"], "")) << '\n';
  print_topology_entry("clEnqueueCopyBuffer",
                       gb_per_s_text(pair["copy"]["on_source_queue"]) + " on the source's queue, " +
                           gb_per_s_text(pair["copy"]["on_target_queue"]) + " on the target's");
  print_topology_entry("migrated and read", gb_per_s_text(pair["migrate"]) + ", unasked " +
                                                gb_per_s_text(pair["unasked"]) + ", read where they are " +
                                                gb_per_s_text(pair["read_there"]));
  print_topology_entry("by hand", gb_per_s_text(pair["by_hand"]) + " through page-locked memory");
  for (const auto& [name, speed] :
       {std::pair("clEnqueueCopyBuffer", &pair["copy"]["on_source_queue"]),
        std::pair("migrated", &pair["migrate"]), std::pair("by hand", &pair["by_hand"])})
    if (!(*speed)["why"].is_null())
      print_topology_entry("", std::string(name) + ": " + text_or((*speed)["why"], ""));
  print_topology_entry("so", text_or(pair["advice"], ""));
}

}  // namespace

void print_topology(const info_found& all, const std::vector<visited>& timed, bool as_json) {
  const json topology = record_of_topology(all, timed);
  if (as_json) {
    out() << text_of(topology) << '\n';
    return;
  }
  out() << wrapped(
               "copies in GB/s (10^9 bytes copied a second), each the median of up to 7, by the host's clock",
               4, 0)
        << "\n\n";
  for (const json& device : topology["devices"]) print_topology_device(device);
  out() << '\n';
  for (const json& platform : topology["platforms"]) print_topology_platform(platform);
  for (const json& pair : topology["pairs"]) print_topology_pair(pair);
  for (const visited& visit : timed) {
    if (visit.is_bad()) out() << "driver " << visit.name() << ": " << visit.what << '\n';
  }
}

}  // namespace clwave::tool
