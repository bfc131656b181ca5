// Rows of generate, replace_if, transform_if and adjacent_difference: Thrust's, and CUB's of differences, which
// Thrust calls.
#include <thrust/execution_policy.h>
#include <thrust/replace.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include <cub/device/device_adjacent_difference.cuh>

#include "peers.cuh"

namespace {

// As in bench/rows/neighbours.cpp.
inline __device__ std::uint32_t number(std::uint64_t i) {
  return static_cast<std::uint32_t>(i) * 0x9e3779b1u ^ static_cast<std::uint32_t>(i >> 7);
}

__global__ void make_numbers(std::uint32_t* x, std::uint64_t n) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    x[i] = number(i);
}

struct is_large {
  __host__ __device__ bool operator()(std::uint32_t x) const { return x > 0x80000000u; }
};
struct turned {
  __host__ __device__ std::uint32_t operator()(std::uint32_t x) const { return 2 * x + 1; }
};
struct step_at {
  __host__ __device__ std::uint32_t operator()(std::uint64_t i) const {
    return static_cast<std::uint32_t>(i) * 3u + 1u;
  }
};
constexpr std::uint32_t replacement = 0xffffffffu;

enum class variant { generate, replace, transform_if, difference };

__global__ void count_wrong_results(variant of, const std::uint32_t* out, std::uint64_t n, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
    const std::uint32_t x = number(i), y = i == 0 ? 0 : number(i - 1);
    const std::uint32_t right = of == variant::generate       ? step_at{}(i)
                                : of == variant::replace      ? (is_large{}(x) ? replacement : x)
                                : of == variant::transform_if ? (is_large{}(x) ? turned{}(x) : x)
                                                              : x - y;
    if (out[i] != right) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

// `call(x, out)` does it.
template <class Call>
work results_of(const request& r, variant of, const Call& call) {
  const auto words = [&] { return std::static_pointer_cast<std::uint32_t>(device_memory(r.n * 4)); };
  const auto x = words(), out = of == variant::replace ? x : words();
  const auto counter = device_memory(sizeof(unsigned));
  make_numbers<<<2048, 256>>>(x.get(), r.n);
  check(cudaGetLastError());
  const bool keeps = of == variant::replace || of == variant::transform_if;
  work w;
  w.call = [=](std::size_t) { call(x.get(), out.get()); };
  w.spoil = [=] {
    if (keeps)
      make_numbers<<<2048, 256>>>(out.get(), r.n);
    else
      check(cudaMemset(out.get(), 0xa5, r.n * 4));
  };
  w.result = [=](std::size_t) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_results<<<2048, 256>>>(of, out.get(), r.n, wrong);
    });
  };
  return w;
}

work thrust_generate(const request& r) {
  return results_of(r, variant::generate, [n = r.n](const std::uint32_t*, std::uint32_t* out) {
    thrust::tabulate(thrust::cuda::par_nosync, out, out + n, step_at{});
  });
}

work thrust_replace(const request& r) {
  return results_of(r, variant::replace, [n = r.n](const std::uint32_t*, std::uint32_t* x) {
    thrust::replace_if(thrust::cuda::par_nosync, x, x + n, is_large{}, replacement);
  });
}

work thrust_transform_if(const request& r) {
  return results_of(r, variant::transform_if, [n = r.n](const std::uint32_t* x, std::uint32_t* out) {
    thrust::transform_if(thrust::cuda::par_nosync, x, x + n, out, turned{}, is_large{});
  });
}

// CUB takes its 32-bit paths where the number of elements is a 32-bit one.
work cub_difference(const request& r) {
  const auto subtract = [n = static_cast<int>(r.n)](void* temporary, std::size_t& bytes, const std::uint32_t* x,
                                                    std::uint32_t* out) {
    return cub::DeviceAdjacentDifference::SubtractLeftCopy(temporary, bytes, x, out, n);
  };
  const std::uint32_t* const none = nullptr;
  return results_of(r, variant::difference, with_memory(subtract, none, static_cast<std::uint32_t*>(nullptr)));
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "neighbours") return nullptr;
  if (r.contender == "thrust") {
    if (r.op == "generate") return owned(thrust_generate(r));
    if (r.op == "replace") return owned(thrust_replace(r));
    if (r.op == "if") return owned(thrust_transform_if(r));
  }
  if (r.contender == "cub" && r.op == "difference") return owned(cub_difference(r));
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
