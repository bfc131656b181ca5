// How devices, profiles and plans are written as JSON.
#include "shared/records.hpp"

#include <clwave/reduce.hpp>

namespace clwave::tool {
namespace {

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
  return {{"name", choice.row->name},
          {"title", choice.row->title},
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
  for (const printed_fact& each : print(facts)) {
    list.push_back({{"name", each.name},
                    {"value", each.from == provenance::unknown ? json(nullptr) : json(each.value)},
                    {"unit", each.unit},
                    {"provenance", name_of(each.from)},
                    {"source", each.source}});
  }
  return {{"name", text_or_null(facts.name)},
          {"architecture", text_or_null(facts.architecture)},
          {"family", facts.family ? json(name_of(*facts.family)) : json(nullptr)},
          {"profile", record_of(choice)},
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
          {"words", std::move(words)},
          {"launches", plan.kernels.size()},
          {"workspace_bytes", plan.workspace_bytes},
          {"kernels", std::move(kernels)}};
}

std::string short_text_of(const profile_choice& choice) {
  std::string text = std::string(choice.row->name) + " (" + std::string(choice.row->title) + ")";
  if (choice.forced) text += ", forced";
  if (choice.emulated) text += ", emulated";
  return text;
}

}  // namespace clwave::tool
