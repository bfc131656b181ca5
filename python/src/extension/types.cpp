// NumPy's dtypes as element types of the library.
#include "types.hpp"

#include <complex>
#include <cstring>
#include <unordered_map>

#include <nanobind/stl/complex.h>

#include <clwave/error.hpp>

namespace clwave_python {
namespace {

// Dtypes that were met, by their objects, which the table keeps alive: NumPy's own are singletons. Those that
// programs make anew for each array are found by their value instead, in clwave._types. Guarded by the GIL.
std::unordered_map<PyObject*, const clwave::element*>& known_dtypes() {
  static auto& all = *new std::unordered_map<PyObject*, const clwave::element*>;
  return all;
}
constexpr std::size_t most_known_dtypes = 256;

// The elements that clwave._types described, by its numbers.
std::vector<const clwave::element*>& described_elements() {
  static auto& all = *new std::vector<const clwave::element*>;
  return all;
}

nb::handle types_module() {
  static PyObject* const module = nb::module_::import_("clwave._types").release().ptr();
  return module;
}

const clwave::element& described_element(nb::handle dtype, const char* operand) {
  const nb::object found = types_module().attr("describe")(dtype);
  if (found.is_none())
    refuse("`" + std::string(operand) + "` has elements of " + nb::cast<std::string>(nb::str(dtype)) +
           ", and clwave has no such type; docs/python.md lists those it has");
  const auto number = nb::cast<std::size_t>(found[0]);
  const auto name = nb::cast<std::string>(found[1]);
  const auto declaration = nb::cast<std::string>(found[2]);
  auto& all = described_elements();
  if (all.size() <= number) all.resize(number + 1, nullptr);
  if (all[number] == nullptr) {
    if (declaration.empty()) {
      all[number] = clwave::find_element(name);
    } else {
      all[number] = new clwave::element(
          clwave::detail::make_element(name, name, nb::cast<std::size_t>(dtype.attr("itemsize")),
                                       clwave::element_kind::structure, 1, declaration));
    }
  }
  if (all[number] == nullptr) refuse("clwave has no type of the name " + name);
  return *all[number];
}

template <class T>
T read_as(const void* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

}  // namespace

void refuse(const std::string& message) { throw clwave::error(clwave::failure::bad_call, message); }

nb::handle numpy() {
  static PyObject* const module = nb::module_::import_("numpy").release().ptr();
  return module;
}

bool is_numpy_array(nb::handle what) {
  static PyObject* const type = nb::object(numpy().attr("ndarray")).release().ptr();
  return PyObject_TypeCheck(what.ptr(), reinterpret_cast<PyTypeObject*>(type));
}

nb::object dtype_from(nb::handle what) {
  static PyObject* const type = nb::object(numpy().attr("dtype")).release().ptr();
  if (reinterpret_cast<PyObject*>(Py_TYPE(what.ptr())) == type) return nb::borrow(what);
  return nb::handle(type)(what);
}

nb::object dtype_named(const char* name) { return dtype_from(nb::str(name)); }

// An array of another library may have the name of a dtype in its place.
const clwave::element& element_of_dtype(nb::handle given, const char* operand) {
  auto& known = known_dtypes();
  if (const auto found = known.find(given.ptr()); found != known.end()) return *found->second;
  const clwave::element& type = described_element(dtype_from(given), operand);
  if (known.size() < most_known_dtypes) {
    known.emplace(given.ptr(), &type);
    given.inc_ref();
  }
  return type;
}

std::vector<unsigned char> bytes_of_value(nb::handle value, nb::handle dtype) {
  const nb::object array = numpy().attr("array")(value, nb::arg("dtype") = dtype);
  if (nb::cast<std::size_t>(array.attr("size")) != 1) refuse("one value is needed, and not an array");
  const auto bytes = nb::cast<nb::bytes>(array.attr("tobytes")());
  const auto* const first = reinterpret_cast<const unsigned char*>(bytes.c_str());
  return {first, first + bytes.size()};
}

nb::object value_of_bytes(const void* bytes, const clwave::element& type, nb::handle dtype) {
  using kind = clwave::element_kind;
  if (type.components == 1) {
    switch (type.kind) {
      case kind::signed_integer:
        switch (type.size) {
          case 1:
            return nb::int_(read_as<std::int8_t>(bytes));
          case 2:
            return nb::int_(read_as<std::int16_t>(bytes));
          case 4:
            return nb::int_(read_as<std::int32_t>(bytes));
          default:
            return nb::int_(read_as<std::int64_t>(bytes));
        }
      case kind::unsigned_integer:
        switch (type.size) {
          case 1:
            return nb::int_(read_as<std::uint8_t>(bytes));
          case 2:
            return nb::int_(read_as<std::uint16_t>(bytes));
          case 4:
            return nb::int_(read_as<std::uint32_t>(bytes));
          default:
            return nb::int_(read_as<std::uint64_t>(bytes));
        }
      case kind::floating:
        return nb::float_(type.size == 4 ? double{read_as<float>(bytes)} : read_as<double>(bytes));
      case kind::half_storage:
        return nb::float_(double{static_cast<float>(read_as<clwave::half>(bytes))});
      case kind::bfloat16_storage:
        return nb::float_(double{static_cast<float>(read_as<clwave::bfloat16>(bytes))});
      case kind::boolean:
        return nb::bool_(read_as<std::uint8_t>(bytes) != 0);
      default:
        break;
    }
  }
  if (type.kind == kind::complex)
    return nb::cast(type.size == 8 ? std::complex<double>(read_as<std::complex<float>>(bytes))
                                   : read_as<std::complex<double>>(bytes));
  return numpy().attr("frombuffer")(nb::bytes(static_cast<const char*>(bytes), type.size),
                                    nb::arg("dtype") = dtype)[0];
}

}  // namespace clwave_python
