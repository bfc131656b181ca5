// Random plans of folds of a matrix's rows or of its columns.
#pragma once

#include <cstdint>
#include <string>

#include <clwave/op.hpp>

#include "harness/plans.hpp"

namespace testing {

// Plans one fold; `check` looks at the plan of one that has results of some length.
template <class Problem, class Check>
void plan_one_matrix_fold(planner& p, const clwave::plan_target& on, bool of_rows, Check check) {
  static const clwave::op mine{.name = "mine", .source = "a * 3 + b", .identity = "0", .commutative = false};
  const clwave::element& type = p.any_element();
  const clwave::element& acc =
      type.kind == clwave::element_kind::half_storage ? clwave::element_of<float>() : type;
  const clwave::op& fold = p.random.below(4) == 0 ? mine : clwave::plus;
  const clwave::matrices size{.rows = p.size(), .columns = p.size(), .batch = p.coin() ? 1 : p.size()};
  clwave::pitches steps;
  if (p.random.below(3) == 0) steps.row = p.coin() ? size.columns + p.random.below(9) : p.size();
  if (p.random.below(4) == 0) steps.slice = p.size();
  const std::uint64_t in = p.offset(), out = p.offset();
  const std::uint64_t length = of_rows ? size.columns : size.rows;
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
      [&](const clwave::call_plan& plan) -> std::string {
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

}  // namespace testing
