// top_k: the best elements with their indices, in order. Plans and arguments: lib/primitives/top_k.cpp.
//
// Best are the first ones of a sort: elements are put in order by their bits, of equal ones the lowest index is best. Of few
// elements one group finds the bound that k of them do not exceed (top_k_bound.cl), takes these and sorts them. Of many, a
// bound is found first in a sample, elements here and there of which one in each of as many pieces of the input stands for
// the piece: one that surely more than k elements do not exceed, and not many more. Then all groups go once over the input,
// and put what does not exceed that bound on a list; from the list one group takes the best. Of very many elements the first
// sample gives the bound for a second, larger one. Samples only save work: where the list turns out too short or too long,
// the one group goes over the whole input instead, and the result is the same.
//
// What bounds it: the input is read once, all else is a few launches of one group, some 10 us each (not measured).
//
// Where k is large all elements are sorted, and the first ones taken: top_k_take.cl.

// In the workspace: how many candidates are on the list, which is 0 between two calls, the bound, and the list.
static inline volatile __global uint *list_count(__global uchar *workspace) {
  return (volatile __global uint *)(workspace + COUNTER_AT);
}
static inline __global best_bound *list_bound(__global uchar *workspace) { return (__global best_bound *)(workspace + OWN_AT); }
#define LIST_ARGUMENTS uint capacity, __global uchar *workspace, ulong keys_at, ulong indices_at
static inline __global KEY *list_keys(__global uchar *workspace, ulong keys_at) { return (__global KEY *)(workspace + keys_at); }
static inline __global INDEX *list_indices(__global uchar *workspace, ulong indices_at) {
  return (__global INDEX *)(workspace + indices_at);
}

// Element `i` of a sample of `count`: each piece of the input has one, somewhere in it.
INLINE ulong sample_at(ulong i, ulong n, ulong count) {
  const ulong each = n / count, longer = n % count;
  uint mixed = (uint)i * 0x9e3779b1u;
  mixed ^= mixed >> 15;
  mixed *= 0x85ebca6bu;
  mixed ^= mixed >> 13;
  return SHARE_BEGIN(i, each, longer) + mixed % (each + (i < longer ? 1 : 0));
}

// Where only the device knows how many elements there are, the samples' sizes and the ranks follow from it here, as from what
// the host knows in samples_of() (lib/primitives/top_k.cpp): of the first sample, `first` at most; of the second, `second` at
// most, of which each stands for `each` elements (0: there is none). No result depends on them.
#define SAMPLES_ARGUMENTS uint first, ulong second, uint each

static inline ulong second_sample(ulong n, uint first, ulong second, uint each) {
  return min(min(max(n / each, 2 * (ulong)first), second), n);
}

// What a number is surely below, where `mean` are expected.
static inline float surely_below(float mean) { return mean + 8 * sqrt(mean) + 40; }

// The rank of a bound for the best k in the second sample, or where `of_first` in the first one.
static inline uint counted_rank(bool of_first, ulong n, uint k, uint first, ulong second, uint each) {
  const float all = (float)max(n, (ulong)1), in_first = (float)min((ulong)first, n);
  float rank = surely_below((float)k * in_first / all);
  if (second != 0) {
    const float in_second = (float)max(second_sample(n, first, second, each), (ulong)1);
    rank = surely_below((float)k * in_second / all) + 1;
    if (of_first) rank = surely_below(surely_below(rank) * in_first / in_second);
  }
  return (uint)rank + 1;
}

INLINE void list_candidate(KEY key, ulong i, best_bound bound, LIST_ARGUMENTS) {
  if (!within_bound(key, (INDEX)i, bound)) return;
  const uint place = atomic_inc(list_count(workspace));
  if (place < capacity) {
    list_keys(workspace, keys_at)[place] = key;
    list_indices(workspace, indices_at)[place] = (INDEX)i;
  }
}

// Finds the bound that `rank` candidates of a sample do not exceed: of `sampled` elements, which are put on the list, or
// where that is 0 of those that another kernel put there. Where there are not so many, nothing exceeds it. One group.
KERNEL void top_k_bound(const __global KEY *x, ulong x_offset, ELEMENTS_ARGUMENT, uint sampled, uint rank, SAMPLES_ARGUMENTS,
                        uint index_bits, LIST_ARGUMENTS) {
  __local best_room room;
  COLLECT_ELEMENTS
  if (IS_COUNTED) rank = counted_rank(sampled != 0, n, rank, first, second, each);
  sampled = units_before(sampled, n, 1);
  const uint id = get_local_id(0);
  uint count = sampled;
  if (sampled == 0) {
    count = *list_count(workspace);
    GROUP_GLOBAL_BARRIER();
    if (id == 0) *list_count(workspace) = 0;
  } else {
    UNROLL_BY(1)
    for (uint i = id; i < sampled; i += GROUP_SIZE) {
      const ulong at = sample_at(i, n, sampled);
      list_keys(workspace, keys_at)[i] = key_ordered(x[x_offset + at]);
      list_indices(workspace, indices_at)[i] = (INDEX)at;
    }
    GROUP_GLOBAL_BARRIER();
  }
  best_bound bound = {(KEY)~(KEY)0, (INDEX)~(INDEX)0};
  if (count >= rank && count <= capacity) {
    const best_candidates list = {x, list_keys(workspace, keys_at), list_indices(workspace, indices_at), false};
    bound = find_bound(list, count, rank, index_bits, &room);
  }
  if (id == 0) *list_bound(workspace) = bound;
}

// Puts the elements of a sample on the list that do not exceed the bound.
KERNEL void top_k_sample(const __global KEY *x, ulong x_offset, ELEMENTS_ARGUMENT, ulong sampled, SAMPLES_ARGUMENTS,
                         LIST_ARGUMENTS) {
  COLLECT_ELEMENTS
  if (IS_COUNTED) sampled = second_sample(n, first, second, each);
  const best_bound bound = *list_bound(workspace);
  EACH_OWN_UNIT(i, sampled) {
    const ulong at = sample_at(i, n, sampled);
    list_candidate(key_ordered(x[x_offset + at]), at, bound, capacity, workspace, keys_at, indices_at);
  }
}

// Puts all elements on the list that do not exceed the bound, which are few: most packets, on a CPU most pieces, have none.
#if GROUP_SIZE == 1
enum { FILTER_PIECE = 64 };
KERNEL void top_k_filter(const __global KEY *x, ulong x_offset, ELEMENTS_ARGUMENT, LIST_ARGUMENTS) {
  COLLECT_ELEMENTS
  const best_bound bound = *list_bound(workspace);
  const own_units own = own_share(n);
  const __global KEY *from = x + x_offset;
  for (ulong begin = own.begin; begin < own.end; begin += FILTER_PIECE) {
    bool any = true;
    if (own.end - begin >= FILTER_PIECE) {
      any = false;
      for (uint k = 0; k < FILTER_PIECE; ++k) any |= key_ordered(from[begin + k]) <= bound.key;
    }
    const ulong end = any ? min(begin + FILTER_PIECE, own.end) : begin;
    for (ulong i = begin; i < end; ++i)
      list_candidate(key_ordered(from[i]), i, bound, capacity, workspace, keys_at, indices_at);
  }
}
#else
KERNEL void top_k_filter(const __global KEY *x, ulong x_offset, ELEMENTS_ARGUMENT, uint head, uint tiles, LIST_ARGUMENTS) {
  COLLECT_VALUES
  COLLECT_ELEMENTS
  const key_input in = key_input_of(x + x_offset, n, head);
  tiles = units_before(tiles, in.end, KEYS_OF_TILE);
  const best_bound bound = *list_bound(workspace);
  UNROLL_BY(1)
  for (uint tile = get_group_id(0); tile < tiles; tile += get_num_groups(0)) {
    const ulong start = (ulong)tile * KEYS_OF_TILE;
    if (start >= in.head && start + KEYS_OF_TILE <= in.end) {
      key_packet held[ITEMS];
      load_key_packets(held, in.x + start, given);
      UNROLL
      for (uint k = 0; k < ITEMS; ++k) {
        bool any = false;
        UNROLL
        for (uint e = 0; e < VECTOR; ++e) any |= key_ordered(key_in(&held[k], e)) <= bound.key;
        if (any) {
          const ulong first = start + packet_in_tile(k) - in.head;
          UNROLL_BY(1)
          for (uint e = 0; e < VECTOR; ++e)
            list_candidate(key_ordered(in.x[first + in.head + e]), first + e, bound, capacity, workspace, keys_at, indices_at);
        }
      }
    } else {
      const ulong end = keys_end(in, tile);
      for (ulong j = keys_begin(in, tile) + own_id_anew(); j < end; j += GROUP_SIZE)
        list_candidate(key_ordered(in.x[j]), j - in.head, bound, capacity, workspace, keys_at, indices_at);
    }
  }
}
#endif

// Takes the k best of the list, or of the whole input where that is what is asked for or the list has not all of them, sorts
// them, and stores them with their indices. One group.
KERNEL void top_k_finish(const __global KEY *x, ulong x_offset, ELEMENTS_ARGUMENT, uint k, uint listed, uint index_bits,
                         __global KEY *values, ulong values_offset, __global INDEX *indices, ulong indices_offset,
                         LIST_ARGUMENTS) {
  __local best_room room;
  __local KEY best_keys[MOST_BEST];
  __local INDEX best_indices[MOST_BEST];
  __local uint taken;
  COLLECT_ELEMENTS
  k = units_before(k, n, 1);
  RETURN_BEHIND(0, k)
  const uint id = get_local_id(0);
  const uint found = listed != 0 ? *list_count(workspace) : 0;
  const bool of_list = listed != 0 && found >= k && found <= capacity;
  const ulong count = of_list ? found : n;
  const best_candidates from = {x + x_offset, list_keys(workspace, keys_at), list_indices(workspace, indices_at), !of_list};
  if (id == 0) taken = 0;
  GROUP_GLOBAL_BARRIER();
  if (id == 0 && listed != 0) *list_count(workspace) = 0;
  const best_bound bound = find_bound(from, count, k, index_bits, &room);
  for (ulong i = id; i < count; i += GROUP_SIZE) {
    const KEY key = candidate_key(from, i);
    if (key > bound.key) continue;
    const INDEX index = candidate_index(from, i);
    if (within_bound(key, index, bound)) {
      const uint place = GROUP_SIZE > 1 ? atomic_inc(&taken) : taken++;
      if (place < k) {
        best_keys[place] = key;
        best_indices[place] = index;
      }
    }
  }
  // What fills up a power of two comes last.
  uint size = 1;
  UNROLL_BY(1)
  while (size < k) size *= 2;
  UNROLL_BY(1)
  for (uint i = k + id; i < size; i += GROUP_SIZE) {
    best_keys[i] = (KEY)~(KEY)0;
    best_indices[i] = (INDEX)~(INDEX)0;
  }
  GROUP_BARRIER();
  // A bitonic sort. (Batcher, "Sorting networks and their applications", 1968.)
  UNROLL_BY(1)
  for (uint run = 2; run <= size; run *= 2) {
    UNROLL_BY(1)
    for (uint apart = run / 2; apart > 0; apart /= 2) {
      UNROLL_BY(1)
      for (uint pair = id; pair < size / 2; pair += GROUP_SIZE) {
        const uint low = pair / apart * (2 * apart) + pair % apart, high = low + apart;
        const best_bound a = {best_keys[low], best_indices[low]}, b = {best_keys[high], best_indices[high]};
        if (within_bound(b.key, b.index, a) == ((low & run) == 0)) {
          best_keys[low] = b.key;
          best_indices[low] = b.index;
          best_keys[high] = a.key;
          best_indices[high] = a.index;
        }
      }
      GROUP_BARRIER();
    }
  }
  UNROLL_BY(1)
  for (uint i = id; i < k; i += GROUP_SIZE) {
    const INDEX index = best_indices[i];
    values[values_offset + i] = x[x_offset + index];
    indices[indices_offset + i] = index;
  }
  MEET_AT_END
}
