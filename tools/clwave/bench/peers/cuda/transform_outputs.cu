// Rows of transform_to: Thrust's transform into a zip of outputs.
#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>

#include "peers.cuh"

namespace {

// As in bench/rows/transform_outputs.cpp.
struct two_of_two {
  __host__ __device__ thrust::tuple<float, float> operator()(float x, float y) const {
    return {x + 0.5f * y, 0.75f * y};
  }
};
struct four_of_one {
  __host__ __device__ thrust::tuple<float, float, float, float> operator()(float x) const {
    return {0.5f * x, x + 1.0f, x * x, 1.0f - x};
  }
};

__global__ void count_wrong_results(const float* x, const float* y, std::uint64_t n, const float* a, const float* b,
                                    const float* c, const float* d, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
    if (c == nullptr) {
      const auto right = two_of_two{}(x[i], y[i]);
      if (a[i] != thrust::get<0>(right) || b[i] != thrust::get<1>(right)) ++found;
    } else {
      const auto right = four_of_one{}(x[i]);
      if (a[i] != thrust::get<0>(right) || b[i] != thrust::get<1>(right)) ++found;
      if (c[i] != thrust::get<2>(right) || d[i] != thrust::get<3>(right)) ++found;
    }
  }
  if (found != 0) atomicAdd(wrong, found);
}

work thrust_outputs(const request& r) {
  const bool has_four = r.op == "outputs-4";
  const auto x = data<float>(first_seed, r.elements());
  const auto y = has_four ? x : data<float>(second_seed, r.elements());
  std::vector<std::shared_ptr<float>> out;
  for (unsigned k = 0; k < (has_four ? 4 : 2); ++k)
    out.push_back(std::static_pointer_cast<float>(device_memory(r.elements() * sizeof(float))));
  const auto counter = device_memory(sizeof(unsigned));
  const auto at = [out](std::size_t k, std::size_t first) { return k < out.size() ? out[k].get() + first : nullptr; };
  work w;
  w.call = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    const float* const begin = x.get() + first;
    if (has_four)
      thrust::transform(thrust::cuda::par_nosync, begin, begin + r.n,
                        thrust::make_zip_iterator(at(0, first), at(1, first), at(2, first), at(3, first)),
                        four_of_one{});
    else
      thrust::transform(thrust::cuda::par_nosync, begin, begin + r.n, static_cast<const float*>(y.get()) + first,
                        thrust::make_zip_iterator(at(0, first), at(1, first)), two_of_two{});
  };
  w.spoil = [=] {
    for (const auto& each : out) check(cudaMemset(each.get(), 0xa5, r.elements() * sizeof(float)));
  };
  w.result = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_results<<<2048, 256>>>(x.get() + first, y.get() + first, r.n, at(0, first), at(1, first),
                                         at(2, first), at(3, first), wrong);
    });
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "transform" || r.contender != "thrust" || r.type != "f32") return nullptr;
  if (r.op != "outputs-2" && r.op != "outputs-4") return nullptr;
  return owned(thrust_outputs(r));
}

const registered_rows listed(make);

}  // namespace
