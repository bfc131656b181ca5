/// @file
/// Matrices and boxes: how many, how large, and how they lie in a buffer.
#pragma once

#include <cstddef>

namespace clwave {

/// How a box lies in a buffer: how far apart its rows and its slices start, in elements.
struct pitches {
  std::size_t row = 0;    ///< 0: the width of the box
  std::size_t slice = 0;  ///< 0: `row` times the height of the box
};

/// `batch` matrices of `rows` by `columns` elements, row after row.
struct matrices {
  std::size_t rows = 0;     ///< of each matrix
  std::size_t columns = 0;  ///< of each matrix
  std::size_t batch = 1;    ///< matrices
};

}  // namespace clwave
