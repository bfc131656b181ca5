// Launches: sets a lent kernel's arguments and enqueues it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include <clwave/event.hpp>

#include "call/call.hpp"

namespace clwave {

// A kernel's arguments in order. Buffers and plain values only; copied, so temporaries are fine.
class arguments {
 public:
  template <class T>
  arguments& add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return add_bytes(&value, sizeof(T));
  }
  arguments& add_bytes(const void* bytes, std::size_t size);

  struct slot {
    std::size_t size = 0;
    alignas(16) std::array<unsigned char, 128> bytes;
  };
  std::span<const slot> slots() const { return {slots_.data(), count_}; }

 private:
  std::array<slot, 24> slots_;
  std::size_t count_ = 0;
};

// Enqueues groups * group_size work-items of a kernel after `after`, and returns its event, or where that is
// not `wanted` event::not_made.
event launch(const call_site& site, program& from, std::string_view kernel, std::uint64_t groups,
             unsigned group_size, const arguments& with, std::span<const cl_event> after, bool wanted = true);

// The event of a call that has nothing to do: the end of what it had to wait for, which is `after`, and on an
// in-order queue all that the queue holds.
event nothing_after(const call_site& site, std::span<const cl_event> after, bool wanted = true);

// The end of all that the queue holds by now.
event end_of_queue(const call_site& site);

}  // namespace clwave
