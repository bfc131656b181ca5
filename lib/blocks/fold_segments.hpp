// Folds of segments, in reduce's order: of those that are given by offsets, and of runs of equal keys.
#pragma once

#include <clwave/any_view.hpp>

#include "blocks/fold.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How segments are folded (cl_kernels/blocks/fold_segments.cl).
struct segment_shape {
  unsigned own = 1;      // elements that a work-item folds alone
  unsigned slots = 0;    // packets that a lane holds of several segments, or of one; 0: nothing but tiles
  bool packets = false;  // those of a segment that begins at a multiple of one are loaded whole
  bool identity = true;  // the operator has one
  bool levels = false;   // a second launch folds what tiles leave, and counts
  bool counts_bad = false;
};

// The numbers of folds of segments of a type, of which `fold` has the rest: packets, and what a work-item and
// a lane take. Where a work-item is not a group of its own, lanes and accumulators say how many sets a tile
// has.
void shape_segments(const any_view& in, const target& on, fold_variant& fold, segment_shape& shape);

// The words of those.
void add_segments(program_spec& spec, const segment_shape& shape);

}  // namespace clwave::detail
