// fill on a CPU; the table is that of fill.cl.

typedef union {
  uint16 parts[3];
  uchar bytes[192];
} fill_table;

static inline wide fill_wide(const fill_table *table, uint phase) {
  return ANYWHERE(const, wide, table->bytes + phase);
}

static inline void fill_store(__global uchar *to, wide x) {
  if (IS_ON(STREAMING))
    store_streaming((__global wide *)to, x);
  else
    store_wide((__global wide *)to, x);
}

// Fills a run that begins at byte `phase` of the period; as copy_run.
static inline void fill_run(__global uchar *to, ulong bytes, const fill_table *table, uint period, uint phase) {
  ulong i = 0;
  if (bytes < WIDE_BYTES) {
    for (; i < bytes; ++i) to[i] = table->bytes[phase + i];
    return;
  }
  ANYWHERE(__global, wide, to) = fill_wide(table, phase);
  i = bytes_to_boundary(to, WIDE_BYTES);
  const uint step = WIDE_BYTES % period;
  uint at = (phase + (uint)i) % period;
  wide x = fill_wide(table, at);
  for (; i + WIDE_BYTES <= bytes; i += WIDE_BYTES) {
    fill_store(to + i, x);
    if (step != 0) {
      at += step;
      at -= at >= period ? period : 0;
      x = fill_wide(table, at);
    }
  }
  i = bytes - WIDE_BYTES;
  ANYWHERE(__global, wide, to + i) = fill_wide(table, (uint)((phase + i) % period));
}

// STREAMING: it stores past the caches, for more bytes than they hold. Global size: any.
KERNEL void FILL_KERNEL(__global uchar *restrict out, ulong out_offset, ulong bytes, uint period, uint16 table_0, uint16 table_1,
                        uint16 table_2) {
  const fill_table table = {{table_0, table_1, table_2}};
  const own_units own = own_bytes(bytes);
  fill_run(out + out_offset + own.begin, own.end - own.begin, &table, period, (uint)(own.begin % period));
}
