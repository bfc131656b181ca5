// Rows of reduce_rows.
#include "bench/rows/matrix_folds.hpp"

namespace clwave::tool::bench {
namespace {

void add_groups(laboratory& lab, std::vector<group>& all) {
  add_large_matrix_folds(lab, all, folded_side::rows);
  if (lab.is_cpu) return;
  for (const std::size_t columns : {8u, 100u, 256u, 1000u, 1024u, 2048u, 5000u})
    add_matrix_fold(lab, all, folded_side::rows, "f32",
                    {.rows = (std::size_t{1} << 26) / columns, .columns = columns});
}

const registered_rows listed("reduce_rows", {{.add = add_groups}});

}  // namespace
}  // namespace clwave::tool::bench
