// Adds the commands on files, and tells of their calls.
#include "commands/file_command.hpp"

#include <cstdio>
#include <utility>

#include "drivers/session.hpp"
#include "shared/output.hpp"

namespace clwave::tool {
namespace {

// In the unit that leaves digits of it: "12.3 us", "3.2 MB/s".
std::string time_text(double seconds) {
  char text[40];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  else if (seconds < 1)
    std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  else
    std::snprintf(text, sizeof text, "%.3f s", seconds);
  return text;
}

std::string rate_text(double per_second, const std::string& unit) {
  const struct {
    double least;
    const char* name;
  } units[] = {{1e8, "G"}, {1e5, "M"}, {1e2, "k"}, {0, ""}};
  double one = 1e9;
  for (const auto& each : units) {
    if (per_second >= each.least) {
      char text[40];
      std::snprintf(text, sizeof text, "%.1f %s", per_second / one, each.name);
      return text + unit;
    }
    one /= 1e3;
  }
  return "no " + unit;  // not a number
}

}  // namespace

CLI::App* begin_file_command(CLI::App& app, const file_command& command, file_words& words) {
  CLI::App* const added = app.add_subcommand(command.name, command.does);
  added->add_option("FILE", words.path, command.file)->required();
  if (command.output != nullptr) added->add_option("-o,--output", words.output, command.output);
  return added;
}

void end_file_command(CLI::App& added, const file_command& command, file_words& words) {
  if (command.takes_list)
    add_device_options(added, words.devices);
  else
    added.add_option("-d,--device", words.devices.selector, "On this device (see clwave --help)");
  added.add_flag(
      "--json", words.as_json,
      "As JSON, schema clwave-" + (command.schema != nullptr ? command.schema : command.name) + "/1");
  added.footer(command.footer);
}

int tell_file_call(const file_words& words, const chosen_devices& devices, const file_call& call, json before,
                   const json& behind, const std::function<std::string()>& people) {
  if (!words.as_json) {
    const std::string about = people();
    remark(about + '\n' + time_text(call.seconds) + ", " +
           rate_text(call.per_second, call.of_keys ? "keys/s" : "B/s") +
           (call.streamed.value_or(false) ? " (one call, as it was read)"
                                          : " (median of " + std::to_string(call.calls) + " calls)") +
           " on " + devices.places());
    return exit_ok;
  }
  json all = std::move(before);
  all["seconds"] = call.seconds;
  all[call.of_keys ? "keys_per_s" : "gb_per_s"] = call.of_keys ? call.per_second : call.per_second / 1e9;
  all["calls"] = call.calls;
  all["device"] = devices.first().device_name();
  all["profile"] = devices.first().choice.profile->name;
  all.update(behind);
  if (call.streamed) {
    all["streamed"] = *call.streamed;
    all["devices"] = devices.names();
  }
  out() << text_of(all) << '\n';
  return exit_ok;
}

void add_reduce_of_file(CLI::App& added, reduce_words& words, folds_for use) {
  words.type.clear();  // so that a .npy file's own type is not contradicted
  add_reduce_options(added, words, use);
  added.get_option("--type")->description(help_of_raw_type(/*ordered=*/false));
}

json record_of(const reduce_meaning& meaning) {
  return {{"op", meaning.fold->name}, {"type", meaning.type->name}, {"acc", meaning.value->name}};
}

}  // namespace clwave::tool
