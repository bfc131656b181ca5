// Rows of select: CUB.
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>

#include "peers.cuh"

namespace {

template <class T>
struct below {
  T bound;
  __host__ __device__ bool operator()(T x) const { return x < bound; }
};

// As in bench/rows/select.cpp.
template <class T>
below<T> predicate_of(const std::string& variant) {
  const double share = variant == "if-5" ? 0.05 : variant == "if-95" ? 0.95 : 0.5;
  if constexpr (std::is_same_v<T, float>)
    return {static_cast<float>(2 * share - 1)};
  else
    return {static_cast<T>((share - 0.5) * 0x1p32)};
}

template <class T>
__global__ void make_pairs(T* out, std::uint64_t n) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    put(out + i, i / 2, first_seed);
}

template <class T>
std::vector<T> on_host(const T* from, std::size_t n) {
  std::vector<T> values(n);
  check(cudaMemcpy(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// How many results are not those that a plain loop finds.
template <class T>
std::uint64_t count_wrong_selected(const request& r, const T* in, const T* out, const int* count) {
  const std::size_t kept = static_cast<std::size_t>(on_host(count, 1)[0]);
  if (kept > r.n) return r.n;
  const bool split = r.op == "partition";
  const std::vector<T> x = on_host(in, r.n), results = on_host(out, split ? r.n : kept);
  const below<T> keeps_below = predicate_of<T>(r.op);
  std::uint64_t at = 0, others = results.size(), wrong = 0;
  for (std::size_t i = 0; i < r.n; ++i) {
    const bool keeps = r.op == "unique" ? i == 0 || x[i] != x[i - 1] : keeps_below(x[i]);
    if (keeps && (at >= kept || results[at++] != x[i])) ++wrong;
    // CUB stores the others from the end on.
    if (!keeps && split && (others <= kept || results[--others] != x[i])) ++wrong;
  }
  return wrong + (at == kept ? 0 : 1);
}

template <class T>
work cub_select(const request& r) {
  std::shared_ptr<T> from;
  if (r.op == "unique") {
    from = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
    make_pairs<<<2048, 256>>>(from.get(), r.elements());
    check(cudaGetLastError());
  } else {
    from = data<T>(first_seed, r.elements());
  }
  const auto to = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto count = std::static_pointer_cast<int>(device_memory(sizeof(int)));
  // CUB takes its 32-bit paths where the number of elements is a 32-bit one.
  const auto select = [count, op = r.op, n = static_cast<int>(r.n)](void* temporary, std::size_t& bytes,
                                                                    const T* in, T* out) {
    if (op == "unique") return cub::DeviceSelect::Unique(temporary, bytes, in, out, count.get(), n);
    if (op == "partition")
      return cub::DevicePartition::If(temporary, bytes, in, out, count.get(), n, predicate_of<T>(op));
    return cub::DeviceSelect::If(temporary, bytes, in, out, count.get(), n, predicate_of<T>(op));
  };
  std::size_t bytes = 0;
  check(select(nullptr, bytes, from.get(), to.get()));
  const auto temporary = device_memory(std::max<std::size_t>(bytes, 16));
  work w;
  w.call = [=](std::size_t place) {
    std::size_t size = bytes;
    check(select(temporary.get(), size, from.get() + place * r.stride, to.get() + place * r.stride));
  };
  w.spoil = [=] {
    check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(T)));
    check(cudaMemset(count.get(), 0xa5, sizeof(int)));
  };
  w.result = [=](std::size_t place) {
    const std::uint64_t wrong = count_wrong_selected<T>(r, from.get() + place * r.stride,
                                                        to.get() + place * r.stride, count.get());
    return "\"wrong\":" + std::to_string(wrong);
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "select" || r.contender != "cub") return nullptr;
  if (r.type == "f32") return owned(cub_select<float>(r));
  if (r.type == "i32") return owned(cub_select<std::int32_t>(r));
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
