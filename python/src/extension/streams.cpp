// Large NumPy arrays that pass through the device in pieces.
#include "streams.hpp"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include <clwave/error.hpp>

#include "types.hpp"

namespace clwave_python {
namespace {

// How long Ctrl-C may have to wait before it is seen.
constexpr auto time_between_signals = std::chrono::milliseconds(50);

nb::object contiguous(nb::handle numpy_array) {
  if (!nb::cast<bool>(numpy_array.attr("dtype").attr("isnative")))
    refuse("the array's bytes have another order than this machine's");
  return numpy().attr("ascontiguousarray")(numpy_array);
}

}  // namespace

bool is_streamed(nb::handle operand) {
  return !operand.is_none() && is_numpy_array(operand) &&
         nb::cast<std::uint64_t>(operand.attr("nbytes")) >= least_streamed_bytes;
}

python_buffer::python_buffer(nb::handle of, int flags) {
  if (PyObject_GetBuffer(of.ptr(), &view, flags) != 0) throw nb::python_error();
}

python_buffer::~python_buffer() { PyBuffer_Release(&view); }

nb::object as_bytes(nb::handle numpy_array) {
  return numpy_array.attr("reshape")(-1).attr("view")(numpy().attr("uint8"));
}

host_input::host_input(call& on, nb::handle numpy_array, const char* name, const std::atomic<bool>& stopped)
    : contiguous_(contiguous(numpy_array)), bytes_(as_bytes(contiguous_), PyBUF_SIMPLE) {
  const clwave::element& type = element_of_dtype(nb::object(contiguous_.attr("dtype")), name);
  on.note_type(type);
  on.expect_long();
  elements_.n = nb::cast<std::uint64_t>(contiguous_.attr("size"));
  elements_.type = &type;
  // A function rather than the memory itself, so that a signal can end the stream between two pieces.
  elements_.read = [from = static_cast<const unsigned char*>(bytes_.view.buf), size = type.size, &stopped](
                       std::uint64_t first, std::size_t n, void* into) {
    if (stopped) throw clwave::error(clwave::failure::bad_call, "a signal ended the call");
    std::memcpy(into, from + first * size, n * size);
  };
}

void run_streamed(call& on, std::atomic<bool>& stopped, const std::function<void()>& work) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  std::exception_ptr failed;
  std::thread worker([&] {
    try {
      on.launch().after.wait();
      work();
    } catch (...) {
      failed = std::current_exception();
    }
    // Under the lock to its end: what is notified lives in the other thread's frame.
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  });
  for (bool seen = false; !seen;) {
    {
      const nb::gil_scoped_release released;
      std::unique_lock lock(mutex);
      seen = changed.wait_for(lock, time_between_signals, [&] { return ended; });
    }
    if (!seen && PyErr_CheckSignals() != 0) {
      nb::python_error raised;
      stopped = true;
      {
        const nb::gil_scoped_release released;
        worker.join();
      }
      throw raised;
    }
  }
  worker.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace clwave_python
