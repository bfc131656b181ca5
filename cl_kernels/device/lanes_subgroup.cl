// Lanes as sub-groups: for devices that have them for real, with a shuffle towards higher lanes.
#ifdef EXCHANGE_SUB_GROUP

#if defined(cl_khr_subgroup_shuffle_relative)
// Lanes that have none below get anything from this one; they keep their own word, for an operator of the user.
static inline uint sub_group_word_up(uint word, uint distance) {
  const uint below = sub_group_shuffle_up(word, distance);
  return IS_ON(USER_OPERATOR) && get_sub_group_local_id() < distance ? word : below;
}
#define LANE_WORD_UP(word, distance) sub_group_word_up(word, distance)
#elif defined(cl_intel_subgroups)
// Intel's form gives lanes that have none below what a lane at the high end has of its first argument.
#define LANE_WORD_UP(word, distance) intel_sub_group_shuffle_up((uint)(word), (uint)(word), (uint)(distance))
#else
#error "this profile needs sub_group_shuffle_up, which the compiler does not announce"
#endif

static inline uint lane_word_stay(uint word) { return word; }

// The sum of the words of all lanes up to each one, right in every lane.
static inline uint lanes_sums(uint word, __local uint *exchange) {
  const uint lane = get_sub_group_local_id();
  UNROLL
  for (uint distance = 1; distance < LANES; distance *= 2) {
    const uint below = LANE_WORD_UP(word, distance);
    word += lane >= distance ? below : 0;
  }
  return word;
}
// The word of the lane below, and of the last one in the first.
static inline uint sub_group_word_from_below(uint word) {
  const uint below = LANE_WORD_UP(word, 1);
  const uint last = sub_group_broadcast(word, LANES - 1);
  return get_sub_group_local_id() == 0 ? last : below;
}
#define LANE_WORD_FROM_BELOW(word) sub_group_word_from_below(word)

// Which lanes say so; and what one lane writes to local memory before it others of its set may read behind it.
#ifdef MATCHES_LANES
#if defined(cl_khr_subgroup_ballot) && LANES <= 32
static inline lane_mask lanes_ballot(uint says) { return sub_group_ballot(says != 0).x; }
#else
// Each lane adds a bit of its own.
static inline lane_mask lanes_ballot(uint says) {
  const uint lane = get_sub_group_local_id(), bit = says != 0 ? 1u << lane % 32 : 0;
  const lane_mask lanes = sub_group_reduce_add(lane < 32 ? bit : 0);
  if (LANES <= 32) return lanes;
  return lanes | (lane_mask)((ulong)sub_group_reduce_add(lane < 32 ? 0 : bit) << 32);
}
#endif
static inline void lanes_barrier(void) { sub_group_barrier(CLK_LOCAL_MEM_FENCE); }
#endif

// The kernels count on sub-groups of exactly LANES work-items.
#if defined(cl_intel_required_subgroup_size)
#undef KERNEL
#define KERNEL                                                       \
  __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) \
  __attribute__((intel_reqd_sub_group_size(LANES)))
#endif

#endif
