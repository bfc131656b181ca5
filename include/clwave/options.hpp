/// @file
/// The options of a call, and launch_options: what a call waits for, whether it makes an event, and the
/// memory it works in.
///
/// A call takes one aggregate of options, as its last argument, and what is left out of it is left out:
///
///     clwave::sort(queue, x, sorted, {.descending = true, .after = {ready}});
///     clwave::reduce(queue, x, {.after = {ready}});
///     clwave::reduce(queue, x, clwave::max, {.workspace = buffer});
///
/// The call's own fields come first, in the order that its header has; then `after`, `with_event` and
/// `workspace`, in this order, whose meaning is that of launch_options below. A call without fields of its
/// own takes launch_options. Where an operator may be left out, options may follow the argument before it.
/// The three fields are repeated in each aggregate, not inherited, because an aggregate with a base class
/// takes no designators; the concept call_options says what each of them has, and each is held against it.
///
/// Options are values: threads may give one to calls at the same time, as long as none changes it. No queue
/// is asked, so nothing is flushed. To copy options takes a reference to each of their events, which the
/// driver gives (event.hpp, which also says what holds in a child of fork()).
#pragma once

#include <concepts>
#include <type_traits>

#include <clwave/any_view.hpp>
#include <clwave/event.hpp>
#include <clwave/handle.hpp>
#include <clwave/opencl.hpp>
#include <clwave/view.hpp>

namespace clwave {

/// Device memory of the caller's for a call to work in: a buffer or a sub-buffer as a whole, or the part of
/// it that a view of any type covers. Owns nothing: the buffer must live until the call has returned, and its
/// contents belong to the call until its work is done. Default-constructed: none.
class workspace_view {
 public:
  workspace_view() = default;
  /// A buffer or sub-buffer as a whole.
  template <buffer_like Buffer>
  workspace_view(const Buffer& whole)  // NOLINT(google-explicit-constructor): as views take buffers
      : memory_{handle_of<cl_mem>(whole), 0, 0, nullptr}, empty_(false) {}
  /// The bytes that a view covers; their type does not matter.
  template <viewable Part>
    requires(!detail::is_counted<Part>::value && !detail::is_lazy<Part>::value)
  workspace_view(const Part& part)  // NOLINT(google-explicit-constructor)
      : memory_(detail::erase(part)), empty_(false) {}

  /// True where no memory was given, and the call takes the library's.
  bool empty() const noexcept { return empty_; }
  /// Where it lies; an operand without a type is the whole buffer.
  const any_view& memory() const noexcept { return memory_; }

 private:
  any_view memory_ = {};
  bool empty_ = true;
};

/// What the options of every call are: an aggregate that may be left out, whose last fields are those of
/// launch_options, in their order.
template <class T>
concept call_options = std::is_aggregate_v<T> && std::default_initializable<T> && requires(const T& all) {
  { (all.after) } -> std::same_as<const wait_list&>;
  { (all.with_event) } -> std::same_as<const bool&>;
  { (all.workspace) } -> std::same_as<const workspace_view&>;
  T{.after = wait_list(), .with_event = true, .workspace = workspace_view()};
};

/// The options of a call without fields of its own, and what the last three fields of all others mean. An
/// event of another context than the queue's is refused with bad_call before anything is enqueued, and one
/// that has already ended in an error ends the call with device_lost (or out_of_memory). If one ends in an
/// error later, the call's commands do not run and its own event, if it has one, ends in an error.
struct launch_options {
  /// Empty: the call starts after all that its queue held, but on an out-of-order queue a call that does not
  /// block starts at once. Not empty: on an out-of-order queue the call starts after these events and waits
  /// for nothing else.
  wait_list after = {};
  /// False: no event is made for the caller, and the queue alone says when the work is done (the order of an
  /// in-order queue, clFinish, a marker). On NVIDIA an event takes 2 us of the device's time: as long as a
  /// small reduction itself. Only calls that return an event go by it: one that returns a value makes none,
  /// and one that returns a future always makes one.
  bool with_event = true;
  /// Used by a call that needs workspace, as its docstring then says, instead of memory that the library
  /// keeps; all others do not look at it. As many bytes are needed as the call's plan says
  /// (call_plan::workspace_bytes); the call writes to no others, and what they hold before does not matter.
  /// Throws bad_call, before anything is enqueued, where it has fewer bytes, does not start at a multiple of
  /// 128 bytes and of what the device asks of sub-buffers (128 on most CPUs, 512 on NVIDIA), shares bytes
  /// with an operand, lies in a buffer of another context, or in one that kernels may not both read and
  /// write. Two calls that are in flight at the same time may not have the same workspace: that is the
  /// caller's to see to, by an in-order queue or by `after`.
  ///
  ///     const clwave::plan_target on{.facts = &facts, .choice = clwave::choose_profile(facts)};
  ///     const std::uint64_t n_bytes = plan(problem, on).workspace_bytes;
  ///     clwave::reduce(queue, x, out, {.workspace = buffer});  // of n_bytes or more
  workspace_view workspace = {};

  /// The options of any call, with these three fields and none of that call's own.
  template <call_options Options>
    requires(!std::is_same_v<Options, launch_options>)
  operator Options() const {  // NOLINT(google-explicit-constructor): what a call is given stands for its own
    Options all;
    all.after = after;
    all.with_event = with_event;
    all.workspace = workspace;
    return all;
  }
};

static_assert(call_options<launch_options>);

namespace detail {

// What the options of a call say of its launch, whichever aggregate they are. Refers to them.
struct launch_fields {
  template <call_options Options>
  launch_fields(const Options& all)  // NOLINT(google-explicit-constructor): stands for a part of them
      : after(all.after), with_event(all.with_event), workspace(all.workspace) {}

  const wait_list& after;
  bool with_event;
  const workspace_view& workspace;
};

// What the options of a call say of its launch, for calls that have none of their own. Takes a further
// reference to each event that is waited for.
inline launch_options launch_of(const launch_fields& all) {
  return {.after = all.after, .with_event = all.with_event, .workspace = all.workspace};
}
inline const launch_options& launch_of(const launch_options& all) { return all; }

}  // namespace detail

}  // namespace clwave
