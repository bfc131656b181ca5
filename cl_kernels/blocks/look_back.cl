// Looking back: what stands before a tile, from the messages of the groups that have the tiles before it.
//
// OpenCL promises no progress between groups: one that waits for another may keep it from starting. So a group waits for
// a while only. Then it folds the first tile that is missing itself and posts what it has found, which is what that
// tile's own group would post: in a fixed order there is one value. Each time one tile less is missing, so the call
// ends whatever the device does. (The single pass and the name: Merrill and Garland, "Single-pass Parallel Prefix Scan
// with Decoupled Look-back", 2016; groups that give up waiting: Smith, Levien and Owens, "Decoupled Fallback", 2025.)
#if defined(PRIMITIVE_SCAN) && defined(IN_ONE_PASS)

#define NO_TILE 0xffffffffu

// The messages of a call: the fold of each tile, and what stands before each stretch but the first.
typedef struct {
  __global ulong *tiles;
  __global ulong *stretches;
  uint call;
#ifdef STARTED
  FOLDED start;
#endif
} scan_messages;

static inline scan_messages scan_messages_in(__global uchar *workspace, ulong tiles, uint call) {
  scan_messages posted;
  posted.tiles = (__global ulong *)(workspace + OWN_AT);
  posted.stretches = posted.tiles + tiles * MESSAGE_WORDS;
  posted.call = call;
  return posted;
}

static inline __global ulong *message_of_tile(scan_messages posted, uint tile) {
  return posted.tiles + (ulong)tile * MESSAGE_WORDS;
}

static inline __global ulong *message_of_stretch(scan_messages posted, uint stretch) {
  return posted.stretches + (ulong)stretch * MESSAGE_WORDS;
}

typedef struct {
  __local FOLDED *tiles;       // the folds of the tiles of a stretch
  __local FOLDED *stretches;   // what stands before it
  volatile __local uint *missing;
} look_memory;

#define LOOK_MEMORY(name)                      \
  look_memory name;                            \
  __local FOLDED name##_tiles[SCAN_TILES];     \
  __local FOLDED name##_stretches[1];          \
  __local uint name##_missing[1];              \
  name.tiles = name##_tiles;                   \
  name.stretches = name##_stretches;           \
  name.missing = name##_missing

// Reads the messages of the first `count` tiles of a stretch, and what stands before the stretch. Gives the number of
// the first tile that is missing, `count` where only the other is, NO_TILE where all are there.
INLINE uint look_at(scan_messages posted, uint stretch, uint count, look_memory memory) {
  GROUP_BARRIER();
  if (get_local_id(0) == 0) *memory.missing = NO_TILE;
  GROUP_BARRIER();
  for (uint i = get_local_id(0); i < count + (stretch > 0 ? 1 : 0); i += GROUP_SIZE) {
    FOLDED value;
    const bool there = read_message(
        i < count ? message_of_tile(posted, stretch * SCAN_TILES + i) : message_of_stretch(posted, stretch), posted.call, &value);
    if (!there)
      atomic_min(memory.missing, i);
    else if (i < count)
      memory.tiles[i] = value;
    else
      *memory.stretches = value;
  }
  GROUP_BARRIER();
  return *memory.missing;
}

// Posts what stands before the stretch behind `stretch`, whose tiles fold to `fold`. `before` stands before `stretch`, if
// that is not the first. Work-item 0 calls.
INLINE void post_stretch(scan_messages posted, uint stretch, FOLDED fold, const __local FOLDED *before VALUES_PARAMETER) {
  if (stretch > 0) fold = combine(*before, fold WITH_VALUES);
#ifdef STARTED
  if (stretch == 0) fold = combine(posted.start, fold WITH_VALUES);
#endif
  post_message(message_of_stretch(posted, stretch + 1), posted.call, fold);
}

// Looks `looks` times, with pauses, for what stands before a tile. Gives NO_TILE where it is there, else a tile that must
// be folded first. Where only what stands before the stretch stays away, the group goes back to a stretch of which that
// is known, and makes what stands before each one behind it.
INLINE uint look_back(scan_messages posted, uint tile, uint looks, look_memory memory VALUES_PARAMETER) {
  const uint own = tile % SCAN_TILES;
  const uint stretch = tile / SCAN_TILES;
  uint at = stretch;
  for (uint looked = 1;;) {
    const uint count = at == stretch ? own : SCAN_TILES;
    const uint missing = look_at(posted, at, count, memory);
    if (missing == NO_TILE) {
      if (at == stretch) return NO_TILE;
      if (get_local_id(0) == 0) {
        FOLDED fold = memory.tiles[0];
        for (uint i = 1; i < SCAN_TILES; ++i) fold = combine(fold, memory.tiles[i] WITH_VALUES);
        post_stretch(posted, at, fold, memory.stretches WITH_VALUES);
      }
      ++at;
    } else if (looked < looks) {
      pause_for(looked == 1 ? FIRST_PAUSE : NEXT_PAUSE);
      ++looked;
    } else if (missing < count) {
      return at * SCAN_TILES + missing;
    } else {
      --at;
    }
  }
}

#endif
