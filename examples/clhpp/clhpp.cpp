// CLHPP's queues, buffers and events go into calls as they are, and clwave's event goes back into CLHPP.
#include <iostream>
#include <numeric>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);

  std::vector<std::int32_t> host(1000);
  std::iota(host.begin(), host.end(), 1);
  const std::size_t bytes = host.size() * sizeof(std::int32_t);
  const cl::Buffer buffer(context, CL_MEM_READ_WRITE, bytes);

  // A command of CLHPP's that a call waits for: the buffer is written before it is summed.
  cl::Event written;
  queue.enqueueWriteBuffer(buffer, CL_FALSE, 0, bytes, host.data(), nullptr, &written);
  const clwave::view<std::int32_t> x{buffer, host.size()};
  std::cout << "sum " << clwave::reduce(queue, x, {.after = {written}}) << '\n';

  // A call that a command of CLHPP's waits for. Running sums may take the place of what they sum.
  const clwave::event scanned = clwave::inclusive_scan(queue, x);
  const std::vector<cl::Event> before{
      cl::Event(scanned.get(), true)};  // true: it keeps a reference of its own
  queue.enqueueReadBuffer(buffer, CL_TRUE, 0, bytes, host.data(), &before);
  std::cout << "running sums " << host[0] << ' ' << host[1] << ' ' << host[2] << " ... " << host.back()
            << '\n';

  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
