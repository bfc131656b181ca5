// Children of fork(): they have neither the threads of the drivers that their parent loaded nor a sane state
// of their locks, and a call into such a driver may never return.
#pragma once

#include <string_view>

namespace clwave::detail {

// Notes that this process is about to use drivers. To be called before the first is loaded; later calls cost
// nothing.
void drivers_are_used();

// True in a process forked, without exec, from one that had used drivers. One load.
bool is_forked_child() noexcept;

// Throws bad_call in such a process.
void refuse_forked_child(std::string_view primitive);

}  // namespace clwave::detail
