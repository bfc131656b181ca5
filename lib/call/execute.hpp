// Carries out a described call: gets its program and enqueues its launches.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <clwave/event.hpp>

#include "call/call.hpp"
#include "call/description.hpp"
#include "call/workspace.hpp"
#include "program/key.hpp"
#include "program/lanes_check.hpp"
#include "program/second_build.hpp"

namespace clwave::detail {

// A described call with its program; a call without launches has none.
template <class Variant>
struct ready_call {
  described<Variant> call;
  std::shared_ptr<program> code;
};

// Whether the built kernels run as they are described: in groups that they take, with the row's own lanes. If
// not, `on` is what to describe the call for next.
bool runs_as_described(target& on, cl_device_id device, program& code, const described_work& work);
bool runs_as_described(target& on, cl_device_id device, program& code,
                       std::span<const planned_kernel> kernels);

// Whether a program did not build since what was assumed of the device is wrong; `on` then has what is known
// now.
bool built_by_wrong_facts(target& on, const call_site& site, const error& trouble);

// The program for `key` on a target, from what is kept for the call's context (program_cache::get).
std::shared_ptr<program> get_program(const call_site& site, const target& on, std::string_view key,
                                     const std::function<program_spec()>& make_spec);

// Describes a call and gets the program of its variant. Where a compiled kernel takes smaller groups than
// were described, the call is described again within that limit, which the program remembers for later calls.
// Where one runs other lanes than the row's, the device takes another row from then on.
template <class Problem>
auto fit(const call_site& site, const Problem& problem) {
  target on = site.on;
  for (;;) {
    auto call = describe(problem, on);
    std::shared_ptr<program> code;
    if (call.work.launches.empty()) return ready_call<decltype(call.variant)>{std::move(call), nullptr};
    try {
      key_text key;
      append_variant(key, call.variant);
      code = get_program(site, on, key.view(), [&] { return spec_of(call.variant); });
    } catch (const error& trouble) {
      if (built_without_marks(on, site.device, trouble) || built_for_other_lanes(on, site.device, trouble) ||
          built_by_wrong_facts(on, site, trouble))
        continue;
      throw;
    }
    if (runs_as_described(on, site.device, *code, call.work))
      return ready_call<decltype(call.variant)>{std::move(call), std::move(code)};
  }
}

// Enqueues all launches, the first after `after`, each behind the one before. `buffers` are the operands', in
// their order; `code` is null where there are no launches, and then the call ends with what it waits for.
// `work` is the call's workspace, where its launches take one; it is then in use until the last launch has
// ended. Returns the last launch's event, or event::not_made() where that is not `wanted`. Does not block.
event execute(const call_site& site, program* code, const described_work& calls,
              std::span<const cl_mem> buffers, workspace* work, std::span<const cl_event> after, bool wanted);

// Enqueues a call, with workspace where it takes some: the caller's own where one was given.
template <class Variant>
event enqueue(const call_site& site, const ready_call<Variant>& ready, std::span<const cl_mem> buffers,
              std::span<const cl_event> after, bool wanted, const given_workspace& given = {}) {
  const described_work& calls = ready.call.work;
  std::optional<workspace> work;
  if (takes_workspace(calls)) work.emplace(site, calls, after, given);
  return execute(site, ready.code.get(), calls, buffers, work ? &*work : nullptr, after, wanted);
}

// Describes and enqueues a call.
template <class Problem>
event carry_out(const call_site& site, const Problem& problem, std::span<const cl_mem> buffers,
                std::span<const cl_event> after, bool wanted, const given_workspace& given = {}) {
  return enqueue(site, fit(site, problem), buffers, after, wanted, given);
}

}  // namespace clwave::detail
