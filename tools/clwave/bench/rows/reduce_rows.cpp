// Rows of reduce_rows.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <clwave/reduce_rows.hpp>

#include "bench/bench.hpp"
#include "bench/peers/openmp.hpp"

namespace clwave::tool::bench {
namespace {

struct rows_task {
  std::string type;  // f32, f64, f16-f32
  matrices size;
  arrangement at;  // in elements
};

std::size_t bytes_in(const rows_task& task) { return find_element(input_type(task.type))->size; }
std::size_t bytes_out(const rows_task& task) { return find_element(output_type(task.type))->size; }

// Of one call, which reads each element once and writes a result a row.
double bytes_of(const rows_task& task) {
  return static_cast<double>(task.at.n * bytes_in(task) + task.size.rows * bytes_out(task));
}

std::shared_ptr<pool> input_of(laboratory& lab, const rows_task& task) {
  return lab.data(input_type(task.type), first_seed, task.at, values::whole);
}

// A row a work-item. Sums of whole numbers are exact in every order.
constexpr const char* check_source = R"(
#ifdef DOUBLES
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef HALVES
#define AT(i) vload_half(i, in)
#else
#define AT(i) in[i]
#endif
kernel void count(const global IN* restrict in, const global OUT* restrict out, ulong first, ulong rows, ulong columns,
                  ulong each, global uint* wrong) {
  uint found = 0;
  for (ulong row = get_global_id(0); row < rows; row += get_global_size(0)) {
    OUT sum = 0;
    for (ulong i = 0; i < columns; ++i) sum += AT(first + row * columns + i);
    if (out[row] != sum) ++found;
  }
  if (found > 0) atomic_add(wrong, found);
}
)";

std::string wrong_on_device(laboratory& lab, const rows_task& task, const pool& in, const cl::Buffer& out,
                            std::size_t place) {
  const std::string options = task.type == "f32"   ? "-DIN=float -DOUT=float"
                              : task.type == "f64" ? "-DIN=double -DOUT=double -DDOUBLES"
                                                   : "-DIN=half -DOUT=float -DHALVES";
  cl::Kernel k = lab.kernel(check_source, "count", options);
  k.setArg(0, in.buffer);
  k.setArg(1, out);
  k.setArg(2, cl_ulong{place * task.at.stride});
  k.setArg(3, cl_ulong{task.size.rows});
  k.setArg(4, cl_ulong{task.size.columns});
  k.setArg(5, cl_ulong{lab.each_of(task.at.n)});
  const cl_uint wrong = lab.count(k, 6);
  return wrong == 0 ? "" : std::to_string(wrong) + " rows have another sum";
}

template <class In, class Out>
void call_clwave(laboratory& lab, const rows_task& task, const cl::Buffer& in, const cl::Buffer& out,
                 std::size_t place) {
  reduce_rows(lab.on.queue, view<In>{in, task.at.n, place * task.at.stride}, view<Out>{out, task.size.rows},
              task.size, plus, {}, no_event);
}

contender clwave_rows(laboratory& lab, const rows_task& task) {
  const auto x = input_of(lab, task);
  const std::uint64_t out_bytes = task.size.rows * bytes_out(task);
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

contender openmp_rows(laboratory& lab, const rows_task& task) {
#ifdef CLWAVE_BENCH_OPENMP
  const std::shared_ptr<void> x = lab.host_copy(*input_of(lab, task));
  const auto sums = std::make_shared<std::vector<float>>(task.size.rows);
  contender c;
  c.on_device = false;
  c.bytes = bytes_of(task);
  c.finish = [] {};
  c.call = [x, sums, task](std::size_t place) {
    openmp::row_sums(static_cast<const float*>(x.get()) + place * task.at.stride, sums->data(),
                     task.size.rows, task.size.columns);
  };
  c.spoil = [sums] { std::fill(sums->begin(), sums->end(), -1.5f); };
  c.wrong = [x, sums, task](std::size_t place) -> std::string {
    const float* row = static_cast<const float*>(x.get()) + place * task.at.stride;
    for (const float found : *sums) {
      double sum = 0;
      for (std::size_t i = 0; i < task.size.columns; ++i) sum += row[i];
      if (static_cast<double>(found) != sum) return "a row has another sum";
      row += task.size.columns;
    }
    return "";
  };
  return c;
#else
  (void)lab, (void)task;
  return without_openmp();
#endif
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::string& type, const matrices& size) {
  const std::uint64_t n = size.rows * size.columns;
  const rows_task task{type, size, lab.arrange(n, find_element(input_type(type))->size)};
  if (!lab.fits(bytes_of(task))) return;
  group rows;
  rows.places = task.at.places;
  const std::string base =
      "reduce_rows/sum/" + type + "/" + std::to_string(size.rows) + "x" + std::to_string(size.columns) + "/";
  rows.rows.push_back(
      {base + "clwave", "clwave::reduce_rows, sums", [&lab, task] { return clwave_rows(lab, task); }});
  if (lab.is_cpu && type == "f32")
    rows.rows.push_back({base + "openmp",
                         "OpenMP: rows on all cores, each by a simd loop, -O3 -march=native -ffast-math",
                         [&lab, task] { return openmp_rows(lab, task); }});
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  const std::size_t side = lab.is_cpu ? 8192 : 16384, long_side = std::size_t{1} << 20;
  const matrices square{.rows = side, .columns = side};
  const matrices tall{.rows = long_side, .columns = 64}, flat{.rows = 64, .columns = long_side};
  for (const matrices& size : {square, tall, flat}) add_rows(lab, all, "f32", size);
  add_rows(lab, all, "f16-f32", square);
  if (lab.on.facts->fp64.value_or(false)) add_rows(lab, all, "f64", square);
  if (lab.is_cpu) return;
  for (const std::size_t columns : {8u, 100u, 256u, 1000u, 1024u, 2048u, 5000u})
    add_rows(lab, all, "f32", {.rows = (std::size_t{1} << 26) / columns, .columns = columns});
}

const registered_rows listed("reduce_rows", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench
