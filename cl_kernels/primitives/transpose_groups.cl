// transpose on a GPU: the kernels, whose groups transpose tiles in local memory.

#if !defined(PACKET_BYTES) && !defined(BLOCK_SIDE)
// Whole tiles by units, too.
enum { TILE_BYTES = UNITS_TILE_BYTES };
static inline void load_whole(const __global uchar *from, ulong pitch, __local uint *tile) {
  load_units(from, pitch, TILE_ROWS, TILE_COLUMNS, (__local unit *)tile, true);
}
static inline void store_whole(__global uchar *to, ulong pitch, const __local uint *tile) {
  store_units(to, pitch, TILE_ROWS, TILE_COLUMNS, (const __local unit *)tile, true);
}
#endif

// All work-items must call; a tile is in local memory after the barrier that follows.
static inline void load_tile(const __global uchar *from, ulong pitch, uint rows, uint columns, __local uint4 *tile) {
  if (rows == TILE_ROWS && columns == TILE_COLUMNS)
    load_whole(from, pitch, (__local uint *)tile);
  else
    load_units(from, pitch, rows, columns, (__local unit *)tile, false);
}

static inline void store_tile(__global uchar *to, ulong pitch, uint rows, uint columns, const __local uint4 *tile) {
  if (rows == TILE_ROWS && columns == TILE_COLUMNS)
    store_whole(to, pitch, (const __local uint *)tile);
  else
    store_units(to, pitch, rows, columns, (const __local unit *)tile, false);
}

enum { TILE_PACKETS = (TILE_BYTES + 15) / 16 };

// No loop over tiles: what compilers hoist out of such a loop, addresses above all, costs registers (165 instead of 80), and
// fewer groups are then in flight.
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
