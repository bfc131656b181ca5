// A tile of a selection: which of its elements are kept, and these side by side in local memory.
//
// A lane set takes neighbouring elements of the tile (select_load.cl), so the kept ones of a set lie side by side, too. On a
// CPU, a work-item takes the whole tile.

// Where in the tile the kept ones lie, for what is stored of them beside themselves.
#if defined(CARRIED) || defined(RUN_LENGTH) || defined(RUN_OFFSETS) || defined(FOLDS_RUNS)
#define SELECT_KEEPS_PLACES 1
#endif
#ifdef SELECT_KEEPS_PLACES
typedef char a_place_has_16_bits[SELECT_TILE <= 65536 ? 1 : -1];
#define SELECT_PLACES_MEMBER \
  __local ushort *places;    \
  __local uint *last; /* select_count's, where lengths are wanted */
#define SELECT_PLACES(name)                  \
  __local ushort name##_places[SELECT_TILE]; \
  __local uint name##_last;                  \
  name.places = name##_places;               \
  name.last = &name##_last
#define SELECT_PLACES_FROM(name, memory, number) __local ushort *name = (memory).places + (number)
#define SELECT_NOTE_PLACE(to, place) *(to) = (ushort)(place)
#elif defined(THREE_WAYS) && GROUP_SIZE > 1
#define SELECT_PLACES_MEMBER __local uint *second_rows; /* of each set, as `rows` */
#define SELECT_PLACES(name)                                    \
  __local uint name##_second_rows[SELECT_SETS * SELECT_WORDS]; \
  name.second_rows = name##_second_rows
#else
#define SELECT_PLACES_MEMBER
#define SELECT_PLACES(name)
#endif
#ifndef SELECT_KEEPS_PLACES
#define SELECT_PLACES_FROM(name, memory, number)
#define SELECT_NOTE_PLACE(to, place)
#endif

#if GROUP_SIZE == 1
typedef struct {
  __local KEPT *elements;
  __local uint *exchange;  // null, for there is one work-item
  SELECT_PLACES_MEMBER
} select_memory;
#define SELECT_MEMORY(name)                  \
  select_memory name;                        \
  __local KEPT name##_elements[SELECT_TILE]; \
  SELECT_PLACES(name);                       \
  name.exchange = 0;                         \
  name.elements = name##_elements

#ifndef THREE_WAYS  // else select_three.cl
// How many of the tile's elements are kept, and where the last of them lies, in `memory.last`.
INLINE uint select_count(select_input in, uint tile, select_memory memory, named_values given) {
  const ulong end = select_end(in, tile);
  uint count = 0;
  for (ulong j = select_begin(in, tile); j < end; ++j) {
    const bool keeps = select_keeps(in, j, load_kept(in.x + j), select_witness_of(in, j, given), given);
    count += keeps ? 1 : 0;
#ifdef TELLS_LAST
    if (keeps) *memory.last = (uint)(j - (ulong)tile * SELECT_TILE);
#endif
  }
  return count;
}

typedef struct {
  uint unused;
} select_taken;

// The same, and the kept ones go to the front of `memory.elements`, their places to `memory.places`; where `split`, the
// others go to the end of the elements, the last one first. Without a branch: no processor foresees what is kept.
INLINE uint select_take(select_taken *taken, select_input in, uint tile, bool split, select_memory memory, named_values given) {
  const ulong begin = select_begin(in, tile), end = select_end(in, tile);
  const uint in_tile = (uint)(end - begin);
  uint count = 0;
  for (uint i = 0; i < in_tile; ++i) {
    const bool keeps =
        select_keeps(in, begin + i, load_kept(in.x + begin + i), select_witness_of(in, begin + i, given), given);
#ifndef RUN_OFFSETS
    memory.elements[split && !keeps ? in_tile - 1 - (i - count) : count] = STORED_IN(in.x, begin + i);
#endif
    SELECT_NOTE_PLACE(memory.places + count, begin + i - (ulong)tile * SELECT_TILE);
    count += keeps ? 1 : 0;
  }
#ifdef TELLS_LAST
  if (count > 0) *memory.last = memory.places[count - 1];
#endif
  return count;
}

// Nothing is left to do.
static inline void select_compact(const select_taken *taken, select_input in, uint tile, uint count, bool split,
                                  select_memory memory) {}
#endif

// The sum of a number of each work-item.
static inline ulong select_sum(ulong number, select_memory memory) { return number; }

#define SELECT_STORE_EACH(i, to, count) for (uint i = 0; i < (count); ++i)

INLINE void select_store(__global KEPT *to, const __local KEPT *from, uint count) {
  SELECT_STORE_EACH(i, to, count) to[i] = from[i];
}

// Stores the first `count` others that select_compact left, where it kept `kept` of the tile's `in_tile` elements.
INLINE void select_store_others(__global KEPT *to, select_memory memory, uint kept, uint in_tile, uint count) {
  for (uint i = 0; i < count; ++i) to[i] = memory.elements[in_tile - 1 - i];
}

#else  // GROUP_SIZE > 1
enum { SELECT_SETS = GROUP_SIZE / LANES };

// Counts of several rows of a lane set go by one word: row k is in field SELECT_FIELD(k) of word SELECT_WORD(k).
#if SELECT_ROW <= 255
#define SELECT_BITS 8
#else
#define SELECT_BITS 16
#endif
#define SELECT_MOST ((1u << SELECT_BITS) - 1)
enum { SELECT_ROWS = 32 / SELECT_BITS };
#if SELECT_BITS == 8 && KEPT_VECTOR == 4
// Those of 8 neighbouring rows are in two words, in turn.
#define SELECT_COUNTS_NIBBLES 1
#define SELECT_WORD(k) ((k) / 8 * 2 + (k) % 2)
#define SELECT_FIELD(k) ((k) % 8 / 2)
enum { SELECT_WORDS = (KEPT_ITEMS + 7) / 8 * 2 };
#else
#define SELECT_WORD(k) ((k) / SELECT_ROWS)
#define SELECT_FIELD(k) ((k) % SELECT_ROWS)
enum { SELECT_WORDS = (KEPT_ITEMS + SELECT_ROWS - 1) / SELECT_ROWS };
#endif

// The room for kept elements; where their runs are folded, values of the tile follow them there.
#ifdef FOLDS_RUNS
// Where a tile's value lies among those: words of neighbouring runs are in different banks of local memory.
enum { RUN_LINE = VALUE_BYTES < 128 ? 128 / VALUE_BYTES : 1 };
#define RUN_AT(i) ((i) + (i) / RUN_LINE * (VALUE_BYTES < 4 ? 4 / VALUE_BYTES : 1))
enum {
  RUN_BYTES = (RUN_AT(SELECT_TILE - 1) + 1) * VALUE_BYTES,
  SELECT_ROOM = RUN_BYTES > SELECT_TILE * KEPT_BYTES ? RUN_BYTES : SELECT_TILE * KEPT_BYTES
};
#define SELECT_STAGED_MEMBER __local STORED *staged;
#define SELECT_ELEMENTS(name)                                               \
  __local uchar name##_room[SELECT_ROOM] __attribute__((aligned(128)));     \
  name.staged = (__local STORED *)name##_room;                              \
  name.elements = (__local KEPT *)name##_room
#else
#define SELECT_STAGED_MEMBER
#define SELECT_ELEMENTS(name)                  \
  __local KEPT name##_elements[SELECT_TILE];   \
  name.elements = name##_elements
#endif

typedef struct {
  __local KEPT *elements;
  SELECT_STAGED_MEMBER
  __local uint *rows;      // of each set: the counts of its rows
  __local uint *sets;      // the count of each set
  __local uint *exchange;  // a word for each work-item, where lanes exchange through local memory
  SELECT_PLACES_MEMBER
} select_memory;
#ifdef LANES_NEED_EXCHANGE
#define SELECT_EXCHANGE(name)               \
  __local uint name##_exchange[GROUP_SIZE]; \
  name.exchange = name##_exchange
#else
#define SELECT_EXCHANGE(name) name.exchange = 0
#endif
#define SELECT_MEMORY(name)                             \
  select_memory name;                                   \
  SELECT_ELEMENTS(name);                                \
  __local uint name##_rows[SELECT_SETS * SELECT_WORDS]; \
  __local uint name##_sets[SELECT_SETS];                \
  SELECT_EXCHANGE(name);                                \
  SELECT_PLACES(name);                                  \
  name.rows = name##_rows;                              \
  name.sets = name##_sets

// Before select_find_last, with a barrier behind it. All work-items must call.
INLINE void select_clear_last(select_memory memory) {
#ifdef TELLS_LAST
  if (own_id_anew() == 0) *memory.last = 0;
  GROUP_BARRIER();
#endif
}

// Where the last kept element lies in the tile, in `memory.last`, after a barrier. All work-items must call. Before the
// counts are summed: PoCL 3.1 sums them wrongly where `kept` is still used behind the sums.
INLINE void select_find_last(select_bits kept, select_memory memory) {
#ifdef TELLS_LAST
  const uint id = own_id_anew();
  if (kept != 0) {
    const uint bit = sizeof kept * 8 - 1 - (uint)clz(kept);
    const uint in_set = bit / KEPT_VECTOR * SELECT_ROW + id % LANES * KEPT_VECTOR + bit % KEPT_VECTOR;
    atomic_max(memory.last, id / LANES * SELECT_OF_SET + in_set);
  }
#endif
}

#ifndef THREE_WAYS
// How many of the tile's elements are kept, in every work-item, and where the last of them lies, in `memory.last`. All must
// call.
INLINE uint select_count(select_input in, uint tile, select_memory memory, named_values given) {
  kept_packet held[KEPT_ITEMS];
  select_clear_last(memory);
  const select_bits kept = select_load(held, in, tile, given);
  select_find_last(kept, memory);
  const uint sums = LANES_SUMS((uint)popcount(kept), memory.exchange);
  const uint id = own_id_anew();
  GROUP_BARRIER();
  if (id % LANES == LANES - 1) memory.sets[id / LANES] = sums;
  GROUP_BARRIER();
  uint before;
  return sum_of_sets(&before, memory.sets);
}
#endif

#ifdef SPLIT
// The sum of a number of each work-item. All must call; before each call stands a barrier. Sums of more than a word are made
// by pieces of so many bits, whose own sums have one.
enum { SUM_PIECE = 16 };
INLINE ulong select_sum(ulong number, select_memory memory) {
  uint piece;
  if (COUNT_WORDS == 1) {
    group_sums((uint)number, &piece, memory.sets, memory.exchange);
    GROUP_BARRIER();
    return piece;
  }
  ulong sum = 0;
  UNROLL
  for (uint at = 0; at < 3 * SUM_PIECE; at += SUM_PIECE) {
    group_sums((uint)(number >> at) & ((1u << SUM_PIECE) - 1), &piece, memory.sets, memory.exchange);
    sum += (ulong)piece << at;
    GROUP_BARRIER();
  }
  return sum;
}
#endif

#ifndef THREE_WAYS
// A work-item's elements, which of them are kept, of each row how many the lanes below keep, and how many the sets before.
typedef struct {
  kept_packet held[KEPT_ITEMS];
  select_bits kept;
  uint below[SELECT_WORDS];
  uint before;
} select_taken;
#endif

// Word w of the counts of a work-item's rows.
static inline uint select_counts_of(select_bits kept, uint w) {
#ifdef SELECT_COUNTS_NIBBLES
  uint nibbles = (uint)(kept >> (w / 2 * 32));  // the bits of each packet are added in its own place, of all at a time
  nibbles -= nibbles >> 1 & 0x55555555;
  nibbles = (nibbles & 0x33333333) + (nibbles >> 2 & 0x33333333);
  return nibbles >> w % 2 * 4 & 0x0f0f0f0f;
#else
  uint counts = 0;
  UNROLL
  for (uint r = 0; r < SELECT_ROWS; ++r) {
    const uint k = w * SELECT_ROWS + r;
    if (k < KEPT_ITEMS) counts |= popcount(select_bits_of(kept, k) & ((1u << KEPT_VECTOR) - 1)) << (r * SELECT_BITS);
  }
  return counts;
#endif
}

#ifndef THREE_WAYS
// As select_count, and keeps what select_compact needs. So others can be told of the count first.
INLINE uint select_take(select_taken *taken, select_input in, uint tile, bool split, select_memory memory, named_values given) {
  select_clear_last(memory);
  const select_bits kept = select_load(taken->held, in, tile, given);
  taken->kept = kept;
  select_find_last(kept, memory);
  const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
  const uint of_set = LANES_SUMS((uint)popcount(kept), memory.exchange);  // in the last lane
  UNROLL
  for (uint w = 0; w < SELECT_WORDS; ++w) {
    const uint counts = select_counts_of(kept, w);
    const uint sums = LANES_SUMS(counts, memory.exchange);
    taken->below[w] = sums - counts;
    if (lane == LANES - 1) memory.rows[set * SELECT_WORDS + w] = sums;
  }
  if (lane == LANES - 1) memory.sets[set] = of_set;
  GROUP_BARRIER();
  return sum_of_sets(&taken->before, memory.sets);
}
#endif

// Puts those of a packet that bits of `kept` say side by side from number `number` on, and their places; the packet lies at
// `at` in the tile. By pointers: a number counted on took twice the instructions.
INLINE void select_put(const kept_packet *held, uint kept, uint at, uint number, select_memory memory) {
  __local KEPT *to = memory.elements + number;
  SELECT_PLACES_FROM(places, memory, number);
  UNROLL
  for (uint e = 0; e < KEPT_VECTOR; ++e) {
    if ((kept >> e & 1) != 0) {
#ifndef RUN_OFFSETS
      *to++ = kept_in(held, e);
#endif
      SELECT_NOTE_PLACE(places++, at + e);
    }
  }
}

// The bits of those that are not kept, of elements that the input has.
INLINE select_bits select_others(select_bits kept, select_input in, uint tile) {
  const ulong begin = (ulong)tile * SELECT_TILE;
  select_bits all = ~(select_bits)0 >> (sizeof all * 8 - KEPT_ITEMS * KEPT_VECTOR);
  if (begin < in.head || begin + SELECT_TILE > in.end) {
    const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
    all = 0;
    UNROLL_BY(1)
    for (uint b = 0; b < KEPT_ITEMS * KEPT_VECTOR; ++b) {
      const ulong j = begin + set * SELECT_OF_SET + b / KEPT_VECTOR * SELECT_ROW + lane * KEPT_VECTOR + b % KEPT_VECTOR;
      all |= (j >= in.head && j < in.end ? (select_bits)1 : 0) << b;
    }
  }
  return all & ~kept;
}

#ifndef THREE_WAYS
// Puts the kept ones, `count` in the tile, to the front of `memory.elements`, where `split` the others behind them, and their
// places to `memory.places`. What is there can be read after a barrier.
INLINE void select_compact(const select_taken *taken, select_input in, uint tile, uint count, bool split,
                           select_memory memory) {
  const uint set = own_id_anew() / LANES, lane = own_id_anew() % LANES;
  const uint from = (uint)(select_begin(in, tile) - (ulong)tile * SELECT_TILE);
  const select_bits others = split ? select_others(taken->kept, in, tile) : 0;
  uint row = taken->before;  // the number of its first one
  UNROLL
  for (uint k = 0; k < KEPT_ITEMS; ++k) {
    const uint w = SELECT_WORD(k), r = SELECT_FIELD(k);
    const uint at = set * SELECT_OF_SET + k * SELECT_ROW + lane * KEPT_VECTOR;
    const uint number = row + (taken->below[w] >> (r * SELECT_BITS) & SELECT_MOST);
    select_put(&taken->held[k], select_bits_of(taken->kept, k), at, number, memory);
    if (split) select_put(&taken->held[k], select_bits_of(others, k), at, count + max(at, from) - from - number, memory);
    row += memory.rows[set * SELECT_WORDS + w] >> (r * SELECT_BITS) & SELECT_MOST;
  }
}
#endif

// The group goes over `count` results that are stored from `to` on, each number `i` in one work-item. The lanes of a set
// take what one line of memory holds.
#define SELECT_SKEW(to) ((uint)((size_t)(to) / sizeof(*(to)) % LANES))
#define SELECT_STORE_EACH(i, to, count)                                                                               \
  UNROLL_BY(4)                                                                                                        \
  for (uint skew = SELECT_SKEW(to), at = own_id_anew(), i = at - skew; at < (count) + skew; at += GROUP_SIZE, i = at - skew) \
    if (at >= skew)

// Stores `count` elements from local memory, several loads before their stores.
INLINE void select_store(__global KEPT *to, const __local KEPT *from, uint count) {
  enum { at_once = KEPT_BYTES <= 8 ? 4 : KEPT_BYTES <= 16 ? 2 : 1 };
  uint i = own_id_anew() - SELECT_SKEW(to);  // in lanes before the first element a number past all
  if (i < count) STORE_ONCE(KEPT, to + i, from[i]);
  i += GROUP_SIZE;
  to += i;
  from += i;
  UNROLL_BY(1)
  for (; i + (at_once - 1) * GROUP_SIZE < count; i += at_once * GROUP_SIZE) {
    KEPT held[at_once];
    UNROLL
    for (uint k = 0; k < at_once; ++k) held[k] = from[k * GROUP_SIZE];
    UNROLL
    for (uint k = 0; k < at_once; ++k) STORE_ONCE(KEPT, to + k * GROUP_SIZE, held[k]);
    to += at_once * GROUP_SIZE;
    from += at_once * GROUP_SIZE;
  }
  UNROLL_BY(1)
  for (; i < count; i += GROUP_SIZE, to += GROUP_SIZE, from += GROUP_SIZE) STORE_ONCE(KEPT, to, *from);
}

INLINE void select_store_others(__global KEPT *to, select_memory memory, uint kept, uint in_tile, uint count) {
  select_store(to, memory.elements + kept, count);
}
#endif  // GROUP_SIZE

#ifdef CARRIED
// Stores what `count` kept ones carry: those of `from` that lie where they lie in the tile.
INLINE void select_store_carried(__global CARRIED *to, const __global CARRIED *from, select_memory memory, uint count) {
#if GROUP_SIZE == 1
  SELECT_STORE_EACH(i, to, count) to[i] = from[memory.places[i]];
#else
  // Several loads before the first store: a compiler cannot know that they read no result.
  enum { at_once = sizeof(CARRIED) <= 4 ? 8 : sizeof(CARRIED) <= 16 ? 4 : 1 };
  if (count == 0) return;
  const uint skew = SELECT_SKEW(to), end = count + skew;
  for (uint at = own_id_anew(); at < end; at += at_once * GROUP_SIZE) {
    CARRIED held[at_once];
    UNROLL
    for (uint k = 0; k < at_once; ++k) held[k] = from[memory.places[min(at + k * GROUP_SIZE - skew, count - 1)]];
    UNROLL
    for (uint k = 0; k < at_once; ++k) {
      const uint i = at + k * GROUP_SIZE;
      if (i >= skew && i < end) STORE_ONCE(CARRIED, to + (i - skew), held[k]);
    }
  }
#endif
}
#endif

#ifdef SELECT_KEEPS_PLACES
// Whether the input ends in the tile.
static inline bool select_is_last(select_input in, uint tile) { return in.end <= (ulong)(tile + 1) * SELECT_TILE; }
#endif

#ifdef RUN_LENGTH
// Stores the lengths of the runs that end in the tile: each where the next one begins, that of the last tile at the end.
// The run that reaches into the tile began at the last kept one before it. Differences are those of the lengths' type,
// in which all lengths can be told.
INLINE void select_store_lengths(__global RUN_LENGTH *to, ulong capacity, select_input in, uint tile, kept_of_tiles before,
                                 uint count, select_memory memory) {
  const ulong begin = (ulong)tile * SELECT_TILE;
  const uint skipped = before.count == 0 ? 1 : 0;  // before the first run there is none
  const ulong first = before.count + skipped - 1;
  const uint ending = count - skipped + (select_is_last(in, tile) ? 1 : 0);
  const RUN_LENGTH began = (RUN_LENGTH)(before.last - 1 + in.head - begin), end = (RUN_LENGTH)(in.end - begin);
  const uint stored = (uint)min((ulong)ending, capacity - min(first, capacity));
  SELECT_STORE_EACH(i, to + first, stored) {
    const uint at_run = i + skipped;
    const RUN_LENGTH from = at_run > 0 ? memory.places[at_run - 1] : began;
    to[first + i] = (at_run < count ? memory.places[at_run] : end) - from;
  }
}
#endif

#ifdef RUN_OFFSETS
// Stores where the tile's `count` runs begin; behind the last of all, the end of the input.
INLINE void select_store_offsets(__global RUN_OFFSETS *to, ulong capacity, select_input in, uint tile, ulong before, uint count,
                                 select_memory memory) {
  const ulong begin = (ulong)tile * SELECT_TILE - in.head, n = in.end - in.head;
  const uint all = count + (select_is_last(in, tile) ? 1 : 0);
  const uint stored = (uint)min((ulong)all, capacity - min(before, capacity));
  SELECT_STORE_EACH(i, to + before, stored) to[before + i] = (RUN_OFFSETS)(i < count ? begin + memory.places[i] : n);
}
#endif
