// Operators and maps of Python.
#include "texts.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include <nanobind/stl/string.h>

#include "call.hpp"
#include "module.hpp"
#include "types.hpp"

namespace clwave_python {
namespace {

struct named_op {
  std::string_view name;
  const clwave::op* of;
};
struct named_map {
  std::string_view name;
  const clwave::map* of;
};

const clwave::op* find_text(std::string_view name, const clwave::op*) {
  static const clwave::op argmin{.name = "argmin", .source = {}, .kind = clwave::op_kind::argmin};
  static const clwave::op argmax{.name = "argmax", .source = {}, .kind = clwave::op_kind::argmax};
  static const named_op all[] = {{"plus", &clwave::plus},
                                 {"sum", &clwave::plus},
                                 {"multiplies", &clwave::multiplies},
                                 {"product", &clwave::multiplies},
                                 {"min", &clwave::min},
                                 {"max", &clwave::max},
                                 {"bit_and", &clwave::bit_and},
                                 {"bit_or", &clwave::bit_or},
                                 {"bit_xor", &clwave::bit_xor},
                                 {"logical_and", &clwave::logical_and},
                                 {"all", &clwave::logical_and},
                                 {"logical_or", &clwave::logical_or},
                                 {"any", &clwave::logical_or},
                                 {"argmin", &argmin},
                                 {"argmax", &argmax}};
  for (const named_op& one : all)
    if (one.name == name) return one.of;
  return nullptr;
}

const clwave::map* find_text(std::string_view name, const clwave::map*) {
  static const named_map all[] = {{"identity", &clwave::identity},
                                  {"abs", &clwave::abs},
                                  {"square", &clwave::square},
                                  {"product", &clwave::product}};
  for (const named_map& one : all)
    if (one.name == name) return one.of;
  return nullptr;
}

bool is_word(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text)
    if ((c < 'a' || c > 'z') && c != '_') return false;
  return true;
}

clwave::named_value value_from(const std::string& name, nb::handle number, bool doubles) {
  if (PyFloat_CheckExact(number.ptr())) {
    const double value = PyFloat_AsDouble(number.ptr());
    return doubles ? clwave::named_value(name, value) : clwave::named_value(name, static_cast<float>(value));
  }
  if (PyBool_Check(number.ptr())) return {name, std::int32_t{number.ptr() == Py_True}};
  if (PyLong_CheckExact(number.ptr())) {
    const auto value = nb::cast<std::int64_t>(number);
    if (value >= std::numeric_limits<std::int32_t>::min() &&
        value <= std::numeric_limits<std::int32_t>::max())
      return {name, static_cast<std::int32_t>(value)};
    return {name, value};
  }
  // A number of NumPy's has the type of its dtype.
  const nb::object array = numpy().attr("asarray")(number);
  const clwave::element& type = element_of_dtype(array.attr("dtype"), name.c_str());
  const std::vector<unsigned char> bytes = bytes_of_value(number, array.attr("dtype"));
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, bytes.data(), sizeof value);
    return clwave::named_value(name, value);
  };
  if (type.name == "i8") return as(std::int8_t{});
  if (type.name == "u8") return as(std::uint8_t{});
  if (type.name == "i16") return as(std::int16_t{});
  if (type.name == "u16") return as(clwave::u16{});
  if (type.name == "i32") return as(std::int32_t{});
  if (type.name == "u32") return as(std::uint32_t{});
  if (type.name == "i64") return as(std::int64_t{});
  if (type.name == "u64") return as(std::uint64_t{});
  if (type.name == "f32") return as(float{});
  if (type.name == "f64") return as(double{});
  if (type.name == "f16") return as(clwave::half{});
  if (type.name == "bf16") return as(clwave::bfloat16{});
  refuse("the value `" + name + "` is no number");
}

std::vector<clwave::named_value> values_from(nb::handle values, bool doubles) {
  std::vector<clwave::named_value> made;
  if (values.is_none()) return made;
  for (const auto [name, number] : nb::cast<nb::dict>(values))
    made.push_back(value_from(nb::cast<std::string>(name), number, doubles));
  return made;
}

// An expression of OpenCL C for an operator's identity: a string as it is, and a number as a literal. Python
// writes infinities, NaN, truths and integers of 64 bits in ways that OpenCL C does not read.
std::string identity_from(nb::handle given) {
  if (given.is_none()) return {};
  if (PyUnicode_Check(given.ptr())) return nb::cast<std::string>(given);
  constexpr const char* kinds = "`identity` is an expression in a string, or a real number";
  if (nb::hasattr(given, "__len__")) refuse(kinds);
  if (PyBool_Check(given.ptr())) return given.ptr() == Py_True ? "1" : "0";
  if (PyIndex_Check(given.ptr())) {
    const nb::object number = nb::steal(PyNumber_Index(given.ptr()));
    if (!number.is_valid()) throw nb::python_error();
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow < 0) refuse("`identity` is below the integers of 64 bits");
    if (overflow == 0) {
      // The literal of the lowest integer would be one too large before its sign.
      if (value == std::numeric_limits<long long>::min()) return "(-9223372036854775807L - 1)";
      return std::to_string(value);
    }
    const unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse("`identity` is above the integers of 64 bits");
    }
    return std::to_string(large) + "UL";
  }
  // Arrays, structures and complex numbers have no literal; NumPy's real numbers are floats to Python, too.
  const bool is_complex = PyComplex_Check(given.ptr()) ||
                          PyObject_IsInstance(given.ptr(), numpy().attr("complexfloating").ptr()) == 1;
  if (is_complex || !nb::hasattr(given, "__float__")) refuse(kinds);
  const nb::object number = nb::steal(PyNumber_Float(given.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  const double value = PyFloat_AS_DOUBLE(number.ptr());
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "(-INFINITY)";
  return nb::cast<std::string>(nb::repr(number));
}

void make_op(python_op* self, const std::string& source, nb::handle identity, const std::string& name,
             bool commutative, const std::string& declarations, nb::handle values) {
  clwave::op made{.name = name.empty() ? "op" : name,
                  .source = source,
                  .identity = identity_from(identity),
                  .commutative = commutative,
                  .declarations = declarations};
  python_op both{made, made};
  both.narrow.values = values_from(values, false);
  both.wide.values = values_from(values, true);
  new (self) python_op(std::move(both));
}

void make_map(python_map* self, const std::string& source, const std::string& name,
              const std::string& declarations, nb::handle values) {
  clwave::map made{.name = name.empty() ? "map" : name, .source = source, .declarations = declarations};
  python_map both{made, made};
  both.narrow.values = values_from(values, false);
  both.wide.values = values_from(values, true);
  new (self) python_map(std::move(both));
}

}  // namespace

template <class Text>
text_argument<Text>::text_argument(nb::handle given, call& on, const char* name) {
  if (given.is_none()) return;
  if (PyUnicode_CheckExact(given.ptr())) {
    Py_ssize_t size = 0;
    const char* const characters = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (characters == nullptr) throw nb::python_error();
    const std::string_view word(characters, static_cast<std::size_t>(size));
    chosen_ = find_text(word, static_cast<const Text*>(nullptr));
    if (chosen_ != nullptr) return;
    // A lone word other than x, which copy_if takes as a predicate, is a name that was spelled wrongly.
    if (is_word(word) && word.size() > 1)
      refuse("`" + std::string(name) + "` is \"" + std::string(word) +
             "\", which names nothing of clwave's own and is no expression");
    Text made;
    made.name = name;
    made.source = word;
    made_ = std::move(made);
    chosen_ = &*made_;
    return;
  }
  if (!nb::isinstance<text<Text>>(given))
    refuse("`" + std::string(name) + "` is a name, an expression of OpenCL C in a string, or clwave." +
           (std::is_same_v<Text, clwave::op> ? "Op" : "Map"));
  chosen_ = &nb::cast<const text<Text>&>(given).of(on.doubles());
  // An expression alone has no loops.
  if (!chosen_->declarations.empty()) on.expect_long();
}
template class text_argument<clwave::op>;
template class text_argument<clwave::map>;

void register_texts(nb::module_& m) {
  nb::class_<python_op>(
      m, "Op",
      "A binary operator of your own: an expression of OpenCL C in `a` and `b`, where `a` stands "
      "before `b`.\n\n"
      "`identity` is the result of no elements: an expression, or a real number, infinities and NaN "
      "among them; without it an empty input is refused. `values` are numbers that the text names: calls "
      "that differ in these alone share "
      "one program. A Python float is a float in the text, and a double where an operand of the "
      "call has doubles; a NumPy number has its own type.\n\n"
      ">>> hypot = clwave.Op(\"sqrt(a*a + b*b)\", identity=\"0\")\n"
      ">>> clwave.reduce(np.array([3, 4], np.float32), hypot)\n"
      "5.0\n")
      .def(
          "__init__", &make_op, nb::arg("source"), nb::kw_only(), nb::arg("identity").none() = nb::none(),
          nb::arg("name") = "", nb::arg("commutative") = true, nb::arg("declarations") = "",
          nb::arg("values").none() = nb::none(),
          nb::sig(
              "def __init__(self, source: str, *, identity: str | int | float | None = None, name: str = '', "
              "commutative: bool = True, declarations: str = '', values: dict[str, Any] | None = None) -> "
              "None"))
      .def_prop_ro("source", [](const python_op& o) { return o.narrow.source; })
      .def_prop_ro("name", [](const python_op& o) { return o.narrow.name; })
      .def("__repr__", [](const python_op& o) { return "clwave.Op('" + o.narrow.source + "')"; });
  nb::class_<python_map>(
      m, "Map",
      "A function of an element `x`, of two or three inputs `x`, `y` and `z`, and of the index "
      "`i`: an expression of OpenCL C. `values` are numbers that it names; another number needs no new "
      "build.\n\n"
      ">>> axpy = clwave.Map(\"alpha * x + y\", values={\"alpha\": 2.0})\n"
      ">>> x = np.ones(3, np.float32)\n"
      ">>> clwave.transform(x, x, map=axpy)\n"
      "array([3., 3., 3.], dtype=float32)\n")
      .def("__init__", &make_map, nb::arg("source"), nb::kw_only(), nb::arg("name") = "",
           nb::arg("declarations") = "", nb::arg("values").none() = nb::none(),
           nb::sig("def __init__(self, source: str, *, name: str = '', declarations: str = '', values: "
                   "dict[str, Any] | None = None) -> None"))
      .def_prop_ro("source", [](const python_map& o) { return o.narrow.source; })
      .def_prop_ro("name", [](const python_map& o) { return o.narrow.name; })
      .def("__repr__", [](const python_map& o) { return "clwave.Map('" + o.narrow.source + "')"; });
}

}  // namespace clwave_python
