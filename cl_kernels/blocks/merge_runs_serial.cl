// Runs of sorted keys made by a CPU's work-item: blocks of a few keys, and the pairs of runs that are merged (merge_runs.cl,
// merge_serial.cl).

// The keys of a block are sorted one by one.
enum { MERGE_BLOCK = 16 };

// Sorts at most MERGE_BLOCK keys, from one place to another, or in place, and what goes with them likewise. `number`: that of the
// first one, for indices.
INLINE void merge_sort_block(const __global KEY *keys, __global KEY *keys_to, carried_from values, carried_to values_to,
                             uint count, ulong number, named_values given) {
  KEY held[MERGE_BLOCK];
  uchar places[MERGE_BLOCK];
  for (uint i = 0; i < count; ++i) {
    const KEY_LOADED key = key_at(keys + i);
    uint at = i;
    for (; at > 0 && comes_before(key, KEY_READ(held[at - 1]), given); --at) {
      held[at] = held[at - 1];
      places[at] = places[at - 1];
    }
    held[at] = keys[i];
    places[at] = (uchar)i;
  }
  for (uint i = 0; i < count; ++i) keys_to[i] = held[i];
  if (IS_ON(CARRIES_INDICES)) {
    for (uint i = 0; i < count; ++i) values_to[i] = (carried_part)(number + places[i]);
    return;
  }
  for (uint part = 0; part < CARRIED_WORDS; ++part) {
    carried_part parts[MERGE_BLOCK];
    for (uint i = 0; i < count; ++i) parts[i] = values[(ulong)places[i] * CARRIED_WORDS + part];
    for (uint i = 0; i < count; ++i) values_to[(ulong)i * CARRIED_WORDS + part] = parts[i];
  }
}

// Merges the pairs of runs of `n` keys that the results from `begin` to before `end` are of, as far as these go. They are
// multiples of `each`, or the first and the last of all.
INLINE void merge_sort_pairs(const __global KEY *keys, __global KEY *keys_to, carried_from values, carried_to values_to, ulong n,
                             ulong run, ulong each, ulong begin, ulong end, named_values given) {
  for (ulong at = begin; at < end;) {
    const merge_pair pair = merge_pair_of(at, run, n);
    const ulong next = min(pair.end, end);
    const merge_divided merge = {keys + pair.begin, keys + pair.middle, pair.middle - pair.begin, pair.end - pair.middle,
                                 pair.begin, each};
    merge_part of_a = {0, merge.a_n};
    // Of a whole pair, as most are in early passes, nothing is searched for, nor divided.
    if (at > pair.begin || next < pair.end)
      of_a = merge_piece_between(merge, at / each, (next + each - 1) / each, given);
    const merge_part of_b = {at - pair.begin - of_a.begin, next - pair.begin - of_a.end};
    const merge_places places = {merge.a, merge.b, keys_to, values + pair.begin * CARRIED_WORDS,
                                 values + pair.middle * CARRIED_WORDS, values_to};
    merge_serially(places, of_a, of_b, at, given);
    at = next;
  }
}

// Passes that make one run of `count` keys in blocks.
static inline uint merge_passes_of(ulong count) {
  uint passes = 0;
  while ((ulong)MERGE_BLOCK << passes < count) ++passes;
  return passes;
}

// Sorts `count` keys at `keys` to `keys_to`. Passes write to `keys_to` and to the scratch buffer `spare` alternately (ping-pong).
// `keys` may be `keys_to`: a block is loaded before any of it is stored.
INLINE void merge_sort_serially(const __global KEY *keys, __global KEY *keys_to, carried_from values, carried_to values_to,
                                __global KEY *spare, carried_to values_spare, ulong count, ulong number, named_values given) {
  const uint passes = merge_passes_of(count);
  bool in_spare = passes % 2 != 0;
  for (ulong at = 0; at < count; at += MERGE_BLOCK)
    merge_sort_block(keys + at, (in_spare ? spare : keys_to) + at, values + at * CARRIED_WORDS,
                     (in_spare ? values_spare : values_to) + at * CARRIED_WORDS, (uint)min(count - at, (ulong)MERGE_BLOCK),
                     number + at, given);
  for (uint pass = 0; pass < passes; ++pass) {
    merge_sort_pairs(in_spare ? spare : keys_to, in_spare ? keys_to : spare, in_spare ? values_spare : values_to,
                     in_spare ? values_to : values_spare, count, (ulong)MERGE_BLOCK << pass, count, 0, count, given);
    in_spare = !in_spare;
  }
}
