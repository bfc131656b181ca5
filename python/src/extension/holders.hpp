// Classes of Python whose instances hold arrays of other libraries, which may refer to them in turn.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace clwave_python {

// Null where the object is of another class, or was made without a constructor.
template <class T>
const T* instance_of(nb::handle what, PyObject* its_class) {
  if (reinterpret_cast<PyObject*>(Py_TYPE(what.ptr())) != its_class || !nb::inst_ready(what)) return nullptr;
  return nb::inst_ptr<T>(what);
}

// Shows Python's garbage collector the objects that an instance holds, which its visit_held(see) calls `see`
// with. None of them changes, so that a circle of references has another member that can be cut.
template <class T>
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  int seen = 0;
  nb::inst_ptr<const T>(self)->visit_held([&](nb::handle held) {
    if (seen == 0 && held.ptr() != nullptr) seen = visit(held.ptr(), arg);
  });
  return seen;
}

template <class T>
PyType_Slot* collected() {
  static PyType_Slot slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(&traverse<T>)}, {0, nullptr}};
  return slots;
}

}  // namespace clwave_python
