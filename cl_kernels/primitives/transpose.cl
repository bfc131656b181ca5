// transpose: of matrices, to another place or in place. Variants and arguments: lib/primitives/transpose.cpp.
//
// On a GPU a group takes a tile of TILE_ROWS by TILE_COLUMNS elements: it reads the tile's rows, transposes it
// in local memory, and writes the result's rows, so that both sides are met in long runs. Where every row
// starts at a multiple of PACKET_BYTES, a work-item reads BLOCK_ROWS packets one below the other, transposes that
// block in its registers, and local memory is met in wide accesses too; elsewhere, and in tiles at
// an edge, an access is as wide as the element allows. On a CPU a work-item is a group and transposes blocks as
// large as a cache line, in registers: a tile in local memory was the slowest way there. (Tiles in local memory: Ruetsch
// and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009.)

// An element is UNITS accesses of UNIT_BYTES, a power of two.
#define UNITS (ELEMENT_BYTES / UNIT_BYTES)
#if UNIT_BYTES == 16
typedef packet_16 unit;
#elif UNIT_BYTES == 8
typedef packet_8 unit;
#elif UNIT_BYTES == 4
typedef packet_4 unit;
#elif UNIT_BYTES == 2
typedef packet_2 unit;
#else
typedef packet_1 unit;
#endif

// How matrices lie in a buffer: offset of the first, distance of rows and of matrices, all in bytes.
#define MATRICES(name, qualifiers) \
  qualifiers name, ulong name##_offset, ulong name##_row, ulong name##_matrix

// A 64-bit division is a long routine on a GPU, and seldom needed.
static inline ulong quotient(ulong a, ulong b) {
  return ((a | b) >> 32) != 0 ? a / b : (ulong)((uint)a / (uint)b);
}

// Which tile comes at a place in the order: matrix after matrix, in each one column after column of tiles, so
// that groups side by side write side by side. (H200, 16384 x 16384 floats: 4122 GB/s; row after row 3996.)
typedef struct {
  ulong matrix, row, column;  // the latter two in tiles
} tile_place;

static inline tile_place place_of_tile(ulong index, ulong across, ulong down) {
  tile_place place;
  const ulong columns = quotient(index, down);
  place.row = index - columns * down;
  place.matrix = quotient(columns, across);
  place.column = columns - place.matrix * across;
  return place;
}

// In place: which pair of tiles (row, column), (column, row) comes at a place in the order, of a square of
// `side` by `side` tiles. Row r takes the columns r, r + 1, ... (side / 2 of them after its own), going round
// at the end, so that each pair comes up once; where `side` is even, the pairs furthest apart come up twice, and
// are taken the first time.
static inline tile_place place_of_pair(ulong index, ulong side) {
  tile_place place;
  const ulong width = side / 2 + 1;
  place.matrix = quotient(index, side * width);
  const ulong inside = index - place.matrix * side * width;
  place.row = quotient(inside, width);
  const ulong step = inside - place.row * width;
  place.column = place.row + step;
  if (place.column >= side) place.column -= side;
  if (2 * step == side && place.column < place.row) place.matrix = ~(ulong)0;  // nothing to do
  return place;
}

static inline uint least(ulong left, uint most) { return left < most ? (uint)left : most; }

#if GROUP_SIZE > 1

// ------------------------------------------------------------------ a tile by units, with edges
// In local memory a row has one element more than the tile, so that a column's lie in different banks.
enum {
  ROW_UNITS = TILE_COLUMNS * UNITS,
  PITCH_UNITS = (TILE_COLUMNS + 1) * UNITS,
  COLUMN_UNITS = TILE_ROWS * UNITS
};
enum {
  UNITS_EACH = TILE_ROWS * ROW_UNITS / GROUP_SIZE,
  MOST_IN_FLIGHT = UNIT_BYTES > 4 ? 8 : 16,
  UNITS_IN_FLIGHT = UNITS_EACH % MOST_IN_FLIGHT == 0 ? MOST_IN_FLIGHT
                    : UNITS_EACH % 8 == 0            ? 8
                    : UNITS_EACH % 4 == 0            ? 4
                    : UNITS_EACH % 2 == 0            ? 2
                                                     : 1,
  UNITS_TILE_BYTES = TILE_ROWS * PITCH_UNITS * UNIT_BYTES
};

// A work-item's unit number k lies in row row_of(k) of rows of `width` units, at x_of(k). Where the group takes
// whole rows at a time, x is one for all k, and rows are at one distance: which compilers do not see.
#define WHOLE_ROWS(width) (GROUP_SIZE % (width) == 0)
#define ROW_OF(k, width)                                                                       \
  (WHOLE_ROWS(width) ? get_local_id(0) / (width) + (k) * (uint)(GROUP_SIZE / (width))          \
                     : ((uint)get_local_id(0) + (k)*GROUP_SIZE) / (width))
#define X_OF(k, width)                                       \
  (WHOLE_ROWS(width) ? (uint)get_local_id(0) % (width)       \
                     : ((uint)get_local_id(0) + (k)*GROUP_SIZE) % (width))

// The address of unit k, at being that of unit 0.
#define UNIT_AT(qualifiers, at, from, pitch, k, width)                                                   \
  (WHOLE_ROWS(width) ? (qualifiers unit *)((at) + (k) * ((GROUP_SIZE / (width)) * (pitch)))              \
                     : (qualifiers unit *)((from) + ROW_OF(k, width) * (pitch)) + X_OF(k, width))

// Registers have no index, so what is held must unroll; where there are none to lose it need not, and unrolled for
// no device in particular, PoCL 3.1 loses stores.
#ifdef DEVICE_LOCAL
#define UNROLL_UNITS
#else
#define UNROLL_UNITS UNROLL
#endif

// `whole`: the tile has no edge, and nothing is tested. (H200, rows at odd places: 3560 GB/s instead of 2830.)
static inline void load_units(const __global uchar *from, ulong pitch, uint rows, uint columns, __local unit *tile,
                              const bool whole) {
  const __global uchar *at = from + ROW_OF(0, ROW_UNITS) * pitch + X_OF(0, ROW_UNITS) * UNIT_BYTES;
  // Not unrolled: what is held would take all registers.
#pragma unroll 1
  for (ulong first = 0; first < UNITS_EACH; first += UNITS_IN_FLIGHT) {
    unit held[UNITS_IN_FLIGHT];
    UNROLL_UNITS
    for (uint k = 0; k < UNITS_IN_FLIGHT; ++k) {
      const uint row = ROW_OF((uint)first + k, ROW_UNITS);
      if (whole || (row < rows && X_OF((uint)first + k, ROW_UNITS) < columns * UNITS))
        held[k] = *UNIT_AT(const __global, at, from, pitch, first + k, ROW_UNITS);
    }
    UNROLL_UNITS
    for (uint k = 0; k < UNITS_IN_FLIGHT; ++k) {
      const uint row = ROW_OF((uint)first + k, ROW_UNITS);
      const uint x = X_OF((uint)first + k, ROW_UNITS);
      if (whole || (row < rows && x < columns * UNITS)) tile[row * PITCH_UNITS + x] = held[k];
    }
  }
}

// Writes the tile's columns as rows. `rows` and `columns` are still those of the tile as it was read.
static inline void store_units(__global uchar *to, ulong pitch, uint rows, uint columns, const __local unit *tile,
                               const bool whole) {
  __global uchar *at = to + ROW_OF(0, COLUMN_UNITS) * pitch + X_OF(0, COLUMN_UNITS) * UNIT_BYTES;
#pragma unroll 1
  for (ulong first = 0; first < UNITS_EACH; first += UNITS_IN_FLIGHT) {
    for (uint k = 0; k < UNITS_IN_FLIGHT; ++k) {
      const uint column = ROW_OF((uint)first + k, COLUMN_UNITS);
      const uint x = X_OF((uint)first + k, COLUMN_UNITS);
      const uint row = x / UNITS;
      if (whole || (row < rows && column < columns))
        *UNIT_AT(__global, at, to, pitch, first + k, COLUMN_UNITS) =
            tile[row * PITCH_UNITS + column * UNITS + x % UNITS];
    }
  }
}

// ------------------------------------------------------------------ a whole tile by packets
#ifdef PACKET_BYTES
enum {
  PACKET_WORDS = PACKET_BYTES / 4,
  BLOCK_COLUMNS = PACKET_BYTES / ELEMENT_BYTES,
  BLOCKS_ACROSS = TILE_COLUMNS / BLOCK_COLUMNS,
  BLOCKS_EACH = BLOCKS_ACROSS * (TILE_ROWS / BLOCK_ROWS) / GROUP_SIZE
};
// A transposed block is BLOCK_COLUMNS rows of so many words.
#define RUN_WORDS (BLOCK_ROWS * ELEMENT_BYTES / 4)
// Of a row of the transposed tile, which lies in local memory.
enum {
  ROW_PACKETS = TILE_ROWS * ELEMENT_BYTES / PACKET_BYTES,
  PACKETS_TILE_BYTES = TILE_COLUMNS * ROW_PACKETS * PACKET_BYTES
};

#if PACKET_BYTES == 16
typedef packet_16 packet_bytes;
#elif PACKET_BYTES == 8
typedef packet_8 packet_bytes;
#else
typedef packet_4 packet_bytes;
#endif
typedef union {
  packet_bytes bits;
  uint words[PACKET_WORDS];
} packet_words;

#if RUN_WORDS == 4
typedef packet_16 run_bytes;
#elif RUN_WORDS == 2
typedef packet_8 run_bytes;
#else
typedef packet_4 run_bytes;
#endif
typedef union {
  run_bytes bits;
  uint words[RUN_WORDS];
} run_words;

// Neighbouring lanes store to rows BLOCK_COLUMNS apart, which would all begin in the same bank: each such row's
// packets are exchanged in their own way, within the 128 bytes that the banks serve together.
enum {
  BANK_PACKETS = 128 / PACKET_BYTES,
  EXCHANGED = ROW_PACKETS < BANK_PACKETS ? ROW_PACKETS - 1 : BANK_PACKETS - 1
};
static inline uint packet_at(uint row, uint packet) {
  return row * ROW_PACKETS + (packet ^ (row / BLOCK_COLUMNS & EXCHANGED));
}

// The block's rows become runs: run k has element k of every row.
static inline void turn_over(const packet_words *rows, run_words *runs) {
#if ELEMENT_BYTES == 1
  UNROLL
  for (uint j = 0; j < BLOCK_ROWS / 4; ++j) {
    UNROLL
    for (uint w = 0; w < PACKET_WORDS; ++w) {
      const uint a = rows[4 * j].words[w];
      const uint b = rows[4 * j + 1].words[w];
      const uint c = rows[4 * j + 2].words[w];
      const uint d = rows[4 * j + 3].words[w];
      const uint ab_low = low_bytes(a, b);
      const uint ab_high = high_bytes(a, b);
      const uint cd_low = low_bytes(c, d);
      const uint cd_high = high_bytes(c, d);
      runs[4 * w].words[j] = low_halves(ab_low, cd_low);
      runs[4 * w + 1].words[j] = high_halves(ab_low, cd_low);
      runs[4 * w + 2].words[j] = low_halves(ab_high, cd_high);
      runs[4 * w + 3].words[j] = high_halves(ab_high, cd_high);
    }
  }
#elif ELEMENT_BYTES == 2
  UNROLL
  for (uint j = 0; j < BLOCK_ROWS / 2; ++j) {
    UNROLL
    for (uint w = 0; w < PACKET_WORDS; ++w) {
      runs[2 * w].words[j] = low_halves(rows[2 * j].words[w], rows[2 * j + 1].words[w]);
      runs[2 * w + 1].words[j] = high_halves(rows[2 * j].words[w], rows[2 * j + 1].words[w]);
    }
  }
#else
  // Nothing moves: the compiler gives registers other names.
  UNROLL
  for (uint j = 0; j < BLOCK_ROWS; ++j) {
    UNROLL
    for (uint w = 0; w < PACKET_WORDS; ++w)
      runs[w / (ELEMENT_BYTES / 4)].words[j * (ELEMENT_BYTES / 4) + w % (ELEMENT_BYTES / 4)] = rows[j].words[w];
  }
#endif
}

static inline void load_packets(const __global uchar *from, ulong pitch, __local uint *tile) {
  packet_words rows[BLOCKS_EACH][BLOCK_ROWS];
  UNROLL
  for (uint b = 0; b < BLOCKS_EACH; ++b) {
    const uint block = get_local_id(0) + b * GROUP_SIZE;
    const __global uchar *at =
        from + (ulong)(block / BLOCKS_ACROSS * BLOCK_ROWS) * pitch + block % BLOCKS_ACROSS * PACKET_BYTES;
    UNROLL
    for (uint j = 0; j < BLOCK_ROWS; ++j)
      rows[b][j].bits = *(const __global packet_bytes *)(at + j * pitch);
  }
  UNROLL
  for (uint b = 0; b < BLOCKS_EACH; ++b) {
    const uint block = get_local_id(0) + b * GROUP_SIZE;
    const uint word = block / BLOCKS_ACROSS * RUN_WORDS;  // of each transposed row
    run_words runs[BLOCK_COLUMNS];
    turn_over(rows[b], runs);
    UNROLL
    for (uint k = 0; k < BLOCK_COLUMNS; ++k) {
      const uint row = block % BLOCKS_ACROSS * BLOCK_COLUMNS + k;
      *(__local run_bytes *)(tile + packet_at(row, word / PACKET_WORDS) * PACKET_WORDS + word % PACKET_WORDS) =
          runs[k].bits;
    }
  }
}

static inline void store_packets(__global uchar *to, ulong pitch, const __local uint *tile) {
  UNROLL
  for (uint k = 0; k < TILE_COLUMNS * ROW_PACKETS / GROUP_SIZE; ++k) {
    const uint row = (get_local_id(0) + k * GROUP_SIZE) / ROW_PACKETS;
    const uint packet = (get_local_id(0) + k * GROUP_SIZE) % ROW_PACKETS;
    ((__global packet_bytes *)(to + row * pitch))[packet] =
        ((const __local packet_bytes *)tile)[packet_at(row, packet)];
  }
}

enum { TILE_BYTES = UNITS_TILE_BYTES > PACKETS_TILE_BYTES ? UNITS_TILE_BYTES : PACKETS_TILE_BYTES };

// ------------------------------------------------------------------ a whole tile by words
// Elements that no access takes: BLOCK_SIDE of them are the fewest that are whole words. A work-item reads as many rows of
// those, transposes them in its registers, and leaves each new row as words in local memory.
#elif defined(BLOCK_SIDE)
enum {
  LINE_WORDS = BLOCK_SIDE * ELEMENT_BYTES / 4,
  BLOCKS_ACROSS = TILE_COLUMNS / BLOCK_SIDE,
  BLOCKS_EACH = BLOCKS_ACROSS * (TILE_ROWS / BLOCK_SIDE) / GROUP_SIZE,
  ROW_WORDS = TILE_ROWS * ELEMENT_BYTES / 4,
  WORDS_TILE_BYTES = (TILE_COLUMNS * ROW_WORDS + BLOCKS_ACROSS) * 4,
  WORDS_EACH = TILE_COLUMNS * ROW_WORDS / GROUP_SIZE
};
typedef union {
  uint words[LINE_WORDS];
  unit units[BLOCK_SIDE * UNITS];
} block_line;

// Where a row of the transposed tile begins. Neighbouring lanes store to rows BLOCK_SIDE apart: a word between those, and
// they lie in different banks.
static inline uint words_row(uint row) { return row * ROW_WORDS + row / BLOCK_SIDE; }

static inline void load_words(const __global uchar *from, ulong pitch, __local uint *tile) {
  block_line lines[BLOCKS_EACH][BLOCK_SIDE];
  UNROLL
  for (uint b = 0; b < BLOCKS_EACH; ++b) {
    const uint block = get_local_id(0) + b * GROUP_SIZE;
    const __global uchar *at =
        from + (ulong)(block / BLOCKS_ACROSS * BLOCK_SIDE) * pitch + block % BLOCKS_ACROSS * (LINE_WORDS * 4);
    UNROLL
    for (uint j = 0; j < BLOCK_SIDE; ++j) {
      UNROLL
      for (uint w = 0; w < LINE_WORDS; ++w)
        lines[b][j].words[w] = ((const __global uint *)(at + j * pitch))[w];
    }
  }
  UNROLL
  for (uint b = 0; b < BLOCKS_EACH; ++b) {
    const uint block = get_local_id(0) + b * GROUP_SIZE;
    UNROLL
    for (uint k = 0; k < BLOCK_SIDE; ++k) {
      block_line turned;
      UNROLL
      for (uint u = 0; u < BLOCK_SIDE * UNITS; ++u)
        turned.units[u] = lines[b][u / UNITS].units[k * UNITS + u % UNITS];
      __local uint *to = tile + words_row(block % BLOCKS_ACROSS * BLOCK_SIDE + k) + block / BLOCKS_ACROSS * LINE_WORDS;
      UNROLL
      for (uint w = 0; w < LINE_WORDS; ++w) to[w] = turned.words[w];
    }
  }
}

static inline void store_words(__global uchar *to, ulong pitch, const __local uint *tile) {
  UNROLL
  for (uint k = 0; k < WORDS_EACH; ++k) {
    const uint row = (get_local_id(0) + k * GROUP_SIZE) / ROW_WORDS;
    const uint word = (get_local_id(0) + k * GROUP_SIZE) % ROW_WORDS;
    ((__global uint *)(to + row * pitch))[word] = tile[words_row(row) + word];
  }
}

enum { TILE_BYTES = UNITS_TILE_BYTES > WORDS_TILE_BYTES ? UNITS_TILE_BYTES : WORDS_TILE_BYTES };
#else
enum { TILE_BYTES = UNITS_TILE_BYTES };
#endif  // PACKET_BYTES, BLOCK_SIDE

// All work-items must call; a tile is in local memory after the barrier that follows.
static inline void load_tile(const __global uchar *from, ulong pitch, uint rows, uint columns, __local uint4 *tile) {
  if (rows == TILE_ROWS && columns == TILE_COLUMNS) {
#ifdef PACKET_BYTES
    load_packets(from, pitch, (__local uint *)tile);
#elif defined(BLOCK_SIDE)
    load_words(from, pitch, (__local uint *)tile);
#else
    load_units(from, pitch, rows, columns, (__local unit *)tile, true);
#endif
  } else {
    load_units(from, pitch, rows, columns, (__local unit *)tile, false);
  }
}

static inline void store_tile(__global uchar *to, ulong pitch, uint rows, uint columns, const __local uint4 *tile) {
  if (rows == TILE_ROWS && columns == TILE_COLUMNS) {
#ifdef PACKET_BYTES
    store_packets(to, pitch, (const __local uint *)tile);
#elif defined(BLOCK_SIDE)
    store_words(to, pitch, (const __local uint *)tile);
#else
    store_units(to, pitch, rows, columns, (const __local unit *)tile, true);
#endif
  } else {
    store_units(to, pitch, rows, columns, (const __local unit *)tile, false);
  }
}

enum { TILE_PACKETS = (TILE_BYTES + 15) / 16 };

// No loop over tiles: what compilers take out of such a loop, addresses above all, costs registers, and those
// cost groups in flight (H200: 165 registers and 3150 GB/s with a loop, 80 and 4120 with less taken out).
#ifndef IN_PLACE
// Global size: GROUP_SIZE for each tile from number `first` on.
KERNEL void transpose(MATRICES(in, const __global uchar *restrict), MATRICES(out, __global uchar *restrict),
                      ulong rows, ulong columns, ulong first, ulong tiles) {
  __local uint4 tile[TILE_PACKETS];
  const ulong across = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  const ulong down = (rows + TILE_ROWS - 1) / TILE_ROWS;
  const tile_place place = place_of_tile(first + get_group_id(0), across, down);
  const ulong row = place.row * TILE_ROWS;
  const ulong column = place.column * TILE_COLUMNS;
  const uint rows_here = least(rows - row, TILE_ROWS);
  const uint columns_here = least(columns - column, TILE_COLUMNS);
  load_tile(in + in_offset + place.matrix * in_matrix + row * in_row + column * ELEMENT_BYTES, in_row, rows_here,
            columns_here, tile);
  barrier(CLK_LOCAL_MEM_FENCE);
  store_tile(out + out_offset + place.matrix * out_matrix + column * out_row + row * ELEMENT_BYTES, out_row,
             rows_here, columns_here, tile);
}
#else
// Squares in place: a group exchanges two tiles. All of both is in local memory before any of it is
// written. Global size: GROUP_SIZE for each pair from number `first` on.
KERNEL void transpose_in_place(MATRICES(square, __global uchar *), ulong n, ulong first, ulong pairs) {
  __local uint4 tiles[2 * TILE_PACKETS];
  const ulong side = (n + TILE_ROWS - 1) / TILE_ROWS;
  const tile_place place = place_of_pair(first + get_group_id(0), side);
  if (place.matrix == ~(ulong)0) return;
  __global uchar *matrix = square + square_offset + place.matrix * square_matrix;
  const ulong row = place.row * TILE_ROWS;
  const ulong column = place.column * TILE_ROWS;
  const uint rows_here = least(n - row, TILE_ROWS);
  const uint columns_here = least(n - column, TILE_ROWS);
  __global uchar *one = matrix + row * square_row + column * ELEMENT_BYTES;
  __global uchar *other = matrix + column * square_row + row * ELEMENT_BYTES;
  const uint sides = row == column ? 1 : 2;
#pragma unroll 1
  for (uint s = 0; s < sides; ++s)
    load_tile(s == 0 ? one : other, square_row, s == 0 ? rows_here : columns_here, s == 0 ? columns_here : rows_here,
              tiles + s * TILE_PACKETS);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // other work-items write where this one has read
#pragma unroll 1
  for (uint s = 0; s < sides; ++s)
    store_tile(s == 0 ? other : one, square_row, s == 0 ? rows_here : columns_here, s == 0 ? columns_here : rows_here,
               tiles + s * TILE_PACKETS);
}
#endif

#endif  // GROUP_SIZE > 1
