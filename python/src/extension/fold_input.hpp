// What the reductions of Python share: their inputs, and the types that they accumulate in.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include <clwave/host_array.hpp>
#include <clwave/matrices.hpp>
#include <clwave/reduce.hpp>

#include "call.hpp"
#include "streams.hpp"
#include "values.hpp"

namespace clwave_python {

// The type that a sum has where the caller names none: C++'s detail::promoted.
inline const clwave::element& promoted(const clwave::element& type) {
  using kind = clwave::element_kind;
  if (type.components != 1) return type;
  switch (type.kind) {
    case kind::half_storage:
    case kind::bfloat16_storage:
      return clwave::element_of<float>();
    case kind::signed_integer:
      return type.size < 4 ? clwave::element_of<std::int32_t>() : type;
    case kind::unsigned_integer:
      return type.size < 4 ? clwave::element_of<std::uint32_t>() : type;
    default:
      return type;
  }
}

// The dtype of a promoted type; `own` where nothing was promoted.
inline nb::object promoted_dtype(const clwave::element& from, const clwave::element& to, nb::handle own) {
  if (&from == &to) return nb::borrow(own);
  return dtype_named(to.name == "f32" ? "float32" : to.name == "i32" ? "int32" : "uint32");
}

// A reduction's inputs: on the device, or NumPy arrays that are streamed.
class fold_input {
 public:
  // `returns`: the call returns before its value is there, and streams nothing.
  fold_input(call& on, nb::handle x, nb::handle y, bool returns) : on_(on) {
    // Both inputs of a map must take one way.
    const bool streams = !returns && is_streamed(x) && (y.is_none() || is_streamed(y));
    if (streams) {
      x_.emplace(on, x, "x", stopped_);
      if (!y.is_none()) y_.emplace(on, y, "y", stopped_);
    }
    in = x_ ? x_->shape() : on.counted_in(x, "x");
    in2 = y_ ? std::optional(y_->shape()) : on.in_if_any(y, "y");
  }

  // Waits for the value, and returns its bytes. `folded` is the type of what a part of the input gives.
  std::vector<unsigned char> reduce(const clwave::reduce_problem& asked, const clwave::element& folded) {
    if (!x_ || planning) return bytes_of_call(on_, asked, asked.accumulator->size);
    std::vector<unsigned char> bytes(asked.accumulator->size);
    const cl_command_queue over = on_.queue();
    run_streamed(on_, stopped_, [&] {
      clwave::detail::reduce_host_array({.queues = {&over, 1},
                                         .x = &x_->elements(),
                                         .y = y_ ? &y_->elements() : nullptr,
                                         .accumulator = asked.accumulator,
                                         .folded = &folded,
                                         .fold = asked.fold,
                                         .apply = asked.apply,
                                         .nothing = asked.nothing},
                                        bytes.data());
    });
    return bytes;
  }

  // The value as Python's: in a Future, or once it is there.
  template <class Value>
  nb::object give(const clwave::reduce_problem& asked, const clwave::element& folded, bool later,
                  const Value& value) {
    if (!later) return value(reduce(asked, folded).data());
    return future_of_call(on_, asked, asked.accumulator->size, value);
  }

  clwave::any_view in;
  std::optional<clwave::any_view> in2;

 private:
  call& on_;
  std::atomic<bool> stopped_ = false;
  std::optional<host_input> x_, y_;
};

// The matrices that `shape` says, or that of `x` where it is None.
inline clwave::matrices matrices_from(nb::handle x, nb::handle shape) {
  nb::object sides = shape.is_none() ? nb::object(x.attr("shape")) : nb::borrow(shape);
  const auto n = nb::len(sides);
  if (n != 2 && n != 3) refuse("a matrix has two dimensions, and a batch of matrices three: give `shape`");
  clwave::matrices all{.rows = nb::cast<std::size_t>(sides[n - 2]),
                       .columns = nb::cast<std::size_t>(sides[n - 1])};
  if (n == 3) all.batch = nb::cast<std::size_t>(sides[0]);
  return all;
}

}  // namespace clwave_python
