// Inputs that are no arrays: each element is made where it is needed, of its index and of what the input's sources have there
// (lib/call/lazy_inputs.cpp).
//
// Kernels take such an input as they take an array, `x`, and step through it by pointers, which are never followed: x is null,
// so that a pointer is an index in units of an element. What loads from it (device/memory.cl) makes the element of that index.
// LAZY_TEXT is an element of index `i`; it finds the sources among the values of the call.

// A source's element of index i.
#define AS_IT_LIES(read, from, at) READ_AT(read, (from) + ((at) + i))
#define BY_STEPS(read, from, at, step) READ_AT(read, (from) + ((at) + i * (step)))
// By an index, of which nothing is assumed.
#define BY_INDEX(read, from, at, n, indices, indices_at, outside)                                     \
  ((indices)[(indices_at) + i] < (n) ? READ_AT(read, (from) + ((at) + (indices)[(indices_at) + i])) \
                                     : read(outside))

// As it would lie in memory, where kernels look at bits alone (LAZY_AS_BITS) as a whole number.
static inline LAZY_STORED made_element(const __global LAZY_STORED *place, named_values given) {
  const ulong i = (ulong)(size_t)place / LAZY_BYTES;
  return LAZY_AS_BITS(LAZY_WRITE(LAZY_TEXT));
}
