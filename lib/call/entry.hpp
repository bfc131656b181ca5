// What the entries of most primitives end with: their operands are checked, and the call is enqueued.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include <clwave/copy.hpp>
#include <clwave/event.hpp>
#include <clwave/options.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/execute.hpp"
#include "call/operands.hpp"

namespace clwave::detail {

// A call that is about to be checked and enqueued.
struct entry {
  const call_site& site;
  std::string_view primitive;
  launch_fields options;
  bool wanted = options.with_event;  // whether an event is to be made
};

// Checks the operands and the events, tells the problem's views where the first operands lie (null: one that
// does not ask), and enqueues what describe() says. Kernels have the buffers in the operands' order; of an
// operand without elements none. Where nothing is launched, `zeroed` becomes 0, if there is one: a count.
template <class Problem>
event carry_out(const entry& call, Problem& q, std::span<const call_operand> all,
                std::initializer_list<any_view*> views, const any_view* zeroed = nullptr) {
  const checked_operands checked = check_operands(call.site, call.primitive, all);
  const std::span<const cl_event> after = check_events(call.site, call.options.after, call.primitive);
  for (std::size_t k = 0; any_view* const view : views) {
    if (view != nullptr) checked.place(k, *view);
    ++k;
  }
  std::array<cl_mem, most_operands> buffers;
  for (std::size_t k = 0; k < all.size(); ++k) buffers[k] = all[k].view.n > 0 ? all[k].view.buffer : nullptr;
  const auto ready = fit(call.site, q);
  if (ready.code == nullptr && zeroed != nullptr) {
    constexpr std::uint64_t zero = 0;
    return fill_elements(call.site.queue, *zeroed, &zero, call.options);
  }
  return enqueue(call.site, ready, {buffers.data(), all.size()}, after, call.wanted,
                 {call.primitive, &call.options.workspace, &checked});
}

}  // namespace clwave::detail
