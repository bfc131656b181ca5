// Commands that do nothing, and end when others have.
#pragma once

#include <span>

#include <clwave/event.hpp>

#include "call/call.hpp"

namespace clwave::detail {

// The event of a call that has nothing to do: the end of what it had to wait for, which is `after`, and on an
// in-order queue all that the queue holds.
event nothing_after(const call_site& site, std::span<const cl_event> after, bool wanted = true);

// The end of all that the queue holds by now.
event end_of_queue(const call_site& site);

}  // namespace clwave::detail
