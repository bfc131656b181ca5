// Calls of Python on sorted ranges: merges, bounds and set operations.
#include <tuple>

#include <clwave/bounds.hpp>
#include <clwave/merge.hpp>
#include <clwave/set_operations.hpp>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"
#include "order.hpp"

namespace clwave_python {
namespace {

nb::object merge(nb::handle a, nb::handle b, bool descending, nb::handle less, nb::handle bits,
                 nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {a, b, out});
  clwave::merge_problem asked{.a = on.counted_in(a, "a"), .b = on.counted_in(b, "b")};
  const order_argument order(on, descending, less, bits, nb::none());
  asked.order = order.numbers;
  asked.less = order.less();
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::merge(q, p, o);
  };
  if (!out.is_none()) {
    asked.out = on.out(out, "out");
    return on.event(on.run(asked, enqueue));
  }
  const call::result made = on.make(asked.a.n + asked.b.n, call::dtype_of(a), "out");
  asked.out = made.view;
  on.wait(on.run(asked, enqueue));
  return on.finished(made, on.length_of(asked.a) + on.length_of(asked.b));
}

nb::object merge_by_key(nb::handle a_keys, nb::handle a_values, nb::handle b_keys, nb::handle b_values,
                        bool descending, nb::handle less, nb::handle bits, nb::handle out, nb::handle queue,
                        nb::handle after) {
  call on(queue, after, {a_keys, a_values, b_keys, b_values, out});
  clwave::merge_problem asked{.a = on.counted_in(a_keys, "a_keys"), .b = on.counted_in(b_keys, "b_keys")};
  asked.a_values = on.in(a_values, "a_values");
  asked.b_values = on.in(b_values, "b_values");
  const order_argument order(on, descending, less, bits, nb::none());
  asked.order = order.numbers;
  asked.less = order.less();
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::merge(q, p, o);
  };
  if (!out.is_none()) {
    std::tie(asked.out, asked.values_out) = on.pair_out(out, "keys, and of values");
    return on.event(on.run(asked, enqueue));
  }
  const std::uint64_t n = asked.a.n + asked.b.n;
  const call::result keys = on.make(n, call::dtype_of(a_keys), "out");
  const call::result values = on.make(n, call::dtype_of(a_values), "out");
  asked.out = keys.view;
  asked.values_out = values.view;
  on.wait(on.run(asked, enqueue));
  const std::uint64_t there = on.length_of(asked.a) + on.length_of(asked.b);
  return nb::make_tuple(on.finished(keys, there), on.finished(values, there));
}

template <bool Upper>
nb::object bound(nb::handle x, nb::handle needles, bool descending, nb::handle less, nb::handle bits,
                 nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, needles, out});
  clwave::bounds_problem asked{.in = on.in(x, "x"), .needles = on.in(needles, "needles"), .upper = Upper};
  const order_argument order(on, descending, less, bits, nb::none());
  asked.order = order.numbers;
  asked.less = order.less();
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::bounds(q, p, o);
  };
  return on.into(out, asked, asked.out, enqueue, [&] {
    return on.make_like(needles, asked.needles.n, dtype_named(asked.in.n >> 32 == 0 ? "uint32" : "uint64"),
                        "out");
  });
}

template <clwave::set_kind Kind>
nb::object set_operation(nb::handle a, nb::handle b, bool descending, nb::handle less, nb::handle bits,
                         nb::handle out, nb::handle count, nb::handle queue, nb::handle after) {
  call on(queue, after, {a, b, out});
  clwave::set_problem asked{.kind = Kind, .a = on.counted_in(a, "a"), .b = on.counted_in(b, "b")};
  const order_argument order(on, descending, less, bits, nb::none());
  asked.order = order.numbers;
  asked.less = order.less();
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::set_operation(q, p, o);
  };
  call::result made;
  if (!out.is_none()) {
    asked.out = on.out(out, "out");
    if (!count.is_none()) {
      asked.count = on.out(count, "count");
      return on.event(on.run(asked, enqueue));
    }
  } else {
    if (!count.is_none()) refuse("`count` goes with `out`");
    made = on.make(asked.a.n + asked.b.n, call::dtype_of(a), "out");
    asked.out = made.view;
  }
  asked.count = on.scratch(1, "uint64");
  const std::uint64_t n = on.read_count(on.run(asked, enqueue), asked.count);
  if (!out.is_none()) return nb::int_(n);
  return on.finished(made, n);
}

}  // namespace

void register_ranges(nb::module_& m) {
  m.def(
      "merge", &merge, nb::arg("a"), nb::arg("b"), nb::kw_only(), CLWAVE_PYTHON_ORDER,
      CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig(
          "def merge(a: ArrayLike | CountedArray, b: ArrayLike | CountedArray, *, " CLWAVE_PYTHON_ORDER_TYPES
              CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
      "Merges two sorted ranges into one, stably.\n\n"
      ">>> clwave.merge(np.array([1, 3], np.int32), np.array([2], np.int32))\n"
      "array([1, 2, 3], dtype=int32)\n");
  m.def("merge_by_key", &merge_by_key, nb::arg("a_keys"), nb::arg("a_values"), nb::arg("b_keys"),
        nb::arg("b_values"), nb::kw_only(), CLWAVE_PYTHON_ORDER, CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def merge_by_key(a_keys: ArrayLike | CountedArray, a_values: ArrayLike, b_keys: ArrayLike | "
                "CountedArray, b_values: ArrayLike, *, " CLWAVE_PYTHON_ORDER_TYPES
                "out: tuple[DeviceArray, DeviceArray] | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
        "Merges two ranges that are sorted by their keys, stably: of equal keys those of `a_keys` come "
        "first.\n\n"
        "It blocks and returns the keys of both and their values, each as long as both ranges; with `out`, a "
        "pair of arrays that overlap none of the inputs, it returns an Event at once. Ranges that are not "
        "sorted are not found out.\n\n"
        ">>> a, b = np.array([1, 3], np.int32), np.array([2, 3], np.int32)\n"
        ">>> clwave.merge_by_key(a, np.array([10., 30.]), b, np.array([20., 31.]))\n"
        "(array([1, 2, 3, 3], dtype=int32), array([10., 20., 30., 31.]))\n");
  const auto bounds = [&](const char* name, auto function, const char* signature, const char* doc) {
    m.def(name, function, nb::arg("x"), nb::arg("needles"), nb::kw_only(), CLWAVE_PYTHON_ORDER,
          CLWAVE_PYTHON_OUT_AND_LAUNCH, nb::sig(signature), doc);
  };
  bounds("lower_bound", &bound<false>,
         "def lower_bound(x: ArrayLike, needles: ArrayLike, *, " CLWAVE_PYTHON_ORDER_TYPES
             CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any",
         "For each needle the index of the first element of the sorted `x` that does not come before it.\n\n"
         ">>> clwave.lower_bound(np.array([1, 3, 3], np.int32), np.array([3, 9], np.int32))\n"
         "array([1, 3], dtype=uint32)\n");
  bounds("upper_bound", &bound<true>,
         "def upper_bound(x: ArrayLike, needles: ArrayLike, *, " CLWAVE_PYTHON_ORDER_TYPES
             CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any",
         "For each needle the index of the first element of the sorted `x` that comes behind it.");
  const auto sets = [&](const char* name, auto function, const char* signature, const char* doc) {
    m.def(name, function, nb::arg("a"), nb::arg("b"), nb::kw_only(), CLWAVE_PYTHON_ORDER,
          nb::arg("out") = nb::none(), nb::arg("count") = nb::none(), CLWAVE_PYTHON_LAUNCH,
          nb::sig(signature), doc);
  };
#define CLWAVE_PYTHON_SET_TYPES(name)                                                                    \
  "def " name "(a: ArrayLike | CountedArray, b: ArrayLike | CountedArray, *, " CLWAVE_PYTHON_ORDER_TYPES \
  "out: DeviceArray | None = None, count: DeviceArray | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"
  sets("set_union", &set_operation<clwave::set_kind::set_union>, CLWAVE_PYTHON_SET_TYPES("set_union"),
       "All elements of the sorted `a`, and those that the sorted `b` has more of.\n\n"
       ">>> clwave.set_union(np.array([1, 3], np.int32), np.array([2, 3], np.int32))\n"
       "array([1, 2, 3], dtype=int32)\n");
  sets("set_intersection", &set_operation<clwave::set_kind::intersection>,
       CLWAVE_PYTHON_SET_TYPES("set_intersection"), "The elements that both sorted ranges have.");
  sets("set_difference", &set_operation<clwave::set_kind::difference>,
       CLWAVE_PYTHON_SET_TYPES("set_difference"),
       "The elements that the sorted `a` has more of than the sorted `b`.");
  sets("set_symmetric_difference", &set_operation<clwave::set_kind::symmetric_difference>,
       CLWAVE_PYTHON_SET_TYPES("set_symmetric_difference"),
       "The elements that one of the sorted ranges has more of.");
}

}  // namespace clwave_python
