// What folds of a matrix's rows and of its columns share: how they are checked, described and enqueued.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <clwave/any_view.hpp>
#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/event.hpp>
#include <clwave/matrices.hpp>
#include <clwave/options.hpp>

#include "blocks/fold.hpp"
#include "blocks/identity.hpp"
#include "blocks/matrix_steps.hpp"
#include "blocks/vector_product.hpp"
#include "call/description.hpp"
#include "call/execute.hpp"
#include "call/lazy_inputs.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "call/workspace.hpp"
#include "program/named_values.hpp"

namespace clwave::detail {

// How many results there are of what each matrix has `of_each`: rows, or columns.
inline std::uint64_t results_of(std::string_view primitive, std::uint64_t of_each, const matrices& size) {
  return counting{primitive, "the output"}.times(of_each, size.batch);
}

// Throws bad_call for types, operators and values that do not go together.
template <class Problem>
void check_matrix_fold(std::string_view primitive, const Problem& q, const target& on) {
  check_typed(primitive,
              {{"the input", q.in.lazy != nullptr ? array_given_for(q.in) : q.in}, {"the output", q.out}});
  check_folding(primitive, {q.in.type, q.out.type, q.fold, q.apply}, q.times != nullptr);
  check_values(primitive, on, *q.fold);
  check_values(primitive, on, *q.apply);
}

// What the words of the fold are made from, but for the numbers.
template <class Problem>
fold_variant variant_of_fold(std::string_view primitive, const Problem& q, const target& on) {
  return {.value = q.in.type,
          .accumulator = q.out.type,
          .fold = q.fold,
          .apply = q.apply,
          .contiguous = !q.fold->commutative,
          .sizes = q.sizes,
          .lazy = lazy_of(primitive, q.in, on),
          .times = q.times == nullptr
                       ? vector_variant{}
                       : vector_variant{
                             .multiplies = true, .by_steps = q.times->step_x != 1, .out = q.times->y.type}};
}

// Whether a CPU folds 16 elements side by side.
template <class Problem>
bool is_wide(const Problem& q) {
  return q.in.lazy == nullptr && !is_indexed(*q.fold) &&
         has_wide_values({q.in.type, q.out.type, q.fold, q.apply});
}

// The operands: the input, whose matrices take `extent` elements, and the output of `results`, each of which
// is made of `of_each` elements.
template <class Problem>
void add_operands(std::string_view primitive, const Problem& q, std::uint64_t extent, std::uint64_t results,
                  std::uint64_t of_each, described_work& work) {
  if (q.in.lazy != nullptr && extent > q.in.n)
    refuse(primitive, "the call needs " + std::to_string(extent) + " elements of the input, which has " +
                          std::to_string(q.in.n));
  any_view in = q.in;
  in.n = extent;
  work.operands = {
      described_input(primitive, in),
      {access::writes, counting{primitive, "the output"}.bytes(q.out.offset, results, q.out.type->size)}};
  describe_sources(primitive, q.in, work);
  if (q.times != nullptr) describe_vectors(primitive, *q.times, *q.out.type, of_each, results, work);
}

template <class Problem>
described_launch& add_fold_launch(const Problem& q, const char* kernel, std::uint64_t groups,
                                  unsigned group_size, described_work& work) {
  described_launch& launch = work.launch(kernel, groups, group_size);
  launch.takes_sources = q.in.lazy != nullptr || q.times != nullptr;
  return launch.values(q.fold->values, q.apply->values);
}

// Of rows or columns without elements: a kernel, where only the device's compiler knows what a user's text is
// worth; else the call fills its output. Throws bad_call where there is no identity.
template <class Problem>
void add_identities(std::string_view primitive, const Problem& q, std::uint64_t results,
                    described_work& work) {
  if (identity_of(primitive, *q.fold, *q.out.type)) return;
  add_fold_launch(q, "fold_identities", std::min<std::uint64_t>(results, 1024), 1, work)
      .value("n", static_cast<std::uint32_t>(results))
      .buffer("out", 1)
      .value("out_offset", q.out.offset);
}

// Checks a call and enqueues what describe() says of it. A matrix has `of_each` results.
template <class Problem>
event fold_matrices(std::string_view primitive, cl_command_queue queue, const Problem& asked,
                    std::uint64_t of_each, const launch_fields& options) {
  const call_site site = site_of(queue, primitive);
  Problem q = asked;
  const matrix_steps steps = steps_of(primitive, q.size, q.steps, *q.in.type, "the input");
  const std::uint64_t results = results_of(primitive, of_each, q.size);
  const std::optional<std::size_t> any =
      q.in.type->components > 1 ? std::nullopt : std::optional<std::size_t>(1);
  std::array<call_operand, 2 + most_source_operands> all{
      {{.view = q.in, .name = "the input", .reach = steps.extent, .alignment = any},
       {.view = q.out, .use = access::writes, .name = "the output", .reach = results}}};
  std::array<cl_mem, 2 + most_source_operands> buffers{q.in.buffer, q.out.buffer};
  if (q.in.lazy != nullptr) {
    all[0] = {.view = array_given_for(q.in), .name = "the input", .alignment = any};
  }
  const std::size_t operands =
      2 + list_sources(q.in, std::span(all).subspan(2), std::span(buffers).subspan(2));
  const checked_operands checked = check_operands(site, primitive, {all.data(), operands});
  const std::span<const cl_event> after = check_events(site, options.after, primitive);
  checked.place(0, q.in);
  checked.place(1, q.out);
  const auto ready = fit(site, q);
  if (ready.code == nullptr && results > 0) {
    // No elements, and the identity is known.
    const auto bytes = identity_of(primitive, *q.fold, *q.out.type);
    const any_view out{q.out.buffer, results, q.out.offset, q.out.type};
    return fill_elements(queue, out, bytes->data(), options);
  }
  return enqueue(site, ready, {buffers.data(), operands}, after, options.with_event,
                 {primitive, &options.workspace, &checked});
}

}  // namespace clwave::detail
