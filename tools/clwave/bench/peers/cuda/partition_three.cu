// Rows of partition_copy into three outputs: CUB's.
#include <cub/device/device_partition.cuh>

#include "peers.cuh"

namespace {

using clwave::tool::bench::place_of_hash;

// As in bench/rows/partition_three.cpp.
constexpr std::int32_t lower = -715827883, upper = 715827882;

struct below {
  std::int32_t bound;
  __host__ __device__ bool operator()(std::int32_t x) const { return x < bound; }
};

__device__ std::uint32_t place_of(std::int32_t x) { return place_of_hash(static_cast<std::uint32_t>(x), first_seed); }

// Elements of a part are those of different places of the input, from `first` on, in the order of these, and from
// least to most. CUB may turn the order round.
__global__ void count_wrong_part(const std::int32_t* out, std::uint64_t n, std::uint64_t first, std::uint64_t n_in,
                                 std::int32_t least, std::int32_t most, bool may_fall, unsigned* wrong) {
  const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  const bool falls = may_fall && n > 1 && place_of(out[0]) > place_of(out[1]);
  unsigned found = 0;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n; i += threads) {
    const std::uint32_t at = place_of(out[i]);
    if (at < first || at - first >= n_in || out[i] < least || out[i] > most) ++found;
    if (i > 0 && at == place_of(out[i - 1])) ++found;
    if (i > 0 && (at < place_of(out[i - 1])) != falls) ++found;
  }
  if (found != 0) atomicAdd(wrong, found);
}

work cub_three(const request& r) {
  const auto from = data<std::int32_t>(first_seed, r.elements());
  const auto words = [&] { return std::static_pointer_cast<std::int32_t>(device_memory(r.elements() * 4)); };
  const auto first = words(), second = words(), rest = words();
  const auto counts = std::static_pointer_cast<int>(device_memory(2 * sizeof(int)));
  const auto counter = device_memory(sizeof(unsigned));
  // CUB takes its 32-bit paths where the number of elements is a 32-bit one.
  const auto split = [=](void* temporary, std::size_t& bytes, std::size_t at) {
    return cub::DevicePartition::If(temporary, bytes, from.get() + at, first.get() + at, second.get() + at,
                                    rest.get() + at, counts.get(), static_cast<int>(r.n), below{lower}, below{upper});
  };
  work w;
  w.call = [=, call = with_memory(split, std::size_t{0})](std::size_t place) { call(place * r.stride); };
  w.spoil = [=] {
    for (const auto& each : {first, second, rest}) check(cudaMemset(each.get(), 0xa5, r.elements() * 4));
    check(cudaMemset(counts.get(), 0xa5, 2 * sizeof(int)));
  };
  w.result = [=](std::size_t place) -> std::string {
    int found[2];
    check(cudaMemcpy(found, counts.get(), sizeof found, cudaMemcpyDeviceToHost));
    const auto n = static_cast<std::int64_t>(r.n);
    if (found[0] < 0 || found[1] < 0 || std::int64_t{found[0]} + found[1] > n) return "\"wrong\":1";
    const std::size_t at = place * r.stride;
    return count_answer(counter, [&](unsigned* wrong) {
      const auto look = [&](const std::int32_t* out, std::int64_t size, std::int32_t least, std::int32_t most,
                            bool may_fall) {
        count_wrong_part<<<2048, 256>>>(out + at, static_cast<std::uint64_t>(size), at, r.n, least, most, may_fall,
                                        wrong);
      };
      look(first.get(), found[0], INT32_MIN, lower - 1, false);
      look(second.get(), found[1], lower, upper - 1, false);
      look(rest.get(), n - found[0] - found[1], upper, INT32_MAX, true);
    });
  };
  return w;
}

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "select" || r.op != "partition-three" || r.type != "i32" || r.contender != "cub") return nullptr;
  return owned(cub_three(r));
}

const registered_rows listed(make);

}  // namespace
