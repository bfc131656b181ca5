// Layouts of Python: arrays of structures, structures of arrays, and blocks of these.
#include <clwave/layout.hpp>

#include <string>
#include <vector>

#include <nanobind/stl/string.h>

#include "arguments.hpp"
#include "call.hpp"
#include "module.hpp"

namespace clwave_python {
namespace {

// Fields of a structured dtype, in the order that the calls have.
struct dtype_fields {
  clwave::layout layout;
  std::vector<nb::object> names;
  std::vector<nb::object> dtypes;
};

// `names` are those of the fields that move; None: all, in the dtype's order.
dtype_fields fields_of(nb::handle dtype, nb::handle names) {
  const nb::object all = nb::object(dtype.attr("names"));
  if (all.is_none()) refuse("a structured dtype is needed, and not " + nb::cast<std::string>(nb::str(dtype)));
  if (PyUnicode_Check(names.ptr())) refuse("`fields` is a list of names");
  dtype_fields made;
  made.layout.size = nb::cast<std::size_t>(dtype.attr("itemsize"));
  const nb::object by_name = nb::object(dtype.attr("fields"));
  for (const nb::handle name : names.is_none() ? all : nb::borrow<nb::object>(names)) {
    if (!nb::cast<bool>(by_name.attr("__contains__")(name)))
      refuse("the structure has no field " + nb::cast<std::string>(nb::repr(name)));
    const nb::object field = by_name[name];
    nb::object of = field[0];
    if (!nb::object(of.attr("subdtype")).is_none())
      refuse("the field " + nb::cast<std::string>(nb::repr(name)) +
             " is an array itself, which no array has for an element");
    made.layout.fields.push_back(
        {nb::cast<std::size_t>(of.attr("itemsize")), nb::cast<std::size_t>(field[1])});
    made.names.push_back(nb::borrow(name));
    made.dtypes.push_back(std::move(of));
  }
  return made;
}

const auto enqueue_fields = [](cl_command_queue q, const clwave::layout_problem& p,
                               const clwave::launch_options& o) { return clwave::move_fields(q, p, o); };
const auto enqueue_blocks = [](cl_command_queue q, const clwave::layout_blocks_problem& p,
                               const clwave::launch_options& o) { return clwave::move_blocks(q, p, o); };

nb::object aos_to_soa(nb::handle x, nb::handle fields, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {x});
  const dtype_fields of = fields_of(call::dtype_of(x), fields);
  clwave::layout_problem asked{.fields = &of.layout, .to_soa = true, .structures = on.in(x, "x")};
  if (!out.is_none()) {
    if (!PyDict_Check(out.ptr()) || nb::len(out) != of.names.size())
      refuse("`out` is a dict with an array for each field");
    const nb::object arrays = nb::borrow(out);
    for (const nb::object& name : of.names) {
      if (!nb::cast<bool>(arrays.attr("__contains__")(name)))
        refuse("`out` has no array for the field " + nb::cast<std::string>(nb::repr(name)));
      asked.arrays.push_back(on.out(nb::object(arrays[name]), "out"));
    }
    return on.event(on.run(asked, enqueue_fields));
  }
  std::vector<call::result> made;
  for (const nb::object& dtype : of.dtypes) {
    made.push_back(on.make_like(x, asked.structures.n, dtype, "out"));
    asked.arrays.push_back(made.back().view);
  }
  on.wait(on.run(asked, enqueue_fields));
  nb::dict all;
  for (std::size_t i = 0; i < made.size(); ++i) all[of.names[i]] = on.finished(made[i], made[i].view.n);
  return all;
}

nb::object soa_to_aos(nb::handle arrays, nb::handle dtype, nb::handle out, nb::handle queue,
                      nb::handle after) {
  if (!PyDict_Check(arrays.ptr()) || nb::len(arrays) == 0)
    refuse("`arrays` is a dict with an array for each field");
  const nb::object names = nb::object(nb::borrow(arrays).attr("keys")());
  const nb::object values = nb::steal(PyDict_Values(arrays.ptr()));
  const nb::object first = values[0];
  call on(queue, after, {first, out});
  if (!out.is_none() && !dtype.is_none()) refuse("`dtype` is that of `out`: give one of them");
  if (out.is_none() && dtype.is_none()) refuse("`dtype` is needed, that of the structures");
  const nb::object of_structures = out.is_none() ? dtype_from(dtype) : call::dtype_of(out);
  const dtype_fields of = fields_of(of_structures, names);
  clwave::layout_problem asked{.fields = &of.layout, .to_soa = false};
  for (std::size_t i = 0; i < of.names.size(); ++i) {
    const nb::object array = values[i];
    asked.arrays.push_back(on.in(array, "arrays"));
    // Only bytes move: another type of the same size would be taken for the field's.
    if (nb::object has = call::dtype_of(array); !has.equal(of.dtypes[i]))
      refuse("the array of the field " + nb::cast<std::string>(nb::repr(of.names[i])) + " is of " +
             nb::cast<std::string>(nb::str(has)) + ", and the field of " +
             nb::cast<std::string>(nb::str(of.dtypes[i])));
    if (asked.arrays.back().n != asked.arrays.front().n) refuse("the arrays differ in length");
  }
  return on.into(out, asked, asked.structures, enqueue_fields,
                 [&] { return on.make_like(first, asked.arrays.front().n, of_structures, "out"); });
}

nb::object aos_to_aosoa(nb::handle x, std::uint64_t block, nb::handle fields, nb::handle out,
                        nb::handle queue, nb::handle after) {
  call on(queue, after, {x, out});
  const dtype_fields of = fields_of(call::dtype_of(x), fields);
  clwave::layout_blocks_problem asked{
      .fields = &of.layout, .to_soa = true, .structures = on.in(x, "x"), .block = block};
  return on.into(out, asked, asked.blocks, enqueue_blocks, [&] {
    return on.make(clwave::aosoa_bytes(of.layout, asked.structures.n, block), dtype_named("uint8"), "out");
  });
}

nb::object aosoa_to_aos(nb::handle blocks, std::uint64_t block, nb::handle n, nb::handle dtype,
                        nb::handle fields, nb::handle out, nb::handle queue, nb::handle after) {
  call on(queue, after, {blocks, out});
  if (out.is_none() ? n.is_none() || dtype.is_none() : !n.is_none() || !dtype.is_none())
    refuse("give `out`, or `n` and `dtype`: how many structures there are, and their type");
  const nb::object of_structures = out.is_none() ? dtype_from(dtype) : call::dtype_of(out);
  const dtype_fields of = fields_of(of_structures, fields);
  clwave::layout_blocks_problem asked{.fields = &of.layout, .to_soa = false};
  asked.blocks = on.in(blocks, "blocks");
  asked.block = block;
  return on.into(out, asked, asked.structures, enqueue_blocks,
                 [&] { return on.make(nb::cast<std::uint64_t>(n), of_structures, "out"); });
}

}  // namespace

void register_layouts(nb::module_& m) {
  m.def("aos_to_soa", &aos_to_soa, nb::arg("x"), nb::kw_only(), nb::arg("fields") = nb::none(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def aos_to_soa(x: ArrayLike, *, fields: Sequence[str] | None = None, out: dict[str, "
                "DeviceArray] | None = None, " CLWAVE_PYTHON_LAUNCH_TYPES ") -> Any"),
        "Array of structures to structure of arrays: a dict with an array of each field, in the shape of "
        "`x`.\n\n"
        "`fields` names those that move, without it all: 1 to 16 of 1 to 16 bytes each, and none an array "
        "itself. With `out`, a dict of arrays as long as `x` or longer, it returns an Event at once.\n\n"
        ">>> points = np.array([(1, 2.5), (3, 4.5)], [(\"tag\", np.int32), (\"x\", np.float32)])\n"
        ">>> clwave.aos_to_soa(points)[\"x\"]\n"
        "array([2.5, 4.5], dtype=float32)\n");
  m.def("soa_to_aos", &soa_to_aos, nb::arg("arrays"), nb::arg("dtype") = nb::none(), nb::kw_only(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def soa_to_aos(arrays: dict[str, ArrayLike], dtype: numpy.typing.DTypeLike | None = None, "
                "*, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "Structure of arrays to array of structures, in the shape of the first array: `arrays` has one for "
        "each field of `dtype` that is set, of the field's type and all of one length.\n\n"
        "Bytes that belong to none of these fields become 0. With `out`, whose dtype is taken, it returns an "
        "Event at once.\n\n"
        ">>> point = np.dtype([(\"tag\", np.int32), (\"x\", np.float32)])\n"
        ">>> clwave.soa_to_aos({\"x\": np.array([2.5, 4.5], np.float32)}, point).tolist()\n"
        "[(0, 2.5), (0, 4.5)]\n");
  m.def("aos_to_aosoa", &aos_to_aosoa, nb::arg("x"), nb::arg("block"), nb::kw_only(),
        nb::arg("fields") = nb::none(), CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def aos_to_aosoa(x: ArrayLike, block: int, *, fields: Sequence[str] | None = "
                "None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "Array of structures to blocks of `block` structures, as uint8: each block has `block` values of the "
        "first field, then as many of the second, without padding. The last block is as large as the others; "
        "what it has beyond the last structure is not written. `fields` names those that move, without it "
        "all. With `out`, of uint8, it returns an Event at once.\n\n"
        ">>> points = np.array([(1, 5), (2, 6), (3, 7)], [(\"x\", np.uint8), (\"y\", np.uint8)])\n"
        ">>> clwave.aos_to_aosoa(points, 2)[:5]\n"
        "array([1, 2, 5, 6, 3], dtype=uint8)\n");
  m.def("aosoa_to_aos", &aosoa_to_aos, nb::arg("blocks"), nb::arg("block"), nb::arg("n") = nb::none(),
        nb::arg("dtype") = nb::none(), nb::kw_only(), nb::arg("fields") = nb::none(),
        CLWAVE_PYTHON_OUT_AND_LAUNCH,
        nb::sig("def aosoa_to_aos(blocks: ArrayLike, block: int, n: int | None = None, dtype: "
                "numpy.typing.DTypeLike | None = None, *, fields: Sequence[str] | None = "
                "None, " CLWAVE_PYTHON_OUT_AND_LAUNCH_TYPES ") -> Any"),
        "Blocks of `block` structures, as aos_to_aosoa makes them, to an array of `n` structures of `dtype`, "
        "or to `out`. Bytes that belong to no field become 0.\n\n"
        ">>> point = np.dtype([(\"x\", np.uint8), (\"y\", np.uint8)])\n"
        ">>> clwave.aosoa_to_aos(np.array([1, 2, 5, 6, 3, 0, 7, 0], np.uint8), 2, 3, point).tolist()\n"
        "[(1, 5), (2, 6), (3, 7)]\n");
}

}  // namespace clwave_python
