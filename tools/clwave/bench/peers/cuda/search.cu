// Rows of searches that stop early: Thrust's, which return what they find.
#include <thrust/equal.h>
#include <thrust/execution_policy.h>
#include <thrust/find.h>
#include <thrust/sort.h>

#include "peers.cuh"
#include "thrust_memory.cuh"

namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};

// As in bench/rows/search.cpp.
__global__ void make_numbers(std::uint32_t* x, std::uint64_t n, std::uint64_t place, std::uint32_t mask) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    x[i] = i == place ? 0xffffffffu : static_cast<std::uint32_t>(i) & mask;
}

struct is_large {
  __host__ __device__ bool operator()(std::uint32_t x) const { return x > 0x1000000; }
};

work thrust_search(const request& r) {
  const auto words = [&] { return std::static_pointer_cast<std::uint32_t>(device_memory(r.n * 4)); };
  const bool two = r.op == "equal", sorted = r.op == "sorted";
  const auto x = words(), y = two ? words() : x;
  const std::uint64_t place = r.op == "early" ? std::uint64_t{1} << 15 : nowhere;
  for (const auto& each : {x, y})
    make_numbers<<<2048, 256>>>(each.get(), r.n, place, sorted ? 0xffffffffu : 0xffffffu);
  check(cudaGetLastError());
  const auto memory = std::make_shared<thrust_memory>();
  // An index, or a truth value.
  const auto found = std::make_shared<std::uint64_t>(0);
  const std::uint64_t right = two || sorted ? 1 : place;
  work w;
  w.call = [=](std::size_t) {
    const std::uint32_t* const begin = x.get();
    const std::uint32_t* const end = begin + r.n;
    const auto policy = thrust::cuda::par(*memory);
    if (two) {
      *found = thrust::equal(policy, begin, end, static_cast<const std::uint32_t*>(y.get())) ? 1 : 0;
    } else if (sorted) {
      *found = thrust::is_sorted(policy, begin, end) ? 1 : 0;
    } else {
      const std::uint32_t* const at = thrust::find_if(policy, begin, end, is_large{});
      *found = at == end ? nowhere : static_cast<std::uint64_t>(at - begin);
    }
  };
  w.spoil = [=] { *found = 7; };
  w.result = [=](std::size_t) { return std::string(*found == right ? "\"wrong\":0" : "\"wrong\":1"); };
  return w;
}

const registered_rows listed("search", "thrust", "", thrust_search);

}  // namespace
