// Peers on the CPU: the standard library's algorithms on one core, OpenMP on all.
#include <algorithm>
#include <cstring>

#include "bench/bench.hpp"
#include "bench/peers/loops.hpp"

namespace clwave::tool::bench {
namespace {

// A reduction of host memory: `f(x, n)` of each place's elements, or `f(x, y, n)` for a dot product.
template <class T, class F>
contender on_host(laboratory& lab, const reduce_task& task, const F& f) {
  const std::shared_ptr<void> x = lab.host_copy(*lab.data(input_type(task.what.type), first_seed, task.at));
  std::shared_ptr<void> y;
  if (task.what.op == "dot") y = lab.host_copy(*lab.data("f32", second_seed, task.at));
  struct result_bytes {
    alignas(8) unsigned char bytes[8];
  };
  const auto out = std::make_shared<result_bytes>();
  contender c;
  c.on_device = false;
  c.bytes = bytes_of(task);
  c.finish = [] {};
  c.call = [x, y, out, f, at = task.at](std::size_t place) {
    const T* from = static_cast<const T*>(x.get()) + place * at.stride;
    const auto value = [&] {
      if constexpr (std::is_invocable_v<F, const T*, const T*, std::size_t>)
        return f(from, static_cast<const T*>(y.get()) + place * at.stride, at.n);
      else
        return f(from, at.n);
    }();
    static_assert(sizeof value <= sizeof out->bytes);
    std::memcpy(out->bytes, &value, sizeof value);
  };
  c.spoil = [out] { std::memset(out->bytes, 0xa5, sizeof out->bytes); };
  c.wrong = [out, task](std::size_t place) {
    return compare(answer_of(task.what, task.at.n, place * task.at.stride, first_seed), task.what, out->bytes,
                   nullptr, false);
  };
  return c;
}

template <class F>
contender sum_on_host(laboratory& lab, const reduce_task& task, const F& sum) {
  const std::string& type = task.what.type;
  if (type == "f32") return on_host<float>(lab, task, sum);
  if (type == "f64") return on_host<double>(lab, task, sum);
  if (type == "i32") return on_host<std::int32_t>(lab, task, sum);
  if (type == "u8-u32") return on_host<std::uint8_t>(lab, task, sum);
  return skipped("C++20 has no 16-bit float");
}

}  // namespace

#ifdef CLWAVE_BENCH_UNSEQ
contender std_reduce(laboratory& lab, const reduce_task& task) {
  if (task.what.op == "dot") return on_host<float>(lab, task, unseq::dot);
  if (task.what.op == "max") return on_host<float>(lab, task, unseq::largest);
  if (task.what.op != "sum") return skipped("std::max_element takes no part: compare with max");
  return sum_on_host(lab, task, [](const auto* x, std::size_t n) { return unseq::sum(x, n); });
}
#else
contender std_reduce(laboratory&, const reduce_task&) {
  return skipped("the standard library had no std::execution::unseq when clwave was configured");
}
#endif

#ifdef CLWAVE_BENCH_OPENMP
contender openmp_reduce(laboratory& lab, const reduce_task& task) {
  if (task.what.op == "dot") return on_host<float>(lab, task, openmp::dot);
  if (task.what.op == "max") return on_host<float>(lab, task, openmp::largest);
  if (task.what.op != "sum") return skipped("OpenMP's reductions keep no index: compare with max");
  return sum_on_host(lab, task, [](const auto* x, std::size_t n) { return openmp::sum(x, n); });
}

contender openmp_copy(laboratory& lab, const copy_task& task) {
  if (task.type != "f32") return skipped("measured for f32 only");
  const auto from = lab.data("f32", first_seed, task.at);
  const std::shared_ptr<void> x = lab.host_copy(*from);
  const std::uint64_t elements = task.at.stride * task.at.places + 64;
  const std::shared_ptr<void> y = lab.host_copy(*from);  // as good a place to write to as any
  contender c;
  c.on_device = false;
  c.bytes = bytes_of(task);
  c.finish = [] {};
  const bool fills = task.variant == "fill";
  c.call = [x, y, fills, at = task.at](std::size_t place) {
    float* to = static_cast<float*>(y.get()) + place * at.stride;
    if (fills)
      openmp::fill(to, fill_value, at.n);
    else
      openmp::copy(static_cast<const float*>(x.get()) + place * at.stride, to, at.n * sizeof(float));
  };
  c.spoil = [y, elements] { std::memset(y.get(), 0xa5, elements * sizeof(float)); };
  c.wrong = [x, y, fills, at = task.at](std::size_t place) -> std::string {
    const float* got = static_cast<const float*>(y.get()) + place * at.stride;
    const float* right = static_cast<const float*>(x.get()) + place * at.stride;
    const bool good = fills ? std::all_of(got, got + at.n, [](float v) { return v == fill_value; })
                            : std::memcmp(got, right, at.n * sizeof(float)) == 0;
    return good ? "" : "the copy is wrong";
  };
  return c;
}

contender openmp_gemm(laboratory& lab, const gemm_task& task) {
  const std::shared_ptr<void> a = lab.host_copy(*lab.data(task.type, first_seed, task.at));
  const std::shared_ptr<void> b = lab.host_copy(*lab.data(task.type, second_seed, task.at));
  const auto out = std::make_shared<std::vector<float>>(task.at.stride * task.at.places);
  contender c;
  c.on_device = false;
  c.flops = flops_of(task);
  c.finish = [] {};
  c.call = [a, b, out, task](std::size_t place) {
    const std::size_t first = place * task.at.stride;
    openmp::multiply(static_cast<const float*>(a.get()) + first, static_cast<const float*>(b.get()) + first,
                     out->data() + first, task.size.m, task.size.n, task.size.k);
  };
  c.spoil = [out] { std::memset(out->data(), 0xa5, out->size() * sizeof(float)); };
  c.wrong = [out, task](std::size_t place) {
    std::vector<double> got;
    for (const std::uint64_t at : gemm_samples(task)) got.push_back((*out)[place * task.at.stride + at]);
    return compare_gemm(task, place, got);
  };
  return c;
}
#else
contender openmp_gemm(laboratory&, const gemm_task&) {
  return skipped("OpenMP was not found when clwave was configured");
}
contender openmp_reduce(laboratory&, const reduce_task&) {
  return skipped("OpenMP was not found when clwave was configured");
}
contender openmp_copy(laboratory&, const copy_task&) {
  return skipped("OpenMP was not found when clwave was configured");
}
#endif

}  // namespace clwave::tool::bench
