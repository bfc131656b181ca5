// What the tests of all primitives need of histogram: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "primitives/histogram.hpp"

namespace testing::parts_of_histogram {
namespace {

using clwave::even;

event_list events() {
  event_list all;
  // In counters of a group's, and in the results.
  for (const std::size_t bins : {100, 9000}) {
    all.add(bins == 100 ? "histogram" : "histogram, many bins", {{9000, in}, {bins, both}},
            [bins](auto& q, auto& b, bool empty, auto& options) {
              return clwave::histogram(q, part<u32>(b[0], 9000, empty), view<u32>{b[1], bins},
                                       even{0, static_cast<u32>(bins)}, given(options));
            });
  }
  // What a CPU's core counts alone, between edges that the call keeps.
  all.add("histogram between edges", {{9000, in, true}, {9, both}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::histogram(q, part<float>(b[0], 9000, empty), view<u32>{b[1], 9},
                                     std::array{0.5, 33.0, 66.5, 100.0},
                                     launched(clwave::histogram_options{.channels = 3}, options));
          });
  return all;
}

void plan_one_histogram(planner& p, const clwave::plan_target& on) {
  const element& key = p.any_element();
  const bool wide_counts = p.coin();
  const element& count = wide_counts ? element_of<u64>() : element_of<u32>();
  const u64 n = p.size(), at = p.offset(), counts_at = p.offset(), edges_at = p.offset();
  const u64 bins = p.coin() ? 1 + p.random.below(300) : p.size();
  clwave::histogram_problem problem{
      .in = {key, n, at}, .counts = {count, 0, counts_at}, .wide_counts = p.coin()};
  if (p.coin()) problem.channels = 1 + static_cast<unsigned>(p.random.below(4));
  const bool between = p.coin();
  if (between)
    problem.edges = {key, bins + 1, edges_at};
  else
    problem.bounds = p.coin() ? even{0, bins} : even{-0.3, 120.5};
  const wide counts = wide{bins} * problem.channels;
  problem.counts.n = std::min(bins, ~u64{0} / problem.channels) * problem.channels;
  std::vector<wide> bytes{reach(n, at, key.size), reach(counts, counts_at, count.size)};
  if (between) bytes.push_back(reach(wide{bins} + 1, edges_at, key.size));
  p.plan(
      "histogram of " + std::to_string(n) + " " + key.name, on, bytes, [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        const planned_kernel& last = plan.kernels.back();
        if (n == 0 || plan.kernels.front().name == "histogram_clear") {
          if (const std::string wrong =
                  compare(plan.kernels.front(), {{"total", counts}, {"counts_offset", counts_at}});
              !wrong.empty())
            return wrong;
          if (n == 0) return plan.kernels.size() == 1 ? "" : "more than one launch for no elements";
          if (plan.kernels.size() == 1) return "";  // no element can be in a bin
          if (plan.workspace_bytes != 0) return "a workspace where results are counted in";
          return compare(last, {{"n", n}, {"x_offset", at}, {"bins", bins}, {"counts_offset", counts_at}});
        }
        const planned_kernel& first = plan.kernels.front();
        if (plan.kernels.size() > 2) return "more than two launches";
        if (plan.kernels.size() == 2) {
          const std::string wrong =
              compare(last, {{"rows", first.groups}, {"total", counts}, {"counts_offset", counts_at}});
          if (!wrong.empty()) return wrong;
          if (plan.workspace_bytes < wide{first.groups} * counts * 4) return "too small a workspace";
        } else if (has_word(plan, "LAST_GROUP_SUMS")) {
          if (counts > first.group_size || first.groups > 64) return "more than the last group sums";
          if (plan.workspace_bytes < wide{first.groups} * counts * 4) return "too small a workspace";
        } else if (first.groups != 1) {
          return "groups whose counts nobody sums";
        }
        // A group counts in words of 32 bits.
        if (wide{n} > wide{first.groups} * (u64{1} << 31)) return "groups whose counts may wrap";
        return compare(first, {{"n", n}, {"x_offset", at}, {"bins", bins}, {"counts_offset", counts_at}});
      });
}

template <class T>
void compare_histogram(call_comparer& r) {
  clwave::histogram_options shape{.channels = 1 + static_cast<unsigned>(r.random.below(4))};
  const std::size_t n = r.size() / shape.channels * shape.channels, offset = r.offset(),
                    counts_at = r.offset(), bins = 1 + r.random.below(r.coin() ? 300 : 30000);
  const bool between = r.coin();
  r.compare_call(
      "histogram of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        clwave::histogram_problem problem{.in = {element_of<T>(), n, offset},
                                          .counts = {element_of<u32>(), bins * shape.channels, counts_at},
                                          .channels = shape.channels};
        if (between)
          problem.edges = {element_of<T>(), bins + 1};
        else
          problem.bounds = even{0, 1.5};
        return plan(problem, r.target());
      },
      [&] {
        const auto x = r.in<T>(0, n, offset);
        const auto counts = r.in<u32>(1, bins * shape.channels, counts_at);
        if (between)
          clwave::histogram(r.queue(), x, counts, r.in<T>(2, bins + 1), shape);
        else
          clwave::histogram(r.queue(), x, counts, even{0, 1.5}, shape);
      });
}

keyed random_histogram(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  static const std::array<const element*, 4> keys{&element_of<std::int32_t>(), &element_of<float>(),
                                                  &element_of<u64>(), &element_of<bool>()};
  static const std::array<bin_way, 5> ways{bin_way::itself, bin_way::shifted, bin_way::by_float,
                                           bin_way::by_fixed, bin_way::between_edges};
  return keyed_by(histogram_variant{.key = d.one_of(keys),
                                    .count = d.flip() ? &element_of<u32>() : &element_of<u64>(),
                                    .way = d.one_of(ways),
                                    .channels = 1 + d.below(4),
                                    .counters = d.below(3) * 256,
                                    .copies = one_or_two(d),
                                    .joins = d.flip(),
                                    .many_keys = d.flip(),
                                    .group_size = d.flip() ? 1u : 256u,
                                    .items = one_or_two(d),
                                    .vector = one_or_two(d)});
}

std::vector<float> counted(const fixture& on, const view<float>& in) {
  const guarded_buffer<u32> counts(on, 100);
  clwave::histogram(on.queue, in, counts.view(), even{-500, 500}).wait();
  const std::vector<u32> all = counts.read_guarded();
  return {all.begin(), all.end()};
}

// Of an array in two pieces on the call's queue.
std::vector<count_call> counts_of_sharded() {
  return {
      {.name = "histogram of parts",
       .operands = {{40000, uses::in}, {9000, uses::in}, {101, uses::both}},
       .count = [](const cl::CommandQueue& q, const buffers& b, bool empty, const launch_options& options) {
         const clwave::sharded<u32> array{{q, part<u32>(b[0], 40000, empty), options.after},
                                          {q, part<u32>(b[1], 9000, empty), options.after}};
         clwave::histogram(q, array, view<u32>{b[2], 101}, even{0, 101}, {.after = options.after});
         return u64{0};
       }}};
}

const registered_parts listed("histogram",
                              {{.events = events,
                                .counts = counts_of_sharded,
                                .plans = {{"histogram", plan_one_histogram}},
                                .compared = {{3, compare_histogram<float>, rows_without_lanes},
                                             {1, compare_histogram<std::uint8_t>, rows_without_lanes}},
                                .keys = {{"histogram", random_histogram}},
                                .results = {{"histogram", counted}}}});

}  // namespace
}  // namespace testing::parts_of_histogram
