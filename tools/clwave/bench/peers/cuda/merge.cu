// Rows of merge: CUB's, which Thrust's merge runs.
#include <cub/device/device_merge.cuh>

#include "../../sorted_ranges.hpp"
#include "peers.cuh"

namespace {

using clwave::tool::bench::sorted_number;

constexpr unsigned step = 8;

template <class T>
__global__ void make_sorted(T* out, std::uint64_t n, std::uint64_t stride, unsigned seed) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    out[i] = static_cast<T>(sorted_number(i % stride, seed, step));
}

__global__ void number(std::uint32_t* out, std::uint64_t n, unsigned bits) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads)
    out[i] = static_cast<std::uint32_t>(i) | bits;
}

template <class T>
__device__ std::uint32_t mixed(T x) {
  return clwave::tool::bench::hash(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)), 7);
}

// As in bench/rows/merge.cpp. Without values, `values` is null.
template <class T>
__global__ void count_wrong_merge(const T* a, const T* b, const T* out, const std::uint32_t* values,
                                  std::uint64_t first, std::uint64_t n, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  unsigned found = 0;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < 2 * n;
       i += threads) {
    const std::uint64_t at = 2 * first + i;
    if (values == nullptr) {
      found += mixed(out[at]) - mixed(i < n ? a[first + i] : b[first + i - n]);
      if (i > 0 && !(out[at - 1] <= out[at])) ++found;
      continue;
    }
    const std::uint32_t value = values[at], place = value & 0x7fffffffu;
    if (place < first || place >= first + n || (place == value ? a : b)[place] != out[at]) ++found;
    if (i > 0 && !(out[at - 1] < out[at] || (out[at - 1] == out[at] && values[at - 1] < value))) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

template <class T>
work cub_merge(const request& r) {
  const bool pairs = r.op == "pairs";
  const std::uint64_t n = r.stride * r.places;
  const std::size_t key_bytes = n * sizeof(T), value_bytes = pairs ? n * 4 : 16;
  const auto a = std::static_pointer_cast<T>(device_memory(key_bytes));
  const auto b = std::static_pointer_cast<T>(device_memory(key_bytes));
  const auto out = std::static_pointer_cast<T>(device_memory(2 * key_bytes));
  const auto words = [](std::size_t bytes) {
    return std::static_pointer_cast<std::uint32_t>(device_memory(bytes));
  };
  const auto a_values = words(value_bytes), b_values = words(value_bytes), values_out = words(2 * value_bytes);
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  make_sorted<<<2048, 256>>>(a.get(), n, r.stride, first_seed);
  make_sorted<<<2048, 256>>>(b.get(), n, r.stride, second_seed);
  if (pairs) {
    number<<<2048, 256>>>(a_values.get(), n, 0);
    number<<<2048, 256>>>(b_values.get(), n, 1u << 31);
  }
  check(cudaGetLastError());
  const auto merge = [=, n = static_cast<std::int64_t>(r.n)](void* temporary, std::size_t& bytes,
                                                             std::size_t first) {
    if (pairs)
      return cub::DeviceMerge::MergePairs(temporary, bytes, a.get() + first, a_values.get() + first, n,
                                          b.get() + first, b_values.get() + first, n, out.get() + 2 * first,
                                          values_out.get() + 2 * first);
    return cub::DeviceMerge::MergeKeys(temporary, bytes, a.get() + first, n, b.get() + first, n,
                                       out.get() + 2 * first);
  };
  work w;
  w.call = [=, call = with_memory(merge, 0)](std::size_t place) { call(place * r.stride); };
  w.spoil = [=] {
    check(cudaMemset(out.get(), 0xa5, 2 * key_bytes));
    check(cudaMemset(values_out.get(), 0xa5, 2 * value_bytes));
  };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_merge<<<2048, 256>>>(a.get(), b.get(), out.get(), pairs ? values_out.get() : nullptr,
                                       place * r.stride, r.n, wrong);
    });
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "merge" || r.contender != "cub") return nullptr;
  if (r.type == "i32") return owned(cub_merge<std::int32_t>(r));
  if (r.type == "f64") return owned(cub_merge<double>(r));
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
