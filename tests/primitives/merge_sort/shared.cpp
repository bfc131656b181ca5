// What the tests of all primitives need of sorts by comparison: their calls, their plans, their keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "families/compared_sorts.hpp"
#include "families/sorted_keys.hpp"
#include "primitives/merge_sort.hpp"

namespace testing::parts_of_merge_sort {
namespace {

event_list events() {
  event_list all;
  all.add("sort_by_key, by an operator", {{9000, in}, {9000, in}, {9000, both}, {9000, both}},
          [](auto& q, auto& b, bool empty, auto& options) {
            const std::size_t n = empty ? 0 : 9000;
            return clwave::sort_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n}, view<u32>{b[2], 9000},
                                       view<u32>{b[3], 9000},
                                       given(clwave::op{.name = "less", .source = "a < b"}, options));
          });
  return all;
}

void plan_one_sort(planner& p, const clwave::plan_target& on) {
  static const clwave::op less{.name = "less", .source = "1", .identity = {}};
  const element& key = p.any_element();
  const element& value = p.any_element();
  const u64 n = p.size(), at = p.offset(), out_at = p.offset();
  clwave::sort_problem problem{.keys = {key, n, at}, .less = &less};
  const bool carries = p.coin();
  problem.keys_out = {key, 0, out_at};
  if (carries) problem.values = problem.values_out = value;
  p.plan(
      "sort by an operator of " + std::to_string(n) + " " + key.name, on,
      {times(wide{n} + at, key.size), times(wide{n} + out_at, key.size), carries ? times(n, value.size) : 0},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const planned_kernel &first = plan.kernels.front(), &last = plan.kernels.back();
        const bool cpu = first.group_size == 1;
        const wide run = cpu ? wide{argument(first, "tile")} : wide{word(plan, "ITEMS")} * first.group_size;
        if (first.groups != blocks_of(n, run)) return "other groups than tiles";
        std::size_t passes = 0;
        for (wide runs = first.groups; runs > 1; runs = blocks_of(runs, 2)) ++passes;
        const bool searches = !cpu && !has_word(plan, "FEW_TILES");
        if (plan.kernels.size() != 1 + (searches ? 2 : 1) * passes) return "another number of launches";
        if (!searches && !cpu && first.groups > first.group_size)
          return "more tiles than a group searches for";
        const wide moved = key.size + (carries ? value.size : 0);
        const bool spare = passes > 0 || (cpu && argument(first, "tile") > 16);
        if (spare &&
            plan.workspace_bytes < wide{n} * moved + (searches ? (wide{first.groups} - 1) * 8 : wide{0}))
          return "too small a workspace";
        if (passes == 0) return compare(last, {{"n", n}, {"keys_to_at", wide{out_at} * key.size}});
        if (wide{argument(last, "run")} * 2 < n) return "several runs are left";
        return compare(last, {{"n", n}, {"keys_to_at", wide{out_at} * key.size}});
      });
}

template <class T>
void compare_sort(call_comparer& r) {
  clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  less.values = r.some_values();
  compare_any_sort<T>(r, "sort by an operator", r.size(), {.keys = {}, .less = &less}, {.less = less}, false);
}

keyed random_sort(dice& d) {
  const random_comparison keys(d);
  const bool argsort = d.flip();
  return keyed_by(clwave::detail::merge_sort_variant{.keys = keys.made(),
                                                     .value_bytes = argsort ? 0u : 6 * d.below(3),
                                                     .index_bytes = argsort ? d.flip() ? 4u : 8u : 0,
                                                     .group_size = d.flip() ? 1u : 256u,
                                                     .items = one_or_two(d)});
}

std::vector<float> in_order_by_text(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  const clwave::op larger{.name = "larger", .source = "a > b", .identity = {}};
  clwave::sort(on.queue, in, out.view(), {.less = larger}).wait();
  return out.read_guarded();
}

const registered_parts listed("merge_sort", {{.events = events,
                                              .plans = {{"merge_sort", plan_one_sort}},
                                              .compared = {{4, compare_sort<float>, rows_without_lanes}},
                                              .keys = {{"merge_sort", random_sort}},
                                              .results = {{"merge_sort", in_order_by_text}}}});

}  // namespace
}  // namespace testing::parts_of_merge_sort
