// The columns of a tile that one work-item of a GPU holds: how they are shared out, and how lanes hand them on that load
// others than their own.

// A team of work-items takes a tile. Each holds VECTOR neighbouring columns, FOLD_SEGMENTS times over.
// A lane set folds its columns by registers alone into one part; the parts wait in local memory and
// are folded for many tiles at once, so that nothing waits at a barrier while it could be loading.
#define FOLD_TEAM (FOLD_ACCUMULATORS / VECTOR < GROUP_SIZE ? FOLD_ACCUMULATORS / VECTOR : GROUP_SIZE)
#define FOLD_SEGMENTS (FOLD_ACCUMULATORS / (FOLD_TEAM * VECTOR))
enum { FOLD_TEAMS = GROUP_SIZE / FOLD_TEAM };
// The work-item's team. Lanes of a set are of one, and stay together at what depends on it. Not 0, literally, where there
// is one team alone: with addresses that it knows to be the same in all work-items, a compiler puts fewer loads
// under way (H200, 2^28 floats: dot 497 us instead of 464, lanes through local memory 270 instead of 243).
#define FOLD_OWN_TEAM SAME_IN_LANES(get_local_id(0) / FOLD_TEAM)
#define FOLD_PARTS (FOLD_ACCUMULATORS / (LANES * VECTOR))
#if FOLD_ACCUMULATORS % (LANES * VECTOR) != 0
#error "LANES * VECTOR must divide FOLD_ACCUMULATORS"
#endif

// A work-item's neighbouring results, as 16-byte accesses where they are so large. Other groups wrote them in this
// launch, so the read-only path is not for them. `from` is then aligned to 16 bytes. Results narrower than a word
// are few enough to come one by one: compilers keep the parts of a word in memory.
#if (VECTOR * FOLDED_BYTES) % 16 == 0 && FOLDED_BYTES >= 4
#define RESULTS_BY_PACKET 1
#endif
typedef union {
#ifdef RESULTS_BY_PACKET
  uint4 bits[VECTOR * FOLDED_BYTES / 16];
#endif
  FOLDED values[VECTOR];
} result_packet;

static inline result_packet load_results(const __global FOLDED *from) {
  result_packet p;
#ifdef RESULTS_BY_PACKET
  UNROLL
  for (uint q = 0; q < VECTOR * FOLDED_BYTES / 16; ++q) p.bits[q] = ((const __global uint4 *)from)[q];
#else
  UNROLL
  for (uint k = 0; k < VECTOR; ++k) p.values[k] = from[k];
#endif
  return p;
}

// The first column of this work-item in a segment.
static inline uint fold_column(uint segment) {
  return segment * (FOLD_TEAM * VECTOR) + (OWN_ID % FOLD_TEAM) * VECTOR;
}

// Sums of bytes go four at a time, in two 16-bit halves of a word each: whole numbers may be added in any order.
// A tile's column has too few bytes for a half to overflow.
#if defined(BYTE_SUMS) && !defined(PACKET_BY_ELEMENT) && !defined(CONTIGUOUS_COLUMNS) && PACKET_BYTES % 4 == 0
#define FOLD_BYTES 1
enum { BYTE_WORDS = PACKET_BYTES / 4 };
#if FOLD_ROWS * 2 * 255 > 65535
#error "a column has too many bytes for 16 bits"
#endif
typedef union {
  packet whole;
  uint words[BYTE_WORDS];
} byte_packet;

static inline uint add_byte_pairs(uint sums, uint word) {
#ifdef BYTES_SIGNED
  word ^= 0x80808080u;  // -128 to 127 as 0 to 255
#elif defined(BYTES_TRUE)
  word = (((word & 0x7f7f7f7fu) + 0x7f7f7f7fu) | word) >> 7 & 0x01010101u;
#endif
  return sums + (word & 0x00ff00ffu) + ((word >> 8) & 0x00ff00ffu);
}

// The sum of `bytes` bytes.
static inline ACC from_byte_pairs(uint sums, uint bytes) {
  const int sum = (int)((sums & 0xffffu) + (sums >> 16));
  if (IS_ON(BYTES_SIGNED)) return TO_ACC(sum - 128 * (int)bytes);
  return TO_ACC(sum);
}
#endif

// An operator of the user sees elements and results of itself, nothing else, also where nobody takes what it gives. So
// in a tile of `count` elements, fewer than there are columns, these begin as copies of `element`, one that exists. All of
// them, without a test for each: a compiler left a loop with one, and so kept all columns in private memory, of whole
// tiles too (H200, 2^28 floats to moments: 1416 us).
#ifdef USER_OPERATOR
INLINE void fold_stand_in(FOLDED columns[FOLD_SEGMENTS][VECTOR], FOLDED element) {
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) columns[s][k] = element;
  }
}
#define FOLD_STAND_IN(columns, count, element) \
  if (fold_columns(count) < FOLD_ACCUMULATORS) fold_stand_in(columns, element)
#else
#define FOLD_STAND_IN(columns, count, element)
#endif

// Columns that are runs of RUN_PACKETS packets each. Neighbouring lanes load neighbouring packets, and then hand them on: in
// a square of as many lanes as a run has packets, lane by lane and packet by packet, each is given all packets of one run.
#ifdef RUN_PACKET
#define RUN_PACKETS (FOLD_ROWS / RUN_PACKET)
#define RUN_WORDS (RUN_PACKET * VALUE_BYTES / 4)
enum { RUN_SEGMENTS = ITEMS <= RUN_PACKETS ? 1 : ITEMS / RUN_PACKETS < FOLD_SEGMENTS ? ITEMS / RUN_PACKETS : FOLD_SEGMENTS };
typedef union {
#if RUN_WORDS == 4
  uint4 bits;
#else
  uint2 bits;
#endif
  uint words[RUN_WORDS];
  STORED elements[RUN_PACKET];
} run_packet;
#define READ_IN_RUN(packets, row) READ_IN_PACKET(VALUE_READ, packets[(row) / RUN_PACKET].elements, (row) % RUN_PACKET)

// Loads the packets of the lane set's runs, from the first of a set on.
INLINE void load_run_packets(run_packet x[RUN_PACKETS], const __global STORED *from) {
  UNROLL
  for (uint j = 0; j < RUN_PACKETS; ++j) {
    const __global STORED *at = from + (j * LANES + OWN_ID % LANES) * RUN_PACKET;
#if RUN_WORDS == 4
    x[j].bits = load_16_bytes(at);
#else
    x[j].bits = *(const __global uint2 *)at;
#endif
  }
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

// As fold_load, of a whole tile.
INLINE void fold_load_runs(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base,
                           __local FOLDED *exchange, named_values given) {
  const uint lane = OWN_ID % LANES;
  UNROLL
  for (uint first = 0; first < FOLD_SEGMENTS; first += RUN_SEGMENTS) {
    run_packet x[RUN_SEGMENTS][RUN_PACKETS];
    run_packet y[RUN_SEGMENTS][RUN_PACKETS];
    UNROLL
    for (uint s = 0; s < RUN_SEGMENTS; ++s) {
      const ulong set = base + FOLD_INDEX(fold_column(first + s) - lane, 0);
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
        const LOADED one = READ_IN_RUN(x[s], row);
        const FOLDED value =
            fold_lift(one, HAS_Y ? READ_IN_RUN(y[s], row) : one, in, base + FOLD_INDEX(column, row), given);
        result = row == 0 ? value : combine(result, value, given);
      }
      columns[first + s][0] = RUN_PACKETS == 1 ? result : value_of_lane(result, lane_of_run(lane), exchange);
    }
  }
}
#endif

// Packets where the input begins between two of them: PACKETS_SHIFTED. The packets that are loaded begin `shift`
// elements before those of the tile, at a multiple of their own size, and hold the columns from `shift` before. What a lane
// set then has too much at its lower end it lacks at its upper end, where each of its lower lanes loads one element
// of a row besides (`extra`). Once a tile each lane takes its columns from the lanes that have them.
#ifdef PACKETS_SHIFTED
// From the multiple of a packet's size below the first element. Smaller than VECTOR. What lies between is in one page with
// that element, wherever the buffer begins.
static inline uint fold_shift(fold_input in) { return (uint)(size_t)in.x % PACKET_BYTES / VALUE_BYTES; }

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
#endif
