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

#include <clwave/gemm.hpp>

#include "shared/session.hpp"

namespace clwave::tool::bench {

// How the rows call clwave: no peer makes an event either.
inline const launch_options no_event{.with_event = false};

// What a sample measures. One rule, the same for every contender, on the host's steady clock:
enum class clocked {
  // Device time of a call: (wall of lead + B calls + finish  -  wall of lead + finish) / B. The lead is a
  // kernel of about 4 ms that keeps the device busy while the host enqueues the B calls behind it, so that
  // short kernels are not measured by what their launch costs the host. On a CPU there is no lead: the host
  // and the device are one, and the time is wall of B calls + finish / B.
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
  // What is wrong with the output of the last call, which was at `place`; empty if nothing.
  std::function<std::string(std::size_t place)> wrong = {};
  std::string profile = {};  // runs with this CLWAVE_PROFILE
  bool on_device = true;     // false: the host computes; there is no lead
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

struct group {
  clocked how = clocked::device;
  std::size_t places = 1;
  std::vector<row> rows;
  unsigned samples = 0;  // 0: as many as usual
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

// Random elements in device memory: element i is a function of i and the seed, on the host as well.
// `places` pieces of `stride` elements each, together at least four times the last-level cache; calls go
// round them. 64 more elements follow the last.
struct pool {
  std::string type;
  std::uint32_t seed = 0;
  cl::Buffer buffer;
  std::uint64_t elements = 0;
};

// How the pieces of n elements lie in a pool.
struct arrangement {
  std::uint64_t n = 0;
  std::uint64_t stride = 0;
  std::size_t places = 1;
};

class cuda_peers;  // bench_cuda.cpp

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
  // Made when first asked for; one of a type and seed is kept until a larger one is needed.
  std::shared_ptr<pool> data(const std::string& type, std::uint32_t seed, const arrangement& at);
  // Gives the memory of all pools back but that of `type`.
  void forget_other_data(const std::string& type);
  // The same on the host, for contenders there.
  std::shared_ptr<void> host_copy(const pool& of);

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

// --- Answers (bench_data.cpp) ---------------------------------------------------------------------
// Of the elements [first, first + n) of a pool, by plain loops on the host.
struct reduction {
  std::string op;    // sum, max, argmax, dot
  std::string type;  // f32, f64, i32, u8-u32, f16-f32
};
// The bits of the result in clwave's fold order, and how far another order may be from it.
struct answer {
  std::vector<unsigned char> bits;  // of the value; of argmax with the index behind it
  double value = 0;
  double tolerance = 0;  // 0: exact for everybody
};
const answer& answer_of(const reduction& what, std::uint64_t n, std::uint64_t first, std::uint32_t seed);
// What is wrong with a value, in words; empty if nothing. `exact`: in every bit. The index of argmax is
// compared where `index` is not null.
std::string compare(const answer& right, const reduction& what, const void* value, const std::uint64_t* index,
                    bool exact);
inline constexpr std::uint32_t first_seed = 0x9e3779b9u;
inline constexpr std::uint32_t second_seed = 0x7f4a7c15u;
// OpenCL C text of the random elements; takes -DFROM_<type> and -DTO_<type>.
std::string random_source();

// --- Groups -----------------------------------------------------------------------------------------
void add_reduce_groups(laboratory& lab, std::vector<group>& all);
void add_lane_groups(laboratory& lab, std::vector<group>& all);
void add_copy_groups(laboratory& lab, std::vector<group>& all);
void add_transpose_groups(laboratory& lab, std::vector<group>& all);
void add_layout_groups(laboratory& lab, std::vector<group>& all);
void add_gemm_groups(laboratory& lab, std::vector<group>& all);
void add_transform_groups(laboratory& lab, std::vector<group>& all);
void add_host_groups(laboratory& lab, std::vector<group>& all);
void add_first_call_groups(laboratory& lab, std::vector<group>& all);

// --- Peers: each gives a contender, or one that says why it cannot be -------------------------------
// Input places as above; a reduction's output goes to the first bytes of `out` on a device.
struct reduce_task {
  reduction what;
  arrangement at;
};
struct copy_task {
  std::string variant;  // same, fill, convert, source+1, destination+1
  std::string type;
  arrangement at;
};
struct transpose_task {
  std::string type;
  std::uint64_t rows, columns;
  arrangement at;  // in elements
};
// A row-major product. A place's matrices start at its first element in their pools and in C.
struct gemm_task {
  std::string variant;  // square, thin, tf32
  std::string type;
  gemm_size size;
  arrangement at;  // of n x n elements
};
// clwave itself; these rows are what `clwave tune` measures too.
contender clwave_reduce(laboratory& lab, const reduce_task& task);
contender clwave_copy(laboratory& lab, const copy_task& task);
contender clwave_transpose(laboratory& lab, const transpose_task& task);
// Structures of three floats apart; a place is of structures.
contender clwave_three_floats(laboratory& lab, const arrangement& at);
// scale, axpy; with columns, row and column: a broadcast.
contender clwave_transform(laboratory& lab, const std::string& variant, const arrangement& at,
                           std::uint64_t columns);
contender boost_reduce(laboratory& lab, const reduce_task& task, bool blocking);
contender boost_copy(laboratory& lab, const copy_task& task);
contender clblast_reduce(laboratory& lab, const reduce_task& task);
contender clblast_copy(laboratory& lab, const copy_task& task);
// From places of `in` to those of `out`.
contender clblast_transpose(laboratory& lab, const transpose_task& task, const cl::Buffer& in,
                            const cl::Buffer& out);
contender clblast_gemm(laboratory& lab, const gemm_task& task);
contender std_reduce(laboratory& lab, const reduce_task& task);
contender openmp_reduce(laboratory& lab, const reduce_task& task);
contender openmp_copy(laboratory& lab, const copy_task& task);
contender openmp_gemm(laboratory& lab, const gemm_task& task);
contender cuda_contender(laboratory& lab, const std::string& row, const reduce_task& task);
contender cuda_contender(laboratory& lab, const std::string& row, const copy_task& task);
contender cuda_contender(laboratory& lab, const std::string& row, const transpose_task& task);
contender cuda_contender(laboratory& lab, const std::string& row, const gemm_task& task);

contender skipped(std::string why);
std::size_t size_of_input(const reduction& what);
// "f16-f32" is "f16".
std::string input_type(const std::string& type);
std::string output_type(const std::string& type);
// Bytes of one call.
double bytes_of(const reduce_task& task);
double bytes_of(const copy_task& task);
double bytes_of(const transpose_task& task);
// Sets the checks of a reduction whose result lies at the start of `out`.
void check_result_at(laboratory& lab, contender& c, const reduce_task& task, const cl::Buffer& out,
                     bool exact);
// Sets the checks of a copy into `out`, `shift` elements into each place.
void check_copy_at(laboratory& lab, contender& c, const copy_task& task, const cl::Buffer& out,
                   std::uint64_t source_shift, std::uint64_t shift);
// Of products: bench_gemm.cpp. A few elements of C are compared, the same for every contender.
cl::Buffer gemm_output(laboratory& lab, const gemm_task& task);
double flops_of(const gemm_task& task);
// What groups load of A and B with tiles of such sizes.
double loaded_bytes(const gemm_task& task, double tile_m, double tile_n);
std::vector<std::uint64_t> gemm_samples(const gemm_task& task);
std::string compare_gemm(const gemm_task& task, std::size_t place, const std::vector<double>& got);
void check_gemm_at(laboratory& lab, contender& c, const gemm_task& task, const cl::Buffer& out);
// Element i of a pool of f16, f32 or f64.
double element_at(const std::string& type, std::uint64_t i, std::uint32_t seed);
inline constexpr float fill_value = 1.7320508f;

// --- After the run (bench_goals.cpp) ----------------------------------------------------------------
// Prints each goal that can be compared as ok or MISSED. Returns how many were missed.
unsigned print_goals(const laboratory& lab, const std::vector<result>& all, double scale, std::ostream& out);
void print_changes(const std::string& base_file, const std::vector<result>& all, std::ostream& out);

// The first calls in a new process (bench_first_call.cpp), of clwave or of OpenCL alone:
// `clwave bench --first-call=clwave`.
int first_call_child(const std::string& who, const std::string& selector);

}  // namespace clwave::tool::bench
