// merge and merge_by_key: two sorted ranges into one, by merge path. Plans and arguments: lib/primitives/merge.cpp.
//
// A GPU's first launch finds where the tiles of the result begin in both ranges, a search for each work-item. In the second,
// a group loads its tile's elements of both, which lie side by side in each; its work-items merge as many each in local memory;
// and keys and values are stored in the order found there, neighbours by neighbours. A CPU's work-items make a share of the
// result each.

#ifdef CARRIED_PART
#define MERGE_CARRIED_ARGUMENTS                                                                                      \
  , carried_from a_values, ulong a_values_offset, carried_from b_values, ulong b_values_offset, carried_to values_out, \
      ulong values_out_offset
#define COLLECT_CARRIED                        \
  a_values += a_values_offset * CARRIED_WORDS; \
  b_values += b_values_offset * CARRIED_WORDS; \
  values_out += values_out_offset * CARRIED_WORDS;
#else
#define MERGE_CARRIED_ARGUMENTS
#define COLLECT_CARRIED                          \
  const carried_from a_values = 0, b_values = 0; \
  const carried_to values_out = 0;
#endif

#if GROUP_SIZE > 1

// In the workspace the ends of all tiles but the last, in `a`: a work-item for each of them.
KERNEL void merge_search(SORTED_RANGES, uint ends, __global uchar *workspace, ulong ends_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local ulong cuts[SEARCHES_OF_GROUP + 1];
  COLLECT_RANGES
  ends = searches_before(ends, a_n + b_n);
  const uint end = merge_own_search();
  ulong cut = 0;
  if (end < ends) {
    cut = merge_path(a, a_n, b, b_n, ((ulong)end + 1) * MERGE_TILE, given);
    if (merge_stores_cut()) ((__global ulong *)(workspace + ends_at))[end] = cut;
  }
  merge_compare_cuts(cuts, end, ends, cut, true, workspace);
}

// Global size: tiles * GROUP_SIZE.
KERNEL void merge_tiles(SORTED_RANGES, __global KEY *restrict out, ulong out_offset MERGE_CARRIED_ARGUMENTS,
                        __global uchar *workspace, ulong ends_at VALUES_ARGUMENTS) {
  COLLECT_VALUES
  MERGE_MEMORY(memory);
  __local uint cuts[MERGE_CUTS_OF_ALL];
  COLLECT_RANGES
  COLLECT_CARRIED
  const uint tile = get_group_id(0);
  const ulong begin = (ulong)tile * MERGE_TILE, n = a_n + b_n;
  MERGE_RETURN_BEHIND(begin, n)
  const uint count = (uint)min(n - begin, (ulong)MERGE_TILE);
  merge_part of_a;
  bool disagree = false;
  if (IS_ON(FEW_TILES)) {
    of_a = merge_own_part(a, a_n, b, b_n, tile, cuts, memory.keys, given);
  } else {
    const __global ulong *ends = (const __global ulong *)(workspace + ends_at);
    of_a.begin = tile == 0 ? 0 : ends[tile - 1];
    of_a.end = (IS_COUNTED ? begin + MERGE_TILE >= n : tile + 1 == get_num_groups(0)) ? a_n : ends[tile];
    disagree = merge_cuts_disagree(workspace);
    if (disagree) {
      of_a.begin = merge_other_cut(begin, a_n);
      of_a.end = merge_other_cut(begin + count, a_n);
    }
  }
  const ulong b_begin = begin - of_a.begin;
  const uint a_count = (uint)(of_a.end - of_a.begin);
  merge_two_lists(memory, a + of_a.begin, a_count, b + b_begin, count, given);
  merge_store_keys(out + out_offset + begin, memory, MERGE_MERGED_MOVED, count);
  merge_store_carried(values_out + begin * CARRIED_WORDS, a_values + of_a.begin * CARRIED_WORDS,
                      b_values + b_begin * CARRIED_WORDS, a_count, false, memory, count);
  if (disagree) merge_forget_cuts(workspace);
  MEET_AT_END
}

#else

KERNEL void merge_shares(SORTED_RANGES, __global KEY *restrict out, ulong out_offset MERGE_CARRIED_ARGUMENTS VALUES_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_RANGES
  COLLECT_CARRIED
  const merge_divided merge = {a, b, a_n, b_n, 0, merge_share(a_n + b_n)};
  const own_units own = merge_own_share(a_n + b_n);
  if (own.begin == own.end) return;
  const merge_part of_a = merge_piece_between(merge, get_group_id(0), get_group_id(0) + 1, given);
  const merge_part of_b = {own.begin - of_a.begin, own.end - of_a.end};
  const merge_places places = {a, b, out + out_offset, a_values, b_values, values_out};
  merge_serially(places, of_a, of_b, own.begin, given);
}

#endif  // GROUP_SIZE

// Where neighbours stand in the wrong order: so many of a work-item's own.
INLINE ulong merge_descents_of(const __global KEY *x, ulong n, named_values given) {
  ulong i = 1 + get_global_id(0), end = n, step = get_global_size(0);
  if (GROUP_SIZE == 1) {
    const own_units own = own_share(max(n, (ulong)1) - 1);
    i = 1 + own.begin;
    end = 1 + own.end;
    step = 1;
  }
  ulong count = 0;
  for (; i < end; i += step) count += comes_before(key_at(x + i), key_at(x + i - 1), given) ? 1 : 0;
  return count;
}

// The sum of a number of each work-item, in the first one. All must call.
INLINE ulong merge_sum(ulong number, __local ulong *numbers) {
  numbers[get_local_id(0)] = number;
  GROUP_BARRIER();
  if (get_local_id(0) == 0) {
    for (uint other = 1; other < GROUP_SIZE; ++other) number += numbers[other];
  }
  return number;
}

static inline __global ulong *merge_descents_counted(__global uchar *workspace) { return (__global ulong *)(workspace + OWN_AT); }

KERNEL void merge_descents(SORTED_RANGES, __global uchar *workspace VALUES_ARGUMENTS) {
  COLLECT_VALUES
  __local ulong numbers[GROUP_SIZE];
  COLLECT_RANGES
  const ulong own = merge_descents_of(a, a_n, given) + merge_descents_of(b, b_n, given);
  const ulong sum = merge_sum(own, numbers);
  if (get_local_id(0) == 0) merge_descents_counted(workspace)[get_group_id(0)] = sum;
}

// One group.
KERNEL void merge_sum_descents(uint counts, __global ulong *descents, ulong descents_offset, __global uchar *workspace) {
  __local ulong numbers[GROUP_SIZE];
  ulong own = 0;
  for (uint k = get_local_id(0); k < counts; k += GROUP_SIZE) own += merge_descents_counted(workspace)[k];
  const ulong sum = merge_sum(own, numbers);
  if (get_local_id(0) == 0) descents[descents_offset] = sum;
}
