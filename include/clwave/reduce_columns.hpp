/// @file
/// reduce_columns: folds each column of a matrix into one element.
#pragma once

#include <clwave/reduce_matrices.hpp>  // IWYU pragma: export
