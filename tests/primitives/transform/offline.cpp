// transform and broadcast.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/transform.hpp>

#include "offline_parts.hpp"
#include "own_types.hpp"

namespace races::runs_of_transform {
namespace {

void elements() {
  const clwave::map axpy{.name = "axpy", .source = "alpha * x + y", .values = {{"alpha", 2}}};
  machine on;
  for (const std::size_t n : sizes) {
    const std::size_t offset = n % 2;  // odd ones by elements, even ones by packets
    std::vector<std::uint16_t> x = numbers<std::uint16_t>(n + offset);
    std::vector<float> y = numbers<float>(n + offset), out(n + offset);
    const cl::Buffer xs = on.buffer(x), ys = on.buffer(y), to = on.buffer(out);
    clwave::transform(on.queue, clwave::view<clwave::u16>{xs, n, offset}, clwave::view<float>{ys, n, offset},
                      clwave::view<float>{to, n, offset}, axpy)
        .wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    bool right = true;
    for (std::size_t i = offset; i < out.size(); ++i) right &= out[i] == 2.0f * x[i] + y[i];
    check(right, "transform of u16 and f32", n);
  }
}

void rows_and_columns() {
  const clwave::map scale{.name = "scale", .source = "x * b * one", .values = {{"one", 1.0f}}};
  machine on;
  struct shape {
    std::size_t rows, columns, row;
  };
  for (const shape& s : {shape{1, 1, 1}, shape{3, 1028, 1032}, shape{5, 33, 35}, shape{300, 4, 4}}) {
    std::vector<float> in = numbers<float>(s.rows * s.row), out(in.size());
    for (const clwave::per which : {clwave::per::row, clwave::per::column}) {
      const bool by_row = which == clwave::per::row;
      std::vector<float> vector = numbers<float>(by_row ? s.rows : s.columns);
      const cl::Buffer from = on.buffer(in), values = on.buffer(vector), to = on.buffer(out);
      clwave::broadcast(on.queue, clwave::view<float>{from, in.size()},
                        clwave::view<float>{values, vector.size()}, clwave::view<float>{to, out.size()},
                        {.rows = s.rows, .columns = s.columns, .in_row = s.row, .out_row = s.row}, which,
                        scale)
          .wait();
      on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(float), out.data());
      bool right = true;
      for (std::size_t i = 0; i < s.rows; ++i) {
        for (std::size_t j = 0; j < s.columns; ++j)
          right &= out[i * s.row + j] == in[i * s.row + j] * vector[by_row ? i : j];
      }
      check(right, by_row ? "broadcast per row" : "broadcast per column", s.columns);
    }
  }
}

// Apart and in place, where a group would write over what the next one needs.
void differences() {
  machine on;
  for (const std::size_t n : sizes) {
    const std::size_t offset = n % 2;
    std::vector<std::uint32_t> x = numbers<std::uint32_t>(n + offset), out(n + offset), held = x;
    const cl::Buffer xs = on.buffer(x), to = on.buffer(out), place = on.buffer(held);
    const clwave::view<std::uint32_t> all{place, n, offset};
    clwave::adjacent_difference(on.queue, clwave::view<std::uint32_t>{xs, n, offset},
                                clwave::view<std::uint32_t>{to, n, offset})
        .wait();
    clwave::adjacent_difference(on.queue, all, all).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * 4, out.data());
    on.queue.enqueueReadBuffer(place, CL_TRUE, 0, held.size() * 4, held.data());
    bool right = true;
    for (std::size_t i = offset; i < out.size(); ++i) {
      const std::uint32_t one = i == offset ? x[i] : x[i] - x[i - 1];
      right &= out[i] == one && held[i] == one;
    }
    check(right, "adjacent_difference", n);
  }
}

// What is kept, and functions of the index alone.
void some_elements() {
  machine on;
  for (const std::size_t n : sizes) {
    std::vector<float> x = numbers<float>(n), out(n, 3.0f);
    const cl::Buffer xs = on.buffer(x), to = on.buffer(out);
    const clwave::view<float> in{xs, n}, results{to, n};
    const clwave::map third{.name = "third", .source = "i % 3 == 0"};
    clwave::transform_if(on.queue, in, results, clwave::map{.name = "twice", .source = "2 * x"}, third)
        .wait();
    clwave::replace_if(on.queue, in, third, 1.0f).wait();
    std::vector<float> replaced(n);
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
    on.queue.enqueueReadBuffer(xs, CL_TRUE, 0, n * sizeof(float), replaced.data());
    bool right = true;
    for (std::size_t i = 0; i < n; ++i)
      right &= out[i] == (i % 3 == 0 ? 2 * x[i] : 3.0f) && replaced[i] == (i % 3 == 0 ? 1.0f : x[i]);
    clwave::iota(on.queue, results, 1.0f, 2.0f).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
    for (std::size_t i = 0; i < n; ++i) right &= out[i] == 1.0f + 2.0f * static_cast<float>(i);
    check(right, "transform_if, replace_if and iota", n);
  }
}

const registered listed("transform",
                        {{.parts =
                              {
                                  {"transform", elements},
                                  {"broadcast", rows_and_columns},
                                  {"differences", differences},
                                  {"some-elements", some_elements},
                              },
                          .programs = {
                              {"transform values f32",
                               [](auto& on) {
                                 return plan(
                                     clwave::transform_problem{{{clwave::element_of<float>(), many_elements}},
                                                               clwave::element_of<float>(),
                                                               &scaled},
                                     on);
                               }},
                          }}});

}  // namespace
}  // namespace races::runs_of_transform
