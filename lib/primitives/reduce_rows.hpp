// reduce_rows: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/reduce_rows.hpp>

#include "blocks/fold.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How rows are shared out (cl_kernels/primitives/reduce_rows.cl): short ones among lanes, others by tiles.
struct row_shape {
  bool cut = false;         // a row's tiles may be those of several groups
  bool one_launch = false;  // the last of them then folds what all have left
  unsigned lanes = 0;       // neighbours that take a short row; 0: rows are taken by tiles
  unsigned packets = 1;     // of a row that a lane holds; on a CPU, where `whole`, its 16-wide values
  unsigned depth = 0;       // of rows by tiles: elements of a column where it has few; 0: a tile's
  unsigned items = 1;       // rows that a lane has in flight
  bool whole = false;       // a row has exactly so many elements
};

struct reduce_rows_variant {
  static constexpr std::string_view primitive = "reduce_rows";
  fold_variant fold = {};
  row_shape shape = {};
};

program_spec spec_of(const reduce_rows_variant& v);

described<reduce_rows_variant> describe(const reduce_rows_problem& q, const target& on);

}  // namespace clwave::detail
