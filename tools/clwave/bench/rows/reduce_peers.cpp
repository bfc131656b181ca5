// The peers of reduce: Boost.Compute, CLBlast, the standard library, OpenMP, CUB and cuBLAS.
#include <array>
#include <cstring>

#include "bench/peers/boost.hpp"
#include "bench/peers/clblast.hpp"
#include "bench/peers/cuda.hpp"
#include "bench/peers/openmp.hpp"
#include "bench/rows/reduce.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/max_element.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/functional.hpp>
#endif

namespace clwave::tool::bench {

#ifdef CLWAVE_BENCH_BOOST
namespace {

template <class T>
contender boost_sum(laboratory& lab, const reduce_task& task, bool blocking) {
  const auto x = lab.data(task.what.type, first_seed, task.at);
  const cl::Buffer out = lab.buffer(64);
  const auto value = std::make_shared<T>();
  compute::command_queue queue(lab.on.queue());
  contender c;
  c.bytes = bytes_of(task);
  if (!blocking) {
    c.call = [x, out, queue, at_ = task.at](std::size_t place) mutable {
      const std::uint64_t first = place * at_.stride;
      compute::reduce(boost_at<T>(x->buffer, first), boost_at<T>(x->buffer, first + at_.n),
                      boost_at<T>(out, 0), compute::plus<T>(), queue);
    };
    check_result_at(lab, c, task, out, false);
    return c;
  }
  c.call = [x, value, queue, at_ = task.at](std::size_t place) mutable {
    const std::uint64_t first = place * at_.stride;
    compute::reduce(boost_at<T>(x->buffer, first), boost_at<T>(x->buffer, first + at_.n), value.get(),
                    compute::plus<T>(), queue);
  };
  c.spoil = [value] { *value = T(12345); };
  c.wrong = [value, task](std::size_t place) {
    return compare(answer_of(task.what, task.at.n, place * task.at.stride, first_seed), task.what,
                   value.get(), nullptr, false);
  };
  return c;
}

contender boost_largest(laboratory& lab, const reduce_task& task) {
  const auto x = lab.data("f32", first_seed, task.at);
  const auto index = std::make_shared<std::size_t>(0);
  compute::command_queue queue(lab.on.queue());
  contender c;
  c.bytes = bytes_of(task);
  c.call = [x, index, queue, at_ = task.at](std::size_t place) mutable {
    const std::uint64_t first = place * at_.stride;
    *index = compute::max_element(boost_at<float>(x->buffer, first),
                                  boost_at<float>(x->buffer, first + at_.n), queue)
                 .get_index();
  };
  c.spoil = [index] { *index = 0; };
  // Which of several equal ones it finds is not promised: the value counts.
  c.wrong = [&lab, x, index, task](std::size_t place) {
    float value = 0;
    detail::check(
        lab.on.queue.enqueueReadBuffer(x->buffer, CL_TRUE, *index * sizeof value, sizeof value, &value),
        "read");
    return compare(answer_of({"max", "f32"}, task.at.n, place * task.at.stride, first_seed), task.what,
                   &value, nullptr, true);
  };
  return c;
}

}  // namespace

contender boost_reduce(laboratory& lab, const reduce_task& task, bool blocking) {
  if (task.what.op == "max" || task.what.op == "argmax") {
    // Its kernels for sizes beyond 32 bits of work-items are not meant here.
    return boost_largest(lab, task);
  }
  if (task.what.op != "sum")
    return skipped("Boost.Compute has no dot product that leaves its result on the device");
  if (task.what.type == "f32") return boost_sum<float>(lab, task, blocking);
  if (task.what.type == "f64") return boost_sum<double>(lab, task, blocking);
  if (task.what.type == "i32") return boost_sum<int>(lab, task, blocking);
  return skipped("Boost.Compute's reduce accumulates in the element's own type");
}

#else
contender boost_reduce(laboratory&, const reduce_task&, bool) { return without_boost(); }
#endif

#ifdef CLWAVE_BENCH_CLBLAST
namespace {

template <class T>
contender blast_sum(laboratory& lab, const reduce_task& task) {
  const auto x = lab.data(task.what.type, first_seed, task.at);
  const cl::Buffer out = lab.buffer(64);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, at = task.at](std::size_t place) {
    cl_command_queue queue = lab.on.queue();
    check_blast(clblast::Sum<T>(at.n, out(), 0, x->buffer(), place * at.stride, 1, &queue));
  };
  check_result_at(lab, c, task, out, false);
  return c;
}

contender blast_dot(laboratory& lab, const reduce_task& task) {
  const auto x = lab.data("f32", first_seed, task.at);
  const auto y = lab.data("f32", second_seed, task.at);
  const cl::Buffer out = lab.buffer(64);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, y, out, at = task.at](std::size_t place) {
    cl_command_queue queue = lab.on.queue();
    const std::size_t first = place * at.stride;
    check_blast(clblast::Dot<float>(at.n, out(), 0, x->buffer(), first, 1, y->buffer(), first, 1, &queue));
  };
  check_result_at(lab, c, task, out, false);
  return c;
}

// The index of the largest.
contender blast_largest(laboratory& lab, const reduce_task& task) {
  const auto x = lab.data("f32", first_seed, task.at);
  const cl::Buffer out = lab.buffer(64);
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, x, out, at = task.at](std::size_t place) {
    cl_command_queue queue = lab.on.queue();
    check_blast(clblast::Max<float>(at.n, out(), 0, x->buffer(), place * at.stride, 1, &queue));
  };
  check_result_at(lab, c, task, out, false);  // for its spoiling
  c.wrong = [&lab, x, out, task](std::size_t place) {
    cl_uint index = 0;
    detail::check(lab.on.queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof index, &index), "read");
    float value = 0;
    const std::uint64_t first = place * task.at.stride;
    // Version 1.5.3 counts from the buffer's start, others from x_offset.
    const std::uint64_t from = index >= task.at.n ? 0 : first;
    detail::check(lab.on.queue.enqueueReadBuffer(x->buffer, CL_TRUE, (from + index) * sizeof value,
                                                 sizeof value, &value),
                  "read");
    return compare(answer_of({"max", "f32"}, task.at.n, first, first_seed), task.what, &value, nullptr, true);
  };
  return c;
}

}  // namespace

contender clblast_reduce(laboratory& lab, const reduce_task& task) {
  if (too_long(task.at)) return too_long_for_ints();
  if (task.what.op == "dot") return blast_dot(lab, task);
  if (task.what.op == "argmax") return blast_largest(lab, task);
  if (task.what.op == "sum" && task.what.type == "f32") return blast_sum<float>(lab, task);
  if (task.what.op == "sum" && task.what.type == "f64") return blast_sum<double>(lab, task);
  return skipped("CLBlast has no such reduction");
}

#else
contender clblast_reduce(laboratory&, const reduce_task&) { return without_clblast(); }
#endif

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
  contender c = host_contender(bytes_of(task));
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
contender std_reduce(laboratory&, const reduce_task&) { return without_unseq(); }
#endif

#ifdef CLWAVE_BENCH_OPENMP
contender openmp_reduce(laboratory& lab, const reduce_task& task) {
  if (task.what.op == "dot") return on_host<float>(lab, task, openmp::dot);
  if (task.what.op == "max") return on_host<float>(lab, task, openmp::largest);
  if (task.what.op != "sum") return skipped("OpenMP's reductions keep no index: compare with max");
  return sum_on_host(lab, task, [](const auto* x, std::size_t n) { return openmp::sum(x, n); });
}

#else
contender openmp_reduce(laboratory&, const reduce_task&) { return without_openmp(); }
#endif

contender cuda_reduce(laboratory& lab, const std::string& row, const reduce_task& task) {
  contender c = cuda_contender(lab, row, task.at, [task](std::size_t place, const json& answer) {
    const std::string hex = answer["hex"];
    std::array<unsigned char, 16> bytes{};
    for (std::size_t i = 0; i < bytes.size() && 2 * i + 1 < hex.size(); ++i)
      bytes[i] = static_cast<unsigned char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
    std::uint64_t index = 0;
    std::memcpy(&index, bytes.data() + 8, sizeof index);
    return compare(answer_of(task.what, task.at.n, place * task.at.stride, first_seed), task.what,
                   bytes.data(), task.what.op == "argmax" ? &index : nullptr, false);
  });
  c.bytes = bytes_of(task);
  return c;
}

}  // namespace clwave::tool::bench
