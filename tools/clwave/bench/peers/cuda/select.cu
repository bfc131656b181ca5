// Rows of select: CUB, and Thrust's partition into two outputs.
#include <thrust/execution_policy.h>
#include <thrust/partition.h>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

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
__global__ void make_runs(T* out, std::uint64_t n, std::uint64_t run) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += step)
    put(out + i, i / run, first_seed);
}

// The elements of a run; 0: neighbours do not decide.
std::uint64_t run_of(const request& r) {
  if (r.op == "unique") return 2;
  const bool of_runs = r.op.rfind("by-key-", 0) == 0 || r.op.rfind("lengths-", 0) == 0;
  return of_runs ? std::stoull(r.op.substr(r.op.rfind('-') + 1)) : 0;
}

template <class T>
std::vector<T> on_host(const T* from, std::size_t n) {
  std::vector<T> values(n);
  check(cudaMemcpy(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

// The others are stored, too.
bool is_partition(const request& r) { return r.op == "partition" || r.op == "partition-copy"; }

// How many of the kept results, and of the others where these are stored, are not those that a plain loop
// finds.
template <class T>
std::uint64_t count_wrong_sides(const request& r, const T* in, const std::vector<T>& kept,
                                const std::vector<T>& others) {
  const std::vector<T> x = on_host(in, r.n);
  const below<T> keeps_below = predicate_of<T>(r.op);
  const bool of_runs = run_of(r) > 0, partitions = is_partition(r);
  std::uint64_t at = 0, at_other = 0, wrong = 0;
  for (std::size_t i = 0; i < r.n; ++i) {
    const bool keeps = of_runs ? i == 0 || x[i] != x[i - 1] : keeps_below(x[i]);
    if (keeps && (at >= kept.size() || kept[at++] != x[i])) ++wrong;
    if (!keeps && partitions && (at_other >= others.size() || others[at_other++] != x[i])) ++wrong;
  }
  return wrong + (at == kept.size() ? 0 : 1);
}

// The same of what CUB stores: the others from the output's end on.
template <class T>
std::uint64_t count_wrong_selected(const request& r, const T* in, const T* out, const int* count) {
  const std::size_t kept = static_cast<std::size_t>(on_host(count, 1)[0]);
  if (kept > r.n) return r.n;
  std::vector<T> others = on_host(out + kept, is_partition(r) ? r.n - kept : 0);
  std::reverse(others.begin(), others.end());
  return count_wrong_sides(r, in, on_host(out, kept), others);
}

// How many of the values that were kept with their keys, or of the lengths of runs, are wrong. `in` is
// element `first` of the data.
template <class T>
std::uint64_t count_wrong_seconds(const request& r, const T* in, const std::int32_t* values,
                                  const std::int32_t* second, const int* count) {
  const auto kept = static_cast<std::size_t>(on_host(count, 1)[0]);
  if (kept > r.n) return r.n;
  const std::vector<T> x = on_host(in, r.n);
  const std::vector<std::int32_t> results = on_host(second, kept),
                                  brought = values != nullptr ? on_host(values, r.n) : results;
  std::uint64_t k = 0, wrong = 0;
  for (std::size_t i = 0; i < r.n; ++k) {
    std::size_t end = i + 1;
    while (end < r.n && x[end] == x[i]) ++end;
    const std::int32_t right = values != nullptr ? brought[i] : static_cast<std::int32_t>(end - i);
    if (k >= kept || results[k] != right) ++wrong;
    i = end;
  }
  return wrong;
}

template <class T>
work cub_select(const request& r) {
  std::shared_ptr<T> from;
  if (run_of(r) > 0) {
    from = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
    make_runs<<<2048, 256>>>(from.get(), r.elements(), run_of(r));
    check(cudaGetLastError());
  } else {
    from = data<T>(first_seed, r.elements());
  }
  const auto to = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto count = std::static_pointer_cast<int>(device_memory(sizeof(int)));
  // CUB takes its 32-bit paths where the number of elements is a 32-bit one.
  const bool by_key = r.op.rfind("by-key-", 0) == 0, of_lengths = r.op.rfind("lengths-", 0) == 0;
  const std::shared_ptr<std::int32_t> values =
      by_key ? data<std::int32_t>(second_seed, r.elements()) : nullptr;
  const auto second = std::static_pointer_cast<std::int32_t>(
      device_memory(by_key || of_lengths ? r.elements() * sizeof(std::int32_t) : 16));
  const auto select = [count, values, second, by_key, of_lengths, splits = is_partition(r), base = from.get(),
                       op = r.op,
                       n = static_cast<int>(r.n)](void* temporary, std::size_t& bytes, const T* in, T* out) {
    const std::size_t place = in - base;
    if (by_key)
      return cub::DeviceSelect::UniqueByKey(temporary, bytes, in, values.get() + place, out,
                                            second.get() + place, count.get(), n);
    if (of_lengths)
      return cub::DeviceRunLengthEncode::Encode(temporary, bytes, in, out, second.get() + place, count.get(),
                                                n);
    if (op == "unique") return cub::DeviceSelect::Unique(temporary, bytes, in, out, count.get(), n);
    if (splits)
      return cub::DevicePartition::If(temporary, bytes, in, out, count.get(), n, predicate_of<T>(op));
    return cub::DeviceSelect::If(temporary, bytes, in, out, count.get(), n, predicate_of<T>(op));
  };
  work w;
  w.call = [=, call = with_memory(select, from.get(), to.get())](std::size_t place) {
    call(from.get() + place * r.stride, to.get() + place * r.stride);
  };
  w.spoil = [=] {
    check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(T)));
    check(cudaMemset(count.get(), 0xa5, sizeof(int)));
    if (by_key || of_lengths) check(cudaMemset(second.get(), 0xa5, r.elements() * sizeof(std::int32_t)));
  };
  w.result = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    std::uint64_t wrong = count_wrong_selected<T>(r, from.get() + first, to.get() + first, count.get());
    if (by_key || of_lengths)
      wrong += count_wrong_seconds<T>(r, from.get() + first, by_key ? values.get() + first : nullptr,
                                      second.get() + first, count.get());
    return "\"wrong\":" + std::to_string(wrong);
  };
  return w;
}

template <class T>
work thrust_partition_copy(const request& r) {
  const auto from = data<T>(first_seed, r.elements());
  const auto to = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto others = std::static_pointer_cast<T>(device_memory(r.elements() * sizeof(T)));
  const auto kept = std::make_shared<std::size_t>(0);
  work w;
  w.call = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    const auto ends =
        thrust::stable_partition_copy(thrust::device, from.get() + first, from.get() + first + r.n,
                                      to.get() + first, others.get() + first, predicate_of<T>(r.op));
    *kept = static_cast<std::size_t>(ends.first - (to.get() + first));
  };
  w.spoil = [=] {
    *kept = 0;
    check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(T)));
    check(cudaMemset(others.get(), 0xa5, r.elements() * sizeof(T)));
  };
  w.result = [=](std::size_t place) {
    const std::size_t first = place * r.stride;
    const std::uint64_t wrong =
        *kept > r.n ? r.n
                    : count_wrong_sides(r, from.get() + first, on_host(to.get() + first, *kept),
                                        on_host(others.get() + first, r.n - *kept));
    return "\"wrong\":" + std::to_string(wrong);
  };
  return w;
}

template <class T>
std::unique_ptr<work> make_of(const request& r) {
  if (r.contender == "cub") return owned(cub_select<T>(r));
  if (r.contender == "thrust" && r.op == "partition-copy") return owned(thrust_partition_copy<T>(r));
  return nullptr;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "select" || r.op == "partition-three") return nullptr;
  if (r.type == "f32") return make_of<float>(r);
  if (r.type == "i32") return make_of<std::int32_t>(r);
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
