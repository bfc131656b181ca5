// transform and broadcast: what their programs are built from, and what a transform is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <clwave/element.hpp>
#include <clwave/op.hpp>
#include <clwave/transform.hpp>

#include "call/description.hpp"
#include "call/lazy_inputs.hpp"
#include "program/expressions.hpp"
#include "program/program.hpp"

namespace clwave::detail {

struct transform_numbers {
  unsigned group_size = 1;
  unsigned items = 1;   // packets of each input in flight
  unsigned vector = 1;  // elements of a packet
};

// An output beside the first one.
struct further_output {
  const element* type = nullptr;
  const map* apply = nullptr;
};

struct transform_variant {
  static constexpr std::string_view primitive = "transform";
  std::vector<const element*> in;
  const element* out = nullptr;
  const map* apply = nullptr;
  transform_numbers numbers = {};
  bool streaming = false;    // results go past a CPU's caches
  unsigned count_bytes = 0;  // of the number of elements on the device; 0: the host knows it
  // The predicate of a transform_if; clwave's identity: there is none. Its results go where input number
  // `kept` lies, which the texts may not see: they see the first `seen` inputs.
  const map* only_if = &identity;
  std::size_t kept = 0, seen = 0;
  // Of the one input, where it lies nowhere and is none of `in`; and its type.
  lazy_variant lazy = {};
  const element* lazy_type = &no_type();
  std::vector<further_output> further = {};
};

struct adjacent_difference_variant {
  static constexpr std::string_view primitive = "adjacent_difference";
  const element *in = nullptr, *out = nullptr;
  const map* apply = nullptr;
  transform_numbers numbers = {};
  bool in_place = false;
};

struct broadcast_variant {
  static constexpr std::string_view primitive = "broadcast";
  const element *in = nullptr, *vector = nullptr, *out = nullptr;
  const map* apply = nullptr;
  per which = per::column;
  bool staged = false;  // a row's values go through local memory
  transform_numbers numbers = {};
};

program_spec spec_of(const transform_variant& v);
program_spec spec_of(const broadcast_variant& v);
program_spec spec_of(const adjacent_difference_variant& v);

described<transform_variant> describe(const transform_problem& q, const target& on);
described<adjacent_difference_variant> describe(const adjacent_difference_problem& q, const target& on);
told tell(const adjacent_difference_problem& q, const target& on,
          const described<adjacent_difference_variant>& call);

// What the kernels of transform.cl, broadcast.cl and adjacent_difference.cl share: the words of their numbers
// and of one operand, whose `letter` is X, Y, Z, B or OUT.
void add_transform_numbers(program_spec& spec, const transform_numbers& numbers);
void add_transform_operand(program_spec& spec, const std::string& letter, const element& e,
                           const transform_numbers& numbers);
// The user's map, of these operands.
void add_transform_map(program_spec& spec, const map& apply, std::vector<text_operand> operands,
                       const element& out);

// Group size and the elements of a packet: the widest element fills the profile's access, where every operand
// has a single access of as many elements.
transform_numbers tuned_transform_numbers(std::span<const any_view* const> all, std::size_t inputs,
                                          const tuning& tuned, const target& on);
// These numbers as a sentence of `clwave why`.
std::string words_of_numbers(const transform_numbers& numbers, const target& on);
// An element at a time, and as many bytes in flight as far as 16 accesses allow.
void take_elements_singly(transform_numbers& numbers);
// How many elements lie between a place and the last packet's start before it.
std::uint64_t phase_of(const any_view& each, const transform_numbers& numbers);

// The text of one of clwave's own maps into `out`, whose conversion is OUT_CONVERT; a user's stands in the
// program itself.
std::string transform_text(const map& apply, const element& in, const element& out);

// Throws bad_call.
[[noreturn]] void refuse_map(std::string_view primitive, std::string_view message, const std::string& types,
                             std::string_view advice = {});
// Throws bad_call for types and maps that do not go together.
void check_transform_types(std::string_view primitive, std::span<const any_view> in, const element& out,
                           const map& apply);

}  // namespace clwave::detail
