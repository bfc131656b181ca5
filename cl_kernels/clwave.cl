// The spine: the parts of every clwave program, in order. Each part may use those above it, never
// those below. The host joins them into one source (lib/program/source.cpp); what a call does not need is
// compiled out. The -D contract is in README.md beside this file.
//
// A pragma binds what follows it: all of them stand in target.cl, before the texts of the call, which are the
// user's declarations and the operators' texts.
#include "device/target.cl"
#include "texts of the call"
#include "device/target_instructions.cl"
#include "blocks/convert.cl"
#include "blocks/value.cl"
#include "device/lanes_nvidia.cl"
#include "device/lanes_amd.cl"
#include "device/lanes_subgroup.cl"
#include "device/lanes_local.cl"
#include "device/memory.cl"
#include "device/target_matrix.cl"
#include "blocks/group.cl"
#include "blocks/fold.cl"
#include "primitives/reduce.cl"
#include "primitives/copy.cl"
#include "primitives/transpose.cl"
#include "primitives/layout.cl"
#include "primitives/transform.cl"
#include "primitives/gemm.cl"
