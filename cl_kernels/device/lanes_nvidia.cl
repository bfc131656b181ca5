// Lanes on NVIDIA: warp shuffles through inline PTX, and the one-instruction folds of 32-bit integers.
// (Reductions by shuffles: Luitjens, "Faster Parallel Reductions on Kepler", 2014.)
#if defined(EXCHANGE_SHUFFLE_SYNC) || defined(EXCHANGE_SHUFFLE)
// Volta and later schedule lanes independently, so the exchange must name its participants.
#ifdef EXCHANGE_SHUFFLE_SYNC
#define NVIDIA_SYNC(before, after) before ".sync" after ", 0xffffffff"
#else
#define NVIDIA_SYNC(before, after) before after
#endif

static inline void lanes_barrier(void) {
  if (IS_ON(EXCHANGE_SHUFFLE_SYNC))
    __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  else
    __asm__ volatile("" ::: "memory");
}

static inline uint lane_word_stay(uint word) { return word; }

static inline uint nvidia_shfl_up(uint word, uint distance) {
  uint result;
  __asm__ volatile(NVIDIA_SYNC("shfl", ".up.b32 %0, %1, %2, 0") ";" : "=r"(result) : "r"(word), "r"(distance));
  return result;
}
#define LANE_WORD_UP(word, distance) nvidia_shfl_up(word, distance)

// The word of a lane by its number, of which only the place in the set counts.
static inline uint lane_word_of(uint word, uint lane) {
  uint result;
  __asm__ volatile(NVIDIA_SYNC("shfl", ".idx.b32 %0, %1, %2, 0x1f") ";" : "=r"(result) : "r"(word), "r"(lane));
  return result;
}
// The word of the lane below, and of the last one in the first.
#define LANE_WORD_FROM_BELOW(word) lane_word_of(word, (uint)get_local_id(0) + LANES - 1)

// The sum of the words of all lanes up to each one, right in every lane. The exchange itself says whether there is a lane
// so far below.
static inline uint lanes_sums(uint word, __local uint *exchange) {
  UNROLL
  for (uint distance = 1; distance < LANES; distance *= 2)
    __asm__ volatile("{ .reg .u32 below; .reg .pred exists;\n" NVIDIA_SYNC("shfl", ".up.b32 below|exists, %0, %1, 0")
                     ";\n@exists add.u32 %0, %0, below; }"
                     : "+r"(word)
                     : "r"(distance));
  return word;
}

// Which lanes say so; and what one lane writes to local memory before lanes_barrier others of its set may read behind it.
static inline lane_mask lanes_ballot(uint says) {
  uint lanes;
  __asm__ volatile("{ .reg .pred says;\nsetp.ne.u32 says, %1, 0;\n" NVIDIA_SYNC("vote", ".ballot.b32 %0, says") "; }"
                   : "=r"(lanes)
                   : "r"(says));
  return lanes;
}
#if defined(EXCHANGE_SHUFFLE_SYNC) && defined(MATCHES_LANES) && !defined(MATCHES_BY_BALLOTS)
// The lanes of the set that have the same digit of 8 bits: each one's bit in a word of the digit's, which is 0 before and
// must be 0 again. Sorts are faster by this than by ballots.
#define LANES_MATCH_IN_MEMORY 1
static inline lane_mask lanes_that_match(uint digit, __local uint *masks) {
  atomic_or(masks + digit, 1u << get_local_id(0) % LANES);
  lanes_barrier();
  return masks[digit];
}
#endif
#endif

// redux.sync folds a whole warp at once, but only operations whose order cannot matter.
#if defined(EXCHANGE_SHUFFLE_SYNC) && CUDA_SM >= 80 && defined(REDUX)
static inline uint nvidia_redux(uint word) {
  uint result;
  __asm__ volatile("redux.sync." TEXT_OF_ALL(REDUX) " %0, %1, 0xffffffff;" : "=r"(result) : "r"(word));
  return result;
}
#define LANES_FOLD_WORD(word) nvidia_redux(word)
#endif
