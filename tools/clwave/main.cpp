// The clwave tool: its commands, and exceptions made into exit codes.
#include <chrono>
#include <exception>
#include <iostream>
#include <new>

#include <CLI/CLI.hpp>

#include "shared/common.hpp"
#include "shared/mistyped.hpp"
#include "shared/output.hpp"
#include "shared/variables.hpp"
#include "shared/version.hpp"

namespace clwave::tool {

exit_code exit_code_of(failure kind) {
  switch (kind) {
    case failure::bad_call:
      return exit_usage;
    case failure::no_device:
      return exit_no_device;
    case failure::device_absent:
      return exit_device_absent;
    case failure::out_of_memory:
    case failure::device_lost:
      return exit_device_lost;
    case failure::internal:
    case failure::build:
    case failure::driver:
      break;
  }
  return exit_internal;
}

std::string text_of(const json& value) { return value.dump(2, ' ', false, json::error_handler_t::replace); }

void remark(std::string_view text) {
  flush_output();  // in the order in which they are said, where both go to one place
  std::cerr << text << std::endl;
}

void complain(std::string_view message) {
  flush_output();  // so that the two streams read in order where both go to one place
  std::cerr << "clwave: " << message << std::endl;
}

namespace {

std::chrono::steady_clock::time_point main_began;

constexpr const char* exit_codes =
    "Exit codes: 0 ok; 1 internal error (a kernel that does not build, an OpenCL call that failed);\n"
    "2 usage, or a file that cannot be read; 3 no OpenCL device; 4 the selected device is absent;\n"
    "5 a driver crashed or hung; 6 wrong result; 7 bench: under a goal; 8 device lost or out of memory.\n\n"
    "Devices (-d): \"0:1\" (platform:device, as in clwave info -l), \"1\" (place in the whole list), gpu, "
    "cpu,\n"
    "sm_90, gfx90a, name~\"text\", pci=41:00. Without -d: CLWAVE_DEVICE, else the first GPU, else the "
    "first.\n\n";

std::string footer() {
  std::string text = exit_codes;
  text += "Environment (an empty variable counts as unset):\n";
  for (const variable& each : variables) {
    const std::string name = each.name;
    text += "  " + name + std::string(24 - name.size(), ' ') + each.meaning + "\n";
  }
  text.pop_back();
  return text;
}

// One line: the first of what(), and the advice. A build error alone is shown whole, with the
// compiler's lines.
void complain_of(const error& e) {
  const std::string_view what = e.what();
  if (e.kind() == failure::build) {
    complain(what);
    return;
  }
  std::string line(what.substr(0, what.find('\n')));
  if (!e.details().advice.empty() && line.find(e.details().advice) == std::string::npos)
    line += "; " + e.details().advice;
  complain(line);
}

// An empty word is what a shell makes of a variable that is not set: nobody means the default by it.
void refuse_empty_words(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_type_size_max() == 0) continue;  // a flag, which takes no word
    option->check(
        [](const std::string& word) { return word.empty() ? std::string("its word is empty") : ""; });
  }
  const auto is_for_people = [](const CLI::App* each) { return !each->get_group().empty(); };
  for (CLI::App* each : command.get_subcommands(is_for_people)) refuse_empty_words(*each);
}

int run(int argc, char** argv) {
  CLI::App app(
      "clwave: parallel building blocks for OpenCL devices, with the same bits on every device. What the "
      "devices "
      "are, which code each would get and why, and folds, scans, sorts and histograms of files.");
  app.name("clwave");
  app.footer(footer());
  app.set_version_flag("--version", version_text(), "The version, the commit, and how it was built");
  app.require_subcommand(0, 1);
  int exit = exit_ok;
  add_info(app, exit);
  add_why(app, exit);
  add_emulate(app, exit);
  for (const auto add : registered_commands::in_order(CLWAVE_TOOL_COMMANDS)) add(app, exit);
  add_demo(app, exit);
  add_bench(app, exit);
  add_tune(app, exit);
  add_warm(app, exit);
  add_manual(app, exit);
  add_visit(app, exit);
  refuse_empty_words(app);
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty()) out() << app.help();
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) {
      app.exit(e, out(), std::cerr);  // --help and --version
    } else {
      const std::string unknown = complaint_of_unknown_words(app);
      complain((unknown.empty() ? std::string(e.what()) : unknown) + "; try --help");
      return exit_usage;
    }
  } catch (const error& e) {
    complain_of(e);
    return exit_code_of(e.kind());
  } catch (const stop& e) {
    complain(e.what());
    return e.code;
  } catch (const std::bad_alloc&) {
    complain("out of host memory");
    return exit_device_lost;
  } catch (const std::exception& e) {
    complain(std::string("internal error: ") + e.what());
    return exit_internal;
  }
  return exit;
}

// The exit code, once the output is written.
int finished(int exit) {
  if (flush_output() || exit != exit_ok) return exit;
  complain("the output could not be written");
  return exit_internal;
}

}  // namespace

double seconds_since_main() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - main_began).count();
}

}  // namespace clwave::tool

int main(int argc, char** argv) {
  using namespace clwave::tool;
  main_began = std::chrono::steady_clock::now();
  try {
    take_standard_output();
    leave(finished(run(argc, argv)));
  } catch (...) {
    leave(exit_internal);  // not even the complaint could be made
  }
}
