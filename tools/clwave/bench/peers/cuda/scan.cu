// Rows of scan: CUB.
#include <cub/device/device_scan.cuh>

// The mode in which CUB's float sums have the same bits in each run came with CUB 3.5.
#if CUB_VERSION >= 300500
#define CLWAVE_BENCH_RUN_TO_RUN
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#endif

#include "peers.cuh"

namespace {

struct plus {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct larger {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a > b ? a : b;
  }
};

// Each result is the one before it and one element: bench/rows/scan.cpp says why that proves all of them.
template <class Op, class T, class Out>
__global__ void count_wrong_scanned(const T* in, const Out* out, std::uint64_t n, bool exclusive,
                                    unsigned* wrong) {
  const std::uint64_t step = static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
  for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x; i < n;
       i += step) {
    Out right = exclusive ? Out{0} : static_cast<Out>(in[0]);
    if (i > 0) right = Op{}(out[i - 1], static_cast<Out>(in[exclusive ? i - 1 : i]));
    if (!(out[i] == right)) atomicAdd(wrong, 1u);
  }
}

// `scan(temporary, bytes, in, out)` is the library's call in its usual two phases. Ints are checked as
// `Checked`, which may wrap.
template <class T, class Out, class Op, class Checked, class Scan>
work scan_work(const request& r, const Scan& scan) {
  const bool in_place = r.op == "in-place";
  const bool exclusive = r.op == "exclusive";
  const auto from = data<T>(first_seed, r.elements(), true);
  const auto to = std::static_pointer_cast<Out>(device_memory(r.elements() * sizeof(Out)));
  const auto counter = device_memory(4);
  work w;
  w.call = [=, call = with_memory(scan, from.get(), to.get())](std::size_t place) {
    Out* out = to.get() + place * r.stride;
    const T* in = from.get() + place * r.stride;
    if constexpr (std::is_same_v<T, Out>) {
      if (in_place) in = out;
    }
    call(in, out);
  };
  w.spoil = [=] { check(cudaMemset(to.get(), 0xa5, r.elements() * sizeof(Out))); };
  if (in_place) {
    w.renew = [=] {
      check(cudaMemcpyAsync(to.get(), from.get(), r.elements() * sizeof(T), cudaMemcpyDeviceToDevice));
    };
    w.spoil = w.renew;
  }
  w.result = [=](std::size_t place) {
    // A type and its unsigned one may be looked at as each other.
    using in_checked = std::conditional_t<std::is_same_v<T, Out>, Checked, T>;
    const auto* in = reinterpret_cast<const in_checked*>(from.get() + place * r.stride);
    const auto* out = reinterpret_cast<const Checked*>(to.get() + place * r.stride);
    return count_answer(counter, [&](unsigned* wrong) {
      count_wrong_scanned<Op><<<2048, 256>>>(in, out, r.n, exclusive, wrong);
    });
  };
  return w;
}

// CUB takes its 32-bit paths where the number of elements is a 32-bit one.
template <class T, class Out, class Checked>
work cub_sums(const request& r) {
  return scan_work<T, Out, plus, Checked>(r, [n = static_cast<int>(r.n), exclusive = r.op == "exclusive"](
                                                 void* temporary, std::size_t& bytes, const T* in, Out* out) {
    return exclusive ? cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, n)
                     : cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, n);
  });
}

work cub_largest(const request& r) {
  using T = std::int32_t;
  return scan_work<T, T, larger, T>(
      r, [n = static_cast<int>(r.n)](void* temporary, std::size_t& bytes, const T* in, T* out) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, in, out, ::cuda::maximum<>{}, n);
      });
}

#ifdef CLWAVE_BENCH_RUN_TO_RUN
// CUB allocates its temporary memory itself, in each call: this mode has no other interface.
template <class T>
work cub_sums_run_to_run(const request& r) {
  return scan_work<T, T, plus, T>(r, [n = static_cast<int>(r.n), exclusive = r.op == "exclusive"](
                                         void* temporary, std::size_t& bytes, const T* in, T* out) {
    if (temporary == nullptr) {
      bytes = 0;
      return cudaSuccess;
    }
    const auto same_bits = cuda::execution::require(cuda::execution::determinism::run_to_run);
    return exclusive ? cub::DeviceScan::ExclusiveSum(in, out, n, same_bits)
                     : cub::DeviceScan::InclusiveSum(in, out, n, same_bits);
  });
}
#endif

std::unique_ptr<work> make(const request& r) {
  if (r.primitive != "scan") return nullptr;
  if (r.contender == "cub" && r.op == "inclusive-max" && r.type == "i32") return owned(cub_largest(r));
  const bool sums = r.op == "exclusive" || r.op == "inclusive";
  if (r.contender == "cub" && r.op == "in-place" && r.type == "f32")
    return owned(cub_sums<float, float, float>(r));
  if (r.contender == "cub" && sums) {
    if (r.type == "f32") return owned(cub_sums<float, float, float>(r));
    if (r.type == "f64") return owned(cub_sums<double, double, double>(r));
    if (r.type == "i32") return owned(cub_sums<std::int32_t, std::int32_t, std::uint32_t>(r));
    if (r.type == "u8-u32") return owned(cub_sums<std::uint8_t, std::uint32_t, std::uint32_t>(r));
  }
  if (r.contender == "cub-run-to-run" && sums) {
#ifdef CLWAVE_BENCH_RUN_TO_RUN
    if (r.type == "f32") return owned(cub_sums_run_to_run<float>(r));
    if (r.type == "f64") return owned(cub_sums_run_to_run<double>(r));
#else
    throw no_such_row("determinism::run_to_run of sums of floats is not in this toolkit: its CUB is " +
                      std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
                      ", and 3.5 is the first that has it");
#endif
  }
  return nullptr;
}

const registered_rows listed(make);

}  // namespace
