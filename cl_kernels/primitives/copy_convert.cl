// copy where elements are converted on their way. Plan and arguments: lib/primitives/copy.cpp.

// FROM and TO are scalars as they lie in memory, FROM_LOADED is what is read of one (element.cl).

// A saturated conversion takes NaN to 0. Not every device's convert_..._sat does (one gives the least long).
static inline TO converted(FROM from) {
  const FROM_LOADED x = FROM_READ(from);
  const FROM_LOADED number = IS_ON(NAN_IS_ZERO) && x != x ? 0 : x;
  return TO_WRITE(CONVERT(number));
}

// Offsets are in elements.
#define CONVERT_OPERANDS \
  const __global FROM *restrict in, ulong in_offset, __global TO *restrict out, ulong out_offset
