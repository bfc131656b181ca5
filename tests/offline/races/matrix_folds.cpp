// Folds of matrices: short rows, tiles of rows, and the levels above them; columns that a work-item, a group,
// and several groups take.
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <clwave/reduce_columns.hpp>
#include <clwave/reduce_rows.hpp>

#include "call/execute.hpp"
#include "parts.hpp"
#include "primitives/reduce_columns.hpp"
#include "primitives/reduce_rows.hpp"

namespace races {
namespace {

constexpr clwave::detail::fold_sizes usual = {.tile = 512, .accumulators = 64};

template <class Question>
void sums(const char* primitive, std::span<const clwave::matrices> all,
          const clwave::detail::fold_sizes& sizes = usual, unsigned compute_units = 2) {
  constexpr bool of_rows = std::is_same_v<Question, clwave::reduce_rows_question>;
  machine on;
  for (const clwave::matrices& size : all) {
    const std::size_t n = size.rows * size.columns;
    std::vector<float> in = numbers<float>(n), out(of_rows ? size.rows : size.columns);
    const cl::Buffer from = on.buffer(in), to = on.buffer(out);
    clwave::detail::call_site site = clwave::detail::site_of(on.queue(), primitive);
    site.on.compute_units = compute_units;
    const clwave::element& value = clwave::element_of<float>();
    const Question question{.in = value, .out = value, .size = size, .sizes = sizes};
    const std::array<cl_mem, 2> buffers = {from(), to()};
    clwave::detail::carry_out(site, question, buffers, {}, true).wait();
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(float), out.data());
    std::vector<float> expected(out.size(), 0.0f);
    for (std::size_t i = 0; i < n; ++i) expected[of_rows ? i / size.columns : i % size.columns] += in[i];
    check(out == expected, "sums", n);
  }
}

void rows() {
  // The last matrix has so many rows that a group folds whole ones.
  const clwave::matrices all[] = {{.rows = 37, .columns = 3},   {.rows = 9, .columns = 64},
                                  {.rows = 7, .columns = 60},   {.rows = 3, .columns = 700},
                                  {.rows = 2, .columns = 1025}, {.rows = 2, .columns = 1023},
                                  {.rows = 5, .columns = 96},   {.rows = 70, .columns = 600}};
  sums<clwave::reduce_rows_question>("reduce_rows", all);
}

// Whole rows of several tiles, each of which several sets of lanes fold: where their parts wait, the tiles'
// results will.
void whole_rows() {
  const clwave::matrices all[] = {{.rows = 35, .columns = 520}};
  sums<clwave::reduce_rows_question>("reduce_rows", all, {.tile = 512, .accumulators = 256}, 1);
  // So many that a CPU core folds 16 at a time.
  const clwave::matrices many[] = {{.rows = 130, .columns = 32}};
  sums<clwave::reduce_rows_question>("reduce_rows", many, usual, 1);
}

// Tiles so small that there are three levels. A work-item of 32 lanes has two columns, and so reads results
// that another one wrote.
void row_levels() {
  const clwave::matrices long_ones[] = {{.rows = 2, .columns = 64 * 64 * 2 + 72}};
  sums<clwave::reduce_rows_question>("reduce_rows", long_ones, {.tile = 64, .accumulators = 64});
}

void columns() {
  const clwave::matrices all[] = {{.rows = 3, .columns = 37},   {.rows = 64, .columns = 8},
                                  {.rows = 100, .columns = 7},  {.rows = 700, .columns = 3},
                                  {.rows = 8800, .columns = 1}, {.rows = 1500, .columns = 40}};
  sums<clwave::reduce_columns_question>("reduce_columns", all);
  // So many columns that a work-item folds whole ones; the last group has too few for all.
  const clwave::matrices wide[] = {{.rows = 20, .columns = 3076}};
  sums<clwave::reduce_columns_question>("reduce_columns", wide, usual, 1);
  const clwave::matrices long_ones[] = {{.rows = 64 * 64 * 2 + 70, .columns = 2}};
  sums<clwave::reduce_columns_question>("reduce_columns", long_ones, {.tile = 64, .accumulators = 64});
}

const registered listed({
    {"rows", rows},
    {"rows-whole", whole_rows},
    {"rows-levels", row_levels},
    {"columns", columns},
});

}  // namespace
}  // namespace races
