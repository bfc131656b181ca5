// copy_ranges: many ranges of elements, each to a place of its own. Plans and arguments: lib/primitives/copy_ranges.cpp.
//
//     out[out_starts[k] + j] = x[starts[k] + j]     for each range k, and j below lengths[k]
//
// A range that leaves x or out is bad: nothing of it is copied, and it is counted where that is asked for.
//
// How long ranges are only the device knows, so the kernels share them out. Bytes are copied by cells, which are the 16 bytes
// from a multiple of 16 of the output's memory to the next. A range has a position for each cell that it reaches into, and
// RANGE_COST more for what is looked up about it. Groups get equal parts of all positions, so that a long range is cut where a
// cell ends:
//
//     range        |    0    | 1 |2|            3            |
//     positions    c c c c c $ c $ $ c c c c c c c c c c c c $      c: a cell; $: RANGE_COST; the range 2 is empty, or bad
//     group        |---- 0 ----|---- 1 ----|---- 2 ----|
//
// Neighbouring ranges, RANGE_WINDOW of them, are a window. A first launch adds up the positions of each window, the one group of
// a second makes of these where each window begins, and in the third each group looks for the window in which its part begins,
// and goes on from there. Where all ranges are one window, each group of that launch adds up by itself, and there is no other.
//
// A GPU's group goes over a window's cells (copy_ranges_cells.cl). A work-item looks for the range of a cell in local memory,
// but where all cells of a block are of one range. It loads a cell by one access where input and output lie alike, else by two,
// which it shifts together, and stores it by one, but at a range's ends. A CPU's work-item is a group, and goes over ranges
// (copy_ranges_serial.cl).

enum { CELL_BYTES = 16 };

// Not measured.
enum { RANGE_COST = GROUP_SIZE > 1 ? 2 : 16 };

#define TOLD_RANGES                                                                                           \
  const __global INDEX *restrict starts, ulong starts_offset, const __global INDEX *restrict lengths,         \
      ulong lengths_offset, const __global INDEX *restrict out_starts, ulong out_starts_offset, ulong ranges, \
      ulong n, ulong reach, uint element_bytes

typedef struct {
  const __global INDEX *starts, *lengths, *out_starts;
  ulong ranges, n, reach;
  uint element_bytes;
  uint phase;  // from a multiple of CELL_BYTES to the output's first byte
} told_ranges;

// `out_offset` is in bytes.
#define COLLECT_TOLD_RANGES                         \
  told_ranges told;                                 \
  told.starts = starts + starts_offset;             \
  told.lengths = lengths + lengths_offset;          \
  told.out_starts = out_starts + out_starts_offset; \
  told.ranges = ranges;                             \
  told.n = n;                                       \
  told.reach = reach;                               \
  told.element_bytes = element_bytes;               \
  told.phase = (uint)(size_t)(out + out_offset) % CELL_BYTES;

// A place is a byte of the output, counted from the multiple of CELL_BYTES at or before the output's first byte.
typedef struct {
  ulong begin, end;  // places; the same one where nothing is copied
  ulong apart;       // what makes of a place the byte of x that comes there, counted from x's first one; wraps
  uint bad;
} copied_range;

static inline copied_range copied_range_at(const told_ranges *told, ulong k) {
  const ulong start = told->starts[k], length = told->lengths[k], out_start = told->out_starts[k];
  copied_range own;
  // Sums could wrap.
  own.bad = start > told->n || length > told->n - start || out_start > told->reach || length > told->reach - out_start;
  own.begin = told->phase + (own.bad ? 0 : out_start * told->element_bytes);
  own.end = own.begin + (own.bad ? 0 : length * told->element_bytes);
  own.apart = start * told->element_bytes - own.begin;
  return own;
}

static inline ulong cells_of(const copied_range *own) {
  return own->begin == own->end ? 0 : (own->end + CELL_BYTES - 1) / CELL_BYTES - own->begin / CELL_BYTES;
}

// In the workspace: where each window begins, and behind these where the last one ends; until the second launch how many
// positions each has. With them how many ranges of each are bad.
#ifdef COUNTS_BAD
#define BAD_OF_RANGES , __global ulong *bad, ulong bad_offset
#define STORE_BAD_RANGES(number) bad[bad_offset] = number;
#else
#define BAD_OF_RANGES
#define STORE_BAD_RANGES(number)
#endif
#ifdef ONE_WINDOW
#define WINDOWS_OF_RANGES BAD_OF_RANGES
#else
#define WINDOWS_OF_RANGES , const __global uchar *workspace, ulong sums_at, uint windows
#endif
