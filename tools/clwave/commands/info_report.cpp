// clwave info --report: one text that a user sends to the project. It has what the code's choices are made
// from, and nothing that says who or where the user is: no user or host names, no paths, no card's own
// number.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iomanip>
#include <set>

#include "base/environment.hpp"
#include "commands/info.hpp"
#include "drivers/drivers.hpp"
#include "shared/output.hpp"
#include "shared/records.hpp"
#include "shared/variables.hpp"
#include "shared/version.hpp"
#include "system/system.hpp"

namespace clwave::tool {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Names of this user and this host, with what stands for them.
std::vector<std::pair<std::string, std::string>> private_words() {
  std::set<std::string> users;
  std::set<std::string> hosts;
  for (const char* name : {"USER", "LOGNAME", "USERNAME", "SUDO_USER"})
    if (const char* user = detail::environment(name)) users.insert(user);
  if (const auto user = user_name()) users.insert(*user);
  if (const char* host = detail::environment("HOSTNAME")) hosts.insert(host);
  if (const auto host = host_name()) hosts.insert(*host);
  for (const std::string& host : std::set(hosts)) hosts.insert(host.substr(0, host.find('.')));
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string& user : users) words.emplace_back(user, "<user>");
  for (const std::string& host : hosts) words.emplace_back(host, "<host>");
  std::erase_if(words, [](const auto& each) { return each.first.size() < 2; });
  return words;
}

void replace_word(std::string& text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) text.replace(at, word.size(), by);
    at += whole ? by.size() : 1;
  }
}

// "at /usr/lib/libx.so.1: gone" becomes "at <path>: gone", and so a path of Windows, "C:\x". A slash within a
// word is no path's begin.
std::string without_paths(const std::string& text) {
  constexpr std::string_view before = " \t\n\"'`(=:,;[<|";
  constexpr std::string_view behind = " \t\n\"'`):,;]>|";
  std::string kept;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || before.find(text[at - 1]) != std::string_view::npos;
    const std::size_t slash = at + (text[at] == '~' || text[at] == '.' ? 1 : 0);
    const bool path = begins && slash + 1 < text.size() && text[slash] == '/' &&
                      (is_word(text[slash + 1]) || text[slash + 1] == '.');
    const bool with_drive = begins && is_word(text[at]) && text.compare(at + 1, 2, ":\\") == 0;
    if (!path && !with_drive) {
      kept += text[at++];
      continue;
    }
    kept += "<path>";
    at = std::min(text.find_first_of(behind, at + (with_drive ? 2 : 0)), text.size());
  }
  return kept;
}

// A text of a driver's or of the environment's, fit to be sent.
std::string sendable(const std::string& text) {
  static const auto words = private_words();
  std::string clean = without_paths(text);
  for (const auto& [word, by] : words) replace_word(clean, word, by);
  return clean;
}

// The last part of a path.
std::string file_name(const std::string& path) { return sendable(path.substr(path.find_last_of('/') + 1)); }

void print_line(const std::string& name, const std::string& value) {
  out() << "  " << std::left << std::setw(46) << name << "  " << value << '\n';
}

void print_environment() {
  if (const auto system = system_text()) out() << "system " << *system << '\n';
  // Names alone where the value is a folder.
  std::vector<std::string> set;
  for (const variable& each : variables) {
    const char* value = detail::environment(each.name);
    const std::string name = each.name;
    if (value != nullptr) set.push_back(name.ends_with("_DIR") ? name : name + "=" + sendable(value));
  }
  if (detail::environment("OCL_ICD_VENDORS") != nullptr) set.emplace_back("OCL_ICD_VENDORS");
  for (const char* name : other_loader_variables)
    if (detail::environment(name) != nullptr) set.emplace_back(name);
  out() << "variables set:" << (set.empty() ? " none" : "");
  for (const std::string& each : set) out() << ' ' << each;
  out() << '\n';
}

void print_drivers(const info_found& all) {
  out() << "\ndrivers\n";
  for (const visited& visit : all.each) {
    std::string name = file_name(visit.from.library.empty() ? visit.from.named_by : visit.from.library);
    std::string what = name_of(visit.how);
    if (!visit.what.empty()) what += ": " + sendable(visit.what);
    for (const visited_platform& platform : visit.platforms) what += "; platform " + sendable(platform.name);
    print_line(name, what);
  }
  print_line("together", std::string(name_of(all.together.how)) +
                             (all.together.what.empty() ? "" : ": " + sendable(all.together.what)));
}

void print_properties(const char* title, const std::vector<property>& list) {
  if (list.empty()) return;
  out() << title << '\n';
  for (const property& each : list) {
    std::string text =
        identifies_one_card(each.name) ? "(kept back: it names one card)" : sendable(each.text);
    if (each.value.is_null()) text = "(refused: " + text + ")";
    print_line(each.name, text);
  }
}

void print_reported_device(const placed_device& device) {
  const json& record = device.record();
  const json& choice = record["profile"];
  out() << "\ndevice " << device.place << "  " << sendable(text_or(record["name"], "unnamed")) << "\nrow\n";
  print_line("name", profile_text(choice));
  print_line("title", text_or(choice["title"], ""));
  print_line("why", sendable(text_or(choice["why"], "")));
  print_line("lanes", choice["lanes"].dump());
  print_line("exchange", text_or(choice["exchange"], ""));
  print_line("group order", text_or(choice["order"], ""));
  if (const profile* row = find_profile(text_or(choice["name"], "")); row != nullptr)
    print_line("evidence", std::string(row->evidence));
  for (const auto& [primitive, why] : choice["tuned"].items())
    print_line("tuned " + primitive, text_or(why, ""));
  out() << "facts\n";
  for (const json& fact : record["facts"]) {
    const std::string source = text_or(fact["source"], "");
    print_line(text_or(fact["name"], ""), sendable(value_text(fact)) + "  [" +
                                              text_or(fact["provenance"], "") +
                                              (source.empty() ? "" : ": " + sendable(source)) + "]");
  }
  print_properties("properties of the platform", device.platform->found().properties);
  print_properties("properties of the device", device.found->properties);
}

}  // namespace

void print_report(const info_found& all) {
  out() << "clwave report\nversion " << version_text() << '\n';
  print_environment();
  print_properties("loader", all.loader());
  print_drivers(all);
  for (const placed_device& device : all.devices) print_reported_device(device);
}

}  // namespace clwave::tool
