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
typedef struct {
  uint rows, columns;
  uint16 keys;
} permutation;

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

// Where `index` goes. Both are less than n; from an index that is not, it need not return.
static inline PERMUTED_INDEX permuted(PERMUTED_INDEX index, PERMUTED_INDEX n, permutation order) {
  uint row = (uint)(index / order.columns), column = (uint)(index % order.columns);
  do {
    row = permuted_sum(row, permuted_step(column, order.keys.s0, order.rows), order.rows);
    column = permuted_sum(column, permuted_step(row, order.keys.s1, order.columns), order.columns);
    row = permuted_sum(row, permuted_step(column, order.keys.s2, order.rows), order.rows);
    column = permuted_sum(column, permuted_step(row, order.keys.s3, order.columns), order.columns);
    row = permuted_sum(row, permuted_step(column, order.keys.s4, order.rows), order.rows);
    column = permuted_sum(column, permuted_step(row, order.keys.s5, order.columns), order.columns);
    row = permuted_sum(row, permuted_step(column, order.keys.s6, order.rows), order.rows);
    column = permuted_sum(column, permuted_step(row, order.keys.s7, order.columns), order.columns);
    row = permuted_sum(row, permuted_step(column, order.keys.s8, order.rows), order.rows);
    column = permuted_sum(column, permuted_step(row, order.keys.s9, order.columns), order.columns);
    row = permuted_sum(row, permuted_step(column, order.keys.sa, order.rows), order.rows);
    column = permuted_sum(column, permuted_step(row, order.keys.sb, order.columns), order.columns);
    index = (PERMUTED_INDEX)row * order.columns + column;
  } while (index >= n);
  return index;
}
