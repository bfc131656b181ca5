// copy and fill: move bytes at the width that is fastest, and convert elements on their way. Launches and
// arguments: lib/primitives/copy.cpp, copy_box.cpp, fill.cpp.
//
// On a GPU a group takes one contiguous block and is done: each work-item loads its packets at a stride
// of GROUP_SIZE, all of them before it stores the first. (A grid-stride loop over the same packets ran
// 7 % slower on an H200.) On a CPU a work-item is a group and takes a contiguous chunk. Input and output
// never overlap: the host has checked.

// A program has the one kernel that its call launches: KERNEL_copy_16, for instance, is defined where that is copy_16.

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

// (Of narrower packets, copies of 2^28 floats to one that lies a float on take 541 us on an H200 as they are here, and 559
// with STORE_ONCE.)
#define STORE_PACKET(width, to, packet)       \
  if (width == 16)                            \
    STORE_ONCE(packet_##width, to, packet);   \
  else                                        \
    *(to) = (packet)

// Moves a group's `left` packets; without a test for each where the block is whole.
#define MOVE_PACKETS(width)                                                                             \
  packet_##width x[PACKETS_IN_FLIGHT(width)];                                                           \
  if (PACKETS_IN_FLIGHT(width) > 1 && left == BLOCK_PACKETS(width)) {                                   \
    _Pragma("unroll") for (uint i = 0; i < PACKETS_IN_FLIGHT(width); ++i) x[i] = source[i * GROUP_SIZE]; \
    _Pragma("unroll") for (uint i = 0; i < PACKETS_IN_FLIGHT(width); ++i)                               \
        STORE_PACKET(width, target + i * GROUP_SIZE, x[i]);                                             \
  } else {                                                                                              \
    _Pragma("unroll") for (uint i = 0; i < PACKETS_IN_FLIGHT(width); ++i) {                             \
      if (id + i * GROUP_SIZE < left) x[i] = source[i * GROUP_SIZE];                                    \
    }                                                                                                   \
    _Pragma("unroll") for (uint i = 0; i < PACKETS_IN_FLIGHT(width); ++i) {                             \
      if (id + i * GROUP_SIZE < left) {                                                                 \
        STORE_PACKET(width, target + i * GROUP_SIZE, x[i]);                                             \
      }                                                                                                 \
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

#if defined(KERNEL_copy_16_whole)
// The same where all is packets of 16 bytes, as it mostly is: without edges to look for.
KERNEL void copy_16_whole(COPY_OPERANDS, ulong bytes) {
  const ulong first = get_group_id(0) * (ulong)BLOCK_PACKETS(16);
  const uint id = get_local_id(0);
  const __global packet_16 *source = (const __global packet_16 *)(in + in_offset) + first + id;
  __global packet_16 *target = (__global packet_16 *)(out + out_offset) + first + id;
  const uint left = (uint)min(bytes / 16 - first, (ulong)BLOCK_PACKETS(16));
  MOVE_PACKETS(16)
}
#elif defined(KERNEL_copy_16)
DEFINE_COPY(16)
#elif defined(KERNEL_copy_8)
DEFINE_COPY(8)
#elif defined(KERNEL_copy_4)
DEFINE_COPY(4)

#elif defined(KERNEL_copy_shifted)
// Any two addresses. A word of the destination lies across two of the source: both are read (the second
// is a neighbour's first, and still in the nearest cache) and shifted together. Every word read lies
// inside the source. Global size: as copy_4.
enum {
  SHIFTED_IN_FLIGHT = PACKETS_IN_FLIGHT(4),
  SHIFTED_BLOCK = GROUP_SIZE * SHIFTED_IN_FLIGHT
};

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
#endif

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

#if defined(KERNEL_copy_box_16)
DEFINE_COPY_BOX(16)
#elif defined(KERNEL_copy_box_8)
DEFINE_COPY_BOX(8)
#elif defined(KERNEL_copy_box_4)
DEFINE_COPY_BOX(4)
#elif defined(KERNEL_copy_box_2)
DEFINE_COPY_BOX(2)
#elif defined(KERNEL_copy_box_1)
DEFINE_COPY_BOX(1)
#endif

#else  // GROUP_SIZE == 1

// What is copied side by side: lines of COPY_PAGES neighbouring pages, past the caches of several.
#ifdef KERNEL_copy_streaming
enum { COPY_PAGE = PAGE_BYTES, COPY_PAGES = 8 };
#else
enum { COPY_PAGE = ITEMS * WIDE_BYTES, COPY_PAGES = 1 };
#endif

// A load from anywhere, a store to a multiple of a wide register's size.
static inline void copy_wide(const __global uchar *from, __global uchar *to) {
#ifdef KERNEL_copy_streaming
  store_streaming((__global wide *)to, ANYWHERE(const __global, wide, from));
#else
  store_wide((__global wide *)to, ANYWHERE(const __global, wide, from));
#endif
}

// Copies a run of bytes. Its first and last wide registers go to wherever they lie; between them stores
// are aligned. What lies twice is written twice, with the same bytes.
static inline void copy_run(const __global uchar *restrict from, __global uchar *restrict to, ulong bytes) {
  ulong i = 0;
  if (bytes < WIDE_BYTES) {
    for (; i + 8 <= bytes; i += 8)
      ANYWHERE(__global, ulong, to + i) = ANYWHERE(const __global, ulong, from + i);
    for (; i < bytes; ++i) to[i] = from[i];
    return;
  }
  ANYWHERE(__global, wide, to) = ANYWHERE(const __global, wide, from);
  i = bytes_to_boundary(to, WIDE_BYTES);
  for (; i + COPY_PAGES * COPY_PAGE <= bytes; i += COPY_PAGES * COPY_PAGE) {
    for (ulong at = i; at < i + COPY_PAGE; at += ITEMS * WIDE_BYTES) {
      UNROLL
      for (uint k = 0; k < COPY_PAGES * ITEMS; ++k) {
        const ulong place = at + k / ITEMS * COPY_PAGE + k % ITEMS * WIDE_BYTES;
        copy_wide(from + place, to + place);
      }
    }
  }
  for (; i + WIDE_BYTES <= bytes; i += WIDE_BYTES) copy_wide(from + i, to + i);
  i = bytes - WIDE_BYTES;
  ANYWHERE(__global, wide, to + i) = ANYWHERE(const __global, wide, from + i);
}

// Global size: any. `copy_streaming` stores past the caches, for more bytes than they hold.
#if defined(KERNEL_copy)
KERNEL void copy(COPY_OPERANDS, ulong bytes) {
  const own_units own = own_bytes(bytes);
  copy_run(in + in_offset + own.begin, out + out_offset + own.begin, own.end - own.begin);
}
#elif defined(KERNEL_copy_streaming)
KERNEL void copy_streaming(COPY_OPERANDS, ulong bytes) {
  const own_units own = own_bytes(bytes);
  copy_run(in + in_offset + own.begin, out + out_offset + own.begin, own.end - own.begin);
}

#elif defined(KERNEL_copy_box)
// The bytes of all rows, one after the other, are shared out; a chunk may begin and end inside a row.
// A packet is a byte here.
KERNEL void copy_box(COPY_BOX) {
  const own_units own = own_share(width * rows);
  ulong row = own.begin / width;
  ulong x = own.begin % width;
  for (ulong left = own.end - own.begin; left > 0; ++row, x = 0) {
    const ulong run = min(left, width - x);
    copy_run(in + in_offset + row_start(row, height, in_row, in_slice) + x,
             out + out_offset + row_start(row, height, out_row, out_slice) + x, run);
    left -= run;
  }
}
#endif
#endif
