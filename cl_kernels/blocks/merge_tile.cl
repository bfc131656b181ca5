// A tile of two sorted lists merged in local memory: its keys, where they come from, and each work-item's piece of it
// (merge_path.cl).

typedef char a_place_has_16_bits[MERGE_TILE <= 65536 ? 1 : -1];

// Keys of up to 8 bytes are held in registers and move as they are sorted. Larger ones and structures, which compilers keep
// in memory where they are an array, stay where they were loaded to, and their order alone is made.
#if GROUP_SIZE > 1 && KEY_BYTES <= 8 && !defined(KEY_IS_STRUCTURE)
#define MERGE_MOVES_KEYS
#endif
#if !defined(MERGE_MOVES_KEYS) || defined(CARRIED_PART)
#define MERGE_HAS_PLACES
#endif
#if GROUP_SIZE > 1 && defined(MERGE_CUTS_MAY_DISAGREE)
#define MERGE_COMPARES_CUTS
#endif

// Where number `i` of a tile lies: padded, so that work-items whose parts have a power of two of keys meet in no bank.
#if defined(MERGE_MOVES_KEYS) && ITEMS % 2 == 0
#define MERGE_PADDED
#endif
#if defined(MERGE_PADDED) && KEY_BYTES >= 4
#define MERGE_AT(i) ((i) + (i) / (128 / KEY_BYTES))
#elif defined(MERGE_PADDED)
#define MERGE_AT(i) ((i) + (i) / 32 * (4 / KEY_BYTES))
#else
#define MERGE_AT(i) (i)
#endif
// A work-item looks at what lies behind its lists, if it is a key, and uses nothing of it.
#define MERGE_ROOM (MERGE_AT(MERGE_TILE + ITEMS) + 1)

// A work-item's number, by which it finds its own: where keys alone are merged or sorted there are registers for what follows
// from it. H200, 2 x 2^25 keys of 4 and 8 bytes: 187 and 327 us with the number made anew, 174 and 313 so, each with its best
// number of items. H100, 2^24 keys of 4 bytes sorted by an operator: 1006 and 892 us.
#if (defined(PRIMITIVE_MERGE) || defined(PRIMITIVE_MERGE_SORT)) && defined(MERGE_MOVES_KEYS) && !defined(CARRIED_PART)
#define MERGE_ID ((uint)OWN_ID)
#else
#define MERGE_ID own_id_anew()
#endif

// A tile in local memory: its keys, in the form in which they are compared, and where anything else is to follow them, or they
// do not move, the places where they were loaded to, in their order. Where cuts may disagree: the cut at which each work-item
// begins. The first work-item begins at 0; where it has MERGE_DISAGREE, some cuts do.
typedef struct {
  __local KEY *keys;
#ifdef MERGE_HAS_PLACES
  __local ushort *order;
#endif
#ifdef MERGE_COMPARES_CUTS
  __local ushort *cuts;
#endif
} merge_memory;
#ifdef MERGE_HAS_PLACES
#define MERGE_ORDER(name)                  \
  __local ushort name##_order[MERGE_ROOM]; \
  name.order = name##_order;
#else
#define MERGE_ORDER(name)
#endif
#ifdef MERGE_COMPARES_CUTS
#define MERGE_DISAGREE 1
#define MERGE_CUTS(name)                  \
  __local ushort name##_cuts[GROUP_SIZE]; \
  name.cuts = name##_cuts;
#else
#define MERGE_CUTS(name)
#endif
#define MERGE_MEMORY(name)             \
  merge_memory name;                   \
  __local KEY name##_keys[MERGE_ROOM]; \
  MERGE_ORDER(name)                    \
  MERGE_CUTS(name)                     \
  name.keys = name##_keys

#if GROUP_SIZE > 1 && !defined(KEY_IS_STRUCTURE)
// merge_load_keys of numbers. `all`: of a whole tile, of which no step asks whether it has its key. What a step adds to a
// work-item's first place is a literal: with places counted from the tile's begin a merge of i32 took 94 registers, so 38.
INLINE void merge_load_numbers(merge_memory tile, const __global KEY *first, uint of_first, const __global KEY *second,
                               uint count, bool all) {
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
    if (all || step < own) tile.keys[MERGE_AT(step + id)] = key_form(held[k]);
  }
}
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
  if (count == MERGE_TILE)
    merge_load_numbers(tile, first, of_first, second, count, true);
  else
    merge_load_numbers(tile, first, of_first, second, count, false);
#else
  for (uint i = 0; i < of_first; ++i) tile.keys[i] = key_form(first[i]);
  for (uint i = of_first; i < count; ++i) tile.keys[i] = key_form(second[i - of_first]);
#endif
}
#if GROUP_SIZE > 1
// The same of one list.
INLINE void merge_load_list(merge_memory tile, const __global KEY *from, uint count) {
#ifdef KEY_IS_STRUCTURE
  merge_load_keys(tile, from, count, from, count);
#else
  merge_load_numbers(tile, from, count, from, count, false);
#endif
}
#endif

// Places of keys that a work-item goes over one by one are counted in bytes, where these alone lie between two neighbours.
#if defined(MERGE_MOVES_KEYS) && !defined(MERGE_PADDED) && !defined(MERGE_HAS_PLACES)
#define MERGE_UNIT ((uint)sizeof(KEY))
static inline KEY merge_key_at(merge_memory tile, uint at) {
  return *(const __local KEY *)((const __local uchar *)tile.keys + at);
}
#else
#define MERGE_UNIT 1u
static inline KEY merge_key_at(merge_memory tile, uint at) { return tile.keys[MERGE_AT(at)]; }
#endif

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

// Leaves a work-item's first `own` elements as numbers `first` on of the tile: the places alone, or also the keys that move.
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

// merge_path in a tile: the cut of a diagonal of its lists. Of a run that is sorted the lists may be short: the search ends with
// what is left.
INLINE uint merge_run_path(merge_memory tile, merge_lists lists, uint diagonal, named_values given) {
  uint low = diagonal - min(diagonal, lists.end - lists.middle), high = min(diagonal, lists.middle - lists.begin);
  while (low < high) {
    const uint middle = (low + high) / 2;
    const KEY first = merge_key_as_kept(tile, true, lists.begin + middle);
    const KEY second = merge_key_as_kept(tile, true, lists.middle + (diagonal - 1 - middle));
    if (form_before(KEY_READ(second), KEY_READ(first), given))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}
// Of two lists that were loaded and together are the tile: as many steps whatever they find, and what each adds is a literal.
// The first one is at least half of what the shorter list may have, which is half of a tile.
#define MERGE_TILE_STEP                                                                                                   \
  (MERGE_TILE >= 65536 ? 32768u : MERGE_TILE >= 32768 ? 16384u : MERGE_TILE >= 16384 ? 8192u : MERGE_TILE >= 8192 ? 4096u \
   : MERGE_TILE >= 4096 ? 2048u : MERGE_TILE >= 2048 ? 1024u : MERGE_TILE >= 1024 ? 512u : MERGE_TILE >= 512 ? 256u : 128u)
INLINE uint merge_tile_path(merge_memory tile, merge_lists lists, uint diagonal, named_values given) {
  const uint high = min(diagonal, lists.middle);
  uint cut = diagonal - min(diagonal, lists.end - lists.middle);
  UNROLL
  for (uint step = MERGE_TILE_STEP; step > 0; step /= 2) {
    const uint asked = cut + step;
    if (asked <= high) {
      const KEY first = tile.keys[MERGE_AT(asked - 1)], second = tile.keys[MERGE_AT(lists.middle + diagonal - asked)];
      cut = form_before(KEY_READ(second), KEY_READ(first), given) ? cut : asked;
    }
  }
  return cut;
}
#if GROUP_SIZE > 1

// Work-items use their cuts before they know whether all agree, so that none waits for its neighbour's: from its cut on, each
// takes as many elements as are its own, wherever these end. Behind a barrier it compares that end with the cut at which the
// next one began. Where all ends are, each element has been taken once; where some are not, what was made is made anew in
// another way, which takes longer and loses nothing. `first`: the work-item whose word says so for all; its own cut is 0.
INLINE void merge_leave_cut(merge_memory tile, uint cut) {
#ifdef MERGE_COMPARES_CUTS
  tile.cuts[MERGE_ID] = (ushort)cut;
#endif
}
// Behind a barrier. `goes_on`: the next work-item has elements of the same two lists.
INLINE void merge_compare_end(merge_memory tile, bool goes_on, uint end, uint first) {
#ifdef MERGE_COMPARES_CUTS
  if (goes_on && tile.cuts[MERGE_ID + 1] != end) tile.cuts[first] = MERGE_DISAGREE;
#endif
}
// Behind another one.
static inline bool merge_cuts_agreed(merge_memory tile, uint first) {
#ifdef MERGE_COMPARES_CUTS
  return tile.cuts[first] != MERGE_DISAGREE;
#else
  return true;
#endif
}

// Takes ITEMS elements of two lists in their order from a cut on, and gives the cut behind them. Where fewer remain, the rest
// are any elements of the lists, and the cut says nothing.
INLINE uint merge_take(merge_held held, merge_memory tile, bool sorted, merge_lists lists, uint diagonal,
                       uint cut, named_values given) {
  const uint both = anew((lists.begin + lists.middle + diagonal) * MERGE_UNIT);
  const uint a_end = lists.middle * MERGE_UNIT, b_end = lists.end * MERGE_UNIT;
  uint at_a = (lists.begin + cut) * MERGE_UNIT, at_b = both - at_a;
  // Where a list is at its end, some other key stands for it, which decides nothing.
#ifdef MERGE_MOVES_KEYS
#define MERGE_SEEN(i) (i)
#define MERGE_KEY_SEEN(i) merge_key_at(tile, i)
#else
#define MERGE_SEEN(i) min(i, lists.end - 1)
#define MERGE_KEY_SEEN(i) merge_key_as_kept(tile, sorted, MERGE_SEEN(i))
#endif
  KEY key_a = MERGE_KEY_SEEN(at_a), key_b = MERGE_KEY_SEEN(at_b);
#ifdef MERGE_HAS_PLACES
  uint place_a = merge_place(tile, sorted, at_a), place_b = merge_place(tile, sorted, MERGE_SEEN(at_b));
#endif
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const bool takes_b = at_a >= a_end || (at_b < b_end && form_before(KEY_READ(key_b), KEY_READ(key_a), given));
#ifdef MERGE_MOVES_KEYS
    held.keys[k] = takes_b ? key_b : key_a;
#endif
#ifdef MERGE_HAS_PLACES
    held.places[k] = (ushort)(takes_b ? place_b : place_a);
#endif
    at_a += takes_b ? 0 : MERGE_UNIT;
    at_b = both + (k + 1) * MERGE_UNIT - at_a;
    const uint next = takes_b ? at_b : at_a;
    const KEY key = MERGE_KEY_SEEN(next);
    if (takes_b)
      key_b = key;
    else
      key_a = key;
#ifdef MERGE_HAS_PLACES
    const uint place = merge_place(tile, sorted, MERGE_SEEN(next));
    place_a = takes_b ? place_a : place;
    place_b = takes_b ? place : place_b;
#endif
  }
  return at_a / MERGE_UNIT - lists.begin;
}

// Loads the lists `a`, of `a_count` keys, and `b` of a tile of `count` keys and merges them: it can be stored. Where cuts
// disagree it has all of `a` before all of `b`. All work-items must call.
INLINE void merge_two_lists(merge_memory tile, const __global KEY *a, uint a_count, const __global KEY *b,
                            uint count, named_values given) {
  merge_load_keys(tile, a, a_count, b, count);
  GROUP_BARRIER();
  const merge_lists lists = {0, a_count, count};
  const uint first = min(MERGE_ID * ITEMS, count), own = min(count - first, (uint)ITEMS);
  MERGE_HELD(held);
  uint end = 0;
  if (own > 0) {
    const uint cut = merge_tile_path(tile, lists, first, given);
    merge_leave_cut(tile, cut);
    end = merge_take(held, tile, false, lists, first, cut, given);
#ifdef MERGE_HAS_PLACES
    merge_leave(tile, held, false, first, own);
#endif
  }
  GROUP_BARRIER();
  merge_compare_end(tile, first + ITEMS < count, end, 0);
#ifndef MERGE_HAS_PLACES
  merge_leave(tile, held, true, first, own);
#endif
#if !defined(MERGE_HAS_PLACES) || defined(MERGE_COMPARES_CUTS)
  GROUP_BARRIER();
#endif
  if (!merge_cuts_agreed(tile, 0)) {
#ifdef MERGE_HAS_PLACES
    for (uint i = first; i < first + own; ++i) tile.order[MERGE_AT(i)] = (ushort)i;
#else
    // Not as they were loaded before: addresses that are used once more would keep their registers.
    for (uint i = MERGE_ID; i < count; i += GROUP_SIZE) tile.keys[MERGE_AT(i)] = key_form(i < a_count ? a[i] : b[i - a_count]);
#endif
    GROUP_BARRIER();
  }
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
