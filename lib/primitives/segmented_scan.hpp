// segmented_scan: what its programs are built from, and what its calls are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <clwave/segmented_scan.hpp>

#include "blocks/messages.hpp"
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
  bool by_begins = false;        // a bit of each element says whether a segment begins there (scan_begins.cl)
  group_messages messages = {};  // groups tell each other, then, of blocks that others stand behind
  unsigned count_bytes = 0;  // of the number of segments on the device; 0: the host or a launch before has it
};

program_spec spec_of(const segmented_scan_variant& v);
// The same for another primitive that scans segments.
program_spec spec_of_segmented_scan(std::string_view primitive, const segmented_scan_variant& v);

// The numbers of the scan order that a problem has: its own, or those of its results' size.
scan_sizes sizes_of(const segmented_scan_problem& q);

// What the program of such a problem is built from, and how many of its groups run at a time. Throws
// bad_call for types and texts that a scan does not take.
struct segmented_scan_shape {
  segmented_scan_variant variant;
  std::uint64_t at_once;
};
segmented_scan_shape shape_segmented_scan(std::string_view primitive, const segmented_scan_problem& q,
                                          const target& on);

// What has one group where segments are told by bits, and has more elements than a part: a segment's tile, or
// its block where groups tell each other.
std::uint64_t unit_by_begins(const segmented_scan_variant& v);

// How long the parts of the input are that have a group each, where segments are told by bits: some of what
// a group takes at a time of that, `unit`.
std::uint64_t part_by_begins(const segmented_scan_shape& shape, std::uint64_t n, std::uint64_t unit);

// Where what lies behind one another in the workspace begins, with so many parts: the bits, what is told of
// parts, and the folds of tiles of long segments or what groups tell each other.
struct begins_places {
  std::uint64_t parts, results, end;
};
begins_places begins_places_of(const segmented_scan_variant& v, std::uint64_t parts, std::uint64_t part);

// For people: who takes which segments.
std::string way_of_segmented_scan(const segmented_scan_variant& segments, const target& on);

described<segmented_scan_variant> describe(const segmented_scan_problem& q, const target& on);

}  // namespace clwave::detail
