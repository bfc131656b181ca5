// What the tests of named values share.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <doctest/doctest.h>

#include <clwave/op.hpp>

#include "harness/devices.hpp"
#include "harness/reference.hpp"
#include "program/program.hpp"

namespace testing {

// A CPU's row, and lanes of GPUs, emulated on a CPU. "": the device's own row, or what the environment
// forces.
inline constexpr std::array rows{"", "cpu", "gpu", "sm_90", "gfx90a"};
// Emulated lanes take compilers seconds, so that reductions go through few of them.
inline constexpr std::array rows_of_few_lanes{"", "cpu", "gpu"};

template <std::size_t N, class F>
void under_rows(const std::array<const char*, N>& all, F f) {
  for (const char* row : all) {
    CAPTURE(row);
    std::optional<forced_profile> forced;
    if (*row != '\0') forced.emplace(row);
    f();
  }
}

// Not fused with what is added to it.
template <class T>
T product(T a, T b) {
  const volatile T result = a * b;
  return result;
}

inline std::vector<float> random_floats(std::size_t n) {
  reference::random_engine random;
  return reference::random_values<float>(random, n);
}

inline std::size_t programs_made() {
  const clwave::detail::program_counts counts = clwave::detail::count_programs();
  return counts.built + counts.from_disk;
}

}  // namespace testing
