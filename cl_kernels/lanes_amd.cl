// Lanes on AMD: DPP where the generation has it, ds_swizzle before, readlane across the halves of a
// wavefront. Only the last lane of each pair of spans reads a meaningful value; the fold needs no more.
#if EXCHANGE == EXCHANGE_DPP_ROW_BCAST || EXCHANGE == EXCHANGE_DPP_PERMLANEX16

// DPP control words: row_shr:n moves up by n within a row of 16; row_bcast15 and row_bcast31 hand the
// last lane of a row (of two rows) to the next. Lanes with none below get 0, which nobody reads, so that compilers
// can join the move with the operation that takes it.
#define AMD_DPP(word, control) ((uint)__builtin_amdgcn_mov_dpp((int)(word), control, 0xf, 0xf, true))
#define AMD_LANE_UP_1(word) AMD_DPP(word, 0x111)
#define AMD_LANE_UP_2(word) AMD_DPP(word, 0x112)
#define AMD_LANE_UP_4(word) AMD_DPP(word, 0x114)
#define AMD_LANE_UP_8(word) AMD_DPP(word, 0x118)

#if EXCHANGE == EXCHANGE_DPP_ROW_BCAST
#define AMD_LANE_UP_16(word) AMD_DPP(word, 0x142)
#define AMD_LANE_UP_32(word) AMD_DPP(word, 0x143)
#else
// Lane 15 of the other row of each pair of rows: row_bcast left the instruction set with gfx10.
#define AMD_LANE_UP_16(word) \
  __builtin_amdgcn_permlanex16((word), (word), 0xffffffffu, 0xffffffffu, false, false)
#define AMD_LANE_UP_32(word) ((uint)__builtin_amdgcn_readlane((int)(word), 31))
#endif
#define LANE_WORD_UP(word, distance) AMD_LANE_UP_##distance(word)

#elif EXCHANGE == EXCHANGE_SWIZZLE

// ds_swizzle in its bit mode reads lane ((own & 31) ^ distance): for the lane that matters, the one
// `distance` below. It stays within 32 lanes.
#define AMD_SWIZZLE(word, distance) \
  ((uint)__builtin_amdgcn_ds_swizzle((int)(word), ((distance) << 10) | 0x1f))
#define AMD_LANE_UP_1(word) AMD_SWIZZLE(word, 1)
#define AMD_LANE_UP_2(word) AMD_SWIZZLE(word, 2)
#define AMD_LANE_UP_4(word) AMD_SWIZZLE(word, 4)
#define AMD_LANE_UP_8(word) AMD_SWIZZLE(word, 8)
#define AMD_LANE_UP_16(word) AMD_SWIZZLE(word, 16)
#define AMD_LANE_UP_32(word) ((uint)__builtin_amdgcn_readlane((int)(word), 31))
#define LANE_WORD_UP(word, distance) AMD_LANE_UP_##distance(word)

#endif
