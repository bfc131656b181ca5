// The reduction of an input of one tile, on a GPU.

// One group. 1 <= n <= FOLD_TILE, or 0 where it is counted.
KERNEL void reduce_tile(REDUCE_INPUT, ELEMENTS_ARGUMENT_OF(uint), __global ACC *out, ulong out_offset,
                        ulong host REDUCE_START VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_START
  COLLECT_ELEMENTS_OF(uint)
  if (IS_COUNTED && n == 0) {
    reduce_leave_none(reduce_to(out + out_offset, host), start, given);
    return;
  }
  FOLD_MEMORY(memory);
  const fold_input in = REDUCE_FROM;
  reduce_leave(fold_tile(in, n, memory, given), true, reduce_to(out + out_offset, host), in, n, 0, memory, start, given);
  MEET_AT_END
}
