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
#if GROUP_SIZE > 1
// A GPU waits long for what it loads, so each step asks in several places at once: of these, whose loads do not wait for one
// another, those up to the one looked for say the same.
#ifdef KEY_IS_STRUCTURE
#define MERGE_ASKED 1  // compilers keep an array of structures in memory
#else
#define MERGE_ASKED 3
#endif
// Searches of many diagonals are spread over many groups, since what they load lies far apart: the number of a work-item's own,
// or none.
#define MERGE_NO_SEARCH 0xffffffffu
static inline uint merge_own_search(void) {
  const uint id = get_local_id(0);
  return id < SEARCHES_OF_GROUP ? (uint)get_group_id(0) * SEARCHES_OF_GROUP + id : MERGE_NO_SEARCH;
}

INLINE ulong merge_path(const __global KEY *a, ulong a_n, const __global KEY *b, ulong b_n, ulong diagonal VALUES_PARAMETER) {
  ulong low = diagonal - min(diagonal, b_n), high = min(diagonal, a_n);
  while (low < high) {
    const ulong step = (high - low) / (MERGE_ASKED + 1) + 1;
    KEY_LOADED of_a[MERGE_ASKED], of_b[MERGE_ASKED];
    UNROLL
    for (uint k = 0; k < MERGE_ASKED; ++k) {
      const ulong at = min(low + (k + 1) * step, high) - 1;
      of_a[k] = key_at(a + at);
      of_b[k] = key_at(b + (diagonal - 1 - at));
    }
    uint behind = 0;
    UNROLL
    for (uint k = 0; k < MERGE_ASKED; ++k) {
      const bool is_behind = !comes_before(of_b[k], of_a[k] WITH_VALUES);
      behind += is_behind && behind == k && low + (k + 1) * step <= high ? 1 : 0;
    }
    high = min(high, low + (behind + 1) * step - 1);
    low += behind * step;
  }
  return low;
}
#else
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
#endif

// Between two diagonals of which the searches gave `from` and `to`: the part of `a`. It is what they say, but where lists
// are not sorted they may say what no piece can have.
static inline merge_part merge_part_of(ulong from, ulong to, ulong count) {
  const merge_part part = {from, max(from, min(to, from + count))};
  return part;
}

#define MERGE_TILE (GROUP_SIZE * ITEMS)
typedef char a_place_has_16_bits[MERGE_TILE <= 65536 ? 1 : -1];

// Keys of up to 8 bytes are held in registers and move as they are sorted. Larger ones and structures, which compilers keep
// in memory where they are an array, stay where they were loaded to, and their order alone is made.
#if GROUP_SIZE > 1 && KEY_BYTES <= 8 && !defined(KEY_IS_STRUCTURE)
#define MERGE_MOVES_KEYS
#endif
#if !defined(MERGE_MOVES_KEYS) || defined(CARRIED_PART)
#define MERGE_HAS_PLACES
#endif

// Where number `i` of a tile lies: work-items whose neighbouring parts are of a power of two find them in different banks.
#if defined(MERGE_MOVES_KEYS) && ITEMS % 2 == 0 && KEY_BYTES >= 4
#define MERGE_AT(i) ((i) + (i) / (128 / KEY_BYTES))
#elif defined(MERGE_MOVES_KEYS) && ITEMS % 2 == 0
#define MERGE_AT(i) ((i) + (i) / 32 * (4 / KEY_BYTES))
#else
#define MERGE_AT(i) (i)
#endif
// A work-item looks at what lies behind its lists, if it is a key, and uses nothing of it.
#define MERGE_ROOM (MERGE_AT(MERGE_TILE + ITEMS - 1) + 1)

// A work-item's number, by which it finds its own: in a merge of keys alone there are registers for what follows from it. H200,
// 2 x 2^25 keys of 4 and 8 bytes: 187 and 327 us with the number made anew, 174 and 313 so, each with its best number of items.
#if defined(PRIMITIVE_MERGE) && defined(MERGE_MOVES_KEYS) && !defined(CARRIED_PART)
#define MERGE_ID ((uint)OWN_ID)
#else
#define MERGE_ID own_id_anew()
#endif

// A tile in local memory: its keys, in the form in which they are compared, and where anything else is to follow them, or they
// do not move, the places where they were loaded to, in their order.
typedef struct {
  __local KEY *keys;
#ifdef MERGE_HAS_PLACES
  __local ushort *order;
#endif
} merge_memory;
#ifdef MERGE_HAS_PLACES
#define MERGE_MEMORY(name)                 \
  merge_memory name;                       \
  __local KEY name##_keys[MERGE_ROOM];     \
  __local ushort name##_order[MERGE_ROOM]; \
  name.keys = name##_keys;                 \
  name.order = name##_order
#else
#define MERGE_MEMORY(name)             \
  merge_memory name;                   \
  __local KEY name##_keys[MERGE_ROOM]; \
  name.keys = name##_keys
#endif

// Loads `count` keys: the first `of_first` from `first` on, the others from `second` on. They can be read behind a barrier.
// All work-items must call.
INLINE void merge_load_keys(merge_memory tile, const __global KEY *first, uint of_first, const __global KEY *second, uint count) {
#if GROUP_SIZE > 1 && defined(KEY_IS_STRUCTURE)
  // Compilers keep an array of structures that are only copied in memory, not in registers.
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + MERGE_ID;
    if (i < count) tile.keys[i] = i < of_first ? first[i] : second[i - of_first];
  }
#elif GROUP_SIZE > 1
  const __global KEY *second_from = second - of_first;  // read from `second` on alone
  KEY held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + MERGE_ID;
    if (i < count) held[k] = (i < of_first ? first : second_from)[i];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + MERGE_ID;
    if (i < count) tile.keys[MERGE_AT(i)] = key_form(held[k]);
  }
#else
  for (uint i = 0; i < of_first; ++i) tile.keys[i] = key_form(first[i]);
  for (uint i = of_first; i < count; ++i) tile.keys[i] = key_form(second[i - of_first]);
#endif
}

// The form of a key where it was loaded to.
static inline KEY_LOADED merge_key(merge_memory tile, uint place) { return KEY_READ(tile.keys[MERGE_AT(place)]); }

#if GROUP_SIZE > 1

// Elements of a work-item, by numbers of loops that are unrolled alone.
typedef struct {
#ifdef MERGE_MOVES_KEYS
  KEY *keys;
#endif
#ifdef MERGE_HAS_PLACES
  ushort *places;
#endif
} merge_held;
#if defined(MERGE_MOVES_KEYS) && defined(MERGE_HAS_PLACES)
#define MERGE_HELD(name)        \
  merge_held name;              \
  KEY name##_keys[ITEMS];       \
  ushort name##_places[ITEMS];  \
  name.keys = name##_keys;      \
  name.places = name##_places
#elif defined(MERGE_MOVES_KEYS)
#define MERGE_HELD(name)  \
  merge_held name;        \
  KEY name##_keys[ITEMS]; \
  name.keys = name##_keys
#else
#define MERGE_HELD(name)       \
  merge_held name;             \
  ushort name##_places[ITEMS]; \
  name.places = name##_places
#endif

// Leaves a work-item's elements as numbers `first` on of the tile: the places alone, or also the keys that move.
INLINE void merge_leave(merge_memory tile, merge_held held, bool keys, uint first, uint own) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k < own) {
#ifdef MERGE_MOVES_KEYS
      if (keys) tile.keys[MERGE_AT(first + k)] = held.keys[k];
#endif
#ifdef MERGE_HAS_PLACES
      tile.order[MERGE_AT(first + k)] = held.places[k];
#endif
    }
  }
}

// A tile's lists are of its keys as they were loaded, or as they were sorted since. The place of number `i`, where it has one,
// and its key.
static inline uint merge_place(merge_memory tile, bool sorted, uint i) {
#ifdef MERGE_HAS_PLACES
  return sorted ? tile.order[MERGE_AT(i)] : i;
#else
  return i;
#endif
}
static inline KEY merge_key_as_kept(merge_memory tile, bool sorted, uint i) {
#ifdef MERGE_MOVES_KEYS
  return tile.keys[MERGE_AT(i)];
#else
  return tile.keys[merge_place(tile, sorted, i)];
#endif
}
#else
static inline KEY merge_key_as_kept(merge_memory tile, bool sorted, uint i) { return tile.keys[i]; }
#endif

// Of two lists that follow each other in the tile: the second begins where the first ends.
typedef struct {
  uint begin, middle, end;
} merge_lists;

// merge_path in a tile.
INLINE uint merge_tile_path(merge_memory tile, bool sorted, merge_lists lists, uint diagonal VALUES_PARAMETER) {
  uint low = diagonal - min(diagonal, lists.end - lists.middle), high = min(diagonal, lists.middle - lists.begin);
  while (low < high) {
    const uint middle = (low + high) / 2;
    const KEY first = merge_key_as_kept(tile, sorted, lists.begin + middle);
    const KEY second = merge_key_as_kept(tile, sorted, lists.middle + (diagonal - 1 - middle));
    if (form_before(KEY_READ(second), KEY_READ(first) WITH_VALUES))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

#if GROUP_SIZE > 1
// Takes the elements from number `diagonal` on of the merged lists, one at least; behind the last, any of the lists'.
INLINE void merge_tile_lists(merge_held held, merge_memory tile, bool sorted, merge_lists lists, uint diagonal VALUES_PARAMETER) {
  const uint of_first = merge_tile_path(tile, sorted, lists, diagonal WITH_VALUES);
  uint at_a = lists.begin + of_first, at_b = lists.middle + (diagonal - of_first);
  // Where a list is at its end, some other key stands for it, which decides nothing.
#ifdef MERGE_MOVES_KEYS
#define MERGE_SEEN(i) (i)
#else
#define MERGE_SEEN(i) min(i, lists.end - 1)
#endif
  KEY key_a = merge_key_as_kept(tile, sorted, at_a), key_b = merge_key_as_kept(tile, sorted, MERGE_SEEN(at_b));
#ifdef MERGE_HAS_PLACES
  uint place_a = merge_place(tile, sorted, at_a), place_b = merge_place(tile, sorted, MERGE_SEEN(at_b));
#endif
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const bool takes_b = at_a >= lists.middle ||
                         (at_b < lists.end && form_before(KEY_READ(key_b), KEY_READ(key_a) WITH_VALUES));
#ifdef MERGE_MOVES_KEYS
    held.keys[k] = takes_b ? key_b : key_a;
#endif
#ifdef MERGE_HAS_PLACES
    held.places[k] = (ushort)(takes_b ? place_b : place_a);
#endif
    at_a += takes_b ? 0 : 1;
    at_b += takes_b ? 1 : 0;
    const uint next = MERGE_SEEN(takes_b ? at_b : at_a);
    const KEY key = merge_key_as_kept(tile, sorted, next);
    if (takes_b)
      key_b = key;
    else
      key_a = key;
#ifdef MERGE_HAS_PLACES
    const uint place = merge_place(tile, sorted, next);
    place_a = takes_b ? place_a : place;
    place_b = takes_b ? place : place_b;
#endif
  }
}

// Merges a tile that was loaded as two lists: it can be stored behind a barrier. All work-items must call.
INLINE void merge_loaded_lists(merge_memory tile, merge_lists lists VALUES_PARAMETER) {
  const uint first = min(MERGE_ID * ITEMS, lists.end), own = min(lists.end - first, (uint)ITEMS);
  MERGE_HELD(held);
  if (own > 0) merge_tile_lists(held, tile, false, lists, first WITH_VALUES);
#ifdef MERGE_HAS_PLACES
  merge_leave(tile, held, false, first, own);
#else
  GROUP_BARRIER();
  merge_leave(tile, held, true, first, own);
#endif
}

// Stores the tile's first `count` keys in their order from `to` on: they have moved in the tile, or its order says which is
// which. Behind a barrier. All work-items must call.
INLINE void merge_store_keys(__global KEY *to, merge_memory tile, bool moved, uint count) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + MERGE_ID;
#ifdef MERGE_HAS_PLACES
    if (i < count) to[i] = key_of_form(tile.keys[MERGE_AT(moved ? i : (uint)tile.order[MERGE_AT(i)])]);
#else
    if (i < count) to[i] = key_of_form(tile.keys[MERGE_AT(i)]);
#endif
  }
}

// Whether keys move as a tile is sorted, and whether as its lists are merged.
#ifdef MERGE_MOVES_KEYS
#define MERGE_SORTED_MOVED true
#else
#define MERGE_SORTED_MOVED false
#endif
#ifdef MERGE_HAS_PLACES
#define MERGE_MERGED_MOVED false
#else
#define MERGE_MERGED_MOVED true
#endif

#ifdef CARRIED_PART
// Brings what goes with the tile's first `count` keys to where these go: of the first `of_first` keys from `first` on, of the
// others from `second` on. Behind a barrier. All work-items must call. `in_place`: it may lie where it goes.
INLINE void merge_store_carried(carried_to to, carried_from first, carried_from second, uint of_first, bool in_place,
                                merge_memory tile, uint count) {
  for (uint part = 0; part < CARRIED_WORDS; ++part) {
    CARRIED_PART held[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      const uint i = k * GROUP_SIZE + MERGE_ID;
      if (i < count) {
        const uint place = tile.order[MERGE_AT(i)];
        held[k] = place < of_first ? first[(ulong)place * CARRIED_WORDS + part]
                                   : second[(ulong)(place - of_first) * CARRIED_WORDS + part];
      }
    }
    if (in_place) GROUP_GLOBAL_BARRIER();
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      const uint i = k * GROUP_SIZE + MERGE_ID;
      if (i < count) to[(ulong)i * CARRIED_WORDS + part] = held[k];
    }
  }
}
#endif
#endif  // GROUP_SIZE

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
