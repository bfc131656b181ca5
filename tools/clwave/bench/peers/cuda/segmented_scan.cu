// Rows of segmented_scan: CUB.
#include <cub/device/device_scan.cuh>

#include <algorithm>

#include "../../segment_offsets.hpp"
#include "peers.cuh"

namespace {

// Each result is the one before it and one element: bench/rows/segmented_scan.cpp says why that proves all.
__global__ void count_wrong_segments(const float* in, const std::uint32_t* keys, const float* out, std::uint64_t n,
                                     unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step) {
    const bool goes_on = i > 0 && keys[i] == keys[i - 1];
    if (out[i] != in[i] + (goes_on ? out[i - 1] : 0.0f)) atomicAdd(wrong, 1u);
  }
}

// CUB scans no segments by offsets: the number of each element's segment is its key. They are made beforehand.
work cub_scans(const request& r) {
  const auto from = data<float>(first_seed, r.elements(), true);
  const std::vector<std::uint32_t> offsets = clwave::tool::bench::segment_offsets(r.shape);
  const std::uint64_t n = offsets.back();
  std::vector<std::uint32_t> numbers(n);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::fill(numbers.begin() + offsets[s], numbers.begin() + offsets[s + 1], static_cast<std::uint32_t>(s));
  const auto keys = std::static_pointer_cast<std::uint32_t>(device_memory(n * sizeof(std::uint32_t)));
  check(cudaMemcpy(keys.get(), numbers.data(), n * sizeof(std::uint32_t), cudaMemcpyHostToDevice));
  const auto to = std::static_pointer_cast<float>(device_memory(r.elements() * sizeof(float)));
  const auto counter = device_memory(4);
  const auto scan = [=](void* temporary, std::size_t& bytes, const float* x, float* out) {
    return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, keys.get(), x, out, n);
  };
  work w;
  w.call = [=, call = with_memory(scan, from.get(), to.get())](std::size_t place) {
    call(from.get() + place * r.stride, to.get() + place * r.stride);
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(float))); };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_segments<<<2048, 256>>>(from.get() + place * r.stride, keys.get(), to.get() + place * r.stride, n,
                                          wrong);
    });
  };
  return w;
}

const registered_rows listed("segmented_scan", "cub", "f32", cub_scans);

}  // namespace
