// How many elements a call goes over: a number `n` that the host gives, or one on the device, which counts as `n_most` where
// it is larger (lib/call/counted.hpp).
//
// Launches are made for all elements that there may be. A kernel has ELEMENTS_ARGUMENT among its arguments, and COLLECT_ELEMENTS
// before its first use of n; where n may be less than the launch was made for, groups that find nothing to do return.
#ifdef COUNTED_BY
#define ELEMENTS_ARGUMENT_OF(type) const __global COUNTED_BY *restrict n_at, ulong n_offset, ulong n_most
#define COLLECT_ELEMENTS_OF(type) const type n = (type)min((ulong)n_at[n_offset], n_most);
// Elements before something, of which there may now be fewer.
#define AT_MOST_ELEMENTS(head) head = min(head, n);
// Returns from the kernel where there are no more units than this one's number. All work-items must call.
#define RETURN_BEHIND(unit, units) \
  if ((unit) >= (units)) return;
// At the end of a kernel that may return so: else PoCL 3.1 lets the first work-item alone do what stands behind the last
// barrier (seen in a partition by several launches).
#define MEET_AT_END GROUP_BARRIER();
// How many of the group's numbers are taken, where groups take them as they start.
#define STARTED_GROUPS(units) ((uint)get_num_groups(0))
#else
#define ELEMENTS_ARGUMENT_OF(type) type n
#define COLLECT_ELEMENTS_OF(type)
#define AT_MOST_ELEMENTS(head)
#define RETURN_BEHIND(unit, units)
#define MEET_AT_END
#define STARTED_GROUPS(units) (units)
#endif
// As ulong; few are counted in another type.
#define ELEMENTS_ARGUMENT ELEMENTS_ARGUMENT_OF(ulong)
#define COLLECT_ELEMENTS COLLECT_ELEMENTS_OF(ulong)
