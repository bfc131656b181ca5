// Rows of reduce_by_key.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <clwave/reduce_by_key.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/runs.hpp"

namespace clwave::tool::bench::rows_of_reduce_by_key {
namespace {

struct runs_task {
  std::uint64_t run;  // its elements
  arrangement at;
};

// Of one call, which reads keys and values once and stores both of each run.
double bytes_of(const runs_task& task) {
  const double n = static_cast<double>(task.at.n);
  return 8 * n + 8 * n / static_cast<double>(task.run);
}

// A run a work-item: sums of whole numbers are exact in every order.
constexpr const char* check_source = R"(
kernel void count(const global int* restrict keys, const global float* restrict in, const global int* restrict keys_out,
                  const global float* restrict out, ulong first, ulong n, ulong run, ulong runs, global uint* wrong) {
  uint found = 0;
  for (ulong r = get_global_id(0); r < runs; r += get_global_size(0)) {
    const ulong begin = max((first / run + r) * run, first), end = min((first / run + r + 1) * run, first + n);
    float sum = 0;
    for (ulong i = begin; i < end; ++i) sum += in[i];
    if (out[first + r] != sum || keys_out[first + r] != keys[begin]) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

contender clwave_runs(laboratory& lab, const runs_task& task) {
  const auto x = lab.data("f32", second_seed, task.at, values::whole);
  const std::uint64_t n_bytes = elements_of_runs(task.at) * 4;
  const cl::Buffer keys = made_runs(lab, "i32", task.at, task.run), keys_out = lab.buffer(n_bytes),
                   out = lab.buffer(n_bytes), total = lab.buffer(sizeof(std::uint64_t));
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, keys, keys_out, out, total, task](std::size_t place) {
    const std::uint64_t first = place * task.at.stride, n = task.at.n;
    reduce_by_key(lab.on.queue, view<std::int32_t>{keys, n, first}, view<float>{x->buffer, n, first},
                  view<std::int32_t>{keys_out, n, first}, view<float>{out, n, first},
                  view<std::uint64_t>{total, 1}, plus, no_event);
  };
  c.spoil = [&lab, keys_out, out, total, n_bytes] {
    lab.spoil(keys_out, n_bytes);
    lab.spoil(out, n_bytes);
    lab.spoil(total, sizeof(std::uint64_t));
  };
  c.wrong = [&lab, x, keys, keys_out, out, total, task](std::size_t place) -> std::string {
    const std::uint64_t first = place * task.at.stride;
    const std::uint64_t runs = (first + task.at.n - 1) / task.run - first / task.run + 1;
    std::uint64_t count = 0;
    detail::check(lab.on.queue.enqueueReadBuffer(total, CL_TRUE, 0, sizeof count, &count), "read the count");
    if (count != runs) return std::to_string(count) + " runs, not " + std::to_string(runs);
    cl::Kernel k = lab.kernel(check_source, "count");
    k.setArg(0, keys);
    k.setArg(1, x->buffer);
    k.setArg(2, keys_out);
    k.setArg(3, out);
    k.setArg(4, cl_ulong{first});
    k.setArg(5, cl_ulong{task.at.n});
    k.setArg(6, cl_ulong{task.run});
    k.setArg(7, cl_ulong{runs});
    const cl_uint wrong = lab.count(k, 8);
    return wrong == 0 ? "" : std::to_string(wrong) + " runs have another key or sum";
  };
  return c;
}

void add_rows(laboratory& lab, std::vector<group>& all, std::uint64_t run, std::uint64_t n) {
  runs_task task{run, lab.arrange(n, 4)};
  task.at.stride = (task.at.stride + 255) / 256 * 256;
  if (!lab.fits(static_cast<double>(n) * 16)) return;
  group rows;
  rows.places = task.at.places;
  const std::string runs = std::to_string(run);
  const std::string base = "reduce_by_key/sum-" + runs + "/f32/" + std::to_string(n) + "/";
  rows.rows.push_back({base + "clwave", "clwave::reduce_by_key, sums of runs of " + runs + ", 32-bit keys",
                       [&lab, task] { return clwave_runs(lab, task); }});
  if (lab.is_nvidia)
    rows.rows.push_back({base + "cub", "cub::DeviceReduce::ReduceByKey", [&lab, task, row = base + "cub"] {
                           return cuda_counted(lab, row, task.at, bytes_of(task));
                         }});
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{1'000'000, 100'000'000};
  if (!lab.is_cpu) sizes = {1u << 20, 1u << 26, 1u << 28};
  for (const std::uint64_t run : {1, 16, 1000}) {
    for (const std::uint64_t n : sizes) add_rows(lab, all, run, n);
  }
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "reduce_by_key", {{.add = add_groups,
                       .goals = {{where::gpu, "reduce_by_key/sum-(1|16|1000)/f32/(67108864|268435456)/clwave",
                                  measure_of::speed, "reduce_by_key/sum-$1/f32/$2/cub", 0.95}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_reduce_by_key
