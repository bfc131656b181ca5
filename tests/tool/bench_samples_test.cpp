// What `clwave bench` makes of times on a device that other processes use as well.
#include <vector>

#include <doctest/doctest.h>

#include "bench/samples.hpp"

namespace testing::bench_samples_test {
namespace {

using clwave::tool::bench::distance_of_quartiles;
using clwave::tool::bench::is_drowned;
using clwave::tool::bench::quantile;

TEST_CASE("quantiles lie between the values") {
  CHECK(quantile({}, 0.5) == 0);
  CHECK(quantile({3}, 0.25) == 3);
  CHECK(quantile({4, 1, 3, 2}, 0.5) == 2.5);
  CHECK(quantile({4, 1, 3, 2}, 0) == 1);
  CHECK(quantile({4, 1, 3, 2}, 1) == 4);
  CHECK(distance_of_quartiles({1, 2, 3, 4, 5}) == 2);
}

TEST_CASE("times are drowned where leads differ by as much as the calls behind them take") {
  // A quiet device: 2 ms of calls behind a lead of 4 ms; and 20 us of them.
  CHECK_FALSE(is_drowned({6.01e-3, 5.99e-3, 6.00e-3}, {4.00e-3, 4.01e-3, 3.99e-3}));
  CHECK_FALSE(is_drowned({4.020e-3, 4.021e-3, 4.022e-3}, {4.000e-3, 4.001e-3, 4.002e-3}));
  // A lead that has to wait for its turn: calls behind it may even seem to take less than nothing.
  CHECK(is_drowned({20e-3, 31e-3, 6e-3}, {40e-3, 4e-3, 28e-3}));
  CHECK(is_drowned({41e-3, 30e-3}, {36e-3, 4e-3}));
  CHECK(is_drowned({4e-3, 4e-3}, {4e-3, 4e-3}));
  // One lead that was disturbed among many is none that counts.
  CHECK_FALSE(is_drowned({6e-3, 6e-3, 6e-3, 6e-3, 6e-3}, {4e-3, 4e-3, 4e-3, 4e-3, 90e-3}));
  // Without leads there is nothing that could drown.
  CHECK_FALSE(is_drowned({6e-3, 1e-3}, {}));
}

}  // namespace
}  // namespace testing::bench_samples_test
