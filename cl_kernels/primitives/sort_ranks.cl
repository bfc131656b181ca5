// sort: few keys in one launch of many groups, each key straight to its place. Plans and arguments: lib/primitives/sort.cpp.
//
// A key's rank, which is its place, is the number of keys that come before it: those that are smaller and, of its equals,
// those of smaller indices. A group ranks LANES neighbouring keys, one in each lane. All keys go through its local memory,
// and each lane set compares a share of them with the group's; the sums over the sets are the ranks. That is n^2
// comparisons, but they are those of all units at once, and no group waits for another. (Comparison counting: Knuth, "The Art
// of Computer Programming", volume 3, 5.2, algorithm C.)
//
// The rate of comparisons bounds it; keys of 8 bytes take twice as long to compare. Of groups of 256, 512 and 1024 work-items the
// largest were the fastest, and a network of comparisons in one group took twice as long (tools/results/kernels-notes.txt).

enum {
  RANK_SETS = GROUP_SIZE / LANES,
  // So many keys are in local memory at a time.
  RANK_ROOM = GROUP_SIZE * ITEMS
};

// How many of LANES neighbouring keys come before one of another place, which their equals do if they lie before it.
INLINE uint rank_behind(const __local ordered_key *words, ordered_key own) {
  uint before = 0;
  UNROLL
  for (uint k = 0; k < LANES; ++k) before += words[k] <= own ? 1 : 0;
  return before;
}
INLINE uint rank_ahead(const __local ordered_key *words, ordered_key own) {
  uint before = 0;
  UNROLL
  for (uint k = 0; k < LANES; ++k) before += words[k] < own ? 1 : 0;
  return before;
}
// The same where that one is number `lane` of them.
INLINE uint rank_among(const __local ordered_key *words, ordered_key own, uint lane) {
  uint before = 0;
  UNROLL
  for (uint k = 0; k < LANES; ++k) before += words[k] < own || (words[k] == own && k < lane) ? 1 : 0;
  return before;
}

// Where ranked keys, and what goes with them, are stored first.
#ifdef RANKS_IN_PLACE
#define RANK_ARGUMENTS , __global uchar *workspace, ulong keys_spare_at, ulong values_spare_at
#define COLLECT_RANKED                                                    \
  __global KEY *keys_ranked = sort_keys_to(workspace, keys_spare_at); \
  __global carried *values_ranked = sort_carried_to(workspace, values_spare_at);
#else
#define RANK_ARGUMENTS
#define COLLECT_RANKED                      \
  __global KEY *keys_ranked = all.keys_to; \
  __global carried *values_ranked = all.values_to;
#endif

// The bits of a key that are compared.
static inline ordered_key rank_word_of(KEY key, uint shift, ulong mask) {
  return (ordered_key)((ordered_key)key_ordered(key) >> shift) & (ordered_key)mask;
}

// Of the bits of a key those of `mask` are compared, from bit `shift` on. Global size: a group for each LANES keys. In place
// (RANKS_IN_PLACE) groups store to the workspace, because others may still read, and the last one brings all to its place.
KERNEL void sort_ranks(SORT_AT_ONCE_ARGUMENTS, ELEMENTS_ARGUMENT_OF(uint), uint shift, ulong mask RANK_ARGUMENTS) {
  COLLECT_ELEMENTS_OF(uint)
  COLLECT_AT_ONCE
  COLLECT_RANKED
  __local ordered_key words[RANK_ROOM] __attribute__((aligned(16)));
  __local uint ranks[GROUP_SIZE];
  const uint id = own_id_anew();
  const uint lane = id % LANES, set = id / LANES;
  const uint first = get_group_id(0) * LANES, i = first + lane;
  const __global KEY *from = all.keys;
  const KEY key = i < n ? from[i] : 0;
  carried with_key;
  if (MAKES_ORDER)
    with_key = carried_index(i);
  else if (CARRIES && set == 0 && i < n)
    with_key = all.values[i];
  const ordered_key own = rank_word_of(key, shift, mask);
  uint rank = 0;
  for (uint begin = 0; begin < n; begin += RANK_ROOM) {
    if (begin > 0) GROUP_BARRIER();
    // Behind the last key lie some that come before none.
    UNROLL
    for (uint k = 0; k < ITEMS; ++k) {
      const uint j = begin + k * GROUP_SIZE + id;
      if (j < n + LANES)
        words[k * GROUP_SIZE + id] = j < n ? rank_word_of(from[j], shift, mask) : ~(ordered_key)0;
    }
    GROUP_BARRIER();
    const uint end = min(n, begin + RANK_ROOM);
    for (uint at = begin + set * LANES; at < end; at += GROUP_SIZE) {
      const __local ordered_key *some = words + (at - begin);
      if (at < first)
        rank += rank_behind(some, own);
      else if (at > first)
        rank += rank_ahead(some, own);
      else
        rank += rank_among(some, own, lane);
    }
  }
  ranks[id] = rank;
  GROUP_BARRIER();
  if (set == 0 && i < n) {
    for (uint s = 1; s < RANK_SETS; ++s) rank += ranks[s * LANES + lane];
    if (!MAKES_ORDER) keys_ranked[rank] = key;
    if (CARRIES) values_ranked[rank] = with_key;
  }
#ifdef RANKS_IN_PLACE
  __local uint flag;
  if (!arrives_last((__global uint *)(workspace + COUNTER_AT), get_num_groups(0), &flag)) return;
  for (uint j = id; j < n; j += GROUP_SIZE) {
    all.keys_to[j] = keys_ranked[j];
    if (CARRIES) all.values_to[j] = values_ranked[j];
  }
#endif
}
