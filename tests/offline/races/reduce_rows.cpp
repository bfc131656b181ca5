// reduce_rows: short rows, tiles of rows, and the levels above them.
#include <array>
#include <cstddef>
#include <vector>

#include <clwave/reduce_rows.hpp>

#include "call/execute.hpp"
#include "parts.hpp"
#include "primitives/reduce_rows.hpp"

namespace races {
namespace {

void rows() {
  // Tiles of 512 elements; the last matrix has so many rows that a group folds whole ones.
  const clwave::detail::fold_sizes sizes = {.tile = 512, .accumulators = 64};
  const clwave::matrices all[] = {{.rows = 37, .columns = 3},   {.rows = 9, .columns = 64},
                                  {.rows = 7, .columns = 60},   {.rows = 3, .columns = 700},
                                  {.rows = 2, .columns = 1025}, {.rows = 70, .columns = 600}};
  machine on;
  for (const clwave::matrices& size : all) {
    const std::size_t n = size.rows * size.columns;
    std::vector<float> in = numbers<float>(n), out(size.rows);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "reduce_rows");
    site.on.compute_units = 2;
    const clwave::element& value = clwave::element_of<float>();
    const clwave::reduce_rows_question question{.in = value, .out = value, .size = size, .sizes = sizes};
    const std::array<cl_mem, 2> buffers = {from(), to()};
    clwave::detail::carry_out(site, question, buffers, {}, true).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    bool right = true;
    for (std::size_t row = 0; row < size.rows; ++row) {
      float sum = 0;
      for (std::size_t i = 0; i < size.columns; ++i) sum += in[row * size.columns + i];
      right &= out[row] == sum;
    }
    check(right, "sums of rows", n);
  }
}

const registered listed({
    {"rows", rows},
});

}  // namespace
}  // namespace races
