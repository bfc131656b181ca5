// The sorts of a CPU: one work-item counts the keys of a digit and brings them to their places, one by one. Launches, where
// keys lie and arguments: sort.cl.

// The part of a group of `tiles`.
static inline ulong sort_share(ulong n, uint tiles) { return (n + tiles - 1) / tiles; }

INLINE void sort_count(const __global KEY *keys, ulong begin, ulong end, uint shift, uint mask, uint *counts) {
  // Neighbours count apart, so that equal ones need not wait for each other.
  uint others[SORT_DIGITS];
  for (uint d = 0; d < SORT_DIGITS; ++d) counts[d] = others[d] = 0;
  ulong i = begin;
  for (; i + 2 <= end; i += 2) {
    ++counts[sort_digit(keys[i], shift, mask)];
    ++others[sort_digit(keys[i + 1], shift, mask)];
  }
  if (i < end) ++counts[sort_digit(keys[i], shift, mask)];
  for (uint d = 0; d < SORT_DIGITS; ++d) counts[d] += others[d];
}

// Brings keys to their places; those of digit d begin at places[d].
INLINE void sort_move(const __global KEY *keys, __global KEY *keys_to, const __global carried *values, __global carried *values_to,
                      uint steps, ulong begin, ulong end, uint shift, uint mask, COUNT *places) {
  for (ulong i = begin; i < end; ++i) {
    const KEY key = keys[i];
    const COUNT to = places[sort_digit(key, shift, mask)]++;
    if (stores_keys(steps)) keys_to[to] = key;
    if (CARRIES) values_to[to] = sort_carried_of(values, steps, i);
  }
}

#ifdef SORTS_SMALL
// All digits in one launch, by one work-item: `passes` of them, of the bits from `shift` on. Passes write keys and values to the
// scratch buffer and to the output alternately (ping-pong), the last one to the output; an argsort has two scratch buffers for
// keys, and no output.
KERNEL void sort_small(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at,
                       ulong keys_spare_at CARRIED_ARGUMENTS, ulong values_spare_at, ELEMENTS_ARGUMENT, uint shift, uint bits,
                       uint passes, __global uchar *workspace) {
  COLLECT_ELEMENTS
  COLLECT_CARRIED
  const __global KEY *from = sort_keys_at(keys, keys_at);
  const __global carried *values_from = carried_from;
  for (uint pass = 0; pass < passes; ++pass) {
    const uint begin = sort_digit_begin(bits, pass, passes), end = sort_digit_begin(bits, pass + 1, passes);
    const uint mask = (1u << (end - begin)) - 1;
    const bool spare = (passes - pass) % 2 == 0;
    uint counts[SORT_DIGITS];
    COUNT places[SORT_DIGITS];
    sort_count(from, 0, n, shift + begin, mask, counts);
    COUNT before = 0;
    for (uint d = 0; d < SORT_DIGITS; ++d) {
      places[d] = before;
      before += counts[d];
    }
    __global KEY *to = spare ? sort_keys_to(workspace, keys_spare_at) : sort_keys_to(keys_to, keys_to_at);
    __global carried *values_into = spare ? sort_carried_to(workspace, values_spare_at) : carried_to;
    const uint steps = (pass == 0 ? STEP_FIRST : 0) | (pass + 1 == passes ? STEP_LAST : 0);
    sort_move(from, to, values_from, values_into, steps, 0, n, shift + begin, mask, places);
    values_from = values_into;
    from = to;
  }
}

#else

// Global size: tiles.
KERNEL void sort_counts(const __global uchar *keys, ulong keys_at, ELEMENTS_ARGUMENT, uint tiles, uint shift, uint bits,
                        __global uchar *workspace) {
  COLLECT_ELEMENTS
  const uint tile = get_group_id(0);
  const ulong begin = min(sort_share(n, tiles) * tile, n), end = min(sort_share(n, tiles) * (tile + 1), n);
  uint counts[SORT_DIGITS];
  sort_count(sort_keys_at(keys, keys_at), begin, end, shift, (1u << bits) - 1, counts);
  for (uint d = 0; d < SORT_DIGITS; ++d) sort_counts_of(workspace)[(ulong)d * tiles + tile] = counts[d];
}

// Where each tile's keys of each digit begin. One group.
KERNEL void sort_places(uint tiles, __global uchar *workspace) {
  COUNT before = 0;
  for (ulong i = 0; i < (ulong)SORT_DIGITS * tiles; ++i) {
    const COUNT count = sort_counts_of(workspace)[i];
    sort_counts_of(workspace)[i] = before;
    before += count;
  }
}

// Global size: tiles.
KERNEL void sort_move_keys(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
                           CARRIED_ARGUMENTS, uint steps, ELEMENTS_ARGUMENT, uint tiles, uint shift, uint bits,
                           __global uchar *workspace) {
  COLLECT_ELEMENTS
  COLLECT_CARRIED
  const uint tile = get_group_id(0);
  const ulong begin = min(sort_share(n, tiles) * tile, n), end = min(sort_share(n, tiles) * (tile + 1), n);
  COUNT places[SORT_DIGITS];
  for (uint d = 0; d < SORT_DIGITS; ++d) places[d] = sort_counts_of(workspace)[(ulong)d * tiles + tile];
  sort_move(sort_keys_at(keys, keys_at), sort_keys_to(keys_to, keys_to_at), carried_from, carried_to, steps, begin, end, shift,
            (1u << bits) - 1, places);
}

#endif  // SORTS_SMALL
