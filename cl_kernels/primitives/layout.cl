// layout: arrays of structures to structures of arrays and back, whole or in blocks. Variants and
// arguments: lib/primitives/layout.cpp.
//
// On a GPU a group takes TILE structures. Their bytes pass local memory, so that the structures are met there in
// packets side by side, padding and all, and each field's values in accesses side by side as well. On a CPU a
// work-item is a group, and a plain loop over each field of a few hundred structures at a time does it.
//
// The host writes the structure down as FIELDS(X): X(size, offset, unit, run, start) for each field, where unit is
// the widest power of two that its places allow, run how many neighbouring values make one access, and start
// where its first value lies. SPANS(X), X(offset, size), are the bytes between fields. STRIDE is a structure's size.
// (Strzodka, "Abstraction for AoS and SoA Layout in C++", 2011.)

// Where value `value` of a field lies, counted from structure `first`, which is `rest` structures into block
// `block`. Without IN_BLOCKS each field has one array, as of one block for all.
typedef struct {
  ulong block;
  ulong rest;
} block_place;

static inline block_place place_of(ulong first) {
  block_place place = {0, first};
  if (IS_ON(IN_BLOCKS)) {
    place.block = first / BLOCK;
    place.rest = first % BLOCK;
  }
  return place;
}

static inline ulong value_at(block_place place, uint value, uint size) {
  if (!IS_ON(IN_BLOCKS)) return (place.rest + value) * size;
  if (BLOCK < 0x40000000) {
    const uint rest = (uint)place.rest + value;
    return (place.block + rest / BLOCK) * (ulong)BLOCK_BYTES + (ulong)(rest % BLOCK) * size;
  }
  const ulong rest = place.rest + value;
  return (place.block + rest / BLOCK) * (ulong)BLOCK_BYTES + rest % BLOCK * size;
}
