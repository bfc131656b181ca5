// Queues and events of Python, and waits that Ctrl-C ends.
#include "handles.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <clwave/cache.hpp>
#include <clwave/device.hpp>
#include <clwave/error.hpp>

#include "types.hpp"

namespace clwave_python {
namespace {

const pid_t loaded_in = getpid();

std::shared_ptr<queue>& chosen_queue() {
  static auto& chosen = *new std::shared_ptr<queue>;
  return chosen;
}

template <class T>
T info_of(cl_command_queue handle, cl_command_queue_info what) {
  T value = {};
  check(clGetCommandQueueInfo(handle, what, sizeof value, &value, nullptr), "ask a queue");
  return value;
}

bool has_ended(cl_event e) {
  cl_int status = CL_COMPLETE;
  check(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        "ask an event");
  return status <= CL_COMPLETE;
}

// Looking at an event again and again finds out sooner that it has ended than being woken does: NVIDIA's
// driver calls back up to 20 ms late. A CPU needs its cores for the work itself, though.
constexpr auto time_to_look = std::chrono::microseconds(100);
constexpr auto time_to_look_at_gpus = std::chrono::milliseconds(5);
// Then naps between looks, each a small part of the time that has passed.
constexpr int naps_of_time = 64;
constexpr auto longest_nap = std::chrono::milliseconds(1);
// How long Ctrl-C may have to wait.
constexpr auto time_between_signals = std::chrono::milliseconds(50);

bool runs_on_cpu(cl_event e) {
  cl_command_queue on = nullptr;
  check(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof on, &on, nullptr), "ask an event");
  if (on == nullptr) return false;  // a user's event
  cl_device_type type = CL_DEVICE_TYPE_CPU;
  check(clGetDeviceInfo(info_of<cl_device_id>(on, CL_QUEUE_DEVICE), CL_DEVICE_TYPE, sizeof type, &type,
                        nullptr),
        "ask a device");
  return (type & CL_DEVICE_TYPE_CPU) != 0;
}

// A wait for an event that began with this object.
class event_wait {
 public:
  explicit event_wait(cl_event e) : event_(e) {}

  // With the GIL released. True once the event has ended; false where that takes longer than Ctrl-C should
  // wait.
  bool ends_soon() {
    using clock = std::chrono::steady_clock;
    const auto until = clock::now() + time_between_signals;
    for (auto now = clock::now(); !has_ended(event_); now = clock::now()) {
      if (now > until) return false;
      const auto passed = now - began_;
      if (passed < time_to_look || (!is_of_cpu() && passed < time_to_look_at_gpus))
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(std::min<clock::duration>(passed / naps_of_time, longest_nap));
    }
    return true;
  }

 private:
  bool is_of_cpu() {
    if (!of_cpu_) of_cpu_ = runs_on_cpu(event_);
    return *of_cpu_;
  }

  cl_event event_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::optional<bool> of_cpu_;
};

struct python_event {
  clwave::event of;
  std::shared_ptr<_cl_command_queue> queue;  // to be flushed
};

// With a reference of its own.
std::shared_ptr<_cl_command_queue> retained(cl_command_queue queue) {
  check(clRetainCommandQueue(queue), "retain a queue");
  return {queue, [](cl_command_queue q) {
            if (!is_forked()) clReleaseCommandQueue(q);
          }};
}

}  // namespace

void check(cl_int code, const char* doing) {
  if (code == CL_SUCCESS) return;
  const bool memory = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                      code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE;
  throw clwave::error(memory ? clwave::failure::out_of_memory : clwave::failure::driver,
                      std::string("the driver could not ") + doing, code);
}

bool is_forked() { return getpid() != loaded_in; }

void refuse_forked() {
  if (is_forked())
    refuse(
        "this process was forked after clwave was imported, and OpenCL's drivers do not survive a fork: "
        "import clwave in the child alone, or start it by multiprocessing's \"spawn\"");
}

queue::queue(cl_command_queue shared) : handle(shared) {
  check(clRetainCommandQueue(handle), "retain a queue");
  context = info_of<cl_context>(handle, CL_QUEUE_CONTEXT);
  device = info_of<cl_device_id>(handle, CL_QUEUE_DEVICE);
  check(clRetainContext(context), "retain a context");
}

std::shared_ptr<queue> queue::make(const std::string& selector) {
  refuse_forked();
  cl_device_id device = clwave::select_device(selector);
  cl_int code = CL_SUCCESS;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "make a context");
  cl_command_queue handle = clCreateCommandQueue(context, device, 0, &code);
  std::shared_ptr<queue> made;
  if (code == CL_SUCCESS) {
    // Takes references of its own. Intel's driver drops a context that its queue alone has.
    made = std::make_shared<queue>(handle);
    clReleaseCommandQueue(handle);
  }
  clReleaseContext(context);
  check(code, "make a queue");
  return made;
}

queue::~queue() {
  if (is_forked()) return;
  clReleaseCommandQueue(handle);
  clReleaseContext(context);
}

std::shared_ptr<queue> default_queue() {
  auto& chosen = chosen_queue();
  if (!chosen) chosen = queue::make("");
  return chosen;
}

void set_default_queue(std::shared_ptr<queue> chosen) { chosen_queue() = std::move(chosen); }

bool queue::is_idle() const { return !is_shared && (last.get() == nullptr || has_ended(last.get())); }

void wait_for(cl_command_queue queue, const clwave::event& done, bool brief) {
  refuse_forked();  // no driver is there that would end the event
  const cl_event e = done.get();
  if (e == nullptr) return;
  if (brief) {
    const nb::gil_scoped_release released;
    if (queue != nullptr) check(clFlush(queue), "flush the queue");
    done.wait();
    return;
  }
  event_wait wait(e);
  for (bool ended = false; !ended;) {
    {
      const nb::gil_scoped_release released;
      if (queue != nullptr) check(clFlush(std::exchange(queue, nullptr)), "flush the queue");
      ended = wait.ends_soon();
    }
    if (!ended && PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  done.wait();
}

void register_handles(nb::module_& m) {
  nb::class_<queue>(m, "Queue",
                    "An in-order queue on a device, in a context of its own, which calls work on.\n\n"
                    "`device` selects the device as the tool does: \"gpu\", \"cpu\", \"0:1\", \"sm_90\" or "
                    "\"name~text\". Empty: the first GPU, else the first device.")
      .def(
          "__init__",
          [](queue* self, const std::string& device) { new (self) queue(queue::make(device)->handle); },
          nb::arg("device") = "")
      .def_static(
          "from_int_ptr",
          [](std::uintptr_t value) {
            refuse_forked();
            if (value == 0) refuse("a queue's handle is not 0");
            auto made = std::make_shared<queue>(reinterpret_cast<cl_command_queue>(value));
            made->is_shared = true;
            return made;
          },
          nb::arg("int_ptr"), "A queue that another library made, such as pyopencl's `queue.int_ptr`.")
      .def_prop_ro(
          "int_ptr",
          [](const queue& q) {
            q.is_shared = true;
            return reinterpret_cast<std::uintptr_t>(q.handle);
          },
          "The cl_command_queue as a number, for `pyopencl.CommandQueue.from_int_ptr`.")
      .def_prop_ro(
          "context_int_ptr", [](const queue& q) { return reinterpret_cast<std::uintptr_t>(q.context); },
          "The cl_context as a number, for `pyopencl.Context.from_int_ptr`.")
      .def_prop_ro(
          "device", [](const queue& q) { return clwave::facts_of(q.device).name.value_or("unknown"); },
          "The device's name.")
      .def(
          "finish",
          [](const queue& q) {
            refuse_forked();
            cl_event marker = nullptr;
            check(clEnqueueMarkerWithWaitList(q.handle, 0, nullptr, &marker), "enqueue a marker");
            wait_for(q.handle, clwave::event(marker));
          },
          "Blocks until all that was enqueued is done. Ctrl-C ends the wait.")
      .def(
          "release_cache",
          [](const queue& q) {
            refuse_forked();
            const nb::gil_scoped_release released;
            clwave::release(q.context);
          },
          "Frees what the library keeps for the queue's context: programs and workspace.");
  m.def("default_queue", &default_queue,
        "The queue of calls that are given no queue and no device array. Made on the first GPU, else the "
        "first device, when it is first asked for.");
  m.def("set_default_queue", &set_default_queue, nb::arg("queue"), "Makes `queue` the default one.");

  nb::class_<python_event>(m, "Event", "The end of a call's work, which a call with `out=` returns.")
      .def(
          "wait", [](const python_event& e) { wait_for(e.queue.get(), e.of); },
          "Blocks until the work is done; Ctrl-C ends the wait. Raises where the work failed.")
      .def_prop_ro(
          "done",
          [](const python_event& e) {
            refuse_forked();
            if (e.of.done()) return true;
            check(clFlush(e.queue.get()), "flush the queue");  // else it might never begin
            return e.of.done();
          },
          "True once the work has ended, well or not. Does not block.")
      .def_prop_ro(
          "int_ptr", [](const python_event& e) { return reinterpret_cast<std::uintptr_t>(e.of.get()); },
          "The cl_event as a number, for `pyopencl.Event.from_int_ptr`.");
}

nb::object event_to_python(cl_command_queue queue, clwave::event made) {
  return nb::cast(python_event{std::move(made), retained(queue)});
}

std::optional<cl_event> event_from_python(nb::handle what, cl_command_queue waits) {
  if (nb::isinstance<python_event>(what)) {
    const auto& e = nb::cast<const python_event&>(what);
    if (e.queue.get() != waits) check(clFlush(e.queue.get()), "flush the queue");
    return e.of.get();
  }
  return {};
}

}  // namespace clwave_python
