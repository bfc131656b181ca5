// As many of an array's first elements, or of the first segments of offsets, as a number on the device says.
#include "counted.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>

#include "call.hpp"
#include "holders.hpp"
#include "lazy.hpp"
#include "module.hpp"
#include "types.hpp"

namespace clwave_python {
namespace {

PyObject* counted_class = nullptr;
PyObject* counted_segments_class = nullptr;

// Throws bad_call for what no device holds.
void check_on_device(nb::handle what, const char* name) {
  if (what.is_none() || is_numpy_array(what) || lazy_from(what) != nullptr || !nb::hasattr(what, "dtype") ||
      !nb::hasattr(what, "size"))
    refuse("`" + std::string(name) + "` is an array on the device: clwave.Array, or one such as pyopencl's");
}

// Blocks. What the number was when all that the queue held had ended.
std::uint64_t read_length(const counted_array& of) {
  const std::uint64_t most = call::size_of(of.all, "x");
  const nb::object number = of.count.attr("get")().attr("reshape")(-1)[nb::int_(0)];
  return std::min(most, nb::cast<std::uint64_t>(nb::int_(number)));
}

// Throws bad_call where `count` cannot be the number of the first of `all`, whose `parts` are counted.
void check_counted(nb::handle all, const char* name, const char* parts, nb::handle count) {
  check_on_device(all, name);
  check_on_device(count, "count");
  if (nb::hasattr(all, "ndim") && nb::cast<int>(nb::int_(nb::object(all.attr("ndim")))) != 1)
    refuse("only one-dimensional arrays have first " + std::string(parts) + "; reshape(-1) makes one");
  const std::string& type = element_of_dtype(call::dtype_of(count), "count").name;
  if (type != "u32" && type != "u64") refuse("a count is of uint32 or uint64, and not of " + type);
  const std::uint64_t n = call::size_of(count, "count");
  if (n != 1) refuse("a count is one number, and not " + std::to_string(n));
}

}  // namespace

counted_array make_counted(nb::handle all, nb::handle count) {
  check_counted(all, "x", "elements", count);
  return {nb::borrow(all), nb::borrow(count)};
}

counted_offsets make_counted_segments(nb::handle all, nb::handle count) {
  check_counted(all, "offsets", "segments", count);
  const std::string& type = element_of_dtype(call::dtype_of(all), "offsets").name;
  if (type != "u32" && type != "u64") refuse("offsets are of uint32 or uint64, and not of " + type);
  return {nb::borrow(all), nb::borrow(count)};
}

const counted_array* counted_from(nb::handle what) { return instance_of<counted_array>(what, counted_class); }

const counted_offsets* counted_segments_from(nb::handle what) {
  return instance_of<counted_offsets>(what, counted_segments_class);
}

namespace {

void register_counted_segments(nb::module_& m) {
  auto counted = nb::class_<counted_offsets>(
      m, "CountedSegments", nb::is_final(), nb::type_slots(collected<counted_offsets>()),
      "The offsets of as many of the first segments as a number on the device says when a call runs, and of "
      "all of them where it is larger: what `offsets.first_segments(count)` returns.\n\n"
      "`count` is one element of uint32 or uint64, and `offsets` an array on the device of one more than "
      "there may be segments; both may be PyOpenCL's. Calls of segments take it for `offsets`, and read one "
      "offset more than the number says; the host reads no number before. A call with it gives the bits that "
      "it gives with so many segments; elements of other segments are neither read nor written, nor are "
      "their results. `out` has room for all segments. A call without `out` blocks, and of a reduction its "
      "result has as many elements as there are segments then.\n\n"
      ">>> keys = clwave.Array.from_numpy(np.array([4, 4, 9, 9, 9], np.int32))\n"
      ">>> x = clwave.Array.from_numpy(np.arange(5, dtype=np.int32))\n"
      ">>> offsets, count = clwave.Array(6, np.uint64), clwave.Array(1, np.uint64)\n"
      ">>> found = clwave.run_offsets(keys, out=offsets, count=count)\n"
      ">>> clwave.segmented_reduce(x, offsets.first_segments(count), after=found).get()\n"
      "array([1, 9], dtype=int32)\n");
  counted_segments_class = counted.ptr();
  counted
      .def(
          "__init__",
          [](counted_offsets* self, nb::handle offsets, nb::handle count) {
            new (self) counted_offsets(make_counted_segments(offsets, count));
          },
          nb::arg("offsets"), nb::arg("count"),
          nb::sig("def __init__(self, offsets: DeviceArray, count: DeviceArray) -> None"))
      .def("__repr__",
           [](const counted_offsets& a) {
             const std::uint64_t n = call::size_of(a.all, "offsets");
             return "clwave.CountedSegments(at most " + std::to_string(n > 0 ? n - 1 : 0) + ")";
           })
      .def_prop_ro(
          "all", [](const counted_offsets& a) { return a.all; }, nb::sig("def all(self) -> DeviceArray"),
          "The array of all offsets that there may be.")
      .def_prop_ro(
          "count", [](const counted_offsets& a) { return a.count; },
          nb::sig("def count(self) -> DeviceArray"), "Where the number of segments lies.");
}

}  // namespace

void register_counted(nb::module_& m) {
  auto counted = nb::class_<counted_array>(
      m, "CountedArray", nb::is_final(), nb::type_slots(collected<counted_array>()),
      "As many of the first elements of a one-dimensional array as a number on the device says when a call "
      "runs, and all of them where it is larger: what `x.first(count)` returns.\n\n"
      "`count` is one element of uint32 or uint64, and `x` an array on the device; both may be PyOpenCL's. "
      "A call with it gives the bits that it gives with so many elements, and neither reads nor writes what "
      "lies behind them; the host reads no number before. `reduce` and `dot` take it for `x`, by operators "
      "that have an identity, which is the result of no elements, or with `start`; so do `count_if`, "
      "`minmax`, `mean_and_variance`, `transform`, `transform_to`, `transform_if`, `replace_if`, "
      "`inclusive_scan`, `exclusive_scan`, selections and runs, searches of one input, `histogram`, `top_k`, "
      "`reduce_by_key`, scans by key, and `sort`, `argsort` and `sort_by_key`, for `x` or `keys`; merges and "
      "set operations for either range; `generate` and `iota` for `out`; `gather`, `scatter`, `gather_if` "
      "and `scatter_if` for `indices`. Arrays beside it have the length of all elements. All other calls "
      "raise BadCall. A call without `out` blocks, and its result has as many "
      "elements as the number says then.\n\n"
      ">>> x = clwave.Array.from_numpy(np.array([3, -1, 2, -7], np.int32))\n"
      ">>> kept, count = clwave.Array(4, np.int32), clwave.Array(1, np.uint64)\n"
      ">>> counted = clwave.copy_if(x, \"x > 0\", out=kept, count=count)\n"
      ">>> clwave.inclusive_scan(kept.first(count), after=counted).get()\n"
      "array([3, 5], dtype=int32)\n");
  counted_class = counted.ptr();
  counted
      .def(
          "__init__",
          [](counted_array* self, nb::handle x, nb::handle count) {
            new (self) counted_array(make_counted(x, count));
          },
          nb::arg("x"), nb::arg("count"),
          nb::sig("def __init__(self, x: DeviceArray, count: DeviceArray) -> None"))
      .def(
          "get",
          [](const counted_array& a) {
            const nb::object first = a.all[nb::slice(nb::int_(0), nb::int_(read_length(a)), nb::none())];
            return nb::object(first.attr("get")());
          },
          nb::sig("def get(self) -> numpy.typing.NDArray[Any]"),
          "A NumPy array with as many elements as the number says. Blocks until the work before is done.")
      .def("__repr__",
           [](const counted_array& a) {
             return "clwave.CountedArray(at most " +
                    nb::cast<std::string>(nb::str(nb::object(a.all.attr("size")))) + ", " +
                    nb::cast<std::string>(nb::str(nb::object(a.all.attr("dtype")))) + ")";
           })
      .def_prop_ro(
          "all", [](const counted_array& a) { return a.all; }, nb::sig("def all(self) -> DeviceArray"),
          "The array of all elements that there may be.")
      .def_prop_ro(
          "count", [](const counted_array& a) { return a.count; }, nb::sig("def count(self) -> DeviceArray"),
          "Where the number of elements lies.")
      .def_prop_ro(
          "dtype", [](const counted_array& a) { return nb::object(a.all.attr("dtype")); },
          nb::sig("def dtype(self) -> numpy.dtype[Any]"));
  register_counted_segments(m);
}

}  // namespace clwave_python
