// segmented_reduce: segments of a lane, of a set of lanes, of tiles, and the levels above them; bad ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/segmented_reduce.hpp>

#include "harness/operators.hpp"
#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/segmented_reduce.hpp"

namespace races::runs_of_segmented_reduce {
namespace {

constexpr clwave::detail::fold_sizes usual = {.tile = 512, .accumulators = 64};

// Of an input of n elements nothing past it may be read.
template <class T>
void fold_segments(std::size_t n, const std::vector<std::vector<std::uint64_t>>& all,
                   const clwave::detail::fold_sizes& sizes = usual) {
  machine on;
  for (std::vector<std::uint64_t> offsets : all) {
    std::vector<T> in = numbers<T>(n), out(offsets.size() - 1);
    std::vector<std::uint64_t> bad(1);
    const cl::Buffer from = on.buffer(in), at = on.buffer(offsets), to = on.buffer(out),
                     count = on.buffer(bad);
    testing::own_site site(on.queue(), "segmented_reduce");
    site.on.compute_units = 1;
    const clwave::element& value = clwave::element_of<T>();
    const clwave::segmented_reduce_problem problem{
        .in = {value, n},
        .offsets = {clwave::element_of<std::uint64_t>(), offsets.size()},
        .out = {value, out.size()},
        .bad = clwave::element_of<std::uint64_t>(),
        .segments = out.size(),
        .sizes = sizes};
    site.run(problem, {from(), at(), to(), count()});
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * sizeof(T), out.data());
    on.queue.enqueueReadBuffer(count, CL_TRUE, 0, sizeof(std::uint64_t), bad.data());
    bool falls = false;
    for (std::size_t s = 0; s < out.size(); ++s) falls |= offsets[s] > offsets[s + 1];
    bool right = true;
    for (std::size_t s = 0; s < out.size(); ++s) {
      const bool is_bad = offsets[s] > offsets[s + 1] || offsets[s + 1] > n ||
                          (falls && offsets[s + 1] - offsets[s] > sizes.tile);
      T sum = 0;
      for (std::size_t i = offsets[s]; !is_bad && i < offsets[s + 1]; ++i) sum = static_cast<T>(sum + in[i]);
      right &= out[s] == sum;
      bad[0] -= is_bad ? 1 : 0;
    }
    check(right && bad[0] == 0, "sums of segments", n);
  }
}

// Tiles so small that there are three levels; of the second segment the second one is whole. The first ends
// in the middle of the input, so that its last tile is one group's and the segment behind it the next one's.
void levels() {
  machine on;
  const std::size_t lanes = clwave::detail::site_of(on.queue(), "segmented_reduce").on.choice.lanes;
  const std::size_t tile = std::max<std::size_t>(16, lanes);
  const std::size_t second = tile * tile, end = second + 10;
  fold_segments<float>(end + second, {{0, end, end + second}}, {.tile = tile, .accumulators = tile});
}

// An operator of the user and a map that gives it places: a place that is no element's lies outside an array.
void places() {
  machine on;
  const clwave::map place{.name = "place", .source = "i"};
  const clwave::op later = testing::function_op("later", "0",
                                                "uint later(uint a, uint b) {\n"
                                                "  uint all[32];\n"
                                                "  for (uint k = 0; k < 32; ++k) all[k] = k;\n"
                                                "  return max(all[a], all[b]);\n}");
  std::vector<std::uint32_t> in(96), out(3);
  std::vector<std::uint64_t> offsets = {0, 32, 52, 84};
  const cl::Buffer from = on.buffer(in), at = on.buffer(offsets), to = on.buffer(out);
  testing::own_site site(on.queue(), "segmented_reduce");
  const clwave::element& value = clwave::element_of<std::uint32_t>();
  const clwave::segmented_reduce_problem problem{
      .in = {value, in.size()},
      .offsets = {clwave::element_of<std::uint64_t>(), offsets.size()},
      .out = {value, out.size()},
      .segments = out.size(),
      .fold = &later,
      .apply = &place,
      .sizes = usual};
  site.run(problem, {from(), at(), to()});
  on.queue.enqueueReadBuffer(to, CL_TRUE, 0, out.size() * 4, out.data());
  check(out == std::vector<std::uint32_t>{31, 19, 31}, "places in segments", in.size());
}

// ------------------------------------------------------------------------- programs that are compiled

// Segments of one type, by an operator of the user's.
clwave::call_plan of_segments(const clwave::plan_target& on, const clwave::element& type,
                              const clwave::op& fold) {
  return clwave::plan(clwave::segmented_reduce_problem{.in = {type, many_elements},
                                                       .offsets = clwave::element_of<std::uint64_t>(),
                                                       .out = type,
                                                       .segments = many_elements / 64,
                                                       .fold = &fold},
                      on);
}

const registered listed(
    "segmented_reduce",
    {{.parts =
          {
              {"segments",
               [] {
                 // The last three end with the input: a row of 64, five rows of a second tile, a tile but for
                 // one element. Whoever reads more reads past it.
                 fold_segments<float>(4000, {{0, 0, 3, 20, 37, 90, 90, 500, 1012, 1100, 4000},
                                             {0, 16, 32, 64, 128, 640, 2000, 2064},
                                             {0, 3936, 4000},
                                             {0, 3168, 4000},
                                             {0, 3489, 4000}});
                 // More short ones than a set of lanes asks for at a time.
                 std::vector<std::uint64_t> many(140);
                 for (std::size_t s = 0; s < many.size(); ++s) many[s] = 3 * s;
                 fold_segments<float>(3 * many.size(), {many});
                 // These end with the input too, where packets do not lie: with whole packets, and with one
                 // that is not.
                 fold_segments<float>(4001, {{0, 3969, 4001}, {0, 3938, 4001}});
               }},
              // Bytes, which are read by words of several.
              {"segments-bytes",
               [] {
                 fold_segments<std::uint8_t>(701, {{0, 637, 701}, {0, 638, 701}},
                                             {.tile = 512, .accumulators = 256});
               }},
              {"segments-levels", levels},
              {"segments-places", places},
              {"segments-bad",
               [] {
                 fold_segments<float>(4000, {{1, 1500, 1502, 1400, 1600, 2100, 2100}, {0, 3900, 4001}});
               }},
          },
      .programs = programs_of_folds<of_segments>("segmented_reduce")}});

}  // namespace
}  // namespace races::runs_of_segmented_reduce
