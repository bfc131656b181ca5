// What the tests of all primitives need of top_k: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "primitives/top_k.hpp"

namespace testing::parts_of_top_k {
namespace {

event_list events() {
  event_list all;
  // By one group or core, by samples and a list, and of all, sorted.
  struct {
    const char* name;
    std::size_t n, k;
  } const calls[] = {
      {"top_k", 9000, 50}, {"top_k of many keys", 40000, 50}, {"top_k by a sort of many keys", 9000, 5000}};
  for (const auto& each : calls) {
    all.add(each.name, {{each.n, in}, {each.k, out}, {each.k, out}},
            [each](auto& q, auto& b, bool empty, auto& options) {
              const std::size_t k = empty ? 0 : each.k;
              return clwave::top_k(q, part<u32>(b[0], each.n, empty), view<u32>{b[1], each.k},
                                   view<u32>{b[2], each.k}, k, given(options));
            });
  }
  // Whatever the offsets are, of which most are bad.
  all.add("segmented_top_k", {{9000, in}, {2, in}, {40, out}, {40, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::segmented_top_k(q, view<u32>{b[0], 9000}, view<u32>{b[1], empty ? 1u : 2u},
                                           view<u32>{b[2], 40}, view<u32>{b[3], 40}, 40, given(options));
          });
  return all;
}

// Offsets that rise are good ones.
std::vector<count_call> counts() {
  constexpr std::size_t n = 5000, segments = 60, k = 7;
  const call_operand offsets{.n = segments + 1, .rises = true};
  return {{"checked_segmented_top_k",
           {{n, in}, offsets, {segments * k, out}, {segments * k, out}},
           [=](auto& q, auto& b, bool empty, auto& options) {
             clwave::checked_segmented_top_k(q, view<u32>{b[0], n}, view<u32>{b[1], empty ? 1 : segments + 1},
                                             view<u32>{b[2], segments * k}, view<u32>{b[3], segments * k}, k,
                                             given(options));
             return 0;
           }}};
}

void plan_one_top_k(planner& p, const clwave::plan_target& on) {
  const element& key = p.any_element();
  const u64 n = p.size(), at = p.offset(), values_at = p.offset(), indices_at = p.offset();
  const u64 k = std::min(n, p.coin() ? p.random.below(300) : p.size());
  const element& index = n >> 32 == 0 && p.coin() ? element_of<u32>() : element_of<u64>();
  const clwave::top_k_problem problem{.in = {key, n, at},
                                      .values = {key, k, values_at},
                                      .indices = {index, k, indices_at},
                                      .k = k,
                                      .descending = p.coin()};
  p.plan(
      "top_k of " + std::to_string(n) + " " + key.name, on,
      {reach(n, at, key.size), reach(k, values_at, key.size), reach(k, indices_at, index.size)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (k == 0) return count_kernels(plan, k);
        const planned_kernel& last = plan.kernels.back();
        if (const std::string wrong = compare(
                last,
                {{"k", k}, {"x_offset", at}, {"values_offset", values_at}, {"indices_offset", indices_at}});
            !wrong.empty())
          return wrong;
        if (last.name == "top_k_take") {
          if (plan.workspace_bytes < times(n, index.size)) return "no room for all indices";
          return "";
        }
        if (last.groups != 1) return "several groups that finish";
        if (plan.kernels.size() == 1) return plan.workspace_bytes <= 256 ? "" : "a list for one launch";
        const u64 capacity = argument(last, "capacity");
        if (capacity < k || capacity > n) return "a list of " + std::to_string(capacity);
        if (plan.workspace_bytes < times(capacity, wide{key.size} + index.size))
          return "no room for the list";
        for (const planned_kernel& kernel : plan.kernels) {
          if (kernel.name != "top_k_bound") continue;
          const u64 rank = argument(kernel, "rank"), sampled = argument(kernel, "sampled");
          if (rank == 0 || sampled > capacity) return "a bound of no rank, or a sample past the list";
        }
        return compare(last, {{"n", n}, {"listed", 1}});
      });
}

void plan_one_of_segments(planner& p, const clwave::plan_target& on) {
  const element& key = p.any_element();
  const u64 n = p.size(), segments = p.size(), at = p.offset(), values_at = p.offset();
  const u64 k = p.coin() ? p.random.below(300) : p.size();
  const element& index = n >> 32 == 0 && p.coin() ? element_of<u32>() : element_of<u64>();
  const clwave::segmented_top_k_problem problem{
      .in = {key, n, at},
      .offsets = any_view(element_of<u64>(), segments + 1),
      .values = {key, 0, values_at},
      .indices = index,
      .k = k,
      .descending = p.coin(),
      .bad = p.coin() ? std::optional(any_view(element_of<u64>(), 1)) : std::nullopt};
  p.plan(
      "top_k of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " + key.name, on,
      {reach(n, at, key.size), times(times(segments, k) + values_at, key.size),
       times(times(segments, k), index.size), times(wide{segments} + 1, 8)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (segments == 0 || (k == 0 && !problem.bad)) return count_kernels(plan, 0);
        const planned_kernel &check = plan.kernels[0], &tiles = plan.kernels[1], &last = plan.kernels.back();
        const wide tile = word(plan, "SEGMENT_TILE");
        std::size_t passes = 0;
        for (wide runs = blocks_of(n, tile); runs > 1; runs = blocks_of(runs, 2)) ++passes;
        if (plan.kernels.size() != 2 + passes) return "another number of launches";
        if (check.name != "segmented_sort_check" || tiles.groups != last.groups) return "other groups";
        const unsigned rooms = last.group_size == 1 || passes > 1 ? 2 : passes > 0 ? 1 : 0;
        if (plan.workspace_bytes < times(wide{n} * rooms, key.size + index.size))
          return "too small a workspace";
        return compare(last, {{"n", n}, {"kept", k}, {"best_offset", values_at}, {"segments", segments}});
      });
}

template <class T>
void compare_top_k(call_comparer& r) {
  const std::size_t n = r.size(),
                    k = n == 0 ? 0 : r.random.below(r.coin() ? n + 1 : std::min<std::size_t>(n, 200)),
                    at = r.offset(), values_at = r.offset(), indices_at = r.offset();
  const clwave::top_k_options order{.descending = r.coin()};
  r.compare_call(
      "top_k of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        return plan(clwave::top_k_problem{.in = {element_of<T>(), n, at},
                                          .values = {element_of<T>(), k, values_at},
                                          .indices = {element_of<u32>(), k, indices_at},
                                          .k = k,
                                          .descending = order.descending},
                    r.target());
      },
      [&] {
        clwave::top_k(r.queue(), r.in<T>(0, n, at), r.in<T>(1, k, values_at), r.in<u32>(2, k, indices_at), k,
                      order);
      });
}

template <class T>
void compare_best_of_segments(call_comparer& r) {
  const std::size_t n = r.size(), segments = r.random.below(60), k = r.random.below(30), at = r.offset(),
                    offsets = r.offset(), values_at = r.offset(), indices_at = 64 + r.offset(),
                    results = segments * k;
  const bool counts = r.coin() && segments != 0;
  const clwave::top_k_options order{.descending = r.coin()};
  clwave::segmented_top_k_problem problem{.in = {element_of<T>(), n, at},
                                          .offsets = any_view{element_of<u32>(), segments + 1, offsets},
                                          .values = {element_of<T>(), results, values_at},
                                          .indices = {element_of<u32>(), results, indices_at},
                                          .k = k,
                                          .descending = order.descending};
  if (counts) problem.bad = any_view(element_of<u64>(), 1);
  r.compare_call(
      "top_k of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " +
          element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const auto x = r.in<T>(0, n, at), values = r.in<T>(2, results, values_at);
        const auto begins = r.in<u32>(1, segments + 1, offsets), indices = r.in<u32>(3, results, indices_at);
        if (counts)
          clwave::segmented_top_k(r.queue(), x, begins, values, indices, k, r.in<u64>(3, 1), order);
        else
          clwave::segmented_top_k(r.queue(), x, begins, values, indices, k, order);
      });
}

keyed random_best_of_segments(dice& d) {
  static const std::array<const element*, 3> keys{&element_of<std::int32_t>(), &element_of<float>(),
                                                  &element_of<bool>()};
  return keyed_by(clwave::detail::segmented_top_k_variant{
      .sort = {.keys = {.key = d.one_of(keys), .descending = d.flip(), .bits = 32},
               .value_bytes = d.flip() ? 4u : 8u,
               .wide_offsets = d.flip(),
               .counts_bad = d.flip(),
               .group_size = d.flip() ? 1u : 256u,
               .items = one_or_two(d),
               .tile = d.flip() ? 512u : 1024u,
               .keeps_first = true}});
}

keyed random_top_k(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  static const std::array<const element*, 4> keys{&element_of<std::int32_t>(), &element_of<float>(),
                                                  &element_of<u64>(), &element_of<bool>()};
  const element* key = d.one_of(keys);
  return keyed_by(top_k_variant{.key = key,
                                .index_bytes = d.flip() ? 4u : 8u,
                                .descending = d.flip(),
                                .most = d.below(3) * 1024,
                                .group_size = d.flip() ? 1u : 256u,
                                .items = one_or_two(d),
                                .vector = one_or_two(d),
                                .sort = {.key = key,
                                         .index_bytes = d.flip() ? 4u : 8u,
                                         .descending = d.flip(),
                                         .group_size = d.flip() ? 1u : 256u,
                                         .items = one_or_two(d)}});
}

// The values, then where they lie.
std::vector<float> best_ones(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> values(on, 50);
  const guarded_buffer<u32> indices(on, 50);
  clwave::top_k(on.queue, in, values.view(), indices.view(), 50).wait();
  std::vector<float> all = values.read_guarded();
  for (const u32 index : indices.read_guarded()) all.push_back(static_cast<float>(index));
  return all;
}

// Of segments of every kind: short and empty ones, and one of more than a tile. What is not written is 0.
std::vector<float> best_of_segments(const fixture& on, const view<float>& in) {
  constexpr std::size_t k = 20;
  const std::vector<u32> offsets = some_offsets(in.size());
  const std::size_t results = (offsets.size() - 1) * k;
  const cl::Buffer places = on.buffer_of(offsets);
  const cl::Buffer values = on.buffer_of(std::vector<float>(results)),
                   indices = on.buffer_of(std::vector<u32>(results));
  clwave::segmented_top_k(on.queue, in, view<u32>{places, offsets.size()}, view<float>{values, results},
                          view<u32>{indices, results}, k)
      .wait();
  std::vector<float> all = on.read<float>(values, results);
  for (const u32 index : on.read<u32>(indices, results)) all.push_back(static_cast<float>(index));
  return all;
}

const registered_parts listed(
    "top_k", {{.events = events,
               .counts = counts,
               .plans = {{"top_k", plan_one_top_k}, {"segmented_top_k", plan_one_of_segments}},
               .compared = {{3, compare_top_k<float>, rows_without_lanes},
                            {1, compare_top_k<std::uint8_t>, rows_without_lanes},
                            {2, compare_best_of_segments<float>, rows_without_lanes}},
               .keys = {{"top_k", random_top_k}, {"segmented_top_k", random_best_of_segments}},
               .results = {{"top_k", best_ones}, {"segmented_top_k", best_of_segments}}}});

}  // namespace
}  // namespace testing::parts_of_top_k
