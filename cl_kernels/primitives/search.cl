// search: the first place that decides, for find_if, any_of, all_of, none_of, mismatch, equal and is_sorted. Plans and
// arguments: lib/primitives/search.cpp.
//
// The input is cut into tiles, which begin at multiples of a packet, so that the first one may be short:
//
//     element  0     head                                                     n
//              | tile 0 | tile 1          | tile 2          | ...  | last tile |
//
// SEARCH_TILE elements each, less what is missing before the first packet. Groups take tiles from the front. Group g of a GPU
// takes tiles g, g + groups, g + 2 * groups and so on. A group of a CPU takes the first tile that no other group has. Who
// finds something in a tile leaves the tile's number where all groups look, and a group ends when that number is less than
// those it has left. The group that ends last looks for the place within the first tile in which there is one.
//
// The three counters are 0 before a call and after it: how many groups have ended, the next tile of a CPU's groups, and the
// first tile with a place, inverted, so that 0 stands for none and the first tile for the largest number.

static inline __global uint *search_ended(__global uchar *workspace) { return (__global uint *)(workspace + COUNTER_AT); }
static inline volatile __global uint *search_next(__global uchar *workspace) {
  return (volatile __global uint *)(workspace + COUNTER_AT) + 1;
}
static inline volatile __global uint *search_found(__global uchar *workspace) {
  return (volatile __global uint *)(workspace + COUNTER_AT) + 2;
}
enum { SEARCH_TILE = GROUP_SIZE * ITEMS * VECTOR };

// The inputs, already moved to their first element; y is null where there is one alone. Neighbours are an element and the one
// behind it.
typedef struct {
  const __global KEY *x, *y;
} search_input;

// Whether a place decides: one of elements `a` and `b` of two inputs at one index, of `x` at index i, or of `a` and its successor
// `b`. What a place does not have is any element.
#if defined(SAME_TEXT)
#define SEARCH_INPUT const __global KEY *restrict x, ulong x_offset, const __global KEY *restrict y, ulong y_offset
#define SEARCH_FROM {x + x_offset, y + y_offset}
enum { SEARCHES_TWO = 1 };
static inline bool search_decides(KEY_LOADED a, KEY_LOADED b, ulong i, named_values given) { return !(SAME_TEXT); }
#else
#define SEARCH_INPUT const __global KEY *restrict x, ulong x_offset
#define SEARCH_FROM {x + x_offset, 0}
enum { SEARCHES_TWO = 0 };
#ifdef PREDICATE_TEXT
static inline bool search_decides(KEY_LOADED x, KEY_LOADED none, ulong i, named_values given) {
  if (IS_ON(SEARCHES_OPPOSITE)) return !(PREDICATE_TEXT);
  return PREDICATE_TEXT;
}
#else
static inline bool search_decides(KEY_LOADED a, KEY_LOADED b, ulong i, named_values given) { return comes_before(b, a, given); }
#endif
#endif

// Whether place i does.
INLINE bool search_at(search_input in, ulong i, named_values given) {
  const KEY_LOADED x = READ_AT(KEY_READ, in.x + i);
  if (SEARCHES_TWO) return search_decides(x, READ_AT(KEY_READ, in.y + i), i, given);
  if (IS_ON(SEARCHES_NEIGHBOURS)) return search_decides(x, READ_AT(KEY_READ, in.x + i + 1), i, given);
  return search_decides(x, x, i, given);
}

// How many places there are of n elements.
static inline ulong search_places(ulong n) {
  if (IS_ON(SEARCHES_NEIGHBOURS)) return n > 0 ? n - 1 : 0;
  return n;
}

// The places of a tile, from `begin` to before `end`.
typedef struct {
  ulong begin, end;
} search_span;

static inline search_span search_span_of(uint tile, ulong places, uint head) {
  search_span span;
  span.begin = tile == 0 ? 0 : (ulong)tile * SEARCH_TILE - head;
  span.end = min(places, ((ulong)tile + 1) * SEARCH_TILE - head);
  return span;
}

#ifdef KEY_BITS
// Elements of less than 4 bytes come out of a packet's words, because compilers that see elements keep the packet in memory.
enum { SEARCH_BY_WORD = (KEY_BYTES < 4) & IS_LITTLE_ENDIAN };

typedef union {
  KEY_BITS bits;
  uint words[(sizeof(KEY_BITS) + 3) / 4];
  KEY elements[VECTOR];
} search_packet;

static inline KEY_LOADED search_element(search_packet packet, uint e) {
  if (!SEARCH_BY_WORD) return KEY_READ(packet.elements[e]);
  union {
    uint word;
    KEY element;
  } low;
  low.word = packet.words[e * KEY_BYTES / 4] >> (e * KEY_BYTES % 4 * 8);
  return KEY_READ(low.element);
}

static inline KEY_BITS search_load(const __global KEY *from) {
#if VECTOR * KEY_BYTES == 16
  return load_16_bytes(from);
#else
  return *(const __global KEY_BITS *)from;
#endif
}
// Whether one of a work-item's places in a whole tile decides: those of the packet at `own` and of others behind it.
INLINE bool search_own(search_input in, ulong own, named_values given) {
  search_packet x[ITEMS], y[ITEMS];
  KEY_LOADED behind[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) x[k].bits = search_load(in.x + own + k * (GROUP_SIZE * VECTOR));
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (SEARCHES_TWO) y[k].bits = search_load(in.y + own + k * (GROUP_SIZE * VECTOR));
    if (IS_ON(SEARCHES_NEIGHBOURS)) behind[k] = READ_AT(KEY_READ, in.x + own + k * (GROUP_SIZE * VECTOR) + VECTOR);
  }
  LOADS_DO_NOT_PASS();
  bool found = false;
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    UNROLL
    for (uint e = 0; e < VECTOR; ++e) {
      const KEY_LOADED one = search_element(x[k], e);
      KEY_LOADED other = one;
      if (SEARCHES_TWO) other = search_element(y[k], e);
      if (IS_ON(SEARCHES_NEIGHBOURS)) {
        // In the last turn the index is not past the packet, because compilers look at it all the same.
        const KEY_LOADED inside = search_element(x[k], (e + 1) % VECTOR);
        other = e + 1 < VECTOR ? inside : behind[k];
      }
      found |= search_decides(one, other, own + k * (GROUP_SIZE * VECTOR) + e, given);
    }
  }
  return found;
}
#else
// Whether this work-item finds a place in a whole tile: loads element by element, where elements do not come in packets.
INLINE bool search_own(search_input in, ulong own, named_values given) {
  bool found = false;
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) found |= search_at(in, own + k * GROUP_SIZE, given);
  return found;
}
#endif

// Whether this work-item finds a place in a tile.
INLINE bool search_tile(search_input in, search_span span, named_values given) {
  if (GROUP_SIZE == 1) {
    // In a form that the compiler vectorises: the loop below would take hundreds of times as long.
    uint many = 0;
    for (ulong i = span.begin; i < span.end; ++i) many |= search_at(in, i, given) ? 1 : 0;
    return many != 0;
  }
  if (span.end - span.begin == SEARCH_TILE) return search_own(in, span.begin + get_local_id(0) * VECTOR, given);
  bool found = false;
  for (ulong i = span.begin + get_local_id(0); i < span.end; i += GROUP_SIZE) found |= search_at(in, i, given);
  return found;
}

// Leaves the result where `found` is the first tile with a place, inverted. The work-items of one group call.
#ifdef GIVES_INDEX
typedef ulong search_result_type;
#else
typedef uchar search_result_type;
#endif
INLINE void search_leave(search_input in, ulong places, uint head, uint found, __global search_result_type *target,
                         __local uint *first, named_values given) {
  const uint id = get_local_id(0);
  if (!IS_ON(GIVES_INDEX)) {
    if (id == 0) *target = (found != 0) == IS_ON(GIVES_WHETHER_FOUND);
    return;
  }
  if (found == 0) {
    if (id == 0) *target = (search_result_type)~0ul;  // nowhere
    return;
  }
  const search_span span = search_span_of(~found, places, head);
  const uint count = (uint)(span.end - span.begin);
  if (id == 0) *first = count;
  GROUP_BARRIER();
  uint own = id;
  while (own < count && !search_at(in, span.begin + own, given)) own += GROUP_SIZE;
  atomic_min(first, min(own, count));
  GROUP_BARRIER();
  if (id == 0) *target = (search_result_type)(span.begin + *first);
}

// What has been found, from work-item 0, which sets the counters back. All work-items must call and get it.
INLINE uint search_take_found(__global uchar *workspace, __local uint *shared) {
  GROUP_BARRIER();  // others may still read what was shared before
  if (get_local_id(0) == 0) *shared = atomic_xchg(search_found(workspace), 0u);
  GROUP_BARRIER();
  const uint found = *shared;
  GROUP_BARRIER();
  if (GROUP_SIZE == 1) *search_next(workspace) = 0;
  return found;
}

// Whether this group ends last, and is to leave the result. All work-items must call; `flag` is a word of local memory.
#ifndef ORDER_TWO_LAUNCHES
static inline bool search_ends_last(__global uchar *workspace, __local uint *flag) {
  return arrives_last(search_ended(workspace), get_num_groups(0), flag);
}
#else
static inline bool search_ends_last(__global uchar *workspace, __local uint *flag) { return false; }

// The result. One group.
KERNEL void search_result(SEARCH_INPUT, ELEMENTS_ARGUMENT, uint head, __global search_result_type *out, ulong out_offset,
                          __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  __local uint shared;
  const search_input in = SEARCH_FROM;
  const ulong places = search_places(n);
  const uint found = search_take_found(workspace, &shared);
  search_leave(in, places, head, found, out + out_offset, &shared, given);
}
#endif

// Global size: any number of groups. Tiles are less than 2^31.
KERNEL void search(SEARCH_INPUT, ELEMENTS_ARGUMENT, uint head, __global search_result_type *out, ulong out_offset,
                   __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  __local uint shared;
  const search_input in = SEARCH_FROM;
  const ulong places = search_places(n);
  const uint tiles = places == 0 ? 0 : (uint)((places + head + SEARCH_TILE - 1) / SEARCH_TILE);
  if (GROUP_SIZE > 1) {
    for (uint tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
      // Read before the tile and used after it, so that both reads are waited for at once.
      const uint found = watched_word(search_found(workspace));
      if (search_tile(in, search_span_of(tile, places, head), given)) atomic_max(search_found(workspace), ~tile);
      if (found > ~(tile + (uint)get_num_groups(0))) break;
    }
  } else {
    for (uint tile = atomic_inc(search_next(workspace)); tile < tiles && watched_word(search_found(workspace)) <= ~tile;
         tile = atomic_inc(search_next(workspace))) {
      if (search_tile(in, search_span_of(tile, places, head), given)) atomic_max(search_found(workspace), ~tile);
    }
  }
  if (search_ends_last(workspace, &shared)) {
    const uint found = search_take_found(workspace, &shared);
    search_leave(in, places, head, found, out + out_offset, &shared, given);
  }
}
