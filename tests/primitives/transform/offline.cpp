// transform and broadcast.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/transform.hpp>

#include "offline_parts.hpp"
#include "own_types.hpp"

namespace races {
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

const registered listed("transform",
                        {{.parts =
                              {
                                  {"transform", elements},
                                  {"broadcast", rows_and_columns},
                              },
                          .programs = {
                              {"transform values f32",
                               [](const clwave::plan_target& on) {
                                 return plan(
                                     clwave::transform_problem{{{clwave::element_of<float>(), many_elements}},
                                                               clwave::element_of<float>(),
                                                               &scaled},
                                     on);
                               }},
                          }}});

}  // namespace
}  // namespace races
