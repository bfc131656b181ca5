// Commands that do nothing, and end when others have.
#pragma once

#include <initializer_list>
#include <span>

#include <clwave/event.hpp>

#include "call/call.hpp"

namespace clwave::detail {

// The event of a call that has nothing to do: the end of what it had to wait for, which is `after`, and on an
// in-order queue all that the queue holds.
event nothing_after(const call_site& site, std::span<const cl_event> after, bool wanted = true);

// The end of all that the queue holds by now.
event end_of_queue(const call_site& site);

// What a call waits for that was given one list of events for each of its arrays; null stands for no array. A
// list that is empty stands for all that the queue holds by now, also where another one is not: an in-order
// queue says so by its order, and on an out-of-order queue the end of all that it holds is added.
wait_list waits_of(const call_site& site, std::initializer_list<const wait_list*> given);

}  // namespace clwave::detail
