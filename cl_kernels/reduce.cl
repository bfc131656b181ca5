// reduce: folds n elements into one. Plan and arguments: lib/reduce_plan.cpp; order: fold.cl.
//
// Workspace: a counter, then the tile results, then, in their place, those of each level above.
// One launch: every group folds tiles; the group that arrives last folds the levels above. Two
// launches: `reduce` leaves the tile results, `reduce_levels` (one group) does the rest.
#ifdef PRIMITIVE_REDUCE

#define REDUCE_COUNTER(workspace) ((__global uint *)((workspace) + COUNTER_AT))
#define REDUCE_RESULTS(workspace) ((__global ACC *)((workspace) + OWN_AT))

#ifdef TWO_INPUTS
#define REDUCE_INPUT \
  const __global STORED *restrict x, ulong x_offset, const __global STORED *restrict y, ulong y_offset
#else
#define REDUCE_INPUT const __global STORED *restrict x, ulong x_offset
#endif

// Global size: groups * GROUP_SIZE. n >= 1. The counter is 0 before and after.
KERNEL void reduce(REDUCE_INPUT, ulong n, __global ACC *out, ulong out_offset, __global uchar *workspace) {
  __global ACC *results = REDUCE_RESULTS(workspace);
  FOLD_MEMORY(memory);
  __local uint flag;
  fold_input in;
  in.x = x + x_offset;
#ifdef TWO_INPUTS
  in.y = y + y_offset;
#endif
  // One loop for all levels, so that a compiler meets the body of fold_level once.
  ulong count = n;
  uint groups = get_num_groups(0);
  ulong group = get_group_id(0);
  for (bool lifts = true;; lifts = false) {
    fold_level(lifts, in, count, group, groups, results, memory);
#if GROUP_ORDER == ORDER_TWO_LAUNCHES
    if (groups > 1) return;
#else
    if (groups > 1 && !arrives_last(REDUCE_COUNTER(workspace), groups, &flag)) return;
#endif
    count = (count + FOLD_TILE - 1) / FOLD_TILE;
    if (count == 1) break;
    // The last group, or the only one, folds the levels above alone.
    groups = 1;
    group = 0;
  }
  if (get_local_id(0) == 0) out[out_offset] = canonical(results[0]);
}

#if GROUP_ORDER == ORDER_TWO_LAUNCHES
// The levels above the first, from its `count` > 1 results. One group.
KERNEL void reduce_levels(ulong count, __global ACC *out, ulong out_offset, __global uchar *workspace) {
  __global ACC *results = REDUCE_RESULTS(workspace);
  FOLD_MEMORY(memory);
  fold_input none;
  none.x = 0;
#ifdef TWO_INPUTS
  none.y = 0;
#endif
  for (; count > 1; count = (count + FOLD_TILE - 1) / FOLD_TILE)
    fold_level(false, none, count, 0, 1, results, memory);
  if (get_local_id(0) == 0) out[out_offset] = canonical(results[0]);
}
#endif

// The identity of a user's operator, which only the device's compiler can read.
#ifdef IDENTITY_TEXT
__kernel void reduce_identity(__global ACC *out, ulong out_offset) {
  out[out_offset] = IDENTITY_TEXT;
}
#endif

#endif  // PRIMITIVE_REDUCE
