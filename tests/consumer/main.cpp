// The smallest program with clwave: sums 0, 1, ..., 999 on the first device and checks the value.
#include <cstdio>
#include <exception>
#include <numeric>
#include <vector>

#include <clwave.hpp>

int main() {
  try {
    cl_device_id device = clwave::select_device();
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);

    std::vector<int> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   numbers.size() * sizeof(int), numbers.data(), nullptr);

    const int sum = clwave::reduce(queue, clwave::view<int>{buffer, numbers.size()});
    std::printf("sum of 0 to 999: %d\n", sum);

    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return sum == 499500 ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
