// The results of folds of nothing.

// The identity of a user's operator, which only the device's compiler can read.
static inline ACC identity_value(named_values given) { return TO_ACC(IDENTITY_TEXT); }

#ifndef FOLDS_SEGMENTS
// That of n rows or columns without elements.
__kernel void fold_identities(uint n, __global ACC *out, ulong out_offset VALUES_ARGUMENTS) {
  COLLECT_VALUES
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) out[out_offset + i] = identity_value(given);
}
#endif
