// gemm by wide matrix instructions, which take tiles of A and B from local memory, where a copy engine brings them.
//
// A group has GROUP_SIZE / WORKER_SIZE workers, of WORKER_SIZE work-items each. The first work-item of the first worker tells
// the copy engine what to bring; each other worker multiplies 64 rows of the group's tile. Local memory holds STAGES steps of k;
// of each stage, one counter says that its tiles have come, the other that all workers are done with them. There are as many
// groups as run at once, each takes tile after tile, and while results are stored, the next tile's first steps come already.
//
//   stage:  | rows: box, box, ... | columns: box, box, ... |       a box: lines of 128 bytes, 1024-byte aligned
//
// The instruction's columns lie beside one another in a lane and in its neighbours: they are C's m, the rows C's n; or the
// other way about (ROWS_ARE_M), because an operand that must come from registers is always the rows.

enum { STEP_ELEMENTS = 128 / FACTOR_BYTES };  // TILE_K
enum {
  M_IS_ROWS = IS_ON(ROWS_ARE_M),
  ALL_COLUMNS = M_IS_ROWS ? TILE_N : TILE_M,
  WIDE_ROWS = M_IS_ROWS ? TILE_M : TILE_N,
  BLOCKS = ALL_COLUMNS / WIDE_COLUMNS,  // products one beside another
  WORKERS = GROUP_SIZE / WORKER_SIZE - 1
};
// A tile that lies along k is one box; another has a box for each 128 bytes across k, the last of which may have some too many.
enum {
  BOX_BYTES = STEP_ELEMENTS * 128,
  ROWS_BYTES = ROWS_ALONG_K ? WIDE_ROWS * 128 : (WIDE_ROWS + STEP_ELEMENTS - 1) / STEP_ELEMENTS * BOX_BYTES,
  COLUMNS_BYTES = COLUMNS_ALONG_K ? ALL_COLUMNS * 128 : (ALL_COLUMNS + STEP_ELEMENTS - 1) / STEP_ELEMENTS * BOX_BYTES,
  STAGE_BYTES = ROWS_BYTES + COLUMNS_BYTES
};
// PRODUCTS_RUN_ON: a worker alone begins a step's products before those of the step before have ended. Of several workers, others
// fill the pause, and running on is slower.
enum {
  FROM_REGISTERS = IS_ON(ROWS_FROM_REGISTERS),
  ARRIVALS_WHEN_FREE = FROM_REGISTERS ? WORKERS * (WORKER_SIZE / LANES) : WORKERS,  // each set of lanes has read its own rows
  PRODUCTS_RUN_ON = FROM_REGISTERS ? 0 : WORKERS == 1,
  WORDS_OF_ROWS = FROM_REGISTERS ? 16 : 0
};
// Where a work-item's even share of the registers would not do for its results.
enum { SHIFTS_REGISTERS = ALL_COLUMNS / 2 + WORDS_OF_ROWS > (GROUP_SIZE > 384 ? 80 : 128) };

// Brings a step of a tile of one operand.
INLINE void fetch_tile(uint to, const __global void *map, uint lines, uint along_k, uint first, uint k, uint batch,
                       uint arrived) {
  if (along_k) {
    fetch_box(to, map, k, first, batch, arrived);
  } else {
    UNROLL
    for (uint i = 0; i * STEP_ELEMENTS < lines; ++i)
      fetch_box(to + i * BOX_BYTES, map, first + i * STEP_ELEMENTS, k, batch, arrived);
  }
}

// Makes the map of a matrix whose lines are `lines_of_tile` of a tile.
INLINE void make_map(uint at, const __global GEMM_STORED *base, ulong line, ulong stride, bool along_k, ulong across, ulong k,
                     uint lines_of_tile, ulong batches) {
  start_map(at, base, (uint)(along_k ? k : across), (uint)(along_k ? across : k), line * FACTOR_BYTES, STEP_ELEMENTS,
            along_k ? lines_of_tile : STEP_ELEMENTS);
  finish_map(at, (uint)(stride == 0 ? 1 : batches), stride == 0 ? 16 : stride * FACTOR_BYTES);
}

// What stands in C for a sum.
#ifdef IN_PARTS
INLINE ACC finished(ACC sum, const __global SUM_STORED *old, ACC alpha, ACC beta) { return sum; }
INLINE ACC finished_from(ACC sum, ACC old, ACC alpha, ACC beta) { return sum; }
INLINE ACC from_sum(SUM_STORED x) { return x; }
INLINE SUM_STORED as_stored(ACC value) { return value; }
#else
INLINE ACC finished(ACC sum, const __global SUM_STORED *old, ACC alpha, ACC beta) {
  return beta == 0 ? alpha * sum : fma(beta, from_out(*old), alpha * sum);
}
INLINE ACC finished_from(ACC sum, ACC old, ACC alpha, ACC beta) {
  return beta == 0 ? alpha * sum : fma(beta, old, alpha * sum);
}
INLINE ACC from_sum(SUM_STORED x) { return from_out(x); }
INLINE SUM_STORED as_stored(ACC value) { return to_out(value); }
#endif

#if defined(PACKED_STORES) && !defined(IN_PARTS) && !defined(OUT_IS_ACC)
#define STORES_BY_EIGHTS 1
// Elements i and i + 1 of the first `count`.
INLINE uint elements_if(const __global SUM_STORED *from, uint count, uint i) {
  return (i < count ? (uint)from[i] : 0u) | (i + 1 < count ? (uint)from[i + 1] : 0u) << 16;
}
// The first `count` of eight elements, as 16 bytes.
INLINE uint4 load_eight(const __global SUM_STORED *from, uint count) {
  if (count == 8) return *(const __global uint4 *)from;
  return (uint4)(elements_if(from, count, 0), elements_if(from, count, 2), elements_if(from, count, 4),
                 6 < count ? (uint)from[6] : 0u);
}
INLINE void store_eight(__global SUM_STORED *to, uint4 words, uint count) {
  if (count == 8) {
    *(__global uint4 *)to = words;
  } else {
    UNROLL
    for (uint i = 0; i < 8; ++i) {
      const uint word = i < 2 ? words.x : i < 4 ? words.y : i < 6 ? words.z : words.w;
      if (i < count) to[i] = (ushort)(word >> i % 2 * 16);
    }
  }
}

// A lane's blocks of eight columns, of two rows in turn: where the first one goes, at which row and column, of how many.
enum { BLOCKS_OF_ROW = WIDE_COLUMNS / 32, AHEAD = GROUP_SIZE > 384 ? 1 : 3 };
typedef struct {
  __global SUM_STORED *out;
  ulong line;
  uint row, column, rows, columns;
} own_eights;
INLINE __global SUM_STORED *eight_at(own_eights own, uint block) {
  return own.out + block / BLOCKS_OF_ROW * 8 * own.line + block % BLOCKS_OF_ROW * 32;
}
INLINE uint eight_count(own_eights own, uint block) {
  const uint column = own.column + block % BLOCKS_OF_ROW * 32;
  return own.row + block / BLOCKS_OF_ROW * 8 < own.rows && column < own.columns ? min(own.columns - column, 8u) : 0;
}
// Of a block as the lane has it: sum i, and two neighbours as they go to C.
INLINE ACC sum_of_block(const ACC *results, uint block, uint i) {
  return results[(block % BLOCKS_OF_ROW * 4 + i / 2) * 4 + block / BLOCKS_OF_ROW * 2 + i % 2];
}
INLINE uint pair_of_sums(const ACC *results, uint block, uint i, ACC alpha) {
  return pair_of(alpha * sum_of_block(results, block, i), alpha * sum_of_block(results, block, i + 1));
}
INLINE uint pair_added(const ACC *results, uint block, uint i, uint word, ACC alpha, ACC beta) {
  return pair_of(fma(beta, from_out((ushort)word), alpha * sum_of_block(results, block, i)),
                 fma(beta, from_out((ushort)(word >> 16)), alpha * sum_of_block(results, block, i + 1)));
}
#endif

// Stores a lane's results into a tile at `out`, of which `rows` x `columns` are C's: of two rows from `row` on, two columns of
// each 8 from `column` on.
INLINE void store_results(const ACC *results, __global SUM_STORED *out, ulong line, uint row, uint column, uint rows,
                          uint columns, uint lane, ACC alpha, ACC beta) {
#ifdef ROWS_ARE_M
  // The lanes that have a column's 8 rows are apart, but their elements together in memory.
  __global SUM_STORED *to = out + column * line + row;
  if (beta == 0) {
    UNROLL
    for (uint j = 0; j < WIDE_COLUMNS / 8; ++j) {
      UNROLL
      for (uint i = 0; i < 4; ++i) {
        if (row + i / 2 * 8 < rows && column + j * 8 + i % 2 < columns)
          to[i % 2 * line + i / 2 * 8] = as_stored(finished_from(results[j * 4 + i], 0, alpha, beta));
      }
      to += 8 * line;
    }
  } else {
    UNROLL
    for (uint j = 0; j < WIDE_COLUMNS / 8; ++j) {
      ACC old[4];
      UNROLL
      for (uint i = 0; i < 4; ++i) {
        const bool is_of_c = row + i / 2 * 8 < rows && column + j * 8 + i % 2 < columns;
        old[i] = is_of_c ? from_sum(to[i % 2 * line + i / 2 * 8]) : 0;
      }
      UNROLL
      for (uint i = 0; i < 4; ++i) {
        if (row + i / 2 * 8 < rows && column + j * 8 + i % 2 < columns)
          to[i % 2 * line + i / 2 * 8] = as_stored(finished_from(results[j * 4 + i], old[i], alpha, beta));
      }
      to += 8 * line;
    }
  }
#elif defined(STORES_BY_EIGHTS)
  // Lanes in four change words: of each 32 columns, one has 8, which it stores, and reads, by 16 bytes. What is read of C comes
  // AHEAD blocks of columns before it is used.
  const own_eights own = {out + row * line + column + lane % 4 * 6, line, row, column + lane % 4 * 6, rows, columns};
  if (beta == 0) {
    UNROLL
    for (uint block = 0; block < 2 * BLOCKS_OF_ROW; ++block) {
      const uint4 words = (uint4)(pair_of_sums(results, block, 0, alpha), pair_of_sums(results, block, 2, alpha),
                                  pair_of_sums(results, block, 4, alpha), pair_of_sums(results, block, 6, alpha));
      store_eight(eight_at(own, block), words_of_four_lanes(words, lane), eight_count(own, block));
    }
  } else {
    uint4 old[2 * BLOCKS_OF_ROW];
    UNROLL
    for (uint block = 0; block < AHEAD; ++block) old[block] = load_eight(eight_at(own, block), eight_count(own, block));
    UNROLL
    for (uint block = 0; block < 2 * BLOCKS_OF_ROW; ++block) {
      if (block + AHEAD < 2 * BLOCKS_OF_ROW)
        old[block + AHEAD] = load_eight(eight_at(own, block + AHEAD), eight_count(own, block + AHEAD));
      const uint4 was = words_of_four_lanes(old[block], lane);
      const uint4 words =
          (uint4)(pair_added(results, block, 0, was.x, alpha, beta), pair_added(results, block, 2, was.y, alpha, beta),
                  pair_added(results, block, 4, was.z, alpha, beta), pair_added(results, block, 6, was.w, alpha, beta));
      store_eight(eight_at(own, block), words_of_four_lanes(words, lane), eight_count(own, block));
    }
  }
#else
  UNROLL
  for (uint upper = 0; upper < 2; ++upper) {
    const bool is_row = row + upper * 8 < rows;
    __global SUM_STORED *const to = out + (row + upper * 8) * line + column;
#ifdef PACKED_STORES
    if (columns == ALL_COLUMNS) {
      UNROLL
      for (uint j = 0; j < WIDE_COLUMNS / 8; ++j) {
        __global SUM_STORED *const at = to + j * 8;
        if (is_row)
          *(__global float2 *)at = (float2)(finished(results[j * 4 + upper * 2], at, alpha, beta),
                                            finished(results[j * 4 + upper * 2 + 1], at + 1, alpha, beta));
      }
      continue;
    }
#endif
    UNROLL
    for (uint i = 0; i < WIDE_COLUMNS / 4; ++i) {
      __global SUM_STORED *const at = to + i / 2 * 8 + i % 2;
      if (is_row && column + i / 2 * 8 + i % 2 < columns)
        *at = as_stored(finished(results[i / 2 * 4 + upper * 2 + i % 2], at, alpha, beta));
    }
  }
#endif
}

#ifdef TURNS_FACTOR
// Copies a matrix whose lines go across k to one whose lines follow k, for instructions that take no other. Tiles of
// 64 x 64 lie in local memory meanwhile. Global size: any number of groups.
enum { TURNED_TILE = 64 };
KERNEL void gemm_turn(const __global GEMM_STORED *restrict from, ulong from_offset, ulong from_line,
                      ulong from_stride, __global GEMM_STORED *restrict to, ulong to_offset, ulong to_line,
                      ulong to_stride, ulong across, ulong k, ulong batches) {
  __local GEMM_STORED tile[TURNED_TILE][TURNED_TILE + 1];
  const ulong tiles_across = (across + TURNED_TILE - 1) / TURNED_TILE, tiles_k = (k + TURNED_TILE - 1) / TURNED_TILE;
  const uint own_x = get_local_id(0) % TURNED_TILE, own_line = get_local_id(0) / TURNED_TILE;
  for (ulong i = get_group_id(0); i < tiles_across * tiles_k * batches; i += get_num_groups(0)) {
    const ulong x = i % tiles_across * TURNED_TILE, step = i / tiles_across % tiles_k * TURNED_TILE;
    const ulong batch = i / (tiles_across * tiles_k);
    const uint width = (uint)min((ulong)TURNED_TILE, across - x), depth = (uint)min((ulong)TURNED_TILE, k - step);
    const __global GEMM_STORED *const first = from + from_offset + batch * from_stride + step * from_line + x;
    __global GEMM_STORED *const out = to + to_offset + batch * to_stride + x * to_line + step;
    UNROLL
    for (uint line = 0; line < TURNED_TILE; line += GROUP_SIZE / TURNED_TILE) {
      if (own_x < width && line + own_line < depth)
        tile[line + own_line][own_x] = first[(line + own_line) * from_line + own_x];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL
    for (uint line = 0; line < TURNED_TILE; line += GROUP_SIZE / TURNED_TILE) {
      if (own_x < depth && line + own_line < width) out[(line + own_line) * to_line + own_x] = tile[own_x][line + own_line];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
#endif

// The two counters of a stage: its tiles have come, all workers are done with them.
static inline uint arrived_at(uint counters_at, uint stage) { return counters_at + stage * 8; }
static inline uint free_at(uint counters_at, uint stage) { return counters_at + (STAGES + stage) * 8; }

// Global size: GROUP_SIZE for each group that runs at once, or each tile where there are fewer. `maps` has 256 bytes for each
// group. `pieces`: parts of all batches.
KERNEL void gemm_wide(GEMM_ARGUMENTS, __global uchar *maps, ulong maps_offset, uint pieces) {
  __local uchar stages[STAGES * STAGE_BYTES] __attribute__((aligned(1024)));
  __local ulong made[2 * MAP_BYTES / 8] __attribute__((aligned(128)));
  __local ulong counters[2 * STAGES];
  const uint id = get_local_id(0), worker = id / WORKER_SIZE;
  const uint stages_at = local_address_of(stages), counters_at = local_address_of(counters);
  const ulong batches = pieces / parts;
  __global uchar *const a_map = maps + maps_offset + (ulong)get_group_id(0) * (2 * MAP_BYTES);
  __global uchar *const b_map = a_map + MAP_BYTES;
  // One set of lanes makes A's map, one B's, and one more begins the counters: to publish a map takes half a microsecond.
  if (id < 2 * LANES) {
    const uint map = id / LANES, at = local_address_of(made) + map * MAP_BYTES;
    for (uint i = id % LANES; i < MAP_BYTES / 8; i += LANES) made[map * (MAP_BYTES / 8) + i] = 0;
    lanes_together();
    if (id == 0)
      make_map(at, a + a_offset, a_line, a_stride, A_TURNED, m, k, TILE_M, batches);
    else if (id == LANES)
      make_map(at, b + b_offset, b_line, b_stride, B_TURNED, n, k, TILE_N, batches);
    lanes_together();
    publish_map(map == 0 ? a_map : b_map, at);
  } else if (id == 2 * LANES) {
    for (uint s = 0; s < STAGES; ++s) {
      arrivals_begin(arrived_at(counters_at, s), 1);
      arrivals_begin(free_at(counters_at, s), ARRIVALS_WHEN_FREE);
    }
    arrivals_begun();
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint tiles = tiles_m * tiles_n * pieces;
  uint stage = 0;
  if (worker == 0) {
    if (SHIFTS_REGISTERS) give_registers();
    if (id != 0) return;
    acquire_map(a_map);
    acquire_map(b_map);
    uint parity = 1;
    for (uint tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
      const tile_place place = place_of_tile(tile, parts, tiles_m, tiles_n);
      const uint k_begin = (uint)(place.part * part), k_end = (uint)min(k, k_begin + part);
      const uint a_batch = a_stride == 0 ? 0 : (uint)place.batch, b_batch = b_stride == 0 ? 0 : (uint)place.batch;
      for (uint at = k_begin; at < k_end; at += STEP_ELEMENTS) {
        wait_for_arrivals(free_at(counters_at, stage), parity);
        arrive_and_announce(arrived_at(counters_at, stage), STAGE_BYTES);
        const uint rows_at = stages_at + stage * STAGE_BYTES, columns_at = rows_at + ROWS_BYTES;
        if (M_IS_ROWS) {
          fetch_tile(rows_at, a_map, TILE_M, A_TURNED, (uint)place.row, at, a_batch, arrived_at(counters_at, stage));
          fetch_tile(columns_at, b_map, TILE_N, B_TURNED, (uint)place.column, at, b_batch, arrived_at(counters_at, stage));
        } else {
          fetch_tile(rows_at, b_map, TILE_N, B_TURNED, (uint)place.column, at, b_batch, arrived_at(counters_at, stage));
          fetch_tile(columns_at, a_map, TILE_M, A_TURNED, (uint)place.row, at, a_batch, arrived_at(counters_at, stage));
        }
        if (++stage == STAGES) stage = 0, parity ^= 1;
      }
    }
    return;
  }

  if (SHIFTS_REGISTERS) take_registers();
  const uint own = id - worker * WORKER_SIZE, lane = id % LANES, own_row = (worker - 1) * 64;
  uint parity = 0;
  for (uint tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const tile_place place = place_of_tile(tile, parts, tiles_m, tiles_n);
    const uint k_begin = (uint)(place.part * part);
    const uint steps = ((uint)min(k, k_begin + part) - k_begin + STEP_ELEMENTS - 1) / STEP_ELEMENTS;
    ACC results[BLOCKS][WIDE_COLUMNS / 2];
    UNROLL
    for (uint block = 0; block < BLOCKS; ++block) {
      UNROLL
      for (uint i = 0; i < WIDE_COLUMNS / 2; ++i) results[block][i] = 0;
    }
    // One copy of the loop: more of them gain nothing.
    UNROLL_BY(1)
    for (uint step = 0; step < steps; ++step) {
      wait_for_arrivals(arrived_at(counters_at, stage), parity);
      const ulong columns = describe_operand(stages_at + stage * STAGE_BYTES + ROWS_BYTES, COLUMNS_ALONG_K);
#ifdef ROWS_FROM_REGISTERS
      const wide_rows rows = load_wide_rows(stages + stage * STAGE_BYTES + own_row * 128, own);
#else
      const ulong rows = describe_operand(stages_at + stage * STAGE_BYTES + own_row * 128, ROWS_ALONG_K);
#endif
      wide_begin();
      WIDE_MULTIPLY(results[0], rows, columns, step);
      if (BLOCKS > 1) WIDE_MULTIPLY(results[BLOCKS - 1], rows, columns + WIDE_COLUMNS * 128 / 16, step);
      wide_end();
      if (PRODUCTS_RUN_ON) {
        wide_wait_for_all_but_one();
        if (own == 0 && step > 0) arrive(free_at(counters_at, stage == 0 ? STAGES - 1 : stage - 1));
      } else {
        wide_wait();
        if ((FROM_REGISTERS ? lane : own) == 0) arrive(free_at(counters_at, stage));
      }
      if (++stage == STAGES) stage = 0, parity ^= 1;
    }
    if (PRODUCTS_RUN_ON) {
      wide_wait();
      if (own == 0) arrive(free_at(counters_at, stage == 0 ? STAGES - 1 : stage - 1));
    }
    WIDE_RESULTS(results[0]);
    if (BLOCKS > 1) WIDE_RESULTS(results[BLOCKS - 1]);

    const ulong line = computed_here(c_line);
    __global SUM_STORED *const out = c + c_offset + (place.batch * parts + place.part) * c_stride + place.column * line +
                                     place.row;
    const uint rows_of_m = (uint)min((ulong)TILE_M, m - place.row);
    const uint columns_of_n = (uint)min((ulong)TILE_N, n - place.column);
    const uint first_row = own_row + own / LANES * 16 + lane / 4, first_column = lane % 4 * 2;
    UNROLL
    for (uint block = 0; block < BLOCKS; ++block)
      store_results(results[block], out, line, first_row, block * WIDE_COLUMNS + first_column,
                    M_IS_ROWS ? rows_of_m : columns_of_n, M_IS_ROWS ? columns_of_n : rows_of_m, lane, alpha, beta);
  }
}
