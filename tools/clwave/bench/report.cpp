// A run of rows on Google Benchmark: the table on the screen, JSON and CSV.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include <benchmark/benchmark.h>
#include <clwave/version.hpp>

#include "bench/bench.hpp"
#include "shared/output.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool::bench {
namespace {

constexpr std::size_t name_columns = 50;  // the whole table has 100

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
  // A name too long for its column has a line of its own.
  const bool alone = r.name.size() > name_columns;
  const std::string head = alone ? r.name + "\n" + std::string(name_columns, ' ')
                                 : r.name + std::string(name_columns - r.name.size(), ' ');
  if (!r.skip.empty() || !r.wrong.empty()) {
    const std::string what = r.skip.empty() ? "WRONG: " + r.wrong : "skipped: " + r.skip;
    print("%s %s\n", head.c_str(), wrapped(what, 4, name_columns + 1).c_str());
    return;
  }
  char speed[40] = "";
  if (r.bytes_per_s > 0)
    std::snprintf(speed, sizeof speed, "%9.2f %6.0f%%", r.bytes_per_s * 1e-9, 100 * r.of_copy);
  char peak[24] = "";
  if (r.of_peak > 0) std::snprintf(peak, sizeof peak, "%6.1f%%", 100 * r.of_peak);
  print("%s %11.2f %6.1f%% %17s %7s %s\n", head.c_str(), r.seconds * 1e6, 100 * r.spread, speed, peak,
        r.checked ? "ok" : "--");
  const std::string notes = notes_of(r);
  if (!notes.empty()) print("    %s\n", wrapped(notes, 4, 4).c_str());
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
    print("%s\n%-*s %11s %7s %9s %7s %7s\n", head_.c_str(), static_cast<int>(name_columns), "row",
          "median us", "spread", "GB/s", "of copy", "of peak");
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
  const std::string device = "device " + lab.on.device_name() + "; profile " + short_text_of(lab.on.choice);
  return wrapped(device, 4, 0) + "\n" + wrapped(text, 4, 0);
}

void add_context(const laboratory& lab) {
  const auto add = [](const std::string& key, const std::string& value) {
    benchmark::AddCustomContext(key, value);
  };
  add("schema", "clwave-bench/1");
  add("clwave", CLWAVE_VERSION_STRING);
  add("device", lab.on.facts->name.value_or(""));
  add("driver", lab.on.facts->driver_version.value_or(""));
  add("platform", lab.on.facts->platform_version.value_or(""));
  add("profile", std::string(lab.on.choice.profile->name));
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

}  // namespace

std::vector<result> run_rows(laboratory& lab, const std::vector<group>& all, std::vector<std::string> flags,
                             bool as_json, bool as_csv) {
  std::map<std::string, result> results;
  std::vector<std::string> order;
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
  const auto is_file = [](const std::string& f) { return f.starts_with("--benchmark_out="); };
  const bool to_file = std::any_of(flags.begin(), flags.end(), is_file);
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
  return in_order;
}

}  // namespace clwave::tool::bench
