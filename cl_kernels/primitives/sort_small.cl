// sort of up to a tile by one group of a GPU. Arguments: sort.cl.

// All digits in one launch, of at most a tile. One group. In place, too: all is loaded before anything is stored.
KERNEL void sort_small(SORT_AT_ONCE_ARGUMENTS, ELEMENTS_ARGUMENT, uint shift, uint bits, uint passes) {
  COLLECT_ELEMENTS
  COLLECT_AT_ONCE
  SORT_MEMORY(memory);
  const uint count = (uint)n, taken = (count + GROUP_SIZE - 1) / GROUP_SIZE, first = sort_first(taken);
  KEY held[ITEMS];
  sort_load(held, all.keys, taken, count);
  held_digits digits;
  held_places to;
  held_places came_from;
  if (CARRIES) {
    SORT_EACH_TAKEN(k, taken) put_place(&came_from, k, first + k * LANES);
  }
  for (uint pass = 0; pass < passes; ++pass) {
    const uint begin = sort_digit_begin(bits, pass, passes), end = sort_digit_begin(bits, pass + 1, passes);
    uint sums[SORT_EACH], starts[SORT_EACH];
    const uint mask = (1u << (end - begin)) - 1;
    sort_count_digits(&digits, held, taken, count, shift + begin, mask, memory);
    GROUP_BARRIER();
    sort_starts(sums, starts, memory);
    GROUP_BARRIER();
    sort_place_keys(&to, held, &digits, taken, memory);
    GROUP_BARRIER();
    // The next pass brings keys there behind barriers of its own.
    SORT_EACH_TAKEN(k, taken) held[k] = memory.room->keys[first + k * LANES];
    if (CARRIES) {
      GROUP_BARRIER();
      SORT_EACH_TAKEN(k, taken) memory.room->places[place_of(&to, k)] = (ushort)place_of(&came_from, k);
      GROUP_BARRIER();
      SORT_EACH_TAKEN(k, taken) put_place(&came_from, k, (uint)memory.room->places[first + k * LANES]);
    }
  }
  if (CARRIES) {
    carried of_keys[ITEMS];
    SORT_EACH_TAKEN(k, taken) {
      const uint place = place_of(&came_from, k);
      if (MAKES_ORDER)
        of_keys[k] = carried_index(place);
      else if (first + k * LANES < count)
        of_keys[k] = all.values[place];
    }
    GROUP_GLOBAL_BARRIER();
    SORT_EACH_TAKEN(k, taken) {
      if (first + k * LANES < count) all.values_to[first + k * LANES] = of_keys[k];
    }
  }
  if (!MAKES_ORDER) {
    SORT_EACH_TAKEN(k, taken) {
      if (first + k * LANES < count) all.keys_to[first + k * LANES] = held[k];
    }
  }
}
