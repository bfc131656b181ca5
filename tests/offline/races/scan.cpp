// scan: all levels, in three launches and in one pass, apart and in place.
#include <array>
#include <cstddef>
#include <vector>

#include <clwave/scan.hpp>

#include "call/execute.hpp"
#include "parts.hpp"
#include "primitives/scan.hpp"

namespace races {
namespace {

// All levels of a scan, in three launches and in one pass, where a group waits for messages: apart and in
// place. The order of groups is AMD's in one pass, whose fences races.py leaves out.
void scans_of(std::size_t n, const clwave::detail::scan_sizes& sizes) {
  machine on;
  std::vector<float> in = numbers<float>(n), out(n);
  const cl::Buffer from = on.buffer(in), to = on.buffer(out);
  for (const bool exclusive : {false, true}) {
    for (const int way : {0, 1, 2, 3}) {
      const bool in_place = way % 2 != 0;
      clwave::detail::call_site site = clwave::detail::site_of(on.queue(), "scan");
      if (way >= 2) site.on.choice.order = clwave::group_order::amd_fence;
      const clwave::element& value = clwave::element_of<float>();
      const clwave::scan_question question{
          .in = value, .out = value, .n = n, .exclusive = exclusive, .in_place = in_place, .sizes = sizes};
      on.queue.enqueueWriteBuffer(to, CL_TRUE, 0, n * sizeof(float), in.data());
      const std::array<cl_mem, 2> buffers = {in_place ? to() : from(), to()};
      clwave::detail::carry_out(site, question, buffers, {}, true).wait();
      on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
      bool right = true;
      float sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (exclusive) right &= out[i] == sum;
        sum += in[i];
        if (!exclusive) right &= out[i] == sum;
      }
      check(right, exclusive ? "exclusive scan" : "inclusive scan", n);
    }
  }
}

void scans() {
  // By strips, in tiles of 32 elements, and by held runs, in tiles of 256.
  for (const std::size_t n : {1, 31, 33, 299})
    scans_of(n, {.run = 4, .runs = 2, .strips = 2, .blocks = 2, .tiles = 4});
  for (const std::size_t n : {199, 255, 256, 1301})
    scans_of(n, {.run = 4, .runs = 4, .strips = 4, .blocks = 4, .tiles = 2});
  // Two runs of each of 256 work-items, one of which Hopper keeps in local memory where there are many tiles.
  scans_of(4 * 2048 + 7, {.run = 4, .runs = 16, .strips = 16, .blocks = 2, .tiles = 2});
}

const registered listed({
    {"scan", scans},
});

}  // namespace
}  // namespace races
