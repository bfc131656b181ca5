// Checks of queues and events.
#include "call/call.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/forked.hpp"
#include "base/opencl.hpp"
#include "call/context_entry.hpp"

namespace clwave::detail {

void no_answer(cl_int code, std::string_view primitive, std::string_view name,
               std::string_view kind_of_object) {
  const failure kind = failure_of(code, doing::callers_object);
  throw error(kind,
              kind == failure::bad_call ? std::string(name) + " is not a valid " + std::string(kind_of_object)
                                        : "could not ask " + std::string(name) + " about itself",
              code, {.primitive = std::string(primitive)});
}

namespace {

// What a handle of the caller's says of itself.
template <class T, class Handle>
T info_of(cl_int(CL_API_CALL* ask)(Handle, cl_uint, std::size_t, void*, std::size_t*), Handle of,
          cl_uint what, std::string_view primitive, std::string_view name, std::string_view kind_of_object) {
  T value{};
  const cl_int code = ask(of, what, sizeof(T), &value, nullptr);
  if (code != CL_SUCCESS) no_answer(code, primitive, name, kind_of_object);
  return value;
}

template <class T>
T queue_info(cl_command_queue queue, cl_command_queue_info what, std::string_view primitive) {
  return info_of<T>(clGetCommandQueueInfo, queue, what, primitive, "the queue", "command queue");
}

template <class T>
T event_info(cl_event of, cl_event_info what, std::string_view primitive) {
  return info_of<T>(clGetEventInfo, of, what, primitive, "an event to wait for", "event");
}

// What the site's code is made for.
void know_device(call_site& site) {
  known_device& device = site.kept->device(site.device);
  const device_facts& facts = device.facts_for_calls();
  site.on = {&facts, device.choice(), 0, facts.compute_units.value_or(1)};
}

}  // namespace

void refuse(std::string_view primitive, std::string_view message, std::string_view advice) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(primitive), .advice = std::string(advice)});
}

call_site site_of(cl_command_queue queue, std::string_view primitive) {
  if (queue == nullptr) refuse(primitive, "the queue is null");
  refuse_forked_child(primitive);
  call_site site;
  site.queue = queue;
  site.context = queue_info<cl_context>(queue, CL_QUEUE_CONTEXT, primitive);
  site.device = queue_info<cl_device_id>(queue, CL_QUEUE_DEVICE, primitive);
  const auto properties = queue_info<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES, primitive);
  site.in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  site.kept = entry_of(site.context);
  know_device(site);
  return site;
}

call_site site_on(std::shared_ptr<context_entry> kept, cl_device_id device) {
  call_site site;
  site.context = kept->context();
  site.device = device;
  site.kept = std::move(kept);
  know_device(site);
  return site;
}

std::span<const cl_event> check_events(const call_site& site, const wait_list& after,
                                       std::string_view primitive) {
  const std::span<const cl_event> events = after.handles();
  for (const cl_event e : events) {
    const auto context = event_info<cl_context>(e, CL_EVENT_CONTEXT, primitive);
    if (context != site.context)
      refuse(primitive, "an event to wait for belongs to another context than the queue");
    // PoCL never starts, nor ends, what waits for an event that has failed already.
    const auto status = event_info<cl_int>(e, CL_EVENT_COMMAND_EXECUTION_STATUS, primitive);
    if (status < 0)
      throw error(failure_of(status, doing::outcome), "an event to wait for has ended in an error", status,
                  {.primitive = std::string(primitive)});
  }
  return events;
}

}  // namespace clwave::detail
