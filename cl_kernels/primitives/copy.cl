// copy and fill: move bytes at the width that is fastest, and convert elements on their way. Launches and
// arguments: lib/primitives/copy.cpp, copy_box.cpp, fill.cpp.
//
// On a GPU a group takes one contiguous block and is done: each work-item loads its packets at a stride
// of GROUP_SIZE, all of them before it stores the first. (A grid-stride loop over the same packets ran
// 7 % slower on an H200.) On a CPU a work-item is a group and takes a contiguous chunk. Input and output
// never overlap: the host has checked.

#if defined(PRIMITIVE_COPY) || defined(PRIMITIVE_FILL)

#if GROUP_SIZE > 1
// Packets of a width that a work-item has in flight, one at least. Narrow ones take more to move as many
// bytes, up to the registers 16 of them fill.
#define PACKETS_IN_FLIGHT(width)                                          \
  (ITEMS * VECTOR_BYTES / (width) < 1    ? 1                              \
   : ITEMS * VECTOR_BYTES / (width) < 16 ? ITEMS * VECTOR_BYTES / (width) \
                                         : 16)
// Of a box, whose packets each have a place and a test of their own: more spilled scalar registers (clang-19, gfx942).
#define BOX_IN_FLIGHT(width) (PACKETS_IN_FLIGHT(width) < 8 ? PACKETS_IN_FLIGHT(width) : 8)
#define BLOCK_PACKETS(width) (GROUP_SIZE * PACKETS_IN_FLIGHT(width))
#else
// This work-item's share of `bytes`, cut at multiples of a wide register.
static inline ulong2 chunk_of_bytes(ulong bytes) {
  const ulong2 chunk = chunk_of(bytes / WIDE_BYTES) * WIDE_BYTES;
  return (ulong2)(chunk.x, get_group_id(0) == get_num_groups(0) - 1 ? bytes : chunk.y);
}
#endif

#endif  // PRIMITIVE_COPY || PRIMITIVE_FILL

// ---------------------------------------------------------------------------- copy: the same bytes
#if defined(PRIMITIVE_COPY) && !defined(CONVERT)

// Offsets are in bytes.
#define COPY_OPERANDS \
  const __global uchar *restrict in, ulong in_offset, __global uchar *restrict out, ulong out_offset

// A box of bytes: `rows` rows of `width` packets, `height` of them in a slice; pitches in bytes.
#define COPY_BOX                                                                                    \
  const __global uchar *restrict in, ulong in_offset, ulong in_row, ulong in_slice,                 \
      __global uchar *restrict out, ulong out_offset, ulong out_row, ulong out_slice, ulong width, \
      ulong height, ulong rows, uint tile_width, uint along_rows

// The slice of a row. A 64-bit division is a long routine on a GPU, and seldom needed.
static inline ulong slice_of(ulong row, ulong height) {
  return ((row | height) >> 32) != 0 ? row / height : (ulong)((uint)row / (uint)height);
}

static inline ulong row_start(ulong row, ulong height, ulong row_pitch, ulong slice_pitch) {
  const ulong slice = slice_of(row, height);
  return slice * slice_pitch + (row - slice * height) * row_pitch;
}

#if GROUP_SIZE > 1

// Copies the bytes before the packets and those after them, at most a few dozen, one at a time.
static inline void copy_edges(const __global uchar *from, __global uchar *to, ulong head, ulong tail, ulong bytes) {
  if (get_group_id(0) == 0) {
    for (ulong i = get_local_id(0); i < head; i += GROUP_SIZE) to[i] = from[i];
  }
  if (get_group_id(0) == get_num_groups(0) - 1) {
    for (ulong i = tail + get_local_id(0); i < bytes; i += GROUP_SIZE) to[i] = from[i];
  }
}

// Moves a group's `left` packets; without a test for each where the block is whole.
#define MOVE_PACKETS(width)                                                                             \
  packet_##width x[PACKETS_IN_FLIGHT(width)];                                                           \
  if (PACKETS_IN_FLIGHT(width) > 1 && left == BLOCK_PACKETS(width)) {                                   \
    _Pragma("unroll") for (uint i = 0; i < PACKETS_IN_FLIGHT(width); ++i) x[i] = source[i * GROUP_SIZE]; \
    _Pragma("unroll") for (uint i = 0; i < PACKETS_IN_FLIGHT(width); ++i) target[i * GROUP_SIZE] = x[i]; \
  } else {                                                                                              \
    _Pragma("unroll") for (uint i = 0; i < PACKETS_IN_FLIGHT(width); ++i) {                             \
      if (id + i * GROUP_SIZE < left) x[i] = source[i * GROUP_SIZE];                                    \
    }                                                                                                   \
    _Pragma("unroll") for (uint i = 0; i < PACKETS_IN_FLIGHT(width); ++i) {                             \
      if (id + i * GROUP_SIZE < left) target[i * GROUP_SIZE] = x[i];                                    \
    }                                                                                                   \
  }

// copy_W: source and destination have the same place between multiples of W bytes.
// Global size: GROUP_SIZE for each BLOCK_PACKETS(W) of the bytes / W packets there are at most.
#define DEFINE_COPY(width)                                                                              \
  KERNEL void copy_##width(COPY_OPERANDS, ulong bytes) {                                                \
    const __global uchar *from = in + in_offset;                                                        \
    __global uchar *to = out + out_offset;                                                              \
    const ulong head = min(bytes, (ulong)bytes_to_boundary(to, width));                                 \
    const ulong packets = (bytes - head) / width;                                                       \
    copy_edges(from, to, head, head + packets * width, bytes);                                          \
    const ulong first = get_group_id(0) * (ulong)BLOCK_PACKETS(width);                                  \
    if (first >= packets) return;                                                                       \
    const uint id = get_local_id(0);                                                                    \
    const __global packet_##width *source = (const __global packet_##width *)(from + head) + first + id; \
    __global packet_##width *target = (__global packet_##width *)(to + head) + first + id;              \
    const uint left = (uint)min(packets - first, (ulong)BLOCK_PACKETS(width));                          \
    MOVE_PACKETS(width)                                                                                 \
  }

// The same where all is packets of 16 bytes, as it mostly is: without edges to look for.
KERNEL void copy_16_whole(COPY_OPERANDS, ulong bytes) {
  const ulong first = get_group_id(0) * (ulong)BLOCK_PACKETS(16);
  const uint id = get_local_id(0);
  const __global packet_16 *source = (const __global packet_16 *)(in + in_offset) + first + id;
  __global packet_16 *target = (__global packet_16 *)(out + out_offset) + first + id;
  const uint left = (uint)min(bytes / 16 - first, (ulong)BLOCK_PACKETS(16));
  MOVE_PACKETS(16)
}

DEFINE_COPY(16)
DEFINE_COPY(8)
DEFINE_COPY(4)

// Any two addresses. A word of the destination lies across two of the source: both are read (the second
// is a neighbour's first, and still in the nearest cache) and shifted together. Every word read lies
// inside the source. Global size: as copy_4.
#define SHIFTED_IN_FLIGHT PACKETS_IN_FLIGHT(4)
#define SHIFTED_BLOCK (GROUP_SIZE * SHIFTED_IN_FLIGHT)

KERNEL void copy_shifted(COPY_OPERANDS, ulong bytes) {
  const __global uchar *from = in + in_offset;
  __global uchar *to = out + out_offset;
  ulong head = bytes_to_boundary(to, 4);
  const uint shift = (uint)(size_t)(from + head) & 3;
  // The first source word begins `shift` bytes before its first byte that is needed.
  if (shift > head) head += 4;
  ulong words = 0;
  if (bytes > head + 4) {
    words = (bytes - head + shift - 4) / 4;
  } else {
    head = bytes;
  }
  copy_edges(from, to, head, head + words * 4, bytes);
  const ulong first = get_group_id(0) * (ulong)SHIFTED_BLOCK;
  if (first >= words) return;
  const uint id = get_local_id(0);
  const __global uint *source = (const __global uint *)(from + (head - shift)) + first + id;
  __global uint *target = (__global uint *)(to + head) + first + id;
  const uint left = (uint)min(words - first, (ulong)SHIFTED_BLOCK);
  uint low[SHIFTED_IN_FLIGHT];
  uint high[SHIFTED_IN_FLIGHT];
#pragma unroll
  for (uint i = 0; i < SHIFTED_IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) {
      low[i] = source[i * GROUP_SIZE];
      high[i] = source[i * GROUP_SIZE + 1];
    }
  }
#pragma unroll
  for (uint i = 0; i < SHIFTED_IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) target[i * GROUP_SIZE] = straddling_word(low[i], high[i], shift);
  }
}

// copy_box_W: every row starts at a multiple of W bytes on both sides, and is as long as a multiple.
// A group takes a tile of tile_width columns (a power of two, at most GROUP_SIZE) by as many rows as it
// has work-items left; its work-items step tile by tile along the rows, or else down.
#define DEFINE_COPY_BOX(W)                                                                              \
  KERNEL void copy_box_##W(COPY_BOX) {                                                                  \
    const uint tile_height = GROUP_SIZE / tile_width;                                                   \
    const uint block_width = along_rows ? tile_width * BOX_IN_FLIGHT(W) : tile_width;                   \
    const uint block_height = along_rows ? tile_height : tile_height * BOX_IN_FLIGHT(W);                \
    const ulong across = (width + block_width - 1) / block_width;                                       \
    const ulong blocks = across * ((rows + block_height - 1) / block_height);                           \
    const uint step_x = along_rows ? tile_width : 0;                                                    \
    const uint step_y = along_rows ? 0 : tile_height;                                                   \
    for (ulong block = get_group_id(0); block < blocks; block += get_num_groups(0)) {                   \
      const ulong down = slice_of(block, across);                                                       \
      const ulong x = (block - down * across) * block_width + get_local_id(0) % tile_width;             \
      const ulong y = down * block_height + get_local_id(0) / tile_width;                               \
      packet_##W held[BOX_IN_FLIGHT(W)];                                                                \
      _Pragma("unroll") for (uint i = 0; i < BOX_IN_FLIGHT(W); ++i) {                                   \
        if (x + i * step_x < width && y + i * step_y < rows)                                            \
          held[i] = ((const __global packet_##W *)(in + in_offset +                                     \
                                                   row_start(y + i * step_y, height, in_row, in_slice)))[x + i * step_x]; \
      }                                                                                                 \
      _Pragma("unroll") for (uint i = 0; i < BOX_IN_FLIGHT(W); ++i) {                                   \
        if (x + i * step_x < width && y + i * step_y < rows)                                            \
          ((__global packet_##W *)(out + out_offset +                                                   \
                                   row_start(y + i * step_y, height, out_row, out_slice)))[x + i * step_x] = held[i]; \
      }                                                                                                 \
    }                                                                                                   \
  }

DEFINE_COPY_BOX(16)
DEFINE_COPY_BOX(8)
DEFINE_COPY_BOX(4)
DEFINE_COPY_BOX(2)
DEFINE_COPY_BOX(1)

#else  // GROUP_SIZE == 1

// Copies a run of bytes. Its first and last wide registers go to wherever they lie; between them stores
// are aligned. What lies twice is written twice, with the same bytes. (A macro, for with the store chosen
// by an argument compilers merge the two and forget that one of them streams.)
#define DEFINE_COPY_RUN(name, STORE)                                                                      \
  static inline void name(const __global uchar *restrict from, __global uchar *restrict to, ulong bytes) { \
    ulong i = 0;                                                                                          \
    if (bytes < WIDE_BYTES) {                                                                             \
      for (; i + 8 <= bytes; i += 8)                                                                      \
        ((__global word_anywhere *)(to + i))->value = ((const __global word_anywhere *)(from + i))->value; \
      for (; i < bytes; ++i) to[i] = from[i];                                                             \
      return;                                                                                             \
    }                                                                                                     \
    ((__global wide_anywhere *)to)->value = ((const __global wide_anywhere *)from)->value;                \
    i = bytes_to_boundary(to, WIDE_BYTES);                                                                \
    for (; i + ITEMS * WIDE_BYTES <= bytes; i += ITEMS * WIDE_BYTES) {                                    \
      wide x[ITEMS];                                                                                      \
      _Pragma("unroll") for (uint k = 0; k < ITEMS; ++k)                                                  \
        x[k] = ((const __global wide_anywhere *)(from + i))[k].value;                                     \
      _Pragma("unroll") for (uint k = 0; k < ITEMS; ++k) STORE((__global wide *)(to + i) + k, x[k]);      \
    }                                                                                                     \
    for (; i + WIDE_BYTES <= bytes; i += WIDE_BYTES)                                                      \
      *(__global wide *)(to + i) = ((const __global wide_anywhere *)(from + i))->value;                   \
    i = bytes - WIDE_BYTES;                                                                               \
    ((__global wide_anywhere *)(to + i))->value = ((const __global wide_anywhere *)(from + i))->value;    \
  }

DEFINE_COPY_RUN(copy_run, store_wide)
DEFINE_COPY_RUN(copy_run_streaming, store_streaming)

// Global size: any. `copy_streaming` stores past the caches, for more bytes than they hold.
KERNEL void copy(COPY_OPERANDS, ulong bytes) {
  const ulong2 chunk = chunk_of_bytes(bytes);
  copy_run(in + in_offset + chunk.x, out + out_offset + chunk.x, chunk.y - chunk.x);
}

KERNEL void copy_streaming(COPY_OPERANDS, ulong bytes) {
  const ulong2 chunk = chunk_of_bytes(bytes);
  copy_run_streaming(in + in_offset + chunk.x, out + out_offset + chunk.x, chunk.y - chunk.x);
}

// The bytes of all rows, one after the other, are shared out; a chunk may begin and end inside a row.
// A packet is a byte here.
KERNEL void copy_box(COPY_BOX) {
  const ulong2 chunk = chunk_of(width * rows);
  ulong row = chunk.x / width;
  ulong x = chunk.x % width;
  for (ulong left = chunk.y - chunk.x; left > 0; ++row, x = 0) {
    const ulong run = min(left, width - x);
    copy_run(in + in_offset + row_start(row, height, in_row, in_slice) + x,
             out + out_offset + row_start(row, height, out_row, out_slice) + x, run);
    left -= run;
  }
}
#endif

#endif  // PRIMITIVE_COPY && !CONVERT

// ---------------------------------------------------------------------------- copy: converted elements
#if defined(PRIMITIVE_COPY) && defined(CONVERT)

// FROM and TO are scalars; a half lies in memory as its bits and is a float in registers.
#ifdef FROM_IS_HALF
typedef ushort FROM_STORED;
#define LOAD_FROM(p) vload_half(0, (const half *)(p))
#else
typedef FROM FROM_STORED;
#define LOAD_FROM(p) (*(p))
#endif

// A saturated conversion takes NaN to 0. Not every device's convert_..._sat does (one gives the least long).
#ifdef NAN_IS_ZERO
#define NUMBER(x) ((x) == (x) ? (x) : 0)
#ifdef FROM_IS_HALF
#define NUMBERS_16(x) ((x) == (x) ? (x) : (float16)(0))
#else
#define NUMBERS_16(x) ((x) == (x) ? (x) : (FROM_16)(0))
#endif
#else
#define NUMBER(x) (x)
#define NUMBERS_16(x) (x)
#endif

#ifdef TO_IS_HALF
typedef ushort TO_STORED;
static inline TO_STORED converted(FROM_STORED from) {
  ushort bits;
  STORE_HALF(CONVERT(LOAD_FROM(&from)), 0, (half *)&bits);
  return bits;
}
#else
typedef TO TO_STORED;
static inline TO_STORED converted(FROM_STORED from) { return CONVERT(NUMBER(LOAD_FROM(&from))); }
#endif

// Offsets are in elements.
#define CONVERT_OPERANDS \
  const __global FROM_STORED *restrict in, ulong in_offset, __global TO_STORED *restrict out, ulong out_offset

#if GROUP_SIZE > 1

typedef union {
  FROM_BITS bits;
  FROM_STORED elements[VECTOR];
} from_packet;
typedef union {
  TO_BITS bits;
  TO_STORED elements[VECTOR];
} to_packet;

// VECTOR elements as one load and one store. The host knows that both sides reach a multiple of their
// packets' sizes at the same element. Global size: GROUP_SIZE for each block of n / VECTOR packets.
KERNEL void convert_packets(CONVERT_OPERANDS, ulong n) {
  const __global FROM_STORED *from = in + in_offset;
  __global TO_STORED *to = out + out_offset;
  const uint id = get_local_id(0);
  const ulong head = min(n, (ulong)(bytes_to_boundary((__global uchar *)to, sizeof(to_packet)) / sizeof(TO_STORED)));
  const ulong packets = (n - head) / VECTOR;
  const ulong tail = head + packets * VECTOR;
  if (get_group_id(0) == 0) {
    for (ulong i = id; i < head; i += GROUP_SIZE) to[i] = converted(from[i]);
  }
  if (get_group_id(0) == get_num_groups(0) - 1) {
    for (ulong i = tail + id; i < n; i += GROUP_SIZE) to[i] = converted(from[i]);
  }
  const ulong first = get_group_id(0) * (ulong)(GROUP_SIZE * ITEMS);
  if (first >= packets) return;
  const __global FROM_BITS *source = (const __global FROM_BITS *)(from + head) + first + id;
  __global TO_BITS *target = (__global TO_BITS *)(to + head) + first + id;
  const uint left = (uint)min(packets - first, (ulong)(GROUP_SIZE * ITEMS));
  from_packet x[ITEMS];
#pragma unroll
  for (uint i = 0; i < ITEMS; ++i) {
    if (id + i * GROUP_SIZE < left) x[i].bits = source[i * GROUP_SIZE];
  }
#pragma unroll
  for (uint i = 0; i < ITEMS; ++i) {
    if (id + i * GROUP_SIZE < left) {
      to_packet y;
#pragma unroll
      for (uint k = 0; k < VECTOR; ++k) y.elements[k] = converted(x[i].elements[k]);
      target[i * GROUP_SIZE] = y.bits;
    }
  }
}

// Element by element, for any two places. Global size: GROUP_SIZE for each block of elements.
#define ELEMENTS_IN_FLIGHT (ITEMS * VECTOR < 16 ? ITEMS * VECTOR : 16)
KERNEL void convert_elements(CONVERT_OPERANDS, ulong n) {
  const ulong first = get_group_id(0) * (ulong)(GROUP_SIZE * ELEMENTS_IN_FLIGHT);
  if (first >= n) return;
  const uint id = get_local_id(0);
  const __global FROM_STORED *source = in + in_offset + first + id;
  __global TO_STORED *target = out + out_offset + first + id;
  const uint left = (uint)min(n - first, (ulong)(GROUP_SIZE * ELEMENTS_IN_FLIGHT));
  FROM_STORED x[ELEMENTS_IN_FLIGHT];
#pragma unroll
  for (uint i = 0; i < ELEMENTS_IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) x[i] = source[i * GROUP_SIZE];
  }
#pragma unroll
  for (uint i = 0; i < ELEMENTS_IN_FLIGHT; ++i) {
    if (id + i * GROUP_SIZE < left) target[i * GROUP_SIZE] = converted(x[i]);
  }
}

#else  // GROUP_SIZE == 1

// Global size: any. Sixteen elements at a time, at any alignment.
KERNEL void convert(CONVERT_OPERANDS, ulong n) {
  const ulong2 chunk = chunk_of(n);
  const __global FROM_STORED *from = in + in_offset;
  __global TO_STORED *to = out + out_offset;
  ulong i = chunk.x;
  for (; i + 16 <= chunk.y; i += 16) {
#ifdef FROM_IS_HALF
    const float16 x = vload_half16(0, (const __global half *)(from + i));
#else
    const FROM_16 x = vload16(0, from + i);
#endif
#ifdef TO_IS_HALF
    STORE_HALF_16(CONVERT_16(x), 0, (__global half *)(to + i));
#else
    vstore16(CONVERT_16(NUMBERS_16(x)), 0, to + i);
#endif
  }
  for (; i < chunk.y; ++i) to[i] = converted(from[i]);
}
#endif

#endif  // PRIMITIVE_COPY && CONVERT

// ---------------------------------------------------------------------------- fill
#ifdef PRIMITIVE_FILL

// The host repeats the value until it is at least 64 bytes long (`period`, at most 128), and that on and
// on into a table of 192: any 64 bytes of the output are found in it as they are, from their place modulo
// the period.
#define FILL_TABLE uint16 table_0, uint16 table_1, uint16 table_2

#if GROUP_SIZE > 1

// 16 bytes of the table from byte `phase`.
static inline uint4 fill_packet(const __local uint *table, uint phase) {
  const __local uint *words = table + phase / 4;
  const uint shift = phase % 4;
  return (uint4)(straddling_word(words[0], words[1], shift), straddling_word(words[1], words[2], shift),
                 straddling_word(words[2], words[3], shift), straddling_word(words[3], words[4], shift));
}

// Global size: GROUP_SIZE for each BLOCK_PACKETS(16) of the bytes / 16 packets there are at most.
KERNEL void fill(__global uchar *restrict out, ulong out_offset, ulong bytes, uint period, FILL_TABLE) {
  __local uint table[48];
  const uint id = get_local_id(0);
  // Arguments cannot be indexed by a work-item's number without a trip through memory.
  if (id == 0) {
    vstore16(table_0, 0, table);
    vstore16(table_1, 1, table);
    vstore16(table_2, 2, table);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __global uchar *to = out + out_offset;
  const ulong head = min(bytes, (ulong)bytes_to_boundary(to, 16));
  const ulong packets = (bytes - head) / 16;
  const __local uchar *table_bytes = (const __local uchar *)table;
  if (get_group_id(0) == 0) {
    for (uint i = id; i < head; i += GROUP_SIZE) to[i] = table_bytes[i];
  }
  if (get_group_id(0) == get_num_groups(0) - 1) {
    for (ulong i = head + packets * 16 + id; i < bytes; i += GROUP_SIZE) to[i] = table_bytes[i % period];
  }
  const uint group = get_group_id(0);
  const ulong first = group * (ulong)BLOCK_PACKETS(16);
  if (first >= packets) return;
  const uint left = (uint)min(packets - first, (ulong)BLOCK_PACKETS(16));
  __global uint4 *target = (__global uint4 *)(to + head) + first + id;
  // 32 bits are enough: the period is small.
  uint phase = ((group % period) * (BLOCK_PACKETS(16) * 16 % period) + (uint)head + 16 * id) % period;
  const uint step = GROUP_SIZE * 16 % period;
  uint4 x = fill_packet(table, phase);
#pragma unroll
  for (uint i = 0; i < PACKETS_IN_FLIGHT(16); ++i) {
    if (id + i * GROUP_SIZE < left) target[i * GROUP_SIZE] = x;
    if (step != 0) {
      phase += step;
      phase -= phase >= period ? period : 0;
      x = fill_packet(table, phase);
    }
  }
}

#else  // GROUP_SIZE == 1

typedef union {
  uint16 parts[3];
  uchar bytes[192];
} fill_table;

static inline wide fill_wide(const fill_table *table, uint phase) {
  return ((const wide_anywhere *)(table->bytes + phase))->value;
}

// Fills a run that begins at byte `phase` of the period; as copy_run.
#define DEFINE_FILL_RUN(name, STORE)                                                                     \
  static inline void name(__global uchar *to, ulong bytes, const fill_table *table, uint period, uint phase) { \
    ulong i = 0;                                                                                         \
    if (bytes < WIDE_BYTES) {                                                                            \
      for (; i < bytes; ++i) to[i] = table->bytes[phase + i];                                            \
      return;                                                                                            \
    }                                                                                                    \
    ((__global wide_anywhere *)to)->value = fill_wide(table, phase);                                     \
    i = bytes_to_boundary(to, WIDE_BYTES);                                                               \
    const uint step = WIDE_BYTES % period;                                                               \
    uint at = (phase + (uint)i) % period;                                                                \
    wide x = fill_wide(table, at);                                                                       \
    for (; i + WIDE_BYTES <= bytes; i += WIDE_BYTES) {                                                   \
      STORE((__global wide *)(to + i), x);                                                               \
      if (step != 0) {                                                                                   \
        at += step;                                                                                      \
        at -= at >= period ? period : 0;                                                                 \
        x = fill_wide(table, at);                                                                        \
      }                                                                                                  \
    }                                                                                                    \
    i = bytes - WIDE_BYTES;                                                                              \
    ((__global wide_anywhere *)(to + i))->value = fill_wide(table, (uint)((phase + i) % period));        \
  }

DEFINE_FILL_RUN(fill_run, store_wide)
DEFINE_FILL_RUN(fill_run_streaming, store_streaming)

// This work-item's chunk, by one of the two.
#define FILL_CHUNK(run)                                                          \
  fill_table table;                                                              \
  table.parts[0] = table_0;                                                      \
  table.parts[1] = table_1;                                                      \
  table.parts[2] = table_2;                                                      \
  const ulong2 chunk = chunk_of_bytes(bytes);                                    \
  run(out + out_offset + chunk.x, chunk.y - chunk.x, &table, period, (uint)(chunk.x % period))

// Global size: any. `fill_streaming` stores past the caches, for more bytes than they hold.
KERNEL void fill(__global uchar *restrict out, ulong out_offset, ulong bytes, uint period, FILL_TABLE) {
  FILL_CHUNK(fill_run);
}

KERNEL void fill_streaming(__global uchar *restrict out, ulong out_offset, ulong bytes, uint period, FILL_TABLE) {
  FILL_CHUNK(fill_run_streaming);
}
#endif

#endif  // PRIMITIVE_FILL
