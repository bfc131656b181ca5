// OpenCL's entry points, as the library meets them in the tests of failures.
// For clCreateCommandQueue, which the library calls.
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <dlfcn.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "faults.hpp"

namespace faults {
namespace {

struct state {
  std::mutex mutex;
  std::string entry;  // armed, if not empty
  unsigned left = 0;
  cl_int code = CL_SUCCESS;
  std::chrono::milliseconds delay{0};
  bool failed = false;
  bool holds = false;  // the armed call, once it has come
  std::condition_variable changed;
  cl_command_queue held_queue = nullptr;
  cl_event until = nullptr;
  std::map<std::string, unsigned> counts;
  std::set<std::string> built;
};

// Never destroyed: drivers call while the process ends.
state& now() {
  static state& instance = *new state;
  return instance;
}

struct counters {
  std::atomic<long> contexts, queues, buffers, events, programs, kernels;
};
counters made;

std::vector<std::string>& known() {
  static auto& names = *new std::vector<std::string>;
  return names;
}

struct registration {
  explicit registration(const char* name) { known().emplace_back(name); }
};

// The code that this call of `entry` is to fail with; CL_SUCCESS for one that goes through.
cl_int called(const char* entry) {
  std::unique_lock lock(now().mutex);
  ++now().counts[entry];
  if (now().entry != entry || --now().left != 0) return CL_SUCCESS;
  now().entry.clear();
  now().failed = true;
  const cl_int code = now().code;
  const auto delay = now().delay;
  now().changed.notify_all();
  now().changed.wait(lock, [] { return !now().holds; });
  lock.unlock();
  if (delay.count() > 0) std::this_thread::sleep_for(delay);
  return code;
}

// Notes which primitive a program is of.
const char* noted(const char* options) {
  const std::string_view all = options != nullptr ? options : "";
  const std::size_t at = all.find("PRIMITIVE_");
  if (at != std::string_view::npos) {
    const std::lock_guard lock(now().mutex);
    now().built.emplace(all.substr(at, all.find_first_of("= ", at) - at));
  }
  return options;
}

// What a command of a queue is to wait for.
class waits {
 public:
  waits(cl_command_queue queue, cl_uint n, const cl_event* after) : all_(after, after + n) {
    const std::lock_guard lock(now().mutex);
    if (now().until != nullptr && now().held_queue == queue) all_.push_back(now().until);
  }
  cl_uint n() const { return static_cast<cl_uint>(all_.size()); }
  const cl_event* events() const { return all_.empty() ? nullptr : all_.data(); }

 private:
  std::vector<cl_event> all_;
};

template <class F>
F real(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) throw std::runtime_error(std::string("no entry point ") + name);
  return reinterpret_cast<F>(found);
}

}  // namespace

namespace {
void arm(std::string_view entry, unsigned kth, cl_int code, std::chrono::milliseconds delay,
         bool holds = false) {
  const std::lock_guard lock(now().mutex);
  now().holds = holds;
  now().entry = entry;
  now().left = kth;
  now().code = code;
  now().delay = delay;
  now().failed = false;
}
}  // namespace

void arm(std::string_view entry, unsigned kth, cl_int code) {
  arm(entry, kth, code, std::chrono::milliseconds(0));
}
void arm_late(std::string_view entry, unsigned kth, std::chrono::milliseconds delay) {
  arm(entry, kth, CL_SUCCESS, delay);
}

void arm_held(std::string_view entry, unsigned kth) {
  arm(entry, kth, CL_SUCCESS, std::chrono::milliseconds(0), true);
}
bool is_held() {
  std::unique_lock lock(now().mutex);
  return now().changed.wait_for(lock, std::chrono::minutes(1), [] { return now().failed; });
}
void let_on() {
  const std::lock_guard lock(now().mutex);
  now().holds = false;
  now().changed.notify_all();
}

void hold(cl_command_queue queue, cl_event until) {
  const std::lock_guard lock(now().mutex);
  now().held_queue = queue;
  now().until = until;
}

bool disarm() {
  const std::lock_guard lock(now().mutex);
  now().entry.clear();
  return now().failed;
}

std::map<std::string, unsigned> take_counts() {
  const std::lock_guard lock(now().mutex);
  return std::exchange(now().counts, {});
}

std::set<std::string> built() {
  const std::lock_guard lock(now().mutex);
  return now().built;
}

std::vector<std::string> entries() { return known(); }

references held() {
  return {made.contexts, made.queues, made.buffers, made.events, made.programs, made.kernels};
}

std::string to_string(const references& r) {
  std::ostringstream text;
  text << r.contexts << " contexts, " << r.queues << " queues, " << r.buffers << " buffers, " << r.events
       << " events, " << r.programs << " programs, " << r.kernels << " kernels";
  return text.str();
}

}  // namespace faults

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are lists and types.

#define REAL(name) static const auto real = faults::real<decltype(&name)>(#name)
#define KNOWN(name) static const faults::registration known_##name(#name)

// An entry point that returns a code.
#define ANSWERS(name, parameters, arguments)                    \
  KNOWN(name);                                                  \
  extern "C" cl_int name parameters {                           \
    REAL(name);                                                 \
    if (const cl_int code = faults::called(#name)) return code; \
    return real arguments;                                      \
  }

// One that returns a code and may give an event.
#define ENQUEUES(name, parameters, arguments)                          \
  KNOWN(name);                                                         \
  extern "C" cl_int name parameters {                                  \
    REAL(name);                                                        \
    if (const cl_int code = faults::called(#name)) return code;        \
    const faults::waits waits(queue, n, after);                        \
    const cl_int code = real arguments;                                \
    if (code == CL_SUCCESS && event != nullptr) ++faults::made.events; \
    return code;                                                       \
  }

// One that returns a new object, counted in `kind`.
#define MAKES(type, kind, name, parameters, arguments) \
  KNOWN(name);                                         \
  extern "C" type name parameters {                    \
    REAL(name);                                        \
    if (const cl_int code = faults::called(#name)) {   \
      if (errcode_ret != nullptr) *errcode_ret = code; \
      return nullptr;                                  \
    }                                                  \
    type const object = real arguments;                \
    if (object != nullptr) ++faults::made.kind;        \
    return object;                                     \
  }

// The two that change an object's references. A release never fails: nothing could be done about it.
#define COUNTS(type, kind, suffix)                                           \
  KNOWN(clRetain##suffix);                                                   \
  extern "C" cl_int clRetain##suffix(type object) {                          \
    REAL(clRetain##suffix);                                                  \
    if (const cl_int code = faults::called("clRetain" #suffix)) return code; \
    const cl_int code = real(object);                                        \
    if (code == CL_SUCCESS) ++faults::made.kind;                             \
    return code;                                                             \
  }                                                                          \
  KNOWN(clRelease##suffix);                                                  \
  extern "C" cl_int clRelease##suffix(type object) {                         \
    REAL(clRelease##suffix);                                                 \
    --faults::made.kind;                                                     \
    return real(object);                                                     \
  }

COUNTS(cl_context, contexts, Context)
COUNTS(cl_command_queue, queues, CommandQueue)
COUNTS(cl_mem, buffers, MemObject)
COUNTS(cl_event, events, Event)
COUNTS(cl_program, programs, Program)
COUNTS(cl_kernel, kernels, Kernel)

using notify_context = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);
using notify_program = void(CL_CALLBACK*)(cl_program, void*);

MAKES(cl_context, contexts, clCreateContext,
      (const cl_context_properties* properties, cl_uint n, const cl_device_id* devices, notify_context notify,
       void* data, cl_int* errcode_ret),
      (properties, n, devices, notify, data, errcode_ret))
MAKES(cl_command_queue, queues, clCreateCommandQueue,
      (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int* errcode_ret),
      (context, device, properties, errcode_ret))
MAKES(cl_command_queue, queues, clCreateCommandQueueWithProperties,
      (cl_context context, cl_device_id device, const cl_queue_properties* properties, cl_int* errcode_ret),
      (context, device, properties, errcode_ret))
MAKES(cl_mem, buffers, clCreateBuffer,
      (cl_context context, cl_mem_flags flags, size_t size, void* host, cl_int* errcode_ret),
      (context, flags, size, host, errcode_ret))
MAKES(cl_mem, buffers, clCreateSubBuffer,
      (cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void* info, cl_int* errcode_ret),
      (whole, flags, type, info, errcode_ret))
MAKES(cl_program, programs, clCreateProgramWithSource,
      (cl_context context, cl_uint n, const char** texts, const size_t* lengths, cl_int* errcode_ret),
      (context, n, texts, lengths, errcode_ret))
MAKES(cl_program, programs, clCreateProgramWithBinary,
      (cl_context context, cl_uint n, const cl_device_id* devices, const size_t* lengths,
       const unsigned char** binaries, cl_int* status, cl_int* errcode_ret),
      (context, n, devices, lengths, binaries, status, errcode_ret))
MAKES(cl_kernel, kernels, clCreateKernel, (cl_program program, const char* name, cl_int* errcode_ret),
      (program, name, errcode_ret))
MAKES(cl_event, events, clCreateUserEvent, (cl_context context, cl_int* errcode_ret), (context, errcode_ret))

ANSWERS(clGetPlatformIDs, (cl_uint n, cl_platform_id* ids, cl_uint* count), (n, ids, count))
ANSWERS(clGetPlatformInfo,
        (cl_platform_id of, cl_platform_info what, size_t size, void* value, size_t* size_ret),
        (of, what, size, value, size_ret))
ANSWERS(clGetDeviceIDs,
        (cl_platform_id of, cl_device_type type, cl_uint n, cl_device_id* ids, cl_uint* count),
        (of, type, n, ids, count))
ANSWERS(clGetDeviceInfo, (cl_device_id of, cl_device_info what, size_t size, void* value, size_t* size_ret),
        (of, what, size, value, size_ret))
ANSWERS(clGetContextInfo, (cl_context of, cl_context_info what, size_t size, void* value, size_t* size_ret),
        (of, what, size, value, size_ret))
ANSWERS(clGetCommandQueueInfo,
        (cl_command_queue of, cl_command_queue_info what, size_t size, void* value, size_t* size_ret),
        (of, what, size, value, size_ret))
ANSWERS(clGetMemObjectInfo, (cl_mem of, cl_mem_info what, size_t size, void* value, size_t* size_ret),
        (of, what, size, value, size_ret))
ANSWERS(clGetEventInfo, (cl_event of, cl_event_info what, size_t size, void* value, size_t* size_ret),
        (of, what, size, value, size_ret))
ANSWERS(clGetProgramInfo, (cl_program of, cl_program_info what, size_t size, void* value, size_t* size_ret),
        (of, what, size, value, size_ret))
ANSWERS(clGetProgramBuildInfo,
        (cl_program of, cl_device_id device, cl_program_build_info what, size_t size, void* value,
         size_t* size_ret),
        (of, device, what, size, value, size_ret))
ANSWERS(clGetKernelInfo, (cl_kernel of, cl_kernel_info what, size_t size, void* value, size_t* size_ret),
        (of, what, size, value, size_ret))
ANSWERS(clGetKernelWorkGroupInfo,
        (cl_kernel of, cl_device_id device, cl_kernel_work_group_info what, size_t size, void* value,
         size_t* size_ret),
        (of, device, what, size, value, size_ret))
ANSWERS(clGetKernelSubGroupInfo,
        (cl_kernel of, cl_device_id device, cl_kernel_sub_group_info what, size_t in_size, const void* in,
         size_t size, void* value, size_t* size_ret),
        (of, device, what, in_size, in, size, value, size_ret))
ANSWERS(clBuildProgram,
        (cl_program program, cl_uint n, const cl_device_id* devices, const char* options,
         notify_program notify, void* data),
        (program, n, devices, faults::noted(options), notify, data))
ANSWERS(clRetainDevice, (cl_device_id device), (device))
ANSWERS(clReleaseDevice, (cl_device_id device), (device))
ANSWERS(clSetKernelArg, (cl_kernel kernel, cl_uint place, size_t size, const void* value),
        (kernel, place, size, value))
ANSWERS(clSetUserEventStatus, (cl_event event, cl_int status), (event, status))
ANSWERS(clWaitForEvents, (cl_uint n, const cl_event* events), (n, events))
ANSWERS(clFlush, (cl_command_queue queue), (queue))
ANSWERS(clFinish, (cl_command_queue queue), (queue))

ENQUEUES(clEnqueueNDRangeKernel,
         (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
          const size_t* global, const size_t* local, cl_uint n, const cl_event* after, cl_event* event),
         (queue, kernel, dimensions, offset, global, local, waits.n(), waits.events(), event))
ENQUEUES(clEnqueueReadBuffer,
         (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void* to,
          cl_uint n, const cl_event* after, cl_event* event),
         (queue, buffer, blocking, offset, size, to, waits.n(), waits.events(), event))
ENQUEUES(clEnqueueWriteBuffer,
         (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
          const void* from, cl_uint n, const cl_event* after, cl_event* event),
         (queue, buffer, blocking, offset, size, from, waits.n(), waits.events(), event))
ENQUEUES(clEnqueueCopyBuffer,
         (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t offset, size_t size,
          cl_uint n, const cl_event* after, cl_event* event),
         (queue, from, to, from_offset, offset, size, waits.n(), waits.events(), event))
ENQUEUES(clEnqueueFillBuffer,
         (cl_command_queue queue, cl_mem buffer, const void* pattern, size_t pattern_size, size_t offset,
          size_t size, cl_uint n, const cl_event* after, cl_event* event),
         (queue, buffer, pattern, pattern_size, offset, size, waits.n(), waits.events(), event))
ENQUEUES(clEnqueueMarkerWithWaitList,
         (cl_command_queue queue, cl_uint n, const cl_event* after, cl_event* event),
         (queue, waits.n(), waits.events(), event))
ENQUEUES(clEnqueueUnmapMemObject,
         (cl_command_queue queue, cl_mem buffer, void* mapped, cl_uint n, const cl_event* after,
          cl_event* event),
         (queue, buffer, mapped, waits.n(), waits.events(), event))

KNOWN(clEnqueueMapBuffer);
KNOWN(clGetExtensionFunctionAddressForPlatform);
extern "C" void* clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                    cl_map_flags flags, size_t offset, size_t size, cl_uint n,
                                    const cl_event* after, cl_event* event, cl_int* errcode_ret) {
  REAL(clEnqueueMapBuffer);
  if (const cl_int code = faults::called("clEnqueueMapBuffer")) {
    if (errcode_ret != nullptr) *errcode_ret = code;
    return nullptr;
  }
  const faults::waits waits(queue, n, after);
  void* const mapped =
      real(queue, buffer, blocking, flags, offset, size, waits.n(), waits.events(), event, errcode_ret);
  if (mapped != nullptr && event != nullptr) ++faults::made.events;
  return mapped;
}

// NOLINTEND(bugprone-macro-parentheses)
