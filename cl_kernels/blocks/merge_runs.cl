// Runs of sorted keys: a group sorts a tile of them, and merges pairs of runs in pieces of one size, however long the runs are.
// All work-items of the group must call merge_sort_tile and merge_piece_in_tile, whose results are in local memory, where all can
// read them at once.

// The pair of runs of `run` keys each that the key number `at` of a pass's result is in, of `n` keys.
typedef struct {
  ulong begin, middle, end;
} merge_pair;
static inline merge_pair merge_pair_of(ulong at, ulong run, ulong n) {
  merge_pair pair;
  pair.begin = at - at % (2 * run);
  pair.middle = min(pair.begin + run, n);
  pair.end = min(pair.begin + 2 * run, n);
  return pair;
}

INLINE ulong merge_pair_path(const __global KEY *keys, merge_pair pair, ulong at, named_values given) {
  return merge_path(keys + pair.begin, pair.middle - pair.begin, keys + pair.middle, pair.end - pair.middle,
                    at - pair.begin, given);
}

// The run that a work-item's part of a tile is sorted into: a whole tile is one, or each segment in it.
typedef struct {
  uint begin, end;  // of the run
  uint first;       // of the part, which has up to ITEMS keys; the run's end where there is none
} merge_part_of_run;

// What a part lacks is filled with the greatest form: nothing that it has stands behind that.
enum { MERGE_FILLS = MERGE_MOVES_KEYS & KEY_HAS_FORM };

#if !defined(LESS_TEXT) && (ITEMS == 4 || ITEMS == 8 || ITEMS == 16 || ITEMS == 32)
// Keys of one form have the same bits, and nobody sees which was first.
enum { MERGE_BY_NETWORK = MERGE_FILLS & !FORM_IS_OF_FLOAT & !MERGE_HAS_PLACES };
// A network for as many keys as a power of two. (Batcher, "Sorting networks and their applications", 1968: odd-even merges.)
// All loops have as many turns as a compiler can count before it unrolls them.
INLINE void merge_sort_alike(merge_held held) {
  UNROLL
  for (uint run = 1; run < ITEMS; run *= 2) {
    UNROLL
    for (uint halvings = 0; 1u << halvings < ITEMS; ++halvings) {
      const uint step = run >> halvings, begins = halvings == 0 ? 0 : step;
      UNROLL
      for (uint k = 0; k < ITEMS; ++k) {
        const uint other = k + step;
        if (step > 0 && k >= begins && (k - begins) / max(step, 1u) % 2 == 0 && other < ITEMS &&
            k / (2 * run) == other / (2 * run)) {
          const KEY key = held.keys[k], its = held.keys[other % ITEMS];
          held.keys[k] = min(key, its);
          held.keys[other % ITEMS] = max(key, its);
        }
      }
    }
  }
}
#else
enum { MERGE_BY_NETWORK = 0 };
static inline void merge_sort_alike(merge_held held) {}
#endif

// Of a work-item's own number `k`: keys that do not move are in `keys` where they are not large.
INLINE KEY_LOADED merge_own_key(merge_memory tile, merge_held held, const KEY_LOADED *keys, uint k) {
  if (MERGE_MOVES_KEYS) return KEY_READ(held.keys[k]);
  return KEY_BYTES <= 16 ? keys[k] : merge_key(tile, held.places[k]);
}
// By exchanges of neighbours, in as many rounds as there are keys, so that equals keep their order.
INLINE void merge_sort_held(merge_held held, merge_memory tile, uint own, named_values given) {
  KEY_LOADED keys[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (!MERGE_MOVES_KEYS & (KEY_BYTES <= 16) && k < own) keys[k] = merge_key(tile, held.places[k]);
  }
  const uint filled = MERGE_FILLS ? ITEMS : own;
  UNROLL
  for (uint turn = 0; turn < ITEMS; ++turn) {
    UNROLL
    for (uint pair = 0; pair < ITEMS / 2; ++pair) {
      const uint k = 2 * pair + turn % 2, next = (k + 1) % ITEMS;
      if (k + 1 < ITEMS && next < filled &&
          form_before(merge_own_key(tile, held, keys, next), merge_own_key(tile, held, keys, k), given)) {
        if (MERGE_HAS_PLACES) {
          const ushort place = held.places[k];
          held.places[k] = held.places[next];
          held.places[next] = place;
        }
        if (MERGE_MOVES_KEYS) {
          const KEY key = held.keys[k];
          held.keys[k] = held.keys[next];
          held.keys[next] = key;
        } else if (KEY_BYTES <= 16) {
          const KEY_LOADED key = keys[k];
          keys[k] = keys[next];
          keys[next] = key;
        }
      }
    }
  }
}

// Sorts the runs of a tile, of which the longest has `longest` keys and number 0 was loaded from `loaded_from`; these can be
// read. They can be stored behind it. `all`: each work-item has ITEMS keys. A run in which some cuts disagreed stays as it was
// loaded. All work-items must call.
INLINE void merge_sort_tile(merge_memory tile, const __global KEY *loaded_from, merge_part_of_run part,
                            uint longest, bool all, named_values given) {
  const uint first = part.first, own = all ? ITEMS : min(part.end - first, (uint)ITEMS);
  MERGE_HELD(held);
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (MERGE_FILLS) held.keys[k] = last_form();
    if (MERGE_MOVES_KEYS && k < own) held.keys[k] = tile.keys[merge_at(first + k)];
    if (MERGE_HAS_PLACES) held.places[k] = (ushort)(first + k);
  }
  if (MERGE_BY_NETWORK)
    merge_sort_alike(held);
  else
    merge_sort_held(held, tile, own, given);
  if (own > 0) merge_leave(tile, held, true, first, own);
  // The number of the part in its run; parts of a pair of runs have numbers that differ in their lowest bits alone.
  const uint number = (first - part.begin) / ITEMS, leader = MERGE_ID - number;
  if (number == 0) merge_leave_cut(tile, 0);
  GROUP_BARRIER();
  for (uint parts = 1; parts * ITEMS < longest; parts *= 2) {
    const uint before = number & (2 * parts - 1), pair = part.begin + (number - before) * ITEMS;
    const merge_lists lists = {pair, min(pair + parts * ITEMS, part.end), min(pair + 2 * parts * ITEMS, part.end)};
    const bool merges = own > 0 && lists.middle < lists.end;
    uint end = 0;
    if (merges) {
      const uint cut = merge_run_path(tile, true, lists, before * ITEMS, given);
      if (number > 0) merge_leave_cut(tile, cut);
      end = merge_take(held, tile, true, lists, before * ITEMS, cut, given);
    }
    GROUP_BARRIER();
    if (merges) {
      merge_compare_end(tile, (before + 1) * ITEMS < lists.end - lists.begin, end, leader);
      merge_leave(tile, held, true, first, own);
    }
    GROUP_BARRIER();
  }
  if (MERGE_COMPARES_CUTS) {
    if (own > 0 && !merge_cuts_agreed(tile, leader)) {
      for (uint i = first; i < first + own; ++i) {
        if (MERGE_MOVES_KEYS) tile.keys[merge_at(i)] = key_form(loaded_from[i]);
        if (MERGE_HAS_PLACES) tile.order[merge_at(i)] = (ushort)i;
      }
    }
    GROUP_BARRIER();
  }
}

// The part of a pair's first run, and where that of the second begins, that a tile of `count` keys from number `at` of the
// result on is merged from.
typedef struct {
  ulong a, b;
  uint a_count;
} merge_piece;
static inline merge_piece merge_piece_of(merge_pair pair, ulong at, merge_part of_a) {
  const merge_piece piece = {pair.begin + of_a.begin, pair.middle + (at - pair.begin - of_a.begin),
                             (uint)(of_a.end - of_a.begin)};
  return piece;
}

// Merges a piece in local memory: it can be stored behind it. All work-items must call.
INLINE void merge_piece_in_tile(merge_memory tile, const __global KEY *keys, merge_piece piece, uint count, named_values given) {
  merge_two_lists(tile, keys + piece.a, piece.a_count, keys + piece.b, count, given);
}

// A group's way over the pieces of a divided merge, from the first that is its own on: cuts by halving, of which it keeps
// those that later pieces need. The piece that comes next begins at the line `from`; of the stretches that are halved to find
// it, the ends are in local memory, the nearest one as the last.
enum { MERGE_HALVINGS = MERGE_CUTS_MAY_DISAGREE ? 40 : 2 };  // else a tile's two cuts lie there
typedef struct {
  ulong lines[MERGE_HALVINGS], cuts[MERGE_HALVINGS];
  uint found;
} merge_way_memory;
typedef struct {
  ulong from, cut;
  uint ends;
} merge_way;

INLINE void merge_note_end(merge_way *way, __local merge_way_memory *memory, ulong line, ulong cut) {
  if (get_local_id(0) == 0) {
    memory->lines[way->ends] = line;
    memory->cuts[way->ends] = cut;
  }
  ++way->ends;
  GROUP_BARRIER();
}
// Begins anew. All work-items must call.
INLINE void merge_begin_way(merge_way *way, __local merge_way_memory *memory, merge_divided m) {
  way->from = merge_first_line(m);
  way->cut = 0;
  way->ends = 0;
  merge_note_end(way, memory, merge_last_line(m), m.a_n);
}
// The piece from a line on, its part of `a`; the next one is that from the next line on. All work-items must call.
INLINE merge_part merge_next_piece(merge_way *way, __local merge_way_memory *memory, merge_divided m, ulong line,
                                   named_values given) {
  merge_part piece;
  for (bool found = false; !found;) {
    const merge_stretch s = {way->from, memory->lines[way->ends - 1], {way->cut, memory->cuts[way->ends - 1]}};
    found = s.from == line && s.to == line + 1;
    if (found) {
      piece = s.of_a;
    } else {
      const ulong middle = merge_middle(s), cut = merge_cut_within(m, s, middle, &memory->found, given);
      if (middle <= line) {
        way->from = middle;
        way->cut = cut;
      } else {
        merge_note_end(way, memory, middle, cut);
      }
    }
  }
  way->from = line + 1;
  way->cut = piece.end;
  --way->ends;
  return piece;
}
