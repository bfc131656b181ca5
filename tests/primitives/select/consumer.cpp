// Every function and template of select.hpp.
#include "every_call.hpp"

#include <clwave/select.hpp>

void calls_of_select(const call_operands& on) {
  const clwave::op near{.name = "near", .source = "fabs(a - b) < 0.5f", .identity = {}};
  const auto flags = on.bytes.subview(0, 16), others = on.bytes.subview(16, 16);
  const clwave::view<float> rest{on.buffer, 16, 32}, third{on.buffer, 16, 64};
  const clwave::view<std::uint32_t> lengths{on.buffer, 8, 40};
  const clwave::view<std::uint64_t> offsets{on.buffer, 5, 20}, counts{on.buffer, 2, 26};
  clwave::copy_if(on.queue, on.x, on.y, on.count, clwave::identity);
  clwave::copy_flagged(on.queue, on.x, flags, on.y, on.count, {.with_event = false});
  clwave::partition(on.queue, on.x, on.y, on.count, clwave::identity, {.workspace = on.bytes});
  clwave::partition_copy(on.queue, on.x, on.y, rest, on.count, clwave::identity);
  clwave::partition_copy(on.queue, on.x, on.y, rest, third, counts, clwave::identity,
                         {.name = "small", .source = "x < 1"});
  clwave::partition_copy(on.queue, on.x, on.y, rest, third, counts, {.name = "large", .source = "x > 9"},
                         {.name = "small", .source = "x < 1"}, {.with_event = false});
  clwave::unique(on.queue, on.x, on.y, on.count);
  clwave::unique(on.queue, on.x, on.y, on.count, near);
  clwave::unique_by_key(on.queue, on.x, flags, on.y, others, on.count);
  clwave::unique_by_key(on.queue, on.x, flags, on.y, others, on.count, near);
  clwave::run_lengths(on.queue, on.x, on.y, lengths, on.count);
  clwave::run_lengths(on.queue, on.x, on.y, offsets, on.count, near);
  clwave::run_offsets(on.queue, on.x, offsets, on.count);
  clwave::run_offsets(on.queue, on.x, offsets, on.count, near);
  const std::uint64_t kept =
      clwave::copy_if(on.queue, on.x, on.y, clwave::identity) +
      clwave::copy_flagged(on.queue, on.x, flags, on.y) +
      clwave::partition(on.queue, on.x, on.y, clwave::identity) +
      clwave::partition_copy(on.queue, on.x, on.y, rest, clwave::identity) +
      clwave::unique(on.queue, on.x, on.y) + clwave::unique(on.queue, on.x, on.y, near) +
      clwave::run_lengths(on.queue, on.x, on.y, lengths) +
      clwave::run_lengths(on.queue, on.x, on.y, lengths, near) +
      clwave::run_offsets(on.queue, on.x, offsets) + clwave::run_offsets(on.queue, on.x, offsets, near) +
      clwave::unique_by_key(on.queue, on.x, flags, on.y, others) +
      clwave::unique_by_key(on.queue, on.x, flags, on.y, others, near);
  static_cast<void>(kept);
  clwave::plan(clwave::select_problem{.in = {on.f32, 1000}, .out = {on.f32, 1000}}, on.target);
}
