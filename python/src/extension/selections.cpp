// Selections of Python: some elements, in their order.
#include <cstdint>
#include <optional>

#include <clwave/select.hpp>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"

namespace clwave_python {
namespace {

using kind = clwave::select_kind;

// What a selection is given besides its input; handles of None were left out.
struct selection {
  nb::handle x, second, predicate, same, out, count, queue, after;
  nb::handle second_predicate = nb::handle();
};

constexpr bool has_second_out(kind which) {
  return which == kind::partition_copy || which == kind::partition_three || which == kind::unique_by_key ||
         which == kind::run_lengths;
}

template <kind Kind>
nb::object select(const selection& given) {
  call on(given.queue, given.after, {given.x, given.second, given.out, given.count});
  clwave::select_problem asked{.kind = Kind,
                               .in = on.counted_in(given.x, Kind == kind::unique_by_key ? "keys" : "x")};
  if (Kind == kind::copy_flagged || Kind == kind::copy_flagged_if) asked.flags = on.in(given.second, "flags");
  if (Kind == kind::unique_by_key) asked.values = on.in(given.second, "values");
  constexpr bool three = Kind == kind::partition_three;
  call::result made, second, third;
  const nb::object out = nb::borrow(given.out);
  if (!out.is_none()) {
    if (has_second_out(Kind)) {
      if (!PyTuple_Check(out.ptr()) || nb::len(out) != (three ? 3 : 2))
        refuse(three ? "`out` is a triple of arrays here" : "`out` is a pair of arrays here");
      asked.out = on.out(out[0], "out[0]");
      asked.second_out = on.out(out[1], "out[1]");
      if (three) asked.third_out = on.out(out[2], "out[2]");
    } else {
      asked.out = on.out(out, "out");
    }
  } else {
    const nb::object own = call::dtype_of(given.x);
    made = on.make(Kind == kind::run_offsets ? asked.in.n + 1 : asked.in.n,
                   Kind == kind::run_offsets ? dtype_named("uint64") : own, "out");
    asked.out = made.view;
    if (has_second_out(Kind)) {
      second = on.make(asked.in.n,
                       Kind == kind::unique_by_key ? call::dtype_of(given.second)
                       : Kind == kind::run_lengths ? dtype_named("uint64")
                                                   : own,
                       "out");
      asked.second_out = second.view;
    }
    if (three) {
      third = on.make(asked.in.n, own, "out");
      asked.third_out = third.view;
    }
  }
  const map_argument predicate(given.predicate, on, "predicate");
  const op_argument same(given.same, on, "same");
  if (!given.predicate.is_none()) asked.predicate = predicate;
  asked.same = same;
  std::optional<map_argument> is_second;
  if (three) {
    is_second.emplace(given.second_predicate, on, "second");
    asked.second_predicate = *is_second;
  }
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::select(q, p, o);
  };
  if (!given.count.is_none()) {
    if (out.is_none()) refuse("`count` goes with `out`");
    asked.count = on.out(given.count, "count");
    return on.event(on.run(asked, enqueue));
  }
  asked.count = on.scratch(three ? 2 : 1, "uint64");
  const clwave::event end = on.run(asked, enqueue);
  const std::uint64_t n = on.read_count(end, asked.count);
  if (three) {
    clwave::any_view of_second = asked.count;
    ++of_second.offset;
    const std::uint64_t n_second = on.read_count(end, of_second);
    if (!out.is_none()) return nb::make_tuple(n, n_second);
    return nb::make_tuple(on.finished(made, n), on.finished(second, n_second),
                          on.finished(third, on.length(asked.in.n) - n - n_second));
  }
  if (!out.is_none()) return nb::int_(n);
  if (Kind == kind::partition) return nb::make_tuple(on.finished(made, on.length(asked.in.n)), n);
  if (Kind == kind::partition_copy)
    return nb::make_tuple(on.finished(made, n), on.finished(second, on.length(asked.in.n) - n));
  if (Kind == kind::run_offsets) return on.finished(made, asked.in.n == 0 ? 1 : n + 1);
  if (has_second_out(Kind)) return nb::make_tuple(on.finished(made, n), on.finished(second, n));
  return on.finished(made, n);
}

template <kind Kind>
nb::object by_predicate(nb::handle x, nb::handle predicate, nb::handle out, nb::handle count,
                        nb::handle queue, nb::handle after) {
  return select<Kind>({x, nb::none(), predicate, nb::none(), out, count, queue, after});
}
template <kind Kind>
nb::object by_neighbours(nb::handle x, nb::handle same, nb::handle out, nb::handle count, nb::handle queue,
                         nb::handle after) {
  return select<Kind>({x, nb::none(), nb::none(), same, out, count, queue, after});
}
nb::object copy_flagged(nb::handle x, nb::handle flags, nb::handle predicate, nb::handle out,
                        nb::handle count, nb::handle queue, nb::handle after) {
  const selection given{x, flags, predicate, nb::none(), out, count, queue, after};
  return predicate.is_none() ? select<kind::copy_flagged>(given) : select<kind::copy_flagged_if>(given);
}
nb::object partition_copy(nb::handle x, nb::handle predicate, nb::handle second, nb::handle out,
                          nb::handle count, nb::handle queue, nb::handle after) {
  const selection given{x, nb::none(), predicate, nb::none(), out, count, queue, after, second};
  return second.is_none() ? select<kind::partition_copy>(given) : select<kind::partition_three>(given);
}
nb::object unique_by_key(nb::handle keys, nb::handle values, nb::handle same, nb::handle out,
                         nb::handle count, nb::handle queue, nb::handle after) {
  return select<kind::unique_by_key>({keys, values, nb::none(), same, out, count, queue, after});
}

}  // namespace

#define CLWAVE_PYTHON_COUNT nb::arg("out") = nb::none(), nb::arg("count") = nb::none(), CLWAVE_PYTHON_LAUNCH
#define CLWAVE_PYTHON_COUNT_TYPES \
  "out: DeviceArray | None = None, count: DeviceArray | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"
#define CLWAVE_PYTHON_TWO_COUNT_TYPES                                                \
  "out: tuple[DeviceArray, DeviceArray] | None = None, count: DeviceArray | None = " \
  "None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"

void register_selections(nb::module_& m) {
  m.def("copy_if", &by_predicate<kind::copy_if>, nb::arg("x"), nb::arg("predicate"), nb::kw_only(),
        CLWAVE_PYTHON_COUNT,
        nb::sig("def copy_if(x: Input, predicate: Map | str, *, " CLWAVE_PYTHON_COUNT_TYPES),
        "The elements for which an expression in `x` (and the index `i`) is true, in their order.\n\n"
        "With `out` the elements go there, and the call blocks and returns how many there are; with `count`, "
        "a uint64 "
        "array that the number goes to, it returns an Event at once.\n\n"
        ">>> clwave.copy_if(np.array([3, -1, 2], np.int32), \"x > 0\")\n"
        "array([3, 2], dtype=int32)\n");
  m.def("copy_flagged", &copy_flagged, nb::arg("x"), nb::arg("flags"), nb::arg("predicate") = nb::none(),
        nb::kw_only(), CLWAVE_PYTHON_COUNT,
        nb::sig("def copy_flagged(x: Input, flags: ArrayLike, predicate: Map | str | None "
                "= None, *, " CLWAVE_PYTHON_COUNT_TYPES),
        "The elements whose flag is not 0, in their order; or those for which an expression in the element "
        "`x`, its flag `y`, of any type, and the index `i` is true.\n\n"
        ">>> clwave.copy_flagged(np.array([3, -1, 2], np.int32), np.array([True, False, True]))\n"
        "array([3, 2], dtype=int32)\n"
        ">>> clwave.copy_flagged(np.array([3, -1, 2], np.int32), np.array([7, 8, 9]), \"y > 7\")\n"
        "array([-1,  2], dtype=int32)\n");
  m.def("partition", &by_predicate<kind::partition>, nb::arg("x"), nb::arg("predicate"), nb::kw_only(),
        CLWAVE_PYTHON_COUNT,
        nb::sig("def partition(x: Input, predicate: Map | str, *, " CLWAVE_PYTHON_COUNT_TYPES),
        "The elements for which the predicate is true, then all others, each in their order; and how many "
        "the first are.\n\n"
        ">>> clwave.partition(np.array([3, -1, 2], np.int32), \"x > 0\")\n"
        "(array([ 3,  2, -1], dtype=int32), 2)\n");
  m.def("partition_copy", &partition_copy, nb::arg("x"), nb::arg("predicate"), nb::arg("second") = nb::none(),
        nb::kw_only(), CLWAVE_PYTHON_COUNT,
        nb::sig("def partition_copy(x: Input, predicate: Map | str, second: Map | str | "
                "None = None, *, out: tuple[DeviceArray, ...] | None = None, count: DeviceArray | None = "
                "None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
        "The elements for which the predicate is true, and all others, in two arrays. With a second "
        "predicate in three: those of the others for which it is true, and the rest; `count` then has two "
        "elements.\n\n"
        ">>> clwave.partition_copy(np.array([3, -1, 2], np.int32), \"x > 0\")\n"
        "(array([3, 2], dtype=int32), array([-1], dtype=int32))\n"
        ">>> clwave.partition_copy(np.array([3, -1, 2], np.int32), \"x < 0\", \"x < 3\")\n"
        "(array([-1], dtype=int32), array([2], dtype=int32), array([3], dtype=int32))\n");
  m.def("unique", &by_neighbours<kind::unique>, nb::arg("x"), nb::arg("same") = nb::none(), nb::kw_only(),
        CLWAVE_PYTHON_COUNT,
        nb::sig("def unique(x: Input, same: Op | str | None = None, "
                "*, " CLWAVE_PYTHON_COUNT_TYPES),
        "The first element of each run of equal neighbours: sort first for all different elements, as "
        "np.unique does.\n\n"
        ">>> clwave.unique(np.array([1, 1, 2, 1], np.int32))\n"
        "array([1, 2, 1], dtype=int32)\n");
  m.def("unique_by_key", &unique_by_key, nb::arg("keys"), nb::arg("values"), nb::arg("same") = nb::none(),
        nb::kw_only(), CLWAVE_PYTHON_COUNT,
        nb::sig("def unique_by_key(keys: Input, values: ArrayLike, same: Op | str | None "
                "= None, "
                "*, " CLWAVE_PYTHON_TWO_COUNT_TYPES),
        "The first key of each run of equal neighbours, and its value.\n\n"
        ">>> clwave.unique_by_key(np.array([1, 1, 2], np.int32), np.array([5, 6, 7], np.int32))\n"
        "(array([1, 2], dtype=int32), array([5, 7], dtype=int32))\n");
  m.def("run_lengths", &by_neighbours<kind::run_lengths>, nb::arg("x"), nb::arg("same") = nb::none(),
        nb::kw_only(), CLWAVE_PYTHON_COUNT,
        nb::sig("def run_lengths(x: Input, same: Op | str | None = None, "
                "*, " CLWAVE_PYTHON_TWO_COUNT_TYPES),
        "The first element of each run of equal neighbours, and the run's length.\n\n"
        ">>> clwave.run_lengths(np.array([4, 4, 9], np.int32))\n"
        "(array([4, 9], dtype=int32), array([2, 1], dtype=uint64))\n");
  m.def("run_offsets", &by_neighbours<kind::run_offsets>, nb::arg("x"), nb::arg("same") = nb::none(),
        nb::kw_only(), CLWAVE_PYTHON_COUNT,
        nb::sig("def run_offsets(x: Input, same: Op | str | None = None, "
                "*, " CLWAVE_PYTHON_COUNT_TYPES),
        "Where the runs of equal neighbours begin, and last the number of elements: the offsets of "
        "segments.\n\n"
        ">>> clwave.run_offsets(np.array([4, 4, 9], np.int32))\n"
        "array([0, 2, 3], dtype=uint64)\n");
}

}  // namespace clwave_python
