// gemv: a fold of the matrix's rows or columns with a vector beside them, by the kernels of reduce_rows and
// reduce_columns.
#include <clwave/gemm.hpp>

#include <array>
#include <cstdint>
#include <span>

#include "blocks/matrix_fold.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "primitives/gemm_product.hpp"
#include "primitives/reduce_columns.hpp"
#include "primitives/reduce_rows.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "gemv";

void check_types(const gemv_problem& q) {
  check_typed(primitive, {{"A", q.a}, {"x", q.x}, {"y", q.y}});
  static constexpr std::string_view names[] = {"A", "x", "y"};
  check_product_types(primitive, "the product of a matrix and a vector", names, *q.a.type, *q.x.type,
                      *q.y.type);
}

// Whether the elements of a row of op(A) follow one another.
bool is_by_rows(const gemv_options& options) {
  return options.transpose == (options.order == matrix_order::column_major);
}

// Whether A and x are read.
bool multiplies(const gemv_problem& q) {
  const bool is_double = q.a.type->size == sizeof(double);
  const bool is_zero = is_double ? q.options.alpha == 0 : static_cast<float>(q.options.alpha) == 0;
  return q.size.rows > 0 && q.size.columns > 0 && !is_zero;
}

// The product of which nothing is read but y.
gemm_problem scaling_of(const gemv_problem& q) {
  return {.a = q.a,
          .b = q.x,
          .c = q.y,
          .size = {.m = q.size.rows, .n = 1, .k = q.size.columns},
          .options = {.alpha = q.options.alpha,
                      .beta = q.options.beta,
                      .transpose_a = !is_by_rows(q.options),
                      .lda = q.options.lda,
                      .ldb = q.options.step_x,
                      .ldc = q.options.step_y}};
}

void check_steps(const gemv_options& options) {
  if (options.step_x == 0 || options.step_y == 0)
    refuse(primitive, "x and y need steps of one element at least");
}

vector_product vectors_of(const gemv_problem& q) {
  const bool is_double = q.a.type->size == sizeof(double);
  const double beta = q.options.beta;
  return {.x = q.x,
          .step_x = q.options.step_x,
          .y = q.y,
          .step_y = q.options.step_y,
          .alpha = q.options.alpha,
          // What is 0 to the kernels leaves y unread.
          .beta = !is_double && static_cast<float>(beta) == 0 ? 0 : beta};
}

// The fold that the product is, which refers to `times`.
template <class Problem>
Problem product_as_fold(const gemv_problem& q, const vector_product& times) {
  const bool by_rows = is_by_rows(q.options);
  Problem fold{.in = q.a,
               .out = q.y,
               .size = {.rows = by_rows ? q.size.rows : q.size.columns,
                        .columns = by_rows ? q.size.columns : q.size.rows},
               .steps = {.row = q.options.lda},
               .apply = &product,
               .times = &times};
  fold.out.type = q.a.type->size == sizeof(double) ? &element_of<double>() : &element_of<float>();
  return fold;
}

template <class Problem>
event fold_with_vector(const call_site& site, const gemv_problem& asked, const launch_fields& options) {
  vector_product times = vectors_of(asked);
  Problem q = product_as_fold<Problem>(asked, times);
  const counting of_x{primitive, "x"}, of_y{primitive, "y"};
  const std::array<call_operand, 3> all{
      {{.view = asked.a,
        .name = "A",
        .reach = steps_of(primitive, q.size, q.steps, *asked.a.type, "A").extent},
       {.view = asked.y,
        .use = times.beta == 0 ? access::writes : access::reads_and_writes,
        .name = "y",
        .reach = reach_of_vector(of_y, asked.size.rows, times.step_y)},
       {.view = asked.x, .name = "x", .reach = reach_of_vector(of_x, asked.size.columns, times.step_x)}}};
  return carry_out({site, primitive, options}, q, all, {&q.in, nullptr, &times.x});
}

}  // namespace

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const gemv_problem& asked, const plan_target& on) {
  detail::check_types(asked);
  detail::check_steps(asked.options);
  if (!detail::multiplies(asked)) return plan(detail::scaling_of(asked), on);
  const detail::vector_product times = detail::vectors_of(asked);
  if (detail::is_by_rows(asked.options))
    return plan(detail::product_as_fold<reduce_rows_problem>(asked, times), on);
  return plan(detail::product_as_fold<reduce_columns_problem>(asked, times), on);
}

event gemv(cl_command_queue queue, const gemv_problem& asked, const launch_options& options) {
  detail::check_types(asked);
  detail::check_steps(asked.options);
  if (!detail::multiplies(asked)) return gemm(queue, detail::scaling_of(asked), options);
  const detail::call_site site = detail::site_of(queue, detail::primitive);
  return detail::is_by_rows(asked.options)
             ? detail::fold_with_vector<reduce_rows_problem>(site, asked, options)
             : detail::fold_with_vector<reduce_columns_problem>(site, asked, options);
}

}  // namespace clwave
