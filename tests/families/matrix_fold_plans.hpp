// What reduce_rows and reduce_columns have alike for the tests that go through all primitives: their calls,
// plans of random ones, and these calls against their plans.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave/matrices.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>

#include "harness/calls.hpp"
#include "harness/given.hpp"
#include "harness/plans.hpp"

namespace testing {

// Plans one fold; `check` looks at the plan of one that has results of some length.
template <class Problem, class Check>
void plan_one_matrix_fold(planner& p, const clwave::plan_target& on, bool of_rows, Check check) {
  static const clwave::op mine{.name = "mine", .source = "a * 3 + b", .identity = "0", .commutative = false};
  const element& type = p.any_element();
  const element& acc = type.kind == clwave::element_kind::half_storage ? element_of<float>() : type;
  const clwave::op& fold = p.random.below(4) == 0 ? mine : clwave::plus;
  const clwave::matrices size{.rows = p.size(), .columns = p.size(), .batch = p.coin() ? 1 : p.size()};
  clwave::pitches steps;
  if (p.random.below(3) == 0) steps.row = p.coin() ? size.columns + p.random.below(9) : p.size();
  if (p.random.below(4) == 0) steps.slice = p.size();
  const u64 in = p.offset(), out = p.offset();
  const u64 length = of_rows ? size.columns : size.rows;
  const wide results = times(of_rows ? size.rows : size.columns, size.batch);
  const bool some = results > 0 && length > 0;
  const wide row = steps.row != 0 ? steps.row : size.columns;
  const wide matrix = steps.slice != 0 ? wide{steps.slice} : size.batch > 1 ? times(row, size.rows) : 0;
  const wide reach = some ? times(size.rows - 1, row) + size.columns + times(size.batch - 1, matrix) : 0;
  p.plan(
      std::string(of_rows ? "rows, " : "columns, ") + std::to_string(size.batch) + " times " +
          std::to_string(size.rows) + " by " + std::to_string(size.columns) + " " + type.name,
      on, {times(reach + in, type.size), times(results + out, acc.size)},
      [&] {
        return plan(
            Problem{.in = {type, 0, in}, .out = {acc, 0, out}, .size = size, .steps = steps, .fold = &fold},
            on);
      },
      [&](const call_plan& plan) -> std::string {
        // The identity of some types only the compiler knows.
        if (results > 0 && length == 0 && plan.kernels.size() == 1 &&
            plan.kernels[0].name == "fold_identities")
          return "";
        if (!some) return count_kernels(plan, 0);
        if ((plan.kernels.size() == 2 || plan.workspace_bytes != 0) &&
            plan.workspace_bytes < results * blocks_of(length, clwave::fold_tile) * acc.size)
          return "too small a workspace";
        return check(plan, results, length) +
               compare(plan.kernels.at(0), {{"x_offset", in}, {"pitch", row}}) +
               compare(plan.kernels.back(), {{"out", times(results + out, acc.size)}});
      });
}

// Calls of matrices of 9000 elements or fewer, which have 90 results or fewer; `fold` is the call.
template <class Fold>
event_list matrix_fold_events(const std::vector<std::pair<std::string, clwave::matrices>>& sizes,
                              const Fold& fold) {
  event_list all;
  for (const auto& [name, size] : sizes)
    all.add(name, {{9000, uses::in}, {90, uses::out}},
            [size = size, fold](const cl::CommandQueue& q, const buffers& b, bool empty,
                                const launch_options& options) {
              return fold(q, clwave::view<u32>{b[0], 9000}, clwave::view<u32>{b[1], 90},
                          empty ? clwave::matrices{} : size, given(options));
            });
  return all;
}

template <class Problem, class T, class Acc, class Fold>
void compare_matrix_fold(call_comparer& r, bool of_rows, const Fold& fold) {
  std::size_t results = r.random.below(60), length = 1 + r.size() / 16;
  if (results > 0 && r.coin()) std::swap(results, length);
  const clwave::matrices size{
      .rows = of_rows ? results : length, .columns = of_rows ? length : results, .batch = r.coin() ? 1u : 3u};
  const element &type = element_of<T>(), &acc = element_of<Acc>();
  const std::size_t in = r.offset(), out = r.offset();
  const std::size_t pitch = r.coin() ? 0 : size.columns + r.random.below(20);
  r.compare_call(
      std::to_string(results) + (of_rows ? " rows" : " columns") + " of " + std::to_string(length) + " " +
          type.name,
      [&] {
        return plan(Problem{.in = {type, 0, in}, .out = {acc, 0, out}, .size = size, .steps = {.row = pitch}},
                    r.target());
      },
      [&] {
        const std::size_t all = (pitch != 0 ? pitch : size.columns) * size.rows * size.batch;
        fold(r.queue(), r.in<T>(0, all, in), r.in<Acc>(1, results * size.batch, out), size,
             clwave::matrix_options{.row = pitch});
      });
}

}  // namespace testing
