// Running sums, the elements that a predicate keeps, and both sides of it in outputs of their own; counts
// come to the host.
#include <iostream>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);

  const std::size_t n = 10;
  std::vector<std::uint32_t> lengths = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  const cl::Buffer in(context, CL_MEM_COPY_HOST_PTR, n * sizeof(std::uint32_t), lengths.data());
  const cl::Buffer out(context, CL_MEM_READ_WRITE, n * sizeof(std::uint32_t));
  const clwave::view<std::uint32_t> x{in, n}, results{out, n};

  // Where each of these pieces begins, if they lie one after another from place 100 on.
  clwave::exclusive_scan(queue, x, results, clwave::plus, {.start = 100u});
  std::vector<std::uint32_t> host(n);
  queue.enqueueReadBuffer(out, CL_TRUE, 0, n * sizeof(std::uint32_t), host.data());
  for (const std::uint32_t begin : host) std::cout << begin << ' ';
  std::cout << '\n';

  const clwave::map is_long{.name = "is_long", .source = "x > 3"};
  const std::uint64_t kept = clwave::copy_if(queue, x, results, is_long);
  queue.enqueueReadBuffer(out, CL_TRUE, 0, kept * sizeof(std::uint32_t), host.data());
  for (std::uint64_t i = 0; i < kept; ++i) std::cout << host[i] << ' ';
  std::cout << '\n';

  // The same to the front of `results`, and the short ones to a buffer of their own.
  const cl::Buffer rest(context, CL_MEM_READ_WRITE, n * sizeof(std::uint32_t));
  const clwave::view<std::uint32_t> others{rest, n};
  const std::uint64_t n_long = clwave::partition_copy(queue, x, results, others, is_long);
  queue.enqueueReadBuffer(rest, CL_TRUE, 0, (n - n_long) * sizeof(std::uint32_t), host.data());
  for (std::uint64_t i = 0; i < n - n_long; ++i) std::cout << host[i] << ' ';
  std::cout << '\n';
  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
