// segmented_sort by the groups of a GPU: neighbouring segments in a tile of local memory at once, and the passes that merge
// the tiles of longer ones. What both ways share: segmented_sort.cl.

// Sorts `count` keys of one or several segments, to where they lie on a side; where only first ones are kept, in local memory
// alone. All work-items must call.
INLINE void segments_sort_tile(const __global KEY *keys, carried_from values, segment_rooms rooms, bool side, ulong begin,
                               uint count, merge_memory memory, merge_part_of_run part, uint longest, named_values given) {
  merge_load_list(memory, keys + begin, count);
  GROUP_BARRIER();
  merge_sort_tile(memory, keys + begin, part, longest, false, given);
  if (IS_ON(KEEPS_FIRST)) return;
  merge_store_keys(keys_of(rooms, side, begin), memory, MERGE_SORTED_MOVED, count);
  carried_from own = values + begin * CARRIED_WORDS;
  merge_store_carried(carried_of(rooms, side, begin), own, own, count, true, memory, count);
  GROUP_BARRIER();
}

// Stores number `i` of a sorted tile whose first key is number `begin` of the input, and where it lies there.
INLINE void segments_store_one(__global KEY *to, __global carried_part *indices, merge_memory memory, uint i, ulong begin) {
  const uint place = memory.order[merge_at(i)];
  *to = key_of_form(memory.keys[merge_at(MERGE_SORTED_MOVED ? i : place)]);
  *indices = (carried_part)(begin + place);
}

// Stores the first `count` keys of a tile that is one run, on a side. All work-items must call.
INLINE void segments_store_run(segment_rooms rooms, bool side, ulong begin, uint count, merge_memory memory) {
  for (uint i = own_id_anew(); i < count; i += GROUP_SIZE)
    segments_store_one(keys_of(rooms, side, begin + i), carried_of(rooms, side, begin + i), memory, i, begin);
  GROUP_BARRIER();
}

// Neighbouring segments that a group sorts together, by work-items that are dealt out to them: where each ends, and the number
// of the work-item behind its last.
typedef struct {
  __local uint *ends;
  __local uint *items;
  __local uint *found;  // two words
  __local uint *sets;
  __local uint *exchange;
} segments_gathered;
#define SEGMENTS_GATHERED(name)                  \
  __local uint name##_ends[GROUP_SIZE];          \
  __local uint name##_items[GROUP_SIZE];         \
  __local uint name##_found[2];                  \
  __local uint name##_sets[LANE_SETS];           \
  __local uint name##_exchange[EXCHANGE_WORDS];  \
  const segments_gathered name = {name##_ends, name##_items, name##_found, name##_sets, name##_exchange}

// The number of the first of so many segments whose work-items end behind one's own number.
static inline uint segments_gathered_before(segments_gathered all, uint gathered, uint id) {
  uint low = 0, high = gathered;
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (all.items[middle] <= id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Gathers segments from number `s` on that fit in a tile, of those before `end`, of which the first does. Gives how many they
// are, how many keys they have and the longest, and the work-item's own part. All work-items must call.
INLINE uint segments_gather(uint *count, uint *longest, merge_part_of_run *part, const __global OFFSET *offsets, ulong n, uint s,
                            uint end, segments_gathered all) {
  const uint id = own_id_anew(), own = s + id;
  const ulong base = offsets[s];
  ulong own_begin = base, own_end = base;
  bool fits = own < end;
  if (fits) {
    own_begin = offsets[own];
    own_end = offsets[own + 1];
    fits = own_end <= min(base + MERGE_TILE, n);
  }
  const uint length = fits ? (uint)(own_end - own_begin) : 0;
  if (id == 0) {
    all.found[0] = GROUP_SIZE;
    all.found[1] = 0;
  }
  uint sum;
  const uint items = (length + ITEMS - 1) / ITEMS, before = group_sums(items, &sum, all.sets, all.exchange);
  fits = fits && before + items <= GROUP_SIZE;
  all.ends[id] = (uint)(own_end - base);
  all.items[id] = before + items;
  if (!fits) atomic_min(all.found, id);
  if (fits && length > 0) atomic_max(all.found + 1, length);
  GROUP_BARRIER();
  const uint gathered = SAME_IN_LANES(all.found[0]);
  if (gathered > 0) *count = SAME_IN_LANES(all.ends[gathered - 1]);
  *longest = SAME_IN_LANES(all.found[1]);
  const uint low = segments_gathered_before(all, gathered, id);
  part->begin = part->end = part->first = *count;
  if (low < gathered) {
    part->begin = low > 0 ? all.ends[low - 1] : 0;
    part->end = all.ends[low];
    part->first = part->begin + (id - (low > 0 ? all.items[low - 1] : 0)) * ITEMS;
  }
  GROUP_BARRIER();
  return gathered;
}

// Stores the first keys of each gathered segment, from number `s` on, as results; they have `count` keys, and the longest has
// `longest`. All work-items must call.
INLINE void segments_store_gathered(segment_rooms rooms, uint s, uint gathered, ulong begin, uint count, uint longest,
                                    merge_part_of_run part, merge_memory memory, segments_gathered all) {
  // Where most have as many results as the longest, neighbours store neighbours; else each work-item those of its own part.
  const uint width = (uint)kept_of(rooms, longest), results = gathered * width;
  if (results <= 2 * count) {
    for (uint i = own_id_anew(); i < results; i += GROUP_SIZE) {
      const uint segment = i / width, rank = i - segment * width;
      const uint first = segment > 0 ? all.ends[segment - 1] : 0;
      const ulong to = ((ulong)s + segment) * rooms.kept + rank;
      if (rank < all.ends[segment] - first)
        segments_store_one(rooms.best + to, rooms.indices + to, memory, first + rank, begin);
    }
    GROUP_BARRIER();
    return;
  }
  const ulong own = (ulong)s + segments_gathered_before(all, gathered, own_id_anew());
  const uint end = min(part.begin + (uint)kept_of(rooms, part.end - part.begin), part.first + ITEMS);
  for (uint i = part.first; i < end; ++i) {
    const ulong to = own * rooms.kept + (i - part.begin);
    segments_store_one(rooms.best + to, rooms.indices + to, memory, i, begin);
  }
  GROUP_BARRIER();
}

// Sorts the segments, or tiles of longer ones, that begin in a group's range of positions (segments.cl). Any number of groups.
KERNEL void segmented_sort_tiles(const __global KEY *keys, ulong keys_offset CARRIED_INPUT, SEGMENTS_INPUT,
                                 SEGMENTS_OUTPUT SEGMENTS_BAD VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SEGMENTS
  MERGE_MEMORY(memory);
  SEGMENT_ROOMS(rooms);
  SEGMENTS_GATHERED(all);
  __local uint own_count[1];
  const uint id = get_local_id(0);
  offsets += offsets_offset;
  keys += keys_offset;
  const carried_from own_values = OWN_VALUES;
  const uint wrong = segments_wrong(get_group_id(0) == 0 && id == 0, workspace);
  if (id == 0) own_count[0] = 0;
  if ((wrong & SEGMENT_FALLS) == 0) {
    const segments_part own = segments_own(offsets, n, segments, all.found);
    GROUP_BARRIER();  // all have read what was found
    // The segment before the first may have tiles in this part.
    for (uint s = own.begin > 0 ? own.begin - 1 : 0; s < own.end;) {
      const segment each = segment_at(offsets, n, s);
      if (each.length > MERGE_TILE) {
        const uint tiles = segment_tiles(each.length);
        const ulong position = each.begin + (ulong)s * SEGMENT_COST;
        const uint end = segment_tiles_before(position, own.to, tiles);
        const bool side = segment_passes(each.length) % 2 != 0;
        for (uint tile = segment_tiles_before(position, own.from, tiles); tile < end; ++tile) {
          const ulong at = (ulong)tile * MERGE_TILE;
          const uint count = (uint)min(each.length - at, (ulong)MERGE_TILE);
          const merge_part_of_run part = {0, count, min(id * ITEMS, count)};
          segments_sort_tile(keys, own_values, rooms, side, each.begin + at, count, memory, part, count, given);
          if (IS_ON(KEEPS_FIRST)) segments_store_run(rooms, side, each.begin + at, (uint)kept_of(rooms, count), memory);
        }
        ++s;
      } else if (s < own.begin || each.fault != 0) {
        ++s;
      } else {
        uint count = 0, longest;
        merge_part_of_run part;
        const uint gathered = segments_gather(&count, &longest, &part, offsets, n, s, own.end, all);
        if (count > 0) {
          segments_sort_tile(keys, own_values, rooms, false, each.begin, count, memory, part, longest, given);
          if (IS_ON(KEEPS_FIRST)) segments_store_gathered(rooms, s, gathered, each.begin, count, longest, part, memory, all);
        }
        s += gathered;
      }
    }
  }
  GROUP_BARRIER();
  if (wrong != 0) {
    for (ulong s = get_global_id(0); s < segments; s += get_global_size(0)) {
      if (segment_at(offsets, n, (uint)s).fault != 0) atomic_inc(own_count);
    }
  }
  segments_add_up(wrong, own_count, workspace SEGMENTS_WITH_BAD);
}

// Merges the tiles of one segment's pass that begin in the group's part. All work-items must call.
INLINE void segment_merge_tiles(segment_rooms rooms, ulong begin, ulong length, uint s, uint pass, segments_part own,
                                merge_memory memory, __local merge_way_memory *cuts, named_values given) {
  const uint tiles = segment_tiles(length);
  const ulong position = begin + (ulong)s * SEGMENT_COST, run = (ulong)MERGE_TILE << pass;
  const uint first = segment_tiles_before(position, own.from, tiles), last = segment_tiles_before(position, own.to, tiles);
  const bool side = (segment_passes(length) - pass) % 2 != 0;
  const __global KEY *from = keys_of(rooms, side, begin);
  merge_way way;
  for (uint tile = first; tile < last; ++tile) {
    const ulong at = (ulong)tile * MERGE_TILE;
    const merge_pair pair = merge_pair_of(at, run, length);
    uint count = (uint)min(length - at, (ulong)MERGE_TILE);
    // Before a diagonal of no more than what is kept lies nothing of either run that was not.
    const ulong line = at - pair.begin;
    if (IS_ON(KEEPS_FIRST)) {
      const ulong kept = kept_of(rooms, pair.end - pair.begin);
      if (line >= kept) continue;
      count = (uint)min(kept - line, (ulong)MERGE_TILE);
    }
    merge_part of_a;
    // By an operator a group goes its way over the tiles, so that all groups find the same cuts whatever it says.
    if (MERGE_CUTS_MAY_DISAGREE) {
      // Without this barrier a work-item could load a tile while others still store the previous one.
      GROUP_BARRIER();
      const merge_divided merge = {from + pair.begin, from + pair.middle, pair.middle - pair.begin, pair.end - pair.middle, 0,
                                   MERGE_TILE};
      if (tile == first || at == pair.begin) merge_begin_way(&way, cuts, merge);
      of_a = merge_next_piece(&way, cuts, merge, line / MERGE_TILE, given);
    } else {
      // Numbers have one order: one looks for where the tile begins in the pair's first run, and one of another set of lanes for
      // where it ends.
      const uint id = get_local_id(0);
      if (id == 0 || id == GROUP_SIZE / 2)
        cuts->cuts[id == 0 ? 0 : 1] = merge_pair_path(from, pair, id == 0 ? at : at + count, given);
      GROUP_BARRIER();
      of_a.begin = cuts->cuts[0];
      of_a.end = cuts->cuts[1];
    }
    const merge_piece piece = merge_piece_of(pair, at, of_a);
    merge_piece_in_tile(memory, from, piece, count, given);
    const bool is_last = IS_ON(KEEPS_FIRST) && segment_passes(length) - pass == 1;
    const ulong result = (ulong)s * rooms.kept + line;
    merge_store_keys(is_last ? rooms.best + result : keys_of(rooms, !side, begin + at), memory, MERGE_MERGED_MOVED, count);
    carried_from values = carried_of(rooms, side, begin);
    merge_store_carried(is_last ? rooms.indices + result : carried_of(rooms, !side, begin + at), values + piece.a * CARRIED_WORDS,
                        values + piece.b * CARRIED_WORDS, piece.a_count, false, memory, count);
  }
}

// One pass over all segments that take more than `pass` of them. As many groups as before.
KERNEL void segmented_sort_pass(SEGMENTS_INPUT, SEGMENTS_OUTPUT, uint pass VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SEGMENTS
  MERGE_MEMORY(memory);
  SEGMENT_ROOMS(rooms);
  __local ulong begins[GROUP_SIZE];
  __local ulong lengths[GROUP_SIZE];
  __local uint numbers[GROUP_SIZE];
  __local merge_way_memory cuts;
  __local uint found[3];
  const uint id = get_local_id(0);
  if (*segments_passes(workspace) <= pass) return;
  offsets += offsets_offset;
  const segments_part own = segments_own(offsets, n, segments, found);
  for (uint first = own.begin > 0 ? own.begin - 1 : 0; first < own.end; first += GROUP_SIZE) {
    if (id == 0) found[2] = 0;
    GROUP_BARRIER();
    const uint s = first + id;
    if (s < own.end) {
      const segment each = segment_at(offsets, n, s);
      if (segment_passes(each.length) > pass) {
        const uint entry = atomic_inc(found + 2);
        begins[entry] = each.begin;
        lengths[entry] = each.length;
        numbers[entry] = s;
      }
    }
    GROUP_BARRIER();
    const uint long_ones = found[2];
    for (uint k = 0; k < long_ones; ++k)
      segment_merge_tiles(rooms, begins[k], lengths[k], numbers[k], pass, own, memory, &cuts, given);
    GROUP_BARRIER();
  }
}
