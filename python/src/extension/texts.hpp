// Operators and maps of Python: the library's own by their names, and texts of OpenCL C.
#pragma once

#include <optional>
#include <string>

#include <nanobind/nanobind.h>

#include <clwave/op.hpp>

namespace nb = nanobind;

namespace clwave_python {

// A text of a user, made once. Python's float is a float in the text, and a double where an operand of the
// call has doubles.
template <class Text>
struct text {
  Text narrow;
  Text wide;
  const Text& of(bool doubles) const { return doubles ? wide : narrow; }
};
using python_op = text<clwave::op>;
using python_map = text<clwave::map>;

class call;

// An operator or map of a call, which owns what it made of a string.
template <class Text>
class text_argument {
 public:
  text_argument(nb::handle given, call& on, const char* name);
  operator const Text*() const { return chosen_; }  // NOLINT(google-explicit-constructor)
  const Text& operator*() const { return *chosen_; }

 private:
  const Text* chosen_ = nullptr;
  std::optional<Text> made_;
};
// An Op, the name of one of the library's operators, or an expression in `a` and `b`; None: no operator.
using op_argument = text_argument<clwave::op>;
// A Map, the name of one of the library's maps, or an expression in `x`; None: no map.
using map_argument = text_argument<clwave::map>;

}  // namespace clwave_python
