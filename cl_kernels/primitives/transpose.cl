// transpose: of matrices, to another place or in place. Variants and arguments: lib/primitives/transpose.cpp.
//
// On a GPU a group takes a tile of TILE_ROWS by TILE_COLUMNS elements: it reads the tile's rows, transposes it
// in local memory, and writes the result's rows, so that both sides are met in long runs. Where every row
// starts at a multiple of PACKET_BYTES, a work-item reads BLOCK_ROWS packets one below the other, transposes that
// block in its registers, and local memory is met in wide accesses too; elsewhere, and in tiles at
// an edge, an access is as wide as the element allows. On a CPU a work-item is a group and transposes blocks as
// large as a cache line, in registers: a tile in local memory was the slowest way there. (Tiles in local memory: Ruetsch
// and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009.)

// An element is UNITS accesses of UNIT_BYTES, a power of two.
enum { UNITS = ELEMENT_BYTES / UNIT_BYTES };
typedef JOINED(packet_, UNIT_BYTES) unit;

// How matrices lie in a buffer: offset of the first, distance of rows and of matrices, all in bytes.
#define MATRICES(name, qualifiers) \
  qualifiers name, ulong name##_offset, ulong name##_row, ulong name##_matrix

// A 64-bit division is a long routine on a GPU, and seldom needed.
static inline ulong quotient(ulong a, ulong b) {
  return ((a | b) >> 32) != 0 ? a / b : (ulong)((uint)a / (uint)b);
}

// Which tile comes at a place in the order: matrix after matrix, in each one column after column of tiles, so that neighbouring
// groups write neighbouring tiles, which is a little faster than row after row.
typedef struct {
  ulong matrix, row, column;  // the latter two in tiles
} tile_place;

static inline tile_place place_of_tile(ulong index, ulong across, ulong down) {
  tile_place place;
  const ulong columns = quotient(index, down);
  place.row = index - columns * down;
  place.matrix = quotient(columns, across);
  place.column = columns - place.matrix * across;
  return place;
}

// In place: which pair of tiles (row, column), (column, row) comes at a place in the order, of a square of
// `side` by `side` tiles. Row r takes the columns r, r + 1, ... (side / 2 of them after its own), going round
// at the end, so that each pair comes up once; where `side` is even, the pairs furthest apart come up twice, and
// are taken the first time.
static inline tile_place place_of_pair(ulong index, ulong side) {
  tile_place place;
  const ulong width = side / 2 + 1;
  place.matrix = quotient(index, side * width);
  const ulong inside = index - place.matrix * side * width;
  place.row = quotient(inside, width);
  const ulong step = inside - place.row * width;
  place.column = place.row + step;
  if (place.column >= side) place.column -= side;
  if (2 * step == side && place.column < place.row) place.matrix = ~(ulong)0;  // nothing to do
  return place;
}

static inline uint least(ulong left, uint most) { return left < most ? (uint)left : most; }

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
