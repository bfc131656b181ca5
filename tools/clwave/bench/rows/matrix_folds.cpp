// The benchmark's rows of folds of a matrix's rows and of its columns.
#include "bench/rows/matrix_folds.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <clwave/reduce_columns.hpp>
#include <clwave/reduce_rows.hpp>

#include "bench/peers/openmp.hpp"

namespace clwave::tool::bench {
namespace {

struct fold_task {
  folded_side side;
  std::string type;  // f32, f64, f16-f32
  matrices size;
  arrangement at;  // in elements
};

std::size_t bytes_in(const fold_task& task) { return find_element(input_type(task.type))->size; }
std::size_t bytes_out(const fold_task& task) { return find_element(output_type(task.type))->size; }

// How many there are.
std::size_t results_of(const fold_task& task) {
  return task.side == folded_side::rows ? task.size.rows : task.size.columns;
}
std::size_t elements_of_each(const fold_task& task) {
  return task.side == folded_side::rows ? task.size.columns : task.size.rows;
}
// Elements from one result's first to the next one's, and from one of its elements to the next.
std::size_t step_of_results(const fold_task& task) {
  return task.side == folded_side::rows ? task.size.columns : 1;
}
std::size_t step_within(const fold_task& task) {
  return task.side == folded_side::rows ? 1 : task.size.columns;
}

// Of one call, which reads each element once and writes a result for each row or column.
double bytes_of(const fold_task& task) {
  return static_cast<double>(task.at.n * bytes_in(task) + results_of(task) * bytes_out(task));
}

std::shared_ptr<pool> input_of(laboratory& lab, const fold_task& task) {
  return lab.data(input_type(task.type), first_seed, task.at, values::whole);
}

// A result a work-item. Sums of whole numbers are exact in every order.
constexpr const char* check_source = R"(
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef HALVES
#define AT(i) vload_half(i, in)
#else
#define AT(i) in[i]
#endif
kernel void count(const global IN* restrict in, const global OUT* restrict out, ulong first, ulong results, ulong length,
                  ulong step, ulong step_within, global uint* wrong) {
  uint found = 0;
  for (ulong r = get_global_id(0); r < results; r += get_global_size(0)) {
    OUT sum = 0;
    for (ulong i = 0; i < length; ++i) sum += AT(first + r * step + i * step_within);
    if (out[r] != sum) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

std::string wrong_on_device(laboratory& lab, const fold_task& task, const pool& in, const cl::Buffer& out,
                            std::size_t place) {
  const std::string options = task.type == "f32"   ? "-DIN=float -DOUT=float"
                              : task.type == "f64" ? "-DIN=double -DOUT=double -DDOUBLES"
                                                   : "-DIN=half -DOUT=float -DHALVES";
  cl::Kernel k = lab.kernel(check_source, "count", options);
  k.setArg(0, in.buffer);
  k.setArg(1, out);
  k.setArg(2, cl_ulong{place * task.at.stride});
  k.setArg(3, cl_ulong{results_of(task)});
  k.setArg(4, cl_ulong{elements_of_each(task)});
  k.setArg(5, cl_ulong{step_of_results(task)});
  k.setArg(6, cl_ulong{step_within(task)});
  const cl_uint wrong = lab.count(k, 7);
  return wrong == 0 ? "" : std::to_string(wrong) + " have another sum";
}

template <class In, class Out>
void call_clwave(laboratory& lab, const fold_task& task, const cl::Buffer& in, const cl::Buffer& out,
                 std::size_t place) {
  const view<In> x{in, task.at.n, place * task.at.stride};
  const view<Out> y{out, results_of(task)};
  if (task.side == folded_side::rows)
    reduce_rows(lab.on.queue, x, y, task.size, plus, {.with_event = false});
  else
    reduce_columns(lab.on.queue, x, y, task.size, plus, {.with_event = false});
}

contender clwave_fold(laboratory& lab, const fold_task& task) {
  const auto x = input_of(lab, task);
  const std::uint64_t out_bytes = results_of(task) * bytes_out(task);
  const cl::Buffer out = lab.buffer(out_bytes);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, task](std::size_t place) {
    if (task.type == "f32")
      call_clwave<float, float>(lab, task, x->buffer, out, place);
    else if (task.type == "f64")
      call_clwave<double, double>(lab, task, x->buffer, out, place);
    else
      call_clwave<half, float>(lab, task, x->buffer, out, place);
  };
  c.spoil = [&lab, out, out_bytes] { lab.spoil(out, out_bytes); };
  c.wrong = [&lab, x, out, task](std::size_t place) { return wrong_on_device(lab, task, *x, out, place); };
  return c;
}

contender openmp_fold(laboratory& lab, const fold_task& task) {
#ifdef CLWAVE_BENCH_OPENMP
  const std::shared_ptr<void> x = lab.host_copy(*input_of(lab, task));
  const auto sums = std::make_shared<std::vector<float>>(results_of(task));
  contender c = host_contender(bytes_of(task));
  c.call = [x, sums, task](std::size_t place) {
    const float* first = static_cast<const float*>(x.get()) + place * task.at.stride;
    if (task.side == folded_side::rows)
      openmp::row_sums(first, sums->data(), task.size.rows, task.size.columns);
    else
      openmp::column_sums(first, sums->data(), task.size.rows, task.size.columns);
  };
  c.spoil = [sums] { std::fill(sums->begin(), sums->end(), -1.5f); };
  c.wrong = [x, sums, task](std::size_t place) -> std::string {
    const float* first = static_cast<const float*>(x.get()) + place * task.at.stride;
    for (const float found : *sums) {
      double sum = 0;
      for (std::size_t i = 0; i < elements_of_each(task); ++i) sum += first[i * step_within(task)];
      if (static_cast<double>(found) != sum) return "one has another sum";
      first += step_of_results(task);
    }
    return "";
  };
  return c;
#else
  (void)lab, (void)task;
  return without_openmp();
#endif
}

}  // namespace

void add_matrix_fold(laboratory& lab, std::vector<group>& all, folded_side side, const std::string& type,
                     const matrices& size) {
  const std::uint64_t n = size.rows * size.columns;
  const fold_task task{side, type, size, lab.arrange(n, find_element(input_type(type))->size)};
  if (!lab.fits(bytes_of(task))) return;
  group rows;
  rows.places = task.at.places;
  const std::string name = side == folded_side::rows ? "reduce_rows" : "reduce_columns";
  const std::string base =
      name + "/sum/" + type + "/" + std::to_string(size.rows) + "x" + std::to_string(size.columns) + "/";
  rows.rows.push_back(
      {base + "clwave", "clwave::" + name + ", sums", [&lab, task] { return clwave_fold(lab, task); }});
  if (lab.is_cpu && type == "f32")
    rows.rows.push_back({base + "openmp",
                         side == folded_side::rows
                             ? "OpenMP: rows on all cores, each by a simd loop, -O3 -march=native -ffast-math"
                             : "OpenMP: rows on all cores, added to sums of each by a simd loop, -O3 "
                               "-march=native -ffast-math",
                         [&lab, task] { return openmp_fold(lab, task); }});
  all.push_back(std::move(rows));
}

void add_large_matrix_folds(laboratory& lab, std::vector<group>& all, folded_side side) {
  const std::size_t edge = lab.is_cpu ? 8192 : 16384, long_edge = std::size_t{1} << 20;
  const matrices square{.rows = edge, .columns = edge};
  const matrices tall{.rows = long_edge, .columns = 64}, flat{.rows = 64, .columns = long_edge};
  for (const matrices& size : {square, tall, flat}) add_matrix_fold(lab, all, side, "f32", size);
  add_matrix_fold(lab, all, side, "f16-f32", square);
  if (lab.on.facts->fp64.value_or(false)) add_matrix_fold(lab, all, side, "f64", square);
}

}  // namespace clwave::tool::bench
