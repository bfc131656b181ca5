// The carry of a segment: the prefix of its next block, tile or stretch, updated with the fold of each in turn.

// The functions of scan_tile.cl take a block here where they say tile.
enum { SEGMENT_BLOCK = SCAN_TILE, SEGMENT_BLOCKS = SEGMENT_TILE / SEGMENT_BLOCK };

// Adds a stretch, a tile or a block to the prefix of the next one. All work-items do the same with the same values.
INLINE void segment_carry_stretch(scan_before *before, FOLDED fold, named_values given) {
  before->stretches = before->has_stretches ? combine(before->stretches, fold, given) : fold;
  before->has_stretches = true;
}

INLINE void segment_carry_tile(scan_before *before, uint tile, FOLDED fold, named_values given) {
  if (before->has_tiles) fold = combine(before->tiles, fold, given);
  before->has_tiles = (tile + 1) % SCAN_TILES > 0;
  if (before->has_tiles)
    before->tiles = fold;
  else
    segment_carry_stretch(before, fold, given);
}

INLINE void segment_carry_block(scan_before *before, uint block, FOLDED fold, named_values given) {
  if (before->has_blocks) fold = combine(before->blocks, fold, given);
  before->has_blocks = (block + 1) % SEGMENT_BLOCKS > 0;
  if (before->has_blocks)
    before->blocks = fold;
  else
    segment_carry_tile(before, block / SEGMENT_BLOCKS, fold, given);
}

// Prefetches the elements of a segment's block, which are soon loaded, so that few long segments wait less for memory.
INLINE void segment_fetch_block(const __global STORED *x, ulong length, uint block) {
  if (GROUP_SIZE == 1) return;
  const ulong from = (ulong)block * SEGMENT_BLOCK;
  const uint count = (uint)min(length - from, (ulong)SEGMENT_BLOCK), apart = max((uint)(128 / sizeof(STORED)), 1u);
  for (uint i = own_id_anew() * apart; i < count; i += GROUP_SIZE * apart) FETCH_SOON(x + from + i);
}

// The fold of `count` > 0 tiles.
INLINE FOLDED segment_fold_results(const __global FOLDED *results, uint count, named_values given) {
  FOLDED fold = results[0];
  for (uint k = 1; k < count; ++k) fold = combine(fold, results[k], given);
  return fold;
}

// The prefix of the tile `tile` in a segment whose tiles fold to `results`: each work-item folds a stretch. All must call and get
// it; `folds` is local memory, a value for each work-item.
INLINE void segment_carry_tiles(scan_before *before, const __global FOLDED *results, uint tile,
                                __local FOLDED *folds, named_values given) {
  const uint stretches = tile / SCAN_TILES, left = tile % SCAN_TILES, id = get_local_id(0);
  for (uint first = 0; first < stretches; first += GROUP_SIZE) {
    const uint count = min(stretches - first, (uint)GROUP_SIZE);
    if (id < count) folds[id] = segment_fold_results(results + (ulong)(first + id) * SCAN_TILES, SCAN_TILES, given);
    GROUP_BARRIER();
    for (uint k = 0; k < count; ++k) segment_carry_stretch(before, folds[k], given);
    GROUP_BARRIER();
  }
  before->has_tiles = left > 0;
  if (left > 0) before->tiles = segment_fold_results(results + (ulong)stretches * SCAN_TILES, left, given);
}

// How many blocks, of whole tiles, a group carries at a time, if groups send each other the folds of blocks.
enum { BLOCKS_CARRIED = GROUP_SIZE / SEGMENT_BLOCKS * SEGMENT_BLOCKS };
typedef char a_group_carries_a_tile[IS_ON(BEGINS_IN_ONE_PASS) * SEGMENT_BLOCKS <= GROUP_SIZE ? 1 : -1];

// Adds the folds of `count` > 0 blocks to `before`. `first` is the number of the first of them, which begins a tile. `folds` is
// overwritten. All work-items of a group must call, behind a barrier; the call ends with one.
INLINE void segment_carry_blocks(scan_before *before, __local FOLDED *folds, uint first, uint count, named_values given) {
  const uint tiles = count / SEGMENT_BLOCKS, id = get_local_id(0);
  if (id < tiles) {
    __local FOLDED *of_tile = folds + id * SEGMENT_BLOCKS;
    FOLDED fold = of_tile[0];
    for (uint k = 1; k < SEGMENT_BLOCKS; ++k) fold = combine(fold, of_tile[k], given);
    of_tile[0] = fold;
  }
  GROUP_BARRIER();
  for (uint k = 0; k < tiles; ++k)
    segment_carry_tile(before, first / SEGMENT_BLOCKS + k, folds[k * SEGMENT_BLOCKS], given);
  for (uint k = tiles * SEGMENT_BLOCKS; k < count; ++k) segment_carry_block(before, first + k, folds[k], given);
  GROUP_BARRIER();
}
