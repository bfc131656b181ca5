// transpose on a CPU: one work-item transposes square blocks of SIDE by SIDE elements in registers.

// SIDE is also what a register holds. A block's rows by the size of an element.
typedef uchar16 row_of_1;
typedef ushort16 row_of_2;
typedef uint16 row_of_4;
typedef ulong8 row_of_8;
typedef uint16 row_of_16;
typedef JOINED(row_of_, ELEMENT_BYTES) block_row;
enum { SIDE = ELEMENT_BYTES == 16 ? 4 : ELEMENT_BYTES == 8 ? 8 : 16 };

#if ELEMENT_BYTES == 16
static inline block_row deal_low(block_row a, block_row b) { return (block_row)(a.s0123, b.s0123, a.s4567, b.s4567); }
static inline block_row deal_high(block_row a, block_row b) { return (block_row)(a.s89ab, b.s89ab, a.scdef, b.scdef); }
#elif ELEMENT_BYTES == 8
static inline block_row deal_low(block_row a, block_row b) {
  return (block_row)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3);
}
static inline block_row deal_high(block_row a, block_row b) {
  return (block_row)(a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7);
}
#else
static inline block_row deal_low(block_row a, block_row b) {
  return (block_row)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6, b.s6, a.s7, b.s7);
}
static inline block_row deal_high(block_row a, block_row b) {
  return (block_row)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se, b.se, a.sf, b.sf);
}
#endif

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
enum { MOVES_LINES = SIDE * ELEMENT_BYTES < 64, SIDE_OF_LINES = 64 / ELEMENT_BYTES };
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
