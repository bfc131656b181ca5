// Random permutations: what their kernels get as arguments (cl_kernels/blocks/permutation.cl).
#pragma once

#include <array>
#include <cstdint>

#include "call/description.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// The rectangle that the indices are put into, and the keys of the rounds.
struct permutation_numbers {
  std::uint32_t rows = 0, columns = 0;
  std::array<std::uint32_t, 16> keys{};
};

// Whether the indices of n elements are reckoned in 64 bits: their rectangle has a few more.
constexpr bool permutes_in_64_bits(std::uint64_t n) { return n > 0xf0000000; }

// That of n elements, 1 to 2^63 - 1, which a seed and a stream choose.
permutation_numbers permutation_of(std::uint64_t n, std::uint64_t seed, std::uint32_t stream);

// What a kernel with PERMUTATION_ARGUMENTS needs; its indices have 32 or 64 bits.
void add_permutation(program_spec& spec, bool wide_indices);
void add_permutation(described_launch& launch, const permutation_numbers& numbers);

// Philox 4x32-10, as in cl_kernels/blocks/philox.cl.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t seed);

}  // namespace clwave::detail
