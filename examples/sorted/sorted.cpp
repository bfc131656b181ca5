// Measurements of stations: sorted with what goes with them, each station's own, the three warmest, and how
// many fall between edges.
#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

namespace {

template <class T>
void print(const cl::CommandQueue& queue, const char* what, const cl::Buffer& buffer, std::size_t n) {
  std::vector<T> host(n);
  queue.enqueueReadBuffer(buffer, CL_TRUE, 0, n * sizeof(T), host.data());
  std::cout << what;
  for (const T& x : host) std::cout << ' ' << x;
  std::cout << '\n';
}

}  // namespace

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);

  // Three stations, whose measurements lie one station behind another.
  std::vector<float> measured = {18.5f, 21.0f, -3.5f, 30.0f, 12.0f, 12.0f, 25.5f, 7.0f, 21.0f, 0.5f};
  std::vector<std::uint32_t> first = {0, 4, 5, 10};
  const std::size_t n = measured.size(), bytes = n * sizeof(float);
  const cl::Buffer in(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, measured.data());
  const cl::Buffer offsets(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, first.size() * 4, first.data());
  const cl::Buffer out(context, CL_MEM_READ_WRITE, bytes), places(context, CL_MEM_READ_WRITE, n * 4);
  const clwave::view<float> x{in, n}, sorted{out, n};
  const clwave::view<std::uint32_t> order{places, n};

  clwave::sort(queue, x, sorted, {.descending = true});
  print<float>(queue, "from the warmest on:", out, n);

  clwave::argsort(queue, x, order);
  print<std::uint32_t>(queue, "coldest first, by number:", places, n);

  clwave::segmented_sort(queue, x, clwave::view<std::uint32_t>{offsets, first.size()}, sorted);
  print<float>(queue, "each station's own:", out, n);

  clwave::top_k(queue, x, sorted, order, 3);
  print<float>(queue, "the three warmest:", out, 3);
  print<std::uint32_t>(queue, "are those of number:", places, 3);

  const cl::Buffer counted(context, CL_MEM_READ_WRITE, 3 * 4);
  clwave::histogram(queue, x, clwave::view<std::uint32_t>{counted, 3},
                    std::array{-10.0f, 10.0f, 20.0f, 40.0f});
  print<std::uint32_t>(queue, "below 10, below 20, others:", counted, 3);
  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
