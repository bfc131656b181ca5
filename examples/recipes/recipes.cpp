// What other libraries have calls for and clwave has words for: the recipes of docs/recipes.md, each of which
// stands there as it stands here.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

int main() try {
  const cl::Device device(clwave::select_device(), true);
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  const std::size_t n = 1000;
  const cl::Buffer a(context, CL_MEM_READ_WRITE, n * sizeof(float));
  const cl::Buffer b(context, CL_MEM_READ_WRITE, n * sizeof(float));
  const cl::Buffer c(context, CL_MEM_READ_WRITE, n * sizeof(std::uint32_t));
  const clwave::view<float> x{a, n}, y{b, n};
  const clwave::view<std::uint32_t> places{c, n};
  const cl::Buffer d(context, CL_MEM_READ_WRITE, n * sizeof(float));
  const cl::Buffer one_number(context, CL_MEM_READ_WRITE, sizeof(std::uint64_t));
  const clwave::view<float> sums{d, n};
  const clwave::view<std::uint64_t> count{one_number, 1};
  using clwave::map;

  // iota
  clwave::iota(queue, places);
  clwave::iota(queue, x, 0.0f, 0.5f);
  // end
  std::cout << "iota: the last is " << clwave::reduce(queue, places, clwave::max) << ", the sum of x "
            << clwave::reduce(queue, x) << '\n';

  // find
  const map large{.name = "large", .source = "x > least", .values = {{"least", 123.0f}}};
  const std::uint64_t found = clwave::find_if(queue, x, large);
  // end
  std::cout << "find: " << (found == clwave::nowhere ? "none" : std::to_string(found)) << '\n';

  // any
  const map is_negative{.name = "is_negative", .source = "x < 0"};
  const bool any = clwave::any_of(queue, x, is_negative), all = clwave::all_of(queue, x, is_negative),
             none = clwave::none_of(queue, x, is_negative);
  const std::uint64_t how_many = clwave::count_if(queue, x, is_negative);
  // end
  std::cout << "any: " << any << all << none << ", " << how_many << '\n';

  // differences
  clwave::adjacent_difference(queue, x, y);                                       // y[0] is x[0]
  const clwave::view<float> left{a, n - 1}, right{a, n - 1, 1}, steps{b, n - 1};  // x[k] and x[k + 1]
  clwave::transform(queue, right, left, steps, map{.name = "difference", .source = "x - y"});
  // end
  std::cout << "differences: " << clwave::reduce(queue, steps, clwave::min) << " to "
            << clwave::reduce(queue, steps, clwave::max) << '\n';

  // rising
  const bool is_sorted = clwave::is_sorted(queue, x);
  // end
  std::cout << "rising: " << is_sorted << '\n';

  // statistics
  const clwave::moments<float> m = clwave::mean_and_variance(queue, x);
  const float deviation = std::sqrt(m.variance());
  // end
  std::cout << "statistics: " << m.n << " numbers, mean " << m.mean << ", deviation "
            << std::round(deviation * 100) / 100 << '\n';

  // chain
  const clwave::event e = clwave::transform(queue, x, y, map{.name = "wave", .source = "sin(x)"});
  const clwave::event sorted = clwave::sort(queue, y, {.descending = true, .after = {e}});
  clwave::future<float> sum = clwave::reduce_async(queue, clwave::view<float>{b, 10}, {.after = {sorted}});
  // The host goes on; sum.get() waits for the three.
  // end
  std::cout << "chain: " << std::round(sum.get() * 100) / 100 << '\n';

  // counts
  clwave::copy_if(queue, x, y, count, map{.name = "large", .source = "x > 100"});  // count: on the device
  clwave::sort(queue, y.first(count), y, {.descending = true});
  clwave::inclusive_scan(queue, y.first(count), sums);
  // end
  std::uint64_t are_large = 0;
  float total = 0;
  queue.enqueueReadBuffer(one_number, CL_TRUE, 0, sizeof are_large, &are_large);
  queue.enqueueReadBuffer(d, CL_TRUE, (are_large - 1) * sizeof total, sizeof total, &total);
  std::cout << "counts: " << are_large << " of " << n << ", their sum " << total << '\n';

  // random
  clwave::random(queue, x, 42, {.stream = 0});  // in [0, 1)
  clwave::random(queue, y, 42, {.stream = 1});
  clwave::transform(queue, x, y, x, map{.name = "in the circle", .source = "x * x + y * y < 1 ? 4 : 0"});
  const clwave::moments<float> pi = clwave::mean_and_variance(queue, x);
  // end
  std::cout << "random: pi is about " << std::round(pi.mean * 10) / 10 << '\n';

  // lazy
  const float chosen = clwave::reduce(queue, clwave::gather_of(x, places));
  clwave::inclusive_scan(queue, clwave::reversed(x), sums);
  const map pay{.name = "pay", .source = "x > 2 ? x * y : z"};
  const auto paid = clwave::transformed<float>(clwave::zip(x, y, sums), pay);
  const clwave::indexed<float> best = clwave::argmax(queue, paid);
  // end
  std::cout << "lazy: " << (chosen == clwave::reduce(queue, x)) << ", " << (best.index < n) << '\n';

  // shuffle
  clwave::shuffle(queue, x, y, 42);
  clwave::random_permutation(queue, places, 42);
  clwave::gather(queue, x, places, sums);  // the same
  // end
  std::cout << "shuffle: " << clwave::equal(queue, y, sums) << '\n';

  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
