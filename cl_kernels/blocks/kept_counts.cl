// The value that selections prefix-sum over tiles: how many elements some neighbouring tiles keep.

// With TELLS_LAST (runs are measured or folded) also the index in the input of the last kept element, from 1 on; 0: none is kept.
// In a partition into three, the first predicate keeps `count` elements, and the second `second` of the others.
#if defined(TELLS_LAST)
typedef struct {
  ulong count, last;
} kept_of_tiles;
static inline kept_of_tiles kept_of(ulong count, ulong last, ulong second) { return (kept_of_tiles){count, last}; }
static inline ulong kept_last(kept_of_tiles kept) { return kept.last; }
static inline ulong kept_second(kept_of_tiles kept) { return 0; }
#elif defined(THREE_WAYS)
typedef struct {
  ulong count, second;
} kept_of_tiles;
static inline kept_of_tiles kept_of(ulong count, ulong last, ulong second) { return (kept_of_tiles){count, second}; }
static inline ulong kept_last(kept_of_tiles kept) { return 0; }
static inline ulong kept_second(kept_of_tiles kept) { return kept.second; }
#else
typedef struct {
  ulong count;
} kept_of_tiles;
static inline kept_of_tiles kept_of(ulong count, ulong last, ulong second) { return (kept_of_tiles){count}; }
static inline ulong kept_last(kept_of_tiles kept) { return 0; }
static inline ulong kept_second(kept_of_tiles kept) { return 0; }
#endif

static inline kept_of_tiles kept_together(kept_of_tiles before, kept_of_tiles behind) {
  return kept_of(before.count + behind.count, kept_last(behind) == 0 ? kept_last(before) : kept_last(behind),
                 kept_second(before) + kept_second(behind));
}

// Both counts of one tile, which is shorter than 2^15, are one word.
static inline uint counts_of_tile(uint first, uint second) { return first | second << 16; }
static inline uint first_of_tile(uint counts) { return counts & 0xffff; }
static inline uint second_of_tile(uint counts) { return counts >> 16; }

// Of one tile.
static inline kept_of_tiles kept_of_tile(ulong counts, ulong last) {
  if (IS_ON(THREE_WAYS)) return kept_of(first_of_tile((uint)counts), 0, second_of_tile((uint)counts));
  return kept_of(counts, last, 0);
}
static inline kept_of_tiles kept_of_none(void) { return kept_of_tile(0, 0); }

static inline void store_total(__global ulong *total, ulong at, kept_of_tiles all) {
  total[at] = all.count;
  if (IS_ON(THREE_WAYS)) total[at + 1] = kept_second(all);
}
