// reduce_by_key: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/reduce_by_key.hpp>

#include "blocks/fold_segments.hpp"
#include "blocks/kept.hpp"
#include "blocks/messages.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How values that go to local memory are read (cl_kernels/blocks/fold_runs.cl).
struct run_shape {
  bool value_packets = false;  // those of a tile of keys come in packets
  bool levels = false;  // a run may have more than one tile of values, and a launch folds what those leave
};

struct reduce_by_key_variant {
  static constexpr std::string_view primitive = "reduce_by_key";
  fold_variant fold = {};
  segment_shape segments = {};
  const element* key = nullptr;
  const op* same = nullptr;
  key_shape keys = {};
  run_shape runs = {};
  group_messages messages = {};
  unsigned count_bytes = 0;  // of the number of keys on the device; 0: the host knows it
};

program_spec spec_of(const reduce_by_key_variant& v);

described<reduce_by_key_variant> describe(const reduce_by_key_problem& q, const target& on);

}  // namespace clwave::detail
