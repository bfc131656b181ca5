// Rows of gemm, and of plain kernels with tiles of several sizes (after Kirk and Hwu, "Programming Massively
// Parallel Processors", 4.4).
#include <cmath>
#include <cstdio>
#include <cstring>

#include <clwave/gemm.hpp>
#include <clwave/plan.hpp>

#include "bench/bench.hpp"
#include "bench/peers/clblast.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/peers/openmp.hpp"

namespace clwave::tool::bench::rows_of_gemm {
namespace {

// A row-major product. A place's matrices start at its first element in their pools and in C.
struct gemm_task {
  std::string variant;  // square, thin, tf32
  std::string type;
  gemm_size size;
  arrangement at;  // of n x n elements
};

cl::Buffer gemm_output(laboratory& lab, const gemm_task& task) {
  return lab.buffer((task.at.stride * task.at.places + 64) * find_element(task.type)->size);
}

double flops_of(const gemm_task& task) {
  return 2.0 * static_cast<double>(task.size.m) * static_cast<double>(task.size.n) *
         static_cast<double>(task.size.k);
}

// What groups load of A and B with tiles of such sizes.
double loaded_bytes(const gemm_task& task, double tile_m, double tile_n) {
  return flops_of(task) / 2 * (1 / tile_m + 1 / tile_n) * static_cast<double>(find_element(task.type)->size);
}

// A few elements of C are compared, the same for every contender.
std::vector<std::uint64_t> gemm_samples(const gemm_task& task) {
  std::vector<std::uint64_t> samples;
  for (std::uint64_t s = 0; s < 64; ++s) samples.push_back(s * 2654435761u % (task.size.m * task.size.n));
  return samples;
}

std::string compare_gemm(const gemm_task& task, std::size_t place, const std::vector<double>& got) {
  const std::uint64_t first = place * task.at.stride;
  const auto samples = gemm_samples(task);
  if (got.size() != samples.size()) return "elements are missing";
  const double eps = task.type == "f64" ? 0x1p-52 : task.variant == "tf32" ? 0x1p-10 : 0x1p-23;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    const std::uint64_t row = samples[s] / task.size.n;
    const std::uint64_t column = samples[s] % task.size.n;
    long double sum = 0;
    long double size = 0;
    for (std::uint64_t k = 0; k < task.size.k; ++k) {
      const long double product =
          static_cast<long double>(element_at(task.type, first + row * task.size.k + k, first_seed)) *
          element_at(task.type, first + k * task.size.n + column, second_seed);
      sum += product;
      size += std::abs(product);
    }
    long double bound = static_cast<long double>(task.size.k) * eps * size;
    if (task.type == "f16") bound += std::abs(sum) * 0x1p-10 + 0x1p-24;
    if (std::abs(static_cast<long double>(got[s]) - sum) <= bound) continue;
    char text[160];
    std::snprintf(text, sizeof text, "element %llu, %llu is %.9g and should be %.9g",
                  static_cast<unsigned long long>(row), static_cast<unsigned long long>(column), got[s],
                  static_cast<double>(sum));
    return text;
  }
  return {};
}

void check_gemm_at(laboratory& lab, contender& c, const gemm_task& task, const cl::Buffer& out) {
  const std::size_t size = find_element(task.type)->size;
  c.spoil = [&lab, out, task, size] { lab.spoil(out, task.at.stride * task.at.places * size); };
  c.wrong = [&lab, out, task, size](std::size_t place) {
    std::vector<double> got;
    for (const std::uint64_t at : gemm_samples(task)) {
      union {
        half f16;
        float f32;
        double f64;
      } value{};
      detail::check(
          lab.on.queue.enqueueReadBuffer(out, CL_TRUE, (place * task.at.stride + at) * size, size, &value),
          "read the result");
      got.push_back(task.type == "f16"   ? static_cast<float>(value.f16)
                    : task.type == "f32" ? value.f32
                                         : value.f64);
    }
    return compare_gemm(task, place, got);
  };
}

gemm_options options_of(const gemm_task& task) {
  return {.allow_tf32 = task.variant == "tf32", .with_event = false};
}

// The buffers of a product on the device, and a contender with its checks, which has yet to be told how it
// calls.
struct gemm_row {
  std::shared_ptr<pool> a, b;
  cl::Buffer out;
  contender c;
};

gemm_row begin_gemm(laboratory& lab, const gemm_task& task) {
  gemm_row row{lab.data(task.type, first_seed, task.at), lab.data(task.type, second_seed, task.at),
               gemm_output(lab, task), contender()};
  row.c.flops = flops_of(task);
  check_gemm_at(lab, row.c, task, row.out);
  return row;
}

template <class T>
void set_call(laboratory& lab, gemm_row& row, const gemm_task& task) {
  row.c.call = [&lab, task, a = row.a, b = row.b, out = row.out](std::size_t place) {
    const std::size_t first = place * task.at.stride;
    gemm(lab.on.queue, task.size, view<T>{a->buffer, task.size.m * task.size.k, first},
         view<T>{b->buffer, task.size.k * task.size.n, first}, view<T>{out, task.size.m * task.size.n, first},
         options_of(task));
  };
}

contender clwave_gemm(laboratory& lab, const gemm_task& task) {
  gemm_row row = begin_gemm(lab, task);
  if (task.type == "f16")
    set_call<half>(lab, row, task);
  else if (task.type == "f64")
    set_call<double>(lab, row, task);
  else
    set_call<float>(lab, row, task);
  const element& type = *find_element(task.type);
  const call_plan plan = clwave::plan(gemm_problem{type, type, type, task.size, options_of(task)},
                                      {.facts = lab.on.facts, .choice = lab.on.choice});
  double tile_m = 1;
  double tile_n = 1;
  for (const auto& [name, word] : plan.words) {
    if (name == "TILE_M") tile_m = std::stod(word);
    if (name == "TILE_N") tile_n = std::stod(word);
  }
  row.c.found = std::make_shared<std::map<std::string, double>>();
  (*row.c.found)["loads_gb"] = loaded_bytes(task, tile_m, tile_n) * 1e-9;
  return row.c;
}

// One element of C a work-item, tiles of `tile` x `tile` in local memory; 1: none. As a textbook has it.
constexpr const char* tile_source = R"(
kernel __attribute__((reqd_work_group_size(SIDE * SIDE, 1, 1)))
void multiply(const global float* a, const global float* b, global float* c, ulong first, uint n) {
  const uint groups = n / SIDE;
  const uint x = get_local_id(0) % SIDE, y = get_local_id(0) / SIDE;
  const uint row = get_group_id(0) / groups * SIDE + y, column = get_group_id(0) % groups * SIDE + x;
  a += first;
  b += first;
  float sum = 0;
#if TILE == 1
  for (uint k = 0; k < n; ++k) sum = fma(a[(size_t)row * n + k], b[(size_t)k * n + column], sum);
#else
  local float a_tile[SIDE][SIDE], b_tile[SIDE][SIDE];
  for (uint k = 0; k < n; k += SIDE) {
    a_tile[y][x] = a[(size_t)row * n + k + x];
    b_tile[y][x] = b[(size_t)(k + y) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < SIDE; ++i) sum = fma(a_tile[y][i], b_tile[i][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#endif
  c[first + (size_t)row * n + column] = sum;
}
)";

contender tile_gemm(laboratory& lab, const gemm_task& task, unsigned tile) {
  gemm_row row = begin_gemm(lab, task);
  const unsigned side = tile == 1 ? 16 : tile;
  cl::Kernel k = lab.kernel(tile_source, "multiply",
                            "-DTILE=" + std::to_string(tile) + " -DSIDE=" + std::to_string(side));
  k.setArg(0, row.a->buffer);
  k.setArg(1, row.b->buffer);
  k.setArg(2, row.out);
  k.setArg(4, static_cast<cl_uint>(task.size.n));
  const std::uint64_t groups = task.size.n / side * (task.size.n / side);
  row.c.call = [&lab, k, a = row.a, b = row.b, out = row.out, task, side, groups](std::size_t place) mutable {
    k.setArg(3, cl_ulong{place * task.at.stride});
    lab.launch(k, groups, std::size_t{side} * side);
  };
  row.c.found = std::make_shared<std::map<std::string, double>>();
  (*row.c.found)["loads_gb"] = loaded_bytes(task, tile, tile) * 1e-9;
  return row.c;
}

// --- Peers ------------------------------------------------------------------------------------------
#ifdef CLWAVE_BENCH_CLBLAST
template <class T>
contender blast_gemm(laboratory& lab, const gemm_task& task) {
  gemm_row row = begin_gemm(lab, task);
  row.c.call = [&lab, a = row.a, b = row.b, out = row.out, task](std::size_t place) {
    cl_command_queue queue = lab.on.queue();
    const std::size_t first = place * task.at.stride;
    const auto& [m, n, k] = task.size;
    check_blast(clblast::Gemm<T>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo,
                                 m, n, k, T{1}, a->buffer(), first, k, b->buffer(), first, n, T{0}, out(),
                                 first, n, &queue));
  };
  return row.c;
}

contender clblast_gemm(laboratory& lab, const gemm_task& task) {
  if (too_long(task.at)) return too_long_for_ints();
  return task.type == "f64" ? blast_gemm<double>(lab, task) : blast_gemm<float>(lab, task);
}

#else
contender clblast_gemm(laboratory&, const gemm_task&) { return without_clblast(); }
#endif

#ifdef CLWAVE_BENCH_OPENMP
contender openmp_gemm(laboratory& lab, const gemm_task& task) {
  const std::shared_ptr<void> a = lab.host_copy(*lab.data(task.type, first_seed, task.at));
  const std::shared_ptr<void> b = lab.host_copy(*lab.data(task.type, second_seed, task.at));
  const auto out = std::make_shared<std::vector<float>>(task.at.stride * task.at.places);
  contender c = host_contender(0);
  c.flops = flops_of(task);
  c.call = [a, b, out, task](std::size_t place) {
    const std::size_t first = place * task.at.stride;
    openmp::multiply(static_cast<const float*>(a.get()) + first, static_cast<const float*>(b.get()) + first,
                     out->data() + first, task.size.m, task.size.n, task.size.k);
  };
  c.spoil = [out] { std::memset(out->data(), 0xa5, out->size() * sizeof(float)); };
  c.wrong = [out, task](std::size_t place) {
    std::vector<double> got;
    for (const std::uint64_t at : gemm_samples(task)) got.push_back((*out)[place * task.at.stride + at]);
    return compare_gemm(task, place, got);
  };
  return c;
}
#else
contender openmp_gemm(laboratory&, const gemm_task&) { return without_openmp(); }
#endif

contender cuda_gemm(laboratory& lab, const std::string& row, const gemm_task& task) {
  contender c = cuda_contender(lab, row, task.at, [task](std::size_t place, const json& answer) {
    return compare_gemm(task, place, answer["values"].get<std::vector<double>>());
  });
  c.flops = flops_of(task);
  return c;
}

gemm_task task_of(const laboratory& lab, const std::string& variant, const std::string& type,
                  std::uint64_t n) {
  const std::uint64_t width = variant == "thin" ? 8 : n;
  return {variant, type, {n, width, n}, lab.arrange(n * n, find_element(type)->size)};
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::string& variant, const std::string& type,
              std::uint64_t n, bool tiles) {
  if (type == "f64" && !lab.on.facts->fp64.value_or(false)) return;
  const gemm_task task = task_of(lab, variant, type, n);
  group rows;
  rows.places = task.at.places;
  const std::string after = "/" + type + "/" + std::to_string(n) + "/";
  const std::string base = "gemm/" + variant + after;
  rows.rows.push_back({base + "clwave",
                       variant == "tf32"   ? "clwave::gemm that may round to tf32"
                       : variant == "thin" ? "clwave::gemm, n x n by n x 8"
                                           : "clwave::gemm, row-major n x n by n x n",
                       [&lab, task] { return clwave_gemm(lab, task); }});
  if (lab.is_nvidia)
    rows.rows.push_back({base + "cublas", "cuBLAS, the same product",
                         [&lab, task, base] { return cuda_gemm(lab, base + "cublas", task); }});
  if (variant != "tf32" && type != "f16")
    rows.rows.push_back(
        {base + "clblast", "CLBlast's Gemm as it comes", [&lab, task] { return clblast_gemm(lab, task); }});
  if (lab.is_cpu && type == "f32")
    rows.rows.push_back({base + "openmp", "three plain loops, rows dealt out to the cores",
                         [&lab, task] { return openmp_gemm(lab, task); }});
  for (const unsigned tile : tiles ? std::vector<unsigned>{1, 8, 16, 32} : std::vector<unsigned>{}) {
    if (std::size_t{tile} * tile > lab.on.facts->max_work_group_size.value_or(256)) continue;
    rows.rows.push_back({"gemm/tile-" + std::to_string(tile) + after + "opencl",
                         tile == 1 ? "a plain kernel, one element a work-item"
                                   : "the same with tiles of " + std::to_string(tile) + " in local memory",
                         [&lab, task, tile] { return tile_gemm(lab, task, tile); }});
  }
  all.push_back(std::move(rows));
}

void add_groups(laboratory& lab, std::vector<group>& all) {
  if (lab.is_cpu) {
    add_rows(lab, all, "square", "f32", 256, false);
    add_rows(lab, all, "square", "f32", 1024, false);
    add_rows(lab, all, "square", "f64", 1024, false);
    return;
  }
  for (const char* type : {"f32", "f64", "f16"}) {
    for (const std::uint64_t n : {1024u, 4096u, 8192u})
      add_rows(lab, all, "square", type, n, n == 4096 && type == std::string("f32"));
  }
  // Between these sizes the tiles change that fill a large GPU.
  for (const std::uint64_t n : {1536u, 2048u, 3072u}) add_rows(lab, all, "square", "f16", n, false);
  for (const std::uint64_t n : {4096u, 8192u}) add_rows(lab, all, "tf32", "f32", n, false);
  add_rows(lab, all, "thin", "f32", 4096, false);
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const std::vector<goal> goals = {
    {where::gpu, "gemm/square/f32/(4096|8192)/clwave", measure_of::speed, "gemm/square/f32/$1/cublas", 0.9},
    {where::gpu, "gemm/square/f32/(1024|4096|8192)/clwave", measure_of::speed, "gemm/square/f32/$1/clblast",
     1.3},
    {where::gpu, "gemm/square/f64/(4096|8192)/clwave", measure_of::speed, "gemm/square/f64/$1/cublas", 0.8},
    {where::gpu, "gemm/square/f16/(2048|3072|4096|8192)/clwave", measure_of::speed,
     "gemm/square/f16/$1/cublas", 0.9},
    {where::gpu, "gemm/tf32/f32/(4096|8192)/clwave", measure_of::speed, "gemm/tf32/f32/$1/cublas", 0.9},
    {where::cpu, "gemm/square/f32/1024/clwave", measure_of::speed, "gemm/square/f32/1024/clblast", 3.0},
};

const registered_rows listed("gemm", {{.add = add_groups, .goals = goals}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_gemm
