// Rows of reduce_rows.
#include "bench/rows/matrix_folds.hpp"

namespace clwave::tool::bench::rows_of_reduce_rows {
namespace {

void add_groups(laboratory& lab, std::vector<group>& all) {
  add_large_matrix_folds(lab, all, folded_side::rows);
  if (lab.is_cpu) return;
  for (const std::size_t columns : {8u, 100u, 256u, 1000u, 1024u, 2048u, 5000u})
    add_matrix_fold(lab, all, folded_side::rows, "f32",
                    {.rows = (std::size_t{1} << 26) / columns, .columns = columns});
}

// What the rows are held against: on a GPU an H200's figures, on a CPU PoCL's.
const registered_rows listed(
    "reduce_rows", {{.add = add_groups,
                     .goals = {// A sum reads as fast as the device can: 2^28 elements, and 2^26.
                               {where::gpu, "reduce_(rows|columns)/sum/(f32|f64|f16-f32)/16384x16384/clwave",
                                measure_of::speed, "reduce/sum/$2/268435456/clwave", 0.95},
                               {where::gpu, "reduce_(rows|columns)/sum/f32/(1048576x64|64x1048576)/clwave",
                                measure_of::speed, "reduce/sum/f32/67108864/clwave", 0.95},
                               {where::cpu, "reduce_(rows|columns)/sum/f32/(.*)/clwave", measure_of::speed,
                                "reduce_$1/sum/f32/$2/openmp", 0.9}}}});

}  // namespace
}  // namespace clwave::tool::bench::rows_of_reduce_rows
