// Rows of copy_ranges: CUB's batched copy.
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_memcpy.cuh>

#include "../../segment_offsets.hpp"
#include "peers.cuh"

namespace {

// Where a range begins, of starts of 32 bits: what clwave reads, too.
template <class T>
struct place_in {
  T* base;
  __host__ __device__ T* operator()(std::uint32_t start) const { return base + start; }
};
struct bytes_of_elements {
  __host__ __device__ std::uint32_t operator()(std::uint32_t length) const { return length * 4; }
};

// As in bench/rows/copy_ranges.cpp: segments in the opposite order, a segment a group.
__global__ void count_wrong_ranges(const std::int32_t* in, const std::uint32_t* offsets, const std::int32_t* out,
                                   std::uint64_t segments, unsigned* wrong) {
  unsigned found = 0;
  for (std::uint64_t s = blockIdx.x; s < segments; s += gridDim.x) {
    const std::uint64_t begin = offsets[s], to = offsets[segments] - offsets[s + 1];
    for (std::uint64_t i = threadIdx.x; i < offsets[s + 1] - begin; i += blockDim.x)
      if (in[begin + i] != out[to + i]) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

std::shared_ptr<std::uint32_t> on_device(const std::vector<std::uint32_t>& numbers) {
  const auto made = std::static_pointer_cast<std::uint32_t>(device_memory(numbers.size() * 4));
  check(cudaMemcpy(made.get(), numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice));
  return made;
}

work cub_ranges(const request& r) {
  const auto from = data<std::int32_t>(first_seed, r.elements());
  const std::vector<std::uint32_t> host = clwave::tool::bench::segment_offsets(r.shape);
  const std::uint64_t segments = host.size() - 1;
  std::vector<std::uint32_t> lengths(segments), out_starts(segments);
  for (std::size_t s = 0; s < segments; ++s) {
    lengths[s] = host[s + 1] - host[s];
    out_starts[s] = host.back() - host[s + 1];
  }
  const auto offsets = on_device(host), sizes = on_device(lengths), to = on_device(out_starts);
  const auto out = std::static_pointer_cast<std::int32_t>(device_memory(r.elements() * 4));
  const auto counter = device_memory(4);
  const auto copy = [=](void* temporary, std::size_t& bytes, const std::int32_t* x, std::int32_t* results) {
    const std::uint32_t *const starts = offsets.get(), *const places = to.get(), *const elements = sizes.get();
    return cub::DeviceMemcpy::Batched(
        temporary, bytes, thrust::make_transform_iterator(starts, place_in<const std::int32_t>{x}),
        thrust::make_transform_iterator(places, place_in<std::int32_t>{results}),
        thrust::make_transform_iterator(elements, bytes_of_elements{}), static_cast<std::int64_t>(segments));
  };
  work w;
  w.call = [=, call = with_memory(copy, from.get(), out.get())](std::size_t place) {
    call(from.get() + place * r.stride, out.get() + place * r.stride);
  };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, r.elements() * 4)); };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_ranges<<<2048, 256>>>(from.get() + place * r.stride, offsets.get(), out.get() + place * r.stride,
                                        segments, wrong);
    });
  };
  return w;
}

const registered_rows listed("copy_ranges", "cub", "i32", cub_ranges);

}  // namespace
