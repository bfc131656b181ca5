// set_union, set_intersection, set_difference and set_symmetric_difference of two sorted ranges, as multisets. Plans and
// arguments: lib/primitives/set_operations.cpp.
//
// The result is what a merge of the two would be without the elements that do not belong in it, and so it is made: by tiles of
// the merged ranges (merge_path.cl), of which each keeps some. Whether an element belongs in it, its number among its equals
// in its own range and the number of its equals in the other one decide. Those before a tile are counted by a search. How
// many elements the tiles before one keep, messages say, or in three launches counts and their sums: as in select.cl.

typedef struct {
  const __global KEY *a, *b;
  ulong a_n, b_n;
} set_input;
// Of an intersection or a difference the second range is `a` here, whose elements come first among equals: then what is before
// an element of the first range decides whether it belongs in the result.
#if defined(SET_INTERSECTION) || defined(SET_DIFFERENCE)
#define SET_INPUT(in) \
  COLLECT_RANGES      \
  const set_input in = {b, a, b_n, a_n}
#else
#define SET_INPUT(in) \
  COLLECT_RANGES      \
  const set_input in = {a, b, a_n, b_n}
#endif

// Where a tile begins: in `a`, and how many elements before that, in either range, are equal to the tile's first one.
typedef struct {
  ulong a, a_equal, b_equal;
} set_begin;

static inline ulong set_count_in(ulong begin, set_input in) { return min(in.a_n + in.b_n - begin, (ulong)MERGE_TILE); }

// How many of the last elements of the first `end` of a sorted list do not come before `x`. Most often they are few: steps
// back that double find where to halve.
INLINE ulong set_equal_before(const __global KEY *list, ulong end, KEY_LOADED x, named_values given) {
  ulong low = 0, high = end;
  for (ulong step = 1; low < high; step *= 2) {
    const ulong asked = high - min(step, high);
    if (comes_before(key_at(list + asked), x, given)) {
      low = asked + 1;
      break;
    }
    high = asked;
  }
  while (low < high) {
    const ulong middle = low + (high - low) / 2;
    if (comes_before(key_at(list + middle), x, given))
      low = middle + 1;
    else
      high = middle;
  }
  return end - low;
}

// From the tile's cut.
INLINE set_begin set_begin_at(set_input in, uint tile, ulong cut, named_values given) {
  const ulong of_b = (ulong)tile * MERGE_TILE - cut;
  set_begin found;
  found.a = cut;
  const bool is_b = found.a == in.a_n || (of_b < in.b_n && comes_before(key_at(in.b + of_b), key_at(in.a + found.a), given));
  const KEY_LOADED first = is_b ? key_at(in.b + of_b) : key_at(in.a + found.a);
  found.a_equal = set_equal_before(in.a, found.a, first, given);
  found.b_equal = set_equal_before(in.b, of_b, first, given);
  return found;
}

#if GROUP_SIZE > 1
typedef struct {
  merge_memory tile;
  __local uint *sets;
  __local uint *exchange;
} set_memory;
#ifdef LANES_NEED_EXCHANGE
#define SET_EXCHANGE(name)                  \
  __local uint name##_exchange[GROUP_SIZE]; \
  name.exchange = name##_exchange
#else
#define SET_EXCHANGE(name) name.exchange = 0
#endif
#define SET_MEMORY(name)               \
  set_memory name;                     \
  MERGE_MEMORY(name##_tile);           \
  __local uint name##_sets[LANE_SETS]; \
  SET_EXCHANGE(name);                  \
  name.tile = name##_tile;             \
  name.sets = name##_sets

// The begins of tiles, from the second on, in the workspace.
#define SET_BEGINS(workspace) ((__global set_begin *)((workspace) + begins_at))
#define BEGINS_ARGUMENT , ulong begins_at
#define WITH_BEGINS , SET_BEGINS(workspace), disagree
#define BEGINS_PARAMETER , const __global set_begin *begins, bool disagree
#define SET_CUTS_DISAGREE const bool disagree = merge_cuts_disagree(workspace)
#define SET_RETURN_BEHIND(tile, tiles) MERGE_RETURN_BEHIND(tile, tiles)
#define SET_FORGET_CUTS \
  if (disagree) merge_forget_cuts(workspace)

// A work-item for each of them. Where groups send messages, none is there behind this launch.
KERNEL void set_search(SORTED_RANGES, uint begins, __global uchar *workspace, ulong begins_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local ulong cuts[SEARCHES_OF_GROUP + 1];
  SET_INPUT(in);
  uint searches = begins;
  AT_MOST_SEARCHES(searches, in.a_n + in.b_n)
  const uint begin = merge_own_search();
  ulong cut = 0;
  if (begin < searches) {
    cut = merge_path(in.a, in.a_n, in.b, in.b_n, ((ulong)begin + 1) * MERGE_TILE, given);
    if (merge_stores_cut()) SET_BEGINS(workspace)[begin] = set_begin_at(in, begin + 1, cut, given);
  }
  merge_compare_cuts(cuts, begin, searches, cut, true, workspace);
#ifdef IN_ONE_PASS
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  for (ulong m = get_global_id(0); m < ((ulong)begins + 1) * COUNT_WORDS; m += get_global_size(0)) messages[m] = 0;
#endif
}

static inline set_begin set_begin_of(uint tile, const __global set_begin *begins) {
  const set_begin none = {0, 0, 0};
  return tile == 0 ? none : begins[tile - 1];
}

#else
typedef struct {
  merge_memory tile;
} set_memory;
#define SET_MEMORY(name)     \
  set_memory name;           \
  MERGE_MEMORY(name##_tile); \
  name.tile = name##_tile
#define BEGINS_ARGUMENT
#define WITH_BEGINS
#define BEGINS_PARAMETER
#define SET_CUTS_DISAGREE
#define SET_RETURN_BEHIND(tile, tiles) RETURN_BEHIND(tile, tiles)
#define SET_FORGET_CUTS
#endif

// Of the neighbouring keys of a tile from `begin` to before `end`, which are sorted: as set_equal_before.
INLINE uint set_equal_in_tile(merge_memory tile, uint begin, uint end, KEY_LOADED x, named_values given) {
  uint low = begin, high = end;
  for (uint step = 1; low < high; step *= 2) {
    const uint asked = high - min(step, high - begin);
    if (form_before(merge_key(tile, asked), x, given)) {
      low = asked + 1;
      break;
    }
    high = asked;
  }
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (form_before(merge_key(tile, middle), x, given))
      low = middle + 1;
    else
      high = middle;
  }
  return end - low;
}

#define SET_MOST_AHEAD 0x07ffffff
// How many more of the equals before an element are of `b` than of `a`, or a limit that no tile comes back from.
static inline int set_more_of_b(ulong a_equal, ulong b_equal) {
  return (int)clamp((long)(b_equal - a_equal), (long)-SET_MOST_AHEAD, (long)SET_MOST_AHEAD);
}

// A number whose sign says whether the next element, which is one of `a` (or of `b`), belongs in the result: it does where that
// is SET_SIGN. And whether one without equals does.
#if defined(SET_UNION)
#define SET_VERDICT(is_b, more_of_b) ((is_b) ? (more_of_b) : 0)
#define SET_SIGN 0
#define SET_BELONGS_ALONE(is_b) true
#elif defined(SET_INTERSECTION)
#define SET_VERDICT(is_b, more_of_b) ((is_b) ? (more_of_b) : 0)
#define SET_SIGN 1
#define SET_BELONGS_ALONE(is_b) false
#elif defined(SET_DIFFERENCE)
#define SET_VERDICT(is_b, more_of_b) ((is_b) ? (more_of_b) : -1)
#define SET_SIGN 0
#define SET_BELONGS_ALONE(is_b) (is_b)
#else
#define SET_ASKS_FOR_PARTNERS
#define SET_VERDICT(is_b, more_of_b) \
  ((is_b) ? (more_of_b)              \
          : set_has_partner(at_b / MERGE_UNIT, a_equal, KEY_READ(x), KEY_READ(key_b), in, tile, lists.end, b_at, given) ? -1 : 0)
#define SET_SIGN 0
#define SET_BELONGS_ALONE(is_b) true

// Whether an element of `a`, before which there are `a_equal` equals, has a partner with the same number among the equals of
// `b`, the first of which comes next there, as element `at_b` of the tile, which has `count`: `next_b`. Element number `i` of
// the tile is number b_at + i of `b`, where it is one of these.
INLINE bool set_has_partner(uint at_b, ulong a_equal, KEY_LOADED x, KEY_LOADED next_b, set_input in, merge_memory tile,
                            uint count, ulong b_at, named_values given) {
  const ulong partner = at_b + a_equal;
  if (b_at + partner >= in.b_n) return false;
  KEY_LOADED other = next_b;
  if (partner >= count)
    other = key_form(key_at(in.b + b_at + partner));  // far behind it is not in the tile
  else if (a_equal > 0)
    other = merge_key(tile, (uint)partner);
  return !form_before(x, other, given);
}
#endif

// What is left of the elements that belong in the result: where keys move in a tile these, else their places in its order.
#ifdef MERGE_MOVES_KEYS
#define SET_KEPT KEY
#define SET_KEPT_OF(key, place) (key)
#define SET_KEPT_AT(tile, i) (tile).keys[MERGE_AT(i)]
#define SET_KEY_OF(tile, kept) (kept)
#define SET_KEY_AT(i) merge_key_at(tile, i)
#else
#define SET_KEPT ushort
#define SET_KEPT_OF(key, place) ((ushort)(place))
#define SET_KEPT_AT(tile, i) (tile).order[i]
#define SET_KEY_OF(tile, kept) (tile).keys[kept]
#define SET_KEY_AT(i) tile.keys[min(i, lists.end - 1)]
#endif

// A work-item's piece of a tile: from `a` on to before `a_end` of its first list, from `b` on to before `b_end` of its second.
typedef struct {
  uint a, a_end, b, b_end;
} set_piece;

// Of a group's work-item: whether its element number `k` belongs in the result. Their bits follow each other downwards.
#define SET_BIT(k) (1u << (ITEMS - 1 - (k)))

// Goes over a piece of a tile, of `own` elements from number `first` on. Keeps those that belong in the result: a group's
// work-items in registers, of which the bits say which belong, a CPU's at the front of the tile's order, of which the result is
// the number. `end_of_a`: how many elements of the tile's first list are in this piece and before it.
//
// Registers have no index, and no branch asks what a work-item's elements are: where fewer than ITEMS are its own, those behind
// them are any, and do not belong in the result.
INLINE uint set_go_over(
#if GROUP_SIZE > 1
    SET_KEPT *held,
#endif
    set_piece piece, uint first, uint own, uint *end_of_a, set_begin from, set_input in, merge_memory tile, merge_lists lists,
    ulong b_at, named_values given) {
  const uint both = anew((piece.a + piece.b) * MERGE_UNIT), a_end = piece.a_end * MERGE_UNIT, b_end = piece.b_end * MERGE_UNIT;
  uint at_a = piece.a * MERGE_UNIT, at_b = piece.b * MERGE_UNIT, kept = 0;
  // Where a list is at its end, some other key stands for it, which decides nothing.
  KEY key_a = SET_KEY_AT(at_a), key_b = SET_KEY_AT(at_b);
#define SET_TAKES_B \
  (at_a >= a_end || (at_b < b_end && form_before(KEY_READ(key_b), KEY_READ(key_a), given)))
  KEY before = SET_TAKES_B ? key_b : key_a;
  ulong a_equal = set_equal_in_tile(tile, 0, piece.a, KEY_READ(before), given);
  ulong b_equal = set_equal_in_tile(tile, lists.middle, piece.b, KEY_READ(before), given);
  // All elements of the tile before it are its equals: there may be more before the tile.
  if (a_equal + b_equal == first) {
    a_equal += from.a_equal;
    b_equal += from.b_equal;
  }
  // How far the place in `b` was ahead of that in `a` where as many equals of the next element had been of either.
  int even = (int)(at_b - at_a) - set_more_of_b(a_equal, b_equal) * (int)MERGE_UNIT;
#if GROUP_SIZE > 1
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
#else
  for (uint k = 0; k < own; ++k) {
#endif
    const bool is_b = SET_TAKES_B;
    const KEY x = is_b ? key_b : key_a;
    const bool is_new = form_before(KEY_READ(before), KEY_READ(x), given);
    const int ahead = (int)(at_b - at_a);
    even = is_new ? ahead : even;
#ifdef SET_ASKS_FOR_PARTNERS
    a_equal = is_new ? 0 : a_equal;
#endif
    const int verdict = SET_VERDICT(is_b, ahead - even);
#if GROUP_SIZE > 1
    held[k] = SET_KEPT_OF(x, is_b ? at_b : at_a);
    kept = anew(kept << 1 | anew((uint)verdict) >> 31);  // now and here alone, or more than this would be kept
#else
    tile.order[kept] = (ushort)(is_b ? at_b : at_a);
    kept += ((uint)verdict >> 31) == SET_SIGN ? 1 : 0;
#endif
    at_a += is_b ? 0 : MERGE_UNIT;
    at_b = both + (k + 1) * MERGE_UNIT - at_a;
#ifdef SET_ASKS_FOR_PARTNERS
    a_equal += is_b ? 0 : 1;
#endif
    const KEY next = SET_KEY_AT(is_b ? at_b : at_a);
    if (is_b)
      key_b = next;
    else
      key_a = next;
    before = x;
  }
  *end_of_a = at_a / MERGE_UNIT;
#if GROUP_SIZE > 1
  return (SET_SIGN ? kept : ~kept) & (uint)((1ul << ITEMS) - (1ul << (ITEMS - own)));
#else
  return kept;
#endif
}

// Loads a tile, and leaves what is kept of the elements that belong in the result, in their order, at the tile's front; gives
// how many they are. What is in local memory can be read behind a barrier; one stands between two calls, too. All must call.
INLINE uint set_make_tile(set_input in, uint tile, uint tiles BEGINS_PARAMETER, set_memory memory, named_values given) {
  uint end_of_a;
#if GROUP_SIZE > 1
  const ulong begin = (ulong)tile * MERGE_TILE;
  const uint count = (uint)set_count_in(begin, in), id = own_id_anew();
  set_begin from = set_begin_of(tile, begins);
  ulong a_end = tile + 1 == tiles ? in.a_n : begins[tile].a;
  if (disagree) {
    from.a = merge_other_cut(begin, in.a_n);
    a_end = merge_other_cut(begin + count, in.a_n);
  }
  const merge_lists lists = {0, (uint)(a_end - from.a), count};
  merge_load_keys(memory.tile, in.a + from.a, lists.middle, in.b + (begin - from.a), count);
  GROUP_BARRIER();

  const uint first = min(id * ITEMS, count), own = min(count - first, (uint)ITEMS);
  uint cut = min(first, lists.middle);
  if (own > 0) cut = merge_tile_path(memory.tile, lists, first, given);
  merge_leave_cut(memory.tile, cut);
  SET_KEPT held[ITEMS];
  const set_piece piece = {cut, lists.middle, lists.middle + (first - cut), lists.end};
  uint kept = set_go_over(held, piece, first, own, &end_of_a, from, in, memory.tile, lists, begin - a_end, given);
  GROUP_BARRIER();
  merge_compare_end(memory.tile, first + ITEMS < count, end_of_a, 0);
  // Behind a barrier in it all have read the keys, and compared.
  uint kept_count;
  uint at = group_sums((uint)popcount(kept), &kept_count, memory.sets, memory.exchange);
#ifdef MERGE_COMPARES_CUTS
  if (!merge_cuts_agreed(memory.tile, 0)) {
    // Then none has an equal, and each belongs in the result or not where it was loaded to.
    kept = 0;
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k < own) {
        held[k] = SET_KEPT_OF(memory.tile.keys[MERGE_AT(first + k)], first + k);
        kept |= SET_BELONGS_ALONE(first + k >= lists.middle) ? SET_BIT(k) : 0;
      }
    }
    GROUP_BARRIER();
    at = group_sums((uint)popcount(kept), &kept_count, memory.sets, memory.exchange);
  }
#endif
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if ((kept & SET_BIT(k)) != 0) {
      SET_KEPT_AT(memory.tile, at) = held[k];
      ++at;
    }
  }
  return kept_count;
#else
  const ulong begin = (ulong)tile * MERGE_TILE;
  const uint count = (uint)set_count_in(begin, in);
  const merge_divided merge = {in.a, in.b, in.a_n, in.b_n, 0, MERGE_TILE};
  const merge_part of_a = merge_piece_between(merge, tile, tile + 1, given);
  const set_begin from = set_begin_at(in, tile, of_a.begin, given);
  const merge_lists lists = {0, (uint)(of_a.end - of_a.begin), count};
  merge_load_keys(memory.tile, in.a + of_a.begin, lists.middle, in.b + (begin - of_a.begin), count);
  GROUP_BARRIER();
  const set_piece piece = {0, lists.middle, lists.middle, lists.end};
  return set_go_over(piece, 0, count, &end_of_a, from, in, memory.tile, lists, begin - of_a.end, given);
#endif
}

static inline uint set_tiles(set_input in) { return (uint)((in.a_n + in.b_n + MERGE_TILE - 1) / MERGE_TILE); }

// Stores a tile's `count` elements behind `before` others, as far as the output reaches.
INLINE void set_store(__global KEY *out, ulong capacity, ulong before, uint count, set_memory memory) {
  const uint stored = (uint)min((ulong)count, capacity - min(before, capacity));
  __global KEY *to = out + before;
  for (uint i = own_id_anew(); i < stored; i += GROUP_SIZE)
    to[i] = key_of_form(SET_KEY_OF(memory.tile, SET_KEPT_AT(memory.tile, i)));
}

#ifdef IN_ONE_PASS
#ifdef IN_ORDER_OF_START
// Where groups do not start in the order of their numbers, or a processor takes many at a time.
#define SET_OWN_TILE(tile, tiles)                                                                                 \
  __local uint number;                                                                                            \
  if (own_id_anew() == 0) number = take_number((__global uint *)(workspace + COUNTER_AT), STARTED_GROUPS(tiles)); \
  GROUP_BARRIER();                                                                                                \
  const uint tile = number
#else
#define SET_OWN_TILE(tile, tiles) const uint tile = get_group_id(0)
#endif
#if GROUP_SIZE > 1
#define SET_LOOK_EXCHANGE(memory) memory.exchange
#else
#define SET_LOOK_EXCHANGE(memory) 0
#endif

// Global size: tiles * GROUP_SIZE. No message in the workspace has the number `call`.
KERNEL void set_kept(SORTED_RANGES, __global KEY *restrict out, ulong out_offset, ulong capacity, __global ulong *total,
                     ulong total_offset, __global uchar *workspace, uint call BEGINS_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SET_MEMORY(memory);
  LOOK_MEMORY(look);
  SET_INPUT(in);
  const uint tiles = set_tiles(in);
  SET_CUTS_DISAGREE;
  SET_OWN_TILE(tile, tiles);
#ifdef COUNTED_BY
  if (tiles == 0 && tile == 0 && own_id_anew() == 0) total[total_offset] = 0;
#endif
  SET_RETURN_BEHIND(tile, tiles)
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  const uint id = own_id_anew();
  kept_of_tiles before = kept_of_none();
  uint count = 0, wanted = tile, looks = LOOKS;
  // Each turn makes a tile: its own, then those that are missing, of which it takes the memory, and then its own again. One
  // way out of each loop: PoCL 3.1 makes a copy for each of all that follows.
  for (bool complete = tile == 0, done = false; !done;) {
    count = set_make_tile(in, wanted, tiles WITH_BEGINS, memory, given);
    done = complete && wanted == tile;
    if (!complete) {
      if (id == 0 && wanted + 1 < tiles) post_count(messages, wanted, call, kept_of_tile(count, 0), wanted == 0);
      const uint missing = look_back_counts(&before, messages, tile, call, looks, look, SET_LOOK_EXCHANGE(memory));
      complete = missing == NO_TILE;
      done = complete && wanted == tile;
      looks = 1;
      wanted = complete ? tile : missing;
    }
  }
  if (id == 0 && tile + 1 < tiles) post_count(messages, tile, call, kept_together(before, kept_of_tile(count, 0)), true);
  if (id == 0 && tile + 1 == tiles) total[total_offset] = before.count + count;
  GROUP_BARRIER();
  set_store(out + out_offset, capacity, before.count, count, memory);
  SET_FORGET_CUTS;
  MEET_AT_END
}

#else
// What each tile keeps. Global size: tiles * GROUP_SIZE. Behind it, select_sums.
KERNEL void set_counts(SORTED_RANGES, __global uchar *workspace BEGINS_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SET_MEMORY(memory);
  SET_INPUT(in);
  SET_CUTS_DISAGREE;
  const uint tile = get_group_id(0);
#ifdef COUNTED_BY
  // All that there may be are summed. Cuts are forgotten by the results' launch.
  if (get_local_id(0) == 0) ((__global kept_of_tiles *)(workspace + OWN_AT))[tile] = kept_of_none();
  RETURN_BEHIND(tile, set_tiles(in))
#endif
  const uint count = set_make_tile(in, tile, set_tiles(in) WITH_BEGINS, memory, given);
  if (get_local_id(0) == 0) ((__global kept_of_tiles *)(workspace + OWN_AT))[tile] = kept_of_tile(count, 0);
  MEET_AT_END
}

// The results. Global size: tiles * GROUP_SIZE.
KERNEL void set_results(SORTED_RANGES, __global KEY *restrict out, ulong out_offset, ulong capacity,
                        __global uchar *workspace BEGINS_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SET_MEMORY(memory);
  SET_INPUT(in);
  SET_CUTS_DISAGREE;
  const uint tile = get_group_id(0);
  SET_RETURN_BEHIND(tile, set_tiles(in))
  const uint count = set_make_tile(in, tile, set_tiles(in) WITH_BEGINS, memory, given);
  const ulong before = tile > 0 ? ((const __global kept_of_tiles *)(workspace + OWN_AT))[tile - 1].count : 0;
  GROUP_BARRIER();
  set_store(out + out_offset, capacity, before, count, memory);
  SET_FORGET_CUTS;
  MEET_AT_END
}
#endif
