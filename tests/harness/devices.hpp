// Where the tests run: the device with its context and queue, every profile on it, and buffers with guard
// bytes. Does not need doctest: what goes wrong is thrown.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <future>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/cache.hpp>
#include <clwave/device.hpp>
#include <clwave/element.hpp>
#include <clwave/error.hpp>
#include <clwave/op.hpp>
#include <clwave/options.hpp>
#include <clwave/plan.hpp>
#include <clwave/profile.hpp>
#include <clwave/sort_order.hpp>
#include <clwave/view.hpp>

#include "base/opencl.hpp"
#include "call/workspace.hpp"
#include "harness/environment.hpp"
#include "harness/quick.hpp"
#include "harness/reference.hpp"
#include "program/program.hpp"

namespace testing {

// What tests name without saying where it is from.
using clwave::any_view;
using clwave::bfloat16;
using clwave::call_plan;
using clwave::element;
using clwave::element_of;
using clwave::failure;
using clwave::half;
using clwave::indexed;
using clwave::launch_options;
using clwave::map;
using clwave::op;
using clwave::planned_kernel;
using clwave::sort_order;
using clwave::u16;
using clwave::view;
using reference::canonical;
using reference::random_engine;
using reference::random_value;
using reference::random_values;
using reference::same_bits;
using reference::show_bits;
using reference::spice;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

// A device with a context and an in-order queue. What clwave keeps for the context goes with it.
class fixture {
 public:
  explicit fixture(cl_device_id id = clwave::select_device())
      : device(id, true), context(device), queue(context, device), facts(clwave::facts_of(id)) {}
  ~fixture() { clwave::release(context); }
  fixture(const fixture&) = delete;
  fixture& operator=(const fixture&) = delete;

  cl::CommandQueue new_queue(cl_command_queue_properties properties = 0) const {
    return cl::CommandQueue(context, device, properties);
  }

  // What its calls are planned for.
  clwave::plan_target target(bool with_source = false) const {
    return {.facts = &facts, .choice = clwave::choose_profile(facts), .with_source = with_source};
  }

  // A buffer with these values; never of size zero, which drivers refuse.
  template <class T>
  cl::Buffer buffer_of(const std::vector<T>& values) const {
    return buffer_of_bytes(values.data(), values.size() * sizeof(T));
  }
  cl::Buffer buffer_of_bytes(const void* bytes, std::size_t n_bytes) const {
    cl_int code = CL_SUCCESS;
    cl::Buffer buffer(
        clCreateBuffer(context(), CL_MEM_READ_WRITE, std::max<std::size_t>(n_bytes, 1), nullptr, &code));
    clwave::detail::check(code, "make a test's buffer");
    if (n_bytes > 0) {
      clwave::detail::check(
          clEnqueueWriteBuffer(queue(), buffer(), CL_TRUE, 0, n_bytes, bytes, 0, nullptr, nullptr),
          "fill a buffer");
    }
    return buffer;
  }

  // n elements from a byte offset. Waits for the queue.
  template <class T>
  std::vector<T> read(const cl::Buffer& buffer, std::size_t n, std::size_t offset_bytes = 0) const {
    std::vector<T> values(n);
    if (n == 0) return values;
    clwave::detail::check(clEnqueueReadBuffer(queue(), buffer(), CL_TRUE, offset_bytes, n * sizeof(T),
                                              values.data(), 0, nullptr, nullptr),
                          "read a test's buffer");
    return values;
  }

  // Writes bytes once the events before it have ended, and returns at once: it copies, on the device, from
  // a buffer of its own. Drivers may wait inside a call that is to write from the host's memory later.
  cl::Event write_after(const cl::CommandQueue& on_queue, const cl::Buffer& to, const void* bytes,
                        std::size_t n_bytes, const std::vector<cl::Event>& before) const {
    const cl::Buffer from = buffer_of_bytes(bytes, n_bytes);
    cl::Event done;
    clwave::detail::check(on_queue.enqueueCopyBuffer(from, to, 0, 0, n_bytes, &before, &done), "write later");
    return done;
  }

  bool has_doubles() const { return facts.fp64.value_or(false); }
  // Whether the driver is PoCL, whose faults some tests step round.
  bool is_pocl() const { return facts.platform_name.value_or("") == "Portable Computing Language"; }

  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
  const clwave::device_facts& facts;
};

inline fixture* made_by_default = nullptr;

// The default device's fixture, shared by all tests so that they share programs. Never destroyed: at
// process exit the driver may be gone.
inline fixture& default_fixture() {
  static fixture& instance = *(made_by_default = new fixture);
  return instance;
}

// What most test cases begin with, as TEST_CASE_FIXTURE(on_device, "..."): the default device, and random
// numbers.
struct on_device {
  fixture& on = default_fixture();
  reference::random_engine random;
};

// Waits for what tests left running on the default fixture, if one was made. The end of the program would
// otherwise take a driver's compiler from under its threads (PoCL's crash then).
inline void finish_default_fixture() {
  if (made_by_default != nullptr) clFinish(made_by_default->queue());
}

// Calls f(fixture&) for every device that can build programs. Throws if there is none.
template <class F>
void for_each_device(F f) {
  bool any = false;
  for (const clwave::device_place& place : clwave::devices()) {
    if (!clwave::facts_of(place.device).compiler_available.value_or(true)) continue;
    fixture on(place.device);
    f(on);
    any = true;
  }
  if (!any) throw std::runtime_error("no device: nothing was tested");
}

// Calls f(row) with CLWAVE_PROFILE set to each row of the table in turn, or to one of so many of them in a
// quick run. Throws if there is none.
template <class F>
void for_each_profile(F f, std::size_t one_of = 8) {
  bool any = false;
  sample rows(one_of);
  for (const clwave::profile& row : clwave::profiles()) {
    if (!rows.takes_next()) continue;
    const forced_profile forced{std::string(row.name)};
    f(row);
    any = true;
  }
  if (!any) throw std::runtime_error("no profile: nothing was tested");
}

// Rows of the device table, for a loop in which CLWAVE_PROFILE is set to each in turn:
//     for (const std::string name : forced_rows({"sm_90", "cpu"})) ...
// An empty name leaves the choice to the library.
class forced_rows {
 public:
  template <class Names>
  explicit forced_rows(const Names& names) : names_(std::begin(names), std::end(names)) {}
  forced_rows(std::initializer_list<std::string> names) : names_(names) {}

  class turn {
   public:
    explicit turn(const std::vector<std::string>& names) : names_(names) { force(); }
    std::string operator*() const { return names_[at_]; }
    turn& operator++() {
      ++at_;
      force();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return at_ == names_.size(); }

   private:
    void force() {
      forced_.reset();
      if (at_ < names_.size()) forced_.emplace(names_[at_]);
    }

    const std::vector<std::string>& names_;
    std::size_t at_ = 0;
    std::optional<forced_profile> forced_;
  };
  turn begin() const { return turn(names_); }
  std::default_sentinel_t end() const { return {}; }

 private:
  std::vector<std::string> names_;
};

// Room for n elements in a buffer with random guard elements before and behind, which a correct call
// leaves as they are. The first element is aligned to 128 bytes.
template <class T>
class guarded_buffer {
 public:
  static constexpr std::size_t guard = 128;  // elements on either side

  guarded_buffer(const fixture& on, std::size_t n) : on_(on), n_(n), before_((n + 2 * guard) * sizeof(T)) {
    reference::random_engine random;
    for (unsigned char& byte : before_) byte = static_cast<unsigned char>(random());
    buffer_ = on.buffer_of(before_);
  }

  const cl::Buffer& buffer() const { return buffer_; }
  clwave::view<T> view() const { return {buffer_, n_, guard}; }

  // The elements. Waits for the fixture's queue.
  std::vector<T> read() const { return on_.read<T>(buffer_, n_, guard * sizeof(T)); }
  // The elements, where nothing beside them was written; the first of them.
  std::vector<T> read_guarded() const {
    if (!guards_intact()) throw std::runtime_error("something was written beside the output");
    return read();
  }
  T first() const { return read_guarded().at(0); }

  bool guards_intact() const { return untouched(0, guard) && untouched(guard + n_, guard); }
  // Nothing was written at all.
  bool intact() const { return untouched(0, n_ + 2 * guard); }

 private:
  bool untouched(std::size_t first, std::size_t n) const {
    const auto now = on_.read<unsigned char>(buffer_, n * sizeof(T), first * sizeof(T));
    return std::memcmp(now.data(), before_.data() + first * sizeof(T), now.size()) == 0;
  }

  const fixture& on_;
  std::size_t n_;
  std::vector<unsigned char> before_;
  cl::Buffer buffer_;
};

// Whether it comes true: drivers let go of what a command held a while after it has ended. What does not is
// waited for this long; a machine that has much to do may take seconds for what a quiet one does at once.
template <class Test>
bool comes_true(const Test& test, std::chrono::seconds patience = std::chrono::seconds(120)) {
  for (const auto end = std::chrono::steady_clock::now() + patience;
       std::chrono::steady_clock::now() < end;) {
    if (test()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return test();
}

inline cl_uint references_to(cl_context context) {
  cl_uint count = 0;
  clwave::detail::check(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr),
                        "count references");
  return count;
}

// An event that a test sets; it is set at the end in any case, so that nothing hangs.
class gate {
 public:
  explicit gate(const fixture& on) : event_(on.context) {}
  ~gate() { open(); }
  void open() {
    if (!open_) event_.setStatus(CL_COMPLETE);
    open_ = true;
  }
  const cl::UserEvent& event() const { return event_; }

 private:
  cl::UserEvent event_;
  bool open_ = false;
};

// Runs `call` in a thread of its own. Says whether it came back before `open()`, which is called after a
// while in any case.
template <class Open, class F>
bool comes_back_before(const Open& open, const F& call) {
  auto result = std::async(std::launch::async, call);
  const bool came_back = result.wait_for(std::chrono::milliseconds(30)) == std::future_status::ready;
  open();
  if (result.wait_for(std::chrono::seconds(300)) != std::future_status::ready)
    throw std::runtime_error("the call hangs");
  result.get();
  return came_back;
}

// The kinds of queue that the device has, by the order of their commands; and with those that measure times.
inline std::vector<cl_command_queue_properties> orders_of_queue(const fixture& on) {
  std::vector<cl_command_queue_properties> kinds{0};
  if (on.facts.out_of_order_queue.value_or(false)) kinds.push_back(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  return kinds;
}
inline std::vector<cl_command_queue_properties> kinds_of_queue(const fixture& on) {
  std::vector<cl_command_queue_properties> kinds = orders_of_queue(on);
  kinds.push_back(CL_QUEUE_PROFILING_ENABLE);
  return kinds;
}

// Whether in an out-of-order queue a command passes one that waits. Drivers may run such queues in order.
inline bool commands_pass(const fixture& on) {
  const cl::CommandQueue queue = on.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl::Buffer buffer = on.buffer_of(std::vector<std::uint32_t>(16));
  gate held(on);
  const std::vector<cl::Event> shut{held.event()};
  cl::Event filled;
  clwave::detail::check(queue.enqueueMarkerWithWaitList(&shut), "hold a queue up");
  clwave::detail::check(queue.enqueueFillBuffer(buffer, std::uint32_t{1}, 0, 64, nullptr, &filled),
                        "fill a buffer");
  clwave::detail::check(queue.flush(), "flush");
  const bool passed =
      comes_true([&] { return filled.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE; },
                 std::chrono::seconds(3));  // such a driver's would not in any time
  held.open();
  clwave::detail::check(queue.finish(), "finish");
  return passed;
}

}  // namespace testing
