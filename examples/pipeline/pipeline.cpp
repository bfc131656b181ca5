// Three calls on two queues, chained by events alone: nothing waits on the host until the value is asked for.
#include <iostream>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue makes(context, device), folds(context, device);

  const std::size_t n = 1 << 20;
  const cl::Buffer first(context, CL_MEM_READ_WRITE, n * sizeof(float));
  const cl::Buffer second(context, CL_MEM_READ_WRITE, n * sizeof(float));
  const clwave::view<float> x{first, n}, y{second, n};

  const clwave::event filled = clwave::fill(makes, x, 2.0f);
  const clwave::map halve{.name = "halve", .source = "x / 2 + i % 2"};
  const clwave::event halved = clwave::transform(makes, x, y, halve, {.after = {filled}});
  makes.flush();  // a call that returns an event flushes nothing, and another queue is to wait for it
  clwave::future<float> sum = clwave::reduce_async(folds, y, {.after = {halved}});

  std::cout << "enqueued; the sum is " << sum.get() << '\n';
  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
