// clwave bench: the command, and what its run comes to.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <regex>

#include <CLI/CLI.hpp>

#include "base/nearest.hpp"
#include "bench/bench.hpp"
#include "shared/mistyped.hpp"
#include "shared/output.hpp"

namespace clwave::tool::bench {
namespace {

struct bench_words {
  std::string selector, min, compare, first_call;
  unsigned samples = 0;
  bool goals = false;
  std::vector<std::string> own;  // Google Benchmark's flags
};

// Those of Google Benchmark that mean something here.
const std::vector<std::string> own_flags = {"--benchmark_filter", "--benchmark_list_tests",
                                            "--benchmark_out",    "--benchmark_out_format",
                                            "--benchmark_format", "--benchmark_repetitions"};

// A flag of Google Benchmark that this file acts on itself: taken out of the list.
std::optional<std::string> take_flag(std::vector<std::string>& flags, const std::string& name) {
  std::optional<std::string> value;
  std::erase_if(flags, [&](const std::string& flag) {
    const bool plain = flag == "--" + name;
    if (!plain && flag.rfind("--" + name + "=", 0) != 0) return false;
    value = plain ? "true" : flag.substr(name.size() + 3);
    return true;
  });
  return value;
}

// "95%" or "0.95".
double share_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  if (text.empty() || !(value > 0) || (unit != "%" && !unit.empty()))
    throw stop(exit_usage, "--min " + text + " is no share: write 95% or 0.95");
  return unit == "%" ? value / 100 : value;
}

// Keeps the rows that fit the filter: a regular expression found in the name; with - before it, not found.
void filter_rows(std::vector<group>& all, std::string filter) {
  if (filter.empty() || filter == "all") filter = ".";
  const bool negative = filter.front() == '-';
  std::regex pattern;
  try {
    pattern = std::regex(negative ? filter.substr(1) : filter, std::regex::extended);
  } catch (const std::regex_error&) {
    throw stop(exit_usage, "--benchmark_filter=" + filter + " is no regular expression");
  }
  for (group& g : all)
    std::erase_if(g.rows, [&](const row& r) { return std::regex_search(r.name, pattern) == negative; });
  std::erase_if(all, [](const group& g) { return g.rows.empty(); });
}

// Google Benchmark leaves the process where it cannot open its file, and does not look whether its writes
// went well: so both are looked at here.
void check_writable(const std::string& path) {
  if (!std::ofstream(path, std::ios::app))
    throw stop(exit_usage, "--benchmark_out=" + path + " cannot be written");
}

void check_written(const std::string& path, const std::vector<std::string>& rows) {
  if (!std::filesystem::is_regular_file(path)) return;  // /dev/stdout, say
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const bool whole = text.ends_with('\n') && std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
                       return text.find(row) != std::string::npos;
                     });
  // A file cut short is no JSON; a CSV's rows are single lines.
  if (!whole || (text.starts_with('{') && !json::accept(text)))
    throw stop(exit_internal, "--benchmark_out=" + path + " could not be written whole");
}

int run(bench_words words) {
  if (!words.first_call.empty()) return first_call_child(words.first_call, words.selector);
  if (!words.min.empty()) share_of(words.min);  // refused before anything is measured
  std::vector<std::string> flags = words.own;
  const bool lists = take_flag(flags, "benchmark_list_tests").value_or("false") != "false";
  const std::string filter = take_flag(flags, "benchmark_filter").value_or("");
  const std::string format = take_flag(flags, "benchmark_format").value_or("console");
  if (format != "console" && format != "json" && format != "csv")
    throw stop(exit_usage, "--benchmark_format is console, json or csv, not " + format);
  // Repetitions are samples here: every sample of a row stands beside its peers'.
  const std::string repetitions = take_flag(flags, "benchmark_repetitions").value_or("");
  if (format == "csv") flags.emplace_back("--benchmark_format=csv");

  std::string file;
  for (const std::string& flag : flags) {
    if (flag.starts_with("--benchmark_out=")) file = flag.substr(std::strlen("--benchmark_out="));
  }
  if (!file.empty()) check_writable(file);

  laboratory lab(words.selector);
  if (!repetitions.empty())
    words.samples = static_cast<unsigned>(std::strtoul(repetitions.c_str(), nullptr, 10));
  if (words.samples > 0) lab.samples = words.samples;
  std::vector<group> all;
  for (const row_file& rows : all_rows()) rows.add(lab, all);
  filter_rows(all, filter);
  if (all.empty()) throw stop(exit_usage, "no row fits --benchmark_filter=" + filter);
  std::vector<std::string> names;
  for (const group& g : all) {
    for (const row& r : g.rows) names.push_back(r.name);
  }
  if (lists) {
    for (const std::string& name : names) print("%s\n", name.c_str());
    return exit_ok;
  }
  lab.measure_copy_speed();
  const std::vector<result> results = run_rows(lab, all, std::move(flags), format == "json", format == "csv");
  std::ostream& tables = format != "console" ? std::cerr : out();
  const bool judged = words.goals || !words.min.empty();
  const unsigned missed =
      judged ? print_goals(lab, results, words.min.empty() ? 1 : share_of(words.min), tables) : 0;
  if (!words.compare.empty()) print_changes(words.compare, results, tables);
  tables.flush();
  if (!file.empty()) check_written(file, names);
  unsigned wrong = 0;
  for (const result& r : results) {
    if (r.wrong.empty()) continue;
    ++wrong;
    complain("wrong result: " + r.name + ": " + r.wrong.substr(0, r.wrong.find('\n')));
  }
  if (wrong > 0) return exit_wrong_result;
  if (missed > 0) {
    complain(std::to_string(missed) + " rows are under their goals");
    return exit_under_goal;
  }
  return exit_ok;
}

}  // namespace
}  // namespace clwave::tool::bench

namespace clwave::tool {

void add_bench(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("bench", "Measures clwave against its peers, with checked results");
  auto words = std::make_shared<bench::bench_words>();
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->add_flag("--goals", words->goals, "Show the goals of the rows; exit with 7 if one is missed");
  command->add_option("--min", words->min, "--goals, each at this share of itself, e.g. 95%");
  command->add_option("--compare", words->compare, "Show the change since this file of --benchmark_out");
  command->add_option("--samples", words->samples, "Samples of each row (default 15, on a CPU 9)");
  command->add_option("--first-call", words->first_call)->group("");  // the bench's own child
  command->allow_extras();
  command->footer(
      "Google Benchmark's flags work too: --benchmark_filter=REGEX, --benchmark_list_tests,\n"
      "--benchmark_out=FILE.json, --benchmark_format=json. Rows are named\n"
      "<primitive>/<operator or variant>/<type>/<n>/<contender>, with /host where the host's blocking time "
      "is\n"
      "meant. tools/plot draws the file. Exits 6 if a result is wrong.");
  command->callback([words, command, &exit] {
    words->own = command->remaining();
    for (const std::string& flag : words->own) {
      const std::string name = flag.substr(0, flag.find('='));
      // A letter or two beside a flag of Google Benchmark's is no other flag.
      const bool mistyped = std::ranges::any_of(bench::own_flags, [&](const std::string& known) {
        const std::size_t letters = detail::edit_distance(name, known);
        return letters == 1 || letters == 2;
      });
      if (mistyped || (flag.rfind("--benchmark_", 0) != 0 && flag.rfind("--v=", 0) != 0))
        throw stop(exit_usage,
                   complaint_of_unknown_option(*command, flag, bench::own_flags) + "; try --help");
    }
    exit = bench::run(*words);
  });
}

}  // namespace clwave::tool
