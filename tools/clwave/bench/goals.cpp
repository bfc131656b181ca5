// What a run says to the goals of its rows; and the change since another run.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <regex>

#include "bench/bench.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool::bench {
namespace {

const result* find(const std::vector<result>& all, const std::string& name) {
  for (const result& r : all) {
    if (r.name == name && r.good()) return &r;
  }
  return nullptr;
}

struct verdict {
  bool known = false;
  double value = 0;
  bool at_least = true;
};

verdict judge(const goal& g, const laboratory& lab, const result& r, const result* other) {
  switch (g.of) {
    case measure_of::speed:
      if (other != nullptr) return {true, other->seconds / r.seconds, true};
      break;
    case measure_of::time:
      if (other != nullptr) return {true, r.seconds / other->seconds, false};
      break;
    case measure_of::excess:
      if (other != nullptr) return {true, r.seconds - other->seconds, false};
      break;
    case measure_of::share_copy:
      if (lab.copy_bytes_per_s > 0) return {true, r.of_copy, true};
      break;
    case measure_of::share_peak:
      if (lab.peak_bytes_per_s > 0) return {true, r.of_peak, true};
      break;
    case measure_of::seconds:
      return {true, r.seconds, false};
    case measure_of::counter:
      if (const auto found = r.more.find(g.other); found != r.more.end()) return {true, found->second, false};
      break;
  }
  return {};
}

// "1.034 >= 1.02 x reduce/sum/f32/1024/cub"
std::string words_of(const goal& g, const verdict& v, double bound, const std::string& other) {
  char text[80];
  const bool micro = g.of == measure_of::excess || g.of == measure_of::seconds;
  const double unit = micro ? 1e6 : 1;
  std::snprintf(text, sizeof text, "%.4g%s %s %.4g%s", v.value * unit, micro ? " us" : "",
                v.at_least ? ">=" : "<=", bound * unit, micro ? " us" : "");
  std::string words = text;
  switch (g.of) {
    case measure_of::speed:
      return words + " x the speed of " + other;
    case measure_of::time:
      return words + " x the time of " + other;
    case measure_of::excess:
      return words + " more than " + other;
    case measure_of::share_copy:
      return words + " of the copy speed";
    case measure_of::share_peak:
      return words + " of the peak";
    case measure_of::seconds:
      break;
    case measure_of::counter:
      return words + " " + g.other;
  }
  return words;
}

}  // namespace

unsigned print_goals(const laboratory& lab, const std::vector<result>& all, double scale, std::ostream& out) {
  unsigned missed = 0;
  unsigned compared = 0;
  std::vector<std::string> lines;
  std::vector<goal> goals;
  for (const row_file& file : all_rows()) goals.insert(goals.end(), file.goals.begin(), file.goals.end());
  for (const goal& g : goals) {
    if (g.on != where::any && (g.on == where::cpu) != lab.is_cpu) continue;
    const std::regex pattern(g.row);
    for (const result& r : all) {
      std::smatch match;
      if (!r.good() || !std::regex_match(r.name, match, pattern)) continue;
      const std::string other_name = g.of == measure_of::counter ? "" : match.format(g.other);
      const verdict v = judge(g, lab, r, find(all, other_name));
      if (!v.known) continue;
      // --min 95% lets every goal be missed by so much.
      const double bound = v.at_least ? g.bound * scale : g.bound / scale;
      const bool ok = v.at_least ? v.value >= bound : v.value <= bound;
      ++compared;
      missed += ok ? 0 : 1;
      lines.push_back((ok ? "  ok      " : "  MISSED  ") + r.name + ": " + words_of(g, v, bound, other_name));
    }
  }
  char head[80];
  std::snprintf(head, sizeof head, "\ngoals at %.4g %%: %u compared, %u missed\n", scale * 100, compared,
                missed);
  out << head;
  for (const std::string& line : lines) out << line.substr(0, 10) << wrapped(line.substr(10), 12, 10) << '\n';
  return missed;
}

void print_changes(const std::string& base_file, const std::vector<result>& all, std::ostream& out) {
  std::ifstream file(base_file);
  const json base = file ? json::parse(file, nullptr, false) : json();
  if (!base.is_object() || !base.contains("benchmarks"))
    throw stop(exit_usage, base_file + " is no file of --benchmark_out");
  std::map<std::string, double> before;  // microseconds
  for (const json& b : base["benchmarks"]) {
    if (b.contains("real_time") && !b.value("error_occurred", false)) {
      const std::string unit = b.value("time_unit", "us");
      const double scale = unit == "ns" ? 1e-3 : unit == "ms" ? 1e3 : unit == "s" ? 1e6 : 1;
      before[b["name"]] = b["real_time"].get<double>() * scale;
    }
  }
  out << "\nchange since " << base_file << " (time; less is better)\n";
  for (const result& r : all) {
    if (!r.good()) continue;
    const auto found = before.find(r.name);
    char text[120];
    if (found == before.end() || found->second <= 0)
      std::snprintf(text, sizeof text, "%12s %12.2f us   (not in the base)", "", r.seconds * 1e6);
    else
      std::snprintf(text, sizeof text, "%12.2f %12.2f us  %+7.1f %%", found->second, r.seconds * 1e6,
                    100 * (r.seconds * 1e6 / found->second - 1));
    char line[240];
    std::snprintf(line, sizeof line, "  %-52s%s\n", r.name.c_str(), text);
    out << line;
  }
}

}  // namespace clwave::tool::bench
