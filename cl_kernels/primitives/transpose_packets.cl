// transpose on a GPU: a whole tile by packets, whose elements a work-item transposes in its registers.

enum {
  PACKET_WORDS = PACKET_BYTES / 4,
  ELEMENT_WORDS = (ELEMENT_BYTES + 3) / 4,
  BLOCK_COLUMNS = PACKET_BYTES / ELEMENT_BYTES,
  BLOCKS_ACROSS = TILE_COLUMNS / BLOCK_COLUMNS,
  BLOCKS_EACH = BLOCKS_ACROSS * (TILE_ROWS / BLOCK_ROWS) / GROUP_SIZE
};
// A transposed block is BLOCK_COLUMNS rows of so many words.
enum { RUN_WORDS = RUN_BYTES / 4 };
// Of a row of the transposed tile, which lies in local memory.
enum {
  ROW_PACKETS = TILE_ROWS * ELEMENT_BYTES / PACKET_BYTES,
  PACKETS_TILE_BYTES = TILE_COLUMNS * ROW_PACKETS * PACKET_BYTES
};

typedef JOINED(packet_, PACKET_BYTES) packet_bytes;
typedef union {
  packet_bytes bits;
  uint words[PACKET_WORDS];
} packet_words;

typedef JOINED(packet_, RUN_BYTES) run_bytes;
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
  if (ELEMENT_BYTES == 1) {
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
  } else if (ELEMENT_BYTES == 2) {
    UNROLL
    for (uint j = 0; j < BLOCK_ROWS / 2; ++j) {
      UNROLL
      for (uint w = 0; w < PACKET_WORDS; ++w) {
        runs[2 * w].words[j] = low_halves(rows[2 * j].words[w], rows[2 * j + 1].words[w]);
        runs[2 * w + 1].words[j] = high_halves(rows[2 * j].words[w], rows[2 * j + 1].words[w]);
      }
    }
  } else {
    // Nothing moves: the compiler gives registers other names.
    UNROLL
    for (uint j = 0; j < BLOCK_ROWS; ++j) {
      UNROLL
      for (uint w = 0; w < PACKET_WORDS; ++w)
        runs[w / ELEMENT_WORDS].words[j * ELEMENT_WORDS + w % ELEMENT_WORDS] = rows[j].words[w];
    }
  }
}

static inline void load_whole(const __global uchar *from, ulong pitch, __local uint *tile) {
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

static inline void store_whole(__global uchar *to, ulong pitch, const __local uint *tile) {
  UNROLL
  for (uint k = 0; k < TILE_COLUMNS * ROW_PACKETS / GROUP_SIZE; ++k) {
    const uint row = (get_local_id(0) + k * GROUP_SIZE) / ROW_PACKETS;
    const uint packet = (get_local_id(0) + k * GROUP_SIZE) % ROW_PACKETS;
    ((__global packet_bytes *)(to + row * pitch))[packet] =
        ((const __local packet_bytes *)tile)[packet_at(row, packet)];
  }
}

enum { TILE_BYTES = UNITS_TILE_BYTES > PACKETS_TILE_BYTES ? UNITS_TILE_BYTES : PACKETS_TILE_BYTES };
