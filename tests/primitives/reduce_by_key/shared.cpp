// What the tests of all primitives need of reduce_by_key: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/reduce_by_key.hpp"

namespace testing::parts_of_reduce_by_key {
namespace {

event_list events() {
  event_list all;
  all.add("reduce_by_key", {{9000, in}, {9000, in}, {9000, out}, {9000, out}, {2, out}},
          [](auto& q, auto& b, bool empty, auto& options) {
            const std::size_t n = empty ? 0 : 9000;
            return clwave::reduce_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n}, view<u32>{b[2], 9000},
                                         view<u32>{b[3], 9000}, view<u64>{b[4], 1}, clwave::plus, options);
          });
  return all;
}

void plan_one_reduce_by_key(planner& p, const clwave::plan_target& on) {
  static const clwave::op same{.name = "same", .source = "1", .identity = {}};
  static const clwave::op mine{.name = "mine", .source = "a * 3 + b", .identity = "", .commutative = false};
  const element& key = p.any_element();
  const element& value = p.any_element();
  const element& acc = value.kind == clwave::element_kind::half_storage ? element_of<float>() : value;
  const u64 n = p.size(), keys = p.offset(), values = p.offset(), keys_out = p.offset(),
            values_out = p.offset();
  const u64 capacity = p.coin() ? n : p.size(), stored = std::min(n, capacity);
  const clwave::op& fold = p.random.below(4) == 0 ? mine : clwave::plus;
  p.plan(
      "by key, " + std::to_string(n) + " " + value.name + " of " + key.name, on,
      {reach(n, keys, key.size), reach(n, values, value.size), reach(stored, keys_out, key.size),
       reach(stored, values_out, acc.size)},
      [&] {
        return plan(clwave::reduce_by_key_problem{.keys = {key, n, keys},
                                                  .values = {value, n, values},
                                                  .keys_out = {key, capacity, keys_out},
                                                  .values_out = {acc, capacity, values_out},
                                                  .fold = &fold,
                                                  .same = &same},
                    on);
      },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const bool levels = n > clwave::fold_tile;
        const bool one_pass = plan.kernels.size() == 1;
        if (!one_pass && plan.kernels.size() != (levels ? 4u : 3u))
          return "neither one launch nor three, and one for levels";
        const planned_kernel& results = plan.kernels[one_pass ? 0 : 2];
        const u64 head = argument(results, "head");
        if (head >= word(plan, "KEPT_VECTOR")) return "a head of a packet or more";
        const wide tile = wide{word(plan, "KEPT_ITEMS")} * word(plan, "KEPT_VECTOR") * results.group_size;
        if (results.groups != blocks_of(wide{n} + head, tile)) return "other groups than tiles";
        // What is told of each tile, and of runs of several tiles of values two results for each tile.
        const wide least = results.groups * wide{16} + (levels ? n / clwave::fold_tile * 2 * acc.size : 0);
        if (plan.workspace_bytes < least) return "too small a workspace";
        return compare(results, {{"n", n},
                                 {"x_offset", keys},
                                 {"out_offset", keys_out},
                                 {"values_offset", values},
                                 {"values_out_offset", values_out},
                                 {"capacity", stored}});
      });
}

template <class T, class Acc>
void compare_by_key(call_comparer& r) {
  // As of selections, the plan of no elements lacks the count that becomes 0.
  const std::size_t n = std::max<std::size_t>(r.size(), 1), keys = r.offset(), values = r.offset(),
                    keys_out = r.offset(), values_out = 64 + r.offset();  // behind the count
  // Another text than what stands where none is given: programs of one text are shared, whatever its name.
  const clwave::op same{.name = "same", .source = "b == a", .identity = {}};
  const bool by_text = r.coin();
  r.compare_call(
      "by key, " + std::to_string(n) + " " + element_of<T>().name,
      [&] {
        return plan(clwave::reduce_by_key_problem{.keys = {element_of<u32>(), n, keys},
                                                  .values = {element_of<T>(), n, values},
                                                  .keys_out = {element_of<u32>(), n, keys_out},
                                                  .values_out = {element_of<Acc>(), n, values_out},
                                                  .same = by_text ? &same : nullptr},
                    r.target());
      },
      [&] {
        const auto k = r.in<u32>(0, n, keys);
        const auto x = r.in<T>(1, n, values);
        const auto to = r.in<u32>(2, n, keys_out);
        const auto sums = r.in<Acc>(3, n, values_out);
        const auto count = r.in<u64>(3, 1);
        if (by_text)
          clwave::reduce_by_key(r.queue(), k, x, to, sums, count, clwave::plus, same);
        else
          clwave::reduce_by_key(r.queue(), k, x, to, sums, count);
      });
}

keyed random_reduce_by_key(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
  const op fold = d.flip() ? plus : random_op(d);
  op same = d.flip() ? plus : random_op(d);
  same.kind = op_kind::user;
  return keyed_by(reduce_by_key_variant{
      .fold = {.value = &value, .accumulator = &acc, .fold = &fold, .apply = &identity, .group_size = 128},
      .segments = {.own = d.flip() ? 8u : 16u, .slots = d.flip() ? 0u : 4u},
      .key = d.flip() ? &element_of<std::uint8_t>() : &element_of<u32>(),
      .same = &same,
      .keys = {.vector = d.flip() ? 1u : 4u},
      .runs = {.value_packets = d.flip(), .levels = d.flip()},
      .messages = {.one_pass = d.flip()}});
}

// The keys of the runs, then their sums.
std::vector<float> sums_by_key(const fixture& on, const view<float>& in) {
  const cl::Buffer keys = on.buffer_of(some_keys(in.size()));
  const guarded_buffer<u32> keys_out(on, in.size());
  const guarded_buffer<float> sums(on, in.size());
  const u64 runs =
      clwave::reduce_by_key(on.queue, view<u32>{keys, in.size()}, in, keys_out.view(), sums.view());
  const std::vector<u32> found = keys_out.read_guarded();
  std::vector<float> all(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(runs));
  const std::vector<float> of_runs = sums.read_guarded();
  all.insert(all.end(), of_runs.begin(), of_runs.begin() + static_cast<std::ptrdiff_t>(runs));
  return all;
}

const registered_parts listed("reduce_by_key",
                              {{.events = events,
                                .plans = {{"reduce_by_key", plan_one_reduce_by_key}},
                                .compared = {{2, compare_by_key<float, float>, rows_without_lanes}},
                                .keys = {{"reduce_by_key", random_reduce_by_key}},
                                .results = {{"reduce_by_key", sums_by_key}}}});

}  // namespace
}  // namespace testing::parts_of_reduce_by_key
