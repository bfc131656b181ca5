// How devices, profiles and plans are written as JSON.
#include "shared/records.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

#include <clwave/reduce.hpp>

#include "device/device_facts.hpp"
#include "device/print_facts.hpp"

namespace clwave::tool {
namespace {

using detail::fact_kind;
using detail::typed_fact;

// The words of a text, without what stands between them.
std::vector<std::string> words_of(const std::string& text, const char* between) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(between); at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(between, end);
  }
  return words;
}

json number_or_text(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size() ? json(number) : json(text);
}

// The fact's value as JSON has it; null where it is not known.
json typed_value_of(const typed_fact& each) {
  const std::string& text = each.printed.value;
  if (each.printed.from == provenance::unknown) return nullptr;
  json list = json::array();
  switch (each.kind) {
    case fact_kind::flag:
      return text == "yes";
    case fact_kind::number:
      return number_or_text(text);
    case fact_kind::numbers:
      for (const std::string& word : words_of(text, ", ")) list.push_back(number_or_text(word));
      return list;
    case fact_kind::words:
      return words_of(text, " ");
    case fact_kind::text:
      break;
  }
  return text;
}

// The constants that a fact's source names.
json cl_names_in(const std::string& source) {
  json names = json::array();
  for (const std::string& word : words_of(source, " ,;:()"))
    if (word.starts_with("CL_")) names.push_back(word);
  return names;
}

json text_or_null(const fact<std::string>& value) { return value ? json(*value) : json(nullptr); }

}  // namespace

json record_of(const profile& row) {
  return {{"name", row.name},
          {"title", row.title},
          {"family", name_of(row.family)},
          {"lanes", row.lanes},
          {"exchange", name_of(row.exchange)},
          {"order", name_of(row.order)},
          {"evidence", row.evidence}};
}

json record_of(const profile_choice& choice) {
  json tuned = json::object();
  for (const auto& [primitive, why] : choice.tuned) tuned[primitive] = why;
  return {{"name", choice.profile->name},
          {"title", choice.profile->title},
          {"emulated", choice.emulated},
          {"forced", choice.forced},
          {"unknown_newer", choice.unknown_newer},
          {"lanes", choice.lanes},
          {"exchange", name_of(choice.exchange)},
          {"order", name_of(choice.order)},
          {"why", choice.why},
          {"tuned", std::move(tuned)}};
}

json record_of(const device_facts& facts, const profile_choice& choice) {
  json list = json::array();
  for (const typed_fact& typed : detail::print_typed(facts)) {
    const printed_fact& each = typed.printed;
    list.push_back({{"name", each.name},
                    {"value", each.from == provenance::unknown ? json(nullptr) : json(each.value)},
                    {"typed", typed_value_of(typed)},
                    {"unit", each.unit},
                    {"cl_names", each.from == provenance::query ? cl_names_in(each.source) : json::array()},
                    {"provenance", name_of(each.from)},
                    {"source", each.source}});
  }
  const std::string refused = detail::refusal_of(facts).message;
  return {{"name", text_or_null(facts.name)},
          {"architecture", text_or_null(facts.architecture)},
          {"family", facts.family ? json(name_of(*facts.family)) : json(nullptr)},
          {"profile", record_of(choice)},
          {"refused", refused.empty() ? json(nullptr) : json(refused)},
          {"facts", std::move(list)}};
}

json record_of(const call_plan& plan) {
  json rejected = json::array();
  for (const rejected_variant& each : plan.rejected)
    rejected.push_back({{"name", each.name}, {"reason", each.reason}});
  json kernels = json::array();
  for (const planned_kernel& kernel : plan.kernels) {
    json arguments = json::array();
    for (const planned_argument& argument : kernel.arguments)
      arguments.push_back({{"name", argument.name}, {"kind", argument.kind}, {"value", argument.value}});
    kernels.push_back({{"name", kernel.name},
                       {"groups", kernel.groups},
                       {"group_size", kernel.group_size},
                       {"global_size", kernel.groups * kernel.group_size},
                       {"local_size", kernel.group_size},
                       {"arguments", std::move(arguments)}});
  }
  json words = json::object();
  for (const auto& [name, word] : plan.words) words[name] = word;
  return {{"profile", record_of(plan.choice)},
          {"variant", plan.variant},
          {"rejected", std::move(rejected)},
          {"options", plan.options},
          {"second_target", plan.second_target},
          {"words", std::move(words)},
          {"modules", plan.modules},
          {"remarks", plan.remarks},
          {"launches", plan.kernels.size()},
          {"workspace_bytes", plan.workspace_bytes},
          {"kernels", std::move(kernels)}};
}

std::string short_text_of(const profile_choice& choice) {
  std::string text = std::string(choice.profile->name) + " (" + std::string(choice.profile->title) + ")";
  if (choice.forced) text += ", forced";
  if (choice.emulated) text += ", emulated";
  return text;
}

}  // namespace clwave::tool
