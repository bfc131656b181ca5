// Runs of sorted keys: tiles of them made by one group, and pairs of runs merged, in pieces of one size whatever the runs are.

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

#if GROUP_SIZE > 1

INLINE ulong merge_pair_path(const __global KEY *keys, merge_pair pair, ulong at, named_values given) {
  return merge_path(keys + pair.begin, pair.middle - pair.begin, keys + pair.middle, pair.end - pair.middle,
                    at - pair.begin, given);
}

// The run that a work-item's part of a tile is sorted into: a whole tile is one, or each segment in it.
typedef struct {
  uint begin, end;  // of the run
  uint first;       // of the part, which has up to ITEMS keys; the run's end where there is none
} merge_part_of_run;

#if defined(MERGE_MOVES_KEYS) && defined(KEY_HAS_FORM)
// What a part lacks is filled with the greatest form: nothing that it has stands behind that.
#define MERGE_FILLS
#if !defined(KEY_INFINITY) && !defined(MERGE_HAS_PLACES) && (ITEMS == 4 || ITEMS == 8 || ITEMS == 16 || ITEMS == 32)
// Keys of one form have the same bits, and nobody sees which was first.
#define MERGE_EQUALS_ALIKE
#endif
#endif

#ifdef MERGE_EQUALS_ALIKE
// A network for as many keys as a power of two. (Batcher, "Sorting networks and their applications", 1968: odd-even merges.)
// All loops have as many turns as a compiler can count before it unrolls them.
INLINE void merge_sort_held(merge_held held) {
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
// By exchanges of neighbours, in as many rounds as there are keys, so that equals keep their order.
INLINE void merge_sort_held(merge_held held, merge_memory tile, uint own, named_values given) {
#if !defined(MERGE_MOVES_KEYS) && KEY_BYTES <= 16
  KEY_LOADED keys[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k < own) keys[k] = merge_key(tile, held.places[k]);
  }
#define MERGE_OWN_KEY(k) keys[k]
#elif !defined(MERGE_MOVES_KEYS)
#define MERGE_OWN_KEY(k) merge_key(tile, held.places[k])
#else
#define MERGE_OWN_KEY(k) KEY_READ(held.keys[k])
#endif
#ifdef MERGE_FILLS
#define MERGE_OWN_HAS(k) true
#else
#define MERGE_OWN_HAS(k) ((k) < own)
#endif
  UNROLL
  for (uint turn = 0; turn < ITEMS; ++turn) {
    UNROLL
    for (uint pair = 0; pair < ITEMS / 2; ++pair) {
      const uint k = 2 * pair + turn % 2, next = (k + 1) % ITEMS;
      if (k + 1 < ITEMS && MERGE_OWN_HAS(next) && form_before(MERGE_OWN_KEY(next), MERGE_OWN_KEY(k), given)) {
#ifdef MERGE_HAS_PLACES
        const ushort place = held.places[k];
        held.places[k] = held.places[next];
        held.places[next] = place;
#endif
#ifdef MERGE_MOVES_KEYS
        const KEY key = held.keys[k];
        held.keys[k] = held.keys[next];
        held.keys[next] = key;
#elif KEY_BYTES <= 16
        const KEY_LOADED key = keys[k];
        keys[k] = keys[next];
        keys[next] = key;
#endif
      }
    }
  }
}
#endif

// Sorts the runs of a tile, of which the longest has `longest` keys and number 0 was loaded from `loaded_from`; these can be
// read. They can be stored behind it. `all`: each work-item has ITEMS keys. A run in which some cuts disagreed stays as it was
// loaded. All work-items must call.
INLINE void merge_sort_tile(merge_memory tile, const __global KEY *loaded_from, merge_part_of_run part,
                            uint longest, bool all, named_values given) {
  const uint first = part.first, own = all ? ITEMS : min(part.end - first, (uint)ITEMS);
  MERGE_HELD(held);
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
#ifdef MERGE_MOVES_KEYS
#ifdef MERGE_FILLS
    held.keys[k] = (KEY)~(KEY)0;
#endif
    if (k < own) held.keys[k] = tile.keys[MERGE_AT(first + k)];
#endif
#ifdef MERGE_HAS_PLACES
    held.places[k] = (ushort)(first + k);
#endif
  }
#ifdef MERGE_EQUALS_ALIKE
  merge_sort_held(held);
#else
  merge_sort_held(held, tile, own, given);
#endif
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
      const uint cut = merge_run_path(tile, lists, before * ITEMS, given);
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
#ifdef MERGE_COMPARES_CUTS
  if (own > 0 && !merge_cuts_agreed(tile, leader)) {
    for (uint i = first; i < first + own; ++i) {
#ifdef MERGE_MOVES_KEYS
      tile.keys[MERGE_AT(i)] = key_form(loaded_from[i]);
#endif
#ifdef MERGE_HAS_PLACES
      tile.order[MERGE_AT(i)] = (ushort)i;
#endif
    }
  }
  GROUP_BARRIER();
#endif
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

#ifdef MERGE_CUTS_MAY_DISAGREE
// A group's way over the pieces of a divided merge, from the first that is its own on: cuts by halving, of which it keeps
// those that later pieces need. The piece that comes next begins at the line `from`; of the stretches that are halved to find
// it, the ends are in local memory, the nearest one as the last.
#define MERGE_HALVINGS 40
typedef struct {
  __local ulong *lines, *cuts;
  __local uint *found;
} merge_way_memory;
#define MERGE_WAY_MEMORY(name)                 \
  merge_way_memory name;                       \
  __local ulong name##_lines[MERGE_HALVINGS];  \
  __local ulong name##_cuts[MERGE_HALVINGS];   \
  __local uint name##_found[1];                \
  name.lines = name##_lines;                   \
  name.cuts = name##_cuts;                     \
  name.found = name##_found
typedef struct {
  ulong from, cut;
  uint ends;
} merge_way;

INLINE void merge_note_end(merge_way *way, merge_way_memory memory, ulong line, ulong cut) {
  if (get_local_id(0) == 0) {
    memory.lines[way->ends] = line;
    memory.cuts[way->ends] = cut;
  }
  ++way->ends;
  GROUP_BARRIER();
}
// Begins anew. All work-items must call.
INLINE void merge_begin_way(merge_way *way, merge_way_memory memory, merge_divided m) {
  way->from = merge_first_line(m);
  way->cut = 0;
  way->ends = 0;
  merge_note_end(way, memory, merge_last_line(m), m.a_n);
}
// The piece from a line on, its part of `a`; the next one is that from the next line on. All work-items must call.
INLINE merge_part merge_next_piece(merge_way *way, merge_way_memory memory, merge_divided m, ulong line, named_values given) {
  merge_part piece;
  for (bool found = false; !found;) {
    const merge_stretch s = {way->from, memory.lines[way->ends - 1], {way->cut, memory.cuts[way->ends - 1]}};
    found = s.from == line && s.to == line + 1;
    if (found) {
      piece = s.of_a;
    } else {
      const ulong middle = merge_middle(s), cut = merge_cut_within(m, s, middle, memory.found, given);
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
#endif

#else

// The keys of a block are sorted one by one.
#define MERGE_BLOCK 16

// Keys and what goes with them: from one place to another.
#ifdef CARRIED_PART
#define MOVED_PARAMETERS , carried_from values, carried_to values_to
#define MOVED_FROM(at) , values + (at)*CARRIED_WORDS, values_to + (at)*CARRIED_WORDS
#else
#define MOVED_PARAMETERS
#define MOVED_FROM(at)
#endif

// Sorts at most MERGE_BLOCK keys, from one place to another, or in place. `number`: that of the first one, for indices.
INLINE void merge_sort_block(const __global KEY *keys, __global KEY *keys_to MOVED_PARAMETERS, uint count,
                             ulong number, named_values given) {
  KEY held[MERGE_BLOCK];
  uchar places[MERGE_BLOCK];
  for (uint i = 0; i < count; ++i) {
    const KEY_LOADED key = key_at(keys + i);
    uint at = i;
    for (; at > 0 && comes_before(key, KEY_READ(held[at - 1]), given); --at) {
      held[at] = held[at - 1];
      places[at] = places[at - 1];
    }
    held[at] = keys[i];
    places[at] = (uchar)i;
  }
  for (uint i = 0; i < count; ++i) keys_to[i] = held[i];
#if defined(INDEX)
  for (uint i = 0; i < count; ++i) values_to[i] = (INDEX)(number + places[i]);
#elif defined(CARRIED_PART)
  for (uint part = 0; part < CARRIED_WORDS; ++part) {
    CARRIED_PART parts[MERGE_BLOCK];
    for (uint i = 0; i < count; ++i) parts[i] = values[(ulong)places[i] * CARRIED_WORDS + part];
    for (uint i = 0; i < count; ++i) values_to[(ulong)i * CARRIED_WORDS + part] = parts[i];
  }
#endif
}

// Merges the pairs of runs of `n` keys that the results from `begin` to before `end` are of, as far as these go. They are
// multiples of `each`, or the first and the last of all.
INLINE void merge_sort_pairs(const __global KEY *keys, __global KEY *keys_to MOVED_PARAMETERS, ulong n, ulong run, ulong each,
                             ulong begin, ulong end, named_values given) {
  for (ulong at = begin; at < end;) {
    const merge_pair pair = merge_pair_of(at, run, n);
    const ulong next = min(pair.end, end);
    const merge_divided merge = {keys + pair.begin, keys + pair.middle, pair.middle - pair.begin, pair.end - pair.middle,
                                 pair.begin, each};
    merge_part of_a = {0, merge.a_n};
    // Of a whole pair, as most are in early passes, nothing is searched for, nor divided.
    if (at > pair.begin || next < pair.end)
      of_a = merge_piece_between(merge, at / each, (next + each - 1) / each, given);
    const merge_part of_b = {at - pair.begin - of_a.begin, next - pair.begin - of_a.end};
#ifdef CARRIED_PART
    merge_serially(keys + pair.begin, of_a, keys + pair.middle, of_b, keys_to, at, values + pair.begin * CARRIED_WORDS,
                   values + pair.middle * CARRIED_WORDS, values_to, given);
#else
    merge_serially(keys + pair.begin, of_a, keys + pair.middle, of_b, keys_to, at, given);
#endif
    at = next;
  }
}

// Passes that make one run of `count` keys in blocks.
static inline uint merge_passes_of(ulong count) {
  uint passes = 0;
  while ((ulong)MERGE_BLOCK << passes < count) ++passes;
  return passes;
}

// Sorts `count` keys from one place to another; what is merged is there and in the spare place in turn. In place, too: a block
// is loaded before any of it is stored.
#ifdef CARRIED_PART
#define SPARE_PARAMETERS __global KEY *spare, carried_to values_spare
#else
#define SPARE_PARAMETERS __global KEY *spare
#endif
INLINE void merge_sort_serially(const __global KEY *keys, __global KEY *keys_to MOVED_PARAMETERS, SPARE_PARAMETERS,
                                ulong count, ulong number, named_values given) {
  const uint passes = merge_passes_of(count);
  __global KEY *to = passes % 2 == 0 ? keys_to : spare, *other = passes % 2 == 0 ? spare : keys_to;
#ifdef CARRIED_PART
  carried_to to_values = passes % 2 == 0 ? values_to : values_spare, other_values = passes % 2 == 0 ? values_spare : values_to;
#define WITH_PLACES(at) , values + (at)*CARRIED_WORDS, to_values + (at)*CARRIED_WORDS
#define WITH_TURNED , other_values, to_values
#else
#define WITH_PLACES(at)
#define WITH_TURNED
#endif
  for (ulong at = 0; at < count; at += MERGE_BLOCK)
    merge_sort_block(keys + at, to + at WITH_PLACES(at), (uint)min(count - at, (ulong)MERGE_BLOCK), number + at, given);
  for (uint pass = 0; pass < passes; ++pass) {
    __global KEY *from = to;
    to = other;
    other = from;
#ifdef CARRIED_PART
    carried_to from_values = to_values;
    to_values = other_values;
    other_values = from_values;
#endif
    merge_sort_pairs(other, to WITH_TURNED, count, (ulong)MERGE_BLOCK << pass, count, 0, count, given);
  }
}

#endif  // GROUP_SIZE
