// Checks of views. Drivers accept buffers of foreign contexts and misplaced sub-buffers without a word, and
// crash later: so everything is checked here.
#include "call/operands.hpp"

#include <algorithm>
#include <string>

#include "base/opencl.hpp"

namespace clwave {
namespace {

template <class T>
T buffer_info(cl_mem buffer, cl_mem_info what, std::string_view primitive, std::string_view name) {
  T value{};
  const cl_int code = clGetMemObjectInfo(buffer, what, sizeof(T), &value, nullptr);
  if (code != CL_SUCCESS) no_answer(code, primitive, name, "buffer");
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

// The view of what the call reaches.
detail::operand reached(const call_operand& each) {
  detail::operand view = each.view;
  if (each.reach) view.n = static_cast<std::size_t>(*each.reach);
  return view;
}

// Whether two operands lie exactly in one place.
bool in_one_place(const detail::operand& a, const detail::operand& b) {
  return a.buffer == b.buffer && a.type->size == b.type->size && a.offset == b.offset;
}

// How a view lies: as a question is told of it, and the alignment of its first element in bytes: the largest
// power of two, at most 128, that divides its address on the device.
struct lying {
  placement place;
  std::size_t alignment = 128;
};

lying check_one(const call_site& site, const detail::operand& view, access use, std::string_view primitive,
                std::string_view what) {
  const std::string name(what);
  if (view.type->opencl_name.starts_with("double") && !site.on.facts->fp64.value_or(false))
    refuse(primitive, name + " is of doubles, which this device does not have");
  const std::uint64_t element = view.type->size;
  std::uint64_t address = static_cast<std::uint64_t>(view.offset) * element;
  if (view.n == 0) return {{address % 128, true}};
  if (view.buffer == nullptr) refuse(primitive, name + " has a null buffer");
  if (buffer_info<cl_context>(view.buffer, CL_MEM_CONTEXT, primitive, name) != site.context)
    refuse(primitive, name + " belongs to another context than the queue");
  if (buffer_info<cl_mem_object_type>(view.buffer, CL_MEM_TYPE, primitive, name) != CL_MEM_OBJECT_BUFFER)
    refuse(primitive, name + " is not a buffer (an image?)");

  const auto size = buffer_info<std::size_t>(view.buffer, CL_MEM_SIZE, primitive, name);
  const std::uint64_t fits = size / element;
  if (view.offset > fits || view.n > fits - view.offset)
    refuse(primitive, name + " ends past its buffer: " + std::to_string(view.n) + " elements of " +
                          std::to_string(element) + " bytes at element " + std::to_string(view.offset) +
                          ", in a buffer of " + std::to_string(size) + " bytes");

  const auto flags = buffer_info<cl_mem_flags>(view.buffer, CL_MEM_FLAGS, primitive, name);
  check_access(flags, use, primitive, name);
  std::size_t origin = 0;
  if (const auto whole = buffer_info<cl_mem>(view.buffer, CL_MEM_ASSOCIATED_MEMOBJECT, primitive, name)) {
    // What the whole does not allow, no part of it allows; drivers differ in whether the part's flags say so.
    check_access(buffer_info<cl_mem_flags>(whole, CL_MEM_FLAGS, primitive, name), use, primitive, name);
    origin = buffer_info<std::size_t>(view.buffer, CL_MEM_OFFSET, primitive, name);
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
  lying found{{address % 128, true}, alignment_of(address)};
  if (flags & CL_MEM_USE_HOST_PTR) {
    const auto host =
        reinterpret_cast<std::uintptr_t>(buffer_info<void*>(view.buffer, CL_MEM_HOST_PTR, primitive, name));
    // A sub-buffer's host pointer has its origin in it, so the whole's is taken from it again.
    found.place.known = (host - origin) % 128 == 0;
    found.alignment = std::min(found.alignment, alignment_of(address - origin + host));
  }
  return found;
}

}  // namespace

std::size_t check_operand(const call_site& site, const detail::operand& view, access use,
                          std::string_view primitive, std::string_view what) {
  return check_one(site, view, use, primitive, what).alignment;
}

void check_disjoint(const detail::operand& a, const detail::operand& b, std::string_view primitive,
                    std::string_view what) {
  if (a.n == 0 || b.n == 0) return;
  const extent first = extent_of(a, primitive);
  const extent second = extent_of(b, primitive);
  if (first.whole == second.whole && first.begin < second.end && second.begin < first.end)
    refuse(primitive, std::string(what) + " overlap");
}

void check_operands(const call_site& site, std::string_view primitive, std::span<const call_operand> all,
                    std::span<placement> places) {
  for (std::size_t k = 0; k < all.size(); ++k) {
    const call_operand& each = all[k];
    const element& type = *each.view.type;
    const std::size_t own = std::min<std::size_t>(type.size & -type.size, 128);
    const lying found = check_one(site, each.view, each.use, primitive, each.name);
    if (found.alignment < own)
      refuse(primitive, std::string(each.name) + " is not aligned to its element type",
             "memory given by CL_MEM_USE_HOST_PTR must start at a multiple of an element");
    if (each.reach && *each.reach > each.view.n)
      refuse(primitive, "the call needs " + std::to_string(*each.reach) + " elements of " +
                            std::string(each.name) + ", which has " + std::to_string(each.view.n));
    if (!places.empty()) places[k] = found.place;
  }
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      if (all[a].use == access::reads && all[b].use == access::reads) continue;
      if (all[a].gives_its_place && in_one_place(all[a].view, all[b].view)) continue;
      check_disjoint(reached(all[a]), reached(all[b]), primitive,
                     std::string(all[a].name) + " and " + std::string(all[b].name));
    }
  }
}

placement place_of(const detail::operand& view) {
  const asked_operand at = asked(view);
  return {at.address, at.known};
}

asked_operand asked(const detail::operand& view) {
  constexpr std::string_view primitive, name = "the buffer of a view";
  if (view.n == 0) return {*view.type, view.offset};
  const auto origin = buffer_info<std::size_t>(view.buffer, CL_MEM_OFFSET, primitive, name);
  bool known = true;
  if (buffer_info<cl_mem_flags>(view.buffer, CL_MEM_FLAGS, primitive, name) & CL_MEM_USE_HOST_PTR) {
    // A sub-buffer's host pointer has its origin in it, so the whole's is taken from it again.
    const auto host = buffer_info<void*>(view.buffer, CL_MEM_HOST_PTR, primitive, name);
    known = (reinterpret_cast<std::uintptr_t>(host) - origin) % 128 == 0;
  }
  return {*view.type, view.offset, static_cast<std::uint64_t>(view.offset) * view.type->size + origin, known};
}

}  // namespace clwave
