// Calls of a CPU that store past its caches, whatever it has of these.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "call/execute.hpp"
#include "harness/devices.hpp"
#include "harness/made_up.hpp"

namespace testing {

// The queue's device as a CPU whose caches hold nothing, and with `units` of compute units where that is
// said.
class past_caches {
 public:
  past_caches(const cl::CommandQueue& queue, std::string_view primitive, std::optional<unsigned> units = {})
      : site_(clwave::detail::site_of(queue(), primitive)), facts_(*site_.on.facts) {
    facts_.global_cache = made_up<u64>(0);
    site_.on.facts = &facts_;
    if (units) site_.on.compute_units = *units;
  }
  past_caches(const past_caches&) = delete;
  past_caches& operator=(const past_caches&) = delete;

  // Carries the problem's call out. Throws where the call does.
  template <class Problem>
  clwave::event call(const Problem& problem, std::span<const cl_mem> buffers,
                     std::span<const cl_event> after = {}) const {
    return clwave::detail::carry_out(site_, problem, buffers, after, true);
  }

  template <class Problem>
  auto described(const Problem& problem) const {
    return describe(problem, site_.on);
  }

 private:
  forced_profile forced_{"cpu"};
  clwave::detail::call_site site_;
  clwave::device_facts facts_;
};

// One call in the fixture's queue, to its end; and returns what was described.
template <class Problem>
auto call_past_caches(const fixture& on, std::string_view primitive, const Problem& problem,
                      std::span<const cl_mem> buffers) {
  const past_caches there(on.queue, primitive);
  there.call(problem, buffers).wait();
  return there.described(problem);
}

}  // namespace testing
