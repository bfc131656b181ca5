// What all of the tool's files share: exit codes, JSON, and the line of an error.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <clwave/error.hpp>

#include "base/registered.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace clwave::tool {

using json = nlohmann::ordered_json;

// The tool's exit codes; `clwave --help` lists them.
enum exit_code : int {
  exit_ok = 0,
  exit_internal = 1,
  exit_usage = 2,
  exit_no_device = 3,
  exit_device_absent = 4,
  exit_driver_failed = 5,
  exit_wrong_result = 6,
  exit_under_goal = 7,
  exit_device_lost = 8,
};

exit_code exit_code_of(failure kind);

// Ends the tool with an exit code that no failure of the library stands for.
struct stop : std::runtime_error {
  stop(exit_code with, const std::string& message) : std::runtime_error(message), code(with) {}
  exit_code code;
};

// JSON text for stdout. A driver's strings need not be UTF-8: what is not becomes U+FFFD.
std::string text_of(const json& value);

// The words, with `between` in between.
std::string joined(const auto& words, std::string_view between = " ") {
  std::string all;
  for (const std::string_view word : words) {
    if (!all.empty()) all += between;
    all += word;
  }
  return all;
}

// Since this process came to main.
double seconds_since_main();

// What people want to know beside the results, on stderr, so that stdout has the results alone: in one line
// or several, without its last end.
void remark(std::string_view text);

// "clwave: ..." on stderr, one line.
void complain(std::string_view message);

// Each adds its command to the tool; when the command runs, it leaves the exit code in `exit`.
void add_info(CLI::App& app, int& exit);
void add_why(CLI::App& app, int& exit);
void add_emulate(CLI::App& app, int& exit);
void add_demo(CLI::App& app, int& exit);
void add_bench(CLI::App& app, int& exit);
void add_manual(CLI::App& app, int& exit);
void add_tune(CLI::App& app, int& exit);
void add_warm(CLI::App& app, int& exit);
void add_visit(CLI::App& app, int& exit);
// Those that are a primitive's own register themselves.
using registered_commands = detail::registered<void (*)(CLI::App& app, int& exit)>;

}  // namespace clwave::tool
