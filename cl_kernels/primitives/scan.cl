// scan: running folds of n elements. Plan and arguments: lib/primitives/scan.cpp; order: scan_order.cl.
//
// In one pass: a group folds its tile, posts the fold, looks back for those before it and stores the results; elements are
// read once and results written once. Where results take the elements' place (IN_PLACE) a group that folds another's tile
// may read results; since each posts its tile's fold before it stores any, that fold is then there, and the other is
// dropped. Where groups cannot send messages, in three launches: folds of all tiles, what stands before each, results.
// So does an array in pieces (PIECE): on several devices or with several processes, which exchange what stands before tiles
// and stretches between the launches (lib/distributed/scan_sharded.cpp, scan_ranks.cpp), or streamed from the host, one
// piece going on where the one before it ends (lib/distributed/scan_host_array.cpp).

static inline uint scan_tiles(ulong n) { return (uint)((n + SCAN_TILE - 1) / SCAN_TILE); }

// What stands before a tile whose stretch has the folds `tiles` before it, and `stretches` before itself.
static inline scan_before scan_before_tile(uint tile, ACC start, named_values given) {
  scan_before before;
  before.has_tiles = tile % SCAN_TILES > 0;
  before.has_stretches = tile / SCAN_TILES > 0;
  scan_set_start(&before, start, given);
  return before;
}
