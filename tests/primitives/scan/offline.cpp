// scan: all levels, in three launches and in one pass, apart and in place; and groups that find no messages.
#include <algorithm>
#include <cstddef>
#include <vector>

#include <clwave/profile.hpp>
#include <clwave/scan.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "primitives/scan.hpp"

namespace races::runs_of_scan {
namespace {

// All levels of a scan, in three launches and in one pass, where a group waits for messages: apart and in
// place. The order of groups is AMD's in one pass, whose fences races.py leaves out. `own`: the numbers of
// scans in one pass, in place of the profile's.
void scans_of(std::size_t n, const clwave::detail::scan_sizes& sizes,
              const clwave::scan_tuning* own = nullptr) {
  machine on;
  std::vector<float> in = numbers<float>(n), out(n);
  const cl::Buffer from = on.buffer(in), to = on.buffer(out);
  for (const bool exclusive : {false, true}) {
    for (const int way : {0, 1, 2, 3}) {
      const bool in_place = way % 2 != 0;
      testing::own_site site(on.queue(), "scan");
      if (own != nullptr && way < 2) continue;
      if (way >= 2) site.on.choice.order = clwave::group_order::amd_fence;
      if (own != nullptr) {
        site.row.scan = *own;
        site.row.scan.in_order_of_start = exclusive;
        site.on.compute_units = 1;
      }
      const clwave::element& value = clwave::element_of<float>();
      const clwave::scan_problem problem{
          .in = {value, n}, .out = {value, n}, .exclusive = exclusive, .in_place = in_place, .sizes = sizes};
      on.queue.enqueueWriteBuffer(to, CL_TRUE, 0, n * sizeof(float), in.data());
      site.run(problem, {in_place ? to() : from(), to()});
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

// races.py gives the groups their tiles from the last to the first: each finds no messages, looks again, and
// folds the tiles before its own itself.
void scans_backwards() {
  const clwave::scan_tuning own{.group_size = 64, .looks = 2, .first_pause = 0, .next_pause = 0, .kept = 1};
  // More stretches than a group looks back at, and a short tile in which a work-item has two runs under way.
  scans_of(19 * 32 + 5, {.run = 4, .runs = 2, .strips = 2, .blocks = 2, .tiles = 2}, &own);
  scans_of(3 * 512 + 65 * 4 + 3, {.run = 4, .runs = 4, .strips = 4, .blocks = 8, .tiles = 2}, &own);
}

// The map of steps sees where elements lie in the whole.
const clwave::map placed{.name = "placed", .source = "x + (float)(i % 7)"};

std::vector<cl_mem> buffers_of(clwave::detail::scan_step what, cl_mem from, cl_mem to, cl_mem between) {
  using clwave::detail::scan_step;
  if (what == scan_step::folds) return {from, between};
  if (what == scan_step::results) return {from, to, between};
  return {between};
}

void check_steps(const std::vector<float>& in, const std::vector<float>& out, const char* what) {
  bool right = true;
  float sum = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum += in[i] + static_cast<float>(i % 7);
    right &= out[i] == sum;
  }
  check(right, what, in.size());
}

// The steps of a scan of two pieces, the second of which begins inside a stretch, where its elements do not
// lie at the beginning of a buffer.
void steps_of(std::size_t n, const clwave::detail::scan_sizes& sizes) {
  using clwave::detail::scan_step;
  machine on;
  const std::size_t tile = sizes.tile(), cut = 3 * tile, tiles = (n + tile - 1) / tile;
  std::vector<float> in = numbers<float>(n), late = in;
  late.insert(late.begin(), 5, 1e30f);
  late.erase(late.begin() + 5, late.begin() + 5 + static_cast<std::ptrdiff_t>(cut));
  std::vector<float> out(n), folds(2 * tiles + 1);
  const cl::Buffer first = on.buffer(in), second = on.buffer(late), to = on.buffer(out),
                   between = on.buffer(folds);
  const testing::own_site site(on.queue(), "scan");
  const clwave::element& value = clwave::element_of<float>();
  const auto step = [&](scan_step what, std::size_t begin, std::size_t count) {
    const bool is_second = begin > 0;
    const clwave::scan_problem problem{.in = {value, count, is_second ? 5u : 0u},
                                       .out = {value, count, begin},
                                       .apply = &placed,
                                       .sizes = sizes,
                                       .piece = {{.step = what,
                                                  .at = begin,
                                                  .whole = n,
                                                  .tiles_at = begin / tile,
                                                  .stretches_at = tiles + begin / tile / sizes.tiles}}};
    const cl_mem from = is_second ? second() : first();
    site.run(problem, buffers_of(what, from, to(), between()));
  };
  step(scan_step::folds, 0, cut);
  step(scan_step::folds, cut, n - cut);
  step(scan_step::tiles, 0, n);
  step(scan_step::stretches, 0, n);
  step(scan_step::results, cut, n - cut);
  step(scan_step::results, 0, cut);
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
  check_steps(in, out, "scan of two pieces");
}

// The steps of pieces of a stretch each, one piece after the other in the same memory: what stands before the
// next lies where that one looks for it.
void stretches_of(std::size_t n, const clwave::detail::scan_sizes& sizes) {
  using clwave::detail::scan_step;
  machine on;
  const std::size_t stretch = sizes.tile() * sizes.tiles;
  std::vector<float> in = numbers<float>(n), out(n), folds(sizes.tiles + 2);
  const cl::Buffer from = on.buffer(in), to = on.buffer(out), between = on.buffer(folds);
  const testing::own_site site(on.queue(), "scan");
  const clwave::element& value = clwave::element_of<float>();
  for (std::size_t begin = 0; begin < n; begin += stretch) {
    for (const scan_step what :
         {scan_step::folds, scan_step::tiles, scan_step::stretches, scan_step::results}) {
      const clwave::scan_problem problem{
          .in = {value, std::min(stretch, n - begin), begin},
          .out = {value, std::min(stretch, n - begin), begin},
          .apply = &placed,
          .sizes = sizes,
          .piece = {{.step = what, .at = begin, .whole = n, .tiles_at = 0, .stretches_at = sizes.tiles}}};
      site.run(problem, buffers_of(what, from(), to(), between()));
    }
  }
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
  check_steps(in, out, "scan of stretches");
}

void steps() {
  const clwave::detail::scan_sizes small{.run = 4, .runs = 2, .strips = 2, .blocks = 2, .tiles = 4};
  for (const std::size_t n : {97, 299, 700}) steps_of(n, small);
  steps_of(1301, {.run = 4, .runs = 4, .strips = 4, .blocks = 4, .tiles = 2});
  for (const std::size_t n : {128, 299}) stretches_of(n, small);
}

const registered listed(
    "scan", {{.parts =
                  {
                      {"scan", scans},
                      {"scan-backwards", scans_backwards},
                      {"scan-steps", steps},
                  },
              .programs = {{"scan piece f32", [](auto& on) {
                              const clwave::element& value = clwave::element_of<float>();
                              clwave::scan_problem problem{.in = {value, 1 << 28}, .out = {value, 1 << 28}};
                              problem.piece = {.step = clwave::detail::scan_step::results,
                                               .at = 1 << 20,
                                               .whole = 1 << 29,
                                               .tiles_at = 0,
                                               .stretches_at = 1 << 14};
                              return clwave::plan(problem, on);
                            }}}}});

}  // namespace
}  // namespace races::runs_of_scan
