// The commands that a call on several devices gives to one queue.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <clwave/event.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/execute.hpp"

namespace clwave::detail {

// The commands that a call gives to one queue: each after the one before. Whoever enqueues them calls
// finish(), or the destructor waits for their end: what they read and write may then go.
class chain {
 public:
  explicit chain(const call_site& site) : site_(site) {}
  ~chain() { end(); }
  chain(const chain&) = delete;
  chain& operator=(const chain&) = delete;

  // What the first command waits for: what the caller gave, a list for each array of the caller's that the
  // commands read or write, or null (waits_of in call/markers.hpp). Commands that touch none go without.
  void starts_after(std::initializer_list<const wait_list*> given);
  // And this; nothing where it is null.
  void starts_also_after(cl_event also) { after_.add(also); }

  // What the next command waits for. Where the first waits for nothing, the order of an in-order queue is
  // enough; else a driver may carry on behind a first one that was terminated.
  std::span<const cl_event> next_after();
  // The same for a call of its own that comes next.
  wait_list behind();
  // All events are held: where one fails whose last reference went before, PoCL 3.1 stops the process.
  void goes_on_with(event next) { events_.push_back(std::move(next)); }

  // A call with those operands' buffers, of which null ones are left out. Where it need not be `watched`,
  // since its results say whether it ran, and the order of the queue is enough, it has no event, which costs
  // time.
  template <class Variant>
  void run(const ready_call<Variant>& ready, std::initializer_list<cl_mem> buffers, bool watched = true) {
    std::array<cl_mem, 4> given{};
    const auto end = std::remove_copy(buffers.begin(), buffers.end(), given.begin(), nullptr);
    const auto after = next_after();
    has_unwatched_ = !watched && site_.in_order && after.empty();
    event done = detail::enqueue(site_, ready, {given.begin(), end}, after, !has_unwatched_);
    if (!has_unwatched_) goes_on_with(std::move(done));
    is_flushed_ = false;
  }
  void read(cl_mem from, std::uint64_t at, std::uint64_t n_bytes, void* to,
            std::string_view what = "read what a shard is to send");
  void write(const void* from, cl_mem to, std::uint64_t at, std::uint64_t n_bytes,
             std::string_view what = "write what shards have sent");
  void copy(cl_mem from, std::uint64_t from_at, cl_mem to, std::uint64_t at, std::uint64_t n_bytes);

  // The last command's; null where there is none.
  cl_event last() const { return events_.empty() ? nullptr : events_.back().get(); }

  // Flushes the queue where commands have come since it did so last.
  void flush();
  // Waits for the end of the commands, and throws what became of them.
  void finish();

 private:
  template <class Enqueue, class... Arguments>
  void enqueue(std::string_view what, const Enqueue& enqueue_command, Arguments... arguments);

  // What became of the commands, once the last one has ended: CL_COMPLETE, or an error code.
  cl_int end();

  const call_site& site_;
  wait_list after_;
  std::vector<event> events_;
  bool is_flushed_ = true;
  bool has_unwatched_ = false;  // behind all that have events
  cl_event ended_ = nullptr;
  cl_int status_ = CL_COMPLETE;
  cl_event handle_ = nullptr;
};

}  // namespace clwave::detail
