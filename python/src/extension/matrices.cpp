// Matrices of Python: broadcasts, transposes and products.
#include <clwave/gemm.hpp>
#include <clwave/transform.hpp>
#include <clwave/transpose.hpp>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"

namespace clwave_python {
namespace {

std::vector<std::size_t> shape_of(nb::handle x, std::size_t least, std::size_t most, const char* name) {
  const nb::object shape = nb::getattr(x, "shape", nb::none());
  if (!PyTuple_Check(shape.ptr()))
    refuse("`" + std::string(name) + "` has no shape: an array of rows and columns is needed");
  const auto n = nb::len(shape);
  if (n < least || n > most)
    refuse("`" + std::string(name) + "` has " + std::to_string(n) + " dimensions, which is no matrix");
  std::vector<std::size_t> sides;
  for (const nb::handle side : shape) sides.push_back(nb::cast<std::size_t>(side));
  return sides;
}

nb::object in_shape(const nb::object& made, std::initializer_list<std::size_t> sides) {
  nb::list shape;
  for (const std::size_t side : sides) shape.append(side);
  return made.attr("reshape")(nb::tuple(shape));
}

nb::object broadcast(nb::handle x, nb::handle vector, nb::handle map, const std::string& per, nb::handle out,
                     nb::handle queue, nb::handle after) {
  call on(queue, after, {x, vector, out});
  const auto sides = shape_of(x, 2, 2, "x");
  if (per != "row" && per != "column") refuse("`per` is \"row\" or \"column\"");
  clwave::broadcast_problem asked{.in = on.in(x, "x"),
                                  .vector = on.in(vector, "vector"),
                                  .out = {},
                                  .size = {.rows = sides[0], .columns = sides[1]},
                                  .which = per == "row" ? clwave::per::row : clwave::per::column};
  call::result made;
  if (out.is_none()) {
    made = on.make_like(x, asked.in.n, call::dtype_of(x), "out");
    asked.out = made.view;
  } else {
    asked.out = on.out(out, "out");
  }
  const map_argument apply(map, on, "map");
  asked.apply = apply;
  if (asked.apply == nullptr) refuse("`map` is needed, and not None");
  const clwave::event end = on.run(
      asked, [](cl_command_queue q, const auto& p, const auto& o) { return clwave::broadcast(q, p, o); });
  return out.is_none() ? on.value(end, made) : on.event(end);
}

nb::object transpose(nb::handle x, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  const auto sides = shape_of(x, 2, 3, "x");
  clwave::transpose_problem asked{.in = on.in(x, "x")};
  asked.size = {.rows = sides[sides.size() - 2], .columns = sides[sides.size() - 1]};
  if (sides.size() == 3) asked.size.batch = sides[0];
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::transpose(q, p, o);
  };
  if (!out.is_none()) {
    asked.out = on.out(out, "out");
    return on.event(on.run(asked, enqueue));
  }
  call::result made = on.make(asked.in.n, call::dtype_of(x), "out");
  asked.out = made.view;
  made.object = sides.size() == 3 ? in_shape(made.object, {sides[0], sides[2], sides[1]})
                                  : in_shape(made.object, {sides[1], sides[0]});
  return on.value(on.run(asked, enqueue), made);
}

nb::object transpose_in_place(nb::handle x, nb::handle queue, nb::handle after) {
  call on(queue, after, {x});
  const auto sides = shape_of(x, 2, 3, "x");
  clwave::transpose_in_place_problem asked{.squares = on.out(x, "x"), .size = {}};
  asked.size = {.rows = sides[sides.size() - 2], .columns = sides[sides.size() - 1]};
  if (sides.size() == 3) asked.size.batch = sides[0];
  return on.event(on.run(asked, [](cl_command_queue q, const auto& p, const auto& o) {
    return clwave::transpose_in_place(q, p, o);
  }));
}

nb::object gemm(nb::handle a, nb::handle b, double alpha, double beta, bool transpose_a, bool transpose_b,
                bool allow_tf32, bool same_bits, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {a, b, out});
  const auto a_sides = shape_of(a, 2, 2, "a"), b_sides = shape_of(b, 2, 2, "b");
  const std::size_t m = a_sides[transpose_a ? 1 : 0], k = a_sides[transpose_a ? 0 : 1];
  const std::size_t b_k = b_sides[transpose_b ? 1 : 0], n = b_sides[transpose_b ? 0 : 1];
  if (k != b_k) refuse("`a` has " + std::to_string(k) + " columns, and `b` " + std::to_string(b_k) + " rows");
  clwave::gemm_problem asked{
      .a = on.in(a, "a"), .b = on.in(b, "b"), .c = {}, .size = {.m = m, .n = n, .k = k}};
  asked.options.alpha = alpha;
  asked.options.beta = beta;
  asked.options.transpose_a = transpose_a;
  asked.options.transpose_b = transpose_b;
  asked.options.allow_tf32 = allow_tf32;
  asked.options.same_bits = same_bits;
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) { return clwave::gemm(q, p, o); };
  if (!out.is_none()) {
    const auto sides = shape_of(out, 2, 2, "out");
    if (sides[0] != m || sides[1] != n)
      refuse("`out` is of " + std::to_string(sides[0]) + " x " + std::to_string(sides[1]) +
             ", and the product of " + std::to_string(m) + " x " + std::to_string(n));
    asked.c = on.out(out, "out");
    return on.event(on.run(asked, enqueue));
  }
  if (beta != 0) refuse("`beta` adds to `out`, which is needed then");
  call::result made = on.make(std::uint64_t{m} * n, call::dtype_of(a), "out");
  asked.c = made.view;
  made.object = in_shape(made.object, {m, n});
  return on.value(on.run(asked, enqueue), made);
}

nb::object gemv(nb::handle a, nb::handle x, double alpha, double beta, bool transpose_a, nb::handle out,
                nb::handle queue, nb::handle after) {
  call on(queue, after, {a, x, out});
  const auto sides = shape_of(a, 2, 2, "a");
  const std::size_t rows = sides[transpose_a ? 1 : 0], columns = sides[transpose_a ? 0 : 1];
  clwave::gemv_problem asked{.a = on.in(a, "a"),
                             .x = on.in(x, "x"),
                             .y = {},
                             .size = {.rows = rows, .columns = columns},
                             .options = {.alpha = alpha, .beta = beta, .transpose = transpose_a}};
  if (asked.x.n != columns)
    refuse("`a` has " + std::to_string(columns) + " columns, and `x` " + std::to_string(asked.x.n) +
           " elements");
  const auto enqueue = [](cl_command_queue q, const auto& p, const auto& o) { return clwave::gemv(q, p, o); };
  if (!out.is_none()) {
    asked.y = on.out(out, "out");
    if (asked.y.n != rows)
      refuse("`out` has " + std::to_string(asked.y.n) + " elements, and the product " + std::to_string(rows));
    return on.event(on.run(asked, enqueue));
  }
  if (beta != 0) refuse("`beta` adds to `out`, which is needed then");
  const call::result made = on.make(rows, call::dtype_of(x), "out");
  asked.y = made.view;
  return on.value(on.run(asked, enqueue), made);
}

}  // namespace

void register_matrices(nb::module_& m) {
  m.def("broadcast", &broadcast, nb::arg("x"), nb::arg("vector"), nb::kw_only(), nb::arg("map"),
        nb::arg("per") = "column", CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def broadcast(x: ArrayLike, vector: ArrayLike, *, map: Map | str, per: str = "
                "'column', " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "A function of each element `x` of a matrix and of the value `b` that a vector has for its column, "
        "or with "
        "per=\"row\" for its row.\n\n"
        ">>> x = np.ones((2, 2), np.float32)\n"
        ">>> clwave.broadcast(x, np.array([1, 2], np.float32), map=\"x + b\", per=\"row\")\n"
        "array([[2., 2.],\n"
        "       [3., 3.]], dtype=float32)\n");
  m.def("transpose", &transpose, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def transpose(x: ArrayLike, *, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "The transpose of a matrix, or of each of a batch.\n\n"
        ">>> clwave.transpose(np.array([[1, 2, 3]], np.int32)).shape\n"
        "(3, 1)\n");
  m.def("transpose_in_place", &transpose_in_place, nb::arg("x"), nb::kw_only(), CLWAVE_PYTHON_LAUNCH,
        nb::sig("def transpose_in_place(x: DeviceArray, *, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Event"),
        "Exchanges the rows and columns of a square matrix, or of each of a batch, where it is. Returns an "
        "Event at once.\n\n"
        ">>> x = clwave.Array.from_numpy(np.array([[1, 2], [3, 4]], np.int32))\n"
        ">>> clwave.transpose_in_place(x).wait()\n"
        ">>> x.get()\n"
        "array([[1, 3],\n"
        "       [2, 4]], dtype=int32)\n");
  m.def("gemm", &gemm, nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("alpha") = 1.0,
        nb::arg("beta") = 0.0, nb::arg("transpose_a") = false, nb::arg("transpose_b") = false,
        nb::arg("allow_tf32") = false, nb::arg("same_bits") = false, CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def gemm(a: ArrayLike, b: ArrayLike, *, alpha: float = 1.0, beta: float = 0.0, transpose_a: "
                "bool = False, "
                "transpose_b: bool = False, allow_tf32: bool = False, same_bits: bool = "
                "False, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "The matrix product alpha * a @ b, or with `out` alpha * a @ b + beta * out.\n\n"
        ">>> a = np.arange(4, dtype=np.float32).reshape(2, 2)\n"
        ">>> clwave.gemm(a, a)\n"
        "array([[ 2.,  3.],\n"
        "       [ 6., 11.]], dtype=float32)\n");
  m.def(
      "gemv", &gemv, nb::arg("a"), nb::arg("x"), nb::kw_only(), nb::arg("alpha") = 1.0, nb::arg("beta") = 0.0,
      nb::arg("transpose_a") = false, CLWAVE_PYTHON_OUT_AND_LAUNCH,
      nb::sig("def gemv(a: ArrayLike, x: ArrayLike, *, alpha: float = 1.0, beta: float = 0.0, transpose_a: "
              "bool = False, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
      "The product alpha * a @ x of a matrix and a vector, or with `out` alpha * a @ x + beta * out. It has "
      "the same bits on every device that keeps denormal numbers.\n\n"
      ">>> clwave.gemv(np.arange(4, dtype=np.float32).reshape(2, 2), np.ones(2, np.float32))\n"
      "array([1., 5.], dtype=float32)\n");
}

}  // namespace clwave_python
