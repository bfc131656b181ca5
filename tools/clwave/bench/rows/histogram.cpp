// Rows of histogram.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <clwave/histogram.hpp>

#include "bench/bench.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/peers/openmp.hpp"

namespace clwave::tool::bench::rows_of_histogram {
namespace {

struct histogram_task {
  std::uint64_t bins = 0;
  std::string values;  // empty: random; -one, -two: that many values, in turn
  std::string type;    // u8, f32
  arrangement at;
};

bool is_of_bytes(const histogram_task& task) { return task.type == "u8"; }
std::uint64_t element_bytes(const histogram_task& task) { return is_of_bytes(task) ? 1 : 4; }
std::uint64_t elements_of(const histogram_task& task) { return task.at.stride * task.at.places + 64; }

// Elements that are read once; counts stay in caches.
double bytes_of(const histogram_task& task) {
  return static_cast<double>(task.at.n) * static_cast<double>(element_bytes(task));
}

even bounds_of(const histogram_task& task) { return is_of_bytes(task) ? even{0, 256} : even{-1, 1}; }

// Floats of the pools are multiples of 2^-23 in [-1, 1), whose bins this arithmetic finds without rounding.
std::string kernels(const histogram_task& task) {
  const bool bytes = is_of_bytes(task);
  std::string source = "typedef ";
  source += bytes ? "uchar" : "float";
  source += R"( key;
kernel void make_values(global key* out, ulong n, key a, key b) {
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = i % 2 == 0 ? a : b;
}
kernel void clear(global uint* counts, uint bins) {
  for (uint k = get_global_id(0); k < bins; k += get_global_size(0)) counts[k] = 0;
}
kernel void plain(const global key* in, ulong first, ulong n, volatile global uint* counts, uint bins) {
  for (ulong i = first + get_global_id(0); i < first + n; i += get_global_size(0))
    atomic_inc(counts + )";
  source += bytes ? "in[i]" : "(uint)((in[i] + 1.0f) * (float)(bins / 2))";
  source += R"();
}
kernel void compare(const global uint* counts, const global uint* right, uint bins, global uint* wrong) {
  uint found = 0;
  for (uint k = get_global_id(0); k < bins; k += get_global_size(0)) found += counts[k] != right[k];
  if (found != 0) atomic_add(wrong, found);
}
)";
  return source;
}

template <class Key>
cl::Buffer input_of(laboratory& lab, const histogram_task& task, std::shared_ptr<void>& keeps) {
  if (task.values.empty()) {
    const std::shared_ptr<pool> x = lab.data(task.type, first_seed, task.at);
    keeps = x;
    return x->buffer;
  }
  cl::Buffer made = lab.buffer(elements_of(task) * element_bytes(task));
  cl::Kernel k = lab.kernel(kernels(task), "make_values");
  const Key a = is_of_bytes(task) ? Key(77) : Key(0.25);
  const Key b = task.values == "-one" ? a : is_of_bytes(task) ? Key(201) : Key(-0.5);
  k.setArg(0, made);
  k.setArg(1, cl_ulong{elements_of(task)});
  k.setArg(2, a);
  k.setArg(3, b);
  lab.launch(k, 1024, lab.is_cpu ? 1 : 256);
  lab.finish();
  return made;
}

// Counts by plain atomics, whose groups take neighbours of the input in turn.
void enqueue_plain(laboratory& lab, const histogram_task& task, const cl::Buffer& in,
                   const cl::Buffer& counts, std::size_t place) {
  const std::size_t group = lab.is_cpu ? 1 : 256;
  cl::Kernel clear = lab.kernel(kernels(task), "clear"), plain = lab.kernel(kernels(task), "plain");
  clear.setArg(0, counts);
  clear.setArg(1, static_cast<cl_uint>(task.bins));
  lab.launch(clear, 64, group);
  plain.setArg(0, in);
  plain.setArg(1, cl_ulong{place * task.at.stride});
  plain.setArg(2, cl_ulong{task.at.n});
  plain.setArg(3, counts);
  plain.setArg(4, static_cast<cl_uint>(task.bins));
  lab.launch(plain, 4096, group);
}

void add_check(laboratory& lab, contender& c, const histogram_task& task, const cl::Buffer& in,
               const cl::Buffer& counts) {
  c.bytes = bytes_of(task);
  c.spoil = [&lab, counts, task] { lab.spoil(counts, task.bins * 4); };
  c.wrong = [&lab, task, in, counts](std::size_t place) -> std::string {
    const cl::Buffer right = lab.buffer(task.bins * 4);
    enqueue_plain(lab, task, in, right, place);
    cl::Kernel k = lab.kernel(kernels(task), "compare");
    k.setArg(0, counts);
    k.setArg(1, right);
    k.setArg(2, static_cast<cl_uint>(task.bins));
    const cl_uint found = lab.count(k, 3);
    return found == 0 ? "" : std::to_string(found) + " counts are wrong";
  };
}

template <class Key>
contender clwave_histogram_of(laboratory& lab, const histogram_task& task) {
  contender c;
  const cl::Buffer in = input_of<Key>(lab, task, c.keeps), counts = lab.buffer(task.bins * 4);
  add_check(lab, c, task, in, counts);
  c.call = [&lab, task, in, counts](std::size_t place) {
    histogram(lab.on.queue, view<Key>{in, task.at.n, place * task.at.stride},
              view<std::uint32_t>{counts, task.bins}, bounds_of(task), {.with_event = false});
  };
  return c;
}

template <class Key>
contender plain_histogram(laboratory& lab, const histogram_task& task) {
  contender c;
  const cl::Buffer in = input_of<Key>(lab, task, c.keeps), counts = lab.buffer(task.bins * 4);
  add_check(lab, c, task, in, counts);
  c.call = [&lab, task, in, counts](std::size_t place) { enqueue_plain(lab, task, in, counts, place); };
  return c;
}

template <class Key>
contender openmp_histogram(laboratory& lab, const histogram_task& task) {
#ifdef CLWAVE_BENCH_OPENMP
  const std::shared_ptr<void> in = lab.host_copy(*lab.data(task.type, first_seed, task.at));
  const auto counts = std::make_shared<std::vector<std::uint32_t>>(task.bins);
  const auto input = [in, task](std::size_t place) {
    return static_cast<const Key*>(in.get()) + place * task.at.stride;
  };
  contender c = host_contender(bytes_of(task));
  c.call = [input, counts, task](std::size_t place) {
    openmp::histogram(input(place), counts->data(), task.at.n, task.bins);
  };
  c.spoil = [counts] { counts->assign(counts->size(), 0xa5a5a5a5u); };
  c.wrong = [input, counts, task](std::size_t place) -> std::string {
    std::vector<std::uint32_t> right(task.bins);
    for (std::uint64_t i = 0; i < task.at.n; ++i) {
      const Key x = input(place)[i];
      ++right[is_of_bytes(task) ? static_cast<std::size_t>(x)
                                : static_cast<std::size_t>((static_cast<double>(x) + 1) *
                                                           static_cast<double>(task.bins) / 2)];
    }
    return right == *counts ? "" : "counts are wrong";
  };
  return c;
#else
  (void)lab, (void)task;
  return without_openmp();
#endif
}

template <class F>
contender with_key(const histogram_task& task, F f) {
  return is_of_bytes(task) ? f(std::uint8_t{}) : f(float{});
}

contender clwave_histogram(laboratory& lab, const histogram_task& task) {
  return with_key(task, [&]<class Key>(Key) { return clwave_histogram_of<Key>(lab, task); });
}

histogram_task task_of(histogram_task task, std::uint64_t n, const laboratory& lab) {
  task.at = lab.arrange(n, element_bytes(task));
  task.at.stride = (task.at.stride + 255) / 256 * 256;
  return task;
}

void add_rows(laboratory& lab, std::vector<group>& all, const histogram_task& of, std::uint64_t n) {
  const histogram_task task = task_of(of, n, lab);
  if (!lab.fits(2 * static_cast<double>(elements_of(task) * element_bytes(task)))) return;
  group rows;
  rows.places = task.at.places;
  const std::string base = "histogram/" + std::to_string(task.bins) + task.values + "/" + task.type + "/" +
                           std::to_string(n) + "/";
  const std::string of_what = task.values.empty()     ? ""
                              : task.values == "-one" ? ", one value only"
                                                      : ", two values";
  rows.rows.push_back(
      {base + "clwave", "clwave::histogram" + of_what, [&lab, task] { return clwave_histogram(lab, task); }});
  rows.rows.push_back({base + "opencl", "a plain kernel of atomics on the results" + of_what, [&lab, task] {
                         return with_key(task,
                                         [&]<class Key>(Key) { return plain_histogram<Key>(lab, task); });
                       }});
  if (lab.is_cpu && task.values.empty())
    rows.rows.push_back(
        {base + "openmp", "OpenMP: counts of each core, then their sums, -O3 -march=native -ffast-math",
         [&lab, task] {
           return with_key(task, [&]<class Key>(Key) { return openmp_histogram<Key>(lab, task); });
         }});
  // There CUB of CUDA 13.0 ends its process with an illegal memory access (H100, 2026-11).
  const bool cub_can = task.bins < 1u << 22 || n < 1u << 24;
  if (lab.is_nvidia && cub_can)
    rows.rows.push_back(
        {base + "cub", "cub::DeviceHistogram::HistogramEven" + of_what,
         [&lab, task, row = base + "cub"] { return cuda_counted(lab, row, task.at, bytes_of(task)); }});
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{1'000'000, 100'000'000};
  if (!lab.is_cpu) sizes = {1u << 16, 1u << 20, 1u << 24, 1u << 28};
  const histogram_task tasks[] = {
      {.bins = 256, .values = "", .type = "u8", .at = {}},
      {.bins = 256, .values = "-one", .type = "u8", .at = {}},
      {.bins = 256, .values = "", .type = "f32", .at = {}},
      {.bins = 4096, .values = "", .type = "f32", .at = {}},
      {.bins = 4096, .values = "-one", .type = "f32", .at = {}},
      {.bins = 65536, .values = "", .type = "f32", .at = {}},
      {.bins = 65536, .values = "-one", .type = "f32", .at = {}},
      {.bins = 65536, .values = "-two", .type = "f32", .at = {}},
      {.bins = 1u << 22, .values = "", .type = "f32", .at = {}},
  };
  for (const std::uint64_t n : sizes) {
    for (const histogram_task& task : tasks) add_rows(lab, all, task, n);
  }
}

// Of 256 bins.
tuned_work tuned_histogram(laboratory& lab, const std::string& type, std::uint64_t n) {
  const histogram_task task = task_of({.bins = 256, .values = "", .type = type, .at = {}}, n, lab);
  return {.n = n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_histogram(lab, task); },
          .plan =
              [task](const plan_target& on) {
                return clwave::plan(histogram_problem{.in = {*find_element(task.type), task.at.n},
                                                      .counts = {element_of<std::uint32_t>(), task.bins},
                                                      .bounds = bounds_of(task)},
                                    on);
              }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "histogram",
    {{.add = add_groups,
      .tuned = {{.name = "histogram", .types = {"f32", "u8"}, .work = tuned_histogram}},
      .goals = {{where::gpu, "histogram/256/u8/268435456/clwave", measure_of::speed,
                 "histogram/256/u8/268435456/cub", 1.2},
                {where::gpu, "histogram/(256-one/u8|(256|4096-one|65536|65536-one)/f32)/268435456/clwave",
                 measure_of::speed, "histogram/$1/268435456/cub", 1.0},
                {where::cpu, "histogram/(256/u8|256/f32|65536/f32)/100000000/clwave", measure_of::speed,
                 "histogram/$1/100000000/openmp", 0.9}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_histogram
