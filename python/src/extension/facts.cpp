// What there is, and what a call would do: devices and plans of Python.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nanobind/stl/string.h>

#include <clwave/cache.hpp>
#include <clwave/device.hpp>
#include <clwave/prepare.hpp>

#include "call.hpp"
#include "module.hpp"

namespace clwave_python {
namespace {

nb::list info() {
  refuse_forked();
  nb::list all;
  for (const clwave::device_place& place : clwave::devices()) {
    const clwave::device_facts& facts = clwave::facts_of(place.device);
    nb::dict device;
    device["name"] = facts.name.value_or("unknown");
    device["place"] = std::to_string(place.platform_index) + ":" + std::to_string(place.device_index);
    device["profile"] = std::string(clwave::choose_profile(facts).profile->name);
    nb::dict known;
    for (const clwave::printed_fact& fact : clwave::print(facts)) known[fact.name.c_str()] = fact.value;
    device["facts"] = known;
    all.append(device);
  }
  return all;
}

nb::dict as_dict(const clwave::call_plan& plan) {
  nb::dict made;
  made["primitive"] = plan.primitive;
  made["variant"] = plan.variant;
  made["n"] = plan.n;
  made["workspace_bytes"] = plan.workspace_bytes;
  nb::list kernels;
  for (const clwave::planned_kernel& one : plan.kernels) {
    nb::dict kernel;
    kernel["name"] = one.name;
    kernel["groups"] = one.groups;
    kernel["group_size"] = one.group_size;
    kernels.append(kernel);
  }
  made["kernels"] = kernels;
  nb::list rejected;
  for (const clwave::rejected_variant& one : plan.rejected)
    rejected.append(nb::make_tuple(one.name, one.reason));
  made["rejected"] = rejected;
  nb::list remarks;
  for (const std::string& one : plan.remarks) remarks.append(one);
  made["remarks"] = remarks;
  made["options"] = plan.options;
  made["source"] = plan.source;
  return made;
}

// What the call that this thread plans left. Others may run before it is taken.
std::optional<planned>& last_planned() {
  thread_local std::optional<planned> last;
  return last;
}

class plans_while {
 public:
  plans_while() {
    last_planned().reset();
    planning = true;
  }
  ~plans_while() { planning = before_; }

 private:
  bool before_ = planning;  // a function whose call is planned may plan another
};

// The problem of the call that `function` makes.
planned problem_of(nb::handle function, nb::handle arguments, nb::handle options) {
  {
    const plans_while now;
    try {
      nb::steal(PyObject_Call(function.ptr(), arguments.ptr(), options.ptr()));
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
    } catch (const nb::python_error&) {
      if (!last_planned()) throw;
    }
  }
  if (!last_planned()) refuse("this function makes no plan");
  return *std::exchange(last_planned(), std::nullopt);
}

nb::dict plan(nb::handle function, nb::args arguments, nb::kwargs options) {
  // Only the module's own functions throw a plan; others would just run.
  const auto module = nb::getattr(function, "__module__", nb::none());
  if (module.is_none() || nb::cast<std::string>(nb::str(module)) != "clwave._core")
    refuse("the first argument is a call of clwave: clwave.plan(clwave.reduce, x)");
  const planned made = problem_of(function, arguments, options);
  return as_dict(made.problem.plan(target_of(*made.on)));
}

// Programs that are being built in threads of the library, which need no GIL.
struct preparation {
  std::vector<clwave::preparation> by_context;
  std::size_t calls = 0;

  preparation() = default;
  preparation(preparation&&) = default;
  preparation& operator=(preparation&&) = default;
  ~preparation() {
    const nb::gil_scoped_release released;
    by_context.clear();
  }
  std::size_t prepared() const {
    std::size_t n = 0;
    for (const clwave::preparation& each : by_context) n += each.prepared();
    return n;
  }
};

preparation prepare(nb::args calls, unsigned threads) {
  refuse_forked();
  // The calls of one context and device together, so that their programs share the threads.
  struct place {
    std::shared_ptr<queue> on;
    std::vector<clwave::any_problem> problems;
  };
  std::vector<place> places;
  for (const nb::handle one : calls) {
    const bool is_tuple = PyTuple_Check(one.ptr()) && PyTuple_GET_SIZE(one.ptr()) > 0;
    if (!is_tuple && !PyCallable_Check(one.ptr()))
      refuse("a call to prepare is (clwave.sort, x), or a function without arguments that makes it");
    const nb::object function = is_tuple ? nb::object(nb::borrow(one)[0]) : nb::borrow(one);
    const nb::object arguments =
        is_tuple ? nb::object(nb::borrow(one)[nb::slice(nb::int_(1), nb::none(), nb::none())])
                 : nb::object(nb::make_tuple());
    planned made = problem_of(function, arguments, nb::handle());
    auto at = places.begin();
    while (at != places.end() && (at->on->context != made.on->context || at->on->device != made.on->device))
      ++at;
    if (at == places.end()) at = places.insert(at, place{made.on, {}});
    at->problems.push_back(std::move(made.problem));
  }
  preparation all;
  all.calls = nb::len(calls);
  for (place& each : places)
    all.by_context.push_back(
        clwave::prepare(each.on->context, each.on->device, std::move(each.problems), {.threads = threads}));
  return all;
}

// How long Ctrl-C may have to wait.
constexpr auto time_between_looks = std::chrono::milliseconds(5);

void wait_for_programs(const preparation& all) {
  while (all.prepared() < all.calls) {
    {
      const nb::gil_scoped_release released;
      std::this_thread::sleep_for(time_between_looks);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  for (const clwave::preparation& each : all.by_context) each.wait();
}

}  // namespace

void register_facts(nb::module_& m) {
  // A call that is planned ends here, in an exception that plan() takes.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const planned& made) {
      last_planned() = made;
      PyErr_SetString(PyExc_RuntimeError, "planned");
    }
  });
  m.def("info", &info, nb::sig("def info() -> list[dict[str, Any]]"),
        "Every device that there is: its name, its place for Queue(device=...), its row of the device table, "
        "and all "
        "facts in print.\n\n"
        ">>> [sorted(device) for device in clwave.info()][0]\n"
        "['facts', 'name', 'place', 'profile']\n");
  m.def("plan", &plan, nb::arg("call"), nb::arg("arguments"), nb::arg("options"),
        nb::sig("def plan(call: Callable[..., Any], *arguments: Any, **options: Any) -> dict[str, Any]"),
        "What a call would do with these arguments, without a launch: kernels, workspace, the ways that were "
        "not "
        "taken and why, build options and source.\n\n"
        ">>> clwave.plan(clwave.reduce, clwave.Array(100, np.float32))[\"primitive\"]\n"
        "'reduce'\n");
  nb::class_<preparation>(m, "Preparation",
                          "Programs that are being built, which clwave.prepare returns. To drop it gives up "
                          "those that are not begun, and waits for the others.")
      .def("wait", &wait_for_programs,
           "Blocks until all programs are built; Ctrl-C ends the wait. Raises what the first of the calls "
           "that "
           "could not be prepared would have raised.")
      .def_prop_ro(
          "done", [](const preparation& p) { return p.prepared() == p.calls; },
          "True once wait() would not block.")
      .def_prop_ro(
          "prepared", [](const preparation& p) { return p.prepared(); },
          "How many of the calls are done with, well or not.");
  m.def("prepare", &prepare, nb::arg("calls"), nb::kw_only(), nb::arg("threads") = 0,
        nb::sig("def prepare(*calls: tuple[Any, ...] | Callable[[], Any], threads: int = 0) -> Preparation"),
        "Builds the programs of calls ahead, in threads of the library, and returns at once: the first call "
        "then finds its program.\n\n"
        "A call is a tuple of a function of clwave and its arguments, or a function without arguments that "
        "makes one call, such as functools.partial gives. It is not made, and reads no elements: arrays of "
        "the same number, type and place will do. With 0 there are as many `threads` as the processor runs. "
        "Large NumPy arrays are prepared as arrays on the device, and not as a stream. Raises what is wrong "
        "with a call's arguments; what is wrong with a text, Preparation.wait() raises.\n\n"
        ">>> x = clwave.Array(1000, np.float32)\n"
        ">>> ready = clwave.prepare((clwave.sort, x), (clwave.reduce, x, \"max\"))\n"
        ">>> ready.wait()\n"
        ">>> ready.done\n"
        "True\n");
  m.def(
      "trim",
      [] {
        refuse_forked();
        const nb::gil_scoped_release released;
        clwave::trim();
      },
      "Frees the memory that the library keeps for later calls, in all contexts.");
}

}  // namespace clwave_python
