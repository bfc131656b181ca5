// segmented_sort: sorts each of many segments of one input. Plans and arguments: lib/primitives/segmented_sort.cpp.
//
// A first launch looks at all offsets: where any segment ends before it begins, nothing is written, for segments may share
// keys. Then groups take equal parts of what all segments have side by side (segments.cl). Of segments that fit in a tile a
// GPU's group loads as many neighbours as the tile holds, and sorts them in local memory at once: each segment has work-items
// of its own, as many as its keys need, which sort their parts of it and then merge them until the longest is one.
// A longer segment may go on through the parts of many groups: each sorts the tiles that begin in its own part, and in each
// later launch merges the tiles of longer runs that do (merge_runs.cl). How many such launches there is work for, the first
// launch says; the others end at once. Before a segment's last pass its runs are in the output and in a spare room in turn.

#ifdef CARRIED_PART
#define CARRIED_INPUT , const __global CARRIED_PART *values, ulong values_offset
#define CARRIED_OUTPUT , __global CARRIED_PART *values_out, ulong values_out_offset
#define CARRIED_SPARE , ulong values_spare_at
#define CARRIED_ROOMS                               \
  carried_to values_out, values_spare;
#define CARRIED_SET(rooms)                                            \
  rooms.values_out = values_out + values_out_offset * CARRIED_WORDS; \
  rooms.values_spare = (carried_to)(workspace + values_spare_at)
#define CARRIED_OF(rooms, side, at) (((side) ? (rooms).values_spare : (rooms).values_out) + (at)*CARRIED_WORDS)
#else
#define CARRIED_INPUT
#define CARRIED_OUTPUT
#define CARRIED_SPARE
#define CARRIED_ROOMS
#define CARRIED_SET(rooms)
#endif

#define SEGMENTS_INPUT ulong n, const __global OFFSET *restrict offsets, ulong offsets_offset, uint segments

// Where results go, and the spare room: the latter is the `side` 1.
typedef struct {
  __global KEY *out, *spare;
  CARRIED_ROOMS
} segment_rooms;
#define SEGMENTS_OUTPUT \
  __global KEY *out, ulong out_offset CARRIED_OUTPUT, __global uchar *workspace, ulong spare_at CARRIED_SPARE
#define SEGMENT_ROOMS(rooms)                           \
  segment_rooms rooms;                                 \
  rooms.out = out + out_offset;                        \
  rooms.spare = (__global KEY *)(workspace + spare_at); \
  CARRIED_SET(rooms)
#define KEYS_OF(rooms, side, at) (((side) ? (rooms).spare : (rooms).out) + (at))

// The passes of merges that a segment takes, whose runs are twice as long each time. Before pass `p` its runs are on the side
// of the number of passes that are left.
static inline uint segment_passes(ulong length) {
  const uint tiles = segment_tiles(length);
  return tiles > 1 ? 32 - (uint)clz(tiles - 1) : 0;
}

// What the longest segment takes, in a counter until the first launch has ended, then at the front of the workspace.
#define SEGMENTS_MOST_PASSES (SEGMENTS_COUNTERS + 3)
#define SEGMENTS_PASSES (*(__global uint *)(workspace + OWN_AT))

// What is wrong with the segments. The first work-item of the launch keeps their passes for those that follow: none where the
// offsets fall, and nothing is sorted.
static inline uint segments_wrong(bool is_first, __global uchar *workspace) {
  const uint wrong = SEGMENTS_COUNTERS[0];
  if (is_first) {
    const uint passes = atomic_xchg(SEGMENTS_MOST_PASSES, 0u);
    SEGMENTS_PASSES = (wrong & SEGMENT_FALLS) != 0 ? 0 : passes;
  }
  return wrong;
}

KERNEL void segmented_sort_check(SEGMENTS_INPUT, __global uchar *workspace) {
  __local uint found[2];
  const uint id = get_local_id(0);
  offsets += offsets_offset;
  if (id == 0) found[0] = found[1] = 0;
  GROUP_BARRIER();
  uint fault = 0, passes = 0;
#if GROUP_SIZE > 1
  for (ulong s = get_global_id(0); s < segments; s += get_global_size(0)) {
#else
  const own_units own = own_share(segments);
  for (ulong s = own.begin; s < own.end; ++s) {
#endif
    const segment each = segment_at(offsets, n, (uint)s);
    fault |= each.fault;
    passes = max(passes, segment_passes(each.length));
  }
#if GROUP_SIZE > 1
  if (fault != 0) atomic_or(found, fault);
  if (passes != 0) atomic_max(found + 1, passes);
  GROUP_BARRIER();
  fault = found[0];
  passes = found[1];
#endif
  if (id == 0 && fault != 0) atomic_or(SEGMENTS_COUNTERS, fault);
  if (id == 0 && passes != 0) atomic_max(SEGMENTS_MOST_PASSES, passes);
}

#if GROUP_SIZE > 1

// Sorts `count` keys of one or several segments, to where they lie on a side. All work-items must call.
INLINE void segments_sort_tile(const __global KEY *keys
#ifdef CARRIED_PART
                               , carried_from values
#endif
                               , segment_rooms rooms, bool side, ulong begin, uint count, merge_memory memory,
                               merge_part_of_run part, uint longest VALUES_PARAMETER) {
  merge_load_keys(memory, keys + begin, count, keys, count);
  GROUP_BARRIER();
  merge_sort_tile(memory, part, longest WITH_VALUES);
  merge_store_keys(KEYS_OF(rooms, side, begin), memory, MERGE_SORTED_MOVED, count);
#ifdef CARRIED_PART
  carried_from own = values + begin * CARRIED_WORDS;
  merge_store_carried(CARRIED_OF(rooms, side, begin), own, own, count, true, memory, count);
#endif
  GROUP_BARRIER();
}
#ifdef CARRIED_PART
#define WITH_VALUES_IN , values
#else
#define WITH_VALUES_IN
#endif

// Neighbouring segments that a group sorts together, by work-items that are dealt out to them: where each ends, and the number
// of the work-item behind its last.
typedef struct {
  __local uint *ends;
  __local uint *items;
  __local uint *found;  // two words
  __local uint *sets;
  __local uint *exchange;
} segments_gathered;
#ifdef LANES_NEED_EXCHANGE
#define SEGMENTS_EXCHANGE(name)             \
  __local uint name##_exchange[GROUP_SIZE]; \
  name.exchange = name##_exchange
#else
#define SEGMENTS_EXCHANGE(name) name.exchange = 0
#endif
#define SEGMENTS_GATHERED(name)          \
  segments_gathered name;                \
  __local uint name##_ends[GROUP_SIZE];  \
  __local uint name##_items[GROUP_SIZE]; \
  __local uint name##_found[2];          \
  __local uint name##_sets[LANE_SETS];   \
  SEGMENTS_EXCHANGE(name);               \
  name.ends = name##_ends;               \
  name.items = name##_items;             \
  name.found = name##_found;             \
  name.sets = name##_sets

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
  // The first segment whose work-items end behind one's own number.
  uint low = 0, high = gathered;
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (all.items[middle] <= id)
      low = middle + 1;
    else
      high = middle;
  }
  part->begin = part->end = part->first = *count;
  if (low < gathered) {
    part->begin = low > 0 ? all.ends[low - 1] : 0;
    part->end = all.ends[low];
    part->first = part->begin + (id - (low > 0 ? all.items[low - 1] : 0)) * ITEMS;
  }
  GROUP_BARRIER();
  return gathered;
}

// As many groups as share the segments.
KERNEL void segmented_sort_tiles(const __global KEY *keys, ulong keys_offset CARRIED_INPUT, SEGMENTS_INPUT,
                                 SEGMENTS_OUTPUT SEGMENTS_BAD VALUES_ARGUMENTS) {
  COLLECT_VALUES
  MERGE_MEMORY(memory);
  SEGMENT_ROOMS(rooms);
  SEGMENTS_GATHERED(all);
  __local uint own_count[1];
  const uint id = get_local_id(0);
  offsets += offsets_offset;
  keys += keys_offset;
#ifdef CARRIED_PART
  values += values_offset * CARRIED_WORDS;
#endif
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
          segments_sort_tile(keys WITH_VALUES_IN, rooms, side, each.begin + at, count, memory, part, count WITH_VALUES);
        }
        ++s;
      } else if (s < own.begin || each.fault != 0) {
        ++s;
      } else {
        uint count = 0, longest;
        merge_part_of_run part;
        const uint gathered = segments_gather(&count, &longest, &part, offsets, n, s, own.end, all);
        if (count > 0)
          segments_sort_tile(keys WITH_VALUES_IN, rooms, false, each.begin, count, memory, part, longest WITH_VALUES);
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

// What a group needs in local memory to find where tiles begin in the runs of their pair. By an operator it goes its way over
// them, so that all groups find the same whatever the operator says; numbers have one order, and two searches at once do.
#ifdef MERGE_CUTS_MAY_DISAGREE
#define SEGMENT_CUTS merge_way_memory
#define SEGMENT_CUTS_MEMORY(name) MERGE_WAY_MEMORY(name)
#else
#define SEGMENT_CUTS __local ulong *
#define SEGMENT_CUTS_MEMORY(name) __local ulong name[2]
#endif

// Merges the tiles of one segment's pass that begin in the group's part. All work-items must call.
INLINE void segment_merge_tiles(segment_rooms rooms, ulong begin, ulong length, uint s, uint pass, segments_part own,
                                merge_memory memory, SEGMENT_CUTS cuts VALUES_PARAMETER) {
  const uint tiles = segment_tiles(length);
  const ulong position = begin + (ulong)s * SEGMENT_COST, run = (ulong)MERGE_TILE << pass;
  const uint first = segment_tiles_before(position, own.from, tiles), last = segment_tiles_before(position, own.to, tiles);
  const bool side = (segment_passes(length) - pass) % 2 != 0;
  const __global KEY *from = KEYS_OF(rooms, side, begin);
#ifdef MERGE_CUTS_MAY_DISAGREE
  merge_way way;
#endif
  for (uint tile = first; tile < last; ++tile) {
    const ulong at = (ulong)tile * MERGE_TILE;
    const uint count = (uint)min(length - at, (ulong)MERGE_TILE);
    const merge_pair pair = merge_pair_of(at, run, length);
    // Without this barrier a work-item could load a tile while others still store the previous one.
#ifdef MERGE_CUTS_MAY_DISAGREE
    GROUP_BARRIER();
    const merge_divided merge = {from + pair.begin, from + pair.middle, pair.middle - pair.begin, pair.end - pair.middle, 0,
                                 MERGE_TILE};
    if (tile == first || at == pair.begin) merge_begin_way(&way, cuts, merge);
    const merge_part of_a = merge_next_piece(&way, cuts, merge, (at - pair.begin) / MERGE_TILE WITH_VALUES);
#else
    // One looks for where the tile begins in the pair's first run, and one of another set of lanes for where it ends.
    const uint id = get_local_id(0);
    if (id == 0 || id == GROUP_SIZE / 2) cuts[id == 0 ? 0 : 1] = merge_pair_path(from, pair, id == 0 ? at : at + count WITH_VALUES);
    GROUP_BARRIER();
    const merge_part of_a = {cuts[0], cuts[1]};
#endif
    const merge_piece piece = merge_piece_of(pair, at, of_a);
    merge_piece_in_tile(memory, from, piece, count WITH_VALUES);
    merge_store_keys(KEYS_OF(rooms, !side, begin + at), memory, MERGE_MERGED_MOVED, count);
#ifdef CARRIED_PART
    carried_from values = CARRIED_OF(rooms, side, begin);
    merge_store_carried(CARRIED_OF(rooms, !side, begin + at), values + piece.a * CARRIED_WORDS,
                        values + piece.b * CARRIED_WORDS, piece.a_count, false, memory, count);
#endif
  }
}

// One pass over all segments that take more than `pass` of them. As many groups as before.
KERNEL void segmented_sort_pass(SEGMENTS_INPUT, SEGMENTS_OUTPUT, uint pass VALUES_ARGUMENTS) {
  COLLECT_VALUES
  MERGE_MEMORY(memory);
  SEGMENT_ROOMS(rooms);
  __local ulong begins[GROUP_SIZE];
  __local ulong lengths[GROUP_SIZE];
  __local uint numbers[GROUP_SIZE];
  SEGMENT_CUTS_MEMORY(cuts);
  __local uint found[3];
  const uint id = get_local_id(0);
  if (SEGMENTS_PASSES <= pass) return;
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
      segment_merge_tiles(rooms, begins[k], lengths[k], numbers[k], pass, own, memory, cuts WITH_VALUES);
    GROUP_BARRIER();
  }
}

#else

// The same by work-items that are groups of their own.
#ifdef CARRIED_PART
#define MOVED_AT(at) , values + (at)*CARRIED_WORDS, CARRIED_OF(rooms, side, at)
#define OTHER_AT(at) , CARRIED_OF(rooms, !side, at)
#else
#define MOVED_AT(at)
#define OTHER_AT(at)
#endif
KERNEL void segmented_sort_tiles(const __global KEY *keys, ulong keys_offset CARRIED_INPUT, SEGMENTS_INPUT,
                                 SEGMENTS_OUTPUT SEGMENTS_BAD VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SEGMENT_ROOMS(rooms);
  __local uint own_count[1];
  offsets += offsets_offset;
  keys += keys_offset;
#ifdef CARRIED_PART
  values += values_offset * CARRIED_WORDS;
#endif
  const uint wrong = segments_wrong(get_group_id(0) == 0, workspace);
  own_count[0] = 0;
  if ((wrong & SEGMENT_FALLS) == 0) {
    const segments_part own = segments_own(offsets, n, segments, own_count);
    for (uint s = own.begin > 0 ? own.begin - 1 : 0; s < own.end; ++s) {
      const segment each = segment_at(offsets, n, s);
      const bool is_long = each.length > SEGMENT_TILE;
      if (!is_long && s < own.begin) continue;
      const uint tiles = segment_tiles(each.length);
      const ulong position = each.begin + (ulong)s * SEGMENT_COST;
      const uint end = is_long ? segment_tiles_before(position, own.to, tiles) : tiles;
      const bool side = segment_passes(each.length) % 2 != 0;
      for (uint tile = is_long ? segment_tiles_before(position, own.from, tiles) : 0; tile < end; ++tile) {
        const ulong at = each.begin + (ulong)tile * SEGMENT_TILE;
        merge_sort_serially(keys + at, KEYS_OF(rooms, side, at) MOVED_AT(at), KEYS_OF(rooms, !side, at) OTHER_AT(at),
                            min(each.begin + each.length - at, (ulong)SEGMENT_TILE), 0 WITH_VALUES);
      }
    }
  }
  if (wrong != 0) {
    const own_units own = own_share(segments);
    for (ulong s = own.begin; s < own.end; ++s) own_count[0] += segment_at(offsets, n, (uint)s).fault != 0 ? 1 : 0;
  }
  segments_add_up(wrong, own_count, workspace SEGMENTS_WITH_BAD);
}

KERNEL void segmented_sort_pass(SEGMENTS_INPUT, SEGMENTS_OUTPUT, uint pass VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SEGMENT_ROOMS(rooms);
  if (SEGMENTS_PASSES <= pass) return;
  offsets += offsets_offset;
  const segments_part own = segments_own(offsets, n, segments, 0);
  for (uint s = own.begin > 0 ? own.begin - 1 : 0; s < own.end; ++s) {
    const segment each = segment_at(offsets, n, s);
    const uint passes = segment_passes(each.length);
    if (passes <= pass) continue;
    const uint tiles = segment_tiles(each.length);
    const ulong position = each.begin + (ulong)s * SEGMENT_COST;
    const ulong first = (ulong)segment_tiles_before(position, own.from, tiles) * SEGMENT_TILE,
                end = min((ulong)segment_tiles_before(position, own.to, tiles) * SEGMENT_TILE, each.length);
    const bool side = (passes - pass) % 2 != 0;
#ifdef CARRIED_PART
    carried_from values = CARRIED_OF(rooms, side, each.begin);
    carried_to values_to = CARRIED_OF(rooms, !side, each.begin);
    merge_sort_pairs(KEYS_OF(rooms, side, each.begin), KEYS_OF(rooms, !side, each.begin), values, values_to, each.length,
                     (ulong)SEGMENT_TILE << pass, SEGMENT_TILE, first, end WITH_VALUES);
#else
    merge_sort_pairs(KEYS_OF(rooms, side, each.begin), KEYS_OF(rooms, !side, each.begin), each.length,
                     (ulong)SEGMENT_TILE << pass, SEGMENT_TILE, first, end WITH_VALUES);
#endif
  }
}

#endif  // GROUP_SIZE
