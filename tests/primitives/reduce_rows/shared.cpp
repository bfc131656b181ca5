// What the tests of all primitives need of reduce_rows: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "families/matrix_fold_plans.hpp"
#include "primitives/reduce_rows.hpp"

namespace testing::parts_of_reduce_rows {
namespace {

const auto fold = [](const queue& q, const auto& in, const auto& out, const clwave::matrices& size,
                     const clwave::matrix_options& options) {
  return clwave::reduce_rows(q, in, out, size, clwave::plus, options);
};

event_list events() {
  return matrix_fold_events({{"reduce_rows, short rows", {.rows = 90, .columns = 100}},
                             {"reduce_rows, rows of two tiles", {.rows = 1, .columns = 9000}}},
                            fold);
}

void plan_one_rows(planner& p, const clwave::plan_target& on) {
  plan_one_matrix_fold<clwave::reduce_rows_problem>(
      p, on, true, [](const call_plan& plan, wide rows, u64 columns) -> std::string {
        const wide tiles = blocks_of(columns, clwave::fold_tile);
        const planned_kernel& first = plan.kernels.at(0);
        const bool is_short = first.name == "reduce_rows_short";
        if (is_short && (tiles > 1 || plan.kernels.size() != 1)) return "long rows as short ones";
        if (plan.workspace_bytes != 0 && tiles == 1) return "a workspace for nothing";
        return compare(first, {{"n", is_short ? rows : rows * tiles}});
      });
}

template <class T, class Acc>
void compare_rows(call_comparer& r) {
  compare_matrix_fold<clwave::reduce_rows_problem, T, Acc>(r, true, fold);
}

keyed random_reduce_rows(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const random_fold f(d);
  const unsigned of_row = d.flip() ? 0 : 4 * one_or_two(d);
  return keyed_by(
      reduce_rows_variant{.fold = {.value = &f.value,
                                   .accumulator = &f.acc,
                                   .fold = &f.fold,
                                   .apply = &f.apply,
                                   .group_size = d.flip() ? 128u : 256u,
                                   .vector = one_or_two(d),
                                   .by_element = d.flip(),
                                   .times = {.multiplies = d.flip(), .by_steps = d.flip(), .out = &f.value}},
                          .shape = {.cut = of_row == 0,
                                    .one_launch = of_row == 0 && d.flip(),
                                    .lanes = of_row,
                                    .packets = of_row == 0 ? 1 : one_or_two(d),
                                    .items = of_row == 0 ? 1 : one_or_two(d),
                                    .whole = of_row != 0 && d.flip()}});
}

// Of 37 rows, and no more of the other than there is room for.
std::vector<float> sums_of_rows(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> sums(on, 37);
  clwave::reduce_rows(on.queue, in, sums.view(), {.rows = 37, .columns = in.size() / 37}).wait();
  return sums.read_guarded();
}

const registered_parts listed("reduce_rows",
                              {{.events = events,
                                .plans = {{"reduce_rows", plan_one_rows}},
                                .compared = {{4, compare_rows<float, float>, rows_without_lanes},
                                             {1, compare_rows<std::uint8_t, u32>, rows_without_lanes}},
                                .keys = {{"reduce_rows", random_reduce_rows}},
                                .results = {{"reduce_rows", sums_of_rows}}}});

}  // namespace
}  // namespace testing::parts_of_reduce_rows
