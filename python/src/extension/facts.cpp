// What there is, and what a call would do: devices and plans of Python.
#include <optional>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>

#include <clwave/cache.hpp>
#include <clwave/device.hpp>

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

// What the call that is planned left. Guarded by the GIL, which such a call keeps.
std::optional<clwave::call_plan>& last_plan() {
  static auto& last = *new std::optional<clwave::call_plan>;
  return last;
}

struct plans_while {
  plans_while() {
    last_plan().reset();
    planning = true;
  }
  ~plans_while() { planning = false; }
};

nb::dict plan(nb::handle function, nb::args arguments, nb::kwargs options) {
  // Only the module's own functions throw a plan; others would just run.
  const auto module = nb::getattr(function, "__module__", nb::none());
  if (module.is_none() || nb::cast<std::string>(nb::str(module)) != "clwave._core")
    refuse("the first argument is a call of clwave: clwave.plan(clwave.reduce, x)");
  {
    const plans_while now;
    try {
      nb::borrow(function)(*arguments, **options);
    } catch (const nb::python_error&) {
      if (!last_plan()) throw;
    }
  }
  if (!last_plan()) refuse("this function makes no plan");
  return as_dict(*std::exchange(last_plan(), std::nullopt));
}

}  // namespace

void register_facts(nb::module_& m) {
  // A call that is planned ends here, in an exception that plan() takes.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const planned& made) {
      last_plan() = made.plan;
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
