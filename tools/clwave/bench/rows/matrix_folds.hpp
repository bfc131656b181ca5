// The benchmark's rows of folds of a matrix's rows and of its columns.
#pragma once

#include <string>
#include <vector>

#include <clwave/matrices.hpp>

#include "bench/bench.hpp"

namespace clwave::tool::bench {

enum class folded_side { rows, columns };

// Sums of each row, or of each column, of a matrix that large; `type` is f32, f64 or f16-f32. Adds nothing
// where it does not fit.
void add_matrix_fold(laboratory& lab, std::vector<group>& all, folded_side side, const std::string& type,
                     const matrices& size);

// A square matrix of each type, one of many short rows, and one of few long ones.
void add_large_matrix_folds(laboratory& lab, std::vector<group>& all, folded_side side);

}  // namespace clwave::tool::bench
