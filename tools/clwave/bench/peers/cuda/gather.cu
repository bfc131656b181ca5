// Rows of gather, scatter and reverse: Thrust's.
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>

#include "../../gather_indices.hpp"
#include "peers.cuh"

namespace {

using clwave::tool::bench::bits_of_indices;
using clwave::tool::bench::index_of;
using clwave::tool::bench::word_of_element;

__global__ void make_elements(std::uint32_t* x, std::uint32_t* indices, std::uint64_t n, unsigned bits, bool near) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
    x[i] = word_of_element(static_cast<std::uint32_t>(i));
    indices[i] = index_of(static_cast<std::uint32_t>(i), bits, near);
  }
}

__global__ void count_wrong_elements(const std::uint32_t* x, const std::uint32_t* indices, const std::uint32_t* out,
                                     std::uint64_t n, bool scatters, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
    const std::uint32_t at = indices[i];
    if (scatters ? out[at] != x[i] : out[i] != x[at]) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

__global__ void make_flags(std::uint8_t* flags, std::uint64_t n) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    flags[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(i) * 0x9e3779b1u >> 31);
}

__global__ void count_wrong_flagged(const std::uint32_t* x, const std::uint32_t* indices, const std::uint32_t* out,
                                    const std::uint8_t* flags, std::uint64_t n, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    if (flags[i] != 0 && out[i] != x[indices[i]]) ++found;
  if (found != 0) atomicAdd(wrong, found);
}

work thrust_gather(const request& r) {
  const auto words = [&] { return std::static_pointer_cast<std::uint32_t>(device_memory(r.n * 4)); };
  const auto x = words(), indices = words(), out = words();
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  make_elements<<<2048, 256>>>(x.get(), indices.get(), r.n, bits_of_indices(r.n), r.op == "near");
  check(cudaGetLastError());
  const bool scatters = r.op == "scatter";
  work w;
  w.call = [=](std::size_t) {
    if (scatters)
      thrust::scatter(thrust::cuda::par_nosync, x.get(), x.get() + r.n, indices.get(), out.get());
    else
      thrust::gather(thrust::cuda::par_nosync, indices.get(), indices.get() + r.n, x.get(), out.get());
  };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, r.n * 4)); };
  w.result = [=](std::size_t) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_elements<<<2048, 256>>>(x.get(), indices.get(), out.get(), r.n, scatters, wrong);
    });
  };
  return w;
}

work thrust_gather_if(const request& r) {
  const auto words = [&] { return std::static_pointer_cast<std::uint32_t>(device_memory(r.n * 4)); };
  const auto x = words(), indices = words(), out = words();
  const auto flags = std::static_pointer_cast<std::uint8_t>(device_memory(r.n));
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  make_elements<<<2048, 256>>>(x.get(), indices.get(), r.n, bits_of_indices(r.n), false);
  make_flags<<<2048, 256>>>(flags.get(), r.n);
  check(cudaGetLastError());
  work w;
  w.call = [=](std::size_t) {
    thrust::gather_if(thrust::cuda::par_nosync, indices.get(), indices.get() + r.n, flags.get(), x.get(), out.get());
  };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, r.n * 4)); };
  w.result = [=](std::size_t) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_flagged<<<2048, 256>>>(x.get(), indices.get(), out.get(), flags.get(), r.n, wrong);
    });
  };
  return w;
}

__global__ void make_reversed(std::uint32_t* x, std::uint32_t* indices, std::uint64_t n) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
    x[i] = word_of_element(static_cast<std::uint32_t>(i));
    indices[i] = static_cast<std::uint32_t>(n - 1 - i);
  }
}

// The indices are for the check.
work thrust_reverse(const request& r) {
  const auto words = [&] { return std::static_pointer_cast<std::uint32_t>(device_memory(r.n * 4)); };
  const auto x = words(), indices = words(), out = words();
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  make_reversed<<<2048, 256>>>(x.get(), indices.get(), r.n);
  check(cudaGetLastError());
  work w;
  w.call = [=](std::size_t) {
    const std::uint32_t* const in = x.get();
    thrust::reverse_copy(thrust::cuda::par_nosync, in, in + r.n, out.get());
  };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, r.n * 4)); };
  w.result = [=](std::size_t) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_elements<<<2048, 256>>>(x.get(), indices.get(), out.get(), r.n, false, wrong);
    });
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive == "gather" && r.contender == "thrust" && r.op == "if") return owned(thrust_gather_if(r));
  if (r.primitive == "gather" && r.contender == "thrust" && r.op == "reverse") return owned(thrust_reverse(r));
  if (r.primitive != "gather" || r.contender != "thrust") return nullptr;
  return owned(thrust_gather(r));
}

const registered_rows listed(make);

}  // namespace
