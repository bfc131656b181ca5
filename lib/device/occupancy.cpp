// THE TABLE of compute units, and the arithmetic on it.
#include "device/occupancy.hpp"

#include <algorithm>
#include <iterator>

#include "base/rounding.hpp"

namespace clwave::detail {
namespace {

constexpr device_family nvidia = device_family::nvidia;
constexpr device_family amd = device_family::amd;
constexpr std::uint64_t KiB = 1024;

// NVIDIA: the CUDA programming guide's table of compute capabilities and its occupancy calculator; registers
// are given to warps in steps of 256. AMD: LLVM's AMDGPUUsage; a group of several waves takes one of 16
// barriers. Most RDNA3 and 4 chips have half as many registers again; the smaller figure is used.
// (tests/offline/gpucode.py has the same for its proofs.)
constexpr unit_limits unit_rows[] = {
    {.family = nvidia,
     .first = 120,
     .last = 121,
     .sets = 12,
     .groups = 24,
     .local_bytes = 100 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 100,
     .last = 103,
     .local_bytes = 228 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 90,
     .last = 90,
     .local_bytes = 228 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 89,
     .last = 89,
     .sets = 12,
     .groups = 24,
     .local_bytes = 100 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 87,
     .last = 87,
     .sets = 12,
     .groups = 16,
     .local_bytes = 164 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 86,
     .last = 86,
     .sets = 12,
     .groups = 16,
     .local_bytes = 100 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 80,
     .last = 80,
     .local_bytes = 164 * KiB,
     .local_step = 128,
     .local_reserved = 1 * KiB},
    {.family = nvidia,
     .first = 75,
     .last = 75,
     .sets = 8,
     .groups = 16,
     .local_bytes = 64 * KiB,
     .local_step = 256},
    {.family = nvidia, .first = 70, .last = 72, .local_bytes = 96 * KiB, .local_step = 256},
    {.family = nvidia, .first = 62, .last = 62, .local_bytes = 64 * KiB, .local_step = 256},
    {.family = nvidia, .first = 61, .last = 61, .local_bytes = 96 * KiB, .local_step = 256},
    {.family = nvidia,
     .first = 60,
     .last = 60,
     .parts = 2,
     .registers = 1024,
     .sets = 32,
     .local_bytes = 64 * KiB,
     .local_step = 256},
    {.family = nvidia, .first = 53, .last = 53, .local_bytes = 64 * KiB, .local_step = 256},
    {.family = nvidia, .first = 52, .last = 52, .local_bytes = 96 * KiB, .local_step = 256},
    {.family = nvidia, .first = 50, .last = 50, .local_bytes = 64 * KiB, .local_step = 256},
    {.family = nvidia,
     .first = 37,
     .last = 37,
     .registers = 1024,
     .groups = 16,
     .local_bytes = 112 * KiB,
     .local_step = 256},
    {.family = nvidia, .first = 30, .last = 35, .groups = 16, .local_bytes = 48 * KiB, .local_step = 256},
    {.family = nvidia,
     .first = 20,
     .last = 21,
     .parts = 2,
     .register_step = 2,
     .sets = 24,
     .groups = 8,
     .local_bytes = 48 * KiB,
     .local_step = 128},
    {.family = amd,
     .first = 0x1100,
     .last = 0x1201,
     .lanes = 32,
     .parts = 2,
     .registers = 1024,
     .register_step = 16,
     .sets = 16,
     .groups = 16},
    {.family = amd,
     .first = 0x1100,
     .last = 0x1201,
     .lanes = 64,
     .parts = 2,
     .registers = 512,
     .register_step = 8,
     .sets = 16,
     .groups = 16},
    {.family = amd,
     .first = 0x1030,
     .last = 0x1036,
     .lanes = 32,
     .parts = 2,
     .registers = 1024,
     .register_step = 16,
     .sets = 16,
     .groups = 16},
    {.family = amd,
     .first = 0x1030,
     .last = 0x1036,
     .lanes = 64,
     .parts = 2,
     .registers = 512,
     .register_step = 8,
     .sets = 16,
     .groups = 16},
    {.family = amd,
     .first = 0x1010,
     .last = 0x1013,
     .lanes = 32,
     .parts = 2,
     .registers = 1024,
     .register_step = 8,
     .sets = 20,
     .groups = 16},
    {.family = amd,
     .first = 0x1010,
     .last = 0x1013,
     .lanes = 64,
     .parts = 2,
     .registers = 512,
     .register_step = 4,
     .sets = 20,
     .groups = 16},
    {.family = amd,
     .first = 0x950,
     .last = 0x950,
     .lanes = 64,
     .registers = 512,
     .register_step = 8,
     .sets = 8,
     .groups = 16,
     .local_bytes = 160 * KiB,
     .local_step = 1280},
    {.family = amd,
     .first = 0x940,
     .last = 0x942,
     .lanes = 64,
     .registers = 512,
     .register_step = 8,
     .sets = 8,
     .groups = 16},
    {.family = amd,
     .first = 0x90c,
     .last = 0x90c,
     .lanes = 64,
     .registers = 256,
     .register_step = 4,
     .sets = 10,
     .groups = 16},
    {.family = amd,
     .first = 0x90a,
     .last = 0x90a,
     .lanes = 64,
     .registers = 512,
     .register_step = 8,
     .sets = 8,
     .groups = 16},
    {.family = amd,
     .first = 0x700,
     .last = 0x909,
     .lanes = 64,
     .registers = 256,
     .register_step = 4,
     .sets = 10,
     .groups = 16},
    {.family = amd,
     .first = 0x600,
     .last = 0x602,
     .lanes = 64,
     .registers = 256,
     .register_step = 4,
     .sets = 10,
     .groups = 16,
     .local_step = 256},
};

}  // namespace

std::span<const unit_limits> unit_table() { return unit_rows; }

const unit_limits* find_unit(device_family family, unsigned number, unsigned lanes) {
  const auto found = std::ranges::find_if(unit_rows, [&](const unit_limits& row) {
    return row.family == family && row.first <= number && number <= row.last && row.lanes == lanes;
  });
  return found == std::end(unit_rows) ? nullptr : &*found;
}

occupancy occupancy_of(const unit_limits& unit, const kernel_needs& needs) {
  occupancy result;
  const unsigned sets_of_group = std::max(1u, (needs.group_size + unit.lanes - 1) / unit.lanes);
  result.most_sets = unit.parts * unit.sets;
  // A group of one set needs no barrier on AMD's.
  result.most_groups =
      unit.family == device_family::amd && sets_of_group == 1 ? result.most_sets : unit.groups;
  result.groups = result.most_sets / sets_of_group;
  result.limited_by = "lane sets per unit";
  const auto limit = [&](std::uint64_t groups, const char* what) {
    if (groups >= result.groups) return;
    result.groups = static_cast<unsigned>(groups);
    result.limited_by = what;
  };
  if (needs.registers && *needs.registers > 0) {
    const auto own = static_cast<unsigned>(round_up(*needs.registers, unit.register_step));
    limit(unit.parts * (unit.registers / own) / sets_of_group, "registers");
  }
  if (needs.local_bytes + unit.local_reserved > 0)
    limit(unit.local_bytes / round_up(needs.local_bytes + unit.local_reserved, unit.local_step),
          "local memory");
  limit(result.most_groups, "groups per unit");
  if (needs.groups > 0 && needs.compute_units > 0)
    limit((needs.groups + needs.compute_units - 1) / needs.compute_units, "launch size");
  result.sets = result.groups * sets_of_group;
  return result;
}

}  // namespace clwave::detail
