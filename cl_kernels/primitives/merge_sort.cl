// sort, sort_by_key and argsort by a text of the user's that says which of two keys comes first: a stable merge sort. Plans
// and arguments: lib/primitives/merge_sort.cpp.
//
// One launch sorts tiles: a GPU's in local memory, a CPU's in its caches. Each later pass merges pairs of runs that are twice
// as long as before, by merge path (merge_path.cl), in pieces of one size whatever the runs are. Passes write keys and values to
// the output and to a scratch buffer alternately (ping-pong).

// Where keys and their values lie, and where they go, in bytes; on a CPU also a scratch buffer for values.
#define KEYS_ARGUMENTS const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
static inline const __global KEY *keys_from(const __global uchar *buffer, ulong at) { return (const __global KEY *)(buffer + at); }
static inline __global KEY *keys_into(__global uchar *buffer, ulong at) { return (__global KEY *)(buffer + at); }
#ifdef CARRIED_PART
#define CARRIED_ARGUMENTS , const __global uchar *values, ulong values_at, __global uchar *values_to, ulong values_to_at
#define SPARE_ARGUMENTS , __global uchar *values_spare, ulong values_spare_at
#define CARRIED_FROM ((carried_from)(values + values_at))
#define CARRIED_TO ((carried_to)(values_to + values_to_at))
#define CARRIED_SPARE ((carried_to)(values_spare + values_spare_at))
#else
#define CARRIED_ARGUMENTS
#define SPARE_ARGUMENTS
#define CARRIED_FROM ((carried_from)0)
#define CARRIED_TO ((carried_to)0)
#define CARRIED_SPARE ((carried_to)0)
#endif

#if GROUP_SIZE > 1

// Global size: tiles * GROUP_SIZE. In place, too: a tile is loaded before any of it is stored.
KERNEL void merge_sort_tiles(KEYS_ARGUMENTS CARRIED_ARGUMENTS, ELEMENTS_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  MERGE_MEMORY(memory);
  const ulong begin = (ulong)get_group_id(0) * MERGE_TILE;
  RETURN_BEHIND(begin, n)
  const uint count = (uint)min(n - begin, (ulong)MERGE_TILE);
  const __global KEY *own = keys_from(keys, keys_at) + begin;
  merge_load_list(memory, own, count);
  GROUP_BARRIER();
  const merge_part_of_run part = {0, count, min(own_id_anew() * ITEMS, count)};
  if (IS_ON(FEW_TILES) & MERGE_MOVES_KEYS && count == MERGE_TILE)
    merge_sort_tile(memory, own, part, MERGE_TILE, true, given);
  else
    merge_sort_tile(memory, own, part, count, false, given);
  merge_store_keys(keys_into(keys_to, keys_to_at) + begin, memory, MERGE_SORTED_MOVED, count);
  if (IS_ON(CARRIES_INDICES)) {
    for (uint i = get_local_id(0); i < count; i += GROUP_SIZE)
      CARRIED_TO[begin + i] = (carried_part)(begin + memory.order[merge_at(i)]);
  } else {
    merge_store_carried(CARRIED_TO + begin * CARRIED_WORDS, CARRIED_FROM + begin * CARRIED_WORDS,
                        CARRIED_FROM + begin * CARRIED_WORDS, count, true, memory, count);
  }
  MEET_AT_END
}

// Where tiles of a pass's result end, in the first run of their pair: a work-item for each of them but the last.
KERNEL void merge_sort_search(const __global uchar *keys, ulong keys_at, ELEMENTS_ARGUMENT, ulong run, uint ends,
                              __global uchar *workspace, ulong ends_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  ends = searches_before(ends, n);
  __local ulong cuts[SEARCHES_OF_GROUP + 1];
  const uint end = merge_own_search();
  const ulong at = ((ulong)end + 1) * MERGE_TILE;
  ulong cut = 0;
  bool goes_on = false;
  if (end < ends) {
    const merge_pair pair = merge_pair_of(at - 1, run, n);
    cut = merge_pair_path(keys_from(keys, keys_at), pair, at, given);
    goes_on = at < pair.end;
    if (merge_stores_cut()) ((__global ulong *)(workspace + ends_at))[end] = cut;
  }
  merge_compare_cuts(cuts, end, ends, cut, goes_on, workspace);
}

// Global size: tiles * GROUP_SIZE. A run has whole tiles but the last.
KERNEL void merge_sort_pass(KEYS_ARGUMENTS CARRIED_ARGUMENTS, ELEMENTS_ARGUMENT, ulong run, __global uchar *workspace,
                            ulong ends_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  MERGE_MEMORY(memory);
  __local uint cuts[MERGE_CUTS_OF_ALL];
  const uint tile = get_group_id(0);
  const ulong begin = (ulong)tile * MERGE_TILE;
  MERGE_RETURN_BEHIND(begin, n)
  const uint count = (uint)min(n - begin, (ulong)MERGE_TILE);
  const merge_pair pair = merge_pair_of(begin, run, n);
  const ulong a_n = pair.middle - pair.begin;
  merge_part of_a;
  bool disagree = false;
  if (IS_ON(FEW_TILES)) {
    const __global KEY *from = keys_from(keys, keys_at);
    of_a = merge_own_part(from + pair.begin, a_n, from + pair.middle, pair.end - pair.middle,
                          (uint)((begin - pair.begin) / MERGE_TILE), cuts, memory.keys, given);
  } else {
    const __global ulong *ends = (const __global ulong *)(workspace + ends_at);
    of_a.begin = begin == pair.begin ? 0 : ends[tile - 1];
    of_a.end = begin + count == pair.end ? a_n : ends[tile];
    disagree = merge_cuts_disagree(workspace);
    if (disagree) {
      of_a.begin = merge_other_cut(begin - pair.begin, a_n);
      of_a.end = merge_other_cut(begin + count - pair.begin, a_n);
    }
  }
  const merge_piece piece = merge_piece_of(pair, begin, of_a);
  merge_piece_in_tile(memory, keys_from(keys, keys_at), piece, count, given);
  merge_store_keys(keys_into(keys_to, keys_to_at) + begin, memory, MERGE_MERGED_MOVED, count);
  merge_store_carried(CARRIED_TO + begin * CARRIED_WORDS, CARRIED_FROM + piece.a * CARRIED_WORDS,
                      CARRIED_FROM + piece.b * CARRIED_WORDS, piece.a_count, false, memory, count);
  if (disagree) merge_forget_cuts(workspace);
  MEET_AT_END
}

#else

// A tile of `tile` keys for each work-item.
KERNEL void merge_sort_tiles(KEYS_ARGUMENTS, __global uchar *keys_spare, ulong keys_spare_at CARRIED_ARGUMENTS SPARE_ARGUMENTS,
                             ELEMENTS_ARGUMENT, ulong tile VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(get_group_id(0) * tile, n)
  const ulong begin = get_group_id(0) * tile, count = min(n - begin, tile), part = begin * CARRIED_WORDS;
  merge_sort_serially(keys_from(keys, keys_at) + begin, keys_into(keys_to, keys_to_at) + begin, CARRIED_FROM + part,
                      CARRIED_TO + part, keys_into(keys_spare, keys_spare_at) + begin, CARRIED_SPARE + part, count, begin, given);
}

// A share of the result for each work-item.
KERNEL void merge_sort_pass(KEYS_ARGUMENTS CARRIED_ARGUMENTS, ELEMENTS_ARGUMENT, ulong run VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(0, n)
  const own_units own = merge_own_share(n);
  merge_sort_pairs(keys_from(keys, keys_at), keys_into(keys_to, keys_to_at), CARRIED_FROM, CARRIED_TO, n, run, merge_share(n),
                   own.begin, own.end, given);
}

#endif  // GROUP_SIZE
