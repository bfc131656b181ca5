// Reads lines of a log of programs.
#include "commands/logged_program.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <clwave/version.hpp>

#include "call/description.hpp"
#include "program/named_values.hpp"

namespace clwave::tool {
namespace {

std::vector<std::pair<std::string, std::string>> pairs_of(const json& list) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const json& each : list) {
    if (each.size() != 2) throw std::runtime_error("not two texts");
    pairs.emplace_back(each.at(0).get<std::string>(), each.at(1).get<std::string>());
  }
  return pairs;
}

std::vector<detail::text_name> names_of(const json& list) {
  std::vector<detail::text_name> names;
  for (const auto& [type, name] : pairs_of(list)) names.push_back({type, name});
  return names;
}

// The library refers to prefixes that live as long as it does.
std::string_view prefix_of(const std::string& text) {
  if (text.empty()) return {};
  const auto found = std::ranges::find(detail::value_prefixes, std::string_view(text));
  if (found == detail::value_prefixes.end()) throw std::runtime_error("no prefix of values");
  return *found;
}

// A word that goes into the option line as it is: no blank may end it.
bool is_word(const std::string& text) {
  constexpr std::string_view marks = "_.-+";
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           marks.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::optional<logged_program> read_logged(const std::string& line) try {
  const json all = json::parse(line);
  const auto text = [&all](const char* name) { return all.at(name).get<std::string>(); };
  logged_program program{line, {}, text("clwave"), text("device"), text("profile"), {}};
  detail::program_spec& spec = program.spec;
  spec.primitive = text("primitive");
  spec.types = text("types");
  spec.op = text("op");
  spec.registers = all.at("registers").get<unsigned>();
  spec.marked = all.at("marked").get<bool>();
  spec.modules = all.at("modules").get<std::vector<std::string>>();
  spec.words = pairs_of(all.at("words"));
  spec.texts = pairs_of(all.at("texts"));
  if (!is_word(spec.primitive)) return std::nullopt;
  for (const auto& [name, word] : spec.words)
    if (!is_word(name) || !is_word(word)) return std::nullopt;
  for (const json& each : all.at("declarations"))
    spec.declarations.push_back({each.at("label").get<std::string>(), each.at("text").get<std::string>(),
                                 each.at("ours").get<bool>(), each.at("of_text").get<bool>()});
  for (const json& each : all.at("user_texts")) {
    const auto part = [&each](const char* name) { return each.at(name).get<std::string>(); };
    const auto gives = each.at("gives").get<std::array<std::string, 3>>();
    spec.user_texts.push_back({.name = part("name"),
                               .label = part("label"),
                               .text = part("text"),
                               .values = {prefix_of(part("prefix")), names_of(each.at("values"))},
                               .declarations = part("declarations"),
                               .operands = names_of(each.at("operands")),
                               .result = {.type = gives[0], .before = gives[1], .behind = gives[2]},
                               .doubles = each.at("doubles").get<bool>()});
  }
  program.title = spec.primitive;
  for (const std::string& part : {spec.types, spec.op})
    if (!part.empty()) program.title += " " + part;
  return program;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception&) {  // no JSON, or a field that is missing or of another type
  return std::nullopt;
}

std::string why_not_here(const logged_program& program, const device_facts& facts,
                         const profile_choice& choice) {
  if (program.version != CLWAVE_VERSION_STRING) return "of clwave " + program.version;
  if (program.device != facts.name.value_or("")) return "for the device " + program.device;
  if (program.profile != choice.profile->name)
    return "for the profile " + program.profile + ", and the device has " + std::string(choice.profile->name);
  return {};
}

any_problem problem_of(const logged_program& program) {
  const auto planned = std::make_shared<const detail::planned_program>(
      detail::planned_program{"a line of a log\n" + program.line, program.spec});
  return any_problem([planned](const plan_target& on) {
    call_plan plan;
    plan.choice = on.choice;
    plan.program = planned;
    return plan;
  });
}

}  // namespace clwave::tool
