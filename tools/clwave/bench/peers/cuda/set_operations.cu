// Rows of set operations: Thrust's.
#include <thrust/execution_policy.h>
#include <thrust/set_operations.h>

#include "../../sorted_ranges.hpp"
#include "peers.cuh"

namespace {

using clwave::tool::bench::sorted_number;

constexpr unsigned step = 2;

__global__ void make_sorted(std::int32_t* out, std::uint64_t n, std::uint64_t stride, unsigned seed) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    out[i] = sorted_number(i % stride, seed, step);
}

// Neighbours that do not rise: no number is in a range twice.
__global__ void count_falling(const std::int32_t* out, std::uint64_t n, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    if (i > 0 && out[i - 1] >= out[i]) ++found;
  if (found != 0) atomicAdd(wrong, found);
}

work thrust_set(const request& r) {
  const std::uint64_t n = r.stride * r.places;
  const auto words = [](std::uint64_t count) {
    return std::static_pointer_cast<std::int32_t>(device_memory(count * 4));
  };
  const auto a = words(n), b = words(n), out = words(2 * n);
  const auto found = std::make_shared<std::uint64_t>(0);
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  make_sorted<<<2048, 256>>>(a.get(), n, r.stride, first_seed);
  make_sorted<<<2048, 256>>>(b.get(), n, r.stride, second_seed);
  check(cudaGetLastError());
  work w;
  w.call = [=](std::size_t place) {
    const std::int32_t *first = a.get() + place * r.stride, *second = b.get() + place * r.stride;
    std::int32_t* to = out.get() + 2 * place * r.stride;
    std::int32_t* end = to;
    if (r.op == "union") end = thrust::set_union(thrust::device, first, first + r.n, second, second + r.n, to);
    if (r.op == "intersection")
      end = thrust::set_intersection(thrust::device, first, first + r.n, second, second + r.n, to);
    if (r.op == "difference")
      end = thrust::set_difference(thrust::device, first, first + r.n, second, second + r.n, to);
    *found = static_cast<std::uint64_t>(end - to);
  };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, 8 * n)); };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_falling<<<2048, 256>>>(out.get() + 2 * place * r.stride, *found, wrong);
    });
  };
  return w;
}

const registered_rows listed("set_operations", "thrust", "", thrust_set);

}  // namespace
