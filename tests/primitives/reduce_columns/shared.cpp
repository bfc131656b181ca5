// What the tests of all primitives need of reduce_columns: its calls, its plans, its keys.
#include "harness/given.hpp"
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
  const std::pair<const char*, clwave::matrices> columns[] = {
      {"reduce_columns, short columns", {.rows = 30, .columns = 90}},
      {"reduce_columns, columns of two tiles", {.rows = 9000, .columns = 1}}};
  for (const auto& [name, size] : columns) {
    all.add(name, {{9000, in}, {90, out}},
            [size = size](const queue& q, const buffers& b, bool empty, const launch_options& options) {
              return clwave::reduce_columns(q, view<u32>{b[0], 9000}, view<u32>{b[1], 90},
                                            empty ? clwave::matrices{} : size, clwave::plus, given(options));
            });
  }
  return all;
}

void plan_one_columns(planner& p, const clwave::plan_target& on) {
  plan_one_matrix_fold<clwave::reduce_columns_problem>(
      p, on, false, [](const call_plan& plan, wide columns, std::uint64_t rows) -> std::string {
        const wide tiles = blocks_of(rows, clwave::fold_tile);
        const bool cut = plan.kernels.size() == 2 || has_word(plan, "COLUMNS_IN_ONE_LAUNCH");
        if (!cut && (tiles > 1 || plan.workspace_bytes != 0)) return "columns of several tiles at once";
        if (cut && plan.workspace_bytes > columns * tiles * 33 * 16 + 256) return "too large a workspace";
        return compare(plan.kernels.at(0), {{"rows", rows}});
      });
}

template <class T, class Acc>
void compare_columns(call_comparer& r) {
  clwave::matrices size{
      .rows = 1 + r.size() / 16, .columns = r.random.below(60), .batch = r.coin() ? 1u : 3u};
  if (size.columns > 0 && r.coin()) std::swap(size.rows, size.columns);
  const std::size_t in = r.offset(), out = r.offset();
  const std::size_t pitch = r.coin() ? 0 : size.columns + r.random.below(20);
  const clwave::pitches steps{.row = pitch};
  r.compare_call(
      "columns, " + std::to_string(size.columns) + " of " + std::to_string(size.rows) + " " +
          element_of<T>().name,
      [&] {
        return plan(clwave::reduce_columns_problem{.in = {element_of<T>(), 0, in},
                                                   .out = {element_of<Acc>(), 0, out},
                                                   .size = size,
                                                   .steps = steps},
                    r.target());
      },
      [&] {
        const std::size_t all = (pitch != 0 ? pitch : size.columns) * size.rows * size.batch;
        clwave::reduce_columns(r.queue(), r.in<T>(0, all, in), r.in<Acc>(1, size.columns * size.batch, out),
                               size, clwave::plus, {.row = steps.row, .slice = steps.slice});
      });
}

keyed random_reduce_columns(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  const element value = random_element(d), acc = d.flip() ? value : element_of<float>();
  const op fold = d.flip() ? plus : random_op(d);
  const map apply = d.flip() ? identity : random_map(d);
  const bool cut = d.flip();
  return keyed_by(reduce_columns_variant{.fold = {.value = &value,
                                                  .accumulator = &acc,
                                                  .fold = &fold,
                                                  .apply = &apply,
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

const registered_parts listed(
    "reduce_columns", {{.events = events,
                        .plans = {{"reduce_columns", plan_one_columns}},
                        .compared = {{3, compare_columns<float, float>, rows_without_lanes},
                                     {1, compare_columns<std::uint8_t, std::uint32_t>, rows_without_lanes}},
                        .keys = {{"reduce_columns", random_reduce_columns}},
                        .results = {{"reduce_columns", sums_of_columns}}}});

}  // namespace
}  // namespace testing::parts_of_reduce_columns
