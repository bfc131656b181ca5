// Random numbers and orders of Python.
#include <clwave/gather.hpp>
#include <clwave/random.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"

namespace clwave_python {
namespace {

const auto enqueue_random = [](cl_command_queue q, const clwave::random_problem& p,
                               const clwave::launch_options& o) { return clwave::random(q, p, o); };

clwave::random_kind kind_from(std::string_view kind) {
  if (kind == "uniform") return clwave::random_kind::uniform;
  if (kind == "normal") return clwave::random_kind::normal;
  refuse("`kind` is \"uniform\" or \"normal\", and not \"" + std::string(kind) + "\"");
}

nb::object random_numbers(std::uint64_t seed, nb::handle shape, nb::handle dtype, std::string_view kind,
                          std::optional<std::uint64_t> below, std::uint32_t stream, std::uint64_t first,
                          nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {out});
  clwave::random_problem asked{
      .seed = seed, .kind = kind_from(kind), .below = below.value_or(0), .stream = stream, .first = first};
  if (below == 0) refuse("`below` is 1 or more");
  if (!out.is_none() && (!shape.is_none() || !dtype.is_none()))
    refuse("`shape` and `dtype` are those of `out`: give the one or the other");
  if (out.is_none() && (shape.is_none() || dtype.is_none()))
    refuse("random numbers need `shape` and `dtype`, or `out`");
  return on.into(out, asked, asked.out, enqueue_random,
                 [&] { return on.make_shaped(shape, dtype_from(dtype), "out"); });
}

nb::object random_permutation(std::uint64_t seed, std::optional<std::uint64_t> n, nb::handle dtype,
                              nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {out});
  clwave::random_problem asked{.seed = seed, .kind = clwave::random_kind::permutation};
  if (!out.is_none() && (n || !dtype.is_none()))
    refuse("`n` and `dtype` are those of `out`: give the one or the other");
  if (out.is_none() && !n) refuse("a permutation needs `n` or `out`");
  return on.into(out, asked, asked.out, enqueue_random, [&] {
    return on.make(*n, dtype.is_none() ? dtype_named(*n >> 32 == 0 ? "uint32" : "uint64") : dtype_from(dtype),
                   "out");
  });
}

nb::object shuffle(nb::handle x, std::uint64_t seed, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  clwave::reorder_problem asked{.in = on.in(x, "x"), .shuffle = true, .seed = seed};
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::reorder(q, p, o);
  };
  return on.into(out, asked, asked.out, enqueue,
                 [&] { return on.make_like(x, asked.in.n, call::dtype_of(x), "out"); });
}

}  // namespace

void register_random(nb::module_& m) {
  m.def(
      "random", &random_numbers, nb::arg("seed"), nb::arg("shape") = nb::none(),
      nb::arg("dtype") = nb::none(), nb::kw_only(), nb::arg("kind") = "uniform",
      nb::arg("below") = nb::none(), nb::arg("stream") = 0, nb::arg("first") = 0,
      CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig("def random(seed: int, shape: int | Sequence[int] | None = None, dtype: "
              "numpy.typing.DTypeLike | None = None, *, kind: str = \"uniform\", below: int | None = None, "
              "stream: int = 0, first: int = 0, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Array | Event"),
      "Random numbers by Philox 4x32-10, in a new Array on the device of `shape` and `dtype`, or in `out`, "
      "with which an Event is returned at once.\n\n"
      "Each follows from `seed` (0 to 2**64 - 1), `stream` (0 to 2**32 - 1) and its number `first` + i "
      "alone: "
      "the bits are the same on every device, in every run, and in one call or in pieces. `kind` is "
      "\"uniform\": integers of 1 to 8 bytes take all values of their type alike, or with `below` those from "
      "0 on that are less, without bias, and floats lie in [0, 1); or \"normal\": floats (float32, float64, "
      "float16, bfloat16) with mean 0 and standard deviation 1. Numbers of different kinds or types, with "
      "one seed and stream, depend on one another: give each its own stream. Not for cryptography. BadCall "
      "is raised before anything is enqueued where type, kind and bound do not go together.\n\n"
      ">>> x = clwave.random(42, 1000, np.float32)\n"
      ">>> bool((x.get() >= 0).all() and (x.get() < 1).all())\n"
      "True\n"
      ">>> piece = clwave.random(42, 10, np.float32, first=500)\n"
      ">>> bool((piece.get() == x.get()[500:510]).all())\n"
      "True\n"
      ">>> dice = clwave.random(42, 1000, np.uint8, below=6, stream=1)\n"
      ">>> sorted(set(dice.get().tolist()))\n"
      "[0, 1, 2, 3, 4, 5]\n"
      ">>> clwave.random(42, kind=\"normal\", stream=2, out=x).wait()\n");
  m.def(
      "random_permutation", &random_permutation, nb::arg("seed"), nb::arg("n") = nb::none(),
      nb::arg("dtype") = nb::none(), nb::kw_only(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig("def random_permutation(seed: int, n: int | None = None, dtype: numpy.typing.DTypeLike | None "
              "= None, *, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Array | Event"),
      "0 to n - 1, each once, in a random order that follows from `seed` (0 to 2**64 - 1) and n alone, with "
      "the same bits on every device: in a new Array of uint32, of uint64 from 2**32 elements on, or of "
      "`dtype`, one of these two; or in `out`, with which an Event is returned at once. `shuffle` brings "
      "elements into this order.\n\n"
      ">>> order = clwave.random_permutation(42, 5)\n"
      ">>> sorted(order.get().tolist())\n"
      "[0, 1, 2, 3, 4]\n");
  m.def("shuffle", &shuffle, nb::arg("x"), nb::arg("seed"), nb::kw_only(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def shuffle(x: ArrayLike, seed: int, *, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "All elements (of a matrix, too, and not its rows) in the random order x[p], where p is "
        "`random_permutation` of `seed` and their number, with the same bits on every device. Elements have "
        "any type of up to 128 bytes. `out` may not overlap `x`. A seed chooses one of at most 2**64 orders, "
        "by a hash; for one that must be uniform beyond that, sort by random keys of 64 bits.\n\n"
        ">>> x = np.array([5, 6, 7], np.int32)\n"
        ">>> p = clwave.random_permutation(42, 3).get()\n"
        ">>> bool((clwave.shuffle(x, 42) == x[p]).all())\n"
        "True\n");
}

}  // namespace clwave_python
