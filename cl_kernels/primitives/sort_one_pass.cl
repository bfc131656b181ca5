// sort by the groups of a GPU that send each other messages: the counts of all digits and their sums, and where the keys of a
// tile go by those of the tiles before it (look_back_digits.cl). Arguments and launches: sort.cl.

// The digits of a call, and copies of their counts: lanes count apart, so that equal keys need not wait for each other.
enum {
  SORT_PASSES = KEY_BYTES > 2 ? KEY_BYTES : 2,
  SORT_COPIES = 8 / SORT_PASSES
};

// Counts the keys of each value of all digits, apart for each group, and clears the messages of the launches that follow.
KERNEL void sort_digits(const __global uchar *keys, ulong keys_at, ELEMENTS_ARGUMENT, uint tiles, uint shift, uint bits,
                        uint passes, __global uchar *workspace, ulong counts_at, ulong messages_at) {
  COLLECT_ELEMENTS
  __local uint counts[SORT_COPIES * SORT_PASSES * SORT_DIGITS];
  const uint id = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  __global digit_message *messages = (__global digit_message *)(workspace + messages_at);
  for (ulong m = (ulong)group * GROUP_SIZE + id; m < (ulong)sort_tiles(n, tiles) * SORT_DIGITS; m += (ulong)groups * GROUP_SIZE)
    messages[m] = 0;
  for (uint d = id; d < SORT_COPIES * SORT_PASSES * SORT_DIGITS; d += GROUP_SIZE) counts[d] = 0;
  GROUP_BARRIER();
  __local uint *own = counts + id % SORT_COPIES * (SORT_PASSES * SORT_DIGITS);
  for (uint tile = group; tile < sort_tiles(n, tiles); tile += groups) {
    const __global KEY *from = sort_keys_at(keys, keys_at) + (ulong)tile * SORT_TILE;
    const uint count = sort_count_of_tile(n, tile);
    KEY held[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k * GROUP_SIZE + id < count) held[k] = from[k * GROUP_SIZE + id];
    }
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) held[k] = (KEY)(key_ordered(held[k]) >> shift);
    for (uint pass = 0; pass < passes; ++pass) {
      const uint begin = sort_digit_begin(bits, pass, passes), end = sort_digit_begin(bits, pass + 1, passes);
      const uint mask = (1u << (end - begin)) - 1;
      __local uint *of_pass = own + pass * SORT_DIGITS;
      if (count == SORT_TILE) {
        UNROLL
        for (uint k = 0; k < ITEMS; ++k) atomic_inc(of_pass + ((uint)(held[k] >> begin) & mask));
      } else {
        UNROLL
        for (uint k = 0; k < ITEMS; ++k) {
          if (k * GROUP_SIZE + id < count) atomic_inc(of_pass + ((uint)(held[k] >> begin) & mask));
        }
      }
    }
  }
  GROUP_BARRIER();
  __global uint *to = (__global uint *)(workspace + counts_at) + (ulong)group * passes * SORT_DIGITS;
  for (uint d = id; d < passes * SORT_DIGITS; d += GROUP_SIZE) {
    uint sum = 0;
    UNROLL
    for (uint copy = 0; copy < SORT_COPIES; ++copy) sum += counts[copy * SORT_PASSES * SORT_DIGITS + d];
    to[d] = sum;
  }
}

// Sums what `rows` groups have counted. A group takes LANES values of a digit, each of its lane sets some of the rows.
KERNEL void sort_totals(uint rows, uint passes, __global uchar *workspace, ulong counts_at) {
  __local COUNT sums[GROUP_SIZE];
  const uint id = get_local_id(0);
  const ulong column = (ulong)get_group_id(0) * LANES + id % LANES, columns = (ulong)passes * SORT_DIGITS;
  const __global uint *counts = (const __global uint *)(workspace + counts_at);
  COUNT sum = 0;
  UNROLL_BY(8)
  for (uint row = id / LANES; row < rows; row += LANE_SETS) sum += counts[row * columns + column];
  sums[id] = sum;
  GROUP_BARRIER();
  if (id < LANES) {
    sum = 0;
    for (uint set = 0; set < LANE_SETS; ++set) sum += sums[set * LANES + id];
    sort_totals_of(workspace)[column] = sum;
  }
}

static inline uint sort_take_number(__global uchar *workspace, __local uint *number, uint numbers) {
  if (own_id_anew() == 0) *number = take_number((__global uint *)(workspace + COUNTER_AT), numbers);
  GROUP_BARRIER();
  return *number;
}
// Goes over the tiles that a group brings to their places. Groups that do not start in the order of their numbers take
// numbers as they start. Where elements are counted there are fewer groups than tiles may be: where the groups are
// enough, each has one tile, else each takes the next number from a counter: a tile's predecessors then have all begun.
#ifdef COUNTED_BY
static inline uint sort_take_tile(__global uchar *workspace, __local uint *number, uint tiles) {
  return sort_take_number(workspace, number, tiles + (uint)get_num_groups(0));
}
#define SORT_EACH_OWN_TILE(tile, tiles)                                                                      \
  __local uint number;                                                                                       \
  const bool takes = IS_ON(IN_ORDER_OF_START) || sort_tiles(n, tiles) > (uint)get_num_groups(0);             \
  for (uint tile = takes ? sort_take_tile(workspace, &number, sort_tiles(n, tiles)) : (uint)get_group_id(0); \
       tile < sort_tiles(n, tiles);                                                                          \
       tile = takes ? sort_take_tile(workspace, &number, sort_tiles(n, tiles)) : sort_tiles(n, tiles))
#else
#define SORT_EACH_OWN_TILE(tile, tiles) \
  __local uint number;                  \
  const uint tile = IS_ON(IN_ORDER_OF_START) ? sort_take_number(workspace, &number, tiles) : (uint)get_group_id(0);
#endif

// Begins to find where a tile's keys of each digit go: posts how many they are, as far as it is known. Behind sort_starts; a
// barrier stands behind it.
INLINE void sort_begin_places(sort_pass p, COUNT *before, const uint *sums, const uint *starts, sort_memory memory) {
  const uint own = own_id_anew() * SORT_EACH;
  const digit_messages posted = messages_of_launch(p.workspace + p.messages_at, p.pass);
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) before[e] = 0;
  if (p.tile == 0) sort_digit_starts(before, sort_totals_of(p.workspace) + p.pass * SORT_DIGITS, memory);
  if (own_id_anew() == 0) *p.asked_for = NO_TILE;
  if (p.tile + 1 < p.tiles) {
    UNROLL
    for (uint e = 0; e < SORT_EACH; ++e) {
      if (own + e < SORT_DIGITS) post_digit(posted, p.tile, own + e, before[e] + sums[e], p.tile == 0);
    }
  }
}

// Finds them, behind sort_place_keys.
INLINE void sort_end_places(sort_pass p, COUNT *before, const uint *sums, const uint *starts, sort_memory memory) {
  const uint id = own_id_anew(), own = id * SORT_EACH;
  const digit_messages posted = messages_of_launch(p.workspace + p.messages_at, p.pass);
  uint far[SORT_EACH];
  UNROLL
  for (uint e = 0; e < SORT_EACH; ++e) far[e] = p.tile;
  // One way out of each loop: PoCL 3.1 makes a copy for each of all that follows.
  bool complete = false;
  for (uint looks = LOOKS; !complete; looks = 1) {
    uint missing = NO_TILE;
    UNROLL
    for (uint e = 0; e < SORT_EACH; ++e) {
      if (own + e < SORT_DIGITS) {
        far[e] = look_back_digits(&before[e], far[e], posted, own + e, looks);
        if (far[e] == 0 && p.tile > 0 && p.tile + 1 < p.tiles) post_digit(posted, p.tile, own + e, before[e] + sums[e], true);
        missing = min(missing, far[e] - 1);
        p.places[own + e] = before[e] - starts[e];
      }
    }
    if (missing != NO_TILE) atomic_min(p.asked_for, missing);
    GROUP_BARRIER();
    missing = *p.asked_for;
    complete = missing == NO_TILE;
    if (!complete) {
      GROUP_BARRIER();
      if (id == 0) *p.asked_for = NO_TILE;
      sort_count_missing(posted, missing, p.keys, p.shift, p.mask, sort_totals_of(p.workspace) + p.pass * SORT_DIGITS,
                         (__local uint *)p.places, memory);
    }
  }
}
