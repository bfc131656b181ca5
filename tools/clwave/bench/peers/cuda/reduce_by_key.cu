// Rows of reduce_by_key: CUB.
#include <cub/device/device_reduce.cuh>

#include "peers.cuh"

namespace {

struct sum_of {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

// As in bench/rows/reduce_by_key.cpp.
std::uint64_t run_of(const request& r) { return std::stoull(r.op.substr(r.op.rfind('-') + 1)); }

__global__ void make_keys(std::int32_t* out, std::uint64_t n, std::uint64_t run) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    put(out + i, i / run, first_seed);
}

// A run a thread. Sums of whole numbers are exact in every order.
__global__ void count_wrong_runs(const std::int32_t* keys, const float* in, const std::int32_t* keys_out,
                                 const float* out, std::uint64_t first, std::uint64_t n, std::uint64_t run,
                                 std::uint64_t runs, const int* count, unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  const std::uint64_t thread = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  if (thread == 0 && static_cast<std::uint64_t>(*count) != runs) atomicAdd(wrong, 1u);
  for (std::uint64_t r = thread; r < runs; r += step) {
    std::uint64_t begin = (first / run + r) * run, end = begin + run;
    if (begin < first) begin = first;
    if (end > first + n) end = first + n;
    float sum = 0;
    for (std::uint64_t i = begin; i < end; ++i) sum += in[i];
    if (out[first + r] != sum || keys_out[first + r] != keys[begin]) atomicAdd(wrong, 1u);
  }
}

work cub_sums(const request& r) {
  const std::uint64_t run = run_of(r);
  const auto values = data<float>(second_seed, r.elements(), true);
  const std::size_t bytes_each = r.elements() * 4;
  const auto keys = std::static_pointer_cast<std::int32_t>(device_memory(bytes_each));
  const auto keys_out = std::static_pointer_cast<std::int32_t>(device_memory(bytes_each));
  const auto out = std::static_pointer_cast<float>(device_memory(bytes_each));
  const auto count = std::static_pointer_cast<int>(device_memory(sizeof(int)));
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  make_keys<<<2048, 256>>>(keys.get(), r.elements(), run);
  check(cudaGetLastError());
  // CUB takes its 32-bit paths where the number of elements is a 32-bit one.
  const auto sum = [=, n = static_cast<int>(r.n)](void* temporary, std::size_t& bytes, std::size_t first) {
    return cub::DeviceReduce::ReduceByKey(temporary, bytes, keys.get() + first, keys_out.get() + first,
                                          values.get() + first, out.get() + first, count.get(), sum_of{}, n);
  };
  work w;
  w.call = [=, call = with_memory(sum, 0)](std::size_t place) { call(place * r.stride); };
  w.spoil = [=] {
    check(cudaMemset(keys_out.get(), 0xa5, bytes_each));
    check(cudaMemset(out.get(), 0xa5, bytes_each));
    check(cudaMemset(count.get(), 0xa5, sizeof(int)));
  };
  w.result = [=](std::size_t place) {
    const std::uint64_t first = place * r.stride, runs = (first + r.n - 1) / run - first / run + 1;
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_runs<<<2048, 256>>>(keys.get(), values.get(), keys_out.get(), out.get(), first, r.n, run, runs,
                                      count.get(), wrong);
    });
  };
  return w;
}

const registered_rows listed("reduce_by_key", "cub", "f32", cub_sums);

}  // namespace
