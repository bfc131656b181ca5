// Rows of scan_by_key.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/scan_by_key.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/runs.hpp"

namespace clwave::tool::bench::rows_of_scan_by_key {
namespace {

struct runs_task {
  bool exclusive;
  std::uint64_t run;  // its elements
  arrangement at;
};

// Of one call, which reads keys and values once and writes a result for each.
double bytes_of(const runs_task& task) { return 12 * static_cast<double>(task.at.n); }

// Each result is the one before it and one value, which proves all of them: sums of whole numbers are exact
// in every order.
constexpr const char* check_source = R"(
kernel void count(const global int* restrict keys, const global float* restrict in, const global float* restrict out,
                  ulong first, ulong n, uint exclusive, ulong each, global uint* wrong) {
  uint found = 0;
  const ulong begin = get_global_id(0) * each, end = min(begin + each, n);
  for (ulong k = begin; k < end; ++k) {
    const ulong i = first + k;
    const bool begins = k == 0 || keys[i] != keys[i - 1];
    const float sum = (begins ? 0.0f : out[i - 1]) + (exclusive == 0 ? in[i] : begins ? 0.0f : in[i - 1]);
    if (out[i] != sum) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

contender clwave_runs(laboratory& lab, const runs_task& task) {
  const auto x = lab.data("f32", second_seed, task.at, values::whole);
  const std::uint64_t n_bytes = elements_of_runs(task.at) * 4;
  const cl::Buffer keys = made_runs(lab, "i32", task.at, task.run), out = lab.buffer(n_bytes);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, keys, out, task](std::size_t place) {
    const std::uint64_t first = place * task.at.stride, n = task.at.n;
    const view<std::int32_t> k{keys, n, first};
    const view<float> from{x->buffer, n, first}, to{out, n, first};
    if (task.exclusive)
      exclusive_scan_by_key(lab.on.queue, k, from, to, plus, {.with_event = false});
    else
      inclusive_scan_by_key(lab.on.queue, k, from, to, plus, {.with_event = false});
  };
  c.spoil = [&lab, out, n_bytes] { lab.spoil(out, n_bytes); };
  c.wrong = [&lab, x, keys, out, task](std::size_t place) -> std::string {
    cl::Kernel k = lab.kernel(check_source, "count");
    k.setArg(0, keys);
    k.setArg(1, x->buffer);
    k.setArg(2, out);
    k.setArg(3, cl_ulong{place * task.at.stride});
    k.setArg(4, cl_ulong{task.at.n});
    k.setArg(5, cl_uint{task.exclusive ? 1u : 0u});
    k.setArg(6, cl_ulong{lab.each_of(task.at.n)});
    const cl_uint wrong = lab.count(k, 7);
    return wrong == 0 ? "" : std::to_string(wrong) + " results are not the one before them and one value";
  };
  return c;
}

void add_rows(laboratory& lab, std::vector<group>& all, bool exclusive, std::uint64_t run, std::uint64_t n) {
  runs_task task{exclusive, run, lab.arrange(n, 4)};
  task.at.stride = (task.at.stride + 255) / 256 * 256;
  if (!lab.fits(static_cast<double>(n) * 16)) return;  // with the workspace
  group rows;
  rows.places = task.at.places;
  const std::string runs = std::to_string(run), kind = exclusive ? "exclusive" : "inclusive";
  const std::string base = "scan_by_key/" + kind + "-" + runs + "/f32/" + std::to_string(n) + "/";
  rows.rows.push_back({base + "clwave",
                       "clwave::" + kind + "_scan_by_key, sums of runs of " + runs + ", 32-bit keys",
                       [&lab, task] { return clwave_runs(lab, task); }});
  if (lab.is_nvidia)
    rows.rows.push_back(
        {base + "cub",
         exclusive ? "cub::DeviceScan::ExclusiveSumByKey" : "cub::DeviceScan::InclusiveSumByKey",
         [&lab, task, row = base + "cub"] { return cuda_counted(lab, row, task.at, bytes_of(task)); }});
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{1'000'000, 100'000'000};
  if (!lab.is_cpu) sizes = {1u << 20, 1u << 26, 1u << 28};
  for (const std::uint64_t run : {1, 16, 1000}) {
    for (const std::uint64_t n : sizes) add_rows(lab, all, false, run, n);
  }
  add_rows(lab, all, true, 16, sizes[1]);
}

const registered_rows listed("scan_by_key", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_scan_by_key
