// clwave bench and tune where the tool was configured without them: they say so, and nothing lists them.
#include <CLI/CLI.hpp>

#include "shared/common.hpp"

namespace clwave::tool {

namespace {

void add_absent(CLI::App& app, int& exit, const std::string& name) {
  CLI::App* command = app.add_subcommand(name, "Not built: needs -DCLWAVE_BUILD_BENCH=ON");
  command->group("");  // not in --help, the man page and completions
  command->allow_extras();
  command->callback([name, &exit] {
    complain(name +
             " was not built: configure with -DCLWAVE_BUILD_BENCH=ON, which needs Google Benchmark "
             "(libbenchmark-dev)");
    exit = exit_usage;
  });
}

}  // namespace

void add_bench(CLI::App& app, int& exit) { add_absent(app, exit, "bench"); }

void add_tune(CLI::App& app, int& exit) { add_absent(app, exit, "tune"); }

}  // namespace clwave::tool
