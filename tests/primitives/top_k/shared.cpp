// What the tests of all primitives need of top_k: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <clwave.hpp>

#include "primitives/top_k.hpp"

namespace testing::parts_of_top_k {
namespace {

using clwave::call_plan;
using clwave::element;
using clwave::element_of;
using clwave::launch_options;
using clwave::planned_kernel;
using clwave::view;
using queue = cl::CommandQueue;
using u32 = std::uint32_t;
using namespace uses;

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
            [each](const queue& q, const buffers& b, bool empty, const launch_options& options) {
              const std::size_t k = empty ? 0 : each.k;
              return clwave::top_k(q, part<u32>(b[0], each.n, empty), view<u32>{b[1], each.k},
                                   view<u32>{b[2], each.k}, k, given(options));
            });
  }
  return all;
}

void plan_one_top_k(planner& p, const clwave::plan_target& on) {
  const element& key = p.any_element();
  const std::uint64_t n = p.size(), at = p.offset(), values_at = p.offset(), indices_at = p.offset();
  const std::uint64_t k = std::min(n, p.coin() ? p.random.below(300) : p.size());
  const element& index = n >> 32 == 0 && p.coin() ? element_of<u32>() : element_of<std::uint64_t>();
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
        const std::uint64_t capacity = argument(last, "capacity");
        if (capacity < k || capacity > n) return "a list of " + std::to_string(capacity);
        if (plan.workspace_bytes < times(capacity, wide{key.size} + index.size))
          return "no room for the list";
        for (const planned_kernel& kernel : plan.kernels) {
          if (kernel.name != "top_k_bound") continue;
          const std::uint64_t rank = argument(kernel, "rank"), sampled = argument(kernel, "sampled");
          if (rank == 0 || sampled > capacity) return "a bound of no rank, or a sample past the list";
        }
        return compare(last, {{"n", n}, {"listed", 1}});
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

keyed random_top_k(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  static const std::array<const element*, 4> keys{&element_of<std::int32_t>(), &element_of<float>(),
                                                  &element_of<std::uint64_t>(), &element_of<bool>()};
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

const registered_parts listed("top_k", {{.events = events,
                                         .plans = {{"top_k", plan_one_top_k}},
                                         .compared = {{3, compare_top_k<float>, rows_without_lanes},
                                                      {1, compare_top_k<std::uint8_t>, rows_without_lanes}},
                                         .keys = {{"top_k", random_top_k}},
                                         .results = {{"top_k", best_ones}}}});

}  // namespace
}  // namespace testing::parts_of_top_k
