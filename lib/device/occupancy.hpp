// How many groups of a kernel a compute unit holds at once, and what stops it from holding more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <clwave/plan.hpp>

namespace clwave::detail {

// What a compute unit has: NVIDIA's multiprocessor, AMD's compute unit. It has parts (partitions, SIMDs) with
// registers of their own; a set of lanes (warp, wavefront) lives in one of them.
struct unit_limits {
  device_family family = device_family::generic;
  unsigned first = 0, last = 0;  // CUDA_SM or AMD_GFX
  unsigned lanes = 32;           // of a set
  unsigned parts = 4;
  unsigned registers = 512;    // of a lane in a part, for all sets there
  unsigned register_step = 8;  // what a set's are rounded up to
  unsigned sets = 16;          // in a part at most
  unsigned groups = 32;        // in the unit at most
  std::uint64_t local_bytes = 64 << 10;
  std::uint64_t local_step = 512;
  std::uint64_t local_reserved = 0;  // by the system, in every group
};

std::span<const unit_limits> unit_table();

// nullptr for what is in no row.
const unit_limits* find_unit(device_family family, unsigned number, unsigned lanes);

// What a launch asks for.
struct kernel_needs {
  std::optional<unsigned> registers = {};  // of a work-item
  std::uint64_t local_bytes = 0;           // of a group
  unsigned group_size = 1;
  std::uint64_t groups = 0;  // of the launch; 0: enough
  unsigned compute_units = 0;
};

struct occupancy {
  unsigned groups = 0, sets = 0;            // in a unit; without registers, what everything else allows
  unsigned most_groups = 0, most_sets = 0;  // that a unit can hold at all
  std::string limited_by;  // "registers", "local memory", "groups per unit", "lane sets per unit",
                           // "launch size"
};
occupancy occupancy_of(const unit_limits& unit, const kernel_needs& needs);

}  // namespace clwave::detail
