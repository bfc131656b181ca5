// Looking back: what stands before a tile, from the messages of the groups that have the tiles before it.
//
// OpenCL promises no progress between groups: one that waits for another may keep it from starting. So a group waits for
// a while only. Then look_back gives the number of the first tile that is missing, whose fold the caller makes itself and
// posts before it looks again: in a fixed order that is what the tile's own group would post (scan.cl; in place it first asks
// for the message once more, since the tile's elements may be results already). Each time one tile less is missing, so the
// call ends whatever the device does. (The single pass and the name: Merrill and Garland, "Single-pass Parallel Prefix Scan
// with Decoupled Look-back", 2016; groups that give up waiting: Smith, Levien and Owens, "Decoupled Fallback", 2025.)
//
// A message is absent or whole: each 64-bit word of it has the call's number beside 32 bits of the value and is read and
// written at once, so there is no flag, no fence and nothing to clear (device/message.cl). The paper's aggregate
// and its inclusive prefix are two messages here. Only the last tile can be short; its message is read by no group.
//
// What the group of tile 9 reads, with stretches of 4 tiles (SCAN_TILES). `t`: the fold of a tile; `f`: of a stretch; `p`: what
// stands before a stretch; `-`: not posted yet.
//
//   stretch     0             1             2
//   tile        0  1  2  3    4  5  6  7    8  9
//   tiles       t  t  t  t    t  -  t  t    t           p of 2, were it there, and t of 8 are all that it needs. Or else p of 1
//   stretches   f             -                         and f of 1; without these it goes back to stretch 1, whose tile 5 is
//   before                    p             -           missing: it folds tile 5, posts that, and what follows from it.

#define NO_TILE 0xffffffffu

// The messages of a call: the fold of each tile and of each stretch, and what stands before each stretch but the first.
typedef struct {
  __global ulong *tiles;
  __global ulong *folds;
  __global ulong *stretches;
  uint call;
  FOLDED start;  // where there is one
} scan_messages;

static inline scan_messages scan_messages_in(__global uchar *workspace, uint tiles, uint call) {
  scan_messages posted;
  posted.tiles = (__global ulong *)(workspace + OWN_AT);
  posted.folds = posted.tiles + (ulong)tiles * MESSAGE_WORDS;
  posted.stretches = posted.folds + (ulong)((tiles + SCAN_TILES - 1) / SCAN_TILES) * MESSAGE_WORDS;
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
  return posted.stretches + (ulong)stretch * MESSAGE_WORDS;
}

// LOOK_STRETCHES stretches are looked at: what stands before one of them and the folds of those behind it are as good as
// what stands before the last, and nobody has to wait until one group after the other has posted that.
typedef struct {
  __local FOLDED *own;        // the fold of the group's tile
  __local FOLDED *tiles;      // the folds of the tiles of a stretch; then [0] folds all of them that count
  __local FOLDED *folds;      // [d]: of the stretch d + 1 before it
  __local FOLDED *stretches;  // [d]: what stands before the stretch d before it; then [0] before it
  // The first tile that is missing, the least d of `stretches` that is there, that of `folds` that is not.
  volatile __local uint *first;
} look_memory;

#define LOOK_MEMORY(name)                           \
  look_memory name;                                 \
  __local FOLDED name##_own[1];                     \
  __local FOLDED name##_tiles[SCAN_TILES];          \
  __local FOLDED name##_folds[LOOK_STRETCHES];      \
  __local FOLDED name##_stretches[LOOK_STRETCHES];  \
  __local uint name##_first[3];                     \
  name.own = name##_own;                            \
  name.tiles = name##_tiles;                        \
  name.folds = name##_folds;                        \
  name.stretches = name##_stretches;                \
  name.first = name##_first

// Reads the messages of the tiles from `from` to `count` of a stretch, and (`before`) of what stands before the stretch.
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
    if (there) *(is_tile ? memory.tiles + i : is_fold ? memory.folds + d : memory.stretches + d) = value;
    if (is_tile ? !there : there != is_fold) atomic_min(memory.first + (is_tile ? 0 : is_fold ? 2 : 1), is_tile ? i : d);
  }
  GROUP_BARRIER();
}

// Work-item 0, once all is there: what stands before the stretch.
INLINE void fold_stretches(scan_messages posted, uint stretch, look_memory memory, named_values given) {
  uint d = memory.first[1];
  FOLDED fold;
  if (d < stretch) {
    fold = memory.stretches[d];
  } else {
    if (!IS_ON(STARTED)) --d;
    fold = IS_ON(STARTED) ? posted.start : memory.folds[d];
  }
  while (d > 0) {
    --d;
    fold = combine(fold, memory.folds[d], given);
  }
  memory.stretches[0] = fold;
}

// Work-item 0 folds the first `count` > 0 tiles; `known` of them tiles[0] folds already.
INLINE void fold_of_tiles(uint known, uint count, look_memory memory, named_values given) {
  FOLDED fold = memory.tiles[0];
  uint i = max(known, 1u);
  UNROLL_BY(1)
  for (; i + 4 <= count; i += 4) {  // four loads under way
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

// Work-item 0 posts what stands behind a stretch, before which `memory` has what stands, and whose tiles fold to `fold`.
INLINE void post_behind(scan_messages posted, uint stretch, FOLDED fold, look_memory memory, named_values given) {
  if (stretch > 0) fold = combine(memory.stretches[0], fold, given);
  if (IS_ON(STARTED) && stretch == 0) fold = combine(posted.start, fold, given);
  post_message(message_before_stretch(posted, stretch + 1), posted.call, fold);
}

// Looks `looks` times, with pauses, for what stands before a tile. Gives NO_TILE where it is there, in `memory`, else a
// tile that must be folded first. Where only what stands before the stretch stays away, the group goes back to a stretch
// of which that is known, and makes what stands before each one behind it. Of a stretch's last tile it posts what others
// look for; `is_last`: nobody does. Where `known` is not 0, `memory` has the fold of so many tiles of the tile's stretch, and
// what stands before the stretch. The group looks `looks` times in all, and after that once at each stretch further back.
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
