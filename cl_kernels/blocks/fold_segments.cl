// Folds of segments, stretches of one input that begin anywhere, in the order of fold.cl: short ones by a work-item each,
// those of middle length several at a time by a set of lanes, others tile by tile by the group, which is one set of lanes or
// some that go in step.

// How many of the elements of a short segment a work-item takes in alone: SEGMENT_OWN. Of one set of lanes:
enum { SEGMENT_SET = LANES * VECTOR };

// Folds the first `count` of some values as a tree of adjacent pairs.
SEGMENT_INLINE FOLDED segment_fold_pairs(FOLDED values[SEGMENT_OWN], uint count, named_values given) {
  UNROLL
  for (uint distance = 1; distance < SEGMENT_OWN; distance *= 2) {
    UNROLL
    for (uint k = 0; k + distance < SEGMENT_OWN; k += 2 * distance) {
      if (k + distance < count) values[k] = combine(values[k], values[k + distance], given);
    }
  }
  return values[0];
}

// Folds the 1 <= count <= SEGMENT_OWN elements of a short segment. Places without an element take the last one that
// exists. `packets`: the segment is whole packets and begins where they may.
SEGMENT_INLINE FOLDED segment_fold_own(bool packets, fold_input in, uint count, named_values given) {
  if (IS_ON(CONTIGUOUS_COLUMNS)) {  // one column
    FOLDED value = lift_at(in, 0, 0, given);
    for (uint k = 1; k < count; ++k) value = combine(value, lift_at(in, 0, k, given), given);
    return value;
  }
#if defined(WIDE) && !defined(CONTIGUOUS_COLUMNS)
  if (count == 16) return fold_lanes_wide(lift_wide_at(in, 0));
#endif
  FOLDED values[SEGMENT_OWN];
  if (IS_ON(SEGMENT_PACKETS) && packets) {
    UNROLL
    for (uint first = 0; first < SEGMENT_OWN; first += VECTOR) {
      const uint at = min(first, count - VECTOR);
      const packet x = load_packet(in.x + at);
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) values[first + k] = lift(packet_element(&x, k), at + k, given);
    }
  } else {
    UNROLL
    for (uint k = 0; k < SEGMENT_OWN; ++k) values[k] = lift_at(in, 0, min(k, count - 1), given);
  }
  return segment_fold_pairs(values, count, given);
}

#if GROUP_SIZE == 1
typedef fold_memory segment_memory;
#define SEGMENT_MEMORY(name) FOLD_MEMORY(name)

// Folds the `count` > 0 elements of a tile that begins at element `base` of `in`, or (without `lifts`) as many `results` of
// the level below.
static inline FOLDED segment_fold_tile(bool lifts, bool packets, fold_input in, const __global FOLDED *results, ulong base,
                                       uint count, segment_memory memory, named_values given) {
  if (!lifts) return fold_any_tile(false, in, results + base, base, count, given);
#if defined(WIDE) && !defined(CONTIGUOUS_COLUMNS)
  // 16 neighbouring columns are a tree of their own.
  if (count <= min(16 * SEGMENT_OWN, FOLD_ACCUMULATORS)) {
    in.x += base;
    FOLDED values[SEGMENT_OWN];
    const uint whole = count / 16;
    for (uint k = 0; k < whole; ++k) values[k] = fold_lanes_wide(lift_wide_at(in, 16 * k));
    in.x += 16 * whole;
    if (count % 16 != 0) values[whole] = segment_fold_own(false, in, count % 16, given);
    return count <= 16 ? values[0] : segment_fold_pairs(values, (count + 15) / 16, given);
  }
#endif
  return count == FOLD_TILE ? fold_full_tile(in, base, given) : fold_short_tile(in, base, count, given);
}

#else
// This work-item's lane, and its set of the group's.
enum { SEGMENT_SETS = GROUP_SIZE / LANES };
static inline uint segment_lane(void) { return OWN_ID % LANES; }
static inline uint segment_own_set(void) { return SEGMENT_SETS == 1 ? 0 : SAME_IN_LANES(OWN_ID / LANES); }

// A part for each time that the set goes through a tile's columns, and room for lanes to exchange values.
typedef struct {
  __local FOLDED *parts;
  __local FOLDED *exchange;
} segment_memory;

#define SEGMENT_MEMORY(name)                     \
  __local FOLDED name##_parts[FOLD_PARTS];       \
  __local FOLDED name##_exchange[EXCHANGE_WORDS]; \
  const segment_memory name = {name##_parts, name##_exchange}

// VECTOR elements from `column` on of the `count` at `from`, by element. Places without one hold a copy of one that exists:
// they cost no address of their own, of which several packets in flight had more than of elements.
static inline packet segment_elements(const __global STORED *from, uint column, uint count) {
  packet p;
  const uint begin = column < count ? column : 0;
  const uint left = count - begin;
  from += begin;
#if VALUE_BYTES < 4 && PACKET_BYTES % 4 == 0 && !defined(PACKET_BY_ELEMENT) && defined(__ENDIAN_LITTLE__)
  // By words, because compilers otherwise keep the packet in memory.
  const __global uchar *bytes = (const __global uchar *)from;
  const __global ushort *shorts = (const __global ushort *)from;
  const uint first = VALUE_BYTES == 1 ? bytes[0] : shorts[0];
  UNROLL
  for (uint w = 0; w < PACKET_BYTES / 4; ++w) {
    uint word = 0;
    UNROLL
    for (uint k = 0; k < 4 / VALUE_BYTES; ++k) {
      uint element = first;
      const uint e = w * (4 / VALUE_BYTES) + k;
      if (e < left) element = VALUE_BYTES == 1 ? bytes[e] : shorts[e];
      word |= element << (8 * VALUE_BYTES * k);
    }
    ((uint *)&p.bits)[w] = word;
  }
#else
  p.elements[0] = from[0];
  UNROLL
  for (uint k = 1; k < VECTOR; ++k) {
    p.elements[k] = p.elements[0];
    if (k < left) p.elements[k] = from[k];
  }
#endif
  return p;
}

// Folds the values of one column each as far as they exist, and with those of the lanes above; `set_column` is the first
// of the set. The result is valid in the last lane. All lanes must call; where lanes exchange through local memory, all
// work-items.
INLINE FOLDED segment_fold_set(FOLDED values[VECTOR], uint set_column, uint existing,
                               __local FOLDED *exchange, named_values given) {
  const uint column = set_column + segment_lane() * VECTOR;
  UNROLL
  for (uint distance = 1; distance < VECTOR; distance *= 2) {
    UNROLL
    for (uint k = 0; k < VECTOR; k += 2 * distance) {
      if (column + k + distance < existing) values[k] = combine(values[k], values[k + distance], given);
    }
  }
  const uint lanes =
      SAME_IN_LANES(existing <= set_column ? 0 : min((existing - set_column + VECTOR - 1) / VECTOR, (uint)LANES));
  return lanes_fold_first(values[0], lanes, exchange, given);
}

// The entry of slot `j`, and the first column that it has of its segment.
static inline uint slot_entry(bool several, uint first, uint last, uint j) { return several ? min(first + j, last) : first; }
static inline uint slot_column(bool several, uint j) { return several ? 0 : j * SEGMENT_SET; }

// Where SEGMENT_SLOTS is not 0:
enum { SLOTS = SEGMENT_SLOTS > 0 ? SEGMENT_SLOTS : 1 };
// Folds SEGMENT_SLOTS segments of at most SEGMENT_SET elements each, those of the entries from `first` on to `last` at
// most; or (without `several`) that of entry `first`, of at most SEGMENT_SLOTS * SEGMENT_SET elements. Results of entries
// behind `last` are stored nowhere. All lanes must call; where lanes exchange through local memory, all work-items.
INLINE void segments_fold_slots(bool several, bool packets, fold_input in, segments_waiting waiting, uint first, uint last,
                                __global ACC *out, __local FOLDED *exchange, named_values given) {
  const uint own_column = segment_lane() * VECTOR;
  packet x[SLOTS];
  if (IS_ON(SEGMENT_PACKETS) && packets) {
    UNROLL
    for (uint j = 0; j < SLOTS; ++j) {
      const uint entry = slot_entry(several, first, last, j), column = slot_column(several, j) + own_column;
      x[j] = load_packet(in.x + waiting.begins[entry] + (column < (uint)waiting.lengths[entry] ? column : 0));
    }
  } else {
    UNROLL
    for (uint j = 0; j < SLOTS; ++j) {
      const uint entry = slot_entry(several, first, last, j);
      x[j] = segment_elements(in.x + waiting.begins[entry], slot_column(several, j) + own_column, (uint)waiting.lengths[entry]);
    }
  }
  FOLDED parts[SLOTS];
  UNROLL
  for (uint j = 0; j < SLOTS; ++j) {
    const uint entry = slot_entry(several, first, last, j);
    const uint count = (uint)waiting.lengths[entry];
    const uint column = slot_column(several, j) + own_column, begin = column < count ? column : 0;
    FOLDED values[VECTOR];
    UNROLL
    for (uint k = 0; k < VECTOR; ++k)
      values[k] = lift(packet_element(&x[j], k), begin + (begin + k < count ? k : 0), given);
    parts[j] = segment_fold_set(values, slot_column(several, j), count, exchange, given);
    if (several && segment_lane() == LANES - 1 && first + j <= last) out[waiting.numbers[entry]] = canonical(parts[j]);
  }
  if (!several) {
    const uint count = (uint)waiting.lengths[first];
    UNROLL
    for (uint distance = 1; distance < SLOTS; distance *= 2) {
      UNROLL
      for (uint p = 0; p < SLOTS; p += 2 * distance) {
        if ((p + distance) * SEGMENT_SET < count) parts[p] = combine(parts[p], parts[p + distance], given);
      }
    }
    if (segment_lane() == LANES - 1 && first <= last) out[waiting.numbers[first]] = canonical(parts[0]);
  }
}

// Folds the first `rows` rows of a tile's columns, in which all lanes of the set have elements. Packets are in flight
// ITEMS at a time.
INLINE void segment_fold_rows(FOLDED values[VECTOR], bool packets, fold_input in, ulong base, uint column,
                              uint rows, named_values given) {
  for (uint first = 0; first < rows; first += ITEMS) {
    packet x[ITEMS];
    if (IS_ON(SEGMENT_PACKETS) && packets) {
      UNROLL
      for (uint j = 0; j < ITEMS; ++j)
        if (first + j < rows) x[j] = load_packet(in.x + base + fold_index(column, first + j));
    } else {
      UNROLL
      for (uint j = 0; j < ITEMS; ++j)
        if (first + j < rows) x[j] = segment_elements(in.x + base + fold_index(column, first + j), 0, VECTOR);
    }
    UNROLL
    for (uint j = 0; j < ITEMS; ++j) {
      if (first + j < rows) {
        UNROLL
        for (uint k = 0; k < VECTOR; ++k) {
          const FOLDED value =
              lift(packet_element(&x[j], k), base + fold_index(column + k, first + j), given);
          values[k] = first + j == 0 ? value : combine(values[k], value, given);
        }
      }
    }
  }
}

// The value at `place` of a tile, which is an element or (without `lifts`) a result of the level below.
INLINE FOLDED segment_value(bool lifts, fold_input in, const __global FOLDED *results, ulong base, uint place,
                            named_values given) {
  return lifts ? lift_at(in, base, place, given) : results[base + place];
}

// Folds the columns of one set, from `set_column` on, of the `existing` ones of a tile of `count` elements that begins at
// element `base` of `in`, or (without `lifts`) of as many `results` of the level below; it has one at least. The result is
// valid in the last lane. All lanes must call; where lanes exchange through local memory, all work-items.
INLINE FOLDED segment_fold_columns(bool lifts, bool packets, fold_input in, const __global FOLDED *results, ulong base,
                                   uint count, uint set_column, uint existing, __local FOLDED *exchange, named_values given) {
  const uint column = set_column + segment_lane() * VECTOR;
  FOLDED values[VECTOR];
  if (IS_ON(CONTIGUOUS_COLUMNS)) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      // A lane without a column folds the last one again; its result is not used.
      const uint own = min(column + k, existing - 1);
      values[k] = segment_value(lifts, in, results, base, fold_index(own, 0), given);
      for (uint row = 1; row < FOLD_ROWS && fold_index(own, row) < count; ++row)
        values[k] = combine(values[k], segment_value(lifts, in, results, base, fold_index(own, row), given), given);
    }
    return segment_fold_set(values, set_column, existing, exchange, given);
  }
  // The rows in which all columns of the set exist, and one in which some may.
  const uint reach = count - set_column;
  const uint whole = reach < SEGMENT_SET ? 0 : (reach - SEGMENT_SET) / FOLD_ACCUMULATORS + 1;
  if (lifts) {
    segment_fold_rows(values, packets, in, base, column, whole, given);
  } else {
    for (uint row = 0; row < whole; ++row) {
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) {
        const FOLDED value = segment_value(lifts, in, results, base, fold_index(column + k, row), given);
        values[k] = row == 0 ? value : combine(values[k], value, given);
      }
    }
  }
  if (whole * FOLD_ACCUMULATORS < reach) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      const uint place = fold_index(column + k, whole);
      if (whole == 0 || place < count) {
        const FOLDED value = segment_value(lifts, in, results, base, min(place, count - 1), given);
        values[k] = whole == 0 ? value : combine(values[k], value, given);
      }
    }
  }
  return segment_fold_set(values, set_column, existing, exchange, given);
}

// Folds the `count` > 0 elements of a tile that begins at element `base` of `in`, or (without `lifts`) as many `results` of
// the level below. `packets`: its rows begin where packets may. All work-items must call and get the result.
INLINE FOLDED segment_fold_tile(bool lifts, bool packets, fold_input in, const __global FOLDED *results, ulong base,
                                uint count, segment_memory memory, named_values given) {
  const uint existing = fold_columns(count);
  for (uint first = 0; first < existing; first += SEGMENT_SETS * SEGMENT_SET) {
    const uint set_column = first + segment_own_set() * SEGMENT_SET;
    const bool takes = SEGMENT_SETS == 1 || SAME_IN_LANES(set_column < existing) != 0;
    if (IS_ON(LANES_NEED_EXCHANGE) || takes)
    {
      const FOLDED part = segment_fold_columns(lifts, packets, in, results, base, count, takes ? set_column : 0, existing,
                                               memory.exchange, given);
      if (takes && segment_lane() == LANES - 1) memory.parts[set_column / SEGMENT_SET] = part;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  FOLD_RUNS(memory.parts, 1, tile, count)
  if (OWN_ID == 0) memory.parts[0] = fold_parts(memory.parts, count, given);
  barrier(CLK_LOCAL_MEM_FENCE);
  const FOLDED result = memory.parts[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}
#endif

// Folds the results of a segment's tiles, more than one, in their own place, and leaves the segment's at `to`. All
// work-items must call.
INLINE void segment_fold_levels(__global FOLDED *results, uint tiles, __global ACC *to,
                                segment_memory memory, named_values given) {
  const fold_input none = {0};
  for (uint count = tiles; count > 1; count = (count + FOLD_TILE - 1) / FOLD_TILE) {
    for (uint first = 0; first < count; first += FOLD_TILE) {
      const FOLDED result = segment_fold_tile(false, false, none, results, first, min(count - first, (uint)FOLD_TILE),
                                              memory, given);
      GROUP_GLOBAL_BARRIER();  // all have read what may lie where this goes
      if (get_local_id(0) == 0) results[first / FOLD_TILE] = result;
    }
    GROUP_GLOBAL_BARRIER();
  }
  if (get_local_id(0) == 0) to[0] = canonical(results[0]);
}
