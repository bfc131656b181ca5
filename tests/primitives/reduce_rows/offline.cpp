// reduce_rows: short rows, tiles of rows, and the levels above them.
#include <clwave/reduce_rows.hpp>

#include "matrix_folds.hpp"
#include "primitives/reduce_rows.hpp"

namespace races::runs_of_reduce_rows {
namespace {

void rows() {
  // The last matrix has so many rows that a group folds whole ones.
  const clwave::matrices all[] = {{.rows = 37, .columns = 3},   {.rows = 9, .columns = 64},
                                  {.rows = 7, .columns = 60},   {.rows = 3, .columns = 700},
                                  {.rows = 2, .columns = 1025}, {.rows = 2, .columns = 1023},
                                  {.rows = 5, .columns = 96},   {.rows = 70, .columns = 600}};
  sums<clwave::reduce_rows_problem>("reduce_rows", true, all);
}

// Whole rows of several tiles, each of which several sets of lanes fold: where their parts wait, the tiles'
// results will.
void whole_rows() {
  const clwave::matrices all[] = {{.rows = 35, .columns = 520}};
  sums<clwave::reduce_rows_problem>("reduce_rows", true, all, {.tile = 512, .accumulators = 256}, 1);
  // So many that a CPU core folds 16 at a time.
  const clwave::matrices many[] = {{.rows = 130, .columns = 32}};
  sums<clwave::reduce_rows_problem>("reduce_rows", true, many, usual, 1);
}

// Tiles so small that there are three levels. A work-item of 32 lanes has two columns, and so reads results
// that another one wrote.
void row_levels() {
  const clwave::matrices long_ones[] = {{.rows = 2, .columns = 64 * 64 * 2 + 72}};
  sums<clwave::reduce_rows_problem>("reduce_rows", true, long_ones, {.tile = 64, .accumulators = 64});
}

const registered listed(
    "reduce_rows", {{.parts = {{"rows", rows}, {"rows-whole", whole_rows}, {"rows-levels", row_levels}}}});

}  // namespace
}  // namespace races::runs_of_reduce_rows
