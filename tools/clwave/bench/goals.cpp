// The goals, in one table, and what the run says to them; and the change since another run.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <regex>

#include "bench/bench.hpp"
#include "shared/terminal.hpp"

namespace clwave::tool::bench {
namespace {

// What is compared with the bound.
enum class measure_of {
  speed,       // the other row's time by this row's: at least
  share_copy,  // of the device's own copy speed: at least
  share_peak,  // of the memory's peak: at least
  time,        // this row's time by the other's: at most
  excess,      // this row's time less the other's, in seconds: at most
  seconds,     // this row's time: at most
  counter,     // a counter of the row: at most
};

enum class where { gpu, cpu, any };

// One goal: rows (a regular expression, whole name), what they are compared with (groups as $1), the bound.
struct goal {
  where on;
  const char* row;
  measure_of of;
  const char* other;  // a row's name, or a counter's
  double bound;
};

// What this library is measured by: its peers in the same run, and what the memory can do.
constexpr goal goals[] = {
    // H200.
    {where::gpu, "reduce/sum/f32/268435456/clwave", measure_of::speed, "reduce/sum/f32/268435456/cub", 1.02},
    {where::gpu, "reduce/sum/f32/268435456/clwave", measure_of::share_peak, "", 0.93},
    {where::gpu, "reduce/sum/f32/(\\d+)/clwave", measure_of::speed, "reduce/sum/f32/$1/cub", 1.0},
    {where::gpu, "reduce/(sum|max|argmax)/(f64|i32|u8-u32|f16-f32|f32)/268435456/clwave", measure_of::speed,
     "reduce/$1/$2/268435456/cub", 1.0},
    {where::gpu, "reduce/dot/f32/268435456/clwave", measure_of::speed, "reduce/dot/f32/268435456/cublas",
     1.0},
    {where::gpu, "reduce/sum/f32/268435456/clwave", measure_of::speed, "reduce/sum-free/f32/268435456/opencl",
     0.98},
    {where::gpu, "reduce/sum/f32/(\\d+)/clwave", measure_of::speed, "reduce/sum-free/f32/$1/opencl", 0.95},
    {where::gpu, "reduce/sum/f32/268435456/clwave", measure_of::speed,
     "reduce/sum/f32/268435456/boost.compute", 1.4},
    {where::gpu, "reduce/sum/f32/(1024|4096|16384|65536|262144|1048576|4194304|16777216)/clwave",
     measure_of::speed, "reduce/sum/f32/$1/boost.compute", 3.0},
    // From 2^24 bytes on.
    {where::gpu, "copy/same/f32/(4194304|16777216|67108864|268435456)/clwave", measure_of::speed,
     "copy/same/f32/$1/cuda", 1.0},
    {where::gpu, "copy/same/f32/(4194304|16777216|67108864|268435456)/clwave", measure_of::speed,
     "copy/same/f32/$1/opencl", 1.0},
    {where::any, "copy/(source|destination)\\+1/(f32|u8)/(\\d+)/clwave", measure_of::speed,
     "copy/same/$2/$3/clwave", 0.9},
    {where::gpu, "copy/convert/(u8-f32|f16-f32)/(\\d+)/clwave", measure_of::share_copy, "", 0.95},
    {where::gpu, "copy/fill/f32/(\\d+)/clwave", measure_of::share_copy, "", 0.95},
    {where::gpu, "transpose/out-of-place/f32/(2048x1536|4096x4096|16384x16384)/clwave", measure_of::speed,
     "transpose/out-of-place/f32/$1/cublas", 1.0},
    {where::gpu, "transpose/out-of-place/(f32|f64|f32x4)/16384x16384/clwave", measure_of::share_copy, "",
     0.95},
    {where::gpu, "transpose/out-of-place/(u8|u16)/16384x16384/clwave", measure_of::share_copy, "", 0.8},
    {where::gpu, "layout/(aos-to-soa|soa-to-aos)/(3|7)xf32/(\\d+)/clwave", measure_of::share_copy, "", 0.9},
    {where::gpu, "(transform|broadcast)/(scale|axpy|row|column)/f32/(\\d+)/clwave", measure_of::share_copy,
     "", 0.97},
    {where::gpu, "reduce/sum/f32/(\\d+)/clwave/host", measure_of::time,
     "reduce/empty+read/f32/$1/opencl/host", 1.15},
    {where::any, "reduce/enqueue/f32/(\\d+)/clwave/host", measure_of::excess,
     "reduce/enqueue/f32/$1/opencl/host", 2e-6},
    {where::gpu, "scan/(exclusive|inclusive)/f32/(67108864|268435456)/clwave", measure_of::speed,
     "scan/$1/f32/$2/cub", 1.1},
    {where::gpu, "scan/(exclusive|inclusive)/(f32|f64|i32|u8-u32)/(\\d+)/clwave", measure_of::speed,
     "scan/$1/$2/$3/cub", 1.0},
    {where::gpu, "scan/inclusive-max/i32/268435456/clwave", measure_of::speed,
     "scan/inclusive-max/i32/268435456/cub", 1.0},
    {where::gpu, "scan/(exclusive|inclusive)/(f32|f64|i32)/(\\d+)/clwave", measure_of::speed,
     "scan/$1/$2/$3/boost.compute", 3.0},
    {where::gpu, "select/(if-5|if-50|if-95|unique|partition)/(f32|i32)/(67108864|268435456)/clwave",
     measure_of::speed, "select/$1/$2/$3/cub", 1.0},
    {where::gpu, "select/(if-5|if-50|if-95|unique)/(f32|i32)/(67108864|268435456)/clwave", measure_of::speed,
     "select/$1/$2/$3/boost.compute", 3.0},
    {where::gpu, "select/((?:by-key|lengths)-(?:1|16|1000))/i32/(67108864|268435456)/clwave",
     measure_of::speed, "select/$1/i32/$2/cub", 0.95},
    {where::gpu, "reduce_by_key/sum-(1|16|1000)/f32/(67108864|268435456)/clwave", measure_of::speed,
     "reduce_by_key/sum-$1/f32/$2/cub", 0.95},
    // A sum reads as fast as the device can: 2^28 elements, and 2^26.
    {where::gpu, "reduce_(rows|columns)/sum/(f32|f64|f16-f32)/16384x16384/clwave", measure_of::speed,
     "reduce/sum/$2/268435456/clwave", 0.95},
    {where::gpu, "reduce_(rows|columns)/sum/f32/(1048576x64|64x1048576)/clwave", measure_of::speed,
     "reduce/sum/f32/67108864/clwave", 0.95},
    {where::gpu, "segmented_reduce/sum/f32/(.*)/clwave", measure_of::speed, "segmented_reduce/sum/f32/$1/cub",
     1.0},
    // PoCL.
    {where::cpu, "reduce_(rows|columns)/sum/f32/(.*)/clwave", measure_of::speed,
     "reduce_$1/sum/f32/$2/openmp", 0.9},
    {where::cpu, "segmented_reduce/sum/f32/(.*)/clwave", measure_of::speed,
     "segmented_reduce/sum/f32/$1/openmp", 0.9},
    {where::cpu, "reduce/sum/f32/100000000/clwave", measure_of::speed, "reduce/sum/f32/100000000/openmp",
     0.95},
    {where::cpu, "reduce/sum/f32/1000000/clwave", measure_of::speed, "reduce/sum/f32/1000000/openmp", 0.5},
    {where::cpu, "reduce/sum/f32/(\\d+)/clwave", measure_of::speed, "reduce/sum/f32/$1/boost.compute", 5.0},
    {where::cpu, "copy/same/f32/(1000000|100000000)/clwave", measure_of::speed, "copy/same/f32/$1/opencl",
     1.0},
    {where::cpu, "copy/same/f32/(1000000|100000000)/clwave", measure_of::speed, "copy/same/f32/$1/openmp",
     0.9},
    {where::cpu, "reduce/sum/f32/(\\d+)/clwave/host", measure_of::time,
     "reduce/empty+finish/f32/$1/opencl/host", 1.3},
    // 0.9 of the better of OpenMP and 0.8 of a copy.
    {where::cpu, "scan/(exclusive|inclusive)/f32/100000000/clwave", measure_of::speed,
     "scan/$1/f32/100000000/openmp", 0.9},
    {where::cpu, "scan/(exclusive|inclusive)/f32/100000000/clwave", measure_of::share_copy, "", 0.72},
    {where::cpu, "scan/(exclusive|inclusive)/f32/100000000/clwave", measure_of::speed,
     "scan/$1/f32/100000000/boost.compute", 5.0},
    {where::cpu, "select/(if-5|if-50|if-95|unique)/(f32|i32)/100000000/clwave", measure_of::speed,
     "select/$1/$2/$3/boost.compute", 5.0},
    {where::cpu, "sort/keys/(i32|f32)/10000000/clwave", measure_of::speed, "sort/keys/$1/10000000/std", 1.0},
    {where::cpu, "sort/keys/(i32|f32)/10000000/clwave", measure_of::speed,
     "sort/keys/$1/10000000/boost.compute", 5.0},
    // A new process, everything in the caches: against a trivial kernel of one's own.
    {where::any, "reduce/first-call-warm/f32/1024/clwave/host", measure_of::excess,
     "reduce/first-call-warm/f32/1024/opencl/host", 0.100},
    {where::any, "reduce/second-program-warm/f32/1024/clwave/host", measure_of::excess,
     "reduce/second-program-warm/f32/1024/opencl/host", 0.010},
    {where::cpu, "transpose/out-of-place/f32/4096x4096/clwave", measure_of::speed,
     "transpose/out-of-place/f32/4096x4096/straight", 3.0},
    // Matrix products.
    {where::gpu, "gemm/square/f32/(4096|8192)/clwave", measure_of::speed, "gemm/square/f32/$1/cublas", 0.9},
    {where::gpu, "gemm/square/f32/(1024|4096|8192)/clwave", measure_of::speed, "gemm/square/f32/$1/clblast",
     1.3},
    {where::gpu, "gemm/square/f64/(4096|8192)/clwave", measure_of::speed, "gemm/square/f64/$1/cublas", 0.8},
    {where::gpu, "gemm/square/f16/(4096|8192)/clwave", measure_of::speed, "gemm/square/f16/$1/cublas", 0.5},
    {where::cpu, "gemm/square/f32/1024/clwave", measure_of::speed, "gemm/square/f32/1024/clblast", 3.0},
    // Cost as the work grows.
    {where::any, "reduce/million-calls/f32/1024/clwave/host", measure_of::counter, "resident_growth_bytes",
     1048576},
    {where::any, "reduce/programs/f32/\\d+/clwave/host", measure_of::counter, "programs", 1},
    {where::any, "reduce/programs/f32/\\d+/clwave/host", measure_of::counter, "workspace_of_allowed", 1},
};

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
