// Rows of reduce_columns.
#include "bench/rows/matrix_folds.hpp"

namespace clwave::tool::bench::rows_of_reduce_columns {
namespace {

void add_groups(laboratory& lab, std::vector<group>& all) {
  add_large_matrix_folds(lab, all, folded_side::columns);
  if (lab.is_cpu) return;
  for (const std::size_t rows : {8u, 100u, 256u, 1000u, 1024u, 5000u})
    add_matrix_fold(lab, all, folded_side::columns, "f32",
                    {.rows = rows, .columns = (std::size_t{1} << 26) / rows / 4 * 4});
}

const registered_rows listed("reduce_columns", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_reduce_columns
