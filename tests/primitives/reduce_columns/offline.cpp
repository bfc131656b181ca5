// reduce_columns: columns that a work-item, a group, and several groups take.
#include <clwave/reduce_columns.hpp>

#include <cstdint>

#include "matrix_folds.hpp"
#include "primitives/reduce_columns.hpp"

namespace races::runs_of_reduce_columns {
namespace {

// Those that take no time.
void few_columns() {
  const clwave::matrices all[] = {
      {.rows = 3, .columns = 37}, {.rows = 64, .columns = 8}, {.rows = 100, .columns = 7}};
  sums<clwave::reduce_columns_problem>("reduce_columns", false, all);
  // So many positions that a work-item folds their values in local memory, and an odd number of them has any.
  const clwave::matrices tall[] = {{.rows = 520, .columns = 1}};
  sums<clwave::reduce_columns_problem>("reduce_columns", false, tall, {});
}

void columns() {
  const clwave::matrices all[] = {
      {.rows = 700, .columns = 3}, {.rows = 8800, .columns = 1}, {.rows = 1500, .columns = 40}};
  sums<clwave::reduce_columns_problem>("reduce_columns", false, all);
  // So many columns that a work-item folds whole ones; the last group has too few for all.
  const clwave::matrices wide[] = {{.rows = 20, .columns = 3076}};
  sums<clwave::reduce_columns_problem>("reduce_columns", false, wide, usual, 1);
  const clwave::matrices long_ones[] = {{.rows = 64 * 64 * 2 + 70, .columns = 2}};
  sums<clwave::reduce_columns_problem>("reduce_columns", false, long_ones, {.tile = 64, .accumulators = 64});
  // Tiles of several values each, which two passes fold in their place.
  const clwave::matrices parted[] = {{.rows = 1024 + 70, .columns = 34}};
  sums<clwave::reduce_columns_problem, std::uint64_t>("reduce_columns", false, parted,
                                                      {.tile = 1024, .accumulators = 1024});
  // So many tiles that the level above has several values to an accumulator, of two matrices.
  const clwave::matrices many_tiles[] = {{.rows = 128 * 66 + 5, .columns = 2, .batch = 2}};
  sums<clwave::reduce_columns_problem>("reduce_columns", false, many_tiles,
                                       {.tile = 128, .accumulators = 64});
}

const registered listed("reduce_columns", {{.parts = {{"columns-few", few_columns}, {"columns", columns}}}});

}  // namespace
}  // namespace races::runs_of_reduce_columns
