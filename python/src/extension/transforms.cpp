// Functions of elements, of neighbours and of indices: transforms of Python.
#include <clwave/transform.hpp>

#include <deque>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "call.hpp"
#include "counted.hpp"
#include "module.hpp"

namespace clwave_python {
namespace {

const auto enqueue_transform = [](cl_command_queue q, const clwave::transform_problem& p,
                                  const clwave::launch_options& o) { return clwave::transform(q, p, o); };

const clwave::map& needed(const map_argument& given, const char* name) {
  const clwave::map* const found = given;
  if (found == nullptr) refuse("`" + std::string(name) + "` is needed, and not None");
  return *found;
}

nb::object transform(nb::handle x, nb::handle y, nb::handle z, nb::handle map, nb::handle dtype,
                     nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, y, z, out});
  clwave::transform_problem asked;
  asked.in.push_back(on.counted_in(x, "x"));
  if (!y.is_none()) asked.in.push_back(on.in(y, "y"));
  if (!z.is_none()) {
    if (y.is_none()) refuse("`z` goes with `y`");
    asked.in.push_back(on.in(z, "z"));
  }
  call::result made;
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    asked.out = on.out(out, "out");
  } else {
    made =
        on.make_like(x, asked.in.front().n, dtype.is_none() ? call::dtype_of(x) : dtype_from(dtype), "out");
    asked.out = made.view;
  }
  const map_argument apply(map, on, "map");
  asked.apply = &needed(apply, "map");
  const clwave::event end = on.run(asked, enqueue_transform);
  return out.is_none() ? on.value(end, made) : on.event(end);
}

// The dtype of each of `n` outputs: one for all, or a list, in which None is x's type.
nb::object dtype_of_output(nb::handle dtype, nb::handle x, std::size_t k, std::size_t n) {
  if (dtype.is_none()) return call::dtype_of(x);
  if (!PyList_Check(dtype.ptr())) return dtype_from(dtype);
  if (nb::len(dtype) != n) refuse("`dtype` has as many types as `maps` has functions");
  const nb::object one = dtype[k];
  return one.is_none() ? call::dtype_of(x) : dtype_from(one);
}

nb::object transform_to(nb::handle x, nb::handle y, nb::handle z, nb::handle maps, nb::handle dtype,
                        nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, y, z, out});
  clwave::transform_problem asked;
  asked.in.push_back(on.counted_in(x, "x"));
  if (!y.is_none()) asked.in.push_back(on.in(y, "y"));
  if (!z.is_none()) {
    if (y.is_none()) refuse("`z` goes with `y`");
    asked.in.push_back(on.in(z, "z"));
  }
  const nb::object functions = nb::borrow(maps);
  const std::size_t n = PyList_Check(maps.ptr()) || PyTuple_Check(maps.ptr()) ? nb::len(functions) : 0;
  if (n < 1 || n > 4) refuse("`maps` is a list of 1 to 4 functions");
  const nb::object outs = nb::borrow(out);
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    if (!PyTuple_Check(out.ptr()) || nb::len(outs) != n)
      refuse("`out` is a tuple of as many arrays as `maps` has functions");
  }
  std::vector<call::result> made;
  std::deque<map_argument> applied;
  for (std::size_t k = 0; k < n; ++k) {
    const std::string of_maps = "maps[" + std::to_string(k) + "]", of_out = "out[" + std::to_string(k) + "]";
    const clwave::map& apply =
        needed(applied.emplace_back(functions[k], on, of_maps.c_str()), of_maps.c_str());
    clwave::any_view to;
    if (out.is_none()) {
      made.push_back(on.make_like(x, asked.in.front().n, dtype_of_output(dtype, x, k, n), of_out.c_str()));
      to = made.back().view;
    } else {
      to = on.out(outs[k], of_out.c_str());
    }
    if (k == 0) {
      asked.out = to;
      asked.apply = &apply;
    } else {
      asked.further.emplace_back(to, apply);
    }
  }
  const clwave::event end = on.run(asked, enqueue_transform);
  if (!out.is_none()) return on.event(end);
  on.wait(end);
  nb::list results;
  const std::uint64_t length = on.length(asked.in.front().n);
  for (const call::result& each : made) results.append(on.finished(each, length));
  return nb::tuple(results);
}

nb::object transform_if(nb::handle x, nb::handle out, nb::handle map, nb::handle predicate, nb::handle y,
                        nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out, y});
  clwave::transform_problem asked;
  asked.in.push_back(on.counted_in(x, "x"));
  if (!y.is_none()) asked.in.push_back(on.in(y, "y"));
  asked.out = on.out(out, "out");
  const map_argument apply(map, on, "map");
  const map_argument condition(predicate, on, "predicate");
  asked.apply = &needed(apply, "map");
  asked.only_if = &needed(condition, "predicate");
  return on.event(on.run(asked, enqueue_transform));
}

nb::object replace_if(nb::handle x, nb::handle predicate, nb::handle value, nb::handle queue,
                      nb::handle after) {
  call on(queue, after, {x});
  const counted_array* const counted = counted_from(x);
  const nb::handle all = counted != nullptr ? nb::handle(counted->all) : x;
  clwave::transform_problem asked;
  asked.out = on.out(all, "x");
  asked.in.push_back(on.counted_in(x, "x"));
  const std::vector<unsigned char> bytes = bytes_of_value(value, call::dtype_of(all));
  const clwave::map constant = clwave::detail::constant_map(*asked.out.type, bytes.data());
  const map_argument condition(predicate, on, "predicate");
  asked.apply = &constant;
  asked.only_if = &needed(condition, "predicate");
  return on.event(on.run(asked, enqueue_transform));
}

// The output of a call without inputs, which may be a CountedArray.
clwave::any_view filled(call& on, nb::handle out) {
  return counted_from(out) != nullptr ? on.counted_in(out, "out") : on.out(out, "out");
}

nb::object generate(nb::handle out, nb::handle map, nb::handle queue, nb::handle after) {
  call on(queue, after, {out});
  clwave::transform_problem asked;
  asked.out = filled(on, out);
  const map_argument apply(map, on, "map");
  asked.apply = &needed(apply, "map");
  return on.event(on.run(asked, enqueue_transform));
}

nb::object iota(nb::handle out, nb::handle first, nb::handle step, nb::handle queue, nb::handle after) {
  call on(queue, after, {out});
  clwave::transform_problem asked;
  asked.out = filled(on, out);
  const nb::object dtype = call::dtype_of(out);
  std::vector<unsigned char> first_bytes, step_bytes;
  if (!first.is_none()) first_bytes = bytes_of_value(first, dtype);
  if (!step.is_none()) step_bytes = bytes_of_value(step, dtype);
  const clwave::map steps =
      clwave::detail::iota_map(*asked.out.type, first.is_none() ? nullptr : first_bytes.data(),
                               step.is_none() ? nullptr : step_bytes.data());
  asked.apply = &steps;
  return on.event(on.run(asked, enqueue_transform));
}

nb::object adjacent_difference(nb::handle x, nb::handle map, nb::handle dtype, nb::handle out,
                               nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  clwave::adjacent_difference_problem asked{.in = on.in(x, "x")};
  call::result made;
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    asked.out = on.out(out, "out");
  } else {
    made = on.make_like(x, asked.in.n, dtype.is_none() ? call::dtype_of(x) : dtype_from(dtype), "out");
    asked.out = made.view;
  }
  const map_argument apply(map, on, "map");
  asked.apply = apply;
  const clwave::event end = on.run(asked, [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::adjacent_difference(q, p, o);
  });
  return out.is_none() ? on.value(end, made) : on.event(end);
}

}  // namespace

void register_transforms(nb::module_& m) {
  m.def("transform", &transform, nb::arg("x"), nb::arg("y") = nb::none(), nb::arg("z") = nb::none(),
        nb::kw_only(), nb::arg("map"), nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def transform(x: Input, y: ArrayLike | None = None, z: ArrayLike | None "
                "= None, *, map: "
                "Map | str, dtype: "
                "numpy.typing.DTypeLike | None = None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "A function of the elements of one to three arrays, and of the index `i`.\n\n"
        ">>> clwave.transform(np.array([1, 2], np.float32), map=\"2 * x + i\")\n"
        "array([2., 5.], dtype=float32)\n");
  m.def("transform_to", &transform_to, nb::arg("x"), nb::arg("y") = nb::none(), nb::arg("z") = nb::none(),
        nb::kw_only(), nb::arg("maps"), nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def transform_to(x: ArrayLike | CountedArray, y: ArrayLike | None = None, z: ArrayLike | "
                "None = None, *, maps: Sequence[Map | str], dtype: numpy.typing.DTypeLike | "
                "list[numpy.typing.DTypeLike] | None = None, out: tuple[DeviceArray, ...] | None = "
                "None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
        "Up to four functions of the elements of one to three arrays, and of the index `i`, which are read "
        "once. It blocks and returns a tuple of arrays, of x's type or of `dtype`, one or a list, in which "
        "None is x's type; with `out`, a tuple of arrays that may be inputs, it returns an Event at "
        "once.\n\n"
        ">>> clwave.transform_to(np.array([1, 4], np.float32), maps=[\"sqrt(x)\", \"x * x\"])\n"
        "(array([1., 2.], dtype=float32), array([ 1., 16.], dtype=float32))\n");
  m.def(
      "transform_if", &transform_if, nb::arg("x"), nb::arg("out"), nb::kw_only(), nb::arg("map"),
      nb::arg("predicate"), nb::arg("y") = nb::none(), CLWAVE_PYTHON_LAUNCH,
      nb::sig("def transform_if(x: ArrayLike | CountedArray, out: DeviceArray, *, map: Map | str, predicate: "
              "Map | str, y: ArrayLike | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
      "Where the predicate is other than 0, sets the element of `out` to the map of the element of `x` at "
      "its place; all others keep their values. Both are expressions in `x`, the index `i`, and with a "
      "second input, flags for instance, in `y`. `out` may be `x`. Returns an Event.\n\n"
      ">>> x = clwave.Array.from_numpy(np.array([4, -1, 9], np.float32))\n"
      ">>> clwave.transform_if(x, x, map=\"sqrt(x)\", predicate=\"x > 0\").wait()\n"
      ">>> x.get()\n"
      "array([ 2., -1.,  3.], dtype=float32)\n");
  m.def("replace_if", &replace_if, nb::arg("x"), nb::arg("predicate"), nb::arg("value"), nb::kw_only(),
        CLWAVE_PYTHON_LAUNCH,
        nb::sig("def replace_if(x: DeviceArray | CountedArray, predicate: Map | str, value: Any, "
                "*, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
        "Sets each element of `x` for which an expression in `x` (and the index `i`) is other than 0 to a "
        "number, or an OpenCL vector of at most 32 bytes; another one builds nothing. Returns an Event.\n\n"
        ">>> x = clwave.Array.from_numpy(np.array([1, np.nan, 3], np.float32))\n"
        ">>> clwave.replace_if(x, \"x != x\", 0).wait()\n"
        ">>> x.get()\n"
        "array([1., 0., 3.], dtype=float32)\n");
  m.def("generate", &generate, nb::arg("out"), nb::arg("map"), nb::kw_only(), CLWAVE_PYTHON_LAUNCH,
        nb::sig("def generate(out: DeviceArray | CountedArray, map: Map | str, *, " CLWAVE_PYTHON_LAUNCH_TYPES
                ") -> Event"),
        "Sets each element of `out` to an expression in its index `i`, a ulong from 0 on, converted to its "
        "type. Returns an Event.\n\n"
        ">>> out = clwave.Array(3, np.float32)\n"
        ">>> clwave.generate(out, \"i * 0.5f\").wait()\n"
        ">>> out.get()\n"
        "array([0. , 0.5, 1. ], dtype=float32)\n");
  m.def(
      "iota", &iota, nb::arg("out"), nb::arg("first") = nb::none(), nb::arg("step") = nb::none(),
      nb::kw_only(), CLWAVE_PYTHON_LAUNCH,
      nb::sig("def iota(out: DeviceArray | CountedArray, first: Any = None, step: Any = None, "
              "*, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
      "Sets element i of `out` to first + i * step, by default to i. Both are numbers of its type; integers "
      "wrap, 16-bit floats are computed as float32, and other numbers build nothing. Returns an Event.\n\n"
      ">>> out = clwave.Array(4, np.int32)\n"
      ">>> clwave.iota(out, 10, 5).wait()\n"
      ">>> out.get()\n"
      "array([10, 15, 20, 25], dtype=int32)\n");
  m.def("adjacent_difference", &adjacent_difference, nb::arg("x"), nb::arg("map") = nb::none(), nb::kw_only(),
        nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def adjacent_difference(x: ArrayLike, map: Map | str | None = None, *, dtype: "
                "numpy.typing.DTypeLike | None = None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "The first element, then each element less the one before it; or an expression in `x`, an element, "
        "`y`, the one before it, and the index `i`. `out` may be `x`.\n\n"
        ">>> clwave.adjacent_difference(np.array([1, 4, 9], np.int32))\n"
        "array([1, 3, 5], dtype=int32)\n"
        ">>> clwave.adjacent_difference(np.array([1, 4, 2], np.float32), \"x / y\")\n"
        "array([1. , 4. , 0.5], dtype=float32)\n");
}

}  // namespace clwave_python
