// Inputs that are no arrays: clwave.LazyArray.
#pragma once

#include <cstdint>
#include <vector>

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace clwave_python {

// What lazy_view.hpp's any_source is, of arrays of Python.
struct lazy_source {
  nb::object of;
  nb::object indices;  // None: there are none
  std::uint64_t n = 0;
  std::uint64_t first = 0;
  std::int64_t step = 1;
  std::vector<unsigned char> outside = {};
};

struct lazy_array {
  std::vector<lazy_source> sources;
  nb::object map;  // None: the one source's element itself
  nb::object dtype;
  std::uint64_t n = 0;

  template <class See>
  void visit_held(const See& see) const {
    for (const lazy_source& each : sources) {
      see(each.of);
      see(each.indices);
    }
    see(map);
    see(dtype);
  }
};

// Null where the object is of another class.
const lazy_array* lazy_from(nb::handle what);

}  // namespace clwave_python
