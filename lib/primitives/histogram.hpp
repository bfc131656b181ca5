// histogram: what its programs are built from, and what its calls are.
#pragma once

#include <cstdint>
#include <string_view>

#include <clwave/histogram.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/description.hpp"
#include "call/lazy_inputs.hpp"
#include "primitives/bins.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct histogram_variant {
  static constexpr std::string_view primitive = "histogram";
  const element* key = nullptr;
  const element* count = nullptr;
  bin_way way = bin_way::shifted;
  unsigned channels = 1;
  unsigned counters =
      0;                // words of local memory for a group's counts; of a CPU 1; 0: it counts in the results
  unsigned copies = 1;  // of each counter
  bool joins = false;   // equal neighbours are joined before they are counted
  bool last_sums = false;          // the last group sums the rows of all, in the same launch
  bool without_denormals = false;  // floats' denormals become 0, where that would matter
  bool many_keys = false;          // counts in the results may pass 2^32
  unsigned group_size = 1;
  unsigned items = 1;   // packets of a work-item of a GPU
  unsigned vector = 1;  // keys of a packet
  lazy_variant lazy = {};
  unsigned count_bytes = 0;  // of the number of elements on the device; 0: the host knows it
};

program_spec spec_of(const histogram_variant& v);

// Throws bad_call for a problem that no device can answer.
void check_histogram(const histogram_problem& q);

// The bins that a call asks for, with the host's edges where it gives them.
struct asked_bins {
  std::uint64_t bins = 0;
  std::uint64_t reached = 0;     // of the edges
  edges_as_elements edges = {};  // none where the problem will be refused
};
// Throws bad_call.
asked_bins bins_of(const histogram_problem& asked);

// The host's edges in a buffer of the call's own.
cl::Buffer buffer_of_edges(const call_site& site, const asked_bins& bins);

described<histogram_variant> describe(const histogram_problem& q, const target& on);

}  // namespace clwave::detail
