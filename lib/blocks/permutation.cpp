// Random permutations: the rectangle, the keys, and the arguments.
#include "blocks/permutation.hpp"

#include <algorithm>
#include <cmath>

#include "base/rounding.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

// Few elements take a part of a larger rectangle, because a network on a few rows reaches too few
// permutations.
constexpr std::uint64_t least_indices = 64;

// The largest number whose square is at most n, of n < 2^63.
std::uint64_t root_of(std::uint64_t n) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n) --root;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

// The last word of the counters that make keys; those of numbers have fewer attempts.
constexpr std::uint32_t key_counters = 0xffffffff;

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t seed) {
  auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xD2511F53} * counter[0],
                        q = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(q >> 32) ^ counter[1] ^ low, static_cast<std::uint32_t>(q),
               static_cast<std::uint32_t>(p >> 32) ^ counter[3] ^ high, static_cast<std::uint32_t>(p)};
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  return counter;
}

permutation_numbers permutation_of(std::uint64_t n, std::uint64_t seed, std::uint32_t stream) {
  permutation_numbers numbers;
  const std::uint64_t indices = std::max(n, least_indices);
  // As many rows as columns, nearly. A round that turns an even number of rows by an odd number of them is an
  // odd permutation: with an odd number of both only even permutations would be reached.
  const std::uint64_t root = root_of(indices);
  numbers.rows = static_cast<std::uint32_t>(root + root % 2);
  numbers.columns = static_cast<std::uint32_t>(blocks_of(indices, numbers.rows));
  for (std::uint32_t k = 0; k < 4; ++k)
    std::ranges::copy(philox({k, 0, stream, key_counters}, seed), numbers.keys.begin() + 4 * k);
  return numbers;
}

void add_permutation(program_spec& spec, bool wide_indices) {
  add_modules(spec, {"blocks/permutation.cl"});
  add_word(spec, "PERMUTED_INDEX", wide_indices ? "ulong" : "uint");
}

void add_permutation(described_launch& launch, const permutation_numbers& numbers) {
  launch.value("permuted_rows", numbers.rows).value("permuted_columns", numbers.columns);
  launch.bits("permuted_keys", argument_kind::u32x16, numbers.keys.data());
}

}  // namespace clwave::detail
