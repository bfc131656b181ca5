// A count that a call leaves on the device, for calls that return it.
#pragma once

#include <cstdint>
#include <type_traits>

#include <clwave/event.hpp>
#include <clwave/options.hpp>
#include <clwave/view.hpp>

#include "call/call.hpp"
#include "call/future.hpp"
#include "call/markers.hpp"

namespace clwave::detail {

// Calls start(count, options), which enqueues a call that writes its count there and returns the event of its
// last command; blocks until the count is there.
template <class Start>
std::uint64_t count_on_host(const call_site& site, const launch_fields& options, const Start& start) {
  launch_options now{.after = options.after, .workspace = options.workspace};
  // An out-of-order queue starts a kernel at once, though what it holds may be what writes the input.
  if (!site.in_order && options.after.empty()) now.after = {end_of_queue(site)};
  std::uint64_t count = 0;
  future_state result(site, sizeof count);
  result.comes_with(site, start(any_view{result.buffer(), 1, 0, &element_of<std::uint64_t>()}, now));
  result.get(&count);
  return count;
}

// What start(site, problem, options, true) enqueues, whose count is a part of the problem.
template <class Problem, class Count>
std::uint64_t count_on_host(
    const call_site& site, const launch_fields& options, Problem problem, Count Problem::*count,
    std::type_identity_t<event (*)(const call_site&, Problem, const launch_fields&, bool)> start) {
  return count_on_host(site, options, [&](const any_view& there, const launch_options& now) {
    problem.*count = there;
    return start(site, problem, now, true);
  });
}

}  // namespace clwave::detail
