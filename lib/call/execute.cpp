// Enqueues described calls.
#include "call/execute.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/opencl.hpp"
#include "call/context_entry.hpp"
#include "call/markers.hpp"

namespace clwave::detail {
namespace {

// Sets a kernel's arguments, in the order of their description.
void set_arguments(cl_kernel kernel, const described_launch& launch, std::span<const source_argument> sources,
                   std::span<const cl_mem> buffers, const workspace* work) {
  cl_uint place = 0;
  const auto set = [&](std::size_t size, const void* bytes, const char* name) {
    const cl_int code = clSetKernelArg(kernel, place, size, bytes);
    if (code != CL_SUCCESS)
      check(code, std::string("set the argument ") + name + " of the kernel " + launch.kernel,
            doing::own_object);
    ++place;
  };
  for (const described_launch::argument& a : launch.arguments()) {
    const void* bytes = launch.bytes_of(a);
    cl_mem buffer = nullptr;
    cl_uint number = 0;
    const bool of_workspace = a.kind == argument_kind::workspace || a.kind == argument_kind::call_number;
    if (of_workspace || a.kind == argument_kind::operand) {
      if (of_workspace ? work == nullptr : a.operand >= buffers.size())
        throw error(failure::internal,
                    "the kernel " + std::string(launch.kernel) + " lacks the buffer of " + a.name);
      buffer = of_workspace ? work->buffer() : buffers[a.operand];
      bytes = &buffer;
    }
    if (a.kind == argument_kind::call_number) {
      number = work->call();
      bytes = &number;
    }
    set(described_launch::size_of(a), bytes, a.name);
  }
  for (const source_argument& a : sources) {
    if (a.value != nullptr) {
      set(a.value->bytes().size(), a.value->bytes().data(), a.name.c_str());
    } else if (a.kind == argument_kind::operand) {
      if (a.operand >= buffers.size())
        throw error(failure::internal,
                    "the kernel " + std::string(launch.kernel) + " lacks the buffer of " + a.name);
      set(sizeof(cl_mem), &buffers[a.operand], a.name.c_str());
    } else if (a.kind == argument_kind::element) {
      set(a.bytes.size(), a.bytes.data(), a.name.c_str());
    } else {
      set(a.number.size(), a.number.data(), a.name.c_str());
    }
  }
  for (const std::span<const named_value> list : launch.values()) {
    for (const named_value& each : list) set(each.bytes().size(), each.bytes().data(), each.name().c_str());
  }
}

// Returns an empty event where none is wanted.
event enqueue_launch(const call_site& site, program& code, const described_launch& launch,
                     std::span<const source_argument> sources, std::span<const cl_mem> buffers,
                     const workspace* work, std::span<const cl_event> after, bool wanted) {
  const program::loan loan(code, launch.kernel);
  if (!launch.takes_sources) sources = {};
  set_arguments(loan.get(), launch, sources, buffers, work);
  const std::size_t local = launch.group_size;
  const std::size_t global = static_cast<std::size_t>(launch.groups) * local;
  cl_event done = nullptr;
  const cl_int result = clEnqueueNDRangeKernel(
      site.queue, loan.get(), 1, nullptr, &global, &local, static_cast<cl_uint>(after.size()),
      after.empty() ? nullptr : after.data(), wanted ? &done : nullptr);
  if (result != CL_SUCCESS)
    check(result, "enqueue the kernel " + std::string(launch.kernel),
          {.device = site.on.facts->name.value_or(""), .profile = std::string(site.on.choice.profile->name)});
  return event(done);
}

}  // namespace

std::shared_ptr<program> get_program(const call_site& site, const target& on, std::string_view key,
                                     const std::function<program_spec()>& make_spec) {
  return site.kept->programs().get(site.context, site.device, on, key, make_spec);
}

bool built_by_wrong_facts(target& on, const call_site& site, const error& trouble) {
  if (trouble.kind() != failure::build) return false;
  known_device& device = site.kept->device(site.device);
  if (!device.were_wrong(*on.facts)) return false;
  on.facts = &device.facts();
  on.choice = device.choice();
  return true;
}

namespace {

bool runs_so(target& on, cl_device_id device, program& code, std::string_view kernel, unsigned group_size) {
  if (group_size == 1) return true;
  const std::array<std::string_view, 1> kernels{kernel};
  return !runs_other_lanes(on, device, code, group_size, kernels) &&
         !too_large(on, device, code, group_size, kernels);
}

}  // namespace

bool runs_as_described(target& on, cl_device_id device, program& code, const described_work& work) {
  return std::ranges::all_of(work.launches, [&](const described_launch& launch) {
    return runs_so(on, device, code, launch.kernel, launch.group_size);
  });
}

bool runs_as_described(target& on, cl_device_id device, program& code,
                       std::span<const planned_kernel> kernels) {
  return std::ranges::all_of(kernels, [&](const planned_kernel& kernel) {
    return runs_so(on, device, code, kernel.name, static_cast<unsigned>(kernel.group_size));
  });
}

event execute(const call_site& site, program* code, const described_work& calls,
              std::span<const cl_mem> buffers, workspace* work, std::span<const cl_event> after,
              bool wanted) {
  if (calls.launches.empty()) return nothing_after(site, after, wanted);
  std::vector<cl_event> first_after;
  if (work != nullptr && work->cleared().get() != nullptr) {
    first_after.assign(after.begin(), after.end());
    first_after.push_back(work->cleared().get());
    after = first_after;
  }
  // A launch waits for the one before by an event where the queue's order is not enough: also where the first
  // may be terminated by what it waits for, after which some drivers carry on with the next. And an
  // out-of-order queue says only by an event when the workspace is free.
  const bool chained = !site.in_order || !after.empty();
  const bool wanted_of_last = wanted || (work != nullptr && !site.in_order);
  event done;
  for (const described_launch& launch : calls.launches) {
    const bool last = &launch == &calls.launches.back();
    const cl_event before = done.get();
    const bool first = &launch == &calls.launches.front();
    done = enqueue_launch(site, *code, launch, calls.sources, buffers, work,
                          first ? after : std::span<const cl_event>(&before, before != nullptr ? 1u : 0u),
                          last ? wanted_of_last : chained);
  }
  if (work != nullptr) work->used_until(wanted_of_last ? done : event());
  return wanted ? done : event::not_made();
}

}  // namespace clwave::detail
