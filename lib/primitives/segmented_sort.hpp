// segmented_sort: what its programs are built from, and what its calls are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <clwave/copy.hpp>
#include <clwave/error.hpp>
#include <clwave/named_value.hpp>
#include <clwave/segmented_sort.hpp>

#include "blocks/sort_operands.hpp"
#include "blocks/sorted_keys.hpp"
#include "call/count_on_host.hpp"
#include "call/description.hpp"
#include "call/execute.hpp"
#include "call/workspace.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct segmented_sort_variant {
  static constexpr std::string_view primitive = "segmented_sort";
  key_comparison keys = {};
  std::uint64_t value_bytes = 0;  // of a value that goes with each key; 0: none
  bool wide_offsets = false;      // of 64 bits
  bool counts_bad = false;
  unsigned group_size = 1;
  unsigned items = 1;      // keys of a work-item of a GPU
  std::uint64_t tile = 0;  // what one group sorts at a time
};

program_spec spec_of(const segmented_sort_variant& v);

// The sizes of a variant of which all else is known.
void choose_sizes(segmented_sort_variant& v, const target& on);

// Throws bad_call for offsets of another type than they have, and for more segments or keys than kernels
// number.
void check_sorted_segments(std::string_view primitive, const element& key, const element& offset,
                           std::uint64_t segments, std::uint64_t n);

// The launches of a sort of segments, as a part of a call; there is one segment at least. The output of the
// keys and their spare room may be where the keys are, and likewise those of the values. Refers to the
// variant.
class segmented_sort_launches {
 public:
  // Takes a part of the workspace, which must be its first one.
  segmented_sort_launches(const sorted_segments& segments, const segmented_sort_variant& v, const target& on,
                          workspace_parts& parts);

  // Whether what is sorted goes through spare rooms, which lie in the workspace.
  bool has_spares() const { return has_spares_; }
  // `values` are those of all texts of the program, in their order.
  void add(described_work& work, const sort_rooms& rooms,
           std::span<const std::span<const named_value>> values) const;

 private:
  sorted_segments segments_;
  const segmented_sort_variant* v_;
  std::uint64_t groups_;
  std::uint32_t passes_;
  bool has_spares_;
};

// For people: how segments are sorted.
std::string name_of_segmented_sort(const segmented_sort_variant& v, std::uint64_t n, const target& on);

described<segmented_sort_variant> describe(const segmented_sort_problem& q, const target& on);

// Sorts of segments by numbers, or by an operator where there is one; the latter blocks, and throws bad_call
// where segments are bad.
event sort_segments(cl_command_queue queue, const sort_call& call, const sort_order& order, const op* less,
                    const launch_fields& options);
void checked_sort_of_segments(cl_command_queue queue, const sort_call& call, const sort_order& order,
                              const op* less, const launch_fields& options);

// Starts a sort of segments, or of what may have none. Without any there is no launch, and none is bad.
template <class Problem>
event start_sort_of_segments(const call_site& site, std::string_view primitive, const Problem& q,
                             const sort_operands& operands, std::span<const cl_event> after,
                             const launch_fields& options, bool wanted) {
  const auto ready = fit(site, q);
  if (ready.code == nullptr && q.counts_bad) {
    constexpr std::uint64_t zero = 0;
    return fill_elements(site.queue, operands.bad(), &zero, options);
  }
  return enqueue(site, ready, operands.buffers(), after, wanted,
                 {primitive, &options.workspace, &operands.checked()});
}

// start(counted, options) starts the call with a place for the number of bad segments; blocks, and throws
// bad_call where there are any.
template <class Start>
void check_sort_of_segments(const call_site& site, std::string_view primitive, const sort_call& call,
                            const launch_fields& options, const Start& start) {
  const std::uint64_t bad =
      count_on_host(site, options, [&](const any_view& count, const launch_options& now) {
        sort_call counted = call;
        counted.bad = count;
        return start(counted, now);
      });
  if (bad == 0) return;
  throw error(
      failure::bad_call,
      std::to_string(bad) + " of " + std::to_string(call.offsets->n - 1) + " segments are bad", CL_SUCCESS,
      {.primitive = std::string(primitive),
       .types = call.keys.type->name,
       .advice = "offsets may not fall, nor pass the input's " + std::to_string(call.keys.n) + " elements"});
}

}  // namespace clwave::detail
