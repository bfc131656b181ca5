// Several queues of one context: each sums its own part, and a last call on another queue waits for all of
// them by their events alone.
#include <iostream>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);

  constexpr std::size_t parts = 3, n = 100'000;
  const cl::Buffer numbers(context, CL_MEM_READ_WRITE, parts * n * sizeof(std::uint32_t));
  const cl::Buffer sums(context, CL_MEM_READ_WRITE, parts * sizeof(std::uint32_t));
  const clwave::view<std::uint32_t> x{numbers, parts * n}, sum{sums, parts};

  std::vector<cl::CommandQueue> queues;
  std::vector<clwave::event> summed;
  for (std::uint32_t k = 0; k < parts; ++k) {
    const cl::CommandQueue& queue = queues.emplace_back(context, device);
    const clwave::view<std::uint32_t> part = x.subview(k * n, n);
    // The queue runs its commands in order: nobody waits for the first, which makes no event.
    clwave::fill(queue, part, k + 1, {.with_event = false});
    summed.push_back(clwave::reduce(queue, part, sum.subview(k, 1)));
    queue.flush();  // a call that returns an event flushes nothing
  }

  // The value comes later, and meanwhile the host may do something else.
  const cl::CommandQueue last(context, device);
  clwave::future<std::uint32_t> all = clwave::reduce_async(last, sum, {.after = summed});
  std::vector<std::uint32_t> host(parts);
  std::cout << "all together " << all.get() << '\n';
  last.enqueueReadBuffer(sums, CL_TRUE, 0, parts * sizeof(std::uint32_t), host.data());
  for (const std::uint32_t each : host) std::cout << each << ' ';
  std::cout << '\n';

  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
