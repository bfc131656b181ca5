// copy and fill: move bytes at the width that is fastest, and convert elements on their way. Launches and
// arguments: lib/primitives/copy.cpp, copy_box.cpp, fill.cpp.
//
// On a GPU a group takes one contiguous block and is done: each work-item loads its packets at a stride of GROUP_SIZE, all of
// them before it stores the first. (A grid-stride loop over the same packets was slower.) On a CPU a work-item is a group and
// takes a contiguous chunk. Input and output never overlap: the host has checked.

// A program has the one kernel that its call launches, under the name COPY_KERNEL: copy_16, for instance.

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

// On a GPU: copies the bytes before the packets and those after them, at most a few dozen, one at a time.
static inline void copy_edges(const __global uchar *from, __global uchar *to, ulong head, ulong tail, ulong bytes) {
  if (get_group_id(0) == 0) {
    for (ulong i = get_local_id(0); i < head; i += GROUP_SIZE) to[i] = from[i];
  }
  if (get_group_id(0) == get_num_groups(0) - 1) {
    for (ulong i = tail + get_local_id(0); i < bytes; i += GROUP_SIZE) to[i] = from[i];
  }
}
