// What the tests of all primitives need of lower_bound and upper_bound: their calls, their plans, their keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "families/sorted_keys.hpp"
#include "primitives/bounds.hpp"

namespace testing::parts_of_bounds {
namespace {

event_list events() {
  event_list all;
  all.add("lower_bound", {{.n = 5000, .use = in, .rises = true}, {3000, in}, {3000, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::lower_bound(q, view<u32>{b[0], 5000}, part<u32>(b[1], 3000, empty),
                                       view<u32>{b[2], 3000}, given(options));
          });
  return all;
}

void plan_one_search(planner& p, const clwave::plan_target& on) {
  static const clwave::op less{.name = "less", .source = "1", .identity = {}};
  const element& key = p.any_element();
  const u64 n = p.size(), count = p.size(), at = p.offset(), needles_at = p.offset(), out_at = p.offset();
  const clwave::bounds_problem problem{.in = {key, n, at},
                                       .needles = {key, count, needles_at},
                                       .out = {element_of<u64>(), count, out_at},
                                       .less = key.components > 1 || p.coin() ? &less : nullptr,
                                       .upper = p.coin()};
  p.plan(
      "bounds of " + std::to_string(count) + " in " + std::to_string(n) + " " + key.name, on,
      {times(wide{n} + at, key.size), times(wide{count} + needles_at, key.size),
       times(wide{count} + out_at, 8)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (count == 0) return count_kernels(plan, count);
        const planned_kernel& last = plan.kernels.back();
        if (plan.kernels.size() != 1) return "not one launch";
        if (last.group_size > 1) {
          const wide each_once = blocks_of(count, wide{word(plan, "ITEMS")} * last.group_size);
          // Groups that hold a large table go over several blocks of needles.
          if (last.groups != each_once && !(has_word(plan, "LEVELS") && last.groups * 2 <= each_once))
            return "other groups than needles ask for";
        }
        if (last.groups > count) return "more groups than needles";
        return compare(last, {{"n", n}, {"count", count}, {"x_offset", at}, {"out_offset", out_at}});
      });
}

template <class T>
void compare_bounds(call_comparer& r) {
  const std::size_t n = r.size(), count = r.size(), at = r.offset(), needles_at = r.offset(),
                    out_at = r.offset();
  const bool by_text = r.coin(), upper = r.coin();
  clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  less.values = r.some_values();
  const sort_order order{.descending = r.coin(), .first_bit = r.coin() ? 0u : 3u};
  clwave::bounds_problem problem{.in = {element_of<T>(), n, at},
                                 .needles = {element_of<T>(), count, needles_at},
                                 .out = {element_of<u32>(), count, out_at},
                                 .upper = upper};
  if (by_text)
    problem.less = &less;
  else
    problem.order = order;
  r.compare_call(
      "bounds of " + std::to_string(count) + " in " + std::to_string(n) + " " + element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto x = r.in<T>(0, n, at), y = r.in<T>(1, count, needles_at);
        const auto out = r.in<u32>(2, count, out_at);
        if (upper && by_text)
          clwave::upper_bound(r.queue(), x, y, out, {.less = less});
        else if (upper)
          clwave::upper_bound(r.queue(), x, y, out, given(order));
        else if (by_text)
          clwave::lower_bound(r.queue(), x, y, out, {.less = less});
        else
          clwave::lower_bound(r.queue(), x, y, out, given(order));
      });
}

keyed random_bounds(dice& d) {
  const random_comparison keys(d);
  return keyed_by(clwave::detail::bounds_variant{.keys = keys.made(),
                                                 .upper = d.flip(),
                                                 .wide_indices = d.flip(),
                                                 .group_size = d.flip() ? 1u : 256u,
                                                 .items = one_or_two(d)});
}

// Where each lies in a range of small whole numbers.
std::vector<float> found_places(const fixture& on, const view<float>& in) {
  const cl::Buffer range = on.buffer_of(some_sorted(1500, 3));
  const guarded_buffer<u32> places(on, in.size());
  clwave::upper_bound(on.queue, view<float>{range, 1500}, in, places.view()).wait();
  const std::vector<u32> all = places.read_guarded();
  return {all.begin(), all.end()};
}

const registered_parts listed("bounds", {{.events = events,
                                          .plans = {{"bounds", plan_one_search}},
                                          .compared = {{3, compare_bounds<float>, rows_without_lanes}},
                                          .keys = {{"bounds", random_bounds}},
                                          .results = {{"bounds", found_places}}}});

}  // namespace
}  // namespace testing::parts_of_bounds
