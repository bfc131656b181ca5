// The bound that some candidates do not exceed: the search for it by one group.
//
// Candidates are keys with their indices, in the order of the keys, and of equal ones in that of the indices: no two are
// equal. The group counts the digits of all that agree with the bound as far as it is known, from the highest bit in which
// keys differ on, and chooses the digit in which the candidate of the wanted rank lies; behind the keys' digits those of the
// indices follow. It ends where all that have a digit are wanted. (Alabi, Blanchard, Gordon and Steinbach, "Fast K-selection
// Algorithms for Graphics Processing Units", 2012, for selections by digits.)

enum {
  BEST_DIGITS = 256,
  BEST_DIGIT_BITS = 8,
  // Copies of the counters, so that equal digits of neighbours need not wait for each other.
  BEST_COPIES = GROUP_SIZE > 1 ? 8 : 1
};
// Counters have 32 bits: of more candidates they are summed in between. (A proof sets fewer.)
#ifndef BEST_AT_ONCE
#define BEST_AT_ONCE ((ulong)1 << 31)
#endif

// What does not exceed the bound: keys below, or equal ones of no larger index.
typedef struct {
  KEY key;
  INDEX index;
} best_bound;

INLINE bool within_bound(KEY key, INDEX index, best_bound bound) {
  return key < bound.key || (key == bound.key && index <= bound.index);
}

// Where candidates are: all elements of the input, or a list.
typedef struct {
  const __global KEY *x;
  const __global KEY *keys;
  const __global INDEX *indices;
  bool of_input;
} best_candidates;

INLINE KEY candidate_key(best_candidates of, ulong i) { return of.of_input ? key_ordered(of.x[i]) : of.keys[i]; }
INLINE INDEX candidate_index(best_candidates of, ulong i) { return of.of_input ? (INDEX)i : of.indices[i]; }

typedef struct {
  uint counts[BEST_DIGITS * BEST_COPIES];
  ulong totals[BEST_DIGITS];
  uint sums[2][BEST_DIGITS];
  uint different[2];        // the bits in which keys differ, of 64
  uint digit, before, all;  // the digit that was chosen, how many lie before it, and whether all that have it are wanted
} best_room;

// Counts the digits of `width` bits from `shift` on of the candidates that agree with the bound in the bits that are not
// `open`; of the keys, or of the indices of those whose keys agree. Chooses the one where number `rank` of them is. All
// work-items must call; what is chosen can be read behind a barrier that stands at the end.
INLINE void choose_digit(best_candidates of, ulong count, best_bound known, ulong open, bool by_index, uint shift, uint width,
                         uint rank, __local best_room *room) {
  const uint id = get_local_id(0);
  UNROLL_BY(1)
  for (uint d = id; d < BEST_DIGITS; d += GROUP_SIZE) room->totals[d] = 0;
  const ulong key_mask = by_index ? ~(ulong)0 : ~open, index_mask = by_index ? ~open : 0;
  UNROLL_BY(1)
  for (ulong begin = 0; begin < count; begin += BEST_AT_ONCE) {
    const ulong end = min(begin + BEST_AT_ONCE, count);
    UNROLL_BY(1)
    for (uint d = id; d < BEST_DIGITS * BEST_COPIES; d += GROUP_SIZE) room->counts[d] = 0;
    GROUP_BARRIER();
    for (ulong i = begin + id; i < end; i += GROUP_SIZE) {
      const ulong key = candidate_key(of, i);
      if (((key ^ known.key) & key_mask) != 0) continue;
      ulong word = key;
      if (by_index) {
        word = candidate_index(of, i);
        if (((word ^ known.index) & index_mask) != 0) continue;
      }
      const uint digit = (uint)(word >> shift) & ((1u << width) - 1);
      if (GROUP_SIZE > 1)
        atomic_inc(room->counts + digit * BEST_COPIES + id % BEST_COPIES);
      else
        ++room->counts[digit];
    }
    GROUP_BARRIER();
    UNROLL_BY(1)
    for (uint d = id; d < BEST_DIGITS; d += GROUP_SIZE) {
      uint sum = 0;
      for (uint copy = 0; copy < BEST_COPIES; ++copy) sum += room->counts[d * BEST_COPIES + copy];
      room->totals[d] += sum;
    }
    GROUP_BARRIER();
  }
  // More than `rank` are as good as that many.
  UNROLL_BY(1)
  for (uint d = id; d < BEST_DIGITS; d += GROUP_SIZE) room->sums[0][d] = (uint)min(room->totals[d], (ulong)rank);
  GROUP_BARRIER();
  uint from = 0;
  UNROLL_BY(1)
  for (uint step = 1; step < BEST_DIGITS; step *= 2) {
    UNROLL_BY(1)
    for (uint d = id; d < BEST_DIGITS; d += GROUP_SIZE)
      room->sums[1 - from][d] = room->sums[from][d] + (d >= step ? room->sums[from][d - step] : 0);
    GROUP_BARRIER();
    from = 1 - from;
  }
  UNROLL_BY(1)
  for (uint d = id; d < BEST_DIGITS; d += GROUP_SIZE) {
    const uint before = d > 0 ? room->sums[from][d - 1] : 0;
    if (before < rank && rank <= room->sums[from][d]) {
      room->digit = d;
      room->before = before;
      room->all = room->totals[d] == rank - before ? 1 : 0;
    }
  }
  GROUP_BARRIER();
}

// The bound that `rank` of the candidates do not exceed: 1 to `count`, of 2^24 at most. Indices have `index_bits` bits. All
// work-items must call.
INLINE best_bound find_bound(best_candidates of, ulong count, uint rank, uint index_bits, __local best_room *room) {
  const uint id = get_local_id(0);
  if (id < 2) room->different[id] = 0;
  if (GROUP_SIZE == 1) room->different[1] = 0;
  GROUP_BARRIER();
  const ulong first = candidate_key(of, 0);
  ulong different = 0;
  for (ulong i = id; i < count; i += GROUP_SIZE) different |= candidate_key(of, i) ^ first;
  if (GROUP_SIZE > 1) {
    if ((uint)different != 0) atomic_or(room->different, (uint)different);
    if ((uint)(different >> 32) != 0) atomic_or(room->different + 1, (uint)(different >> 32));
    GROUP_BARRIER();
    different = (ulong)room->different[1] << 32 | room->different[0];
  }
  best_bound bound;
  bound.index = 0;
  // One way out of each loop: PoCL 3.1 makes a copy for each of all that follows.
  uint bits = different != 0 ? 64 - (uint)clz(different) : 0;
  ulong open = bits < 64 ? ((ulong)1 << bits) - 1 : ~(ulong)0;
  bound.key = (KEY)(first & ~open);
  bool complete = false, by_index = bits == 0;
  if (by_index) bits = index_bits;
  UNROLL_BY(1)
  while (!complete) {
    const uint width = min(bits, (uint)BEST_DIGIT_BITS), shift = bits - width;
    open = bits < 64 ? ((ulong)1 << bits) - 1 : ~(ulong)0;
    choose_digit(of, count, bound, open, by_index, shift, width, rank, room);
    const ulong digit = (ulong)room->digit << shift;
    rank -= room->before;
    complete = room->all != 0;
    if (by_index)
      bound.index |= (INDEX)digit;
    else
      bound.key |= (KEY)digit;
    open = ((ulong)1 << shift) - 1;
    bits = shift;
    // It ends also where somebody changes the candidates meanwhile.
    if (bits == 0 && by_index) complete = true;
    if (bits == 0 && !complete) {
      by_index = true;
      bits = index_bits;
    }
  }
  // All that agree with the bound so far are wanted.
  if (by_index) {
    bound.index |= (INDEX)open;
  } else {
    bound.key |= (KEY)open;
    bound.index = (INDEX)~(INDEX)0;
  }
  return bound;
}
