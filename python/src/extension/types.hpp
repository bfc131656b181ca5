// NumPy's dtypes as element types of the library, and numbers between Python and the bytes of elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <clwave/element.hpp>

namespace nb = nanobind;

namespace clwave_python {

// The element type of a NumPy dtype object, which lives as long as the process. Throws bad_call for a dtype
// that has none, naming the operand.
const clwave::element& element_of_dtype(nb::handle given, const char* operand);

// np.dtype(what): of a dtype, a type or a name.
nb::object dtype_from(nb::handle what);

// The dtype of a built-in type that NumPy has.
nb::object dtype_named(const char* name);

// The bytes of `value` as an element of that dtype.
std::vector<unsigned char> bytes_of_value(nb::handle value, nb::handle dtype);

// The Python number that the bytes of an element stand for; of structures and vectors NumPy's scalar.
nb::object value_of_bytes(const void* bytes, const clwave::element& type, nb::handle dtype);

// The module numpy, imported once.
nb::handle numpy();

// An exact NumPy array, or one of a subclass.
bool is_numpy_array(nb::handle what);

// Throws clwave::error of the kind bad_call.
[[noreturn]] void refuse(const std::string& message);

}  // namespace clwave_python
