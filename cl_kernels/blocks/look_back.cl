// Decoupled look-back: the exclusive prefix of a tile, from messages of the groups that have the tiles before it.
//
// All work-items of a group call look_back. If it gives NO_TILE, work-item 0 has left the prefix in `memory`, to be read after a
// barrier: tiles[0] folds the earlier tiles of the tile's stretch and prefixes[0] all earlier stretches, where there are any.
// The start value is in prefixes[0]; in the first stretch, which has no such value, the caller puts it in front itself.
//
// OpenCL promises no progress between groups: one that waits for another may keep it from starting. So look_back reads the
// messages a limited number of times and then gives the first tile whose message is missing. The caller folds that tile itself,
// posts its message and calls again. Each time one tile less is missing, so the loop ends whatever the device does. The order of
// a fold is fixed (scan_order.cl), so both groups would post the same bits. Only in place the tile's elements may be results
// by then; its own group has posted its message before those, so the caller looks for it once more and keeps that (scan.cl).
// (The single pass and the name: Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016; groups
// that give up waiting: Smith, Levien and Owens, "Decoupled Fallback", 2025.)
//
// A message is some 64-bit words, each with the call's number and 32 bits of the value, and each read and written by one access
// (device/message.cl). It is there once all its words have the number. So it needs no flag, readers need no fence, and nothing is
// cleared between calls. The paper's aggregate and inclusive prefix are two messages, and only stretches have prefixes. Only the
// last tile can be short, and no group reads its message.
//
// Prefixes are left folds, prefix(s + 1) = combine(prefix(s), fold(s)), so they have the same bits whichever group computes them.
//
// What the group of tile 9 reads, with stretches of 4 tiles (SCAN_TILES). `t`: the fold of a tile; `f`: the fold of a stretch;
// `p`: the exclusive prefix of a stretch; `-`: not posted yet.
//
//   stretch     0             1             2
//   tile        0  1  2  3    4  5  6  7    8  9
//   tiles       t  t  t  t    t  -  t  t    t           It needs t of 8, and either p of 2 or p of 1 and f of 1. Here p of 2 and
//   folds       f             -                         f of 1 are missing. So it goes back to stretch 1 and gives tile 5. Once
//   prefixes                  p             -           that is posted, it computes and posts f of 1 and p of 2 itself.

// The messages of a call: the fold of each tile, the fold of each stretch, and in `prefixes` the exclusive prefix of each
// stretch but the first.
typedef struct {
  __global ulong *tiles;
  __global ulong *folds;
  __global ulong *prefixes;
  uint call;
  FOLDED start;  // the start value, with STARTED
} scan_messages;

static inline scan_messages scan_messages_in(__global uchar *workspace, uint tiles, uint call) {
  scan_messages posted;
  posted.tiles = (__global ulong *)(workspace + OWN_AT);
  posted.folds = posted.tiles + (ulong)tiles * MESSAGE_WORDS;
  posted.prefixes = posted.folds + (ulong)((tiles + SCAN_TILES - 1) / SCAN_TILES) * MESSAGE_WORDS;
  posted.call = call;
  return posted;
}

static inline __global ulong *message_of_tile(scan_messages posted, uint tile) {
  return posted.tiles + (ulong)tile * MESSAGE_WORDS;
}

static inline __global ulong *message_of_stretch(scan_messages posted, uint stretch) {
  return posted.folds + (ulong)stretch * MESSAGE_WORDS;
}

static inline __global ulong *message_before_stretch(scan_messages posted, uint stretch) {
  return posted.prefixes + (ulong)stretch * MESSAGE_WORDS;
}

// A stretch's prefix is computed from the nearest prefix that is there, among LOOK_STRETCHES, and the folds of the stretches from
// there on. So no group has to wait until the groups before it have computed their prefixes one after another.
typedef struct {
  __local FOLDED *own;       // the fold of the group's tile
  __local FOLDED *tiles;     // the folds of the tiles of a stretch; then [0] is the fold of those that were asked for
  __local FOLDED *folds;     // [d]: the fold of stretch - 1 - d
  __local FOLDED *prefixes;  // [d]: the prefix of stretch - d; then [0] is the prefix of the stretch
  // [0]: the first tile that is missing; [1]: the least d of `prefixes` that is there; [2]: the least d of `folds` that is
  // missing. The stretch's prefix can be computed if [1] <= [2].
  volatile __local uint *first;
} look_memory;

#define LOOK_MEMORY(name)                           \
  look_memory name;                                 \
  __local FOLDED name##_own[1];                     \
  __local FOLDED name##_tiles[SCAN_TILES];          \
  __local FOLDED name##_folds[LOOK_STRETCHES];      \
  __local FOLDED name##_prefixes[LOOK_STRETCHES];   \
  __local uint name##_first[3];                     \
  name.own = name##_own;                            \
  name.tiles = name##_tiles;                        \
  name.folds = name##_folds;                        \
  name.prefixes = name##_prefixes;                  \
  name.first = name##_first

// Reads the messages of the tiles from `from` to before `count` of a stretch and, with `before`, those that give its prefix.
INLINE void look_at(scan_messages posted, uint stretch, uint from, uint count, bool before, look_memory memory) {
  GROUP_BARRIER();
  if (own_id_anew() == 0) {
    memory.first[0] = NO_TILE;
    memory.first[1] = stretch < LOOK_STRETCHES ? stretch : NO_TILE;  // nothing stands before the first
    memory.first[2] = LOOK_STRETCHES;
  }
  GROUP_BARRIER();
  for (uint i = from + own_id_anew(); i < count + (before ? 2 * LOOK_STRETCHES : 0); i += GROUP_SIZE) {
    const uint d = (i - count) % LOOK_STRETCHES;
    const bool is_tile = i < count, is_fold = i >= count + LOOK_STRETCHES;
    if (!is_tile && d >= stretch) continue;
    FOLDED value;
    const bool there = read_message(is_tile   ? message_of_tile(posted, stretch * SCAN_TILES + i)
                                    : is_fold ? message_of_stretch(posted, stretch - 1 - d)
                                              : message_before_stretch(posted, stretch - d),
                                    posted.call, &value);
    if (there) *(is_tile ? memory.tiles + i : is_fold ? memory.folds + d : memory.prefixes + d) = value;
    if (is_tile ? !there : there != is_fold) atomic_min(memory.first + (is_tile ? 0 : is_fold ? 2 : 1), is_tile ? i : d);
  }
  GROUP_BARRIER();
}

// Work-item 0 computes the stretch's prefix, once all that it takes is there.
INLINE void fold_stretches(scan_messages posted, uint stretch, look_memory memory, named_values given) {
  uint d = memory.first[1];
  FOLDED fold;
  if (d < stretch) {
    fold = memory.prefixes[d];
  } else {
    if (!IS_ON(STARTED)) --d;
    fold = IS_ON(STARTED) ? posted.start : memory.folds[d];
  }
  while (d > 0) {
    --d;
    fold = combine(fold, memory.folds[d], given);
  }
  memory.prefixes[0] = fold;
}

// Work-item 0 folds the first `count` > 0 tiles into tiles[0], which already folds `known` of them.
INLINE void fold_of_tiles(uint known, uint count, look_memory memory, named_values given) {
  FOLDED fold = memory.tiles[0];
  uint i = max(known, 1u);
  UNROLL_BY(1)
  for (; i + 4 <= count; i += 4) {  // four loads in flight
    FOLDED next[4];
    UNROLL
    for (uint k = 0; k < 4; ++k) next[k] = memory.tiles[i + k];
    UNROLL
    for (uint k = 0; k < 4; ++k) fold = combine(fold, next[k], given);
  }
  UNROLL_BY(1)
  for (; i < count; ++i) fold = combine(fold, memory.tiles[i], given);
  memory.tiles[0] = fold;
}

// Work-item 0 posts the next stretch's prefix: the fold of this stretch's prefix, which `memory` has, and of its tiles, `fold`.
INLINE void post_behind(scan_messages posted, uint stretch, FOLDED fold, look_memory memory, named_values given) {
  if (stretch > 0) fold = combine(memory.prefixes[0], fold, given);
  if (IS_ON(STARTED) && stretch == 0) fold = combine(posted.start, fold, given);
  post_message(message_before_stretch(posted, stretch + 1), posted.call, fold);
}

// Looks `looks` times, with pauses, for the prefix of a tile. Gives NO_TILE where it is there, else a tile that must be folded
// first. If only the stretch's prefix has not arrived, the group goes back to the nearest stretch whose prefix is known, looking
// once at each, and computes and posts the prefixes from there on. The group of a stretch's last tile posts the stretch's fold
// and the next one's prefix, unless it is the last tile of all (`is_last`). `known`: if not 0, the group has had an earlier tile
// of this stretch, and `memory` still has the fold of the stretch's first `known` tiles and the stretch's prefix.
INLINE uint look_back(scan_messages posted, uint tile, bool is_last, uint known, uint looks,
                      look_memory memory, named_values given) {
  const uint own = tile % SCAN_TILES;
  const uint stretch = tile / SCAN_TILES;
  uint at = stretch;
  bool folded = false;  // the tiles of `at`, which then are there
  for (uint looked = 1;;) {
    const bool is_own = at == stretch;
    const uint count = is_own ? own : SCAN_TILES;
    const bool posts = is_own ? own == SCAN_TILES - 1 && !is_last : true;
    look_at(posted, at, folded ? count : known, count, known == 0, memory);
    const uint missing = memory.first[0];
    const bool all_before = known > 0 || memory.first[1] <= memory.first[2];
    if (missing == NO_TILE && own_id_anew() == 0) {
      if (!folded && count > 0) fold_of_tiles(known, count, memory, given);
      if (known == 0 && all_before && at > 0) fold_stretches(posted, at, memory, given);
      if (posts && (!folded || all_before)) {
        FOLDED fold = is_own ? *memory.own : memory.tiles[0];
        if (is_own && count > 0) fold = combine(memory.tiles[0], fold, given);
        if (!folded) post_message(message_of_stretch(posted, at), posted.call, fold);
        if (all_before) post_behind(posted, at, fold, memory, given);
      }
    }
    folded = folded || missing == NO_TILE;
    if (folded && all_before) {
      if (is_own) return NO_TILE;
      ++at;
      folded = false;
    } else if (looked < looks) {
      pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
      ++looked;
    } else if (missing != NO_TILE) {
      return at * SCAN_TILES + missing;
    } else {
      --at;
      folded = false;
    }
  }
}
