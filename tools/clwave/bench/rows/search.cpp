// Rows of searches that stop early.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/search.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"

namespace clwave::tool::bench::rows_of_search {
namespace {

// The variant says what is searched for: "nothing" is in no place, so that all elements are read; "early" is
// at element 2^15, whatever the length, so that the time is that of a call of 2^16 elements, or a little
// more. "equal" compares two inputs that are alike, "sorted" looks through one whose elements rise: both read
// all there is.
struct search_task {
  std::string variant;
  std::uint64_t n = 0;

  std::uint64_t place() const { return variant == "early" ? std::uint64_t{1} << 15 : nowhere; }
  bool has_two() const { return variant == "equal"; }
  bool is_truth() const { return has_two() || variant == "sorted"; }
  // The bits of its index that an element has.
  std::uint32_t mask() const { return variant == "sorted" ? 0xffffffffu : 0xffffffu; }
  // What must be read.
  double bytes() const {
    return (has_two() ? 8 : 4) * static_cast<double>(variant == "early" ? place() + 1 : n);
  }
};

constexpr const char* kernels = R"(
kernel void make(global uint* x, ulong n, ulong place, uint mask) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = i == place ? 0xffffffffu : (uint)i & mask;
}
)";

contender clwave_search(laboratory& lab, const search_task& task) {
  const cl::Buffer x = lab.buffer(task.n * 4), y = task.has_two() ? lab.buffer(task.n * 4) : x,
                   found = lab.buffer(8);
  cl::Kernel make = lab.kernel(kernels, "make");
  make.setArg(1, cl_ulong{task.n});
  make.setArg(2, cl_ulong{task.place()});
  make.setArg(3, cl_uint{task.mask()});
  for (const cl::Buffer& each : {x, y}) {
    make.setArg(0, each);
    lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
  }
  lab.finish();
  contender c;
  c.bytes = task.bytes();
  c.spoil = [&lab, found] { lab.spoil(found, 8); };
  const view<std::uint32_t> in{x, task.n};
  if (task.is_truth()) {
    c.wrong = [&lab, found](std::size_t /*place*/) -> std::string {
      std::uint8_t truth = 0;
      lab.on.queue.enqueueReadBuffer(found, CL_TRUE, 0, sizeof truth, &truth);
      return truth == 1 ? "" : "not true";
    };
    c.call = [&lab, x, y, found, in, task](std::size_t /*place*/) {
      const view<bool> truth{found, 1};
      if (task.has_two())
        equal(lab.on.queue, in, view<std::uint32_t>{y, task.n}, truth, no_event);
      else
        is_sorted(lab.on.queue, in, truth, {.with_event = false});
    };
    return c;
  }
  c.wrong = [&lab, found, task](std::size_t /*place*/) -> std::string {
    std::uint64_t index = 0;
    lab.on.queue.enqueueReadBuffer(found, CL_TRUE, 0, sizeof index, &index);
    return index == task.place() ? "" : "another index: " + std::to_string(index);
  };
  const map predicate{.name = "large", .source = "x > least", .values = {{"least", 0x1000000u}}};
  c.call = [&lab, x, found, predicate, in](std::size_t /*place*/) {
    find_if(lab.on.queue, in, view<std::uint64_t>{found, 1}, predicate, no_event);
  };
  return c;
}

// A plain loop on one core.
contender loop_search(const search_task& task) {
  struct data {
    std::vector<std::uint32_t> x, y;
    std::uint64_t found = 0;  // an index, or a truth value
  };
  const auto all = std::make_shared<data>();
  for (std::uint64_t i = 0; i < task.n; ++i)
    all->x.push_back(i == task.place() ? 0xffffffffu : static_cast<std::uint32_t>(i) & task.mask());
  if (task.has_two()) all->y = all->x;
  contender c = host_contender(task.bytes());
  c.call = [all, task](std::size_t /*place*/) {
    const auto begin = all->x.begin(), end = all->x.end();
    if (task.has_two()) {
      all->found = std::equal(begin, end, all->y.begin(), all->y.end()) ? 1 : 0;
    } else if (task.is_truth()) {
      all->found = std::is_sorted(begin, end) ? 1 : 0;
    } else {
      const auto at = std::find_if(begin, end, [](std::uint32_t x) { return x > 0x1000000; });
      all->found = at == end ? nowhere : static_cast<std::uint64_t>(at - begin);
    }
  };
  c.spoil = [all] { all->found = 7; };
  c.wrong = [all, task](std::size_t /*place*/) -> std::string {
    return all->found == (task.is_truth() ? 1 : task.place()) ? "" : "another result";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{16, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 24, 26, 28};
  for (const unsigned bits : sizes) {
    for (const char* variant : {"nothing", "early", "equal", "sorted"}) {
      const search_task task{variant, std::uint64_t{1} << bits};
      if (!lab.fits((task.has_two() ? 8.0 : 4.0) * static_cast<double>(task.n))) continue;
      group rows;
      const std::string base = "search/" + task.variant + "/u32/" + std::to_string(task.n) + "/";
      const std::string call = task.has_two() ? "equal" : task.is_truth() ? "is_sorted" : "find_if";
      rows.rows.push_back(
          {base + "clwave", "clwave::" + call, [&lab, task] { return clwave_search(lab, task); }});
      if (lab.is_cpu)
        rows.rows.push_back(
            {base + "loop", "std::" + call + " on one core", [task] { return loop_search(task); }});
      if (lab.is_nvidia)
        rows.rows.push_back({base + "thrust", "thrust::" + call + ", which returns its result",
                             [&lab, task, row = base + "thrust"] {
                               return cuda_counted(lab, row, {.n = task.n, .stride = task.n, .places = 1},
                                                   task.bytes());
                             }});
      all.push_back(std::move(rows));
    }
  }
}

// What the rows are held against, on an H200.
const registered_rows listed(
    "search", {{.add = add_groups,
                .goals = {{where::gpu, "search/(nothing|equal|sorted)/u32/(67108864|268435456)/clwave",
                           measure_of::speed, "search/$1/u32/$2/thrust", 1.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_search
