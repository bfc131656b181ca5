// OpenCL's objects as Python sees them: queues, events and device arrays; and waits that Ctrl-C ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include <clwave/any_view.hpp>
#include <clwave/event.hpp>
#include <clwave/opencl.hpp>

namespace nb = nanobind;

namespace clwave_python {

// Throws clwave::error where an OpenCL call failed; `doing` is a verb with its object.
void check(cl_int code, const char* doing);

// Throws bad_call in a process that was forked after the extension was loaded: OpenCL's drivers do not
// survive a fork.
void refuse_forked();
bool is_forked();

// A command queue with its context and device, each with a reference of its own.
class queue {
 public:
  explicit queue(cl_command_queue shared);
  // An in-order queue in a context of its own, on the device that `selector` names (select_device).
  static std::shared_ptr<queue> make(const std::string& selector);
  ~queue();
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  cl_command_queue handle = nullptr;
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  // True where all work was given by this module's calls, and has ended.
  bool is_idle() const;
  clwave::event last;              // of the last call that did not wait
  mutable bool is_shared = false;  // others may enqueue, too
};

// The queue that calls without a queue and without device arrays go to. Made when it is first asked for.
std::shared_ptr<queue> default_queue();
void set_default_queue(std::shared_ptr<queue> chosen);

// Owns a buffer.
class memory {
 public:
  memory(const queue& on, std::size_t n_bytes);
  ~memory();
  memory(const memory&) = delete;
  memory& operator=(const memory&) = delete;
  cl_mem handle = nullptr;  // null: no bytes
};

// Elements in a device's memory: all of it, or a part that shares it.
struct array {
  std::shared_ptr<memory> bytes;  // null: released
  std::shared_ptr<queue> on;
  nb::object dtype;
  const clwave::element* type = nullptr;
  std::vector<std::size_t> shape;
  std::uint64_t n = 0;
  std::uint64_t offset = 0;  // of the first element, in elements

  clwave::any_view view(const char* operand) const;
};

// A number, or a sequence of numbers.
std::vector<std::size_t> shape_from(nb::handle shape);
// `dtype` is a dtype object.
array make_array(std::shared_ptr<queue> on, std::vector<std::size_t> shape, nb::object dtype);
// Copies a NumPy array to the device. Blocks.
array array_from_numpy(std::shared_ptr<queue> on, nb::handle numpy_array);
// A new NumPy array with the elements. Blocks, and Ctrl-C ends the wait.
nb::object array_to_numpy(const array& from);

// Blocks with the GIL released until `done` has ended. A signal's exception, KeyboardInterrupt as a rule,
// ends the wait; the work goes on. A wait that is said to be brief is ended by nothing else. Throws
// clwave::error where the work failed, and in a child of fork().
void wait_for(cl_command_queue queue, const clwave::event& done, bool brief = false);

// The object that a call with `out=` returns, and the handle of one, whose queue is flushed where another one
// waits for it.
nb::object event_to_python(cl_command_queue queue, clwave::event made);
std::optional<cl_event> event_from_python(nb::handle what, cl_command_queue waits);

void register_handles(nb::module_& m);
void register_array(nb::module_& m);

}  // namespace clwave_python
