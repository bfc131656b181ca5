// Device arrays of Python.
#include <algorithm>
#include <numeric>

#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "counted.hpp"
#include "handles.hpp"
#include "streams.hpp"
#include "types.hpp"

namespace clwave_python {
namespace {

std::uint64_t count_of(const std::vector<std::size_t>& shape) {
  std::uint64_t n = 1;
  for (const std::size_t side : shape)
    if (__builtin_mul_overflow(n, static_cast<std::uint64_t>(side), &n)) refuse("the shape is too large");
  return n;
}

nb::tuple shape_of(const array& a) { return nb::tuple(nb::cast(a.shape)); }

std::shared_ptr<queue> queue_or_default(std::shared_ptr<queue> given) {
  return given ? std::move(given) : default_queue();
}

array slice_of(const array& from, nb::slice which) {
  if (from.shape.size() != 1) refuse("only one-dimensional arrays can be cut; reshape(-1) makes one");
  const auto [start, stop, step, length] = which.compute(from.n);
  static_cast<void>(stop);
  if (step != 1 && length > 1)
    refuse("a part of an array is contiguous: steps other than 1 are not possible");
  array part = from;
  part.shape = {length};
  part.n = length;
  part.offset = from.offset + static_cast<std::uint64_t>(start);
  return part;
}

array reshaped(const array& from, nb::args sides) {
  nb::object shape = sides;
  if (sides.size() == 1 && !nb::isinstance<nb::int_>(sides[0])) shape = nb::borrow(sides[0]);
  std::vector<std::size_t> made;
  std::optional<std::size_t> open;
  std::uint64_t known = 1;
  for (const nb::handle side : shape) {
    const auto n = nb::cast<long long>(side);
    if (n < 0) {
      if (open) refuse("only one side of a shape can be -1");
      open = made.size();
      made.push_back(0);
    } else {
      made.push_back(static_cast<std::size_t>(n));
      known *= static_cast<std::uint64_t>(n);
    }
  }
  if (open && known != 0) made[*open] = from.n / known;
  if (count_of(made) != from.n)
    refuse("an array of " + std::to_string(from.n) + " elements has not this shape");
  array same = from;
  same.shape = std::move(made);
  return same;
}

// Waits for what a queue holds before a command that blocks: Ctrl-C may end this wait, and not the command,
// which uses Python's memory.
void wait_for_queue(const queue& on) {
  if (on.is_idle()) return;
  cl_event marker = nullptr;
  check(clEnqueueMarkerWithWaitList(on.handle, 0, nullptr, &marker), "enqueue a marker");
  wait_for(on.handle, clwave::event(marker));
}

void set_from_numpy(const array& to, nb::handle given) {
  refuse_forked();
  const nb::object from =
      numpy().attr("ascontiguousarray")(given, nb::arg("dtype") = to.dtype).attr("reshape")(-1);
  if (nb::cast<std::uint64_t>(from.attr("size")) != to.n)
    refuse("the array has " + std::to_string(to.n) + " elements, and what it is set from others");
  if (to.n == 0) return;
  const clwave::any_view view = to.view("self");
  const std::shared_ptr<memory> held = to.bytes;  // another thread may release the array meanwhile
  wait_for_queue(*to.on);
  const nb::object bytes = as_bytes(from);
  const python_buffer host(bytes, PyBUF_SIMPLE);
  const nb::gil_scoped_release released;
  check(clEnqueueWriteBuffer(to.on->handle, view.buffer, CL_TRUE, view.offset * view.type->size,
                             view.n * view.type->size, host.view.buf, 0, nullptr, nullptr),
        "write a buffer");
}

}  // namespace

memory::memory(const queue& on, std::size_t n_bytes) {
  if (n_bytes == 0) return;
  cl_int code = CL_SUCCESS;
  handle = clCreateBuffer(on.context, CL_MEM_READ_WRITE, n_bytes, nullptr, &code);
  check(code, "make a buffer");
}

memory::~memory() {
  if (handle != nullptr && !is_forked()) clReleaseMemObject(handle);
}

clwave::any_view array::view(const char* operand) const {
  if (!bytes) refuse("`" + std::string(operand) + "` was released");
  return {bytes->handle, n, offset, type};
}

std::vector<std::size_t> shape_from(nb::handle shape) {
  const auto side = [](nb::handle number) -> std::size_t {
    const Py_ssize_t n = PyNumber_AsSsize_t(number.ptr(), PyExc_OverflowError);  // NumPy's numbers, too
    if (n == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (n < 0) refuse("the sides of a shape are not negative");
    return static_cast<std::size_t>(n);
  };
  if (PyIndex_Check(shape.ptr())) return {side(shape)};
  std::vector<std::size_t> sides;
  for (const nb::handle each : shape) sides.push_back(side(each));
  return sides;
}

array make_array(std::shared_ptr<queue> on, std::vector<std::size_t> shape, nb::object dtype) {
  refuse_forked();
  array made;
  made.type = &element_of_dtype(dtype, "dtype");
  made.n = count_of(shape);
  std::uint64_t n_bytes = 0;
  if (__builtin_mul_overflow(made.n, std::uint64_t{made.type->size}, &n_bytes))
    refuse("the shape is too large");
  made.bytes = std::make_shared<memory>(*on, n_bytes);
  made.on = std::move(on);
  made.dtype = std::move(dtype);
  made.shape = std::move(shape);
  return made;
}

array array_from_numpy(std::shared_ptr<queue> on, nb::handle numpy_array) {
  auto shape = nb::cast<std::vector<std::size_t>>(numpy_array.attr("shape"));
  nb::object dtype = nb::object(numpy_array.attr("dtype"));
  if (!nb::cast<bool>(dtype.attr("isnative")))
    refuse("the array's bytes have another order than this machine's");
  array made = make_array(std::move(on), std::move(shape), std::move(dtype));
  set_from_numpy(made, numpy_array);
  return made;
}

nb::object array_to_numpy(const array& from) {
  refuse_forked();
  nb::object made = numpy().attr("empty")(shape_of(from), nb::arg("dtype") = from.dtype);
  const clwave::any_view view = from.view("self");
  if (view.n == 0) return made;
  const std::shared_ptr<memory> held = from.bytes;  // another thread may release the array meanwhile
  wait_for_queue(*from.on);
  const nb::object bytes = as_bytes(made);
  const python_buffer host(bytes, PyBUF_WRITABLE);
  const nb::gil_scoped_release released;
  check(clEnqueueReadBuffer(from.on->handle, view.buffer, CL_TRUE, view.offset * view.type->size,
                            view.n * view.type->size, host.view.buf, 0, nullptr, nullptr),
        "read a buffer");
  return made;
}

void register_array(nb::module_& m) {
  nb::class_<array>(m, "Array",
                    "Elements in a device's memory, which the array owns.\n\n"
                    ">>> x = clwave.Array.from_numpy(np.arange(6, dtype=np.float32))\n"
                    ">>> x.shape, str(x.dtype), x.nbytes\n"
                    "((6,), 'float32', 24)\n"
                    ">>> x[2:4].get()\n"
                    "array([2., 3.], dtype=float32)\n")
      .def(
          "__init__",
          [](array* self, nb::object shape, nb::object dtype, std::shared_ptr<queue> queue) {
            new (self)
                array(make_array(queue_or_default(std::move(queue)), shape_from(shape), dtype_from(dtype)));
          },
          nb::arg("shape"), nb::arg("dtype"), nb::kw_only(), nb::arg("queue").none() = nb::none(),
          nb::sig("def __init__(self, shape: int | Sequence[int], dtype: numpy.typing.DTypeLike, *, queue: "
                  "Queue | None "
                  "= None) -> None"),
          "An array whose elements have no values yet.")
      .def_static(
          "from_numpy",
          [](nb::object from, std::shared_ptr<queue> queue) {
            return array_from_numpy(queue_or_default(std::move(queue)), numpy().attr("asarray")(from));
          },
          nb::arg("array"), nb::kw_only(), nb::arg("queue").none() = nb::none(),
          nb::sig("def from_numpy(array: numpy.typing.ArrayLike, *, queue: Queue | None = None) -> Array"),
          "A copy of a NumPy array on the device. Blocks.")
      .def("get", &array_to_numpy, nb::sig("def get(self) -> numpy.typing.NDArray[Any]"),
           "A NumPy array with the elements, once all that the queue holds is done. Blocks.")
      .def("set", &set_from_numpy, nb::arg("array"),
           nb::sig("def set(self, array: numpy.typing.ArrayLike) -> None"),
           "Copies a NumPy array of as many elements here. Blocks.")
      .def(
          "__array__",
          [](const array& a, nb::object dtype, nb::object) {
            nb::object all = array_to_numpy(a);
            return dtype.is_none() ? all : nb::object(all.attr("astype")(dtype));
          },
          nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
          nb::sig("def __array__(self, dtype: Any = None, copy: Any = None) -> numpy.typing.NDArray[Any]"))
      .def("__len__",
           [](const array& a) {
             if (a.shape.empty()) throw nb::type_error("an array without dimensions has no length");
             return a.shape[0];
           })
      .def("__getitem__", &slice_of, nb::arg("which"),
           nb::sig("def __getitem__(self, which: slice) -> Array"),
           "A part of a one-dimensional array, which shares its memory.")
      .def("reshape", &reshaped, nb::sig("def reshape(self, *shape: int | Sequence[int]) -> Array"),
           "The same elements, which share the memory, in another shape.")
      .def(
          "first", [](nb::handle self, nb::handle count) { return make_counted(self, count); },
          nb::arg("count"), nb::sig("def first(self, count: DeviceArray) -> CountedArray"),
          "As many of the first elements as a number on the device says when a call runs, and all of them "
          "where it is larger: a CountedArray, which says what calls take it. `count` is one element of "
          "uint32 or uint64. The array has one dimension.")
      .def(
          "first_segments",
          [](nb::handle self, nb::handle count) { return make_counted_segments(self, count); },
          nb::arg("count"), nb::sig("def first_segments(self, count: DeviceArray) -> CountedSegments"),
          "Of offsets: as many of the first segments as a number on the device says when a call runs, and "
          "all of them where it is larger: a CountedSegments, which says what calls take it. `count` is one "
          "element of uint32 or uint64. The array has one dimension, and one more element than there may be "
          "segments.")
      .def(
          "release", [](array& a) { a.bytes.reset(); },
          "Frees the memory, unless a part or another shape of it is still there.")
      .def("__repr__",
           [](const array& a) {
             return "clwave.Array(" + nb::cast<std::string>(nb::repr(shape_of(a))) + ", " +
                    nb::cast<std::string>(nb::str(a.dtype)) + (a.bytes ? ")" : ", released)");
           })
      .def_prop_ro("shape", &shape_of, nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro("ndim", [](const array& a) { return a.shape.size(); })
      .def_prop_ro(
          "size", [](const array& a) { return a.n; }, "How many elements there are.")
      .def_prop_ro("nbytes", [](const array& a) { return a.n * a.type->size; })
      .def_prop_ro(
          "dtype", [](const array& a) { return a.dtype; }, nb::sig("def dtype(self) -> numpy.dtype[Any]"))
      .def_prop_ro(
          "queue", [](const array& a) { return a.on; }, nb::sig("def queue(self) -> Queue"),
          "The queue that calls with the array go to, unless they are given another one.")
      .def_prop_ro(
          "offset", [](const array& a) { return a.offset * a.type->size; },
          "Of the first element in its buffer, in bytes.")
      .def_prop_ro(
          "int_ptr", [](const array& a) { return reinterpret_cast<std::uintptr_t>(a.view("self").buffer); },
          "The cl_mem as a number, for `pyopencl.Buffer.from_int_ptr`.");
}

}  // namespace clwave_python
