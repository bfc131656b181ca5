// The library's errors as Python's exceptions, a class for each kind.
#include <array>
#include <string>

#include <clwave/error.hpp>

#include "module.hpp"

namespace clwave_python {
namespace {

struct exception_class {
  clwave::failure kind;
  const char* name;
  const char* doc;
  PyObject* second_base;  // a class of Python's own that programs catch; null: none
};

PyObject* base_class = nullptr;
std::array<PyObject*, 8> classes = {};  // by the kind's number

PyObject* make_class(const char* name, const char* doc, PyObject* bases) {
  PyObject* const made =
      PyErr_NewExceptionWithDoc((std::string("clwave.") + name).c_str(), doc, bases, nullptr);
  if (made == nullptr) throw nb::python_error();
  return made;
}

void set_text(PyObject* object, const char* name, const std::string& text) {
  const nb::object value =
      nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (!value.is_valid() || PyObject_SetAttrString(object, name, value.ptr()) != 0) PyErr_Clear();
}

void raise(const clwave::error& failed) {
  PyObject* const type = classes.at(static_cast<std::size_t>(failed.kind()));
  const std::string what = failed.what();
  const nb::object message =
      nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "replace"));
  const nb::object made = nb::steal(PyObject_CallOneArg(type, message.ptr()));
  if (!made.is_valid()) return;  // Python's own error is set
  const nb::object code = nb::int_(failed.code());
  if (PyObject_SetAttrString(made.ptr(), "code", code.ptr()) != 0) PyErr_Clear();
  const clwave::error_details& all = failed.details();
  set_text(made.ptr(), "primitive", all.primitive);
  set_text(made.ptr(), "types", all.types);
  set_text(made.ptr(), "op", all.op);
  set_text(made.ptr(), "device", all.device);
  set_text(made.ptr(), "profile", all.profile);
  set_text(made.ptr(), "options", all.options);
  set_text(made.ptr(), "log", all.log);
  set_text(made.ptr(), "advice", all.advice);
  set_text(made.ptr(), "place", all.place);
  PyErr_SetObject(type, made.ptr());
}

}  // namespace

void register_errors(nb::module_& m) {
  using clwave::failure;
  base_class =
      make_class("Error",
                 "What every call raises; str() of it has the message, the OpenCL code and all details. "
                 "Attributes: code, primitive, types, op, device, profile, options, log, advice, place.",
                 nullptr);
  m.attr("Error") = nb::borrow(base_class);
  const exception_class all[] = {
      {failure::internal, "InternalError", "A defect of clwave.", nullptr},
      {failure::bad_call, "BadCall", "The caller's arguments are wrong; nothing was enqueued.",
       PyExc_ValueError},
      {failure::no_device, "NoDevice", "There is no OpenCL device.", nullptr},
      {failure::device_absent, "DeviceAbsent", "No device matches the selector.", nullptr},
      {failure::build, "BuildError", "The device's compiler refused the source; `log` has its lines.",
       nullptr},
      {failure::out_of_memory, "OutOfMemory", "The device or the host has no memory left.",
       PyExc_MemoryError},
      {failure::device_lost, "DeviceLost", "The driver failed a command, or the device is gone.", nullptr},
      {failure::driver, "DriverError", "Another OpenCL call failed.", nullptr},
  };
  for (const exception_class& one : all) {
    nb::object bases = nb::borrow(base_class);
    if (one.second_base != nullptr)
      bases = nb::make_tuple(nb::borrow(base_class), nb::borrow(one.second_base));
    PyObject* const made = make_class(one.name, one.doc, bases.ptr());
    classes.at(static_cast<std::size_t>(one.kind)) = made;
    m.attr(one.name) = nb::borrow(made);
  }
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const clwave::error& failed) {
      raise(failed);
    }
  });
}

}  // namespace clwave_python
