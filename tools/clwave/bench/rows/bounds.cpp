// Rows of lower_bound.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/bounds.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/sorted_ranges.hpp"

namespace clwave::tool::bench::rows_of_bounds {
namespace {

constexpr std::uint32_t step = 8;

// As many needles as elements.
struct bounds_task {
  std::string variant;  // of the needles: random, or sorted
  std::uint64_t n = 0;
};

// A random needle is one of the range's places at random, a sorted one is number i of another range.
std::string kernels() {
  return "typedef int key;\n" + sorted_source + R"(
kernel void make_needles(global key* out, ulong n, uint seed, uint step) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    const ulong any = (ulong)hash(i, seed) * n >> 32;
    out[i] = (int)(any * step + hash(any, seed) % step);
  }
}
kernel void count_wrong(const global key* in, const global key* needles, const global uint* out, ulong n,
                        global uint* wrong) {
  uint found = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    const uint place = out[i];
    if (place > n || (place > 0 && !(in[place - 1] < needles[i])) || (place < n && in[place] < needles[i])) ++found;
  }
  if (found != 0) atomic_add(wrong, found);
}
)";
}

contender clwave_bounds(laboratory& lab, const bounds_task& task) {
  const std::uint64_t n = task.n;
  const cl::Buffer in = lab.buffer(n * 4), needles = lab.buffer(n * 4), out = lab.buffer(n * 4);
  const std::size_t group = lab.is_cpu ? 1 : 256;
  cl::Kernel make = lab.kernel(kernels(), "make_sorted");
  make.setArg(1, cl_ulong{n});
  make.setArg(2, cl_ulong{n});
  make.setArg(4, cl_uint{step});
  make.setArg(0, in);
  make.setArg(3, cl_uint{first_seed});
  lab.launch(make, 1024, group);
  if (task.variant == "sorted") {
    make.setArg(0, needles);
    make.setArg(3, cl_uint{second_seed});
    lab.launch(make, 1024, group);
  } else {
    cl::Kernel any = lab.kernel(kernels(), "make_needles");
    any.setArg(0, needles);
    any.setArg(1, cl_ulong{n});
    any.setArg(2, cl_uint{second_seed});
    any.setArg(3, cl_uint{step});
    lab.launch(any, 1024, group);
  }
  lab.finish();
  contender c;
  c.bytes = 12.0 * static_cast<double>(n);
  c.spoil = [&lab, out, n] { lab.spoil(out, n * 4); };
  c.wrong = [&lab, in, needles, out, n](std::size_t /*place*/) -> std::string {
    cl::Kernel k = lab.kernel(kernels(), "count_wrong");
    k.setArg(0, in);
    k.setArg(1, needles);
    k.setArg(2, out);
    k.setArg(3, cl_ulong{n});
    return lab.count(k, 4) == 0 ? "" : "some places are wrong";
  };
  c.call = [&lab, in, needles, out, n](std::size_t /*place*/) {
    lower_bound(lab.on.queue, view<std::int32_t>{in, n}, view<std::int32_t>{needles, n},
                view<std::uint32_t>{out, n}, {.with_event = false});
  };
  return c;
}

contender std_bounds(const bounds_task& task) {
  struct ranges {
    std::vector<std::int32_t> in, needles;
    std::vector<std::uint32_t> out;
  };
  const auto all = std::make_shared<ranges>();
  for (std::uint64_t i = 0; i < task.n; ++i) {
    const std::uint64_t any = static_cast<std::uint64_t>(hash(i, second_seed)) * task.n >> 32;
    all->in.push_back(sorted_number(i, first_seed, step));
    all->needles.push_back(sorted_number(task.variant == "sorted" ? i : any, second_seed, step));
  }
  all->out.resize(task.n);
  contender c = host_contender(12.0 * static_cast<double>(task.n));
  c.call = [all](std::size_t /*place*/) {
    for (std::size_t i = 0; i < all->needles.size(); ++i) {
      const auto at = std::lower_bound(all->in.begin(), all->in.end(), all->needles[i]);
      all->out[i] = static_cast<std::uint32_t>(at - all->in.begin());
    }
  };
  c.spoil = [all] { std::fill(all->out.begin(), all->out.end(), 0xa5a5a5a5u); };
  c.wrong = [all](std::size_t /*place*/) -> std::string {
    return *std::max_element(all->out.begin(), all->out.end()) <= all->in.size() ? ""
                                                                                 : "some places are wrong";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{10'000, 1'000'000, 10'000'000};
  if (!lab.is_cpu) sizes = {1u << 16, 1u << 20, 1u << 24, 1u << 26};
  for (const std::uint64_t n : sizes) {
    for (const char* variant : {"random", "sorted"}) {
      const bounds_task task{variant, n};
      if (!lab.fits(static_cast<double>(n) * 16)) continue;
      group rows;
      const std::string base = "bounds/" + task.variant + "/i32/" + std::to_string(n) + "/";
      rows.rows.push_back({base + "clwave", "clwave::lower_bound of as many needles as elements",
                           [&lab, task] { return clwave_bounds(lab, task); }});
      if (lab.is_cpu)
        rows.rows.push_back(
            {base + "std", "std::lower_bound of each on one core", [task] { return std_bounds(task); }});
      if (lab.is_nvidia)
        rows.rows.push_back(
            {base + "thrust", "thrust::lower_bound, vectorized", [&lab, n, row = base + "thrust"] {
               return cuda_counted(lab, row, {.n = n, .stride = n, .places = 1},
                                   12.0 * static_cast<double>(n));
             }});
      all.push_back(std::move(rows));
    }
  }
}

const registered_rows listed("bounds", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_bounds
