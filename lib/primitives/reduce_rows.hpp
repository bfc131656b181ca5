// reduce_rows: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/reduce_rows.hpp>

#include "call/description.hpp"
#include "primitives/reduce.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How short rows are shared out among lanes (cl_kernels/blocks/fold_rows.cl); lanes of 0: rows are cut into
// tiles.
struct row_shape {
  unsigned lanes = 0;    // neighbours that take a row
  unsigned packets = 1;  // of a row that a lane holds
  unsigned items = 1;    // rows that a lane has in flight
  bool whole = false;    // a row has exactly so many elements
};

struct reduce_rows_variant {
  static constexpr std::string_view primitive = "reduce_rows";
  reduce_variant fold = {};
  row_shape shape = {};
};

program_spec spec_of(const reduce_rows_variant& v);

described<reduce_rows_variant> describe(const reduce_rows_question& q, const target& on);

}  // namespace clwave::detail
