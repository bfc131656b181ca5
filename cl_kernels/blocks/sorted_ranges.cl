// The two sorted ranges of a merge or a set operation, `a` and `b`, as arguments of kernels. How many elements either has the
// host says, or a number on the device (count.cl; lib/blocks/sorted_ranges.hpp).

#ifdef A_COUNTED_BY
#define A_NUMBER const __global A_COUNTED_BY *restrict a_n_at, ulong a_n_offset, ulong a_n_most
#define COLLECT_A_NUMBER const ulong a_n = min((ulong)a_n_at[a_n_offset], a_n_most);
#else
#define A_NUMBER ulong a_n
#define COLLECT_A_NUMBER
#endif
#ifdef B_COUNTED_BY
#define B_NUMBER const __global B_COUNTED_BY *restrict b_n_at, ulong b_n_offset, ulong b_n_most
#define COLLECT_B_NUMBER const ulong b_n = min((ulong)b_n_at[b_n_offset], b_n_most);
#else
#define B_NUMBER ulong b_n
#define COLLECT_B_NUMBER
#endif

// A kernel has the first among its arguments, and the second before it uses any of these.
#define SORTED_RANGES \
  const __global KEY *restrict a, ulong a_offset, A_NUMBER, const __global KEY *restrict b, ulong b_offset, B_NUMBER
#define COLLECT_RANGES \
  COLLECT_A_NUMBER     \
  COLLECT_B_NUMBER     \
  a += a_offset;       \
  b += b_offset;
