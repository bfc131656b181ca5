// Rows of segmented_reduce: CUB.
#include <cub/device/device_segmented_reduce.cuh>

#include "../../segment_offsets.hpp"
#include "peers.cuh"

namespace {

// How many sums are not those that a plain loop finds. Sums of whole numbers are exact in every order.
std::uint64_t count_wrong_sums(const std::vector<std::uint32_t>& offsets, const float* in, const float* out) {
  std::vector<float> x(offsets.back()), sums(offsets.size() - 1);
  check(cudaMemcpy(x.data(), in, x.size() * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(sums.data(), out, sums.size() * sizeof(float), cudaMemcpyDeviceToHost));
  std::uint64_t wrong = 0;
  for (std::size_t s = 0; s < sums.size(); ++s) {
    double sum = 0;
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) sum += x[i];
    if (static_cast<double>(sums[s]) != sum) ++wrong;
  }
  return wrong;
}

work cub_sums(const request& r) {
  const auto from = data<float>(first_seed, r.elements(), true);
  const auto offsets =
      std::make_shared<const std::vector<std::uint32_t>>(clwave::tool::bench::segment_offsets(r.shape));
  const auto segments = static_cast<int>(offsets->size() - 1);
  const auto at = std::static_pointer_cast<std::uint32_t>(device_memory(offsets->size() * sizeof(std::uint32_t)));
  check(cudaMemcpy(at.get(), offsets->data(), offsets->size() * sizeof(std::uint32_t), cudaMemcpyHostToDevice));
  const auto to = std::static_pointer_cast<float>(device_memory(offsets->size() * sizeof(float)));
  const auto sum = [=](void* temporary, std::size_t& bytes, const float* x) {
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, x, to.get(), segments, at.get(), at.get() + 1);
  };
  work w;
  w.call = [=, call = with_memory(sum, from.get())](std::size_t place) {
    call(from.get() + place * r.stride);
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, offsets->size() * sizeof(float))); };
  w.result = [=](std::size_t place) {
    return "\"wrong\":" + std::to_string(count_wrong_sums(*offsets, from.get() + place * r.stride, to.get()));
  };
  return w;
}

const registered_rows listed("segmented_reduce", "cub", "f32", cub_sums);

}  // namespace
