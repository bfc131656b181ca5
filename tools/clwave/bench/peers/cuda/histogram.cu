// Rows of histogram: CUB.
#include <cub/device/device_histogram.cuh>

#include <algorithm>

#include "peers.cuh"

namespace {

// As in bench/rows/histogram.cpp.
template <class T>
__global__ void make_values(T* out, std::uint64_t n, T a, T b) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    out[i] = i % 2 == 0 ? a : b;
}

__device__ unsigned bin_of(std::uint8_t x, unsigned) { return x; }
__device__ unsigned bin_of(float x, unsigned bins) {
  return static_cast<unsigned>((x + 1.0f) * static_cast<float>(bins / 2));
}

template <class T>
__global__ void plain(const T* in, std::uint64_t first, std::uint64_t n, unsigned* counts, unsigned bins) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = first + blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
       i < first + n; i += step)
    atomicAdd(counts + bin_of(in[i], bins), 1u);
}

template <class T>
work cub_histogram(const request& r) {
  constexpr bool bytes = sizeof(T) == 1;
  const std::string values = r.op.find('-') == std::string::npos ? "" : r.op.substr(r.op.find('-'));
  const auto bins = static_cast<unsigned>(std::stoul(r.op));
  std::shared_ptr<T> in;
  if (values.empty()) {
    in = data<T>(first_seed, r.elements());
  } else {
    in = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
    const T a = bytes ? T(77) : T(0.25), b = values == "-one" ? a : bytes ? T(201) : T(-0.5);
    make_values<<<2048, 256>>>(in.get(), r.elements(), a, b);
    check(cudaGetLastError());
  }
  // In floats x + 1 rounds to 2 where x is nearly 1, and both count that in a bin behind the last.
  const auto counts = std::static_pointer_cast<unsigned>(device_memory((bins + 1) * sizeof(unsigned)));
  const auto right = std::static_pointer_cast<unsigned>(device_memory((bins + 1) * sizeof(unsigned)));
  const std::shared_ptr<void> counter = device_memory(sizeof(unsigned));
  const auto histogram = [=, n = static_cast<int>(r.n), levels = static_cast<int>(bins) + 1](
                             void* temporary, std::size_t& size, std::size_t first) {
    if constexpr (bytes)
      return cub::DeviceHistogram::HistogramEven(temporary, size, in.get() + first, counts.get(), levels, 0,
                                                 256, n);
    else
      return cub::DeviceHistogram::HistogramEven(temporary, size, in.get() + first, counts.get(), levels,
                                                 -1.0f, 1.0f, n);
  };
  std::size_t size = 0;
  check(histogram(nullptr, size, 0));
  const auto temporary = device_memory(std::max<std::size_t>(size, 16));
  work w;
  w.call = [=](std::size_t place) {
    std::size_t given = size;
    check(histogram(temporary.get(), given, place * r.stride));
  };
  w.spoil = [=] { check(cudaMemset(counts.get(), 0xa5, bins * sizeof(unsigned))); };
  w.result = [=](std::size_t place) {
    check(cudaMemset(right.get(), 0, (bins + 1) * sizeof(unsigned)));
    plain<<<2048, 256>>>(in.get(), place * r.stride, r.n, right.get(), bins);
    return count_answer(
        counter, [&](unsigned* wrong) { count_wrong<<<256, 256>>>(counts.get(), right.get(), bins, wrong); });
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "histogram" || r.contender != "cub") return nullptr;
  if (r.type == "u8") return owned(cub_histogram<std::uint8_t>(r));
  if (r.type == "f32") return owned(cub_histogram<float>(r));
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
