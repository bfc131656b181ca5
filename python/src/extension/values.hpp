// Values of calls that go to the host: at once, or in a Future.
#pragma once

#include <vector>

#include <clwave/reduce.hpp>
#include <clwave/search.hpp>

#include "call.hpp"
#include "futures.hpp"

namespace clwave_python {

inline void to_memory(cl_command_queue queue, const clwave::reduce_problem& asked, void* value,
                      const clwave::launch_options& launch) {
  clwave::reduce(queue, asked, value, launch);
}
inline void to_memory(cl_command_queue queue, const clwave::search_problem& asked, void* value,
                      const clwave::launch_options& launch) {
  clwave::search(queue, asked, value, launch);
}
inline clwave::detail::future_handle to_future(cl_command_queue queue, const clwave::reduce_problem& asked,
                                               const clwave::launch_options& launch) {
  return clwave::detail::reduce_to_future(queue, asked, launch);
}
inline clwave::detail::future_handle to_future(cl_command_queue queue, const clwave::search_problem& asked,
                                               const clwave::launch_options& launch) {
  return clwave::detail::search_to_future(queue, asked, launch);
}

// Enqueues a call whose value of so many bytes goes to the host, waits, and returns the bytes. The call that
// blocks is faster than one whose value comes later, but Ctrl-C does not end it.
template <class Problem>
std::vector<unsigned char> bytes_of_call(call& on, const Problem& asked, std::size_t n_bytes) {
  if (planning) on.throw_planned(asked);
  std::vector<unsigned char> bytes(n_bytes);
  if (on.is_brief()) {
    const nb::gil_scoped_release released;
    to_memory(on.queue(), asked, bytes.data(), on.launch());
    return bytes;
  }
  clwave::detail::future_handle later;
  {
    const nb::gil_scoped_release released;
    later = to_future(on.queue(), asked, on.launch());
  }
  const clwave::event end = clwave::detail::event_of_future(later.get());
  on.wait(end);
  const nb::gil_scoped_release released;
  clwave::detail::get_future(later.get(), bytes.data());
  return bytes;
}

// The Future of such a call. `value` makes Python's value of the bytes.
template <class Problem, class Value>
nb::object future_of_call(call& on, const Problem& asked, std::size_t n_bytes, const Value& value) {
  if (planning) on.throw_planned(asked);
  future made{.n_bytes = n_bytes, .value = value};
  {
    const nb::gil_scoped_release released;
    made.state = to_future(on.queue(), asked, on.launch());
  }
  made.on = on.left(clwave::detail::event_of_future(made.state.get()));
  return nb::cast(std::move(made));
}

}  // namespace clwave_python
