// Wide matrix instructions: four sets of lanes multiply tiles that lie in local memory, and a copy engine brings these
// there, box by box. WIDE_FACTOR_... says what they multiply.
//
// The device's OpenCL compiler does not know these instructions. They are marked: "//@ " makes a line of assembly a
// comment, the program is built, the host takes its assembly, deletes the marks, names another target and builds that
// (lib/program/second_build.cpp). So a marked asm has one line.
//
// What the parts below use:
//   start_map, finish_map     describe a matrix in memory to the copy engine
//   fetch_box                 copies a box of a matrix to local memory; it counts its bytes as arrived
//   arrivals_*, arrive*       counters of arrivals in local memory, which others wait for
//   WIDE_MULTIPLY             results += rows times columns, of 128 bytes of k
//   wide_wait                 until they are done
//   pair_of                   two results as they lie in memory, if an element has 16 bits
// --------------------------------------------------------------------- NVIDIA, SM 90
// PTX ISA: "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions", "tensormap.replace", "mbarrier",
// "cp.async.bulk.tensor".

enum { WORKER_SIZE = 128 };  // work-items that multiply together

// In the state space of local memory, whose addresses are small.
static inline uint local_address_of(const __local void *p) { return (uint)(size_t)p; }

// ----------------------------------------------------------------- arrivals
// A counter is 8 bytes of local memory. A phase of it ends when `count` arrivals came, and all bytes that were announced.
INLINE void arrivals_begin(uint at, uint count) {
  __asm__ volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory");
}
// Behind the first of all, before a barrier of the group.
INLINE void arrivals_begun(void) { __asm__ volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
INLINE void arrive(uint at) { __asm__ volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory"); }
INLINE void arrive_and_announce(uint at, uint n_bytes) {
  __asm__ volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(n_bytes) : "memory");
}
// Until the phase of that parity has ended: the first has 0, and the one before it 1.
INLINE void wait_for_arrivals(uint at, uint parity) {
  __asm__ volatile("{.reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra done; bra again; done:}" ::
                       "r"(at),
                   "r"(parity)
                   : "memory");
}

// --------------------------------------------------------------------- maps
// A map has 128 bytes: of which type, where, how long and how far apart the lines, and the box that a copy takes. Boxes are
// 128 bytes wide, and lie in local memory as lines of 8 chunks of 16 bytes, which change places by the line's number.
enum { MAP_BYTES = 128 };
#define MAP_FIELD(at, field, bits, place, kind, value)                                                                   \
  __asm__ volatile("//@ tensormap.replace.tile." field ".shared::cta.b1024." bits " [%0], " place "%1;" ::"r"(at), kind(value) \
                   : "memory")
#define MAP_CHOICE(at, field, choice) \
  __asm__ volatile("//@ tensormap.replace.tile." field ".shared::cta.b1024.b32 [%0], " choice ";" ::"r"(at) : "memory")
// By one work-item, into 128 bytes of local memory at the address `at`, which are 0: a matrix of `lines` lines of `run` elements,
// `line` bytes apart; a box has `box_run` elements of `box_lines` lines.
INLINE void start_map(uint at, const __global void *base, uint run, uint lines, ulong line, uint box_run, uint box_lines) {
  MAP_FIELD(at, "global_address", "b64", "", "l", (ulong)base);
  MAP_FIELD(at, "box_dim", "b32", "0, ", "r", box_run);
  MAP_FIELD(at, "box_dim", "b32", "1, ", "r", box_lines);
  MAP_FIELD(at, "global_dim", "b32", "0, ", "r", run);
  MAP_FIELD(at, "global_dim", "b32", "1, ", "r", lines);
  MAP_FIELD(at, "global_stride", "b64", "0, ", "l", line);
  MAP_FIELD(at, "element_stride", "b32", "0, ", "r", 1u);
  MAP_FIELD(at, "element_stride", "b32", "1, ", "r", 1u);
  if (IS_ON(WIDE_FACTOR_F16)) MAP_CHOICE(at, "elemtype", "6");
  if (IS_ON(WIDE_FACTOR_BF16)) MAP_CHOICE(at, "elemtype", "10");
  if (IS_ON(WIDE_FACTOR_TF32)) MAP_CHOICE(at, "elemtype", "11");  // rounds floats to tf32, to nearest even
  MAP_CHOICE(at, "interleave_layout", "0");
  MAP_CHOICE(at, "swizzle_mode", "3");
  MAP_CHOICE(at, "fill_mode", "0");
}
// Behind it: of one matrix, or of `count` matrices that are `stride` bytes apart.
INLINE void finish_map(uint at, uint count, ulong stride) {
  if (!IS_ON(BATCHED)) {
    MAP_CHOICE(at, "rank", "1");
    return;
  }
  MAP_CHOICE(at, "rank", "2");
  MAP_FIELD(at, "box_dim", "b32", "2, ", "r", 1u);
  MAP_FIELD(at, "global_dim", "b32", "2, ", "r", count);
  MAP_FIELD(at, "global_stride", "b64", "1, ", "l", stride);
  MAP_FIELD(at, "element_stride", "b32", "2, ", "r", 1u);
}
INLINE void lanes_together(void) { __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
// Copies a map to global memory, at a multiple of 128 bytes. A whole set of lanes calls.
INLINE void publish_map(__global void *to, uint from) {
  __asm__ volatile(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%0], [%1], 128;" ::"l"(to),
      "r"(from)
      : "memory");
}
// Before the first fetch by a map that was published.
INLINE void acquire_map(const __global void *map) {
  __asm__ volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
}
// Starts to copy the box whose corner is element x of line y, of matrix z, to local memory at the address `to`. What lies beyond
// the matrix comes as 0. The box's bytes arrive at `at`.
INLINE void fetch_box(uint to, const __global void *map, uint x, uint y, uint z, uint at) {
  if (IS_ON(BATCHED))
    __asm__ volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(z), "r"(at)
        : "memory");
  else
    __asm__ volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to),
        "l"(map), "r"(x), "r"(y), "r"(at)
        : "memory");
}

// ----------------------------------------------------------------- products
// A worker multiplies 64 rows by WIDE_COLUMNS columns. Both operands lie in local memory as boxes; where it says so, the rows come
// from registers. A lane has WIDE_COLUMNS / 2 results: of rows lane / 4 and lane / 4 + 8 of its set's 16, two columns of each 8.
#ifdef WIDE_FACTOR_TF32
#define WIDE_TURNS ""
#else
#define WIDE_TURNS ", %[clwave_turn_rows], %[clwave_turn_columns]"
#endif

// Where the second 32 bytes of k of an operand begin, in units of 16 bytes: along k beside one another, else 16 lines on.
enum { ROWS_STEP = ROWS_ALONG_K ? 2 : 128, COLUMNS_STEP = COLUMNS_ALONG_K ? 2 : 128 };

// The host writes RESULT_NAMES, the names of a lane's results in an asm, and RESULTS_OF(d), the operands themselves. Other
// operands have names, which outside texts get their prefix by themselves.
#define WIDE_INSTRUCTION \
  "wgmma.mma_async.sync.aligned.m64n" TEXT_OF_ALL(WIDE_COLUMNS) TEXT_OF_ALL(MATRIX_TYPES) " " RESULT_NAMES ", "

// Says where an operand lies. Along k: lines of 128 bytes, 8 of them 1024 bytes; else boxes of 8 KiB, of 64 lines each.
INLINE ulong describe_operand(uint at, uint along_k) {
  return (ulong)((at & 0x3ffffu) >> 4) | (ulong)(along_k ? 1 : 512) << 16 | (ulong)64 << 32 | (ulong)1 << 62;
}

#ifdef ROWS_FROM_REGISTERS
typedef struct {
  uint words[16];
} wide_rows;

// The worker's 64 rows, two boxes of 32 rows by 32 steps of k, in 32 of whose lines k goes on: four words for each 8 steps.
INLINE wide_rows load_wide_rows(const __local uchar *boxes, uint id) {
  const uint row = id / 32 * 16 + id % 32 / 4, k = id % 4;
  wide_rows rows;
  UNROLL
  for (uint i = 0; i < 16; ++i) {
    const uint line = i / 4 * 8 + i / 2 % 2 * 4 + k, r = row + i % 2 * 8;
    rows.words[i] = *(const __local uint *)(boxes + r / 32 * 4096 + line * 128 + ((r % 32 / 4) ^ (line & 7)) * 16 + r % 4 * 4);
  }
  return rows;
}
#define WIDE_ONE(words, step, adds) \
  "add.u64 y, %[clwave_columns], " step "; " WIDE_INSTRUCTION "{" words "}, y, " adds ", 1, 1; "
#define WIDE_MULTIPLY(results, rows_of, columns_at, adds_to)                                                               \
  __asm__ volatile("//@ {.reg .pred adds, always; .reg .b64 y; "                                                           \
                   "setp.eq.b32 always, 0, 0; setp.ne.b32 adds, %[clwave_adds], 0; "                                       \
                   WIDE_ONE("%[clwave_w0],%[clwave_w1],%[clwave_w2],%[clwave_w3]", "0", "adds")                            \
                   WIDE_ONE("%[clwave_w4],%[clwave_w5],%[clwave_w6],%[clwave_w7]", "2", "always")                          \
                   WIDE_ONE("%[clwave_w8],%[clwave_w9],%[clwave_w10],%[clwave_w11]", "4", "always")                        \
                   WIDE_ONE("%[clwave_w12],%[clwave_w13],%[clwave_w14],%[clwave_w15]", "6", "always") "}"                  \
                   : RESULTS_OF(results)                                                                                   \
                   : [w0] "r"(rows_of.words[0]), [w1] "r"(rows_of.words[1]), [w2] "r"(rows_of.words[2]),                   \
                     [w3] "r"(rows_of.words[3]), [w4] "r"(rows_of.words[4]), [w5] "r"(rows_of.words[5]),                   \
                     [w6] "r"(rows_of.words[6]), [w7] "r"(rows_of.words[7]), [w8] "r"(rows_of.words[8]),                   \
                     [w9] "r"(rows_of.words[9]), [w10] "r"(rows_of.words[10]), [w11] "r"(rows_of.words[11]),               \
                     [w12] "r"(rows_of.words[12]), [w13] "r"(rows_of.words[13]), [w14] "r"(rows_of.words[14]),             \
                     [w15] "r"(rows_of.words[15]), [columns] "l"(columns_at), [adds] "r"(adds_to)                          \
                   : "memory")
#else
#define WIDE_ONE(row_step, column_step, adds)                                                  \
  "add.u64 x, %[clwave_rows], " row_step "; add.u64 y, %[clwave_columns], " column_step "; "   \
  WIDE_INSTRUCTION "x, y, " adds ", 1, 1" WIDE_TURNS "; "
#define WIDE_MULTIPLY(results, rows_at, columns_at, adds_to)                                                               \
  __asm__ volatile("//@ {.reg .pred adds, always; .reg .b64 x, y; "                                                        \
                   "setp.eq.b32 always, 0, 0; setp.ne.b32 adds, %[clwave_adds], 0; "                                       \
                   WIDE_ONE("0", "0", "adds") WIDE_ONE("%[clwave_row_1]", "%[clwave_column_1]", "always")                  \
                   WIDE_ONE("%[clwave_row_2]", "%[clwave_column_2]", "always")                                             \
                   WIDE_ONE("%[clwave_row_3]", "%[clwave_column_3]", "always") "}"                                         \
                   : RESULTS_OF(results)                                                                                   \
                   : [rows] "l"(rows_at), [columns] "l"(columns_at), [adds] "r"(adds_to), [row_1] "n"(ROWS_STEP),          \
                     [row_2] "n"(2 * ROWS_STEP), [row_3] "n"(3 * ROWS_STEP), [column_1] "n"(COLUMNS_STEP),                 \
                     [column_2] "n"(2 * COLUMNS_STEP), [column_3] "n"(3 * COLUMNS_STEP),                                   \
                     [turn_rows] "n"(ROWS_ALONG_K ? 0 : 1), [turn_columns] "n"(COLUMNS_ALONG_K ? 0 : 1)                    \
                   : "memory")
#endif
// Before a product, behind what wrote its registers.
INLINE void wide_begin(void) { __asm__ volatile("//@ wgmma.fence.sync.aligned;" ::: "memory"); }
// Behind it.
INLINE void wide_end(void) { __asm__ volatile("//@ wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until all products of the worker have ended, or all but the last.
INLINE void wide_wait_for_all_but_one(void) { __asm__ volatile("//@ wgmma.wait_group.sync.aligned 1;" ::: "memory"); }
INLINE void wide_wait(void) { __asm__ volatile("//@ wgmma.wait_group.sync.aligned 0;" ::: "memory"); }
// The results are read behind this, and not before.
#define WIDE_RESULTS(results) __asm__ volatile("" : RESULTS_OF(results)::"memory")

// A group's registers are dealt out alike; the loader can give most of its own to the workers. A whole worker calls.
INLINE void give_registers(void) {
  if (GROUP_SIZE > 3 * WORKER_SIZE)
    __asm__ volatile("//@ setmaxnreg.dec.sync.aligned.u32 24;" ::: "memory");
  else
    __asm__ volatile("//@ setmaxnreg.dec.sync.aligned.u32 40;" ::: "memory");
}
INLINE void take_registers(void) {
  if (GROUP_SIZE > 3 * WORKER_SIZE)
    __asm__ volatile("//@ setmaxnreg.inc.sync.aligned.u32 160;" ::: "memory");
  else
    __asm__ volatile("//@ setmaxnreg.inc.sync.aligned.u32 232;" ::: "memory");
}

// --------------------------------------------------------------- results out
// A number of which the compiler knows nothing: what is computed from it stays where it stands, and takes no registers before.
INLINE ulong computed_here(ulong number) {
  __asm__ volatile("" : "+l"(number));
  return number;
}
#ifndef OUT_IS_ACC
INLINE uint pair_of(float low, float high) {
  uint pair;
  if (IS_ON(WIDE_FACTOR_BF16)) {
    __asm__("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  } else {
    __asm__("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  }
  return pair;
}
INLINE uint from_neighbour(uint word, uint distance) {
  uint result;
  __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(result) : "r"(word), "r"(distance));
  return result;
}
// Of four lanes with four words each: lane q gets word q of each. A whole set of lanes calls.
INLINE uint4 words_of_four_lanes(uint4 words, uint lane) {
  const bool odd = (lane & 1) != 0, upper = (lane & 2) != 0;
  const uint a = from_neighbour(odd ? words.x : words.y, 1), b = from_neighbour(odd ? words.z : words.w, 1);
  const uint x0 = odd ? a : words.x, x1 = odd ? words.y : a, y0 = odd ? b : words.z, y1 = odd ? words.w : b;
  const uint c = from_neighbour(upper ? x0 : y0, 2), d = from_neighbour(upper ? x1 : y1, 2);
  return upper ? (uint4)(c, d, y0, y1) : (uint4)(x0, x1, c, d);
}
#endif
