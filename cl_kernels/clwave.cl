// The spine: the parts of every clwave program, in order. Each part may use those above it, never
// those below. The host joins them into one source (lib/source.cpp); what a call does not need is
// compiled out. The -D contract is in README.md beside this file.
//
// A pragma binds what follows it: all of them stand in target.cl, before the texts of the call, which are the
// user's declarations and the operators' texts.
#include "target.cl"
#include "texts of the call"
#include "target_instructions.cl"
#include "convert.cl"
#include "value.cl"
#include "lanes_nvidia.cl"
#include "lanes_amd.cl"
#include "lanes_subgroup.cl"
#include "lanes_local.cl"
#include "memory.cl"
#include "target_matrix.cl"
#include "group.cl"
#include "fold.cl"
#include "reduce.cl"
#include "copy.cl"
#include "transpose.cl"
#include "layout.cl"
#include "transform.cl"
#include "gemm.cl"
