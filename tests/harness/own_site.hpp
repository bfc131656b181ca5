// Calls of a primitive as they would be on a device like the queue's own that differs in what a test says.
#pragma once

#include <string_view>
#include <vector>

#include <clwave/profile.hpp>

#include "call/call.hpp"
#include "call/execute.hpp"

namespace testing {

struct own_site : clwave::detail::call_site {
  own_site(cl_command_queue queue, std::string_view primitive)
      : call_site(clwave::detail::site_of(queue, primitive)), row(*on.choice.profile) {
    on.choice.profile = &row;
  }
  own_site(const own_site&) = delete;
  own_site& operator=(const own_site&) = delete;

  // What a call does once its operands are checked. Waits for it.
  template <class Problem>
  void run(const Problem& problem, const std::vector<cl_mem>& buffers) const {
    clwave::detail::carry_out(*this, problem, buffers, {}, true).wait();
  }

  clwave::profile row;  // its numbers
};

}  // namespace testing
