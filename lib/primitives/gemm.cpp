// gemm: checks, plan, launch.
#include <clwave/gemm.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/launch.hpp"
#include "call/operands.hpp"
#include "call/workspace.hpp"
#include "primitives/gemm_plan.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "gemm";

// Checks that a view holds its matrices, and finds out how they are aligned.
operand check_matrix(const call_site& site, const operand& view, gemm_matrix& matrix, std::uint64_t batches,
                     access use, std::string_view what) {
  const std::uint64_t extent = matrix.extent(batches);
  if (extent > view.n)
    refuse(primitive, std::string(what) + " has " + std::to_string(view.n) +
                          " elements, and its matrices reach to " + std::to_string(extent));
  const operand used{view.buffer, static_cast<std::size_t>(extent), view.offset, view.type};
  matrix.alignment = check_operand(site, used, use, primitive, what);
  if (matrix.alignment < view.type->size)
    refuse(primitive, std::string(what) + " is not aligned to its element type",
           "the memory given by CL_MEM_USE_HOST_PTR starts between two elements");
  return used;
}

// alpha and beta go as what is accumulated.
void add_scalar(arguments& with, const gemm_question& q, double value) {
  if (q.type->size == 8)
    with.add(value);
  else
    with.add(static_cast<float>(value));
}

}  // namespace

event gemm(cl_command_queue queue, const gemm_size& size, const operand& a, const operand& b,
           const operand& c, const gemm_options& options) {
  const call_site site = site_of(queue, primitive);
  gemm_question q = question_of(*a.type, *b.type, *c.type, size, options);
  q.compute_units = site.on.facts->compute_units.value_or(1);
  const operand& first = q.swapped ? b : a;
  const operand& second = q.swapped ? a : b;
  const std::string_view first_name = q.swapped ? "B" : "A";
  const std::string_view second_name = q.swapped ? "A" : "B";
  const operand from_a = check_matrix(site, first, q.a, q.batches, access::reads, first_name);
  const operand from_b = check_matrix(site, second, q.b, q.batches, access::reads, second_name);
  const operand to =
      check_matrix(site, c, q.c, q.batches, q.beta != 0 ? access::reads_and_writes : access::writes, "C");
  check_disjoint(from_a, to, primitive, std::string(first_name) + " and C");
  check_disjoint(from_b, to, primitive, std::string(second_name) + " and C");
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  if (to.n == 0) return nothing_after(site, after, options.with_event);

  const auto [shape, code] = fit(
      site, [&](const target& on) { return shape_gemm(q, on); },
      [&](const gemm_shape& s) { return key_gemm(q, s); },
      [&](const gemm_shape& s) { return spec_gemm(q, s); },
      [](const gemm_shape& s) {
        return std::array<std::string_view, 2>{kernel_of(s), s.parts > 1 ? "gemm_fold" : ""};
      });
  // Where k is cut, the first kernel's C is the workspace.
  std::optional<workspace> work;
  if (shape.parts > 1) work.emplace(site, static_cast<std::size_t>(shape.workspace_bytes));
  const std::uint64_t own = workspace::own_at / (q.type->size == 8 ? 8 : 4);
  // Matrices without elements may have no buffer; nothing is read from them.
  arguments with;
  with.add(q.k != 0 ? from_a.buffer : to.buffer)
      .add(std::uint64_t{from_a.offset})
      .add(q.a.line)
      .add(q.a.stride);
  with.add(q.k != 0 ? from_b.buffer : to.buffer)
      .add(std::uint64_t{from_b.offset})
      .add(q.b.line)
      .add(q.b.stride);
  if (work)
    with.add(work->buffer()).add(own).add(shape.part_line).add(shape.part_line * q.n);
  else
    with.add(to.buffer).add(std::uint64_t{to.offset}).add(q.c.line).add(q.c.stride);
  with.add(q.m).add(q.n).add(q.k).add(shape.part).add(static_cast<std::uint32_t>(shape.parts));
  with.add(static_cast<std::uint32_t>(shape.tiles_m)).add(static_cast<std::uint32_t>(shape.tiles_n));
  add_scalar(with, q, work ? 1 : q.alpha);
  add_scalar(with, q, work ? 0 : q.beta);
  std::vector<cl_event> first_after(after.begin(), after.end());
  if (work && work->cleared().get() != nullptr) first_after.push_back(work->cleared().get());
  // An out-of-order queue says only by events when the sums are there, and when the workspace is free. Where
  // the first launch may be terminated by what it waits for, some drivers carry on with the second.
  const bool chained = !site.in_order || !first_after.empty();
  const bool wanted = options.with_event || !site.in_order;
  event done = launch(site, *code, kernel_of(shape), shape.groups, shape.group_size, with, first_after,
                      work ? chained : options.with_event);
  if (!work) return done;

  arguments adds;
  adds.add(work->buffer()).add(own).add(shape.parts).add(shape.part_line).add(shape.part_line * q.n);
  adds.add(to.buffer).add(std::uint64_t{to.offset}).add(q.c.line).add(q.c.stride);
  adds.add(q.m).add(q.n).add(q.batches);
  add_scalar(adds, q, q.alpha);
  add_scalar(adds, q, q.beta);
  std::vector<cl_event> sums;
  if (chained) sums.push_back(done.get());
  const event added =
      launch(site, *code, "gemm_fold", shape.fold_groups, shape.group_size, adds, sums, wanted);
  work->used_until(wanted ? added : event());
  return options.with_event ? added : event::not_made();
}

}  // namespace clwave::detail
