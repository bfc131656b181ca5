// scan: running folds of n elements. Plan and arguments: lib/primitives/scan.cpp; order: scan_order.cl.
//
// In one pass: a group folds its tile, posts the fold, looks back for those before it and stores the results; elements are read
// once and results written once. If results take the elements' place (IN_PLACE), a group that folds another's tile may read
// results. But each group posts its tile's fold before it stores any results, so that fold is then there, and the other is dropped.
// Where groups cannot send messages, there are three launches: the folds of all tiles, their prefixes, the results. So it is for
// an array in pieces (PIECE): on several devices or with several processes, which exchange the prefixes of tiles and stretches
// between the launches (lib/distributed/scan_sharded.cpp, scan_ranks.cpp), or streamed from the host, where each piece continues
// the one before it (lib/distributed/scan_host_array.cpp).

static inline uint scan_tiles(ulong n) { return (uint)((n + SCAN_TILE - 1) / SCAN_TILE); }

// Says which terms a tile's prefix has: the fold of earlier tiles of its stretch, that of earlier stretches, the start value. The
// caller sets `tiles` and `stretches`.
static inline scan_before scan_before_tile(uint tile, ACC start, named_values given) {
  scan_before before;
  before.has_tiles = tile % SCAN_TILES > 0;
  before.has_stretches = tile / SCAN_TILES > 0;
  scan_set_start(&before, start, given);
  return before;
}
