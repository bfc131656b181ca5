// What is stored of a tile of a selection of runs: the first element of each, and in an output of their own the runs' lengths.
// All work-items of the group call select_give, once the kept elements and their indices are in local memory (select_tile.cl).

#define OUTPUT_ARGUMENTS \
  __global KEPT *out, ulong out_offset, ulong capacity, __global RUN_LENGTH *lengths, ulong lengths_offset
#define SELECT_OUTPUTS(to) const select_outputs to = {out + out_offset, capacity, lengths + lengths_offset}
typedef struct {
  __global KEPT *out;
  ulong capacity;
  __global RUN_LENGTH *lengths;
} select_outputs;

// Stores the lengths of the runs that end in the tile. A run ends where the next one begins, the last of all at the input's end.
// The run that reaches into the tile began at the last kept element before it. Differences are taken in the lengths' type, which
// holds every length.
INLINE void select_store_lengths(__global RUN_LENGTH *to, ulong capacity, select_input in, uint tile, kept_of_tiles before,
                                 uint count, select_memory memory) {
  const ulong begin = (ulong)tile * SELECT_TILE;
  const uint skipped = before.count == 0 ? 1 : 0;  // before the first run there is none
  const ulong first = before.count + skipped - 1;
  const uint ending = count - skipped + (select_is_last(in, tile) ? 1 : 0);
  const RUN_LENGTH began = (RUN_LENGTH)(before.last - 1 + in.head - begin), end = (RUN_LENGTH)(in.end - begin);
  const uint stored = (uint)min((ulong)ending, capacity - min(first, capacity));
  SELECT_STORE_EACH(i, to + first, stored) {
    const uint at_run = i + skipped;
    const RUN_LENGTH from = at_run > 0 ? memory.places[at_run - 1] : began;
    to[first + i] = (at_run < count ? memory.places[at_run] : end) - from;
  }
}

INLINE void select_give(select_outputs to, select_input in, uint tile, kept_of_tiles before, uint count,
                        const select_held *held, select_memory memory, named_values given) {
  select_store(to.out + before.count, memory.elements, (uint)min((ulong)count, to.capacity - min(before.count, to.capacity)));
  select_store_lengths(to.lengths, to.capacity, in, tile, before, count, memory);
}
