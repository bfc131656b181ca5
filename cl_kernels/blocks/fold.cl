// The fold order: the same combinations in the same order on every device, fixed by n alone.
//
// A tile of FOLD_TILE elements has FOLD_ACCUMULATORS accumulators ("columns"). Each takes its
// FOLD_ROWS elements in rising order; then the columns combine as a tree of adjacent pairs. Elements
// that do not exist contribute nothing: no identity is ever folded in. What differs between devices is
// only who holds which columns; the tree is the same. The results of all tiles are the elements of the next level, which is
// folded by the same rule, until one is left.

enum { FOLD_ROWS = FOLD_TILE / FOLD_ACCUMULATORS };

// Where the element of a column and row lies in its tile. A non-commutative operator must see its
// elements in index order, so there a column is a contiguous run.
static inline uint fold_index(uint column, uint row) {
  return IS_ON(CONTIGUOUS_COLUMNS) ? column * FOLD_ROWS + row : row * FOLD_ACCUMULATORS + column;
}

// The address of that element in the tile that begins at element `base` of `from`, of rows.
static inline const __global STORED *fold_row(const __global STORED *from, ulong base, uint column, uint row) {
#ifdef ELEMENT_AFTER
  return ELEMENT_AFTER(from, base + row * FOLD_ACCUMULATORS, column);
#else
  return from + base + fold_index(column, row);
#endif
}

// How many columns of a tile with `count` elements have any.
static inline uint fold_columns(uint count) {
  if (IS_ON(CONTIGUOUS_COLUMNS)) return (count + FOLD_ROWS - 1) / FOLD_ROWS;
  return min(count, (uint)FOLD_ACCUMULATORS);
}

// The inputs of a reduction, already moved to their first element; y is null where there is one alone.
typedef struct {
  const __global STORED *x, *y;
  ulong index;  // of the first element in the whole input, where this one is a piece of it; else 0
} fold_input;

// What the map makes of an element of x, and of the one of y beside it where there are two inputs; i is its index in these.
enum { HAS_Y = IS_ON(TWO_INPUTS) };
static inline FOLDED fold_lift(LOADED x, LOADED y, fold_input in, ulong i, named_values given) {
  if (IS_ON(PIECE)) i += in.index;
#ifdef TWO_INPUTS
  return lift(x, y, i, given);
#else
  return lift(x, i, given);
#endif
}

// Element k of a packet that waits in registers.
static inline LOADED packet_element(const packet *p, uint k) {
#if VALUE_BYTES == 2 && !defined(PACKET_BY_ELEMENT) && !defined(PACKET_BY_WORD)
  return READ_IN_BITS(VALUE_READ, *p, k);
#else
  return unpack(p, k);
#endif
}

// The element at `place` of the tile that begins at element `base`.
static inline FOLDED lift_at(fold_input in, ulong base, uint place, named_values given) {
  const ulong i = base + place;
  const LOADED x = load_element(in.x + i);
  return fold_lift(x, HAS_Y ? load_element(in.y + i) : x, in, i, given);
}
