// As many of an array's first elements as a number on the device says: clwave.CountedArray.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace clwave_python {

// Both are device arrays, clwave's own or others.
struct counted_array {
  nb::object all;    // the elements that there may be
  nb::object count;  // their number, one element
};

// Throws bad_call where `count` cannot be the number of elements of `all`.
counted_array make_counted(nb::handle all, nb::handle count);

// Null where the object is of another class.
const counted_array* counted_from(nb::handle what);

}  // namespace clwave_python
