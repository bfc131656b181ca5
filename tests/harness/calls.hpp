// Calls of every primitive on operands of their own, for tests of what all calls have in common: what they
// wait for, the events they give, what they refuse and how they fail. Each primitive has its own in
// tests/primitives/NAME/shared.cpp.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <clwave/event.hpp>
#include <clwave/future.hpp>
#include <clwave/options.hpp>
#include <clwave/reduce.hpp>
#include <clwave/view.hpp>

#include "call/description.hpp"
#include "harness/devices.hpp"

namespace testing {

using clwave::detail::access;

// A buffer that a call is given: n elements of 4 bytes, whole numbers from 0 to 100.
struct call_operand {
  std::size_t n = 0;
  access use = access::reads;
  bool floats = false;
  bool rises = false;  // a sorted range

  // Other contents for each seed.
  std::vector<unsigned char> bytes(unsigned seed) const {
    std::vector<unsigned char> all(n * 4);
    for (std::size_t i = 0; i < n; ++i) {
      const auto value =
          static_cast<u32>(rises ? i * 88 / n + seed % 13 : (i * 7 + seed * 13 + i / 50) % 101);
      const auto fraction = static_cast<float>(value);
      if (floats)
        std::memcpy(all.data() + 4 * i, &fraction, 4);
      else
        std::memcpy(all.data() + 4 * i, &value, 4);
    }
    return all;
  }
};

// What a call does with an operand, for lists of them.
namespace uses {
inline constexpr access in = access::reads, out = access::writes, both = access::reads_and_writes;
}

using buffers = std::vector<cl::Buffer>;
using bytes = std::vector<unsigned char>;

// A call that returns an event.
struct event_call {
  std::string name;
  std::vector<call_operand> operands;
  // `empty`: the call on no elements.
  std::function<clwave::event(const cl::CommandQueue&, const buffers&, bool empty, const launch_options&)>
      start;
};

template <class T>
bytes bytes_of_value(const T& value) {
  bytes all(sizeof value);
  std::memcpy(all.data(), &value, sizeof value);
  return all;
}
template <class T>
bytes bytes_of_value(const indexed<T>& found) {
  return bytes_of_value(std::pair<u64, u64>(found.value, found.index));
}

// A value that comes later, here as its bytes.
class future_bytes {
 public:
  template <class T>
  explicit future_bytes(clwave::future<T> value)
      : future_bytes(std::make_shared<clwave::future<T>>(std::move(value))) {}

  bytes get() const { return get_(); }
  bool done() const { return done_(); }
  clwave::event event() const { return event_(); }

 private:
  template <class T>
  explicit future_bytes(const std::shared_ptr<clwave::future<T>>& value)
      : get_([value] { return bytes_of_value(value->get()); }),
        done_([value] { return value->done(); }),
        event_([value] { return value->event(); }) {}

  std::function<bytes()> get_;
  std::function<bool()> done_;
  std::function<clwave::event()> event_;
};

// A call that returns a value, here as its bytes, and its form whose value comes later.
struct value_call {
  std::string name;
  std::vector<call_operand> operands;
  bool takes_empty = true;
  std::function<bytes(const cl::CommandQueue&, const buffers&, bool empty, const launch_options&)> value;
  std::function<future_bytes(const cl::CommandQueue&, const buffers&, bool empty, const launch_options&)>
      later;
};

// A call that blocks until its outputs are written. It returns a count of what it wrote; a checked_... call
// returns nothing, which is zero here, and throws where the device finds its operands wrong. It has no form
// that comes later.
struct count_call {
  std::string name;
  std::vector<call_operand> operands;
  std::function<u64(const cl::CommandQueue&, const buffers&, bool empty, const launch_options&)> count;
};

// Those of all primitives. (sharded.cpp)
std::vector<event_call> event_calls();
std::vector<value_call> value_calls();
std::vector<count_call> count_calls();

// Calls that block: those that return a value; those of count_calls(), here with what they wrote behind the
// count; and calls on sharded arrays, of two pieces on the queue that is given. The latter two have no
// future.
std::vector<value_call> blocking_calls();

// Lists of calls, as a primitive writes them down.
class event_list : public std::vector<event_call> {
 public:
  template <class Start>
  void add(const std::string& name, std::vector<call_operand> operands, Start start) {
    push_back({name, std::move(operands), start});
  }
};

class value_list : public std::vector<value_call> {
 public:
  template <class Now, class Later>
  void add(const std::string& name, std::vector<call_operand> operands, bool takes_empty, Now now,
           Later later) {
    push_back({name, std::move(operands), takes_empty,
               [now](const cl::CommandQueue& q, const buffers& b, bool empty, const launch_options& options) {
                 return bytes_of_value(now(q, b, empty, options));
               },
               [later](const cl::CommandQueue& q, const buffers& b, bool empty,
                       const launch_options& options) { return future_bytes(later(q, b, empty, options)); }});
  }
};

template <class T>
clwave::view<T> part(const cl::Buffer& buffer, std::size_t n, bool empty) {
  return {buffer, empty ? 0 : n};
}

// Buffers for a call's operands, with the contents of a seed.
inline buffers buffers_for(const fixture& on, const std::vector<call_operand>& operands, unsigned seed) {
  buffers all;
  for (const call_operand& each : operands) all.push_back(on.buffer_of(each.bytes(seed)));
  return all;
}

// What the buffers hold. Waits for the fixture's own queue only.
inline std::vector<bytes> contents(const fixture& on, const std::vector<call_operand>& operands,
                                   const buffers& of) {
  std::vector<bytes> all;
  for (std::size_t k = 0; k < of.size(); ++k) all.push_back(on.read<unsigned char>(of[k], operands[k].n * 4));
  return all;
}

// What a call leaves of operands with the contents of a seed, on a queue where nothing else happens.
inline std::vector<bytes> expected_of(const fixture& on, const event_call& call, unsigned seed) {
  const buffers fresh = buffers_for(on, call.operands, seed);
  call.start(on.queue, fresh, false, {}).wait();
  return contents(on, call.operands, fresh);
}

inline bytes expected_of(const fixture& on, const value_call& call, unsigned seed) {
  const buffers fresh = buffers_for(on, call.operands, seed);
  return call.value(on.queue, fresh, false, {});
}

}  // namespace testing
