// The smallest program with clwave: sums 0, 1, ..., 999 on the first device and checks the value. Then it
// makes a call that is wrong, and catches what the library throws.
#include <cstdio>
#include <exception>
#include <numeric>
#include <string_view>
#include <vector>

#include <clwave.hpp>

#include "every_call.hpp"

// The package, or the project in the subfolder, has the version that its headers say.
static_assert(std::string_view(CLWAVE_VERSION_STRING) == EXPECTED_VERSION);
static_assert(CLWAVE_VERSION ==
              10000 * CLWAVE_VERSION_MAJOR + 100 * CLWAVE_VERSION_MINOR + CLWAVE_VERSION_PATCH);
#if defined(__cplusplus) && !defined(_MSC_VER)
static_assert((EXPECTED_STANDARD == 20) == (__cplusplus == 202002L),
              "this is another C++ than was asked for");
#endif

namespace {

// The sum of 0, 1, ..., 999.
int sum_on(cl_context context, cl_command_queue queue) {
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 0);
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                 numbers.size() * sizeof(int), numbers.data(), nullptr);
  const int sum = clwave::reduce(queue, clwave::view<int>{buffer, numbers.size()});
  clReleaseMemObject(buffer);
  return sum;
}

// Whether an error that the library throws is caught by its type, and read.
bool catches() {
  const cl_command_queue no_queue = nullptr;
  const cl_mem no_buffer = nullptr;
  try {
    clwave::reduce(no_queue, clwave::view<int>{no_buffer, 1});
  } catch (const clwave::error& thrown) {
    return thrown.kind() == clwave::failure::bad_call && thrown.details().primitive == "reduce";
  } catch (...) {
    std::fputs("what the library threw was not caught as clwave::error\n", stderr);
  }
  return false;
}

// The same by its base, whose real type is then asked for.
bool casts() {
  try {
    clwave::select_device("name~no such device");
  } catch (const std::exception& thrown) {
    return dynamic_cast<const clwave::error*>(&thrown) != nullptr;
  }
  return false;
}

}  // namespace

int main(int argc, char**) {
  try {
    cl_device_id device = clwave::select_device();
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, nullptr);
    const int sum = sum_on(context, queue);
    std::printf("clwave %s: sum of 0 to 999: %d\n", CLWAVE_VERSION_STRING, sum);
    if (argc > 1) every_call(device, queue);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return sum == 499500 && catches() && casts() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
