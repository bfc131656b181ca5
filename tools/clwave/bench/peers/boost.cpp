// Boost.Compute as a peer.
#include "bench/bench.hpp"

#ifdef CLWAVE_BENCH_BOOST
#include <boost/compute/algorithm/copy.hpp>
#include <boost/compute/algorithm/fill.hpp>
#include <boost/compute/algorithm/max_element.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/functional.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>

namespace clwave::tool::bench {
namespace {

namespace compute = boost::compute;

template <class T>
compute::buffer_iterator<T> at(const cl::Buffer& buffer, std::uint64_t first) {
  return {compute::buffer(buffer()), static_cast<std::size_t>(first)};
}

template <class T>
contender sum(laboratory& lab, const reduce_task& task, bool blocking) {
  const auto x = lab.data(task.what.type, first_seed, task.at);
  const cl::Buffer out = lab.buffer(64);
  const auto value = std::make_shared<T>();
  compute::command_queue queue(lab.on.queue());
  contender c;
  c.bytes = bytes_of(task);
  if (!blocking) {
    c.call = [x, out, queue, at_ = task.at](std::size_t place) mutable {
      const std::uint64_t first = place * at_.stride;
      compute::reduce(at<T>(x->buffer, first), at<T>(x->buffer, first + at_.n), at<T>(out, 0),
                      compute::plus<T>(), queue);
    };
    check_result_at(lab, c, task, out, false);
    return c;
  }
  c.call = [x, value, queue, at_ = task.at](std::size_t place) mutable {
    const std::uint64_t first = place * at_.stride;
    compute::reduce(at<T>(x->buffer, first), at<T>(x->buffer, first + at_.n), value.get(), compute::plus<T>(),
                    queue);
  };
  c.spoil = [value] { *value = T(12345); };
  c.wrong = [value, task](std::size_t place) {
    return compare(answer_of(task.what, task.at.n, place * task.at.stride, first_seed), task.what,
                   value.get(), nullptr, false);
  };
  return c;
}

contender largest(laboratory& lab, const reduce_task& task) {
  const auto x = lab.data("f32", first_seed, task.at);
  const auto index = std::make_shared<std::size_t>(0);
  compute::command_queue queue(lab.on.queue());
  contender c;
  c.bytes = bytes_of(task);
  c.call = [x, index, queue, at_ = task.at](std::size_t place) mutable {
    const std::uint64_t first = place * at_.stride;
    *index = compute::max_element(at<float>(x->buffer, first), at<float>(x->buffer, first + at_.n), queue)
                 .get_index();
  };
  c.spoil = [index] { *index = 0; };
  // Which of several equal ones it finds is not promised: the value counts.
  c.wrong = [&lab, x, index, task](std::size_t place) {
    float value = 0;
    check(lab.on.queue.enqueueReadBuffer(x->buffer, CL_TRUE, *index * sizeof value, sizeof value, &value),
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
    return largest(lab, task);
  }
  if (task.what.op != "sum")
    return skipped("Boost.Compute has no dot product that leaves its result on the device");
  if (task.what.type == "f32") return sum<float>(lab, task, blocking);
  if (task.what.type == "f64") return sum<double>(lab, task, blocking);
  if (task.what.type == "i32") return sum<int>(lab, task, blocking);
  return skipped("Boost.Compute's reduce accumulates in the element's own type");
}

contender boost_copy(laboratory& lab, const copy_task& task) {
  if (task.type != "f32") return skipped("measured for f32 only");
  const cl::Buffer to = lab.buffer((task.at.stride * task.at.places + 64) * sizeof(float));
  compute::command_queue queue(lab.on.queue());
  contender c;
  c.bytes = bytes_of(task);
  if (task.variant == "fill") {
    c.call = [to, queue, at_ = task.at](std::size_t place) mutable {
      const std::uint64_t first = place * at_.stride;
      compute::fill_async(at<float>(to, first), at<float>(to, first + at_.n), fill_value, queue);
    };
  } else {
    const auto from = lab.data("f32", first_seed, task.at);
    c.call = [from, to, queue, at_ = task.at](std::size_t place) mutable {
      const std::uint64_t first = place * at_.stride;
      compute::copy_async(at<float>(from->buffer, first), at<float>(from->buffer, first + at_.n),
                          at<float>(to, first), queue);
    };
  }
  check_copy_at(lab, c, task, to, 0, 0);
  return c;
}

}  // namespace clwave::tool::bench

#else

namespace clwave::tool::bench {

contender boost_reduce(laboratory&, const reduce_task&, bool) {
  return skipped("Boost.Compute was not found when clwave was configured");
}
contender boost_copy(laboratory&, const copy_task&) {
  return skipped("Boost.Compute was not found when clwave was configured");
}

}  // namespace clwave::tool::bench

#endif
