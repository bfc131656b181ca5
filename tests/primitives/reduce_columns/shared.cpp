// What the tests of all primitives need of reduce_columns: its calls, its plans, its keys.
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "families/matrix_fold_plans.hpp"
#include "primitives/reduce_columns.hpp"

namespace testing::parts_of_reduce_columns {
namespace {

const auto fold = [](const queue& q, const auto& in, const auto& out, const clwave::matrices& size,
                     const clwave::matrix_options& options) {
  return clwave::reduce_columns(q, in, out, size, clwave::plus, options);
};

event_list events() {
  return matrix_fold_events({{"reduce_columns, short columns", {.rows = 30, .columns = 90}},
                             {"reduce_columns, columns of two tiles", {.rows = 9000, .columns = 1}}},
                            fold);
}

void plan_one_columns(planner& p, const clwave::plan_target& on) {
  plan_one_matrix_fold<clwave::reduce_columns_problem>(
      p, on, false, [](const call_plan& plan, wide columns, u64 rows) -> std::string {
        const wide tiles = blocks_of(rows, clwave::fold_tile);
        const bool cut = plan.kernels.size() == 2 || has_word(plan, "COLUMNS_IN_ONE_LAUNCH");
        if (!cut && (tiles > 1 || plan.workspace_bytes != 0)) return "columns of several tiles at once";
        if (cut && plan.workspace_bytes > columns * tiles * 33 * 16 + 256) return "too large a workspace";
        return compare(plan.kernels.at(0), {{"rows", rows}});
      });
}

template <class T, class Acc>
void compare_columns(call_comparer& r) {
  compare_matrix_fold<clwave::reduce_columns_problem, T, Acc>(r, false, fold);
}

keyed random_reduce_columns(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const random_fold f(d);
  const bool cut = d.flip();
  return keyed_by(reduce_columns_variant{.fold = {.value = &f.value,
                                                  .accumulator = &f.acc,
                                                  .fold = &f.fold,
                                                  .apply = &f.apply,
                                                  .group_size = 256,
                                                  .vector = one_or_two(d),
                                                  .by_element = d.flip()},
                                         .shape = {.cut = cut,
                                                   .lanes = d.flip() ? 32u : 64u,
                                                   .block = one_or_two(d),
                                                   .single = false,
                                                   .rows = one_or_two(d),
                                                   .part = d.flip() ? 256u : 512u,
                                                   .strip = 0,
                                                   .chunk = cut ? 4 * one_or_two(d) : 0}});
}

// Of 37 columns, and no more of the other than there is room for.
std::vector<float> sums_of_columns(const fixture& on, const view<float>& in) {
  const guarded_buffer<float> sums(on, 37);
  clwave::reduce_columns(on.queue, in, sums.view(), {.rows = in.size() / 37, .columns = 37}).wait();
  return sums.read_guarded();
}

const registered_parts listed("reduce_columns",
                              {{.events = events,
                                .plans = {{"reduce_columns", plan_one_columns}},
                                .compared = {{3, compare_columns<float, float>, rows_without_lanes},
                                             {1, compare_columns<std::uint8_t, u32>, rows_without_lanes}},
                                .keys = {{"reduce_columns", random_reduce_columns}},
                                .results = {{"reduce_columns", sums_of_columns}}}});

}  // namespace
}  // namespace testing::parts_of_reduce_columns
