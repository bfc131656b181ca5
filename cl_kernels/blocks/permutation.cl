// A random permutation of the indices 0 to n - 1, computed for each index by itself: a block cipher whose blocks are the
// indices, of which a key chooses one permutation.
//
//     index    = row * columns + column      rows * columns is n or a little more
//     round 1    row    = (row + F(column, key 1)) mod rows
//     round 2    column = (column + F(row, key 2)) mod columns      ... and so on, 12 rounds
//
// A round can be undone, whatever F is, so that no two indices meet: J. Black, P. Rogaway, "Ciphers with arbitrary finite domains",
// 2002. An index that leaves 0 to n - 1 goes through the rounds again until it is back; that keeps it a permutation, and fewer than
// one index of sqrt(n) does. Host: lib/blocks/permutation.cpp, which says how many rows there are and why.

// What chooses the permutation. Any work-item may call; the kernel has `n`.
#define PERMUTATION_ARGUMENTS uint permuted_rows, uint permuted_columns, uint16 permuted_keys

// A number below `range` from another number: the finalizer of MurmurHash3 (A. Appleby), whose high bits are the best mixed.
static inline uint permuted_step(uint from, uint key, uint range) {
  uint bits = from ^ key;
  bits = (bits ^ bits >> 16) * 0x85ebca6bu;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
  return mul_hi(bits, range);
}

// (at + step) mod range, of both less than range, without a sum that overflows.
static inline uint permuted_sum(uint at, uint step, uint range) {
  const uint left = range - step;
  return at >= left ? at - left : at + step;
}

#define PERMUTED_ROUNDS(row_key, column_key)                                                       \
  row = permuted_sum(row, permuted_step(column, permuted_keys.row_key, permuted_rows), permuted_rows); \
  column = permuted_sum(column, permuted_step(row, permuted_keys.column_key, permuted_columns), permuted_columns);

// Where `index` goes. Both are less than n; from an index that is not, it need not return.
static inline PERMUTED_INDEX permuted(PERMUTED_INDEX index, PERMUTED_INDEX n, PERMUTATION_ARGUMENTS) {
  uint row = (uint)(index / permuted_columns), column = (uint)(index % permuted_columns);
  do {
    PERMUTED_ROUNDS(s0, s1)
    PERMUTED_ROUNDS(s2, s3)
    PERMUTED_ROUNDS(s4, s5)
    PERMUTED_ROUNDS(s6, s7)
    PERMUTED_ROUNDS(s8, s9)
    PERMUTED_ROUNDS(sa, sb)
    index = (PERMUTED_INDEX)row * permuted_columns + column;
  } while (index >= n);
  return index;
}
#define WITH_PERMUTATION permuted_rows, permuted_columns, permuted_keys
