// Rows of count_if, minmax and mean_and_variance.
#include <cstdint>
#include <string>
#include <vector>

#include <clwave/statistics.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"

namespace clwave::tool::bench::rows_of_statistics {
namespace {

constexpr const char* kernels = R"(
kernel void make(global float* x, ulong n) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = (float)((uint)i & 0xffff);
}
)";

// Of 0 to 65535, over and over, so that all results are known.
struct statistics_task {
  std::string variant;
  std::uint64_t n = 0;  // a multiple of 2^16

  double bytes() const { return 4 * static_cast<double>(n); }
};

contender clwave_statistics(laboratory& lab, const statistics_task& task) {
  const cl::Buffer x = lab.buffer(task.n * 4), out = lab.buffer(16);
  cl::Kernel make = lab.kernel(kernels, "make");
  make.setArg(0, x);
  make.setArg(1, cl_ulong{task.n});
  lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
  lab.finish();
  contender c;
  c.bytes = task.bytes();
  c.spoil = [&lab, out] { lab.spoil(out, 16); };
  const view<float> in{x, task.n};
  if (task.variant == "count") {
    c.call = [&lab, x, in, out](std::size_t /*place*/) {
      count_if(lab.on.queue, in, view<std::uint64_t>{out, 1}, map{.name = "large", .source = "x >= 32768"},
               no_event);
    };
    c.wrong = [&lab, out, n = task.n](std::size_t /*place*/) -> std::string {
      std::uint64_t found = 0;
      lab.on.queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof found, &found);
      return found == n / 2 ? "" : "another count: " + std::to_string(found);
    };
  } else if (task.variant == "minmax") {
    c.call = [&lab, x, in, out](std::size_t /*place*/) {
      minmax(lab.on.queue, in, view<min_and_max<float>>{out, 1}, no_event);
    };
    c.wrong = [&lab, out](std::size_t /*place*/) -> std::string {
      min_and_max<float> found{};
      lab.on.queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof found, &found);
      return found.min == 0 && found.max == 65535 ? "" : "other ends";
    };
  } else {
    c.call = [&lab, x, in, out](std::size_t /*place*/) {
      mean_and_variance(lab.on.queue, in, view<moments<float>>{out, 1}, no_event);
    };
    c.wrong = [&lab, out, n = task.n](std::size_t /*place*/) -> std::string {
      moments<float> found{};
      lab.on.queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof found, &found);
      // (2^32 - 1) / 12.
      const bool right = found.n == n && found.mean > 32767.4f && found.mean < 32767.6f &&
                         found.variance() > 3.578e8f && found.variance() < 3.580e8f;
      return right ? "" : "another mean or variance";
    };
  }
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{16, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 24, 28};
  for (const unsigned bits : sizes) {
    for (const char* variant : {"count", "minmax", "moments"}) {
      const statistics_task task{variant, std::uint64_t{1} << bits};
      if (!lab.fits(task.bytes())) continue;
      group rows;
      const std::string base = "statistics/" + task.variant + "/f32/" + std::to_string(task.n) + "/";
      rows.rows.push_back({base + "clwave",
                           task.variant == "count"    ? "clwave::count_if"
                           : task.variant == "minmax" ? "clwave::minmax"
                                                      : "clwave::mean_and_variance",
                           [&lab, task] { return clwave_statistics(lab, task); }});
      if (lab.is_nvidia) {
        const auto peer = [&](const std::string& name, const std::string& sentence) {
          rows.rows.push_back({base + name, sentence, [&lab, task, row = base + name] {
                                 return cuda_counted(lab, row, {.n = task.n, .stride = task.n, .places = 1},
                                                     task.bytes());
                               }});
        };
        peer("cub", "cub::DeviceReduce::TransformReduce");
        peer("thrust", task.variant == "count"    ? "thrust::count_if, which returns the number"
                       : task.variant == "minmax" ? "thrust::minmax_element, which returns where they are"
                                                  : "thrust::transform_reduce, which returns the value");
      }
      all.push_back(std::move(rows));
    }
  }
}

// What the rows are held against, on an H200.
const registered_rows listed(
    "reduce", {{.add = add_groups,
                .goals = {{where::gpu, "statistics/(count|minmax|moments)/f32/268435456/clwave",
                           measure_of::speed, "statistics/$1/f32/268435456/thrust", 1.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_statistics
