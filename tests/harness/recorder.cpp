// OpenCL calls that stand before the loader's: they note what they are given and hand it on.
#include "harness/recorder.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include <dlfcn.h>

#include "harness/unoptimised.hpp"

namespace recorder {
namespace {

struct notes {
  std::mutex mutex;
  bool recording = false;
  std::map<cl_kernel, std::map<cl_uint, std::vector<unsigned char>>> values;
  std::vector<recorded_launch> launches;
  std::map<cl_program, std::string> options;  // that each was built with last, by who called
  std::atomic<std::size_t> lanes = 0, questions = 0;
  std::atomic<std::size_t> smallest_group_limit = std::numeric_limits<std::size_t>::max();
  std::atomic<bool> platform_is_unknown = false;
  std::atomic<int> loops_to_cut = 0;
  bool watching = false;
  std::map<cl_command_queue, std::multiset<std::string>> used;
  std::vector<step> steps;
};

notes& all() {
  static notes& instance = *new notes;
  return instance;
}

// The loader's function of that name.
template <class Function>
Function* loaders(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) throw std::runtime_error(std::string("no ") + name);
  return reinterpret_cast<Function*>(found);
}

// By it drivers keep the names and types of kernels' parameters, which without it most do not know.
constexpr std::string_view with_parameters = " -cl-kernel-arg-info";

// A name of the kernels as plans have it.
std::string without_prefix(std::string name) {
  constexpr std::string_view prefix = "clwave_";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// A text about each parameter, where the driver says.
std::vector<std::string> about_parameters(cl_kernel kernel, cl_uint parameters, cl_kernel_arg_info what) {
  std::vector<std::string> all;
  for (cl_uint k = 0; k < parameters; ++k) {
    char text[256] = {};
    if (clGetKernelArgInfo(kernel, k, what, sizeof text, text, nullptr) != CL_SUCCESS) return {};
    all.emplace_back(text);
  }
  return all;
}

// Under the lock.
void add_program(recorded_launch& launch, cl_kernel kernel) {
  cl_program program = nullptr;
  clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(cl_program), static_cast<void*>(&program), nullptr);
  std::size_t size = 0;
  clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, nullptr, &size);
  launch.source.resize(size);
  clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, launch.source.data(), nullptr);
  if (const std::size_t end = launch.source.find('\0'); end != std::string::npos) launch.source.resize(end);
  launch.options = all().options[program];
}

// Whether that is the argument of turns of the probe of loops (lib/device/probes.cpp).
bool is_probe_of_loops(cl_kernel kernel, cl_uint place, std::size_t size) {
  char name[64] = {};
  return place == 1 && size == sizeof(cl_ulong) &&
         clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr) == CL_SUCCESS &&
         std::string_view(name) == "probe";
}

// An answer of one number in place of the driver's.
cl_int answer(std::size_t number, std::size_t size, void* value, std::size_t* size_ret) {
  if (size_ret != nullptr) *size_ret = sizeof number;
  if (value == nullptr) return CL_SUCCESS;
  if (size < sizeof number) return CL_INVALID_VALUE;
  std::memcpy(value, &number, sizeof number);
  return CL_SUCCESS;
}

}  // namespace

recording::recording() {
  const std::lock_guard lock(all().mutex);
  all().launches.clear();
  all().recording = true;
}

recording::~recording() {
  const std::lock_guard lock(all().mutex);
  all().recording = false;
}

const std::vector<recorded_launch>& recording::launches() const { return all().launches; }

queue_watch::queue_watch() {
  const std::lock_guard lock(all().mutex);
  all().used.clear();
  all().steps.clear();
  all().watching = true;
}

queue_watch::~queue_watch() {
  const std::lock_guard lock(all().mutex);
  all().watching = false;
}

std::map<cl_command_queue, std::multiset<std::string>> queue_watch::used() const {
  const std::lock_guard lock(all().mutex);
  return all().used;
}

std::vector<step> queue_watch::steps() const {
  const std::lock_guard lock(all().mutex);
  return all().steps;
}

unknown_platform::unknown_platform(int cut) {
  all().platform_is_unknown = true;
  all().loops_to_cut = cut;
}
unknown_platform::~unknown_platform() {
  all().platform_is_unknown = false;
  all().loops_to_cut = 0;
}

other_lanes::other_lanes(std::size_t lanes) { all().lanes = lanes; }
other_lanes::~other_lanes() { all().lanes = 0; }

std::size_t smallest_group_limit() { return all().smallest_group_limit; }

std::size_t questions_about_lanes() { return all().questions; }

namespace {

std::vector<std::string>& watched() {
  static auto& names = *new std::vector<std::string>;
  return names;
}

struct watched_entry {
  explicit watched_entry(const char* name) { watched().emplace_back(name); }
};

void note_step(cl_context context, bool builds) {
  const std::lock_guard lock(all().mutex);
  if (all().watching) all().steps.push_back({context, builds});
}

void note_use(cl_command_queue queue, const char* entry) {
  if (std::string_view(entry).starts_with("clEnqueue")) {
    cl_context context = nullptr;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), static_cast<void*>(&context), nullptr);
    note_step(context, false);
  }
  const std::lock_guard lock(all().mutex);
  if (all().watching) all().used[queue].insert(entry);
}

}  // namespace

std::vector<std::string> watched_entries() { return watched(); }

}  // namespace recorder

// An entry point that takes a queue first, and otherwise is left as it is.
// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are lists and types.
#define WATCHED(result, name, parameters, arguments)                    \
  static const recorder::watched_entry watched_##name(#name);           \
  extern "C" CL_API_ENTRY result CL_API_CALL name parameters {          \
    static auto* const next = recorder::loaders<decltype(name)>(#name); \
    recorder::note_use(queue, #name);                                   \
    return next arguments;                                              \
  }
#define AFTER cl_uint n_after, const cl_event *after, cl_event *done

WATCHED(cl_int, clFlush, (cl_command_queue queue), (queue))
WATCHED(cl_int, clFinish, (cl_command_queue queue), (queue))
WATCHED(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue queue, AFTER), (queue, n_after, after, done))
WATCHED(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue queue, AFTER), (queue, n_after, after, done))
WATCHED(cl_int, clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem buffer, const void* pattern, std::size_t pattern_size,
         std::size_t offset, std::size_t size, AFTER),
        (queue, buffer, pattern, pattern_size, offset, size, n_after, after, done))
WATCHED(cl_int, clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset, std::size_t size,
         void* to, AFTER),
        (queue, buffer, blocking, offset, size, to, n_after, after, done))
WATCHED(cl_int, clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset, std::size_t size,
         const void* from, AFTER),
        (queue, buffer, blocking, offset, size, from, n_after, after, done))
WATCHED(cl_int, clEnqueueCopyBuffer,
        (cl_command_queue queue, cl_mem from, cl_mem to, std::size_t from_offset, std::size_t to_offset,
         std::size_t size, AFTER),
        (queue, from, to, from_offset, to_offset, size, n_after, after, done))
WATCHED(void*, clEnqueueMapBuffer,
        (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, std::size_t offset,
         std::size_t size, AFTER, cl_int* code),
        (queue, buffer, blocking, flags, offset, size, n_after, after, done, code))
WATCHED(cl_int, clEnqueueUnmapMemObject, (cl_command_queue queue, cl_mem buffer, void* mapped, AFTER),
        (queue, buffer, mapped, n_after, after, done))
// NOLINTEND(bugprone-macro-parentheses)

static const recorder::watched_entry watched_kernels("clEnqueueNDRangeKernel");

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint n_devices,
                                               const cl_device_id* devices, const char* options,
                                               void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  static auto* const next = recorder::loaders<decltype(clBuildProgram)>("clBuildProgram");
  cl_context context = nullptr;
  clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof(cl_context), static_cast<void*>(&context), nullptr);
  recorder::note_step(context, true);
  {
    auto& notes = recorder::all();
    const std::lock_guard lock(notes.mutex);
    notes.options[program] = options != nullptr ? options : "";
  }
  const std::string all =
      testing::options_unoptimised(options, n_devices, devices) + recorder::with_parameters.data();
  return next(program, n_devices, devices, all.c_str(), notify, data);
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what,
                                                  std::size_t size, void* value, std::size_t* size_ret) {
  static auto* const next = recorder::loaders<decltype(clGetPlatformInfo)>("clGetPlatformInfo");
  if (what != CL_PLATFORM_NAME || !recorder::all().platform_is_unknown)
    return next(platform, what, size, value, size_ret);
  const std::string name = recorder::unknown_platform::name;
  if (size_ret != nullptr) *size_ret = name.size() + 1;
  if (value == nullptr) return CL_SUCCESS;
  if (size <= name.size()) return CL_INVALID_VALUE;
  std::memcpy(value, name.c_str(), name.size() + 1);
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clSetKernelArg(cl_kernel kernel, cl_uint place, std::size_t size,
                                               const void* value) {
  static auto* const next = recorder::loaders<decltype(clSetKernelArg)>("clSetKernelArg");
  // The probe's kernel is told to make fewer turns, so that it ends as if its loops had been cut short.
  if (recorder::all().platform_is_unknown && recorder::is_probe_of_loops(kernel, place, size) &&
      recorder::all().loops_to_cut-- > 0) {
    const cl_ulong few = 200;
    return next(kernel, place, sizeof few, &few);
  }
  {
    auto& notes = recorder::all();
    const std::lock_guard lock(notes.mutex);
    const auto* bytes = static_cast<const unsigned char*>(value);
    notes.values[kernel][place].assign(bytes, bytes + (value != nullptr ? size : 0));
  }
  return next(kernel, place, size, value);
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                                       cl_uint dimensions, const std::size_t* offset,
                                                       const std::size_t* global, const std::size_t* local,
                                                       cl_uint n_after, const cl_event* after,
                                                       cl_event* done) {
  static auto* const next = recorder::loaders<decltype(clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel");
  auto& notes = recorder::all();
  recorder::note_use(queue, "clEnqueueNDRangeKernel");
  {
    const std::lock_guard lock(notes.mutex);
    if (notes.recording) {
      recorder::recorded_launch launch;
      char name[256] = {};
      clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
      clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof launch.parameters, &launch.parameters, nullptr);
      launch.kernel = recorder::without_prefix(name);
      launch.dimensions = dimensions;
      launch.has_offset = offset != nullptr;
      launch.global = global[0];
      launch.local = local != nullptr ? local[0] : 0;
      launch.values = notes.values[kernel];
      launch.types = recorder::about_parameters(kernel, launch.parameters, CL_KERNEL_ARG_TYPE_NAME);
      launch.names = recorder::about_parameters(kernel, launch.parameters, CL_KERNEL_ARG_NAME);
      recorder::add_program(launch, kernel);
      notes.launches.push_back(std::move(launch));
      if (done == nullptr) return CL_SUCCESS;
      cl_context context = nullptr;
      clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof(cl_context), static_cast<void*>(&context),
                            nullptr);
      cl_int code = CL_SUCCESS;
      *done = clCreateUserEvent(context, &code);
      return code == CL_SUCCESS ? clSetUserEventStatus(*done, CL_COMPLETE) : code;
    }
  }
  return next(queue, kernel, dimensions, offset, global, local, n_after, after, done);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel) {
  static auto* const next = recorder::loaders<decltype(clReleaseKernel)>("clReleaseKernel");
  cl_uint references = 0;
  clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof references, &references, nullptr);
  if (references <= 1) {
    // Another kernel may get its place in memory.
    const std::lock_guard lock(recorder::all().mutex);
    recorder::all().values.erase(kernel);
  }
  return next(kernel);
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info what, std::size_t size,
                                                         void* value, std::size_t* size_ret) {
  static auto* const next = recorder::loaders<decltype(clGetKernelWorkGroupInfo)>("clGetKernelWorkGroupInfo");
  if (what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE) {
    ++recorder::all().questions;
    if (const std::size_t lanes = recorder::all().lanes)
      return recorder::answer(lanes, size, value, size_ret);
  }
  const cl_int code = next(kernel, device, what, size, value, size_ret);
  if (what == CL_KERNEL_WORK_GROUP_SIZE && code == CL_SUCCESS && value != nullptr) {
    auto& smallest = recorder::all().smallest_group_limit;
    smallest = std::min(smallest.load(), *static_cast<std::size_t*>(value));
  }
  return code;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                                        cl_kernel_sub_group_info what, std::size_t input_size,
                                                        const void* input, std::size_t size, void* value,
                                                        std::size_t* size_ret) {
  static auto* const next = recorder::loaders<decltype(clGetKernelSubGroupInfo)>("clGetKernelSubGroupInfo");
  ++recorder::all().questions;
  if (const std::size_t lanes = recorder::all().lanes) return recorder::answer(lanes, size, value, size_ret);
  return next(kernel, device, what, input_size, input, size, value, size_ret);
}

}  // extern "C"
