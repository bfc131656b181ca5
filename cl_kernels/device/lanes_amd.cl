// Lanes on AMD: DPP where the generation has it, ds_swizzle before, readlane across the halves of a
// wavefront. Only the last lane of each pair of spans reads a meaningful value; the fold needs no more.
// (Perminov, "AMD GCN Assembly: Cross-Lane Operations", 2016.)
#if defined(EXCHANGE_DPP_ROW_BCAST) || defined(EXCHANGE_DPP_PERMLANEX16) || defined(EXCHANGE_SWIZZLE)

// A word that is computed here, where all lanes are on, and not where it is used. LLVM below 22 takes v_permlanex16
// for an instruction of a lane's own and moves it, with what it reads, into a branch of fewer lanes (llvm-project
// pull request 142962). No instruction comes of this.
static inline uint lane_word_stay(uint word) {
  __asm__ volatile("" : "+v"(word));
  return word;
}
static inline uint amd_stay_scalar(uint word) {
  __asm__ volatile("" : "+s"(word));
  return word;
}
#define AMD_READLANE(word, lane) amd_stay_scalar((uint)__builtin_amdgcn_readlane((int)(word), lane))

// lanes_sums: the sum of the words of all lanes up to each one, right in every lane.

#ifdef EXCHANGE_SWIZZLE

// ds_swizzle in its bit mode reads lane ((own & 31) ^ distance): for the lane that matters, the one
// `distance` below. It stays within 32 lanes.
#define AMD_SWIZZLE(word, distance) \
  lane_word_stay((uint)__builtin_amdgcn_ds_swizzle((int)(word), ((distance) << 10) | 0x1f))
#define LANE_WORD_UP(word, distance) \
  ((distance) == 32 ? AMD_READLANE(word, 31) : AMD_SWIZZLE(word, (distance) < 32 ? (distance) : 1))

// Pairs of spans exchange their totals.
#define AMD_SUMS_STEP(distance)                           \
  {                                                       \
    const uint other = AMD_SWIZZLE(total, distance);      \
    word += (get_local_id(0) & (distance)) != 0 ? other : 0; \
    total += other;                                       \
  }
static inline uint lanes_sums(uint word, __local uint *exchange) {
  uint total = word;
  AMD_SUMS_STEP(1)
  AMD_SUMS_STEP(2)
  AMD_SUMS_STEP(4)
  AMD_SUMS_STEP(8)
  AMD_SUMS_STEP(16)
  if (LANES == 64) {
    const uint half_set = AMD_READLANE(total, 31);
    word += (get_local_id(0) & 32) != 0 ? half_set : 0;
  }
  return lane_word_stay(word);
}

#else

// DPP control words: row_shr:n moves up by n within a row of 16; row_bcast15 and row_bcast31 hand the
// last lane of a row (of two rows) to the next. Lanes with none below get 0, which our own operators may see, so that
// compilers can join the move with the operation that takes it. To an operator of the user they give their own word.
#define AMD_DPP(word, control)                                                                                                 \
  (IS_ON(USER_OPERATOR) ? lane_word_stay((uint)__builtin_amdgcn_update_dpp((int)(word), (int)(word), control, 0xf, 0xf, false)) \
                        : (uint)__builtin_amdgcn_mov_dpp((int)(word), control, 0xf, 0xf, true))
// Lanes with none below, and those of rows that are not in the mask, get 0.
#define AMD_DPP_OR_0(word, control, rows) \
  ((uint)__builtin_amdgcn_update_dpp(0, (int)(word), control, rows, 0xf, true))
static inline uint amd_sums_of_rows(uint word) {
  word += AMD_DPP_OR_0(word, 0x111, 0xf);
  word += AMD_DPP_OR_0(word, 0x112, 0xf);
  word += AMD_DPP_OR_0(word, 0x114, 0xf);
  return word + AMD_DPP_OR_0(word, 0x118, 0xf);
}

#ifdef EXCHANGE_DPP_ROW_BCAST
#define LANE_WORD_UP(word, distance) \
  AMD_DPP(word, (distance) == 16 ? 0x142 : (distance) == 32 ? 0x143 : 0x110 + (distance))

static inline uint lanes_sums(uint word, __local uint *exchange) {
  word = amd_sums_of_rows(word);
  word += AMD_DPP_OR_0(word, 0x142, 0xa);
  if (LANES == 64) word += AMD_DPP_OR_0(word, 0x143, 0xc);
  return lane_word_stay(word);
}
#else
// Lane 15 of the other row of each pair of rows: row_bcast left the instruction set with gfx10.
static inline uint amd_other_row(uint word) {
  return lane_word_stay(__builtin_amdgcn_permlanex16(word, word, 0xffffffffu, 0xffffffffu, false, false));
}
#define LANE_WORD_UP(word, distance)              \
  ((distance) == 16   ? amd_other_row(word)       \
   : (distance) == 32 ? AMD_READLANE(word, 31)    \
                      : AMD_DPP(word, 0x110 + ((distance) < 16 ? (distance) : 1)))

static inline uint lanes_sums(uint word, __local uint *exchange) {
  word = amd_sums_of_rows(word);
  const uint row = amd_other_row(word);
  word += (get_local_id(0) & 16) != 0 ? row : 0;
  if (LANES == 64) {
    const uint half_set = AMD_READLANE(word, 31);
    word += (get_local_id(0) & 32) != 0 ? half_set : 0;
  }
  return lane_word_stay(word);
}
#endif
#endif

// Which lanes say so; and what one lane writes to local memory before it others of its set may read behind it.
// By a comparison for all lanes at once: compilers below 16 have no ballot of theirs. 33: not equal.
static inline lane_mask lanes_ballot(uint says) { return (lane_mask)__builtin_amdgcn_uicmp(says, 0u, 33); }
static inline void lanes_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
}
#endif
