// Rows of lower_bound: Thrust's, vectorized.
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

#include "../../sorted_ranges.hpp"
#include "peers.cuh"

namespace {

using clwave::tool::bench::sorted_number;

constexpr unsigned step = 8;

// As in bench/rows/bounds.cpp.
__global__ void make_range(std::int32_t* out, std::uint64_t n, unsigned seed, bool random) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
    const std::uint64_t any = static_cast<std::uint64_t>(hash(i, seed)) * n >> 32;
    out[i] = sorted_number(random ? any : i, seed, step);
  }
}

__global__ void count_wrong_places(const std::int32_t* in, const std::int32_t* needles, const std::uint32_t* out,
                                   std::uint64_t n, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
    const std::uint32_t place = out[i];
    if (place > n || (place > 0 && !(in[place - 1] < needles[i])) || (place < n && in[place] < needles[i])) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

work thrust_bounds(const request& r) {
  const auto words = [&] { return std::static_pointer_cast<std::int32_t>(device_memory(r.n * 4)); };
  const auto in = words(), needles = words();
  const auto out = std::static_pointer_cast<std::uint32_t>(device_memory(r.n * 4));
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  make_range<<<2048, 256>>>(in.get(), r.n, first_seed, false);
  make_range<<<2048, 256>>>(needles.get(), r.n, second_seed, r.op == "random");
  check(cudaGetLastError());
  work w;
  w.call = [=](std::size_t) {
    thrust::lower_bound(thrust::cuda::par_nosync, in.get(), in.get() + r.n, needles.get(), needles.get() + r.n,
                        out.get());
  };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, r.n * 4)); };
  w.result = [=](std::size_t) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_places<<<2048, 256>>>(in.get(), needles.get(), out.get(), r.n, wrong);
    });
  };
  return w;
}

const registered_rows listed("bounds", "thrust", "", thrust_bounds);

}  // namespace
