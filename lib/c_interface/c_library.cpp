// Functions of the C interface that take no queue: versions, devices, events and what is cached.
#include <cstddef>
#include <cstdint>

#include <clwave/cache.hpp>
#include <clwave/device.hpp>
#include <clwave/event.hpp>
#include <clwave/version.hpp>

#include "c_interface/c_call.hpp"

using namespace clwave::detail;

const char* clwave_version(void) { return CLWAVE_VERSION_STRING; }

uint32_t clwave_version_number(void) { return CLWAVE_VERSION; }

clwave_status clwave_select_device(const char* selector, cl_device_id* device) {
  return c_call("clwave_select_device", [&] {
    given(device, "device") = nullptr;
    *device = clwave::select_device(selector != nullptr ? selector : "");
  });
}

clwave_status clwave_wait(const cl_event* events, size_t n) {
  return c_call("clwave_wait", [&] {
    if (n != 0) given(events, "events");
    clwave::wait_list all;
    for (std::size_t i = 0; i < n; ++i) all.add(events[i]);
    all.wait();
  });
}

clwave_status clwave_release_context(cl_context context) {
  return c_call("clwave_release_context", [&] { clwave::release(context); });
}

clwave_status clwave_trim(void) {
  return c_call("clwave_trim", [] { clwave::trim(); });
}
