// A structure of one's own as the element, with an operator that puts two of them together: the mean and the
// spread of many numbers in one pass (the update of pairs is that of Chan, Golub and LeVeque, 1979).
#include <cmath>
#include <iostream>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

struct spread {
  float n, mean, squares;  // how many, their mean, and the sum of the squared distances from it
};
// Its name and its text in OpenCL C, which must have the same members.
CLWAVE_STRUCTURE(spread, "spread", "typedef struct { float n, mean, squares; } spread;")

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);

  // Ten thousand throws of a die, each a structure of one number.
  std::vector<spread> host;
  for (int i = 0; i < 10'000; ++i) host.push_back({1, static_cast<float>(i % 6 + 1), 0});
  const cl::Buffer buffer(context, CL_MEM_COPY_HOST_PTR, host.size() * sizeof(spread), host.data());
  const clwave::view<const spread> x{buffer, host.size()};

  const clwave::op together{
      .name = "together",
      .source = "together_of(a, b)",
      .identity = "nothing()",
      .declarations =
          "spread nothing(void) { const spread none = {0, 0, 0}; return none; }\n"
          "spread together_of(spread a, spread b) {\n"
          "  const float n = a.n + b.n, apart = b.mean - a.mean;\n"
          "  if (n == 0) return a;\n"
          "  const spread all = {n, a.mean + apart * b.n / n,\n"
          "                       a.squares + b.squares + apart * apart * a.n * b.n / n};\n"
          "  return all;\n"
          "}\n"};
  const spread all = clwave::reduce(queue, x, together);
  std::cout << all.n << " throws, mean " << std::round(all.mean * 1000) / 1000 << ", deviation "
            << std::round(std::sqrt(all.squares / all.n) * 1000) / 1000 << '\n';

  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
