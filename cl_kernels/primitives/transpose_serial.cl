// transpose on a CPU: the kernels. Order of tiles and arguments: transpose.cl.

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
    if (MOVES_LINES) {
      rows_in_lines = rows_here / SIDE_OF_LINES * SIDE_OF_LINES;
      columns_in_lines = columns_here / SIDE_OF_LINES * SIDE_OF_LINES;
      for (uint c = 0; c < columns_in_lines; c += SIDE_OF_LINES) {
        for (uint r = 0; r < rows_in_lines; r += SIDE_OF_LINES)
          move_lines(from + r * in_row + c * ELEMENT_BYTES, in_row, to + c * out_row + r * ELEMENT_BYTES, out_row);
      }
    }
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
