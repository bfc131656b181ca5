// The words that a command line could have had, and the nearest of them.
#include "shared/mistyped.hpp"

#include <CLI/CLI.hpp>

#include "base/nearest.hpp"

namespace clwave::tool {
namespace {

// The command that the words before the unknown one lead to.
const CLI::App& deepest(const CLI::App& app) {
  const CLI::App* at = &app;
  for (auto within = at->get_subcommands(); !within.empty(); within = at->get_subcommands())
    at = within.front();
  return *at;
}

// "clwave why reduce"
std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : path_of(*parent) + " " + command.get_name();
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!each->get_group().empty()) names.push_back(each->get_name());  // without a group: not for people
  return names;
}

// Those of the commands around it too, where it lets them through.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* each : command.get_options()) {
    if (each->get_group().empty()) continue;
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : each->get_snames()) names.push_back("-" + name);
  }
  if (command.get_fallthrough() && command.get_parent() != nullptr) {
    const std::vector<std::string> around = option_names(*command.get_parent());
    names.insert(names.end(), around.begin(), around.end());
  }
  return names;
}

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

}  // namespace

std::string complaint_of_unknown_option(const CLI::App& command, const std::string& word,
                                        const std::vector<std::string>& more) {
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names = option_names(command);
  names.insert(names.end(), more.begin(), more.end());
  return "unknown option " + name + " of " + path_of(command) +
         (name.starts_with("--") ? detail::did_you_mean(name, names) : "");
}

std::string complaint_of_unknown_words(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return {};
  const CLI::App& command = deepest(app);
  for (const std::string& word : unknown)
    if (is_option(word)) return complaint_of_unknown_option(command, word);
  const std::vector<std::string> commands = command_names(command);
  if (commands.empty())
    return "\"" + unknown.front() + "\" is one word more than " + path_of(command) + " takes";
  return "unknown command \"" + unknown.front() + "\" of " + path_of(command) +
         detail::did_you_mean(unknown.front(), commands);
}

}  // namespace clwave::tool
