// What calls that take segments by offsets share.
#include "blocks/segments.hpp"

#include <string>

#include "call/planning.hpp"

namespace clwave::detail {

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
                          {"the offsets", offsets},
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
  all.reserve(4);
  const auto add = [&](const any_view& each, access use, std::uint64_t n, std::string_view what) {
    all.push_back({use, counting{primitive, what}.bytes(each.offset, n, each.type->size)});
  };
  add(reaches.in, access::reads, reaches.in.n, "the input");
  add(reaches.offsets, access::reads, reaches.segments + 1, "the offsets");
  add(reaches.out, access::writes, reaches.results, "the output");
  if (reaches.bad)
    all.push_back(
        {access::writes, counting{primitive, "the number of bad segments"}.bytes(reaches.bad->offset, 1, 8)});
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
  add({.view = views.offsets, .name = "the offsets"});
  add({.view = views.out, .use = access::writes, .name = "the output", .reach = views.reach});
  if (!views.bad) return;
  bad_ = {views.bad->buffer, 1, views.bad->offset, views.bad->type};
  add({.view = bad_, .use = access::writes, .name = "the number of bad segments"});
}

void segment_operands::add(const call_operand& each) {
  buffers_[n_] = each.view.n > 0 ? each.view.buffer : nullptr;
  all_[n_++] = each;
}

}  // namespace clwave::detail
