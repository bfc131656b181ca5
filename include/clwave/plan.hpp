/// @file
/// Plans: what a call would do on a device, or on an architecture nobody needs to own, and why.
///
/// Threads may plan at the same time. A plan asks no driver and touches no queue, so it is the same for
/// queues of all kinds, flushes nothing, and works in a child of fork() if no thread was in such a call
/// when it was forked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <clwave/any_view.hpp>
#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/op.hpp>
#include <clwave/profile.hpp>

namespace clwave {

namespace detail {
struct planned_program;
}

/// One argument of a kernel in a plan. `kind` is "input", "output", "workspace" (a buffer; `value` is
/// its size in bytes) or "u32", "u64", "f32"... (a scalar; `value` in decimal), "u32x16" (a vector; its
/// components, comma between them). Of what only the call itself knows the plan says less: "element" (a value
/// of the call's; `value` is its size in bytes), "host address" and "call number" (`value` is empty). The
/// last ones are the named values of the operator, then those of the map, by their own names; kernels have
/// clwave_op_ or clwave_map_ before them, or clwave_key_0_ for a sort's first key.
struct planned_argument {
  std::string name;   ///< as the kernel has it
  std::string kind;   ///< "input", "output", "workspace", "u64", "f32", ...
  std::string value;  ///< in decimal, or empty where only the call knows it
};

/// One launch.
struct planned_kernel {
  std::string name;                         ///< of the kernel; in the source clwave_ stands before it
  std::uint64_t groups = 0;                 ///< work-groups, in one dimension
  std::uint64_t group_size = 0;             ///< work-items of each
  std::vector<planned_argument> arguments;  ///< in order
  /// Local memory of a group, where the plan decides it and not the compiler alone.
  std::optional<std::uint64_t> local_bytes = {};
};

/// A way the work could have been done, and was not.
struct rejected_variant {
  std::string name;    ///< of the way: "one launch"
  std::string reason;  ///< why it is not taken here
};

/// What a call would do: how many launches of what, with which arguments, built from which source. The call
/// itself is carried out from the same description, so the two cannot differ.
struct call_plan {
  std::string primitive;                   ///< "reduce"
  std::string variant;                     ///< e.g. "shuffle_sync lanes, f32x4 loads, one launch"
  std::vector<rejected_variant> rejected;  ///< the other ways there are, each with the reason against it
  /// What in your expressions may not mean what it looks like: a division of whole numbers whose result is a
  /// float.
  std::vector<std::string> remarks;
  profile_choice choice;  ///< which profile, and why
  std::string options;    ///< the exact option line
  std::string source;     ///< the composed .cl source
  /// The target of the program's second build (profile::beyond), whose source has marked instructions; empty:
  /// it is built once.
  std::string second_target;
  std::vector<planned_kernel> kernels;  ///< in the order in which they run
  std::uint64_t workspace_bytes = 0;    ///< what launch_options::workspace must have
  std::uint64_t n = 0;                  ///< elements, as the problem counts them
  /// The program's own choices by name: GROUP_SIZE, ITEMS, VECTOR, ...; passed by -D as clwave_GROUP_SIZE
  std::vector<std::pair<std::string, std::string>> words;
  /// The kernel files (cl_kernels/) that the program is made of, in their order.
  std::vector<std::string> modules;
  /// What prepare() builds; null where nothing is launched.
  std::shared_ptr<const detail::planned_program> program;
};

/// What to plan for. Without `facts`, `choice` comes from choose_profile_for and the number of compute
/// units must be given, since only a device knows it.
struct plan_target {
  const device_facts* facts = nullptr;  ///< of a device (facts_of); null: an architecture alone
  profile_choice choice;                ///< from choose_profile, or choose_profile_for
  unsigned compute_units = 0;           ///< used without facts
  unsigned group_limit = 0;  ///< the most work-items that the built kernels take in a group; 0: not known
  bool with_source = true;   ///< false: the plan has no source and no option line, and takes microseconds
};

}  // namespace clwave
