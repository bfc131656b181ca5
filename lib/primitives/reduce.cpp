// reduce: checks, plan, launch.
#include <clwave/reduce.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

#include <clwave/copy.hpp>

#include "base/opencl.hpp"
#include "call/call.hpp"
#include "call/launch.hpp"
#include "call/operands.hpp"
#include "call/workspace.hpp"
#include "primitives/reduce_plan.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view primitive = "reduce";

// A checked call with its plan and program.
struct prepared {
  reduce_question question;
  reduce_shape shape;
  std::shared_ptr<program> code;
};

prepared prepare(const call_site& site, const reduce_call& call) {
  std::size_t alignment = check_operand(site, call.in, access::reads, primitive, "the input");
  if (call.in2) {
    if (call.in2->n != call.in.n) refuse(primitive, "the two inputs differ in length");
    if (call.in2->type->opencl_name != call.in.type->opencl_name)
      refuse(primitive, "the two inputs differ in type");
    alignment =
        std::min(alignment, check_operand(site, *call.in2, access::reads, primitive, "the second input"));
  }
  // CPU drivers load a vector with aligned instructions and crash on any other address.
  if (call.in.type->components > 1 && alignment < std::min<std::size_t>(call.in.type->size, 128))
    refuse(primitive, "the input is not aligned to its vector type");
  // Only a view of this type was not checked above: an accumulator the device cannot hold.
  check_operand(site, {nullptr, 0, 0, call.accumulator}, access::writes, primitive, "the accumulator");
  prepared p{.question = {call.in.type, call.accumulator, call.fold, call.apply, call.in2.has_value(),
                          call.in.n, alignment, site.on.facts->compute_units.value_or(1), call.sizes},
             .shape = {},
             .code = {}};
  check_reduce(p.question);
  return p;
}

bool takes_two_launches(const call_site& site, const reduce_shape& shape) {
  return site.on.choice.order == group_order::two_launches && shape.tiles > 1;
}

std::string_view main_kernel(const reduce_shape& shape) { return shape.one_tile ? "reduce_tile" : "reduce"; }

// Shapes the call and gets its program.
void load_program(const call_site& site, prepared& p) {
  auto [shape, code] = fit(
      site, [&](const target& on) { return shape_reduce(p.question, on); },
      [&](const reduce_shape& s) { return key_reduce(p.question, s); },
      [&](const reduce_shape& s) { return spec_reduce(p.question, s); },
      [&](const reduce_shape& s) {
        if (s.tiles == 0) return std::array<std::string_view, 2>{};  // one work-item
        return std::array<std::string_view, 2>{main_kernel(s),
                                               takes_two_launches(site, s) ? "reduce_levels" : ""};
      });
  p.shape = shape;
  p.code = std::move(code);
}

// Enqueues the kernels. The result goes to element `out_offset` of `out`, or to `host` where that is given
// and the plan can. Returns the last one's event if that is `wanted`.
event enqueue(const call_site& site, const reduce_call& call, const prepared& p, const workspace& work,
              cl_mem out, std::uint64_t out_offset, void* host, std::span<const cl_event> after,
              bool wanted) {
  arguments inputs;
  inputs.add(call.in.buffer).add(std::uint64_t{call.in.offset});
  if (call.in2) inputs.add(call.in2->buffer).add(std::uint64_t{call.in2->offset});
  arguments main = inputs;
  if (p.shape.one_tile)
    main.add(static_cast<std::uint32_t>(call.in.n));
  else
    main.add(std::uint64_t{call.in.n}).add(p.shape.share);
  main.add(out).add(out_offset);
  if (p.shape.to_host) main.add(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(host)));
  if (!p.shape.one_tile) main.add(work.buffer());
  std::vector<cl_event> first_after(after.begin(), after.end());
  if (work.cleared().get() != nullptr) first_after.push_back(work.cleared().get());
  const bool two = takes_two_launches(site, p.shape);
  // The second launch waits for the first by an event where the queue's order is not enough: also where the
  // first may be terminated by what it waits for, after which some drivers carry on with the second.
  const bool chained = !site.in_order || !first_after.empty();
  event done = launch(site, *p.code, main_kernel(p.shape), p.shape.groups, p.shape.group_size, main,
                      first_after, two ? chained : wanted);
  if (!two) return done;
  arguments levels = inputs;
  levels.add(std::uint64_t{call.in.n}).add(out).add(out_offset).add(work.buffer());
  const cl_event first = chained ? done.get() : nullptr;
  return launch(site, *p.code, "reduce_levels", 1, p.shape.group_size, levels,
                {&first, first != nullptr ? 1u : 0u}, wanted);
}

// Enqueues the one work-item that evaluates a user's identity.
event enqueue_identity(const call_site& site, const prepared& p, cl_mem out, std::uint64_t out_offset,
                       std::span<const cl_event> after, bool wanted) {
  arguments with;
  with.add(out).add(out_offset);
  return launch(site, *p.code, "reduce_identity", 1, 1, with, after, wanted);
}

// Enqueues what leaves the value at the beginning of the workspace, or at `host` where that is given.
event enqueue_value(const call_site& site, const reduce_call& call, const prepared& p, const workspace& work,
                    void* host, std::span<const cl_event> after, bool wanted) {
  if (call.in.n == 0) return enqueue_identity(site, p, work.buffer(), 0, after, wanted);
  return enqueue(site, call, p, work, work.buffer(), 0, host, after, wanted);
}

constexpr std::string_view no_result = "finish the reduction, or read its result: it failed on the device";

// The kernel writes the value to page-locked memory itself: on NVIDIA a read behind a kernel that still runs
// costs 10 us more than the kernel's end. False where it may not have run: a queue's end may be reached
// without an error where the commands before this one had failed, and then the mark still stands.
bool straight_to_host(const call_site& site, const reduce_call& call, const prepared& p,
                      const workspace& work, void* host, std::span<const cl_event> after) {
  constexpr unsigned char mark = 0xa7;
  auto* const bytes = static_cast<unsigned char*>(host);
  const std::size_t n = call.accumulator->size;
  std::fill_n(bytes, n, mark);
  enqueue_value(site, call, p, work, host, after, false);
  check(clFinish(site.queue), no_result, doing::outcome);
  return !std::all_of(bytes, bytes + n, [](unsigned char byte) { return byte == mark; });
}

// Reads the value behind the kernel.
void read_to_host(const call_site& site, const reduce_call& call, const prepared& p, const workspace& work,
                  void* host, std::span<const cl_event> after) {
  // An in-order queue reads after the kernel without an event between them.
  const event done = enqueue_value(site, call, p, work, nullptr, after, !site.in_order);
  const cl_event before = site.in_order ? nullptr : done.get();
  // Not a blocking read: PoCL's waits for all that an out-of-order queue holds.
  cl_event read = nullptr;
  cl_int code = clEnqueueReadBuffer(site.queue, work.buffer(), CL_FALSE, 0, call.accumulator->size, host,
                                    before != nullptr ? 1 : 0, before != nullptr ? &before : nullptr, &read);
  const event ended(read);
  if (code == CL_SUCCESS) {
    code = clWaitForEvents(1, &read);
    // A read that has not ended may still write to memory that is freed below.
    if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) clFinish(site.queue);
  }
  if (code != CL_SUCCESS && before != nullptr) done.wait();  // says what became of the kernel, if it failed
  check(code, no_result, doing::outcome);
  // The wait may return without an error where what the read waited for has failed.
  cl_int status = CL_COMPLETE;
  check(clGetEventInfo(read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), no_result,
        doing::outcome);
  if (status < 0) check(status, no_result, doing::outcome);
}

}  // namespace

void reduce_to_host(cl_command_queue queue, const reduce_call& call, void* result,
                    const blocking_options& options) {
  const call_site site = site_of(queue, primitive);
  prepared p = prepare(site, call);
  const std::span<const cl_event> given = check_events(site, options.after, primitive);
  if (call.in.n == 0) {
    if (const auto bytes = identity_of(*call.fold, *call.accumulator)) {
      std::memcpy(result, bytes->data(), bytes->size());
      return;
    }
  }
  load_program(site, p);
  // An out-of-order queue starts a kernel at once, though what it holds may be what writes the input.
  const bool behind_all = !site.in_order && given.empty() && call.in.n > 0;
  const event all = behind_all ? end_of_queue(site) : event();
  const cl_event end = all.get();
  const std::span<const cl_event> after = behind_all ? std::span<const cl_event>(&end, 1) : given;
  workspace work(site, p.shape.result_bytes);
  void* const host = work.host();
  const bool straight = p.shape.to_host && site.in_order && call.in.n > 0;
  if (!straight || !straight_to_host(site, call, p, work, host, after))
    read_to_host(site, call, p, work, host, after);
  std::memcpy(result, host, call.accumulator->size);
  work.not_in_use();
}

event reduce_to_buffer(cl_command_queue queue, const reduce_call& call, const operand& out,
                       const launch_options& options) {
  const call_site site = site_of(queue, primitive);
  if (out.n == 0) refuse(primitive, "the output has no element for the result");
  const operand target{out.buffer, 1, out.offset, out.type};
  if (check_operand(site, target, access::writes, primitive, "the output") <
      std::min<std::size_t>(out.type->size & -out.type->size, 16))
    refuse(primitive, "the output is not aligned to its element type");
  prepared p = prepare(site, call);
  check_disjoint(call.in, target, primitive, "the input and the output");
  if (call.in2) check_disjoint(*call.in2, target, primitive, "the second input and the output");
  const std::span<const cl_event> after = check_events(site, options.after, primitive);

  if (call.in.n == 0) {
    // Not clEnqueueFillBuffer, which on an H200 faults 8 GiB into a buffer.
    if (const auto bytes = identity_of(*call.fold, *call.accumulator))
      return fill_elements(queue, target, bytes->data(), options);
    load_program(site, p);
    return enqueue_identity(site, p, out.buffer, out.offset, after, options.with_event);
  }
  load_program(site, p);
  workspace work(site, p.shape.result_bytes);
  // An out-of-order queue says only by events when the workspace is free.
  const bool wanted = options.with_event || !site.in_order;
  event done = enqueue(site, call, p, work, out.buffer, out.offset, nullptr, after, wanted);
  work.used_until(wanted ? done : event());
  return options.with_event ? done : event::not_made();
}

}  // namespace clwave::detail
