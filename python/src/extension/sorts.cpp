// Sorts of Python, and the best elements.
#include <tuple>

#include <clwave/segmented_sort.hpp>
#include <clwave/sort.hpp>
#include <clwave/top_k.hpp>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"
#include "order.hpp"

namespace clwave_python {
namespace {

// (expression, dtype) or (expression, dtype, descending).
clwave::sort_key key_from(nb::handle given, call& on) {
  const nb::object key = nb::borrow(given);
  if (!PyTuple_Check(key.ptr()) || nb::len(key) < 2 || nb::len(key) > 3)
    refuse("a key of `by` is (expression, dtype), or (expression, dtype, descending)");
  const map_argument of(key[0], on, "by");
  if (static_cast<const clwave::map*>(of) == nullptr) refuse("a key of `by` has an expression");
  return {*of,
          &element_of_dtype(dtype_from(key[1]), "by"),
          {.descending = nb::len(key) == 3 && nb::cast<bool>(key[2])}};
}

const auto enqueue_sort = [](cl_command_queue q, const clwave::sort_problem& p,
                             const clwave::launch_options& o) { return clwave::sort(q, p, o); };

void put_order(clwave::sort_problem& asked, const order_argument& order) {
  asked.order = order.numbers;
  asked.less = order.less();
  asked.by = order.by();
}

// Throws for segments that were bad, once the sort has ended.
void check_segments(call& on, const clwave::sort_problem& asked, const clwave::event& end) {
  const std::uint64_t bad = on.read_count(end, *asked.bad);
  if (bad != 0) refuse(std::to_string(bad) + " segments end before they begin, or past the input");
}

nb::object sort(nb::handle x, bool descending, nb::handle less, nb::handle bits, nb::handle by,
                nb::handle offsets, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out, offsets});
  clwave::sort_problem asked{.keys = on.counted_in(x, "x")};
  if (!offsets.is_none()) asked.offsets = on.offsets_in(offsets);
  const order_argument order(on, descending, less, bits, by);
  put_order(asked, order);
  if (!out.is_none()) {
    asked.keys_out = on.out(out, "out");
    return on.event(on.run(asked, enqueue_sort));
  }
  const call::result made = on.make(asked.keys.n, call::dtype_of(x), "out");
  asked.keys_out = made.view;
  if (!asked.offsets) return on.value(on.run(asked, enqueue_sort), made);
  asked.bad = on.scratch(1, "uint64");
  check_segments(on, asked, on.run(asked, enqueue_sort));
  return on.finished(made, made.view.n);
}

nb::object segmented_sort(nb::handle x, nb::handle offsets, bool descending, nb::handle less, nb::handle bits,
                          nb::handle by, nb::handle out, nb::handle queue, nb::handle after) {
  if (offsets.is_none()) refuse("`offsets` is needed, and not None");
  return sort(x, descending, less, bits, by, offsets, out, queue, after);
}

nb::object plain_sort(nb::handle x, bool descending, nb::handle less, nb::handle bits, nb::handle by,
                      nb::handle out, nb::handle queue, nb::handle after) {
  return sort(x, descending, less, bits, by, nb::none(), out, queue, after);
}

nb::object argsort(nb::handle x, bool descending, nb::handle less, nb::handle bits, nb::handle by,
                   nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  clwave::sort_problem asked{.keys = on.counted_in(x, "x")};
  const order_argument order(on, descending, less, bits, by);
  put_order(asked, order);
  return on.into(out, asked, asked.values_out, enqueue_sort, [&] {
    return on.make(asked.keys.n, dtype_named(asked.keys.n >> 32 == 0 ? "uint32" : "uint64"), "out");
  });
}

nb::object sort_pairs(nb::handle keys, nb::handle values, nb::handle offsets, bool descending,
                      nb::handle less, nb::handle bits, nb::handle by, nb::handle out, nb::handle queue,
                      nb::handle after) {
  call on(queue, after, {keys, values, offsets, out});
  clwave::sort_problem asked{.keys = on.counted_in(keys, "keys")};
  asked.values = on.in(values, "values");
  if (!offsets.is_none()) asked.offsets = on.offsets_in(offsets);
  const order_argument order(on, descending, less, bits, by);
  put_order(asked, order);
  if (!out.is_none()) {
    std::tie(asked.keys_out, asked.values_out) = on.pair_out(out, "keys, and of values");
    return on.event(on.run(asked, enqueue_sort));
  }
  const call::result keys_made = on.make(asked.keys.n, call::dtype_of(keys), "out");
  const call::result values_made = on.make(asked.values->n, call::dtype_of(values), "out");
  asked.keys_out = keys_made.view;
  asked.values_out = values_made.view;
  if (asked.offsets) {
    asked.bad = on.scratch(1, "uint64");
    check_segments(on, asked, on.run(asked, enqueue_sort));
  } else {
    on.wait(on.run(asked, enqueue_sort));
  }
  const std::uint64_t n = on.length(keys_made.view.n);
  return nb::make_tuple(on.finished(keys_made, n), on.finished(values_made, n));
}

nb::object sort_by_key(nb::handle keys, nb::handle values, bool descending, nb::handle less, nb::handle bits,
                       nb::handle by, nb::handle out, nb::handle queue, nb::handle after) {
  return sort_pairs(keys, values, nb::none(), descending, less, bits, by, out, queue, after);
}

nb::object segmented_sort_by_key(nb::handle keys, nb::handle values, nb::handle offsets, bool descending,
                                 nb::handle less, nb::handle bits, nb::handle by, nb::handle out,
                                 nb::handle queue, nb::handle after) {
  if (offsets.is_none()) refuse("`offsets` is needed, and not None");
  return sort_pairs(keys, values, offsets, descending, less, bits, by, out, queue, after);
}

nb::object top_k(nb::handle x, std::uint64_t k, bool descending, nb::handle out, nb::handle queue,
                 nb::handle after) {
  call on(queue, after, {x, out});
  clwave::top_k_problem asked{.in = on.counted_in(x, "x"), .k = k, .descending = descending};
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::top_k(q, p, o);
  };
  if (!out.is_none()) {
    std::tie(asked.values, asked.indices) = on.pair_out(out, "values, and of indices");
    return on.event(on.run(asked, enqueue));
  }
  if (k > asked.in.n)
    refuse("`k` is " + std::to_string(k) + ", and there are " + std::to_string(asked.in.n) + " elements");
  const call::result values = on.make(k, call::dtype_of(x), "out");
  const call::result indices = on.make(k, dtype_named(asked.in.n >> 32 == 0 ? "uint32" : "uint64"), "out");
  asked.values = values.view;
  asked.indices = indices.view;
  on.wait(on.run(asked, enqueue));
  const std::uint64_t n = on.length(k);
  return nb::make_tuple(on.finished(values, n), on.finished(indices, n));
}

nb::object segmented_top_k(nb::handle x, nb::handle offsets, std::uint64_t k, bool descending, nb::handle out,
                           nb::handle queue, nb::handle after) {
  call on(queue, after, {x, offsets, out});
  clwave::segmented_top_k_problem asked{.in = on.in(x, "x"), .offsets = on.offsets_in(offsets)};
  asked.k = k;
  asked.descending = descending;
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::segmented_top_k(q, p, o);
  };
  if (!out.is_none()) {
    std::tie(asked.values, asked.indices) = on.pair_out(out, "values, and of indices");
    return on.event(on.run(asked, enqueue));
  }
  const std::uint64_t segments = asked.offsets.n == 0 ? 0 : asked.offsets.n - 1;
  if (segments != 0 && k > ~std::uint64_t{0} / segments)
    refuse("`k` is " + std::to_string(k) + ": the results would be too many");
  const call::result values = on.make(segments * k, call::dtype_of(x), "out");
  const call::result indices =
      on.make(segments * k, dtype_named(asked.in.n >> 32 == 0 ? "uint32" : "uint64"), "out");
  asked.values = values.view;
  asked.indices = indices.view;
  asked.bad = on.scratch(1, "uint64");
  const std::uint64_t bad = on.read_count(on.run(asked, enqueue), *asked.bad);
  if (bad != 0) refuse(std::to_string(bad) + " segments end before they begin, or past the input");
  const std::uint64_t n = asked.offsets.count == nullptr ? values.view.n : on.segments_of(asked.offsets) * k;
  return nb::make_tuple(on.finished(values, n), on.finished(indices, n));
}

}  // namespace

order_argument::order_argument(call& on, bool descending, nb::handle less, nb::handle bits, nb::handle by)
    : less_(less, on, "less") {
  numbers.descending = descending;
  if (!bits.is_none()) {
    const nb::object both = nb::borrow(bits);
    if (!PyTuple_Check(bits.ptr()) || nb::len(both) != 2)
      refuse("`bits` is a pair: the first bit, and the one behind the last");
    numbers.first_bit = nb::cast<unsigned>(both[0]);
    numbers.last_bit = nb::cast<unsigned>(both[1]);
  }
  if (by.is_none()) return;
  if (PyList_Check(by.ptr())) {
    for (const nb::handle one : nb::borrow<nb::object>(by)) by_.push_back(key_from(one, on));
    if (by_.empty()) refuse("`by` has no key");
  } else {
    by_.push_back(key_from(by, on));
  }
}

#define CLWAVE_PYTHON_KEYS CLWAVE_PYTHON_ORDER, nb::arg("by") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH
#define CLWAVE_PYTHON_KEYS_TYPES CLWAVE_PYTHON_ORDER_TYPES "by: SortKey | list[SortKey] | None = None, "

void register_sorts(nb::module_& m) {
  m.def("sort", &plain_sort, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_KEYS,
        nb::sig("def sort(x: ArrayLike | CountedArray, *, " CLWAVE_PYTHON_KEYS_TYPES
                    CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "Sorts, stably: by number, where NaN is the largest; by an operator `less` in `a` and `b`; or `by` "
        "keys, "
        "(expression in x, dtype) or (expression, dtype, descending) or a list of such, of which the first "
        "decides. "
        "`bits` is the first bit that is compared, and the one behind the last. `out` may be `x` itself.\n\n"
        ">>> clwave.sort(np.array([3, 1, 2], np.int32))\n"
        "array([1, 2, 3], dtype=int32)\n"
        ">>> clwave.sort(np.array([3, -1, 2], np.int32), by=(\"x * x\", np.int32, True))\n"
        "array([ 3,  2, -1], dtype=int32)\n");
  m.def("argsort", &argsort, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_KEYS,
        nb::sig("def argsort(x: ArrayLike | CountedArray, *, " CLWAVE_PYTHON_KEYS_TYPES
                    CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "The indices that sort, as uint32, or uint64 from 2**32 elements on.\n\n"
        ">>> clwave.argsort(np.array([3, 1, 2], np.int32))\n"
        "array([1, 2, 0], dtype=uint32)\n");
  m.def("sort_by_key", &sort_by_key, nb::arg("keys"), nb::arg("values"), nb::kw_only(), CLWAVE_PYTHON_ORDER,
        nb::arg("by") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig(
            "def sort_by_key(keys: ArrayLike | CountedArray, values: ArrayLike, *, " CLWAVE_PYTHON_KEYS_TYPES
            "out: tuple[DeviceArray, DeviceArray] | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
        "Sorts keys, and brings each value to the place of its key.\n\n"
        ">>> clwave.sort_by_key(np.array([3, 1], np.int32), np.array([7, 8], np.int64))\n"
        "(array([1, 3], dtype=int32), array([8, 7]))\n");
  m.def("segmented_sort", &segmented_sort, nb::arg("x"), nb::arg("offsets"), nb::kw_only(),
        CLWAVE_PYTHON_KEYS,
        nb::sig("def segmented_sort(x: ArrayLike, offsets: ArrayLike | CountedSegments, "
                "*, " CLWAVE_PYTHON_KEYS_TYPES CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "Sorts each segment x[offsets[s]:offsets[s + 1]] by itself; offsets are uint32 or uint64, one more "
        "than segments.\n\n"
        "Without `out` a segment that ends before it begins, or past the input, raises BadCall. Elements in "
        "no segment are not written: in a new result they have no certain value.\n\n"
        ">>> clwave.segmented_sort(np.array([3, 1, 9, 2], np.int32), np.array([0, 2, 4], np.uint32))\n"
        "array([1, 3, 2, 9], dtype=int32)\n");
  m.def("segmented_sort_by_key", &segmented_sort_by_key, nb::arg("keys"), nb::arg("values"),
        nb::arg("offsets"), nb::kw_only(), CLWAVE_PYTHON_ORDER, nb::arg("by") = nb::none(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def segmented_sort_by_key(keys: ArrayLike, values: ArrayLike, offsets: ArrayLike | "
                "CountedSegments, "
                "*, " CLWAVE_PYTHON_KEYS_TYPES
                "out: tuple[DeviceArray, DeviceArray] | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
        "Sorts the keys of each segment keys[offsets[s]:offsets[s + 1]] by itself, stably, and brings each "
        "value to the place of its key.\n\n"
        "It blocks and returns keys and values; with `out`, a pair of arrays, it returns an Event at once. "
        "Offsets are uint32 or uint64, one more than segments. Without `out` a segment that ends before it "
        "begins, or past the keys, raises BadCall. Keys are ordered as numbers, where NaN is the largest, by "
        "an operator `less` in `a` and `b`, or `by` keys that expressions make of them.\n\n"
        ">>> keys, values = np.array([3, 1, 9, 2], np.int32), np.array([0, 1, 2, 3], np.uint8)\n"
        ">>> clwave.segmented_sort_by_key(keys, values, np.array([0, 2, 4], np.uint32))\n"
        "(array([1, 3, 2, 9], dtype=int32), array([1, 0, 3, 2], dtype=uint8))\n");
  m.def("top_k", &top_k, nb::arg("x"), nb::arg("k"), nb::kw_only(), nb::arg("descending") = true,
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def top_k(x: ArrayLike | CountedArray, k: int, *, descending: bool = True, out: "
                "tuple[DeviceArray, "
                "DeviceArray] | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
        "The `k` largest elements, the largest first, and their indices; with descending=False the smallest "
        "ones.\n\n"
        ">>> clwave.top_k(np.array([3, 1, 9, 2], np.int32), 2)\n"
        "(array([9, 3], dtype=int32), array([2, 0], dtype=uint32))\n");
  m.def(
      "segmented_top_k", &segmented_top_k, nb::arg("x"), nb::arg("offsets"), nb::arg("k"), nb::kw_only(),
      nb::arg("descending") = true, CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig("def segmented_top_k(x: ArrayLike, offsets: ArrayLike | CountedSegments, k: int, *, "
              "descending: bool = True, "
              "out: tuple[DeviceArray, DeviceArray] | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
      "The `k` largest elements of each segment x[offsets[s]:offsets[s + 1]], the largest first, and their "
      "indices in `x`: those of segment s from place s * k on. With descending=False the smallest ones.\n\n"
      "It blocks and returns values and indices; with `out`, a pair of arrays, it returns an Event at once. "
      "Of a shorter segment as many are written as it has: in a new result the others have no certain "
      "value. Without `out` a segment that ends before it begins, or past the input, raises BadCall.\n\n"
      ">>> clwave.segmented_top_k(np.array([3, 1, 9, 2], np.int32), np.array([0, 2, 4], np.uint32), 1)\n"
      "(array([3, 9], dtype=int32), array([0, 2], dtype=uint32))\n");
}

}  // namespace clwave_python
