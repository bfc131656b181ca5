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

static inline ACC lift_at(fold_input in, ulong i) {
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
#define FOLD_PARTS (FOLD_ACCUMULATORS / (LANES * VECTOR))
#if FOLD_ACCUMULATORS % (LANES * VECTOR) != 0
#error "LANES * VECTOR must divide FOLD_ACCUMULATORS"
#endif

// Tiles whose parts wait together; local memory stays under 4 KiB.
#define FOLD_PARTS_BYTES (FOLD_TEAMS * FOLD_PARTS * ACC_BYTES)
#define FOLD_WAITING (FOLD_PARTS_BYTES * 16 <= 4096 ? 16 : FOLD_PARTS_BYTES * 4 <= 4096 ? 4 : 1)

#ifdef LANES_NEED_EXCHANGE
#define FOLD_EXCHANGE GROUP_SIZE
#else
#define FOLD_EXCHANGE 1
#endif

// The group's local memory: FOLD_PARTS parts for each team of each waiting step, and room for lanes to
// exchange values. (PoCL 3.1 loses writes to a __local structure, so these are plain arrays.)
typedef struct {
  __local ACC *parts;
  __local ACC *exchange;
} fold_memory;

#define FOLD_MEMORY(name)                                          \
  __local ACC name##_parts[FOLD_WAITING * FOLD_TEAMS * FOLD_PARTS]; \
  __local ACC name##_exchange[FOLD_EXCHANGE];                      \
  fold_memory name;                                                \
  name.parts = name##_parts;                                       \
  name.exchange = name##_exchange

// A work-item's neighbouring results as 16-byte accesses.
#if (VECTOR * ACC_BYTES) % 16 == 0
typedef union {
  uint4 bits[VECTOR * ACC_BYTES / 16];
  ACC values[VECTOR];
} result_packet;
#endif

// The first column of this work-item in a segment.
static inline uint fold_column(uint segment) {
  return segment * (FOLD_TEAM * VECTOR) + (get_local_id(0) % FOLD_TEAM) * VECTOR;
}

// Loads this work-item's columns of a tile that starts at element `base` and has `count` elements.
static inline void fold_load(ACC columns[FOLD_SEGMENTS][VECTOR], fold_input in, ulong base, uint count) {
#if !defined(CONTIGUOUS_COLUMNS)
  // Whole rows go by packets, all of them under way before the first is used.
  const uint rows = count / FOLD_ACCUMULATORS;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
    UNROLL
    for (uint first = 0; first < FOLD_ROWS; first += ITEMS) {
      packet x[ITEMS];
#ifdef TWO_INPUTS
      packet y[ITEMS];
#endif
      UNROLL
      for (uint j = 0; j < ITEMS; ++j) {
        if (first + j < rows) {
          x[j] = load_packet(in.x + base + FOLD_INDEX(column, first + j));
#ifdef TWO_INPUTS
          y[j] = load_packet(in.y + base + FOLD_INDEX(column, first + j));
#endif
        }
      }
      UNROLL
      for (uint j = 0; j < ITEMS; ++j) {
        if (first + j < rows) {
          UNROLL
          for (uint k = 0; k < VECTOR; ++k) {
            const ulong i = base + FOLD_INDEX(column + k, first + j);
#ifdef TWO_INPUTS
            const ACC value = lift(unpack(&x[j], k), unpack(&y[j], k), i);
#else
            const ACC value = lift(unpack(&x[j], k), i);
#endif
            columns[s][k] = first + j == 0 ? value : combine(columns[s][k], value);
          }
        }
      }
    }
    // What is left of the last row.
    const uint left = count - rows * FOLD_ACCUMULATORS;
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      if (column + k < left) {
        const ACC value = lift_at(in, base + FOLD_INDEX(column + k, rows));
        columns[s][k] = rows == 0 ? value : combine(columns[s][k], value);
      }
    }
  }
#else
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    UNROLL
    for (uint k = 0; k < VECTOR; ++k) {
      const uint column = fold_column(s) + k;
      for (uint row = 0; row < FOLD_ROWS; ++row) {
        if (FOLD_INDEX(column, row) < count) {
          const ACC value = lift_at(in, base + FOLD_INDEX(column, row));
          columns[s][k] = row == 0 ? value : combine(columns[s][k], value);
        }
      }
    }
  }
#endif
}

// The same from results of the level below, which are values already. Other groups wrote them in this
// launch, so the read-only path is not for them. `results` is aligned to 16 bytes.
static inline void fold_load_results(ACC columns[FOLD_SEGMENTS][VECTOR], const __global ACC *results,
                                     uint count) {
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
    UNROLL
    for (uint row = 0; row < FOLD_ROWS; ++row) {
#if !defined(CONTIGUOUS_COLUMNS) && (VECTOR * ACC_BYTES) % 16 == 0
      if (FOLD_INDEX(column + VECTOR - 1, row) < count) {
        result_packet packet;
        UNROLL
        for (uint q = 0; q < VECTOR * ACC_BYTES / 16; ++q)
          packet.bits[q] = ((const __global uint4 *)(results + FOLD_INDEX(column, row)))[q];
        UNROLL
        for (uint k = 0; k < VECTOR; ++k)
          columns[s][k] = row == 0 ? packet.values[k] : combine(columns[s][k], packet.values[k]);
        continue;
      }
#endif
      UNROLL
      for (uint k = 0; k < VECTOR; ++k) {
        const uint i = FOLD_INDEX(column + k, row);
        if (i < count) columns[s][k] = row == 0 ? results[i] : combine(columns[s][k], results[i]);
      }
    }
  }
}

// Folds the team's columns into one part per lane set and leaves the parts in `parts`. All
// work-items of the group must call. `count` is the tile's; 0 is a team without a tile.
static inline void fold_to_parts(ACC columns[FOLD_SEGMENTS][VECTOR], uint count, __local ACC *parts,
                                 __local ACC *exchange) {
  const uint existing = fold_columns(count);
  const uint id = get_local_id(0) % FOLD_TEAM;
  UNROLL
  for (uint s = 0; s < FOLD_SEGMENTS; ++s) {
    const uint column = fold_column(s);
    UNROLL
    for (uint distance = 1; distance < VECTOR; distance *= 2) {
      UNROLL
      for (uint k = 0; k < VECTOR; k += 2 * distance) {
        if (column + k + distance < existing)
          columns[s][k] = combine(columns[s][k], columns[s][k + distance]);
      }
    }
    // The lanes of this set that have a column: those whose first column exists.
    const uint set_column = column - (id % LANES) * VECTOR;
    const uint lanes = existing <= set_column ? 0 : (existing - set_column + VECTOR - 1) / VECTOR;
    ACC part;
#ifdef LANES_NEED_EXCHANGE
    part = lanes_fold_first(columns[s][0], lanes, exchange);
#else
    if (lanes >= LANES) {
      part = lanes_fold(columns[s][0]);
    } else {
      part = lanes_fold_first(columns[s][0], lanes, exchange);
    }
#endif
    if (id % LANES == LANES - 1) parts[s * (FOLD_TEAM / LANES) + id / LANES] = part;
  }
}

// The elements of tile `tile` among n.
static inline uint fold_count(uint tile, ulong n) {
  const ulong base = (ulong)tile * FOLD_TILE;
  return base >= n ? 0 : (uint)min(n - base, (ulong)FOLD_TILE);
}

// Folds the parts of `waiting` * FOLD_TEAMS tiles from `first` on and writes their results; returns that of
// tile `first` to work-item 0. All work-items must call; a barrier at both ends.
static inline ACC fold_write(fold_memory memory, uint waiting, uint first, ulong n, __global ACC *to) {
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = get_local_id(0); j < waiting * FOLD_TEAMS; j += GROUP_SIZE) {
    const uint count = fold_count(first + j, n);
    if (count > 0) {
      __local ACC *parts = memory.parts + j * FOLD_PARTS;
      const uint existing = (fold_columns(count) + LANES * VECTOR - 1) / (LANES * VECTOR);
      for (uint distance = 1; distance < existing; distance *= 2) {
        for (uint p = 0; p + distance < existing; p += 2 * distance)
          parts[p] = combine(parts[p], parts[p + distance]);
      }
      to[first + j] = parts[0];
    }
  }
  ACC result;
  if (get_local_id(0) == 0) result = memory.parts[0];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return result;
}

// Folds the tiles from `begin` (a multiple of FOLD_TEAMS) up to `end` of an input of n elements, tile t
// into to[t]. The input is `in` where `lifts`, else `from`, which may be `to` itself if this group alone
// works on it: a result is written only when everything at and below its place has been read. Returns to
// work-item 0 the result, if there is but one tile. All work-items must call.
static inline ACC fold_tiles(bool lifts, fold_input in, const __global ACC *from, ulong n, uint begin,
                              uint end, __global ACC *to, fold_memory memory) {
  const uint team = get_local_id(0) / FOLD_TEAM;
  uint first = begin;
  uint waiting = 0;
  for (uint tile = begin; tile < end; tile += FOLD_TEAMS) {
    const uint count = fold_count(tile + team, n);
    const ulong base = (ulong)(tile + team) * FOLD_TILE;
    ACC columns[FOLD_SEGMENTS][VECTOR];
    if (lifts) {
#ifndef LANES_NEED_EXCHANGE
      if (count == FOLD_TILE) {  // without a test per row
        fold_load(columns, in, base, FOLD_TILE);
      } else
#endif
      {
        fold_load(columns, in, base, count);
      }
    } else {
      fold_load_results(columns, from + base, count);
    }
    fold_to_parts(columns, count, memory.parts + (waiting * FOLD_TEAMS + team) * FOLD_PARTS, memory.exchange);
    if (++waiting == FOLD_WAITING) {
      fold_write(memory, waiting, first, n, to);
      first = tile + FOLD_TEAMS;
      waiting = 0;
    }
  }
  return fold_write(memory, waiting, first, n, to);
}

#else
// ---------------------------------------------------------------------------- one work-item per tile
// A CPU core folds a tile alone. Columns go in blocks that fit its wide registers: rows are read at
// FOLD_BLOCK columns at a time, and the tree of a block never leaves registers.
typedef struct {
  uint unused;
} fold_memory;

#define FOLD_MEMORY(name) fold_memory name = {0}
#define FOLD_TEAMS 1

#if defined(WIDE) && !defined(CONTIGUOUS_COLUMNS)
#define FOLD_BLOCK (16 * ITEMS)

static inline ACC_WIDE pairs_wide(ACC_WIDE a, ACC_WIDE b) {
  return combine_wide((ACC_WIDE)(a.even, b.even), (ACC_WIDE)(a.odd, b.odd));
}

static inline ACC fold_lanes_wide(ACC_WIDE v) {
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

static inline ACC_WIDE lift_wide_at(fold_input in, ulong i) {
#ifdef TWO_INPUTS
  return lift_wide(load_wide(in.x + i), load_wide(in.y + i));
#else
  return lift_wide(load_wide(in.x + i));
#endif
}

static inline ACC fold_full_tile(fold_input in, ulong base) {
  ACC blocks[FOLD_ACCUMULATORS / FOLD_BLOCK];
  for (uint b = 0; b < FOLD_ACCUMULATORS / FOLD_BLOCK; ++b) {
    const ulong first = base + b * FOLD_BLOCK;
    ACC_WIDE columns[ITEMS];
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) columns[k] = lift_wide_at(in, first + 16 * k);
    for (uint row = 1; row < FOLD_ROWS; ++row) {
      UNROLL
      for (uint k = 0; k < ITEMS; ++k)
        columns[k] = combine_wide(columns[k], lift_wide_at(in, first + row * FOLD_ACCUMULATORS + 16 * k));
    }
    UNROLL
    for (uint distance = 1; distance < ITEMS; distance *= 2) {
      UNROLL
      for (uint k = 0; k < ITEMS; k += 2 * distance)
        columns[k] = pairs_wide(columns[k], columns[k + distance]);
    }
    blocks[b] = fold_lanes_wide(columns[0]);
  }
  for (uint distance = 1; distance < FOLD_ACCUMULATORS / FOLD_BLOCK; distance *= 2) {
    for (uint b = 0; b < FOLD_ACCUMULATORS / FOLD_BLOCK; b += 2 * distance)
      blocks[b] = combine(blocks[b], blocks[b + distance]);
  }
  return blocks[0];
}

#else
#define FOLD_BLOCK 128

// As above by single values, for structures and operators of the user; compilers vectorise the loops
// over k where they can.
static inline ACC fold_full_tile(fold_input in, ulong base) {
  ACC blocks[FOLD_ACCUMULATORS / FOLD_BLOCK];
  for (uint b = 0; b < FOLD_ACCUMULATORS / FOLD_BLOCK; ++b) {
    ACC columns[FOLD_BLOCK];
    for (uint k = 0; k < FOLD_BLOCK; ++k) columns[k] = lift_at(in, base + FOLD_INDEX(b * FOLD_BLOCK + k, 0));
    for (uint row = 1; row < FOLD_ROWS; ++row) {
      for (uint k = 0; k < FOLD_BLOCK; ++k)
        columns[k] = combine(columns[k], lift_at(in, base + FOLD_INDEX(b * FOLD_BLOCK + k, row)));
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
static inline ACC fold_any_tile(bool lifts, fold_input in, const __global ACC *results, ulong base, uint count) {
  ACC pending[11];  // 2^10 columns at most
  const uint columns = fold_columns(count);
  for (uint column = 0; column < columns; ++column) {
    ACC value = lifts ? lift_at(in, base + FOLD_INDEX(column, 0)) : results[base + FOLD_INDEX(column, 0)];
    for (uint row = 1; row < FOLD_ROWS && FOLD_INDEX(column, row) < count; ++row) {
      const ulong i = base + FOLD_INDEX(column, row);
      value = combine(value, lifts ? lift_at(in, i) : results[i]);
    }
    uint level = 0;
    for (; (column >> level) & 1; ++level) value = combine(pending[level], value);
    pending[level] = value;
  }
  // Subtrees that found no right neighbour join from the smallest (the last columns) upwards.
  uint level = 0;
  while (!((columns >> level) & 1)) ++level;
  ACC value = pending[level];
  for (++level; (columns >> level) != 0; ++level) {
    if ((columns >> level) & 1) value = combine(pending[level], value);
  }
  return value;
}

// As above, for a group of one work-item.
static inline ACC fold_tiles(bool lifts, fold_input in, const __global ACC *from, ulong n, uint begin,
                              uint end, __global ACC *to, fold_memory memory) {
  ACC result;
  for (uint tile = begin; tile < end; ++tile) {
    const ulong base = (ulong)tile * FOLD_TILE;
    if (lifts && n - base >= FOLD_TILE) {
      result = fold_full_tile(in, base);
    } else {
      result = fold_any_tile(lifts, in, from, base, (uint)min(n - base, (ulong)FOLD_TILE));
    }
    to[tile] = result;
  }
  return result;
}
#endif

#endif  // PRIMITIVE_REDUCE
