// An operator and a map of one's own, as OpenCL C text; a value that changes from call to call builds
// nothing.
#include <cmath>
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

  std::vector<float> host(100'000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = std::sin(static_cast<float>(i));
  const cl::Buffer buffer(context, CL_MEM_COPY_HOST_PTR, host.size() * sizeof(float), host.data());
  const clwave::view<float> x{buffer, host.size()};

  // The larger by magnitude. What an operator sees in `a` and `b` are elements, or results of its own.
  const clwave::op farther{.name = "farther", .source = "fabs(a) < fabs(b) ? b : a", .identity = "0"};
  std::cout << "farthest from zero: " << clwave::reduce(queue, x, farther) << '\n';

  for (const float least : {0.25f, 0.5f, 0.75f}) {
    const clwave::map beyond{
        .name = "beyond", .source = "fabs(x) > least ? 1 : 0", .values = {{"least", least}}};
    std::cout << "beyond " << least << ": "
              << clwave::transform_reduce<std::uint32_t>(queue, x, clwave::plus, beyond) << '\n';
  }
  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
