// Groups: their barriers, and lane sets, which fold one value per lane as a tree of adjacent pairs, whatever the lanes
// exchange by.

// A group of one work-item needs none.
#define GROUP_BARRIER()                                   \
  do {                                                    \
    if (GROUP_SIZE > 1) barrier(CLK_LOCAL_MEM_FENCE);     \
  } while (0)
#define GROUP_GLOBAL_BARRIER()                                                        \
  do {                                                                                \
    if (GROUP_SIZE > 1) barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);          \
  } while (0)

// Words of local memory that a group exchanges by, where its lanes exchange through that.
enum { EXCHANGE_WORDS = IS_ON(LANES_NEED_EXCHANGE) ? GROUP_SIZE : 1 };

#if defined(VALUE) && LANES > 1

#ifndef LANES_NEED_EXCHANGE
// Whether folds of whole lane sets have code of their own: where one instruction does it, a test costs much, or a
// work-item has many columns. Elsewhere the code that takes sets of any lanes is as fast, and shorter.
#if !defined(LANES_FOLD_APART) && (defined(LANES_FOLD_WORD) || defined(TESTS_COST) || FOLDED_BYTES < 4)
#define LANES_FOLD_APART 1
#endif

// lane_up_D(x): the value D lanes below, word by word. Meaningful only in the last lane of each span of
// 2 * D lanes, which is all a fold needs. The others get the value of some lane of their set, or with an operator of
// ours perhaps 0. D is a literal: some instructions encode it.
#define DEFINE_LANE_UP(distance)                                                              \
  static inline FOLDED lane_up_##distance(FOLDED x) {                                               \
    travelling from, to;                                                                      \
    from.value = x;                                                                           \
    for (uint w = 0; w < FOLDED_WORDS; ++w) to.words[w] = LANE_WORD_UP(from.words[w], distance); \
    return to.value;                                                                          \
  }

// Applies S to each distance of a tree of 64 lanes, nearest first. What is done asks whether there are so many lanes.
#define EACH_DISTANCE(S) S(1) S(2) S(4) S(8) S(16) S(32)

EACH_DISTANCE(DEFINE_LANE_UP)

// A value that is computed where this stands, and so are the exchanges that it is made of. Its user may stand in a
// branch of fewer lanes, and compilers move what they take for a lane's own business to its user.
static inline FOLDED lanes_stay(FOLDED x) {
  travelling here;
  here.value = x;
  for (uint w = 0; w < FOLDED_WORDS; ++w) here.words[w] = lane_word_stay(here.words[w]);
  return here.value;
}

#ifdef LANES_FOLD_APART
// Folds the lanes' values, lower lane first. The result is valid in the last lane of the set. All
// lanes must call.
static inline FOLDED lanes_fold(FOLDED x, named_values given) {
#ifdef LANES_FOLD_WORD
  travelling word;
  word.value = x;
  word.words[0] = LANES_FOLD_WORD(word.words[0]);
  return word.value;
#else
#define FOLD_STEP(distance) \
  if (LANES > distance) x = combine(lane_up_##distance(x), x, given);
  EACH_DISTANCE(FOLD_STEP)
#undef FOLD_STEP
  return lanes_stay(x);
#endif
}
#endif
#endif

// Where only the first `count` lanes hold a value: a lane ends a span whose upper half starts distance - 1
// lanes before it. Does that half, which is what the lane itself holds by then, exist?
static inline bool lanes_upper_exists(uint distance, uint count) {
  const uint lane = OWN_ID % LANES;
  return lane + 1 - min(lane + 1, distance) < count;
}

// One step of such a fold: where the upper half does not exist, the lower one stands alone.
static inline FOLDED lanes_fold_step(FOLDED below, FOLDED x, uint distance, uint count, named_values given) {
  return lanes_upper_exists(distance, count) ? combine(below, x, given) : below;
}

// Folds the values of the first `count` lanes, lower lane first; the others contribute nothing. But an operator of the
// user sees those of all lanes, in combinations that nobody takes: each must then hold an element. The
// result is valid in the last lane of the set (with a count of 0 it is nothing). All lanes must call;
// where lanes exchange through local memory, all work-items of the group. `exchange`: local memory for
// one FOLDED per work-item where LANES_NEED_EXCHANGE is defined.
static inline FOLDED lanes_fold_first(FOLDED x, uint count, __local FOLDED *exchange, named_values given) {
#ifdef LANES_NEED_EXCHANGE
  for (uint distance = 1; distance < LANES; distance *= 2)
    x = lanes_fold_step(lane_up_through_local(x, lanes_upper_exists(distance, count), distance, exchange), x,
                        distance, count, given);
#else
#define FOLD_STEP(distance) \
  if (LANES > distance) x = lanes_fold_step(lanes_stay(lane_up_##distance(x)), x, distance, count, given);
  EACH_DISTANCE(FOLD_STEP)
#undef FOLD_STEP
#endif
  return x;
}

// The word, and the value, of lane `lane` of the set. All lanes must call; where lanes exchange through local memory, all
// work-items of the group. A value then has a word at least.
#if defined(PACKETS_SHIFTED) || defined(RUN_PACKET)
static inline uint word_of_lane(uint word, uint lane, __local FOLDED *exchange) {
#ifdef LANES_NEED_EXCHANGE
  volatile __local uint *words = (volatile __local uint *)exchange;
  const uint id = get_local_id(0);
  words[id] = word;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint result = words[id - id % LANES + lane];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
#else
  return lane_word_of(word, lane);
#endif
}

static inline FOLDED value_of_lane(FOLDED x, uint lane, __local FOLDED *exchange) {
  travelling from, to;
  from.value = x;
  for (uint w = 0; w < FOLDED_WORDS; ++w) to.words[w] = word_of_lane(from.words[w], lane, exchange);
  return to.value;
}
#endif

#endif

#if GROUP_SIZE > 1 && LANES > 1
enum { LANE_SETS = GROUP_SIZE / LANES };

// The sum of a word of each lane set, in every work-item, and that of the sets before one's own. All work-items must call,
// behind a barrier after the words were written.
INLINE uint sum_of_sets(uint *before, const __local uint *sets) {
  const uint set = own_id_anew() / LANES;
  uint sum = 0;
  *before = 0;
  UNROLL
  for (uint s = 0; s < LANE_SETS; ++s) {
    const uint of_set = sets[s];
    *before += s < set ? of_set : 0;
    sum += of_set;
  }
  return sum;
}

// The sum of the words of all work-items before each one, and in `sum` that of all. All work-items must call; between two
// calls, and before a call where others may still read `sets`, stands a barrier.
INLINE uint group_sums(uint word, uint *sum, __local uint *sets, __local uint *exchange) {
  const uint up_to = lanes_sums(word, exchange);
  const uint id = own_id_anew();
  if (id % LANES == LANES - 1) sets[id / LANES] = up_to;
  GROUP_BARRIER();
  uint before;
  *sum = sum_of_sets(&before, sets);
  return before + up_to - word;
}
#endif

// The lanes of the set that have the same digit of 8 bits, bit by bit. All lanes must call.
#if defined(MATCHES_LANES) && !defined(LANES_NEED_EXCHANGE) && !defined(LANES_MATCH_IN_MEMORY)
INLINE lane_mask lanes_that_match(uint digit, __local uint *exchange) {
  lane_mask same = ~(lane_mask)0 >> (sizeof(lane_mask) * 8 - LANES);  // sets may have fewer lanes than a mask has bits
  UNROLL
  for (uint bit = 0; bit < 8; ++bit) {
    const uint own = digit >> bit & 1;
    same &= ~(lanes_ballot(own) ^ ((lane_mask)0 - own));  // where the own bit is set, all bits are
  }
  return same;
}
#endif
