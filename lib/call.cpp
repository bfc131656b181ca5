// Checks of queues and views. Drivers accept buffers of foreign contexts and misplaced sub-buffers
// without a word, and crash later: so everything is checked here.
#include "call.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "environment.hpp"
#include "opencl.hpp"
#include "tuning.hpp"

namespace clwave {
namespace {

// The profile chosen for a device, remembered as long as CLWAVE_PROFILE and the tunings stay the same.
struct chosen {
  std::string forced;
  unsigned epoch;
  profile_choice choice;
};

profile_choice choice_for(cl_device_id device, const device_facts& facts) {
  static std::mutex mutex;
  static auto& known = *new std::unordered_map<cl_device_id, chosen>;
  const char* named = environment("CLWAVE_PROFILE");
  const std::string_view forced = named != nullptr ? named : "";
  const unsigned epoch = tuning_epoch();
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(device);
      found != known.end() && found->second.forced == forced && found->second.epoch == epoch)
    return found->second.choice;
  chosen fresh{std::string(forced), epoch, choose_profile(facts)};
  return (known[device] = std::move(fresh)).choice;
}

template <class T>
T queue_info(cl_command_queue queue, cl_command_queue_info what, std::string_view primitive) {
  T value{};
  if (clGetCommandQueueInfo(queue, what, sizeof(T), &value, nullptr) != CL_SUCCESS)
    refuse(primitive, "the queue is not a valid command queue");
  return value;
}

template <class T>
T buffer_info(cl_mem buffer, cl_mem_info what, std::string_view primitive, std::string_view name) {
  T value{};
  if (clGetMemObjectInfo(buffer, what, sizeof(T), &value, nullptr) != CL_SUCCESS)
    refuse(primitive, std::string(name) + " is not a valid buffer");
  return value;
}

// Where a view's bytes lie: in which whole buffer, and from where to where.
struct extent {
  cl_mem whole;
  std::uint64_t begin, end;
};

extent extent_of(const detail::operand& view) {
  cl_mem whole = nullptr;
  std::size_t origin = 0;
  clGetMemObjectInfo(view.buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(cl_mem), &whole, nullptr);
  clGetMemObjectInfo(view.buffer, CL_MEM_OFFSET, sizeof origin, &origin, nullptr);
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
  const device_facts& facts = facts_of(site.device);
  site.on = {&facts, choice_for(site.device, facts)};
  return site;
}

std::size_t check_operand(const call_site& site, const detail::operand& view, std::string_view primitive,
                          std::string_view what) {
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

  std::uint64_t address = static_cast<std::uint64_t>(view.offset) * element;
  if (buffer_info<cl_mem>(view.buffer, CL_MEM_ASSOCIATED_MEMOBJECT, primitive, name) != nullptr) {
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
  if (buffer_info<cl_mem_flags>(view.buffer, CL_MEM_FLAGS, primitive, name) & CL_MEM_USE_HOST_PTR) {
    const auto host =
        reinterpret_cast<std::uintptr_t>(buffer_info<void*>(view.buffer, CL_MEM_HOST_PTR, primitive, name));
    alignment = std::min(alignment, alignment_of(address + host));
  }
  return alignment;
}

void check_disjoint(const detail::operand& a, const detail::operand& b, std::string_view primitive,
                    std::string_view what) {
  if (a.n == 0 || b.n == 0) return;
  const extent first = extent_of(a);
  const extent second = extent_of(b);
  if (first.whole == second.whole && first.begin < second.end && second.begin < first.end)
    refuse(primitive, std::string(what) + " overlap");
}

placement place_of(const detail::operand& view) {
  placement place;
  place.address = static_cast<std::uint64_t>(view.offset) * view.type->size;
  std::size_t origin = 0;
  if (clGetMemObjectInfo(view.buffer, CL_MEM_OFFSET, sizeof origin, &origin, nullptr) == CL_SUCCESS)
    place.address += origin;
  cl_mem_flags flags = 0;
  clGetMemObjectInfo(view.buffer, CL_MEM_FLAGS, sizeof flags, &flags, nullptr);
  if (flags & CL_MEM_USE_HOST_PTR) {
    // A sub-buffer's host pointer has its origin in it, so the whole's is taken from it again.
    void* host = nullptr;
    clGetMemObjectInfo(view.buffer, CL_MEM_HOST_PTR, sizeof host, &host, nullptr);
    place.known = (reinterpret_cast<std::uintptr_t>(host) - origin) % 128 == 0;
  }
  place.address %= 128;
  return place;
}

}  // namespace clwave
