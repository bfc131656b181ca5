// Finds out whether this process was forked after drivers had been used.
#include "base/forked.hpp"

#include <atomic>
#include <string>

#include <clwave/error.hpp>

#include "base/system.hpp"

namespace clwave::detail {
namespace {

std::atomic<bool> forked{false};

}  // namespace

void drivers_are_used() {
  [[maybe_unused]] static const bool registered = [] {
    call_in_forked_children([] { forked.store(true, std::memory_order_relaxed); });
    return true;
  }();
}

bool is_forked_child() noexcept { return forked.load(std::memory_order_relaxed); }

void refuse_forked_child(std::string_view primitive) {
  if (is_forked_child())
    throw error(failure::bad_call,
                "this process was forked from one that had used OpenCL, whose drivers do not work in it",
                CL_SUCCESS,
                {.primitive = std::string(primitive),
                 .advice = "fork before the first call, or start a program in the child (exec)"});
}

}  // namespace clwave::detail
