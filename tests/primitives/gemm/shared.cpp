// What the tests of all primitives need of gemm: its calls, its plans, its keys.
#include "harness/given.hpp"
#include "harness/parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <clwave.hpp>

#include "primitives/gemm.hpp"

namespace testing::parts_of_gemm {
namespace {

event_list events() {
  event_list all;
  const std::pair<const char*, clwave::gemm_size> products[] = {{"gemm", {30, 20, 40}},
                                                                {"gemm, k in parts", {8, 9, 1024}}};
  for (const auto& [name, size] : products) {
    for (const double beta : {0.0, 1.0}) {
      const clwave::gemm_size s = size;
      all.add((std::string(name) + (beta != 0 ? ", C added" : "")).c_str(),
              {{s.m * s.k, in, true}, {s.k * s.n, in, true}, {s.m * s.n, beta != 0 ? both : out, true}},
              [s, beta](auto& q, auto& b, bool empty, auto& options) {
                return clwave::gemm(q, empty ? clwave::gemm_size{} : s, part<float>(b[0], s.m * s.k, empty),
                                    part<float>(b[1], s.k * s.n, empty), part<float>(b[2], s.m * s.n, empty),
                                    launched(clwave::gemm_options{.beta = beta}, options));
              });
    }
  }
  for (const bool transpose : {false, true}) {
    all.add(transpose ? "gemv, transposed" : "gemv", {{30 * 40, in, true}, {40, in, true}, {30, both, true}},
            [transpose](auto& q, auto& b, bool empty, auto& options) {
              return clwave::gemv(q, empty ? clwave::gemv_size{} : clwave::gemv_size{30, 40},
                                  part<float>(b[0], 1200, empty), part<float>(b[1], 40, empty),
                                  part<float>(b[2], 30, empty),
                                  launched(clwave::gemv_options{.beta = 1, .transpose = transpose}, options));
            });
  }
  return all;
}

void plan_one_gemm(planner& p, const clwave::plan_target& on) {
  static const element* const types[] = {&element_of<float>(), &element_of<double>(), &element_of<half>(),
                                         &element_of<bfloat16>()};
  const element& type = *p.one_of(types);
  const element& out = type.size == 2 && p.coin() ? element_of<float>() : type;
  const clwave::gemm_size size{.m = p.size(), .n = p.size(), .k = p.size()};
  clwave::gemm_options options;
  options.order = p.coin() ? clwave::matrix_order::row_major : clwave::matrix_order::column_major;
  options.transpose_a = p.coin();
  options.transpose_b = p.coin();
  options.allow_tf32 = p.coin();
  options.same_bits = p.random.below(4) == 0;
  options.batches = p.random.below(3) != 0 ? 1 : p.size();
  if (p.random.below(4) == 0) options.alpha = 0;
  if (p.coin()) options.beta = 1;
  if (p.random.below(4) == 0) options.lda = p.size();
  if (p.random.below(4) == 0) options.ldc = p.size();
  if (p.random.below(4) == 0) options.stride_b = p.size();
  clwave::gemm_problem problem{type, type, out, size, options};
  if (p.coin()) problem.c = {out, 0, p.size()};
  if (p.coin()) problem.a = {type, 0, p.random.below(1000)};
  if (p.coin()) problem.b = {type, 0, p.random.below(1000)};
  const wide results = times(times(size.m, size.n), options.batches);
  const std::vector<wide> bytes{times(results + problem.c.offset, out.size)};
  p.plan(
      "gemm of " + std::to_string(size.m) + ", " + std::to_string(size.n) + ", " + std::to_string(size.k) +
          ", " + std::to_string(options.batches) + " times",
      on, bytes, [&] { return plan(problem, on); },
      [&](const call_plan& plan) -> std::string {
        const wide n = results;
        if (plan.n != n) return "n is " + std::to_string(plan.n);
        if (n == 0) return count_kernels(plan, n);
        const bool swapped = options.order == clwave::matrix_order::row_major;
        const planned_kernel& kernel = plan.kernels.at(0);
        const wide parts = argument(kernel, "parts");
        const wide acc = type.size == 8 ? 8 : 4;  // bytes that a sum has
        const wide tiles =
            wide{argument(kernel, "tiles_m")} * argument(kernel, "tiles_n") * options.batches * parts;
        if (kernel.name == "gemm_wide") {
          // As many groups as run at once, each with two maps; `pieces` tiles lie above one another.
          if (kernel.groups > tiles || argument(kernel, "pieces") != options.batches * parts)
            return "other groups or pieces than tiles";
          if (plan.second_target.empty()) return "no second build";
          if (plan.workspace_bytes < kernel.groups * 256 + (parts > 1 ? n * parts * acc : 0))
            return "too small a workspace";
        } else if (kernel.groups != tiles) {
          return "other groups than tiles";
        }
        if (parts > 1 && plan.workspace_bytes < n * parts * acc) return "too small a workspace";
        if (parts == 0 || (parts > 1) != (plan.kernels.size() == 2)) return "parts without a sum";
        if (argument(plan.kernels.back(), "c_offset") != problem.c.offset) return "another offset of C";
        // A row-major product is the column-major one of B and A.
        return compare(kernel, {{"a_offset", (swapped ? problem.b : problem.a).offset},
                                {"b_offset", (swapped ? problem.a : problem.b).offset},
                                {"m", swapped ? size.n : size.m},
                                {"n", swapped ? size.m : size.n},
                                {"k", options.alpha == 0 ? 0 : size.k}});
      });
}

template <class T, class Out>
void compare_gemm(call_comparer& r) {
  const auto side = [&]() -> std::size_t {
    return r.random.below(4) == 0 ? r.random.below(3) : r.random.below(200);
  };
  const clwave::gemm_size size{.m = side(), .n = side(), .k = r.coin() ? side() : 16 * r.random.below(200)};
  clwave::gemm_options options;
  options.order = r.coin() ? clwave::matrix_order::row_major : clwave::matrix_order::column_major;
  options.transpose_a = r.coin();
  options.transpose_b = r.coin();
  options.batches = r.random.below(4);
  options.alpha = r.random.below(4) == 0 ? 0 : 1.1;
  options.beta = r.coin() ? 0 : 0.3;
  options.allow_tf32 = r.coin();
  if (r.coin()) options.ldc = std::max(size.m, size.n) + r.random.below(5);
  const std::size_t offsets[] = {r.offset(), r.offset(), r.offset()};
  r.compare_call(
      "gemm of " + std::to_string(size.m) + ", " + std::to_string(size.n) + ", " + std::to_string(size.k) +
          ", " + std::to_string(options.batches) + " times",
      [&] {
        return plan(clwave::gemm_problem{{element_of<T>(), 0, offsets[0]},
                                         {element_of<T>(), 0, offsets[1]},
                                         {element_of<Out>(), 0, offsets[2]},
                                         size,
                                         options},
                    r.target());
      },
      [&] {
        clwave::gemm(r.queue(), size, r.in<T>(0, buffer_bytes / sizeof(T) - 100, offsets[0]),
                     r.in<T>(1, buffer_bytes / sizeof(T) - 100, offsets[1]),
                     r.in<Out>(2, buffer_bytes / sizeof(Out) - 100, offsets[2]), options);
      });
}

template <class T>
void compare_gemv(call_comparer& r) {
  const clwave::gemv_size size{r.random.below(200), r.random.below(4) == 0 ? 0 : 1 + r.random.below(300)};
  clwave::gemv_options options;
  options.order = r.coin() ? clwave::matrix_order::row_major : clwave::matrix_order::column_major;
  options.transpose = r.coin();
  options.alpha = r.random.below(4) == 0 ? 0 : 1.1;
  options.beta = r.coin() ? 0 : 0.3;
  if (r.coin()) options.lda = std::max(size.rows, size.columns) + r.random.below(5);
  if (r.coin()) options.step_x = 1 + r.random.below(3);
  if (r.coin()) options.step_y = 1 + r.random.below(3);
  const std::size_t offsets[] = {r.offset(), r.offset(), r.offset()};
  const std::size_t all = buffer_bytes / sizeof(T) - 100;
  r.compare_call(
      "gemv of " + std::to_string(size.rows) + ", " + std::to_string(size.columns),
      [&] {
        const element& type = element_of<T>();
        return plan(
            clwave::gemv_problem{
                {type, 0, offsets[0]}, {type, 0, offsets[1]}, {type, 0, offsets[2]}, size, options},
            r.target());
      },
      [&] {
        clwave::gemv(r.queue(), size, r.in<T>(0, all, offsets[0]), r.in<T>(1, all, offsets[1]),
                     r.in<T>(2, all, offsets[2]), options);
      });
}

keyed random_gemm(dice& d) {
  using namespace clwave;
  using namespace clwave::detail;
  static const std::array<const element*, 3> types{&element_of<float>(), &element_of<double>(),
                                                   &element_of<half>()};
  static const std::array ways{gemm_way::blocks, gemm_way::tiles, gemm_way::matrix, gemm_way::wide};
  static const std::array units{matrix_unit::mma_sync, matrix_unit::mfma};
  return keyed_by(gemm_variant{.type = d.one_of(types),
                               .out = d.one_of(types),
                               .way = d.one_of(ways),
                               .unit = d.one_of(units),
                               .numbers = {.m = 32 * one_or_two(d),
                                           .n = 32 * one_or_two(d),
                                           .k = 8 * one_or_two(d),
                                           .item_m = 4 * one_or_two(d),
                                           .item_n = 4 * one_or_two(d),
                                           .stages = 2 + d.below(2),
                                           .group_size = 32 * one_or_two(d),
                                           .vector = one_or_two(d)},
                               .in_parts = d.flip(),
                               .whole_steps = d.flip(),
                               .a_along_k = d.flip(),
                               .b_along_k = d.flip(),
                               .rows_are_m = d.flip(),
                               .rows_from_registers = d.flip(),
                               .packed_stores = d.flip(),
                               .batched = d.flip()});
}

const registered_parts listed(
    "gemm",
    {{.events = events,
      .plans = {{"gemm", plan_one_gemm}},
      .compared = {{6, compare_gemm<float, float>}, {3, compare_gemm<half, float>}, {3, compare_gemv<float>}},
      .keys = {{"gemm", random_gemm}}}});

}  // namespace
}  // namespace testing::parts_of_gemm
