// Rows of gemm, and of plain kernels with tiles of several sizes (after Kirk and Hwu, "Programming Massively
// Parallel Processors", 4.4).
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include <clwave/copy.hpp>
#include <clwave/gemm.hpp>
#include <clwave/plan.hpp>

#include "bench/bench.hpp"
#include "bench/peers/clblast.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/peers/openmp.hpp"
#include "bench/product.hpp"

namespace clwave::tool::bench::rows_of_gemm {
namespace {

// A place's matrices start at its first element in their pools and in C.
struct gemm_task {
  product of;
  arrangement at;  // of the elements of the largest matrix
};

const element& type_of(const std::string& name) { return *find_element(name); }

cl::Buffer gemm_output(laboratory& lab, const gemm_task& task) {
  return lab.buffer((task.at.stride * task.at.places + 64) * type_of(task.of.out).size);
}

double flops_of(const product& p) {
  return 2.0 * static_cast<double>(p.batches) * static_cast<double>(p.m) * static_cast<double>(p.n) *
         static_cast<double>(p.k);
}

// What groups load of A and B with tiles of such sizes.
double loaded_bytes(const product& p, double tile_m, double tile_n) {
  return flops_of(p) / 2 * (1 / tile_m + 1 / tile_n) * static_cast<double>(type_of(p.type).size);
}

struct exact_sum {
  long double sum = 0, size = 0;  // of the products, and of their absolute values
};

exact_sum exact_at(const product& p, const product::place& at, std::uint64_t first) {
  exact_sum exact;
  for (std::uint64_t i = 0; i < p.k; ++i) {
    const long double factors =
        static_cast<long double>(element_at(p.type, first + p.at_a(at, i), first_seed)) *
        element_at(p.type, first + p.at_b(at, i), second_seed);
    exact.sum += factors;
    exact.size += std::abs(factors);
  }
  return exact;
}

// What is wrong with the samples of a place; empty if nothing. Where each call adds to C, the number of calls
// that added is not known here: it follows from the largest sample.
std::string compare_gemm(const gemm_task& task, std::size_t place, const std::vector<double>& got) {
  const product& p = task.of;
  const std::vector<product::place> samples = p.samples();
  if (got.size() != samples.size()) return "elements are missing";
  std::vector<exact_sum> all;
  for (const product::place& at : samples) all.push_back(exact_at(p, at, place * task.at.stride));
  long double times = 1;
  if (p.adds) {
    std::size_t largest = 0;
    for (std::size_t s = 0; s < all.size(); ++s)
      if (std::abs(all[s].sum) > std::abs(all[largest].sum)) largest = s;
    times = std::max(1.0L, std::round(got[largest] / all[largest].sum));
  }
  const long double eps = p.type == "f64" ? 0x1p-52L : p.tf32 ? 0x1p-10L : 0x1p-23L;
  const long double rounding = p.out == "f16" ? 0x1p-10L : p.out == "bf16" ? 0x1p-8L : p.adds ? eps : 0;
  for (std::size_t s = 0; s < all.size(); ++s) {
    const long double sum = times * all[s].sum;
    const long double bound = times * (static_cast<long double>(p.k) * eps * all[s].size +
                                       std::abs(sum) * rounding + (rounding > 0 ? 0x1p-24L : 0));
    if (std::abs(static_cast<long double>(got[s]) - sum) <= bound) continue;
    char text[160];
    std::snprintf(text, sizeof text, "element %llu, %llu of batch %llu is %.9g and should be %.9g",
                  static_cast<unsigned long long>(samples[s].row),
                  static_cast<unsigned long long>(samples[s].column),
                  static_cast<unsigned long long>(samples[s].batch), got[s], static_cast<double>(sum));
    return text;
  }
  return {};
}

template <class Out>
double value_at(laboratory& lab, const cl::Buffer& out, std::uint64_t at) {
  Out value{};
  detail::check(lab.on.queue.enqueueReadBuffer(out, CL_TRUE, at * sizeof value, sizeof value, &value),
                "read the result");
  if constexpr (std::is_arithmetic_v<Out>)
    return value;
  else
    return static_cast<float>(value);
}

void check_gemm_at(laboratory& lab, contender& c, const gemm_task& task, const cl::Buffer& out) {
  const std::size_t size = type_of(task.of.out).size;
  c.spoil = [&lab, out, task, size] { lab.spoil(out, task.at.stride * task.at.places * size); };
  c.wrong = [&lab, out, task](std::size_t place) {
    const auto read = task.of.out == "f64"    ? value_at<double>
                      : task.of.out == "f16"  ? value_at<half>
                      : task.of.out == "bf16" ? value_at<bfloat16>
                                              : value_at<float>;
    std::vector<double> got;
    for (const product::place& at : task.of.samples())
      got.push_back(read(lab, out, place * task.at.stride + task.of.at_c(at)));
    return compare_gemm(task, place, got);
  };
  if (task.of.adds)
    c.renew = [&lab, out, task, size] {
      fill(lab.on.queue, view<std::uint8_t>{out, task.at.stride * task.at.places * size}, std::uint8_t{0});
    };
}

gemm_size size_of(const product& p) { return {p.m, p.n, p.k}; }

gemm_options options_of(const product& p) {
  return {.beta = p.adds ? 1.0 : 0.0,
          .transpose_a = p.transpose_a,
          .transpose_b = p.transpose_b,
          .lda = p.line_a(),
          .ldb = p.line_b(),
          .ldc = p.line_c(),
          .batches = p.batches,
          .allow_tf32 = p.tf32,
          .with_event = false};
}

// What clwave has for a product with one vector.
bool is_by_vector(const product& p) { return p.n == 1 && p.batches == 1; }

gemv_options vector_options_of(const product& p) {
  return {.beta = p.adds ? 1.0 : 0.0, .transpose = p.transpose_a, .lda = p.line_a(), .with_event = false};
}

// The buffers of a product on the device, and a contender with its checks, which has yet to be told how it
// calls.
struct gemm_row {
  std::shared_ptr<pool> a, b;
  cl::Buffer out;
  contender c;
};

gemm_row begin_gemm(laboratory& lab, const gemm_task& task) {
  gemm_row row{lab.data(task.of.type, first_seed, task.at), lab.data(task.of.type, second_seed, task.at),
               gemm_output(lab, task), contender()};
  row.c.flops = flops_of(task.of);
  check_gemm_at(lab, row.c, task, row.out);
  return row;
}

template <class T, class Out = T>
void set_call(laboratory& lab, gemm_row& row, const gemm_task& task) {
  row.c.call = [&lab, task, options = options_of(task.of), by_vector = vector_options_of(task.of), a = row.a,
                b = row.b, out = row.out](std::size_t place) {
    const std::size_t first = place * task.at.stride;
    const product& p = task.of;
    if (is_by_vector(p)) {
      gemv(lab.on.queue, {p.m, p.k}, view<T>{a->buffer, p.size_a(), first}, view<T>{b->buffer, p.k, first},
           view<Out>{out, p.m, first}, by_vector);
      return;
    }
    gemm(lab.on.queue, size_of(p), view<T>{a->buffer, p.batches * p.size_a(), first},
         view<T>{b->buffer, p.batches * p.size_b(), first}, view<Out>{out, p.batches * p.size_c(), first},
         options);
  };
}

contender clwave_gemm(laboratory& lab, const gemm_task& task) {
  gemm_row row = begin_gemm(lab, task);
  const product& p = task.of;
  const bool into_floats = p.out == "f32";
  if (p.type == "f16")
    into_floats ? set_call<half, float>(lab, row, task) : set_call<half>(lab, row, task);
  else if (p.type == "bf16")
    into_floats ? set_call<bfloat16, float>(lab, row, task) : set_call<bfloat16>(lab, row, task);
  else if (p.type == "f64")
    set_call<double>(lab, row, task);
  else
    set_call<float>(lab, row, task);
  if (is_by_vector(p)) return row.c;
  const call_plan plan =
      clwave::plan(gemm_problem{type_of(p.type), type_of(p.type), type_of(p.out), size_of(p), options_of(p)},
                   {.facts = lab.on.facts, .choice = lab.on.choice});
  double tile_m = 1;
  double tile_n = 1;
  for (const auto& [name, word] : plan.words) {
    if (name == "TILE_M") tile_m = std::stod(word);
    if (name == "TILE_N") tile_n = std::stod(word);
  }
  row.c.found = std::make_shared<std::map<std::string, double>>();
  (*row.c.found)["loads_gb"] = loaded_bytes(task.of, tile_m, tile_n) * 1e-9;
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
  k.setArg(4, static_cast<cl_uint>(task.of.n));
  const std::uint64_t groups = task.of.n / side * (task.of.n / side);
  row.c.call = [&lab, k, a = row.a, b = row.b, out = row.out, task, side, groups](std::size_t place) mutable {
    k.setArg(3, cl_ulong{place * task.at.stride});
    lab.launch(k, groups, std::size_t{side} * side);
  };
  row.c.found = std::make_shared<std::map<std::string, double>>();
  (*row.c.found)["loads_gb"] = loaded_bytes(task.of, tile, tile) * 1e-9;
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
    const auto& [m, n, k] = size_of(task.of);
    check_blast(clblast::Gemm<T>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo,
                                 m, n, k, T{1}, a->buffer(), first, k, b->buffer(), first, n, T{0}, out(),
                                 first, n, &queue));
  };
  return row.c;
}

contender clblast_gemm(laboratory& lab, const gemm_task& task) {
  if (too_long(task.at)) return too_long_for_ints();
  return task.of.type == "f64" ? blast_gemm<double>(lab, task) : blast_gemm<float>(lab, task);
}

#else
contender clblast_gemm(laboratory&, const gemm_task&) { return without_clblast(); }
#endif

#ifdef CLWAVE_BENCH_OPENMP
contender openmp_gemm(laboratory& lab, const gemm_task& task) {
  const std::shared_ptr<void> a = lab.host_copy(*lab.data(task.of.type, first_seed, task.at));
  const std::shared_ptr<void> b = lab.host_copy(*lab.data(task.of.type, second_seed, task.at));
  const auto out = std::make_shared<std::vector<float>>(task.at.stride * task.at.places);
  contender c = host_contender(0);
  c.flops = flops_of(task.of);
  c.call = [a, b, out, task](std::size_t place) {
    const std::size_t first = place * task.at.stride;
    openmp::multiply(static_cast<const float*>(a.get()) + first, static_cast<const float*>(b.get()) + first,
                     out->data() + first, task.of.m, task.of.n, task.of.k);
  };
  c.spoil = [out] { std::memset(out->data(), 0xa5, out->size() * sizeof(float)); };
  c.wrong = [out, task](std::size_t place) {
    std::vector<double> got;
    for (const product::place& at : task.of.samples())
      got.push_back((*out)[place * task.at.stride + task.of.at_c(at)]);
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
  c.flops = flops_of(task.of);
  return c;
}

// What a row measures, for people.
std::string sentence_of(const std::string& variant, const product& p) {
  std::string text = std::string(is_by_vector(p) ? "clwave::gemv" : "clwave::gemm") + ", row-major " +
                     std::to_string(p.m) + " x " + std::to_string(p.k) + " by " + std::to_string(p.k) +
                     " x " + std::to_string(p.n);
  if (p.batches > 1) text += ", " + std::to_string(p.batches) + " of them";
  if (p.tf32) text += ", which may round to tf32";
  if (variant != "other") return text;
  if (p.transpose_a || p.transpose_b)
    text += std::string(", ") +
            (p.transpose_a && p.transpose_b ? "both"
             : p.transpose_a                ? "A"
                                            : "B") +
            " transposed";
  if (p.out != p.type) text += ", into " + p.out;
  if (p.adds) text += ", added to C";
  if (p.line != 0) text += ", lines of " + std::to_string(p.line);
  return text;
}

void add_rows(laboratory& lab, std::vector<group>& all, const std::string& variant, const std::string& type,
              const std::string& shape, bool tiles = false) {
  if (type == "f64" && !lab.on.facts->fp64.value_or(false)) return;
  const product of = product_of(variant, type, shape);
  const gemm_task task{of, lab.arrange(of.largest(), type_of(of.type).size)};
  group rows;
  rows.places = task.at.places;
  const std::string after = "/" + type + "/" + shape + "/";
  const std::string base = "gemm/" + variant + after;
  rows.rows.push_back(
      {base + "clwave", sentence_of(variant, of), [&lab, task] { return clwave_gemm(lab, task); }});
  if (lab.is_nvidia)
    rows.rows.push_back({base + "cublas", "cuBLAS, the same product",
                         [&lab, task, base] { return cuda_gemm(lab, base + "cublas", task); }});
  const bool is_plain = variant == "square" || variant == "thin";
  if (is_plain && (type == "f32" || type == "f64"))
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
    add_rows(lab, all, "square", "f32", "256");
    add_rows(lab, all, "square", "f32", "1024");
    add_rows(lab, all, "square", "f64", "1024");
    for (const char* shape : {"4096-x-1-x-4096", "4096-x-1-x-4096-ta"})
      add_rows(lab, all, "other", "f32", shape);
    return;
  }
  for (const char* type : {"f32", "f64"}) {
    for (const char* n : {"1024", "4096", "8192"})
      add_rows(lab, all, "square", type, n, n == std::string("4096") && type == std::string("f32"));
  }
  // Between these sizes the tiles change that fill a large GPU.
  for (const char* type : {"f16", "bf16"}) {
    for (const char* n : {"512", "1024", "1536", "2048", "3072", "4096", "8192"})
      add_rows(lab, all, "square", type, n);
  }
  for (const char* n : {"1024", "2048", "4096", "8192"}) add_rows(lab, all, "tf32", "f32", n);
  add_rows(lab, all, "thin", "f32", "4096");
  // A matrix with a vector.
  for (const char* type : {"f32", "f16"}) {
    for (const char* shape :
         {"4096-x-1-x-4096", "16384-x-1-x-16384", "4096-x-1-x-4096-ta", "16384-x-1-x-16384-ta"})
      add_rows(lab, all, "other", type, shape);
  }
  for (const char* shape : {"1024-ta", "2048-ta"}) add_rows(lab, all, "other", "tf32", shape);
  for (const char* type : {"f16", "bf16", "tf32"}) {
    for (const char* shape :
         {"4096-ta", "4096-tb", "4096-ta-tb", "4096-into-f32", "4096-beta-1", "4096-ld-4104", "64-x-512",
          "5000-x-3000-x-1000", "4096-x-128-x-4096", "256-x-256-x-16384"}) {
      // Products by way of tf32 are floats in any case.
      if (type != std::string("tf32") || shape != std::string("4096-into-f32"))
        add_rows(lab, all, "other", type, shape);
    }
  }
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed("gemm",
                             {{.add = add_groups,
                               .goals = {{where::gpu, "gemm/square/f32/(4096|8192)/clwave", measure_of::speed,
                                          "gemm/square/f32/$1/cublas", 0.9},
                                         {where::gpu, "gemm/square/f32/(1024|4096|8192)/clwave",
                                          measure_of::speed, "gemm/square/f32/$1/clblast", 1.3},
                                         {where::gpu, "gemm/square/f64/(4096|8192)/clwave", measure_of::speed,
                                          "gemm/square/f64/$1/cublas", 0.8},
                                         {where::gpu, "gemm/square/(f16|bf16)/(2048|3072|4096|8192)/clwave",
                                          measure_of::speed, "gemm/square/$1/$2/cublas", 0.9},
                                         {where::gpu, "gemm/tf32/f32/(4096|8192)/clwave", measure_of::speed,
                                          "gemm/tf32/f32/$1/cublas", 0.9},
                                         {where::cpu, "gemm/square/f32/1024/clwave", measure_of::speed,
                                          "gemm/square/f32/1024/clblast", 3.0}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_gemm
