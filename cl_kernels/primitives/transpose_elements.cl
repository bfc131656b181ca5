// transpose on a CPU: elements of odd sizes, which no register's rows hold, one by one.

enum { SIDE = 4, MOVES_LINES = 0, SIDE_OF_LINES = 1 };
static inline void move_lines(const __global uchar *from, ulong from_pitch, __global uchar *to, ulong to_pitch) {}

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
