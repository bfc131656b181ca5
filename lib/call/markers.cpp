// Enqueues markers.
#include "call/markers.hpp"

#include "base/opencl.hpp"

namespace clwave::detail {
namespace {

// Ends when `after` have; where that is empty or the queue is in-order, when all that the queue holds has.
event marker(const call_site& site, std::span<const cl_event> after, bool wanted) {
  cl_event done = nullptr;
  check(clEnqueueMarkerWithWaitList(site.queue, static_cast<cl_uint>(after.size()),
                                    after.empty() ? nullptr : after.data(), wanted ? &done : nullptr),
        "enqueue a marker");
  return wanted ? event(done) : event::not_made();
}

}  // namespace

event nothing_after(const call_site& site, std::span<const cl_event> after, bool wanted) {
  // A command that nobody hears of still holds up what an in-order queue is given next.
  if (!wanted && (after.empty() || !site.in_order)) return event::not_made();
  if (site.in_order || !after.empty()) return marker(site, after, wanted);
  // Nothing to wait for: a marker would wait for all that the out-of-order queue holds.
  cl_int code = CL_SUCCESS;
  event ended(clCreateUserEvent(site.context, &code));
  check(code, "make an event");
  check(clSetUserEventStatus(ended.get(), CL_COMPLETE), "complete an event", doing::own_object);
  return ended;
}

event end_of_queue(const call_site& site) { return marker(site, {}, true); }

wait_list waits_of(const call_site& site, std::initializer_list<const wait_list*> given) {
  wait_list all;
  bool any_empty = false;
  for (const wait_list* const each : given) {
    if (each == nullptr) continue;
    any_empty = any_empty || each->empty();
    for (const cl_event e : each->handles()) all.add(e);
  }
  if (any_empty && !site.in_order) all.add(end_of_queue(site).get());
  return all;
}

}  // namespace clwave::detail
