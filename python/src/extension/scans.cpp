// Scans of Python: of all elements, by key, and of segments.
#include <clwave/host_array_scan.hpp>
#include <clwave/scan.hpp>
#include <clwave/scan_by_key.hpp>
#include <clwave/segmented_scan.hpp>
#include <clwave/sharded_scan.hpp>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"
#include "shards.hpp"
#include "streams.hpp"

namespace clwave_python {
namespace {

// The operator, the map and the value in front, which a problem of a scan refers to.
struct scan_texts {
  scan_texts(call& on, nb::handle op, nb::handle map, nb::handle start, nb::handle out_dtype)
      : fold(op, on, "op"), apply(map, on, "map") {
    if (!start.is_none()) bytes = bytes_of_value(start, out_dtype);
  }
  template <class Problem>
  void put_into(Problem& asked) const {
    asked.fold = fold;
    if (asked.fold == nullptr) asked.fold = &clwave::plus;
    if (static_cast<const clwave::map*>(apply) != nullptr) asked.apply = apply;
    if (!bytes.empty()) asked.start = bytes.data();
  }
  op_argument fold;
  map_argument apply;
  std::vector<unsigned char> bytes;
};

// Completes the problem, whose output is `out` or is made, and enqueues it.
template <class Problem, class Work>
nb::object scanned(call& on, Problem& asked, nb::handle x, nb::handle op, nb::handle map, nb::handle start,
                   nb::handle dtype, nb::handle out, const Work& work) {
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    asked.out = on.out(out, "out");
    const scan_texts texts(on, op, map, start,
                           start.is_none() ? nb::object(nb::none()) : call::dtype_of(out));
    texts.put_into(asked);
    return on.event(on.run(asked, work));
  }
  const nb::object made_dtype = dtype.is_none() ? call::dtype_of(x) : dtype_from(dtype);
  const call::result made = on.make_like(x, asked.in.n, made_dtype, "out");
  asked.out = made.view;
  const scan_texts texts(on, op, map, start, made_dtype);
  texts.put_into(asked);
  return on.value(on.run(asked, work), made);
}

// A scan of a large NumPy array into a new one, in pieces.
template <bool Exclusive>
nb::object scan_streamed(call& on, nb::handle x, nb::handle op, nb::handle start, nb::handle map,
                         nb::handle dtype) {
  std::atomic<bool> stopped = false;
  const host_input in(on, x, "x", stopped);
  const nb::object made_dtype = dtype.is_none() ? call::dtype_of(x) : dtype_from(dtype);
  clwave::detail::host_results out{.n = in.elements().n, .type = &element_of_dtype(made_dtype, "dtype")};
  on.note_type(*out.type);
  const scan_texts texts(on, op, map, start, made_dtype);
  clwave::scan_problem asked{.in = in.shape(), .out = {nullptr, out.n, 0, out.type}, .exclusive = Exclusive};
  texts.put_into(asked);
  if (planning) on.throw_planned(asked);
  const nb::object made = numpy().attr("empty")(x.attr("shape"), nb::arg("dtype") = made_dtype);
  const python_buffer bytes(as_bytes(made), PyBUF_WRITABLE);
  out.memory = bytes.view.buf;
  const cl_command_queue over = on.queue();
  run_streamed(on, stopped, [&] {
    clwave::detail::scan_host_array({.queues = {&over, 1},
                                     .in = &in.elements(),
                                     .out = &out,
                                     .fold = asked.fold,
                                     .apply = asked.apply,
                                     .exclusive = Exclusive,
                                     .start = asked.start});
  });
  return made;
}

// A scan of an array in shards, which blocks; Ctrl-C is seen when it has ended.
template <bool Exclusive>
nb::object scan_sharded(nb::handle x, nb::handle op, nb::handle start, nb::handle map, nb::handle dtype,
                        nb::handle out, nb::handle queue, nb::handle after) {
  if (planning) refuse("calls on arrays in shards have no plan");
  refuse_beside_shards(queue, "queue");
  const auto& of = nb::cast<const sharded&>(x);
  call on(queue_of(of), after, {});
  sharded to;
  if (!out.is_none()) {
    if (!dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
    if (!nb::isinstance<sharded>(out)) refuse("`out` is an array in shards, as `x` is");
    to = nb::cast<const sharded&>(out);
  } else {
    const nb::object made = dtype.is_none() ? of.shards.front().dtype : dtype_from(dtype);
    for (const array& each : of.shards)
      to.shards.push_back(make_array(each.on, {static_cast<std::size_t>(each.n)}, made));
  }
  on.note_type(*of.shards.front().type);
  on.note_type(*to.shards.front().type);
  const scan_texts texts(on, op, map, start, to.shards.front().dtype);
  clwave::scan_problem asked;
  texts.put_into(asked);
  const std::vector<clwave::detail::erased_shard> from = of.erased("x"), results = to.erased("out");
  const std::vector<array> kept = of.shards;  // another thread may release them meanwhile
  {
    const nb::gil_scoped_release released;
    clwave::detail::scan_sharded({.in = from,
                                  .out = results,
                                  .fold = asked.fold,
                                  .apply = asked.apply,
                                  .exclusive = Exclusive,
                                  .start = asked.start,
                                  .after = &on.launch().after});
  }
  return out.is_none() ? nb::cast(std::move(to)) : nb::none();
}

template <bool Exclusive>
nb::object scan(nb::handle x, nb::handle op, nb::handle start, nb::handle map, nb::handle dtype,
                nb::handle out, nb::handle queue, nb::handle after) {
  if (nb::isinstance<sharded>(x)) return scan_sharded<Exclusive>(x, op, start, map, dtype, out, queue, after);
  call on(queue, after, {x, out});
  if (out.is_none() && is_streamed(x)) return scan_streamed<Exclusive>(on, x, op, start, map, dtype);
  clwave::scan_problem asked{.in = on.counted_in(x, "x"), .exclusive = Exclusive};
  return scanned(on, asked, x, op, map, start, dtype, out,
                 [](cl_command_queue q, const auto& p, const auto& o) { return clwave::scan(q, p, o); });
}

// The problem by key names its elements `values`.
struct by_key_problem : clwave::scan_by_key_problem {
  clwave::any_view in;
};
clwave::call_plan plan(const by_key_problem& asked, const clwave::plan_target& on) {
  return clwave::plan(static_cast<const clwave::scan_by_key_problem&>(asked), on);
}

template <bool Exclusive>
nb::object scan_by_key(nb::handle keys, nb::handle values, nb::handle op, nb::handle start, nb::handle map,
                       nb::handle same, nb::handle dtype, nb::handle out, nb::handle queue,
                       nb::handle after) {
  call on(queue, after, {keys, values, out});
  by_key_problem asked;
  asked.keys = on.counted_in(keys, "keys");
  asked.values = asked.in = on.in(values, "values");
  asked.exclusive = Exclusive;
  const op_argument equal(same, on, "same");
  asked.same = equal;
  return scanned(on, asked, values, op, map, start, dtype, out,
                 [](cl_command_queue q, const clwave::scan_by_key_problem& p, const auto& o) {
                   return clwave::scan_by_key(q, p, o);
                 });
}

template <bool Exclusive>
nb::object segmented_scan(nb::handle x, nb::handle offsets, nb::handle op, nb::handle start, nb::handle map,
                          nb::handle dtype, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, offsets, out});
  clwave::segmented_scan_problem asked{
      .in = on.in(x, "x"), .offsets = on.offsets_in(offsets), .exclusive = Exclusive};
  // A call that waits can say that segments were bad.
  if (out.is_none()) asked.bad = on.scratch(1, "uint64");
  nb::object made = scanned(
      on, asked, x, op, map, start, dtype, out,
      [](cl_command_queue q, const auto& p, const auto& o) { return clwave::segmented_scan(q, p, o); });
  if (asked.bad) {
    const std::uint64_t bad = on.read_count({}, *asked.bad);
    if (bad != 0) refuse(std::to_string(bad) + " segments end before they begin, or past the input");
  }
  return made;
}

}  // namespace

#define CLWAVE_PYTHON_SCAN_TYPES "op: Op | str = 'plus', *, start: Any = None, map: Map | str | None = None, "
#define CLWAVE_PYTHON_SCAN_END_TYPES \
  "dtype: numpy.typing.DTypeLike | None = None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"

void register_scans(nb::module_& m) {
  m.def(
      "inclusive_scan", &scan<false>, nb::arg("x"), nb::arg("op") = "plus", nb::kw_only(),
      nb::arg("start") = nb::none(), nb::arg("map") = nb::none(), nb::arg("dtype") = nb::none(),
      CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig(
          "def inclusive_scan(x: Input | Sharded, " CLWAVE_PYTHON_SCAN_TYPES CLWAVE_PYTHON_SCAN_END_TYPES),
      "The running results of an operator over all elements up to each place, with the same bits on every "
      "device.\n\n"
      "It accumulates in the type of the results: that of `out`, or `dtype`, or the elements' own. `start` "
      "stands "
      "before the first element. `out` may be `x` itself. A NumPy array of 32 MiB or more passes through "
      "the device in pieces, and so do its results. Of an array in shards the results are one that is cut in "
      "the same way, or go to `out`, which is; the call blocks, and with `out` returns None.\n\n"
      ">>> clwave.inclusive_scan(np.array([1, 2, 3], np.int32))\n"
      "array([1, 3, 6], dtype=int32)\n"
      ">>> x = clwave.Array.from_numpy(np.array([1, 5, 2], np.float32))\n"
      ">>> clwave.inclusive_scan(x, \"max\", out=x).wait()\n"
      ">>> x.get()\n"
      "array([1., 5., 5.], dtype=float32)\n");
  m.def("exclusive_scan", &scan<true>, nb::arg("x"), nb::arg("op") = "plus", nb::kw_only(),
        nb::arg("start") = nb::none(), nb::arg("map") = nb::none(), nb::arg("dtype") = nb::none(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig(
            "def exclusive_scan(x: Input | Sharded, " CLWAVE_PYTHON_SCAN_TYPES CLWAVE_PYTHON_SCAN_END_TYPES),
        "The running results over the elements before each place; the first is `start`, or the operator's "
        "identity.\n\n"
        ">>> clwave.exclusive_scan(np.array([1, 2, 3], np.int32))\n"
        "array([0, 1, 3], dtype=int32)\n");
  const auto by_key = [&](const char* name, auto function, const char* signature, const char* doc) {
    m.def(name, function, nb::arg("keys"), nb::arg("values"), nb::arg("op") = "plus", nb::kw_only(),
          nb::arg("start") = nb::none(), nb::arg("map") = nb::none(), nb::arg("same") = nb::none(),
          nb::arg("dtype") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH, nb::sig(signature), doc);
  };
  by_key(
      "inclusive_scan_by_key", &scan_by_key<false>,
      "def inclusive_scan_by_key(keys: ArrayLike | CountedArray, values: ArrayLike, " CLWAVE_PYTHON_SCAN_TYPES
      "same: Op | str | None = None, " CLWAVE_PYTHON_SCAN_END_TYPES,
      "The running results of an operator over the values of each run of equal neighbouring keys, up to each "
      "place.\n\n"
      ">>> clwave.inclusive_scan_by_key(np.array([1, 1, 2], np.int32), np.array([5, 6, 7], np.int32))\n"
      "array([ 5, 11,  7], dtype=int32)\n");
  by_key(
      "exclusive_scan_by_key", &scan_by_key<true>,
      "def exclusive_scan_by_key(keys: ArrayLike | CountedArray, values: ArrayLike, " CLWAVE_PYTHON_SCAN_TYPES
      "same: Op | str | None = None, " CLWAVE_PYTHON_SCAN_END_TYPES,
      "The running results of an operator over the values of each run of equal neighbouring keys, before "
      "each place; the first of each run is `start`, or the operator's identity.");
  const auto segmented = [&](const char* name, auto function, const char* signature, const char* doc) {
    m.def(name, function, nb::arg("x"), nb::arg("offsets"), nb::arg("op") = "plus", nb::kw_only(),
          nb::arg("start") = nb::none(), nb::arg("map") = nb::none(), nb::arg("dtype") = nb::none(),
          CLWAVE_PYTHON_OUT_AND_LAUNCH, nb::sig(signature), doc);
  };
  segmented("segmented_inclusive_scan", &segmented_scan<false>,
            "def segmented_inclusive_scan(x: ArrayLike, offsets: ArrayLike | "
            "CountedSegments, " CLWAVE_PYTHON_SCAN_TYPES CLWAVE_PYTHON_SCAN_END_TYPES,
            "The running results of an operator over each segment x[offsets[s]:offsets[s + 1]], up to each "
            "place.\n\n"
            ">>> clwave.segmented_inclusive_scan(np.ones(5, np.int32), np.array([0, 2, 5], np.uint32))\n"
            "array([1, 2, 1, 2, 3], dtype=int32)\n");
  segmented("segmented_exclusive_scan", &segmented_scan<true>,
            "def segmented_exclusive_scan(x: ArrayLike, offsets: ArrayLike | "
            "CountedSegments, " CLWAVE_PYTHON_SCAN_TYPES CLWAVE_PYTHON_SCAN_END_TYPES,
            "The running results of an operator over each segment x[offsets[s]:offsets[s + 1]], before each "
            "place; the first of each segment is `start`, or the operator's identity.");
}

}  // namespace clwave_python
