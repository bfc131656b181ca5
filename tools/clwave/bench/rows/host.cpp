// Rows of the host's time and memory: blocking calls, enqueuing, a million calls.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>

#include <unistd.h>

#include <clwave/plan.hpp>
#include <clwave/reduce.hpp>

#include "bench/rows/reduce.hpp"
#include "program/program.hpp"

namespace clwave::tool::bench::rows_of_host {
namespace {

using clock = std::chrono::steady_clock;
using counters = std::map<std::string, double>;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

// --- Blocking calls -----------------------------------------------------------------------------------
contender blocking_clwave(laboratory& lab, const reduce_task& task) {
  const auto x = lab.data("f32", first_seed, task.at);
  const auto value = std::make_shared<float>();
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, value, at = task.at](std::size_t place) {
    *value = reduce(lab.on.queue, view<float>{x->buffer, at.n, place * at.stride});
  };
  c.spoil = [value] { *value = 12345; };
  c.wrong = [value, task](std::size_t place) {
    return compare(answer_of(task.what, task.at.n, place * task.at.stride, first_seed), task.what,
                   value.get(), nullptr, true);
  };
  return c;
}

constexpr const char* empty_source = "kernel void empty(global uint* x) { }\n";

// The floor under every blocking call: an empty kernel, and its end or four bytes brought back.
contender floor_of(laboratory& lab, bool reads) {
  const cl::Buffer out = lab.buffer(64);
  cl::Kernel k = lab.kernel(empty_source, "empty");
  k.setArg(0, out);
  contender c;
  if (!reads) {
    c.call = [&lab, k, out](std::size_t) {
      lab.launch(k, 1, 1);
      lab.finish();
    };
    return c;
  }
  // Page-locked memory to read into, where there is such: faster.
  cl_int code = CL_SUCCESS;
  const cl::Buffer pinned(lab.on.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, 64, nullptr, &code);
  detail::check(code, "make a page-locked buffer");
  void* host = lab.on.queue.enqueueMapBuffer(pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 64, nullptr,
                                             nullptr, &code);
  detail::check(code, "map a page-locked buffer");
  c.call = [&lab, k, out, pinned, host](std::size_t) {
    lab.launch(k, 1, 1);
    detail::check(lab.on.queue.enqueueReadBuffer(out, CL_TRUE, 0, 4, host), "read");
  };
  return c;
}

// --- Enqueuing ----------------------------------------------------------------------------------------
contender enqueue_clwave(laboratory& lab, const reduce_task& task) {
  const auto x = lab.data("f32", first_seed, task.at);
  const cl::Buffer out = lab.buffer(64);
  contender c;
  c.call = [&lab, x, out, at = task.at](std::size_t place) {
    reduce(lab.on.queue, view<float>{x->buffer, at.n, place * at.stride}, view<float>{out, 1}, plus,
           no_event);
  };
  check_result_at(lab, c, task, out, true);
  return c;
}

contender enqueue_bare(laboratory& lab) {
  const cl::Buffer out = lab.buffer(64);
  cl::Kernel k = lab.kernel(empty_source, "empty");
  k.setArg(0, out);
  contender c;
  c.call = [&lab, k, out](std::size_t) {
    const std::size_t one = 1;
    detail::check(clEnqueueNDRangeKernel(lab.on.queue(), k(), 1, nullptr, &one, &one, 0, nullptr, nullptr),
                  "enqueue");
  };
  return c;
}

// --- A million calls ----------------------------------------------------------------------------------
double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

constexpr int million = 1'000'000;

contender a_million(laboratory& lab, contender c) {
  c.found = std::make_shared<counters>();
  c.bytes = 0;
  const auto one = c.call;
  c.call = [&lab, one, found = c.found](std::size_t) {
    const auto run = [&](int calls) {
      for (int i = 0; i < calls; ++i) {
        one(0);
        if (i % 500 == 499) lab.finish();
      }
      lab.finish();
    };
    run(million / 20);  // pools and allocators reach their size
    const double before = resident_bytes();
    const auto start = clock::now();
    run(million);
    (*found)["seconds"] = seconds_since(start) / million;
    (*found)["resident_bytes"] = before;
    (*found)["resident_growth_bytes"] = resident_bytes() - before;
  };
  return c;
}

// --- Programs and workspace ---------------------------------------------------------------------------
contender programs(laboratory& lab) {
  contender c;
  c.found = std::make_shared<counters>();
  const arrangement at = lab.arrange(1 << 20, sizeof(float));
  const auto x = lab.data("f32", first_seed, at);
  const cl::Buffer out = lab.buffer(64);
  c.call = [&lab, x, out, at, found = c.found](std::size_t) {
    // An operator of the bench's own, so that no row before has built its program.
    const op mine{.name = "bench_plus", .source = "a + b", .identity = "0"};
    const detail::program_counts before = detail::count_programs();
    unsigned sizes = 0;
    double largest_share = 0;
    const auto start = clock::now();
    for (std::size_t n = 1; n <= at.n; n = n * 2 + n / 2 + 1, ++sizes) {
      reduce(lab.on.queue, view<float>{x->buffer, n}, view<float>{out, 1}, mine);
      lab.finish();
    }
    (*found)["seconds"] = seconds_since(start);
    const detail::program_counts after = detail::count_programs();
    (*found)["sizes"] = sizes;
    (*found)["programs"] =
        static_cast<double>(after.built + after.from_disk - before.built - before.from_disk);
    const plan_target target{lab.on.facts, lab.on.choice, 0};
    for (std::uint64_t n = 1; n < std::uint64_t{1} << 40; n *= 2) {
      const call_plan plan = clwave::plan(
          reduce_problem{.in = {element_of<float>(), n}, .accumulator = &element_of<float>()}, target);
      const double allowed = 0.01 * static_cast<double>(n * sizeof(float)) + (1 << 20);
      largest_share = std::max(largest_share, static_cast<double>(plan.workspace_bytes) / allowed);
    }
    (*found)["workspace_of_allowed"] = largest_share;
  };
  return c;
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  for (const std::uint64_t n :
       lab.is_cpu ? std::vector<std::uint64_t>{1000, 10'000} : std::vector<std::uint64_t>{1 << 10, 1 << 16}) {
    const reduce_task task{{"sum", "f32"}, lab.arrange(n, sizeof(float))};
    const std::string size = "/f32/" + std::to_string(n) + "/";
    const std::string cub = "reduce/sum" + size + "cub/host";
    group rows;
    rows.how = clocked::blocking;
    rows.places = task.at.places;
    rows.rows.push_back({"reduce/sum" + size + "clwave/host",
                         "blocking clwave::reduce, the value back on the host",
                         [&lab, task] { return blocking_clwave(lab, task); }});
    rows.rows.push_back(
        {"reduce/empty+read" + size + "opencl/host",
         "an empty kernel and a blocking read of 4 bytes: the floor under every blocking call",
         [&lab] { return floor_of(lab, true); }});
    rows.rows.push_back({"reduce/empty+finish" + size + "opencl/host", "an empty kernel and clFinish",
                         [&lab] { return floor_of(lab, false); }});
    rows.rows.push_back({"reduce/sum" + size + "boost.compute/host", "blocking boost::compute::reduce",
                         [&lab, task] { return boost_reduce(lab, task, true); }});
    if (lab.is_nvidia)
      rows.rows.push_back({cub, "cub::DeviceReduce::Sum and a blocking cudaMemcpy of the value",
                           [&lab, task, cub] { return cuda_reduce(lab, cub, task); }});
    all.push_back(std::move(rows));
  }
  const reduce_task small{{"sum", "f32"}, lab.arrange(1 << 10, sizeof(float))};
  group enqueuing;
  enqueuing.how = clocked::enqueue;
  enqueuing.places = small.at.places;
  enqueuing.rows.push_back({"reduce/enqueue/f32/1024/clwave/host",
                            "host time of an asynchronous clwave::reduce whose program is built",
                            [&lab, small] { return enqueue_clwave(lab, small); }});
  enqueuing.rows.push_back({"reduce/enqueue/f32/1024/opencl/host",
                            "host time of a bare clEnqueueNDRangeKernel",
                            [&lab] { return enqueue_bare(lab); }});
  all.push_back(std::move(enqueuing));

  group memory;
  memory.how = clocked::itself;
  memory.samples = 1;
  memory.rows.push_back({"reduce/million-calls/f32/1024/clwave/host",
                         "how resident memory grows over 10^6 calls",
                         [&lab, small] { return a_million(lab, enqueue_clwave(lab, small)); }});
  memory.rows.push_back({"reduce/million-calls/f32/1024/opencl/host",
                         "the same of 10^6 bare clEnqueueNDRangeKernel: the driver's own share",
                         [&lab] { return a_million(lab, enqueue_bare(lab)); }});
  memory.rows.push_back(
      {"reduce/programs/f32/1048576/clwave/host",
       "programs built for one operator over many sizes up to 2^20, and the workspace they need",
       [&lab] { return programs(lab); }});
  all.push_back(std::move(memory));
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed("host",
                             {{.add = add_groups,
                               .goals = {{where::gpu, "reduce/sum/f32/(\\d+)/clwave/host", measure_of::time,
                                          "reduce/empty+read/f32/$1/opencl/host", 1.15},
                                         {where::any, "reduce/enqueue/f32/(\\d+)/clwave/host",
                                          measure_of::excess, "reduce/enqueue/f32/$1/opencl/host", 2e-6},
                                         {where::cpu, "reduce/sum/f32/(\\d+)/clwave/host", measure_of::time,
                                          "reduce/empty+finish/f32/$1/opencl/host", 1.3},
                                         // Cost as the work grows.
                                         {where::any, "reduce/million-calls/f32/1024/clwave/host",
                                          measure_of::counter, "resident_growth_bytes", 1048576},
                                         {where::any, "reduce/programs/f32/\\d+/clwave/host",
                                          measure_of::counter, "programs", 2},
                                         {where::any, "reduce/programs/f32/\\d+/clwave/host",
                                          measure_of::counter, "workspace_of_allowed", 1}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_host
