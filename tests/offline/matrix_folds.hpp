// Sums of rows or of columns, with tiles as small as a test likes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"

namespace races {

inline constexpr clwave::detail::fold_sizes usual = {.tile = 512, .accumulators = 64};

template <class Problem, class T = float>
void sums(const char* primitive, bool of_rows, std::span<const clwave::matrices> all,
          const clwave::detail::fold_sizes& sizes = usual, unsigned compute_units = 2) {
  machine on;
  for (const clwave::matrices& size : all) {
    const std::size_t of_matrix = size.rows * size.columns, n = of_matrix * size.batch;
    std::vector<T> in = numbers<T>(n), out((of_rows ? size.rows : size.columns) * size.batch);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    testing::own_site site(on.queue(), primitive);
    site.on.compute_units = compute_units;
    const clwave::element& value = clwave::element_of<T>();
    const Problem problem{.in = value, .out = value, .size = size, .sizes = sizes};
    site.run(problem, {from(), to()});
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(T), out.data());
    std::vector<T> expected(out.size(), T{0});
    for (std::size_t i = 0; i < n; ++i)
      expected[of_rows ? i / size.columns : i / of_matrix * size.columns + i % size.columns] += in[i];
    check(out == expected, "sums", n);
  }
}

}  // namespace races
