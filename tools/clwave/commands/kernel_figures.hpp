// What compilers and drivers say of built kernels, for the occupancy that `clwave why` shows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/device.hpp>
#include <clwave/plan.hpp>

namespace clwave::tool {

// A compiled kernel's figures; without a value where nobody says.
struct kernel_figures {
  std::string name = {};
  std::optional<std::uint64_t> group_limit = {}, local_bytes = {}, private_bytes = {}, spilled_bytes = {};
  std::optional<unsigned> registers = {};
  std::string registers_from = {};  // who says so, or why nobody does
};

// What `-cl-nv-verbose` makes NVIDIA's compiler write of a kernel, and what the notes of AMD's code objects
// have.
void read_ptxas(std::string_view log, kernel_figures& into);
void read_amd_notes(std::span<const unsigned char> binary, kernel_figures& into);

// Builds a plan's program for a device, in a context of its own, and asks for its kernels' figures; nothing
// is run. Throws clwave::error (build) with the compiler's lines.
std::vector<kernel_figures> build_and_ask(const device_facts& facts, const call_plan& plan);

}  // namespace clwave::tool
