// segmented_reduce: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/segmented_reduce.hpp>

#include "blocks/fold_segments.hpp"
#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct segmented_reduce_variant {
  static constexpr std::string_view primitive = "segmented_reduce";
  fold_variant fold = {};
  const element* offset = nullptr;
  segment_shape shape = {};
  unsigned count_bytes = 0;  // of the number of segments on the device; 0: the host knows it
};

program_spec spec_of(const segmented_reduce_variant& v);

described<segmented_reduce_variant> describe(const segmented_reduce_problem& q, const target& on);

}  // namespace clwave::detail
