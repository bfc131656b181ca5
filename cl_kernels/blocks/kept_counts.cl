// How many elements a range of neighbouring tiles keeps: the message that tiles of selections leave for those behind.

// What some neighbouring tiles keep: how many elements and, where lengths of runs are wanted, the number of the last of
// these in the input, from 1 on; 0: they keep none.
// Of a partition into three, the first predicate keeps `count` elements, and the second `second` of the others.
#if defined(TELLS_LAST)
typedef struct {
  ulong count, last;
} kept_of_tiles;
static inline kept_of_tiles kept_together(kept_of_tiles before, kept_of_tiles behind) {
  behind.count += before.count;
  if (behind.last == 0) behind.last = before.last;
  return behind;
}
// Of one tile.
static inline kept_of_tiles kept_of_tile(ulong count, ulong last) {
  const kept_of_tiles kept = {count, last};
  return kept;
}
static inline void store_total(__global ulong *total, ulong at, kept_of_tiles all) { total[at] = all.count; }
#elif defined(THREE_WAYS)
typedef struct {
  ulong count, second;
} kept_of_tiles;
static inline kept_of_tiles kept_together(kept_of_tiles before, kept_of_tiles behind) {
  behind.count += before.count;
  behind.second += before.second;
  return behind;
}
// Both counts of one tile, which is shorter than 2^15, are one word.
static inline uint counts_of_tile(uint first, uint second) { return first | second << 16; }
static inline uint first_of_tile(uint counts) { return counts & 0xffff; }
static inline uint second_of_tile(uint counts) { return counts >> 16; }
static inline kept_of_tiles kept_of_tile(ulong counts, ulong none) {
  const kept_of_tiles kept = {counts & 0xffff, counts >> 16};
  return kept;
}
static inline void store_total(__global ulong *total, ulong at, kept_of_tiles all) {
  total[at] = all.count;
  total[at + 1] = all.second;
}
#else
typedef struct {
  ulong count;
} kept_of_tiles;
static inline kept_of_tiles kept_together(kept_of_tiles before, kept_of_tiles behind) {
  behind.count += before.count;
  return behind;
}
static inline kept_of_tiles kept_of_tile(ulong count, ulong none) {
  const kept_of_tiles kept = {count};
  return kept;
}
static inline void store_total(__global ulong *total, ulong at, kept_of_tiles all) { total[at] = all.count; }
#endif

static inline kept_of_tiles kept_of_none(void) { return kept_of_tile(0, 0); }
