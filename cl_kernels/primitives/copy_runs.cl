// Runs of bytes, as a CPU copies them.

// What is copied side by side: lines of COPY_PAGES neighbouring pages, past the caches of several.
enum { COPY_PAGE = IS_ON(STREAMING) ? PAGE_BYTES : ITEMS * WIDE_BYTES, COPY_PAGES = IS_ON(STREAMING) ? 8 : 1 };

// A load from anywhere, a store to a multiple of a wide register's size.
static inline void copy_wide(const __global uchar *from, __global uchar *to) {
  if (IS_ON(STREAMING))
    store_streaming((__global wide *)to, ANYWHERE(const __global, wide, from));
  else
    store_wide((__global wide *)to, ANYWHERE(const __global, wide, from));
}

// Copies a run of bytes. Its first and last wide registers go to wherever they lie; between them stores
// are aligned. What lies twice is written twice, with the same bytes.
static inline void copy_run(const __global uchar *restrict from, __global uchar *restrict to, ulong bytes) {
  ulong i = 0;
  if (bytes < WIDE_BYTES) {
    for (; i + 8 <= bytes; i += 8)
      ANYWHERE(__global, ulong, to + i) = ANYWHERE(const __global, ulong, from + i);
    for (; i < bytes; ++i) to[i] = from[i];
    return;
  }
  ANYWHERE(__global, wide, to) = ANYWHERE(const __global, wide, from);
  i = bytes_to_boundary(to, WIDE_BYTES);
  for (; i + COPY_PAGES * COPY_PAGE <= bytes; i += COPY_PAGES * COPY_PAGE) {
    for (ulong at = i; at < i + COPY_PAGE; at += ITEMS * WIDE_BYTES) {
      UNROLL
      for (uint k = 0; k < COPY_PAGES * ITEMS; ++k) {
        const ulong place = at + k / ITEMS * COPY_PAGE + k % ITEMS * WIDE_BYTES;
        copy_wide(from + place, to + place);
      }
    }
  }
  for (; i + WIDE_BYTES <= bytes; i += WIDE_BYTES) copy_wide(from + i, to + i);
  i = bytes - WIDE_BYTES;
  ANYWHERE(__global, wide, to + i) = ANYWHERE(const __global, wide, from + i);
}
