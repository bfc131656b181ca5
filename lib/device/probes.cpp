// What only a kernel can tell: compiles, and where possible runs, one small kernel on the device.
#include "device/probes.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>

#include <clwave/error.hpp>

#include "device/architecture.hpp"
#include "device/device_facts.hpp"
#include "device/kept_probes.hpp"

namespace clwave::detail {
namespace {

template <auto release>
struct releaser {
  template <class Handle>
  void operator()(Handle handle) const {
    release(handle);
  }
};
template <class Handle, auto release>
using owned = std::unique_ptr<std::remove_pointer_t<Handle>, releaser<release>>;

using owned_context = owned<cl_context, clReleaseContext>;
using owned_queue = owned<cl_command_queue, clReleaseCommandQueue>;
using owned_program = owned<cl_program, clReleaseProgram>;
using owned_kernel = owned<cl_kernel, clReleaseKernel>;
using owned_buffer = owned<cl_mem, clReleaseMemObject>;

std::atomic<std::size_t> probes_run{0};

// Every probe leaves the largest lane number + 1 it saw. Wide enough for two of the widest wavefronts.
constexpr std::size_t probe_group_size = 128;

// One source for all devices: what a family has a use for stands in its condition.
//
// NVIDIA: the lane number and the fence are what the kernels' NVIDIA parts are made of. The second kernel
// writes a mark to an address that is an argument like any other.
//
// AMD: one built-in of every kind the AMD parts use, so that a compiler too old for one is found out here.
//
// Sub-groups: with the shuffle in it, because PoCL 5.0 announces cl_intel_subgroups and has no shuffle to
// link.
//
// Loops: two, one in the other, of a sequence of which each number needs the one before (a linear
// congruential generator), so that no compiler can leave a turn out.
constexpr const char* source_of_all = R"(
#if defined(PROBE_NVIDIA)
__kernel void probe(volatile __global uint* seen) {
  uint lane;
  __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  __asm__ volatile("membar.gl;" ::: "memory");
  atomic_max(seen, lane + 1);
}
__kernel void probe_host_memory(volatile __global uint* seen, ulong address) {
  *(volatile __global uint*)address = 0x600dda7au;
  seen[0] = 1;
}
#elif defined(PROBE_AMD)
__kernel void probe(volatile __global uint* seen) {
  uint lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
#if AMD_GFX >= 0x1000
  lane = max(lane, __builtin_amdgcn_permlanex16(lane, lane, 0, 0, false, false));
#elif AMD_GFX >= 0x800
  lane = max(lane, (uint)__builtin_amdgcn_update_dpp((int)lane, (int)lane, 0x111, 0xf, 0xf, false));
#else
  lane = max(lane, (uint)__builtin_amdgcn_ds_swizzle((int)lane, 0x041f));
#endif
  lane = max(lane, (uint)__builtin_amdgcn_readlane((int)lane, 31));
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  atomic_max(seen, lane + 1);
}
#elif defined(PROBE_SUB_GROUPS)
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#ifdef cl_intel_subgroups
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif
#ifdef cl_khr_subgroup_shuffle_relative
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#endif
__kernel void probe(volatile __global uint* seen) {
  uint size = get_sub_group_size();
#if defined(cl_khr_subgroup_shuffle_relative)
  uint below = sub_group_shuffle_up(size, 1u);
#elif defined(cl_intel_subgroups)
  uint below = intel_sub_group_shuffle_up(size, size, 1u);
#else
  uint below = size;
#endif
  // What the first lane is handed is not defined.
  atomic_max(seen, get_sub_group_local_id() == 0 ? size : below);
}
#elif defined(PROBE_LOOPS)
__kernel void probe(volatile __global uint* seen, ulong turns) {
  if (get_global_id(0) != 0) return;
  uint state = 1;
  for (ulong i = 0; i < turns; ++i)
    for (ulong k = 0; k < turns; ++k) state = state * 1664525u + 1013904223u;
  seen[0] = state;
}
#else
__kernel void probe(volatile __global uint* seen) { atomic_max(seen, 1u); }
#endif
)";
constexpr cl_uint host_memory_mark = 0x600dda7a;

// More than 2^21 turns in all: Mesa's llvmpipe 22.3 ends loops after 65,535. A GPU takes some 20 ms over
// them.
constexpr cl_ulong loop_turns = 1500;

// What PROBE_LOOPS finds where its loops run to their end.
cl_uint state_after_loops() {
  cl_uint state = 1;
  for (cl_ulong turn = 0; turn < loop_turns * loop_turns; ++turn) state = state * 1664525u + 1013904223u;
  return state;
}

// What became of one probe; `reason` is empty where it compiled and ran.
struct probe_result {
  bool asked = false;  // the compiler was reached at all
  bool compiled = false;
  unsigned lanes = 0;  // 0 if it did not run; of PROBE_LOOPS the state that its loops ended with
  std::size_t multiple = 0;
  std::string reason;
};

// The first line of a build log that says something, short enough for one line of print.
std::string telling_line(const std::string& log) {
  std::size_t from = log.find("error");
  from = from == std::string::npos ? log.find_first_not_of(" \n\t") : log.rfind('\n', from) + 1;
  if (from == std::string::npos) return "no build log";
  const std::size_t to = std::min(log.find_first_of(std::string("\n\0", 2), from), log.size());
  return log.substr(from, std::min<std::size_t>(to - from, 120));
}

// A context and a queue of the probes' own, and the program that was built last.
class bench {
 public:
  explicit bench(const device_facts& facts) : device_(facts.device) {
    group_size_ = std::min(probe_group_size, facts.max_work_group_size.value_or(1));
    cl_int code = CL_SUCCESS;
    context_.reset(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code));
    if (code == CL_SUCCESS) {
      queue_.reset(clCreateCommandQueue(context_.get(), device_, 0, &code));
    }
    if (code != CL_SUCCESS) broken_ = "no context or queue: " + name_of_code(code);
  }

  // Builds the probes that the options ask for, and runs the first. `argument` is its second argument; 0: it
  // has none.
  probe_result build_and_run(const std::string& options, cl_ulong argument = 0) {
    probe_result result;
    if (!broken_.empty()) {
      result.reason = broken_;
      return result;
    }
    cl_int code = CL_SUCCESS;
    const char* source = source_of_all;
    program_.reset(clCreateProgramWithSource(context_.get(), 1, &source, nullptr, &code));
    if (code != CL_SUCCESS) {
      result.reason = "clCreateProgramWithSource: " + name_of_code(code);
      return result;
    }
    result.asked = true;
    code = clBuildProgram(program_.get(), 1, &device_, options.c_str(), nullptr, nullptr);
    if (code != CL_SUCCESS) {
      result.reason = name_of_code(code) + ": " + telling_line(log_of(program_.get()));
      return result;
    }
    run("probe", argument, result);
    return result;
  }

  // Whether a kernel's write to page-locked host memory, at the host's own address for it, arrives there.
  fact<bool> reaches_host_memory() const {
    const std::string what = "a kernel's write to a mapped page-locked buffer";
    const auto unknown = [&](const std::string& why) {
      return fact<bool>{std::nullopt, provenance::unknown, what + ": " + why};
    };
    cl_int code = CL_SUCCESS;
    const owned_buffer pinned(
        clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, 128, nullptr, &code));
    if (code != CL_SUCCESS) return unknown("clCreateBuffer: " + name_of_code(code));
    void* const host = clEnqueueMapBuffer(queue_.get(), pinned.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                          128, 0, nullptr, nullptr, &code);
    if (code != CL_SUCCESS) return unknown("clEnqueueMapBuffer: " + name_of_code(code));
    volatile cl_uint& place = *static_cast<volatile cl_uint*>(host);
    place = 0;
    probe_result result;
    run("probe_host_memory", reinterpret_cast<std::uintptr_t>(host), result);
    const bool arrived = place == host_memory_mark;
    clEnqueueUnmapMemObject(queue_.get(), pinned.get(), host, 0, nullptr, nullptr);
    clFinish(queue_.get());
    if (result.lanes == 0) return unknown(result.reason);
    return {arrived, provenance::run_probe, what};
  }

  // A group must be wider than a lane set to show where the set ends.
  bool wide_enough() const { return group_size_ == probe_group_size; }

 private:
  // Runs a kernel of the program. `second` is the second argument of one that has two, else 0.
  void run(const char* name, cl_ulong second, probe_result& result) const {
    const auto failed = [&](const char* call, cl_int code) {
      if (code != CL_SUCCESS) result.reason = std::string(call) + ": " + name_of_code(code);
      return code != CL_SUCCESS;
    };
    cl_int code = CL_SUCCESS;
    const owned_kernel kernel(clCreateKernel(program_.get(), name, &code));
    if (failed("clCreateKernel", code)) return;
    result.compiled = true;
    if (clGetKernelWorkGroupInfo(kernel.get(), device_, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof result.multiple, &result.multiple, nullptr) != CL_SUCCESS)
      result.multiple = 0;
    cl_uint seen = 0;
    const owned_buffer buffer(
        clCreateBuffer(context_.get(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof seen, &seen, &code));
    if (failed("clCreateBuffer", code)) return;
    cl_mem argument = buffer.get();
    if (failed("clSetKernelArg", clSetKernelArg(kernel.get(), 0, sizeof(void*), &argument))) return;
    if (second != 0 && failed("clSetKernelArg", clSetKernelArg(kernel.get(), 1, sizeof second, &second)))
      return;
    if (failed("clEnqueueNDRangeKernel",
               clEnqueueNDRangeKernel(queue_.get(), kernel.get(), 1, nullptr, &group_size_, &group_size_, 0,
                                      nullptr, nullptr)) ||
        failed("clEnqueueReadBuffer", clEnqueueReadBuffer(queue_.get(), argument, CL_TRUE, 0, sizeof seen,
                                                          &seen, 0, nullptr, nullptr)))
      return;
    result.lanes = seen;
  }

  std::string log_of(cl_program program) const {
    std::size_t size = 0;
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, '\0');
    if (size > 0) clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
    return log;
  }

  cl_device_id device_;
  std::size_t group_size_ = 1;
  owned_context context_;
  owned_queue queue_;  // after the context, so that it goes first
  owned_program program_;
  std::string broken_;
};

// Whether the compiler took the source. That it could not be asked is not a no.
fact<bool> compiles(const probe_result& result, const std::string& what) {
  if (result.compiled) return {true, provenance::compile_probe, what};
  if (!result.asked) return {std::nullopt, provenance::unknown, what + ": " + result.reason};
  return {false, provenance::compile_probe, what + ": " + result.reason};
}

void take_lanes(device_facts& facts, const bench& on, const probe_result& result, const std::string& what) {
  if (result.compiled && result.multiple > 0) {
    facts.lanes_measured = {static_cast<unsigned>(result.multiple), provenance::compile_probe,
                            "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE (0x11B3)"};
  } else {
    facts.lanes_measured.source = "no kernel to ask: " + result.reason;
  }
  if (result.lanes > 0 && on.wide_enough()) {
    facts.lanes_probed = {result.lanes, provenance::run_probe, what};
  } else if (result.lanes > 0) {
    facts.lanes_probed.source = what + ": the device's work-groups are too small to tell";
  } else {
    facts.lanes_probed.source = what + ": " + result.reason;
  }
}

// Whether loops run to their end. True where that is known now.
bool take_loops(device_facts& facts, bench& on) {
  const std::string what = std::to_string(loop_turns * loop_turns) + " turns of two loops";
  const auto result = on.build_and_run("-DPROBE_LOOPS", loop_turns);
  if (!result.reason.empty()) {
    facts.finishes_loops.source = what + ": " + result.reason;
    return false;
  }
  facts.finishes_loops = {result.lanes == state_after_loops(), provenance::run_probe, what};
  return true;
}

// A write to an address the device does not know ends every context of the process, so it is tried only where
// host and device share one address space: shared virtual memory is made of that.
bool shares_addresses(const device_facts& facts) {
  return facts.shared_virtual_memory.value_or(false) && sizeof(void*) == 8;
}

// The family's instructions and the lanes. Whether all that was tried worked.
bool take_instructions(device_facts& facts, bench& on) {
  const device_family family = family_of(facts);
  bool all_worked = true;
  if (family == device_family::nvidia) {
    const auto result = on.build_and_run("-DPROBE_NVIDIA");
    facts.inline_ptx = compiles(result, "inline PTX (%laneid, membar.gl)");
    take_lanes(facts, on, result, "largest %laneid + 1");
    if (!shares_addresses(facts))
      facts.host_memory_reached.source = "not tried: the driver announces no shared virtual memory";
    else if (result.compiled)
      facts.host_memory_reached = on.reaches_host_memory();
    if (result.compiled) return result.lanes > 0 && (facts.host_memory_reached || !shares_addresses(facts));
    all_worked = false;
  }
  if (family == device_family::amd) {
    // "gfx90a" is written 0x90a; an unknown architecture is offered the oldest instructions.
    const std::string gfx = facts.amd_gfx ? amd_gfx_name(*facts.amd_gfx).substr(3) : "0";
    const auto result = on.build_and_run("-DPROBE_AMD -DAMD_GFX=0x" + gfx);
    facts.amd_builtins = compiles(result, "__builtin_amdgcn_*");
    take_lanes(facts, on, result, "largest mbcnt lane + 1");
    if (result.compiled) return result.lanes > 0;
    all_worked = false;
  }
  if (facts.sub_groups.value_or(false)) {
    const unsigned c = facts.opencl_c_newest.value_or(120);
    const auto result = on.build_and_run(
        std::string(c >= 300 ? "-cl-std=CL3.0 " : (c >= 200 ? "-cl-std=CL2.0 " : "")) + "-DPROBE_SUB_GROUPS");
    take_lanes(facts, on, result, "largest get_sub_group_size()");
    if (facts.sub_group_shuffle_relative.value_or(false)) {
      facts.sub_group_shuffle_relative =
          compiles(result, facts.sub_group_shuffle_extension.value_or("") + ", shuffle up");
    }
    if (result.compiled) return all_worked && result.lanes > 0;
    all_worked = false;
  }
  // No lane number can be had; still the compiler's word on the multiple.
  const std::string before = facts.lanes_probed.source;
  const auto result = on.build_and_run("");
  take_lanes(facts, on, result, "");
  facts.lanes_probed = {std::nullopt, provenance::unknown,
                        before.empty() ? "no sub-groups and no instructions that number the lanes" : before};
  return all_worked && result.lanes > 0;
}

bool probe(device_facts& facts) {
  bench on(facts);
  const bool loops_are_known = facts.finishes_loops || take_loops(facts, on);
  if (family_of(facts) == device_family::cpu) return loops_are_known;
  return take_instructions(facts, on) && loops_are_known;
}

// What is said of each fact until a probe says more.
void begin(device_facts& facts) {
  const std::string other = "not tried: the device's family is " + std::string(name_of(family_of(facts)));
  facts.inline_ptx = {std::nullopt, provenance::unknown, other};
  facts.amd_builtins = {std::nullopt, provenance::unknown, other};
  facts.host_memory_reached = {std::nullopt, provenance::unknown, other};
  facts.lanes_measured = {std::nullopt, provenance::unknown, ""};
  facts.lanes_probed = {std::nullopt, provenance::unknown, ""};
  facts.finishes_loops = {std::nullopt, provenance::unknown, "not probed"};
  if (is_known_to_finish_loops(facts))
    facts.finishes_loops = {true, provenance::assumed, "so it is with this driver"};
  if (family_of(facts) == device_family::cpu) {
    facts.lanes_measured.source = "not probed: a CPU's compiler is slow, and nothing depends on it";
    facts.lanes_probed = {1u, provenance::table,
                          "by nature: a CPU's work-item is a lane set of its own; not run"};
  }
}

// Without a kernel. False where it takes one.
bool needs_no_probe(device_facts& facts) {
  const bool compiles = facts.compiler_available.value_or(true);
  if (family_of(facts) == device_family::cpu && (is_known_to_finish_loops(facts) || !compiles)) {
    begin(facts);
    return true;
  }
  if (!compiles) {
    begin(facts);
    facts.lanes_measured.source = facts.lanes_probed.source = "not probed: the device has no compiler";
    return true;
  }
  return false;
}

}  // namespace

bool is_known_to_finish_loops(const device_facts& facts) {
  // NVIDIA's on an H100, PoCL 3.1, Intel's runtime for CPUs 2026.22.10.
  const std::string platform = facts.platform_name.value_or("");
  return is_pocl(facts) || platform == "NVIDIA CUDA" || platform == "Intel(R) OpenCL";
}

std::string_view probe_source() { return source_of_all; }

std::size_t count_probes() { return probes_run; }

bool take_known_probes(device_facts& facts) {
  return needs_no_probe(facts) || take_kept_probes(facts, key_of_probes(facts, probe_source()));
}

void add_probes(device_facts& facts) {
  if (needs_no_probe(facts)) return;
  const std::string key = key_of_probes(facts, probe_source());
  if (take_kept_probes(facts, key)) return;
  if (run_probes(facts)) keep_probes(facts, key);
}

bool assume_probes(device_facts& facts) {
  // NVIDIA's own driver, on devices that it says the architecture of: every one that was met takes inline
  // PTX, and a warp has 32 lanes by the driver's own word (warp_size).
  if (family_of(facts) != device_family::nvidia || !facts.cuda_sm ||
      facts.platform_name.value_or("") != "NVIDIA CUDA" || !facts.compiler_available.value_or(true))
    return false;
  begin(facts);
  const std::string until = "so it is with this driver; probed where a program does not build";
  facts.inline_ptx = {true, provenance::assumed, until};
  if (shares_addresses(facts))
    facts.host_memory_reached = {true, provenance::assumed,
                                 "so it is with this driver; each result is checked"};
  facts.lanes_measured.source = facts.lanes_probed.source = "not probed yet";
  return true;
}

bool run_probes(device_facts& facts) {
  if (needs_no_probe(facts)) return true;
  begin(facts);
  ++probes_run;
  try {
    return probe(facts);
  } catch (const std::exception& failed) {
    // Facts are asked in the middle of other work; a device that cannot be probed is only less known.
    facts.lanes_probed.source = std::string("the probe failed: ") + failed.what();
    return false;
  }
}

}  // namespace clwave::detail
