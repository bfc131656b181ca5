// Checks of views. Drivers accept buffers of foreign contexts and misplaced sub-buffers without a word, and
// crash later: so everything is checked here.
#include "call/operands.hpp"

#include <algorithm>
#include <string>

#include <clwave/error.hpp>

#include "base/opencl.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

template <class T>
T buffer_info(cl_mem buffer, cl_mem_info what, std::string_view primitive, std::string_view name) {
  T value{};
  const cl_int code = clGetMemObjectInfo(buffer, what, sizeof(T), &value, nullptr);
  if (code != CL_SUCCESS) no_answer(code, primitive, name, "buffer");
  return value;
}

// Throws bad_call where kernels may not use a buffer of these flags so.
void check_access(cl_mem_flags flags, access use, std::string_view primitive, std::string_view what) {
  if (use != access::reads && (flags & CL_MEM_READ_ONLY) != 0)
    refuse(
        primitive,
        std::string(what) + " is written, and lies in a buffer that kernels may only read (CL_MEM_READ_ONLY)",
        "make the buffer with CL_MEM_READ_WRITE");
  if (use != access::writes && (flags & CL_MEM_WRITE_ONLY) != 0)
    refuse(
        primitive,
        std::string(what) + " is read, and lies in a buffer that kernels may only write (CL_MEM_WRITE_ONLY)",
        "make the buffer with CL_MEM_READ_WRITE");
}

// Where a checked view's first byte lies in its whole buffer.
std::uint64_t first_byte(const any_view& view, const located& where) {
  return where.origin + static_cast<std::uint64_t>(view.offset) * view.type->size;
}

bool share_bytes(const any_view& a, const located& a_lies, const any_view& b, const located& b_lies) {
  if (a.n == 0 || b.n == 0 || a_lies.whole != b_lies.whole) return false;
  const std::uint64_t a_first = first_byte(a, a_lies), b_first = first_byte(b, b_lies);
  return a_first < b_first + static_cast<std::uint64_t>(b.n) * b.type->size &&
         b_first < a_first + static_cast<std::uint64_t>(a.n) * a.type->size;
}

any_view asked_at(const any_view& view, const located& where) {
  any_view placed(*view.type, view.n, view.offset, first_byte(view, where), where.host);
  placed.buffer = view.buffer;
  return placed;
}

// The memory that the host brought for a whole buffer: its address modulo 128. A part's pointer has its
// origin in it, which is taken from it again.
std::uint64_t host_of(cl_mem buffer, std::uint64_t origin, std::string_view primitive,
                      std::string_view name) {
  const auto host = buffer_info<void*>(buffer, CL_MEM_HOST_PTR, primitive, name);
  return (reinterpret_cast<std::uintptr_t>(host) - origin) % 128;
}

// Checks one view of some elements.
located locate(const call_site& site, const any_view& view, access use, std::string_view primitive,
               std::string_view what) {
  check_element(site, *view.type, primitive, what);
  if (view.n == 0) return {};
  if (view.buffer == nullptr) refuse(primitive, std::string(what) + " has a null buffer");
  if (buffer_info<cl_context>(view.buffer, CL_MEM_CONTEXT, primitive, what) != site.context)
    refuse(primitive, std::string(what) + " belongs to another context than the queue");
  if (buffer_info<cl_mem_object_type>(view.buffer, CL_MEM_TYPE, primitive, what) != CL_MEM_OBJECT_BUFFER)
    refuse(primitive, std::string(what) + " is not a buffer (an image?)");

  const auto size = buffer_info<std::size_t>(view.buffer, CL_MEM_SIZE, primitive, what);
  const std::uint64_t element = view.type->size;
  const std::uint64_t fits = size / element;
  if (view.offset > fits || view.n > fits - view.offset)
    refuse(primitive, std::string(what) + " ends past its buffer: " + std::to_string(view.n) +
                          " elements of " + std::to_string(element) + " bytes at element " +
                          std::to_string(view.offset) + ", in a buffer of " + std::to_string(size) +
                          " bytes");

  const auto flags = buffer_info<cl_mem_flags>(view.buffer, CL_MEM_FLAGS, primitive, what);
  check_access(flags, use, primitive, what);
  located where{view.buffer, 0, 0};
  if (const auto whole = buffer_info<cl_mem>(view.buffer, CL_MEM_ASSOCIATED_MEMOBJECT, primitive, what)) {
    // What the whole does not allow, no part of it allows; drivers differ in whether the part's flags say so.
    check_access(buffer_info<cl_mem_flags>(whole, CL_MEM_FLAGS, primitive, what), use, primitive, what);
    const auto origin = buffer_info<std::size_t>(view.buffer, CL_MEM_OFFSET, primitive, what);
    const std::size_t unit = std::max(1u, site.on.facts->base_address_align.value_or(128));
    if (origin % unit != 0)
      refuse(primitive,
             std::string(what) + " is a sub-buffer at byte " + std::to_string(origin) +
                 ", which this device does not accept",
             "start sub-buffers at multiples of " + std::to_string(unit) +
                 " bytes, or give the view an offset instead");
    where = {whole, origin, 0};
  }
  // Buffers start at 128 bytes or better, but memory the host brought may be used where it lies (a CPU) or
  // copied (a GPU): what holds for both addresses counts.
  if (flags & CL_MEM_USE_HOST_PTR) where.host = host_of(view.buffer, where.origin, primitive, what);
  return where;
}

// The view of what the call reaches.
any_view reached(const call_operand& each) {
  any_view view = each.view;
  if (each.reach) view.n = static_cast<std::size_t>(*each.reach);
  return view;
}

[[noreturn]] void refuse_overlap(std::string_view primitive, std::string_view a, std::string_view b) {
  refuse(primitive, std::string(a) + " and " + std::string(b) + " overlap");
}

}  // namespace

// The same memory in a type that any device has: doubles are moved as whole numbers.
any_view as_bits(const any_view& view) {
  any_view bits = view;
  if (is_of_doubles(*view.type))
    bits.type =
        find_element(view.type->components > 1 ? "u64x" + std::to_string(view.type->components) : "u64");
  return bits;
}

void check_element(const call_site& site, const element& type, std::string_view primitive,
                   std::string_view what) {
  if (is_of_doubles(type) && !site.on.facts->fp64.value_or(false))
    refuse(primitive, std::string(what) + " is of doubles, which this device does not have");
}

checked_operands check_operands(const call_site& site, std::string_view primitive,
                                std::span<const call_operand> all) {
  checked_operands checked;
  if (all.size() > checked.where_.size()) throw error(failure::internal, "too many operands");
  checked.all_ = all;
  for (const call_operand& each : all) check_typed(primitive, {{each.name, each.view}});
  for (std::size_t k = 0; k < all.size(); ++k) {
    const call_operand& each = all[k];
    const element& type = *each.view.type;
    located& where = checked.where_[k];
    where = locate(site, each.view, each.use, primitive, each.name);
    const std::uint64_t least = each.alignment.value_or(std::min<std::uint64_t>(low_bit(type.size), 128));
    if (each.view.n != 0 && asked_at(each.view, where).alignment < least)
      refuse(primitive, std::string(each.name) + " is not aligned to its element type",
             "memory given by CL_MEM_USE_HOST_PTR must start at a multiple of an element");
    if (each.reach && *each.reach > each.view.n)
      refuse(primitive, "the call needs " + std::to_string(*each.reach) + " elements of " +
                            std::string(each.name) + ", which has " + std::to_string(each.view.n));
  }
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      if (all[a].use == access::reads && all[b].use == access::reads) continue;
      if (all[a].gives_its_place && checked.in_one_place(a, b)) continue;
      if (share_bytes(reached(all[a]), checked.where_[a], reached(all[b]), checked.where_[b]))
        refuse_overlap(primitive, all[a].name, all[b].name);
    }
  }
  return checked;
}

cl::Buffer check_workspace(const call_site& site, std::string_view primitive, const workspace_view& given,
                           std::uint64_t n_bytes, const checked_operands& operands) {
  constexpr std::string_view name = "the workspace";
  const any_view& memory = given.memory();
  if (memory.buffer == nullptr) refuse(primitive, "the workspace has a null buffer");
  const auto size = buffer_info<std::size_t>(memory.buffer, CL_MEM_SIZE, primitive, name);
  const counting count{primitive, name};
  const std::uint64_t first = memory.has_type() ? count.times(memory.offset, memory.type->size) : 0;
  const std::uint64_t has = memory.has_type() ? count.times(memory.n, memory.type->size) : size;
  if (has < n_bytes)
    refuse(
        primitive,
        "the workspace has " + std::to_string(has) + " bytes, and the call needs " + std::to_string(n_bytes),
        "a call's plan says how many it needs (workspace_bytes)");
  const any_view used{memory.buffer, static_cast<std::size_t>(n_bytes), static_cast<std::size_t>(first),
                      &element_of<std::uint8_t>()};
  const located where = locate(site, used, access::reads_and_writes, primitive, name);
  // Kernels find vectors of up to 128 bytes in it, and a part becomes a sub-buffer.
  const std::uint64_t unit = std::max(128u, site.on.facts->base_address_align.value_or(128));
  if (asked_at(used, where).alignment < 128 || (first != 0 && first_byte(used, where) % unit != 0))
    refuse(primitive, "the workspace does not start at a multiple of " + std::to_string(unit) + " bytes");
  for (std::size_t k = 0; k < operands.all_.size(); ++k)
    if (share_bytes(reached(operands.all_[k]), operands.where_[k], used, where))
      refuse_overlap(primitive, operands.all_[k].name, name);
  if (first == 0) return retained<cl::Buffer>(memory.buffer);
  const cl_buffer_region part{static_cast<std::size_t>(first_byte(used, where)), used.n};
  cl_int code = CL_SUCCESS;
  cl::Buffer made(clCreateSubBuffer(where.whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code));
  check(code, "make a sub-buffer of the workspace");
  return made;
}

void checked_operands::place(std::size_t k, any_view& view) const {
  if (view.lazy != nullptr) return;  // it lies nowhere
  const any_view at = (*this)[k];
  view.address = at.address;
  view.known = at.known;
  view.alignment = at.alignment;
}

any_view checked_operands::operator[](std::size_t k) const {
  const any_view& view = all_[k].view;
  if (view.n == 0) return {view.buffer, 0, view.offset, view.type};
  return asked_at(view, where_[k]);
}

bool checked_operands::in_one_place(std::size_t a, std::size_t b) const {
  const operand_bytes first = bytes(a), second = bytes(b);
  return first.whole != nullptr && first.whole == second.whole && first.first == second.first &&
         all_[a].view.type->size == all_[b].view.type->size;
}

operand_bytes checked_operands::bytes(std::size_t k) const {
  const any_view& view = all_[k].view;
  if (view.n == 0) return {nullptr, 0, 0};
  const std::uint64_t first = first_byte(view, where_[k]);
  return {where_[k].whole, first, first + static_cast<std::uint64_t>(view.n) * view.type->size};
}

}  // namespace clwave::detail
