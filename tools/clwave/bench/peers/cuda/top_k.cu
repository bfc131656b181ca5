// Rows of top_k and segmented_top_k: CUB, which sorts all.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include <algorithm>

#include "../../segment_offsets.hpp"
#include "peers.cuh"

namespace {

__global__ void number(std::uint32_t* out, std::uint64_t n) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    out[i] = static_cast<std::uint32_t>(i);
}

// How many of the first k fall short of their neighbour, and how many elements are better than the last one.
template <class T>
__global__ void count_wrong_best(const T* in, const T* values, const std::uint32_t* places,
                                 std::uint64_t first, std::uint64_t n, std::uint64_t k, unsigned* wrong,
                                 unsigned* better) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  const T last = values[k - 1];
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n;
       i += step) {
    if (in[first + i] > last) atomicAdd(better, 1u);
    if (i >= k) continue;
    const bool right =
        in[first + places[i]] == values[i] &&
        (i == 0 || values[i - 1] > values[i] || (values[i - 1] == values[i] && places[i - 1] < places[i]));
    if (!right) atomicAdd(wrong, 1u);
  }
}
__global__ void add_excess(const unsigned* better, unsigned k, unsigned* wrong) {
  if (*better >= k) *wrong += *better - k + 1;
}

template <class T>
work cub_top_k(const request& r) {
  const auto k = static_cast<unsigned>(std::stoul(r.op));
  const auto in = data<T>(first_seed, r.elements());
  const auto values = std::static_pointer_cast<T>(device_memory(r.n * sizeof(T)));
  const auto places = std::static_pointer_cast<std::uint32_t>(device_memory(r.n * 4));
  const auto numbers = std::static_pointer_cast<std::uint32_t>(device_memory(r.n * 4));
  const auto better = std::static_pointer_cast<unsigned>(device_memory(4));
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  number<<<2048, 256>>>(numbers.get(), r.n);
  check(cudaGetLastError());
  const auto sort = [=, n = static_cast<int>(r.n)](void* temporary, std::size_t& size, std::size_t first) {
    return cub::DeviceRadixSort::SortPairsDescending(temporary, size, in.get() + first, values.get(),
                                                     numbers.get(), places.get(), n);
  };
  std::size_t size = 0;
  check(sort(nullptr, size, 0));
  const auto temporary = device_memory(std::max<std::size_t>(size, 16));
  work w;
  w.call = [=](std::size_t place) {
    std::size_t given = size;
    check(sort(temporary.get(), given, place * r.stride));
  };
  w.spoil = [=] {
    check(cudaMemset(values.get(), 0xa5, r.n * sizeof(T)));
    check(cudaMemset(places.get(), 0, r.n * 4));
  };
  w.result = [=](std::size_t place) {
    check(cudaMemset(better.get(), 0, 4));
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_best<<<2048, 256>>>(in.get(), values.get(), places.get(), place * r.stride, r.n, k, wrong,
                                      better.get());
      add_excess<<<1, 1>>>(better.get(), k, wrong);
    });
  };
  return w;
}

// How many of all sorted elements are not where they came from, or out of order.
__global__ void count_wrong_segments(const std::uint32_t* offsets, std::uint64_t segments, const std::int32_t* in,
                                     const std::int32_t* values, const std::uint32_t* places, unsigned* wrong) {
  unsigned found = 0;
  for (std::uint64_t s = blockIdx.x; s < segments; s += gridDim.x) {
    for (std::uint64_t i = offsets[s] + threadIdx.x; i < offsets[s + 1]; i += blockDim.x) {
      const std::uint32_t at = places[i];
      if (at < offsets[s] || at >= offsets[s + 1] || in[at] != values[i]) {
        ++found;
      } else if (i > offsets[s]) {
        if (values[i - 1] < values[i] || (values[i - 1] == values[i] && places[i - 1] >= at)) ++found;
      }
    }
  }
  if (found != 0) atomicAdd(wrong, found);
}

work cub_best_of_segments(const request& r) {
  const auto from = data<std::int32_t>(first_seed, r.elements());
  const std::vector<std::uint32_t> host = clwave::tool::bench::segment_offsets(r.shape);
  const std::uint64_t n = host.back(), segments = host.size() - 1;
  const auto offsets = std::static_pointer_cast<std::uint32_t>(device_memory(host.size() * 4));
  check(cudaMemcpy(offsets.get(), host.data(), host.size() * 4, cudaMemcpyHostToDevice));
  const auto values = std::static_pointer_cast<std::int32_t>(device_memory(n * 4));
  const auto places = std::static_pointer_cast<std::uint32_t>(device_memory(n * 4));
  const auto numbers = std::static_pointer_cast<std::uint32_t>(device_memory(n * 4));
  const auto counter = device_memory(4);
  number<<<2048, 256>>>(numbers.get(), n);
  check(cudaGetLastError());
  const auto sort = [=](void* temporary, std::size_t& bytes, const std::int32_t* x) {
    return cub::DeviceSegmentedSort::StableSortPairsDescending(
        temporary, bytes, x, values.get(), numbers.get(), places.get(), static_cast<std::int64_t>(n),
        static_cast<std::int64_t>(segments), offsets.get(), offsets.get() + 1);
  };
  work w;
  w.call = [=, call = with_memory(sort, from.get())](std::size_t place) { call(from.get() + place * r.stride); };
  w.spoil = [=] {
    check(cudaMemset(values.get(), 0xa5, n * 4));
    check(cudaMemset(places.get(), 0xa5, n * 4));
  };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_segments<<<2048, 256>>>(offsets.get(), segments, from.get() + place * r.stride, values.get(),
                                          places.get(), wrong);
    });
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive == "segmented_top_k" && r.contender == "cub" && r.type == "i32") return owned(cub_best_of_segments(r));
  if (r.primitive != "top_k" || r.contender != "cub") return nullptr;
  if (r.type == "i32") return owned(cub_top_k<std::int32_t>(r));
  if (r.type == "f32") return owned(cub_top_k<float>(r));
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
