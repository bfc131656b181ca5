// histogram: counts in local memory with a copy for each lane and with few, counts in the results, each by
// many groups and by one; channels; and bins by every way to find them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <clwave/histogram.hpp>
#include <clwave/profile.hpp>

#include "call/call.hpp"
#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "primitives/histogram.hpp"

namespace races::runs_of_histogram {
namespace {

// Counts of 64 bits are counted as those are that may pass 2^32.
template <class Count = std::uint32_t, class T, class Bin>
void count_in(const char* what, std::size_t n, std::size_t bins, unsigned channels,
              const clwave::even& bounds, const std::vector<T>& edges, const Bin& bin, bool small) {
  machine on;
  testing::own_site site(on.queue(), "histogram");
  if (site.on.choice.lanes == 1) site.on.compute_units = 4;
  // Groups as small as can be.
  if (small && site.on.choice.lanes > 1) {
    site.row.histogram = {.group_size = site.on.choice.lanes, .items = 1, .counters = 512};
    site.on.compute_units = 16;
  }
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(i * 2654435761u % 200);
  std::vector<Count> counts(bins * channels, 77), right(bins * channels);
  for (std::size_t i = 0; i < n; ++i) {
    if (const std::size_t k = bin(values[i]); k < bins) ++right[i % channels * bins + k];
  }
  const cl::Buffer in = on.buffer(values), out = on.buffer(counts);
  cl::Buffer between;
  const clwave::element& key = clwave::element_of<T>();
  clwave::histogram_problem problem{.in = {key, n},
                                    .counts = {clwave::element_of<Count>(), bins * channels},
                                    .channels = channels,
                                    .wide_counts = sizeof(Count) == 8};
  std::vector<cl_mem> buffers{in(), out()};
  if (edges.empty()) {
    problem.bounds = bounds;
  } else {
    std::vector<T> given = edges;
    between = on.buffer(given);
    problem.edges = clwave::any_view(key, bins + 1);
    buffers.push_back(between());
  }
  site.run(problem, buffers);
  on.queue.enqueueReadBuffer(out, CL_TRUE, 0, counts.size() * sizeof(Count), counts.data());
  check(counts == right, what, n);
}

using bytes = std::vector<std::uint8_t>;
using floats = std::vector<float>;

bool is_cpu() {
  machine on;
  return clwave::detail::site_of(on.queue(), "histogram").on.choice.lanes == 1;
}

void in_local_memory() {
  const auto byte = [](std::uint8_t x) -> std::size_t { return x; };
  for (const std::size_t n : {77u, 1500u})
    count_in("histogram of bytes", n, 100, 1, {0, 100}, bytes(), byte, false);
  count_in("histogram of many groups", 1500, 100, 1, {0, 100}, bytes(), byte, true);
  // Whose rows a second launch sums.
  count_in(
      "histogram of more groups", 6000, 500, 1, {0, 500}, floats(),
      [](float x) { return static_cast<std::size_t>(x); }, true);
  count_in("histogram of pixels", 1500, 64, 3, {0, 64}, bytes(), byte, true);
  count_in(
      "histogram between edges", 300, 3, 1, {0, 1}, floats{0, 10, 50, 100},
      [](float x) -> std::size_t { return x < 10    ? 0
                                          : x < 50  ? 1
                                          : x < 100 ? 2
                                                    : 3; }, false);
  count_in(
      "histogram by floats", 300, 7, 1, {0, 70}, floats(),
      [](float x) { return static_cast<std::size_t>(x) / 10; }, false);
  count_in(
      "histogram by floats that are rounded down", 300, 8, 1, {0, 128}, floats(),
      [](float x) { return static_cast<std::size_t>(x) / 16; }, false);
  // Each of a CPU's cores sums more bins than it does at a time.
  count_in("histogram of cores", is_cpu() ? 9000 : 300, 1200, 1, {0, 1200}, bytes(), byte, false);
}

void in_results() {
  count_in(
      "histogram in the results", 1500, 20000, 1, {0, 20000}, floats(),
      [](float x) { return static_cast<std::size_t>(x); }, false);
  count_in(
      "histogram in the results", 1500, 600, 1, {0, 600}, bytes(),
      [](std::uint8_t x) -> std::size_t { return x; }, true);
  count_in<std::uint64_t>(
      "histogram of 64 bits", 300, 600, 1, {0, 600}, bytes(), [](std::uint8_t x) -> std::size_t { return x; },
      true);
}

const registered listed("histogram",
                        {{.parts = {{"histogram", in_local_memory}, {"histogram-many", in_results}}}});

}  // namespace
}  // namespace races::runs_of_histogram
