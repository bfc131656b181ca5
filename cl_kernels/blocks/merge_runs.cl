// Runs of sorted keys: tiles of them made by one group, and pairs of runs merged, in pieces of one size whatever the runs are.
#ifdef SORTS_RUNS

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

INLINE ulong merge_pair_path(const __global KEY *keys, merge_pair pair, ulong at VALUES_PARAMETER) {
  return merge_path(keys + pair.begin, pair.middle - pair.begin, keys + pair.middle, pair.end - pair.middle,
                    at - pair.begin WITH_VALUES);
}

#if GROUP_SIZE > 1

// Where a tile has keys of several segments, each is sorted alone: a bit for each key with which one begins.
#ifdef OFFSET
#define MERGE_HEAD_WORDS (MERGE_TILE / 32 + 2)
#define HEADS_PARAMETER , const __local uint *heads
#define WITH_HEADS , heads

// The bits of a work-item's own keys.
static inline uint merge_own_heads(const __local uint *heads, uint first) {
  const uint shift = first % 32;
  return heads[first / 32] >> shift | (shift > 0 ? heads[first / 32 + 1] << (32 - shift) : 0);
}

// Of two neighbouring lists, what the segment that goes on from the one to the other has of them.
INLINE merge_lists merge_lists_of_segment(merge_lists lists, const __local uint *heads) {
  const uint middle = lists.middle;
  uint begin = lists.begin, end = lists.end;
  if (middle >= end || (heads[middle / 32] >> middle % 32 & 1) != 0) {
    begin = middle;
    end = middle;
  }
  // The last head before the middle, and the first behind it.
  bool goes_on = begin < middle;
  for (uint word = middle / 32 + 1; goes_on && word > begin / 32;) {
    --word;
    uint bits = heads[word];
    if (word == middle / 32) bits &= (1u << middle % 32) - 1;
    if (bits != 0) {
      begin = max(begin, word * 32 + 31 - (uint)clz(bits));
      goes_on = false;
    }
  }
  goes_on = middle < end;
  for (uint word = middle / 32; goes_on && word * 32 < end; ++word) {
    uint bits = heads[word];
    if (word == middle / 32) bits &= ~(1u << middle % 32) & ~((1u << middle % 32) - 1);
    if (bits != 0) {
      end = min(end, word * 32 + 31 - (uint)clz(bits & (0 - bits)));
      goes_on = false;
    }
  }
  lists.begin = begin;
  lists.end = end;
  return lists;
}
#else
#define HEADS_PARAMETER
#define WITH_HEADS
#endif

// Sorts the neighbouring keys of a work-item: by exchanges of neighbours, in as many rounds as there are keys, so that
// equals keep their order. `apart`: bits of keys that stay behind all before them.
INLINE void merge_sort_own(ushort *places, merge_memory tile, uint own, uint apart VALUES_PARAMETER) {
#if KEY_BYTES <= 16
  KEY_LOADED keys[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k < own) keys[k] = merge_key(tile, places[k]);
  }
#define MERGE_OWN_KEY(k) keys[k]
#else
#define MERGE_OWN_KEY(k) merge_key(tile, places[k])
#endif
  UNROLL
  for (uint turn = 0; turn < ITEMS; ++turn) {
    UNROLL
    for (uint k = turn % 2; k + 1 < ITEMS; k += 2) {
      if (k + 1 < own && (apart >> (k + 1) & 1) == 0 && comes_before(MERGE_OWN_KEY(k + 1), MERGE_OWN_KEY(k) WITH_VALUES)) {
        const ushort place = places[k];
        places[k] = places[k + 1];
        places[k + 1] = place;
#if KEY_BYTES <= 16
        const KEY_LOADED key = keys[k];
        keys[k] = keys[k + 1];
        keys[k + 1] = key;
#endif
      }
    }
  }
}

// Sorts the tile's first `count` keys, which can be read: their order can be read behind it. All work-items must call.
INLINE void merge_sort_tile(merge_memory tile, uint count HEADS_PARAMETER VALUES_PARAMETER) {
  const uint first = min(own_id_anew() * ITEMS, count), own = min(count - first, (uint)ITEMS);
  ushort places[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) places[k] = (ushort)(first + k);
#ifdef OFFSET
  merge_sort_own(places, tile, own, merge_own_heads(heads, first) WITH_VALUES);
#else
  merge_sort_own(places, tile, own, 0 WITH_VALUES);
#endif
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k < own) tile.order[first + k] = places[k];
  }
  GROUP_BARRIER();
  for (uint run = ITEMS; run < count; run *= 2) {
    const uint pair = first - first % (2 * run);
    merge_lists lists = {pair, min(pair + run, count), min(pair + 2 * run, count)};
#ifdef OFFSET
    lists = merge_lists_of_segment(lists, heads);
#endif
    const uint from = max(first, lists.begin), to = min(first + own, lists.end), taken = to > from ? to - from : 0;
    merge_tile_lists(places, tile, true, lists, from - lists.begin, taken WITH_VALUES);
    GROUP_BARRIER();
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k < taken) tile.order[from + k] = places[k];
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
static inline merge_piece merge_piece_of(merge_pair pair, ulong at, uint count, ulong from, ulong to) {
  const merge_part of_a = merge_part_of(from, to, count);
  merge_piece piece;
  piece.a = pair.begin + of_a.begin;
  piece.b = pair.middle + (at - pair.begin - of_a.begin);
  piece.a_count = (uint)(of_a.end - of_a.begin);
  return piece;
}

// Merges a piece in local memory: its order can be read behind it. All work-items must call.
INLINE void merge_piece_in_tile(merge_memory tile, const __global KEY *keys, merge_piece piece, uint count VALUES_PARAMETER) {
  merge_load_keys(tile, keys + piece.a, piece.a_count, keys + piece.b, count);
  GROUP_BARRIER();
  const uint first = min(own_id_anew() * ITEMS, count), own = min(count - first, (uint)ITEMS);
  const merge_lists lists = {0, piece.a_count, count};
  ushort places[ITEMS];
  merge_tile_lists(places, tile, false, lists, first, own WITH_VALUES);
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k < own) tile.order[first + k] = places[k];
  }
  GROUP_BARRIER();
}

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
                             ulong number VALUES_PARAMETER) {
  KEY held[MERGE_BLOCK];
  uchar places[MERGE_BLOCK];
  for (uint i = 0; i < count; ++i) {
    const KEY_LOADED key = key_at(keys + i);
    uint at = i;
    for (; at > 0 && comes_before(key, KEY_READ(held[at - 1]) WITH_VALUES); --at) {
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

// Merges the pairs of runs of `n` keys that the results from `begin` to before `end` are of, as far as these go.
INLINE void merge_sort_pairs(const __global KEY *keys, __global KEY *keys_to MOVED_PARAMETERS, ulong n, ulong run,
                             ulong begin, ulong end VALUES_PARAMETER) {
  for (ulong at = begin; at < end;) {
    const merge_pair pair = merge_pair_of(at, run, n);
    const ulong next = min(pair.end, end);
    const merge_part of_a = merge_part_of(merge_pair_path(keys, pair, at WITH_VALUES),
                                          merge_pair_path(keys, pair, next WITH_VALUES), next - at);
    const merge_part of_b = {at - pair.begin - of_a.begin, next - pair.begin - of_a.end};
#ifdef CARRIED_PART
    merge_serially(keys + pair.begin, of_a, keys + pair.middle, of_b, keys_to, at, values + pair.begin * CARRIED_WORDS,
                   values + pair.middle * CARRIED_WORDS, values_to WITH_VALUES);
#else
    merge_serially(keys + pair.begin, of_a, keys + pair.middle, of_b, keys_to, at WITH_VALUES);
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
                                ulong count, ulong number VALUES_PARAMETER) {
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
    merge_sort_block(keys + at, to + at WITH_PLACES(at), (uint)min(count - at, (ulong)MERGE_BLOCK), number + at WITH_VALUES);
  for (uint pass = 0; pass < passes; ++pass) {
    __global KEY *from = to;
    to = other;
    other = from;
#ifdef CARRIED_PART
    carried_to from_values = to_values;
    to_values = other_values;
    other_values = from_values;
#endif
    merge_sort_pairs(other, to WITH_TURNED, count, (ulong)MERGE_BLOCK << pass, 0, count WITH_VALUES);
  }
}

#endif  // GROUP_SIZE

#endif  // SORTS_RUNS
