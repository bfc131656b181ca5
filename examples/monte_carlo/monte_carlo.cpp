// Monte Carlo: pi from random points, and the price of an option from normal numbers, each with its standard
// error from one pass. The points of a seed are the same on every device, so that a result can be had again
// anywhere.
#include <cmath>
#include <cstdint>
#include <iostream>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

namespace {

void print(const char* what, const clwave::moments<float>& samples) {
  const double error = std::sqrt(samples.variance() / static_cast<double>(samples.n));
  std::cout << what << ' ' << samples.mean << " +- " << error << '\n';
}

}  // namespace

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);

  const std::size_t n = 1 << 20;
  const std::uint64_t seed = 42;
  const cl::Buffer first(context, CL_MEM_READ_WRITE, n * sizeof(float));
  const cl::Buffer second(context, CL_MEM_READ_WRITE, n * sizeof(float));
  const clwave::view<float> x{first, n}, y{second, n};

  // Points of a square, from two streams: 4 where they lie in the circle.
  clwave::random(queue, x, seed, {.stream = 0});
  clwave::random(queue, y, seed, {.stream = 1});
  clwave::transform(queue, x, y, x, {.name = "in the circle", .source = "x * x + y * y < 1 ? 4 : 0"});
  print("pi is", clwave::mean_and_variance(queue, x));

  // Normal numbers, and the same ones piece by piece: each piece says which number it begins with.
  const clwave::random_kind normal = clwave::random_kind::normal;
  clwave::random(queue, x, seed, {.kind = normal, .stream = 2});
  for (std::size_t begin = 0; begin < n; begin += n / 4)
    clwave::random(queue, y.subview(begin, n / 4), seed, {.kind = normal, .stream = 2, .first = begin});
  std::cout << "piece by piece: " << (clwave::equal(queue, x, y) ? "the same" : "different") << '\n';

  // What an option to buy at 100 brings in a year, of a share that is worth 100 now: 5 % interest, 20 %
  // volatility.
  const clwave::map payoff{
      .name = "payoff",
      .source = "exp(-rate) * fmax(100 * exp(rate - vol * vol / 2 + vol * x) - 100, 0.0f)",
      .values = {{"rate", 0.05f}, {"vol", 0.2f}}};
  clwave::transform(queue, x, x, payoff);
  print("the option is worth", clwave::mean_and_variance(queue, x));
  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
