// Bins: in which one a key falls. Plans and arguments: lib/primitives/bins.cpp.
//
// Bin k has the keys from edge k to before edge k + 1. Even bins have the edges lo + k (hi - lo) / bins, as exact numbers:
// nothing is rounded, so no device's arithmetic shows. A quick guess says between which edges a key lies, or which edge it
// is so near to that the guess does not know; then the key and that edge are compared as exact numbers, by integers of 128
// bits. Other edges are a table in the keys' type, and searched.

// Of the files that say how the bin of a key is found the host lists one: histogram_itself.cl, histogram_shifted.cl,
// histogram_floored.cl, histogram_guessed.cl, histogram_fixed.cl and histogram_edges.cl. Each has the kernels' arguments for its
// rule behind others (BINS_ARGUMENTS), the rule made of them (BIN_RULE), and bin_of.

// A key is in no bin, or so near to an edge that the guess does not know.
#define NO_BIN 0xffffffffu
#define BIN_NEAR_EDGE 0xfffffffeu
