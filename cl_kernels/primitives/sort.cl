// sort, sort_by_key and argsort: a radix sort from the lowest digit of 8 bits to the highest. Plans and arguments:
// lib/primitives/sort.cpp.
//
// Up to a tile is sorted in one launch. Else three launches for each digit: the counts of each tile's digits, their sums,
// and the keys to their places. A CPU's groups are one work-item each and have one part of the input each.
#ifdef PRIMITIVE_SORT

// Where keys and what goes with them lie, in bytes; from where and to where, in turn from digit to digit.
#define KEYS_AT(buffer, at) ((const __global KEY *)((buffer) + (at)))
#define KEYS_TO(buffer, at) ((__global KEY *)((buffer) + (at)))
#ifdef CARRIES
#define CARRIED_ARGUMENTS \
  , const __global uchar *values, ulong values_at, __global uchar *values_to, ulong values_to_at, uint steps
#define CARRIED_AT(buffer, at) ((const __global carried *)((buffer) + (at)))
#define CARRIED_TO(buffer, at) ((__global carried *)((buffer) + (at)))
#else
#define CARRIED_ARGUMENTS
#endif

// An argsort reads no values in its first step, and stores no keys in its last one.
#define STEP_FIRST 1u
#define STEP_LAST 2u
#ifdef INDEX
#define STORES_KEYS(steps) (((steps)&STEP_LAST) == 0)
#define CARRIED_FROM(from, steps, i) (((steps)&STEP_FIRST) != 0 ? (INDEX)(i) : (from)[i])
#else
#define STORES_KEYS(steps) true
#define CARRIED_FROM(from, steps, i) ((from)[i])
#endif

// In the workspace: the counts of each digit's tiles, digit after digit, behind the sums of all tiles of each digit.
#define SORT_TOTALS(workspace) ((__global COUNT *)((workspace) + OWN_AT))
#define SORT_COUNTS(workspace) (SORT_TOTALS(workspace) + SORT_DIGITS)

#if GROUP_SIZE == 1

// The part of a group of `tiles`.
static inline ulong sort_share(ulong n, uint tiles) { return (n + tiles - 1) / tiles; }

INLINE void sort_count(const __global KEY *keys, ulong begin, ulong end, uint shift, uint mask, uint *counts) {
  // Neighbours count apart, so that equal ones need not wait for each other.
  uint others[SORT_DIGITS];
  for (uint d = 0; d < SORT_DIGITS; ++d) counts[d] = others[d] = 0;
  ulong i = begin;
  for (; i + 2 <= end; i += 2) {
    ++counts[sort_digit(keys[i], shift, mask)];
    ++others[sort_digit(keys[i + 1], shift, mask)];
  }
  if (i < end) ++counts[sort_digit(keys[i], shift, mask)];
  for (uint d = 0; d < SORT_DIGITS; ++d) counts[d] += others[d];
}

// Brings keys to their places; those of digit d begin at places[d].
#ifdef CARRIES
#define MOVED_PARAMETERS , const __global carried *values, __global carried *values_to, uint steps
#else
#define MOVED_PARAMETERS
#endif
INLINE void sort_move(const __global KEY *keys, __global KEY *keys_to MOVED_PARAMETERS, ulong begin, ulong end, uint shift,
                      uint mask, COUNT *places) {
  for (ulong i = begin; i < end; ++i) {
    const KEY key = keys[i];
    const COUNT to = places[sort_digit(key, shift, mask)]++;
    if (STORES_KEYS(steps)) keys_to[to] = key;
#ifdef CARRIES
    values_to[to] = CARRIED_FROM(values, steps, i);
#endif
  }
}

// All digits in one launch, by one work-item: `passes` of them, of the bits from `shift` on. Before the last one keys and
// values are in the spare room and in the output in turn; an argsort has two spare rooms for keys, and no output.
KERNEL void sort_small(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at,
                       ulong keys_spare_at
#ifdef CARRIES
                       , const __global uchar *values, ulong values_at, __global uchar *values_to, ulong values_to_at,
                       ulong values_spare_at
#endif
                       , ulong n, uint shift, uint bits, uint passes, __global uchar *workspace) {
  const __global KEY *from = KEYS_AT(keys, keys_at);
#ifdef CARRIES
  const __global carried *values_from = CARRIED_AT(values, values_at);
#endif
  for (uint pass = 0; pass < passes; ++pass) {
    const uint begin = bits * pass / passes, end = bits * (pass + 1) / passes;
    const uint mask = (1u << (end - begin)) - 1;
    const bool spare = (passes - pass) % 2 == 0;
    uint counts[SORT_DIGITS];
    COUNT places[SORT_DIGITS];
    sort_count(from, 0, n, shift + begin, mask, counts);
    COUNT before = 0;
    for (uint d = 0; d < SORT_DIGITS; ++d) {
      places[d] = before;
      before += counts[d];
    }
    __global KEY *to = spare ? KEYS_TO(workspace, keys_spare_at) : KEYS_TO(keys_to, keys_to_at);
#ifdef CARRIES
    __global carried *carried_to = spare ? CARRIED_TO(workspace, values_spare_at) : CARRIED_TO(values_to, values_to_at);
    const uint steps = (pass == 0 ? STEP_FIRST : 0) | (pass + 1 == passes ? STEP_LAST : 0);
    sort_move(from, to, values_from, carried_to, steps, 0, n, shift + begin, mask, places);
    values_from = carried_to;
#else
    sort_move(from, to, 0, n, shift + begin, mask, places);
#endif
    from = to;
  }
}

// Global size: tiles.
KERNEL void sort_counts(const __global uchar *keys, ulong keys_at, ulong n, uint tiles, uint shift, uint bits,
                        __global uchar *workspace) {
  const uint tile = get_group_id(0);
  const ulong begin = min(sort_share(n, tiles) * tile, n), end = min(sort_share(n, tiles) * (tile + 1), n);
  uint counts[SORT_DIGITS];
  sort_count(KEYS_AT(keys, keys_at), begin, end, shift, (1u << bits) - 1, counts);
  for (uint d = 0; d < SORT_DIGITS; ++d) SORT_COUNTS(workspace)[(ulong)d * tiles + tile] = counts[d];
}

// Where each tile's keys of each digit begin. One group.
KERNEL void sort_places(uint tiles, __global uchar *workspace) {
  COUNT before = 0;
  for (ulong i = 0; i < (ulong)SORT_DIGITS * tiles; ++i) {
    const COUNT count = SORT_COUNTS(workspace)[i];
    SORT_COUNTS(workspace)[i] = before;
    before += count;
  }
}

// Global size: tiles.
KERNEL void sort_move_keys(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
                           CARRIED_ARGUMENTS, ulong n, uint tiles, uint shift, uint bits, __global uchar *workspace) {
  const uint tile = get_group_id(0);
  const ulong begin = min(sort_share(n, tiles) * tile, n), end = min(sort_share(n, tiles) * (tile + 1), n);
  COUNT places[SORT_DIGITS];
  for (uint d = 0; d < SORT_DIGITS; ++d) places[d] = SORT_COUNTS(workspace)[(ulong)d * tiles + tile];
#ifdef CARRIES
  sort_move(KEYS_AT(keys, keys_at), KEYS_TO(keys_to, keys_to_at), CARRIED_AT(values, values_at),
            CARRIED_TO(values_to, values_to_at), steps, begin, end, shift, (1u << bits) - 1, places);
#else
  sort_move(KEYS_AT(keys, keys_at), KEYS_TO(keys_to, keys_to_at), begin, end, shift, (1u << bits) - 1, places);
#endif
}

#else

#ifndef CARRIED_PART
#define SORTS_SMALL 1
#elif CARRIED_BYTES <= 16
#define SORTS_SMALL 1
#endif

#ifdef SORTS_SMALL
// All digits in one launch, of at most a tile. One group. In place, too: all is loaded before anything is stored.
KERNEL void sort_small(const __global uchar *keys, ulong keys_at
#ifndef INDEX
                       , __global uchar *keys_to, ulong keys_to_at
#endif
#ifdef CARRIED_PART
                       , const __global uchar *values, ulong values_at
#endif
#ifdef CARRIES
                       , __global uchar *values_to, ulong values_to_at
#endif
                       , ulong n, uint shift, uint bits) {
  SORT_MEMORY(memory);
  const uint count = (uint)n;
  sort_load(KEYS_AT(keys, keys_at), count, memory);
  GROUP_BARRIER();
  sort_by_bits(count, shift, bits, memory);
  const uint id = own_id_anew();
#ifndef INDEX
  __global KEY *to = KEYS_TO(keys_to, keys_to_at);
  for (uint i = id; i < count; i += GROUP_SIZE) to[i] = memory.keys[i];
#endif
#ifdef CARRIES
  carried held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + id;
#ifdef INDEX
    if (i < count) held[k] = memory.places[i];
#else
    if (i < count) held[k] = CARRIED_AT(values, values_at)[memory.places[i]];
#endif
  }
  GROUP_GLOBAL_BARRIER();
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + id;
    if (i < count) CARRIED_TO(values_to, values_to_at)[i] = held[k];
  }
#endif
}
#endif

// Lane sets count apart, so that equal keys of different sets need not wait for each other.
#define SORT_COPIES (LANE_SETS < 8 ? LANE_SETS : 8)

static inline uint sort_count_of_tile(ulong n, uint tile) {
  return (uint)min(n - (ulong)tile * SORT_TILE, (ulong)SORT_TILE);
}

// Global size: tiles * GROUP_SIZE.
KERNEL void sort_counts(const __global uchar *keys, ulong keys_at, ulong n, uint tiles, uint shift, uint bits,
                        __global uchar *workspace) {
  __local uint counts[SORT_COPIES * SORT_DIGITS];
  const uint id = get_local_id(0), tile = get_group_id(0);
  for (uint d = id; d < SORT_COPIES * SORT_DIGITS; d += GROUP_SIZE) counts[d] = 0;
  GROUP_BARRIER();
  const __global KEY *from = KEYS_AT(keys, keys_at) + (ulong)tile * SORT_TILE;
  const uint count = sort_count_of_tile(n, tile), mask = (1u << bits) - 1;
  __local uint *own = counts + id / LANES % SORT_COPIES * SORT_DIGITS;
  KEY held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE + id < count) held[k] = from[k * GROUP_SIZE + id];
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE + id < count) atomic_inc(own + sort_digit(held[k], shift, mask));
  }
  GROUP_BARRIER();
  for (uint d = id; d < SORT_DIGITS; d += GROUP_SIZE) {
    uint sum = 0;
    UNROLL
    for (uint copy = 0; copy < SORT_COPIES; ++copy) sum += counts[copy * SORT_DIGITS + d];
    SORT_COUNTS(workspace)[(ulong)d * tiles + tile] = sum;
  }
}

// Of each digit, where among all of its keys those of each tile begin, and how many there are. Global size: SORT_DIGITS *
// GROUP_SIZE.
KERNEL void sort_places(uint tiles, __global uchar *workspace) {
  __local uint sets[LANE_SETS];
#ifdef LANES_NEED_EXCHANGE
  __local uint exchange[GROUP_SIZE];
#else
  __local uint *exchange = 0;
#endif
  const uint id = get_local_id(0), digit = get_group_id(0);
  __global COUNT *row = SORT_COUNTS(workspace) + (ulong)digit * tiles;
  COUNT before = 0;
  for (uint begin = 0; begin < tiles; begin += GROUP_SIZE) {
    const bool exists = id < tiles - begin;
    const uint count = exists ? (uint)row[begin + id] : 0;
    uint sum;
    const uint in_turn = sort_sums(count, &sum, sets, exchange);
    if (exists) row[begin + id] = before + in_turn;
    before += sum;
    GROUP_BARRIER();
  }
  if (id == 0) SORT_TOTALS(workspace)[digit] = before;
}

// Where the keys of each digit begin: those of the tile in `places`, which can be read after a barrier. Of sums
// that 32 bits may not hold, 16 bits at a time. All work-items must call.
INLINE void sort_find_places(__local COUNT *places, __global uchar *workspace, uint tile, uint tiles, sort_memory memory) {
  enum { each = (SORT_DIGITS + GROUP_SIZE - 1) / GROUP_SIZE };
  const uint first = own_id_anew() * each;
  COUNT totals[each], sum = 0;
  for (uint d = 0; d < each; ++d) {
    totals[d] = first + d < SORT_DIGITS ? SORT_TOTALS(workspace)[first + d] : 0;
    sum += totals[d];
  }
  uint all;
#ifdef MANY_KEYS
  COUNT before = 0;
  UNROLL
  for (uint shift = 0; shift < 48; shift += 16) {
    before += (COUNT)sort_sums((uint)(sum >> shift) & 0xffff, &all, memory.sets, memory.exchange) << shift;
    GROUP_BARRIER();
  }
#else
  COUNT before = sort_sums(sum, &all, memory.sets, memory.exchange);
#endif
  for (uint d = 0; d < each; ++d) {
    if (first + d < SORT_DIGITS) places[first + d] = before + SORT_COUNTS(workspace)[(ulong)(first + d) * tiles + tile];
    before += totals[d];
  }
}

// Global size: tiles * GROUP_SIZE.
KERNEL void sort_move_keys(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
                           CARRIED_ARGUMENTS, ulong n, uint tiles, uint shift, uint bits, __global uchar *workspace) {
  SORT_MEMORY(memory);
  __local COUNT places[SORT_DIGITS];
  const uint tile = get_group_id(0);
  const ulong begin = (ulong)tile * SORT_TILE;
  const uint count = sort_count_of_tile(n, tile), mask = (1u << bits) - 1;
  sort_find_places(places, workspace, tile, tiles, memory);
  sort_load(KEYS_AT(keys, keys_at) + begin, count, memory);
  GROUP_BARRIER();
  sort_by_bits(count, shift, bits, memory);
  // From where a digit begins in the tile to where it begins in the output. Wraps, and so does the sum below.
  for (uint i = own_id_anew(); i < count; i += GROUP_SIZE) {
    const uint digit = sort_digit(memory.keys[i], shift, mask);
    if (i == 0 || sort_digit(memory.keys[i - 1], shift, mask) != digit) places[digit] -= i;
  }
  GROUP_BARRIER();
  __global KEY *to = KEYS_TO(keys_to, keys_to_at);
  UNROLL_BY(4)
  for (uint i = own_id_anew(); i < count; i += GROUP_SIZE) {
    const KEY key = memory.keys[i];
    const COUNT place = places[sort_digit(key, shift, mask)] + i;
    if (STORES_KEYS(steps)) to[place] = key;
#ifdef CARRIES
    const ulong from = begin + memory.places[i];
    CARRIED_TO(values_to, values_to_at)[place] = CARRIED_FROM(CARRIED_AT(values, values_at), steps, from);
#endif
  }
}

#endif  // GROUP_SIZE

#endif  // PRIMITIVE_SORT
