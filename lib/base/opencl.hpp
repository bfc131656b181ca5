// CLHPP for ownership inside the library, and the one place where the answer of a failed call becomes an
// error.
#pragma once

// CLHPP with a minimum of 1.2 and a target of 2.0 or later does not compile in Debian's version.
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#if defined(__APPLE__)
#define CL_HPP_TARGET_OPENCL_VERSION 120  // the newest that macOS's headers have
#else
#define CL_HPP_TARGET_OPENCL_VERSION 300
#endif
#include <CL/opencl.hpp>

#include <string_view>
#include <utility>

#include <clwave/error.hpp>

namespace clwave::detail {

// What OpenCL was asked to do when it failed: one code is another kind of failure at another place.
enum class doing {
  command,         // enqueues, makes or discovers something
  callers_object,  // asks or retains a handle that the caller gave, who may have given a dead one
  own_object,      // sets up an object of the library's own: what is invalid there is the library's defect
  build,           // compiles or links a program
  outcome          // waits for a command that had been accepted, or reads what it left
};

// The kind of failure that a code stands for.
failure failure_of(cl_int code, doing at = doing::command);

// Throws clwave::error unless `code` is CL_SUCCESS; `what` completes "could not ...".
void check(cl_int code, std::string_view what, doing at, error_details details = {});
inline void check(cl_int code, std::string_view what, error_details details = {}) {
  if (code != CL_SUCCESS) check(code, what, doing::command, std::move(details));
}

// Owns a reference more to a handle of somebody else's. CLHPP does not look at what a retain answers, and
// where it failed would release a reference that is the caller's.
template <class Wrapper>
Wrapper retained(typename Wrapper::cl_type handle) {
  check(cl::detail::ReferenceHandler<typename Wrapper::cl_type>::retain(handle), "retain an object",
        doing::callers_object);
  return Wrapper(handle);
}

}  // namespace clwave::detail
