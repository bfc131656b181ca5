// Rows of copy: the CUDA runtime's own copy and fill.
#include "peers.cuh"

namespace {

template <class T>
__global__ void fill_with(T* out, T value, std::uint64_t n) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    out[i] = value;
}

template <class T>
work runtime_copy(const request& r) {
  const auto from = data<T>(first_seed, r.elements());
  const auto to = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto counter = device_memory(4);
  work w;
  w.call = [=](std::size_t place) {
    check(cudaMemcpyAsync(to.get() + place * r.stride, from.get() + place * r.stride, r.n * sizeof(T),
                          cudaMemcpyDeviceToDevice));
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(T))); };
  w.result = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong<<<2048, 256>>>(to.get() + first, from.get() + first, r.n, wrong);
    });
  };
  return w;
}

work runtime_fill(const request& r) {
  const std::size_t bytes = r.n * sizeof(float);
  const auto to = std::static_pointer_cast<std::uint8_t>(device_memory(r.elements() * sizeof(float)));
  const auto right = std::static_pointer_cast<std::uint8_t>(device_memory(bytes));
  const auto counter = device_memory(4);
  fill_with<<<2048, 256>>>(right.get(), std::uint8_t{0x3f}, bytes);
  check(cudaDeviceSynchronize());
  work w;
  w.call = [=](std::size_t place) {
    check(cudaMemsetAsync(to.get() + place * r.stride * sizeof(float), 0x3f, bytes));
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(float))); };
  w.result = [=](std::size_t place) {
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong<<<2048, 256>>>(to.get() + place * r.stride * sizeof(float), right.get(), bytes, wrong);
    });
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.contender == "cuda" && r.primitive == "copy") {
    if (r.op == "fill" && r.type == "f32") return owned(runtime_fill(r));
    if (r.op == "same" && r.type == "f32") return owned(runtime_copy<float>(r));
    if (r.op == "same" && r.type == "u8") return owned(runtime_copy<std::uint8_t>(r));
  }
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
