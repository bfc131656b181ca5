/// @file
/// reduce_rows: folds each row of a matrix into one element.
#pragma once

#include <clwave/reduce_matrices.hpp>  // IWYU pragma: export
