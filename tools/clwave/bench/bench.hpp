// What the benchmark's files share: rows, the groups they are measured in, and the laboratory.
//
// A row is one contender doing one piece of work: <primitive>/<operator or variant>/<type>/<n>/<contender>,
// with /host behind it where the host's blocking time is meant. Rows that are compared are measured in one
// group, sample by sample in turn, so that a drift of the clocks hits all alike.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clwave/plan.hpp>

#include "base/registered.hpp"
#include "drivers/session.hpp"

namespace clwave::tool::bench {

// How the rows call clwave: no peer makes an event either.
inline const launch_options no_event{.with_event = false};

// What a sample measures. One rule, the same for every contender, on the host's steady clock:
enum class clocked {
  // Device time of a call: (wall of lead + B calls + finish  -  wall of lead + finish) / B. The lead is a
  // kernel of about 4 ms that keeps the device busy while the host enqueues the B calls behind it, so that
  // short kernels are not measured by what their launch costs the host. On a CPU there is no lead: the host
  // and the device are one, and the time is wall of B calls + finish / B. So it is of groups whose leads say
  // nothing, for other processes use the device as well (samples.hpp).
  device,
  // Host time of a call that blocks until its result is there: wall of B calls / B. No lead.
  blocking,
  // Host time of a call that returns at once: wall of B calls / B; what they started is waited for outside.
  enqueue,
  // The contender measures itself, once a sample: work of another kind, as the row's sentence says.
  itself,
};

struct sample {
  double seconds = 0;  // of the calls together, lead included
  double lead_s = 0;   // of the lead alone; 0 if this sample did not measure it
  double enqueue_s = 0;
};

// One row, ready to run. Places are where the inputs lie in turn (see pool).
struct contender {
  std::string skip = {};  // why it cannot run; the rest is then empty
  double bytes = 0;       // read and written by one call; 0: the row has no bandwidth
  double flops = 0;       // of one call; 0: they are not what counts
  std::function<void(std::size_t place)> call = {};
  std::function<void()> finish = {};  // empty: of the laboratory's queue
  std::function<void()> spoil = {};   // overwrites the output, so that no old one is found right
  // Puts the inputs back that calls have overwritten; before each sample, outside its time.
  std::function<void()> renew = {};
  // What is wrong with the output of the last call, which was at `place`; empty if nothing.
  std::function<std::string(std::size_t place)> wrong = {};
  std::string profile = {};  // runs with this CLWAVE_PROFILE
  bool on_device = true;     // false: the host computes; there is no lead
  unsigned devices = 1;      // that share the work: speeds are compared with so many times one's own
  // For work in another process: replaces call and finish.
  std::function<sample(clocked how, unsigned calls, std::size_t first_place)> remote = {};
  // More counters, filled while it runs; "seconds" replaces the time measured.
  std::shared_ptr<std::map<std::string, double>> found = {};
  std::shared_ptr<void> keeps = {};  // what must live as long
};

struct row {
  std::string name;
  std::string sentence;  // what is measured, for people
  std::function<contender()> make;
};

struct result;

struct group {
  clocked how = clocked::device;
  std::size_t places = 1;
  std::vector<row> rows;
  unsigned samples = 0;  // 0: as many as usual
  unsigned calls = 0;    // of a sample, at most; 0: as many as usual
  // Adds to the results what only the times of several rows say. Rows that were not asked for are not there.
  std::function<void(std::vector<result>&)> compare = {};
};

// A measured row, or a skipped one.
struct result {
  std::string name, sentence, skip, wrong;
  double seconds = 0;  // median
  double spread = 0;   // distance between the quartiles, as a share of the median
  double lowest = 0;
  unsigned samples = 0;
  unsigned batch = 0;       // calls in a sample
  double enqueue_s = 0;     // host time of enqueuing one call
  bool host_bound = false;  // the lead ended before all was enqueued: launches are in the time
  double bytes = 0;
  double bytes_per_s = 0, of_copy = 0, of_peak = 0;  // 0: not known
  bool checked = false;                              // the row has an output, and it was right
  bool cache = false;                                // faster than the memory can be
  std::map<std::string, double> more;

  bool good() const { return skip.empty() && wrong.empty(); }
};

// Full: floats with all the bits of their mantissa, of which sums round. Whole: whole numbers of few bits,
// positive and negative, so that sums of 2^30 neighbours are exact in every order. Integers are the same in
// both.
enum class values { full, whole };

// Random elements in device memory: element i is a function of i and the seed, on the host as well.
// `places` pieces of `stride` elements each, together at least four times the last-level cache; calls go
// round them. 64 more elements follow the last.
struct pool {
  std::string type;
  std::uint32_t seed = 0;
  values of = values::full;
  cl::Buffer buffer;
  std::uint64_t elements = 0;
};

// How the pieces of n elements lie in a pool.
struct arrangement {
  std::uint64_t n = 0;
  std::uint64_t stride = 0;
  std::size_t places = 1;
};

class cuda_peers;  // peers/cuda.cpp

// The device, made ready: queue, lead, data, and what its memory gives.
class laboratory {
 public:
  explicit laboratory(const std::string& selector);
  ~laboratory();
  laboratory(const laboratory&) = delete;
  laboratory& operator=(const laboratory&) = delete;

  session on;
  bool is_cpu = false;
  bool is_nvidia = false;
  unsigned samples = 15;
  double copy_bytes_per_s = 0;  // clEnqueueCopyBuffer, measured at the start by the rule for every row
  double peak_bytes_per_s = 0;  // by the vendor's data sheet; 0: not known
  std::string peak_source;
  std::uint64_t pool_bytes = 0;

  // Of copies of n floats; 0: of the largest among the rows that is surely from memory.
  void measure_copy_speed(std::uint64_t n = 0);
  double lead_kernel_s() const { return lead_s_; }
  void enqueue_lead();
  void finish();

  // A kernel of the benchmark's own.
  cl::Kernel kernel(const std::string& source, const std::string& name, const std::string& options = {});
  cl::Buffer buffer(std::uint64_t bytes);

  // Overwrites the first bytes of an output (whole words of them), so that an old result cannot pass for a
  // new one.
  void spoil(const cl::Buffer& out, std::uint64_t bytes);
  void launch(const cl::Kernel& k, std::uint64_t groups, std::size_t group_size);

  arrangement arrange(std::uint64_t n, std::size_t element_bytes) const;
  // Made when first asked for; one of a type, seed and values is kept until a larger one is needed.
  std::shared_ptr<pool> data(const std::string& type, std::uint32_t seed, const arrangement& at,
                             values of = values::full);
  // Gives the memory of all pools back but that of `type`.
  void forget_other_data(const std::string& type);
  // The same on the host, for contenders there.
  std::shared_ptr<void> host_copy(const pool& of);

  // True where inputs of so many bytes surely fit.
  bool fits(double bytes) const;

  // Runs a kernel that counts, in its argument `counter`, what it finds wrong. Each work-item looks at
  // `each_of(n)` of n elements.
  cl_uint count(cl::Kernel& k, cl_uint counter);
  std::uint64_t each_of(std::uint64_t n) const;

  // How many of `n` elements of type `to` at element `at` of `in` are not what the elements from
  // `source_first` of the pool of type `from` become.
  std::uint64_t count_wrong(const cl::Buffer& in, std::uint64_t at, std::uint64_t n, const std::string& from,
                            const std::string& to, std::uint32_t seed, std::uint64_t source_first);

  // The helper program with CUDA's own libraries, started when first asked for.
  cuda_peers& cuda();

 private:
  void prepare_lead();
  cl::Kernel lead_;
  cl::Buffer lead_out_;
  double lead_s_ = 0;
  std::vector<std::shared_ptr<pool>> pools_;
  std::unique_ptr<cuda_peers> cuda_;
  std::map<std::string, cl::Program> programs_;
};

// The lowest level: measures the rows of a group in turn.
std::vector<result> measure(laboratory& lab, const group& rows);

// --- Data (data.cpp) --------------------------------------------------------------------------------
inline constexpr std::uint32_t first_seed = 0x9e3779b9u;
inline constexpr std::uint32_t second_seed = 0x7f4a7c15u;
// OpenCL C text of the random elements; takes -DFROM_<type>, -DTO_<type> and, for whole numbers, -DWHOLE.
std::string random_source();

// Element i of a pool of f16, bf16, f32 or f64.
double element_at(const std::string& type, std::uint64_t i, std::uint32_t seed);
// "f16-f32", from f16 to f32: "f16" and "f32".
std::string input_type(const std::string& type);
std::string output_type(const std::string& type);

contender skipped(std::string why);
// One that the host computes, where a call has ended when it returns.
contender host_contender(double bytes);

// --- Rows -------------------------------------------------------------------------------------------
// What `clwave tune` measures of a primitive.
struct tuned_work {
  std::uint64_t n = 0;  // what is really measured: a whole square, say
  std::size_t places = 1;
  std::function<contender()> make;
  std::function<call_plan(const plan_target&)> plan;
};
struct tuned_primitive {
  std::string name;
  std::vector<std::string> types;  // that can be measured; the first where none is asked for
  std::function<tuned_work(laboratory&, const std::string& type, std::uint64_t n)> work;
  std::size_t element_bytes = 0;  // 0: those of the type
  unsigned default_share = 1;     // the default n is divided by this
};

// The side of a square of about n elements.
std::uint64_t side_of(std::uint64_t n);

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

// The rows of one file of bench/rows, of what they measure the part that can be tuned, and the goals.
struct row_file {
  void (*add)(laboratory&, std::vector<group>&) = nullptr;
  std::vector<tuned_primitive> tuned = {};
  // This library is measured by its peers in the same run, and by what the memory can do.
  std::vector<goal> goals = {};
};
using registered_rows = detail::registered<row_file>;
// All that are registered, in the order of bench_rows in bench.cmake.
std::vector<row_file> all_rows();

// Measures the rows by Google Benchmark, whose flags these are, and prints them (report.cpp).
std::vector<result> run_rows(laboratory& lab, const std::vector<group>& all, std::vector<std::string> flags,
                             bool as_json, bool as_csv);

// --- After the run (goals.cpp) ----------------------------------------------------------------
// Prints each goal that can be compared as ok or MISSED. Returns how many were missed.
unsigned print_goals(const laboratory& lab, const std::vector<result>& all, double scale, std::ostream& out);
void print_changes(const std::string& base_file, const std::vector<result>& all, std::ostream& out);

// The first calls in a new process (rows/first_call.cpp), of clwave or of OpenCL alone:
// `clwave bench --first-call=clwave`.
int first_call_child(const std::string& who, const std::string& selector);

}  // namespace clwave::tool::bench
