// reduce_columns: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/reduce_columns.hpp>

#include "blocks/fold.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How columns are shared out (cl_kernels/primitives/reduce_columns.cl).
struct column_shape {
  bool cut = false;         // a column's accumulators may be those of several groups
  bool one_launch = false;  // where cut, the group of a strip that arrives last folds what the others left
  unsigned lanes = 0;       // work-items side by side; 0 on a CPU
  unsigned block = 1;       // accumulators of a column that a work-item folds at once
  bool single = false;      // they have one element each
  unsigned rows = 1;        // else, of their elements, those in flight at once
  unsigned part = 1;        // accumulators that become one value
  unsigned strip = 16;      // columns that a CPU's work-item takes at once; 0 on a GPU
  unsigned chunk = 0;       // where cut, values of a column that a work-item that folds these has in flight
};

struct reduce_columns_variant {
  static constexpr std::string_view primitive = "reduce_columns";
  fold_variant fold = {};
  column_shape shape = {};
};

program_spec spec_of(const reduce_columns_variant& v);

described<reduce_columns_variant> describe(const reduce_columns_problem& q, const target& on);

}  // namespace clwave::detail
