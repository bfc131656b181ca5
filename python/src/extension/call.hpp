// One call from Python: its queue, its operands as views, its launch, and its results as the kind of array
// that it was given.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include <clwave/any_view.hpp>
#include <clwave/event.hpp>
#include <clwave/lazy_view.hpp>
#include <clwave/options.hpp>
#include <clwave/plan.hpp>

#include "handles.hpp"
#include "plans.hpp"
#include "texts.hpp"
#include "types.hpp"

namespace clwave_python {

struct lazy_array;

// Indices as numbers without a sign: those that are negative are outside, as large ones are.
clwave::any_view as_unsigned(clwave::any_view indices);

class call {
 public:
  // The queue is `queue`, else that of the first operand that has one, else the default queue. None among the
  // operands is one that was left out; a tuple is one of outputs.
  call(nb::handle queue, nb::handle after, std::initializer_list<nb::handle> operands);

  // An input: a NumPy array is copied to the device.
  clwave::any_view in(nb::handle operand, const char* name);
  std::optional<clwave::any_view> in_if_any(nb::handle operand, const char* name);
  // An input that may be a CountedArray. The view refers to the call.
  clwave::any_view counted_in(nb::handle operand, const char* name);
  // The offsets of segments, which may be CountedSegments. The view refers to the call.
  clwave::any_view offsets_in(nb::handle operand);
  // An output, which is no NumPy array, and no LazyArray.
  clwave::any_view out(nb::handle operand, const char* name);
  // A pair of outputs; `what` says of what: "keys, and of values".
  std::pair<clwave::any_view, clwave::any_view> pair_out(nb::handle operand, const char* what);

  // A new array of `n` elements as an output. `dtype` is a dtype object.
  struct result {
    nb::object object;
    clwave::any_view view;
  };
  result make(std::uint64_t n, nb::handle dtype, const char* name);
  // An Array of this shape, a number or a sequence, in a call without inputs.
  result make_shaped(nb::handle shape, nb::handle dtype, const char* name);
  // Of the operand's own shape.
  result make_like(nb::handle operand, std::uint64_t n, nb::handle dtype, const char* name);
  // Of `n` elements for the call's own use.
  clwave::any_view scratch(std::uint64_t n, const char* dtype);

  // True where the work cannot take long: the queue is this module's alone and had nothing to do, the
  // operands are not large, and no text loops. Such a wait may block without an eye on Ctrl-C.
  bool is_brief() const { return brief_ && shared_ && launch_.after.empty() && shared_->is_idle(); }
  void expect_long() { brief_ = false; }
  void note_type(const clwave::element& type);

  // True where an operand has doubles.
  bool doubles() const { return doubles_; }
  // The dtype object of an operand.
  static nb::object dtype_of(nb::handle operand);
  // How many elements an array says that it has.
  static std::uint64_t size_of(nb::handle operand, const char* name);

  // Enqueues `work`, which is given the queue and the launch_options, and returns its event.
  template <class Problem, class Work>
  clwave::event run(const Problem& problem, const Work& work) {
    if (planning) throw_planned(problem);
    const nb::gil_scoped_release released;
    return work(queue_, problem, launch_);
  }
  // The same for work that blocks and returns something else.
  template <class Problem, class Work>
  auto block(const Problem& problem, const Work& work) {
    if (planning) throw_planned(problem);
    const nb::gil_scoped_release released;
    return work(queue_, problem, launch_);
  }

  // In place of a launch, in calls that are planned.
  template <class Problem>
  [[noreturn]] void throw_planned(const Problem& problem) {
    throw planned{owned(problem), shared()};
  }

  // The queue of work that was enqueued and ends by this event.
  std::shared_ptr<class queue> left(clwave::event end);
  // How many elements such an input has, of at most so many: once the work has ended, the number that the
  // device has.
  std::uint64_t length(std::uint64_t most);
  // The same of one input.
  std::uint64_t length_of(const clwave::any_view& counted);
  // How many segments offsets have, of which there is one at least: likewise.
  std::uint64_t segments_of(const clwave::any_view& offsets);
  // What a call with `out=` returns.
  nb::object event(clwave::event made);
  // Waits, and returns a result of the input's length as the kind of array that the call was given.
  nb::object value(const clwave::event& made, const result& of);
  void wait(const clwave::event& made);
  // The number of 64 bits in a view, once the event has ended.
  std::uint64_t read_count(const clwave::event& made, const clwave::any_view& count);
  nb::object finished(const result& of, std::uint64_t n);
  // Runs `work` into `given`, an array, and returns its event; where that is None, into what `make` makes,
  // and returns that once it is there. `where` is the problem's output.
  template <class Problem, class View, class Work, class Make>
  nb::object into(nb::handle given, const Problem& problem, View& where, const Work& work, const Make& make) {
    if (!given.is_none()) {
      where = out(given, "out");
      return event(run(problem, work));
    }
    const result made = make();
    where = made.view;
    return value(run(problem, work), made);
  }

  cl_command_queue queue() const { return queue_; }
  clwave::launch_options& launch() { return launch_; }

 private:
  enum class array_kind { none, numpy, own, foreign };

  void note_operand(nb::handle operand, nb::handle queue);
  clwave::any_view foreign(nb::handle operand, const char* name);
  clwave::any_view lazy(const lazy_array& of, const char* name);
  const std::shared_ptr<class queue>& shared();

  cl_command_queue queue_ = nullptr;
  std::shared_ptr<class queue> shared_;  // null: not made yet
  clwave::launch_options launch_;
  nb::object queue_object_;  // pyopencl's, for arrays of its kind
  nb::handle prototype_;     // the first array
  array_kind kind_ = array_kind::none;
  std::deque<clwave::any_view> counts_;  // where the lengths of CountedArrays lie
  std::deque<clwave::any_lazy> lazies_;  // what LazyArrays are made of
  clwave::any_view segments_;            // where the number of CountedSegments lies
  bool doubles_ = false;
  bool brief_ = true;
  std::vector<array> kept_;                    // copies and scratch, until the call is enqueued
  std::vector<std::shared_ptr<memory>> held_;  // of the operands, which other threads may release meanwhile
};

}  // namespace clwave_python
