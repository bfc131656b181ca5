// segmented_scan: what its programs are built from, and what its calls are.
#pragma once

#include <string_view>

#include <clwave/segmented_scan.hpp>

#include "call/description.hpp"
#include "primitives/scan.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct segmented_scan_variant {
  static constexpr std::string_view primitive = "segmented_scan";
  scan_variant scan = {};  // of a block, where it says tile
  const element* offset = nullptr;
  unsigned tile = 1;  // elements
  unsigned own = 1;   // of a segment that a work-item scans alone
  bool counts_bad = false;
};

program_spec spec_of(const segmented_scan_variant& v);

described<segmented_scan_variant> describe(const segmented_scan_question& q, const target& on);

}  // namespace clwave::detail
