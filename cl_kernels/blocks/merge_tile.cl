// A tile of two sorted lists merged in local memory by a group: its keys are loaded, each work-item merges ITEMS of them from its
// cut on (merge_path.cl), and the tile is stored, or moved on in a sort (merge_runs.cl).

typedef char a_place_has_16_bits[MERGE_TILE <= 65536 ? 1 : -1];

enum {
  // Keys of up to 8 bytes are held in registers and move as they are sorted. Larger ones and structures, which compilers keep
  // in memory where they are an array, stay where they were loaded to, and their order alone is made.
  MERGE_MOVES_KEYS = (GROUP_SIZE > 1) & (KEY_BYTES <= 8) & !IS_ON(KEY_IS_STRUCTURE),
  MERGE_HAS_PLACES = !MERGE_MOVES_KEYS | (CARRIED_WORDS > 0),
  MERGE_COMPARES_CUTS = (GROUP_SIZE > 1) & MERGE_CUTS_MAY_DISAGREE,

  // A tile is padded, so that work-items whose parts have a power of two of keys meet in no bank: MERGE_PADDING keys are left out
  // after each MERGE_PADDING_BEHIND.
  MERGE_PADDED = MERGE_MOVES_KEYS & (ITEMS % 2 == 0),
  MERGE_PADDING = !MERGE_PADDED ? 0 : KEY_BYTES < 4 ? 4 / KEY_BYTES : 1,
  MERGE_PADDING_BEHIND = KEY_BYTES < 4 ? 32 : KEY_BYTES <= 8 ? 128 / KEY_BYTES : 1,
  // A work-item may read a key after the end of its lists, which decides nothing.
  MERGE_ROOM = MERGE_TILE + ITEMS + (MERGE_TILE + ITEMS) / MERGE_PADDING_BEHIND * MERGE_PADDING + 1,

  // Whether keys move as a tile is sorted, and whether as its lists are merged.
  MERGE_SORTED_MOVED = MERGE_MOVES_KEYS,
  MERGE_MERGED_MOVED = !MERGE_HAS_PLACES
};
// Where number `i` of a tile lies.
INLINE uint merge_at(uint i) { return MERGE_PADDED ? i + i / MERGE_PADDING_BEHIND * MERGE_PADDING : i; }

// A work-item's number in its group. If keys alone are merged or sorted, there are registers enough to keep what depends on it,
// which is up to 11 % faster than a number that is opaque to the compiler (own_id_anew).
enum { MERGE_KEEPS_ID = (IS_ON(PRIMITIVE_MERGE) | IS_ON(PRIMITIVE_MERGE_SORT)) & MERGE_MOVES_KEYS & (CARRIED_WORDS == 0) };
// (A macro, because compilers make other code of a function.)
#define MERGE_ID (MERGE_KEEPS_ID ? (uint)OWN_ID : own_id_anew())

// A tile in local memory. `keys`: in the form in which they are compared. `order`, if keys do not move or something goes with them:
// which loaded key is element i of the result. `cuts`, if cuts may disagree: the cut at which each work-item begins. The first
// work-item's is 0; MERGE_DISAGREE there says that some cuts disagree.
typedef struct {
  __local KEY *keys;
  __local ushort *order;
  __local ushort *cuts;
} merge_memory;
enum { MERGE_DISAGREE = 1 };
#define MERGE_MEMORY(name)                                           \
  __local KEY name##_keys[MERGE_ROOM];                               \
  __local ushort name##_order[MERGE_HAS_PLACES ? MERGE_ROOM : 1];    \
  __local ushort name##_cuts[MERGE_COMPARES_CUTS ? GROUP_SIZE : 1];  \
  const merge_memory name = {name##_keys, name##_order, name##_cuts}

// Loads `count` keys: the first `of_first` from `first` on, the others from `second` on. They can be read behind a barrier.
// All work-items must call. `all`: of a whole tile, of which no step asks whether it has its key.
#if GROUP_SIZE == 1
INLINE void merge_load_some(merge_memory tile, const __global KEY *first, uint of_first, const __global KEY *second, uint count,
                            bool all) {
  for (uint i = 0; i < of_first; ++i) tile.keys[i] = key_form(first[i]);
  for (uint i = of_first; i < count; ++i) tile.keys[i] = key_form(second[i - of_first]);
}
#elif defined(KEY_IS_STRUCTURE)
// Compilers keep an array of structures that are only copied in memory, not in registers.
INLINE void merge_load_some(merge_memory tile, const __global KEY *first, uint of_first, const __global KEY *second, uint count,
                            bool all) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + MERGE_ID;
    if (i < count) tile.keys[i] = i < of_first ? first[i] : second[i - of_first];
  }
}
#else
// For a merge that has one tile (ONE_TILE): a short program, because it is fetched for that tile only.
INLINE void merge_load_by_place(merge_memory tile, const __global KEY *first, uint of_first, const __global KEY *second,
                                uint count) {
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
    if (i < count) tile.keys[merge_at(i)] = key_form(held[k]);
  }
}
// What a step adds to a work-item's first place is a literal: with places counted from the tile's begin a merge of i32 took 94
// registers, so 38.
INLINE void merge_load_some(merge_memory tile, const __global KEY *first, uint of_first, const __global KEY *second, uint count,
                            bool all) {
  if (IS_ON(ONE_TILE)) {
    merge_load_by_place(tile, first, of_first, second, count);
    return;
  }
  const uint id = MERGE_ID;
  const int own = (int)(count - id), own_of_first = (int)(of_first - id);
  const __global KEY *own_first = first + id, *own_second = second + id - of_first;  // read from `second` on alone
  KEY held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const int step = (int)(k * GROUP_SIZE);
    held[k] = 0;  // or a loop around would keep what was there
    if (all || step < own) held[k] = (step < own_of_first ? own_first : own_second)[step];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const int step = (int)(k * GROUP_SIZE);
    if (all || step < own) tile.keys[merge_at(step + id)] = key_form(held[k]);
  }
}
#endif
INLINE void merge_load_keys(merge_memory tile, const __global KEY *first, uint of_first, const __global KEY *second, uint count) {
  const bool knows_whole = (GROUP_SIZE > 1) & !IS_ON(KEY_IS_STRUCTURE) & !IS_ON(ONE_TILE);
  if (knows_whole && count == MERGE_TILE)
    merge_load_some(tile, first, of_first, second, count, true);
  else
    merge_load_some(tile, first, of_first, second, count, false);
}
// Loads the `count` keys of one list. All work-items must call; the keys can be read behind a barrier.
INLINE void merge_load_list(merge_memory tile, const __global KEY *from, uint count) {
  merge_load_some(tile, from, count, from, count, false);
}

// Where keys lie side by side without padding, merge_take counts their places in bytes; MERGE_UNIT is one key.
enum {
  MERGE_COUNTS_BYTES = MERGE_MOVES_KEYS & !MERGE_PADDED & !MERGE_HAS_PLACES,
  MERGE_UNIT = MERGE_COUNTS_BYTES ? KEY_BYTES : 1
};
static inline KEY merge_key_at(merge_memory tile, uint at) {
  return MERGE_COUNTS_BYTES ? *(const __local KEY *)((const __local uchar *)tile.keys + at) : tile.keys[merge_at(at)];
}

// The form of a key where it was loaded to.
static inline KEY_LOADED merge_key(merge_memory tile, uint place) { return KEY_READ(tile.keys[merge_at(place)]); }

// Elements of a work-item in registers, indexed by counters of unrolled loops alone: keys that move, and places.
typedef struct {
  KEY *keys;
  ushort *places;
} merge_held;
#define MERGE_HELD(name)       \
  KEY name##_keys[ITEMS];      \
  ushort name##_places[ITEMS]; \
  const merge_held name = {name##_keys, name##_places}

// Stores a work-item's first `own` elements as elements `first` on of the tile: their places, and with `keys` the keys that move.
INLINE void merge_leave(merge_memory tile, merge_held held, bool keys, uint first, uint own) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k < own) {
      if (MERGE_MOVES_KEYS && keys) tile.keys[merge_at(first + k)] = held.keys[k];
      if (MERGE_HAS_PLACES) tile.order[merge_at(first + k)] = held.places[k];
    }
  }
}

// A tile's lists are of its keys as they were loaded, or as they were sorted since. The place of number `i`, where it has one,
// and its key.
static inline uint merge_place(merge_memory tile, bool sorted, uint i) {
  return MERGE_HAS_PLACES && sorted ? tile.order[merge_at(i)] : i;
}
static inline KEY merge_key_as_kept(merge_memory tile, bool sorted, uint i) {
  return tile.keys[MERGE_MOVES_KEYS ? merge_at(i) : merge_place(tile, sorted, i)];
}

// Of two lists that follow each other in the tile: the second begins where the first ends.
typedef struct {
  uint begin, middle, end;
} merge_lists;

// merge_path in a tile, for runs that are being sorted (`sorted`) and for one tile: the cut of a diagonal of its lists. These may
// be short, so the search ends when nothing is left.
INLINE uint merge_run_path(merge_memory tile, bool sorted, merge_lists lists, uint diagonal, named_values given) {
  uint low = diagonal - min(diagonal, lists.end - lists.middle), high = min(diagonal, lists.middle - lists.begin);
  UNROLL_BY(1)
  while (low < high) {
    const uint middle = (low + high) / 2;
    const KEY first = merge_key_as_kept(tile, sorted, lists.begin + middle);
    const KEY second = merge_key_as_kept(tile, sorted, lists.middle + (diagonal - 1 - middle));
    if (form_before(KEY_READ(second), KEY_READ(first), given))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
// merge_path in a tile that two loaded lists fill: a fixed number of steps, each of which adds a literal. The first step is at
// least half of what the shorter list may have, which is half of a tile.
enum {
  MERGE_TILE_STEP = MERGE_TILE >= 65536   ? 32768
                    : MERGE_TILE >= 32768 ? 16384
                    : MERGE_TILE >= 16384 ? 8192
                    : MERGE_TILE >= 8192  ? 4096
                    : MERGE_TILE >= 4096  ? 2048
                    : MERGE_TILE >= 2048  ? 1024
                    : MERGE_TILE >= 1024  ? 512
                    : MERGE_TILE >= 512   ? 256
                                          : 128
};
INLINE uint merge_tile_path(merge_memory tile, merge_lists lists, uint diagonal, named_values given) {
  const uint high = min(diagonal, lists.middle);
  uint cut = diagonal - min(diagonal, lists.end - lists.middle);
  UNROLL
  for (uint step = MERGE_TILE_STEP; step > 0; step /= 2) {
    const uint asked = cut + step;
    if (asked <= high) {
      const KEY first = tile.keys[merge_at(asked - 1)], second = tile.keys[merge_at(lists.middle + diagonal - asked)];
      cut = form_before(KEY_READ(second), KEY_READ(first), given) ? cut : asked;
    }
  }
  return cut;
}

// Work-items use their cuts before they know whether all agree, so that none waits for its neighbour's: from its cut on, each
// takes as many elements as are its own, wherever these end. Behind a barrier it compares that end with the cut at which the
// next one began. If all are equal, each element has been taken once; else the tile is merged again in another way, which takes
// longer and loses nothing. `first`: the work-item whose word says so for all; its own cut is 0.
INLINE void merge_leave_cut(merge_memory tile, uint cut) {
  if (MERGE_COMPARES_CUTS) tile.cuts[MERGE_ID] = (ushort)cut;
}
// Behind a barrier. `goes_on`: the next work-item has elements of the same two lists.
INLINE void merge_compare_end(merge_memory tile, bool goes_on, uint end, uint first) {
  if (MERGE_COMPARES_CUTS && goes_on && tile.cuts[MERGE_ID + 1] != end) tile.cuts[first] = MERGE_DISAGREE;
}
// Behind another one.
static inline bool merge_cuts_agreed(merge_memory tile, uint first) {
  return !MERGE_COMPARES_CUTS || tile.cuts[first] != MERGE_DISAGREE;
}

// The key of a list at `at`. Where the list, of all before `end`, is at its end, some other key stands for it, which decides
// nothing.
static inline uint merge_seen(uint at, uint end) { return MERGE_MOVES_KEYS ? at : min(at, end - 1); }
static inline KEY merge_key_seen(merge_memory tile, bool sorted, uint at, uint end) {
  return MERGE_MOVES_KEYS ? merge_key_at(tile, at) : merge_key_as_kept(tile, sorted, merge_seen(at, end));
}

// Merges ITEMS elements of two lists from the cut of a diagonal on, and gives the cut after them. If fewer remain, the rest are
// any elements of the lists, and the cut says nothing.
INLINE uint merge_take(merge_held held, merge_memory tile, bool sorted, merge_lists lists, uint diagonal,
                       uint cut, named_values given) {
  uint both = anew((lists.begin + lists.middle + diagonal) * MERGE_UNIT);  // what the two places add up to
  const uint a_end = lists.middle * MERGE_UNIT, b_end = lists.end * MERGE_UNIT;
  uint at_a = (lists.begin + cut) * MERGE_UNIT, at_b = both - at_a;
  KEY key_a = merge_key_seen(tile, sorted, at_a, lists.end), key_b = merge_key_seen(tile, sorted, at_b, lists.end);
  uint place_a = 0, place_b = 0;
  if (MERGE_HAS_PLACES) {
    place_a = merge_place(tile, sorted, at_a);
    place_b = merge_place(tile, sorted, merge_seen(at_b, lists.end));
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const bool takes_b = at_a >= a_end || (at_b < b_end && form_before(KEY_READ(key_b), KEY_READ(key_a), given));
    if (MERGE_MOVES_KEYS) held.keys[k] = takes_b ? key_b : key_a;
    if (MERGE_HAS_PLACES) held.places[k] = (ushort)(takes_b ? place_b : place_a);
    at_a += takes_b ? 0 : MERGE_UNIT;
    both += MERGE_UNIT;  // of k, clang 15 does not unroll the loop where ITEMS is odd and the target SPIR
    at_b = both - at_a;
    const uint next = takes_b ? at_b : at_a;
    const KEY key = merge_key_seen(tile, sorted, next, lists.end);
    if (takes_b)
      key_b = key;
    else
      key_a = key;
    if (MERGE_HAS_PLACES) {
      const uint place = merge_place(tile, sorted, merge_seen(next, lists.end));
      place_a = takes_b ? place_a : place;
      place_b = takes_b ? place : place_b;
    }
  }
  return at_a / MERGE_UNIT - lists.begin;
}

// Loads the lists `a`, of `a_count` keys, and `b` of a tile of `count` keys and merges them. If cuts disagree, the tile has all of
// `a` before all of `b`. All work-items must call.
INLINE void merge_two_lists(merge_memory tile, const __global KEY *a, uint a_count, const __global KEY *b,
                            uint count, named_values given) {
  merge_load_keys(tile, a, a_count, b, count);
  GROUP_BARRIER();
  const merge_lists lists = {0, a_count, count};
  const uint first = min(MERGE_ID * ITEMS, count), own = min(count - first, (uint)ITEMS);
  MERGE_HELD(held);
  uint end = 0;
  if (own > 0) {
    const uint cut = IS_ON(ONE_TILE) ? merge_run_path(tile, false, lists, first, given)
                                     : merge_tile_path(tile, lists, first, given);
    merge_leave_cut(tile, cut);
    end = merge_take(held, tile, false, lists, first, cut, given);
    if (MERGE_HAS_PLACES) merge_leave(tile, held, false, first, own);
  }
  GROUP_BARRIER();
  merge_compare_end(tile, first + ITEMS < count, end, 0);
  if (!MERGE_HAS_PLACES) merge_leave(tile, held, true, first, own);
  if (!MERGE_HAS_PLACES | MERGE_COMPARES_CUTS) GROUP_BARRIER();
  if (!merge_cuts_agreed(tile, 0)) {
    if (MERGE_HAS_PLACES) {
      UNROLL_BY(1)
      for (uint i = first; i < first + own; ++i) tile.order[merge_at(i)] = (ushort)i;
    } else {
      // Not as they were loaded before: addresses that are used once more would keep their registers.
      UNROLL_BY(1)
      for (uint i = MERGE_ID; i < count; i += GROUP_SIZE)
        tile.keys[merge_at(i)] = key_form(i < a_count ? a[i] : b[i - a_count]);
    }
    GROUP_BARRIER();
  }
}

// Stores the tile's first `count` keys in their order from `to` on: they have moved in the tile, or its order says which is
// which. Behind a barrier. All work-items must call.
INLINE void merge_store_keys(__global KEY *to, merge_memory tile, bool moved, uint count) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + MERGE_ID;
    if (i < count) to[i] = key_of_form(tile.keys[merge_at(MERGE_HAS_PLACES && !moved ? tile.order[merge_at(i)] : i)]);
  }
}

// Brings what goes with the tile's first `count` keys to where these go: of the first `of_first` keys from `first` on, of the
// others from `second` on. Behind a barrier. All work-items must call. `in_place`: it may lie where it goes.
INLINE void merge_store_carried(carried_to to, carried_from first, carried_from second, uint of_first, bool in_place,
                                merge_memory tile, uint count) {
  for (uint part = 0; part < CARRIED_WORDS; ++part) {
    carried_part held[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      const uint i = k * GROUP_SIZE + MERGE_ID;
      if (i < count) {
        const uint place = tile.order[merge_at(i)];
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
