// Rows of sorts by comparison: CUB's merge sort.
#include <cub/device/device_merge_sort.cuh>

#include "peers.cuh"

namespace {

struct less_of_keys {
  __device__ bool operator()(std::int32_t a, std::int32_t b) const { return a < b; }
};

__global__ void count_falling_keys(const std::int32_t* out, std::uint64_t first, std::uint64_t n, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = first + blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < first + n;
       i += threads)
    if (i > first && out[i - 1] > out[i]) ++found;
  if (found != 0) atomicAdd(wrong, found);
}

work cub_sort(const request& r) {
  const auto keys = data<std::int32_t>(first_seed, r.elements());
  const auto out = std::static_pointer_cast<std::int32_t>(device_memory(r.elements() * 4));
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  const auto sort = [=, n = static_cast<int>(r.n)](void* temporary, std::size_t& bytes, std::size_t first) {
    return cub::DeviceMergeSort::StableSortKeysCopy(temporary, bytes, keys.get() + first, out.get() + first, n,
                                                    less_of_keys{});
  };
  work w;
  w.call = [=, call = with_memory(sort, 0)](std::size_t place) { call(place * r.stride); };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, r.elements() * 4)); };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_falling_keys<<<2048, 256>>>(out.get(), place * r.stride, r.n, wrong);
    });
  };
  return w;
}

const registered_rows listed("merge_sort", "cub", "", cub_sort);

}  // namespace
