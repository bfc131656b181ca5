// Plans: what a call would do on a device, or on an architecture nobody needs to own, and why.
//
// Threads may plan at the same time. A plan asks no driver and touches no queue, so it is the same for
// queues of all kinds, flushes nothing, and works in a child of fork() if no thread was in such a call
// when it was forked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <clwave/copy.hpp>
#include <clwave/element.hpp>
#include <clwave/export.hpp>
#include <clwave/gemm.hpp>
#include <clwave/layout.hpp>
#include <clwave/op.hpp>
#include <clwave/profile.hpp>
#include <clwave/question.hpp>
#include <clwave/transform.hpp>
#include <clwave/transpose.hpp>

namespace clwave {

// One argument of a kernel in a plan. `kind` is "input", "output", "workspace" (a buffer; `value` is
// its size in bytes) or "u32", "u64", "f32"... (a scalar; `value` in decimal), "u32x16" (a vector; its
// components, comma between them).
struct planned_argument {
  std::string name;
  std::string kind;
  std::string value;
};

struct planned_kernel {
  std::string name;
  std::uint64_t groups = 0;
  std::uint64_t group_size = 0;
  std::vector<planned_argument> arguments;  // in order
  // Of a group, where the plan decides it and not the compiler alone.
  std::optional<std::uint64_t> local_bytes = {};
};

// A way the work could have been done, and was not.
struct rejected_variant {
  std::string name;
  std::string reason;
};

struct call_plan {
  std::string primitive;  // "reduce"
  std::string variant;    // e.g. "shuffle_sync lanes, f32x4 loads, one launch"
  std::vector<rejected_variant> rejected;
  profile_choice choice;
  std::string options;  // the exact option line
  std::string source;   // the composed .cl source
  std::vector<planned_kernel> kernels;
  std::uint64_t workspace_bytes = 0;
  std::uint64_t n = 0;
  // The program's own choices by name, as passed by -D: GROUP_SIZE, ITEMS, VECTOR, ...
  std::vector<std::pair<std::string, std::string>> words;
};

// What to plan for. Without `facts`, `choice` comes from choose_profile_for and the number of compute
// units must be given, since only a device knows it.
struct plan_target {
  const device_facts* facts = nullptr;
  profile_choice choice;
  unsigned compute_units = 0;  // used without facts
  unsigned group_limit = 0;    // the most work-items that the built kernels take in a group; 0: not known
  bool with_source = true;     // false: the plan has no source and no option line, and takes microseconds
};

// The plan of a reduction of n elements of `value` into one `accumulator`. `misaligned` says that the
// input does not start at a multiple of 16 bytes. Throws clwave::error as the call itself would.
CLWAVE_EXPORT call_plan plan_reduce(const plan_target& on, const element& value, const element& accumulator,
                                    std::uint64_t n, const op& fold = plus, const map& apply = identity,
                                    bool two_inputs = false, bool misaligned = false);

// The plan of a copy of n elements, converting where the types differ; options.after plays no part. The
// offsets are where the two views start in their buffers, in elements. Throws as the call itself would.
CLWAVE_EXPORT call_plan plan_copy(const plan_target& on, const element& from, const element& to,
                                  std::uint64_t n, const copy_options& options = {},
                                  std::uint64_t in_offset = 0, std::uint64_t out_offset = 0);

// The plan of filling n elements with the value of `type` that lies at `value`.
CLWAVE_EXPORT call_plan plan_fill(const plan_target& on, const element& type, std::uint64_t n,
                                  const void* value);

// The plan of transposing matrices of `type`, which start that many elements into their buffers; in place,
// the output's pitches and offset play no part. Throws as the call itself would.
CLWAVE_EXPORT call_plan plan_transpose(const plan_target& on, const element& type, const matrices& size,
                                       const pitches& in_pitches = {}, const pitches& out_pitches = {},
                                       bool in_place = false, std::uint64_t in_offset = 0,
                                       std::uint64_t out_offset = 0);

// The plan of taking n structures apart (`to_soa`) or putting them together: with blocks of 0, between
// structures and one array for each field, all in one buffer. Throws as the call itself would.
CLWAVE_EXPORT call_plan plan_layout(const plan_target& on, const layout& fields, std::uint64_t n,
                                    bool to_soa = true, std::uint64_t block = 0);

// The plan of a matrix product of `value`s into `out`s, all views at the start of their buffers;
// options.after plays no part. The plan's n is the number of elements of C.
CLWAVE_EXPORT call_plan plan_gemm(const plan_target& on, const element& value, const element& out,
                                  const gemm_size& size, const gemm_options& options = {});

}  // namespace clwave
