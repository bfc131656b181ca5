// What the tests of all primitives need of segmented_sort: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "families/compared_sorts.hpp"
#include "families/sorted_keys.hpp"
#include "primitives/segmented_sort.hpp"

namespace testing::parts_of_segmented_sort {
namespace {

// Whatever the offsets are, of which most are bad: then nothing is written, or what is in order.
event_list events() {
  event_list all;
  all.add("segmented_sort", {{9000, in}, {2, in}, {9000, both}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::segmented_sort(q, view<u32>{b[0], 9000}, view<u32>{b[1], empty ? 1u : 2u},
                                          view<u32>{b[2], 9000}, given(options));
          });
  return all;
}

std::vector<count_call> counts() {
  const auto plain = [](const launch_options& options) { return given(options); };
  return checked_segmented_sorts("", plain, plain);
}

void plan_one_sort(planner& p, const clwave::plan_target& on) {
  static const clwave::op less{.name = "less", .source = "1", .identity = {}};
  const element& key = p.any_element();
  const element& value = p.any_element();
  const u64 n = p.size(), segments = p.size(), at = p.offset(), out_at = p.offset();
  const bool carries = p.coin();
  clwave::sort_problem problem{
      .keys = {key, n, at},
      .keys_out = any_view{key, 0, out_at},
      .less = key.components > 1 || p.coin() ? &less : nullptr,
      .offsets = any_view(element_of<u64>(), segments + 1),
      .bad = p.coin() ? std::optional(any_view(element_of<u64>(), 1)) : std::nullopt};
  if (carries) problem.values = problem.values_out = value;
  p.plan(
      "sort of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " + key.name, on,
      {times(wide{n} + at, key.size), times(wide{n} + out_at, key.size), times(wide{segments} + 1, 8),
       carries ? times(n, value.size) : 0},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (segments == 0) return count_kernels(plan, segments);
        const planned_kernel &check = plan.kernels[0], &tiles = plan.kernels[1], &last = plan.kernels.back();
        const wide tile = word(plan, "SEGMENT_TILE");
        const bool cpu = last.group_size == 1;
        if (!cpu && tile != wide{word(plan, "ITEMS")} * last.group_size)
          return "another tile than a group has";
        std::size_t passes = 0;
        for (wide runs = blocks_of(n, tile); runs > 1; runs = blocks_of(runs, 2)) ++passes;
        if (plan.kernels.size() != 2 + passes) return "another number of launches";
        if (check.name != "segmented_sort_check" || tiles.groups != last.groups) return "other groups";
        if ((cpu || passes > 0) && plan.workspace_bytes < wide{n} * (key.size + (carries ? value.size : 0)))
          return "too small a workspace";
        return compare(tiles,
                       {{"n", n}, {"keys_offset", at}, {"out_offset", out_at}, {"segments", segments}});
      });
}

template <class T>
void compare_sort(call_comparer& r) {
  const std::size_t n = r.size(), segments = r.random.below(60), keys = r.offset(), values = 64 + r.offset(),
                    offsets = r.offset(), out = r.offset();
  const bool by_text = r.coin(), carries = r.coin(), counts = r.coin() && segments != 0, in_place = r.coin();
  clwave::op less{.name = "less", .source = "a < b", .identity = {}};
  less.values = r.some_values();
  const sort_order order{.descending = r.coin(), .first_bit = r.coin() ? 0u : 3u};
  const any_view number(element_of<u64>(), 1, 1);
  any_view offsets_there(element_of<u32>(), segments + 1, offsets);
  if (r.coin()) offsets_there.count = &number;
  clwave::sort_problem problem{.keys = {element_of<T>(), n, keys},
                               .keys_out = any_view{element_of<T>(), 0, in_place ? keys : out},
                               .offsets = offsets_there,
                               .bad = counts ? std::optional(any_view(element_of<u64>(), 1)) : std::nullopt};
  if (by_text)
    problem.less = &less;
  else
    problem.order = order;
  if (carries) problem.values = problem.values_out = any_view{element_of<float>(), 0, values};
  r.compare_call(
      "sort of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " +
          element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto k = r.in<T>(0, n, keys), to = in_place ? k : r.in<T>(2, n, out);
        const auto at = r.in<u32>(1, segments + 1, offsets);
        const auto x = r.in<float>(3, n, values);
        const auto bad = r.in<u64>(3, 1);
        const auto call = [&](const auto& of) {
          if (carries && counts && by_text)
            clwave::segmented_sort_by_key(r.queue(), k, x, of, to, x, bad, {.less = less});
          else if (carries && counts)
            clwave::segmented_sort_by_key(r.queue(), k, x, of, to, x, bad, given(order));
          else if (carries && by_text)
            clwave::segmented_sort_by_key(r.queue(), k, x, of, to, x, {.less = less});
          else if (carries)
            clwave::segmented_sort_by_key(r.queue(), k, x, of, to, x, given(order));
          else if (counts && by_text)
            clwave::segmented_sort(r.queue(), k, of, to, bad, {.less = less});
          else if (counts)
            clwave::segmented_sort(r.queue(), k, of, to, bad, given(order));
          else if (by_text)
            clwave::segmented_sort(r.queue(), k, of, to, {.less = less});
          else
            clwave::segmented_sort(r.queue(), k, of, to, given(order));
        };
        if (offsets_there.count != nullptr)
          call(at.first_segments(r.in<u64>(3, 1, 1)));
        else
          call(at);
      });
}

keyed random_sort(dice& d) {
  const random_comparison keys(d);
  return keyed_by(clwave::detail::segmented_sort_variant{.keys = keys.made(),
                                                         .value_bytes = 6 * d.below(3),
                                                         .wide_offsets = d.flip(),
                                                         .counts_bad = d.flip(),
                                                         .group_size = d.flip() ? 1u : 256u,
                                                         .items = one_or_two(d),
                                                         .tile = d.flip() ? 512u : 1024u,
                                                         .count_bytes = d.flip() ? 0u : 8u});
}

// Segments of every kind: short and empty ones, and one of more than a tile.
std::vector<float> each_in_order(const fixture& on, const view<float>& in) {
  const std::vector<u32> offsets = some_offsets(in.size());
  const cl::Buffer places = on.buffer_of(offsets);
  const guarded_buffer<float> out(on, in.size());
  clwave::segmented_sort(on.queue, in, view<u32>{places, offsets.size()}, out.view()).wait();
  return out.read_guarded();
}

const registered_parts listed("segmented_sort", {{.events = events,
                                                  .counts = counts,
                                                  .plans = {{"segmented_sort", plan_one_sort}},
                                                  .compared = {{4, compare_sort<float>, rows_without_lanes}},
                                                  .keys = {{"segmented_sort", random_sort}},
                                                  .results = {{"segmented_sort", each_in_order}}}});

}  // namespace
}  // namespace testing::parts_of_segmented_sort
