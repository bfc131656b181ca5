// Enqueues commands one after another, and finds out what became of them.
#include "distributed/chain.hpp"

#include "call/markers.hpp"

namespace clwave::detail {

void chain::starts_after(std::initializer_list<const wait_list*> given) {
  const wait_list all = waits_of(site_, given);
  for (const cl_event e : all.handles()) after_.add(e);
}

std::span<const cl_event> chain::next_after() {
  // Room for its event, so that no command is enqueued of which nobody knows.
  if (events_.size() == events_.capacity()) events_.reserve(2 * events_.size() + 4);
  if (events_.empty()) return after_.handles();
  if (site_.in_order && after_.empty()) return {};
  handle_ = last();
  return {&handle_, 1};
}

wait_list chain::behind() {
  wait_list all;
  for (const cl_event e : next_after()) all.add(e);
  return all;
}

template <class Enqueue, class... Arguments>
void chain::enqueue(std::string_view what, const Enqueue& enqueue_command, Arguments... arguments) {
  const auto after = next_after();
  cl_event done = nullptr;
  check(enqueue_command(site_.queue, arguments..., static_cast<cl_uint>(after.size()),
                        after.empty() ? nullptr : after.data(), &done),
        what);
  goes_on_with(event(done));
  is_flushed_ = false;
}

void chain::read(cl_mem from, std::uint64_t at, std::uint64_t n_bytes, void* to, std::string_view what) {
  enqueue(what, clEnqueueReadBuffer, from, CL_FALSE, static_cast<std::size_t>(at),
          static_cast<std::size_t>(n_bytes), to);
}

void chain::write(const void* from, cl_mem to, std::uint64_t at, std::uint64_t n_bytes,
                  std::string_view what) {
  enqueue(what, clEnqueueWriteBuffer, to, CL_FALSE, static_cast<std::size_t>(at),
          static_cast<std::size_t>(n_bytes), from);
}

void chain::copy(cl_mem from, std::uint64_t from_at, cl_mem to, std::uint64_t at, std::uint64_t n_bytes) {
  enqueue("copy what a shard has of a tile", clEnqueueCopyBuffer, from, to, static_cast<std::size_t>(from_at),
          static_cast<std::size_t>(at), static_cast<std::size_t>(n_bytes));
}

void chain::flush() {
  if (is_flushed_) return;
  check(clFlush(site_.queue), "flush a shard's queue");
  is_flushed_ = true;
}

void chain::finish() {
  const cl_int status = end();
  if (status != CL_COMPLETE)
    throw error(failure_of(status, doing::outcome), "a command failed on the device", status);
}

cl_int chain::end() {
  if (has_unwatched_) {
    has_unwatched_ = false;
    if (const cl_int code = clFinish(site_.queue); code != CL_SUCCESS) status_ = code;
  }
  if (ended_ == last()) return status_;
  const cl_event last = this->last();
  cl_int code = clWaitForEvents(1, &last);
  // What has not ended may still use memory that is about to go.
  if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) clFinish(site_.queue);
  // The wait may return without an error where an earlier command has failed, whose code says most.
  for (const event& each : events_) {
    cl_int status = CL_COMPLETE;
    const cl_int asked =
        clGetEventInfo(each.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status < 0 && (code == CL_SUCCESS || code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST))
      code = status;
    if (code == CL_SUCCESS) code = asked;
  }
  ended_ = last;
  return status_ = code;
}

}  // namespace clwave::detail
