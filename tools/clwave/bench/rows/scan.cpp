// Rows of scan.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include <clwave/scan.hpp>

#include "bench/bench.hpp"
#include "bench/peers/boost.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/peers/openmp.hpp"
#include "bench/rows/scan.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/exclusive_scan.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/functional.hpp>
#endif

namespace clwave::tool::bench::rows_of_scan {
namespace {

struct scan_task {
  std::string variant;  // exclusive, inclusive, in-place: sums, in-place an inclusive one; inclusive-max
  std::string type;     // f32, f64, i32, u8-u32
  arrangement at;
};

bool is_exclusive(const scan_task& task) { return task.variant == "exclusive"; }
bool is_max(const scan_task& task) { return task.variant == "inclusive-max"; }
bool is_in_place(const scan_task& task) { return task.variant == "in-place"; }

std::size_t size_of_input(const scan_task& task) { return find_element(input_type(task.type))->size; }
std::size_t size_of_output(const scan_task& task) { return find_element(output_type(task.type))->size; }
std::uint64_t elements_of(const scan_task& task) { return task.at.stride * task.at.places + 64; }

// Of one call that reads each element once and writes each result once.
double bytes_of(const scan_task& task) {
  return static_cast<double>(task.at.n * (size_of_input(task) + size_of_output(task)));
}

std::shared_ptr<pool> input_of(laboratory& lab, const scan_task& task) {
  return lab.data(input_type(task.type), first_seed, task.at, values::whole);
}

// The types of elements and results, for `f(types<In, Out>)`.
template <class I, class O>
struct types {
  using in = I;
  using out = O;
};
template <class F>
auto with_types(const std::string& type, const F& f) {
  if (type == "f64") return f(types<double, double>());
  if (type == "i32") return f(types<std::int32_t, std::int32_t>());
  if (type == "u8-u32") return f(types<std::uint8_t, std::uint32_t>());
  return f(types<float, float>());
}

// --- The check --------------------------------------------------------------------------------------
// Each result is the one before it and one element. That proves all of them, because no sum of whole numbers
// is rounded: from the first result, each right one makes the next.
constexpr const char* check_source = R"(
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
kernel void count(const global IN* restrict in, const global OUT* restrict out, ulong first, ulong n, ulong each,
                  global uint* wrong) {
  in += first;
  out += first;
  uint found = 0;
#ifdef NEIGHBOURS
  const ulong end = min(n, (get_global_id(0) + 1) * each), step = 1;
  ulong i = get_global_id(0) * each;
#else
  const ulong end = n, step = get_global_size(0);
  ulong i = get_global_id(0);
#endif
  for (; i < end; i += step) {
#ifdef EXCLUSIVE
    const OUT right = i == 0 ? 0 : COMBINED(out[i - 1], (OUT)in[i - 1]);
#else
    const OUT right = i == 0 ? (OUT)in[0] : COMBINED(out[i - 1], (OUT)in[i]);
#endif
    if (!(out[i] == right)) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

std::string wrong_on_device(laboratory& lab, const scan_task& task, const pool& in, const cl::Buffer& out,
                            std::size_t place) {
  // Sums of ints wrap, as unsigned ones do.
  const std::string ints = is_max(task) ? "int" : "uint";
  std::string options = task.type == "f32"   ? "-DIN=float -DOUT=float"
                        : task.type == "f64" ? "-DIN=double -DOUT=double -DDOUBLES"
                        : task.type == "i32" ? "-DIN=" + ints + " -DOUT=" + ints
                                             : "-DIN=uchar -DOUT=uint";
  if (is_exclusive(task)) options += " -DEXCLUSIVE";
  if (lab.is_cpu) options += " -DNEIGHBOURS";  // of a work-item; a GPU's work-items are neighbours themselves
  const std::string combined =
      is_max(task) ? "#define COMBINED(a, b) max(a, b)\n" : "#define COMBINED(a, b) ((a) + (b))\n";
  cl::Kernel k = lab.kernel(combined + check_source, "count", options);
  k.setArg(0, in.buffer);
  k.setArg(1, out);
  k.setArg(2, cl_ulong{place * task.at.stride});
  k.setArg(3, cl_ulong{task.at.n});
  k.setArg(4, cl_ulong{lab.each_of(task.at.n)});
  const cl_uint wrong = lab.count(k, 5);
  return wrong == 0 ? "" : std::to_string(wrong) + " results do not follow from the ones before them";
}

// --- clwave -----------------------------------------------------------------------------------------
template <class In, class Out>
void call_clwave(laboratory& lab, const scan_task& task, const cl::Buffer& in, const cl::Buffer& out,
                 std::size_t place) {
  const view<In> from{in, task.at.n, place * task.at.stride};
  const view<Out> to{out, task.at.n, place * task.at.stride};
  if (is_exclusive(task))
    exclusive_scan(lab.on.queue, from, to, plus, {.with_event = false});
  else
    inclusive_scan(lab.on.queue, from, to, is_max(task) ? clwave::max : plus, {.with_event = false});
}

contender clwave_scan(laboratory& lab, const scan_task& task) {
  const auto x = input_of(lab, task);
  const cl::Buffer out = lab.buffer(elements_of(task) * size_of_output(task));
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, task](std::size_t place) {
    with_types(task.type, [&]<class T>(T) {
      const cl::Buffer& in = is_in_place(task) ? out : x->buffer;
      call_clwave<typename T::in, typename T::out>(lab, task, in, out, place);
    });
  };
  if (is_in_place(task)) {
    c.renew = [&lab, x, out, bytes = elements_of(task) * size_of_output(task)] {
      detail::check(lab.on.queue.enqueueCopyBuffer(x->buffer, out, 0, 0, bytes), "copy the elements back");
    };
    c.spoil = c.renew;
  } else {
    c.spoil = [&lab, out, bytes = elements_of(task) * size_of_output(task)] { lab.spoil(out, bytes); };
  }
  c.wrong = [&lab, x, out, task](std::size_t place) { return wrong_on_device(lab, task, *x, out, place); };
  return c;
}

// --- Peers ------------------------------------------------------------------------------------------
#ifdef CLWAVE_BENCH_BOOST
template <class In, class Out>
contender boost_scan_of(laboratory& lab, const scan_task& task) {
  const auto x = input_of(lab, task);
  // The results always take the same place: from the second level on, its kernels for GPUs write from the
  // buffer's start, wherever the output begins.
  const cl::Buffer out = lab.buffer(task.at.n * sizeof(Out));
  contender c;
  c.bytes = bytes_of(task);
  c.call = [x, out, task, queue = compute::command_queue(lab.on.queue())](std::size_t place) mutable {
    const std::uint64_t first = place * task.at.stride;
    const auto begin = boost_at<In>(x->buffer, first), end = boost_at<In>(x->buffer, first + task.at.n);
    const auto to = boost_at<Out>(out, 0);
    if (is_max(task))
      compute::inclusive_scan(begin, end, to, compute::max<Out>(), queue);
    else if (is_exclusive(task))
      compute::exclusive_scan(begin, end, to, queue);
    else
      compute::inclusive_scan(begin, end, to, queue);
  };
  c.spoil = [&lab, out, task] { lab.spoil(out, task.at.n * sizeof(Out)); };
  c.wrong = [&lab, x, out, task](std::size_t place) {
    // The check takes results at their place.
    const cl::Buffer moved = lab.buffer(elements_of(task) * sizeof(Out));
    detail::check(lab.on.queue.enqueueCopyBuffer(out, moved, 0, place * task.at.stride * sizeof(Out),
                                                 task.at.n * sizeof(Out)),
                  "copy the results");
    return wrong_on_device(lab, task, *x, moved, place);
  };
  return c;
}

contender boost_scan(laboratory& lab, const scan_task& task) {
  if (task.type == "u8-u32" && !lab.is_cpu)
    return skipped("Boost.Compute's scan for GPUs accumulates in the element's own type");
  return with_types(task.type,
                    [&]<class T>(T) { return boost_scan_of<typename T::in, typename T::out>(lab, task); });
}
#else
contender boost_scan(laboratory&, const scan_task&) { return without_boost(); }
#endif

#if defined(CLWAVE_BENCH_OPENMP) || defined(CLWAVE_BENCH_UNSEQ)
// Of host memory, by `sums(in, out, n, exclusive)` or `largest(in, out, n)`.
template <class In, class Out, class Sums, class Largest>
contender scan_on_host(laboratory& lab, const scan_task& task, const Sums& sums, const Largest& largest) {
  const std::shared_ptr<void> x = lab.host_copy(*input_of(lab, task));
  const std::uint64_t bytes = elements_of(task) * sizeof(Out);
  const std::shared_ptr<void> y(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096), std::free);
  if (!y) throw std::bad_alloc();
  contender c = host_contender(bytes_of(task));
  c.call = [x, y, task, sums, largest](std::size_t place) {
    const In* from = static_cast<const In*>(x.get()) + place * task.at.stride;
    Out* to = static_cast<Out*>(y.get()) + place * task.at.stride;
    if constexpr (std::is_same_v<In, std::int32_t>) {
      if (is_max(task)) return largest(from, to, task.at.n);
    } else {
      static_cast<void>(largest);  // Clang warns where a capture is not used
    }
    sums(from, to, task.at.n, is_exclusive(task));
  };
  c.spoil = [y, bytes] { std::memset(y.get(), 0xa5, bytes); };
  c.wrong = [x, y, task](std::size_t place) {
    using computed = std::conditional_t<std::is_same_v<Out, std::int32_t>, std::uint32_t, Out>;
    const In* in = static_cast<const In*>(x.get()) + place * task.at.stride;
    const Out* out = static_cast<const Out*>(y.get()) + place * task.at.stride;
    std::uint64_t found = 0;
    computed right = 0;
    for (std::uint64_t i = 0; i < task.at.n; ++i) {
      const computed before = right;
      if (is_max(task))
        right = static_cast<computed>(std::max(i == 0 ? in[0] : static_cast<In>(right), in[i]));
      else
        right += static_cast<computed>(in[i]);
      if (static_cast<computed>(out[i]) != (is_exclusive(task) ? before : right)) ++found;
    }
    return found == 0 ? std::string() : std::to_string(found) + " results are wrong";
  };
  return c;
}
#endif

contender openmp_scan(laboratory& lab, const scan_task& task) {
#ifdef CLWAVE_BENCH_OPENMP
  return with_types(task.type, [&]<class T>(T) {
    return scan_on_host<typename T::in, typename T::out>(
        lab, task, [](auto... a) { openmp::scan(a...); }, openmp::scan_largest);
  });
#else
  (void)lab, (void)task;
  return without_openmp();
#endif
}

contender std_scan(laboratory& lab, const scan_task& task) {
#ifdef CLWAVE_BENCH_UNSEQ
  return with_types(task.type, [&]<class T>(T) {
    return scan_on_host<typename T::in, typename T::out>(
        lab, task, [](auto... a) { unseq::scan(a...); }, unseq::scan_largest);
  });
#else
  (void)lab, (void)task;
  return without_unseq();
#endif
}

// --- The list ---------------------------------------------------------------------------------------
std::string sentence_of(const scan_task& task) {
  if (is_exclusive(task)) return "clwave::exclusive_scan, sums";
  if (is_max(task)) return "clwave::inclusive_scan with clwave::max";
  return is_in_place(task) ? "clwave::inclusive_scan, sums, the results in the elements' place"
                           : "clwave::inclusive_scan, sums";
}

scan_task task_of(const std::string& variant, const std::string& type, std::uint64_t n,
                  const laboratory& lab) {
  // They go round their places by the larger side, the results, and elements of one byte start at whole
  // cache lines too.
  scan_task task{variant, type, lab.arrange(n, find_element(output_type(type))->size)};
  task.at.stride = (task.at.stride + 255) / 256 * 256;
  return task;
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::string& variant, const std::string& type,
              std::uint64_t n) {
  const scan_task task = task_of(variant, type, n, lab);
  if (!lab.fits(bytes_of(task))) return;
  group rows;
  rows.places = task.at.places;
  // A call in place overwrites its elements: each place once in a sample.
  if (is_in_place(task)) rows.calls = static_cast<unsigned>(task.at.places);
  const std::string base = "scan/" + variant + "/" + type + "/" + std::to_string(n) + "/";
  rows.rows.push_back({base + "clwave", sentence_of(task), [&lab, task] { return clwave_scan(lab, task); }});
  if (!is_in_place(task)) {
    rows.rows.push_back({base + "boost.compute", "Boost.Compute's inclusive_scan or exclusive_scan",
                         [&lab, task] { return boost_scan(lab, task); }});
    if (lab.is_cpu) {
      rows.rows.push_back({base + "std",
                           "std::inclusive_scan or std::exclusive_scan, std::execution::unseq, one core",
                           [&lab, task] { return std_scan(lab, task); }});
      rows.rows.push_back(
          {base + "openmp",
           "OpenMP: pieces folded and, while in cache, scanned by simd loops on all cores, -O3 "
           "-march=native -ffast-math",
           [&lab, task] { return openmp_scan(lab, task); }});
    }
  }
  if (lab.is_nvidia) {
    const auto add_cuda = [&](const std::string& contender, const char* sentence) {
      rows.rows.push_back({base + contender, sentence, [&lab, task, row = base + contender] {
                             return cuda_counted(lab, row, task.at, bytes_of(task));
                           }});
    };
    add_cuda("cub", "cub::DeviceScan");
    if ((type == "f32" || type == "f64") && !is_in_place(task))
      add_cuda("cub-run-to-run",
               "cub::DeviceScan with determinism::run_to_run: the same bits in each run on one GPU");
  }
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  std::vector<std::uint64_t> sizes{1'000'000, 100'000'000};
  if (!lab.is_cpu) {
    sizes.clear();
    for (unsigned log = 10; log <= 28; log += 2) sizes.push_back(std::uint64_t{1} << log);
  }
  std::vector<std::string> types{"f32", "i32", "u8-u32"};
  if (lab.on.facts->fp64.value_or(false)) types.insert(types.begin() + 1, "f64");
  for (const char* variant : {"exclusive", "inclusive"}) {
    for (const std::string& type : types) {
      for (const std::uint64_t n : sizes) add_rows(lab, all, variant, type, n);
      if (type == "f32" && !lab.is_cpu) add_rows(lab, all, variant, type, std::uint64_t{1} << 30);
    }
  }
  const std::uint64_t n = lab.is_cpu ? 10'000'000 : std::uint64_t{1} << 28;
  add_rows(lab, all, "inclusive-max", "i32", n);
  add_rows(lab, all, "in-place", "f32", n);
}

tuned_work tuned_scan(laboratory& lab, const std::string& type, std::uint64_t n) {
  const scan_task task = task_of("inclusive", type == "u8" ? "u8-u32" : type, n, lab);
  return {.n = n,
          .places = task.at.places,
          .make = [&lab, task] { return clwave_scan(lab, task); },
          .plan =
              [task](const plan_target& on) {
                return clwave::plan(scan_problem{.in = {*find_element(input_type(task.type)), task.at.n},
                                                 .out = {*find_element(output_type(task.type)), task.at.n}},
                                    on);
              }};
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "scan", {{.add = add_groups,
              .tuned = {{.name = "scan", .types = {"f32", "f64", "i32", "u8"}, .work = tuned_scan}},
              .goals = {{where::gpu, "scan/(exclusive|inclusive)/f32/(67108864|268435456)/clwave",
                         measure_of::speed, "scan/$1/f32/$2/cub", 1.1},
                        {where::gpu, "scan/(exclusive|inclusive)/(f32|f64|i32|u8-u32)/(\\d+)/clwave",
                         measure_of::speed, "scan/$1/$2/$3/cub", 1.0},
                        {where::gpu, "scan/inclusive-max/i32/268435456/clwave", measure_of::speed,
                         "scan/inclusive-max/i32/268435456/cub", 1.0},
                        {where::gpu, "scan/(exclusive|inclusive)/(f32|f64|i32)/(\\d+)/clwave",
                         measure_of::speed, "scan/$1/$2/$3/boost.compute", 3.0},
                        // 0.9 of the better of OpenMP and 0.8 of a copy.
                        {where::cpu, "scan/(exclusive|inclusive)/f32/100000000/clwave", measure_of::speed,
                         "scan/$1/f32/100000000/openmp", 0.9},
                        {where::cpu, "scan/(exclusive|inclusive)/f32/100000000/clwave",
                         measure_of::share_copy, "", 0.72},
                        {where::cpu, "scan/(exclusive|inclusive)/f32/100000000/clwave", measure_of::speed,
                         "scan/$1/f32/100000000/boost.compute", 5.0}}},
             {.add = add_sharded_scans},
             {.add = add_host_array_scans}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_scan
