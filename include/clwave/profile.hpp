/// @file
/// Profiles: which code an architecture gets, with the evidence for each number.
///
/// Threads may call these functions at the same time, but none may set environment variables meanwhile. No
/// queue and no driver is asked, so nothing is flushed, and all of it works in a child of fork() if no
/// thread was in such a call when it was forked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/device.hpp>
#include <clwave/export.hpp>

namespace clwave {

/// How lanes hand values to one another (one file cl_kernels/device/lanes_*.cl each, see its README).
enum class lane_exchange {
  shuffle_sync,     ///< NVIDIA, SM 70 and later: shfl.sync names its participants
  shuffle,          ///< NVIDIA, SM 30 to 62
  dpp_row_bcast,    ///< AMD gfx8 and gfx9: DPP row_shr, then row_bcast across rows
  dpp_permlanex16,  ///< AMD gfx10 and later: DPP row_shr, then permlanex16 across rows
  swizzle,          ///< AMD gfx6 and gfx7: ds_swizzle, then readlane
  sub_group,        ///< sub_group_shuffle_up
  local_memory,     ///< any device: local memory and barriers
  none,             ///< a work-item is a group of its own (CPU)
};

/// The enumerator's name, such as "shuffle_sync".
CLWAVE_EXPORT std::string_view name_of(lane_exchange exchange);

/// What orders the last group's reads after the other groups' writes, so that one launch is enough.
enum class group_order {
  ptx_fence,       ///< fence.acq_rel.gpu, below SM 70 membar.gl
  amd_fence,       ///< __builtin_amdgcn_fence(..., "agent")
  opencl_atomics,  ///< OpenCL C 2.0 or 3.0 acquire-release atomics at device scope
  two_launches,    ///< nothing does: the queue's own order between two kernels
};

/// The enumerator's name, such as "ptx_fence".
CLWAVE_EXPORT std::string_view name_of(group_order order);

/// Numbers of one primitive: what decides how many bytes are in flight at a time.
struct tuning {
  unsigned group_size = 256;     ///< work-items of a work-group
  unsigned items = 8;            ///< vector loads that a work-item has in flight
  unsigned groups_per_unit = 4;  ///< work-groups that are resident on a compute unit
  unsigned vector_bytes = 16;    ///< bytes of the widest load
  unsigned registers = 0;        ///< the most a work-item may take where that can be asked for; 0: no limit

  /// Equal in all numbers.
  friend bool operator==(const tuning&, const tuning&) = default;
};

/// Numbers of the fold of a reduction beside its `tuning`, which is about the loads of the input. Those with
/// a limit in bytes are derived from registers and local memory, and the same in most profiles.
struct fold_tuning {
  unsigned waiting_tiles = 16;    ///< tiles of a team whose parts wait in local memory together, at most
  unsigned waiting_bytes = 4096;  ///< local memory of a group that those parts may take
  unsigned result_items = 4;      ///< packets of a level's results that a work-item has in flight, at most
  unsigned result_bytes = 64;     ///< registers that those packets may take
  unsigned located_bytes = 32;    ///< registers of the values in flight where an index is looked up
  unsigned fetched_ahead = 8192;  ///< on a CPU: bytes that are fetched ahead of the loads
  unsigned block = 128;           ///< on a CPU: columns at a time where values have no wide form

  /// Equal in all numbers.
  friend bool operator==(const fold_tuning&, const fold_tuning&) = default;
};

/// Numbers of a scan. Groups look for the messages of others with pauses between; those that are not there
/// after `looks` are made by the group itself.
struct scan_tuning {
  unsigned group_size = 512;       ///< work-items of a work-group
  unsigned looks = 256;            ///< how often a group looks before it does the missing work itself
  unsigned first_pause = 500;      ///< nanoseconds, before the second look
  unsigned next_pause = 500;       ///< nanoseconds, before each later one
  unsigned registers = 0;          ///< the most a work-item may take; 0: no limit
  unsigned kept = 0;               ///< runs of a work-item that wait in local memory instead of registers
  unsigned registers_of_8 = 0;     ///< as `registers`, of results of 8 bytes
  unsigned kept_of_8 = 0;          ///< as `kept`, of results of 8 bytes; above 0, of half as many work-items
  unsigned fetched_ahead = 8192;   ///< on a CPU: bytes that are fetched ahead of the loads
  bool in_order_of_start = false;  ///< groups take tiles in the order in which they start, by a counter

  /// Equal in all numbers.
  friend bool operator==(const scan_tuning&, const scan_tuning&) = default;
};

/// Numbers of a select. Its groups wait for messages by the numbers of a scan.
struct select_tuning {
  unsigned group_size = 128;  ///< work-items of a work-group
  unsigned items = 32;        ///< elements of 4 bytes that a work-item holds; a power of two, at most 64

  /// Equal in all numbers.
  friend bool operator==(const select_tuning&, const select_tuning&) = default;
};

/// Numbers of a sort. Its groups wait for messages by the numbers of a scan.
struct sort_tuning {
  unsigned group_size = 256;  ///< work-items of a work-group; a multiple of the lanes
  unsigned items = 16;        ///< keys that a work-item of a GPU holds, as far as local memory reaches
  /// Group size and items of sorts in one launch, whose one group has no other beside it to wait with; 0:
  /// `group_size` and `items`.
  unsigned small_group_size = 0;
  unsigned small_items = 0;  ///< keys of a work-item of a sort in one launch; 0: `items`
  /// Up to so many keys are sorted by their ranks, of 8 bytes half as many; 0: none are.
  unsigned ranked_keys = 0;
  unsigned registers = 0;       ///< the most a work-item may take in larger sorts of keys; 0: no limit
  unsigned registers_of_8 = 0;  ///< the most a work-item may take where keys have 8 bytes; 0: `registers`
  unsigned shares = 1;          ///< of a CPU: parts of the input for each core

  /// Equal in all numbers.
  friend bool operator==(const sort_tuning&, const sort_tuning&) = default;
};

/// Numbers of merges, of sorts by comparison and of sorts of segments.
struct merge_tuning {
  unsigned group_size = 256;  ///< work-items of a work-group
  unsigned items = 15;      ///< elements of 4 bytes of a work-item of a GPU, at most 32; odd ones are fastest
  unsigned items_of_8 = 0;  ///< elements of 8 bytes of a work-item; 0: as many bytes as `items`
  unsigned items_of_keys_alone = 0;  ///< elements of a work-item in merges without values; 0: `items`
  unsigned few_group_size = 256;     ///< work-items of a work-group in sorts of few tiles, all at once
  unsigned few_items = 15;           ///< elements of a work-item in these
  unsigned registers = 0;  ///< the most of a work-item that moves values, or makes a set; 0: no limit
  unsigned segment_group_size = 256;     ///< work-items of a work-group in sorts of segments
  unsigned segment_items = 16;           ///< as items in these; a power of two, at most 32
  unsigned segment_groups_per_unit = 4;  ///< work-groups for each compute unit in these
  unsigned shares = 4;                   ///< of a CPU: parts of the result for each core

  /// Equal in all numbers.
  friend bool operator==(const merge_tuning&, const merge_tuning&) = default;
};

/// Numbers of a histogram.
struct histogram_tuning {
  unsigned group_size = 256;     ///< work-items of a work-group
  unsigned items = 4;            ///< packets of 16 bytes that a work-item has in flight
  unsigned groups_per_unit = 4;  ///< work-groups for each compute unit; of a CPU shares of the input
  unsigned copies = 32;          ///< of each counter in local memory, at most; a power of two
  unsigned counters = 8192;      ///< words of local memory that a group counts in, at most; a power of two

  /// Equal in all numbers.
  friend bool operator==(const histogram_tuning&, const histogram_tuning&) = default;
};

/// Numbers of top_k.
struct top_k_tuning {
  unsigned group_size = 512;     ///< work-items of a work-group
  unsigned items = 4;            ///< packets of 16 bytes that a work-item has in flight
  unsigned groups_per_unit = 4;  ///< work-groups for each compute unit; of a CPU shares of the input

  /// Equal in all numbers.
  friend bool operator==(const top_k_tuning&, const top_k_tuning&) = default;
};

/// How a matrix product is tiled: a group computes m x n elements of C and steps along k by `k`; of these a
/// work-item computes item_m x item_n, with matrix instructions a lane set does. On a CPU, where a group is
/// one work-item, item_m x item_n is what its registers hold.
struct gemm_tile {
  unsigned m = 0;       ///< rows of C of a group
  unsigned n = 0;       ///< columns of C of a group
  unsigned k = 0;       ///< elements of k that a step takes
  unsigned item_m = 0;  ///< rows of C of a work-item
  unsigned item_n = 0;  ///< columns of C of a work-item
  double speed = 1;     ///< of large products, as a share of the fastest tile's: decides between tiles
  unsigned stages = 2;  ///< steps of k that local memory holds at a time
};

/// Matrix instructions (cl_kernels/device/target_matrix.cl).
enum class matrix_unit {
  none,      ///< products go by fused multiply-adds
  mma_sync,  ///< NVIDIA, SM 80 and later
  mfma,      ///< AMD CDNA
  wmma,      ///< AMD RDNA3
  wmma_12,   ///< AMD RDNA4
  wgmma,     ///< NVIDIA, SM 90: on tiles in local memory, by a second build (profile::beyond)
  emulated,  ///< in plain code, where a profile that has some is forced on a device without
};

/// The enumerator's name, such as "mma_sync".
CLWAVE_EXPORT std::string_view name_of(matrix_unit unit);

/// Tiles of a matrix product, by what it accumulates in, largest first. f16 without matrix instructions goes
/// by f32.
struct gemm_tuning {
  std::span<const gemm_tile> f32;               ///< float, half and bfloat16 by fused multiply-adds
  std::span<const gemm_tile> f64;               ///< double by fused multiply-adds
  matrix_unit unit = matrix_unit::none;         ///< what the tiles below are for
  std::span<const gemm_tile> matrix_f16 = {};   ///< half by matrix instructions; empty: no gain there
  std::span<const gemm_tile> matrix_bf16 = {};  ///< bfloat16 by matrix instructions; empty: it has none
  std::span<const gemm_tile> matrix_f64 = {};   ///< double by matrix instructions; empty: no gain there
  std::span<const gemm_tile> matrix_tf32 = {};  ///< float as tf32, where a call allows it; empty: no gain
  /// Wide matrix instructions (cl_kernels/device/target_wide_matrix.cl): what the tiles below are for. Of
  /// these `k` and `item_n` follow from the instruction, and `item_m` is how many columns one takes.
  matrix_unit wide_unit = matrix_unit::none;
  std::span<const gemm_tile> wide_16 = {};           ///< half and bfloat16
  std::span<const gemm_tile> wide_16_uneven = {};    ///< wide_16 where lines are no multiples of 128 bytes
  std::span<const gemm_tile> wide_tf32 = {};         ///< float as tf32, where a call allows it
  std::span<const gemm_tile> wide_tf32_turned = {};  ///< wide_tf32 where one operand has its lines across k
  /// C of so many rows or columns at most has a kernel of its own, bound by memory; 0: not measured.
  unsigned thin = 0;
  std::string_view evidence = {};  ///< where the numbers come from
};

/// How programs with instructions that the device's OpenCL compiler does not know are built: it is given
/// them as marked comments, its output gets another target and no marks, and that is built
/// (lib/program/second_build.hpp). For the architecture profile::since alone.
struct beyond_compiler {
  std::string_view compiled_for = {};  ///< the target that the compiler's output names: "sm_90"
  std::string_view target = {};        ///< the one that has the instructions; empty: there is none
  std::uint64_t local_memory = 0;      ///< bytes that a work-group of such a program may have
};

/// One line of the device table: what an architecture gets.
struct profile {
  std::string_view name;                          ///< unique: "sm_90", "gfx90a", "gfx1030-wave64", "cpu"
  std::string_view title;                         ///< "NVIDIA Hopper"
  device_family family = device_family::generic;  ///< whose devices it serves
  unsigned since = 0;  ///< first CUDA_SM, AMD_GFX or Intel arch << 8 | release it serves
  unsigned lanes = 1;  ///< lanes that run in lock step: a warp, a wavefront, a sub-group
  lane_exchange exchange = lane_exchange::local_memory;  ///< how they hand values to one another
  group_order order = group_order::two_launches;         ///< what the architecture can do at best
  /// The driver runs a kernel in the groups that it was compiled for, also where it says that the kernel
  /// takes fewer work-items (CL_KERNEL_WORK_GROUP_SIZE).
  bool groups_as_compiled = false;
  bool local_staging_for_broadcast = false;  ///< the vector cache has no broadcast: stage in local memory
  tuning reduce;                             ///< loads of all reductions
  fold_tuning fold = {};                     ///< the rest of a reduction
  scan_tuning scan = {};                     ///< of scans, and of all that waits for messages
  select_tuning select = {};                 ///< of selections and reductions by key
  sort_tuning sort = {};                     ///< of sorts
  merge_tuning merge = {};                   ///< of merges and sorts by comparison
  histogram_tuning histogram = {};           ///< of histograms
  top_k_tuning top_k = {};                   ///< of top_k
  tuning copy;                               ///< of copies without conversion
  std::optional<tuning> fill = {};           ///< of fills and converting copies, where other than copy's
  std::optional<tuning> transpose = {};      ///< where other than what transpose_tuning derives
  std::optional<tuning> layout = {};         ///< where other than what layout_tuning derives
  std::optional<tuning> transform = {};      ///< where other than copy's
  std::optional<tuning> broadcast = {};      ///< where other than transform's
  /// Work-groups for each compute unit that a large reduction launches, where more than run at once are
  /// faster; 0: as many as run at once.
  unsigned groups_in_rounds = 0;
  std::string_view evidence;          ///< where the numbers come from; "not measured: ..." where nobody has
  const gemm_tuning* gemm = nullptr;  ///< nullptr: what gemm_of gives for its family
  beyond_compiler beyond = {};        ///< instructions beyond the device's OpenCL compiler
};

/// A profile's tiles of matrix products.
CLWAVE_EXPORT const gemm_tuning& gemm_of(const profile& of);

/// The table, newest architecture of each family first.
CLWAVE_EXPORT std::span<const profile> profiles();

/// The profile's numbers for transpose; where they were not measured, numbers that are derived from its
/// others. A tile has group_size x items x vector_bytes bytes; on a CPU it is `items` cache lines wide and as
/// high.
CLWAVE_EXPORT const tuning& transpose_tuning(const profile& of);

/// The profile's numbers for layout; where they were not measured, numbers that are derived from its others.
/// Structures of group_size x items x vector_bytes bytes are a group's, or on a CPU a piece.
CLWAVE_EXPORT const tuning& layout_tuning(const profile& of);

/// The profile's numbers for fills and converting copies; copy's, where it has none for these.
CLWAVE_EXPORT const tuning& fill_tuning(const profile& of);

/// The profile's numbers for transform; copy's, where it has none for that.
CLWAVE_EXPORT const tuning& transform_tuning(const profile& of);

/// The profile's numbers for broadcast; transform's, where it has none for that.
CLWAVE_EXPORT const tuning& broadcast_tuning(const profile& of);

/// The profile of that name; nullptr if there is none.
CLWAVE_EXPORT const profile* find_profile(std::string_view name);

/// Whether a device runs programs with instructions beyond its OpenCL compiler, and why not.
enum class beyond_state {
  none,                ///< the profile has no such instructions
  other_architecture,  ///< the device is another than the one architecture that has them
  emulated,            ///< the profile is emulated
  refused,             ///< the driver refused such a program's second build in this process
  usable               ///< it is expected to run them
};

/// A profile on a device: all that code is made for.
struct applied_profile {
  const clwave::profile* profile = nullptr;  ///< the profile; lives as long as the process
  bool forced = false;                       ///< by CLWAVE_PROFILE
  bool emulated = false;  ///< the profile's lanes do not exist on this device: local memory and barriers
  bool unknown_newer =
      false;           ///< the device is newer than any profile: the newest older profile of its family
  unsigned lanes = 1;  ///< what the kernels are built for
  lane_exchange exchange = lane_exchange::local_memory;  ///< after emulation
  group_order order = group_order::two_launches;         ///< what the real device can do
  beyond_state beyond = beyond_state::none;              ///< whether profile::beyond can be used
};

/// A profile chosen for a device, how it will run there, and why.
struct profile_choice : applied_profile {
  std::string why;  ///< one sentence for people

  /// Primitives whose numbers are not the table's but found on this device (`clwave tune`), each with a
  /// sentence; `profile` has these numbers.
  struct tuned_numbers {
    std::string primitive;  ///< "reduce"
    std::string why;        ///< what was measured, and when
  };
  std::vector<tuned_numbers> tuned = {};  ///< empty: all numbers are the table's
};

/// The profile for a device: CLWAVE_PROFILE if set (read at each call), else by facts, and then with the
/// numbers that `clwave tune` saved for the device, its driver's version and the profile (read once a
/// process). Throws clwave::error (bad_call) if CLWAVE_PROFILE names no profile.
CLWAVE_EXPORT profile_choice choose_profile(const device_facts& facts);

/// The profile for an architecture without a device: a profile's name, or any "sm_NN" / "gfxNNN" the table
/// covers. Never emulated; the order is the one the profile hopes for. Throws clwave::error (bad_call) if
/// the name means nothing or is older than every profile.
CLWAVE_EXPORT profile_choice choose_profile_for(std::string_view architecture);

}  // namespace clwave
