// What the tests of all primitives need of segmented_reduce: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/segmented_reduce.hpp"

namespace testing::parts_of_segmented_reduce {
namespace {

event_list events() {
  event_list all;
  // Whatever the offsets are, of which most are bad.
  all.add("segmented_reduce", {{9000, in}, {91, in}, {90, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            return clwave::segmented_reduce(q, view<u32>{b[0], 9000}, view<u32>{b[1], empty ? 1u : 91u},
                                            view<u32>{b[2], 90}, clwave::plus, options);
          });
  all.add("segmented_reduce of the first segments", {{9000, in}, {91, in}, {90, out}, {1, in}},
          [](auto& q, auto& b, bool empty, auto& options) {
            const view<u32> offsets{b[1], empty ? 1u : 91u};
            return clwave::segmented_reduce(q, view<u32>{b[0], 9000},
                                            offsets.first_segments(view<u32>{b[3], 1}), view<u32>{b[2], 90},
                                            clwave::plus, options);
          });
  return all;
}

// Offsets that rise are good ones.
std::vector<count_call> counts() {
  return {{"checked_segmented_reduce",
           {{9000, in}, {.n = 61, .rises = true}, {60, out}},
           [](auto& q, auto& b, bool empty, auto& options) {
             clwave::checked_segmented_reduce(q, view<u32>{b[0], 9000}, view<u32>{b[1], empty ? 1u : 61u},
                                              view<u32>{b[2], 60}, clwave::plus, clwave::identity, options);
             return 0;
           }}};
}

void plan_one_segmented_reduce(planner& p, const clwave::plan_target& on) {
  static const clwave::op mine{.name = "mine", .source = "a * 3 + b", .identity = "", .commutative = false};
  const element& type = p.any_element();
  const element& acc = type.kind == clwave::element_kind::half_storage ? element_of<float>() : type;
  const element& offset = p.coin() ? element_of<u32>() : element_of<u64>();
  const u64 n = p.size(), segments = p.size(), at = p.offset(), offsets_at = p.offset(), out_at = p.offset();
  const bool counts_bad = p.coin();
  const clwave::op& fold = p.random.below(4) == 0 ? mine : clwave::plus;
  p.plan(
      "segments, " + std::to_string(segments) + " of " + std::to_string(n) + " " + type.name, on,
      {reach(n, at, type.size), reach(wide{segments} + 1, offsets_at, offset.size),
       reach(segments, out_at, acc.size)},
      [&] {
        return plan(
            clwave::segmented_reduce_problem{
                .in = {type, n, at},
                .offsets = {offset, segments + 1, offsets_at},
                .out = {acc, segments, out_at},
                .bad = counts_bad ? std::optional<any_view>({element_of<u64>(), 1, 3}) : std::nullopt,
                .segments = segments,
                .fold = &fold},
            on);
      },
      [&](const call_plan& plan) -> std::string {
        if (segments == 0) return count_kernels(plan, 0);
        const bool levels = counts_bad || n > clwave::fold_tile;
        if (plan.kernels.size() != (levels ? 2 : 1)) return "another number of launches";
        if (levels && plan.workspace_bytes < n / clwave::fold_tile * wide{2} * acc.size)
          return "too small a workspace";
        if (counts_bad) {
          const std::string wrong = compare(plan.kernels[1], {{"bad", 32}, {"bad_offset", 3}});
          if (!wrong.empty()) return wrong;
        }
        return compare(plan.kernels[0], {{"n", n},
                                         {"x_offset", at},
                                         {"segments", segments},
                                         {"offsets_offset", offsets_at},
                                         {"out_offset", out_at},
                                         {"out", times(wide{segments} + out_at, acc.size)}});
      });
}

template <class T, class Acc>
void compare_segments(call_comparer& r) {
  const std::size_t n = std::max<std::size_t>(r.size(), 1), segments = r.random.below(60);
  const std::size_t in = r.offset(), offsets = r.offset(), out = r.offset();
  const bool counts = r.coin() && segments != 0;  // those of no segment are a fill, which no plan tells of
  const bool on_device = r.coin();                // how many segments there are
  const any_view number(element_of<u64>(), 1, 1);
  any_view offsets_there(element_of<u32>(), segments + 1, offsets);
  if (on_device) offsets_there.count = &number;
  r.compare_call(
      "segments, " + std::to_string(segments) + " of " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        return plan(
            clwave::segmented_reduce_problem{
                .in = {element_of<T>(), n, in},
                .offsets = offsets_there,
                .out = {element_of<Acc>(), segments, out},
                .bad = counts ? std::optional<any_view>(element_of<u64>()) : std::nullopt,
                .segments = segments},
            r.target());
      },
      [&] {
        const auto x = r.in<T>(0, n, in);
        const auto at = r.in<u32>(1, segments + 1, offsets);
        const auto sums = r.in<Acc>(2, segments, out);
        const auto call = [&](const auto& of) {
          if (counts)
            clwave::segmented_reduce(r.queue(), x, of, sums, r.in<u64>(3, 1, 0));
          else
            clwave::segmented_reduce(r.queue(), x, of, sums);
        };
        if (on_device)
          call(at.first_segments(r.in<u64>(3, 1, 1)));
        else
          call(at);
      });
}

keyed random_segmented_reduce(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const random_fold f(d);
  return keyed_by(segmented_reduce_variant{
      .fold =
          {.value = &f.value, .accumulator = &f.acc, .fold = &f.fold, .apply = &f.apply, .group_size = 32},
      .offset = d.flip() ? &element_of<u32>() : &element_of<u64>(),
      .shape = {.own = one_or_two(d),
                .slots = d.flip() ? 0u : 4u,
                .packets = d.flip(),
                .identity = d.flip(),
                .levels = d.flip(),
                .counts_bad = d.flip()},
      .count_bytes = d.flip() ? 0u : 4u});
}

std::vector<float> sums_of_segments(const fixture& on, const view<float>& in) {
  const std::vector<u32> offsets = some_offsets(in.size());
  const cl::Buffer places = on.buffer_of(offsets);
  const guarded_buffer<float> sums(on, offsets.size() - 1);
  clwave::segmented_reduce(on.queue, in, view<u32>{places, offsets.size()}, sums.view()).wait();
  return sums.read_guarded();
}

const registered_parts listed("segmented_reduce",
                              {{.events = events,
                                .counts = counts,
                                .plans = {{"segmented_reduce", plan_one_segmented_reduce}},
                                .compared = {{3, compare_segments<float, float>, rows_without_lanes}},
                                .keys = {{"segmented_reduce", random_segmented_reduce}},
                                .results = {{"segmented_reduce", sums_of_segments}}}});

}  // namespace
}  // namespace testing::parts_of_segmented_reduce
