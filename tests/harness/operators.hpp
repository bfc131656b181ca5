// Operators of tests.
#pragma once

#include <string>
#include <utility>

#include <clwave/op.hpp>

namespace testing {

// An operator whose text is a call of a function that it declares, and whose name is that function's.
inline clwave::op function_op(const std::string& function, std::string identity, std::string declarations) {
  return {.name = function,
          .source = function + "(a, b)",
          .identity = std::move(identity),
          .declarations = std::move(declarations)};
}

}  // namespace testing
