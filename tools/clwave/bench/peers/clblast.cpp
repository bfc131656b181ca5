// CLBlast as a peer.
#include "bench/bench.hpp"

#ifdef CLWAVE_BENCH_CLBLAST
#include <clblast.h>

namespace clwave::tool::bench {
namespace {

void check_blast(clblast::StatusCode code) {
  if (code != clblast::StatusCode::kSuccess)
    throw error(failure::driver, "CLBlast failed with code " + std::to_string(static_cast<int>(code)));
}

// Its kernels count elements in ints, offsets included: past that they end the context.
bool too_long(const arrangement& at) { return at.places * at.stride > 0x7fffffffu; }
contender too_long_for_ints() { return skipped("CLBlast's kernels count in 32-bit ints"); }

template <class T>
contender sum(laboratory& lab, const reduce_task& task) {
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

contender dot(laboratory& lab, const reduce_task& task) {
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
contender largest(laboratory& lab, const reduce_task& task) {
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
    check(lab.on.queue.enqueueReadBuffer(out, CL_TRUE, 0, sizeof index, &index), "read");
    float value = 0;
    const std::uint64_t first = place * task.at.stride;
    // Version 1.5.3 counts from the buffer's start, others from x_offset.
    const std::uint64_t from = index >= task.at.n ? 0 : first;
    check(lab.on.queue.enqueueReadBuffer(x->buffer, CL_TRUE, (from + index) * sizeof value, sizeof value,
                                         &value),
          "read");
    return compare(answer_of({"max", "f32"}, task.at.n, first, first_seed), task.what, &value, nullptr, true);
  };
  return c;
}

}  // namespace

contender clblast_reduce(laboratory& lab, const reduce_task& task) {
  if (too_long(task.at)) return too_long_for_ints();
  if (task.what.op == "dot") return dot(lab, task);
  if (task.what.op == "argmax") return largest(lab, task);
  if (task.what.op == "sum" && task.what.type == "f32") return sum<float>(lab, task);
  if (task.what.op == "sum" && task.what.type == "f64") return sum<double>(lab, task);
  return skipped("CLBlast has no such reduction");
}

contender clblast_copy(laboratory& lab, const copy_task& task) {
  if (too_long(task.at)) return too_long_for_ints();
  const auto from = lab.data("f32", first_seed, task.at);
  const cl::Buffer to = lab.buffer((task.at.stride * task.at.places + 64) * sizeof(float));
  contender c;
  c.bytes = bytes_of(task);
  c.call = [&lab, from, to, at = task.at](std::size_t place) {
    cl_command_queue queue = lab.on.queue();
    const std::size_t first = place * at.stride;
    check_blast(clblast::Copy<float>(at.n, from->buffer(), first, 1, to(), first, 1, &queue));
  };
  check_copy_at(lab, c, task, to, 0, 0);
  return c;
}

contender clblast_transpose(laboratory& lab, const transpose_task& task, const cl::Buffer& in,
                            const cl::Buffer& out) {
  if (too_long(task.at)) return too_long_for_ints();
  contender c;
  c.bytes = bytes_of(task);
  const auto call = [&lab, task, in, out]<class T>(std::type_identity<T>) {
    return [&lab, task, in, out](std::size_t place) {
      cl_command_queue queue = lab.on.queue();
      const std::size_t first = place * task.at.stride;
      check_blast(clblast::Omatcopy<T>(clblast::Layout::kRowMajor, clblast::Transpose::kYes, task.rows,
                                       task.columns, T{1}, in(), first, task.columns, out(), first, task.rows,
                                       &queue));
    };
  };
  if (task.type == "f64")
    c.call = call(std::type_identity<double>());
  else
    c.call = call(std::type_identity<float>());
  return c;
}

namespace {

template <class T>
contender product(laboratory& lab, const gemm_task& task) {
  const auto a = lab.data(task.type, first_seed, task.at);
  const auto b = lab.data(task.type, second_seed, task.at);
  const cl::Buffer out = gemm_output(lab, task);
  contender c;
  c.flops = flops_of(task);
  c.call = [&lab, a, b, out, task](std::size_t place) {
    cl_command_queue queue = lab.on.queue();
    const std::size_t first = place * task.at.stride;
    const auto& [m, n, k] = task.size;
    check_blast(clblast::Gemm<T>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo,
                                 m, n, k, T{1}, a->buffer(), first, k, b->buffer(), first, n, T{0}, out(),
                                 first, n, &queue));
  };
  check_gemm_at(lab, c, task, out);
  return c;
}

}  // namespace

contender clblast_gemm(laboratory& lab, const gemm_task& task) {
  if (too_long(task.at)) return too_long_for_ints();
  return task.type == "f64" ? product<double>(lab, task) : product<float>(lab, task);
}

}  // namespace clwave::tool::bench

#else

namespace clwave::tool::bench {

contender clblast_reduce(laboratory&, const reduce_task&) {
  return skipped("CLBlast was not found when clwave was configured");
}
contender clblast_copy(laboratory&, const copy_task&) {
  return skipped("CLBlast was not found when clwave was configured");
}
contender clblast_gemm(laboratory&, const gemm_task&) {
  return skipped("CLBlast was not found when clwave was configured");
}

contender clblast_transpose(laboratory&, const transpose_task&, const cl::Buffer&, const cl::Buffer&) {
  return skipped("CLBlast was not found when clwave was configured");
}

}  // namespace clwave::tool::bench

#endif
