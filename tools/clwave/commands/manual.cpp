// clwave manual and clwave completion: the man page and a shell's completion, both made from the commands as
// they are.
#include <algorithm>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <clwave/version.hpp>

#include "shared/common.hpp"
#include "shared/output.hpp"

namespace clwave::tool {

namespace {

// The commands that --help shows.
std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* each) { return !each->get_group().empty(); });
}

// The options that --help shows, without arguments that stand alone.
std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* each : app.get_options()) {
    if (!each->get_group().empty() && !each->get_positional()) options.push_back(each);
  }
  return options;
}

// "-d", "--device" and so on.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

// Text as roff takes it: its own signs mean themselves, and no line begins with one of its commands.
std::string roff(std::string_view text) {
  std::string made;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) made += "\\&";
    if (c == '\\') {
      made += "\\e";
    } else if (c == '-') {
      made += "\\-";
    } else if (c == ',') {
      made += ",\\:";  // a list without spaces may be broken here
    } else {
      made += c;
    }
    begins = c == '\n';
  }
  return made;
}

std::string described(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* each : app.get_options()) {
    if (each->get_group().empty()) continue;
    const std::string name = each->get_positional() ? each->get_name(true) : joined(names_of(*each), ", ");
    text += ".TP\n.B " + roff(name);
    if (!each->get_positional() && each->get_expected_max() > 0 && !each->get_type_name().empty())
      text += " \\fI" + roff(each->get_type_name()) + "\\fR";
    text += "\n" + roff(each->get_description()) + "\n";
  }
  return text;
}

std::string man_page(const CLI::App& app) {
  std::string page =
      std::string(".TH CLWAVE 1 \"\" \"clwave ") + CLWAVE_VERSION_STRING + "\" \"User Commands\"\n.ad l\n";
  page +=
      ".SH NAME\nclwave \\- what OpenCL devices are, which code each gets, and folds, scans and sorts of "
      "files on them\n";
  page += ".SH SYNOPSIS\n.B clwave\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n";
  page += ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n.SH OPTIONS\n" + described(app);
  page += ".SH COMMANDS\n";
  for (const CLI::App* command : commands_of(app)) {
    page += ".SS clwave " + roff(command->get_name()) + "\n" + roff(command->get_description()) + "\n" +
            described(*command);
    for (const CLI::App* inner : commands_of(*command)) {
      page += ".PP\n.B clwave " + roff(command->get_name() + " " + inner->get_name()) + "\n.br\n" +
              roff(inner->get_description()) + "\n" + described(*inner);
    }
  }
  page += ".SH EXIT STATUS AND ENVIRONMENT\n.nf\n" + roff(app.get_footer()) + "\n.fi\n";
  return page;
}

// Every place a word may stand: ("clwave reduce", what may follow).
struct place {
  std::string words;
  std::vector<std::string> commands, options;
};

void add_places(const CLI::App& app, const std::string& words, std::vector<place>& places) {
  place own{words, {}, {}};
  for (const CLI::App* each : commands_of(app)) own.commands.push_back(each->get_name());
  for (const CLI::Option* each : options_of(app)) {
    for (const std::string& name : names_of(*each)) own.options.push_back(name);
  }
  places.push_back(own);
  for (const CLI::App* each : commands_of(app)) add_places(*each, words + " " + each->get_name(), places);
}

std::string bash_completion(const std::vector<place>& places) {
  std::string text =
      "# Completion of clwave for bash, and for zsh after `autoload -U bashcompinit && bashcompinit`.\n"
      "_clwave() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} at=clwave next k\n"
      "  for ((k = 1; k < COMP_CWORD; ++k)); do\n"
      "    next=\"$at ${COMP_WORDS[k]}\"\n"
      "    case $next in\n";
  std::vector<std::string> inner;
  for (const place& each : places) {
    if (each.words != "clwave") inner.push_back("\"" + each.words + "\"");
  }
  text +=
      "      " + joined(inner, " | ") + ") at=$next ;;\n    esac\n  done\n  local words=\n  case $at in\n";
  for (const place& each : places) {
    std::vector<std::string> words = each.commands;
    words.insert(words.end(), each.options.begin(), each.options.end());
    text += "    \"" + each.words + "\") words=\"" + joined(words) + "\" ;;\n";
  }
  text +=
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [[ $word == -* || ${#COMPREPLY[@]} != 0 ]] || COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "}\n"
      "complete -o filenames -F _clwave clwave\n";
  return text;
}

std::string fish_completion(const std::vector<place>& places) {
  std::string text = "# Completion of clwave for fish.\n";
  for (const place& each : places) {
    const std::string inside = each.words == "clwave"
                                   ? "__fish_use_subcommand"
                                   : "__fish_seen_subcommand_from " + each.words.substr(sizeof "clwave");
    for (const std::string& command : each.commands)
      text += "complete -c clwave -n '" + inside + "' -a " + command + "\n";
    for (const std::string& option : each.options) {
      const bool is_long = option.starts_with("--");
      text += "complete -c clwave -n '" + inside + "' " + (is_long ? "-l " : "-s ") +
              option.substr(is_long ? 2 : 1) + "\n";
    }
  }
  return text;
}

}  // namespace

void add_manual(CLI::App& app, int& exit) {
  CLI::App* manual = app.add_subcommand("manual", "The man page, as roff: clwave manual | man -l -");
  manual->callback([&app, &exit] {
    out() << man_page(app);
    exit = exit_ok;
  });
  CLI::App* completion = app.add_subcommand("completion", "A shell's completion of this tool's words");
  auto* shell = completion->add_option("shell", "bash, zsh or fish")
                    ->required()
                    ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([&app, &exit, shell] {
    std::vector<place> places;
    add_places(app, "clwave", places);
    out() << (shell->as<std::string>() == "fish" ? fish_completion(places) : bash_completion(places));
    exit = exit_ok;
  });
}

}  // namespace clwave::tool
