// Events, wait lists, and the wait for them.
#include <clwave/event.hpp>

#include "base/forked.hpp"
#include "base/opencl.hpp"
#include "call/call.hpp"

namespace clwave::detail {

void wait_for(cl_event of, doing whose) {
  const cl_int code = clWaitForEvents(1, &of);
  if (code == CL_SUCCESS) return;
  if (code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) check(code, "wait for an event", whose);
  cl_int status = CL_SUCCESS;
  if (clGetEventInfo(of, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) != CL_SUCCESS ||
      status >= 0)
    status = code;
  throw error(failure_of(status, doing::outcome), "a command failed on the device", status);
}

}  // namespace clwave::detail

namespace clwave {
using namespace detail;

event::event(const event& other) : not_made_(other.not_made_) {
  if (other.event_ == nullptr) return;
  check(clRetainEvent(other.event_), "retain an event", doing::callers_object);
  event_ = other.event_;
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
  refuse_forked_child("event");  // nobody would end the wait
  wait_for(event_, doing::callers_object);
}

bool event::done() const {
  check_made();
  if (event_ == nullptr) return true;
  cl_int status = CL_COMPLETE;
  check(clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        "ask an event", doing::callers_object);
  return status == CL_COMPLETE || status < 0;
}

void wait_list::wait() const {
  if (empty()) return;
  refuse_forked_child("wait_list");
  for (const cl_event each : handles()) {
    wait_for(each, doing::callers_object);
    // NVIDIA's driver does not say of a user's event that it was ended by an error.
    cl_int status = CL_COMPLETE;
    check(clGetEventInfo(each, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
          "ask an event", doing::callers_object);
    if (status < 0) throw error(failure_of(status, doing::outcome), "a command failed on the device", status);
  }
}

void wait_list::add(cl_event e) {
  if (e == nullptr) return;
  if (n_ == few_.size()) many_.assign(few_.begin(), few_.end());
  // Memory is asked for before the reference, so that its lack leaves none behind.
  if (n_ >= few_.size() && many_.capacity() == n_) many_.reserve(2 * n_);
  check(clRetainEvent(e), "retain an event to wait for", doing::callers_object);
  if (n_ < few_.size())
    few_[n_] = e;
  else
    many_.push_back(e);
  ++n_;
}

void wait_list::release() noexcept {
  for (const cl_event e : handles()) clReleaseEvent(e);
}

}  // namespace clwave
