// A selection in one pass: groups get the number of elements that earlier tiles keep from messages (look_back_counts.cl).

// The tile that a group takes. All work-items must call.
INLINE uint select_own_tile(__global uchar *workspace, __local uint *number, uint tiles) {
  if (!IS_ON(IN_ORDER_OF_START)) return get_group_id(0);
  // Where groups do not start in the order of their numbers, or a processor takes many at a time.
  if (own_id_anew() == 0) *number = take_number((__global uint *)(workspace + COUNTER_AT), STARTED_GROUPS(tiles));
  GROUP_BARRIER();
  return *number;
}

// Posts what a tile keeps itself.
static inline void select_post(kept_of_tiles own, uint tile, uint tiles, __global ulong *messages, uint call) {
  if (own_id_anew() == 0 && tile + 1 < tiles) post_count(messages, tile, call, own, tile == 0);
}

// What the tiles before one keep, and what those up to it keep is posted. It keeps `own` itself. All work-items must call.
INLINE kept_of_tiles select_before(kept_of_tiles own, select_input in, uint tile, uint tiles, __global ulong *messages,
                                   uint call, select_memory memory, counts_memory look, named_values given) {
  kept_of_tiles before = kept_of_none();
  // One way out of each loop: PoCL 3.1 makes a copy for each of all that follows.
  uint missing = tile > 0 ? tile - 1 : NO_TILE;
  for (uint looks = LOOKS; missing != NO_TILE; looks = 1) {
    missing = look_back_counts(&before, messages, tile, call, looks, look, memory.exchange);
    if (missing != NO_TILE) {
      const uint found = select_count(in, missing, memory, given);
      if (own_id_anew() == 0)
        post_count(messages, missing, call, select_kept_of(in, missing, found, memory), missing == 0);
      GROUP_BARRIER();  // so that one can see that all lanes look again together
    }
  }
  if (own_id_anew() == 0 && tile + 1 < tiles) post_count(messages, tile, call, kept_together(before, own), true);
  return before;
}

// Global size: tiles * GROUP_SIZE. No message in the workspace has the number of this call.
KERNEL void select_kept(SELECT_ARGUMENTS, OUTPUT_ARGUMENTS, __global ulong *total, ulong total_offset,
                        __global uchar *workspace, uint call VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_OUTPUTS(to);
  SELECT_MEMORY(memory);
  COUNTS_MEMORY(look);
  __local uint number;
  SELECT_INPUT(in);
  const uint tiles = select_tiles(in.end), tile = select_own_tile(workspace, &number, tiles);
  RETURN_BEHIND(tile, tiles)
  // Where all that are kept must be known, groups look back for that as from a tile behind the last.
  const uint looking = tiles + IS_ON(SPLIT);
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  select_taken taken;
  const uint count = select_take(&taken, in, tile, STORES_OTHERS, memory, given);
  const kept_of_tiles own = select_kept_of(in, tile, count, memory);
  select_post(own, tile, looking, messages, call);  // early, because all later groups wait for it
  GROUP_BARRIER();  // else compilers move the message behind what follows
  select_compact(&taken, in, tile, count, STORES_OTHERS, memory);
  select_held held;
  select_load_beside(&held, to, in, tile, count);
  const kept_of_tiles before = select_before(own, in, tile, looking, messages, call, memory, look, given);
  if (own_id_anew() == 0 && tile + 1 == tiles) store_total(total, total_offset, kept_together(before, own));
  GROUP_BARRIER();
  select_give(to, in, tile, before, count, &held, memory, given);
  if (IS_ON(SPLIT)) {
    const kept_of_tiles all = select_before(kept_of_none(), in, tiles, looking, messages, call, memory, look, given);
    select_give_others((__global KEPT *)to.out + all.count, to.capacity - all.count, in, tile, before.count, count, memory);
  }
  MEET_AT_END
}
