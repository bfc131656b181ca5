// What the files of clwave_cuda_peers share: data, and the rows that each file registers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../hash.hpp"

inline void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

inline std::shared_ptr<void> device_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  return {memory, [](void* p) { cudaFree(p); }};
}

// CUB's calls have two phases: without memory, `call(temporary, bytes, at...)` says how much it takes. That is asked
// here; what comes back makes the call, at other places of the same inputs.
template <class Call, class... At>
auto with_memory(const Call& call, const At&... at) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes, at...));
  const auto temporary = device_memory(std::max<std::size_t>(bytes, 16));
  return [=](auto... now) {
    std::size_t size = bytes;
    check(call(temporary.get(), size, now...));
  };
}

// --- Data, as in bench/data.cpp ----------------------------------------------------------------------
using clwave::tool::bench::hash;

inline __device__ void put(float* out, std::uint64_t i, unsigned seed) {
  *out = static_cast<float>(static_cast<int>(hash(i, seed) >> 8) - (1 << 23)) * 0x1p-23f;
}
inline __device__ void put(double* out, std::uint64_t i, unsigned seed) {
  const std::uint64_t bits = static_cast<std::uint64_t>(hash(i, seed)) << 21 | hash(i, ~seed) >> 11;
  *out = static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-52 - 1.0;
}
inline __device__ void put(std::int32_t* out, std::uint64_t i, unsigned seed) {
  *out = static_cast<int>(hash(i, seed));
}
inline __device__ void put(std::uint8_t* out, std::uint64_t i, unsigned seed) {
  *out = static_cast<std::uint8_t>(hash(i, seed));
}
inline __device__ void put(__half* out, std::uint64_t i, unsigned seed) {
  *out = __float2half_rn(static_cast<float>(static_cast<int>(hash(i, seed) >> 21) - 1024) * 0x1p-10f);
}
inline __device__ void put(__nv_bfloat16* out, std::uint64_t i, unsigned seed) {
  *out = __float2bfloat16_rn(static_cast<float>(static_cast<int>(hash(i, seed) >> 24) - 128) * 0x1p-7f);
}

// Whole numbers, of which sums are exact in every order.
inline __device__ void put_whole(float* out, std::uint64_t i, unsigned seed) {
  const std::uint32_t h = hash(i, seed);
  *out = static_cast<float>(static_cast<int>(h >> 24) - static_cast<int>(h >> 16 & 255));
}
inline __device__ void put_whole(double* out, std::uint64_t i, unsigned seed) {
  *out = static_cast<double>(static_cast<int>(hash(i, seed)));
}

template <class T>
__global__ void make_random(T* out, std::uint64_t n, unsigned seed, bool whole) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n;
       i += step) {
    if constexpr (std::is_floating_point_v<T>) {
      if (whole) {
        put_whole(out + i, i, seed);
        continue;
      }
    }
    put(out + i, i, seed);
  }
}

template <class T>
__global__ void count_wrong(const T* got, const T* right, std::uint64_t n, unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    if (got[i] != right[i]) atomicAdd(wrong, 1u);
}

constexpr unsigned first_seed = 0x9e3779b9u;
constexpr unsigned second_seed = 0x7f4a7c15u;

// One pool of a type, seed and kind of values is kept until one of another size is asked for.
template <class T>
std::shared_ptr<T> data(unsigned seed, std::size_t elements, bool whole = false) {
  struct kept {
    std::weak_ptr<void> memory;
    std::size_t elements = 0;
  };
  static std::map<std::pair<unsigned, bool>, kept> pools;
  kept& k = pools[{seed, whole}];
  std::shared_ptr<void> memory = k.memory.lock();
  if (!memory || k.elements != elements) {
    memory = device_memory(elements * sizeof(T));
    make_random<<<2048, 256>>>(static_cast<T*>(memory.get()), elements, seed, whole);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    k = {memory, elements};
  }
  return std::static_pointer_cast<T>(memory);
}

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
  std::function<void()> renew = {};                      // puts the inputs back that calls have overwritten
  std::function<std::string(std::size_t place)> result;  // a JSON member
};

// The row's work, or nothing where it is not known.
using row_maker = std::function<std::unique_ptr<work>(const request&)>;
inline std::vector<row_maker>& row_makers() {
  static std::vector<row_maker> all;
  return all;
}
inline std::unique_ptr<work> owned(work w) { return std::make_unique<work>(std::move(w)); }
// A file of rows defines one of these.
struct registered_rows {
  explicit registered_rows(const row_maker& maker) { row_makers().push_back(maker); }
  // The rows of one contender are made by one function; "" stands for every type.
  registered_rows(const std::string& primitive, const std::string& contender, const std::string& type,
                  work (*make)(const request&))
      : registered_rows([=](const request& r) {
          const bool asked = r.primitive == primitive && r.contender == contender && (type.empty() || r.type == type);
          return asked ? owned(make(r)) : nullptr;
        }) {}
};

// A row that this program knows and cannot run.
struct no_such_row : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The answer of a row that counts what is wrong: `launch` is given the counter.
template <class Launch>
std::string count_answer(const std::shared_ptr<void>& counter, const Launch& launch) {
  check(cudaMemset(counter.get(), 0, 4));
  launch(static_cast<unsigned*>(counter.get()));
  unsigned wrong = 0;
  check(cudaMemcpy(&wrong, counter.get(), 4, cudaMemcpyDeviceToHost));
  return "\"wrong\":" + std::to_string(wrong);
}
