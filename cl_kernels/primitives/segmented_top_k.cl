// segmented_top_k: how the first keys of runs are kept in a sort of segments, whose kernels these functions are for
// (segmented_sort.cl). Plans and arguments: lib/primitives/segmented_top_k.cpp.

#if GROUP_SIZE > 1

// Stores number `i` of a sorted tile whose first key is number `begin` of the input, and where it lies there.
INLINE void segments_store_one(__global KEY *to, __global INDEX *indices, merge_memory memory, uint i, ulong begin) {
  const uint place = memory.order[MERGE_AT(i)];
  *to = key_of_form(memory.keys[MERGE_AT(MERGE_SORTED_MOVED ? i : place)]);
  *indices = (INDEX)(begin + place);
}

// Stores the first `count` keys of a tile that is one run, on a side. All work-items must call.
INLINE void segments_store_run(segment_rooms rooms, bool side, ulong begin, uint count, merge_memory memory) {
  for (uint i = own_id_anew(); i < count; i += GROUP_SIZE)
    segments_store_one(keys_of(rooms, side, begin + i), carried_of(rooms, side, begin + i), memory, i, begin);
  GROUP_BARRIER();
}

#else

// Merges the pairs of runs of `n` keys that the results from `begin` to before `end` are of, as far as these go, and as far as
// they are kept.
INLINE void segment_merge_kept(const __global KEY *keys, carried_from values, __global KEY *keys_to, carried_to values_to,
                               ulong kept, ulong n, ulong run, ulong begin, ulong end, named_values given) {
  for (ulong at = begin; at < end;) {
    const merge_pair pair = merge_pair_of(at, run, n);
    const __global KEY *a = keys + pair.begin, *b = keys + pair.middle;
    const ulong a_n = pair.middle - pair.begin, b_n = pair.end - pair.middle;
    const ulong from = min(at - pair.begin, kept), to = min(min(pair.end, end) - pair.begin, kept);
    if (from < to) {
      const merge_part of_a = {merge_path(a, a_n, b, b_n, from, given), merge_path(a, a_n, b, b_n, to, given)};
      const merge_part of_b = {from - of_a.begin, to - of_a.end};
      merge_serially(a, of_a, b, of_b, keys_to, pair.begin + from, values + pair.begin, values + pair.middle, values_to, given);
    }
    at = min(pair.end, end);
  }
}

// Sorts `count` keys, from number `at` of the input on, to a side, of which the first ones are kept.
INLINE void segment_sort_kept(const __global KEY *keys, segment_rooms rooms, bool side, ulong at, uint count, named_values given) {
  const uint passes = merge_passes_of(count);
  bool on = passes % 2 == 0 ? side : !side;
  for (uint i = 0; i < count; i += MERGE_BLOCK) {
    carried_to indices = carried_of(rooms, on, at + i);
    merge_sort_block(keys + at + i, keys_of(rooms, on, at + i), indices, indices, min(count - i, (uint)MERGE_BLOCK), at + i, given);
  }
  for (uint pass = 0; pass < passes; ++pass) {
    segment_merge_kept(keys_of(rooms, on, at), carried_of(rooms, on, at), keys_of(rooms, !on, at), carried_of(rooms, !on, at),
                       rooms.kept, count, (ulong)MERGE_BLOCK << pass, 0, count, given);
    on = !on;
  }
}

#endif  // GROUP_SIZE
