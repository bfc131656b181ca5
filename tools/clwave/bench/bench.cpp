// clwave bench: rows on Google Benchmark, each measured against its peers in the same run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <regex>

#include <benchmark/benchmark.h>

#include "bench/bench.hpp"
#include "shared/output.hpp"

namespace clwave::tool::bench {
namespace {

struct bench_words {
  std::string selector, min, compare, first_call;
  unsigned samples = 0;
  std::vector<std::string> own;  // Google Benchmark's flags
};

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

std::string notes_of(const result& r) {
  std::string notes = r.cache ? "cache " : "";
  if (r.host_bound) notes += "blocks ";
  for (const auto& [name, value] : r.more) {
    char text[80];
    std::snprintf(text, sizeof text, "%s=%.6g ", name.c_str(), value);
    notes += text;
  }
  return notes;
}

void print_row(const result& r) {
  if (!r.skip.empty()) {
    print("%-50s skipped: %s\n", r.name.c_str(), r.skip.c_str());
    return;
  }
  if (!r.wrong.empty()) {
    print("%-50s WRONG: %s\n", r.name.c_str(), r.wrong.c_str());
    return;
  }
  char speed[80] = "";
  if (r.bytes_per_s > 0)
    std::snprintf(speed, sizeof speed, "%9.2f GB/s %5.0f %%", r.bytes_per_s * 1e-9, 100 * r.of_copy);
  char peak[24] = "";
  if (r.of_peak > 0) std::snprintf(peak, sizeof peak, "%5.1f %%", 100 * r.of_peak);
  print("%-50s %12.2f us %5.1f %% %23s %8s  %s %s\n", r.name.c_str(), r.seconds * 1e6, 100 * r.spread, speed,
        peak, r.checked ? "ok" : "--", notes_of(r).c_str());
}

// The run's names are those of the rows, without what Google Benchmark adds to them.
void clean_names(std::vector<benchmark::BenchmarkReporter::Run>& runs) {
  for (auto& run : runs) {
    run.run_name.iterations.clear();
    run.run_name.time_type.clear();
  }
}

class json_reporter : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> clean = runs;
    clean_names(clean);
    JSONReporter::ReportRuns(clean);
  }
};

// The table on the screen: rows as they come.
class table_reporter : public benchmark::BenchmarkReporter {
 public:
  table_reporter(const std::map<std::string, result>& results, std::string head)
      : results_(results), head_(std::move(head)) {}
  bool ReportContext(const Context&) override {
    print("%s\n%-50s %15s %7s %23s %8s\n", head_.c_str(), "row", "median", "spread", "of copy", "of peak");
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (const auto found = results_.find(run.run_name.function_name); found != results_.end())
        print_row(found->second);
    }
    out().flush();
  }

 private:
  const std::map<std::string, result>& results_;
  std::string head_;
};

std::string head_of(const laboratory& lab) {
  char text[200];
  std::snprintf(text, sizeof text, "copy speed %.1f GB/s read and written; peak %s; %u samples a row",
                lab.copy_bytes_per_s * 1e-9,
                lab.peak_bytes_per_s > 0 ? (std::to_string(static_cast<int>(lab.peak_bytes_per_s * 1e-9)) +
                                            " GB/s by the " + lab.peak_source)
                                               .c_str()
                                         : "not known",
                lab.samples);
  return "device " + lab.on.device_name() + "; profile " + short_text_of(lab.on.choice) + "\n" + text;
}

void add_context(const laboratory& lab) {
  const auto add = [](const std::string& key, const std::string& value) {
    benchmark::AddCustomContext(key, value);
  };
  add("schema", "clwave-bench/1");
  add("clwave", CLWAVE_VERSION);
  add("device", lab.on.facts->name.value_or(""));
  add("driver", lab.on.facts->driver_version.value_or(""));
  add("platform", lab.on.facts->platform_version.value_or(""));
  add("profile", std::string(lab.on.choice.row->name));
  add("copy_gb_per_s", std::to_string(lab.copy_bytes_per_s * 1e-9));
  add("peak_gb_per_s", std::to_string(lab.peak_bytes_per_s * 1e-9));
  add("peak_source", lab.peak_source);
  add("rule", lab.is_cpu ? "wall of B calls + finish / B"
                         : "(wall of lead + B calls + finish - wall of lead + finish) / B");
}

void report(benchmark::State& state, const result& r) {
  for (auto _ : state) state.SetIterationTime(r.seconds > 0 ? r.seconds : 1e-9);
  if (!r.skip.empty() || !r.wrong.empty()) {
    state.SkipWithError(((r.skip.empty() ? "wrong: " + r.wrong : "skipped: " + r.skip)).c_str());
    return;
  }
  state.SetLabel(r.sentence);
  auto& counters = state.counters;
  counters["spread"] = r.spread;
  counters["lowest_us"] = r.lowest * 1e6;
  counters["samples"] = r.samples;
  counters["batch"] = r.batch;
  counters["enqueue_us"] = r.enqueue_s * 1e6;
  counters["host_bound"] = r.host_bound ? 1 : 0;
  counters["check"] = r.checked ? 1 : 0;  // 0: the row computes nothing
  if (r.bytes_per_s > 0) {
    counters["bytes"] = r.bytes;
    counters["gb_per_s"] = r.bytes_per_s * 1e-9;
    counters["of_copy"] = r.of_copy;
    counters["cache"] = r.cache ? 1 : 0;
    if (r.of_peak > 0) counters["of_peak"] = r.of_peak;
  }
  for (const auto& [name, value] : r.more) counters[name] = value;
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

int run_rows(laboratory& lab, const std::vector<group>& all, const bench_words& words, bool as_json,
             bool as_csv, std::vector<std::string> flags) {
  std::map<std::string, result> results;
  std::vector<std::string> order;
  std::string last_type;
  for (const group& g : all) {
    for (const row& r : g.rows) {
      // The first row of a group that is asked for measures all of the group.
      benchmark::RegisterBenchmark(
          r.name.c_str(),
          [&lab, &g, &r, &results](benchmark::State& state) {
            if (!results.contains(r.name)) {
              lab.forget_other_data(r.name.find("f32/") == std::string::npos ? "" : "f32");
              for (result& made : measure(lab, g)) results[made.name] = std::move(made);
            }
            report(state, results[r.name]);
          })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
      order.push_back(r.name);
    }
  }
  flags.insert(flags.begin(), "clwave");
  std::vector<char*> arguments;
  arguments.reserve(flags.size() + 1);
  for (std::string& flag : flags) arguments.push_back(flag.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(flags.size());
  std::string file_path;
  for (const std::string& flag : flags) {
    if (flag.starts_with("--benchmark_out=")) file_path = flag.substr(std::strlen("--benchmark_out="));
  }
  const bool to_file = !file_path.empty();
  const bool csv_file = std::any_of(flags.begin(), flags.end(),
                                    [](const std::string& f) { return f == "--benchmark_out_format=csv"; });
  benchmark::Initialize(&count, arguments.data());
  if (count > 1) throw stop(exit_usage, "unknown option " + std::string(arguments[1]) + "; try --help");
  add_context(lab);

  table_reporter table(results, head_of(lab));
  json_reporter on_screen;
  json_reporter in_file;
  on_screen.SetOutputStream(&out());
  benchmark::BenchmarkReporter* screen = &table;
  if (as_json) screen = &on_screen;
  benchmark::BenchmarkReporter* file = to_file && !csv_file ? &in_file : nullptr;
  // Its own reporter for CSV, which writes to std::cout.
  std::streambuf* const public_output = std::cout.rdbuf();
  if (as_csv) std::cout.rdbuf(out().rdbuf());
  benchmark::RunSpecifiedBenchmarks(as_csv ? nullptr : screen, file, "all");
  std::cout.rdbuf(public_output);

  std::vector<result> in_order;
  for (const std::string& name : order) {
    if (const auto found = results.find(name); found != results.end()) in_order.push_back(found->second);
  }
  std::ostream& tables = as_json || as_csv ? std::cerr : out();
  const unsigned missed = print_goals(lab, in_order, words.min.empty() ? 1 : share_of(words.min), tables);
  if (!words.compare.empty()) print_changes(words.compare, in_order, tables);
  tables.flush();
  if (to_file) check_written(file_path, order);
  unsigned wrong = 0;
  for (const result& r : in_order) {
    if (r.wrong.empty()) continue;
    ++wrong;
    complain("wrong result: " + r.name + ": " + r.wrong.substr(0, r.wrong.find('\n')));
  }
  if (wrong > 0) return exit_wrong_result;
  if (!words.min.empty() && missed > 0) {
    complain(std::to_string(missed) + " rows are under their goals");
    return exit_under_goal;
  }
  return exit_ok;
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

  for (const std::string& flag : flags) {
    if (flag.starts_with("--benchmark_out=")) check_writable(flag.substr(std::strlen("--benchmark_out=")));
  }

  laboratory lab(words.selector);
  if (!repetitions.empty())
    words.samples = static_cast<unsigned>(std::strtoul(repetitions.c_str(), nullptr, 10));
  if (words.samples > 0) lab.samples = words.samples;
  std::vector<group> all;
  add_reduce_groups(lab, all);
  add_lane_groups(lab, all);
  add_copy_groups(lab, all);
  add_transpose_groups(lab, all);
  add_layout_groups(lab, all);
  add_gemm_groups(lab, all);
  add_transform_groups(lab, all);
  add_host_groups(lab, all);
  add_first_call_groups(lab, all);
  filter_rows(all, filter);
  if (all.empty()) throw stop(exit_usage, "no row fits --benchmark_filter=" + filter);
  if (lists) {
    for (const group& g : all)
      for (const row& r : g.rows) print("%s\n", r.name.c_str());
    return exit_ok;
  }
  lab.measure_copy_speed();
  return run_rows(lab, all, words, format == "json", format == "csv", std::move(flags));
}

}  // namespace
}  // namespace clwave::tool::bench

namespace clwave::tool {

void add_bench(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("bench", "Measures clwave against its peers, with checked results");
  auto words = std::make_shared<bench::bench_words>();
  command->add_option("-d,--device", words->selector, "On this device (see clwave --help)");
  command->add_option("--min", words->min,
                      "Exit with 7 if a row falls under this share of its goal, e.g. 95%");
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
      if (flag.rfind("--benchmark_", 0) != 0 && flag.rfind("--v=", 0) != 0)
        throw stop(exit_usage, "unknown option " + flag + "; try --help");
    }
    exit = bench::run(*words);
  });
}

}  // namespace clwave::tool
