// What the tests of all primitives need of scan: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/scan.hpp"

namespace testing::parts_of_scan {
namespace {

event_list events() {
  event_list all;
  for (const std::size_t n : {5000, 40000}) {
    const bool small = n == 5000;
    all.add(small ? "inclusive_scan" : "inclusive_scan, many tiles", {{n, in}, {n, out}},
            [n](auto& q, auto& b, bool empty, auto& options) {
              return clwave::inclusive_scan(q, part<u32>(b[0], n, empty), part<u32>(b[1], n, empty),
                                            clwave::plus, given(options));
            });
    all.add(small ? "exclusive_scan in place" : "exclusive_scan in place, many tiles", {{n, both}},
            [n](auto& q, auto& b, bool empty, auto& options) {
              return clwave::exclusive_scan(q, part<u32>(b[0], n, empty), part<u32>(b[0], n, empty),
                                            clwave::plus,
                                            launched(clwave::scan_options<u32>{.start = 7u}, options));
            });
  }
  all.add(
      "transform_inclusive_scan", {{9000, in}, {9000, out}}, [](auto& q, auto& b, bool empty, auto& options) {
        return clwave::transform_inclusive_scan(q, part<u32>(b[0], 9000, empty), part<u32>(b[1], 9000, empty),
                                                clwave::max, clwave::square, given(options));
      });
  return all;
}

// Of an array in two pieces on the call's queue.
std::vector<count_call> counts() {
  return {{.name = "exclusive_scan of parts",
           .operands = {{40000, in}, {9000, in}, {40000, out}, {9000, out}},
           .count = [](auto& q, auto& b, bool empty, auto& options) {
             const auto array = [&](std::size_t first) {
               return clwave::sharded<u32>{{q, part<u32>(b[first], 40000, empty), options.after},
                                           {q, part<u32>(b[first + 1], 9000, empty), options.after}};
             };
             clwave::exclusive_scan(array(0), array(2), clwave::plus, {.start = 7u});
             return u64{0};
           }}};
}

void plan_one_scan(planner& p, const clwave::plan_target& on) {
  const element& in = p.any_element();
  const bool in_place = p.random.below(4) == 0;
  const element& out = in_place || p.coin() ? in : p.any_element();
  const u64 n = p.size(), at = p.offset();
  const cl_double16 start = {};  // large enough for any type
  clwave::scan_problem problem{.in = {in, n, at},
                               .out = {out, n},
                               .exclusive = p.coin(),
                               .start = p.coin() ? &start : nullptr,
                               .in_place = in_place};
  p.plan(
      "scan of " + std::to_string(n) + " " + in.name, on, {times(wide{n} + at, in.size), wide{n} * out.size},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const wide tile = out.size == 8 ? 8192 : 16384;
        const wide tiles = (wide{n} + tile - 1) / tile, stretches = (tiles + 63) / 64;
        const bool one_pass = plan.kernels.size() == 1;
        if (!one_pass && plan.kernels.size() != 3) return "neither one launch nor three";
        const wide slot = one_pass ? (out.size + 3) / 4 * 8 : out.size;
        if (plan.workspace_bytes < (tiles + stretches) * slot) return "too small a workspace";
        const planned_kernel& last = plan.kernels.back();
        // Where results go past a CPU's caches, a group takes one tile after the other.
        const bool several = plan.variant.find("stores past the caches") != std::string::npos;
        if (last.groups == 0 || last.groups > tiles || (last.groups < tiles && !several))
          return "other groups than tiles";
        return compare(last, {{"n", n}, {"x_offset", at}, {"out", wide{n} * out.size}});
      });
}

// One step of a scan of a piece: whole tiles, from some tile of a longer input on.
void plan_one_step(planner& p, const clwave::plan_target& on) {
  using clwave::detail::scan_step;
  const element& in = p.any_element();
  const element& out = p.coin() ? in : p.any_element();
  const u64 tile = out.size == 8 ? 8192 : 16384, at = p.offset();
  const bool ends = p.coin();
  const auto step = std::array{scan_step::folds, scan_step::tiles, scan_step::stretches,
                               scan_step::results}[p.random.below(4)];
  const bool between = step == scan_step::tiles || step == scan_step::stretches;
  const u64 tiles = between && !ends ? 64 * (1 + p.random.below(16)) : 1 + p.random.below(1000);
  const u64 first = p.random.below(200) * (between ? 64 : 1);
  const u64 n = ends ? (tiles - 1) * tile + 1 + p.random.below(tile) : tiles * tile;
  const cl_double16 start = {};  // large enough for any type
  clwave::scan_problem problem{
      .in = {in, n, at}, .out = {out, n}, .exclusive = p.coin(), .start = p.coin() ? &start : nullptr};
  problem.piece = {.step = step,
                   .at = first * tile,
                   .whole = n + first * tile + (ends ? 0 : p.random.below(99)),
                   .tiles_at = 64,
                   .stretches_at = 2048};
  p.plan(
      "a step of a scan of " + std::to_string(n) + " " + in.name, on,
      between ? std::vector<wide>{} : std::vector{times(wide{n} + at, in.size)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (plan.kernels.size() != 1) return "another number of launches";
        if (plan.workspace_bytes != 0) return "a workspace";
        const planned_kernel& only = plan.kernels[0];
        const u64 stretches = (tiles + 63) / 64;
        if (step == scan_step::tiles)
          return only.groups == stretches ? compare(only, {{"tiles", tiles}}) : "not a group a stretch";
        if (step == scan_step::stretches)
          return only.groups == 1 ? compare(only, {{"stretches", stretches}, {"first", first / 64}})
                                  : "more than a group";
        if (only.groups != tiles) return "other groups than tiles";
        return compare(only, {{"n", problem.piece->whole}, {"x_offset", at}, {"first", first}});
      });
}

template <class T, class Acc>
void compare_scan(call_comparer& r) {
  const std::size_t n = r.size(), in = r.offset(), out = r.offset();
  const bool in_place = std::is_same_v<T, Acc> && r.coin();
  const Acc start = 3;
  clwave::scan_problem problem{.in = {element_of<T>(), n, in},
                               .out = {element_of<Acc>(), n, in_place ? in : out},
                               .exclusive = r.coin(),
                               .start = r.coin() ? &start : nullptr,
                               .in_place = in_place};
  r.compare_call(
      "scan of " + std::to_string(n) + " " + element_of<T>().name, [&] { return plan(problem, r.target()); },
      [&] {
        const clwave::scan_options<Acc> options{.start = problem.start != nullptr ? std::optional(start)
                                                                                  : std::nullopt};
        const auto x = r.in<T>(in_place ? 2 : 0, n, in);
        const auto y = r.in<Acc>(2, n, in_place ? in : out);
        if (problem.exclusive)
          clwave::exclusive_scan(r.queue(), x, y, clwave::plus, options);
        else
          clwave::inclusive_scan(r.queue(), x, y, clwave::plus, options);
      });
}

keyed random_scan(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const random_fold f(d);
  // A packet of results has a single access of its size.
  return keyed_by(scan_variant{.value = &f.value,
                               .accumulator = &f.acc,
                               .fold = &f.fold,
                               .apply = &f.apply,
                               .exclusive = d.flip(),
                               .started = d.flip(),
                               .one_pass = d.flip(),
                               .piece = d.flip(),
                               .in_order_of_start = d.flip(),
                               .way = d.flip() ? scan_way::held : scan_way::strips,
                               .group_size = d.flip() ? 128u : 256u,
                               .vector = one_or_two(d),
                               .out_vector = f.acc.size <= 8 ? one_or_two(d) : 1,
                               .by_element = d.flip(),
                               .numbers = {.looks = d.flip() ? 1u : 9u},
                               .sizes = {.tiles = d.flip() ? 64u : 4u}});
}

std::vector<float> scan_by(const fixture& on, const cl::Buffer& in, const own_text& own) {
  const cl::Buffer out = on.buffer_of(std::vector<float>(100));
  const clwave::op fold{
      .name = own.name, .source = own.source, .identity = "0", .declarations = own.declarations};
  clwave::inclusive_scan(on.queue, view<float>{in, 100}, view<float>{out, 100}, fold).wait();
  return on.read<float>(out, 100);
}

std::vector<float> sums_before(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::inclusive_scan(on.queue, in, out.view()).wait();
  return out.read_guarded();
}

const registered_parts listed("scan",
                              {{.events = events,
                                .counts = counts,
                                .plans = {{"scan", plan_one_scan}, {"a step of a scan", plan_one_step}},
                                .compared = {{3, compare_scan<float, float>, rows_without_lanes},
                                             {2, compare_scan<std::uint8_t, u32>, rows_without_lanes}},
                                .keys = {{"scan", random_scan}},
                                .results = {{"scan", sums_before}},
                                .texts = {{"scan", "a + b", false, scan_by}}}});

}  // namespace
}  // namespace testing::parts_of_scan
