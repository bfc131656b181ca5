// Lanes on NVIDIA: warp shuffles through inline PTX, and the one-instruction folds of 32-bit integers.
// (Reductions by shuffles: Luitjens, "Faster Parallel Reductions on Kepler", 2014.)
#ifdef EXCHANGE_SHUFFLE_SYNC

// Volta and later schedule lanes independently, so the exchange must name its participants.
static inline uint nvidia_shfl_up(uint word, uint distance) {
  uint result;
  __asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(result) : "r"(word), "r"(distance));
  return result;
}
#define LANE_WORD_UP(word, distance) nvidia_shfl_up(word, distance)

#elif defined(EXCHANGE_SHUFFLE)

static inline uint nvidia_shfl_up(uint word, uint distance) {
  uint result;
  __asm__ volatile("shfl.up.b32 %0, %1, %2, 0;" : "=r"(result) : "r"(word), "r"(distance));
  return result;
}
#define LANE_WORD_UP(word, distance) nvidia_shfl_up(word, distance)

#endif

// The word of a lane by its number, of which only the place in the set counts.
#if defined(EXCHANGE_SHUFFLE_SYNC) || defined(EXCHANGE_SHUFFLE)
static inline uint nvidia_word_of_lane(uint word, uint lane) {
  uint result;
#ifdef EXCHANGE_SHUFFLE_SYNC
  __asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
#else
  __asm__ volatile("shfl.idx.b32 %0, %1, %2, 0x1f;"
#endif
                   : "=r"(result)
                   : "r"(word), "r"(lane));
  return result;
}
#define LANE_WORD_OF(word, lane) nvidia_word_of_lane(word, lane)
#endif

// The sum of the words of all lanes up to each one, right in every lane. The exchange itself says whether there is a lane
// so far below.
#if defined(SUMS_LANES) && (defined(EXCHANGE_SHUFFLE_SYNC) || defined(EXCHANGE_SHUFFLE))
#ifdef EXCHANGE_SHUFFLE_SYNC
#define NVIDIA_SHFL_UP_IF "shfl.sync.up.b32 below|exists, %0, %1, 0, 0xffffffff;"
#else
#define NVIDIA_SHFL_UP_IF "shfl.up.b32 below|exists, %0, %1, 0;"
#endif
static inline uint nvidia_sums(uint word) {
  UNROLL
  for (uint distance = 1; distance < LANES; distance *= 2)
    __asm__ volatile("{ .reg .u32 below; .reg .pred exists;\n" NVIDIA_SHFL_UP_IF "\n@exists add.u32 %0, %0, below; }"
                     : "+r"(word)
                     : "r"(distance));
  return word;
}
#define LANES_SUMS(word, exchange) nvidia_sums(word)
// The word of the lane below, and of the last one in the first.
#define LANE_WORD_FROM_BELOW(word) nvidia_word_of_lane(word, (uint)get_local_id(0) + LANES - 1)
#endif

// Which lanes say so; and what one lane writes to local memory before it others of its set may read behind it.
#if defined(MATCHES_LANES) && (defined(EXCHANGE_SHUFFLE_SYNC) || defined(EXCHANGE_SHUFFLE))
static inline uint nvidia_ballot(uint says) {
  uint lanes;
#ifdef EXCHANGE_SHUFFLE_SYNC
  __asm__ volatile("{ .reg .pred says;\nsetp.ne.u32 says, %1, 0;\nvote.sync.ballot.b32 %0, says, 0xffffffff; }"
#else
  __asm__ volatile("{ .reg .pred says;\nsetp.ne.u32 says, %1, 0;\nvote.ballot.b32 %0, says; }"
#endif
                   : "=r"(lanes)
                   : "r"(says));
  return lanes;
}
#define LANES_BALLOT(says) nvidia_ballot(says)
#ifdef EXCHANGE_SHUFFLE_SYNC
#define LANES_BARRIER() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#ifndef MATCHES_BY_BALLOTS
// The lanes of the set that have the same digit of 8 bits: each one's bit in a word of the digit's, which is 0 before and
// must be 0 again. H200, sorts of 2^28 integers: 6.62 ms, by ballots 7.25 ms.
#define LANES_MATCH_IN_MEMORY 1
static inline uint nvidia_lanes_that_match(uint digit, __local uint *masks) {
  atomic_or(masks + digit, 1u << get_local_id(0) % LANES);
  LANES_BARRIER();
  return masks[digit];
}
#define LANES_THAT_MATCH(digit, masks) nvidia_lanes_that_match(digit, masks)
#endif
#else
#define LANES_BARRIER() __asm__ volatile("" ::: "memory")
#endif
#endif

// redux.sync folds a whole warp at once, but only operations whose order cannot matter.
#if defined(EXCHANGE_SHUFFLE_SYNC) && CUDA_SM >= 80 && defined(REDUX)
#define NVIDIA_REDUX_TEXT_(operation) "redux.sync." #operation " %0, %1, 0xffffffff;"
#define NVIDIA_REDUX_TEXT(operation) NVIDIA_REDUX_TEXT_(operation)
static inline uint nvidia_redux(uint word) {
  uint result;
  __asm__ volatile(NVIDIA_REDUX_TEXT(REDUX) : "=r"(result) : "r"(word));
  return result;
}
#define LANES_FOLD_WORD(word) nvidia_redux(word)
#endif
