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
static inline set_input set_input_of(const __global KEY *a, ulong a_n, const __global KEY *b, ulong b_n) {
  const set_input as_they_are = {a, b, a_n, b_n}, turned = {b, a, b_n, a_n};
  return IS_ON(SET_INTERSECTION) | IS_ON(SET_DIFFERENCE) ? turned : as_they_are;
}

// Where a tile begins: in `a`, and how many elements before that, in either range, are equal to the tile's first one.
typedef struct {
  ulong a, a_equal, b_equal;
} set_begin;

static inline ulong set_count_in(ulong begin, set_input in) { return min(in.a_n + in.b_n - begin, (ulong)MERGE_TILE); }

// How many of the last elements of the first `end` of a sorted list do not come before `x`. Most often they are few: steps
// back that double find where to halve.
INLINE ulong set_equal_before(const __global KEY *list, ulong end, KEY_LOADED x, named_values given) {
  ulong low = 0, high = end;
  UNROLL_BY(1)
  for (ulong step = 1; low < high; step *= 2) {
    const ulong asked = high - min(step, high);
    if (comes_before(key_at(list + asked), x, given)) {
      low = asked + 1;
      break;
    }
    high = asked;
  }
  UNROLL_BY(1)
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

// The begins of tiles, from the second on, in the workspace of a GPU.
static inline __global set_begin *set_begins(__global uchar *workspace, ulong begins_at) {
  return (__global set_begin *)(workspace + begins_at);
}

// Of the neighbouring keys of a tile from `begin` to before `end`, which are sorted: as set_equal_before.
INLINE uint set_equal_in_tile(merge_memory tile, uint begin, uint end, KEY_LOADED x, named_values given) {
  uint low = begin, high = end;
  UNROLL_BY(1)
  for (uint step = 1; low < high; step *= 2) {
    const uint asked = high - min(step, high - begin);
    if (form_before(merge_key(tile, asked), x, given)) {
      low = asked + 1;
      break;
    }
    high = asked;
  }
  UNROLL_BY(1)
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (form_before(merge_key(tile, middle), x, given))
      low = middle + 1;
    else
      high = middle;
  }
  return end - low;
}

enum { SET_MOST_AHEAD = 0x07ffffff };
// How many more of the equals before an element are of `b` than of `a`, or a limit that no tile comes back from.
static inline int set_more_of_b(ulong a_equal, ulong b_equal) {
  return (int)clamp((long)(b_equal - a_equal), (long)-SET_MOST_AHEAD, (long)SET_MOST_AHEAD);
}

enum {
  // The next element belongs in the result where the sign of its verdict is this.
  SET_SIGN = IS_ON(SET_INTERSECTION),
  SET_ASKS_FOR_PARTNERS = IS_ON(SET_SYMMETRIC_DIFFERENCE)
};
// Whether one without equals belongs in the result.
static inline bool set_belongs_alone(bool is_b) { return IS_ON(SET_DIFFERENCE) ? is_b : !IS_ON(SET_INTERSECTION); }

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

// A work-item's piece of a tile: from `a` on to before `a_end` of its first list, from `b` on to before `b_end` of its second.
typedef struct {
  uint a, a_end, b, b_end;
} set_piece;

// Of a group's work-item: whether its element number `k` belongs in the result. Their bits follow each other downwards.
static inline uint set_bit(uint k) { return 1u << (ITEMS - 1 - k); }

// Whether the next element is one of `b`.
INLINE bool set_takes_b(uint at_a, uint a_end, KEY key_a, uint at_b, uint b_end, KEY key_b, named_values given) {
  return at_a >= a_end || (at_b < b_end && form_before(KEY_READ(key_b), KEY_READ(key_a), given));
}

// Goes over a piece of a tile, of `own` elements from number `first` on, and keeps those that belong in the result. A group's
// work-items keep them in `held`: keys where these move in a tile, else their places; the bits that it gives say which belong. A
// CPU's keeps them at the front of the tile's order, and gives their number. `end_of_a`: how many elements of the tile's first list
// are in this piece and before it.
//
// Registers have no index, and no branch asks what a work-item's elements are: where fewer than ITEMS are its own, those behind
// them are any, and do not belong in the result.
INLINE uint set_go_over(merge_held held, set_piece piece, uint first, uint own, uint *end_of_a, set_begin from, set_input in,
                        merge_memory tile, merge_lists lists, ulong b_at, named_values given) {
  const uint both = anew((piece.a + piece.b) * MERGE_UNIT), a_end = piece.a_end * MERGE_UNIT, b_end = piece.b_end * MERGE_UNIT;
  uint at_a = piece.a * MERGE_UNIT, at_b = piece.b * MERGE_UNIT, kept = 0;
  // Where a list is at its end, some other key stands for it, which decides nothing.
  KEY key_a = merge_key_seen(tile, false, at_a, lists.end), key_b = merge_key_seen(tile, false, at_b, lists.end);
  KEY before = set_takes_b(at_a, a_end, key_a, at_b, b_end, key_b, given) ? key_b : key_a;
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
  UNROLL_BY(1)
  for (uint k = 0; k < own; ++k) {
#endif
    const bool is_b = set_takes_b(at_a, a_end, key_a, at_b, b_end, key_b, given);
    const KEY x = is_b ? key_b : key_a;
    const bool is_new = form_before(KEY_READ(before), KEY_READ(x), given);
    const int ahead = (int)(at_b - at_a);
    even = is_new ? ahead : even;
    if (SET_ASKS_FOR_PARTNERS) a_equal = is_new ? 0 : a_equal;
    const int verdict = is_b ? ahead - even
                        : SET_ASKS_FOR_PARTNERS && set_has_partner(at_b / MERGE_UNIT, a_equal, KEY_READ(x), KEY_READ(key_b), in,
                                                                   tile, lists.end, b_at, given)
                            ? -1
                        : IS_ON(SET_DIFFERENCE) ? -1
                                                : 0;
    const ushort place = (ushort)(is_b ? at_b : at_a);
    if (GROUP_SIZE > 1) {
      if (MERGE_MOVES_KEYS)
        held.keys[k] = x;
      else
        held.places[k] = place;
      kept = anew(kept << 1 | anew((uint)verdict) >> 31);  // now and here alone, or more than this would be kept
    } else {
      tile.order[kept] = place;
      kept += ((uint)verdict >> 31) == SET_SIGN ? 1 : 0;
    }
    at_a += is_b ? 0 : MERGE_UNIT;
    at_b = both + (k + 1) * MERGE_UNIT - at_a;
    if (SET_ASKS_FOR_PARTNERS) a_equal += is_b ? 0 : 1;
    const KEY next = merge_key_seen(tile, false, is_b ? at_b : at_a, lists.end);
    if (is_b)
      key_b = next;
    else
      key_a = next;
    before = x;
  }
  *end_of_a = at_a / MERGE_UNIT;
  if (GROUP_SIZE == 1) return kept;
  return (SET_SIGN ? kept : ~kept) & (uint)((1ul << ITEMS) - (1ul << (ITEMS - own)));
}

typedef struct {
  merge_memory tile;
  __local uint *sets;
  __local uint *exchange;
} set_memory;
#define SET_MEMORY(name)                          \
  MERGE_MEMORY(name##_tile);                      \
  __local uint name##_sets[GROUP_SIZE / LANES];   \
  __local uint name##_exchange[EXCHANGE_WORDS];   \
  const set_memory name = {name##_tile, name##_sets, name##_exchange}

#if GROUP_SIZE > 1
// A work-item for each begin but the first. Where groups send messages, none is there behind this launch.
KERNEL void set_search(SORTED_RANGES, uint begins, __global uchar *workspace, ulong begins_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local ulong cuts[SEARCHES_OF_GROUP + 1];
  COLLECT_RANGES
  const set_input in = set_input_of(a, a_n, b, b_n);
  const uint searches = searches_before(begins, in.a_n + in.b_n);
  const uint begin = merge_own_search();
  ulong cut = 0;
  if (begin < searches) {
    cut = merge_path(in.a, in.a_n, in.b, in.b_n, ((ulong)begin + 1) * MERGE_TILE, given);
    if (merge_stores_cut()) set_begins(workspace, begins_at)[begin] = set_begin_at(in, begin + 1, cut, given);
  }
  merge_compare_cuts(cuts, begin, searches, cut, true, workspace);
#ifdef IN_ONE_PASS
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  UNROLL_BY(1)
  for (ulong m = get_global_id(0); m < ((ulong)begins + 1) * COUNT_WORDS; m += get_global_size(0)) messages[m] = 0;
#endif
}

static inline set_begin set_begin_of(uint tile, const __global set_begin *begins) {
  const set_begin none = {0, 0, 0};
  return tile == 0 ? none : begins[tile - 1];
}

// Loads a tile, and leaves what is kept of the elements that belong in the result, in their order, at the tile's front; gives
// how many they are. What is in local memory can be read behind a barrier; one stands between two calls, too. All must call.
INLINE uint set_make_tile(set_input in, uint tile, uint tiles, const __global set_begin *begins, bool disagree, set_memory memory,
                          named_values given) {
  uint end_of_a;
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
  // A work-item without elements goes over the first of the tile, which are there, and keeps none.
  uint cut = 0, diagonal = 0;
  if (own > 0) {
    cut = merge_tile_path(memory.tile, lists, first, given);
    diagonal = first;
  }
  merge_leave_cut(memory.tile, cut);
  MERGE_HELD(held);
  const set_piece piece = {cut, lists.middle, lists.middle + (diagonal - cut), lists.end};
  uint kept = set_go_over(held, piece, first, own, &end_of_a, from, in, memory.tile, lists, begin - a_end, given);
  GROUP_BARRIER();
  merge_compare_end(memory.tile, first + ITEMS < count, end_of_a, 0);
  // Behind a barrier in it all have read the keys, and compared.
  uint kept_count;
  uint at = group_sums((uint)popcount(kept), &kept_count, memory.sets, memory.exchange);
  if (!merge_cuts_agreed(memory.tile, 0)) {
    // Then none has an equal, and each belongs in the result or not where it was loaded to.
    kept = 0;
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      if (k < own) {
        if (MERGE_MOVES_KEYS)
          held.keys[k] = memory.tile.keys[merge_at(first + k)];
        else
          held.places[k] = (ushort)(first + k);
        kept |= set_belongs_alone(first + k >= lists.middle) ? set_bit(k) : 0;
      }
    }
    GROUP_BARRIER();
    at = group_sums((uint)popcount(kept), &kept_count, memory.sets, memory.exchange);
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if ((kept & set_bit(k)) != 0) {
      if (MERGE_MOVES_KEYS)
        memory.tile.keys[merge_at(at)] = held.keys[k];
      else
        memory.tile.order[at] = held.places[k];
      ++at;
    }
  }
  return kept_count;
}

#else
// Loads a tile, leaves the elements of it that belong in the result at its front, in their order, and gives their number. The
// work-item of a CPU itself searches for where its tile begins and ends.
INLINE uint set_make_tile(set_input in, uint tile, uint tiles, const __global set_begin *begins, bool disagree, set_memory memory,
                          named_values given) {
  uint end_of_a;
  const ulong begin = (ulong)tile * MERGE_TILE;
  const uint count = (uint)set_count_in(begin, in);
  const merge_divided merge = {in.a, in.b, in.a_n, in.b_n, 0, MERGE_TILE};
  const merge_part of_a = merge_piece_between(merge, tile, tile + 1, given);
  const set_begin from = set_begin_at(in, tile, of_a.begin, given);
  const merge_lists lists = {0, (uint)(of_a.end - of_a.begin), count};
  merge_load_keys(memory.tile, in.a + of_a.begin, lists.middle, in.b + (begin - of_a.begin), count);
  const set_piece piece = {0, lists.middle, lists.middle, lists.end};
  const merge_held none = {0, 0};
  return set_go_over(none, piece, 0, count, &end_of_a, from, in, memory.tile, lists, begin - of_a.end, given);
}
#endif

static inline uint set_tiles(set_input in) { return (uint)((in.a_n + in.b_n + MERGE_TILE - 1) / MERGE_TILE); }

// Stores a tile's `count` elements behind `before` others, as far as the output reaches.
INLINE void set_store(__global KEY *out, ulong capacity, ulong before, uint count, set_memory memory) {
  const uint stored = (uint)min((ulong)count, capacity - min(before, capacity));
  __global KEY *to = out + before;
  UNROLL_BY(1)
  for (uint i = own_id_anew(); i < stored; i += GROUP_SIZE)
    to[i] = key_of_form(merge_key_as_kept(memory.tile, true, i));
}

#ifdef IN_ONE_PASS
// The tile of a group: where groups do not start in the order of their numbers, or a processor takes many at a time, they take
// numbers as they start.
INLINE uint set_own_tile(__global uchar *workspace, __local uint *number, uint tiles) {
  if (!IS_ON(IN_ORDER_OF_START)) return get_group_id(0);
  if (own_id_anew() == 0) *number = take_number((__global uint *)(workspace + COUNTER_AT), STARTED_GROUPS(tiles));
  GROUP_BARRIER();
  return *number;
}

// Global size: tiles * GROUP_SIZE. No message in the workspace has the number `call`.
KERNEL void set_kept(SORTED_RANGES, __global KEY *restrict out, ulong out_offset, ulong capacity, __global ulong *total,
                     ulong total_offset, __global uchar *workspace, uint call, ulong begins_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SET_MEMORY(memory);
  COUNTS_MEMORY(look);
  COLLECT_RANGES
  const set_input in = set_input_of(a, a_n, b, b_n);
  const uint tiles = set_tiles(in);
  const bool disagree = merge_cuts_disagree(workspace);
  __local uint number;
  const uint tile = set_own_tile(workspace, &number, tiles);
  if (IS_COUNTED && tiles == 0 && tile == 0 && own_id_anew() == 0) total[total_offset] = 0;
  MERGE_RETURN_BEHIND(tile, tiles)
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  const uint id = own_id_anew();
  kept_of_tiles before = kept_of_none();
  uint count = 0, wanted = tile, looks = LOOKS;
  // Each turn makes a tile: its own, then those that are missing, of which it takes the memory, and then its own again. One
  // way out of each loop: PoCL 3.1 makes a copy for each of all that follows.
  UNROLL_BY(1)
  for (bool complete = tile == 0, done = false; !done;) {
    count = set_make_tile(in, wanted, tiles, set_begins(workspace, begins_at), disagree, memory, given);
    done = complete && wanted == tile;
    if (!complete) {
      if (id == 0 && wanted + 1 < tiles) post_count(messages, wanted, call, kept_of_tile(count, 0), wanted == 0);
      const uint missing = look_back_counts(&before, messages, tile, call, looks, look, memory.exchange);
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
  if (disagree) merge_forget_cuts(workspace);
  MEET_AT_END
}

#else
// What each tile keeps. Global size: tiles * GROUP_SIZE. Behind it, select_sums.
KERNEL void set_counts(SORTED_RANGES, __global uchar *workspace, ulong begins_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SET_MEMORY(memory);
  COLLECT_RANGES
  const set_input in = set_input_of(a, a_n, b, b_n);
  const bool disagree = merge_cuts_disagree(workspace);
  const uint tile = get_group_id(0);
  // All that there may be are summed. Cuts are forgotten by the results' launch.
  if (IS_COUNTED && get_local_id(0) == 0) ((__global kept_of_tiles *)(workspace + OWN_AT))[tile] = kept_of_none();
  RETURN_BEHIND(tile, set_tiles(in))
  const uint count = set_make_tile(in, tile, set_tiles(in), set_begins(workspace, begins_at), disagree, memory, given);
  if (get_local_id(0) == 0) ((__global kept_of_tiles *)(workspace + OWN_AT))[tile] = kept_of_tile(count, 0);
  MEET_AT_END
}

// The results. Global size: tiles * GROUP_SIZE.
KERNEL void set_results(SORTED_RANGES, __global KEY *restrict out, ulong out_offset, ulong capacity,
                        __global uchar *workspace, ulong begins_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SET_MEMORY(memory);
  COLLECT_RANGES
  const set_input in = set_input_of(a, a_n, b, b_n);
  const bool disagree = merge_cuts_disagree(workspace);
  const uint tile = get_group_id(0);
  MERGE_RETURN_BEHIND(tile, set_tiles(in))
  const uint count = set_make_tile(in, tile, set_tiles(in), set_begins(workspace, begins_at), disagree, memory, given);
  const ulong before = tile > 0 ? ((const __global kept_of_tiles *)(workspace + OWN_AT))[tile - 1].count : 0;
  GROUP_BARRIER();
  set_store(out + out_offset, capacity, before, count, memory);
  if (disagree) merge_forget_cuts(workspace);
  MEET_AT_END
}
#endif
