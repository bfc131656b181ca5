// set_operations: of a few tiles, in several launches, and in one pass where groups find messages and where
// they find none.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <clwave/profile.hpp>
#include <clwave/set_operations.hpp>

#include "harness/own_site.hpp"
#include "offline_parts.hpp"
#include "own_types.hpp"
#include "primitives/set_operations.hpp"

namespace races::runs_of_set_operations {
namespace {

using words = std::vector<std::uint32_t>;

// The order of groups is AMD's where they send messages, whose fences races.py leaves out. Where its groups
// take their tiles from the last to the first (`set-backwards`), each finds no messages, looks again, and
// makes the tiles before its own itself. Tiles are as small as can be, the last one is short.
void sets_of(clwave::set_kind kind, bool messages) {
  machine on;
  testing::own_site site(on.queue(), "set_operations");
  site.on.choice.order = messages ? clwave::group_order::amd_fence : clwave::group_order::two_launches;
  site.row.merge = {.group_size = site.on.choice.lanes, .items = 3, .shares = 1000};
  site.row.scan.looks = 2;
  site.row.scan.in_order_of_start = messages && kind == clwave::set_kind::set_union;
  words a, b, right;
  for (std::uint32_t i = 0; i < 500; ++i) {
    if (i % 5 < 3) a.push_back(i / 7);
    if (i % 3 < 2) b.push_back(i / 5);
  }
  // The last tile has elements of the first range alone, and work-items without any.
  for (std::uint32_t i = 0; i < 122; ++i) a.push_back(1000 + i);
  const auto to = std::back_inserter(right);
  if (kind == clwave::set_kind::set_union)
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), to);
  else if (kind == clwave::set_kind::intersection)
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to);
  else
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), to);
  words result(a.size() + b.size());
  std::vector<std::uint64_t> count{0};
  const cl::Buffer x = on.buffer(a), y = on.buffer(b), out = on.buffer(result), counted = on.buffer(count);
  const clwave::element& key = clwave::element_of<std::uint32_t>();
  const clwave::set_problem problem{
      .kind = kind, .a = {key, a.size()}, .b = {key, b.size()}, .out = {key, result.size()}};
  site.run(problem, {x(), y(), out(), counted()});
  on.queue.enqueueReadBuffer(out, CL_TRUE, 0, result.size() * 4, result.data());
  on.queue.enqueueReadBuffer(counted, CL_TRUE, 0, 8, count.data());
  result.resize(std::min<std::size_t>(count[0], result.size()));
  check(result == right, messages ? "set operations with messages" : "set operations", a.size() + b.size());
}

void sets() {
  sets_of(clwave::set_kind::set_union, false);
  sets_of(clwave::set_kind::symmetric_difference, false);
}

void sets_with_messages() {
  sets_of(clwave::set_kind::intersection, true);
  sets_of(clwave::set_kind::set_union, true);
}

clwave::call_plan sets_of_structures(const clwave::plan_target& on) {
  static const clwave::op by_x{.name = "by x", .source = "a.x < b.x", .identity = {}};
  const clwave::element& point = clwave::element_of<triple>();
  return plan(clwave::set_problem{.kind = clwave::set_kind::symmetric_difference,
                                  .a = {point, many_elements},
                                  .b = {point, many_elements},
                                  .out = {point, 2 * many_elements},
                                  .less = &by_x},
              on);
}

const registered listed(
    "set_operations",
    {{.parts = {{"set", sets}, {"set-messages", sets_with_messages}, {"set-backwards", sets_with_messages}},
      .programs = {{"set_operations structures of 12 bytes", sets_of_structures}}}});

}  // namespace
}  // namespace races::runs_of_set_operations
