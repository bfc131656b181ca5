// transform on a CPU.

// STREAMING: the compiler widens a loop over results, but not one of stores past the caches: so it makes as many results as are
// whole lines, and these are stored. The lines of some pages in turn.
enum {
  MADE = 64,
  PAGES_IN_TURN = 4
};

typedef union {
  uint16 lines[MADE * OUT_BYTES / 64];
  OUT_STORED elements[MADE];
} made_results;

enum { PAGE_ELEMENTS = PAGE_BYTES / OUT_BYTES };  // a multiple of MADE

// Global size: any. STREAMING: OUT_BYTES is a power of two, 64 at most, and divides the place of `out`.
KERNEL void transform(FOR_EACH_INPUT(AS_ARGUMENT) __global OUT_STORED *out, ulong out_offset,
                      FOR_EACH_FURTHER(FURTHER_ARGUMENT) ELEMENTS_ARGUMENT,
                      ulong head VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  const own_units own = own_share(n);
  FOR_EACH_INPUT(SET_OFFSET)
  out += out_offset;
  FOR_EACH_FURTHER(OFFSET_FURTHER)
  ulong done = own.begin;
  if (IS_ON(STREAMING)) {
    const ulong lines = min(own.end, done + bytes_to_boundary((const __global uchar *)(out + done), 64) / OUT_BYTES);
    EACH_ALONE
    for (ulong i = done; i < lines; ++i) out[i] = transformed(FOR_EACH_INPUT(ELEMENT) i, given);
    for (done = lines; done + PAGES_IN_TURN * PAGE_ELEMENTS <= own.end; done += PAGES_IN_TURN * PAGE_ELEMENTS) {
      for (uint at = 0; at < PAGE_ELEMENTS; at += MADE) {
        for (uint page = 0; page < PAGES_IN_TURN; ++page) {
          const ulong first = done + page * PAGE_ELEMENTS + at;
          made_results made;
          EACH_ALONE
          for (uint k = 0; k < MADE; ++k) {
            const ulong i = first + k;
            made.elements[k] = transformed(FOR_EACH_INPUT(ELEMENT) i, given);
          }
          UNROLL
          for (uint k = 0; k < MADE * OUT_BYTES / 64; ++k)
            STORE_STREAMING((__global uint16 *)(out + first) + k, made.lines[k]);
        }
      }
    }
  }
  EACH_ALONE
  for (ulong i = done; i < own.end; ++i) {
    FOR_EACH_FURTHER(MAKE_FURTHER)
    out[i] = transformed(FOR_EACH_INPUT(ELEMENT) i, given);
    FOR_EACH_FURTHER(STORE_FURTHER)
  }
}
