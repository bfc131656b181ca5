// Inputs that are no arrays: clwave.LazyArray, and what makes one.
#include "lazy.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>

#include <clwave/lazy_view.hpp>

#include "call.hpp"
#include "counted.hpp"
#include "holders.hpp"
#include "module.hpp"
#include "types.hpp"

namespace clwave_python {
namespace {

PyObject* lazy_class = nullptr;

// An array's elements, of which no call has asked yet.
clwave::any_view elements_of(nb::handle x, const char* name) {
  if (counted_from(x) != nullptr || counted_segments_from(x) != nullptr)
    refuse("`" + std::string(name) +
           "` has a count on the device: a LazyArray is made of arrays of known sizes");
  if (lazy_from(x) != nullptr)
    refuse("`" + std::string(name) + "` is a LazyArray, and an array is needed: transformed takes both");
  if (x.is_none() || !nb::hasattr(x, "dtype") || !nb::hasattr(x, "size"))
    refuse("`" + std::string(name) + "` is an array: clwave.Array, NumPy's, or one with int_ptr and dtype");
  return {nullptr, call::size_of(x, name), 0, &element_of_dtype(call::dtype_of(x), name)};
}

// Throws bad_call for what clwave has no type for.
nb::object dtype_of_elements(nb::handle dtype) {
  nb::object found = dtype_from(dtype);
  element_of_dtype(found, "dtype");
  return found;
}

nb::object lazy(lazy_source source, nb::handle dtype) {
  const std::uint64_t n = source.n;
  return nb::cast(lazy_array{{std::move(source)}, nb::none(), nb::borrow(dtype), n});
}

lazy_source source_like(const clwave::any_source& shape, nb::handle x) {
  return {nb::borrow(x), nb::none(), shape.n, shape.first, shape.step};
}

nb::object generated(std::uint64_t n, nb::handle map, nb::handle dtype) {
  if (map.is_none()) refuse("`map` is needed, and not None");
  return nb::cast(lazy_array{{}, nb::borrow(map), dtype_of_elements(dtype), n});
}

nb::object gather_of(nb::handle x, nb::handle indices, nb::handle outside) {
  elements_of(x, "x");
  const nb::object dtype = call::dtype_of(x);
  lazy_source source{nb::borrow(x), nb::borrow(indices), elements_of(indices, "indices").n};
  if (!outside.is_none()) source.outside = bytes_of_value(outside, dtype);
  return lazy(std::move(source), dtype);
}

nb::object strided(nb::handle x, std::uint64_t step) {
  return lazy(source_like(clwave::detail::strided_source(elements_of(x, "x"), step), x), call::dtype_of(x));
}

nb::object reversed(nb::handle x) {
  return lazy(source_like(clwave::detail::reversed_source(elements_of(x, "x")), x), call::dtype_of(x));
}

nb::object transformed(const nb::args& inputs, nb::handle map, nb::handle dtype) {
  constexpr std::size_t most = 8;
  if (map.is_none()) refuse("`map` is needed, and not None");
  if (inputs.size() == 0 || inputs.size() > most)
    refuse("transformed takes 1 to 8 inputs, and not " + std::to_string(inputs.size()));
  lazy_array made{{}, nb::borrow(map), {}, 0};
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const nb::object one = inputs[k];
    const std::string name = "input " + std::to_string(k);
    if (const lazy_array* const inner = lazy_from(one)) {
      if (!inner->map.is_none() || inner->sources.size() != 1)
        refuse("`" + name + "` has a function already: put both into one");
      made.sources.push_back(inner->sources[0]);
    } else {
      const clwave::any_view view = elements_of(one, name.c_str());
      made.sources.push_back({one, nb::none(), view.n});
    }
    const std::uint64_t n = made.sources.back().n;
    if (k == 0) made.n = n;
    if (n != made.n)
      refuse("`" + name + "` has " + std::to_string(n) + " elements, and the first input " +
             std::to_string(made.n));
  }
  made.dtype = dtype.is_none() ? call::dtype_of(inputs[0]) : dtype_of_elements(dtype);
  return nb::cast(std::move(made));
}

}  // namespace

const lazy_array* lazy_from(nb::handle what) { return instance_of<lazy_array>(what, lazy_class); }

void register_lazy(nb::module_& m) {
  auto made = nb::class_<lazy_array>(
      m, "LazyArray", nb::is_final(), nb::type_slots(collected<lazy_array>()),
      "Elements that lie nowhere, and are made where a call needs them: what `generated`, `gather_of`, "
      "`strided`, `reversed` and `transformed` return.\n\n"
      "`reduce` of one input, `count_if`, `minmax`, `mean_and_variance`, reductions of rows and columns, "
      "scans, selections and runs, `histogram` and `transform` take one for `x`, without a pass over memory "
      "for it and with the bits that they give for an array of its elements; all other calls raise BadCall. "
      "It holds its arrays; NumPy's are copied to the device by each call. `transform(lazy, map=\"x\")` "
      "makes "
      "an array of one.\n");
  lazy_class = made.ptr();
  made.def("__len__", [](const lazy_array& a) { return a.n; })
      .def("__repr__",
           [](const lazy_array& a) {
             return "clwave.LazyArray(" + std::to_string(a.n) + ", " +
                    nb::cast<std::string>(nb::str(a.dtype)) + ")";
           })
      .def_prop_ro("size", [](const lazy_array& a) { return a.n; })
      .def_prop_ro(
          "shape", [](const lazy_array& a) { return nb::make_tuple(a.n); },
          nb::sig("def shape(self) -> tuple[int]"))
      .def_prop_ro(
          "dtype", [](const lazy_array& a) { return a.dtype; },
          nb::sig("def dtype(self) -> numpy.dtype[Any]"));

  m.def("generated", &generated, nb::arg("n"), nb::arg("map"), nb::arg("dtype"),
        nb::sig("def generated(n: int, map: Map | str, dtype: numpy.typing.DTypeLike) -> LazyArray"),
        "`n` elements that are an expression in their index `i`, a ulong from 0 on.\n\n"
        ">>> clwave.reduce(clwave.generated(4, \"i * i\", np.int32))\n"
        "14\n");
  m.def("gather_of", &gather_of, nb::arg("x"), nb::arg("indices"), nb::arg("outside") = nb::none(),
        nb::sig("def gather_of(x: ArrayLike, indices: ArrayLike, outside: Any = None) -> LazyArray"),
        "x[indices], of indices of 32 or 64 bits. One that is outside, negative ones among them, gives "
        "`outside`, or zero bytes.\n\n"
        ">>> x = np.array([5, 6, 7], np.int32)\n"
        ">>> clwave.reduce(clwave.gather_of(x, np.array([2, 0, 9], np.uint32), outside=100))\n"
        "112\n");
  m.def("strided", &strided, nb::arg("x"), nb::arg("step"),
        nb::sig("def strided(x: ArrayLike, step: int) -> LazyArray"),
        "Every `step`-th element, from the first on: x[::step].\n\n"
        ">>> clwave.inclusive_scan(clwave.strided(np.array([1, 2, 3, 4, 5], np.int32), 2))\n"
        "array([1, 4, 9], dtype=int32)\n");
  m.def("reversed", &reversed, nb::arg("x"), nb::sig("def reversed(x: ArrayLike) -> LazyArray"),
        "The elements, the last one first: x[::-1].\n\n"
        ">>> clwave.inclusive_scan(clwave.reversed(np.array([1, 2, 4], np.int32)))\n"
        "array([4, 6, 7], dtype=int32)\n");
  m.def(
      "transformed", &transformed, nb::arg("x"), nb::kw_only(), nb::arg("map"), nb::arg("dtype") = nb::none(),
      nb::sig("def transformed(*x: ArrayLike | LazyArray, map: Map | str, dtype: numpy.typing.DTypeLike | "
              "None = None) -> LazyArray"),
      "A function of one to eight inputs side by side: an expression in `x`, `y`, `z` and `w`, or in `x0` "
      "to `x7` where there are more than four, and in the index `i`. Its elements have the type of the first "
      "input, or `dtype`.\n\n"
      ">>> hours, rate = np.array([8, 2], np.float32), np.array([10, 20], np.float32)\n"
      ">>> clwave.reduce(clwave.transformed(hours, rate, map=\"x * y\"))\n"
      "120.0\n");
}

}  // namespace clwave_python
