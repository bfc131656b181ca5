// gather and scatter of elements in several parts, which one store does not write whole: the same for a GPU and a CPU.

#ifdef HAS_OUTSIDE
#define OUTSIDE_ARGUMENTS , uint16 outside_low, uint16 outside_high
// What an index outside gives, by parts: an argument cannot be indexed by a work-item's number. (A union, because compilers
// assume that accesses by another type are to other memory.)
typedef union {
  uint16 words[2];
  ELEMENT_PART parts[128 / sizeof(ELEMENT_PART)];
} outside_parts;
#define OUTSIDE_PART(part) (outside.parts[part])
#else
#define OUTSIDE_ARGUMENTS
#define OUTSIDE_PART(part) ((ELEMENT_PART)(0))
#endif
