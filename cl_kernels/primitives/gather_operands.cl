// What gathers and scatters move by (gather.cl): the indices, read or computed; the flags that say which of them count; and how
// many of those are outside.

#ifdef COMPUTED_INDEX
#define OFFSET_INDICES
#if defined(SHUFFLES)
#define INDICES_ARGUMENT PERMUTATION_ARGUMENTS
// Packets may reach past n.
#define INDEX_AT(i) ((INDEX)((i) < n ? permuted((INDEX)(i), (INDEX)n, WITH_PERMUTATION) : 0))
#elif defined(REVERSES)
#define INDICES_ARGUMENT ulong by
#define INDEX_AT(i) ((INDEX)(n - 1 - (i)))
#else
// by < n
#define INDICES_ARGUMENT ulong by
#define INDEX_AT(i) ((INDEX)((i) + by < n ? (i) + by : (i) + by - n))
#endif
#else
#define INDICES_ARGUMENT const __global INDEX *restrict indices, ulong indices_offset
#define OFFSET_INDICES indices += indices_offset;
#define INDEX_AT(i) indices[i]
#endif

// ---------------------------------------------------------------------------- flags
// Each i has a flag, and where it is not set nothing is read or written for i. A predicate may say when it is: an expression in
// x, the flag, and i. Indices and elements then come in packets of one.
#ifdef FLAG
#define GATHER_FLAGS , const __global FLAG *restrict flags, ulong flags_offset
#define OFFSET_FLAGS flags += flags_offset;
// Of kernels that take no values else.
#define GATHER_FLAG_VALUES VALUES_ARGUMENTS
#define COLLECT_FLAG_VALUES COLLECT_VALUES

INLINE bool is_set(FLAG flag, ulong i, named_values given) {
#ifdef PREDICATE_TEXT
  const FLAG_LOADED x = FLAG_READ(flag);
  return PREDICATE_TEXT;
#else
  return flag != 0;
#endif
}

// Bit k of `set` says whether the flag of a work-item's k-th of `count` elements is set: of those that are there, by conditions in
// k. Flags come before all else is loaded: where few are set, few indices and elements are.
#define LOAD_FLAGS(count, is_there, i)                                                          \
  uint set = 0;                                                                                 \
  UNROLL                                                                                        \
  for (uint k = 0; k < (count); ++k) {                                                          \
    if (is_there) set |= (is_set(flags[i], i, given) ? 1u : 0u) << k;                           \
  }
#define AND_IS_SET(k) &&(set >> (k)&1) != 0
// In a loop over i.
#define SKIP_UNSET(i) \
  if (!is_set(flags[i], i, given)) continue;
#else
#define GATHER_FLAGS
#define OFFSET_FLAGS
#define GATHER_FLAG_VALUES
#define COLLECT_FLAG_VALUES
#define LOAD_FLAGS(count, is_there, i)
#define AND_IS_SET(k)
#define SKIP_UNSET(i)
#endif

#if defined(COUNTS_BAD) || defined(CLAIM)
#define GATHER_WORKSPACE , __global uchar *workspace, ulong counts_at, ulong claims_at
#else
#define GATHER_WORKSPACE
#endif

// ---------------------------------------------------------------------------- how many indices are outside
#ifdef COUNTS_BAD
// Stores how many of this group's indices are outside. All work-items must call, once, at the end of a kernel.
#if GROUP_SIZE > 1
#define STORE_BAD(bad)                                                                                        \
  __local uint bad_of_group;                                                                                  \
  if (get_local_id(0) == 0) bad_of_group = 0;                                                                 \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                               \
  if ((bad) != 0) atomic_add((volatile __local uint *)&bad_of_group, bad);                                    \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                               \
  if (get_local_id(0) == 0) ((__global ulong *)(workspace + counts_at))[get_group_id(0)] = (ulong)bad_of_group;
#define BAD_COUNT uint
#else
#define STORE_BAD(bad) ((__global ulong *)(workspace + counts_at))[get_group_id(0)] = (bad);
#define BAD_COUNT ulong
#endif
#define COUNT_BAD(bad, is_bad) (bad) += (is_bad) ? 1 : 0;

// Adds up what `count` groups have stored. Global size: GROUP_SIZE.
KERNEL void gather_bad(const __global uchar *workspace, ulong counts_at, ulong count, __global ulong *bad, ulong bad_offset) {
  const __global ulong *counts = (const __global ulong *)(workspace + counts_at);
  const uint id = get_local_id(0);
  ulong sum = 0;
  for (ulong k = id; k < count; k += GROUP_SIZE) sum += counts[k];
#if GROUP_SIZE > 1
  __local ulong sums[GROUP_SIZE];
  sums[id] = sum;
  for (uint width = GROUP_SIZE; width > 1;) {
    const uint half_width = (width + 1) / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id + half_width < width) sums[id] += sums[id + half_width];
    width = half_width;
  }
  if (id == 0) bad[bad_offset] = sums[0];
#else
  bad[bad_offset] = sum;
#endif
}
#else
#define STORE_BAD(bad)
#define BAD_COUNT uint
#define COUNT_BAD(bad, is_bad)
#endif

#ifdef CLAIM
#define IS_CLAIMED_BY(claim, i) ((claim) == (CLAIM)(i))
#else
#define IS_CLAIMED_BY(claim, i) true
#endif
