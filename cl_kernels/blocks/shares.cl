// Shares: how units of work are divided among work-groups. Each group gets `each` neighbouring units, and the first
// `longer` groups one more.

// The first unit of a group's share; that of the next group is where the share ends. (A macro, because a reduction
// computes in 32 bits, whose divisions are cheap on a GPU, and a CPU in 64.)
#define SHARE_BEGIN(group, each, longer) ((group) * (each) + min(group, longer))

typedef struct {
  uint each, longer;
} dealing;

// The group whose share has a unit.
static inline uint group_of_unit(dealing dealt, uint unit) {
  const uint of_longer = dealt.longer * (dealt.each + 1);
  return unit < of_longer ? unit / (dealt.each + 1) : dealt.longer + (unit - of_longer) / dealt.each;
}

// The units from `begin` to before `end`.
typedef struct {
  ulong begin, end;
} own_units;

// The share of `count` units of a work-item that is a group.
static inline own_units own_share(ulong count) {
  const ulong each = count / get_num_groups(0);
  const ulong longer = count % get_num_groups(0);
  const ulong group = get_group_id(0);
  own_units own;
  own.begin = SHARE_BEGIN(group, each, longer);
  own.end = own.begin + each + (group < longer ? 1 : 0);
  return own;
}

#if GROUP_SIZE == 1
// Goes over the units that are this work-item's. Global size: any.
#define EACH_OWN_UNIT(unit, count)        \
  const own_units own = own_share(count); \
  for (ulong unit = own.begin; unit < own.end; ++unit)
#else
#define EACH_OWN_UNIT(unit, count) for (ulong unit = get_global_id(0); unit < (count); unit += get_global_size(0))
#endif
