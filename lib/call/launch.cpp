// Enqueues kernels.
#include "call/launch.hpp"

#include "base/opencl.hpp"

namespace clwave {

namespace {

// Ends when `after` have; where that is empty or the queue is in-order, when all that the queue holds has.
event marker(const call_site& site, std::span<const cl_event> after, bool wanted) {
  cl_event done = nullptr;
  check(clEnqueueMarkerWithWaitList(site.queue, static_cast<cl_uint>(after.size()),
                                    after.empty() ? nullptr : after.data(), wanted ? &done : nullptr),
        "enqueue a marker");
  return wanted ? event(done) : event::not_made();
}

}  // namespace

arguments& arguments::add_bytes(const void* bytes, std::size_t size) {
  if (count_ == slots_.size() || size > slots_[0].bytes.size())
    throw error(failure::internal, "too many or too large kernel arguments");
  slots_[count_].size = size;
  std::memcpy(slots_[count_].bytes.data(), bytes, size);
  ++count_;
  return *this;
}

event launch(const call_site& site, program& from, std::string_view kernel, std::uint64_t groups,
             unsigned group_size, const arguments& with, std::span<const cl_event> after, bool wanted) {
  const program::loan loan(from, kernel);
  cl_uint place = 0;
  for (const arguments::slot& argument : with.slots()) {
    const cl_int code = clSetKernelArg(loan.get(), place, argument.size, argument.bytes.data());
    if (code != CL_SUCCESS)
      check(code, "set argument " + std::to_string(place) + " of the kernel " + std::string(kernel),
            doing::own_object);
    ++place;
  }
  const std::size_t local = group_size;
  const std::size_t global = static_cast<std::size_t>(groups) * local;
  cl_event done = nullptr;
  const cl_int code = clEnqueueNDRangeKernel(
      site.queue, loan.get(), 1, nullptr, &global, &local, static_cast<cl_uint>(after.size()),
      after.empty() ? nullptr : after.data(), wanted ? &done : nullptr);
  if (code != CL_SUCCESS)
    check(code, "enqueue the kernel " + std::string(kernel),
          {.device = site.on.facts->name.value_or(""), .profile = std::string(site.on.choice.row->name)});
  return wanted ? event(done) : event::not_made();
}

event nothing_after(const call_site& site, std::span<const cl_event> after, bool wanted) {
  // A command that nobody hears of still holds up what an in-order queue is given next.
  if (!wanted && (after.empty() || !site.in_order)) return event::not_made();
  if (site.in_order || !after.empty()) return marker(site, after, wanted);
  // Nothing to wait for: a marker would wait for all that the out-of-order queue holds.
  cl_int code = CL_SUCCESS;
  event ended(clCreateUserEvent(site.context, &code));
  check(code, "make an event");
  check(clSetUserEventStatus(ended.get(), CL_COMPLETE), "complete an event", doing::own_object);
  return ended;
}

event end_of_queue(const call_site& site) { return marker(site, {}, true); }

}  // namespace clwave
