// Rows of sort: CUB.
#include <cub/device/device_radix_sort.cuh>

#include "peers.cuh"

namespace {

__global__ void number(std::uint32_t* out, std::uint64_t n) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    out[i] = static_cast<std::uint32_t>(i);
}

template <class T>
__device__ std::uint32_t mixed(T x) {
  union {
    T x;
    std::uint32_t words[sizeof(T) / 4];
  } bits;
  bits.x = x;
  std::uint32_t h = 0;
  for (std::uint32_t word : bits.words) {
    h = (h ^ word) * 0x9e3779b1u;
    h ^= h >> 15;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
  }
  return h;
}

// As in bench/rows/sort.cpp. Without values, `values` is null.
template <class T>
__global__ void count_wrong_keys(const T* in, const T* out, const std::uint32_t* values, std::uint64_t first,
                                 std::uint64_t n, unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = first + blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
       i < first + n; i += step) {
    if (values == nullptr) {
      found += mixed(out[i]) - mixed(in[i]);
      if (i > first && !(out[i - 1] <= out[i])) ++found;
      continue;
    }
    const std::uint32_t value = values[i];
    if (value < first || value >= first + n || in[value] != out[i]) ++found;
    if (i > first && !(out[i - 1] < out[i] || (out[i - 1] == out[i] && values[i - 1] < value))) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

template <class T>
work cub_sort(const request& r) {
  const bool pairs = r.op == "pairs";
  const auto keys = data<T>(first_seed, r.elements());
  const std::size_t n_bytes = r.elements() * sizeof(T), value_bytes = pairs ? r.elements() * 4 : 16;
  const auto out = std::static_pointer_cast<T>(device_memory(n_bytes));
  const auto values = std::static_pointer_cast<std::uint32_t>(device_memory(value_bytes));
  const auto values_out = std::static_pointer_cast<std::uint32_t>(device_memory(value_bytes));
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  if (pairs) {
    number<<<2048, 256>>>(values.get(), r.elements());
    check(cudaGetLastError());
  }
  // CUB takes its 32-bit paths where the number of elements is a 32-bit one.
  const auto sort = [=, n = static_cast<int>(r.n)](void* temporary, std::size_t& bytes, std::size_t first) {
    if (pairs)
      return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys.get() + first, out.get() + first,
                                             values.get() + first, values_out.get() + first, n);
    return cub::DeviceRadixSort::SortKeys(temporary, bytes, keys.get() + first, out.get() + first, n);
  };
  work w;
  w.call = [=, call = with_memory(sort, 0)](std::size_t place) { call(place * r.stride); };
  w.spoil = [=] {
    check(cudaMemset(out.get(), 0xa5, n_bytes));
    check(cudaMemset(values_out.get(), 0xa5, value_bytes));
  };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_keys<<<2048, 256>>>(keys.get(), out.get(), pairs ? values_out.get() : nullptr,
                                      place * r.stride, r.n, wrong);
    });
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "sort" || r.contender != "cub") return nullptr;
  if (r.type == "i32") return owned(cub_sort<std::int32_t>(r));
  if (r.type == "f32") return owned(cub_sort<float>(r));
  if (r.type == "f64") return owned(cub_sort<double>(r));
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
