// Reductions of Python: of all elements, rows, columns, segments, and runs of equal keys.
#include <array>
#include <cstring>
#include <map>
#include <tuple>

#include <clwave/matrices.hpp>
#include <clwave/reduce.hpp>
#include <clwave/reduce_by_key.hpp>
#include <clwave/reduce_columns.hpp>
#include <clwave/reduce_rows.hpp>
#include <clwave/segmented_reduce.hpp>

#include "arguments.hpp"
#include "call.hpp"
#include "fold_input.hpp"
#include "module.hpp"
#include "shards.hpp"

namespace clwave_python {
namespace {

// Waits for a reduction of shards, and returns the bytes of its value. The host waits for `after` before.
std::vector<unsigned char> reduce_shards(call& on, const sharded& x, const sharded* y,
                                         const clwave::reduce_problem& asked, const clwave::element& folded) {
  if (planning) refuse("calls on arrays in shards have no plan");
  std::vector<unsigned char> bytes(asked.accumulator->size);
  const std::vector<clwave::detail::erased_shard> of_x = x.erased("x");
  std::vector<clwave::detail::erased_shard> of_y;
  if (y != nullptr) of_y = y->erased("y");
  std::vector<array> kept = x.shards;  // another thread may release them meanwhile
  if (y != nullptr) kept.insert(kept.end(), y->shards.begin(), y->shards.end());
  const nb::gil_scoped_release released;
  clwave::detail::reduce_sharded({.x = of_x,
                                  .y = of_y,
                                  .accumulator = asked.accumulator,
                                  .folded = &folded,
                                  .fold = asked.fold,
                                  .apply = asked.apply,
                                  .after = &on.launch().after,
                                  .nothing = asked.nothing},
                                 bytes.data());
  return bytes;
}

// What the problem of a call on shards has in place of the elements.
clwave::any_view shape_of(const sharded& x) { return {nullptr, x.n(), 0, x.shards.front().type}; }

// The type that is accumulated in, and the dtype of the value; of a call without `out`.
nb::object accumulate(clwave::reduce_problem& asked, nb::handle dtype, nb::handle own) {
  if (!dtype.is_none()) {
    nb::object given = dtype_from(dtype);
    asked.accumulator = &element_of_dtype(given, "dtype");
    return given;
  }
  asked.accumulator = &promoted(*asked.in.type);
  if (asked.accumulator != asked.in.type && asked.in.type->kind != clwave::element_kind::half_storage &&
      asked.in.type->kind != clwave::element_kind::bfloat16_storage)
    asked.nothing = asked.in.type;
  return nb::borrow(own);
}

nb::object reduce_sharded(nb::handle x, nb::handle op, nb::handle y, nb::handle map, nb::handle dtype,
                          nb::handle start, nb::handle out, nb::handle queue, nb::handle after, bool later) {
  refuse_beside_shards(start, "start");
  refuse_beside_shards(out, "out");
  refuse_beside_shards(queue, "queue");
  if (later) refuse("an array in shards has no value that comes later");
  const auto& of_x = nb::cast<const sharded&>(x);
  if (!y.is_none() && !nb::isinstance<sharded>(y)) refuse("`y` is an array in shards, as `x` is");
  const sharded* const of_y = y.is_none() ? nullptr : &nb::cast<const sharded&>(y);
  call on(queue_of(of_x), after, {});
  clwave::reduce_problem asked{.in = shape_of(of_x)};
  on.note_type(*asked.in.type);
  const nb::object result_dtype = accumulate(asked, dtype, of_x.shards.front().dtype);
  on.note_type(*asked.accumulator);
  const op_argument fold(op, on, "op");
  const map_argument apply(map, on, "map");
  asked.fold = fold;
  if (asked.fold == nullptr) asked.fold = &clwave::plus;
  if (!map.is_none()) asked.apply = apply;
  if (of_y != nullptr && map.is_none()) refuse("two inputs take a `map` of x and y");
  if (asked.fold->kind == clwave::op_kind::argmin || asked.fold->kind == clwave::op_kind::argmax)
    refuse("clwave.argmin and clwave.argmax give the value and its index");
  const auto bytes = reduce_shards(on, of_x, of_y, asked, *asked.accumulator);
  return value_of_bytes(bytes.data(), *asked.accumulator, result_dtype);
}

nb::object reduce_all(nb::handle x, nb::handle op, nb::handle y, nb::handle map, nb::handle dtype,
                      nb::handle start, nb::handle out, nb::handle queue, nb::handle after, bool later) {
  if (nb::isinstance<sharded>(x))
    return reduce_sharded(x, op, y, map, dtype, start, out, queue, after, later);
  call on(queue, after, {x, y, out});
  fold_input inputs(on, x, y, later || !out.is_none() || !start.is_none());
  clwave::reduce_problem asked{.in = inputs.in, .in2 = inputs.in2};
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    asked.out = on.out(out, "out");
    asked.accumulator = asked.out->type;
  }
  nb::object result_dtype;
  if (out.is_none()) result_dtype = accumulate(asked, dtype, call::dtype_of(x));
  on.note_type(*asked.accumulator);
  std::vector<unsigned char> start_bytes;
  if (!start.is_none()) {
    const nb::object own = !out.is_none() ? call::dtype_of(out)
                           : !dtype.is_none()
                               ? nb::object(result_dtype)
                               : promoted_dtype(*asked.in.type, *asked.accumulator, result_dtype);
    start_bytes = bytes_of_value(start, own);
    asked.start = start_bytes.data();
  }
  const op_argument fold(op, on, "op");
  const map_argument apply(map, on, "map");
  asked.fold = fold;
  if (asked.fold == nullptr) asked.fold = &clwave::plus;
  if (!map.is_none()) asked.apply = apply;
  if (asked.in2 && map.is_none()) refuse("two inputs take a `map` of x and y");
  if (!out.is_none())
    return on.event(on.run(
        asked, [](cl_command_queue q, const auto& p, const auto& o) { return clwave::reduce(q, p, o); }));
  if (asked.fold->kind == clwave::op_kind::argmin || asked.fold->kind == clwave::op_kind::argmax)
    refuse("clwave.argmin and clwave.argmax give the value and its index");
  return inputs.give(asked, *asked.accumulator, later,
                     [type = asked.accumulator, result_dtype](const unsigned char* bytes) {
                       return value_of_bytes(bytes, *type, result_dtype);
                     });
}

nb::object reduce(nb::handle x, nb::handle op, nb::handle y, nb::handle map, nb::handle dtype,
                  nb::handle start, nb::handle out, nb::handle queue, nb::handle after) {
  return reduce_all(x, op, y, map, dtype, start, out, queue, after, false);
}

nb::object reduce_async(nb::handle x, nb::handle op, nb::handle y, nb::handle map, nb::handle dtype,
                        nb::handle start, nb::handle queue, nb::handle after) {
  return reduce_all(x, op, y, map, dtype, start, nb::none(), queue, after, true);
}

nb::object dot(nb::handle x, nb::handle y, nb::handle dtype, nb::handle start, nb::handle out,
               nb::handle queue, nb::handle after) {
  return reduce(x, nb::str("plus"), y, nb::str("product"), dtype, start, out, queue, after);
}

nb::object dot_async(nb::handle x, nb::handle y, nb::handle dtype, nb::handle start, nb::handle queue,
                     nb::handle after) {
  return reduce_async(x, nb::str("plus"), y, nb::str("product"), dtype, start, queue, after);
}

// An element of that type and its index. Made once for each type: problems that are prepared keep it.
const clwave::element& pair_of(const clwave::element& of) {
  static auto& all = *new std::map<const clwave::element*, clwave::element>;  // guarded by the GIL
  const auto found = all.find(&of);
  return found != all.end() ? found->second
                            : all.emplace(&of, clwave::detail::indexed_element(of)).first->second;
}

template <clwave::op_kind Kind, bool Later>
nb::object arg_extreme(nb::handle x, nb::handle queue, nb::handle after) {
  const bool in_shards = nb::isinstance<sharded>(x);
  if (in_shards) {
    refuse_beside_shards(queue, "queue");
    if (Later) refuse("an array in shards has no value that comes later");
  }
  call on = in_shards ? call(queue_of(nb::cast<const sharded&>(x)), after, {}) : call(queue, after, {x});
  std::optional<fold_input> inputs;
  if (!in_shards) inputs.emplace(on, x, nb::none(), Later);
  clwave::reduce_problem asked{.in = in_shards ? shape_of(nb::cast<const sharded&>(x)) : inputs->in};
  const op_argument fold(nb::str(Kind == clwave::op_kind::argmin ? "argmin" : "argmax"), on, "op");
  if (!asked.in.type->is_scalar_arithmetic()) refuse("only numbers have a smallest and a largest one");
  const clwave::element& seen = asked.in.type->kind == clwave::element_kind::half_storage ||
                                        asked.in.type->kind == clwave::element_kind::bfloat16_storage
                                    ? clwave::element_of<float>()
                                    : *asked.in.type;
  asked.accumulator = &pair_of(seen);
  asked.fold = fold;
  const nb::object dtype = in_shards ? nb::cast<const sharded&>(x).shards.front().dtype : call::dtype_of(x);
  const auto value = [type = &seen, dtype](const unsigned char* bytes) {
    std::uint64_t index = 0;
    std::memcpy(&index, bytes + 8, sizeof index);  // behind the value and its padding
    return nb::object(nb::make_tuple(value_of_bytes(bytes, *type, dtype), index));
  };
  if (in_shards) return value(reduce_shards(on, nb::cast<const sharded&>(x), nullptr, asked, seen).data());
  return inputs->give(asked, seen, Later, value);
}

template <class Problem, bool Rows>
nb::object reduce_lines(nb::handle x, nb::handle op, nb::handle map, nb::handle shape, nb::handle dtype,
                        nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  Problem asked{.in = on.in(x, "x"), .size = matrices_from(x, shape)};
  const auto enqueue = [](cl_command_queue q, const Problem& p, const clwave::launch_options& o) {
    if constexpr (Rows)
      return clwave::reduce_rows(q, p, o);
    else
      return clwave::reduce_columns(q, p, o);
  };
  const auto finish = [&] {
    const op_argument fold(op, on, "op");
    const map_argument apply(map, on, "map");
    asked.fold = fold;
    if (!map.is_none()) asked.apply = apply;
    return on.run(asked, enqueue);
  };
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    asked.out = on.out(out, "out");
    return on.event(finish());
  }
  nb::object made_dtype = dtype.is_none()
                              ? promoted_dtype(*asked.in.type, promoted(*asked.in.type), call::dtype_of(x))
                              : dtype_from(dtype);
  const std::uint64_t lines = (Rows ? asked.size.rows : asked.size.columns) * asked.size.batch;
  const call::result made = on.make(lines, made_dtype, "out");
  asked.out = made.view;
  return on.value(finish(), made);
}

nb::object segmented_reduce(nb::handle x, nb::handle offsets, nb::handle op, nb::handle map, nb::handle dtype,
                            nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, offsets, out});
  clwave::segmented_reduce_problem asked{.in = on.in(x, "x"), .offsets = on.offsets_in(offsets)};
  const auto texts = [&](const auto& then) {
    const op_argument fold(op, on, "op");
    const map_argument apply(map, on, "map");
    asked.fold = fold;
    if (!map.is_none()) asked.apply = apply;
    return then();
  };
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    asked.out = on.out(out, "out");
    return texts([&] {
      return on.event(on.run(asked, [](cl_command_queue q, const auto& p, const auto& o) {
        return clwave::segmented_reduce(q, p, o);
      }));
    });
  }
  if (asked.offsets.n == 0)
    refuse("`offsets` has one more element than there are segments, and at least one");
  nb::object made_dtype = dtype.is_none()
                              ? promoted_dtype(*asked.in.type, promoted(*asked.in.type), call::dtype_of(x))
                              : dtype_from(dtype);
  const call::result made = on.make(asked.offsets.n - 1, made_dtype, "out");
  asked.out = made.view;
  asked.bad = on.scratch(1, "uint64");
  return texts([&] {
    const clwave::event end = on.run(asked, [](cl_command_queue q, const auto& p, const auto& o) {
      return clwave::segmented_reduce(q, p, o);
    });
    const std::uint64_t bad = on.read_count(end, *asked.bad);
    if (bad != 0) refuse(std::to_string(bad) + " segments end before they begin, or past the input");
    return on.finished(made, on.segments_of(asked.offsets));
  });
}

nb::object reduce_by_key(nb::handle keys, nb::handle values, nb::handle op, nb::handle map, nb::handle same,
                         nb::handle dtype, nb::handle out, nb::handle count, nb::handle queue,
                         nb::handle after) {
  call on(queue, after, {keys, values, out});
  clwave::reduce_by_key_problem asked{.keys = on.counted_in(keys, "keys"), .values = on.in(values, "values")};
  call::result keys_made, values_made;
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    std::tie(asked.keys_out, asked.values_out) = on.pair_out(out, "keys, and of results");
  } else {
    nb::object made_dtype = dtype.is_none() ? promoted_dtype(*asked.values.type, promoted(*asked.values.type),
                                                             call::dtype_of(values))
                                            : dtype_from(dtype);
    keys_made = on.make(asked.keys.n, call::dtype_of(keys), "out");
    values_made = on.make(asked.keys.n, made_dtype, "out");
    asked.keys_out = keys_made.view;
    asked.values_out = values_made.view;
  }
  const op_argument fold(op, on, "op");
  const map_argument apply(map, on, "map");
  const op_argument equal(same, on, "same");
  asked.fold = fold;
  if (!map.is_none()) asked.apply = apply;
  asked.same = equal;
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::reduce_by_key(q, p, o);
  };
  if (!count.is_none()) {
    if (out.is_none()) refuse("`count` goes with `out`");
    asked.count = on.out(count, "count");
    return on.event(on.run(asked, enqueue));
  }
  asked.count = on.scratch(1, "uint64");
  const std::uint64_t runs = on.read_count(on.run(asked, enqueue), *asked.count);
  if (!out.is_none()) return nb::int_(runs);
  return nb::make_tuple(on.finished(keys_made, runs), on.finished(values_made, runs));
}

}  // namespace

void register_folds(nb::module_& m) {
  m.def(
      "reduce", &reduce, nb::arg("x"), nb::arg("op") = "plus", nb::kw_only(), nb::arg("y") = nb::none(),
      nb::arg("map") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("start") = nb::none(),
      CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig("def reduce(x: Input | Sharded, op: Op | str = 'plus', *, y: ArrayLike | "
              "Sharded | None = "
              "None, map: Map | "
              "str | None = None, "
              "dtype: numpy.typing.DTypeLike | None = None, start: Any = "
              "None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
      "Combines all elements by an operator, with the same bits on every device.\n\n"
      "Without `out` the value is a Python number: the call blocks, and Ctrl-C ends the wait. It "
      "accumulates in "
      "`dtype`, by default in the elements' type, where integers of 8 and 16 bits have 32, and 16-bit "
      "floats are "
      "floats. A NumPy array of 32 MiB or more passes through the device in pieces, and is never copied as a "
      "whole. With `out` the result goes to its first element in its type, and the call returns an Event "
      "at once. "
      "`map` is applied to each element `x`, or to `x` and `y` side by side. `start` is combined before the "
      "first element; a NumPy array beside it is copied as a whole. No elements: `start`, else the "
      "operator's identity.\n\n"
      ">>> x = np.arange(1, 5, dtype=np.float32)\n"
      ">>> clwave.reduce(x), clwave.reduce(x, \"max\"), clwave.reduce(x, \"plus\", map=\"x * x\")\n"
      "(10.0, 4.0, 30.0)\n"
      ">>> out = clwave.Array(1, np.float64)\n"
      ">>> clwave.reduce(x, out=out).wait()\n"
      ">>> out.get()\n"
      "array([10.])\n");
  m.def("dot", &dot, nb::arg("x"), nb::arg("y"), nb::kw_only(), nb::arg("dtype") = nb::none(),
        nb::arg("start") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def dot(x: ArrayLike | Sharded | CountedArray, y: ArrayLike | Sharded, *, dtype: "
                "numpy.typing.DTypeLike | None = "
                "None, start: Any = None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "The scalar product, in the order of reduce, with `start` before it.\n\n"
        ">>> x = np.arange(4, dtype=np.float32)\n"
        ">>> clwave.dot(x, x)\n"
        "14.0\n");
  m.def("argmin", &arg_extreme<clwave::op_kind::argmin, false>, nb::arg("x"), nb::kw_only(),
        CLWAVE_PYTHON_LAUNCH,
        nb::sig("def argmin(x: ArrayLike | Sharded, *, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> tuple[Any, int]"),
        "The smallest element and its index, the first one on ties; a NaN counts as smaller than everything. "
        "Blocks.\n\n"
        ">>> clwave.argmin(np.array([3, 1, 2], np.int32))\n"
        "(1, 1)\n");
  m.def("argmax", &arg_extreme<clwave::op_kind::argmax, false>, nb::arg("x"), nb::kw_only(),
        CLWAVE_PYTHON_LAUNCH,
        nb::sig("def argmax(x: ArrayLike | Sharded, *, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> tuple[Any, int]"),
        "The largest element and its index, the first one on ties; a NaN counts as larger than everything. "
        "Blocks.");
  m.def("reduce_async", &reduce_async, nb::arg("x"), nb::arg("op") = "plus", nb::kw_only(),
        nb::arg("y") = nb::none(), nb::arg("map") = nb::none(), nb::arg("dtype") = nb::none(),
        nb::arg("start") = nb::none(), CLWAVE_PYTHON_LAUNCH,
        nb::sig("def reduce_async(x: Input, op: Op | str = 'plus', *, y: ArrayLike | None = "
                "None, map: Map "
                "| str | None = None, dtype: numpy.typing.DTypeLike | None = "
                "None, start: Any = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Future"),
        "Combines all elements by an operator, with the same bits on every device: returns a Future at once, "
        "whose get() blocks and returns the value. It accumulates in `dtype`, by default the elements' type, "
        "where integers of 8 and 16 bits have 32, and 16-bit floats are floats. `map` is applied to each "
        "element `x`, or to `x` and `y` side by side; `start` is combined before the first element. NumPy "
        "arrays of any size are copied to the device before.\n\n"
        ">>> x = clwave.Array.from_numpy(np.arange(5, dtype=np.float32))\n"
        ">>> total, largest = clwave.reduce_async(x), clwave.reduce_async(x, \"max\")\n"
        ">>> total.get(), largest.get()\n"
        "(10.0, 4.0)\n");
  m.def("dot_async", &dot_async, nb::arg("x"), nb::arg("y"), nb::kw_only(), nb::arg("dtype") = nb::none(),
        nb::arg("start") = nb::none(), CLWAVE_PYTHON_LAUNCH,
        nb::sig("def dot_async(x: ArrayLike | CountedArray, y: ArrayLike, *, dtype: numpy.typing.DTypeLike | "
                "None = "
                "None, start: Any = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Future"),
        "The scalar product, with `start` before it, as a Future, returned at once; its get() blocks and "
        "returns it.");
  m.def("argmin_async", &arg_extreme<clwave::op_kind::argmin, true>, nb::arg("x"), nb::kw_only(),
        CLWAVE_PYTHON_LAUNCH,
        nb::sig("def argmin_async(x: ArrayLike, *, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Future"),
        "The smallest element and its index, the first one on ties, as a Future, returned at once; its "
        "get() blocks and returns it.");
  m.def("argmax_async", &arg_extreme<clwave::op_kind::argmax, true>, nb::arg("x"), nb::kw_only(),
        CLWAVE_PYTHON_LAUNCH,
        nb::sig("def argmax_async(x: ArrayLike, *, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Future"),
        "The largest element and its index, the first one on ties, as a Future, returned at once; its get() "
        "blocks and returns it.");
  m.def(
      "reduce_rows", &reduce_lines<clwave::reduce_rows_problem, true>, nb::arg("x"), nb::arg("op") = "plus",
      nb::kw_only(), nb::arg("map") = nb::none(), nb::arg("shape") = nb::none(),
      nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig(
          "def reduce_rows(x: ArrayLike | LazyArray, op: Op | str = 'plus', *, map: Map | str | None = None, "
          "shape: Sequence[int] | None "
          "= None, dtype: numpy.typing.DTypeLike | None = None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES
          ") -> Any"),
      "Combines each row of a matrix, or of a batch of matrices. `shape` is that of `x` unless it is "
      "given.\n\n"
      ">>> clwave.reduce_rows(np.ones((2, 3), np.float32))\n"
      "array([3., 3.], dtype=float32)\n");
  m.def(
      "reduce_columns", &reduce_lines<clwave::reduce_columns_problem, false>, nb::arg("x"),
      nb::arg("op") = "plus", nb::kw_only(), nb::arg("map") = nb::none(), nb::arg("shape") = nb::none(),
      nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig("def reduce_columns(x: ArrayLike | LazyArray, op: Op | str = 'plus', *, map: Map | str | None "
              "= None, "
              "shape: Sequence[int] | "
              "None = None, dtype: numpy.typing.DTypeLike | None = None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES
              ") -> Any"),
      "Combines each column of a matrix, or of a batch of matrices.\n\n"
      ">>> clwave.reduce_columns(np.ones((2, 3), np.float32))\n"
      "array([2., 2., 2.], dtype=float32)\n");
  m.def(
      "segmented_reduce", &segmented_reduce, nb::arg("x"), nb::arg("offsets"), nb::arg("op") = "plus",
      nb::kw_only(), nb::arg("map") = nb::none(), nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig("def segmented_reduce(x: ArrayLike, offsets: ArrayLike | CountedSegments, op: Op | str = "
              "'plus', *, map: Map | "
              "str | None = None, "
              "dtype: numpy.typing.DTypeLike | None = None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
      "Combines each segment x[offsets[s]:offsets[s + 1]]; offsets are uint32 or uint64, one more than "
      "segments. "
      "Without `out` a segment that ends before it begins, or past the input, raises BadCall.\n\n"
      ">>> clwave.segmented_reduce(np.ones(5, np.float32), np.array([0, 2, 5], np.uint32))\n"
      "array([2., 3.], dtype=float32)\n");
  m.def("reduce_by_key", &reduce_by_key, nb::arg("keys"), nb::arg("values"), nb::arg("op") = "plus",
        nb::kw_only(), nb::arg("map") = nb::none(), nb::arg("same") = nb::none(),
        nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("count") = nb::none(),
        CLWAVE_PYTHON_LAUNCH,
        nb::sig("def reduce_by_key(keys: ArrayLike | CountedArray, values: ArrayLike, op: Op | str = 'plus', "
                "*, map: Map | str | "
                "None = None, "
                "same: Op | str | None = None, dtype: numpy.typing.DTypeLike | None = None, out: "
                "tuple[DeviceArray, DeviceArray] | "
                "None = None, count: DeviceArray | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
        "Combines the values of each run of equal neighbouring keys, and returns the runs' keys and results. "
        "With "
        "`out`, a pair of arrays, it returns the number of runs; with `count`, a uint64 array, too, an "
        "Event.\n\n"
        ">>> clwave.reduce_by_key(np.array([1, 1, 2], np.int32), np.array([5, 6, 7], np.int32))\n"
        "(array([1, 2], dtype=int32), array([11,  7], dtype=int32))\n");
}

}  // namespace clwave_python
