// The order of the C interface's sorts and of its calls on sorted ranges.
#pragma once

#include <vector>

#include <clwave/c/sorts.h>
#include <clwave/op.hpp>
#include <clwave/sort_order.hpp>

namespace clwave::detail {

// What an order says in C++: that of numbers, and null and none where neither an operator nor keys are given.
struct c_order {
  sort_order numbers = {};
  const op* less = nullptr;
  std::vector<sort_key> keys = {};
};

// Of a sort.
c_order order_from_c(const clwave_order* order);
// Of a call on sorted ranges, which takes no keys.
c_order range_order_from_c(const clwave_order* order);

}  // namespace clwave::detail
