// scan_by_key: messages that mean nothing. The kernels that find where runs begin are those of select.cl, those that scan the
// runs are of segmented_scan.cl; plan and arguments: lib/primitives/scan_by_key.cpp.
//
// Offsets of runs would be taken for messages where other calls look for theirs, so this call's workspace is not among the
// memory that is kept for such calls. Its own messages lie where anything may have been.
#if defined(PRIMITIVE_SCAN_BY_KEY) && defined(IN_ONE_PASS)

// Sets so many words to 0, which is no call's number. Any number of groups.
KERNEL void scan_by_key_clear(ulong words, __global uchar *workspace) {
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  for (ulong word = get_global_id(0); word < words; word += get_global_size(0)) messages[word] = 0;
}

#endif
