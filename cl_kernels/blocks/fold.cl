// The fold order: the same combinations in the same order on every device, fixed by n alone.
//
// A tile of FOLD_TILE elements has FOLD_ACCUMULATORS accumulators ("columns"). Each takes its
// FOLD_ROWS elements in rising order; then the columns combine as a tree of adjacent pairs. Elements
// that do not exist contribute nothing: no identity is ever folded in. What differs between devices is
// only who holds which columns; the tree is the same.
#ifdef PRIMITIVE_REDUCE

#define FOLD_ROWS (FOLD_TILE / FOLD_ACCUMULATORS)

// Where the element of a column and row lies in its tile. A non-commutative operator must see its
// elements in index order, so there a column is a contiguous run.
#ifdef CONTIGUOUS_COLUMNS
#define FOLD_INDEX(column, row) ((column) * FOLD_ROWS + (row))
#else
#define FOLD_INDEX(column, row) ((row) * FOLD_ACCUMULATORS + (column))
#endif

// The address of that element in the tile that begins at element `base` of `from`, of rows.
#ifdef ELEMENT_AFTER
#define FOLD_ROW(from, base, column, row) ELEMENT_AFTER(from, (base) + (row)*FOLD_ACCUMULATORS, column)
#else
#define FOLD_ROW(from, base, column, row) ((from) + (base) + FOLD_INDEX(column, row))
#endif

// How many columns of a tile with `count` elements have any.
static inline uint fold_columns(uint count) {
#ifdef CONTIGUOUS_COLUMNS
  return (count + FOLD_ROWS - 1) / FOLD_ROWS;
#else
  return min(count, (uint)FOLD_ACCUMULATORS);
#endif
}

// The inputs of a reduction, already moved to their first element.
typedef struct {
  const __global STORED *x;
#ifdef TWO_INPUTS
  const __global STORED *y;
#endif
} fold_input;

// The element at `place` of the tile that begins at element `base`.
static inline FOLDED lift_at(fold_input in, ulong base, uint place) {
  const ulong i = base + place;
#ifdef TWO_INPUTS
  return lift(load_element(in.x + i), load_element(in.y + i), i);
#else
  return lift(load_element(in.x + i), i);
#endif
}

#if GROUP_SIZE > 1
// ---------------------------------------------------------------------------- many lanes per tile
// A team of work-items takes a tile. Each holds VECTOR neighbouring columns, FOLD_SEGMENTS times over.
// A lane set folds its columns by registers alone into one part; the parts wait in local memory and
// are folded for many tiles at once, so that nothing waits at a barrier while it could be loading.
#define FOLD_TEAM (FOLD_ACCUMULATORS / VECTOR < GROUP_SIZE ? FOLD_ACCUMULATORS / VECTOR : GROUP_SIZE)
#define FOLD_SEGMENTS (FOLD_ACCUMULATORS / (FOLD_TEAM * VECTOR))
#define FOLD_TEAMS (GROUP_SIZE / FOLD_TEAM)
// The work-item's team. Lanes of a set are of one, and stay together at what depends on it. Not 0, literally, where there
// is one team alone: with addresses that it knows to be the same in all work-items, a compiler puts fewer loads
// under way (H200, 2^28 floats: dot 497 us instead of 464, lanes through local memory 270 instead of 243).
#define FOLD_OWN_TEAM SAME_IN_LANES(get_local_id(0) / FOLD_TEAM)
#define FOLD_PARTS (FOLD_ACCUMULATORS / (LANES * VECTOR))
#if FOLD_ACCUMULATORS % (LANES * VECTOR) != 0
#error "LANES * VECTOR must divide FOLD_ACCUMULATORS"
#endif

// Tiles whose parts wait together; local memory stays under 4 KiB. Never more than work-items, as each folds one.
#define FOLD_PARTS_BYTES (FOLD_TEAMS * FOLD_PARTS * FOLDED_BYTES)
#define FOLD_CAN_WAIT(steps) (FOLD_TEAM >= (steps) && FOLD_PARTS_BYTES * (steps) <= 4096)
#define FOLD_WAITING (FOLD_CAN_WAIT(16) ? 16 : FOLD_CAN_WAIT(4) ? 4 : 1)

// What a work-item has under way at once in `locate`: 32 bytes of registers.
#define LOCATED (FOLDED_BYTES > 4 ? 4 : 8)

#ifdef LANES_NEED_EXCHANGE
#define FOLD_EXCHANGE GROUP_SIZE
#else
#define FOLD_EXCHANGE 1
#endif

// The group's local memory: FOLD_PARTS parts for each team of each waiting step, and room for lanes to
// exchange values. (PoCL 3.1 loses writes to a __local structure, so these are plain arrays.)
typedef struct {
  __local FOLDED *parts;
  __local FOLDED *exchange;
#ifdef INDEXED_VALUE
  volatile __local uint *found;
#endif
} fold_memory;

#ifdef INDEXED_VALUE
#define FOLD_FOUND(name)       \
  __local uint name##_found[1]; \
  name.found = name##_found;
#else
#define FOLD_FOUND(name)
#endif

#define FOLD_MEMORY(name)                                             \
  __local FOLDED name##_parts[FOLD_WAITING * FOLD_TEAMS * FOLD_PARTS]; \
  __local FOLDED name##_exchange[FOLD_EXCHANGE];                      \
  fold_memory name;                                                   \
  FOLD_FOUND(name)                                                    \
  name.parts = name##_parts;                                          \
  name.exchange = name##_exchange

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

// Packets of results under way at once: 64 bytes, so that these few loads do not cost the others registers; less
// where whole numbers of 8 bytes, whose steps take more of them, lie in several segments.
#if defined(TESTS_COST)
#define RESULT_ITEMS 1
#elif defined(INDEXED_VALUE) && FOLDED_BYTES == 8
#define RESULT_ITEMS 1
#elif defined(TO_UNSIGNED) && VALUE_BYTES == 8
#define RESULT_ITEMS 2
#else
#define RESULT_ITEMS (FOLDED_BYTES < 4 ? 1 : VECTOR * FOLDED_BYTES <= 16 ? 4 : VECTOR * FOLDED_BYTES <= 32 ? 2 : 1)
#endif

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
#define BYTE_WORDS (PACKET_BYTES / 4)
#if FOLD_ROWS * 2 * 255 > 65535
#error "a column has too many bytes for 16 bits"
#endif
typedef union {
  packet whole;
  uint words[BYTE_WORDS];
} byte_packet;

static inline uint add_byte_pairs(uint sums, uint word) {
#if BYTE_SUMS == BYTES_SIGNED
  word ^= 0x80808080u;  // -128 to 127 as 0 to 255
#endif
  return sums + (word & 0x00ff00ffu) + ((word >> 8) & 0x00ff00ffu);
}

// The sum of `bytes` bytes.
static inline ACC from_byte_pairs(uint sums, uint bytes) {
  const int sum = (int)((sums & 0xffffu) + (sums >> 16));
#if BYTE_SUMS == BYTES_SIGNED
  return TO_ACC(sum - 128 * (int)bytes);
#else
  return TO_ACC(sum);
#endif
}
#endif

// An operator of the user sees elements and results of itself, nothing else, also where nobody takes what it gives. So
// in a tile of `count` elements the columns that have none begin as copies of `element`, one that exists.
#ifdef USER_OPERATOR
INLINE void fold_stand_in(FOLDED columns[FOLD_SEGMENTS][VECTOR], uint count, FOLDED element) {
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      if (fold_column(s) + k >= fold_columns(count)) columns[s][k] = element;
    }
  }
}
#define FOLD_STAND_IN(columns, count, element) \
  if (fold_columns(count) < FOLD_ACCUMULATORS) fold_stand_in(columns, count, element)
#else
#define FOLD_STAND_IN(columns, count, element)
#endif

// Takes in the `left` elements that a short tile has after its whole rows.
INLINE void fold_last_row(FOLDED columns[VECTOR], fold_input in, ulong base, uint column, uint rows, uint left) {
  UNROLL
  for (uint k = 0; k < VECTOR; ++k) {
    if (column + k < left) {
      const FOLDED value = lift_at(in, base + column + k, FOLD_INDEX(0, rows));
      columns[k] = rows == 0 ? value : combine(columns[k], value);
    }
  }
}

// As fold_load, of a tile that is not whole, a row at a time. Of elements narrower than a word a work-item has many
// columns, and with a test for each of the packets under way they take twice the registers of a whole tile.
#if (FOLDED_BYTES < 4 || defined(TESTS_COST)) && !defined(CONTIGUOUS_COLUMNS)
#define FOLD_SHORT_APART 1
INLINE void fold_load_short(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count) {
  FOLD_STAND_IN(columns, count, lift_at(in, base, 0));
  const uint rows = count / FOLD_ACCUMULATORS;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
#pragma unroll 1
    for (uint row = 0; row < rows; ++row) {
      const packet x = load_packet(FOLD_ROW(in.x, base, column, row));
#ifdef TWO_INPUTS
      const packet y = load_packet(FOLD_ROW(in.y, base, column, row));
#endif
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) {
        const uint place = FOLD_INDEX(0, row);
        const ulong i = base + column + k + place;
#ifdef TWO_INPUTS
        const FOLDED value = lift(unpack(&x, k), unpack(&y, k), i);
#else
        const FOLDED value = lift(unpack(&x, k), i);
#endif
        columns[s][k] = row == 0 ? value : combine(columns[s][k], value);
      }
    }
    fold_last_row(columns[s], in, base, column, rows, count - rows * FOLD_ACCUMULATORS);
  }
}
#endif

// Loads this work-item's columns of a tile that starts at element `base` and has `count` elements; where that is 0
// there is an element at `base` all the same. `clamps` is true,
// literally, where there is a whole row and the tile may be short: rows past the last whole one are then the last again,
// read and not used. A test for each load is a predicate held, and short of those compilers put the loads in line.
INLINE void fold_load(FOLDED columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count, bool clamps) {
  FOLD_STAND_IN(columns, count, lift_at(in, base, 0));
#if !defined(CONTIGUOUS_COLUMNS)
  // Whole rows go by packets, all of them under way before the first is used.
  const uint rows = count / FOLD_ACCUMULATORS;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
#ifdef FOLD_BYTES
    uint sums[BYTE_WORDS];
    UNROLL
    for (uint q = 0; q < BYTE_WORDS; ++q) sums[q] = 0;
#endif
    UNROLL
    for (uint first = 0; first < FOLD_ROWS; first += ITEMS) {
      packet x[ITEMS];
#ifdef TWO_INPUTS
      packet y[ITEMS];
#endif
      UNROLL
      for (uint j = 0; j < ITEMS; ++j) {
        if (clamps || first + j < rows) {
          const uint row = clamps ? min(first + j, rows - 1) : first + j;
          x[j] = load_packet(FOLD_ROW(in.x, base, column, row));
#ifdef TWO_INPUTS
          y[j] = load_packet(FOLD_ROW(in.y, base, column, row));
#endif
        }
      }
      UNROLL
      for (uint j = 0; j < ITEMS; ++j) {
        if (first + j < rows) {
#ifdef FOLD_BYTES
          byte_packet bytes;
          bytes.whole = x[j];
          UNROLL
          for (uint q = 0; q < BYTE_WORDS; ++q) sums[q] = add_byte_pairs(sums[q], bytes.words[q]);
#else
          UNROLL
          for (uint k = 0; k < VECTOR; ++k) {
            const uint place = FOLD_INDEX(0, first + j);
            const ulong i = base + column + k + place;
#ifdef TWO_INPUTS
            const FOLDED value = lift(unpack(&x[j], k), unpack(&y[j], k), i);
#else
            const FOLDED value = lift(unpack(&x[j], k), i);
#endif
            columns[s][k] = first + j == 0 ? value : combine(columns[s][k], value);
          }
#endif
        }
      }
    }
#ifdef FOLD_BYTES
    // The sum of four columns stands in the first of them.
    if (rows > 0) {
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) columns[s][k] = k % 4 == 0 ? from_byte_pairs(sums[k / 4], 4 * rows) : 0;
    }
#endif
    const uint left = count - rows * FOLD_ACCUMULATORS;
    if (!clamps || left > 0) fold_last_row(columns[s], in, base, column, rows, left);
  }
#else
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      const uint column = fold_column(s) + k;
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        if (FOLD_INDEX(column, row) < count) {
          const FOLDED value = lift_at(in, base, FOLD_INDEX(column, row));
          columns[s][k] = row == 0 ? value : combine(columns[s][k], value);
        }
      }
    }
  }
#endif
}

// The same from the `count` results of the level below at `results`, which are values already.
INLINE void fold_load_results(FOLDED columns[FOLD_SEGMENTS][VECTOR], const __global FOLDED *results,
                                     uint count) {
  FOLD_STAND_IN(columns, count, results[0]);
#if !defined(CONTIGUOUS_COLUMNS)
  const uint rows = count / FOLD_ACCUMULATORS;
  const uint left = count - rows * FOLD_ACCUMULATORS;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
    // Whole packets, all that registers have room for under way before the first is used.
    const uint whole = rows + (column + VECTOR <= left ? 1 : 0);
    UNROLL
    for (uint first = 0; first < FOLD_ROWS; first += RESULT_ITEMS) {
      result_packet packets[RESULT_ITEMS];
      UNROLL
      for (uint j = 0; j < RESULT_ITEMS; ++j) {
        if (first + j < whole) packets[j] = load_results(results + FOLD_INDEX(column, first + j));
      }
      UNROLL
      for (uint j = 0; j < RESULT_ITEMS; ++j) {
        if (first + j < whole) {
          UNROLL
          for (uint k = 0; k < VECTOR; ++k) {
            const FOLDED value = packets[j].values[k];
            columns[s][k] = first + j == 0 ? value : combine(columns[s][k], value);
          }
        }
      }
    }
    // The packet that the results end in.
    if (column < left && left < column + VECTOR) {
      UNROLL
      for (uint k = 0; k + 1 < VECTOR; ++k) {
        if (column + k < left) {
          const FOLDED value = results[FOLD_INDEX(column + k, rows)];
          columns[s][k] = rows == 0 ? value : combine(columns[s][k], value);
        }
      }
    }
  }
#else
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      const uint column = fold_column(s) + k;
#pragma unroll 1
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        const uint place = FOLD_INDEX(column, row);
        if (place < count) {
          const FOLDED value = results[place];
          columns[s][k] = row == 0 ? value : combine(columns[s][k], value);
        }
      }
    }
  }
#endif
}

// Folds the team's columns into one part per lane set and leaves the parts in `parts`. All
// work-items of the group must call. `count` is the tile's; 0 is a team without a tile. `whole` is true, literally, where
// all columns are known to exist: then there is no test for each.
INLINE void fold_to_parts(FOLDED columns[FOLD_SEGMENTS][VECTOR], bool whole, uint count, __local FOLDED *parts,
                                 __local FOLDED *exchange) {
  const uint existing = fold_columns(count);
  const uint id = OWN_ID % FOLD_TEAM;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
    UNROLL
    for (uint distance = 1; distance < VECTOR; distance *= 2) {
      UNROLL
      for (uint k = 0; k < VECTOR; k += 2 * distance) {
        if (whole || column + k + distance < existing)
          columns[s][k] = combine(columns[s][k], columns[s][k + distance]);
      }
    }
    // The lanes of this set that have a column: those whose first column exists. All lanes of a set find the same, and
    // so stay together at what they hand one another.
    const uint set_column = column - (id % LANES) * VECTOR;
    const uint lanes = SAME_IN_LANES(existing <= set_column ? 0 : (existing - set_column + VECTOR - 1) / VECTOR);
    FOLDED part;
    bool exists = true;  // a part of no columns may be written: nobody reads it
#ifdef LANES_NEED_EXCHANGE
    part = lanes_fold_first(columns[s][0], lanes, exchange);
    exists = lanes > 0;
#else
    if (whole || lanes >= LANES) {
      part = lanes_fold(columns[s][0]);
    } else {
      part = lanes_fold_first(columns[s][0], lanes, exchange);
    }
#endif
    if (id % LANES == LANES - 1 && exists) parts[s * (FOLD_TEAM / LANES) + id / LANES] = part;
  }
}

// Folds the parts of a tile that has `count` > 0 elements.
INLINE FOLDED fold_parts(__local FOLDED *parts, uint count) {
  const uint existing = (fold_columns(count) + LANES * VECTOR - 1) / (LANES * VECTOR);
#if FOLD_PARTS <= 8
  FOLDED own[FOLD_PARTS];
  UNROLL
  for (uint p = 0; p < FOLD_PARTS; ++p) {
    if (p < existing) own[p] = parts[p];
  }
  UNROLL
  for (uint distance = 1; distance < FOLD_PARTS; distance *= 2) {
    UNROLL
    for (uint p = 0; p + distance < FOLD_PARTS; p += 2 * distance) {
      if (p + distance < existing) own[p] = combine(own[p], own[p + distance]);
    }
  }
  return own[0];
#else
  for (uint distance = 1; distance < existing; distance *= 2) {
    for (uint p = 0; p + distance < existing; p += 2 * distance) parts[p] = combine(parts[p], parts[p + distance]);
  }
  return parts[0];
#endif
}

// The elements of tile `tile` among n.
static inline uint fold_count(uint tile, ulong n) {
  const ulong base = (ulong)tile * FOLD_TILE;
  return base >= n ? 0 : (uint)min(n - base, (ulong)FOLD_TILE);
}

// Folds the parts of `waiting` * FOLD_TEAMS tiles from `first` on and writes their results, one a work-item; returns
// its own to each. All work-items must call. Begins with a barrier; before the parts are used again, and the results
// read, there must be another.
static inline FOLDED fold_write(fold_memory memory, uint waiting, uint first, ulong n, __global FOLDED *to) {
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint j = OWN_ID;
  const uint count = j < waiting * FOLD_TEAMS ? fold_count(first + j, n) : 0;
  FOLDED result;
  if (count > 0) {
    result = fold_parts(memory.parts + j * FOLD_PARTS, count);
    to[first + j] = result;
  }
  return result;
}

// Folds the tiles from `begin` (a multiple of FOLD_TEAMS) up to `end` > `begin` of an input of n elements, tile t
// into to[t]. The input is `in` where `lifts`, else `from`, which may be `to` itself if this group alone
// works on it: a result is written only when everything at and below its place has been read. Returns to
// work-item 0 the result, if there is but one tile. All work-items must call, and meet at a barrier before the
// results are read or this is called again.
INLINE FOLDED fold_tiles(bool lifts, fold_input in, const __global FOLDED *from, ulong n, uint begin, uint end,
                         __global FOLDED *to, fold_memory memory) {
  const uint team = FOLD_OWN_TEAM;
  uint first = begin;
  uint waiting = 0;
#ifdef TESTS_COST
  const uint whole_end = min(end, SAME_IN_LANES((uint)(n / FOLD_TILE)));
#endif
  for (uint tile = begin;; tile += FOLD_TEAMS) {
#ifdef TESTS_COST
    // Whole tiles as long as their parts can wait, without a test.
    const uint run = SAME_IN_LANES(
        lifts && tile < whole_end ? min((whole_end - tile) / FOLD_TEAMS, FOLD_WAITING - waiting) : 0);
    const uint own_tile = SAME_IN_LANES(tile + team);
    for (uint r = 0; r < run; ++r) {
      FOLDED columns[FOLD_SEGMENTS][VECTOR];
      fold_load(columns, in, (ulong)(own_tile + r * FOLD_TEAMS) * FOLD_TILE, FOLD_TILE, false);
      fold_to_parts(columns, true, FOLD_TILE, memory.parts + ((waiting + r) * FOLD_TEAMS + team) * FOLD_PARTS,
                    memory.exchange);
    }
    if (run > 0) {
      waiting += run - 1;
      tile += (run - 1) * FOLD_TEAMS;
    } else
#endif
    {
      const uint count = fold_count(tile + team, n);
#ifdef USER_OPERATOR
      // A team without a tile takes what stands in for its elements from the first team's.
      const ulong base = (ulong)(count > 0 ? tile + team : tile) * FOLD_TILE;
#else
      const ulong base = (ulong)(tile + team) * FOLD_TILE;
#endif
      FOLDED columns[FOLD_SEGMENTS][VECTOR];
      if (lifts) {
#if (!defined(LANES_NEED_EXCHANGE) || defined(FOLD_SHORT_APART)) && !defined(TESTS_COST)
        if (count == FOLD_TILE) {  // without a test per row
          fold_load(columns, in, base, FOLD_TILE, false);
        } else
#endif
        {
#ifdef FOLD_SHORT_APART
          fold_load_short(columns, in, base, count);
#else
          fold_load(columns, in, base, count, false);
#endif
        }
      } else {
        fold_load_results(columns, from + base, count);
      }
      fold_to_parts(columns, false, count, memory.parts + (waiting * FOLD_TEAMS + team) * FOLD_PARTS, memory.exchange);
    }
    const bool more = tile + FOLD_TEAMS < end;
    if (++waiting == FOLD_WAITING || !more) {
      const FOLDED result = fold_write(memory, waiting, first, n, to);
      if (!more) return result;
      barrier(CLK_LOCAL_MEM_FENCE);
      first = tile + FOLD_TEAMS;
      waiting = 0;
    }
  }
}

#ifdef INDEXED_VALUE
// The first place from `begin` to `end` where `value` (work-item 0's) stands: among the results at `from`, or where
// that is 0 among the elements of `in`. It does stand there. All work-items must call and get the place.
INLINE ulong locate(FOLDED value, fold_input in, const __global FOLDED *from, ulong begin, ulong end,
                    fold_memory memory) {
  const uint id = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) {
    memory.parts[0] = value;
    memory.found[0] = FOLD_TILE;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  value = memory.parts[0];
  for (; begin < end; begin += LOCATED * GROUP_SIZE) {
    FOLDED at[LOCATED];
    UNROLL
    for (uint k = 0; k < LOCATED; ++k) {
      const ulong i = begin + k * GROUP_SIZE + id;
      if (i < end) at[k] = from != 0 ? from[i] : lift_at(in, i, 0);
    }
    uint place = FOLD_TILE;
    UNROLL
    for (uint k = 0; k < LOCATED; ++k) {
      const uint own = k * GROUP_SIZE + id;
      if (begin + own < end && same_value(at[k], value)) place = min(place, own);
    }
    if (place < FOLD_TILE) atomic_min(memory.found, place);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint found = memory.found[0];
    if (found < FOLD_TILE) return begin + found;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return end - 1;  // a device that is not sure of its own values
}
#endif

// Folds an input of `count` > 0 elements, one tile at most. All work-items must call; work-item 0 gets the result.
static inline FOLDED fold_tile(fold_input in, uint count, fold_memory memory) {
  const uint team = FOLD_TEAMS == 1 ? 0 : FOLD_OWN_TEAM;
  const uint own = team == 0 ? count : 0;
  FOLDED columns[FOLD_SEGMENTS][VECTOR];
#ifdef FOLD_SHORT_APART
  if (own < FOLD_TILE) {
    fold_load_short(columns, in, 0, own);
  } else
#endif
  {
    if (own >= FOLD_ACCUMULATORS)
      fold_load(columns, in, 0, own, true);
    else
      fold_load(columns, in, 0, own, false);
  }
  FOLDED result;
  fold_to_parts(columns, false, own, memory.parts + team * FOLD_PARTS, memory.exchange);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) result = fold_parts(memory.parts, count);
  return result;
}

#else
// ---------------------------------------------------------------------------- one work-item per tile
// A CPU core folds a tile alone.
typedef struct {
  uint unused;
} fold_memory;

#define FOLD_MEMORY(name) fold_memory name = {0}
#define FOLD_TEAMS 1

#if defined(WIDE) && !defined(CONTIGUOUS_COLUMNS)
#define FOLD_WIDES (FOLD_ACCUMULATORS / 16)

static inline ACC_WIDE pairs_wide(ACC_WIDE a, ACC_WIDE b) {
  return combine_wide((ACC_WIDE)(a.even, b.even), (ACC_WIDE)(a.odd, b.odd));
}

static inline FOLDED fold_lanes_wide(ACC_WIDE v) {
  // Missing halves repeat: only the first result of each step is used.
  v = pairs_wide(v, v);
  v = pairs_wide(v, v);
  v = pairs_wide(v, v);
  v = pairs_wide(v, v);
  return v.s0;
}

static inline LOADED_WIDE load_wide(const __global STORED *from) {
#ifdef VALUE_IS_HALF
  return vload_half16(0, (const __global half *)from);
#else
  return vload16(0, from);
#endif
}

// PoCL 3.1 on 2 cores, sum of 10^8 floats: 0.95 of OpenMP's loop where 8 KiB ahead are fetched, 0.93 with 4 KiB, 0.89
// with nothing.
#define FETCHED_AHEAD 8192

static inline ACC_WIDE lift_wide_at(fold_input in, ulong i) {
  FETCH_SOON((const __global uchar *)(in.x + i) + FETCHED_AHEAD);
#ifdef TWO_INPUTS
  FETCH_SOON((const __global uchar *)(in.y + i) + FETCHED_AHEAD);
  return lift_wide(load_wide(in.x + i), load_wide(in.y + i));
#else
  return lift_wide(load_wide(in.x + i));
#endif
}

// Row after row, as the elements lie: the columns stay in the nearest cache. (With a loop of its own for the first row
// it was a tenth slower.)
static inline FOLDED fold_full_tile(fold_input in, ulong base) {
  ACC_WIDE columns[FOLD_WIDES];
  for (uint row = 0; row < FOLD_ROWS; ++row) {
    const ulong first = base + row * FOLD_ACCUMULATORS;
    for (uint k = 0; k < FOLD_WIDES; ++k) {
      const ACC_WIDE x = lift_wide_at(in, first + 16 * k);
      columns[k] = row == 0 ? x : combine_wide(columns[k], x);
    }
  }
  for (uint width = FOLD_WIDES / 2; width > 0; width /= 2) {
    for (uint k = 0; k < width; ++k) columns[k] = pairs_wide(columns[2 * k], columns[2 * k + 1]);
  }
  return fold_lanes_wide(columns[0]);
}

#else
#define FOLD_BLOCK (FOLD_ACCUMULATORS < 128 ? FOLD_ACCUMULATORS : 128)

// The same by single values, for structures and operators of the user; compilers vectorise the loops
// over k where they can.
static inline FOLDED fold_full_tile(fold_input in, ulong base) {
  FOLDED blocks[FOLD_ACCUMULATORS / FOLD_BLOCK];
  for (uint b = 0; b < FOLD_ACCUMULATORS / FOLD_BLOCK; ++b) {
    FOLDED columns[FOLD_BLOCK];
    for (uint k = 0; k < FOLD_BLOCK; ++k) columns[k] = lift_at(in, base, FOLD_INDEX(b * FOLD_BLOCK + k, 0));
    for (uint row = 1; row < FOLD_ROWS; ++row) {
      for (uint k = 0; k < FOLD_BLOCK; ++k)
        columns[k] = combine(columns[k], lift_at(in, base, FOLD_INDEX(b * FOLD_BLOCK + k, row)));
    }
    for (uint width = FOLD_BLOCK / 2; width > 0; width /= 2) {
      for (uint k = 0; k < width; ++k) columns[k] = combine(columns[2 * k], columns[2 * k + 1]);
    }
    blocks[b] = columns[0];
  }
  for (uint distance = 1; distance < FOLD_ACCUMULATORS / FOLD_BLOCK; distance *= 2) {
    for (uint b = 0; b < FOLD_ACCUMULATORS / FOLD_BLOCK; b += 2 * distance)
      blocks[b] = combine(blocks[b], blocks[b + distance]);
  }
  return blocks[0];
}
#endif

// A short tile, or (without `lifts`) one of results of the level below. The tree is built as the columns come:
// level l of `pending` holds a finished subtree of 2^l columns, as in a binary counter.
static inline FOLDED fold_any_tile(bool lifts, fold_input in, const __global FOLDED *results, ulong base, uint count) {
  FOLDED pending[11];  // 2^10 columns at most
  const uint columns = fold_columns(count);
  for (uint column = 0; column < columns; ++column) {
    FOLDED value;
    for (uint row = 0; row < FOLD_ROWS && FOLD_INDEX(column, row) < count; ++row) {
      const uint place = FOLD_INDEX(column, row);
      const FOLDED next = lifts ? lift_at(in, base, place) : results[place];
      value = row == 0 ? next : combine(value, next);
    }
    uint level = 0;
    for (; (column >> level) & 1; ++level) value = combine(pending[level], value);
    pending[level] = value;
  }
  // Subtrees that found no right neighbour join from the smallest (the last columns) upwards.
  uint level = 0;
  while (!((columns >> level) & 1)) ++level;
  FOLDED value = pending[level];
  for (++level; (columns >> level) != 0; ++level) {
    if ((columns >> level) & 1) value = combine(pending[level], value);
  }
  return value;
}

// As above, for a group of one work-item.
#ifdef INDEXED_VALUE
static inline ulong locate(FOLDED value, fold_input in, const __global FOLDED *from, ulong begin, ulong end,
                           fold_memory memory) {
  for (; begin + 1 < end; ++begin) {
    if (same_value(from != 0 ? from[begin] : lift_at(in, begin, 0), value)) break;
  }
  return begin;
}
#endif

INLINE FOLDED fold_tiles(bool lifts, fold_input in, const __global FOLDED *from, ulong n, uint begin, uint end,
                         __global FOLDED *to, fold_memory memory) {
  FOLDED result;
  for (uint tile = begin; tile < end; ++tile) {
    const ulong base = (ulong)tile * FOLD_TILE;
    if (lifts && n - base >= FOLD_TILE) {
      result = fold_full_tile(in, base);
    } else {
      result = fold_any_tile(lifts, in, from + base, base, (uint)min(n - base, (ulong)FOLD_TILE));
    }
    to[tile] = result;
  }
  return result;
}
#endif

#endif  // PRIMITIVE_REDUCE
