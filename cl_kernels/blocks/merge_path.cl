// Two sorted lists merged, in pieces that nobody else needs to know: merge path.
//
// Of the first d elements of the merged list, a binary search along a diagonal finds how many come from the first list. So
// any piece of the result can be made alone, and all pieces are of one size. (Green, McColl and Bader, "GPU Merge Path: A
// GPU Merging Algorithm", 2012.) A search never leaves the lists, whatever lies in them and whatever a comparison says.
#ifdef MERGES_KEYS

// The elements of a list from `begin` to before `end`.
typedef struct {
  ulong begin, end;
} merge_part;

// How many of the first `diagonal` elements of `a` and `b` merged are those of `a`. Of equals these come first.
INLINE ulong merge_path(const __global KEY *a, ulong a_n, const __global KEY *b, ulong b_n, ulong diagonal VALUES_PARAMETER) {
  ulong low = diagonal - min(diagonal, b_n), high = min(diagonal, a_n);
  while (low < high) {
    const ulong middle = low + (high - low) / 2;
    if (comes_before(key_at(b + (diagonal - 1 - middle)), key_at(a + middle) WITH_VALUES))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Between two diagonals of which the searches gave `from` and `to`: the part of `a`. It is what they say, but where lists
// are not sorted they may say what no piece can have.
static inline merge_part merge_part_of(ulong from, ulong to, ulong count) {
  const merge_part part = {from, max(from, min(to, from + count))};
  return part;
}

#define MERGE_TILE (GROUP_SIZE * ITEMS)
typedef char a_place_has_16_bits[MERGE_TILE <= 65536 ? 1 : -1];

// A tile in local memory: its keys where they were loaded to, and in which order they go.
typedef struct {
  __local KEY *keys;
  __local ushort *order;
} merge_memory;
#define MERGE_MEMORY(name)                 \
  merge_memory name;                       \
  __local KEY name##_keys[MERGE_TILE];     \
  __local ushort name##_order[MERGE_TILE]; \
  name.keys = name##_keys;                 \
  name.order = name##_order

// Loads `count` keys: the first `of_first` from `first` on, the others from `second` on. They can be read behind a barrier.
// All work-items must call.
INLINE void merge_load_keys(merge_memory tile, const __global KEY *first, uint of_first, const __global KEY *second, uint count) {
#if GROUP_SIZE > 1 && defined(KEY_IS_STRUCTURE)
  // Compilers keep an array of structures that are only copied in memory, not in registers.
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + own_id_anew();
    if (i < count) tile.keys[i] = i < of_first ? first[i] : second[i - of_first];
  }
#elif GROUP_SIZE > 1
  KEY held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + own_id_anew();
    if (i < count) held[k] = i < of_first ? first[i] : second[i - of_first];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + own_id_anew();
    if (i < count) tile.keys[i] = held[k];
  }
#else
  for (uint i = 0; i < of_first; ++i) tile.keys[i] = first[i];
  for (uint i = of_first; i < count; ++i) tile.keys[i] = second[i - of_first];
#endif
}

// Lists are of neighbouring keys, or of neighbouring entries of the order.
static inline uint merge_place(merge_memory tile, bool by_order, uint i) { return by_order ? tile.order[i] : i; }
static inline KEY_LOADED merge_key(merge_memory tile, uint place) { return KEY_READ(tile.keys[place]); }

// Of two lists that follow each other in the tile: the second begins where the first ends.
typedef struct {
  uint begin, middle, end;
} merge_lists;

// merge_path in a tile.
INLINE uint merge_tile_path(merge_memory tile, bool by_order, merge_lists lists, uint diagonal VALUES_PARAMETER) {
  uint low = diagonal - min(diagonal, lists.end - lists.middle), high = min(diagonal, lists.middle - lists.begin);
  while (low < high) {
    const uint middle = (low + high) / 2;
    const uint first = merge_place(tile, by_order, lists.begin + middle);
    const uint second = merge_place(tile, by_order, lists.middle + (diagonal - 1 - middle));
    if (comes_before(merge_key(tile, second), merge_key(tile, first) WITH_VALUES))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Where the elements from number `diagonal` on of the merged lists are, `count` of them, at most ITEMS.
INLINE void merge_tile_lists(ushort *places, merge_memory tile, bool by_order, merge_lists lists, uint diagonal,
                             uint count VALUES_PARAMETER) {
  if (count == 0) return;
  const uint of_first = merge_tile_path(tile, by_order, lists, diagonal WITH_VALUES);
  uint at_a = lists.begin + of_first, at_b = lists.middle + (diagonal - of_first);
  // For a list at its end some other key stands, which nobody compares.
  const uint last = lists.end - 1;
  uint place_a = merge_place(tile, by_order, at_a), place_b = merge_place(tile, by_order, min(at_b, last));
  KEY_LOADED key_a = merge_key(tile, place_a), key_b = merge_key(tile, place_b);
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k < count) {
      const bool takes_b =
          at_a >= lists.middle || (at_b < lists.end && comes_before(key_b, key_a WITH_VALUES));
      places[k] = (ushort)(takes_b ? place_b : place_a);
      const uint next = takes_b ? ++at_b : ++at_a;
      const uint place = merge_place(tile, by_order, min(next, last));
      const KEY_LOADED key = merge_key(tile, place);
      if (takes_b) {
        place_b = place;
        key_b = key;
      } else {
        place_a = place;
        key_a = key;
      }
    }
  }
}

// Stores the tile's first `count` keys in their order from `to` on. Behind a barrier. All work-items must call.
INLINE void merge_store_keys(__global KEY *to, merge_memory tile, uint count) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + own_id_anew();
    if (i < count) to[i] = tile.keys[tile.order[i]];
  }
}

#ifdef CARRIED_PART
// Brings what goes with the tile's first `count` keys to where these go: of the first `of_first` keys from `first` on, of the
// others from `second` on. Behind a barrier. All work-items must call. `in_place`: it may lie where it goes.
INLINE void merge_store_carried(carried_to to, carried_from first, carried_from second, uint of_first, bool in_place,
                                merge_memory tile, uint count) {
  for (uint part = 0; part < CARRIED_WORDS; ++part) {
    CARRIED_PART held[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      const uint i = k * GROUP_SIZE + own_id_anew();
      if (i < count) {
        const uint place = tile.order[i];
        held[k] = place < of_first ? first[(ulong)place * CARRIED_WORDS + part]
                                   : second[(ulong)(place - of_first) * CARRIED_WORDS + part];
      }
    }
    if (in_place) GROUP_GLOBAL_BARRIER();
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      const uint i = k * GROUP_SIZE + own_id_anew();
      if (i < count) to[(ulong)i * CARRIED_WORDS + part] = held[k];
    }
  }
}
#endif

#if GROUP_SIZE == 1
// Merges of a CPU's work-item: the elements of `a` in one part and of `b` in another, to `out` from number `at` on.
//
// A step waits for the one before, which says from where it takes; so there are MERGE_STRANDS of them at a time, each with a
// piece of the result. No branch depends on what a comparison says, which no processor foresees. Processor time of merges of
// 2 x 5e6 u32 on an AMD EPYC (Zen), in clang 15, 2026-11: 1, 2, 3, 4 and 8 strands 2.5, 1.6, 1.04, 1.05 and 1.07 ns an element.
#define MERGE_STRANDS 4
#define MERGE_LEAST_STRAND 64

typedef struct {
  ulong i, j, at, i_end, j_end;
} merge_strand;

#ifdef CARRIED_PART
#define MERGED_PARAMETERS , carried_from a_values, carried_from b_values, carried_to values_out
#define WITH_MERGED , a_values, b_values, values_out
#define MERGE_CARRIED(from, i, at)                  \
  for (uint part = 0; part < CARRIED_WORDS; ++part) \
  values_out[(at)*CARRIED_WORDS + part] = (from)[(i)*CARRIED_WORDS + part]
#else
#define MERGED_PARAMETERS
#define WITH_MERGED
#define MERGE_CARRIED(from, i, at)
#endif
#define MERGE_STEP(s)                                                                              \
  {                                                                                                \
    const bool takes_b = comes_before(key_at(b + (s).j), key_at(a + (s).i) WITH_VALUES);           \
    out[(s).at] = takes_b ? b[(s).j] : a[(s).i];                                                   \
    MERGE_CARRIED(takes_b ? b_values : a_values, takes_b ? (s).j : (s).i, (s).at);                 \
    (s).j += takes_b ? 1 : 0;                                                                      \
    (s).i += takes_b ? 0 : 1;                                                                      \
    ++(s).at;                                                                                      \
  }

// So many steps leave neither part of a strand.
static inline ulong merge_sure_steps(merge_strand s) { return min(s.i_end - s.i, s.j_end - s.j); }

INLINE void merge_one_strand(const __global KEY *a, const __global KEY *b, __global KEY *out,
                             merge_strand s MERGED_PARAMETERS VALUES_PARAMETER) {
  for (ulong steps = merge_sure_steps(s); steps > 0; steps = merge_sure_steps(s)) {
    for (; steps > 0; --steps) MERGE_STEP(s)
  }
  for (; s.i < s.i_end; ++s.i, ++s.at) {
    out[s.at] = a[s.i];
    MERGE_CARRIED(a_values, s.i, s.at);
  }
  for (; s.j < s.j_end; ++s.j, ++s.at) {
    out[s.at] = b[s.j];
    MERGE_CARRIED(b_values, s.j, s.at);
  }
}

INLINE void merge_serially(const __global KEY *a, merge_part of_a, const __global KEY *b, merge_part of_b, __global KEY *out,
                           ulong at MERGED_PARAMETERS VALUES_PARAMETER) {
  const ulong a_n = of_a.end - of_a.begin, b_n = of_b.end - of_b.begin;
  merge_strand strands[MERGE_STRANDS];
  strands[0].i = of_a.begin;
  strands[0].j = of_b.begin;
  strands[0].at = at;
  for (uint k = 0; k < MERGE_STRANDS; ++k) {
    strands[k].i_end = of_a.end;
    strands[k].j_end = of_b.end;
  }
  const bool several = a_n + b_n >= MERGE_STRANDS * MERGE_LEAST_STRAND;
  if (several) {
    const ulong each = (a_n + b_n) / MERGE_STRANDS;
    for (uint k = 1; k < MERGE_STRANDS; ++k) {
      const ulong found = merge_path(a + of_a.begin, a_n, b + of_b.begin, b_n, k * each WITH_VALUES);
      const merge_part part = merge_part_of(strands[k - 1].i, of_a.begin + found, each);
      strands[k].i = strands[k - 1].i_end = part.end;
      strands[k].j = strands[k - 1].j_end = strands[k - 1].j + (each - (part.end - part.begin));
      strands[k].at = strands[k - 1].at + each;
    }
    for (;;) {
      ulong steps = merge_sure_steps(strands[0]);
      UNROLL
      for (uint k = 1; k < MERGE_STRANDS; ++k) steps = min(steps, merge_sure_steps(strands[k]));
      if (steps == 0) break;
      for (; steps > 0; --steps) {
        UNROLL
        for (uint k = 0; k < MERGE_STRANDS; ++k) MERGE_STEP(strands[k])
      }
    }
  }
  for (uint k = 0; k < (several ? MERGE_STRANDS : 1); ++k) merge_one_strand(a, b, out, strands[k] WITH_MERGED WITH_VALUES);
}
#endif  // GROUP_SIZE

#endif  // MERGES_KEYS
