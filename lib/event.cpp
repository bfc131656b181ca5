// Events, the wait for them, and OpenCL codes as errors.
#include <clwave/event.hpp>

#include <string>

#include "opencl.hpp"

namespace clwave {

event::event(const event& other) noexcept : event_(other.event_), not_made_(other.not_made_) {
  if (event_ != nullptr) clRetainEvent(event_);
}

event::~event() {
  if (event_ != nullptr) clReleaseEvent(event_);
}

void event::check_made() const {
  if (not_made_)
    throw error(failure::bad_call, "this call was told to make no event", CL_SUCCESS,
                {.advice = "wait for its queue, or leave with_event true"});
}

void event::wait() const {
  check_made();
  if (event_ == nullptr) return;
  const cl_int code = clWaitForEvents(1, &event_);
  if (code == CL_SUCCESS) return;
  cl_int status = code;
  if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  const failure kind = failure_of(status);
  throw error(kind == failure::out_of_memory ? kind : failure::device_lost, "a command failed on the device",
              status);
}

bool event::done() const {
  check_made();
  if (event_ == nullptr) return true;
  cl_int status = CL_COMPLETE;
  check(clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        "ask an event");
  return status == CL_COMPLETE || status < 0;
}

failure failure_of(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_OUT_OF_RESOURCES:
      return failure::out_of_memory;
    case CL_DEVICE_NOT_AVAILABLE:
      return failure::device_lost;
    default:
      return failure::driver;
  }
}

void check(cl_int code, std::string_view doing, error_details details) {
  if (code == CL_SUCCESS) return;
  throw error(failure_of(code), "could not " + std::string(doing), code, std::move(details));
}

}  // namespace clwave
