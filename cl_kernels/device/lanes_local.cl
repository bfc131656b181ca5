// Lanes through local memory, with real barriers: for devices with no way to exchange registers, and
// to emulate any LANES on any device. The slowest mechanism, and the one that is always right.
#ifdef EXCHANGE_LOCAL_MEMORY
#define LANES_NEED_EXCHANGE 1

#ifdef VALUE

// The value of the work-item `distance` lanes below; lanes that have none get their own. A lane that
// `holds` nothing hands nothing on, but to an operator of the user all hold a value. All work-items of the group must
// call, in step: the barriers are the group's.
static inline FOLDED lane_up_through_local(FOLDED x, bool holds, uint distance, __local FOLDED *exchange) {
  const uint id = get_local_id(0);
#if defined(USER_OPERATOR) && defined(EMULATE_LANES)
  // No more than real instructions promise (group.cl): lanes that do not end a span get what the last of the set has.
  exchange[id] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  const FOLDED below = exchange[id % (2 * distance) == 2 * distance - 1 ? id - distance : id | (LANES - 1)];
#else
  if (holds) exchange[id] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  const FOLDED below = (id % LANES) >= distance ? exchange[id - distance] : x;
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
  return below;
}
#endif

// The sum of the words of all lanes up to each one, right in every lane. All work-items of the group must call, in step.
static inline uint lanes_sums(uint word, __local uint *exchange) {
  const uint id = get_local_id(0);
  for (uint distance = 1; distance < LANES; distance *= 2) {
    exchange[id] = word;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint below = id % LANES >= distance ? exchange[id - distance] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    word += below;
  }
  return word;
}

// The lanes of the set that have the same digit; and a barrier of the set, here of the group. All work-items must call, in
// step.
static inline lane_mask lanes_that_match(uint digit, __local uint *exchange) {
  const uint id = get_local_id(0);
  exchange[id] = digit;
  barrier(CLK_LOCAL_MEM_FENCE);
  lane_mask same = 0;
  for (uint lane = 0; lane < LANES; ++lane)
    same |= (lane_mask)(exchange[id / LANES * LANES + lane] == digit ? 1 : 0) << lane;
  barrier(CLK_LOCAL_MEM_FENCE);
  return same;
}
static inline void lanes_barrier(void) { barrier(CLK_LOCAL_MEM_FENCE); }

#endif
