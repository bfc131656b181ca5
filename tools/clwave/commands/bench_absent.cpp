// clwave bench and tune where Google Benchmark was not found when the tool was configured: say so.
#include "shared/common.hpp"

namespace clwave::tool {

namespace {

void add_absent(CLI::App& app, int& exit, const std::string& name) {
  CLI::App* command = app.add_subcommand(name, "Not built: Google Benchmark was not found");
  command->allow_extras();
  command->callback([name, &exit] {
    complain(name + " was not built: install Google Benchmark (libbenchmark-dev) and configure again");
    exit = exit_usage;
  });
}

}  // namespace

void add_bench(CLI::App& app, int& exit) { add_absent(app, exit, "bench"); }

void add_tune(CLI::App& app, int& exit) { add_absent(app, exit, "tune"); }

}  // namespace clwave::tool
