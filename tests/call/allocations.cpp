// Fails the allocations of first calls, one after the other: each call then says so, the next one is right,
// and what the library holds of the caller's goes when it is dropped. A program of its own, for it replaces
// operator new.
#include <dlfcn.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/reduce.hpp>

#include "harness/devices.hpp"
#include "harness/parts.hpp"
#include "harness/quick.hpp"

namespace {

// The allocation of this thread that fails, counted down; 0: none. Drivers' own are not counted: their
// compilers end the process where there is no memory.
thread_local unsigned long countdown = 0;
thread_local int in_driver = 0;

struct driver_call {
  driver_call() { ++in_driver; }
  ~driver_call() { --in_driver; }
};

template <class F>
F* next(F* /*own*/, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// Not inline: GCC, which then sees malloc's memory go to operator delete, takes the two for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t n) {
  if (countdown != 0 && in_driver == 0 && --countdown == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(n == 0 ? 1 : n)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

// The calls in which a driver compiles.
extern "C" {
cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* notify)(cl_program, void*), void* data) {
  const driver_call inside;
  return next(&clBuildProgram, "clBuildProgram")(program, n, devices, options, notify, data);
}
cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* code) {
  const driver_call inside;
  return next(&clCreateKernel, "clCreateKernel")(program, name, code);
}
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const size_t* offset, const size_t* global, const size_t* local, cl_uint n,
                              const cl_event* after, cl_event* done) {
  const driver_call inside;
  return next(&clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel")(queue, kernel, dimensions, offset, global,
                                                                 local, n, after, done);
}
cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t n, void* value, size_t* n_needed) {
  const driver_call inside;
  return next(&clGetProgramInfo, "clGetProgramInfo")(program, what, n, value, n_needed);
}
cl_int clReleaseProgram(cl_program program) {
  const driver_call inside;
  return next(&clReleaseProgram, "clReleaseProgram")(program);
}
cl_int clReleaseKernel(cl_kernel kernel) {
  const driver_call inside;
  return next(&clReleaseKernel, "clReleaseKernel")(kernel);
}
}

namespace {

using clwave::view;
using testing::fixture;

int failures = 0;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
}

// Of the context, when nothing runs any more. PoCL's threads let go of a command's objects a moment after
// clFinish returns, so a count above what is allowed is asked for again, for as long as 10 seconds: a leak
// stays.
cl_uint references(const fixture& on, cl_uint allowed = 0) {
  using clock = std::chrono::steady_clock;
  clFinish(on.queue());
  for (const auto end = clock::now() + std::chrono::seconds(allowed == 0 ? 0 : 10);;) {
    cl_uint count = 0;
    clGetContextInfo(on.context(), CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr);
    if (count <= allowed || clock::now() >= end) return count;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}
cl_uint references(const cl::Buffer& buffer) {
  cl_uint count = 0;
  clGetMemObjectInfo(buffer(), CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr);
  return count;
}

// Fails allocation k = 1, 1 + step, ... of call(), until it runs to its end; right() says whether a call's
// result is right.
template <class Call>
void check(const fixture& on, const cl::Buffer& buffer, const char* what, unsigned long step, Call call) {
  clwave::release(on.context);
  // What a call that does not fail leaves behind, such as the driver's own, is no leak of a failure.
  const cl_uint before = references(on), of_buffer = references(buffer);
  call();
  call();
  clwave::release(on.context);
  const cl_uint left_by_two_calls = references(on) - before;
  cl_uint of_context = references(on);
  unsigned long k = 1;
  unsigned failed = 0;
  for (;; k += step) {
    bool ended = false;
    countdown = k;
    try {
      const bool right = call();
      ended = countdown != 0;
      countdown = 0;
      expect(right, std::string(what) + " is wrong when allocation " + std::to_string(k) + " fails");
    } catch (const std::bad_alloc&) {
      countdown = 0;
      ++failed;
    } catch (const clwave::error& thrown) {
      countdown = 0;
      ++failed;
      expect(thrown.kind() == clwave::failure::out_of_memory,
             std::string(what) + ", allocation " + std::to_string(k) + ": " + thrown.what());
    }
    if (ended) break;
    try {
      expect(call(), std::string(what) + " is wrong after allocation " + std::to_string(k) + " failed");
    } catch (const std::exception& thrown) {
      expect(false, std::string(what) + " after allocation " + std::to_string(k) + ": " + thrown.what());
    }
    clwave::release(on.context);
    const cl_uint now = references(on, of_context + left_by_two_calls);
    expect(now <= of_context + left_by_two_calls && references(buffer) == of_buffer,
           std::string(what) + " leaves references when allocation " + std::to_string(k) +
               " fails: " + std::to_string(now - of_context) +
               " of the context, where calls that do not leave " + std::to_string(left_by_two_calls));
    of_context = now;
  }
  expect(failed > 10 / step, std::string(what) + " has too few allocations: nothing was tested");
  std::printf("%s: %u of %lu allocations failed\n", what, failed, k);
}

}  // namespace

int main() try {
  const fixture on;
  const std::vector<float> ones(9000, 1.0f);
  const cl::Buffer in = on.buffer_of(ones), out = on.buffer_of(std::vector<float>(9000, 0.0f));
  const view<float> x{in, ones.size()}, y{out, ones.size()};
  const auto first_is = [&](float value) { return on.read<float>(out, 1)[0] == value; };
  const clwave::op own{.name = "an operator with a long name, longer than a short string",
                       .source = "helper(a, b)",
                       .identity = "0",
                       .declarations = "float helper(float p, float q) {\n  return p + q;\n}\n"};
  // Each allocation of one call; where the run is quick, some.
  check(on, in, "reduce",
        testing::quickest() ? 7
        : testing::quick()  ? 3
                            : 1,
        [&] { return clwave::reduce(on.queue, x, own) == 9000.0f; });
  check(on, in, "reduce_async", 11, [&] {
    const auto dropped = clwave::reduce_async(on.queue, x);
    return clwave::reduce_async(on.queue, x, own).get() == 9000.0f;
  });
  check(on, in, "copy", 11, [&] {
    clwave::copy(on.queue, x, y).wait();
    return first_is(1.0f);
  });
  check(on, in, "fill", 11, [&] {
    clwave::fill(on.queue, y, 3.0f).wait();
    return first_is(3.0f);
  });
  // The first call of every primitive.
  for (const testing::primitive_parts& part : testing::all_parts()) {
    const testing::event_call first = part.events().front();
    const auto expected = expected_of(on, first, 1);
    const testing::buffers operands = buffers_for(on, first.operands, 1);
    check(on, operands[0], first.name.c_str(), testing::quickest() ? 71 : 23, [&] {
      for (std::size_t k = 0; k < operands.size(); ++k) {
        const testing::bytes fresh = first.operands[k].bytes(1);
        clEnqueueWriteBuffer(on.queue(), operands[k](), CL_TRUE, 0, fresh.size(), fresh.data(), 0, nullptr,
                             nullptr);
      }
      first.start(on.queue, operands, false, {}).wait();
      return contents(on, first.operands, operands) == expected;
    });
  }
  if (failures != 0) std::fprintf(stderr, "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
} catch (const std::exception& thrown) {
  std::fprintf(stderr, "allocations: %s\n", thrown.what());
  return 1;
}
