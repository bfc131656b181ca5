// What gathers and scatters of elements in several parts share on a GPU: neighbouring work-items move the parts of an element.

// This work-item's first unit, as the element of the group's first unit and the parts behind that element's beginning:
// what follows from the second is 32-bit arithmetic.
typedef struct {
  ulong element;
  uint first;
} own_parts;
static inline own_parts own_parts_of_group(void) {
  const ulong first = (ulong)get_group_id(0) * (GROUP_SIZE * ITEMS);
  const own_parts own = {first / ELEMENT_PARTS, (uint)(first % ELEMENT_PARTS) + get_local_id(0)};
  return own;
}
static inline ulong unit_element(own_parts own, uint k) { return own.element + (own.first + k * GROUP_SIZE) / ELEMENT_PARTS; }
static inline uint unit_part(own_parts own, uint k) { return (own.first + k * GROUP_SIZE) % ELEMENT_PARTS; }
