// What other libraries have calls for and clwave has words for: the recipes of docs/recipes.md, each of which
// stands there as it stands here.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

#define CL_HPP_TARGET_OPENCL_VERSION 120
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#include <CL/opencl.hpp>

#include <clwave.hpp>

// What a map makes of one number, and what an operator puts together: how many there are, their mean, and the
// sum of the squared distances from it.
struct moments {
  std::uint64_t n;
  float mean, squares;
};
CLWAVE_STRUCTURE(moments, "moments", "typedef struct { ulong n; float mean, squares; } moments;")

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
  clwave::transform(queue, places, places, map{.name = "iota", .source = "i"});
  clwave::transform(queue, x, x, map{.name = "steps", .source = "0.5f * i"});
  // end
  std::cout << "iota: the last is " << clwave::reduce(queue, places, clwave::max) << ", the sum of x "
            << clwave::reduce(queue, x) << '\n';

  // find
  constexpr auto nowhere = std::numeric_limits<std::uint64_t>::max();
  const map place{.name = "place", .source = "x > least ? i : ~0ul", .values = {{"least", 123.0f}}};
  const auto found = clwave::transform_reduce<std::uint64_t>(queue, x, clwave::min, place);
  // end
  std::cout << "find: " << (found == nowhere ? "none" : std::to_string(found)) << '\n';

  // any
  const map is_negative{.name = "is_negative", .source = "x < 0 ? 1u : 0u"};
  const auto how_many = clwave::transform_reduce<std::uint32_t>(queue, x, clwave::plus, is_negative);
  const bool any = how_many > 0, all = how_many == n, none = how_many == 0;
  // end
  std::cout << "any: " << any << all << none << '\n';

  // differences
  const clwave::view<float> left{a, n - 1}, right{a, n - 1, 1};  // x[k] and x[k + 1]
  const clwave::view<float> steps{b, n - 1};
  clwave::transform(queue, right, left, steps, map{.name = "difference", .source = "x - y"});
  // end
  std::cout << "differences: " << clwave::reduce(queue, steps, clwave::min) << " to "
            << clwave::reduce(queue, steps, clwave::max) << '\n';

  // rising
  const map falls{.name = "falls", .source = "y < x ? 1u : 0u"};
  const bool is_sorted =
      clwave::transform_reduce<std::uint32_t>(queue, clwave::zip(left, right), clwave::plus, falls) == 0;
  // end
  std::cout << "rising: " << is_sorted << '\n';

  // statistics
  const map one{.name = "one",
                .source = "one_of(x)",
                .declarations = "moments one_of(float x) { const moments m = {1, x, 0}; return m; }"};
  const clwave::op both{.name = "both",
                        .source = "both_of(a, b)",
                        .identity = "none()",
                        .declarations =
                            "moments none(void) { const moments m = {0, 0, 0}; return m; }\n"
                            "moments both_of(moments a, moments b) {\n"
                            "  if (a.n == 0) return b;\n"
                            "  if (b.n == 0) return a;\n"
                            "  const float share = (float)b.n / (a.n + b.n), apart = b.mean - a.mean;\n"
                            "  const moments m = {a.n + b.n, a.mean + apart * share,\n"
                            "                     a.squares + b.squares + apart * apart * a.n * share};\n"
                            "  return m;\n"
                            "}"};
  const auto m = clwave::transform_reduce<moments>(queue, x, both, one);
  const float deviation = std::sqrt(m.squares / static_cast<float>(m.n));
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

  clwave::release(context);
} catch (const clwave::error& failed) {
  std::cerr << failed.what() << '\n';
  return 1;
}
