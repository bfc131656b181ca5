// The calls of set operations by the kind of their result.
#pragma once

#include <cstdint>

#include <clwave/set_operations.hpp>

#include "harness/devices.hpp"
#include "harness/given.hpp"

namespace testing {

using clwave::set_kind;

// The call that `kind` names, with an order or an operator for `how`.
template <class A, class Out, class How>
void call_set(const fixture& on, set_kind kind, const A& a, const A& b, const Out& out,
              const view<u64>& count, const How& how) {
  if (kind == set_kind::set_union) clwave::set_union(on.queue, a, b, out, count, given(how)).wait();
  if (kind == set_kind::intersection) clwave::set_intersection(on.queue, a, b, out, count, given(how)).wait();
  if (kind == set_kind::difference) clwave::set_difference(on.queue, a, b, out, count, given(how)).wait();
  if (kind == set_kind::symmetric_difference)
    clwave::set_symmetric_difference(on.queue, a, b, out, count, given(how)).wait();
}

}  // namespace testing
