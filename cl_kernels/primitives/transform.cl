// transform and broadcast: one function of the elements at the same place, and of a matrix's element and the
// value of its row or column. Plans and arguments: lib/primitives/transform.cpp.
//
// On a GPU a work-item loads all its packets before it stores the first, so an output may take the place of
// an input of the same size: no element is read after another work-item wrote it. On a CPU a work-item is a
// group, takes a contiguous chunk, and its loop over elements is left to the compiler to widen.
// VECTOR elements of an operand as one access.
#define DEFINE_OPERAND(NAME, STORED, BITS, BYTES) \
  typedef union {                                 \
    BITS bits;                                    \
    STORED elements[VECTOR];                      \
  } NAME##_ACCESS;                                \
  typedef char NAME##_HAS_THE_SIZE_THE_HOST_SAYS[sizeof(STORED) == BYTES ? 1 : -1];

DEFINE_OPERAND(X, X_STORED, X_BITS, X_BYTES)
DEFINE_OPERAND(OUT, OUT_STORED, OUT_BITS, OUT_BYTES)

// The CPU's loops: what an output shares with an input it shares element by element.
#define EACH_ALONE _Pragma("clang loop vectorize(assume_safety)")
// A text for which there are no wide instructions is not worth a warning to the user.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

// ---------------------------------------------------------------------------- transform
#ifdef PRIMITIVE_TRANSFORM

// FOR_EACH_INPUT(M) is M(x, X), then M(y, Y) and M(z, Z) where there are such.
#if INPUTS == 1
#define FOR_EACH_INPUT(M) M(x, X)
#elif INPUTS == 2
#define FOR_EACH_INPUT(M) M(x, X) M(y, Y)
DEFINE_OPERAND(Y, Y_STORED, Y_BITS, Y_BYTES)
#else
#define FOR_EACH_INPUT(M) M(x, X) M(y, Y) M(z, Z)
DEFINE_OPERAND(Y, Y_STORED, Y_BITS, Y_BYTES)
DEFINE_OPERAND(Z, Z_STORED, Z_BITS, Z_BYTES)
#endif

#define AS_PARAMETER(v, V) V##_LOADED v,
static inline OUT_STORED transformed(FOR_EACH_INPUT(AS_PARAMETER) ulong i VALUES_PARAMETER) {
  return OUT_WRITE(OUT_CONVERT(TRANSFORM_TEXT));
}

#define AS_ARGUMENT(v, V) const __global V##_STORED *v, ulong v##_offset,
#define SET_OFFSET(v, V) v += v##_offset;
#define ELEMENT(v, V) V##_READ(v[i]),

#if GROUP_SIZE > 1

#define DECLARE_HELD(v, V) V##_ACCESS v##_held[ITEMS];
#define LOAD_HELD(v, V) v##_held[k].bits = ((const __global V##_BITS *)(v + head))[first + k * GROUP_SIZE];
#define HELD_ELEMENT(v, V) READ_IN_BITS(V##_READ, v##_held[k], e),

// All operands reach a multiple of their packets at element `head`. Global size: GROUP_SIZE for each
// GROUP_SIZE * ITEMS of the n / VECTOR packets there are at most, one group at least. 1 <= n.
KERNEL void transform(FOR_EACH_INPUT(AS_ARGUMENT) __global OUT_STORED *out, ulong out_offset, ulong n,
                      ulong head VALUES_ARGUMENTS) {
  COLLECT_VALUES
  FOR_EACH_INPUT(SET_OFFSET)
  out += out_offset;
  const ulong packets = (n - head) / VECTOR;
#if VECTOR > 1
  // The elements before the first packet and after the last, at most 2 * VECTOR - 2.
  if (get_group_id(0) == 0) {
    const ulong tail = head + packets * VECTOR;
    for (ulong w = get_local_id(0); w < head + (n - tail); w += GROUP_SIZE) {
      const ulong i = w < head ? w : tail + (w - head);
      out[i] = transformed(FOR_EACH_INPUT(ELEMENT) i WITH_VALUES);
    }
  }
#endif
  const ulong first = get_group_id(0) * (ulong)(GROUP_SIZE * ITEMS) + get_local_id(0);
  if (first >= packets) return;
  const ulong left = packets - first;
  FOR_EACH_INPUT(DECLARE_HELD)
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE < left) {
      FOR_EACH_INPUT(LOAD_HELD)
    }
  }
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    if (k * GROUP_SIZE < left) {
      OUT_ACCESS result;
      UNROLL
      for (uint e = 0; e < VECTOR; ++e) {
        const ulong i = head + (first + k * GROUP_SIZE) * VECTOR + e;
        result.elements[e] = transformed(FOR_EACH_INPUT(HELD_ELEMENT) i WITH_VALUES);
      }
      ((__global OUT_BITS *)(out + head))[first + k * GROUP_SIZE] = result.bits;
    }
  }
}

#else  // GROUP_SIZE == 1

#ifdef STREAMING
// The compiler widens a loop over results, but not one of stores past the caches: so it makes as many results as are whole
// lines, and these are stored. The lines of some pages in turn.
#define MADE 64
#define PAGES_IN_TURN 4

typedef union {
  uint16 lines[MADE * OUT_BYTES / 64];
  OUT_STORED elements[MADE];
} made_results;

#define PAGE_ELEMENTS (PAGE_BYTES / OUT_BYTES)  // a multiple of MADE
#endif

// Global size: any. STREAMING: OUT_BYTES is a power of two, 64 at most, and divides the place of `out`.
KERNEL void transform(FOR_EACH_INPUT(AS_ARGUMENT) __global OUT_STORED *out, ulong out_offset, ulong n,
                      ulong head VALUES_ARGUMENTS) {
  COLLECT_VALUES
  const own_units own = own_share(n);
  FOR_EACH_INPUT(SET_OFFSET)
  out += out_offset;
  ulong done = own.begin;
#ifdef STREAMING
  const ulong lines = min(own.end, done + bytes_to_boundary((const __global uchar *)(out + done), 64) / OUT_BYTES);
  EACH_ALONE
  for (ulong i = done; i < lines; ++i) out[i] = transformed(FOR_EACH_INPUT(ELEMENT) i WITH_VALUES);
  for (done = lines; done + PAGES_IN_TURN * PAGE_ELEMENTS <= own.end; done += PAGES_IN_TURN * PAGE_ELEMENTS) {
    for (uint at = 0; at < PAGE_ELEMENTS; at += MADE) {
      for (uint page = 0; page < PAGES_IN_TURN; ++page) {
        const ulong first = done + page * PAGE_ELEMENTS + at;
        made_results made;
        EACH_ALONE
        for (uint k = 0; k < MADE; ++k) {
          const ulong i = first + k;
          made.elements[k] = transformed(FOR_EACH_INPUT(ELEMENT) i WITH_VALUES);
        }
        UNROLL
        for (uint k = 0; k < MADE * OUT_BYTES / 64; ++k)
          STORE_STREAMING((__global uint16 *)(out + first) + k, made.lines[k]);
      }
    }
  }
#endif
  EACH_ALONE
  for (ulong i = done; i < own.end; ++i) out[i] = transformed(FOR_EACH_INPUT(ELEMENT) i WITH_VALUES);
}
#endif

#endif  // PRIMITIVE_TRANSFORM

// ---------------------------------------------------------------------------- broadcast
#ifdef PRIMITIVE_BROADCAST

DEFINE_OPERAND(B, B_STORED, B_BITS, B_BYTES)

static inline OUT_STORED broadcasted(X_LOADED x, B_LOADED b VALUES_PARAMETER) {
  return OUT_WRITE(OUT_CONVERT(TRANSFORM_TEXT));
}

// Offsets and pitches are in elements. Nothing writes b, so that it may be read through a read-only cache.
#define BROADCAST_OPERANDS                                                                         \
  const __global X_STORED *x, ulong x_offset, ulong x_row, const __global B_STORED *restrict b,    \
      ulong b_offset, __global OUT_STORED *out, ulong out_offset, ulong out_row, ulong rows,       \
      ulong columns

#if GROUP_SIZE > 1

// A group takes a tile of tile_width packets (a power of two, at most GROUP_SIZE) by as many rows as it has
// work-items left; its work-items step along a row that shares a value, or down columns that do, and so read
// the value once for all their packets. Every row starts at a multiple of a packet; the last packet of a row
// may be short, and goes by element, straight from memory: a held packet whose place is not a literal would
// leave its registers. Global size: GROUP_SIZE for each tile.
KERNEL void broadcast(BROADCAST_OPERANDS, uint tile_width VALUES_ARGUMENTS) {
  COLLECT_VALUES
  x += x_offset;
  b += b_offset;
  out += out_offset;
  const uint tile_height = GROUP_SIZE / tile_width;
  const uint tile_x = get_local_id(0) & (tile_width - 1);
  const uint tile_y = get_local_id(0) / tile_width;
  const ulong width = (columns + VECTOR - 1) / VECTOR;
#ifdef PER_ROW
  const uint block_width = tile_width * ITEMS, block_height = tile_height;
  const uint step_x = tile_width, step_y = 0;
#else
  const uint block_width = tile_width, block_height = tile_height * ITEMS;
  const uint step_x = 0, step_y = tile_height;
#endif
  const ulong across = (width + block_width - 1) / block_width;
  const ulong block = get_group_id(0);
  // A 64-bit division is a long routine on a GPU, and seldom needed.
  const ulong down = ((block | across) >> 32) != 0 ? block / across : (ulong)((uint)block / (uint)across);
  const ulong at_x = (block - down * across) * block_width + tile_x;
  const ulong at_y = down * block_height + tile_y;
#ifdef STAGED
  // Each value comes from memory once, and is handed to the row's work-items from local memory.
  __local B_STORED staged[GROUP_SIZE];
  if (get_local_id(0) < tile_height && down * tile_height + get_local_id(0) < rows)
    staged[get_local_id(0)] = b[down * tile_height + get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  X_ACCESS held[ITEMS];
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const ulong column = (at_x + k * step_x) * VECTOR;
    const ulong row = at_y + k * step_y;
    if (row < rows && column + VECTOR <= columns)
      held[k].bits = *(const __global X_BITS *)(x + row * x_row + column);
  }
#ifdef PER_ROW
  B_STORED value;
#ifdef STAGED
  value = staged[tile_y];
#else
  if (at_y < rows) value = b[at_y];
#endif
#define VALUE_AT(column, e) B_READ(value)
#define HELD_VALUE(e) B_READ(value)
#else
  B_ACCESS values;
  if (at_x * VECTOR + VECTOR <= columns) values.bits = *(const __global B_BITS *)(b + at_x * VECTOR);
#define VALUE_AT(column, e) B_READ(b[(column) + (e)])
#define HELD_VALUE(e) B_READ(values.elements[e])
#endif
  UNROLL
  for (uint k = 0; k < ITEMS; ++k) {
    const ulong column = (at_x + k * step_x) * VECTOR;
    const ulong row = at_y + k * step_y;
    if (row < rows && column + VECTOR <= columns) {
      OUT_ACCESS result;
      UNROLL
      for (uint e = 0; e < VECTOR; ++e)
        result.elements[e] = broadcasted(X_READ(held[k].elements[e]), HELD_VALUE(e) WITH_VALUES);
      *(__global OUT_BITS *)(out + row * out_row + column) = result.bits;
    }
#if VECTOR > 1
    else if (row < rows) {
      for (uint e = 0; column + e < columns; ++e)
        out[row * out_row + column + e] =
            broadcasted(X_READ(x[row * x_row + column + e]), VALUE_AT(column, e) WITH_VALUES);
    }
#endif
  }
}

#else  // GROUP_SIZE == 1

// The elements of all rows, one row after the other, are shared out. Global size: any.
KERNEL void broadcast(BROADCAST_OPERANDS, uint tile_width VALUES_ARGUMENTS) {
  COLLECT_VALUES
  const own_units own = own_share(columns * rows);
  x += x_offset;
  b += b_offset;
  out += out_offset;
  ulong row = own.begin / columns;
  ulong column = own.begin % columns;
  for (ulong left = own.end - own.begin; left > 0; ++row, column = 0) {
    const ulong run = min(left, columns - column);
    const __global X_STORED *from = x + row * x_row + column;
    __global OUT_STORED *to = out + row * out_row + column;
#ifdef PER_ROW
    const B_LOADED value = B_READ(b[row]);
    EACH_ALONE
    for (ulong i = 0; i < run; ++i) to[i] = broadcasted(X_READ(from[i]), value WITH_VALUES);
#else
    const __global B_STORED *values = b + column;
    EACH_ALONE
    for (ulong i = 0; i < run; ++i) to[i] = broadcasted(X_READ(from[i]), B_READ(values[i]) WITH_VALUES);
#endif
    left -= run;
  }
}
#endif

#endif  // PRIMITIVE_BROADCAST
