// Reads the order of the C interface's sorts and of its calls on sorted ranges.
#include "c_interface/c_order.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "c_interface/c_call.hpp"

namespace clwave::detail {
namespace {

sort_order numbers_from_c(bool descending, std::uint32_t first_bit, std::uint32_t last_bit) {
  sort_order numbers{.descending = descending, .first_bit = first_bit};
  if (last_bit != 0) numbers.last_bit = last_bit;
  return numbers;
}

}  // namespace

c_order order_from_c(const clwave_order* order) {
  if (order == nullptr) return {};
  const clwave_order all = sized(*order, "order");
  c_order by{.numbers = numbers_from_c(all.descending, all.first_bit, all.last_bit),
             .less = op_if_any(all.less)};
  if (all.n_keys != 0) given(all.keys, "order->keys");
  for (std::size_t i = 0; i < all.n_keys; ++i) {
    const clwave_sort_key& key = all.keys[i];
    by.keys.push_back({.of = given(key.of, "order->keys->of").of,
                       .type = &type_of(key.type),
                       .order = numbers_from_c(key.descending, key.first_bit, key.last_bit)});
  }
  return by;
}

c_order range_order_from_c(const clwave_order* order) {
  c_order by = order_from_c(order);
  if (!by.keys.empty())
    refuse_argument("only sorts take `order->keys`; say the order by an operator, `order->less`");
  return by;
}

}  // namespace clwave::detail
