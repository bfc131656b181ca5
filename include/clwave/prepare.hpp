/// @file
/// Building programs ahead of the first calls that need them.
///
/// The first call of a kind builds its program, which takes tenths of a second; the next process finds it on
/// disk. A program that knows its calls can have them built while it reads its data.
///
/// Threads may prepare at the same time, and while others call; a program that two of them need is built
/// once, and different ones at the same time. No queue of yours is touched, and nothing is flushed. In a
/// child of fork() prepare() throws bad_call where calls do (event.hpp), and a preparation of the parent's
/// may only be destroyed.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <clwave/export.hpp>
#include <clwave/handle.hpp>
#include <clwave/plan.hpp>

namespace clwave {

/// What plan(problem, target) answers: reduce_problem, copy_problem, ...
template <class Problem>
concept planned_problem = requires(const Problem& problem, const plan_target& on) {
  { plan(problem, on) } -> std::same_as<call_plan>;
};

namespace detail {

// The function is found by the problem, which may be of another namespace.
template <planned_problem Problem>
call_plan plan_to_prepare(const Problem& problem, const plan_target& on) {
  return plan(problem, on);
}

}  // namespace detail

/// Any problem. Keeps a copy; what the problem refers to (types, operators, maps) must live as long.
class any_problem {
 public:
  /// Of a primitive's problem.
  template <planned_problem Problem>
  any_problem(Problem problem)  // NOLINT(google-explicit-constructor): stands for the problem
      : plan_([asked = std::move(problem)](const plan_target& on) {
          return detail::plan_to_prepare(asked, on);
        }) {}
  /// Of a function that answers as plan() does. It may be called from any thread.
  explicit any_problem(std::function<call_plan(const plan_target&)> plan) : plan_(std::move(plan)) {}

  /// The plan of the problem.
  call_plan plan(const plan_target& on) const { return plan_(on); }

 private:
  std::function<call_plan(const plan_target&)> plan_;
};

/// How to prepare.
struct prepare_options {
  /// How many threads build at once; 0: as many as the processor has, and at most one for each problem.
  unsigned threads = 0;
};

namespace detail {

class preparation_state;

CLWAVE_EXPORT std::shared_ptr<preparation_state> prepare(cl_context context, cl_device_id device,
                                                         std::vector<any_problem> calls,
                                                         const prepare_options& options);
CLWAVE_EXPORT void wait_for_preparation(const preparation_state& state);
CLWAVE_EXPORT void wait_for_preparation(const preparation_state& state, std::size_t call);
CLWAVE_EXPORT std::size_t prepared_calls(const preparation_state& state);
CLWAVE_EXPORT void end_preparation(preparation_state& state) noexcept;

}  // namespace detail

/// Programs that are being built. It owns the threads that build them. Its destructor gives up those that no
/// thread has begun, and waits for the others: keep it until the programs are wanted. Movable. One that was
/// default-constructed or moved from is of no calls.
class [[nodiscard]] preparation {
 public:
  preparation() = default;
  /// For prepare().
  preparation(std::shared_ptr<detail::preparation_state> state, std::size_t calls)
      : state_(std::move(state)), calls_(calls) {}
  ~preparation() { end(); }
  /// Leaves `other` of no calls.
  preparation(preparation&& other) noexcept
      : state_(std::move(other.state_)), calls_(std::exchange(other.calls_, 0)) {}
  /// Ends what this one was before, as its destructor does.
  preparation& operator=(preparation&& other) noexcept {
    if (this == &other) return *this;
    end();
    state_ = std::move(other.state_);
    calls_ = std::exchange(other.calls_, 0);
    return *this;
  }

  /// Blocks until all programs are built. Then throws what the first problem in their order met that met
  /// anything: clwave::error as its call would have thrown it (bad_call, build, out_of_memory, ...), and
  /// bad_call where release() of the context came before its program was begun.
  void wait() const {
    if (state_) detail::wait_for_preparation(*state_);
  }
  /// Blocks until the program of that problem, counted from 0, is built, and throws what it met:
  /// clwave::error, bad_call, build, out_of_memory and others, or bad_call where there is no such problem.
  void wait(std::size_t call) const {
    if (state_) detail::wait_for_preparation(*state_, call);
  }
  /// True once wait() would not block. Does not block.
  bool done() const { return prepared() == calls_; }
  /// How many problems are done with, well or not.
  std::size_t prepared() const { return state_ ? detail::prepared_calls(*state_) : 0; }
  /// How many problems it is of.
  std::size_t calls() const { return calls_; }

 private:
  void end() noexcept {
    if (state_) detail::end_preparation(*state_);
    state_.reset();
  }

  std::shared_ptr<detail::preparation_state> state_;
  std::size_t calls_ = 0;
};

/// Builds the programs of calls ahead, in threads of its own, and returns at once. Programs stay with the
/// context as those of calls do (cache.hpp: 256 of them), and on disk (CLWAVE_CACHE_DIR). A call finds its
/// program if it is as it was asked: of the same types and operators, as large, and as its operands lie.
///
///     const clwave::element& f32 = clwave::element_of<float>();
///     clwave::preparation ready = clwave::prepare(
///         context, device, {clwave::reduce_problem{.in = {f32, 1 << 20}, .accumulator = &f32},
///                           clwave::copy_problem{.in = {f32, 1 << 20}, .out = f32}});
///     ...              // read the data
///     ready.wait();    // throws what went wrong
///
/// Nothing runs on the device, where the device's facts need no probe. A driver that compiles a kernel again
/// for the groups that it is first launched in (PoCL does) still does that in the first call.
///
/// Throws clwave::error (bad_call) for a null handle and for a device that is none of the context's. All else
/// comes out of wait().
template <handle_to<cl_context> Context, handle_to<cl_device_id> Device>
preparation prepare(const Context& context, const Device& device, std::vector<any_problem> calls,
                    const prepare_options& options = {}) {
  const cl_context in{handle_of<cl_context>(context)};
  const cl_device_id on{handle_of<cl_device_id>(device)};
  const std::size_t n = calls.size();
  return {detail::prepare(in, on, std::move(calls), options), n};
}

}  // namespace clwave
