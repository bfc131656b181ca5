// Where what a selection keeps (kept_elements.cl, kept_keys.cl) lies in its input, in tiles.

enum { SELECT_TILE = GROUP_SIZE * KEPT_ITEMS * KEPT_VECTOR };

// The elements from number `head` to before `end` of those that start at `x`. There whole packets begin, for all tiles.
#ifndef FLAG
typedef uchar select_flag;
#define SELECT_ARGUMENTS const __global KEPT *x, ulong x_offset, ELEMENTS_ARGUMENT, uint head
#define SELECT_FLAGS 0
#else
typedef FLAG select_flag;
#define SELECT_ARGUMENTS \
  const __global KEPT *x, ulong x_offset, ELEMENTS_ARGUMENT, uint head, const __global FLAG *flags, ulong flags_offset
#define SELECT_FLAGS flags + flags_offset - head
#endif
typedef struct {
  const __global KEPT *x;
  ulong end;
  uint head;
  const __global select_flag *flags;
} select_input;
#define SELECT_INPUT(in) \
  COLLECT_ELEMENTS       \
  const select_input in = {x + x_offset - head, n + head, head, SELECT_FLAGS}

static inline ulong select_begin(select_input in, uint tile) { return max((ulong)tile * SELECT_TILE, (ulong)in.head); }
static inline ulong select_end(select_input in, uint tile) { return min((ulong)(tile + 1) * SELECT_TILE, in.end); }
