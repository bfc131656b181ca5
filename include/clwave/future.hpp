/// @file
/// future: a value that a call will have computed.
///
/// Threads may each use futures of their own at the same time; as with any C++ object, none may use one while
/// another changes it, which get() does. The queue may be in-order or out-of-order, with profiling or
/// without. A call that returns a future flushes nothing, as one that returns an event; done() does not flush
/// either. get() flushes the queue of the call and waits for the call's own commands, not for what the queue
/// was given afterwards. The value is read by a queue of the library's own, and no other queue of yours is
/// touched. In a child of fork(), get() and done() of a value that had not been fetched before throw
/// bad_call, and to destroy a future does nothing. In full: event.hpp.
#pragma once

#include <memory>
#include <utility>

#include <clwave/event.hpp>
#include <clwave/export.hpp>

namespace clwave {

namespace detail {

class future_state;

// All but drop_future throw bad_call for null.
CLWAVE_EXPORT void drop_future(future_state* state) noexcept;
CLWAVE_EXPORT void get_future(future_state* state, void* value);
CLWAVE_EXPORT bool is_future_done(const future_state* state);
CLWAVE_EXPORT event event_of_future(const future_state* state);

struct future_deleter {
  void operator()(future_state* state) const noexcept { drop_future(state); }
};
using future_handle = std::unique_ptr<future_state, future_deleter>;

}  // namespace detail

/// A value of type T that comes later, from a call such as reduce_async. It owns the small piece of device
/// memory (128 bytes, of those that the library keeps for the context: cache.hpp) to which the device writes
/// the value. Any number may be in flight, on one queue or on several. It may be destroyed at any time: that
/// does not wait, and what its call had enqueued runs on. It may outlive release() of its context, the queue
/// and all handles of the caller's; the library's own references to the context go with the last of its
/// futures. Movable. One that was default-constructed or moved from belongs to no call: valid() is false, and
/// get(), done() and event() throw bad_call.
///
///     clwave::future<float> sum = clwave::reduce_async(queue, x);
///     clwave::future<float> largest = clwave::reduce_async(queue, x, clwave::max);
///     ...
///     float mean = sum.get() / n;
template <class T>
class [[nodiscard]] future {
 public:
  using value_type = T;  ///< the type of the value

  future() = default;
  /// For the calls that return one.
  explicit future(detail::future_handle state) noexcept : state_(std::move(state)) {}

  /// True where it belongs to a call, also once its value has been fetched.
  bool valid() const noexcept { return state_ != nullptr; }

  /// Blocks until the value is there, and returns it, as often as it is asked. Throws clwave::error
  /// (device_lost, out_of_memory) if the call's work failed, or if an event that it waited for did.
  T get() {
    T value;
    detail::get_future(state_.get(), &value);
    return value;
  }

  /// True once the work has ended, well or not: get() then waits no longer than it takes to read some bytes.
  /// Does not block.
  bool done() const { return detail::is_future_done(state_.get()); }

  /// The end of the call's work, for wait lists: `.after = {sum.event()}`. Complete (event.hpp) where the
  /// call had nothing to do, and once get() has returned.
  clwave::event event() const { return detail::event_of_future(state_.get()); }

 private:
  detail::future_handle state_;
};

}  // namespace clwave
