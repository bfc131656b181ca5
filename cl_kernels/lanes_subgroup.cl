// Lanes as sub-groups: for devices that have them for real, with a shuffle towards higher lanes.
#if EXCHANGE == EXCHANGE_SUB_GROUP

#if defined(cl_khr_subgroup_shuffle_relative)
#define LANE_WORD_UP(word, distance) sub_group_shuffle_up((uint)(word), (uint)(distance))
#elif defined(cl_intel_subgroups)
// Intel's form takes the lanes that fall off the low end from a first argument; nobody reads them.
#define LANE_WORD_UP(word, distance) intel_sub_group_shuffle_up((uint)(word), (uint)(word), (uint)(distance))
#else
#error "this profile needs sub_group_shuffle_up, which the compiler does not announce"
#endif

// The kernels count on sub-groups of exactly LANES work-items.
#if defined(cl_intel_required_subgroup_size)
#undef KERNEL
#define KERNEL                                                       \
  __kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) \
  __attribute__((intel_reqd_sub_group_size(LANES)))
#endif

#endif
