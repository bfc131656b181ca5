// sort, sort_by_key and argsort by a text of the user's that says which of two keys comes first: a stable merge sort. Plans
// and arguments: lib/primitives/merge_sort.cpp.
//
// One launch sorts tiles: a GPU's in local memory, a CPU's in its caches. Each later pass merges pairs of runs that are twice
// as long as before, by merge path (merge_path.cl), in pieces of one size whatever the runs are. Keys and values go to the
// output and to a spare room in turn.

#define KEYS_AT(buffer, at) ((const __global KEY *)((buffer) + (at)))
#define KEYS_TO(buffer, at) ((__global KEY *)((buffer) + (at)))
#ifdef CARRIED_PART
#define CARRIED_ARGUMENTS , const __global uchar *values, ulong values_at, __global uchar *values_to, ulong values_to_at
#define CARRIED_FROM(at) ((carried_from)(values + values_at) + (at)*CARRIED_WORDS)
#define CARRIED_TO(at) ((carried_to)(values_to + values_to_at) + (at)*CARRIED_WORDS)
#define WITH_CARRIED(at) , CARRIED_FROM(at), CARRIED_TO(at)
#else
#define CARRIED_ARGUMENTS
#define WITH_CARRIED(at)
#endif

#if GROUP_SIZE > 1

// Global size: tiles * GROUP_SIZE. In place, too: a tile is loaded before any of it is stored.
KERNEL void merge_sort_tiles(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
                             CARRIED_ARGUMENTS, ELEMENTS_ARGUMENT VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  MERGE_MEMORY(memory);
  const ulong begin = (ulong)get_group_id(0) * MERGE_TILE;
  RETURN_BEHIND(begin, n)
  const uint count = (uint)min(n - begin, (ulong)MERGE_TILE);
  const __global KEY *own = KEYS_AT(keys, keys_at) + begin;
  merge_load_list(memory, own, count);
  GROUP_BARRIER();
  const merge_part_of_run part = {0, count, min(own_id_anew() * ITEMS, count)};
#if defined(FEW_TILES) && defined(MERGE_MOVES_KEYS)
  if (count == MERGE_TILE)
    merge_sort_tile(memory, own, part, MERGE_TILE, true, given);
  else
#endif
    merge_sort_tile(memory, own, part, count, false, given);
  merge_store_keys(KEYS_TO(keys_to, keys_to_at) + begin, memory, MERGE_SORTED_MOVED, count);
#if defined(INDEX)
  for (uint i = get_local_id(0); i < count; i += GROUP_SIZE) CARRIED_TO(begin)[i] = (INDEX)(begin + memory.order[MERGE_AT(i)]);
#elif defined(CARRIED_PART)
  merge_store_carried(CARRIED_TO(begin), CARRIED_FROM(begin), CARRIED_FROM(begin), count, true, memory, count);
#endif
  MEET_AT_END
}

#define MERGE_ENDS(workspace) ((__global ulong *)((workspace) + ends_at))

// Where tiles of a pass's result end, in the first run of their pair: a work-item for each of them but the last.
KERNEL void merge_sort_search(const __global uchar *keys, ulong keys_at, ELEMENTS_ARGUMENT, ulong run, uint ends,
                              __global uchar *workspace, ulong ends_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  AT_MOST_UNITS(ends, n - min(n, (ulong)MERGE_TILE), MERGE_TILE)
  __local ulong cuts[SEARCHES_OF_GROUP + 1];
  const uint end = merge_own_search();
  const ulong at = ((ulong)end + 1) * MERGE_TILE;
  ulong cut = 0;
  bool goes_on = false;
  if (end < ends) {
    const merge_pair pair = merge_pair_of(at - 1, run, n);
    cut = merge_pair_path(KEYS_AT(keys, keys_at), pair, at, given);
    goes_on = at < pair.end;
    if (merge_stores_cut()) MERGE_ENDS(workspace)[end] = cut;
  }
  merge_compare_cuts(cuts, end, ends, cut, goes_on, workspace);
}

// Global size: tiles * GROUP_SIZE. A run has whole tiles but the last.
KERNEL void merge_sort_pass(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
                            CARRIED_ARGUMENTS, ELEMENTS_ARGUMENT, ulong run, __global uchar *workspace,
                            ulong ends_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  MERGE_MEMORY(memory);
  const uint tile = get_group_id(0);
  const ulong begin = (ulong)tile * MERGE_TILE;
#ifdef FEW_TILES
  RETURN_BEHIND(begin, n)
  const uint count = (uint)min(n - begin, (ulong)MERGE_TILE);
  const merge_pair pair = merge_pair_of(begin, run, n);
  __local uint cuts[MERGE_CUTS_OF_ALL];
  const merge_part of_a =
      merge_own_part(KEYS_AT(keys, keys_at) + pair.begin, pair.middle - pair.begin, KEYS_AT(keys, keys_at) + pair.middle,
                     pair.end - pair.middle, (uint)((begin - pair.begin) / MERGE_TILE), cuts, memory.keys, given);
#else
  MERGE_RETURN_BEHIND(begin, n)
  const uint count = (uint)min(n - begin, (ulong)MERGE_TILE);
  const merge_pair pair = merge_pair_of(begin, run, n);
  const ulong a_n = pair.middle - pair.begin;
  merge_part of_a = {begin == pair.begin ? 0 : MERGE_ENDS(workspace)[tile - 1],
                     begin + count == pair.end ? a_n : MERGE_ENDS(workspace)[tile]};
  const bool disagree = merge_cuts_disagree(workspace);
  if (disagree) {
    of_a.begin = merge_other_cut(begin - pair.begin, a_n);
    of_a.end = merge_other_cut(begin + count - pair.begin, a_n);
  }
#endif
  const merge_piece piece = merge_piece_of(pair, begin, of_a);
  merge_piece_in_tile(memory, KEYS_AT(keys, keys_at), piece, count, given);
  merge_store_keys(KEYS_TO(keys_to, keys_to_at) + begin, memory, MERGE_MERGED_MOVED, count);
#ifdef CARRIED_PART
  merge_store_carried(CARRIED_TO(begin), CARRIED_FROM(piece.a), CARRIED_FROM(piece.b), piece.a_count, false, memory, count);
#endif
#ifndef FEW_TILES
  if (disagree) merge_forget_cuts(workspace);
#endif
  MEET_AT_END
}

#else

// A tile of `tile` keys for each work-item.
KERNEL void merge_sort_tiles(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at,
                             __global uchar *keys_spare, ulong keys_spare_at CARRIED_ARGUMENTS
#ifdef CARRIED_PART
                             , __global uchar *values_spare, ulong values_spare_at
#endif
                             , ELEMENTS_ARGUMENT, ulong tile VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(get_group_id(0) * tile, n)
  const ulong begin = get_group_id(0) * tile, count = min(n - begin, tile);
  merge_sort_serially(KEYS_AT(keys, keys_at) + begin, KEYS_TO(keys_to, keys_to_at) + begin WITH_CARRIED(begin),
                      KEYS_TO(keys_spare, keys_spare_at) + begin,
#ifdef CARRIED_PART
                      (carried_to)(values_spare + values_spare_at) + begin * CARRIED_WORDS,
#endif
                      count, begin, given);
}

// A share of the result for each work-item.
KERNEL void merge_sort_pass(const __global uchar *keys, ulong keys_at, __global uchar *keys_to, ulong keys_to_at
                            CARRIED_ARGUMENTS, ELEMENTS_ARGUMENT, ulong run VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  RETURN_BEHIND(0, n)
  const own_units own = merge_own_share(n);
  merge_sort_pairs(KEYS_AT(keys, keys_at), KEYS_TO(keys_to, keys_to_at) WITH_CARRIED(0), n, run, merge_share(n), own.begin,
                   own.end, given);
}

#endif  // GROUP_SIZE
