// Finds out whether this process was forked after drivers had been used.
#include "base/forked.hpp"

#include <atomic>
#include <string>

#include <clwave/error.hpp>

#if __has_include(<pthread.h>)
#include <pthread.h>
#define CLWAVE_CAN_FORK
#endif

namespace clwave::detail {
namespace {

std::atomic<bool> forked{false};

}  // namespace

void drivers_are_used() {
#if defined(CLWAVE_CAN_FORK)
  // Where there is no memory for the handler, a child goes unnoticed.
  [[maybe_unused]] static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
#endif
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
