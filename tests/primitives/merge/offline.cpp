// merge: with values, of a few tiles, by numbers and by a text, and the count of descents.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/merge.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/merge.hpp"

namespace races::runs_of_merge {
namespace {

using words = std::vector<std::uint32_t>;

// Numbers that rise, some of them twice.
words rising(std::size_t n, std::uint32_t step) {
  words all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::uint32_t>(i * step / 2);
  return all;
}

// Tiles are as small as can be; the last one is short.
void merge_of(std::size_t a_n, std::size_t b_n, bool by_text, bool with_values = true) {
  machine on;
  testing::own_site site(on.queue(), "merge");
  site.row.merge = {.group_size = site.on.choice.lanes, .items = 3, .shares = 1000};
  words a = rising(a_n, 3), b = rising(b_n, 2), right(a_n + b_n), merged(a_n + b_n);
  std::merge(a.begin(), a.end(), b.begin(), b.end(), right.begin());
  std::vector<std::uint64_t> descents{9};
  const cl::Buffer x = on.buffer(a), y = on.buffer(b), out = on.buffer(merged),
                   values_out = on.buffer(merged), counted = on.buffer(descents);
  const clwave::element& key = clwave::element_of<std::uint32_t>();
  const clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  clwave::merge_problem problem{.a = {key, a_n},
                                .b = {key, b_n},
                                .out = key,
                                .less = by_text ? &less : nullptr,
                                .descents = clwave::element_of<std::uint64_t>()};
  std::vector<cl_mem> buffers{x(), y(), out()};
  if (with_values) {
    problem.a_values = problem.b_values = problem.values_out = clwave::any_view(key);
    buffers.insert(buffers.end(), {x(), y(), values_out()});
  }
  buffers.push_back(counted());
  site.run(problem, buffers);
  on.queue.enqueueReadBuffer(out, CL_TRUE, 0, merged.size() * 4, merged.data());
  bool all = merged == right;
  if (with_values) on.queue.enqueueReadBuffer(values_out, CL_TRUE, 0, merged.size() * 4, merged.data());
  all &= merged == right;
  on.queue.enqueueReadBuffer(counted, CL_TRUE, 0, 8, descents.data());
  check(all && descents[0] == 0, by_text ? "merge by a text" : "merge", a_n + b_n);
}

// Keys that are structures, which go straight to local memory.
void merge_points(std::size_t a_n, std::size_t b_n) {
  machine on;
  testing::own_site site(on.queue(), "merge");
  site.row.merge = {.group_size = site.on.choice.lanes, .items = 3, .shares = 1000};
  const auto points = [](std::size_t n, float step, float mark) {
    std::vector<triple> all(n);
    for (std::size_t i = 0; i < n; ++i) all[i] = {static_cast<float>(i) * step, mark, static_cast<float>(i)};
    return all;
  };
  const auto first = [](const triple& p, const triple& q) { return p.x < q.x; };
  const auto alike = [](const triple& p, const triple& q) { return p.x == q.x && p.y == q.y && p.z == q.z; };
  std::vector<triple> a = points(a_n, 2, 0), b = points(b_n, 3, 1), right(a_n + b_n), merged(a_n + b_n);
  std::ranges::merge(a, b, right.begin(), first);
  const cl::Buffer x = on.buffer(a), y = on.buffer(b), out = on.buffer(merged);
  const clwave::element& point = clwave::element_of<triple>();
  static const clwave::op by_x{.name = "by x", .source = "a.x < b.x", .identity = {}};
  const clwave::merge_problem problem{.a = {point, a_n}, .b = {point, b_n}, .out = point, .less = &by_x};
  site.run(problem, {x(), y(), out()});
  on.queue.enqueueReadBuffer(out, CL_TRUE, 0, merged.size() * sizeof(triple), merged.data());
  check(std::ranges::equal(merged, right, alike), "merge of structures", a_n + b_n);
}

void merges() {
  merge_of(301, 120, false);
  merge_of(120, 501, true);
  merge_of(1, 0, false);
  // Without values keys move as they are merged.
  merge_of(151, 120, false, false);
  merge_points(121, 90);
}

clwave::call_plan merge_of_structures(const clwave::plan_target& on) {
  const clwave::element& point = clwave::element_of<triple>();
  static const clwave::op by_x{.name = "by x", .source = "a.x < b.x", .identity = {}};
  return plan(clwave::merge_problem{.a = {point, 1 << 20},
                                    .b = {point, 1 << 20},
                                    .out = point,
                                    .a_values = point,
                                    .b_values = point,
                                    .values_out = point,
                                    .less = &by_x},
              on);
}

const registered listed("merge", {{.parts = {{"merge", merges}},
                                   .programs = {{"merge structures of 12 bytes", merge_of_structures}}}});

}  // namespace
}  // namespace races::runs_of_merge
