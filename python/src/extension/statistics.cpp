// Counts, both ends and moments of Python: of all elements, and the latter two of rows, columns and segments.
#include <clwave/statistics.hpp>

#include <cstring>
#include <map>
#include <string>
#include <utility>

#include <clwave/reduce_columns.hpp>
#include <clwave/reduce_rows.hpp>
#include <clwave/segmented_reduce.hpp>

#include "arguments.hpp"
#include "call.hpp"
#include "fold_input.hpp"
#include "module.hpp"
#include "values.hpp"

namespace clwave_python {
namespace {

// What folds elements to a structure. Made once for each type: problems that are prepared keep it.
struct statistic {
  clwave::element type;
  clwave::op fold;
  clwave::map lift;
  const clwave::element* of;  // the numbers in the structure
};

bool is_stored_float(const clwave::element& type) {
  return type.kind == clwave::element_kind::half_storage ||
         type.kind == clwave::element_kind::bfloat16_storage;
}

void check_number(const clwave::element& type, const char* call) {
  using kind = clwave::element_kind;
  const bool is_number =
      type.components == 1 && (type.kind == kind::signed_integer || type.kind == kind::unsigned_integer ||
                               type.kind == kind::floating || is_stored_float(type));
  if (!is_number) refuse(std::string(call) + " takes numbers, and no elements of type " + type.name);
}

template <class Make>
const statistic& statistic_of(std::map<const clwave::element*, statistic>& all, const clwave::element& of,
                              const Make& make) {
  const auto found = all.find(&of);
  return found != all.end() ? found->second : all.emplace(&of, make(of)).first->second;
}

// What a call finds: which structure of which elements, and the dtype of the results.
struct minmax_kind {
  static constexpr const char* name = "minmax";
  static const statistic& of(const clwave::element& in, nb::handle dtype) {
    if (!dtype.is_none()) refuse("minmax has no `dtype`: it is that of the elements");
    check_number(in, name);
    static auto& all = *new std::map<const clwave::element*, statistic>;  // guarded by the GIL
    return statistic_of(
        all, is_stored_float(in) ? clwave::element_of<float>() : in, [](const clwave::element& value) {
          return statistic{clwave::detail::min_and_max_element(value), clwave::detail::minmax_op(value),
                           clwave::detail::minmax_map(value), &value};
        });
  }
  // The dtype object of the structure, for elements of a dtype.
  static nb::object result_dtype(const statistic&, nb::handle own) {
    return nb::module_::import_("clwave._statistics").attr("minmax_dtype")(own);
  }
  static nb::object value(const unsigned char* bytes, const statistic& how, nb::handle own) {
    return nb::make_tuple(value_of_bytes(bytes, *how.of, own),
                          value_of_bytes(bytes + how.of->size, *how.of, own));
  }
};

struct moments_kind {
  static constexpr const char* name = "mean_and_variance";
  static const statistic& of(const clwave::element& in, nb::handle dtype) {
    check_number(in, name);
    const clwave::element* value = in.size > 4 || (in.size == 4 && in.kind != clwave::element_kind::floating)
                                       ? &clwave::element_of<double>()
                                       : &clwave::element_of<float>();
    if (!dtype.is_none()) value = &element_of_dtype(dtype_from(dtype), "dtype");
    if (value != &clwave::element_of<double>() && value != &clwave::element_of<float>())
      refuse("moments are of float32 or of float64, and not of " + value->name);
    static auto& all = *new std::map<const clwave::element*, statistic>;  // guarded by the GIL
    return statistic_of(all, *value, [](const clwave::element& of) {
      return statistic{clwave::detail::moments_element(of), clwave::detail::moments_op(of),
                       clwave::detail::moments_map(of), &of};
    });
  }
  static nb::object result_dtype(const statistic& how, nb::handle) {
    return nb::module_::import_("clwave._statistics")
        .attr("moments_dtype")(dtype_named(how.of->size == 8 ? "float64" : "float32"));
  }
  static nb::object value(const unsigned char* bytes, const statistic& how, nb::handle own) {
    static PyObject* const made =
        nb::object(nb::module_::import_("clwave._statistics").attr("Moments")).release().ptr();
    std::uint64_t n = 0;
    std::memcpy(&n, bytes, sizeof n);
    return nb::handle(made)(n, value_of_bytes(bytes + 8, *how.of, own),
                            value_of_bytes(bytes + 8 + how.of->size, *how.of, own));
  }
};

// The statistic that an output is of: moments say by their dtype what they are computed in.
template <class Kind>
const statistic& statistic_of_output(const clwave::element& in, nb::handle own, nb::handle out,
                                     nb::handle dtype) {
  if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
  const nb::object given = call::dtype_of(out);
  nb::object computed_in = nb::none();
  if constexpr (std::is_same_v<Kind, moments_kind>) {
    if (nb::cast<std::size_t>(given.attr("itemsize")) == sizeof(clwave::moments<float>))
      computed_in = dtype_named("float32");
    else
      computed_in = dtype_named("float64");
  }
  const statistic& how = Kind::of(in, computed_in);
  const nb::object wanted = Kind::result_dtype(how, own);
  if (!given.equal(wanted))
    refuse("`out` of " + std::string(Kind::name) + " has elements of " +
           nb::cast<std::string>(nb::str(wanted)) + ", and not of " + nb::cast<std::string>(nb::str(given)));
  return how;
}

// The view with the structure's own description: Python's dtype has another name in texts.
clwave::any_view as_statistic(clwave::any_view view, const statistic& how) {
  view.type = &how.type;
  return view;
}

template <class Kind, bool Later>
nb::object of_all(nb::handle x, nb::handle dtype, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  fold_input inputs(on, x, nb::none(), Later || !out.is_none());
  const nb::object own = call::dtype_of(x);
  const statistic& how = out.is_none() ? Kind::of(*inputs.in.type, dtype)
                                       : statistic_of_output<Kind>(*inputs.in.type, own, out, dtype);
  clwave::reduce_problem asked{
      .in = inputs.in, .accumulator = &how.type, .fold = &how.fold, .apply = &how.lift};
  if (!out.is_none()) {
    asked.out = as_statistic(on.out(out, "out"), how);
    return on.event(on.run(
        asked, [](cl_command_queue q, const auto& p, const auto& o) { return clwave::reduce(q, p, o); }));
  }
  return inputs.give(asked, how.type, Later,
                     [&how, own](const unsigned char* bytes) { return Kind::value(bytes, how, own); });
}

template <bool Later>
nb::object minmax(nb::handle x, nb::handle out, nb::handle queue, nb::handle after) {
  return of_all<minmax_kind, Later>(x, nb::none(), out, queue, after);
}
nb::object minmax_async(nb::handle x, nb::handle queue, nb::handle after) {
  return of_all<minmax_kind, true>(x, nb::none(), nb::none(), queue, after);
}
nb::object mean_and_variance(nb::handle x, nb::handle dtype, nb::handle out, nb::handle queue,
                             nb::handle after) {
  return of_all<moments_kind, false>(x, dtype, out, queue, after);
}
nb::object mean_and_variance_async(nb::handle x, nb::handle dtype, nb::handle queue, nb::handle after) {
  return of_all<moments_kind, true>(x, dtype, nb::none(), queue, after);
}

template <bool Later>
nb::object count_matches(nb::handle x, nb::handle predicate, nb::handle y, nb::handle out, nb::handle queue,
                         nb::handle after) {
  call on(queue, after, {x, y, out});
  clwave::reduce_problem asked{.in = on.counted_in(x, "x"),
                               .accumulator = &clwave::element_of<std::uint64_t>(),
                               .in2 = on.in_if_any(y, "y"),
                               .counts = true};
  if (!out.is_none()) asked.out = on.out(out, "out");
  const map_argument given(predicate, on, "predicate");
  asked.apply = given;
  if (asked.apply == nullptr) refuse("`predicate` is needed, and not None");
  if (!out.is_none())
    return on.event(on.run(
        asked, [](cl_command_queue q, const auto& p, const auto& o) { return clwave::reduce(q, p, o); }));
  const auto value = [](const unsigned char* bytes) {
    std::uint64_t n = 0;
    std::memcpy(&n, bytes, sizeof n);
    return nb::object(nb::int_(n));
  };
  if (Later) return future_of_call(on, asked, sizeof(std::uint64_t), value);
  return value(bytes_of_call(on, asked, sizeof(std::uint64_t)).data());
}
nb::object count_if_async(nb::handle x, nb::handle predicate, nb::handle y, nb::handle queue,
                          nb::handle after) {
  return count_matches<true>(x, predicate, y, nb::none(), queue, after);
}

// Completes the problem of a call with several results, whose output is `out` or is made, and enqueues it.
template <class Kind, class Problem, class Finish>
nb::object of_parts(call& on, Problem& asked, nb::handle x, std::uint64_t n, nb::handle dtype, nb::handle out,
                    const Finish& finish) {
  const nb::object own = call::dtype_of(x);
  const statistic& how = out.is_none() ? Kind::of(*asked.in.type, dtype)
                                       : statistic_of_output<Kind>(*asked.in.type, own, out, dtype);
  asked.fold = &how.fold;
  asked.apply = &how.lift;
  call::result made;
  if (out.is_none()) made = on.make(n, Kind::result_dtype(how, own), "out");
  asked.out = as_statistic(out.is_none() ? made.view : on.out(out, "out"), how);
  return finish(made);
}

template <class Kind, class Problem, bool Rows>
nb::object of_lines(nb::handle x, nb::handle shape, nb::handle dtype, nb::handle out, nb::handle queue,
                    nb::handle after) {
  call on(queue, after, {x, out});
  Problem asked{.in = on.in(x, "x"), .size = matrices_from(x, shape)};
  const std::uint64_t lines = (Rows ? asked.size.rows : asked.size.columns) * asked.size.batch;
  return of_parts<Kind>(on, asked, x, lines, dtype, out, [&](const call::result& made) {
    const clwave::event end =
        on.run(asked, [](cl_command_queue q, const Problem& p, const clwave::launch_options& o) {
          if constexpr (Rows)
            return clwave::reduce_rows(q, p, o);
          else
            return clwave::reduce_columns(q, p, o);
        });
    return out.is_none() ? on.value(end, made) : on.event(end);
  });
}
template <class Problem, bool Rows>
nb::object minmax_lines(nb::handle x, nb::handle shape, nb::handle out, nb::handle queue, nb::handle after) {
  return of_lines<minmax_kind, Problem, Rows>(x, shape, nb::none(), out, queue, after);
}

template <class Kind>
nb::object of_segments(nb::handle x, nb::handle offsets, nb::handle dtype, nb::handle out, nb::handle queue,
                       nb::handle after) {
  call on(queue, after, {x, offsets, out});
  clwave::segmented_reduce_problem asked{.in = on.in(x, "x"), .offsets = on.offsets_in(offsets)};
  if (asked.offsets.n == 0)
    refuse("`offsets` has one more element than there are segments, and at least one");
  return of_parts<Kind>(on, asked, x, asked.offsets.n - 1, dtype, out, [&](const call::result& made) {
    const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
      return clwave::segmented_reduce(q, p, o);
    };
    if (!out.is_none()) return on.event(on.run(asked, enqueue));
    asked.bad = on.scratch(1, "uint64");
    const std::uint64_t bad = on.read_count(on.run(asked, enqueue), *asked.bad);
    if (bad != 0) refuse(std::to_string(bad) + " segments end before they begin, or past the input");
    return on.finished(made, on.segments_of(asked.offsets));
  });
}
nb::object segmented_minmax(nb::handle x, nb::handle offsets, nb::handle out, nb::handle queue,
                            nb::handle after) {
  return of_segments<minmax_kind>(x, offsets, nb::none(), out, queue, after);
}

}  // namespace

#define CLWAVE_PYTHON_DTYPE "dtype: numpy.typing.DTypeLike | None = None, "
#define CLWAVE_PYTHON_SHAPE "shape: Sequence[int] | None = None, "

void register_statistics(nb::module_& m) {
  m.def("count_if", &count_matches<false>, nb::arg("x"), nb::arg("predicate"), nb::kw_only(),
        nb::arg("y") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def count_if(x: Input, predicate: Map | str, *, y: ArrayLike | None = "
                "None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "For how many elements an expression in `x` (and the index `i`; with a second input in `y`, too) is "
        "other than 0.\n\n"
        "Without `out` the call blocks, and returns an int. With `out`, an array of uint64, the number goes "
        "to its first element, and the call returns an Event at once.\n\n"
        ">>> clwave.count_if(np.array([3, -1, 2], np.int32), \"x > 0\")\n"
        "2\n");
  m.def("count_if_async", &count_if_async, nb::arg("x"), nb::arg("predicate"), nb::kw_only(),
        nb::arg("y") = nb::none(), CLWAVE_PYTHON_LAUNCH,
        nb::sig("def count_if_async(x: Input, predicate: Map | str, *, y: ArrayLike | "
                "None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Future"),
        "For how many elements an expression in `x` (and the index `i`) is other than 0, as a Future, "
        "returned at once; its get() blocks and returns it.");
  m.def("minmax", &minmax<false>, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def minmax(x: Input, *, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "The least and the greatest element, in one pass; NaN both where there is a NaN. Of numbers.\n\n"
        "Without `out` the call blocks, and returns a pair; of no elements the greatest number of the type "
        "and the least, infinities of floats. With `out`, an array of clwave.minmax_dtype(x.dtype), both go "
        "to its first element, and the call returns an Event at once. 16-bit floats are compared as "
        "float32. A NumPy array of 32 MiB or more passes through the device in pieces.\n\n"
        ">>> x = np.array([3, -1, 2], np.int32)\n"
        ">>> clwave.minmax(x)\n"
        "(-1, 3)\n"
        ">>> out = clwave.Array(1, clwave.minmax_dtype(x.dtype))\n"
        ">>> clwave.minmax(x, out=out).wait()\n"
        ">>> out.get()[\"max\"]\n"
        "array([3], dtype=int32)\n");
  m.def("minmax_async", &minmax_async, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_LAUNCH,
        nb::sig("def minmax_async(x: Input, *, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Future"),
        "The least and the greatest element, as a Future, returned at once; its get() blocks and returns "
        "it.");
  m.def("mean_and_variance", &mean_and_variance, nb::arg("x"), nb::kw_only(), nb::arg("dtype") = nb::none(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def mean_and_variance(x: Input, *, " CLWAVE_PYTHON_DTYPE CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES
                ") -> Any"),
        "The number of the elements, their mean, and the sum of the squares of their distances from it, in "
        "one pass that loses nothing where the mean is far from 0. Of numbers.\n\n"
        "Each element is converted to `dtype` first, float32 or float64: by default float64 for float64 and "
        "for integers of 32 and 64 bits, else float32. Without `out` the call blocks, and returns a "
        "clwave.Moments. With `out`, an array of clwave.moments_dtype(np.float32) or of float64, all three "
        "go to its first element, and the call returns an Event at once. A NumPy array of 32 MiB or more "
        "passes through the device in pieces.\n\n"
        ">>> found = clwave.mean_and_variance(np.array([1, 2, 3, 4], np.float32))\n"
        ">>> found.mean, found.variance\n"
        "(2.5, 1.25)\n");
  m.def("mean_and_variance_async", &mean_and_variance_async, nb::arg("x"), nb::kw_only(),
        nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_LAUNCH,
        nb::sig("def mean_and_variance_async(x: Input, *, " CLWAVE_PYTHON_DTYPE CLWAVE_PYTHON_LAUNCH_TYPES
                ") -> Future"),
        "The number of the elements, their mean, and the sum of the squares of their distances from it, as "
        "a Future, returned at once; its get() blocks and returns it.");
  m.def("minmax_rows", &minmax_lines<clwave::reduce_rows_problem, true>, nb::arg("x"), nb::kw_only(),
        nb::arg("shape") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def minmax_rows(x: ArrayLike, *, " CLWAVE_PYTHON_SHAPE CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES
                ") -> Any"),
        "minmax of each row of a matrix, or of a batch of matrices: elements of "
        "clwave.minmax_dtype(x.dtype). `shape` is that of `x` unless it is given.\n\n"
        ">>> clwave.minmax_rows(np.array([[3, 1, 2], [5, 9, 7]], np.int32))[\"max\"]\n"
        "array([3, 9], dtype=int32)\n");
  m.def("minmax_columns", &minmax_lines<clwave::reduce_columns_problem, false>, nb::arg("x"), nb::kw_only(),
        nb::arg("shape") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def minmax_columns(x: ArrayLike, *, " CLWAVE_PYTHON_SHAPE CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES
                ") -> Any"),
        "minmax of each column of a matrix, or of a batch of matrices.\n\n"
        ">>> clwave.minmax_columns(np.array([[3, 1, 2], [5, 9, 7]], np.int32))[\"min\"]\n"
        "array([3, 1, 2], dtype=int32)\n");
  m.def(
      "segmented_minmax", &segmented_minmax, nb::arg("x"), nb::arg("offsets"), nb::kw_only(),
      CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig("def segmented_minmax(x: ArrayLike, offsets: ArrayLike | CountedSegments, "
              "*, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
      "minmax of each segment x[offsets[s]:offsets[s + 1]]. Without `out` a segment that ends before it "
      "begins, or past the input, raises BadCall.\n\n"
      ">>> clwave.segmented_minmax(np.array([3, 1, 2], np.int32), np.array([0, 2, 3], np.uint32))[\"max\"]\n"
      "array([3, 2], dtype=int32)\n");
  m.def("mean_and_variance_rows", &of_lines<moments_kind, clwave::reduce_rows_problem, true>, nb::arg("x"),
        nb::kw_only(), nb::arg("shape") = nb::none(), nb::arg("dtype") = nb::none(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def mean_and_variance_rows(x: ArrayLike, *, " CLWAVE_PYTHON_SHAPE CLWAVE_PYTHON_DTYPE
                    CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "mean_and_variance of each row of a matrix, or of a batch of matrices: elements of "
        "clwave.moments_dtype, of float32 or float64 as `dtype` says.\n\n"
        ">>> clwave.mean_and_variance_rows(np.array([[1, 2], [3, 5]], np.float32))[\"mean\"]\n"
        "array([1.5, 4. ], dtype=float32)\n");
  m.def("mean_and_variance_columns", &of_lines<moments_kind, clwave::reduce_columns_problem, false>,
        nb::arg("x"), nb::kw_only(), nb::arg("shape") = nb::none(), nb::arg("dtype") = nb::none(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def mean_and_variance_columns(x: ArrayLike, *, " CLWAVE_PYTHON_SHAPE CLWAVE_PYTHON_DTYPE
                    CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "mean_and_variance of each column of a matrix, or of a batch of matrices.\n\n"
        ">>> clwave.mean_and_variance_columns(np.array([[1, 2], [3, 5]], np.float32))[\"mean\"]\n"
        "array([2. , 3.5], dtype=float32)\n");
  m.def("segmented_mean_and_variance", &of_segments<moments_kind>, nb::arg("x"), nb::arg("offsets"),
        nb::kw_only(), nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def segmented_mean_and_variance(x: ArrayLike, offsets: ArrayLike | CountedSegments, "
                "*, " CLWAVE_PYTHON_DTYPE CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "mean_and_variance of each segment x[offsets[s]:offsets[s + 1]]. Without `out` a segment that ends "
        "before it begins, or past the input, raises BadCall.\n\n"
        ">>> x, offsets = np.array([1, 2, 6], np.float32), np.array([0, 2, 3], np.uint32)\n"
        ">>> clwave.segmented_mean_and_variance(x, offsets)[\"mean\"]\n"
        "array([1.5, 6. ], dtype=float32)\n");
}

}  // namespace clwave_python
