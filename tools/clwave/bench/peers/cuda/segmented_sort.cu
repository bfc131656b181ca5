// Rows of segmented_sort: CUB.
#include <cub/device/device_segmented_sort.cuh>

#include "../../segment_offsets.hpp"
#include "peers.cuh"

namespace {

__global__ void count_falling_keys(const std::uint32_t* offsets, std::uint64_t segments, const std::int32_t* out,
                                   unsigned* wrong) {
  unsigned found = 0;
  for (std::uint64_t s = blockIdx.x; s < segments; s += gridDim.x) {
    for (std::uint64_t i = offsets[s] + threadIdx.x; i < offsets[s + 1]; i += blockDim.x)
      if (i > offsets[s] && out[i - 1] > out[i]) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

work cub_segments(const request& r) {
  const auto from = data<std::int32_t>(first_seed, r.elements());
  const std::vector<std::uint32_t> host = clwave::tool::bench::segment_offsets(r.shape);
  const std::uint64_t n = host.back(), segments = host.size() - 1;
  const auto offsets = std::static_pointer_cast<std::uint32_t>(device_memory(host.size() * 4));
  check(cudaMemcpy(offsets.get(), host.data(), host.size() * 4, cudaMemcpyHostToDevice));
  const auto to = std::static_pointer_cast<std::int32_t>(device_memory(r.elements() * 4));
  const auto counter = device_memory(4);
  const auto sort = [=](void* temporary, std::size_t& bytes, const std::int32_t* x, std::int32_t* out) {
    return cub::DeviceSegmentedSort::SortKeys(temporary, bytes, x, out, static_cast<std::int64_t>(n),
                                              static_cast<std::int64_t>(segments), offsets.get(), offsets.get() + 1);
  };
  work w;
  w.call = [=, call = with_memory(sort, from.get(), to.get())](std::size_t place) {
    call(from.get() + place * r.stride, to.get() + place * r.stride);
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * 4)); };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_falling_keys<<<2048, 256>>>(offsets.get(), segments, to.get() + place * r.stride, wrong);
    });
  };
  return w;
}

const registered_rows listed("segmented_sort", "cub", "i32", cub_segments);

}  // namespace
