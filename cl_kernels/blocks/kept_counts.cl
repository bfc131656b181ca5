// What is told of some neighbouring tiles of which each keeps some elements.

// What some neighbouring tiles keep: how many elements and, where lengths of runs are wanted, the number of the last of
// these in the input, from 1 on; 0: they keep none.
// Of a partition into three, the first predicate keeps `count` elements, and the second `second` of the others.
typedef struct {
  ulong count;
#ifdef TELLS_LAST
  ulong last;
#endif
#ifdef THREE_WAYS
  ulong second;
#endif
} kept_of_tiles;

static inline kept_of_tiles kept_together(kept_of_tiles before, kept_of_tiles behind) {
  behind.count += before.count;
#ifdef TELLS_LAST
  if (behind.last == 0) behind.last = before.last;
#endif
#ifdef THREE_WAYS
  behind.second += before.second;
#endif
  return behind;
}

static inline kept_of_tiles kept_of_none(void) {
  kept_of_tiles none;
  none.count = 0;
#ifdef TELLS_LAST
  none.last = 0;
#endif
#ifdef THREE_WAYS
  none.second = 0;
#endif
  return none;
}

// Of a partition into three, both counts of one tile, which is shorter than 2^15, are one word.
static inline uint counts_of_tile(uint first, uint second) { return first | second << 16; }
static inline uint first_of_tile(uint counts) { return counts & 0xffff; }
static inline uint second_of_tile(uint counts) { return counts >> 16; }

static inline void store_total(__global ulong *total, ulong at, kept_of_tiles all) {
  total[at] = all.count;
#ifdef THREE_WAYS
  total[at + 1] = all.second;
#endif
}

// Of one tile.
static inline kept_of_tiles kept_of_tile(ulong count, ulong last) {
  kept_of_tiles kept;
  kept.count = count;
#ifdef TELLS_LAST
  kept.last = last;
#endif
#ifdef THREE_WAYS
  kept.count = count & 0xffff;
  kept.second = count >> 16;
#endif
  return kept;
}
