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
// (tests/offline/gpucode.py has the same for its proofs.) The fields in their order are those of unit_limits.
// clang-format off
constexpr unit_limits unit_rows[] = {
    // family  first    last lanes p registers step sets groups  local     step  reserved    (p: parts)
    {nvidia,    120,    121,  32, 4,   512,   8,  12,  24, 100 * KiB,   128,  1 * KiB},
    {nvidia,    100,    103,  32, 4,   512,   8,  16,  32, 228 * KiB,   128,  1 * KiB},
    {nvidia,     90,     90,  32, 4,   512,   8,  16,  32, 228 * KiB,   128,  1 * KiB},
    {nvidia,     89,     89,  32, 4,   512,   8,  12,  24, 100 * KiB,   128,  1 * KiB},
    {nvidia,     87,     87,  32, 4,   512,   8,  12,  16, 164 * KiB,   128,  1 * KiB},
    {nvidia,     86,     86,  32, 4,   512,   8,  12,  16, 100 * KiB,   128,  1 * KiB},
    {nvidia,     80,     80,  32, 4,   512,   8,  16,  32, 164 * KiB,   128,  1 * KiB},
    {nvidia,     75,     75,  32, 4,   512,   8,   8,  16,  64 * KiB,   256,        0},
    {nvidia,     70,     72,  32, 4,   512,   8,  16,  32,  96 * KiB,   256,        0},
    {nvidia,     62,     62,  32, 4,   512,   8,  16,  32,  64 * KiB,   256,        0},
    {nvidia,     61,     61,  32, 4,   512,   8,  16,  32,  96 * KiB,   256,        0},
    {nvidia,     60,     60,  32, 2,  1024,   8,  32,  32,  64 * KiB,   256,        0},
    {nvidia,     53,     53,  32, 4,   512,   8,  16,  32,  64 * KiB,   256,        0},
    {nvidia,     52,     52,  32, 4,   512,   8,  16,  32,  96 * KiB,   256,        0},
    {nvidia,     50,     50,  32, 4,   512,   8,  16,  32,  64 * KiB,   256,        0},
    {nvidia,     37,     37,  32, 4,  1024,   8,  16,  16, 112 * KiB,   256,        0},
    {nvidia,     30,     35,  32, 4,   512,   8,  16,  16,  48 * KiB,   256,        0},
    {nvidia,     20,     21,  32, 2,   512,   2,  24,   8,  48 * KiB,   128,        0},
    {amd,    0x1100, 0x1201,  32, 2,  1024,  16,  16,  16,  64 * KiB,   512,        0},
    {amd,    0x1100, 0x1201,  64, 2,   512,   8,  16,  16,  64 * KiB,   512,        0},
    {amd,    0x1030, 0x1036,  32, 2,  1024,  16,  16,  16,  64 * KiB,   512,        0},
    {amd,    0x1030, 0x1036,  64, 2,   512,   8,  16,  16,  64 * KiB,   512,        0},
    {amd,    0x1010, 0x1013,  32, 2,  1024,   8,  20,  16,  64 * KiB,   512,        0},
    {amd,    0x1010, 0x1013,  64, 2,   512,   4,  20,  16,  64 * KiB,   512,        0},
    {amd,     0x950,  0x950,  64, 4,   512,   8,   8,  16, 160 * KiB,  1280,        0},
    {amd,     0x940,  0x942,  64, 4,   512,   8,   8,  16,  64 * KiB,   512,        0},
    {amd,     0x90c,  0x90c,  64, 4,   256,   4,  10,  16,  64 * KiB,   512,        0},
    {amd,     0x90a,  0x90a,  64, 4,   512,   8,   8,  16,  64 * KiB,   512,        0},
    {amd,     0x700,  0x909,  64, 4,   256,   4,  10,  16,  64 * KiB,   512,        0},
    {amd,     0x600,  0x602,  64, 4,   256,   4,  10,  16,  64 * KiB,   256,        0},
};
// clang-format on

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
