// Scans of few elements by key, in one launch.

// In one launch each group finds the begins of its part and of what follows. Of those before its part it hears by messages; where
// none comes, it looks at the part's keys itself. So the call ends, in whatever order a device runs its groups. A part is shorter
// than a unit, so that with short runs most groups take one window.
enum { BEGINS_TILES = (BEGINS_PART + BEGINS_UNIT + SELECT_TILE - 1) / SELECT_TILE, BEGINS_WORDS = BEGINS_TILES * WORDS_OF_TILE };
typedef char a_part_has_whole_words[BEGINS_PART % 32 == 0 ? 1 : -1];
typedef char a_tile_has_whole_words[SELECT_TILE % 32 == 0 ? 1 : -1];
typedef char a_part_is_no_longer_than_a_unit[BEGINS_PART <= BEGINS_UNIT ? 1 : -1];
typedef char a_begin_of_a_part_has_12_bits[BEGINS_PART < 4096 ? 1 : -1];
static inline __global ulong *told_of_part(__global uchar *workspace, uint part) {
  return (__global ulong *)(workspace + OWN_AT) + part;
}
// Larger for a later one, and not 0.
static inline uint number_of_part(uint part, uint last) { return (part + 1) << 12 | last; }

// The first and the last begin of a part, found from its keys: as begins_told packs them, or 0 if it has none. All must call;
// `found` is two words of local memory. Ends with a barrier.
INLINE uint begins_of_part(select_input in, uint part, __local uint *found, named_values given) {
  const uint id = own_id_anew();
  if (id == 0) {
    found[0] = 0xffffffffu;
    found[1] = 0;
  }
  GROUP_BARRIER();
  UNROLL_BY(1)
  for (uint i = id; i < BEGINS_PART; i += GROUP_SIZE) {
    const ulong j = (ulong)part * BEGINS_PART + i;
    if (j >= in.head && j < in.end && select_keeps(in, j, given)) {
      atomic_min(found, i + 1);
      atomic_max(found + 1, i + 1);
    }
  }
  GROUP_BARRIER();
  const uint first = SAME_IN_LANES(found[0]), last = SAME_IN_LANES(found[1]);
  GROUP_BARRIER();
  return last > 0 ? begins_told(first, last) : 0;
}

// The last begin before a part, counted from 1; 0: none. All must call; `found` is two words of local memory.
INLINE ulong begin_told_before(select_input in, uint part, __global uchar *workspace, uint call, __local uint *found,
                               named_values given) {
  const uint id = own_id_anew();
  uint left = part, count = min(left, 1u);  // of the `left` parts before it the last `count` are looked at
  uint number = 0;
  for (uint looked = 0; left > 0;) {
    if (id < 2) found[id] = 0;
    GROUP_BARRIER();
    if (id < count) {
      const uint it = left - 1 - id;
      const ulong word = message_read(told_of_part(workspace, it));
      const bool there = (uint)(word >> 32) == call;
      if (!there || (uint)word != 0) atomic_max(found + (there ? 0 : 1), number_of_part(it, there ? last_begin((uint)word) : 0));
    }
    GROUP_BARRIER();
    number = SAME_IN_LANES(found[0]);
    const uint missing = SAME_IN_LANES(found[1]);
    GROUP_BARRIER();
    if (number > missing) {
      left = 0;
    } else if (missing == 0) {
      left -= count;
      count = min(left, (uint)GROUP_SIZE);
    } else if (++looked < LOOKS) {
      pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
    } else {
      const uint it = (missing >> 12) - 1, told = begins_of_part(in, it, found, given);
      if (id == 0) message_write(told_of_part(workspace, it), (ulong)call << 32 | told);
      GROUP_GLOBAL_BARRIER();
    }
  }
  return number == 0 ? 0 : (ulong)((number >> 12) - 1) * BEGINS_PART + (number & 0xfffu);
}

// The results. Global size: parts * GROUP_SIZE. No message in the workspace has the number of this call.
KERNEL void scan_by_key(SELECT_ARGUMENTS, const __global STORED *values, ulong values_offset, __global ACC *out, ulong out_offset,
                        __global uchar *workspace, ulong results_at, uint call, ACC start VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_INPUT(in);
  const uint own = get_group_id(0), id = own_id_anew();
  const ulong from = (ulong)own * BEGINS_PART;
  RETURN_BEHIND(from, in.end)
  WINDOW_MEMORY(memory);
  SCAN_MEMORY(of_block);
  __local FOLDED folds[GROUP_SIZE];
  __local uint words[BEGINS_WORDS];
  __local ushort packets[BEGINS_TILES * PACKETS_OF_TILE];
  __local uint found[3];  // the first and the last begin of the part, and the first one behind it, counted from 1
  if (id < 3) found[id] = id == 1 ? 0 : 0xffffffffu;
  // Numbers of which tile 1 begins with the part.
  select_input near = in;
  near.x = in.x + from - SELECT_TILE;
  near.end = in.end - from + SELECT_TILE;
  near.head = from >= SELECT_TILE ? 0 : head + SELECT_TILE - (uint)from;
  UNROLL_BY(1)
  for (uint t = 0; t < BEGINS_TILES; ++t) {
    if ((t + 1) * SELECT_TILE < near.end) begins_of_packets(packets + t * PACKETS_OF_TILE, near, t + 1, given);
  }
  GROUP_BARRIER();
  for (uint w = id; w < BEGINS_WORDS; w += GROUP_SIZE) {
    const uint word = from + w * 32 < in.end ? begins_word(packets, w) : 0;
    const bool is_own = w < BEGINS_PART / 32;
    words[w] = word;
    if (word != 0) {
      atomic_min(found + (is_own ? 0 : 2), w * 32 + 1 + lowest_bit(word));
      if (is_own) atomic_max(found + 1, w * 32 + 1 + highest_bit(word));
    }
  }
  GROUP_BARRIER();
  const uint first = SAME_IN_LANES(found[0]), last = SAME_IN_LANES(found[1]), next = SAME_IN_LANES(found[2]);
  const uint told = last > 0 ? begins_told(first, last) : 0;
  if (id == 0) message_write(told_of_part(workspace, own), (ulong)call << 32 | told);
  GROUP_BARRIER();
  const ulong before = begin_told_before(in, own, workspace, call, found, given);  // from 1 on
  const scan_begins begins = {words, from, 0, BEGINS_PART, in.end};
  ulong at = unit_behind(begins, from, before), stop = unit_behind(begins, from + BEGINS_PART, last > 0 ? from + last : before);
  if (told != 0) at = min(at, from + first_begin(told) - 1);
  stop = min(stop, from + next - 1);
  const scan_before nothing = scan_nothing(start, given);
  const begins_place place = {workspace, results_at, folds, call, found, of_block};
  begins_scan_part(begins, values + values_offset, out + out_offset, head, own, told, before, at, stop, nothing, place, memory,
                   given);
  MEET_AT_END
}
