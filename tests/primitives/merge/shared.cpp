// What the tests of all primitives need of merge: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "families/sorted_keys.hpp"
#include "primitives/merge.hpp"

namespace testing::parts_of_merge {
namespace {

event_list events() {
  event_list all;
  // In one launch of a GPU, and in several.
  for (const std::size_t n : {700, 9000}) {
    all.add(n == 700 ? "merge" : "merge, many elements",
            {{.n = n, .use = in, .rises = true}, {.n = n, .use = in, .rises = true}, {2 * n, out}},
            [n](auto& q, auto& b, bool empty, auto& options) {
              return clwave::merge(q, part<u32>(b[0], n, empty), part<u32>(b[1], n, empty),
                                   view<u32>{b[2], 2 * n}, given(options));
            });
  }
  all.add("merge_by_key, counted",
          {{.n = 900, .use = in, .rises = true},
           {900, in},
           {.n = 900, .use = in, .rises = true},
           {900, in},
           {1800, out},
           {1800, out},
           {2, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::merge_by_key(q, part<u32>(b[0], 900, empty), part<u32>(b[1], 900, empty),
                                        part<u32>(b[2], 900, empty), part<u32>(b[3], 900, empty),
                                        view<u32>{b[4], 1800}, view<u32>{b[5], 1800}, view<u64>{b[6], 1},
                                        given(options));
          });
  return all;
}

std::vector<count_call> counts() {
  constexpr std::size_t n = 900;
  const call_operand sorted{.n = n, .rises = true};
  return {{"checked_merge",
           {sorted, sorted, {2 * n, out}},
           [](auto& q, auto& b, bool empty, auto& options) {
             clwave::checked_merge(q, part<u32>(b[0], n, empty), part<u32>(b[1], n, empty),
                                   view<u32>{b[2], 2 * n}, given(options));
             return 0;
           }},
          {"checked_merge_by_key",
           {sorted, {n, in}, sorted, {n, in}, {2 * n, out}, {2 * n, out}},
           [](auto& q, auto& b, bool empty, auto& options) {
             clwave::checked_merge_by_key(q, part<u32>(b[0], n, empty), part<u32>(b[1], n, empty),
                                          part<u32>(b[2], n, empty), part<u32>(b[3], n, empty),
                                          view<u32>{b[4], 2 * n}, view<u32>{b[5], 2 * n}, given(options));
             return 0;
           }}};
}

void plan_one_merge(planner& p, const clwave::plan_target& on) {
  static const clwave::op less{.name = "less", .source = "1", .identity = {}};
  const element& key = p.any_element();
  const element& value = p.any_element();
  const u64 a_n = p.size(), b_n = p.size(), a_at = p.offset(), b_at = p.offset(), out_at = p.offset();
  const bool carries = p.coin();
  clwave::merge_problem problem{.a = {key, a_n, a_at},
                                .b = {key, b_n, b_at},
                                .out = {key, 0, out_at},
                                .less = key.components > 1 || p.coin() ? &less : nullptr};
  if (p.coin()) problem.descents = element_of<u64>();
  if (carries) problem.a_values = problem.b_values = problem.values_out = value;
  const wide n = wide{a_n} + b_n;
  std::vector<wide> operands{times(wide{a_n} + a_at, key.size), times(wide{b_n} + b_at, key.size),
                             times(n + out_at, key.size)};
  if (carries)
    operands.insert(operands.end(), {times(a_n, value.size), times(b_n, value.size), times(n, value.size)});
  p.plan(
      "merge of " + std::to_string(a_n) + " and " + std::to_string(b_n) + " " + key.name, on, operands,
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const planned_kernel& last = plan.kernels.back();
        const std::size_t counts = problem.descents ? 2 : 0;
        wide bytes = counts != 0 ? plan.kernels[0].groups * 8 : 0;
        if (last.group_size == 1) {
          if (plan.kernels.size() != 1 + counts) return "not one launch of a CPU";
          if (last.groups > n) return "more shares than elements";
        } else {
          const wide tiles = blocks_of(n, wide{word(plan, "ITEMS")} * last.group_size);
          if (last.groups != tiles) return "other groups than tiles";
          const bool searches = tiles > 1 && !has_word(plan, "FEW_TILES");
          if (plan.kernels.size() != (searches ? 2 : 1) + counts) return "another number of launches";
          if (!searches && tiles > last.group_size) return "more tiles than a group searches for";
          if (searches && argument(plan.kernels[counts], "ends") != tiles - 1)
            return "other ends than tiles have";
          if (searches && plan.kernels[counts].groups * last.group_size < tiles - 1)
            return "too few searches";
          if (searches) bytes += (tiles - 1) * 8;
        }
        if (plan.workspace_bytes < bytes) return "too small a workspace";
        return compare(
            last,
            {{"a_n", a_n}, {"b_n", b_n}, {"a_offset", a_at}, {"b_offset", b_at}, {"out_offset", out_at}});
      });
}

template <class T>
void compare_merge(call_comparer& r) {
  const std::size_t a_n = r.size(), b_n = r.size(), n = a_n + b_n;
  const std::size_t a_at = r.offset(), b_at = a_n + r.offset(), out_at = r.offset();
  const bool carries = r.coin(), counts = r.coin() && n != 0, by_text = r.coin();
  clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  less.values = r.some_values();
  const sort_order order{.descending = r.coin(), .first_bit = r.coin() ? 0u : 3u};
  const std::size_t value_at = 64 + r.offset();  // behind the count
  clwave::merge_problem problem{.a = {element_of<T>(), a_n, a_at},
                                .b = {element_of<T>(), b_n, b_at},
                                .out = {element_of<T>(), n, out_at}};
  if (counts) problem.descents = element_of<u64>();
  if (by_text)
    problem.less = &less;
  else
    problem.order = order;
  if (carries) {
    problem.a_values = problem.b_values = any_view{element_of<float>(), 0, 0};
    problem.values_out = {element_of<float>(), 0, value_at};
  }
  r.compare_call(
      "merge of " + std::to_string(a_n) + " and " + std::to_string(b_n) + " " + element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto a = r.in<T>(0, a_n, a_at), b = r.in<T>(0, b_n, b_at), out = r.in<T>(2, n, out_at);
        const auto a_values = r.in<float>(1, a_n), b_values = r.in<float>(1, b_n),
                   values = r.in<float>(3, n, value_at);
        const auto count = r.in<u64>(3, 1);
        if (carries && counts && by_text)
          clwave::merge_by_key(r.queue(), a, a_values, b, b_values, out, values, count, {.less = less});
        else if (carries && counts)
          clwave::merge_by_key(r.queue(), a, a_values, b, b_values, out, values, count, given(order));
        else if (carries && by_text)
          clwave::merge_by_key(r.queue(), a, a_values, b, b_values, out, values, {.less = less});
        else if (carries)
          clwave::merge_by_key(r.queue(), a, a_values, b, b_values, out, values, given(order));
        else if (counts && by_text)
          clwave::merge(r.queue(), a, b, out, count, {.less = less});
        else if (counts)
          clwave::merge(r.queue(), a, b, out, count, given(order));
        else if (by_text)
          clwave::merge(r.queue(), a, b, out, {.less = less});
        else
          clwave::merge(r.queue(), a, b, out, given(order));
      });
}

keyed random_merge(dice& d) {
  const random_comparison keys(d);
  return keyed_by(clwave::detail::merge_variant{.keys = keys.made(),
                                                .value_bytes = 6 * d.below(3),
                                                .group_size = d.flip() ? 1u : 256u,
                                                .items = one_or_two(d),
                                                .registers = d.flip() ? 0u : 64u});
}

// The text of an order by itself: 100 numbers with none.
std::vector<float> merge_by_text(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const cl::Buffer out = on.buffer_of(std::vector<float>(100));
  clwave::merge(
      on.queue, view<float>{in, 60}, view<float>{in, 40, 60}, view<float>{out, 100},
      {.less =
           clwave::op{
               .name = own.name, .source = own.source, .identity = {}, .declarations = own.declarations}})
      .wait();
  return on.read<float>(out, 100);
}

// Merges ranges of its own: a merge's must be sorted, so of `in` it takes the size alone.
std::vector<float> merged(const fixture& on, const view<float>& in) {
  const cl::Buffer both = on.buffer_of(some_sorted(in.size(), 3));
  const std::size_t half = in.size() / 2;
  const guarded_buffer<float> out(on, in.size());
  clwave::merge(on.queue, view<float>{both, half}, view<float>{both, in.size() - half, half / 2}, out.view())
      .wait();
  return out.read_guarded();
}

const registered_parts listed("merge", {{.events = events,
                                         .counts = counts,
                                         .plans = {{"merge", plan_one_merge}},
                                         .compared = {{4, compare_merge<float>, rows_without_lanes},
                                                      {1, compare_merge<std::uint8_t>, rows_without_lanes}},
                                         .keys = {{"merge", random_merge}},
                                         .results = {{"merge", merged}},
                                         .texts = {{"order of a merge", "a < b", false, merge_by_text}}}});

}  // namespace
}  // namespace testing::parts_of_merge
