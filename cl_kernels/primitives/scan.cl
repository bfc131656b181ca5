// scan: running folds of n elements. Plan and arguments: lib/primitives/scan.cpp; order: scan_order.cl.
//
// In one pass: a group folds its tile, posts the fold, looks back for those before it and stores the results; elements are
// read once and results written once. Where results take the elements' place (IN_PLACE) a group that folds another's tile
// may read results; since each posts its tile's fold before it stores any, that fold is then there, and the other is
// dropped. Where groups cannot send messages, in three launches: folds of all tiles, what stands before each, results.
// So does an array in pieces (PIECE): on several devices or with several processes, which exchange what stands before tiles
// and stretches between the launches (lib/distributed/scan_sharded.cpp, scan_ranks.cpp), or streamed from the host, one
// piece going on where the one before it ends (lib/distributed/scan_host_array.cpp).

static inline uint scan_tiles(ulong n) { return (uint)((n + SCAN_TILE - 1) / SCAN_TILE); }

// What stands before a tile whose stretch has the folds `tiles` before it, and `stretches` before itself.
#define SCAN_SET_BEFORE(before, tile)                   \
  before.has_tiles = (tile) % SCAN_TILES > 0;           \
  before.has_stretches = (tile) / SCAN_TILES > 0;       \
  SCAN_SET_START(before)

#ifdef PIECE
// Whole tiles of a longer input, from its tile `first` on; n are the elements of all of it. Tiles, stretches and the index
// that a map sees are those of the whole input.

// Where element 0 of the whole input would lie, or its result, if tile `first` is `offset` elements behind `buffer`. There
// need not be anything: so it is reckoned in whole numbers, which wrap.
#define SCAN_WHOLE(pointer, buffer, offset, first) \
  ((pointer)((uintptr_t)(buffer) + ((uintptr_t)(offset) - (uintptr_t)(first) * SCAN_TILE) * sizeof(*(buffer))))

// The fold of each tile. Global size: tiles * GROUP_SIZE.
KERNEL void scan_piece_folds(const __global STORED *x, ulong x_offset, uint first, ulong n, __global FOLDED *folds,
                             ulong folds_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SCAN_MEMORY(memory);
  scan_held held;
  scan_fold(&held, SCAN_WHOLE(const __global STORED *, x, x_offset, first), n, first + get_group_id(0), memory, given);
  if (get_local_id(0) == 0) folds[folds_offset + get_group_id(0)] = memory.total[0];
}

// Of whole stretches of the input, or its last ones: of the folds of their tiles, each becomes what stands before the tile
// in its stretch, and each stretch's fold is left. Global size: stretches * GROUP_SIZE.
KERNEL void scan_piece_tiles(uint tiles, __global FOLDED *folds, ulong tiles_offset, ulong stretches_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local FOLDED values[SCAN_PLACE(SCAN_TILES)];
  const uint stretch = get_group_id(0), first = stretch * SCAN_TILES;
  const uint count = min(tiles - first, (uint)SCAN_TILES);
  __global FOLDED *of_tiles = folds + tiles_offset + first;
  for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) values[SCAN_PLACE(i)] = of_tiles[i];
  GROUP_BARRIER();
  if (get_local_id(0) == 0) folds[stretches_offset + stretch] = scan_unit_before(values, 0, count, given);
  GROUP_BARRIER();
  for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) of_tiles[i] = values[SCAN_PLACE(i)];
}

// Of the folds of stretches from the input's stretch `first` on, each becomes what stands before the stretch (nobody asks
// for that of the input's first). Behind them lies, but of the input's first, what stands before them all; it becomes what
// stands before the stretch that comes next. One group. The folds pass through local memory, since one work-item that waits
// for one value after the other from global memory takes longer than all that other devices do.
KERNEL void scan_piece_stretches(uint stretches, uint first SCAN_START, __global FOLDED *folds,
                                 ulong stretches_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local FOLDED values[SCAN_PLACE(SCAN_STRIPS_OF_TILE)];
  __global FOLDED *of_stretches = folds + stretches_offset;
  FOLDED fold;  // work-item 0's
  if (get_local_id(0) == 0 && first > 0) fold = of_stretches[stretches];
  for (uint begin = 0; begin < stretches; begin += SCAN_STRIPS_OF_TILE) {
    const uint count = min(stretches - begin, (uint)SCAN_STRIPS_OF_TILE);
    for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) values[SCAN_PLACE(i)] = of_stretches[begin + i];
    GROUP_BARRIER();
    if (get_local_id(0) == 0) {
      for (uint i = 0; i < count; ++i) {
        const FOLDED next = values[SCAN_PLACE(i)];
        if (first + begin + i > 0) {
          values[SCAN_PLACE(i)] = fold;
          fold = combine(fold, next, given);
        } else {
#ifdef STARTED
          fold = combine(start, next, given);
#else
          fold = next;
#endif
        }
      }
    }
    GROUP_BARRIER();
    // What a work-item takes here it alone puts there next.
    for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) of_stretches[begin + i] = values[SCAN_PLACE(i)];
  }
  if (get_local_id(0) == 0) of_stretches[stretches] = fold;
}

// The results. What stands before tile `first` is `before`'s at `tiles_offset`, and before its stretch at `stretches_offset`.
// Global size: tiles * GROUP_SIZE.
KERNEL void scan_piece_results(const __global STORED *x, ulong x_offset, uint first, ulong n, __global ACC *out,
                               ulong out_offset SCAN_START, const __global FOLDED *before, ulong tiles_offset,
                               ulong stretches_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SCAN_MEMORY(memory);
  const __global STORED *whole_x = SCAN_WHOLE(const __global STORED *, x, x_offset, first);
  const uint tile = first + get_group_id(0);
  scan_held held;
  scan_fold(&held, whole_x, n, tile, memory, given);
  scan_settle(&held, n, tile, memory, given);
  scan_before outside;
  SCAN_SET_BEFORE(outside, tile);
  SCAN_SET_NOTHING(outside);
  if (outside.has_tiles) outside.tiles = before[tiles_offset + get_group_id(0)];
  if (tile >= SCAN_TILES) outside.stretches = before[stretches_offset + (tile / SCAN_TILES - first / SCAN_TILES)];
  scan_give(&held, whole_x, SCAN_WHOLE(__global ACC *, out, out_offset, first), n, tile, memory, outside, given);
}
#elif defined(IN_ONE_PASS)
#ifdef IN_ORDER_OF_START
// Where results go past a CPU's caches, a group takes one tile after the other until there is none, so that of the numbers
// from `tiles` on each group takes one. Else each takes one tile.
#ifdef STREAMING
#define SEVERAL_TILES
#define SCAN_NUMBERS(tiles) ((tiles) + (uint)get_num_groups(0))
#else
#define SCAN_NUMBERS(tiles) STARTED_GROUPS(tiles)
#endif

// Where groups do not start in the order of their numbers, or a processor takes many at a time: the next tile.
static inline uint scan_take_tile(__global uchar *workspace, uint tiles) {
  return take_number((__global uint *)(workspace + COUNTER_AT), SCAN_NUMBERS(tiles));
}
#endif

// Global size: tiles * GROUP_SIZE, or with SEVERAL_TILES any. No message in the workspace has the number of this call.
KERNEL void scan(const __global STORED *x, ulong x_offset, ELEMENTS_ARGUMENT, __global ACC *out, ulong out_offset SCAN_START,
                 __global uchar *workspace, uint call VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  SCAN_MEMORY(memory);
  LOOK_MEMORY(look);
  const uint tiles = scan_tiles(n);
#ifdef IN_ORDER_OF_START
  __local uint number;
  if (own_id_anew() == 0) number = scan_take_tile(workspace, tiles);
  GROUP_BARRIER();
  uint tile = number;
#else
  uint tile = get_group_id(0);
#endif
#ifdef SEVERAL_TILES
  if (tile >= tiles) return;
#else
  RETURN_BEHIND(tile, tiles)
#endif
  scan_messages messages = scan_messages_in(workspace, tiles, call);
#ifdef STARTED
  messages.start = start;
#endif
  scan_held held;
  scan_fold(&held, x + x_offset, n, tile, memory, given);
  uint known = 0;  // of the tile's stretch, the tiles whose fold `look` has, from the group's tile before
#ifdef SEVERAL_TILES
  for (;;)
#endif
  {
    if (own_id_anew() == 0) {
      *look.own = memory.total[0];
      if (tiles > 1) post_message(message_of_tile(messages, tile), call, memory.total[0]);
#ifdef IN_PLACE
      message_before_stores();
#endif
    }
    scan_settle(&held, n, tile, memory, given);
    bool folded_others = false;
    while (tile + (SCAN_TILES == 1) > 0) {  // before the first nothing stands, nor does it post what stands behind
      const uint missing = look_back(messages, tile, tile + 1 == tiles, known, folded_others ? 1 : LOOKS, look, given);
      if (missing == NO_TILE) break;
      scan_fold_unheld(x + x_offset, n, missing, memory, given);
#ifdef IN_PLACE
      const bool is_right = own_id_anew() == 0 && !message_is_there(message_of_tile(messages, missing), call);
#else
      const bool is_right = own_id_anew() == 0;
#endif
      if (is_right) post_message(message_of_tile(messages, missing), call, memory.total[0]);
      folded_others = true;
    }
    if (folded_others) scan_fold_unheld(x + x_offset, n, tile, memory, given);
    GROUP_BARRIER();
    scan_before before;
    SCAN_SET_BEFORE(before, tile);
    SCAN_SET_NOTHING(before);
    if (before.has_tiles) before.tiles = look.tiles[0];
    if (tile >= SCAN_TILES) before.stretches = look.stretches[0];
#ifdef SEVERAL_TILES
    // The next tile is taken before this one's results are stored, to be read meanwhile. Who cannot wait that long for its
    // fold makes it, as that of any tile.
    const uint next = scan_take_tile(workspace, tiles);
    scan_give_and_fold(&held, x + x_offset, out + out_offset, n, tile, next, memory, before, given);
    if (next >= tiles) return;
    known = next > tile && next / SCAN_TILES == tile / SCAN_TILES ? tile % SCAN_TILES : 0;
    tile = next;
#else
    scan_give(&held, x + x_offset, out + out_offset, n, tile, memory, before, given);
#endif
  }
  MEET_AT_END
}
#else
// The fold of each tile. Global size: tiles * GROUP_SIZE.
KERNEL void scan_tile_folds(const __global STORED *x, ulong x_offset, ELEMENTS_ARGUMENT,
                            __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(get_group_id(0), scan_tiles(n))
  SCAN_MEMORY(memory);
  scan_held held;
  const uint tile = get_group_id(0);
  scan_fold(&held, x + x_offset, n, tile, memory, given);
  if (get_local_id(0) == 0) ((__global FOLDED *)(workspace + OWN_AT))[tile] = memory.total[0];
  MEET_AT_END
}

// What stands before each tile in its stretch, and before each stretch. One group.
KERNEL void scan_tiles_before(ELEMENTS_ARGUMENT SCAN_START, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  const uint tiles = scan_tiles(n);
  RETURN_BEHIND(0, tiles)
  const uint stretches = (tiles + SCAN_TILES - 1) / SCAN_TILES;
  __global FOLDED *of_tiles = (__global FOLDED *)(workspace + OWN_AT);
  __global FOLDED *of_stretches = of_tiles + tiles;
  for (uint stretch = get_local_id(0); stretch < stretches; stretch += GROUP_SIZE) {
    const uint first = stretch * SCAN_TILES;
    const uint end = min(first + SCAN_TILES, tiles);
    FOLDED fold = of_tiles[first];
    for (uint tile = first + 1; tile < end; ++tile) {
      const FOLDED next = of_tiles[tile];
      of_tiles[tile] = fold;
      fold = combine(fold, next, given);
    }
    of_stretches[stretch] = fold;
  }
  GROUP_GLOBAL_BARRIER();
  if (get_local_id(0) == 0) {
    FOLDED fold = of_stretches[0];
#ifdef STARTED
    fold = combine(start, fold, given);
#endif
    for (uint stretch = 1; stretch < stretches; ++stretch) {
      const FOLDED next = of_stretches[stretch];
      of_stretches[stretch] = fold;
      fold = combine(fold, next, given);
    }
  }
  MEET_AT_END
}

// The results. Global size: tiles * GROUP_SIZE.
KERNEL void scan_results(const __global STORED *x, ulong x_offset, ELEMENTS_ARGUMENT, __global ACC *out,
                         ulong out_offset SCAN_START, const __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(get_group_id(0), scan_tiles(n))
  SCAN_MEMORY(memory);
  scan_held held;
  const uint tile = get_group_id(0);
  scan_fold(&held, x + x_offset, n, tile, memory, given);
  scan_settle(&held, n, tile, memory, given);
  scan_before before;
  SCAN_SET_BEFORE(before, tile);
  SCAN_SET_NOTHING(before);
  if (before.has_tiles) before.tiles = ((const __global FOLDED *)(workspace + OWN_AT))[tile];
  if (tile >= SCAN_TILES)
    before.stretches = ((const __global FOLDED *)(workspace + OWN_AT))[scan_tiles(n) + tile / SCAN_TILES];
  scan_give(&held, x + x_offset, out + out_offset, n, tile, memory, before, given);
  MEET_AT_END
}
#endif
