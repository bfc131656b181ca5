// sort of more than a tile by the groups of a GPU: the keys of each tile to their places, by a digit. Where these are
// sort_one_pass.cl or sort_launches.cl says. Arguments and launches: sort.cl.

// Stores the first `count` keys of a sorted tile, or all that it has room for. Their digits are kept, too, where something goes
// with keys through the tile.
INLINE void sort_store_keys(__global KEY *to, const __local COUNT *places, held_digits *digits, uint id, bool all, uint count,
                            uint shift, uint mask, uint steps, sort_memory memory) {
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const uint i = k * GROUP_SIZE + id;
    if (all || i < count) {
      const KEY key = memory.room->keys[i];
      const uint digit = sort_digit(key, shift, mask);
      if (stores_keys(steps)) to[places[digit] + i] = key;
      if (CARRIES_IN_TILE) put_digit(digits, k, digit);
    }
  }
}

// Global size: tiles * GROUP_SIZE; any multiple of GROUP_SIZE where elements are counted.
KERNEL void sort_move_keys(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
                           CARRIED_ARGUMENTS, uint steps, ELEMENTS_ARGUMENT, uint tiles, uint shift, uint bits,
                           __global uchar *workspace, uint pass, ulong messages_at) {
  COLLECT_ELEMENTS
  COLLECT_CARRIED
  SORT_MEMORY(memory);
  __local COUNT places[SORT_DIGITS];
  __local uint asked_for;  // of groups that send messages
  SORT_EACH_OWN_TILE(tile, tiles) {
    const uint id = own_id_anew(), first = sort_first(ITEMS), mask = (1u << bits) - 1;
    const ulong begin = (ulong)tile * SORT_TILE;
    const uint count = sort_count_of_tile(n, tile);
    KEY held[ITEMS];
    held_digits digits;
    held_places to;
    uint sums[SORT_EACH], starts[SORT_EACH];
    COUNT before[SORT_EACH];
    const sort_pass p = {workspace, messages_at, pass, tile, tiles, shift, mask, sort_keys_at(keys, keys_at), places, &asked_for};
    sort_load(held, sort_keys_at(keys, keys_at) + begin, ITEMS, count);
    sort_count_digits(&digits, held, ITEMS, count, shift, mask, memory);
    GROUP_BARRIER();
    sort_starts(sums, starts, memory);
    sort_begin_places(p, before, sums, starts, memory);
    GROUP_BARRIER();
    sort_place_keys(&to, held, &digits, ITEMS, memory);
    sort_end_places(p, before, sums, starts, memory);
    if (sort_is_whole(count))
      sort_store_keys(sort_keys_to(keys_to, keys_to_at), places, &digits, id, true, count, shift, mask, steps, memory);
    else
      sort_store_keys(sort_keys_to(keys_to, keys_to_at), places, &digits, id, false, count, shift, mask, steps, memory);
    if (CARRIES_IN_TILE) {
      carried of_keys[ITEMS];
      SORT_EACH_TAKEN(k, ITEMS) {
        const ulong i = begin + first + k * LANES;
        if (first + k * LANES < count) of_keys[k] = sort_carried_of(carried_from, steps, i);
      }
      GROUP_BARRIER();
      SORT_EACH_TAKEN(k, ITEMS) {
        if (first + k * LANES < count) memory.room->values[place_of(&to, k)] = of_keys[k];
      }
      GROUP_BARRIER();
      UNROLL
      for (uint k = 0; k < ITEMS; ++k) {
        const uint i = k * GROUP_SIZE + id;
        if (i < count) carried_to[places[digit_of(&digits, k)] + i] = memory.room->values[i];
      }
    } else if (CARRIES) {
      SORT_EACH_TAKEN(k, ITEMS) {
        if (first + k * LANES < count)
          carried_to[places[digit_of(&digits, k)] + place_of(&to, k)] = carried_from[begin + first + k * LANES];
      }
    }
    MEET_AT_END
  }
}
