// Folds of segments by the groups of a GPU.

// Global size: groups * LANES. Where the host counts the segments, there is one at least.
KERNEL void segmented_reduce(SEGMENTS_INPUT, __global ACC *out, ulong out_offset,
                             ACC identity SEGMENTS_WORKSPACE VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SEGMENTS
  SEGMENT_MEMORY(memory);
  __local ulong begins[LANES];
  __local ulong lengths[LANES];
  __local uint numbers[LANES];
  // Segments that wait from the first entry on, and from the last one backwards; whether any lies where packets do not.
  __local uint counts[3];
  // What a search found, twice, and what is wrong with segments.
  __local uint found[3];
  const fold_input in = {x + x_offset};
  const uint lane = get_local_id(0);
  offsets += offsets_offset;
  out += out_offset;
  segments_part own = segments_positions(offsets, n, segments);
  if (lane == 0) found[2] = 0;
  segments_search(&own, offsets, n, segments, found);
  COLLECT_LONG_SEGMENTS(longs)
  // The segment before the first may have tiles in this part.
  for (uint first = own.begin > 0 ? own.begin - 1 : 0; first < own.end; first += LANES) {
    if (lane < 3) counts[lane] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint s = first + lane;
    segment each = {0, 0, 0};
    if (s < own.end) each = segment_at(offsets, n, s);
    const bool is_own = s >= own.begin && s < own.end;
    const bool is_long = each.length > FOLD_TILE;
    if (IS_ON(SEGMENT_PACKETS)) {
      // Those that a work-item folds alone, and those that are folded several at a time, go by packets together.
      if (each.length % VECTOR != 0 || (each.length > 0 && each.begin % VECTOR != 0)) atomic_or(counts + 2, 1u);
    }
    if (is_own || is_long) {
      if (each.length > SEGMENT_OWN) {
        const bool several = SEGMENT_SLOTS > 0 && each.length <= SEGMENT_SET;
        const uint entry = several ? atomic_inc(counts) : LANES - 1 - atomic_inc(counts + 1);
        begins[entry] = each.begin;
        lengths[entry] = each.length;
        numbers[entry] = s;
      } else if (each.length == 0) {
        segment_nothing(out + s, identity, given);
        if (each.fault != 0) atomic_or(found + 2, each.fault);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool packets = IS_ON(SEGMENT_PACKETS) && SAME_IN_LANES(counts[2]) == 0;
    if (is_own && each.length > 0 && each.length <= SEGMENT_OWN) {
      const fold_input from = {in.x + each.begin};
      out[s] = canonical(segment_fold_own(packets, from, (uint)each.length, given));
    }
    const uint many = SAME_IN_LANES(counts[0]), all = many + SAME_IN_LANES(counts[1]);
    for (uint done = 0; done < all;) {
      const bool several = done < many;
      const uint entry = several ? done : LANES - 1 - (done - many);
      const ulong begin = begins[entry], length = lengths[entry];
      const bool in_packets = IS_ON(SEGMENT_PACKETS) && several ? packets : SAME_IN_LANES((uint)(begin % VECTOR)) == 0;
      if (SEGMENT_SLOTS > 0 && SAME_IN_LANES(several || length <= SEGMENT_SLOTS * SEGMENT_SET)) {
        const segments_waiting waiting = {begins, lengths, numbers};
        segments_fold_slots(several, in_packets && (several || length % VECTOR == 0), in, waiting, entry,
                            several ? many - 1 : entry, out, memory.exchange, given);
        done += several ? min((uint)SEGMENT_SLOTS, many - done) : 1;
        continue;
      }
      ++done;
      if (IS_ON(SEGMENT_LEVELS) && SAME_IN_LANES(length > FOLD_TILE)) {
        segment_fold_tiles(in, in_packets, begin, length, numbers[entry], own, &longs, memory, given);
        continue;
      }
      const fold_input from = {in.x + begin};
      const FOLDED result = segment_fold_tile(true, in_packets, from, 0, 0, (uint)length, memory, given);
      if (lane == 0) out[numbers[entry]] = canonical(result);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (IS_ON(SEGMENT_LEVELS) && lane == 0) segments_leave(&longs, found[2]);
}
