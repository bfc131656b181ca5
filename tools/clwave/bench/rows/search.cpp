// Rows of searches that stop early.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/search.hpp>

#include "bench/bench.hpp"

namespace clwave::tool::bench::rows_of_search {
namespace {

// The variant says what is searched for: "nothing" is in no place, so that all elements are read; "early" is
// at element 2^15, whatever the length, so that the time is that of a call of 2^16 elements, or a little
// more.
struct search_task {
  std::string variant;
  std::uint64_t n = 0;

  std::uint64_t place() const { return variant == "early" ? std::uint64_t{1} << 15 : nowhere; }
  // What must be read.
  double bytes() const { return 4 * static_cast<double>(variant == "early" ? place() + 1 : n); }
};

constexpr const char* kernels = R"(
kernel void make(global uint* x, ulong n, ulong place) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = i == place ? 0xffffffffu : (uint)i & 0xffffff;
}
)";

contender clwave_search(laboratory& lab, const search_task& task) {
  const cl::Buffer x = lab.buffer(task.n * 4), index = lab.buffer(8);
  cl::Kernel make = lab.kernel(kernels, "make");
  make.setArg(0, x);
  make.setArg(1, cl_ulong{task.n});
  make.setArg(2, cl_ulong{task.place()});
  lab.launch(make, 1024, lab.is_cpu ? 1 : 256);
  lab.finish();
  contender c;
  c.bytes = task.bytes();
  c.spoil = [&lab, index] { lab.spoil(index, 8); };
  c.wrong = [&lab, index, task](std::size_t /*place*/) -> std::string {
    std::uint64_t found = 0;
    lab.on.queue.enqueueReadBuffer(index, CL_TRUE, 0, sizeof found, &found);
    return found == task.place() ? "" : "another index: " + std::to_string(found);
  };
  const map predicate{.name = "large", .source = "x > least", .values = {{"least", 0x1000000u}}};
  c.call = [&lab, x, index, predicate, n = task.n](std::size_t /*place*/) {
    find_if(lab.on.queue, view<std::uint32_t>{x, n}, view<std::uint64_t>{index, 1}, predicate,
            {.with_event = false});
  };
  return c;
}

// A plain loop on one core.
contender loop_search(const search_task& task) {
  struct data {
    std::vector<std::uint32_t> x;
    std::uint64_t found = 0;
  };
  const auto all = std::make_shared<data>();
  for (std::uint64_t i = 0; i < task.n; ++i)
    all->x.push_back(i == task.place() ? 0xffffffffu : static_cast<std::uint32_t>(i & 0xffffff));
  contender c = host_contender(task.bytes());
  c.call = [all](std::size_t /*place*/) {
    const auto at = std::find_if(all->x.begin(), all->x.end(), [](std::uint32_t x) { return x > 0x1000000; });
    all->found = at == all->x.end() ? nowhere : static_cast<std::uint64_t>(at - all->x.begin());
  };
  c.spoil = [all] { all->found = 1; };
  c.wrong = [all, task](std::size_t /*place*/) -> std::string {
    return all->found == task.place() ? "" : "another index";
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<unsigned> sizes{16, 20, 24};
  if (!lab.is_cpu) sizes = {16, 20, 24, 26, 28};
  for (const unsigned bits : sizes) {
    for (const char* variant : {"nothing", "early"}) {
      const search_task task{variant, std::uint64_t{1} << bits};
      if (!lab.fits(4.0 * static_cast<double>(task.n))) continue;
      group rows;
      const std::string base = "search/" + task.variant + "/u32/" + std::to_string(task.n) + "/";
      rows.rows.push_back(
          {base + "clwave", "clwave::find_if", [&lab, task] { return clwave_search(lab, task); }});
      if (lab.is_cpu)
        rows.rows.push_back(
            {base + "loop", "std::find_if on one core", [task] { return loop_search(task); }});
      all.push_back(std::move(rows));
    }
  }
}

const registered_rows listed("search", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_search
