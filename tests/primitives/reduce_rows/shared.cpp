// What the tests of all primitives need of reduce_rows: its calls, its plans, its keys.
#include "harness/given.hpp"
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
  const std::pair<const char*, clwave::matrices> rows[] = {
      {"reduce_rows, short rows", {.rows = 90, .columns = 100}},
      {"reduce_rows, rows of two tiles", {.rows = 1, .columns = 9000}}};
  for (const auto& [name, size] : rows) {
    all.add(name, {{9000, in}, {90, out}},
            [size = size](const queue& q, const buffers& b, bool empty, const launch_options& options) {
              return clwave::reduce_rows(q, view<u32>{b[0], 9000}, view<u32>{b[1], 90},
                                         empty ? clwave::matrices{} : size, clwave::plus, given(options));
            });
  }
  return all;
}

void plan_one_rows(planner& p, const clwave::plan_target& on) {
  plan_one_matrix_fold<clwave::reduce_rows_problem>(
      p, on, true, [](const call_plan& plan, wide rows, std::uint64_t columns) -> std::string {
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
  clwave::matrices size{
      .rows = r.random.below(60), .columns = 1 + r.size() / 16, .batch = r.coin() ? 1u : 3u};
  if (size.rows > 0 && r.coin()) std::swap(size.rows, size.columns);
  const std::size_t in = r.offset(), out = r.offset();
  const std::size_t pitch = r.coin() ? 0 : size.columns + r.random.below(20);
  const clwave::pitches steps{.row = pitch};
  r.compare_call(
      "rows, " + std::to_string(size.rows) + " of " + std::to_string(size.columns) + " " +
          element_of<T>().name,
      [&] {
        return plan(clwave::reduce_rows_problem{.in = {element_of<T>(), 0, in},
                                                .out = {element_of<Acc>(), 0, out},
                                                .size = size,
                                                .steps = steps},
                    r.target());
      },
      [&] {
        const std::size_t all = (pitch != 0 ? pitch : size.columns) * size.rows * size.batch;
        clwave::reduce_rows(r.queue(), r.in<T>(0, all, in), r.in<Acc>(1, size.rows * size.batch, out), size,
                            clwave::plus, {.row = steps.row, .slice = steps.slice});
      });
}

keyed random_reduce_rows(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
  const op fold = d.flip() ? plus : random_op(d);
  const map apply = d.flip() ? identity : random_map(d);
  const unsigned of_row = d.flip() ? 0 : 4 * one_or_two(d);
  return keyed_by(
      reduce_rows_variant{.fold = {.value = &value,
                                   .accumulator = &acc,
                                   .fold = &fold,
                                   .apply = &apply,
                                   .group_size = d.flip() ? 128u : 256u,
                                   .vector = one_or_two(d),
                                   .by_element = d.flip(),
                                   .times = {.multiplies = d.flip(), .by_steps = d.flip(), .out = &value}},
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

const registered_parts listed(
    "reduce_rows", {{.events = events,
                     .plans = {{"reduce_rows", plan_one_rows}},
                     .compared = {{4, compare_rows<float, float>, rows_without_lanes},
                                  {1, compare_rows<std::uint8_t, std::uint32_t>, rows_without_lanes}},
                     .keys = {{"reduce_rows", random_reduce_rows}},
                     .results = {{"reduce_rows", sums_of_rows}}}});

}  // namespace
}  // namespace testing::parts_of_reduce_rows
