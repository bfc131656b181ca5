// select: the elements that a predicate, a flag or the element before them keeps, side by side in their order. Plan and
// arguments: lib/primitives/select.cpp.
//
// In one pass: a group loads its tile, posts how many of its elements are kept, puts these side by side in local memory,
// looks back for how many the tiles before it keep, and stores them. A partition must know how many are kept in all
// before it stores the first of the others: one launch counts, and a second one stores. Where groups cannot send messages,
// three launches: counts of all tiles, their sums, results.
#ifdef PRIMITIVE_SELECT

#define SELECT_ARGUMENTS const __global STORED *x, ulong x_offset, ulong n, uint head FLAGS_ARGUMENTS

// The number of the call, where messages are told by it.
#ifdef IN_ONE_PASS
#define CALL_ARGUMENT , uint call
#define WITH_CALL , call
#else
#define CALL_ARGUMENT
#define WITH_CALL
#endif

static inline uint select_tiles(ulong end) { return (uint)((end + SELECT_TILE - 1) / SELECT_TILE); }

// Where results go, at most `capacity` of each kind: as kernels take it, and as they hand it on.
#ifdef CARRIED
#define SECOND_ARGUMENTS \
  , const __global CARRIED *values, ulong values_offset, __global CARRIED *values_out, ulong values_out_offset
#define SECOND_PARAMETERS , const __global CARRIED *values, __global CARRIED *values_out
#define WITH_SECOND , values + values_offset - head, values_out + values_out_offset
#else
#define SECOND_ARGUMENTS
#define SECOND_PARAMETERS
#define WITH_SECOND
#endif
#define OUTPUT_ARGUMENTS __global STORED *out, ulong out_offset, ulong capacity SECOND_ARGUMENTS
#define OUTPUT_PARAMETERS __global STORED *out, ulong capacity SECOND_PARAMETERS
#define OUTPUTS out + out_offset, capacity WITH_SECOND

// Stores what is kept of a tile, `count` elements, behind `before` others, as far as the output reaches.
INLINE void select_give(OUTPUT_PARAMETERS, uint tile, ulong before, uint count, select_memory memory) {
  const ulong room = capacity - min(before, capacity);
  select_store(out + before, memory.elements, (uint)min((ulong)count, room));
#ifdef CARRIED
  select_store_carried(values_out + before, values + (ulong)tile * SELECT_TILE, memory, (uint)min((ulong)count, room));
#endif
}

#ifdef IN_ONE_PASS
#ifdef IN_ORDER_OF_START
// Where groups do not start in the order of their numbers, or a processor takes many at a time.
#define SELECT_OWN_TILE(tile, tiles)                                                        \
  __local uint number;                                                                      \
  if (own_id_anew() == 0) number = take_number((__global uint *)(workspace + COUNTER_AT), tiles); \
  GROUP_BARRIER();                                                                          \
  const uint tile = number
#else
#define SELECT_OWN_TILE(tile, tiles) const uint tile = get_group_id(0)
#endif

// What the tiles before one keep, and what those up to it keep is posted. `count` is its own, which has been counted. All
// work-items must call.
INLINE ulong select_before(select_input in, uint tile, uint tiles, uint count, __global ulong *messages, uint call,
                           select_memory memory, look_memory look VALUES_PARAMETER) {
  if (own_id_anew() == 0 && tile + 1 < tiles) post_count(messages, tile, call, count, tile == 0);
  if (tile == 0) return 0;
  ulong before;
  for (uint looks = LOOKS;; looks = 1) {
    const uint missing = look_back(&before, messages, tile, call, looks, look, memory);
    if (missing == NO_TILE) break;
    const uint found = select_count(in, missing, memory WITH_VALUES);
    if (own_id_anew() == 0) post_count(messages, missing, call, found, missing == 0);
    GROUP_BARRIER();  // so that one can see that all lanes look again together
  }
  if (own_id_anew() == 0 && tile + 1 < tiles) post_count(messages, tile, call, before + count, true);
  return before;
}

#ifndef SPLIT
// Global size: tiles * GROUP_SIZE. No message in the workspace has the number of this call.
KERNEL void select_kept(SELECT_ARGUMENTS, OUTPUT_ARGUMENTS, __global ulong *total, ulong total_offset,
                        __global uchar *workspace CALL_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_MEMORY(memory);
  LOOK_MEMORY(look);
  SELECT_INPUT(in);
  const uint tiles = select_tiles(in.end);
  SELECT_OWN_TILE(tile, tiles);
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  const uint count = select_compact(in, tile, false, memory WITH_VALUES);
  const ulong before = select_before(in, tile, tiles, count, messages, call, memory, look WITH_VALUES);
  if (own_id_anew() == 0 && tile + 1 == tiles) total[total_offset] = before + count;
  GROUP_BARRIER();
  select_give(OUTPUTS, tile, before, count, memory);
}
#else
// What the tiles up to each one keep, in a second message of each. Global size: tiles * GROUP_SIZE. No message in the
// workspace has the number of this call.
KERNEL void select_counts(SELECT_ARGUMENTS, __global ulong *total, ulong total_offset, __global uchar *workspace CALL_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_MEMORY(memory);
  LOOK_MEMORY(look);
  SELECT_INPUT(in);
  const uint tiles = select_tiles(in.end);
  SELECT_OWN_TILE(tile, tiles);
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  const uint count = select_count(in, tile, memory WITH_VALUES);
  const ulong before = select_before(in, tile, tiles, count, messages, call, memory, look WITH_VALUES);
  if (own_id_anew() == 0) {
    post_count(messages + (ulong)tiles * COUNT_WORDS, tile, call, before + count, true);
    if (tile + 1 == tiles) total[total_offset] = before + count;
  }
}

static inline ulong select_up_to(__global uchar *workspace, uint tiles, uint tile CALL_ARGUMENT) {
  ulong count;
  bool counts_all;
  read_count((__global ulong *)(workspace + OWN_AT) + (ulong)tiles * COUNT_WORDS, tile, call, &count, &counts_all);
  return count;
}
#endif

#else  // three launches
static inline ulong select_up_to(__global uchar *workspace, uint tiles, uint tile CALL_ARGUMENT) {
  return ((__global ulong *)(workspace + OWN_AT))[tile];
}

// What each tile keeps. Global size: tiles * GROUP_SIZE.
KERNEL void select_counts(SELECT_ARGUMENTS, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_MEMORY(memory);
  SELECT_INPUT(in);
  const uint tile = get_group_id(0);
  const uint count = select_count(in, tile, memory WITH_VALUES);
  if (get_local_id(0) == 0) ((__global ulong *)(workspace + OWN_AT))[tile] = count;
}

// What the tiles up to each one keep. One group, whose work-items sum neighbouring tiles.
KERNEL void select_sums(uint tiles, __global ulong *total, ulong total_offset, __global uchar *workspace) {
  __global ulong *counts = (__global ulong *)(workspace + OWN_AT);
  __local ulong sums[GROUP_SIZE];
  const uint id = get_local_id(0);
  const uint each = (tiles + GROUP_SIZE - 1) / GROUP_SIZE;
  const uint begin = min(id * each, tiles), end = min(begin + each, tiles);
  ulong sum = 0;
  for (uint tile = begin; tile < end; ++tile) sum += counts[tile];
  sums[id] = sum;
  GROUP_BARRIER();
  ulong up_to = 0;
  for (uint other = 0; other < id; ++other) up_to += sums[other];
  for (uint tile = begin; tile < end; ++tile) counts[tile] = up_to += counts[tile];
  if (end == tiles && begin < end) total[total_offset] = up_to;
}
#endif

#if defined(SPLIT) || !defined(IN_ONE_PASS)
// The results. Global size: tiles * GROUP_SIZE.
KERNEL void select_results(SELECT_ARGUMENTS, OUTPUT_ARGUMENTS, __global uchar *workspace CALL_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  SELECT_MEMORY(memory);
  SELECT_INPUT(in);
  const uint tiles = select_tiles(in.end);
  const uint tile = get_group_id(0);
#ifdef SPLIT
  const bool split = true;
#else
  const bool split = false;
#endif
  const uint count = select_compact(in, tile, split, memory WITH_VALUES);
  const ulong before = tile > 0 ? select_up_to(workspace, tiles, tile - 1 WITH_CALL) : 0;
  GROUP_BARRIER();
  select_give(OUTPUTS, tile, before, count, memory);
#ifdef SPLIT
  const ulong begin = select_begin(in, tile);
  const ulong kept = select_up_to(workspace, tiles, tiles - 1 WITH_CALL);
  select_store_others(out + out_offset + kept + (begin - in.head - before), memory, count,
                      (uint)(select_end(in, tile) - begin) - count);
#endif
}
#endif

#endif  // PRIMITIVE_SELECT
