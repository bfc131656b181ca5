// Architectures as published: what a name or number means, without asking any driver.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clwave::detail {

// NVIDIA, by CUDA_SM. A warp has 32 lanes on all of them.
struct nvidia_architecture {
  unsigned first_sm, last_sm;
  std::string_view generation;  // "Hopper"
  unsigned f32_lanes_per_sm;
};
// nullptr for a number in no table: an unknown device is not the last row.
const nvidia_architecture* find_nvidia_architecture(unsigned sm);

// AMD, by AMD_GFX.
struct amd_architecture {
  unsigned first_gfx, last_gfx;
  std::string_view generation;  // "RDNA2"
  unsigned wave;                // 64; 0 where the compiler chooses 32 or 64
  unsigned simd_per_compute_unit, simd_width;
};
const amd_architecture* find_amd_architecture(unsigned gfx);

// Intel, by arch << 8 | release: the IP version without its revision.
struct intel_architecture {
  unsigned first_release, last_release;
  std::string_view generation;  // "Xe-HPC"
  std::string_view chip;        // "Ponte Vecchio"
};
const intel_architecture* find_intel_architecture(unsigned release);

// "gfx90a" for 0x90a.
std::string amd_gfx_name(unsigned gfx);

// "12.60.7": arch, release and revision of an IP version.
std::string intel_ip_name(std::uint32_t ip);

// 90 for "sm_90" or "sm_90a"; no value for anything else.
std::optional<unsigned> parse_cuda_sm(std::string_view name);

std::string to_lower(std::string_view text);

}  // namespace clwave::detail
