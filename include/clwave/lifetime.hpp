// How the public headers keep objects that calls need as long as the process runs.
#pragma once

#include <utility>

namespace clwave::detail {

// Moves a value to where nothing destroys it: calls may still run, or begin, in threads and destructors while
// the process exits. Returns a pointer: of a reference, GCC 13 warns that it might be to the argument.
template <class T>
const T* never_destroyed(T value) {
  return new T(std::move(value));
}

}  // namespace clwave::detail
