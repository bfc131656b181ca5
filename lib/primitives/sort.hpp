// sort, sort_by_key and argsort: what their program is built from, and what their calls are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <clwave/sort.hpp>

#include "blocks/messages.hpp"
#include "blocks/sorted_keys.hpp"
#include "call/description.hpp"
#include "call/workspace.hpp"
#include "primitives/sort_operands.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// A sort of numbers, among the kinds of sorts that a problem may ask for.
struct number_sort : sort_problem {};

struct sort_variant {
  static constexpr std::string_view primitive = "sort";
  const element* key = nullptr;
  std::uint64_t value_bytes = 0;  // of a value that goes with each key; 0: none
  unsigned index_bytes = 0;       // of an argsort's indices
  bool descending = false;
  bool many_keys = false;  // counts have 64 bits
  bool small = false;      // the program of a sort in one launch, which has no other kernel
  bool by_ranks = false;   // the program of a sort of few keys by their ranks
  bool in_place = false;   // by ranks
  group_messages messages = {};
  bool wide_messages = false;  // of 64 bits
  unsigned group_size = 1;
  unsigned items = 1;        // keys of a work-item of a GPU
  unsigned registers = 0;    // the most a work-item may take; 0: no limit
  unsigned count_bytes = 0;  // of the number of keys on the device; 0: the host knows it
};

program_spec spec_of(const sort_variant& v);

// The variant that sorts so many keys of these types.
sort_variant variant_of_sort(const sort_problem& q, const target& on);

// The launches of a sort, as a part of a call. Spare rooms lie in the workspace. Refers to the variant and
// the target.
class sort_launches {
 public:
  // Takes parts of the workspace to count in, which must be its first ones. `in_place`: the output is where
  // keys or values are, and no digit may go there first. Throws bad_call for more keys than kernels count.
  sort_launches(std::string_view primitive, const any_view& keys, const bit_range& bits, bool in_place,
                const sort_variant& v, const target& on, workspace_parts& parts);

  unsigned passes() const { return passes_; }
  // Whether a group holds all at once, so that there are no spare rooms, and keys may stay where they are.
  bool in_local_memory() const;
  // Takes spare rooms from the workspace.
  void take_spares(sort_rooms& rooms, workspace_parts& parts) const;
  // `number`: the operand that says how many keys there are, where one does.
  void add(described_work& work, const sort_rooms& rooms, std::size_t number) const;

 private:
  void add_ranks(described_work& work, const sort_rooms& rooms, std::size_t number) const;
  void add_in_one_launch(described_work& work, const sort_rooms& rooms, std::size_t number) const;

  any_view keys_;
  std::uint64_t n_;
  bit_range bits_;
  const sort_variant* v_;
  const target* on_;
  unsigned passes_;
  std::uint64_t tiles_ = 0, counting_groups_ = 0, counts_at_ = 0, messages_at_ = 0;
};

// For people: how many launches, and of what.
std::string name_of_sort(const sort_variant& v, unsigned passes, const target& on);

described<sort_variant> describe(const number_sort& q, const target& on);
told tell(const number_sort& q, const target& on, const described<sort_variant>& call);

// Of an argsort whose indices stay in the workspace, for a call that has other operands: at how many bytes
// they lie there, which is set, and which operand is the number of keys, where it lies on the device.
struct sorted_indices {
  std::size_t number = 0;
  std::uint64_t at = 0;
};

// The same; of such an argsort where `indices` is not null.
described<sort_variant> describe_sort(const sort_problem& q, const target& on, sorted_indices* indices);

}  // namespace clwave::detail
