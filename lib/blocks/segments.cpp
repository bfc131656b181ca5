// What calls that take segments by offsets share.
#include "blocks/segments.hpp"

#include <string>

#include "call/counted.hpp"
#include "call/planning.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {
namespace {

constexpr std::string_view count_of_segments = "the count of the segments";

}  // namespace

unsigned count_bytes_of_segments(std::string_view primitive, const any_view& offsets) {
  return count_bytes_of(primitive, offsets, count_of_segments);
}

call_operand counting_operand_of_segments(const any_view& offsets) {
  return counting_operand(offsets, count_of_segments);
}

void add_segment_count(program_spec& spec, unsigned count_bytes) {
  if (count_bytes != 0) add_word(spec, "SEGMENTS_COUNTED_BY", count_bytes == 8 ? "ulong" : "uint");
}

void add_segment_number(described_launch& launch, std::uint64_t segments, const any_view* count,
                        std::size_t operand) {
  const auto most = static_cast<std::uint32_t>(segments);
  if (count == nullptr)
    launch.value("segments", most);
  else
    launch.buffer("segments_at", operand)
        .value("segments_offset", count->offset)
        .value("segments_most", most);
}

std::string_view words_of_segment_count(unsigned count_bytes) {
  return count_bytes != 0 ? ", as many segments as the device says" : "";
}

std::string words_of_bad_segments(std::uint64_t bad, const any_view& offsets) {
  return std::to_string(bad) + " of " + (offsets.count != nullptr ? "at most " : "") +
         std::to_string(offsets.n - 1) + " segments are bad";
}

void check_segment_numbers(std::string_view primitive, std::uint64_t segments, std::uint64_t n,
                           std::uint64_t most_elements, std::string_view verb) {
  constexpr std::uint64_t most_segments = std::uint64_t{1} << 31;
  if (segments > most_segments || n > most_elements)
    refuse(primitive,
           "more than " + std::to_string(most_segments) + " segments, or " + std::to_string(most_elements) +
               " elements",
           std::string(verb) + " the segments in parts");
}

void check_segment_types(std::string_view primitive, const any_view& in, const any_view& offsets,
                         const any_view& out, const std::optional<any_view>& bad) {
  check_typed(primitive, {{"the input", in},
                          {"the offsets", all_of(offsets)},
                          {"the output", out},
                          {"the number of bad segments", bad}});
}

std::vector<described_operand> operands_of(std::string_view primitive, const segment_reaches& reaches) {
  const std::string& offset = reaches.offsets.type->opencl_name;
  if (offset != "uint" && offset != "ulong")
    refuse(primitive, "offsets of " + reaches.offsets.type->name,
           "offsets are of 32 or 64 bits, without a sign");
  if (reaches.bad && reaches.bad->type->opencl_name != "ulong")
    refuse(primitive, "the number of bad segments is of " + reaches.bad->type->name, "give one of u64");
  std::vector<described_operand> all;
  all.reserve(5);
  const auto add = [&](const any_view& each, access use, std::uint64_t n, std::string_view what) {
    all.push_back({use, counting{primitive, what}.bytes(each.offset, n, each.type->size)});
  };
  add(reaches.in, access::reads, reaches.in.n, "the input");
  add(reaches.offsets, access::reads, reaches.segments + 1, "the offsets");
  add(reaches.out, access::writes, reaches.results, "the output");
  if (reaches.bad)
    all.push_back(
        {access::writes, counting{primitive, "the number of bad segments"}.bytes(reaches.bad->offset, 1, 8)});
  if (const unsigned count_bytes = count_bytes_of_segments(primitive, reaches.offsets))
    all.push_back(described_count(count_bytes));
  return all;
}

segment_operands::segment_operands(std::string_view primitive, const segment_views& views) {
  check_segment_types(primitive, views.in, views.offsets, views.out, views.bad);
  if (views.offsets.n == 0)
    refuse(primitive, "there are no offsets", "give one offset more than there are segments");
  if (views.bad && views.bad->n == 0)
    refuse(primitive, "the view of the number of bad segments has no element");
  const std::optional<std::size_t> any =
      views.in.type->components > 1 ? std::nullopt : std::optional<std::size_t>(1);
  add({.view = views.in, .name = "the input", .alignment = any, .gives_its_place = views.in_place});
  add({.view = all_of(views.offsets), .name = "the offsets"});
  add({.view = views.out, .use = access::writes, .name = "the output", .reach = views.reach});
  if (views.bad) {
    bad_ = {views.bad->buffer, 1, views.bad->offset, views.bad->type};
    add({.view = bad_, .use = access::writes, .name = "the number of bad segments"});
  }
  if (count_bytes_of_segments(primitive, views.offsets) != 0)
    add(counting_operand_of_segments(views.offsets));
}

void segment_operands::add(const call_operand& each) {
  buffers_[n_] = each.view.n > 0 ? each.view.buffer : nullptr;
  all_[n_++] = each;
}

}  // namespace clwave::detail
