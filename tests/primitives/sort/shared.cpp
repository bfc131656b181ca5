// What the tests of all primitives need of sort: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "families/compared_sorts.hpp"
#include "primitives/sort.hpp"

namespace testing::parts_of_sort {
namespace {

event_list events() {
  event_list all;
  // By one core of a CPU, and by all.
  for (const std::size_t most : {9000, 40000}) {
    all.add(most == 9000 ? "sort_by_key" : "sort_by_key, many keys",
            {{most, in}, {most, in}, {most, both}, {most, both}},
            [most](auto& q, auto& b, bool empty, auto& options) {
              const std::size_t n = empty ? 0 : most;
              return clwave::sort_by_key(q, view<u32>{b[0], n}, view<u32>{b[1], n}, view<u32>{b[2], most},
                                         view<u32>{b[3], most}, given(options));
            });
  }
  all.add("argsort", {{9000, in}, {9000, both}}, [](auto& q, auto& b, bool empty, auto& options) {
    const std::size_t n = empty ? 0 : 9000;
    return clwave::argsort(q, view<u32>{b[0], n}, view<u32>{b[1], 9000}, given(options));
  });
  return all;
}

void plan_one_sort(planner& p, const clwave::plan_target& on) {
  const element& key = p.any_element();
  const element& value = p.any_element();
  const u64 n = p.size(), at = p.offset(), out_at = p.offset();
  clwave::sort_problem problem{.keys = {key, n, at}, .order = {.first_bit = p.coin() ? 0u : 5u}};
  const bool carries = p.coin();
  problem.keys_out = {key, 0, out_at};
  if (carries) problem.values = problem.values_out = value;
  problem.keys_in_place = p.coin();
  p.plan(
      "sort of " + std::to_string(n) + " " + key.name, on,
      {times(wide{n} + at, key.size), times(wide{n} + out_at, key.size), carries ? times(n, value.size) : 0},
      [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        if (n == 0) return count_kernels(plan, n);
        const planned_kernel& last = plan.kernels.back();
        if (plan.kernels.size() == 1)
          return compare(plan.kernels[0], {{"n", n}, {"keys_at", wide{at} * key.size}});
        const bool messages = plan.kernels[0].name == "sort_digits";
        const std::size_t passes = messages ? plan.kernels.size() - 2 : plan.kernels.size() / 3;
        if (!messages && plan.kernels.size() % 3 != 0) return "no three launches a digit";
        if (messages && (plan.kernels.size() < 3 || plan.kernels[1].name != "sort_totals"))
          return "not two launches and one a digit";
        if (problem.keys_in_place && passes % 2 != 0) return "the first digit goes to where the keys are";
        const wide tiles = argument(last, "tiles");
        if (last.groups != tiles) return "other groups than tiles";
        if (last.group_size > 1 && tiles != blocks_of(n, wide{word(plan, "ITEMS")} * last.group_size))
          return "other tiles than there are";
        const wide moved = key.size + (carries ? value.size : 0);
        const unsigned count_bytes = n >> 32 != 0 ? 8 : 4;
        const wide counts = messages ? passes * 256 * (wide{count_bytes} + 4 * plan.kernels[0].groups) +
                                           tiles * 256 * (n >> 30 != 0 ? 8 : 4)
                                     : (tiles + 1) * 256 * count_bytes;
        if (plan.workspace_bytes < counts + (passes > 1 ? wide{n} * moved : 0))
          return "too small a workspace";
        return compare(last, {{"n", n}, {"keys_to_at", wide{out_at} * key.size}});
      });
}

template <class T>
void compare_sort(call_comparer& r) {
  const sort_order order{.descending = r.coin(), .first_bit = r.coin() ? 0u : 3u};
  compare_any_sort<T>(r, "sort", r.size(), {.keys = {}, .order = order}, given(order));
}

keyed random_sort(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  static const std::array<const element*, 4> keys{&element_of<std::int32_t>(), &element_of<float>(),
                                                  &element_of<u64>(), &element_of<bool>()};
  const bool argsort = d.flip();
  return keyed_by(sort_variant{.key = d.one_of(keys),
                               .value_bytes = argsort ? 0u : 6 * d.below(3),
                               .index_bytes = argsort ? d.flip() ? 4u : 8u : 0,
                               .descending = d.flip(),
                               .many_keys = d.flip(),
                               .group_size = d.flip() ? 1u : 256u,
                               .items = one_or_two(d)});
}

std::vector<float> in_order(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> out(on, in.size());
  clwave::sort(on.queue, in, out.view()).wait();
  return out.read_guarded();
}

const registered_parts listed("sort", {{.events = events,
                                        .plans = {{"sort", plan_one_sort}},
                                        .compared = {{4, compare_sort<float>, rows_without_lanes},
                                                     {1, compare_sort<std::uint8_t>, rows_without_lanes}},
                                        .keys = {{"sort", random_sort}},
                                        .results = {{"sort", in_order}}}});

}  // namespace
}  // namespace testing::parts_of_sort
