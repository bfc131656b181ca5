// fill: repeats a value. Plan and arguments: lib/primitives/fill.cpp; blocks and chunks are those of copy.cl.

// The host repeats the value until it is at least 64 bytes long (`period`, at most 128), and that on and
// on into a table of 192: any 64 bytes of the output are found in it as they are, from their place modulo
// the period.
