// Calls of a CPU that store past its caches, whatever it has of these.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "call/execute.hpp"
#include "devices.hpp"
#include "made_up.hpp"

namespace testing {

// Carries the question's call out as on a CPU whose caches hold nothing, waits for its end, and returns what
// was described. Throws where the call does.
template <class Question>
auto call_past_caches(const fixture& on, std::string_view primitive, const Question& question,
                      std::span<const cl_mem> buffers) {
  const forced_profile forced("cpu");
  clwave::detail::call_site site = clwave::detail::site_of(on.queue(), primitive);
  clwave::device_facts facts = *site.on.facts;
  facts.global_cache = made_up<std::uint64_t>(0);
  site.on.facts = &facts;
  clwave::detail::carry_out(site, question, buffers, {}, true).wait();
  return describe(question, site.on);
}

}  // namespace testing
