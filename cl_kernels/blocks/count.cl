// How many elements a call goes over: a number `n` that the host gives, or one on the device, which counts as `n_most` where
// it is larger (lib/call/counted.hpp).
//
// Launches are made for n_most elements. A kernel has ELEMENTS_ARGUMENT among its arguments, and COLLECT_ELEMENTS before its first
// use of n, which then may be 0. Groups whose tiles lie behind the last element return. Where there may be many such groups, a
// launch has a few for each unit of the device, and a group takes one tile after the other: each group waits for the number once.
#ifdef COUNTED_BY
enum { IS_COUNTED = 1 };
#define ELEMENTS_ARGUMENT_OF(type) const __global COUNTED_BY *restrict n_at, ulong n_offset, ulong n_most
#define COLLECT_ELEMENTS_OF(type) const type n = (type)min((ulong)n_at[n_offset], n_most);
// Goes over the blocks of `size` elements or packets that a group takes; `first` is the first one of a work-item in a block.
#define EACH_OWN_BLOCK(first, size, end)                                               \
  for (ulong first = get_group_id(0) * (ulong)(size) + get_local_id(0); first < (end); \
       first += get_num_groups(0) * (ulong)(size))
// Limits what each group takes, units of `size` elements, to as many as it takes of `end` elements. In `part` a unit counts
// for `each`.
#define AT_MOST_OF_GROUP(part, end, size, each) \
  part = (uint)min((ulong)part, ((end) / (get_num_groups(0) * (ulong)(size)) + 1) * (each));
#else
enum { IS_COUNTED = 0 };
#define ELEMENTS_ARGUMENT_OF(type) type n
#define COLLECT_ELEMENTS_OF(type)
#define AT_MOST_OF_GROUP(part, end, size, each)
// A group has one block, which may lie behind the end.
#define EACH_OWN_BLOCK(first, size, end) const ulong first = get_group_id(0) * (ulong)(size) + get_local_id(0);
#endif
// In the type of nearly all kernels.
#define ELEMENTS_ARGUMENT ELEMENTS_ARGUMENT_OF(ulong)
#define COLLECT_ELEMENTS COLLECT_ELEMENTS_OF(ulong)

// Of these nothing is left where the host gives the number.
// Limits a number of elements, which the host reckoned from n_most.
#define AT_MOST_ELEMENTS(head) \
  if (IS_COUNTED) head = min(head, n);
// Of a number of units of `size` elements those that begin before `end`.
static inline uint units_before(uint units, ulong end, uint size) {
  return IS_COUNTED ? (uint)min((ulong)units, (end + size - 1) / size) : units;
}
// Returns from the kernel where the number of a group's unit, a tile say, is not less than that of all. All work-items must call.
#define RETURN_BEHIND(unit, units) \
  if (IS_COUNTED && (unit) >= (units)) return;
// At the end of a kernel that may return so. Without it PoCL 3.1 lets the first work-item alone execute what follows the last
// barrier (seen in a partition by several launches).
#define MEET_AT_END \
  if (IS_COUNTED) GROUP_BARRIER();
// How many numbers the groups of a launch take, where each takes one as it starts.
#define STARTED_GROUPS(units) (IS_COUNTED ? (uint)get_num_groups(0) : (units))
