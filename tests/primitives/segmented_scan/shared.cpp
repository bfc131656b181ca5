// What the tests of all primitives need of segmented_scan: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/segmented_scan.hpp"

namespace testing::parts_of_segmented_scan {
namespace {

event_list events() {
  event_list all;
  // Whatever the offsets are, of which most are bad.
  all.add("segmented_scan", {{40000, in}, {91, in}, {40000, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::segmented_inclusive_scan(q, view<u32>{b[0], 40000},
                                                    view<u32>{b[1], empty ? 1u : 91u}, view<u32>{b[2], 40000},
                                                    clwave::plus, given(options));
          });
  return all;
}

void plan_one_segmented_scan(planner& p, const clwave::plan_target& on) {
  const element& type = p.any_element();
  const element& acc = type.kind == clwave::element_kind::half_storage ? element_of<float>() : type;
  const element& offset = p.coin() ? element_of<u32>() : element_of<u64>();
  const u64 n = p.size(), segments = p.size(), at = p.offset(), offsets_at = p.offset(), out_at = p.offset();
  const bool counts_bad = p.coin();
  const cl_double16 start = {};  // large enough for any type
  const clwave::segmented_scan_problem problem{
      .in = {type, n, at},
      .offsets = {offset, segments + 1, offsets_at},
      .out = {acc, n, out_at},
      .bad = counts_bad ? std::optional<any_view>({element_of<u64>(), 1, 3}) : std::nullopt,
      .segments = segments,
      .exclusive = p.coin(),
      .start = p.coin() ? &start : nullptr};
  p.plan(
      "scans of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " + type.name, on,
      {reach(n, at, type.size), reach(wide{segments} + 1, offsets_at, offset.size),
       reach(n, out_at, acc.size)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (segments == 0 || (n == 0 && !counts_bad)) return count_kernels(plan, 0);
        const wide tile = acc.size == 8 ? 8192 : 16384;
        const bool by_begins = plan.kernels.front().name == "segmented_scan_begins";
        const bool one_pass = has_word(plan, "BEGINS_IN_ONE_PASS");
        if (plan.kernels.size() != (by_begins && n > tile && !one_pass ? 3 : 2))
          return "neither two launches nor three";
        const wide folds = one_pass ? plan.kernels.back().groups * wide{8} : n / tile * acc.size;
        if (plan.workspace_bytes < folds + (by_begins ? n / 8 : 0)) return "too small a workspace";
        if (counts_bad) {
          std::string wrong = compare(plan.kernels.back(), {{"bad", 32}, {"bad_offset", 3}});
          if (!wrong.empty()) return wrong;
        }
        for (const planned_kernel& each : plan.kernels) {
          std::string wrong =
              compare(each, {{"n", n}, {"segments", segments}, {"offsets_offset", offsets_at}});
          if (wrong.empty() && by_begins && each.groups * wide{argument(each, "part")} < n)
            wrong = "too few groups for all parts";
          if (wrong.empty() && each.name != "segmented_scan_begins")
            wrong = compare(each, {{"x_offset", at}});
          if (!wrong.empty()) return wrong;
        }
        return compare(plan.kernels.back(), {{"out_offset", out_at}, {"out", reach(n, out_at, acc.size)}});
      });
}

template <class T, class Acc>
void compare_segmented_scan(call_comparer& r) {
  const std::size_t n = std::max<std::size_t>(r.size(), 1), segments = r.random.below(60);
  const std::size_t in = r.offset(), offsets = r.offset(), out = r.offset();
  const bool counts = r.coin() && segments != 0;  // those of no segment are a fill, which no plan tells of
  const Acc start = 3;
  const any_view number(element_of<u64>(), 1, 1);
  any_view offsets_there(element_of<u32>(), segments + 1, offsets);
  if (r.coin()) offsets_there.count = &number;
  const clwave::segmented_scan_problem problem{
      .in = {element_of<T>(), n, in},
      .offsets = offsets_there,
      .out = {element_of<Acc>(), n, out},
      .bad = counts ? std::optional<any_view>(element_of<u64>()) : std::nullopt,
      .segments = segments,
      .exclusive = r.coin(),
      .start = r.coin() ? &start : nullptr};
  r.compare_call(
      "scans of " + std::to_string(segments) + " segments of " + std::to_string(n) + " " +
          element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const clwave::scan_options<Acc> options{.start = problem.start != nullptr ? std::optional(start)
                                                                                  : std::nullopt};
        const auto x = r.in<T>(0, n, in);
        const auto at = r.in<u32>(1, segments + 1, offsets);
        const auto y = r.in<Acc>(2, n, out);
        const auto bad = r.in<u64>(3, 1, 0);
        const auto call = [&](const auto& of) {
          if (problem.exclusive && counts)
            clwave::segmented_exclusive_scan(r.queue(), x, of, y, bad, clwave::plus, options);
          else if (problem.exclusive)
            clwave::segmented_exclusive_scan(r.queue(), x, of, y, clwave::plus, options);
          else if (counts)
            clwave::segmented_inclusive_scan(r.queue(), x, of, y, bad, clwave::plus, options);
          else
            clwave::segmented_inclusive_scan(r.queue(), x, of, y, clwave::plus, options);
        };
        if (offsets_there.count != nullptr)
          call(at.first_segments(r.in<u64>(3, 1, 1)));
        else
          call(at);
      });
}

keyed random_segmented_scan(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const random_fold f(d);
  return keyed_by(segmented_scan_variant{.scan = {.value = &f.value,
                                                  .accumulator = &f.acc,
                                                  .fold = &f.fold,
                                                  .apply = &f.apply,
                                                  .exclusive = d.flip(),
                                                  .started = d.flip(),
                                                  .way = d.flip() ? scan_way::held : scan_way::strips,
                                                  .group_size = 64,
                                                  .by_element = d.flip(),
                                                  .sizes = {.blocks = 1}},
                                         .offset = d.flip() ? &element_of<u32>() : &element_of<u64>(),
                                         .tile = d.flip() ? 16384u : 8192u,
                                         .own = one_or_two(d),
                                         .counts_bad = d.flip(),
                                         .count_bytes = d.flip() ? 0u : 4u});
}

std::vector<float> sums_before_of_segments(const fixture& on, const view<float>& in) {
  const std::vector<u32> offsets = some_offsets(in.size());
  const cl::Buffer places = on.buffer_of(offsets);
  const guarded_buffer<float> out(on, in.size());
  clwave::segmented_inclusive_scan(on.queue, in, view<u32>{places, offsets.size()}, out.view()).wait();
  return out.read_guarded();
}

const registered_parts listed("segmented_scan", {{.events = events,
                                                  .plans = {{"segmented_scan", plan_one_segmented_scan}},
                                                  .compared = {{1, compare_segmented_scan<std::uint8_t, u32>,
                                                                rows_without_lanes}},
                                                  .keys = {{"segmented_scan", random_segmented_scan}},
                                                  .results = {{"segmented_scan", sums_before_of_segments}}}});

}  // namespace
}  // namespace testing::parts_of_segmented_scan
