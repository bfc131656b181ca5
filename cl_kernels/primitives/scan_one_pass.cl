// A scan in one pass: groups get the prefixes of their tiles from messages (look_back.cl).

// Where results go past a CPU's caches, a group takes one tile after the other until there is none, so each group also takes one
// of the numbers from `tiles` on. Elsewhere each group takes one tile.
enum { SEVERAL_TILES = IS_ON(IN_ORDER_OF_START) & IS_ON(STREAMING) };
static inline uint scan_numbers(uint tiles) {
  return SEVERAL_TILES ? tiles + (uint)get_num_groups(0) : STARTED_GROUPS(tiles);
}

// Where groups do not start in the order of their numbers, or a processor takes many at a time: the next tile.
static inline uint scan_take_tile(__global uchar *workspace, uint tiles) {
  return take_number((__global uint *)(workspace + COUNTER_AT), scan_numbers(tiles));
}

// Global size: tiles * GROUP_SIZE, or with SEVERAL_TILES any. No message in the workspace has the number of this call.
KERNEL void scan(const __global STORED *x, ulong x_offset, ELEMENTS_ARGUMENT, __global ACC *out, ulong out_offset, ACC start,
                 __global uchar *workspace, uint call VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  SCAN_MEMORY(memory);
  LOOK_MEMORY(look);
  const uint tiles = scan_tiles(n);
  __local uint number;
  uint tile = get_group_id(0);
  if (IS_ON(IN_ORDER_OF_START)) {
    if (own_id_anew() == 0) number = scan_take_tile(workspace, tiles);
    GROUP_BARRIER();
    tile = number;
  }
  if ((SEVERAL_TILES | IS_COUNTED) && tile >= tiles) return;
  scan_messages messages = scan_messages_in(workspace, tiles, call);
  messages.start = start;
  scan_held held;
  scan_fold(&held, x + x_offset, n, tile, memory, given);
  uint known = 0;  // of the tile's stretch, the tiles whose fold `look` has, from the group's tile before
  do {
    if (own_id_anew() == 0) {
      *look.own = memory.total[0];
      if (tiles > 1) post_message(message_of_tile(messages, tile), call, memory.total[0]);
      if (IS_ON(IN_PLACE)) message_before_stores();
    }
    scan_settle(&held, n, tile, memory, given);
    bool folded_others = false;
    while (tile + (SCAN_TILES == 1) > 0) {  // before the first nothing stands, nor does it post what stands behind
      const uint missing = look_back(messages, tile, tile + 1 == tiles, known, folded_others ? 1 : LOOKS, look, given);
      if (missing == NO_TILE) break;
      scan_fold_unheld(x + x_offset, n, missing, memory, given);
      bool is_right = own_id_anew() == 0;
      if (IS_ON(IN_PLACE)) is_right = is_right && !message_is_there(message_of_tile(messages, missing), call);
      if (is_right) post_message(message_of_tile(messages, missing), call, memory.total[0]);
      folded_others = true;
    }
    if (folded_others) scan_fold_unheld(x + x_offset, n, tile, memory, given);
    GROUP_BARRIER();
    scan_before before = scan_before_tile(tile, start, given);
    if (before.has_tiles) before.tiles = look.tiles[0];
    if (tile >= SCAN_TILES) before.stretches = look.prefixes[0];
    if (SEVERAL_TILES) {
      // The next tile is taken before this one's results are stored, and read meanwhile. A group that needs its fold sooner
      // folds the tile itself, as it may any missing tile.
      const uint next = scan_take_tile(workspace, tiles);
      scan_give_and_fold(&held, x + x_offset, out + out_offset, n, tile, next, memory, before, given);
      if (next >= tiles) return;
      known = next > tile && next / SCAN_TILES == tile / SCAN_TILES ? tile % SCAN_TILES : 0;
      tile = next;
    } else {
      scan_give(&held, x + x_offset, out + out_offset, n, tile, memory, before, given);
    }
  } while (SEVERAL_TILES);
  MEET_AT_END
}
