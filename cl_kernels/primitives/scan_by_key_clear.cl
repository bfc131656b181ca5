// Scans by key where it is by offsets, in one pass.

// Offsets of runs would be taken for messages where other calls look for theirs, so this call's workspace is not among the
// memory that is kept for such calls. Its own messages lie where anything may have been.

// Sets so many words to 0, which is no call's number. Any number of groups.
KERNEL void scan_by_key_clear(ulong words, __global uchar *workspace) {
  __global ulong *messages = (__global ulong *)(workspace + OWN_AT);
  for (ulong word = get_global_id(0); word < words; word += get_global_size(0)) messages[word] = 0;
}
