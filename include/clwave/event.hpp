// Events and wait lists.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include <CL/cl.h>

#include <clwave/handle.hpp>

namespace clwave {

// Owns one reference to an OpenCL event. An empty one stands for work already done; that of a call told to
// make none (launch_options::with_event) throws bad_call from get, wait and done.
class event {
 public:
  event() = default;
  // Takes over the caller's reference.
  explicit event(cl_event owned) noexcept : event_(owned) {}
  event(const event& other) noexcept;
  event(event&& other) noexcept
      : event_(std::exchange(other.event_, nullptr)), not_made_(std::exchange(other.not_made_, false)) {}
  event& operator=(event other) noexcept {
    std::swap(event_, other.event_);
    std::swap(not_made_, other.not_made_);
    return *this;
  }
  ~event();

  // What a call returns that was told to make no event.
  static event not_made() noexcept {
    event e;
    e.not_made_ = true;
    return e;
  }

  cl_event get() const {
    check_made();
    return event_;
  }

  // Blocks until the work is done. Throws clwave::error (device_lost, out_of_memory) if it failed.
  void wait() const;
  // True once the work has ended, well or not. Does not block.
  bool done() const;

 private:
  void check_made() const;

  cl_event event_ = nullptr;
  bool not_made_ = false;
};

// Events to wait for before a command starts: {a, b} of any wrapper's events, or a container's.
// Owns nothing; empty events are left out.
class wait_list {
 public:
  struct item {
    template <event_like E>
    item(const E& e) : handle(handle_of<cl_event>(e)) {}  // NOLINT(google-explicit-constructor)
    cl_event handle;
  };

  wait_list() = default;
  wait_list(std::initializer_list<item> events) {
    for (const item& e : events) add(e.handle);
  }
  template <class Events>
    requires requires(const Events& events) {
      { *events.begin() } -> event_like;
    }
  wait_list(const Events& events) {  // NOLINT(google-explicit-constructor)
    for (const auto& e : events) add(handle_of<cl_event>(e));
  }

  void add(cl_event e) {
    if (e != nullptr) events_.push_back(e);
  }
  const std::vector<cl_event>& handles() const noexcept { return events_; }

 private:
  std::vector<cl_event> events_;
};

// What every call that returns an event takes.
struct launch_options {
  wait_list after = {};
  // False: no event is made for the caller, and the queue alone says when the work is done (the order of an
  // in-order queue, clFinish, a marker). On NVIDIA an event takes 2 us of the device's time: as long as a
  // small reduction itself.
  bool with_event = true;
};

}  // namespace clwave
