// transpose on a GPU: a tile by accesses as wide as an element allows, at an edge, too.

// In local memory a row has one element more than the tile, so that a column's lie in different banks.
enum {
  ROW_UNITS = TILE_COLUMNS * UNITS,
  PITCH_UNITS = (TILE_COLUMNS + 1) * UNITS,
  COLUMN_UNITS = TILE_ROWS * UNITS
};
enum {
  UNITS_EACH = TILE_ROWS * ROW_UNITS / GROUP_SIZE,
  MOST_IN_FLIGHT = UNIT_BYTES > 4 ? 8 : 16,
  UNITS_IN_FLIGHT = UNITS_EACH % MOST_IN_FLIGHT == 0 ? MOST_IN_FLIGHT
                    : UNITS_EACH % 8 == 0            ? 8
                    : UNITS_EACH % 4 == 0            ? 4
                    : UNITS_EACH % 2 == 0            ? 2
                                                     : 1,
  UNITS_TILE_BYTES = TILE_ROWS * PITCH_UNITS * UNIT_BYTES
};

// A work-item's unit number k lies in row row_of(k) of rows of `width` units, at x_of(k). Where the group takes
// whole rows at a time, x is one for all k, and rows are at one distance: which compilers do not see.
#define WHOLE_ROWS(width) (GROUP_SIZE % (width) == 0)
#define ROW_OF(k, width)                                                                       \
  (WHOLE_ROWS(width) ? get_local_id(0) / (width) + (k) * (uint)(GROUP_SIZE / (width))          \
                     : ((uint)get_local_id(0) + (k)*GROUP_SIZE) / (width))
#define X_OF(k, width)                                       \
  (WHOLE_ROWS(width) ? (uint)get_local_id(0) % (width)       \
                     : ((uint)get_local_id(0) + (k)*GROUP_SIZE) % (width))

// The address of unit k, at being that of unit 0.
#define UNIT_AT(qualifiers, at, from, pitch, k, width)                                                   \
  (WHOLE_ROWS(width) ? (qualifiers unit *)((at) + (k) * ((GROUP_SIZE / (width)) * (pitch)))              \
                     : (qualifiers unit *)((from) + ROW_OF(k, width) * (pitch)) + X_OF(k, width))

// Registers have no index, so what is held must unroll; where there are none to lose it need not, and unrolled for
// no device in particular, PoCL 3.1 loses stores.
#ifdef DEVICE_LOCAL
#define UNROLL_UNITS
#else
#define UNROLL_UNITS UNROLL
#endif

// `whole`: the tile has no edge, and nothing is tested, which is faster for rows that are not aligned.
static inline void load_units(const __global uchar *from, ulong pitch, uint rows, uint columns, __local unit *tile,
                              const bool whole) {
  const __global uchar *at = from + ROW_OF(0, ROW_UNITS) * pitch + X_OF(0, ROW_UNITS) * UNIT_BYTES;
  // Not unrolled: what is held would take all registers.
#pragma unroll 1
  for (ulong first = 0; first < UNITS_EACH; first += UNITS_IN_FLIGHT) {
    unit held[UNITS_IN_FLIGHT];
    UNROLL_UNITS
    for (uint k = 0; k < UNITS_IN_FLIGHT; ++k) {
      const uint row = ROW_OF((uint)first + k, ROW_UNITS);
      if (whole || (row < rows && X_OF((uint)first + k, ROW_UNITS) < columns * UNITS))
        held[k] = *UNIT_AT(const __global, at, from, pitch, first + k, ROW_UNITS);
    }
    UNROLL_UNITS
    for (uint k = 0; k < UNITS_IN_FLIGHT; ++k) {
      const uint row = ROW_OF((uint)first + k, ROW_UNITS);
      const uint x = X_OF((uint)first + k, ROW_UNITS);
      if (whole || (row < rows && x < columns * UNITS)) tile[row * PITCH_UNITS + x] = held[k];
    }
  }
}

// Writes the tile's columns as rows. `rows` and `columns` are still those of the tile as it was read.
static inline void store_units(__global uchar *to, ulong pitch, uint rows, uint columns, const __local unit *tile,
                               const bool whole) {
  __global uchar *at = to + ROW_OF(0, COLUMN_UNITS) * pitch + X_OF(0, COLUMN_UNITS) * UNIT_BYTES;
#pragma unroll 1
  for (ulong first = 0; first < UNITS_EACH; first += UNITS_IN_FLIGHT) {
    for (uint k = 0; k < UNITS_IN_FLIGHT; ++k) {
      const uint column = ROW_OF((uint)first + k, COLUMN_UNITS);
      const uint x = X_OF((uint)first + k, COLUMN_UNITS);
      const uint row = x / UNITS;
      if (whole || (row < rows && column < columns))
        *UNIT_AT(__global, at, to, pitch, first + k, COLUMN_UNITS) =
            tile[row * PITCH_UNITS + column * UNITS + x % UNITS];
    }
  }
}
