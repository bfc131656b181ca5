// shuffle and random_permutation: each index once, the bits of the host's compiler, elements of every size at
// odd places, on every profile; how often orders, places, neighbours and cycles come.
#include <clwave/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/gather.hpp>

#include "blocks/permutation.hpp"
#include "harness/captures.hpp"
#include "harness/devices.hpp"
#include "harness/emulated_rows.hpp"
#include "harness/refusals.hpp"
#include "primitives/gather/moved_elements.hpp"
#include "primitives/random/as_cpp.hpp"
#include "primitives/random/reference.hpp"
#include "primitives/random/statistics.hpp"

namespace testing::permutation_test {
namespace {

using random_statistics::deviates;

const doctest::test_suite lanes("lanes");

// The permutation of n elements, by the host's compiler, which always reckons in 64 bits.
std::vector<u64> order_of(u64 n, u64 seed) {
  const clwave::detail::permutation_numbers numbers =
      clwave::detail::permutation_of(std::max<u64>(n, 1), seed, 0);
  random_as_cpp::uint16 keys{};
  static_assert(sizeof keys == sizeof numbers.keys);
  std::memcpy(&keys, numbers.keys.data(), sizeof keys);
  std::vector<u64> order(n);
  for (u64 i = 0; i < n; ++i) order[i] = random_as_cpp::permuted(i, n, {numbers.rows, numbers.columns, keys});
  return order;
}

bool is_permutation(std::vector<u64> order) {
  std::ranges::sort(order);
  for (u64 i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return true;
}

template <class T>
void check_order(const fixture& on, u64 seed, std::size_t n) {
  CAPTURES(n, seed);
  const guarded_buffer<T> out(on, n);
  clwave::random_permutation(on.queue, out.view(), seed).wait();
  const std::vector<T> results = out.read_guarded();
  const std::vector<u64> right = order_of(n, seed);
  CHECK(is_permutation(right));
  CHECK(std::ranges::equal(results, right, {}, [](T index) { return u64{index}; }));
}

void check_shuffle(const fixture& on, random_engine& random, std::size_t size, std::size_t n) {
  const u64 seed = random();
  const std::vector<u64> order = order_of(n, seed);
  check_reordered(on, random, size, n, {.in = {}, .out = {}, .shuffle = true, .seed = seed},
                  [&](std::size_t i) { return order[i]; });
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "random permutations of every length") {
  for (std::size_t n = 1; n < 80; ++n) check_order<u32>(on, random(), n);
  for (const std::size_t n : {0, 99, 100, 101, 121, 255, 256, 1023, 4095, 4097, 65537, 100000}) {
    check_order<u32>(on, random(), n);
    check_order<u64>(on, random(), n);
  }
}

TEST_CASE("rectangles of as many indices as there are") {
  using clwave::detail::permutation_of;
  random_engine random;
  for (int k = 0; k < 2000; ++k) {
    const u64 n =
        (k % 2 == 0 ? (u64{1} << random.below(63)) + random.below(3) : random() >> (1 + random.below(63))) |
        u64{k % 3 == 0};
    if (n == 0) continue;
    CAPTURE(n);
    const auto numbers = permutation_of(n, 1, 0);
    const u64 indices = u64{numbers.rows} * numbers.columns;
    CHECK(indices >= n);
    CHECK(numbers.rows % 2 == 0);
    CHECK(indices - std::max<u64>(n, 64) < numbers.rows);
    if (!clwave::detail::permutes_in_64_bits(n)) CHECK(indices < u64{1} << 32);
  }
}

TEST_CASE_FIXTURE(on_device, "shuffles of elements of every size") {
  for (const std::size_t size : {1, 2, 3, 4, 6, 8, 12, 16, 20, 32, 64, 127, 128})
    check_shuffle(on, random, size, 1 + random.below(3000));
  for (const std::size_t n : {0, 1, 2, 3, 255, 256, 257, 1023, 1025, 70001}) check_shuffle(on, random, 4, n);
}

TEST_CASE_FIXTURE(on_device, "shuffles and permutations on every row" * lanes) {
  for (const std::string name : forced_rows(rows_taken(on, random))) {
    const std::size_t sizes[] = {1, 2, 4, 8, 12, 16, 40};
    for (int k = 0; k < 3; ++k)
      check_shuffle(on, random, sizes[random.below(std::size(sizes))], random.below(5000));
    check_order<u32>(on, random(), random.below(9000));
  }
}

TEST_CASE_FIXTURE(on_device, "shuffle moves elements as a permutation's gather does") {
  const std::size_t n = 5000;
  std::vector<float> x(n);
  std::iota(x.begin(), x.end(), 1.0f);
  const cl::Buffer xs = on.buffer_of(x);
  const view<const float> in{xs, n};
  const guarded_buffer<float> shuffled(on, n), gathered(on, n);
  const guarded_buffer<u32> order(on, n);
  clwave::shuffle(on.queue, in, shuffled.view(), 42);
  clwave::random_permutation(on.queue, order.view(), 42);
  clwave::gather(on.queue, in, order.view(), gathered.view()).wait();
  CHECK(shuffled.read_guarded() == gathered.read_guarded());
  CHECK(shuffled.read() != x);
}

TEST_CASE_FIXTURE(on_device, "what shuffle refuses") {
  const cl::Buffer some = on.buffer_of(std::vector<float>(64)), other = on.buffer_of(std::vector<float>(64));
  const view<float> in{some, 20}, out{other, 20};
  refuses("the output 19", [&] { clwave::shuffle(on.queue, in, view<float>{other, 19}, 1); });
  refuses("overlap", [&] { clwave::shuffle(on.queue, in, in, 1); });
  refuses("no rotate", [&] {
    clwave::reorder(on.queue(), {.in = in, .out = out, .rotate = true, .first = 1, .shuffle = true});
  });
  refuses("different types", [&] {
    clwave::reorder(on.queue(), {.in = in, .out = any_view(view<int>(other, 20)), .shuffle = true});
  });
}

// -------------------------------------------------------------------------- statistics, of fixed seeds 0, 1,
// ...

TEST_CASE("all orders of a few elements come alike") {
  for (const u64 n : {2, 3, 4, 5, 6}) {
    CAPTURE(n);
    std::map<std::vector<u64>, double> counts;
    const u64 seeds = n < 6 ? 60000 : 200000;
    std::vector<u64> each(n);
    std::iota(each.begin(), each.end(), u64{0});
    do counts[each] = 0;
    while (std::next_permutation(each.begin(), each.end()));
    for (u64 seed = 0; seed < seeds; ++seed) ++counts.at(order_of(n, seed));
    std::vector<double> found;
    for (const auto& [order, count] : counts) found.push_back(count);
    CHECK(deviates(found) < 4);
  }
}

TEST_CASE("every element comes to every place, beside every other, alike") {
  for (const u64 n : {7, 20, 64, 81, 100}) {
    CAPTURE(n);
    const u64 seeds = 20000;
    std::vector<double> places(n * n), pairs(n * n), parities(2), fixed(4);
    double cycles = 0;
    for (u64 seed = 0; seed < seeds; ++seed) {
      const std::vector<u64> order = order_of(n, seed);
      u64 stay = 0, of_cycles = 0;
      for (u64 i = 0; i < n; ++i) {
        ++places[i * n + order[i]];
        if (i > 0) ++pairs[order[i - 1] * n + order[i]];
        stay += order[i] == i ? 1 : 0;
      }
      std::vector<bool> seen(n);
      for (u64 i = 0; i < n; ++i) {
        if (seen[i]) continue;
        ++of_cycles;
        for (u64 k = i; !seen[k]; k = order[k]) seen[k] = true;
      }
      ++parities[(n - of_cycles) % 2];
      ++fixed[std::min<u64>(stay, 3)];
      cycles += static_cast<double>(of_cycles);
    }
    CHECK(deviates(places) < 4);
    std::erase(pairs, 0.0);  // no element stands beside itself
    CHECK(pairs.size() == n * (n - 1));
    CHECK(deviates(pairs) < 4);
    CHECK(deviates(parities) < 4);
    // The number of those that stay is Poisson's of mean 1, nearly; that of cycles has the mean 1 + 1/2 + ...
    // + 1/n.
    if (n >= 20) CHECK(deviates(fixed, {0.36788, 0.36788, 0.18394, 0.08030}) < 4);
    double mean = 0, variance = 0;
    for (u64 k = 1; k <= n; ++k) {
      mean += 1.0 / static_cast<double>(k);
      variance += 1.0 / static_cast<double>(k) - 1.0 / static_cast<double>(k * k);
    }
    CHECK(std::fabs(cycles / seeds - mean) < 4 * std::sqrt(variance / seeds));
  }
}

TEST_CASE("long permutations have the inversions, steps and rises of random ones") {
  for (const u64 n : {1000, 4096, 10007}) {
    CAPTURE(n);
    double inversions = 0, rises = 0, steps = 0;
    const u64 seeds = 60;
    const double m = static_cast<double>(n);
    for (u64 seed = 0; seed < seeds; ++seed) {
      const std::vector<u64> order = order_of(n, seed);
      for (u64 i = 1; i < n; ++i) {
        rises += order[i] > order[i - 1] ? 1 : 0;
        steps += std::fabs(static_cast<double>(order[i]) - static_cast<double>(order[i - 1]));
      }
      // Of pairs up to 64 places apart.
      for (u64 i = 0; i < n; ++i)
        for (u64 k = i + 1; k < std::min(n, i + 65); ++k) inversions += order[i] > order[k] ? 1 : 0;
    }
    const double all = static_cast<double>(seeds) * (m - 1);
    CHECK(std::fabs(rises - all / 2) < 4 * std::sqrt(all / 12));
    CHECK(std::fabs(steps / all - (m + 1) / 3) < 4 * m / std::sqrt(18 * all) * 1.2);
    // They are not independent.
    const double near = static_cast<double>(seeds) * 64 * (m - 32.5);
    CHECK(std::fabs(inversions / near - 0.5) < 0.01);
  }
}

}  // namespace testing::permutation_test
