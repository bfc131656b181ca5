// Calls that take segments by offsets: their operands, and how the segments are shared out among groups.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

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
// Throws bad_call for offsets and a number of bad ones of other types than kernels have.
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

// The operands of a call: the input, the offsets, the output, and the number of bad segments.
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

  std::array<call_operand, 4> all_ = {};
  std::array<cl_mem, 4> buffers_ = {};
  std::size_t n_ = 0;
  any_view bad_ = {};
};

}  // namespace clwave::detail
