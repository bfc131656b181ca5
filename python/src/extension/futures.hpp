// Values that come later: clwave.Future.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include <nanobind/nanobind.h>

#include <clwave/future.hpp>

#include "handles.hpp"

namespace clwave_python {

struct future {
  clwave::detail::future_handle state;
  std::shared_ptr<queue> on;
  std::size_t n_bytes = 0;                                // of the value on the device
  std::function<nb::object(const unsigned char*)> value;  // Python's value of these bytes
};

}  // namespace clwave_python
