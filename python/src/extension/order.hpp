// Orders of Python: of numbers, of an operator, and of keys that texts make.
#pragma once

#include <optional>
#include <vector>

#include <clwave/sort_order.hpp>

#include "call.hpp"

namespace clwave_python {

// The order of a sort or of sorted ranges. Owns what a problem refers to.
class order_argument {
 public:
  order_argument(call& on, bool descending, nb::handle less, nb::handle bits, nb::handle by);
  clwave::sort_order numbers;
  const clwave::op* less() const { return less_; }
  const std::vector<clwave::sort_key>& by() const { return by_; }

 private:
  op_argument less_;
  std::vector<clwave::sort_key> by_;
};

}  // namespace clwave_python

#define CLWAVE_PYTHON_ORDER \
  nb::arg("descending") = false, nb::arg("less") = nb::none(), nb::arg("bits") = nb::none()
#define CLWAVE_PYTHON_ORDER_TYPES \
  "descending: bool = False, less: Op | str | None = None, bits: tuple[int, int] | None = None, "
