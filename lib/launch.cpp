// Enqueues kernels.
#include "launch.hpp"

#include "opencl.hpp"

namespace clwave {

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
      throw error(failure::internal,
                  "could not set argument " + std::to_string(place) + " of the kernel " + std::string(kernel),
                  code);
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
  cl_event done = nullptr;
  if (!after.empty())
    check(clEnqueueMarkerWithWaitList(site.queue, static_cast<cl_uint>(after.size()), after.data(),
                                      wanted ? &done : nullptr),
          "enqueue a marker");
  return wanted ? event(done) : event::not_made();
}

}  // namespace clwave
