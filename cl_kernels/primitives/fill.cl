// fill: repeats a value. Plan and arguments: lib/primitives/fill.cpp; blocks and chunks are those of copy.cl.

// The host repeats the value until it is at least 64 bytes long (`period`, at most 128), and that on and
// on into a table of 192: any 64 bytes of the output are found in it as they are, from their place modulo
// the period.
#define FILL_TABLE uint16 table_0, uint16 table_1, uint16 table_2

#if GROUP_SIZE > 1

// 16 bytes of the table from byte `phase`.
static inline uint4 fill_packet(const __local uint *table, uint phase) {
  const __local uint *words = table + phase / 4;
  const uint shift = phase % 4;
  return (uint4)(straddling_word(words[0], words[1], shift), straddling_word(words[1], words[2], shift),
                 straddling_word(words[2], words[3], shift), straddling_word(words[3], words[4], shift));
}

// Global size: GROUP_SIZE for each BLOCK_PACKETS(16) of the bytes / 16 packets there are at most.
KERNEL void fill(__global uchar *restrict out, ulong out_offset, ulong bytes, uint period, FILL_TABLE) {
  __local uint table[48];
  const uint id = get_local_id(0);
  // Arguments cannot be indexed by a work-item's number without a trip through memory.
  if (id == 0) {
    vstore16(table_0, 0, table);
    vstore16(table_1, 1, table);
    vstore16(table_2, 2, table);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  __global uchar *to = out + out_offset;
  const ulong head = min(bytes, (ulong)bytes_to_boundary(to, 16));
  const ulong packets = (bytes - head) / 16;
  const __local uchar *table_bytes = (const __local uchar *)table;
  if (get_group_id(0) == 0) {
    for (uint i = id; i < head; i += GROUP_SIZE) to[i] = table_bytes[i];
  }
  if (get_group_id(0) == get_num_groups(0) - 1) {
    for (ulong i = head + packets * 16 + id; i < bytes; i += GROUP_SIZE) to[i] = table_bytes[i % period];
  }
  const uint group = get_group_id(0);
  const ulong first = group * (ulong)BLOCK_PACKETS(16);
  if (first >= packets) return;
  const uint left = (uint)min(packets - first, (ulong)BLOCK_PACKETS(16));
  __global uint4 *target = (__global uint4 *)(to + head) + first + id;
  // 32 bits are enough: the period is small.
  uint phase = ((group % period) * (BLOCK_PACKETS(16) * 16 % period) + (uint)head + 16 * id) % period;
  const uint step = GROUP_SIZE * 16 % period;
  uint4 x = fill_packet(table, phase);
#pragma unroll
  for (uint i = 0; i < PACKETS_IN_FLIGHT(16); ++i) {
    if (id + i * GROUP_SIZE < left) target[i * GROUP_SIZE] = x;
    if (step != 0) {
      phase += step;
      phase -= phase >= period ? period : 0;
      x = fill_packet(table, phase);
    }
  }
}

#else  // GROUP_SIZE == 1

typedef union {
  uint16 parts[3];
  uchar bytes[192];
} fill_table;

static inline wide fill_wide(const fill_table *table, uint phase) {
  return ANYWHERE(const, wide, table->bytes + phase);
}

// Fills a run that begins at byte `phase` of the period; as copy_run. (A macro, for with the store chosen by an argument
// compilers merge the two and forget that one of them streams.)
#define DEFINE_FILL_RUN(name, STORE)                                                                     \
  static inline void name(__global uchar *to, ulong bytes, const fill_table *table, uint period, uint phase) { \
    ulong i = 0;                                                                                         \
    if (bytes < WIDE_BYTES) {                                                                            \
      for (; i < bytes; ++i) to[i] = table->bytes[phase + i];                                            \
      return;                                                                                            \
    }                                                                                                    \
    ANYWHERE(__global, wide, to) = fill_wide(table, phase);                                              \
    i = bytes_to_boundary(to, WIDE_BYTES);                                                               \
    const uint step = WIDE_BYTES % period;                                                               \
    uint at = (phase + (uint)i) % period;                                                                \
    wide x = fill_wide(table, at);                                                                       \
    for (; i + WIDE_BYTES <= bytes; i += WIDE_BYTES) {                                                   \
      STORE((__global wide *)(to + i), x);                                                               \
      if (step != 0) {                                                                                   \
        at += step;                                                                                      \
        at -= at >= period ? period : 0;                                                                 \
        x = fill_wide(table, at);                                                                        \
      }                                                                                                  \
    }                                                                                                    \
    i = bytes - WIDE_BYTES;                                                                              \
    ANYWHERE(__global, wide, to + i) = fill_wide(table, (uint)((phase + i) % period));                   \
  }

DEFINE_FILL_RUN(fill_run, store_wide)
DEFINE_FILL_RUN(fill_run_streaming, store_streaming)

// This work-item's chunk, by one of the two.
#define FILL_CHUNK(run)                                                          \
  fill_table table;                                                              \
  table.parts[0] = table_0;                                                      \
  table.parts[1] = table_1;                                                      \
  table.parts[2] = table_2;                                                      \
  const own_units own = own_bytes(bytes);                                        \
  run(out + out_offset + own.begin, own.end - own.begin, &table, period, (uint)(own.begin % period))

// Global size: any. `fill_streaming` stores past the caches, for more bytes than they hold.
KERNEL void fill(__global uchar *restrict out, ulong out_offset, ulong bytes, uint period, FILL_TABLE) {
  FILL_CHUNK(fill_run);
}

KERNEL void fill_streaming(__global uchar *restrict out, ulong out_offset, ulong bytes, uint period, FILL_TABLE) {
  FILL_CHUNK(fill_run_streaming);
}
#endif
