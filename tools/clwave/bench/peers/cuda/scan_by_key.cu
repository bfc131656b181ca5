// Rows of scan_by_key: CUB.
#include <cub/device/device_scan.cuh>

#include "peers.cuh"

namespace {

// As in bench/rows/scan_by_key.cpp.
std::uint64_t run_of(const request& r) { return std::stoull(r.op.substr(r.op.rfind('-') + 1)); }

__global__ void make_keys(std::int32_t* out, std::uint64_t n, std::uint64_t run) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    put(out + i, i / run, first_seed);
}

// Each result is the one before it and one value: bench/rows/scan_by_key.cpp says why that proves all.
__global__ void count_wrong_runs(const std::int32_t* keys, const float* in, const float* out, std::uint64_t n,
                                 bool exclusive, unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step) {
    const bool begins = i == 0 || keys[i] != keys[i - 1];
    const float value = !exclusive ? in[i] : begins ? 0.0f : in[i - 1];
    if (out[i] != (begins ? 0.0f : out[i - 1]) + value) atomicAdd(wrong, 1u);
  }
}

work cub_sums(const request& r) {
  const bool exclusive = r.op.rfind("exclusive", 0) == 0;
  const auto values = data<float>(second_seed, r.elements(), true);
  const std::size_t bytes_each = r.elements() * 4;
  const auto keys = std::static_pointer_cast<std::int32_t>(device_memory(bytes_each));
  const auto out = std::static_pointer_cast<float>(device_memory(bytes_each));
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  make_keys<<<2048, 256>>>(keys.get(), r.elements(), run_of(r));
  check(cudaGetLastError());
  // CUB takes its 32-bit paths where the number of elements is a 32-bit one.
  const auto scan = [=, n = static_cast<int>(r.n)](void* temporary, std::size_t& bytes, std::size_t first) {
    const std::int32_t* k = keys.get() + first;
    const float* x = values.get() + first;
    float* to = out.get() + first;
    return exclusive ? cub::DeviceScan::ExclusiveSumByKey(temporary, bytes, k, x, to, n)
                     : cub::DeviceScan::InclusiveSumByKey(temporary, bytes, k, x, to, n);
  };
  work w;
  w.call = [=, call = with_memory(scan, 0)](std::size_t place) { call(place * r.stride); };
  w.spoil = [=] { check(cudaMemset(out.get(), 0xa5, bytes_each)); };
  w.result = [=](std::size_t place) {
    const std::uint64_t first = place * r.stride;
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_runs<<<2048, 256>>>(keys.get() + first, values.get() + first, out.get() + first, r.n, exclusive,
                                      wrong);
    });
  };
  return w;
}

const registered_rows listed("scan_by_key", "cub", "f32", cub_sums);

}  // namespace
