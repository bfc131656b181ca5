// Rows of reduce: CUB, and cuBLAS for the dot product.
#include <cub/device/device_reduce.cuh>

// The mode in which CUB's float sums have the same bits on every NVIDIA GPU came with CUB 3.1.
#if CUB_VERSION >= 300100
#define CLWAVE_BENCH_GPU_TO_GPU
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#endif

#include <cstdio>

#include "blas.cuh"
#include "peers.cuh"

namespace {

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
  work w;
  w.call = [=, call = with_memory(reduce, x.get())](std::size_t place) {
    call(x.get() + place * r.stride);
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
work blas_dot(const request& r) {
  const outputs out;
  const auto x = data<float>(first_seed, r.elements());
  const auto y = data<float>(second_seed, r.elements());
  const auto handle = blas_handle();
  check(cublasSetPointerMode(handle.get(), CUBLAS_POINTER_MODE_DEVICE));
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
#endif

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "reduce") return nullptr;
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
#endif
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
