// As many of an array's first elements, or of the first segments of offsets, as a number on the device says:
// clwave.CountedArray and clwave.CountedSegments.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace clwave_python {

// Both are device arrays, clwave's own or others.
struct counted_array {
  nb::object all;    // the elements that there may be
  nb::object count;  // their number, one element

  template <class See>
  void visit_held(const See& see) const {
    see(all);
    see(count);
  }
};

// Throws bad_call where `count` cannot be the number of elements of `all`.
counted_array make_counted(nb::handle all, nb::handle count);

// Null where the object is of another class.
const counted_array* counted_from(nb::handle what);

// The same of segments.
struct counted_offsets {
  nb::object all;    // one more than there may be segments
  nb::object count;  // the number of segments, one element

  template <class See>
  void visit_held(const See& see) const {
    see(all);
    see(count);
  }
};

counted_offsets make_counted_segments(nb::handle all, nb::handle count);
const counted_offsets* counted_segments_from(nb::handle what);

}  // namespace clwave_python
