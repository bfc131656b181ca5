// Bins of a histogram: from their bounds, or the edges that a call gives, to what its kernel finds a key's
// bin by (cl_kernels/primitives/histogram_bins.cl).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/histogram.hpp>

#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// How a kernel finds the bin of a key; `itself`: it is the key's own number in its type's order.
enum class bin_way { itself, shifted, floored, by_float, by_fixed, between_edges };

// The modules that find the bin of a key so, and the words that they read.
void add_bins(program_spec& spec, bin_way way, const element& key);

// What the kernel of even bins is told.
struct even_bins {
  bin_way way = bin_way::shifted;
  bool any = true;  // whether an element of the type falls into any bin
  std::uint64_t first = 0, span = 0;
  std::uint64_t from = 0, scale = 0;    // `from` of shifted ones, too
  std::uint32_t shift = 0;              // of shifted ones; that of units of fixed ones
  float float_from = 0, float_end = 0;  // of floored ones: one bin below lo, and hi
  float float_scale = 0, float_half = 0, float_sure = 0;
  std::uint64_t lo_digits = 0, hi_digits = 0;
  std::uint32_t lo_shift = 0, hi_shift = 0, x_shift = 0, signs = 0;
};

// Of `bins` bins from bounds.lo to before bounds.hi, which is larger; both are finite.
even_bins bins_of(const even& bounds, std::uint64_t bins, const element& key);

// Adds the arguments behind `bins`.
void add_bins(described_launch& launch, const even_bins& rule);

// -1, 0 or 1, where a is below, equal to or above b; neither is NaN.
int compared(const bound& a, const bound& b);

// Edges in an element type: of each of the host's the smallest element that is not below it.
struct edges_as_elements {
  std::vector<unsigned char> bytes;
  std::uint64_t reached = 0;    // there is such an element for so many
  std::string_view fault = {};  // why they are refused; "": they are not refused
};
edges_as_elements edges_of(const host_edges& edges, const element& key);

}  // namespace clwave::detail
