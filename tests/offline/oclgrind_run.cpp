// A few calls of each primitive with every size around a boundary, for races.py to run under oclgrind.
//   oclgrind_run         prints the parts there are
//   oclgrind_run PART    runs one; prints "ran ..." for each call; exits 1 on a wrong result
#include <cstdio>
#include <exception>
#include <vector>

#include "base/opencl.hpp"
#include "offline_parts.hpp"

// In place of the loader's: oclgrind 21.10 takes a fill, and any write of part of a buffer, for the whole of
// the buffer's contents, and what kernels write elsewhere in it for uninitialised from then on (its
// Uninitialized::hostMemoryStore allocates the buffer's shadow anew). A kernel's writes it follows.
cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void* pattern,
                           std::size_t pattern_size, std::size_t offset, std::size_t size, cl_uint,
                           const cl_event*, cl_event* event) {
  const std::vector<cl_uchar> bytes(static_cast<const cl_uchar*>(pattern),
                                    static_cast<const cl_uchar*>(pattern) + pattern_size);
  const cl::CommandQueue on(command_queue, true);
  cl::Program program(on.getInfo<CL_QUEUE_CONTEXT>(),
                      "kernel void fill(global uchar *to, ulong offset, uchar byte) {\n"
                      "  to[offset + get_global_id(0)] = byte;\n"
                      "}\n");
  if (program.build() != CL_SUCCESS || bytes != std::vector<cl_uchar>(bytes.size(), bytes[0]))
    return CL_INVALID_VALUE;
  cl::Kernel fill(program, "fill");
  fill.setArg(0, cl::Buffer(buffer, true));
  fill.setArg(1, static_cast<cl_ulong>(offset));
  fill.setArg(2, bytes[0]);
  return clEnqueueNDRangeKernel(command_queue, fill(), 1, nullptr, &size, nullptr, 0, nullptr, event);
}

int main(int count, char** words) {
  try {
    for (const races::offline_parts& each : races::all()) {
      for (const races::part& part : each.parts) {
        if (count == 1)
          std::puts(part.name.c_str());
        else if (part.name == words[1])
          return part.run(), races::any_wrong() ? 1 : 0;
      }
    }
    if (count == 1) return 0;
    std::fprintf(stderr, "oclgrind_run: there is no part %s\n", words[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  return 1;
}
