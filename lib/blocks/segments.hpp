// Calls that take segments by offsets: their operands, and how the segments are shared out among groups.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "call/description.hpp"
#include "call/operands.hpp"
#include "program/program.hpp"

namespace clwave::detail {

// What a segment costs besides its elements, in elements: its offsets, its result, and what is done for each.
inline constexpr std::uint64_t segment_cost = 16;

// How many groups share `n` elements and so many segments, where `at_once` run at a time. Some more than run
// at once: parts are alike by a measure that is not quite time. A part has 1024 at least: fewer do not pay
// for the search.
inline std::uint64_t groups_of_segments(std::uint64_t n, std::uint64_t segments, std::uint64_t at_once) {
  return std::clamp<std::uint64_t>((n + segments * segment_cost) / 1024, 1,
                                   std::max<std::uint64_t>(2 * at_once, 1));
}

// Throws bad_call for more segments or elements than a kernel's numbers of segments and tiles take; `verb`
// says what to do with parts of them.
void check_segment_numbers(std::string_view primitive, std::uint64_t segments, std::uint64_t n,
                           std::uint64_t most_elements, std::string_view verb);

// The offsets of a call may have a count: the number of segments then lies on the device, and everything is
// described for the segments that there may be, one less than there are offsets. A program has the word
// SEGMENTS_COUNTED_BY, the number's type, and its kernels take in place of `segments` where the number lies
// and the most that it counts for (cl_kernels/blocks/segments.cl). A launch needs no more groups for that:
// they share what there is.
//
// How many bytes the number has; 0: the host knows it. Throws bad_call where it is not one number of 32 or 64
// bits without a sign.
unsigned count_bytes_of_segments(std::string_view primitive, const any_view& offsets);
// The number as an operand of a call.
call_operand counting_operand_of_segments(const any_view& offsets);
// Adds the word, where the segments are counted.
void add_segment_count(program_spec& spec, unsigned count_bytes);
// Adds the arguments SEGMENTS_ARGUMENT of a launch. `operand`: the number's, where `count` is not null.
void add_segment_number(described_launch& launch, std::uint64_t segments, const any_view* count,
                        std::size_t operand);
// What the description of a variant in a plan ends in; "" where the host knows the number.
std::string_view words_of_segment_count(unsigned count_bytes);
// What a call that has counted bad segments says of them.
std::string words_of_bad_segments(std::uint64_t bad, const any_view& offsets);

// Throws bad_call where an operand has no type.
void check_segment_types(std::string_view primitive, const any_view& in, const any_view& offsets,
                         const any_view& out, const std::optional<any_view>& bad);

// How far a problem of segments reaches into the input, the offsets, the output, and into the buffer with
// the number of bad ones, where they are counted.
struct segment_reaches {
  const any_view &in, &offsets, &out;
  std::uint64_t segments, results;
  const std::optional<any_view>& bad;
};
// The last one is the number of segments, where the device has it. Throws bad_call for offsets and a number
// of bad ones of other types than kernels have.
std::vector<described_operand> operands_of(std::string_view primitive, const segment_reaches& reaches);

// Those of a problem that has so many results.
template <class Problem>
std::vector<described_operand> operands_of_segments(std::string_view primitive, const Problem& q,
                                                    std::uint64_t results) {
  return operands_of(primitive, {.in = q.in,
                                 .offsets = q.offsets,
                                 .out = q.out,
                                 .segments = q.segments,
                                 .results = results,
                                 .bad = q.bad});
}

// The operands of a call: the input, the offsets, the output, the number of bad segments, and the number of
// all segments, where it lies on the device.
struct segment_views {
  any_view in, offsets, out;
  std::optional<any_view> bad;
  std::optional<std::uint64_t> reach;  // of the output; nothing: all of it
  bool in_place;                       // the output may lie where the input does
};

class segment_operands {
 public:
  // Throws bad_call where there are no offsets, or `bad` has no element.
  segment_operands(std::string_view primitive, const segment_views& views);

  std::span<const call_operand> all() const { return {all_.data(), n_}; }
  std::span<const cl_mem> buffers() const { return {buffers_.data(), n_}; }
  // One element, of which the call writes nothing else.
  const any_view& bad() const { return bad_; }

 private:
  void add(const call_operand& each);

  std::array<call_operand, 5> all_ = {};
  std::array<cl_mem, 5> buffers_ = {};
  std::size_t n_ = 0;
  any_view bad_ = {};
};

}  // namespace clwave::detail
