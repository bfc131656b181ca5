/// @file
/// Accepts queues, buffers and events of any OpenCL wrapper, without including one.
///
/// No queue and no driver is asked: handles are only passed on. Threads may do so at the same time,
/// nothing is flushed, and it works in a child of fork() too.
#pragma once

#include <concepts>

#include <clwave/opencl.hpp>

namespace clwave {

/// An object that stands for an OpenCL handle: the C handle itself, or an object that gives it by
/// .get() (Boost.Compute, clwave) or by a call (CLHPP).
template <class T, class Handle>
concept handle_to = std::convertible_to<const T&, Handle> || requires(const T& object) {
  { object.get() } -> std::convertible_to<Handle>;
} || requires(const T& object) {
  { object() } -> std::convertible_to<Handle>;
};

/// The handle an object stands for. Not retained.
template <class Handle, handle_to<Handle> T>
Handle handle_of(const T& object) {
  if constexpr (std::convertible_to<const T&, Handle>) {
    return object;
  } else if constexpr (requires { object.get(); }) {
    return object.get();
  } else {
    return object();
  }
}

/// A command queue of any wrapper.
template <class T>
concept queue_like = handle_to<T, cl_command_queue>;

/// A buffer or sub-buffer of any wrapper.
template <class T>
concept buffer_like = handle_to<T, cl_mem>;

/// An event of any wrapper, clwave's own included.
template <class T>
concept event_like = handle_to<T, cl_event>;

}  // namespace clwave
