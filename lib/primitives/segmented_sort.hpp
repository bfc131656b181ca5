// segmented_sort: what its programs are built from, and what its calls are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <clwave/named_value.hpp>
#include <clwave/segmented_sort.hpp>

#include "blocks/sorted_keys.hpp"
#include "call/description.hpp"
#include "call/workspace.hpp"
#include "primitives/sort_operands.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// A sort of each segment, of numbers or by an operator, among the kinds of sorts that a problem may ask for.
struct segment_sort : sort_problem {};

struct segmented_sort_variant {
  static constexpr std::string_view primitive = "segmented_sort";
  key_comparison keys = {};
  std::uint64_t value_bytes = 0;  // of a value that goes with each key; 0: none
  bool wide_offsets = false;      // of 64 bits
  bool counts_bad = false;
  unsigned group_size = 1;
  unsigned items = 1;      // keys of a work-item of a GPU
  std::uint64_t tile = 0;  // what one group sorts at a time
  // Only the first keys of each segment are wanted, and as values their indices, which the kernels make.
  bool keeps_first = false;
  unsigned count_bytes = 0;  // of the number of segments on the device; 0: the host knows it
};

// Where the first keys of each segment go, and their indices: operands of a call, at so many elements.
struct first_of_segments {
  std::uint64_t kept = 0;  // of each segment
  std::size_t values = 0;
  std::uint64_t values_offset = 0;
  std::size_t indices = 0;
  std::uint64_t indices_offset = 0;
};

program_spec spec_of(const segmented_sort_variant& v);

// The sizes of a variant of which all else is known.
void choose_sizes(segmented_sort_variant& v, const target& on);

// Throws bad_call for no offsets, for other types than they and the number of bad segments have, for an
// argsort, and for more segments or keys than kernels number.
void check_sorted_segments(std::string_view primitive, const sort_problem& q);

// The launches of a sort of segments, as a part of a call; there is one segment at least. The output of the
// keys and their spare room may be where the keys are, and likewise those of the values. Where only first
// keys are kept, the outputs are further rooms of the workspace. Refers to the variant.
class segmented_sort_launches {
 public:
  // Takes a part of the workspace, which must be its first one.
  segmented_sort_launches(const sorted_segments& segments, const segmented_sort_variant& v, const target& on,
                          workspace_parts& parts);

  // Whether what is sorted goes through spare rooms, which lie in the workspace.
  bool has_spares() const { return has_spares_; }
  // The most passes that a segment may take.
  std::uint32_t passes() const { return passes_; }
  // `values` are those of all texts of the program, in their order; `first` is there where the variant keeps
  // first keys alone.
  void add(described_work& work, const sort_rooms& rooms,
           std::span<const std::span<const named_value>> values,
           const first_of_segments* first = nullptr) const;

 private:
  sorted_segments segments_;
  const segmented_sort_variant* v_;
  std::uint64_t groups_;
  std::uint32_t passes_;
  bool has_spares_;
};

// For people: how segments are sorted.
std::string name_of_segmented_sort(const segmented_sort_variant& v, std::uint64_t n, const target& on);

described<segmented_sort_variant> describe(const segment_sort& q, const target& on);
told tell(const segment_sort& q, const target& on, const described<segmented_sort_variant>& call);

}  // namespace clwave::detail
