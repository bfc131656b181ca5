// Large NumPy arrays that pass through the device in pieces (clwave's host arrays), so that neither the
// device nor the host holds a second copy of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <nanobind/nanobind.h>

#include <clwave/host_array.hpp>

#include "call.hpp"

namespace clwave_python {

// NumPy arrays of this many bytes or more are streamed by calls that can. Smaller ones are copied to the
// device as a whole, which costs no threads and no page-locked memory.
constexpr std::uint64_t least_streamed_bytes = std::uint64_t{1} << 25;

// True for a NumPy array that is large enough. None, and arrays on the device, are not.
bool is_streamed(nb::handle operand);

// A buffer of Python's protocol, released at the end of its scope.
class python_buffer {
 public:
  python_buffer(nb::handle of, int flags);
  ~python_buffer();
  python_buffer(const python_buffer&) = delete;
  python_buffer& operator=(const python_buffer&) = delete;
  Py_buffer view = {};
};
// The bytes of any NumPy array without gaps as one: dtypes such as bfloat16 have no buffers of their own.
nb::object as_bytes(nb::handle numpy_array);

// The elements of a NumPy array in C's order. Where the array has gaps or another order, they are copied on
// the host first. Throws bad_call for bytes in another order than the machine's.
class host_input {
 public:
  // `stopped` becomes true where no further piece is to be read. Must outlive the call that reads.
  host_input(call& on, nb::handle numpy_array, const char* name, const std::atomic<bool>& stopped);
  const clwave::detail::host_elements& elements() const { return elements_; }
  // What a problem of the call has in place of the elements on a device: their number and type.
  clwave::any_view shape() const { return {nullptr, elements_.n, 0, elements_.type}; }

 private:
  nb::object contiguous_;
  python_buffer bytes_;
  clwave::detail::host_elements elements_;
};

// Runs `work`, which streams, on a thread of its own, with the GIL released. Waits for the call's events
// before. A signal's exception sets `stopped` and is thrown once the pieces in flight have ended.
void run_streamed(call& on, std::atomic<bool>& stopped, const std::function<void()>& work);

}  // namespace clwave_python
