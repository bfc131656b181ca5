// clwave_cuda_peers: CUB, cuBLAS and the CUDA runtime's copies, measured for `clwave bench` by its rule.
//
// Started by the bench, which asks in lines of words and reads lines of JSON:
//   hello                                        what device this is
//   prepare ID ROW N STRIDE PLACES               data and temporary memory of a row
//   sample ID device|blocking|enqueue CALLS FIRST  seconds of the calls, of the lead alone, of enqueuing
//   spoil ID, result ID PLACE, release ID
// The elements are those of bench_data.cpp; results are compared there.
#include <cub/device/device_reduce.cuh>

#include <cuda_fp16.h>

// The mode in which CUB's float sums have the same bits on every NVIDIA GPU came with CUB 3.1.
#if CUB_VERSION >= 300100
#define CLWAVE_BENCH_GPU_TO_GPU
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#endif

#ifdef CLWAVE_BENCH_CUBLAS
#include <cublas_v2.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using wall = std::chrono::steady_clock;

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

double seconds_since(wall::time_point start) {
  return std::chrono::duration<double>(wall::now() - start).count();
}

std::shared_ptr<void> device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  return {memory, [](void* p) { cudaFree(p); }};
}

// --- Data, as in bench_data.cpp ---------------------------------------------------------------------
__device__ unsigned hash(std::uint64_t i, unsigned seed) {
  unsigned x = static_cast<unsigned>(i) ^ (static_cast<unsigned>(i >> 32) * 0x85ebca6bu) ^ seed;
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

__device__ void put(float* out, std::uint64_t i, unsigned seed) {
  *out = static_cast<float>(static_cast<int>(hash(i, seed) >> 8) - (1 << 23)) * 0x1p-23f;
}
__device__ void put(double* out, std::uint64_t i, unsigned seed) {
  const std::uint64_t bits = static_cast<std::uint64_t>(hash(i, seed)) << 21 | hash(i, ~seed) >> 11;
  *out = static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-52 - 1.0;
}
__device__ void put(std::int32_t* out, std::uint64_t i, unsigned seed) {
  *out = static_cast<int>(hash(i, seed));
}
__device__ void put(std::uint8_t* out, std::uint64_t i, unsigned seed) {
  *out = static_cast<std::uint8_t>(hash(i, seed));
}
__device__ void put(__half* out, std::uint64_t i, unsigned seed) {
  *out = __float2half_rn(static_cast<float>(static_cast<int>(hash(i, seed) >> 21) - 1024) * 0x1p-10f);
}

template <class T>
__global__ void make_random(T* out, std::uint64_t n, unsigned seed) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    put(out + i, i, seed);
}

template <class T>
__global__ void count_wrong(const T* got, const T* right, std::uint64_t n, unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    if (got[i] != right[i]) atomicAdd(wrong, 1u);
}

template <class T>
__global__ void fill_with(T* out, T value, std::uint64_t n) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    out[i] = value;
}

constexpr unsigned first_seed = 0x9e3779b9u;
constexpr unsigned second_seed = 0x7f4a7c15u;

// One pool of a type and seed is kept until one of another size is asked for.
template <class T>
std::shared_ptr<T> data(unsigned seed, std::size_t elements) {
  struct kept {
    std::weak_ptr<void> memory;
    std::size_t elements = 0;
  };
  static std::map<unsigned, kept> pools;
  kept& k = pools[seed];
  std::shared_ptr<void> memory = k.memory.lock();
  if (!memory || k.elements != elements) {
    memory = device_memory(elements * sizeof(T));
    make_random<<<2048, 256>>>(static_cast<T*>(memory.get()), elements, seed);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    k = {memory, elements};
  }
  return std::static_pointer_cast<T>(memory);
}

// --- The lead: about 2 ms of one thread's work ------------------------------------------------------
__global__ void lead(unsigned rounds, unsigned* out) {
  unsigned x = rounds | 1;
  for (unsigned i = 0; i < rounds; ++i) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  *out = x;
}

class leader {
 public:
  leader() : out_(device_memory(64)) {
    for (int i = 0; i < 50; ++i) time_of(200000);
    std::vector<double> slopes;
    for (int i = 0; i < 9; ++i) slopes.push_back((time_of(400000) - time_of(100000)) / 300000);
    std::sort(slopes.begin(), slopes.end());
    rounds_ = static_cast<unsigned>(std::min(2e-3 / std::max(slopes[4], 1e-10), 4e9));
  }
  void enqueue() const { lead<<<1, 1>>>(rounds_, static_cast<unsigned*>(out_.get())); }

 private:
  double time_of(unsigned rounds) const {
    const auto start = wall::now();
    lead<<<1, 1>>>(rounds, static_cast<unsigned*>(out_.get()));
    check(cudaDeviceSynchronize());
    return seconds_since(start);
  }
  std::shared_ptr<void> out_;
  unsigned rounds_ = 0;
};

// --- Rows -------------------------------------------------------------------------------------------
struct request {
  std::string primitive, op, type, shape, contender;
  bool host = false;  // the result goes back to the host in the call
  std::size_t n = 0, stride = 0, places = 0;
  std::size_t elements() const { return stride * places + 64; }
};

struct work {
  std::function<void(std::size_t place)> call;
  std::function<void()> spoil;
  std::function<std::string(std::size_t place)> result;  // a JSON member
};

// What a reduction needs besides its input. The result: the value, at byte 8 the index.
struct outputs {
  std::shared_ptr<void> memory = device_memory(64);
  template <class T>
  T* value() const {
    return static_cast<T*>(memory.get());
  }
  std::int64_t* index() const { return static_cast<std::int64_t*>(memory.get()) + 1; }
};

std::string hex_of(const outputs& out) {
  unsigned char bytes[16];
  check(cudaMemcpy(bytes, out.memory.get(), sizeof bytes, cudaMemcpyDeviceToHost));
  std::string hex;
  for (const unsigned char b : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", b);
    hex += digits;
  }
  return "\"hex\":\"" + hex + "\"";
}

// `reduce(temporary, bytes, x, n)` is the library's call in its usual two phases.
template <class T, class Reduce>
work reduction(const request& r, const outputs& out, const Reduce& reduce) {
  const auto x = data<T>(first_seed, r.elements());
  std::size_t bytes = 0;
  check(reduce(nullptr, bytes, x.get()));
  const auto temporary = device_memory(std::max<std::size_t>(bytes, 16));
  work w;
  w.call = [=](std::size_t place) {
    std::size_t size = bytes;
    check(reduce(temporary.get(), size, x.get() + place * r.stride));
    if (r.host) {
      T value;
      check(cudaMemcpy(&value, out.value<T>(), sizeof value, cudaMemcpyDeviceToHost));
    }
  };
  w.spoil = [=] { check(cudaMemset(out.memory.get(), 0xa5, 16)); };
  w.result = [=](std::size_t) { return hex_of(out); };
  return w;
}

struct to_float {
  __host__ __device__ float operator()(__half x) const { return __half2float(x); }
};

// CUB takes its 32-bit paths where the number of elements is a 32-bit one.
template <class T, class Out>
work cub_sum(const request& r) {
  const outputs out;
  return reduction<T>(r, out, [=](void* temporary, std::size_t& bytes, const T* x) {
    if (r.n < (std::size_t{1} << 31))
      return cub::DeviceReduce::Sum(temporary, bytes, x, out.value<Out>(), static_cast<int>(r.n));
    return cub::DeviceReduce::Sum(temporary, bytes, x, out.value<Out>(), static_cast<std::int64_t>(r.n));
  });
}

#ifdef CLWAVE_BENCH_GPU_TO_GPU
// CUB allocates its temporary memory itself, in each call: this mode has no other interface.
template <class T>
work cub_sum_gpu_to_gpu(const request& r) {
  const outputs out;
  return reduction<T>(r, out, [=](void* temporary, std::size_t& bytes, const T* x) {
    if (temporary == nullptr) {
      bytes = 0;
      return cudaSuccess;
    }
    return cub::DeviceReduce::Sum(x, out.value<T>(), static_cast<int>(r.n),
                                  cuda::execution::require(cuda::execution::determinism::gpu_to_gpu));
  });
}
#endif

work cub_half_sum(const request& r) {
  const outputs out;
  return reduction<__half>(r, out, [=](void* temporary, std::size_t& bytes, const __half* x) {
    return cub::DeviceReduce::TransformReduce(temporary, bytes, x, out.value<float>(), static_cast<int>(r.n),
                                              ::cuda::std::plus<>{}, to_float{}, 0.0f);
  });
}

work cub_max(const request& r) {
  const outputs out;
  return reduction<float>(r, out, [=](void* temporary, std::size_t& bytes, const float* x) {
    return cub::DeviceReduce::Max(temporary, bytes, x, out.value<float>(), static_cast<int>(r.n));
  });
}

work cub_argmax(const request& r) {
  const outputs out;
  return reduction<float>(r, out, [=](void* temporary, std::size_t& bytes, const float* x) {
    return cub::DeviceReduce::ArgMax(temporary, bytes, x, out.value<float>(), out.index(),
                                     static_cast<std::int64_t>(r.n));
  });
}

#ifdef CLWAVE_BENCH_CUBLAS
void check(cublasStatus_t code) {
  if (code != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(code));
}

work blas_dot(const request& r) {
  const outputs out;
  const auto x = data<float>(first_seed, r.elements());
  const auto y = data<float>(second_seed, r.elements());
  cublasHandle_t made = nullptr;
  check(cublasCreate(&made));
  const std::shared_ptr<cublasContext> handle(made, [](cublasHandle_t h) { cublasDestroy(h); });
  check(cublasSetPointerMode(made, CUBLAS_POINTER_MODE_DEVICE));
  work w;
  w.call = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    check(cublasSdot_64(handle.get(), static_cast<std::int64_t>(r.n), x.get() + first, 1, y.get() + first, 1,
                        out.value<float>()));
  };
  w.spoil = [=] { check(cudaMemset(out.memory.get(), 0xa5, 16)); };
  w.result = [=](std::size_t) { return hex_of(out); };
  return w;
}

// Row-major C = A B; the column-major product of the transposed matrices, B before A.
template <class T>
work blas_gemm(const request& r) {
  const auto a = data<T>(first_seed, r.elements());
  const auto b = data<T>(second_seed, r.elements());
  const auto c = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  cublasHandle_t made = nullptr;
  check(cublasCreate(&made));
  const std::shared_ptr<cublasContext> handle(made, [](cublasHandle_t h) { cublasDestroy(h); });
  const int side = std::stoi(r.shape);
  const int width = r.op == "thin" ? 8 : side;
  work w;
  w.call = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    if constexpr (std::is_same_v<T, double>) {
      const double one = 1;
      const double zero = 0;
      check(cublasDgemm(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, width, side, side, &one, b.get() + first,
                        width, a.get() + first, side, &zero, c.get() + first, width));
    } else {
      const float one = 1;
      const float zero = 0;
      const cudaDataType type = std::is_same_v<T, float> ? CUDA_R_32F : CUDA_R_16F;
      check(cublasGemmEx(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, width, side, side, &one, b.get() + first,
                         type, width, a.get() + first, type, side, &zero, c.get() + first, type, width,
                         r.op == "tf32" ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                         CUBLAS_GEMM_DEFAULT));
    }
  };
  w.spoil = [=] { check(cudaMemset(c.get(), 0xa5, r.elements() * sizeof(T))); };
  w.result = [=](std::size_t place) {
    std::string values;
    for (std::uint64_t s = 0; s < 64; ++s) {
      const std::uint64_t at = s * 2654435761u % (static_cast<std::uint64_t>(side) * width);
      T value;
      check(cudaMemcpy(&value, c.get() + place * r.stride + at, sizeof value, cudaMemcpyDeviceToHost));
      char text[40];
      std::snprintf(text, sizeof text, "%s%.17g", s == 0 ? "" : ",", static_cast<double>(value));
      values += text;
    }
    return "\"values\":[" + values + "]";
  };
  return w;
}
#endif

std::string wrong_member(unsigned wrong) { return "\"wrong\":" + std::to_string(wrong); }

template <class T>
work runtime_copy(const request& r) {
  const auto from = data<T>(first_seed, r.elements());
  const auto to = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto counter = device_memory(4);
  work w;
  w.call = [=](std::size_t place) {
    check(cudaMemcpyAsync(to.get() + place * r.stride, from.get() + place * r.stride, r.n * sizeof(T),
                          cudaMemcpyDeviceToDevice));
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(T))); };
  w.result = [=](std::size_t place) {
    check(cudaMemset(counter.get(), 0, 4));
    const std::size_t first = place * r.stride;
    count_wrong<<<2048, 256>>>(to.get() + first, from.get() + first, r.n,
                               static_cast<unsigned*>(counter.get()));
    unsigned wrong = 0;
    check(cudaMemcpy(&wrong, counter.get(), 4, cudaMemcpyDeviceToHost));
    return wrong_member(wrong);
  };
  return w;
}

work runtime_fill(const request& r) {
  const std::size_t bytes = r.n * sizeof(float);
  const auto to = std::static_pointer_cast<std::uint8_t>(device_memory(r.elements() * sizeof(float)));
  const auto right = std::static_pointer_cast<std::uint8_t>(device_memory(bytes));
  const auto counter = device_memory(4);
  fill_with<<<2048, 256>>>(right.get(), std::uint8_t{0x3f}, bytes);
  check(cudaDeviceSynchronize());
  work w;
  w.call = [=](std::size_t place) {
    check(cudaMemsetAsync(to.get() + place * r.stride * sizeof(float), 0x3f, bytes));
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(float))); };
  w.result = [=](std::size_t place) {
    check(cudaMemset(counter.get(), 0, 4));
    count_wrong<<<2048, 256>>>(to.get() + place * r.stride * sizeof(float), right.get(), bytes,
                               static_cast<unsigned*>(counter.get()));
    unsigned wrong = 0;
    check(cudaMemcpy(&wrong, counter.get(), 4, cudaMemcpyDeviceToHost));
    return wrong_member(wrong);
  };
  return w;
}

#ifdef CLWAVE_BENCH_CUBLAS
template <class T>
__global__ void count_wrong_transposed(const T* got, const T* in, std::uint64_t rows, std::uint64_t columns,
                                       unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
       i < rows * columns; i += step)
    if (got[i] != in[i % rows * columns + i / rows]) atomicAdd(wrong, 1u);
}

cublasStatus_t geam(cublasHandle_t handle, int m, int n, const float* one, const float* a, int lda,
                    const float* zero, float* c, int ldc) {
  return cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, one, a, lda, zero, c, ldc, c, ldc);
}
cublasStatus_t geam(cublasHandle_t handle, int m, int n, const double* one, const double* a, int lda,
                    const double* zero, double* c, int ldc) {
  return cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, one, a, lda, zero, c, ldc, c, ldc);
}

// The result in columns, as cuBLAS has it, is the input's rows.
template <class T>
work blas_transpose(const request& r) {
  std::size_t rows = 0;
  std::size_t columns = 0;
  if (std::sscanf(r.shape.c_str(), "%zux%zu", &rows, &columns) != 2)
    throw std::runtime_error("no shape: " + r.shape);
  const auto from = data<T>(first_seed, r.elements());
  const auto to = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto counter = device_memory(4);
  cublasHandle_t made = nullptr;
  check(cublasCreate(&made));
  const std::shared_ptr<cublasContext> handle(made, [](cublasHandle_t h) { cublasDestroy(h); });
  work w;
  w.call = [=](std::size_t place) {
    const T one = 1;
    const T zero = 0;
    check(geam(handle.get(), static_cast<int>(rows), static_cast<int>(columns), &one,
               from.get() + place * r.stride, static_cast<int>(columns), &zero, to.get() + place * r.stride,
               static_cast<int>(rows)));
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(T))); };
  w.result = [=](std::size_t place) {
    check(cudaMemset(counter.get(), 0, 4));
    const std::size_t first = place * r.stride;
    count_wrong_transposed<<<2048, 256>>>(to.get() + first, from.get() + first, rows, columns,
                                          static_cast<unsigned*>(counter.get()));
    unsigned wrong = 0;
    check(cudaMemcpy(&wrong, counter.get(), 4, cudaMemcpyDeviceToHost));
    return wrong_member(wrong);
  };
  return w;
}
#endif

// A row that this program knows and cannot run.
struct no_such_row : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The row's work, or nothing where it is not known here.
std::unique_ptr<work> make(const request& r) {
  const auto owned = [](work w) { return std::make_unique<work>(std::move(w)); };
  if (r.contender == "cub" && r.op == "sum") {
    if (r.type == "f32") return owned(cub_sum<float, float>(r));
    if (r.type == "f64") return owned(cub_sum<double, double>(r));
    if (r.type == "i32") return owned(cub_sum<std::int32_t, std::int32_t>(r));
    if (r.type == "u8-u32") return owned(cub_sum<std::uint8_t, std::uint32_t>(r));
    if (r.type == "f16-f32") return owned(cub_half_sum(r));
  }
  if (r.contender == "cub-gpu-to-gpu" && r.op == "sum") {
#ifdef CLWAVE_BENCH_GPU_TO_GPU
    if (r.type == "f32") return owned(cub_sum_gpu_to_gpu<float>(r));
    if (r.type == "f64") return owned(cub_sum_gpu_to_gpu<double>(r));
#else
    throw no_such_row("determinism::gpu_to_gpu is not in this toolkit: its CUB is " +
                      std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
                      ", and 3.1 is the first that has it");
#endif
  }
  if (r.contender == "cub" && r.op == "max" && r.type == "f32") return owned(cub_max(r));
  if (r.contender == "cub" && r.op == "argmax" && r.type == "f32") return owned(cub_argmax(r));
#ifdef CLWAVE_BENCH_CUBLAS
  if (r.contender == "cublas" && r.op == "dot" && r.type == "f32") return owned(blas_dot(r));
  if (r.contender == "cublas" && r.primitive == "transpose") {
    if (r.type == "f32") return owned(blas_transpose<float>(r));
    if (r.type == "f64") return owned(blas_transpose<double>(r));
  }
  if (r.contender == "cublas" && r.primitive == "gemm") {
    if (r.type == "f32") return owned(blas_gemm<float>(r));
    if (r.type == "f64") return owned(blas_gemm<double>(r));
    if (r.type == "f16") return owned(blas_gemm<__half>(r));
  }
#endif
  if (r.contender == "cuda" && r.primitive == "copy") {
    if (r.op == "fill" && r.type == "f32") return owned(runtime_fill(r));
    if (r.op == "same" && r.type == "f32") return owned(runtime_copy<float>(r));
    if (r.op == "same" && r.type == "u8") return owned(runtime_copy<std::uint8_t>(r));
  }
  return nullptr;
}

// "reduce/sum/f32/1024/cub/host"
request parse(const std::string& row) {
  std::vector<std::string> parts;
  std::stringstream words(row);
  for (std::string part; std::getline(words, part, '/');) parts.push_back(part);
  if (parts.size() < 5) throw std::runtime_error("no such row: " + row);
  request r;
  r.primitive = parts[0];
  r.op = parts[1];
  r.type = parts[2];
  r.shape = parts[3];
  r.contender = parts[4];
  r.host = parts.size() > 5;
  return r;
}

std::string sample(const leader& leads, const work& w, std::size_t places, const std::string& how,
                   unsigned calls, std::size_t first) {
  double lead_s = 0;
  // Another process may have had the device just now: whoever comes next pays for the change, and a lead
  // timed then would be taken off the calls too dear.
  w.call(first);
  check(cudaDeviceSynchronize());
  if (how == "device") {
    const auto start = wall::now();
    leads.enqueue();
    check(cudaDeviceSynchronize());
    lead_s = seconds_since(start);
  }
  const auto start = wall::now();
  if (how == "device") leads.enqueue();
  const auto led = wall::now();
  for (unsigned i = 0; i < calls; ++i) w.call((first + i) % places);
  const double enqueue_s = seconds_since(led);
  double seconds = seconds_since(start);
  check(cudaDeviceSynchronize());
  if (how == "device") seconds = seconds_since(start);
  char text[160];
  std::snprintf(text, sizeof text, "\"seconds\":%.9f,\"lead\":%.9f,\"enqueue\":%.9f", seconds, lead_s,
                enqueue_s);
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' || static_cast<unsigned char>(c) < 32 ? ' ' : c;
  return out + "\"";
}

std::string answer(std::istream& words, std::unique_ptr<leader>& leads) {
  struct prepared {
    std::unique_ptr<work> does;
    std::size_t places = 1;
  };
  static std::map<std::string, prepared> rows;
  std::string verb, id;
  words >> verb >> id;
  if (verb == "hello") {
    leads = std::make_unique<leader>();
    cudaDeviceProp properties{};
    int device = 0;
    check(cudaGetDevice(&device));
    check(cudaGetDeviceProperties(&properties, device));
    return "\"device\":\"" + std::string(properties.name) + "\",\"cub\":" + std::to_string(CUB_VERSION);
  }
  if (verb == "prepare") {
    std::string row;
    words >> row;
    request r = parse(row);
    words >> r.n >> r.stride >> r.places;
    std::unique_ptr<work> made;
    try {
      made = make(r);
    } catch (const no_such_row& e) {
      return "\"skip\":" + quoted(e.what());
    }
    if (!made) return "\"skip\":\"clwave_cuda_peers has no such row\"";
    rows[id] = {std::move(made), r.places};
    return "\"ok\":true";
  }
  if (verb == "release") {
    rows.erase(id);
    return "\"ok\":true";
  }
  const auto found = rows.find(id);
  if (found == rows.end()) throw std::runtime_error("nothing is prepared under " + id);
  const work& w = *found->second.does;
  if (verb == "sample") {
    std::string how;
    unsigned calls = 1;
    std::size_t first = 0;
    words >> how >> calls >> first;
    return sample(*leads, w, found->second.places, how, calls, first);
  }
  if (verb == "spoil") {
    w.spoil();
    check(cudaDeviceSynchronize());
    return "\"ok\":true";
  }
  if (verb == "result") {
    std::size_t place = 0;
    words >> place;
    return w.result(place);
  }
  throw std::runtime_error("no such request: " + verb);
}

}  // namespace

int main(int argc, char** argv) {
  // The same device as the bench's, by its place on the bus; failing that the first.
  int device = 0;
  if (argc > 1 && cudaDeviceGetByPCIBusId(&device, argv[1]) == cudaSuccess) cudaSetDevice(device);
  cudaGetLastError();
  std::unique_ptr<leader> leads;
  for (std::string line; std::getline(std::cin, line);) {
    std::string out;
    try {
      std::istringstream words(line);
      out = answer(words, leads);
    } catch (const std::exception& e) {
      const bool hello = line.rfind("hello", 0) == 0;
      out = (hello ? "\"skip\":" : "\"error\":") + quoted(e.what());
    }
    std::cout << '{' << out << '}' << std::endl;
  }
}
