// What the tests of streamed scans share: calls in pieces of any size.
#pragma once

#include <optional>

#include <clwave/host_array_scan.hpp>

#include "distributed/host_arrays.hpp"
#include "families/scans.hpp"

namespace testing {

using clwave::host_output;

// A scan as the public calls make it, in such pieces.
template <class T, class Acc>
void scan_streamed(const queues& over, const host_array<T>& in, const host_output<Acc>& out,
                   const clwave::op& fold, const clwave::map& apply, bool exclusive, const Acc* start,
                   std::optional<scan_sizes> sizes, const stream_sizes& streaming) {
  clwave::detail::scan_host_array({.queues = over.handles(),
                                   .in = &in.erased(),
                                   .out = &out.erased(),
                                   .fold = &fold,
                                   .apply = &apply,
                                   .exclusive = exclusive,
                                   .start = start,
                                   .sizes = sizes,
                                   .streaming = streaming});
}

}  // namespace testing
