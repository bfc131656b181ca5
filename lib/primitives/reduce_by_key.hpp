// reduce_by_key: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/reduce_by_key.hpp>

#include "blocks/fold_segments.hpp"
#include "blocks/messages.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How keys are read, and values that go to local memory (cl_kernels/blocks/kept.cl, fold_runs.cl).
struct run_shape {
  unsigned key_items = 1;      // packets of a work-item
  unsigned key_vector = 1;     // neighbouring keys loaded as one packet
  bool key_packets = false;    // by one access
  bool value_packets = false;  // so are the values of a tile of keys
  bool levels = false;  // a run may have more than one tile of values, and a launch folds what those leave
};

struct reduce_by_key_variant {
  static constexpr std::string_view primitive = "reduce_by_key";
  fold_variant fold = {};
  segment_shape segments = {};
  const element* key = nullptr;
  const op* same = nullptr;
  run_shape runs = {};
  group_messages messages = {};
};

program_spec spec_of(const reduce_by_key_variant& v);

described<reduce_by_key_variant> describe(const reduce_by_key_question& q, const target& on);

}  // namespace clwave::detail
