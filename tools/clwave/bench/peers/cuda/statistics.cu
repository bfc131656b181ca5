// Rows of count_if, minmax and mean_and_variance: Thrust's, which return their result, and CUB's reduction with the
// same functors, which leaves it on the device.
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/transform_reduce.h>

#include <cub/device/device_reduce.cuh>
#include <limits>

#include "peers.cuh"
#include "thrust_memory.cuh"

namespace {

// As in bench/rows/statistics.cpp.
__global__ void make_numbers(float* x, std::uint64_t n) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    x[i] = static_cast<float>(static_cast<std::uint32_t>(i) & 0xffff);
}

struct is_large {
  __host__ __device__ bool operator()(float x) const { return x >= 32768; }
};

// How a reduction folds, from `first` on, and what it makes of an element; and what is wrong with a result.
struct count_fold {
  using value = std::uint64_t;
  static value first() { return 0; }
  struct of_element {
    __host__ __device__ value operator()(float x) const { return is_large{}(x) ? 1 : 0; }
  };
  struct of_two {
    __host__ __device__ value operator()(value a, value b) const { return a + b; }
  };
  static bool is_right(value found, std::uint64_t n) { return found == n / 2; }
};

struct minmax_fold {
  struct value {
    float min, max;
  };
  static value first() { return {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}; }
  struct of_element {
    __host__ __device__ value operator()(float x) const { return {x, x}; }
  };
  struct of_two {
    __host__ __device__ value operator()(value a, value b) const {
      return {b.min < a.min ? b.min : a.min, b.max > a.max ? b.max : a.max};
    }
  };
  static bool is_right(value found, std::uint64_t /*n*/) { return found.min == 0 && found.max == 65535; }
};

// Pairs are put together by Chan, Golub and LeVeque's update.
struct moments_fold {
  struct value {
    std::uint64_t n;
    float mean, squares;
  };
  static value first() { return {0, 0, 0}; }
  struct of_element {
    __host__ __device__ value operator()(float x) const { return {1, x, 0}; }
  };
  struct of_two {
    __host__ __device__ value operator()(value a, value b) const {
      if (a.n == 0) return b;
      if (b.n == 0) return a;
      const std::uint64_t n = a.n + b.n;
      const float distance = b.mean - a.mean, share = static_cast<float>(b.n) / static_cast<float>(n);
      return {n, a.mean + distance * share,
              a.squares + b.squares + distance * distance * static_cast<float>(a.n) * share};
    }
  };
  static bool is_right(value found, std::uint64_t n) {
    const float variance = found.squares / static_cast<float>(n);
    return found.n == n && found.mean > 32767.4f && found.mean < 32767.6f && variance > 3.578e8f && variance < 3.580e8f;
  }
};

std::shared_ptr<float> numbers_of(const request& r) {
  const auto x = std::static_pointer_cast<float>(device_memory(r.n * sizeof(float)));
  make_numbers<<<2048, 256>>>(x.get(), r.n);
  check(cudaGetLastError());
  return x;
}

std::string answer_of(bool right) { return right ? "\"wrong\":0" : "\"wrong\":1"; }

// `call(policy, x, n)` returns the value of `Fold`.
template <class Fold, class Call>
work thrust_values(const request& r, const Call& call) {
  const auto x = numbers_of(r);
  const auto memory = std::make_shared<thrust_memory>();
  const auto found = std::make_shared<typename Fold::value>(Fold::first());
  work w;
  w.call = [=](std::size_t) { *found = call(thrust::cuda::par(*memory), x.get(), r.n); };
  w.spoil = [=] { *found = Fold::first(); };
  w.result = [=](std::size_t) { return answer_of(Fold::is_right(*found, r.n)); };
  return w;
}

work thrust_count(const request& r) {
  return thrust_values<count_fold>(r, [](const auto& policy, const float* x, std::size_t n) {
    return static_cast<std::uint64_t>(thrust::count_if(policy, x, x + n, is_large{}));
  });
}

// It returns where the ends are: they are read behind the call.
work thrust_minmax(const request& r) {
  const auto x = numbers_of(r);
  const auto memory = std::make_shared<thrust_memory>();
  const auto found = std::make_shared<std::pair<const float*, const float*>>();
  work w;
  w.call = [=](std::size_t) {
    const float* const in = x.get();
    const auto ends = thrust::minmax_element(thrust::cuda::par(*memory), in, in + r.n);
    *found = {ends.first, ends.second};
  };
  w.spoil = [=] { *found = {x.get() + 1, x.get() + 1}; };
  w.result = [=](std::size_t) {
    minmax_fold::value ends{};
    check(cudaMemcpy(&ends.min, found->first, sizeof(float), cudaMemcpyDeviceToHost));
    check(cudaMemcpy(&ends.max, found->second, sizeof(float), cudaMemcpyDeviceToHost));
    return answer_of(minmax_fold::is_right(ends, r.n));
  };
  return w;
}

work thrust_moments(const request& r) {
  using fold = moments_fold;
  return thrust_values<fold>(r, [](const auto& policy, const float* x, std::size_t n) {
    return thrust::transform_reduce(policy, x, x + n, fold::of_element{}, fold::first(), fold::of_two{});
  });
}

template <class Fold>
work cub_values(const request& r) {
  using value = typename Fold::value;
  const auto x = numbers_of(r);
  const auto out = std::static_pointer_cast<value>(device_memory(sizeof(value)));
  // CUB takes its 32-bit paths where the number of elements is a 32-bit one.
  const auto reduce = [=](void* temporary, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(temporary, bytes, x.get(), out.get(), static_cast<int>(r.n),
                                              typename Fold::of_two{}, typename Fold::of_element{}, Fold::first());
  };
  work w;
  w.call = [call = with_memory(reduce)](std::size_t) { call(); };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, sizeof(value))); };
  w.result = [=](std::size_t) {
    value found;
    check(cudaMemcpy(&found, out.get(), sizeof found, cudaMemcpyDeviceToHost));
    return answer_of(Fold::is_right(found, r.n));
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "statistics" || r.type != "f32") return nullptr;
  if (r.contender == "thrust") {
    if (r.op == "count") return owned(thrust_count(r));
    if (r.op == "minmax") return owned(thrust_minmax(r));
    if (r.op == "moments") return owned(thrust_moments(r));
  }
  if (r.contender == "cub") {
    if (r.op == "count") return owned(cub_values<count_fold>(r));
    if (r.op == "minmax") return owned(cub_values<minmax_fold>(r));
    if (r.op == "moments") return owned(cub_values<moments_fold>(r));
  }
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
