// Folds of segments on a CPU, whose groups are one work-item each. It takes the segments one after the other.

KERNEL void segmented_reduce(SEGMENTS_INPUT, __global ACC *out, ulong out_offset,
                             ACC identity SEGMENTS_WORKSPACE VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_SEGMENTS
  SEGMENT_MEMORY(memory);
  const fold_input in = {x + x_offset};
  offsets += offsets_offset;
  out += out_offset;
  const segments_part own = segments_own(offsets, n, segments, 0);
  uint found = 0;
  COLLECT_LONG_SEGMENTS(longs)
  for (uint s = own.begin > 0 ? own.begin - 1 : 0; s < own.end; ++s) {
    const segment each = segment_at(offsets, n, s);
    if (IS_ON(SEGMENT_LEVELS) && each.length > FOLD_TILE) {
      segment_fold_tiles(in, false, each.begin, each.length, s, own, &longs, memory, given);
      continue;
    }
    if (s < own.begin) continue;
    const fold_input from = {in.x + each.begin};
    if (each.length == 0) {
      segment_nothing(out + s, identity, given);
      found |= each.fault;
    } else if (each.length <= SEGMENT_OWN) {
      out[s] = canonical(segment_fold_own(false, from, (uint)each.length, given));
    } else {
      out[s] = canonical(segment_fold_tile(true, false, from, 0, 0, (uint)each.length, memory, given));
    }
  }
  segments_leave(&longs, found);
}
