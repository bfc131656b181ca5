/// @file
/// Events and wait lists.
///
/// What holds for every call of clwave:
///
/// Threads. All functions may be called by any number of threads at the same time. Threads may share
/// queues, buffers, views, operators, events and wait lists; as with any C++ object, none may change one
/// (assign to an event, add to a wait_list) while another uses it. On an in-order queue the calls of
/// several threads run one after another, in the order in which the driver got them. Environment variables
/// are read by calls, so none may be set meanwhile.
///
/// Queues. Any queue of the host: in-order or out-of-order, with profiling or without. A call gives
/// commands to the queue it was given and to no other queue of yours. On an out-of-order queue only events
/// order one call after another. The times of a profiled event are those of the call's last command.
///
/// Flushing. A call that returns an event flushes nothing: its work is sure to begin only once its queue
/// is flushed, by clFlush, clFinish or a blocking call on it. wait() flushes the event's queue; done()
/// does not, and may say false for ever where nothing else does. So it is with a call that returns a future
/// (future.hpp), whose get() flushes its queue. A call that returns a value flushes its own queue and waits.
/// Before a call waits for an event of another queue, flush that queue, as OpenCL asks.
///
/// Fork. A driver's threads and locks do not survive fork(). In a child that was forked, without exec,
/// after clwave was used in the parent, calls throw bad_call before they meet the driver, and so does
/// wait(), and a future's get() and done(); release() and trim() do nothing. The parent works on. Where the
/// parent used OpenCL without clwave, nothing can be noticed, and a call in the child may hang. Fork before
/// the first call, or exec a program in the child.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <clwave/export.hpp>
#include <clwave/handle.hpp>
#include <clwave/opencl.hpp>

namespace clwave {

/// Owns one reference to an OpenCL event. A default-constructed event is complete: wait() returns at once,
/// done() is true, a wait_list leaves it out, and get() gives null, which OpenCL itself does not take as an
/// event. Every call of clwave returns a real one, also where it has nothing to do: that of an empty call
/// ends when what it had to wait for has ended, on an in-order queue all that the queue held. If the call had
/// with_event = false, get(), wait() and done() throw bad_call. Copying throws where the driver gives no
/// further reference.
class event {
 public:
  event() = default;
  /// Takes over the caller's reference.
  explicit event(cl_event owned) noexcept : event_(owned) {}
  /// Takes a reference of its own. Throws clwave::error where the driver gives none.
  CLWAVE_EXPORT event(const event& other);
  /// Leaves `other` complete, as one that was default-constructed.
  event(event&& other) noexcept
      : event_(std::exchange(other.event_, nullptr)), not_made_(std::exchange(other.not_made_, false)) {}
  /// Gives back the reference that this one had.
  event& operator=(event other) noexcept {
    std::swap(event_, other.event_);
    std::swap(not_made_, other.not_made_);
    return *this;
  }
  /// Gives back the reference. Waits for nothing.
  CLWAVE_EXPORT ~event();

  /// What a call returns that had with_event = false.
  static event not_made() noexcept {
    event e;
    e.not_made_ = true;
    return e;
  }

  /// The handle, which stays this object's; null of a complete one. Throws bad_call where no event was made.
  cl_event get() const {
    check_made();
    return event_;
  }

  /// Blocks until the work is done. Throws clwave::error (device_lost, out_of_memory) if it failed, or if an
  /// event that it waited for did.
  CLWAVE_EXPORT void wait() const;
  /// True once the work has ended, well or not. Does not block.
  CLWAVE_EXPORT bool done() const;

 private:
  CLWAVE_EXPORT void check_made() const;

  cl_event event_ = nullptr;
  bool not_made_ = false;
};

/// Events to wait for before a command starts: {a, b} of any wrapper's events, or a container's. Owns one
/// reference to each, so temporaries may go: `.after = {clwave::fill(...)}`. Default-constructed events are
/// left out. Up to four need no memory of their own.
class wait_list {
 public:
  /// One event of a list in braces.
  struct item {
    /// The event that any wrapper's object stands for.
    template <event_like E>
    item(const E& e) : handle(handle_of<cl_event>(e)) {}  // NOLINT(google-explicit-constructor)
    cl_event handle;                                      ///< not retained before it is added
  };

  wait_list() = default;
  /// `{a, b}`. Throws clwave::error where the driver gives no further reference.
  wait_list(std::initializer_list<item> events) : wait_list() {
    for (const item& e : events) add(e.handle);
  }
  /// The events of a container. Throws clwave::error where the driver gives no further reference.
  template <class Events>
    requires requires(const Events& events) {
      { *events.begin() } -> event_like;
    }
  wait_list(const Events& events) : wait_list() {  // NOLINT(google-explicit-constructor)
    for (const auto& e : events) add(handle_of<cl_event>(e));
  }
  /// Takes further references to the same events. Throws clwave::error where the driver gives none.
  wait_list(const wait_list& other) : wait_list() {
    for (const cl_event e : other.handles()) add(e);
  }
  /// Leaves `other` empty.
  wait_list(wait_list&& other) noexcept
      : few_(other.few_), n_(std::exchange(other.n_, 0)), many_(std::move(other.many_)) {}
  /// Takes further references to the same events, and gives back those that this one had. Throws
  /// clwave::error where the driver gives none; then nothing has changed.
  wait_list& operator=(const wait_list& other) { return *this = wait_list(other); }
  /// Gives back the references that this one had.
  wait_list& operator=(wait_list&& other) noexcept {
    std::swap(few_, other.few_);
    std::swap(n_, other.n_);
    std::swap(many_, other.many_);
    return *this;
  }
  /// Gives back all references. Waits for nothing.
  ~wait_list() {
    if (n_ != 0) release();
  }

  /// Adds an event with a reference of its own; null is left out. Throws clwave::error where the driver gives
  /// none.
  CLWAVE_EXPORT void add(cl_event e);
  /// The events in the order in which they were added; valid until the list changes.
  std::span<const cl_event> handles() const noexcept {
    return {n_ > few_.size() ? many_.data() : few_.data(), n_};
  }
  /// True where there is nothing to wait for.
  bool empty() const noexcept { return n_ == 0; }
  /// Blocks until all of them have ended. Throws clwave::error (device_lost, out_of_memory) for the first one
  /// that failed.
  CLWAVE_EXPORT void wait() const;

 private:
  CLWAVE_EXPORT void release() noexcept;

  std::array<cl_event, 4> few_ = {};
  std::size_t n_ = 0;
  std::vector<cl_event> many_;  // all of them, where there are more than few_ holds
};

}  // namespace clwave
