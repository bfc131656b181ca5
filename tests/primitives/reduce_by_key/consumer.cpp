// Every function and template of reduce_by_key.hpp.
#include "every_call.hpp"

#include <clwave/reduce_by_key.hpp>

void calls_of_reduce_by_key(const call_operands& on) {
  const clwave::op same{.name = "same", .source = "a == b", .identity = {}};
  const auto keys = on.bytes.subview(0, 16), others = on.bytes.subview(16, 16);
  clwave::reduce_by_key(on.queue, keys, on.x, others, on.y, on.count);
  clwave::reduce_by_key(on.queue, keys, on.x, others, on.y, on.count, clwave::max, {.after = {on.before}});
  clwave::reduce_by_key(on.queue, keys, on.x, others, on.y, on.count, clwave::max, same);
  clwave::transform_reduce_by_key(on.queue, keys, on.x, others, on.y, on.count, clwave::plus, clwave::square);
  clwave::transform_reduce_by_key(on.queue, keys, on.x, others, on.y, on.count, clwave::plus, clwave::square,
                                  same);
  const std::uint64_t runs =
      clwave::reduce_by_key(on.queue, keys, on.x, others, on.y) +
      clwave::reduce_by_key(on.queue, keys, on.x, others, on.y, clwave::max, {.after = {on.before}}) +
      clwave::reduce_by_key(on.queue, keys, on.x, others, on.y, clwave::max, same) +
      clwave::transform_reduce_by_key(on.queue, keys, on.x, others, on.y, clwave::plus, clwave::square) +
      clwave::transform_reduce_by_key(on.queue, keys, on.x, others, on.y, clwave::plus, clwave::square, same);
  static_cast<void>(runs);
  clwave::plan(clwave::reduce_by_key_problem{.keys = {on.f32, 1000},
                                             .values = {on.f32, 1000},
                                             .keys_out = {on.f32, 1000},
                                             .values_out = {on.f32, 1000}},
               on.target);
}
