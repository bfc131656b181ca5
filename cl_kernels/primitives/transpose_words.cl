// transpose on a GPU: a whole tile by words.

// Elements that no access takes: BLOCK_SIDE of them are the fewest that are whole words. A work-item reads as many rows of
// those, transposes them in its registers, and leaves each new row as words in local memory.
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

static inline void load_whole(const __global uchar *from, ulong pitch, __local uint *tile) {
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

static inline void store_whole(__global uchar *to, ulong pitch, const __local uint *tile) {
  UNROLL
  for (uint k = 0; k < WORDS_EACH; ++k) {
    const uint row = (get_local_id(0) + k * GROUP_SIZE) / ROW_WORDS;
    const uint word = (get_local_id(0) + k * GROUP_SIZE) % ROW_WORDS;
    ((__global uint *)(to + row * pitch))[word] = tile[words_row(row) + word];
  }
}

enum { TILE_BYTES = UNITS_TILE_BYTES > WORDS_TILE_BYTES ? UNITS_TILE_BYTES : WORDS_TILE_BYTES };
