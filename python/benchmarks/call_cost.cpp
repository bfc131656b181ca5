// The calls of call_cost.py from C++: for each word that comes in ("out" or "value") it makes a batch of sums
// of one float, and writes the microseconds that one took.
//
//   call_cost CALLS_OF_A_BATCH
#define CL_TARGET_OPENCL_VERSION 120

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>

#include <clwave/device.hpp>
#include <clwave/reduce.hpp>

int main(int argc, char** argv) {
  const int n_calls = argc > 1 ? std::atoi(argv[1]) : 0;
  if (n_calls < 1) return 1;
  cl_device_id device = clwave::select_device("");
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float), nullptr, nullptr);
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float), nullptr, nullptr);
  const float one = 1;
  clEnqueueWriteBuffer(queue, x, CL_TRUE, 0, sizeof one, &one, 0, nullptr, nullptr);
  const clwave::view<const float> from(x, 1);
  const clwave::view<float> to(out, 1);
  for (std::string what; std::cin >> what;) {
    float sum = 0;
    const auto begin = std::chrono::steady_clock::now();
    auto end = begin;
    if (what == "out") {
      clwave::event last;
      for (int i = 0; i < n_calls; ++i) last = clwave::reduce(queue, from, to);
      end = std::chrono::steady_clock::now();
      last.wait();
      sum = one;
    } else {
      for (int i = 0; i < n_calls; ++i) sum = clwave::reduce(queue, from);
      end = std::chrono::steady_clock::now();
    }
    const std::chrono::duration<double, std::micro> took = end - begin;
    if (sum != one) return 1;
    std::cout << took.count() / n_calls << std::endl;
  }
}
