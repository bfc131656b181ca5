// scan_by_key: runs of a work-item, of a group, of tiles of several groups; apart and in place.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/scan_by_key.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/scan_by_key.hpp"

namespace races::runs_of_scan_by_key {
namespace {

// Blocks of 256 elements, tiles of 512, stretches of 1024.
constexpr clwave::detail::scan_sizes sizes = {.run = 4, .runs = 8, .strips = 8, .blocks = 2, .tiles = 2};

void scan_runs(const std::vector<std::size_t>& lengths) {
  machine on;
  std::vector<std::uint32_t> keys;
  for (std::size_t r = 0; r < lengths.size(); ++r)
    keys.insert(keys.end(), lengths[r], static_cast<std::uint32_t>(r));
  const std::size_t n = keys.size();
  const cl::Buffer key = on.buffer(keys);
  for (const bool exclusive : {false, true}) {
    std::vector<float> in = numbers<float>(n), out(n, -1.0f), expected;
    const bool in_place = exclusive;
    const cl::Buffer from = on.buffer(in), to = in_place ? from : on.buffer(out);
    testing::own_site site(on.queue(), "scan_by_key");
    site.on.compute_units = 1;
    const clwave::element& value = clwave::element_of<float>();
    const clwave::scan_by_key_problem problem{.keys = {clwave::element_of<std::uint32_t>(), n},
                                              .values = {value, n},
                                              .out = {value, n},
                                              .exclusive = exclusive,
                                              .sizes = sizes};
    site.run(problem, {key(), from(), to()});
    on.queue.enqueueReadBuffer(to, CL_TRUE, 0, n * sizeof(float), out.data());
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0 && keys[i] != keys[i - 1]) sum = 0;
      if (exclusive) expected.push_back(sum);
      sum += in[i];
      if (!exclusive) expected.push_back(sum);
    }
    check(out == expected, "scans by key", n);
  }
}

// ------------------------------------------------------------------------- programs that are compiled

// Runs of equal 32-bit keys, by an operator of the user's.
clwave::call_plan by_key(const clwave::plan_target& on, const clwave::element& type, const clwave::op& fold) {
  return clwave::plan(
      clwave::scan_by_key_problem{.keys = {clwave::element_of<std::uint32_t>(), many_elements},
                                  .values = {type, many_elements},
                                  .out = {type, many_elements},
                                  .fold = &fold},
      on);
}

const registered listed("scan_by_key",
                        {{.parts =
                              {
                                  {"scan-by-key",
                                   [] {
                                     scan_runs({3, 17, 1, 1, 300, 90, 600, 5, 512, 2000, 40, 4, 16, 1500});
                                   }},
                                  {"scan-by-key-short", [] { scan_runs(std::vector<std::size_t>(700, 2)); }},
                              },
                          .programs = programs_of_folds<by_key>("scan_by_key")}});

}  // namespace
}  // namespace races::runs_of_scan_by_key
