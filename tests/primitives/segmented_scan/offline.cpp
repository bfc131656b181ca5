// segmented_scan: segments of a work-item, of a group, of tiles of several groups; apart and in place; bad
// ones.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/segmented_scan.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/segmented_scan.hpp"

namespace races::runs_of_segmented_scan {
namespace {

// Blocks of 256 elements, tiles of 512, stretches of 1024. Nothing past the input may be read.
constexpr clwave::detail::scan_sizes held = {.run = 4, .runs = 8, .strips = 8, .blocks = 2, .tiles = 2};
// Tiles of 32, which no group holds.
constexpr clwave::detail::scan_sizes by_strips = {.run = 4, .runs = 2, .strips = 2, .blocks = 2, .tiles = 4};
// Each tile a stretch of its own.
constexpr clwave::detail::scan_sizes by_tiles = {.run = 4, .runs = 2, .strips = 2, .blocks = 1, .tiles = 1};

void scan_segments(const std::vector<std::uint64_t>& given, const clwave::detail::scan_sizes& sizes,
                   std::size_t n = 4000) {
  machine on;
  std::vector<std::uint64_t> offsets = given;
  bool falls = false;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) falls |= offsets[s] > offsets[s + 1];
  for (const bool exclusive : {false, true}) {
    std::vector<float> in = numbers<float>(n), out(n, -1.0f);
    const bool in_place = exclusive;
    std::vector<float> expected = in_place ? in : out;
    std::vector<std::uint64_t> bad(1);
    const cl::Buffer from = on.buffer(in), at = on.buffer(offsets), to = in_place ? from : on.buffer(out),
                     count = on.buffer(bad);
    testing::own_site site(on.queue(), "segmented_scan");
    site.on.compute_units = 1;
    const clwave::element& value = clwave::element_of<float>();
    const clwave::segmented_scan_problem problem{
        .in = {value, n},
        .offsets = {clwave::element_of<std::uint64_t>(), offsets.size()},
        .out = {value, n},
        .bad = clwave::element_of<std::uint64_t>(),
        .segments = offsets.size() - 1,
        .exclusive = exclusive,
        .sizes = sizes};
    site.run(problem, {from(), at(), to(), count()});
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
    on.queue.enqueueReadBuffer(count, CL_TRUE, 0, sizeof(std::uint64_t), bad.data());
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const bool is_bad = offsets[s] > offsets[s + 1] || offsets[s + 1] > n;
      bad[0] -= is_bad ? 1 : 0;
      float sum = 0;
      for (std::size_t i = offsets[s]; !falls && !is_bad && i < offsets[s + 1]; ++i) {
        if (exclusive) expected[i] = sum;
        sum += in[i];
        if (!exclusive) expected[i] = sum;
      }
    }
    check(out == expected && bad[0] == 0, "scans of segments", n);
  }
}

// ------------------------------------------------------------------------- programs that are compiled

// Scans of segments of one type, by an operator of the user's.
clwave::call_plan of_scanned_segments(const clwave::plan_target& on, const clwave::element& type,
                                      const clwave::op& fold) {
  return clwave::plan(clwave::segmented_scan_problem{.in = {type, many_elements},
                                                     .offsets = clwave::element_of<std::uint64_t>(),
                                                     .out = {type, many_elements},
                                                     .segments = many_elements / 64,
                                                     .fold = &fold},
                      on);
}

const registered listed(
    "segmented_scan",
    {{.parts =
          {
              {"segmented-scan",
               [] {
                 scan_segments({0, 0, 3, 20, 37, 90, 90, 500, 1012, 1100, 4000}, held);
                 scan_segments({1, 17, 33, 65, 129, 641, 2001, 2065}, by_strips);
                 // So many elements on average as are told by bits.
                 scan_segments({0, 0, 3, 20, 37, 90, 90, 500, 1012, 1100, 1100, 1107}, held, 1110);
                 scan_segments({1, 17, 33, 65, 129, 641, 1001, 1065}, by_strips, 1070);
                 scan_segments({0, 2060, 2060, 2062, 2069, 2070, 2071, 2073, 2073, 2074, 2075}, by_tiles,
                               2080);
               }},
              {"segmented-scan-many",
               [] {
                 // Short ones alone, of which one begins where the other ends; and more
                 // strips than a block has room for.
                 scan_segments({0, 5, 12, 12, 40, 71, 71, 100, 130}, held, 130);
                 scan_segments({0, 40, 104, 200, 296, 392, 400}, held, 400);
                 // More segments than work-items, behind one that ends with the input and
                 // before the second group's part.
                 std::vector<std::uint64_t> empty(67, 1023);
                 empty[0] = 0;
                 scan_segments(empty, held, 1023);
                 scan_segments(std::vector<std::uint64_t>(71, 5), by_tiles, 5);
                 // A part that begins behind more stretches of its segment than there are
                 // work-items.
                 scan_segments({0, 2100}, by_tiles, 2100);
               }},
              {"segmented-scan-bad",
               [] {
                 scan_segments({1, 1500, 1502, 1400, 1600, 2100, 2100}, held);
                 scan_segments({1, 500, 502, 400, 600, 700, 700, 710}, held, 720);
                 scan_segments({0, 3900, 4001}, held);
               }},
          },
      .programs = programs_of_folds<of_scanned_segments>("segmented_scan")}});

}  // namespace
}  // namespace races::runs_of_segmented_scan
