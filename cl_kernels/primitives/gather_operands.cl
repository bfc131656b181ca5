// What gathers and scatters move by (gather.cl): the indices, read or computed; the flags that say which of them count; and how
// many of those are outside.

// ---------------------------------------------------------------------------- indices
// As kernels take them; what kernels have of them, behind COLLECT_ELEMENTS; and the index of i.
#if defined(SHUFFLES)
#define INDICES_ARGUMENT PERMUTATION_ARGUMENTS
typedef struct {
  INDEX n;
  permutation order;
} gather_indices;
#define COLLECT_INDICES const gather_indices from = {(INDEX)n, {permuted_rows, permuted_columns, permuted_keys}};
// Packets may reach past n.
static inline INDEX index_at(gather_indices from, ulong i) {
  return i < from.n ? (INDEX)permuted((INDEX)i, from.n, from.order) : 0;
}
#elif defined(COMPUTED_INDEX)
// Of a reverse, or of a rotate: by < n.
#define INDICES_ARGUMENT ulong by
typedef struct {
  ulong n, by;
} gather_indices;
#define COLLECT_INDICES const gather_indices from = {n, by};
static inline INDEX index_at(gather_indices from, ulong i) {
  if (IS_ON(REVERSES)) return (INDEX)(from.n - 1 - i);
  return (INDEX)(i + from.by < from.n ? i + from.by : i + from.by - from.n);
}
#else
#define INDICES_ARGUMENT const __global INDEX *restrict indices, ulong indices_offset
typedef const __global INDEX *gather_indices;  // no structure: in one, compilers lose sight of `restrict`
#define COLLECT_INDICES const gather_indices from = indices + indices_offset;
static inline INDEX index_at(gather_indices from, ulong i) { return from[i]; }
#endif

// ---------------------------------------------------------------------------- flags
// Each i has a flag, and where it is not set nothing is read or written for i. A predicate says when it is: an expression in
// x, the flag, and i; where the user has none, that x is not 0. Indices and elements then come in packets of one. Flags come
// before all else is loaded: where few are set, few indices and elements are.
#ifdef FLAG
enum { HAS_FLAGS = 1 };
typedef FLAG gather_flag;
#define GATHER_FLAGS , const __global FLAG *restrict flags, ulong flags_offset
#define COLLECT_FLAGS flags += flags_offset;
INLINE bool is_moved(const __global gather_flag *flags, ulong i, named_values given) {
  const FLAG_LOADED x = FLAG_READ(flags[i]);
  return PREDICATE_TEXT;
}
#else
enum { HAS_FLAGS = 0 };
typedef uchar gather_flag;
#define GATHER_FLAGS
#define COLLECT_FLAGS const __global gather_flag *flags = 0;
static inline bool is_moved(const __global gather_flag *flags, ulong i, named_values given) { return true; }
#endif
// Bit k of a set says whether the flag of a work-item's k-th element is set.
static inline bool is_set(uint set, uint k) { return !HAS_FLAGS || (set >> k & 1) != 0; }

#if defined(COUNTS_BAD) || defined(CLAIM)
#define GATHER_WORKSPACE , __global uchar *workspace, ulong counts_at, ulong claims_at
#else
#define GATHER_WORKSPACE
#endif

// ---------------------------------------------------------------------------- how many indices are outside
#if GROUP_SIZE > 1
typedef uint bad_count;
#else
typedef ulong bad_count;
#endif
#ifdef COUNTS_BAD
// Stores how many of this group's indices are outside. All work-items must call, once, at the end of a kernel.
INLINE void store_bad(__global uchar *counts, bad_count bad, __local bad_count *bad_of_group) {
  if (get_local_id(0) == 0) *bad_of_group = GROUP_SIZE == 1 ? bad : 0;
  GROUP_BARRIER();
  if (GROUP_SIZE > 1 && bad != 0) atomic_add((volatile __local uint *)bad_of_group, (uint)bad);
  GROUP_BARRIER();
  if (get_local_id(0) == 0) ((__global ulong *)counts)[get_group_id(0)] = (ulong)*bad_of_group;
}
#define STORE_BAD(bad)               \
  __local bad_count bad_of_group[1]; \
  store_bad(workspace + counts_at, bad, bad_of_group);

// Adds up what `count` groups have stored. Global size: GROUP_SIZE.
KERNEL void gather_bad(const __global uchar *workspace, ulong counts_at, ulong count, __global ulong *bad, ulong bad_offset) {
  const __global ulong *counts = (const __global ulong *)(workspace + counts_at);
  const uint id = get_local_id(0);
  ulong sum = 0;
  for (ulong k = id; k < count; k += GROUP_SIZE) sum += counts[k];
  __local ulong sums[GROUP_SIZE];
  sums[id] = sum;
  for (uint width = GROUP_SIZE; width > 1;) {
    const uint half_width = (width + 1) / 2;
    GROUP_BARRIER();
    if (id + half_width < width) sums[id] += sums[id + half_width];
    width = half_width;
  }
  if (id == 0) bad[bad_offset] = sums[0];
}
#else
#define STORE_BAD(bad)
#endif

// ---------------------------------------------------------------------------- claims
// Which i has claimed an index of a scatter.
#ifdef CLAIM
enum { HAS_CLAIMS = 1 };
typedef CLAIM claim_number;
#define SCATTER_CLAIMS (const __global CLAIM *)(workspace + claims_at)
#else
enum { HAS_CLAIMS = 0 };
typedef uint claim_number;
#define SCATTER_CLAIMS 0
#endif
static inline bool is_claimed_by(claim_number claim, ulong i) { return !HAS_CLAIMS || claim == (claim_number)i; }
