// Searches of Python, which stop early.
#include <clwave/search.hpp>

#include <cstring>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"
#include "order.hpp"
#include "values.hpp"

namespace clwave_python {
namespace {

using kind = clwave::search_kind;

constexpr bool finds_index(kind which) { return which == kind::find_if || which == kind::mismatch; }

// Completes the problem, whose value goes to `out`, to a Future, or to Python.
template <bool Later>
nb::object searched(call& on, clwave::search_problem& asked, nb::handle out) {
  if (!out.is_none())
    return on.event(on.run(
        asked, [](cl_command_queue q, const auto& p, const auto& o) { return clwave::search(q, p, o); }));
  const bool index = finds_index(asked.kind);
  const std::size_t n_bytes = index ? sizeof(std::uint64_t) : sizeof(bool);
  const auto value = [index](const unsigned char* bytes) -> nb::object {
    if (!index) return nb::bool_(bytes[0] != 0);
    std::uint64_t at = 0;
    std::memcpy(&at, bytes, sizeof at);
    if (at == clwave::nowhere) return nb::none();
    return nb::int_(at);
  };
  if (Later) return future_of_call(on, asked, n_bytes, value);
  return value(bytes_of_call(on, asked, n_bytes).data());
}

template <kind Kind, bool Later>
nb::object by_predicate(nb::handle x, nb::handle predicate, nb::handle out, nb::handle queue,
                        nb::handle after) {
  call on(queue, after, {x, out});
  clwave::search_problem asked{.kind = Kind, .in = on.counted_in(x, "x")};
  if (!out.is_none()) asked.out = on.out(out, "out");
  const map_argument given(predicate, on, "predicate");
  asked.predicate = given;
  if (asked.predicate == nullptr) refuse("`predicate` is needed, and not None");
  return searched<Later>(on, asked, out);
}
template <kind Kind>
nb::object by_predicate_async(nb::handle x, nb::handle predicate, nb::handle queue, nb::handle after) {
  return by_predicate<Kind, true>(x, predicate, nb::none(), queue, after);
}

template <kind Kind, bool Later>
nb::object of_two(nb::handle x, nb::handle y, nb::handle same, nb::handle out, nb::handle queue,
                  nb::handle after) {
  call on(queue, after, {x, y, out});
  clwave::search_problem asked{.kind = Kind, .in = on.in(x, "x"), .in2 = on.in(y, "y")};
  if (!out.is_none()) asked.out = on.out(out, "out");
  const op_argument given(same, on, "same");
  asked.same = given;
  return searched<Later>(on, asked, out);
}
template <kind Kind>
nb::object of_two_async(nb::handle x, nb::handle y, nb::handle same, nb::handle queue, nb::handle after) {
  return of_two<Kind, true>(x, y, same, nb::none(), queue, after);
}

template <bool Later>
nb::object is_sorted(nb::handle x, bool descending, nb::handle less, nb::handle bits, nb::handle out,
                     nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  clwave::search_problem asked{.kind = kind::is_sorted, .in = on.counted_in(x, "x")};
  if (!out.is_none()) asked.out = on.out(out, "out");
  const order_argument order(on, descending, less, bits, nb::none());
  asked.order = order.numbers;
  asked.less = order.less();
  return searched<Later>(on, asked, out);
}
nb::object is_sorted_async(nb::handle x, bool descending, nb::handle less, nb::handle bits, nb::handle queue,
                           nb::handle after) {
  return is_sorted<true>(x, descending, less, bits, nb::none(), queue, after);
}

template <kind Kind>
void register_by_predicate(nb::module_& m, const char* name, const char* signature, const char* doc,
                           const char* name_async, const char* signature_async, const char* doc_async) {
  m.def(name, &by_predicate<Kind, false>, nb::arg("x"), nb::arg("predicate"), nb::kw_only(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH, nb::sig(signature), doc);
  m.def(name_async, &by_predicate_async<Kind>, nb::arg("x"), nb::arg("predicate"), nb::kw_only(),
        CLWAVE_PYTHON_LAUNCH, nb::sig(signature_async), doc_async);
}

template <kind Kind>
void register_of_two(nb::module_& m, const char* name, const char* signature, const char* doc,
                     const char* name_async, const char* signature_async, const char* doc_async) {
  m.def(name, &of_two<Kind, false>, nb::arg("x"), nb::arg("y"), nb::arg("same") = nb::none(), nb::kw_only(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH, nb::sig(signature), doc);
  m.def(name_async, &of_two_async<Kind>, nb::arg("x"), nb::arg("y"), nb::arg("same") = nb::none(),
        nb::kw_only(), CLWAVE_PYTHON_LAUNCH, nb::sig(signature_async), doc_async);
}

}  // namespace

#define CLWAVE_PYTHON_PREDICATE(name)                                                                      \
  "def " name "(x: ArrayLike | CountedArray, predicate: Map | str, *, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES \
  ") -> Any"
#define CLWAVE_PYTHON_PREDICATE_ASYNC(name)                                                              \
  "def " name "_async(x: ArrayLike | CountedArray, predicate: Map | str, *, " CLWAVE_PYTHON_LAUNCH_TYPES \
  ") -> Future"
#define CLWAVE_PYTHON_TWO(name)                                 \
  "def " name                                                   \
  "(x: ArrayLike, y: ArrayLike, same: Op | str | None = None, " \
  "*, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"
#define CLWAVE_PYTHON_TWO_ASYNC(name)                                 \
  "def " name                                                         \
  "_async(x: ArrayLike, y: ArrayLike, same: Op | str | None = None, " \
  "*, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Future"

void register_searches(nb::module_& m) {
  m.attr("nowhere") = clwave::nowhere;
  register_by_predicate<kind::find_if>(
      m, "find_if", CLWAVE_PYTHON_PREDICATE("find_if"),
      "The index of the first element for which an expression in `x` (and the index `i`) is other than 0; "
      "None where there is none.\n\n"
      "The call reads the beginning of the input alone where it finds the element early, and must be good "
      "for every element. Without `out` it blocks. With `out`, an array of uint64, the index, or "
      "clwave.nowhere, goes to its first element, and the call returns an Event at once.\n\n"
      ">>> clwave.find_if(np.array([3, -1, 2], np.int32), \"x < 0\")\n"
      "1\n",
      "find_if_async", CLWAVE_PYTHON_PREDICATE_ASYNC("find_if"),
      "The index of the first element for which an expression in `x` (and the index `i`) is other than 0, "
      "as a Future, returned at once; its get() blocks and returns it, None where there is none.");
  register_by_predicate<kind::any_of>(
      m, "any_of", CLWAVE_PYTHON_PREDICATE("any_of"),
      "Whether there is an element for which an expression in `x` (and the index `i`) is other than 0; "
      "False of no elements. Without `out` it blocks. With `out`, an array of bool, the truth goes to its "
      "first element, and the call returns an Event at once.\n\n"
      ">>> clwave.any_of(np.array([3, -1, 2], np.int32), \"x < 0\")\n"
      "True\n",
      "any_of_async", CLWAVE_PYTHON_PREDICATE_ASYNC("any_of"),
      "Whether an expression in `x` (and the index `i`) is other than 0 for an element, as a Future, "
      "returned at once; its get() blocks and returns it.");
  register_by_predicate<kind::all_of>(
      m, "all_of", CLWAVE_PYTHON_PREDICATE("all_of"),
      "Whether an expression in `x` (and the index `i`) is other than 0 for all elements; True of no "
      "elements. Without `out` it blocks. With `out`, an array of bool, the truth goes to its first element, "
      "and the call returns an Event at once.\n\n"
      ">>> clwave.all_of(np.array([3, -1, 2], np.int32), \"x < 4\")\n"
      "True\n",
      "all_of_async", CLWAVE_PYTHON_PREDICATE_ASYNC("all_of"),
      "Whether an expression in `x` (and the index `i`) is other than 0 for all elements, as a Future, "
      "returned at once; its get() blocks and returns it.");
  register_by_predicate<kind::none_of>(
      m, "none_of", CLWAVE_PYTHON_PREDICATE("none_of"),
      "Whether an expression in `x` (and the index `i`) is other than 0 for no element; True of no elements. "
      "Without `out` it blocks. With `out`, an array of bool, the truth goes to its first element, and the "
      "call returns an Event at once.\n\n"
      ">>> clwave.none_of(np.array([3, -1, 2], np.int32), \"x == 0\")\n"
      "True\n",
      "none_of_async", CLWAVE_PYTHON_PREDICATE_ASYNC("none_of"),
      "Whether an expression in `x` (and the index `i`) is other than 0 for no element, as a Future, "
      "returned at once; its get() blocks and returns it.");
  register_of_two<kind::mismatch>(
      m, "mismatch", CLWAVE_PYTHON_TWO("mismatch"),
      "The first index at which two inputs of one type and length differ; None where they do not.\n\n"
      "`same` is an expression in `a`, of `x`, and `b`, of `y`, which is true where they are equal; without "
      "it a == b, so that a NaN equals nothing. Without `out` the call blocks. With `out`, an array of "
      "uint64, the index, or clwave.nowhere, goes to its first element, and the call returns an Event at "
      "once.\n\n"
      ">>> clwave.mismatch(np.array([1, 2, 3], np.int32), np.array([1, 5, 3], np.int32))\n"
      "1\n",
      "mismatch_async", CLWAVE_PYTHON_TWO_ASYNC("mismatch"),
      "The first index at which two inputs of one type and length differ, as a Future, returned at once; "
      "its get() blocks and returns it, None where they do not.");
  register_of_two<kind::equal>(
      m, "equal", CLWAVE_PYTHON_TWO("equal"),
      "Whether two inputs of one type and length differ at no index.\n\n"
      "`same` is an expression in `a`, of `x`, and `b`, of `y`, which is true where they are equal; without "
      "it a == b, so that a NaN equals nothing. Without `out` the call blocks. With `out`, an array of bool, "
      "the truth goes to its first element, and the call returns an Event at once.\n\n"
      ">>> clwave.equal(np.ones(3, np.float32), np.zeros(3, np.float32), \"fabs(a - b) < 2\")\n"
      "True\n",
      "equal_async", CLWAVE_PYTHON_TWO_ASYNC("equal"),
      "Whether two inputs of one type and length differ at no index, as a Future, returned at once; its "
      "get() blocks and returns it.");
  m.def("is_sorted", &is_sorted<false>, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_ORDER,
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def is_sorted(x: ArrayLike | CountedArray, *, " CLWAVE_PYTHON_ORDER_TYPES
                    CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "Whether no element comes before the one at its left, in the order that sort with the same arguments "
        "leaves (NaNs last, -0 before +0), or in that of `less`. Without `out` it blocks. With `out`, an "
        "array of bool, the truth goes to its first element, and the call returns an Event at once.\n\n"
        ">>> clwave.is_sorted(np.array([1, 2, 2], np.int32))\n"
        "True\n"
        ">>> clwave.is_sorted(np.array([1, 2, 2], np.int32), descending=True)\n"
        "False\n");
  m.def("is_sorted_async", &is_sorted_async, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_ORDER,
        CLWAVE_PYTHON_LAUNCH,
        nb::sig("def is_sorted_async(x: ArrayLike | CountedArray, *, " CLWAVE_PYTHON_ORDER_TYPES
                    CLWAVE_PYTHON_LAUNCH_TYPES ") -> Future"),
        "Whether no element comes before the one at its left, in this order, as a Future, returned at once; "
        "its get() blocks and returns it.");
}

}  // namespace clwave_python
