// Checks of queues and views. Drivers accept buffers of foreign contexts and misplaced sub-buffers
// without a word, and crash later: so everything is checked here.
#include "call/call.hpp"

#include <algorithm>
#include <string>

#include "call/context_entry.hpp"
#include "base/opencl.hpp"

namespace clwave {
namespace {

// A handle of the caller's did not answer: it may be dead, or the driver in trouble.
[[noreturn]] void no_answer(cl_int code, std::string_view primitive, std::string_view name,
                            std::string_view kind_of_object) {
  const failure kind = failure_of(code, doing::callers_object);
  throw error(kind,
              kind == failure::bad_call ? std::string(name) + " is not a valid " + std::string(kind_of_object)
                                        : "could not ask " + std::string(name) + " about itself",
              code, {.primitive = std::string(primitive)});
}

template <class T>
T queue_info(cl_command_queue queue, cl_command_queue_info what, std::string_view primitive) {
  T value{};
  const cl_int code = clGetCommandQueueInfo(queue, what, sizeof(T), &value, nullptr);
  if (code != CL_SUCCESS) no_answer(code, primitive, "the queue", "command queue");
  return value;
}

template <class T>
T buffer_info(cl_mem buffer, cl_mem_info what, std::string_view primitive, std::string_view name) {
  T value{};
  const cl_int code = clGetMemObjectInfo(buffer, what, sizeof(T), &value, nullptr);
  if (code != CL_SUCCESS) no_answer(code, primitive, name, "buffer");
  return value;
}

template <class T>
T event_info(cl_event of, cl_event_info what, std::string_view primitive) {
  T value{};
  const cl_int code = clGetEventInfo(of, what, sizeof(T), &value, nullptr);
  if (code != CL_SUCCESS) no_answer(code, primitive, "an event to wait for", "event");
  return value;
}

// Throws bad_call where kernels may not use a buffer of these flags so.
void check_access(cl_mem_flags flags, access use, std::string_view primitive, const std::string& name) {
  if (use != access::reads && (flags & CL_MEM_READ_ONLY) != 0)
    refuse(primitive,
           name + " is written, and lies in a buffer that kernels may only read (CL_MEM_READ_ONLY)",
           "make the buffer with CL_MEM_READ_WRITE");
  if (use != access::writes && (flags & CL_MEM_WRITE_ONLY) != 0)
    refuse(primitive, name + " is read, and lies in a buffer that kernels may only write (CL_MEM_WRITE_ONLY)",
           "make the buffer with CL_MEM_READ_WRITE");
}

// Where a view's bytes lie: in which whole buffer, and from where to where.
struct extent {
  cl_mem whole;
  std::uint64_t begin, end;
};

extent extent_of(const detail::operand& view, std::string_view primitive) {
  const auto whole =
      buffer_info<cl_mem>(view.buffer, CL_MEM_ASSOCIATED_MEMOBJECT, primitive, "the buffer of a view");
  const std::uint64_t origin = whole != nullptr ? buffer_info<std::size_t>(view.buffer, CL_MEM_OFFSET,
                                                                           primitive, "the buffer of a view")
                                                : 0;
  const std::uint64_t begin = origin + static_cast<std::uint64_t>(view.offset) * view.type->size;
  return {whole != nullptr ? whole : view.buffer, begin,
          begin + static_cast<std::uint64_t>(view.n) * view.type->size};
}

}  // namespace

void refuse(std::string_view primitive, std::string_view message, std::string_view advice) {
  throw error(failure::bad_call, message, CL_SUCCESS,
              {.primitive = std::string(primitive), .advice = std::string(advice)});
}

call_site site_of(cl_command_queue queue, std::string_view primitive) {
  if (queue == nullptr) refuse(primitive, "the queue is null");
  call_site site;
  site.queue = queue;
  site.context = queue_info<cl_context>(queue, CL_QUEUE_CONTEXT, primitive);
  site.device = queue_info<cl_device_id>(queue, CL_QUEUE_DEVICE, primitive);
  const auto properties = queue_info<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES, primitive);
  site.in_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
  site.kept = entry_of(site.context);
  known_device& device = site.kept->device(site.device);
  site.on = {&device.facts(), device.choice()};
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

std::shared_ptr<program> get_program(const call_site& site, const target& on, std::string_view key,
                                     const std::function<program_spec()>& make_spec) {
  return site.kept->programs().get(site.context, site.device, on, key, make_spec);
}

std::size_t check_operand(const call_site& site, const detail::operand& view, access use,
                          std::string_view primitive, std::string_view what) {
  const std::string name(what);
  if (view.type->opencl_name.starts_with("double") && !site.on.facts->fp64.value_or(false))
    refuse(primitive, name + " is of doubles, which this device does not have");
  if (view.n == 0) return 128;
  if (view.buffer == nullptr) refuse(primitive, name + " has a null buffer");
  if (buffer_info<cl_context>(view.buffer, CL_MEM_CONTEXT, primitive, name) != site.context)
    refuse(primitive, name + " belongs to another context than the queue");
  if (buffer_info<cl_mem_object_type>(view.buffer, CL_MEM_TYPE, primitive, name) != CL_MEM_OBJECT_BUFFER)
    refuse(primitive, name + " is not a buffer (an image?)");

  const auto size = buffer_info<std::size_t>(view.buffer, CL_MEM_SIZE, primitive, name);
  const std::uint64_t element = view.type->size;
  const std::uint64_t fits = size / element;
  if (view.offset > fits || view.n > fits - view.offset)
    refuse(primitive, name + " ends past its buffer: " + std::to_string(view.n) + " elements of " +
                          std::to_string(element) + " bytes at element " + std::to_string(view.offset) +
                          ", in a buffer of " + std::to_string(size) + " bytes");

  const auto flags = buffer_info<cl_mem_flags>(view.buffer, CL_MEM_FLAGS, primitive, name);
  check_access(flags, use, primitive, name);
  std::uint64_t address = static_cast<std::uint64_t>(view.offset) * element;
  if (const auto whole = buffer_info<cl_mem>(view.buffer, CL_MEM_ASSOCIATED_MEMOBJECT, primitive, name)) {
    // What the whole does not allow, no part of it allows; drivers differ in whether the part's flags say so.
    check_access(buffer_info<cl_mem_flags>(whole, CL_MEM_FLAGS, primitive, name), use, primitive, name);
    const auto origin = buffer_info<std::size_t>(view.buffer, CL_MEM_OFFSET, primitive, name);
    const std::size_t unit = std::max(1u, site.on.facts->base_address_align.value_or(128));
    if (origin % unit != 0)
      refuse(
          primitive,
          name + " is a sub-buffer at byte " + std::to_string(origin) + ", which this device does not accept",
          "start sub-buffers at multiples of " + std::to_string(unit) +
              " bytes, or give the view an offset instead");
    address += origin;
  }
  // Buffers start at 128 bytes or better, but memory the host brought may be used where it lies (a CPU) or
  // copied (a GPU): what holds for both addresses counts.
  const auto alignment_of = [](std::uint64_t at) {
    return static_cast<std::size_t>(at == 0 ? 128 : std::min<std::uint64_t>(at & -at, 128));
  };
  std::size_t alignment = alignment_of(address);
  if (flags & CL_MEM_USE_HOST_PTR) {
    const auto host =
        reinterpret_cast<std::uintptr_t>(buffer_info<void*>(view.buffer, CL_MEM_HOST_PTR, primitive, name));
    alignment = std::min(alignment, alignment_of(address + host));
  }
  return alignment;
}

void check_disjoint(const detail::operand& a, const detail::operand& b, std::string_view primitive,
                    std::string_view what) {
  if (a.n == 0 || b.n == 0) return;
  const extent first = extent_of(a, primitive);
  const extent second = extent_of(b, primitive);
  if (first.whole == second.whole && first.begin < second.end && second.begin < first.end)
    refuse(primitive, std::string(what) + " overlap");
}

placement place_of(const detail::operand& view) {
  constexpr std::string_view primitive, name = "the buffer of a view";
  placement place;
  const auto origin = buffer_info<std::size_t>(view.buffer, CL_MEM_OFFSET, primitive, name);
  place.address = static_cast<std::uint64_t>(view.offset) * view.type->size + origin;
  if (buffer_info<cl_mem_flags>(view.buffer, CL_MEM_FLAGS, primitive, name) & CL_MEM_USE_HOST_PTR) {
    // A sub-buffer's host pointer has its origin in it, so the whole's is taken from it again.
    const auto host = buffer_info<void*>(view.buffer, CL_MEM_HOST_PTR, primitive, name);
    place.known = (reinterpret_cast<std::uintptr_t>(host) - origin) % 128 == 0;
  }
  place.address %= 128;
  return place;
}

}  // namespace clwave
