// The sum of a million numbers on whatever device there is: the first GPU, else the first device.
#define CL_TARGET_OPENCL_VERSION 120  // any loader will do
#include <iostream>
#include <vector>

#include <clwave.hpp>

int main() try {
  // The OpenCL objects are yours: plain handles here, but CLHPP's and Boost.Compute's will do as well.
  cl_device_id device = clwave::select_device();
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);

  std::vector<float> numbers(1'000'000, 0.5f);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                 numbers.size() * sizeof(float), numbers.data(), nullptr);

  const clwave::view<float> x{buffer, numbers.size()};
  std::cout << "sum " << clwave::reduce(queue, x) << " on " << *clwave::facts_of(device).name << '\n';

  clReleaseMemObject(buffer);
  clwave::release(context);  // frees what the library cached for this context
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
