// What the tests of all primitives need of set operations: their calls, their plans, their keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "families/sorted_keys.hpp"
#include "primitives/set_operations.hpp"

namespace testing::parts_of_set_operations {
namespace {

using clwave::set_kind;

constexpr set_kind kinds[] = {set_kind::set_union, set_kind::intersection, set_kind::difference,
                              set_kind::symmetric_difference};

event_list events() {
  event_list all;
  all.add(
      "set_union",
      {{.n = 9000, .use = in, .rises = true}, {.n = 9000, .use = in, .rises = true}, {18000, out}, {2, out}},
      [](auto& q, auto& b, bool empty, auto& options) {
        return clwave::set_union(q, part<u32>(b[0], 9000, empty), part<u32>(b[1], 9000, empty),
                                 view<u32>{b[2], 18000}, view<u64>{b[3], 1}, given(options));
      });
  return all;
}

std::vector<count_call> counts() {
  constexpr std::size_t n = 5000;
  return {{"set_difference",
           {{.n = n, .use = in, .rises = true}, {.n = n, .use = in, .rises = true}, {n, out}},
           [](auto& q, auto& b, bool empty, auto& options) {
             return clwave::set_difference(q, part<u32>(b[0], n, empty), part<u32>(b[1], n, empty),
                                           view<u32>{b[2], n}, given(options));
           }}};
}

void plan_one_set(planner& p, const clwave::plan_target& on) {
  static const clwave::op less{.name = "less", .source = "1", .identity = {}};
  const element& key = p.any_element();
  const u64 a_n = p.size(), b_n = p.size(), a_at = p.offset(), b_at = p.offset(), out_at = p.offset();
  const set_kind kind = p.one_of(kinds);
  const wide n = wide{a_n} + b_n;
  const u64 most = kind == set_kind::intersection ? std::min(a_n, b_n)
                   : kind == set_kind::difference ? a_n
                                                  : a_n + b_n;
  const clwave::set_problem problem{.kind = kind,
                                    .a = {key, a_n, a_at},
                                    .b = {key, b_n, b_at},
                                    .out = {key, most, out_at},
                                    .less = key.components > 1 || p.coin() ? &less : nullptr};
  p.plan(
      "set operation of " + std::to_string(a_n) + " and " + std::to_string(b_n) + " " + key.name, on,
      {times(wide{a_n} + a_at, key.size), times(wide{b_n} + b_at, key.size), n,
       times((kind == set_kind::intersection || kind == set_kind::difference ? wide{most} : n) + out_at,
             key.size)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const planned_kernel& last = plan.kernels.back();
        const wide tiles = blocks_of(n, wide{word(plan, "ITEMS")} * last.group_size);
        if (last.groups != tiles) return "other groups than tiles";
        const bool messages = last.name == "set_kept", searches = last.group_size > 1 && tiles > 1;
        if (plan.kernels.size() != (messages ? 1u : 3u) + (searches ? 1u : 0u))
          return "another number of launches";
        if (searches && argument(plan.kernels[0], "begins") != tiles - 1)
          return "other begins than tiles have";
        if (searches && plan.kernels[0].groups * last.group_size < tiles - 1) return "too few searches";
        const wide slot = messages ? word(plan, "COUNT_WORDS") * 8 : 8;
        if (plan.workspace_bytes < tiles * slot + (searches ? (tiles - 1) * 24 : wide{0}))
          return "too small a workspace";
        return compare(
            last,
            {{"a_n", a_n}, {"b_n", b_n}, {"a_offset", a_at}, {"out_offset", out_at}, {"capacity", most}});
      });
}

template <class T>
void compare_sets(call_comparer& r) {
  const std::size_t a_n = r.size(), b_n = std::max<std::size_t>(r.size(), 1),
                    capacity = r.random.below(a_n + b_n + 1);
  const std::size_t a_at = r.offset(), b_at = r.offset(), out_at = r.offset();
  const bool by_text = r.coin();
  const set_kind kind = kinds[r.random.below(4)];
  clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  less.values = r.some_values();
  const sort_order order{.descending = r.coin()};
  clwave::set_problem problem{.kind = kind,
                              .a = {element_of<T>(), a_n, a_at},
                              .b = {element_of<T>(), b_n, b_at},
                              .out = {element_of<T>(), capacity, out_at}};
  if (by_text)
    problem.less = &less;
  else
    problem.order = order;
  r.compare_call(
      "set operation of " + std::to_string(a_n) + " and " + std::to_string(b_n) + " " + element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto a = r.in<T>(0, a_n, a_at), b = r.in<T>(1, b_n, b_at), out = r.in<T>(2, capacity, out_at);
        const auto count = r.in<u64>(3, 1);
        if (kind == set_kind::set_union && by_text)
          clwave::set_union(r.queue(), a, b, out, count, {.less = less});
        else if (kind == set_kind::set_union)
          clwave::set_union(r.queue(), a, b, out, count, given(order));
        else if (kind == set_kind::intersection && by_text)
          clwave::set_intersection(r.queue(), a, b, out, count, {.less = less});
        else if (kind == set_kind::intersection)
          clwave::set_intersection(r.queue(), a, b, out, count, given(order));
        else if (kind == set_kind::difference && by_text)
          clwave::set_difference(r.queue(), a, b, out, count, {.less = less});
        else if (kind == set_kind::difference)
          clwave::set_difference(r.queue(), a, b, out, count, given(order));
        else if (by_text)
          clwave::set_symmetric_difference(r.queue(), a, b, out, count, {.less = less});
        else
          clwave::set_symmetric_difference(r.queue(), a, b, out, count, given(order));
      });
}

keyed random_set(dice& d) {
  const random_comparison keys(d);
  return keyed_by(
      clwave::detail::set_variant{.kind = kinds[d.below(4)],
                                  .keys = keys.made(),
                                  .messages = {.one_pass = d.flip(), .in_order_of_start = d.flip()},
                                  .group_size = d.flip() ? 1u : 256u,
                                  .items = one_or_two(d),
                                  .registers = d.flip() ? 0u : 64u});
}

// Of ranges of its own, which are sorted: of `in` it takes the size alone.
std::vector<float> united(const fixture& on, const view<float>& in) {
  const std::size_t n = in.size() / 2;
  const cl::Buffer a = on.buffer_of(some_sorted(n, 3)), b = on.buffer_of(some_sorted(n, 5));
  const guarded_buffer<float> out(on, in.size());
  const u64 count = clwave::set_union(on.queue, view<float>{a, n}, view<float>{b, n}, out.view());
  std::vector<float> all = out.read_guarded();
  all.resize(count);
  return all;
}

const registered_parts listed("set_operations", {{.events = events,
                                                  .counts = counts,
                                                  .plans = {{"set_operations", plan_one_set}},
                                                  .compared = {{3, compare_sets<float>, rows_without_lanes}},
                                                  .keys = {{"set_operations", random_set}},
                                                  .results = {{"set_operations", united}}}});

}  // namespace
}  // namespace testing::parts_of_set_operations
