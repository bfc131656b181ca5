// reverse, rotate and shuffle: gathers whose indices are computed. What a call is, and the entry.
#include <cstdint>
#include <span>
#include <string>

#include <clwave/error.hpp>

#include "blocks/permutation.hpp"
#include "call/entry.hpp"
#include "call/operands.hpp"
#include "call/planning.hpp"
#include "primitives/gather.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

void check_reorder(const reorder_problem& q) {
  check_typed(gather_variant::primitive, {{"the input", q.in}, {"the output", q.out}});
  const auto no_reorder = [&](const std::string& message) {
    throw error(failure::bad_call, message, CL_SUCCESS,
                {.primitive = std::string(gather_variant::primitive),
                 .types = q.in.type->name + " to " + q.out.type->name});
  };
  if (!are_alike(*q.in.type, *q.out.type) || q.in.type->declaration != q.out.type->declaration)
    no_reorder("the input and the output are of different types");
  if (q.in.type->size > 128) no_reorder("elements have 1 to 128 bytes");
  if (q.in.n != q.out.n)
    no_reorder("the input has " + std::to_string(q.in.n) + " elements, the output " +
               std::to_string(q.out.n));
  if (q.rotate && q.shuffle) no_reorder("a shuffle is no rotate");
  if (q.rotate && q.first >= q.in.n && (q.in.n > 0 || q.first > 0))
    no_reorder("element " + std::to_string(q.first) + " of " + std::to_string(q.in.n) +
               " cannot become the first");
}

}  // namespace

described<gather_variant> describe(const reorder_problem& q, const target& on) {
  check_reorder(q);
  const std::uint64_t n = q.in.n;
  described<gather_variant> call{{}, {.n = n}};
  gather_variant& v = call.variant;
  v.element_bytes = q.in.type->size;
  v.which = q.shuffle  ? gather_variant::indices::shuffled
            : q.rotate ? gather_variant::indices::rotated
                       : gather_variant::indices::reversed;
  // Both i + by and n - 1 - i are reckoned in 64 bits.
  v.wide_indices = q.shuffle ? permutes_in_64_bits(n) : n > 0xffffffff;
  // Elements of less than 4 bytes are stored as packets; of others neighbours are loaded and stored side by
  // side, without packets. Not measured.
  gather_problem as_gather{.in = q.in, .indices = {element_of<std::uint32_t>(), n}, .out = q.out};
  as_gather.indices.address = q.out.address / q.out.type->size * 4 % 128;
  as_gather.indices.known = q.out.known && q.out.type->size < 4;
  choose_gather_numbers(v, as_gather, on);

  described_work& work = call.work;
  const auto bytes = [&](const any_view& each, std::string_view what) {
    return counting{gather_variant::primitive, what}.bytes(each.offset, n, each.type->size);
  };
  work.operands = {{access::reads, bytes(q.in, "the input")}, {access::writes, bytes(q.out, "the output")}};
  if (n == 0) return call;
  const gather_division shares = divide_gather(as_gather, v, on);
  described_launch& moves = work.launch("gather", shares.groups, v.group_size);
  moves.buffer("x", 0).value("x_offset", q.in.offset);
  if (q.shuffle)
    add_permutation(moves, permutation_of(n, q.seed, 0));
  else
    moves.value("by", q.first);
  moves.buffer("out", 1).value("out_offset", q.out.offset);
  moves.value("n", n).value("reach", n).value("head", shares.head);
  add_gather_outside(moves, as_gather, v);
  return call;
}

told tell(const reorder_problem& q, const target& on, const described<gather_variant>& call) {
  const gather_variant& v = call.variant;
  std::string how = q.shuffle  ? "a shuffle, each index computed by itself"
                    : q.rotate ? "a rotate"
                               : "a reverse";
  if (is_cpu(on))
    how += ", a contiguous chunk per work-item";
  else
    how += ", " + std::to_string(v.items * v.vector) + " accesses in flight per work-item";
  return {how};
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const reorder_problem& asked, const plan_target& on) { return detail::plan_of(asked, on); }

event reorder(cl_command_queue queue, const reorder_problem& asked, const launch_options& options) {
  constexpr std::string_view primitive = detail::gather_variant::primitive;
  const detail::call_site site = detail::site_of(queue, primitive);
  reorder_problem q = asked;
  detail::check_reorder(q);
  // The bits alone are moved, of doubles too where a device has none.
  const detail::call_operand all[] = {
      {.view = detail::as_bits(q.in), .name = "the input"},
      {.view = detail::as_bits(q.out), .use = detail::access::writes, .name = "the output"}};
  return detail::carry_out({site, primitive, options}, q, all, {&q.in, &q.out});
}

}  // namespace clwave
