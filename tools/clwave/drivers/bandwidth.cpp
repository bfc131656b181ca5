// Copies between the host and a device, and within a device.
#include "drivers/bandwidth.hpp"

#include <algorithm>
#include <array>

#include <clwave/device.hpp>

#include "drivers/copies.hpp"

namespace clwave::tool {
namespace copies {
namespace {

std::vector<copying_device> copying_devices() {
  std::vector<copying_device> all;
  for (const device_place& place : devices()) {
    copying_device one{place.platform, place.device, place.platform_index, place.device_index};
    cl_device_type type = 0;
    cl_ulong allocation = 0;
    cl_ulong memory = 0;
    // A driver that does not say gets little to copy.
    const auto ask = [&](cl_device_info what, auto& into) {
      return clGetDeviceInfo(one.id, what, sizeof into, &into, nullptr) == CL_SUCCESS;
    };
    one.is_cpu = ask(CL_DEVICE_TYPE, type) && (type & CL_DEVICE_TYPE_CPU) != 0;
    const bool told = ask(CL_DEVICE_MAX_MEM_ALLOC_SIZE, allocation) && ask(CL_DEVICE_GLOBAL_MEM_SIZE, memory);
    one.most_bytes = told ? std::min<std::uint64_t>(allocation, memory / 16) : std::uint64_t{1} << 20;
    all.push_back(one);
  }
  return all;
}

// A device alone in a context.
struct one_device {
  explicit one_device(const copying_device& device)
      : context(context_of({device})),
        queue(queue_on(context, device)),
        buffer(buffer_in(context, device.bytes(transfer_bytes))) {}
  cl::Context context;
  cl::CommandQueue queue;
  cl::Buffer buffer;
};

void time_host(const stopwatch& watch, json& record, const one_device& on, const std::string& place,
               const std::string& kind, unsigned char* memory, std::uint64_t bytes) {
  record["host_to_device_" + kind] =
      watch.speed(place + ", host to device, " + kind, bytes, {.copy = [&](cl_uint) {
                    detail::check(on.queue.enqueueWriteBuffer(on.buffer, CL_TRUE, 0, bytes, memory), "write",
                                  detail::doing::outcome);
                    finish(on.queue);
                  }});
  record["device_to_host_" + kind] =
      watch.speed(place + ", device to host, " + kind, bytes, {.copy = [&](cl_uint) {
                    detail::check(on.queue.enqueueReadBuffer(on.buffer, CL_TRUE, 0, bytes, memory), "read",
                                  detail::doing::outcome);
                  }});
}

// Several in one sample: on the fastest devices a launch takes long beside a copy.
void time_within(const stopwatch& watch, json& record, const one_device& on, const copying_device& device) {
  const std::uint64_t bytes = device.bytes(within_bytes);
  const unsigned times = device.is_cpu ? 1 : 8;
  const cl::Buffer from = buffer_in(on.context, bytes);
  const cl::Buffer to = buffer_in(on.context, bytes);
  record["within"] =
      watch.speed("device " + device.place() + ", within it", bytes * times, {.copy = [&](cl_uint) {
                    for (unsigned k = 0; k < times; ++k)
                      detail::check(on.queue.enqueueCopyBuffer(from, to, 0, 0, bytes), "copy");
                    finish(on.queue);
                  }});
}

json time_device(const stopwatch& watch, const copying_device& device) {
  const std::uint64_t bytes = device.bytes(transfer_bytes);
  json record = {{"of", "device"},
                 {"platform", device.platform_index},
                 {"device", device.device_index},
                 {"transfer_bytes", bytes},
                 {"within_bytes", device.bytes(within_bytes)}};
  const std::string place = "device " + device.place();
  with_made(
      record,
      {"host_to_device_locked", "host_to_device_pageable", "device_to_host_locked", "device_to_host_pageable",
       "within"},
      [&] {
        watch.answer()("timing", place + ", a context of its own");
        return std::make_unique<one_device>(device);
      },
      [&](const one_device& on) {
        with_made(
            record, {"host_to_device_locked", "device_to_host_locked"},
            [&] { return std::make_unique<locked_memory>(on.context, on.queue, bytes); },
            [&](const locked_memory& memory) {
              time_host(watch, record, on, place, "locked", memory.at(), bytes);
            });
        std::vector<unsigned char> memory(bytes, 1);
        time_host(watch, record, on, place, "pageable", memory.data(), bytes);
        time_within(watch, record, on, device);
      });
  return record;
}

}  // namespace
}  // namespace copies

void time_copies(double budget_s, const std::function<void(const char* key, json value)>& answer) {
  const copies::stopwatch watch(budget_s, answer);
  const std::vector<copies::copying_device> all = copies::copying_devices();
  for (const auto& each : all) answer("timed", copies::time_device(watch, each));
  for (std::size_t begin = 0; begin < all.size();) {
    std::vector<copies::copying_device> on;
    while (begin < all.size() && (on.empty() || all[begin].platform == on[0].platform))
      on.push_back(all[begin++]);
    if (on.size() > 1) copies::time_pairs(watch, on);
  }
}

}  // namespace clwave::tool
