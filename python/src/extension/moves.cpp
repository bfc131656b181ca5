// Copies, also of ranges, fills, gathers, reversals and histograms of Python.
#include <clwave/copy.hpp>
#include <clwave/gather.hpp>
#include <clwave/histogram.hpp>
#include <clwave/host_array_histogram.hpp>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"
#include "streams.hpp"

namespace clwave_python {
namespace {

nb::object copy(nb::handle x, nb::handle dtype, bool saturate, nb::handle out, nb::handle queue,
                nb::handle after) {
  call on(queue, after, {x, out});
  clwave::copy_problem asked{.in = on.in(x, "x"), .saturate = saturate};
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) { return clwave::copy(q, p, o); };
  if (!out.is_none() && !dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
  return on.into(out, asked, asked.out, enqueue, [&] {
    return on.make_like(x, asked.in.n, dtype.is_none() ? call::dtype_of(x) : dtype_from(dtype), "out");
  });
}

nb::object fill(nb::handle out, nb::handle value, nb::handle queue, nb::handle after) {
  call on(queue, after, {out});
  const std::vector<unsigned char> bytes = bytes_of_value(value, call::dtype_of(out));
  clwave::fill_problem asked{.out = on.out(out, "out"), .value = bytes.data()};
  return on.event(
      on.run(asked, [](cl_command_queue q, const auto& p, const auto& o) { return clwave::fill(q, p, o); }));
}

nb::object copy_ranges(nb::handle x, nb::handle starts, nb::handle lengths, nb::handle out,
                       nb::handle out_starts, bool checked, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, starts, lengths, out, out_starts});
  clwave::copy_ranges_problem asked{.in = on.in(x, "x"),
                                    .starts = as_unsigned(on.in(starts, "starts")),
                                    .lengths = as_unsigned(on.in(lengths, "lengths")),
                                    .out = on.out(out, "out"),
                                    .out_starts = as_unsigned(on.in(out_starts, "out_starts"))};
  if (checked) asked.bad = on.scratch(1, "uint64");
  const clwave::event end = on.run(
      asked, [](cl_command_queue q, const auto& p, const auto& o) { return clwave::copy_ranges(q, p, o); });
  if (checked) {
    const std::uint64_t bad = on.read_count(end, *asked.bad);
    if (bad != 0)
      refuse(std::to_string(bad) + " of " + std::to_string(asked.starts.n) + " ranges leave `x`, which has " +
             std::to_string(asked.in.n) + " elements, or `out`, which has " + std::to_string(asked.out.n));
  }
  return on.event(end);
}

const auto enqueue_gather = [](cl_command_queue q, const clwave::gather_problem& p,
                               const clwave::launch_options& o) { return clwave::gather(q, p, o); };

nb::object gather(nb::handle x, nb::handle indices, nb::handle map, nb::handle outside, nb::handle dtype,
                  bool checked, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, indices, out});
  clwave::gather_problem asked{.in = on.in(x, "x"),
                               .indices = as_unsigned(on.counted_in(indices, "indices"))};
  if (!out.is_none() && !dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
  const nb::object made_dtype = !out.is_none()    ? call::dtype_of(out)
                                : dtype.is_none() ? call::dtype_of(x)
                                                  : dtype_from(dtype);
  std::vector<unsigned char> value;
  if (!outside.is_none()) value = bytes_of_value(outside, made_dtype);
  if (!value.empty()) asked.outside = value.data();
  call::result made;
  if (!out.is_none()) {
    asked.out = on.out(out, "out");
  } else {
    made = on.make_like(indices, asked.indices.n, made_dtype, "out");
    asked.out = made.view;
  }
  const map_argument apply(map, on, "map");
  asked.apply = apply;
  if (asked.apply == nullptr && asked.in.type != asked.out.type) asked.apply = &clwave::identity;
  if (!out.is_none()) return on.event(on.run(asked, enqueue_gather));
  if (checked) asked.bad = on.scratch(1, "uint64");
  const clwave::event end = on.run(asked, enqueue_gather);
  if (checked) {
    const std::uint64_t bad = on.read_count(end, *asked.bad);
    if (bad != 0)
      refuse(std::to_string(bad) + " indices are outside of `x`, which has " + std::to_string(asked.in.n) +
             " elements");
  }
  return on.value(end, made);
}

nb::object scatter(nb::handle x, nb::handle indices, nb::handle out, nb::handle map, bool distinct,
                   nb::handle queue, nb::handle after) {
  call on(queue, after, {x, indices, out});
  clwave::gather_problem asked{.in = on.in(x, "x"),
                               .indices = as_unsigned(on.counted_in(indices, "indices")),
                               .out = on.out(out, "out"),
                               .scatter = true};
  asked.distinct = distinct;
  const map_argument apply(map, on, "map");
  asked.apply = apply;
  if (asked.apply == nullptr && asked.in.type != asked.out.type) asked.apply = &clwave::identity;
  return on.event(on.run(asked, enqueue_gather));
}

// The flags of a call, and the predicate over them, which lives as long as the call.
void put_flags(call& on, clwave::gather_problem& asked, nb::handle flags, const map_argument& predicate) {
  if (flags.is_none()) refuse("`flags` is needed, and not None");
  asked.flags = on.in(flags, "flags");
  asked.predicate = predicate;
}

nb::object gather_if(nb::handle x, nb::handle indices, nb::handle flags, nb::handle out, nb::handle predicate,
                     nb::handle outside, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, indices, flags, out});
  clwave::gather_problem asked{.in = on.in(x, "x"),
                               .indices = as_unsigned(on.counted_in(indices, "indices")),
                               .out = on.out(out, "out")};
  const map_argument over_flags(predicate, on, "predicate");
  put_flags(on, asked, flags, over_flags);
  std::vector<unsigned char> value;
  if (!outside.is_none()) value = bytes_of_value(outside, call::dtype_of(out));
  if (!value.empty()) asked.outside = value.data();
  return on.event(on.run(asked, enqueue_gather));
}

nb::object scatter_if(nb::handle x, nb::handle indices, nb::handle flags, nb::handle out,
                      nb::handle predicate, bool distinct, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, indices, flags, out});
  clwave::gather_problem asked{.in = on.in(x, "x"),
                               .indices = as_unsigned(on.counted_in(indices, "indices")),
                               .out = on.out(out, "out"),
                               .scatter = true};
  asked.distinct = distinct;
  const map_argument over_flags(predicate, on, "predicate");
  put_flags(on, asked, flags, over_flags);
  return on.event(on.run(asked, enqueue_gather));
}

// Completes the problem, whose output is `out` or is made, and enqueues it.
nb::object reordered(call& on, clwave::reorder_problem& asked, nb::handle x, nb::handle out) {
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::reorder(q, p, o);
  };
  return on.into(out, asked, asked.out, enqueue,
                 [&] { return on.make_like(x, asked.in.n, call::dtype_of(x), "out"); });
}

nb::object reverse(nb::handle x, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  clwave::reorder_problem asked{.in = on.in(x, "x")};
  return reordered(on, asked, x, out);
}

nb::object rotate(nb::handle x, std::uint64_t first, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  clwave::reorder_problem asked{.in = on.in(x, "x"), .rotate = true, .first = first};
  return reordered(on, asked, x, out);
}

nb::object histogram(nb::handle x, nb::handle bins, nb::handle range, unsigned channels, nb::handle out,
                     nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  std::atomic<bool> stopped = false;
  std::optional<host_input> streamed;
  // Edges on the device are those of one call there.
  if (out.is_none() && is_streamed(x) && !nb::isinstance<array>(bins)) streamed.emplace(on, x, "x", stopped);
  clwave::histogram_problem asked{.in = streamed ? streamed->shape() : on.counted_in(x, "x")};
  asked.channels = channels;
  if (channels < 1 || channels > 4) refuse("`channels` is 1 to 4");
  std::uint64_t n_bins = 0;
  nb::object edges;
  if (PyIndex_Check(bins.ptr()) && !is_numpy_array(bins)) {
    const nb::object both = nb::borrow(range);
    if (range.is_none() || !PyTuple_Check(range.ptr()) || nb::len(both) != 2)
      refuse("even bins take `range`, a pair: the first edge and the last one");
    n_bins = nb::cast<std::uint64_t>(nb::steal(PyNumber_Index(bins.ptr())));
    const auto edge = [](nb::handle number) {
      return PyLong_CheckExact(number.ptr()) ? clwave::bound(nb::cast<std::int64_t>(number))
                                             : clwave::bound(nb::cast<double>(nb::float_(number)));
    };
    asked.bounds = clwave::even{edge(both[0]), edge(both[1])};
  } else if (!range.is_none()) {
    refuse("`range` goes with a number of bins; edges say it themselves");
  } else if (nb::isinstance<array>(bins)) {
    asked.edges = on.in(bins, "bins");
    n_bins = asked.edges->n == 0 ? 0 : asked.edges->n - 1;
  } else {
    edges = numpy().attr("ascontiguousarray")(bins);
    const auto n_edges = nb::cast<std::uint64_t>(edges.attr("size"));
    asked.host = clwave::host_edges{
        reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(edges.attr("ctypes").attr("data"))), n_edges,
        &element_of_dtype(edges.attr("dtype"), "bins")};
    n_bins = n_edges == 0 ? 0 : n_edges - 1;
  }
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::histogram(q, p, o);
  };
  if (!out.is_none()) {
    asked.counts = on.out(out, "out");
    return on.event(on.run(asked, enqueue));
  }
  if (streamed && !planning) {
    const nb::object made =
        numpy().attr("empty")(n_bins * channels, nb::arg("dtype") = dtype_named("uint64"));
    const python_buffer counts(made, PyBUF_WRITABLE);
    const cl_command_queue over = on.queue();
    run_streamed(on, stopped, [&] {
      clwave::detail::histogram_host_array({.queues = {&over, 1},
                                            .in = &streamed->elements(),
                                            .counts = counts.view.buf,
                                            .n_counts = n_bins * channels,
                                            .count_type = &clwave::element_of<std::uint64_t>(),
                                            .bins = asked.bounds,
                                            .edges = asked.host,
                                            .channels = channels});
    });
    return made;
  }
  const call::result made = on.make(n_bins * channels, dtype_named("uint64"), "out");
  asked.counts = made.view;
  on.wait(on.run(asked, enqueue));
  return on.finished(made, made.view.n);
}

}  // namespace

void register_moves(nb::module_& m) {
  m.def("copy", &copy, nb::arg("x"), nb::kw_only(), nb::arg("dtype") = nb::none(),
        nb::arg("saturate") = false, CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def copy(x: ArrayLike, *, dtype: numpy.typing.DTypeLike | None = None, saturate: bool = "
                "False, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "A copy, converted to `dtype` or to the type of `out`. Integers wrap, or with `saturate` become the "
        "nearest of "
        "the type; a float outside an integer's range becomes the nearest inside.\n\n"
        ">>> clwave.copy(np.array([1.5, 300], np.float32), dtype=np.uint8)\n"
        "array([  1, 255], dtype=uint8)\n");
  m.def(
      "copy_ranges", &copy_ranges, nb::arg("x"), nb::arg("starts"), nb::arg("lengths"), nb::arg("out"),
      nb::arg("out_starts"), nb::kw_only(), nb::arg("checked") = false, CLWAVE_PYTHON_LAUNCH,
      nb::sig("def copy_ranges(x: ArrayLike, starts: ArrayLike, lengths: ArrayLike, out: DeviceArray, "
              "out_starts: ArrayLike, *, checked: bool = False, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
      "out[out_starts[k] : out_starts[k] + lengths[k]] = x[starts[k] : starts[k] + lengths[k]] for each k. "
      "Starts and lengths have 32 or 64 bits, all three the same. A range that leaves `x` or `out`, also by "
      "a negative number, is left out; with `checked` the call waits, and raises BadCall where there is "
      "one. Where several come to one element of `out`, it is that of one of them; `out` overlaps nothing "
      "else. Returns an Event.\n\n"
      ">>> out = clwave.Array.from_numpy(np.zeros(5, np.int32))\n"
      ">>> starts, lengths, to = np.array([2, 0]), np.array([1, 2]), np.array([0, 3])\n"
      ">>> clwave.copy_ranges(np.array([5, 6, 7], np.int32), starts, lengths, out, to).wait()\n"
      ">>> out.get()\n"
      "array([7, 0, 0, 5, 6], dtype=int32)\n");
  m.def("fill", &fill, nb::arg("out"), nb::arg("value"), nb::kw_only(), CLWAVE_PYTHON_LAUNCH,
        nb::sig("def fill(out: DeviceArray, value: Any, *, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
        "Sets all elements to a value. Returns an Event.\n\n"
        ">>> x = clwave.Array(2, np.int32)\n"
        ">>> clwave.fill(x, 7).wait()\n"
        ">>> x.get()\n"
        "array([7, 7], dtype=int32)\n");
  m.def("gather", &gather, nb::arg("x"), nb::arg("indices"), nb::kw_only(), nb::arg("map") = nb::none(),
        nb::arg("outside") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("checked") = false,
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig(
            "def gather(x: ArrayLike, indices: ArrayLike | CountedArray, *, map: Map | str | None = None, "
            "outside: Any = "
            "None, dtype: "
            "numpy.typing.DTypeLike | None = None, checked: bool = False, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES
            ") -> Any"),
        "x[indices]. An index outside, negative ones among them, gives `outside`, or zero bytes; with "
        "`checked` and "
        "without `out` it raises BadCall. Indices have 32 or 64 bits.\n\n"
        ">>> clwave.gather(np.array([5, 6, 7], np.int32), np.array([2, 0], np.uint32))\n"
        "array([7, 5], dtype=int32)\n");
  m.def("scatter", &scatter, nb::arg("x"), nb::arg("indices"), nb::arg("out"), nb::kw_only(),
        nb::arg("map") = nb::none(), nb::arg("distinct") = false, CLWAVE_PYTHON_LAUNCH,
        nb::sig("def scatter(x: ArrayLike, indices: ArrayLike | CountedArray, out: DeviceArray, *, map: Map "
                "| str | None = "
                "None, distinct: bool = "
                "False, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
        "out[indices] = x; an index outside is left out. Of equal indices one of the elements is stored. "
        "Returns an Event.\n\n"
        ">>> out = clwave.Array.from_numpy(np.zeros(3, np.int32))\n"
        ">>> clwave.scatter(np.array([8, 9], np.int32), np.array([2, 0], np.uint32), out).wait()\n"
        ">>> out.get()\n"
        "array([9, 0, 8], dtype=int32)\n");
  m.def(
      "gather_if", &gather_if, nb::arg("x"), nb::arg("indices"), nb::arg("flags"), nb::arg("out"),
      nb::kw_only(), nb::arg("predicate") = nb::none(), nb::arg("outside") = nb::none(), CLWAVE_PYTHON_LAUNCH,
      nb::sig("def gather_if(x: ArrayLike, indices: ArrayLike | CountedArray, flags: ArrayLike, out: "
              "DeviceArray, *, predicate: Map | str | None = None, outside: Any = "
              "None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
      "out[i] = x[indices[i]] where flags[i] is not 0, or where an expression in the flag `x` (and its "
      "number `i`) is true; all other elements keep their values. Flags are as many as indices, integers or "
      "bool, and with `predicate` of any type. An index of 32 or 64 bits that is outside, negative ones "
      "among them, gives `outside`, or zero bytes. `out` overlaps no input. Returns an Event.\n\n"
      ">>> out = clwave.Array.from_numpy(np.array([1, 1, 1], np.int32))\n"
      ">>> x, indices, flags = np.array([5, 6, 7], np.int32), np.array([2, 1, 0], np.uint32), [True, False, "
      "True]\n"
      ">>> clwave.gather_if(x, indices, np.array(flags), out).wait()\n"
      ">>> out.get()\n"
      "array([7, 1, 5], dtype=int32)\n");
  m.def("scatter_if", &scatter_if, nb::arg("x"), nb::arg("indices"), nb::arg("flags"), nb::arg("out"),
        nb::kw_only(), nb::arg("predicate") = nb::none(), nb::arg("distinct") = false, CLWAVE_PYTHON_LAUNCH,
        nb::sig("def scatter_if(x: ArrayLike, indices: ArrayLike | CountedArray, flags: ArrayLike, out: "
                "DeviceArray, *, predicate: Map | str | None = None, distinct: bool = "
                "False, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
        "out[indices[i]] = x[i] where flags[i] is not 0, or where an expression in the flag `x` (and its "
        "number `i`) is true; nothing else is written. Flags are as many as indices, integers or bool, and "
        "with `predicate` of any type. An index of 32 or 64 bits that is outside `out`, negative ones among "
        "them, writes nothing. Of equal indices one of their elements stands, and which one is not promised. "
        "`out` overlaps no input. Returns an Event.\n\n"
        ">>> out = clwave.Array.from_numpy(np.zeros(3, np.int32))\n"
        ">>> x, indices = np.array([8, -9, 3], np.int32), np.array([2, 0, 1], np.uint32)\n"
        ">>> clwave.scatter_if(x, indices, x, out, predicate=\"x > 0\").wait()\n"
        ">>> out.get()\n"
        "array([0, 3, 8], dtype=int32)\n");
  m.def("reverse", &reverse, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def reverse(x: ArrayLike, *, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "The elements in the opposite order, of any type. `out` may not overlap `x`.\n\n"
        ">>> clwave.reverse(np.array([5, 6, 7], np.int32))\n"
        "array([7, 6, 5], dtype=int32)\n");
  m.def("rotate", &rotate, nb::arg("x"), nb::arg("first"), nb::kw_only(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def rotate(x: ArrayLike, first: int, *, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "x[first:] and x[:first] behind it: element `first`, less than the number of elements, becomes the "
        "first one. `out` may not overlap `x`. Another `first` builds nothing.\n\n"
        ">>> clwave.rotate(np.array([5, 6, 7], np.int32), 1)\n"
        "array([6, 7, 5], dtype=int32)\n");
  m.def("histogram", &histogram, nb::arg("x"), nb::arg("bins"), nb::arg("range") = nb::none(), nb::kw_only(),
        nb::arg("channels") = 1, CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def histogram(x: Input, bins: int | ArrayLike, range: tuple[float, "
                "float] | None = "
                "None, *, channels: int = 1, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "How many elements lie in each bin, as uint64: a number of even bins in `range`, or bins between "
        "edges. The last "
        "edge is not in its bin. A NumPy array of 32 MiB or more passes through the device in pieces. With "
        "`channels` elements lie as those of pixels do, and each channel has "
        "its own counts, "
        "one channel's behind the other's.\n\n"
        ">>> clwave.histogram(np.array([0, 1, 1, 3], np.int32), 4, (0, 4))\n"
        "array([1, 2, 0, 1], dtype=uint64)\n");
}

}  // namespace clwave_python
