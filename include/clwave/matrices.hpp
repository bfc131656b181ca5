/// @file
/// Matrices and boxes: how many, how large, and how they lie in a buffer; and the options of calls on them.
#pragma once

#include <cstddef>

#include <clwave/event.hpp>
#include <clwave/options.hpp>

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

/// Rows or columns: what a fold of a matrix has a result for, and the vector of a broadcast a value.
enum class per {
  row,    ///< as many values as the matrix has rows
  column  ///< as many values as the matrix has columns
};

/// The options of calls on matrices: how these lie, as pitches say, and the launch.
struct matrix_options {
  std::size_t row = 0;            ///< how far apart rows begin, in elements; 0: `columns`
  std::size_t slice = 0;          ///< how far apart matrices begin; 0: `row` times `rows`
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

/// The options of calls that bring boxes or matrices from one place to another.
struct pitch_options {
  pitches in = {};                ///< how the input lies
  pitches out = {};               ///< how the output lies
  wait_list after = {};           ///< what comes before: launch_options
  bool with_event = true;         ///< whether an event is made: launch_options
  workspace_view workspace = {};  ///< memory to work in: launch_options
};

static_assert(call_options<matrix_options> && call_options<pitch_options>);

}  // namespace clwave
