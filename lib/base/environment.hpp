// The ways in which environment variables are read.
#pragma once

namespace clwave::detail {

// The variable's value, or null. An empty variable counts as unset: scripts clear variables so.
const char* environment(const char* name);

// The variables that every call asks for, as environment() finds them. They are looked up again where the
// environment's list is another than at this thread's last call: getenv() goes over the names of all
// variables, which takes a large part of a call's time where there are many.
struct call_variables {
  const char* profile = nullptr;        // CLWAVE_PROFILE
  const char* kernel_folder = nullptr;  // CLWAVE_KERNEL_DIR
};
call_variables variables_of_calls();

}  // namespace clwave::detail
