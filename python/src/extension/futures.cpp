// Values that come later: clwave.Future.
#include "futures.hpp"

#include <vector>

#include "module.hpp"

namespace clwave_python {
namespace {

nb::object get(const future& f) {
  refuse_forked();
  // A signal ends this wait; the value can still be fetched then.
  wait_for(f.on->handle, clwave::detail::event_of_future(f.state.get()));
  std::vector<unsigned char> bytes(f.n_bytes);
  {
    const nb::gil_scoped_release released;
    clwave::detail::get_future(f.state.get(), bytes.data());
  }
  return f.value(bytes.data());
}

}  // namespace

void register_futures(nb::module_& m) {
  nb::class_<future>(
      m, "Future",
      "A value that a call will have computed, such as reduce_async returns. It holds 128 bytes "
      "on the device; to drop it does not wait, and the call's work runs on.")
      .def("get", &get, nb::sig("def get(self) -> Any"),
           "Blocks until the value is there, and returns it, as often as it is asked; Ctrl-C ends the wait. "
           "Raises where the work failed.")
      .def_prop_ro(
          "done",
          [](const future& f) {
            refuse_forked();
            if (clwave::detail::is_future_done(f.state.get())) return true;
            check(clFlush(f.on->handle), "flush the queue");  // else it might never begin
            return clwave::detail::is_future_done(f.state.get());
          },
          "True once the work has ended, well or not. Does not block.")
      .def_prop_ro(
          "event",
          [](const future& f) {
            refuse_forked();
            return event_to_python(f.on->handle, clwave::detail::event_of_future(f.state.get()));
          },
          nb::sig("def event(self) -> Event"), "The end of the call's work, for `after`.");
}

}  // namespace clwave_python
