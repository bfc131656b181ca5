// Segments by offsets on the command line, for the primitives that are planned with them.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <clwave/any_view.hpp>

#include "primitives/planned_primitive.hpp"
#include "shared/reductions.hpp"
#include "shared/words.hpp"

namespace clwave::tool {

struct segment_words {
  std::string n = "16M", segments = "64K", offsets = "u64";
  bool counts_bad = false, counted = false;
};

inline void add_segment_options(CLI::App& command, segment_words& words) {
  add_n_option(command, words.n);
  command.add_option("--segments", words.segments, "Number of segments")->capture_default_str();
  command.add_option("--offsets", words.offsets, "Type of the offsets")
      ->capture_default_str()
      ->check(CLI::IsMember({"u32", "u64"}));
  command.add_flag("--count-bad", words.counts_bad, "Bad segments are counted");
  add_count_option(command, words.counted, "segments", "--segments");
}

// The offsets of a plan, which goes by its number of segments.
inline any_view offsets_of_segments(const segment_words& words) {
  any_view offsets = scalar_type_named(words.offsets);
  offsets.count = count_where(words.counted);
  return offsets;
}

// What is planned, of which the primitive may have more. Refers to the meaning.
template <class Problem>
Problem planned_segments(const reduce_meaning& meaning, const segment_words& words) {
  Problem problem{.in = {*meaning.type, number_of_elements(words.n)},
                  .offsets = offsets_of_segments(words),
                  .out = meaning.accumulator,
                  .segments = number_of_elements(words.segments),
                  .fold = meaning.operation(),
                  .apply = meaning.applied()};
  if (words.counts_bad) problem.bad = element_of<std::uint64_t>();
  return problem;
}

// What was asked, of which the primitive may say more.
inline json problem_of_segments(const char* primitive, const reduce_meaning& meaning,
                                const segment_words& words) {
  return {{"primitive", primitive},
          {"n", number_of_elements(words.n)},
          {"segments", number_of_elements(words.segments)},
          {"offsets", words.offsets},
          {"type", meaning.type->name},
          {"op", meaning.fold->name},
          {"acc", meaning.value->name},
          {"counts_bad", words.counts_bad},
          {"count_on_device", words.counted}};
}

}  // namespace clwave::tool
