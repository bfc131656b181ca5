// The two sorted ranges of a merge or a set operation.
#include "blocks/sorted_ranges.hpp"

#include <string>

#include "call/counted.hpp"
#include "program/element_words.hpp"

namespace clwave::detail {

range_counts counts_of_ranges(std::string_view primitive, const any_view& a, const any_view& b) {
  return {count_bytes_of(primitive, a), count_bytes_of(primitive, b)};
}

void add_sorted_ranges(program_spec& spec, const range_counts& counts) {
  add_modules(spec, {"blocks/sorted_ranges.cl"});
  const auto add = [&](const char* word, unsigned bytes) {
    if (bytes != 0) add_word(spec, word, bytes == 8 ? "ulong" : "uint");
  };
  add("A_COUNTED_BY", counts.a);
  add("B_COUNTED_BY", counts.b);
  // Their sum is counted, too, whatever its type.
  if (counts.a != 0 || counts.b != 0) add_count(spec, 8);
}

void describe_counts(const range_counts& counts, described_work& work) {
  if (counts.a != 0) work.operands.push_back(described_count(counts.a));
  if (counts.b != 0) work.operands.push_back(described_count(counts.b));
}

void add_sorted_ranges(described_launch& launch, const any_view& a, const any_view& b,
                       std::size_t first_count) {
  const auto add = [&](const any_view& range, std::size_t operand, const char* name, const char* offset,
                       const char* n, const char* n_at, const char* n_offset, const char* n_most) {
    launch.buffer(name, operand).value(offset, range.offset);
    if (range.count == nullptr)
      launch.value(n, range.n);
    else
      launch.buffer(n_at, first_count++).value(n_offset, range.count->offset).value(n_most, range.n);
  };
  add(a, 0, "a", "a_offset", "a_n", "a_n_at", "a_n_offset", "a_n_most");
  add(b, 1, "b", "b_offset", "b_n", "b_n_at", "b_n_offset", "b_n_most");
}

std::string_view words_of_counts(const range_counts& counts) {
  return words_of_count(counts.a != 0 ? counts.a : counts.b);
}

}  // namespace clwave::detail
