// The columns of a tile that one work-item of a GPU holds: how they are shared out, and how lanes hand them on that load
// others than their own.

// A team of work-items takes a tile. Each holds VECTOR neighbouring columns, FOLD_SEGMENTS times over.
// A lane set folds its columns by registers alone into one part; the parts wait in local memory and
// are folded for many tiles at once, so that nothing waits at a barrier while it could be loading.
enum {
  FOLD_TEAM = FOLD_ACCUMULATORS / VECTOR < GROUP_SIZE ? FOLD_ACCUMULATORS / VECTOR : GROUP_SIZE,
  FOLD_SEGMENTS = FOLD_ACCUMULATORS / (FOLD_TEAM * VECTOR),
  FOLD_TEAMS = GROUP_SIZE / FOLD_TEAM,
  FOLD_PARTS = FOLD_ACCUMULATORS / (LANES * VECTOR)
};
typedef char a_tile_has_whole_parts[FOLD_ACCUMULATORS % (LANES * VECTOR) == 0 ? 1 : -1];
// The work-item's team. All lanes of a set have the same one, so they take the same branches on it. If there is one team, this is
// still no literal 0: with addresses that it knows to be the same in all work-items, a compiler puts fewer loads in flight.
static inline uint fold_own_team(void) { return SAME_IN_LANES(get_local_id(0) / FOLD_TEAM); }

// A work-item's neighbouring results, as 16-byte accesses where they are so large. Other groups wrote them in this
// launch, so the read-only path is not for them. `from` is then aligned to 16 bytes. Results narrower than a word
// are few enough to come one by one: compilers keep the parts of a word in memory.
#if (VECTOR * FOLDED_BYTES) % 16 == 0 && FOLDED_BYTES >= 4
typedef uint4 result_bits;
#else
typedef FOLDED result_bits;
#endif
enum { RESULT_ACCESSES = VECTOR * FOLDED_BYTES / sizeof(result_bits) };
typedef union {
  result_bits bits[RESULT_ACCESSES];
  FOLDED values[VECTOR];
} result_packet;

static inline result_packet load_results(const __global FOLDED *from) {
  result_packet p;
  UNROLL
  for (uint q = 0; q < RESULT_ACCESSES; ++q) p.bits[q] = ((const __global result_bits *)from)[q];
  return p;
}

// The first column of this work-item in a segment.
static inline uint fold_column(uint segment) {
  return segment * (FOLD_TEAM * VECTOR) + (OWN_ID % FOLD_TEAM) * VECTOR;
}

// Sums of bytes go four at a time, in two 16-bit halves of a word each: whole numbers may be added in any order.
// A tile's column has too few bytes for a half to overflow.
#if defined(BYTE_SUMS) && !defined(PACKET_BY_ELEMENT) && !defined(CONTIGUOUS_COLUMNS) && PACKET_BYTES % 4 == 0
enum { FOLD_BYTES = 1, BYTE_WORDS = PACKET_BYTES / 4 };
typedef char a_column_of_bytes_has_16_bits[FOLD_ROWS * 2 * 255 <= 65535 ? 1 : -1];
typedef union {
  packet whole;
  uint words[BYTE_WORDS];
} byte_packet;

static inline uint add_byte_pairs(uint sums, uint word) {
  if (IS_ON(BYTES_SIGNED)) word ^= 0x80808080u;  // -128 to 127 as 0 to 255
  if (IS_ON(BYTES_TRUE)) word = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u;
  return sums + (word & 0x00ff00ffu) + ((word >> 8) & 0x00ff00ffu);
}

// Adds those of a packet, where it `exists`.
static inline void add_bytes(uint sums[BYTE_WORDS], packet x, bool exists) {
  byte_packet bytes;
  bytes.whole = x;
  UNROLL
  for (uint q = 0; q < BYTE_WORDS; ++q) {
    const uint sum = add_byte_pairs(sums[q], bytes.words[q]);
    sums[q] = exists ? sum : sums[q];
  }
}

// The sum of `bytes` bytes.
static inline ACC from_byte_pairs(uint sums, uint bytes) {
  const int sum = (int)((sums & 0xffffu) + (sums >> 16));
  if (IS_ON(BYTES_SIGNED)) return TO_ACC(sum - 128 * (int)bytes);
  return TO_ACC(sum);
}

// The columns of `rows` rows. The sum of four columns stands in the first of them.
static inline void columns_from_bytes(FOLDED columns[VECTOR], const uint sums[BYTE_WORDS], uint rows) {
  UNROLL
  for (uint k = 0; k < VECTOR; ++k) columns[k] = k % 4 == 0 ? from_byte_pairs(sums[k / 4], 4 * rows) : 0;
}
#else
enum { FOLD_BYTES = 0, BYTE_WORDS = 1 };
static inline void add_bytes(uint sums[BYTE_WORDS], packet x, bool exists) {}
static inline void columns_from_bytes(FOLDED columns[VECTOR], const uint sums[BYTE_WORDS], uint rows) {}
#endif

// A user's operator may only see elements and its own results, even in combinations whose result is dropped. So in a tile with
// fewer elements than columns, all columns start as copies of `element`, which exists. There is no test for each column, because
// a compiler left that loop rolled and kept all columns in private memory, those of whole tiles too.
static inline bool fold_lacks_columns(uint count) { return IS_ON(USER_OPERATOR) && fold_columns(count) < FOLD_ACCUMULATORS; }
INLINE void fold_stand_in(FOLDED columns[FOLD_SEGMENTS][VECTOR], FOLDED element) {
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) columns[s][k] = element;
  }
}

// Columns that are runs of RUN_PACKETS packets each. Neighbouring lanes load neighbouring packets, and then hand them on: in
// a square of as many lanes as a run has packets, lane by lane and packet by packet, each is given all packets of one run.
#ifdef RUN_PACKET
enum {
  RUN_PACKETS = FOLD_ROWS / RUN_PACKET,
  RUN_WORDS = RUN_PACKET * VALUE_BYTES / 4,
  RUN_SEGMENTS = ITEMS <= RUN_PACKETS ? 1 : ITEMS / RUN_PACKETS < FOLD_SEGMENTS ? ITEMS / RUN_PACKETS : FOLD_SEGMENTS
};
#if RUN_PACKET * VALUE_BYTES == 16
typedef uint4 run_bits;
static inline run_bits load_run_bits(const __global STORED *from) { return load_16_bytes(from); }
#else
typedef uint2 run_bits;
static inline run_bits load_run_bits(const __global STORED *from) { return *(const __global run_bits *)from; }
#endif
typedef union {
  run_bits bits;
  uint words[RUN_WORDS];
  STORED elements[RUN_PACKET];
} run_packet;
static inline LOADED read_in_run(const run_packet x[RUN_PACKETS], uint row) {
  return READ_IN_PACKET(VALUE_READ, x[row / RUN_PACKET].elements, row % RUN_PACKET);
}

// Loads the packets of the lane set's runs, from the first of a set on.
INLINE void load_run_packets(run_packet x[RUN_PACKETS], const __global STORED *from) {
  UNROLL
  for (uint j = 0; j < RUN_PACKETS; ++j) x[j].bits = load_run_bits(from + (j * LANES + OWN_ID % LANES) * RUN_PACKET);
}

// Transposes each square of RUN_PACKETS lanes and packets, halves of it at a time.
INLINE void turn_run_packets(run_packet x[RUN_PACKETS], __local FOLDED *exchange) {
  const uint lane = OWN_ID % LANES;
  UNROLL
  for (uint side = 1; side < RUN_PACKETS; side *= 2) {
    const bool upper = (lane & side) != 0;
    UNROLL
    for (uint j = 0; j < RUN_PACKETS; ++j) {
      UNROLL
      for (uint w = 0; (j & side) == 0 && w < RUN_WORDS; ++w) {
        const uint low = x[j].words[w], high = x[j | side].words[w];
        const uint got = word_of_lane(upper ? low : high, lane ^ side, exchange);
        x[j].words[w] = upper ? got : low;
        x[j | side].words[w] = upper ? high : got;
      }
    }
  }
}

// The lane that has run `run` of its set after that.
static inline uint lane_of_run(uint run) {
  return run % (LANES / RUN_PACKETS) * RUN_PACKETS + run / (LANES / RUN_PACKETS);
}
static inline uint run_of_lane(uint lane) {
  return lane % RUN_PACKETS * (LANES / RUN_PACKETS) + lane / RUN_PACKETS;
}

// Loads this work-item's columns, which are runs, of the whole tile at element `base`, and gives true. Where columns are no runs
// of packets, the function below does nothing and gives false. All lanes must call, or all work-items if they need `exchange`.
INLINE bool fold_load_runs(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base,
                           __local FOLDED *exchange, named_values given) {
  const uint lane = OWN_ID % LANES;
  UNROLL
  for (uint first = 0; first < FOLD_SEGMENTS; first += RUN_SEGMENTS) {
    run_packet x[RUN_SEGMENTS][RUN_PACKETS];
    run_packet y[RUN_SEGMENTS][RUN_PACKETS];
    UNROLL
    for (uint s = 0; s < RUN_SEGMENTS; ++s) {
      const ulong set = base + fold_index(fold_column(first + s) - lane, 0);
      load_run_packets(x[s], in.x + set);
      if (HAS_Y) load_run_packets(y[s], in.y + set);
    }
    UNROLL
    for (uint s = 0; s < RUN_SEGMENTS; ++s) {
      turn_run_packets(x[s], exchange);
      if (HAS_Y) turn_run_packets(y[s], exchange);
      const uint column = fold_column(first + s) - lane + run_of_lane(lane);
      FOLDED result;
      UNROLL
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        const LOADED one = read_in_run(x[s], row);
        const FOLDED value =
            fold_lift(one, HAS_Y ? read_in_run(y[s], row) : one, in, base + fold_index(column, row), given);
        result = row == 0 ? value : combine(result, value, given);
      }
      columns[first + s][0] = RUN_PACKETS == 1 ? result : value_of_lane(result, lane_of_run(lane), exchange);
    }
  }
  return true;
}
#else
// Does nothing.
static inline bool fold_load_runs(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, __local FOLDED *exchange,
                                  named_values given) {
  return false;
}
#endif

// Packets where the input begins between two of them: PACKETS_SHIFTED. The packets that are loaded begin `shift`
// elements before those of the tile, at a multiple of their own size, and hold the columns from `shift` before. What a lane
// set then has too much at its lower end it lacks at its upper end, where each of its lower lanes loads one element
// of a row besides (`extra`). Once a tile each lane takes its columns from the lanes that have them.
// From the multiple of a packet's size below the first element. Smaller than VECTOR. What lies between is in one page with
// that element, wherever the buffer begins.
static inline uint fold_shift(fold_input in) {
  return IS_ON(PACKETS_SHIFTED) ? (uint)(size_t)in.x % PACKET_BYTES / VALUE_BYTES : 0;
}

#ifdef PACKETS_SHIFTED
// What each lane of a set holds of its packets' columns and of the extra column becomes that of its own columns. All
// work-items of the group must call.
INLINE void fold_shift_back(FOLDED columns[VECTOR], FOLDED extra, uint shift, __local FOLDED *exchange) {
  const uint lane = OWN_ID % LANES;
  FOLDED here[VECTOR], above[VECTOR];
  UNROLL
  for (uint k = 0; k < VECTOR; ++k) here[k] = columns[k];
  UNROLL
  for (uint k = 0; k + 1 < VECTOR; ++k) {
    // The first `shift` columns of the lane above; above the last lane, the extra ones.
    const FOLDED next = value_of_lane(here[k], (lane + 1) % LANES, exchange);
    const FOLDED last = value_of_lane(extra, k, exchange);
    above[k] = lane == LANES - 1 ? last : next;
  }
  UNROLL
  for (uint k = 0; k < VECTOR; ++k) {
    UNROLL
    for (uint s = 1; s < VECTOR; ++s) {
      if (s == shift) columns[k] = k + s < VECTOR ? here[(k + s) % VECTOR] : above[(k + s) % VECTOR];
    }
  }
}
#else
static inline void fold_shift_back(FOLDED columns[VECTOR], FOLDED extra, uint shift, __local FOLDED *exchange) {}
#endif
