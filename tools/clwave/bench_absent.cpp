// clwave bench where Google Benchmark was not found when the tool was configured: says so.
#include "common.hpp"

namespace clwave::tool {

void add_bench(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("bench", "Not built: Google Benchmark was not found");
  command->allow_extras();
  command->callback([&exit] {
    complain("bench was not built: install Google Benchmark (libbenchmark-dev) and configure again");
    exit = exit_usage;
  });
}

}  // namespace clwave::tool
