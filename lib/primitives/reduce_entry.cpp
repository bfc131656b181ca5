// reduce: its calls, whose result goes to the host, into a buffer or into a future.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/reduce.hpp>

#include "base/opencl.hpp"
#include "blocks/identity.hpp"
#include "call/context_entry.hpp"
#include "call/counted.hpp"
#include "call/execute.hpp"
#include "call/future.hpp"
#include "call/lazy_inputs.hpp"
#include "call/markers.hpp"
#include "call/operands.hpp"
#include "primitives/reduce.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// The address of a reduction's structures and scalars is of any alignment; CPU drivers load a vector with
// aligned instructions and crash on any other address.
std::optional<std::size_t> least_alignment(const element& value) {
  return value.components > 1 ? std::nullopt : std::optional<std::size_t>(1);
}

// A checked call: its problem, its operands, and their buffers.
class checked {
 public:
  checked(const call_site& site, const reduce_problem& asked);
  checked(const checked&) = delete;
  checked& operator=(const checked&) = delete;

  const reduce_problem& problem() const { return problem_; }
  std::span<const cl_mem> buffers() const { return {buffers_.data(), n_}; }
  // The workspace that the caller gave, which may not overlap the operands.
  given_workspace given(const launch_fields& options) const {
    return {reduce_variant::primitive, &options.workspace, &operands_};
  }

 private:
  std::span<const call_operand> list(const reduce_problem& q);
  void add(const any_view& view, access use, std::string_view name, std::optional<std::size_t> alignment) {
    all_[n_] = {.view = view, .use = use, .name = name, .alignment = alignment};
    buffers_[n_++] = view.buffer;
  }

  reduce_problem problem_;
  std::array<call_operand, 4 + most_source_operands> all_;
  std::array<cl_mem, 4 + most_source_operands> buffers_ = {};
  std::size_t n_ = 0;
  checked_operands operands_;
};

std::span<const call_operand> checked::list(const reduce_problem& q) {
  check_reduction_types(q);
  if (q.in2 && q.in2->n != q.in.n) refuse(reduce_variant::primitive, "the two inputs differ in length");
  add(array_given_for(q.in), access::reads, "the input", least_alignment(*q.in.type));
  if (q.in2) add(*q.in2, access::reads, "the second input", least_alignment(*q.in.type));
  if (q.out)
    add(*q.out, access::writes, "the output",
        std::min<std::size_t>(q.out->type->size & -q.out->type->size, 16));
  if (count_bytes_of(reduce_variant::primitive, q.in) != 0) {
    const call_operand number = counting_operand(q.in);
    add(number.view, number.use, number.name, std::nullopt);
  }
  n_ += list_sources(q.in, std::span(all_).subspan(n_), std::span(buffers_).subspan(n_));
  return {all_.data(), n_};
}

checked::checked(const call_site& site, const reduce_problem& asked)
    : problem_(asked), operands_(check_operands(site, reduce_variant::primitive, list(asked))) {
  check_element(site, *asked.accumulator, reduce_variant::primitive,
                "the accumulator");  // no view need be of this type
  std::size_t k = 0;
  operands_.place(k++, problem_.in);
  if (problem_.in2) operands_.place(k++, *problem_.in2);
  if (problem_.out) operands_.place(k++, *problem_.out);
  problem_.piece_at.reset();
}

constexpr std::string_view no_result = "finish the reduction, or read its result: it failed on the device";

// The kernel writes the value to page-locked memory itself: on NVIDIA a read behind a kernel that still runs
// costs 10 us more than the kernel's end. False where it may not have run: a queue's end may be reached
// without an error where the commands before this one had failed, and then the mark still stands.
bool straight_to_host(const call_site& site, const checked& it, program* code, described_work& calls,
                      workspace& work, void* host, std::span<const cl_event> after) {
  constexpr unsigned char mark = 0xa7;
  auto* const bytes = static_cast<unsigned char*>(host);
  const std::size_t n = it.problem().accumulator->size;
  std::fill_n(bytes, n, mark);
  described_launch& main = calls.launches.front();
  main.set_host_address("host", host);
  execute(site, code, calls, it.buffers(), &work, after, false);
  check(clFinish(site.queue), no_result, doing::outcome);
  main.set_host_address("host", nullptr);
  if (!std::all_of(bytes, bytes + n, [](unsigned char byte) { return byte == mark; })) return true;
  // Where it was only assumed that the kernel reaches the host's memory, later calls will know.
  site.kept->device(site.device).facts();
  return false;
}

// Reads the value behind the kernel.
void read_to_host(const call_site& site, const checked& it, program* code, const described_work& calls,
                  workspace& work, void* host, std::span<const cl_event> after) {
  // An in-order queue reads after the kernel without an event between them.
  const event done = execute(site, code, calls, it.buffers(), &work, after, !site.in_order);
  const cl_event before = site.in_order ? nullptr : done.get();
  // Not a blocking read: PoCL's waits for all that an out-of-order queue holds.
  cl_event read = nullptr;
  cl_int result =
      clEnqueueReadBuffer(site.queue, work.buffer(), CL_FALSE, 0, it.problem().accumulator->size, host,
                          before != nullptr ? 1 : 0, before != nullptr ? &before : nullptr, &read);
  const event ended(read);
  if (result == CL_SUCCESS) {
    result = clWaitForEvents(1, &read);
    // A read that has not ended may still write to memory that is freed below.
    if (result != CL_SUCCESS && result != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) clFinish(site.queue);
  }
  if (result != CL_SUCCESS && before != nullptr) done.wait();  // says what became of the kernel, if it failed
  check(result, no_result, doing::outcome);
  // The wait may return without an error where what the read waited for has failed.
  cl_int status = CL_COMPLETE;
  check(clGetEventInfo(read, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), no_result,
        doing::outcome);
  if (status < 0) check(status, no_result, doing::outcome);
}

// What no elements give, where no program is needed to say it: the start value, or the identity.
std::vector<unsigned char> value_of_none(const reduce_problem& q) {
  if (q.start == nullptr) return *identity_of(reduce_variant::primitive, *q.fold, *q.accumulator);
  const auto* const bytes = static_cast<const unsigned char*>(q.start);
  return {bytes, bytes + q.accumulator->size};
}

// A call whose result goes to the host.
void reduce_to_host(const call_site& site, const reduce_problem& asked, void* result,
                    const launch_options& options) {
  const checked it(site, asked);
  const reduce_problem& q = it.problem();
  const std::span<const cl_event> given = check_events(site, options.after, reduce_variant::primitive);
  auto [ready, code] = fit(site, q);
  if (code == nullptr) {  // no elements, and the identity is known
    const std::vector<unsigned char> bytes = value_of_none(q);
    std::memcpy(result, bytes.data(), bytes.size());
    return;
  }
  // An out-of-order queue starts a kernel at once, though what it holds may be what writes the input.
  const bool behind_all = !site.in_order && given.empty() && q.in.n > 0;
  const event all = behind_all ? end_of_queue(site) : event();
  const cl_event end = all.get();
  const std::span<const cl_event> after = behind_all ? std::span<const cl_event>(&end, 1) : given;
  workspace work(site, ready.work, after, it.given(options));
  void* const host = work.host();
  const bool straight =
      ready.variant.fold.to_host && work.is_host_page_locked() && site.in_order && q.in.n > 0;
  if (!straight || !straight_to_host(site, it, code.get(), ready.work, work, host, after))
    read_to_host(site, it, code.get(), ready.work, work, host, after);
  std::memcpy(result, host, q.accumulator->size);
  work.not_in_use();
  if (!is_indexed(*q.fold) || q.in.count == nullptr) return;
  std::uint64_t index = 0;
  std::memcpy(&index, static_cast<const unsigned char*>(result) + index_at, sizeof index);
  if (index == ~std::uint64_t{0})
    refuse(reduce_variant::primitive, q.fold->name + " of no elements has no value");
}

// The value of no elements, where the accumulator is wider than their type: the identity is that of the
// latter, so that the least of no bytes is 255.
void reduce_nothing(cl_command_queue queue, const reduce_problem& asked, void* result,
                    const launch_options& options) {
  const element& type = *asked.nothing;
  reduce_problem narrow = asked;
  narrow.accumulator = &type;
  narrow.nothing = nullptr;
  std::uint16_t bits = 0;
  reduce(queue, narrow, static_cast<void*>(&bits), options);
  const std::int32_t value = widened_value(type, bits);
  std::memcpy(result, &value, sizeof value);
}

bool is_nothing(const reduce_problem& q) { return q.nothing != nullptr && q.in.n == 0 && q.start == nullptr; }

void check_output_type(const reduce_problem& q) {
  if (are_alike(*q.out->type, *q.accumulator)) return;
  refuse(reduce_variant::primitive,
         "the output is of " + q.out->type->name + ", the accumulator of " + q.accumulator->name);
}

// Enqueues the reduction into the one element of its output. Nothing where there are no elements, and the
// identity is known.
std::optional<event> start(const call_site& site, const reduce_problem& asked, const launch_fields& options,
                           bool wanted) {
  const checked it(site, asked);
  const std::span<const cl_event> after = check_events(site, options.after, reduce_variant::primitive);
  const auto ready = fit(site, it.problem());
  if (ready.code == nullptr) return std::nullopt;
  return enqueue(site, ready, it.buffers(), after, wanted, it.given(options));
}

}  // namespace

reduce_problem problem_of(const call_site& site, const reduce_problem& asked) {
  check_typed(reduce_variant::primitive, {{"the input", asked.in}});
  const checked it(site, asked);
  check_reduce(it.problem());
  return it.problem();
}

reduce_problem problem_of_own(const reduce_problem& asked) {
  reduce_problem problem = asked;
  problem.in2.reset();
  return problem;
}

future_handle reduce_to_future(cl_command_queue queue, const reduce_problem& asked,
                               const launch_options& options) {
  const call_site site = site_of(queue, reduce_variant::primitive);
  check_reduction_types(asked);
  future_handle result(new future_state(site, asked.accumulator->size));
  if (is_nothing(asked)) {
    std::vector<unsigned char> value(asked.accumulator->size);
    reduce_nothing(queue, asked, value.data(), options);
    result->is(value);
    return result;
  }
  reduce_problem q = asked;
  q.out = any_view{result->buffer(), 1, 0, asked.accumulator};
  if (auto started = start(site, q, options, true))
    result->comes_with(site, *std::move(started));
  else
    result->is(value_of_none(q));
  return result;
}

}  // namespace clwave::detail

namespace clwave {

call_plan plan(const reduce_problem& asked, const plan_target& on) {
  detail::check_reduction_types(asked);
  if (asked.out) detail::check_output_type(asked);
  return detail::plan_of(asked, on);
}

event reduce(cl_command_queue queue, const reduce_problem& asked, const launch_options& options) {
  constexpr std::string_view primitive = detail::reduce_variant::primitive;
  const detail::call_site site = detail::site_of(queue, primitive);
  detail::check_reduction_types(asked);
  if (!asked.out || asked.out->n == 0) detail::refuse(primitive, "the output has no element for the result");
  detail::check_output_type(asked);
  reduce_problem q = asked;
  q.out->n = 1;
  if (auto started = detail::start(site, q, options, options.with_event)) return *std::move(started);
  // Not clEnqueueFillBuffer, which on an H200 faults 8 GiB into a buffer.
  const std::vector<unsigned char> bytes = detail::value_of_none(q);
  return detail::fill_elements(queue, *q.out, bytes.data(), options);
}

void reduce(cl_command_queue queue, const reduce_problem& asked, void* result,
            const launch_options& options) {
  if (detail::is_nothing(asked)) return detail::reduce_nothing(queue, asked, result, options);
  const detail::call_site site = detail::site_of(queue, detail::reduce_variant::primitive);
  reduce_problem q = asked;
  q.out.reset();
  detail::reduce_to_host(site, q, result, options);
}

}  // namespace clwave
