// transpose on a CPU: one work-item transposes square blocks in registers. Order of tiles and arguments: transpose.cl.

// Blocks of SIDE by SIDE elements, in registers. SIDE is also what a register holds. Rows of elements of odd sizes are in none.
#if UNITS != 1
enum { SIDE = 4 };
#elif ELEMENT_BYTES == 16
enum { SIDE = 4 };
typedef uint16 block_row;
static inline block_row deal_low(block_row a, block_row b) { return (block_row)(a.s0123, b.s0123, a.s4567, b.s4567); }
static inline block_row deal_high(block_row a, block_row b) { return (block_row)(a.s89ab, b.s89ab, a.scdef, b.scdef); }
#elif ELEMENT_BYTES == 8
enum { SIDE = 8 };
typedef ulong8 block_row;
static inline block_row deal_low(block_row a, block_row b) {
  return (block_row)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3);
}
static inline block_row deal_high(block_row a, block_row b) {
  return (block_row)(a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7);
}
#else
enum { SIDE = 16 };
#if ELEMENT_BYTES == 4
typedef uint16 block_row;
#elif ELEMENT_BYTES == 2
typedef ushort16 block_row;
#else
typedef uchar16 block_row;
#endif
static inline block_row deal_low(block_row a, block_row b) {
  return (block_row)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7);
}
static inline block_row deal_high(block_row a, block_row b) {
  return (block_row)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se, b.se, a.sf, b.sf);
}
#endif

// An element of any size, from one place to another.
static inline void move_element(const __global uchar *from, __global uchar *to) {
#pragma unroll
  for (uint u = 0; u < UNITS; ++u) ((__global unit *)to)[u] = ((const __global unit *)from)[u];
}

static inline void exchange_elements(__global uchar *one, __global uchar *other) {
#pragma unroll
  for (uint u = 0; u < UNITS; ++u) {
    const unit kept = ((__global unit *)one)[u];
    ((__global unit *)one)[u] = ((__global unit *)other)[u];
    ((__global unit *)other)[u] = kept;
  }
}

#if UNITS == 1
// Rows lie anywhere, and are loaded and stored as one value: vstore16 of PoCL takes four stores. Two rows dealt out in turn are
// a0 b0 a1 b1 ... of their first halves, or of their second.
DEFINE_ANYWHERE(block_row)

// Rows dealt out log2(SIDE) times are the columns.
static inline void turn_over(block_row *rows) {
  block_row dealt[SIDE];
#pragma unroll
  for (uint step = 1; step < SIDE; step *= 2) {
#pragma unroll
    for (uint i = 0; i < SIDE / 2; ++i) {
      dealt[2 * i] = deal_low(rows[i], rows[i + SIDE / 2]);
      dealt[2 * i + 1] = deal_high(rows[i], rows[i + SIDE / 2]);
    }
#pragma unroll
    for (uint i = 0; i < SIDE; ++i) rows[i] = dealt[i];
  }
}

// As many bytes or halves as a line of the cache has. They begin at any element, and so not only where a uint may.
DEFINE_ANYWHERE(uint16)

// A whole block. STREAMING: the destination's rows lie at multiples of a cache line, and nobody needs them soon: lines go
// past the caches, so that a store does not read its line first.
static inline void put_line(uint16 line, __global uchar *to) {
  if (IS_ON(STREAMING))
    STORE_STREAMING((__global uint16 *)to, line);
  else
    ANYWHERE(__global, uint16, to) = line;
}
static inline void put_row(block_row row, __global uchar *to) {
  if (IS_ON(STREAMING) * sizeof(block_row) == 64)
    STORE_STREAMING((__global block_row *)to, row);
  else
    ANYWHERE(__global, block_row, to) = row;
}
static inline void load_block(const __global uchar *from, ulong pitch, block_row *rows) {
#pragma unroll
  for (uint i = 0; i < SIDE; ++i) rows[i] = ANYWHERE(const __global, block_row, from + i * pitch);
  turn_over(rows);
}
static inline void store_block(__global uchar *to, ulong pitch, const block_row *rows) {
#pragma unroll
  for (uint i = 0; i < SIDE; ++i) put_row(rows[i], to + i * pitch);
}
static inline void move_block(const __global uchar *from, ulong from_pitch, __global uchar *to, ulong to_pitch) {
  block_row rows[SIDE];
  load_block(from, from_pitch, rows);
  store_block(to, to_pitch, rows);
}

// Where a block's row is a part of a cache line: as many blocks as have whole lines of both sides, which are read once and
// written once. Rows of a large power of two bytes share a place in the first-level cache, which does not hold all of
// them until the next block of the same lines. So blocks are turned over between two copies without gaps.
enum { SIDE_OF_LINES = 64 / ELEMENT_BYTES };
static inline void move_lines(const __global uchar *from, ulong from_pitch, __global uchar *to, ulong to_pitch) {
  uint16 lines[SIDE_OF_LINES], turned[SIDE_OF_LINES];
#pragma unroll
  for (uint r = 0; r < SIDE_OF_LINES; ++r) lines[r] = ANYWHERE(const __global, uint16, from + r * from_pitch);
  for (uint r = 0; r < SIDE_OF_LINES; r += SIDE) {
    for (uint c = 0; c < SIDE_OF_LINES; c += SIDE) {
      block_row rows[SIDE];
#pragma unroll
      for (uint i = 0; i < SIDE; ++i) rows[i] = ((const block_row *)(lines + r + i))[c / SIDE];
      turn_over(rows);
#pragma unroll
      for (uint i = 0; i < SIDE; ++i) ((block_row *)(turned + c + i))[r / SIDE] = rows[i];
    }
  }
#pragma unroll
  for (uint c = 0; c < SIDE_OF_LINES; ++c) put_line(turned[c], to + c * to_pitch);
}

static inline void exchange_blocks(__global uchar *one, __global uchar *other, ulong pitch) {
  block_row ones[SIDE];
  block_row others[SIDE];
  load_block(one, pitch, ones);
  load_block(other, pitch, others);
  store_block(one, pitch, others);
  store_block(other, pitch, ones);
}
#else
static inline void move_block(const __global uchar *from, ulong from_pitch, __global uchar *to, ulong to_pitch) {
  for (uint c = 0; c < SIDE; ++c) {
#pragma unroll
    for (uint r = 0; r < SIDE; ++r)
      move_element(from + r * from_pitch + c * ELEMENT_BYTES, to + c * to_pitch + r * ELEMENT_BYTES);
  }
}
static inline void exchange_blocks(__global uchar *one, __global uchar *other, ulong pitch) {
  for (uint c = 0; c < SIDE; ++c) {
#pragma unroll
    for (uint r = 0; r < SIDE; ++r)
      exchange_elements(one + r * pitch + c * ELEMENT_BYTES, other + c * pitch + r * ELEMENT_BYTES);
  }
}
#endif

#ifndef IN_PLACE
// Global size: any.
KERNEL void transpose(MATRICES(in, const __global uchar *restrict), MATRICES(out, __global uchar *restrict),
                      ulong rows, ulong columns, ulong first, ulong tiles) {
  const ulong across = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  const ulong down = (rows + TILE_ROWS - 1) / TILE_ROWS;
  const own_units own = own_share(tiles);
  for (ulong index = own.begin; index < own.end; ++index) {
    const tile_place place = place_of_tile(first + index, across, down);
    const ulong row = place.row * TILE_ROWS;
    const ulong column = place.column * TILE_COLUMNS;
    const uint rows_here = least(rows - row, TILE_ROWS);
    const uint columns_here = least(columns - column, TILE_COLUMNS);
    const __global uchar *from = in + in_offset + place.matrix * in_matrix + row * in_row + column * ELEMENT_BYTES;
    __global uchar *to = out + out_offset + place.matrix * out_matrix + column * out_row + row * ELEMENT_BYTES;
    const uint whole_rows = rows_here / SIDE * SIDE;
    const uint whole_columns = columns_here / SIDE * SIDE;
    uint rows_in_lines = 0, columns_in_lines = 0;
#if UNITS == 1
    if (SIDE * ELEMENT_BYTES < 64) {
      rows_in_lines = rows_here / SIDE_OF_LINES * SIDE_OF_LINES;
      columns_in_lines = columns_here / SIDE_OF_LINES * SIDE_OF_LINES;
      for (uint c = 0; c < columns_in_lines; c += SIDE_OF_LINES) {
        for (uint r = 0; r < rows_in_lines; r += SIDE_OF_LINES)
          move_lines(from + r * in_row + c * ELEMENT_BYTES, in_row, to + c * out_row + r * ELEMENT_BYTES, out_row);
      }
    }
#endif
    for (uint c = 0; c < whole_columns; c += SIDE) {
      for (uint r = c < columns_in_lines ? rows_in_lines : 0; r < whole_rows; r += SIDE)
        move_block(from + r * in_row + c * ELEMENT_BYTES, in_row, to + c * out_row + r * ELEMENT_BYTES, out_row);
    }
    // What is left below the blocks and beside them.
    for (uint c = 0; c < columns_here; ++c) {
      for (uint r = c < whole_columns ? whole_rows : 0; r < rows_here; ++r)
        move_element(from + r * in_row + c * ELEMENT_BYTES, to + c * out_row + r * ELEMENT_BYTES);
    }
  }
}
#else
// Squares in place, two blocks at a time. Global size: any.
KERNEL void transpose_in_place(MATRICES(square, __global uchar *), ulong n, ulong first, ulong pairs) {
  const ulong side = (n + SIDE - 1) / SIDE;
  const own_units own = own_share(pairs);
  for (ulong index = own.begin; index < own.end; ++index) {
    const tile_place place = place_of_pair(first + index, side);
    if (place.matrix == ~(ulong)0) continue;
    __global uchar *matrix = square + square_offset + place.matrix * square_matrix;
    const ulong row = place.row * SIDE;
    const ulong column = place.column * SIDE;
    const uint rows_here = least(n - row, SIDE);
    const uint columns_here = least(n - column, SIDE);
    __global uchar *one = matrix + row * square_row + column * ELEMENT_BYTES;
    __global uchar *other = matrix + column * square_row + row * ELEMENT_BYTES;
    if (row != column && rows_here == SIDE && columns_here == SIDE) {
      exchange_blocks(one, other, square_row);
      continue;
    }
    for (uint r = 0; r < rows_here; ++r) {
      for (uint c = row == column ? r + 1 : 0; c < columns_here; ++c)
        exchange_elements(one + r * square_row + c * ELEMENT_BYTES, other + c * square_row + r * ELEMENT_BYTES);
    }
  }
}
#endif
