// What the tests of all primitives need of scan_by_key: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/scan_by_key.hpp"

namespace testing::parts_of_scan_by_key {
namespace {

event_list events() {
  event_list all;
  // Runs of some hundred values.
  all.add("scan_by_key", {{.n = 40000, .use = in, .rises = true}, {40000, in}, {40000, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            const std::size_t n = empty ? 0 : 40000;
            return clwave::inclusive_scan_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n},
                                                 view<u32>{b[2], n}, clwave::plus,
                                                 launched(clwave::scan_options<u32>{}, options));
          });
  return all;
}

// What is wrong with a plan whose launch `found` leaves the offsets of runs; "": nothing.
std::string check_by_offsets(const call_plan& plan, const planned_kernel& found, u64 n,
                             std::size_t result_bytes) {
  const wide tile = result_bytes == 8 ? 8192 : 16384;
  const u64 head = argument(found, "head");
  if (head >= word(plan, "KEPT_VECTOR")) return "a head of a packet or more";
  const wide keys_of_group = wide{word(plan, "KEPT_ITEMS")} * word(plan, "KEPT_VECTOR") * found.group_size;
  if (found.groups != blocks_of(wide{n} + head, keys_of_group)) return "other groups than tiles";
  const wide least = (wide{n} + 1) * 4 + n / tile * result_bytes + 8 + found.groups * wide{8};
  if (plan.workspace_bytes < least) return "too small a workspace";
  return compare(found, {{"capacity", n + 1}});
}

// What is wrong with a plan whose launches tell runs by bits; "": nothing.
std::string check_by_begins(const call_plan& plan, u64 n, std::size_t result_bytes) {
  const planned_kernel& begins = plan.kernels.front();
  const u64 head = argument(begins, "head");
  if (head >= word(plan, "KEPT_VECTOR")) return "a head of a packet or more";
  const wide tile = result_bytes == 8 ? 8192 : 16384;
  if (plan.kernels.size() != (tile < n ? 3 : 2)) return "other launches than of begins, folds and results";
  const wide part = wide{argument(begins, "tiles")} * word(plan, "KEPT_ITEMS") * word(plan, "KEPT_VECTOR") *
                    begins.group_size;
  if (part > tile || part % 32 != 0) return "a part of more than a unit, or not of whole words";
  const wide parts = blocks_of(wide{n} + head, part);
  if (plan.workspace_bytes < parts * part / 8 + parts * 4 + n / tile * result_bytes)
    return "too small a workspace";
  for (const planned_kernel& each : plan.kernels) {
    std::string wrong = compare(each, {{"n", n}, {"head", head}});
    if (!wrong.empty()) return wrong;
    if (each.groups != parts) return "other groups than parts";
  }
  return compare(plan.kernels.back(), {{"part", part}});
}

// What is wrong with a plan of one launch, whose groups tell each other of runs; "": nothing.
std::string check_one_launch(const call_plan& plan, u64 n, u64 keys, u64 values, std::size_t result_bytes) {
  const planned_kernel& all = plan.kernels.front();
  const u64 head = argument(all, "head");
  if (head >= word(plan, "KEPT_VECTOR")) return "a head of a packet or more";
  if (plan.kernels.size() != 1) return "another launch beside that of all";
  const wide block = result_bytes == 8 ? 512 : 1024, part = word(plan, "BEGINS_PART");
  if (part > block || part % 32 != 0) return "a part of more than a block, or not of whole words";
  const wide parts = blocks_of(wide{n} + head, part);
  if (all.groups != parts) return "other groups than parts";
  if (argument(all, "results_at") < parts * 8 ||
      plan.workspace_bytes < parts * 8 * (1 + blocks_of(result_bytes, 4)))
    return "too small a workspace";
  return compare(all, {{"n", n}, {"x_offset", keys}, {"values_offset", values}});
}

void plan_one_scan_by_key(planner& p, const clwave::plan_target& on) {
  static const clwave::op same{.name = "same", .source = "1", .identity = {}};
  const element& key = p.any_element();
  const element& value = p.any_element();
  const element& acc = value.kind == clwave::element_kind::half_storage ? element_of<float>() : value;
  const cl_double16 start = {};  // large enough for any type
  const u64 n = p.size(), keys = p.offset(), values = p.offset(), out_at = p.offset();
  const clwave::scan_by_key_problem problem{.keys = {key, n, keys},
                                            .values = {value, n, values},
                                            .out = {acc, n, out_at},
                                            .same = &same,
                                            .exclusive = p.coin(),
                                            .start = p.coin() ? &start : nullptr};
  p.plan(
      "scans by key, " + std::to_string(n) + " " + value.name + " of " + key.name, on,
      {reach(n, keys, key.size), reach(n, values, value.size), reach(n, out_at, acc.size)},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n > u64{1} << 31) return "a plan of more elements than kernels can number runs of";
        if (n == 0) return count_kernels(plan, n);
        const std::vector<std::pair<std::string_view, wide>> of_results = {
            {"out_offset", out_at}, {"out", reach(n, out_at, acc.size)}};
        if (has_word(plan, "BEGINS_IN_ONE_LAUNCH")) {
          const std::string wrong = check_one_launch(plan, n, keys, values, acc.size);
          return wrong.empty() ? compare(plan.kernels.back(), of_results) : wrong;
        }
        const wide tile = acc.size == 8 ? 8192 : 16384;
        const bool by_begins = plan.kernels.front().name == "scan_by_key_begins";
        const bool one_scan = tile >= n;
        const std::size_t scans = one_scan ? 1 : 2, finds = plan.kernels.size() - scans;
        if (finds < 1 || finds > 3) return "neither one, two nor three launches that find runs";
        const planned_kernel& found = plan.kernels[finds - 1];
        std::string wrong =
            by_begins ? check_by_begins(plan, n, acc.size) : check_by_offsets(plan, found, n, acc.size);
        if (!wrong.empty()) return wrong;
        wrong = compare(found, {{"n", n}, {"x_offset", keys}});
        if (!wrong.empty()) return wrong;
        for (std::size_t k = finds; k < plan.kernels.size(); ++k) {
          wrong = compare(plan.kernels[k], {{"n", n}, {"x_offset", values}});
          if (!wrong.empty()) return wrong;
        }
        return compare(plan.kernels.back(), of_results);
      });
}

template <class T, class Acc>
void compare_scan_by_key(call_comparer& r) {
  const std::size_t n = r.size(), keys = r.offset(), values = r.offset(), out = r.offset();
  // Another text than what stands where none is given: programs of one text are shared, whatever its name.
  const clwave::op same{.name = "same", .source = "b == a", .identity = {}};
  const bool by_text = r.coin();
  const Acc start = 3;
  const clwave::scan_by_key_problem problem{.keys = {element_of<u32>(), n, keys},
                                            .values = {element_of<T>(), n, values},
                                            .out = {element_of<Acc>(), n, out},
                                            .same = by_text ? &same : nullptr,
                                            .exclusive = r.coin(),
                                            .start = r.coin() ? &start : nullptr};
  r.compare_call(
      "scans by key, " + std::to_string(n) + " " + element_of<T>().name,
      [&] { return plan(problem, r.target()); },
      [&] {
        const clwave::scan_options<Acc> options{.start = problem.start != nullptr ? std::optional(start)
                                                                                  : std::nullopt};
        const auto k = r.in<u32>(0, n, keys);
        const auto x = r.in<T>(1, n, values);
        const auto y = r.in<Acc>(2, n, out);
        if (problem.exclusive && by_text)
          clwave::exclusive_scan_by_key(r.queue(), k, x, y, clwave::plus, same, options);
        else if (problem.exclusive)
          clwave::exclusive_scan_by_key(r.queue(), k, x, y, clwave::plus, options);
        else if (by_text)
          clwave::inclusive_scan_by_key(r.queue(), k, x, y, clwave::plus, same, options);
        else
          clwave::inclusive_scan_by_key(r.queue(), k, x, y, clwave::plus, options);
      });
}

keyed random_scan_by_key(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const random_fold f(d);
  op same = d.flip() ? plus : random_op(d);
  same.kind = op_kind::user;
  return keyed_by(
      scan_by_key_variant{.segments = {.scan = {.value = &f.value,
                                                .accumulator = &f.acc,
                                                .fold = &f.fold,
                                                .apply = &f.apply,
                                                .exclusive = d.flip(),
                                                .started = d.flip(),
                                                .way = d.flip() ? scan_way::held : scan_way::strips,
                                                .group_size = 64,
                                                .by_element = d.flip(),
                                                .sizes = {.blocks = 1}},
                                       .offset = &element_of<u32>(),
                                       .tile = d.flip() ? 16384u : 8192u,
                                       .own = one_or_two(d)},
                          .key = d.flip() ? &element_of<std::uint8_t>() : &element_of<u32>(),
                          .same = &same,
                          .keys = {.items = one_or_two(d), .vector = d.flip() ? 1u : 4u, .packets = d.flip()},
                          .messages = {.one_pass = d.flip()}});
}

std::vector<float> sums_before_by_key(const fixture& on, const view<float>& in) {
  const cl::Buffer keys = on.buffer_of(some_keys(in.size()));
  const guarded_buffer<float> out(on, in.size());
  clwave::inclusive_scan_by_key(on.queue, view<u32>{keys, in.size()}, in, out.view()).wait();
  return out.read_guarded();
}

const registered_parts listed("scan_by_key",
                              {{.events = events,
                                .plans = {{"scan_by_key", plan_one_scan_by_key}},
                                .compared = {{1, compare_scan_by_key<std::uint8_t, u32>, rows_without_lanes}},
                                .keys = {{"scan_by_key", random_scan_by_key}},
                                .results = {{"scan_by_key", sums_before_by_key}}}});

}  // namespace
}  // namespace testing::parts_of_scan_by_key
