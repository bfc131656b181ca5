// Whether random numbers are distributed as they should be, and depend on nothing: chi squared tests, moments
// and correlations of fixed seeds. Larger batteries (SciPy's, dieharder) are in
// tools/results/random-batteries.md.
#include <clwave/random.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "harness/devices.hpp"
#include "primitives/random/reference.hpp"
#include "primitives/random/statistics.hpp"

namespace testing::random_statistics_test {
namespace {

using clwave::random_kind;
using clwave::random_options;
using random_statistics::deviates;

constexpr std::size_t n = std::size_t{1} << 20;

template <class T>
std::vector<T> numbers(const fixture& on, u64 seed, const random_options& options = {}) {
  const guarded_buffer<T> out(on, n);
  clwave::random(on.queue, out.view(), seed, options).wait();
  return out.read_guarded();
}

// Of two sets of words: how far the number of bits in which they differ is from the half.
double differing_bits(const std::vector<u32>& x, const std::vector<u32>& y, std::size_t lag = 0) {
  double differ = 0;
  for (std::size_t i = lag; i < n; ++i) differ += std::popcount(x[i] ^ y[i - lag]);
  const double all = 32.0 * static_cast<double>(n - lag);
  return std::fabs(differ - all / 2) / std::sqrt(all / 4);
}

// The largest distance between the distribution of the numbers and F, times the root of how many there are
// (Kolmogorov and Smirnov): above 1.95 once in a thousand times.
template <class T, class F>
double largest_distance(std::vector<T> x, const F& distribution) {
  std::ranges::sort(x);
  const double all = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double right = distribution(static_cast<double>(x[i])), at = static_cast<double>(i);
    distance = std::max({distance, right - at / all, (at + 1) / all - right});
  }
  return distance * std::sqrt(all);
}

// Correlation with the number `lag` before, in standard deviations, of numbers of a mean and a variance.
template <class T>
double correlation(const std::vector<T>& x, std::size_t lag, double mean, double variance) {
  double sum = 0;
  for (std::size_t i = lag; i < x.size(); ++i) sum += (x[i] - mean) * (x[i - lag] - mean);
  return std::fabs(sum) / variance / std::sqrt(static_cast<double>(x.size() - lag));
}

double normal_below(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

template <class T>
void check_moments_of_normal(const std::vector<T>& x) {
  double sums[4] = {};
  for (const double z : x) {
    double power = 1;
    for (double& sum : sums) sum += power *= z;
  }
  // Mean and standard deviation of the first powers of a normal number: 0, 1, 0, 3 and 1, 2, 15, 96 squared.
  const double root = std::sqrt(static_cast<double>(x.size())), all = static_cast<double>(x.size());
  CHECK(std::fabs(sums[0] / all) * root < 4);
  CHECK(std::fabs(sums[1] / all - 1) * root < 4 * std::sqrt(2.0));
  CHECK(std::fabs(sums[2] / all) * root < 4 * std::sqrt(15.0));
  CHECK(std::fabs(sums[3] / all - 3) * root < 4 * std::sqrt(96.0));
}

}  // namespace

TEST_CASE_FIXTURE(on_device, "bits, bytes, pairs and runs of random words") {
  for (const u64 seed : {u64{0}, u64{1}, ~u64{0}}) {
    CAPTURE(seed);
    const std::vector<u32> x = numbers<u32>(on, seed);
    std::vector<double> ones(32), bytes(256), pairs(4096), runs(8);
    std::size_t run = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (unsigned bit = 0; bit < 32; ++bit) ones[bit] += x[i] >> bit & 1;
      for (unsigned byte = 0; byte < 4; ++byte) ++bytes[x[i] >> (8 * byte) & 255];
      if (i % 2 == 1) ++pairs[(x[i - 1] >> 26) << 6 | x[i] >> 26];
      // Runs of words whose top bit is the same; those of more than 8 count as 8.
      ++run;
      if (i + 1 == n || (x[i] ^ x[i + 1]) >> 31 != 0) {
        ++runs[std::min<std::size_t>(run, 8) - 1];
        run = 0;
      }
    }
    for (const double count : ones) CHECK(std::fabs(count - n / 2.0) < 4 * std::sqrt(n / 4.0));
    CHECK(deviates(bytes) < 4);
    CHECK(deviates(pairs) < 4);
    CHECK(deviates(runs, {1 / 2.0, 1 / 4.0, 1 / 8.0, 1 / 16.0, 1 / 32.0, 1 / 64.0, 1 / 128.0, 1 / 128.0}) <
          4);
    for (const std::size_t lag : {1, 2, 3, 4, 5, 8, 1024}) CHECK(differing_bits(x, x, lag) < 4);
  }
}

TEST_CASE_FIXTURE(on_device, "seeds, streams and numbers of elements do not depend on one another") {
  const std::vector<u32> x = numbers<u32>(on, 5);
  CHECK(differing_bits(x, numbers<u32>(on, 6)) < 4);
  CHECK(differing_bits(x, numbers<u32>(on, 5 + (u64{1} << 32))) < 4);
  CHECK(differing_bits(x, numbers<u32>(on, 5, {.stream = 1})) < 4);
  CHECK(differing_bits(x, numbers<u32>(on, 5, {.first = u64{1} << 34})) < 4);
  // Further words of bounded numbers are of their own counters: half of all numbers have one.
  std::vector<double> bins(64);
  for (const u32 below : numbers<u32>(on, 5, {.below = 0x80000001})) ++bins[below >> 25 & 63];
  CHECK(deviates(bins) < 4);
}

TEST_CASE_FIXTURE(on_device, "numbers in [0, 1) are uniform") {
  const auto check = [](const auto& x) {
    CHECK(std::ranges::min(x) >= 0);
    CHECK(std::ranges::max(x) < 1);
    std::vector<double> bins(1000), squares(1024);
    for (std::size_t i = 0; i < n; ++i) {
      ++bins[static_cast<std::size_t>(x[i] * 1000)];
      if (i % 2 == 1)
        ++squares[static_cast<std::size_t>(x[i - 1] * 32) * 32 + static_cast<std::size_t>(x[i] * 32)];
    }
    CHECK(deviates(bins) < 4);
    CHECK(deviates(squares) < 4);
    CHECK(largest_distance(x, [](double u) { return u; }) < 1.95);
    for (const std::size_t lag : {1, 2, 3, 4}) CHECK(correlation(x, lag, 0.5, 1 / 12.0) < 4);
  };
  check(numbers<float>(on, 7));
  if (on.facts.fp64.value_or(false)) check(numbers<double>(on, 8));
}

TEST_CASE_FIXTURE(on_device, "normal numbers are normal") {
  const auto check = [](const auto& x) {
    CHECK(largest_distance(x, normal_below) < 1.95);
    check_moments_of_normal(x);
    std::vector<double> tails(4), shares(4);
    for (const double z : x) ++tails[static_cast<std::size_t>(std::min(std::fabs(z), 3.5))];
    for (std::size_t k = 0; k < 3; ++k)
      shares[k] = 2 * (normal_below(static_cast<double>(k) + 1) - normal_below(static_cast<double>(k)));
    shares[3] = 2 * normal_below(-3);
    CHECK(deviates(tails, shares) < 4);
    for (const std::size_t lag : {1, 2, 3, 4}) CHECK(correlation(x, lag, 0, 1) < 4);
  };
  check(numbers<float>(on, 9, {.kind = random_kind::normal}));
  if (on.facts.fp64.value_or(false)) check(numbers<double>(on, 10, {.kind = random_kind::normal}));
}

TEST_CASE_FIXTURE(on_device, "integers below a bound come alike") {
  for (const u32 bound : {2u, 6u, 1000u, 3000u}) {
    CAPTURE(bound);
    std::vector<double> bins(bound), wide(bound);
    for (const u32 result : numbers<u32>(on, 11, {.below = bound})) ++bins[result];
    for (const u64 result : numbers<u64>(on, 12, {.below = bound})) ++wide[result];
    CHECK(deviates(bins) < 4);
    CHECK(deviates(wide) < 4);
  }
  // Without rejection a third of these would come twice as often as the others.
  std::vector<double> thirds(3);
  for (const u32 result : numbers<u32>(on, 13, {.below = 0xc0000000})) ++thirds[result >> 30];
  CHECK(deviates(thirds) < 4);
}

}  // namespace testing::random_statistics_test
