// What every call does first: reads its queue, and checks what it waits for.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <clwave/event.hpp>
#include <clwave/view.hpp>

#include "base/opencl.hpp"
#include "program/program.hpp"

namespace clwave::detail {

class context_entry;

// Where a call runs.
struct call_site {
  cl_command_queue queue = nullptr;
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  bool in_order = true;
  target on;  // the device's facts and the profile chosen for it
  // Held while the call runs, so that release() in another thread takes nothing from under it.
  std::shared_ptr<context_entry> kept;
};

// Asks the queue. Throws bad_call for a null or dead queue.
call_site site_of(cl_command_queue queue, std::string_view primitive);

// The same without a queue, for who only builds: the context's entry and one of its devices.
call_site site_on(std::shared_ptr<context_entry> kept, cl_device_id device);

// The events that a call waits for. Throws bad_call for one of another context than the queue's, and
// device_lost (or out_of_memory) for one that has ended in an error.
std::span<const cl_event> check_events(const call_site& site, const wait_list& after,
                                       std::string_view primitive);

// Waits for an event's command. Throws what became of it where it failed, and where the wait itself fails
// what that means of an event that is the caller's (doing::callers_object) or the library's own
// (doing::outcome).
void wait_for(cl_event of, doing whose);

// Throws bad_call.
[[noreturn]] void refuse(std::string_view primitive, std::string_view message, std::string_view advice = {});

// Throws what it means that a handle of the caller's did not answer: it may be dead, or the driver in
// trouble.
[[noreturn]] void no_answer(cl_int code, std::string_view primitive, std::string_view name,
                            std::string_view kind_of_object);

}  // namespace clwave::detail
